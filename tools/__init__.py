"""Programs for maintainers, run from a checkout; ``RELEASE.md`` has the steps."""
