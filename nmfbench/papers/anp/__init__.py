"""Liu, Yang, Wu & Li (2012), A-optimal non-negative projection for image representation."""

from nmfbench.papers.anp.sentences import SENTENCES
from nmfbench.papers.paper import Headline, Paper

PAPER = Paper(
    authors="Liu, Yang, Wu & Li",
    year=2012,
    title="A-optimal non-negative projection for image representation",
    claim="Choosing the projection by A-optimal design, so that the labels of all images are "
    "predicted with little variance, clusters images better than K-means and NMF do.",
    headlines=(
        Headline(
            claim="fig2/anp-at-its-best",
            holds="ANP clusters faces (ORL) better than K-means and NMF do, in accuracy and in "
            "mutual information: by {effect}.",
            fails="ANP does not cluster faces (ORL) better than K-means and NMF do in both "
            "accuracy and mutual information: it is {behind} behind in one of them.",
            no_lead="ANP clusters faces (ORL) no better than K-means and NMF do in accuracy and "
            "mutual information: its smallest lead is {effect}.",
            question="ANP clusters faces (ORL) better than K-means and NMF do, in accuracy and in "
            "mutual information",
            scale=100.0,
        ),
        Headline(
            claim="fig2/term-at-its-best",
            holds="The regression term of ANP, the idea of the paper, helps: ANP is ahead of the "
            "same updates without it by {effect}.",
            fails="The regression term of ANP, the idea of the paper, does not help: ANP is "
            "{behind} behind the same updates without it.",
            no_lead="The regression term of ANP, the idea of the paper, makes no difference that "
            "matters: {effect}.",
            question="the regression term of ANP, the idea of the paper, puts it ahead of the same "
            "updates without it",
            scale=100.0,
        ),
    ),
    figure="fig2",
    sentences=SENTENCES,
)
