"""Guan, Tao, Luo & Yuan (2012), Online NMF with robust stochastic approximation."""

from nmfbench.papers.paper import Paper

PAPER = Paper(
    authors="Guan, Tao, Luo & Yuan",
    year=2012,
    title="Online nonnegative matrix factorization with robust stochastic approximation",
    url="https://doi.org/10.1109/TNNLS.2012.2197827",
    claim="OR-NMF learns from a stream at a constant cost a sample, and lowers the objective "
    "faster than the other online methods do.",
    decided_by=("fig[236]/or-*",),
    figure="fig2",
    answers={"Which online NMF can follow a stream that changes?": "drift"},
)
