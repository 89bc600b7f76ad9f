"""Kumar & Sindhwani (2015), Near-separable NMF with l1 and Bregman loss functions."""

from nmfbench.papers.paper import Paper

PAPER = Paper(
    authors="Kumar & Sindhwani",
    year=2015,
    title="Near-separable non-negative matrix factorization with l1 and Bregman loss functions",
    url="https://arxiv.org/abs/1312.7167",
    claim="Where noise is sparse but large, RobustXRAY still finds the points that generate the "
    "data, when the methods that minimise squared errors have long failed.",
    decided_by=("fig3/beats-*", "fig3/outgrows-*"),
    figure="fig3",
    answers={"Does RobustXRAY find the generating points under noise?": "fig3"},
)
