"""Guo, Ding & Zhou (2014), Robust NMF with discriminability for image representation."""

from nmfbench.papers.paper import Paper

PAPER = Paper(
    authors="Guo, Ding & Zhou",
    year=2014,
    title="Robust nonnegative matrix factorization with discriminability for image representation",
    url="https://doi.org/10.1109/ICME.2015.7177401",
    claim="A sparse noise matrix and an approximate orthogonality constraint make graph-"
    "regularised NMF cluster images better than all of its predecessors, on five data sets.",
    decided_by=tuple(
        f"table[34]/{data}-*" for data in ("orl", "yale", "umist", "mnist", "semeion", "average")
    ),
    figure="ingredients",
    answers={"What does Table 3 of RNMFD print, and what did we get?": "table3"},
)
