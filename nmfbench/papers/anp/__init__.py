"""Liu, Yang, Wu & Li (2012), A-optimal non-negative projection for image representation."""

from nmfbench.papers.paper import Paper

PAPER = Paper(
    authors="Liu, Yang, Wu & Li",
    year=2012,
    title="A-optimal non-negative projection for image representation",
    claim="Choosing the projection by A-optimal design, so that the labels of all images are "
    "predicted with little variance, clusters images better than K-means and NMF do.",
    decided_by=("fig[23]/anp-*",),
    figure="fig2",
)
