"""Kumar & Sindhwani (2015), Near-separable NMF with l1 and Bregman loss functions."""

from nmfbench.papers.paper import Headline, Paper
from nmfbench.papers.robust_xray.sentences import SENTENCES

PAPER = Paper(
    authors="Kumar & Sindhwani",
    year=2015,
    title="Near-separable non-negative matrix factorization with l1 and Bregman loss functions",
    url="https://arxiv.org/abs/1312.7167",
    claim="Where noise is sparse but large, RobustXRAY still finds the points that generate the "
    "data, when the methods that minimise squared errors have long failed.",
    headlines=(
        Headline(
            claim="fig7/hall-matches-rpca",
            holds="RobustXRAY matches RPCA in separating people from the background of a video "
            "(Hall & monitor): its hit rate at up to a fifth of false alarms differs by {effect}.",
            fails="RobustXRAY does not match RPCA in separating people from the background of a "
            "video (Hall & monitor): its hit rate at up to a fifth of false alarms differs by "
            "{effect}.",
            no_lead="RobustXRAY is not ahead of RPCA in separating people from the background of a "
            "video (Hall & monitor): its hit rate at up to a fifth of false alarms differs by "
            "{effect}.",
            question="RobustXRAY matches RPCA in separating people from the background of a video "
            "(Hall & monitor)",
            scale=100.0,
        ),
        Headline(
            claim="speed/hallandmonitor-ialm-full-tight",
            holds="RobustXRAY is an order of magnitude faster than RPCA by i-ALM with a full SVD, "
            "which the paper timed: {effect} as fast on 100 to 300 frames of Hall & monitor.",
            fails="RobustXRAY is not an order of magnitude faster than RPCA by i-ALM with a full "
            "SVD, which the paper timed: {effect} as fast on 100 to 300 frames of Hall & monitor.",
            no_lead="RobustXRAY is as fast as RPCA by i-ALM with a full SVD, which the paper "
            "timed: {effect} on 100 to 300 frames of Hall & monitor.",
            question="RobustXRAY is an order of magnitude faster than RPCA by i-ALM with a full "
            "SVD, which the paper timed, on 100 to 300 frames of Hall & monitor",
            unit="times",
        ),
        Headline(
            claim="fig3/beats-hottopixx",
            holds="Under sparse noise RobustXRAY finds more of the points that generate a data "
            "set than Hottopixx does, whose program is solved exactly: by {effect} of all.",
            fails="Under sparse noise RobustXRAY finds fewer of the points that generate a data "
            "set than Hottopixx does, whose program is solved exactly: by {behind} of all.",
            no_lead="Under sparse noise RobustXRAY finds no more of the points that generate a "
            "data set than Hottopixx does, whose program is solved exactly: the difference is "
            "{effect} of all.",
            question="RobustXRAY finds more of the points that generate a data set than Hottopixx "
            "does under sparse noise, whose program is solved exactly",
            scale=100.0,
        ),
    ),
    figure="fig3",
    answers={"Does RobustXRAY find the generating points under noise?": "fig3"},
    sentences=SENTENCES,
)
