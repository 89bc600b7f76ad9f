"""HTML pages of reports, comparisons and cards: templates, their environment, shared scripts."""
