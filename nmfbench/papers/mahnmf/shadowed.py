"""Recognition of faces in shadow and of lit ones, by PCA and by the images themselves."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import better
from nmfbench.artefacts.finding import with_evidence
from nmfbench.artefacts.frames import mean_table, select_rows
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import mean_and_deviation, score_table
from nmfbench.papers.mahnmf.faces import EUC, NAMES, PCA
from nmfbench.papers.mahnmf.faces import METHODS as ON_FACES
from nmfbench.problems.faces import DTYPE, SPLIT
from nmfbench.trials.trial import Trial

IMAGES = "images"
METHODS = tuple(Method(m.label, m.solver, m.params) for m in ON_FACES if m.label in (PCA, EUC))
_SETS = ("yaleb", "pie")
_RANKS = (20, 50)
_LIT, _SHADOW = "lit", "in shadow"
_SOURCE = "Section 5.4.2"


def trials(profile):
    """Both sets without noise at two ranks; a part of stand-ins in the smoke grid."""
    smoke = profile == "smoke"
    repeats = {"smoke": 2, "quick": 5, "paper": 20}[profile]
    split = {"train_per_class": 2, "test_per_class": 3} if smoke else SPLIT
    ranks = options("n_components", (3,) if smoke else _RANKS)
    found = []
    for dataset in _SETS:
        own = {"dtype": DTYPE} | split
        base = Trial("shadow-recognition", dataset, "", options=own, stand_in=smoke)
        found += cross(base, repeats, ranks, methods(METHODS))
    return found


def frame(records):
    """One row for each trial and ``light``, with its ``accuracy``; images are a method, too."""
    records, parts = records.astype({"method": str}), []
    for light, ending, share in (
        (_LIT, "lit", "shadow-share-lit"),
        (_SHADOW, "shadow", "shadow-share"),
    ):
        there = {"light": light, "share": records[share]}
        parts.append(records.assign(accuracy=records[f"accuracy-{ending}"], **there))
        images = select_rows(parts[-1], method=PCA)
        images = images.assign(accuracy=images[f"accuracy-images-{ending}"], method=IMAGES)
        parts.append(images)
    return pd.concat(parts, ignore_index=True)


def table(frame):
    """Mean accuracies in per cent with 95 % intervals over splits."""
    percent = frame.assign(accuracy=100 * frame["accuracy"])
    by = ["dataset", "method", "light"]
    return mean_table(percent, "accuracy", by, over=["repeat"], between=(0, 100))


def draw(table):
    """One line for each set and method, a column for each light."""
    return score_table(
        table.assign(dataset=table["dataset"].map(NAMES)),
        {"dataset": "faces", "method": "method"},
        [_LIT, _SHADOW],
        lambda cell: mean_and_deviation(cell.mean, (cell.high - cell.low) / 2, cell.count, 1),
        column="light",
    )


def _shares(frame):
    """How much of the images is dark."""
    means = 100 * frame.groupby("light")["share"].mean()
    return f"dark pixels: {means[_LIT]:.2g} % of those lit, {means[_SHADOW]:.2g} % in shadow"


def _reduced(method, dataset):
    return with_evidence(
        better(
            {"method": method, "light": _LIT},
            {"method": method, "light": _SHADOW},
            "accuracy",
            ["n_components"],
            at={"dataset": dataset},
        ),
        lambda frame: _shares(select_rows(frame, method=method)),
    )


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/shadowed",
        title="Recognition of faces in shadow and of lit ones",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=[
            *(
                Claim(
                    f"hurt-pca-{dataset}",
                    f"{NAMES[dataset]}: shadow reduces the accuracy of PCA: of the test images of "
                    "each person the third with the least shadow is recognised more often than "
                    "the third with the most.",
                    _SOURCE,
                    _reduced(PCA, dataset),
                )
                for dataset in _SETS
            ),
            *(
                Claim(
                    f"hurt-{key}-{dataset}",
                    f"{NAMES[dataset]}: so it is with {words}.",
                    f"ours, after {_SOURCE}",
                    _reduced(method, dataset),
                    origin="ours",
                )
                for key, method, words in (
                    ("eucnmf", EUC, "EucNMF"),
                    ("images", IMAGES, "the images themselves"),
                )
                for dataset in _SETS
            ),
        ],
        planned=Plan(20, "A repeat takes a few seconds of CPU time."),
        matters={"accuracy": 0.02},
        assumed={
            "shadow": "The sets have no angles of light. A pixel is in shadow where it is darker "
            "than a quarter of the median image of its person, as in the study of lighting.",
            "accuracy": "Algorithm 5: the nearest training code by cosine. Seven random images of "
            "each person train, under any light; the others test, 20 and 50 components.",
            "PIE": "Its lights leave less shadow than those of Yale B.",
        },
        caption="Accuracy in per cent, mean over both ranks ± half of the 95 % interval over "
        "splits, of the thirds of the test images of each person with the least and with the most "
        "shadow.",
    )
)
