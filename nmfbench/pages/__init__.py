"""HTML pages of reports, comparisons and cards: templates and their environment."""
