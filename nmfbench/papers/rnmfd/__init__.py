"""Guo, Ding & Zhou (2014), Robust NMF with discriminability for image representation."""

from nmfbench.papers.paper import Headline, Paper
from nmfbench.papers.rnmfd.sentences import SENTENCES

PAPER = Paper(
    authors="Guo, Ding & Zhou",
    year=2014,
    title="Robust nonnegative matrix factorization with discriminability for image representation",
    url="https://doi.org/10.1109/ICME.2015.7177401",
    claim="A sparse noise matrix and an approximate orthogonality constraint make graph-"
    "regularised NMF cluster images better than all of its predecessors, on five data sets.",
    headlines=(
        Headline(
            claim="table3/average-best",
            holds="On average over five sets of images RNMFD clusters better than each of nine "
            "other methods at its best parameters: by {effect} of accuracy.",
            fails="On average over five sets of images RNMFD does not cluster better than nine "
            "other methods at their best parameters: it is {behind} of accuracy behind the best.",
            no_lead="On average over five sets of images RNMFD clusters no better than the best of "
            "nine other methods at its best parameters: it has {effect} more of accuracy.",
            question="RNMFD clusters five sets of images better, on average, than each of nine "
            "other methods at its best parameters",
            scale=100.0,
        ),
        Headline(
            claim="table1/rnmfd-less-alike",
            holds="Where the weight of the graph is large, RNMFD keeps images of different classes "
            "more apart than GNMF does: their mean cosine is smaller by {effect}.",
            fails="Where the weight of the graph is large, RNMFD does not keep images of different "
            "classes more apart than GNMF does: their mean cosine is larger by {behind}.",
            no_lead="Where the weight of the graph is large, RNMFD keeps images of different "
            "classes apart no better than GNMF does: their mean cosine is smaller by {effect}.",
            question="RNMFD keeps images of different classes more apart than GNMF does where the "
            "weight of the graph is large",
            unit="",
        ),
    ),
    figure="ingredients",
    answers={"What does Table 3 of RNMFD print, and what did we get?": "table3"},
    sentences=SENTENCES,
)
