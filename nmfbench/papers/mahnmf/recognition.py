"""Accuracy of recognition against the rank in six conditions: Figures 5 and 7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.dots import Dots
from nmfbench.artefacts.frames import mean_table, melt_metrics, reference, select_rows
from nmfbench.artefacts.grids import changed
from nmfbench.artefacts.tables import interval_cell, score_table
from nmfbench.core.matters import Ratio
from nmfbench.datasets.base import dataset_info
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import EUC, KL, LEVEL, MAH, METHODS, OTHER_LEVELS, READ_AT
from nmfbench.problems.faces import CONDITIONS
from nmfbench.trials.trial import Trial

ALGORITHMS = ("Algorithm 4", "Algorithm 5")
_RECODED = "Algorithm 4, recoded"  # not in the paper
SAME_IMAGES = "Algorithm 4, corrupted test images"  # nor is this
_METRICS = {
    "accuracy-4": "Algorithm 4",
    "accuracy-5": "Algorithm 5",
    "accuracy-4-recoded": _RECODED,
}

ACCURACY = "accuracy (%)"
KEPT = "share of the clean accuracy (%)"
OUTLIERS = ("occlusion", "Laplace", "salt & pepper")
PERFECT = 95.0  # per cent
_GUESSING = "guessing"
PERFECT_AT = (20, 40, 60, 80, 100)
"""Ranks at which nearly perfect accuracy is looked for at other levels of the noise."""
_RANKS = 3  # of the picture
ROBUST = 4.0  # per cent, twice the smallest difference that matters
MATTERS: dict[str, float | Ratio | None] = {ACCURACY: 2.0, KEPT: 2.0}
"""Smallest differences that matter, in per cent."""


# -- table and figure -------------------------------------------------------------------------


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Accuracies by ``algorithm`` and ``condition``, in per cent, and of that without noise."""
    corrupted = records.reindex(columns=["clean_test"])["clean_test"].eq(False)
    metrics = {"accuracy-4": SAME_IMAGES}
    long = pd.concat(
        melt_metrics(rows, names, "algorithm", ACCURACY, unit=100).astype({"algorithm": str})
        for rows, names in ((records[~corrupted], _METRICS), (records[corrupted], metrics))
        if len(rows)
    )
    fit = ["algorithm", "method", "n_components", "repeat"]
    clean = reference(long, ACCURACY, {"condition": "no noise"}, fit)
    return long.assign(**{KEPT: 100 * long[ACCURACY] / clean.where(clean > 0)})


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracies and their 95 % t intervals over splits.

    ``chance`` is the accuracy of guessing, missing on a stand-in.
    """
    by = ["algorithm", "condition", "method", "n_components"]
    frame = select_rows(frame, condition=list(CONDITIONS))
    people = dataset_info(frame["dataset"].iloc[0])["n_classes"]
    chance = np.nan if frame["stand_in"].any() else 100 / people
    return mean_table(frame, ACCURACY, by, between=(0, 100)).assign(chance=chance)


def draw(table: pd.DataFrame):
    """A line for each condition; a column for each algorithm, a row for each of three ranks.

    Methods that have no run in the grid are named, so that nobody takes another for them.
    """
    ranks = sorted(set(table["n_components"]))
    few = sorted({ranks[k] for k in np.linspace(0, len(ranks) - 1, _RANKS).round().astype(int)})
    guessing = table.drop_duplicates(["algorithm", "condition", "n_components"]).assign(
        method=_GUESSING, mean=table["chance"], low=np.nan, high=np.nan
    )
    picture = Dots(
        y="condition",
        lines={condition: condition for condition in CONDITIONS},
        labels=[method.label for method in METHODS],
        row="n_components",
        rows={rank: f"rank {rank}" for rank in few},
        column="algorithm",
        columns={
            "Algorithm 4": "Algorithm 4 (clean test images)",
            "Algorithm 5": "Algorithm 5 (corrupted test images)",
            _RECODED: "Algorithm 4, recoded (ours)",
        },
        xlabel=ACCURACY,
        trivial=[_GUESSING],
        xlim=(0, None),
        width=3.6,
        awaited=[MAH],
    )
    return picture(pd.concat([table, guessing.dropna(subset=["mean"])]))


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Accuracies at all ranks, with intervals, as text."""
    lines = {"algorithm": "algorithm", "n_components": "rank", "method": "method"}
    there = [condition for condition in CONDITIONS if (table["condition"] == condition).any()]
    return score_table(table, lines, there, interval_cell(1), column="condition")


