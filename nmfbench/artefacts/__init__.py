"""Tables and figures of papers: grids of trials, summaries, pictures, claims and their verdicts."""
