"""Statistics, each computed in one place: intervals, ranks and tests, performance profiles."""
