"""Completion by RPCA and GoDec, and representation by MahNMF: hidden and negative entries."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.frames import mean_table, melt_metrics
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.region import Bounds
from nmfbench.artefacts.tables import plus_minus_cell, score_table
from nmfbench.papers.mahnmf.shadows import GODEC, MAH, RPCA
from nmfbench.problems.separation import CARD
from nmfbench.trials.trial import Trial

MEANS = "column means"
METHODS = (
    Method(MAH, "mahnmf-rri"),
    Method(RPCA, "rpca-ialm"),
    Method(GODEC, "godec", {"card": CARD}),
)
SHARES = (0.1, 0.5)
_DATA = {"yaleb": "faces (Yale B)", "noisy-low-rank": "low rank"}
_RANK = 10
_ERROR, _NEGATIVE = "hidden-error", "negative-share"
_SHOWN = {_ERROR: "relative error on hidden entries", _NEGATIVE: "share of entries below 0"}
_PLACES = {"dataset": tuple(_DATA), "hidden": SHARES}
_SOURCE = "Section 6"


def trials(profile):
    """A hundred faces, and low-rank matrices with noise, of which a share of entries is hidden."""
    smoke = profile == "smoke"
    repeats = {"smoke": 2, "quick": 5, "paper": 20}[profile]
    rank = 3 if smoke else _RANK
    people = {"n_classes": 4, "per_class": 4} if smoke else {"n_classes": 10, "per_class": 10}
    size = {"n_samples": 100, "n_features": 200, "n_components": rank}
    if smoke:
        size |= {"n_samples": 20, "n_features": 30}
    faces = Trial(
        "completion", "yaleb", "", options=people | {"n_components": rank}, stand_in=smoke
    )
    made = Trial(
        "completion", "noisy-low-rank", "", dataset_params=size, options={"n_components": rank}
    )
    return [
        trial
        for base in (faces, made)
        for trial in cross(base, repeats, options("hidden", SHARES), methods(METHODS))
    ]


def frame(records):
    """Records, with the errors of column means below: the same for all methods of a repeat."""
    records = records.astype({"method": str})
    means = records[records["method"] == MAH]
    means = means.assign(**{"method": MEANS, _ERROR: means[f"{_ERROR}-means"], _NEGATIVE: 0.0})
    return pd.concat([records, means], ignore_index=True)


def table(frame):
    """Means of both numbers with 95 % intervals, by data, share and method."""
    long = melt_metrics(frame, _SHOWN, "number", "value")
    found = mean_table(long, "value", ["dataset", "hidden", "number", "method"])
    return found.astype({"number": str})


def draw(table):
    """One line for each matrix, share and number."""
    return score_table(
        table.assign(dataset=table["dataset"].map(_DATA)),
        {"dataset": "data", "hidden": "share hidden", "number": "number"},
        [*(method.label for method in METHODS), MEANS],
        plus_minus_cell(3),
    )


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/completion",
        title="Hidden entries of faces and of low-rank matrices, and negative ones",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=[
            *(
                Claim(
                    f"suits-{key}",
                    f"{method} is suitable for matrix completion: its errors on hidden entries are "
                    "smaller than the errors of the column means, on faces and on low-rank "
                    "matrices.",
                    _SOURCE,
                    always_best(method, [MEANS], _ERROR, each=_PLACES, lower=True, ratio=True),
                )
                for key, method in (("rpca", RPCA), ("godec", GODEC))
            ),
            Claim(
                "non-negative",
                "MahNMF keeps the data non-negative, RPCA and GoDec do not: at least two per "
                "cent of the entries of their low-rank parts are below zero, and none of MahNMF's, "
                "on faces and on low-rank matrices.",
                _SOURCE,
                always_best(
                    MAH,
                    [RPCA, GODEC],
                    _NEGATIVE,
                    each=_PLACES,
                    lower=True,
                    region=Bounds(low=0.02),
                ),
            ),
            *(
                Claim(
                    f"beats-{against}-{key}",
                    f"{method} completes better than {rival}, on faces and on low-rank matrices.",
                    f"ours, after {_SOURCE}",
                    always_best(method, [rival], _ERROR, each=_PLACES, lower=True, ratio=True),
                    origin="ours",
                )
                for key, method, against, rival in (
                    ("mahnmf", MAH, "means", MEANS),
                    ("rpca", RPCA, "mahnmf", MAH),
                    ("godec", GODEC, "mahnmf", MAH),
                )
            ),
        ],
        planned=Plan(20, "A repeat takes less than a minute of CPU time."),
        assumed={
            "suitable": "The paper has no experiment on completion, and names no rival: errors "
            "have to be smaller than with column means, which any method should beat, on both "
            "kinds of data. Whether RPCA and GoDec complete better than MahNMF is our question.",
            "hidden entries": "A tenth and half of all, at random. They are filled with the means "
            "of their columns, then with the low-rank part of a fit, and so on for 20 rounds at "
            "most, until they move by less than 0.1 %. So GoDec's authors complete matrices; the "
            "same for every method.",
            "data": "Ten images of each of ten people of Yale B, drawn at random, rank 10; low-"
            "rank matrices of 100 samples of 200 features, rank 10, with a little noise. All "
            "methods but RPCA know the rank.",
            "below zero": "By more than half of a grey level of 255, in the low-rank part. MahNMF "
            "has none by construction: what is tested is whether the others have more than a few, "
            "two per cent, the smallest difference of shares that matters.",
            "GoDec": "Its sparse part has 7.45 % of the entries, as for the videos.",
        },
        caption="Means ± half of the 95 % interval over draws of data and hidden entries. Errors "
        "are relative, in the Frobenius norm over the hidden entries.",
    )
)
