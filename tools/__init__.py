"""What maintainers run from a checkout; ``RELEASE.md`` says when."""