CAPTION = (
    "Training images are corrupted as the line says; test images are clean for Algorithm 4 "
    "(pseudo-inverse, Euclidean distance) and corrupted for Algorithm 5 (non-negative codes, "
    "cosine). The paper has curves over ranks 10 to 100: shown are the lowest, the middle and the "
    "highest rank that was run. Means over splits with 95 % intervals; hollow: a single split. "
    "Last column, not in the paper: Algorithm 4 with the training images coded by the "
    "pseudo-inverse as the test images are, instead of by the factorization."
)

ASSUMED = faces.ASSUMED | {
    "averages": "A claim compares methods at equal rank and split, and averages over the ranks "
    "at which it has most splits: all in the paper's grid, rank 20 in the quick one of Yale B.",
    "robust to occlusion": "The share of the accuracy without noise (same split and rank) that is "
    "left under occlusion is larger than those of EucNMF and KLNMF.",
    "significantly": "The paper names no test. Verdicts are by t tests over splits, as everywhere.",
    "does not perform well": "Its accuracy is below that of EucNMF.",
    "not robust": f"Accuracy is lower than without noise by more than {ROBUST:g} points, the "
    "margin within which methods are comparable: any method recognises a few images less.",
    "comparable": "Not worse by four percentage points of accuracy, twice the smallest difference "
    "that matters.",
    "levels of noise": "They decide where the loss suits the noise less: with little of it MahNMF "
    "may be ahead, as without noise. Claims under Gaussian and under Poisson noise are decided "
    "where they come out alike at "
    f"{', '.join([LEVEL['Gaussian'], *OTHER_LEVELS['Gaussian']])}; and at "
    f"{', '.join([LEVEL['Poisson'], *OTHER_LEVELS['Poisson']])}; at other levels than the first at "
    f"ranks {READ_AT[0]} and {READ_AT[1]}.",
    "almost perfectly": f"Accuracy above {PERFECT:g} % at the rank where its mean is largest.",
    "shadow": "The paper says of Figures 5 and 7 that MahNMF performs well although the images "
    "are full of shadow, which reduces the accuracy of PCA: read as ahead of PCA without noise, "
    "and on PIE, where both may know nearly all images, as not worse by the margin.",
    "lengths of components": faces.UNIT_LENGTH,
    "zero codes": "A test image whose code is zero counts as an error of Algorithm 5.",
}


# -- artefacts --------------------------------------------------------------------------------


def on_the_same_images(trials: Iterable[Trial]) -> list[Trial]:
    """The trials in which Algorithm 4 is judged on the corrupted test images of Algorithm 5.

    Of EucNMF and KLNMF, under the corruptions that are outliers.
    """
    corruptions = [CONDITIONS[condition][0] for condition in OUTLIERS]
    chosen = [m.solver for m in METHODS if m.label in (EUC, KL)]
    return [
        changed(trial, {"options": {"clean_test": False}})
        for trial in trials
        if trial.corruption in corruptions and trial.solver in chosen
    ]


def figure(name: str, *, caption: str, assumed: Mapping[str, str], **parts: Any) -> Artefact:
    """The figure of one data set; ``parts`` are the other fields of an artefact."""
    return register_artefact(
        Artefact(
            f"mahnmf/{name}",
            kind="figure",
            methods=METHODS,
            frame=frame,
            table=table,
            picture=draw,
            scores=scores,
            matters=MATTERS,
            assumed={**ASSUMED, **assumed},
            caption=f"{caption} {CAPTION}",
            **parts,
        )
    )
