"""Clusters of the faces of a few people, by number of people: Figures 10 and 11."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import always_best, rows_of
from nmfbench.artefacts.dots import Dots
from nmfbench.artefacts.finding import with_evidence, within
from nmfbench.artefacts.frames import mean_table, melt_metrics, select_rows
from nmfbench.artefacts.grids import Method, changed, cross, methods
from nmfbench.artefacts.tables import interval_cell, score_table
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import (
    EUC,
    FACTORIZATIONS,
    HYBRID,
    KL,
    LEVEL,
    MAH,
    METHODS,
    NAMES,
    conditions,
)
from nmfbench.papers.mahnmf.faces_claims import at_levels, slug
from nmfbench.problems.faces import CONDITIONS, DTYPE
from nmfbench.trials.trial import Trial

FAST = tuple(method for method in FACTORIZATIONS if method.label != MAH)

_SCORES = {"clustering-accuracy": "AC", "nmi-max": "normalised MI"}  # a row of panels each
_PANELS = 8
_BITS = "mutual-information"
_BY_CHANCE = "by chance"
_OUTLIERS = ("no noise", "occlusion", "Laplace", "salt & pepper")
_AT_LEVELS = {("yaleb", "occlusion"), ("pie", "Gaussian")}


def part(
    dataset: str,
    people: Iterable[int] = range(2, 11),
    trials: int = 20,
    chosen: Sequence[Method] = FACTORIZATIONS,
    under: Iterable[str] = tuple(CONDITIONS),
) -> list[Trial]:
    """A part of a grid: methods on the faces of people drawn at random, a cluster for each."""
    options = {"reweight": True, "dtype": DTYPE}
    base = Trial(task="clustering", dataset=dataset, solver="", options=options)
    drawn = [{"options": {"n_components": n, "n_classes": n}} for n in people]
    return cross(base, trials, conditions(under), drawn, methods(chosen))


def smoke(dataset: str) -> list[Trial]:
    """The smallest grid, on a stand-in."""
    trials = part(dataset, (2, 3), 2, under=("no noise", "salt & pepper"))
    return [changed(trial, {"stand_in": True}) for trial in trials]


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Records with the number of ``people``."""
    return records.rename(columns={"n_components": "people"})


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Means and 95 % intervals over trials of each ``score``.

    Rows with ``method`` "by chance" hold what clusters of the same sizes score with their labels
    shuffled, of all methods together.
    """
    frame = select_rows(frame, condition=list(CONDITIONS))
    scores = {name: name for name in (*_SCORES, _BITS)}
    shuffled = {f"{score}-shuffled": score for score in _SCORES}
    found = melt_metrics(frame, scores, "score", "value").astype({"method": str})
    chance = melt_metrics(frame, shuffled, "score", "value").assign(method=_BY_CHANCE)
    by = ["dataset", "condition", "people", "score", "method"]
    return mean_table(pd.concat([found, chance]), "value", by, over=["repeat"])


def draw(datasets: Sequence[str], table: pd.DataFrame):
    """A line for each condition; both scores at the fewest people, the most, and some between.

    So there are at most eight panels; what other numbers of people give is in :func:`scores`.
    """
    people = sorted(set(table["people"]))
    many = _PANELS // (len(_SCORES) * len(datasets))
    chosen = {people[k] for k in np.linspace(0, len(people) - 1, many).round().astype(int)}
    names = {d: f"{NAMES[d]}, " if len(datasets) > 1 else "" for d in datasets}
    picture = Dots(
        y="condition",
        lines={condition: condition for condition in CONDITIONS},
        labels=[method.label for method in METHODS],  # with their looks in other figures
        row="score",
        rows=_SCORES,
        column=("dataset", "people"),
        columns={(d, n): f"{names[d]}{n} people" for d in datasets for n in sorted(chosen)},
        xlabel=_SCORES,
        trivial=[_BY_CHANCE],
        awaited=[MAH],
    )
    figure = picture(table)
    for axis in figure.axes:  # so that what lies at chance level does not look like more
        axis.set_xlim(0, np.clip(axis.get_xlim()[1], 0.5, 1.0))
    return figure


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """All scores, of each number of people, with intervals, as text."""
    shown = table[table["score"].isin(list(_SCORES))]
    shown = shown.assign(data=shown["dataset"].map(NAMES), score=shown["score"].map(_SCORES))
    lines = {name: name for name in ("data", "score", "people", "method")}
    there = [condition for condition in CONDITIONS if (shown["condition"] == condition).any()]
    return score_table(shown, lines, there, interval_cell(2), column="condition")


# -- claims -----------------------------------------------------------------------------------


_FIGURES = {"yaleb": "Figure 10", "pie": "Figure 11", "orl": "Figure 11"}
_NOISE = {
    "no noise": "without noise",
    "occlusion": f"under occlusion ({LEVEL['occlusion']})",
    "Laplace": f"under Laplace noise ({LEVEL['Laplace']})",
    "salt & pepper": f"under salt and pepper ({LEVEL['salt & pepper']})",
    "Gaussian": f"under Gaussian noise ({LEVEL['Gaussian']})",
}


def ahead(dataset: str, condition: str, method: str, rivals: Sequence[str]) -> Claim:
    """``method`` is ahead of ``rivals`` in both scores, over all numbers of people.

    Under occlusion on Yale B, and under Gaussian noise, at each level. The paper says so of its
    method on Yale B and PIE; of the hybrid, and on ORL, it is our own question.
    """
    who, source = method, f"Section 5.3.1, {_FIGURES[dataset]}"
    if method == HYBRID:
        who = f"{HYBRID}, the same loss minimised further,"

    def with_chance(frame):
        means = rows_of(frame, method).mean(numeric_only=True)
        scores = [
            f"{means[score]:.3g} in {score} ({means[f'{score}-shuffled']:.3g} by chance)"
            for score in _SCORES
        ]
        return f"{method} has {' and '.join(scores)}"

    def best_at(condition):
        test = with_evidence(always_best(method, rivals, list(_SCORES), ["people"]), with_chance)
        return within({"dataset": dataset, "condition": condition}, test)

    by_level = (dataset, condition) in _AT_LEVELS
    return Claim(
        f"{dataset}-{slug(condition)}-{'hybrid' if method == HYBRID else 'mahnmf'}",
        f"{who} is ahead of {' and '.join(rivals)} in AC and in MI on {NAMES[dataset]} "
        f"{_NOISE[condition]}.",
        test=at_levels(condition, best_at) if by_level else best_at(condition),
        **said_at(source, ours=dataset == "orl" or method == HYBRID),
    )


def outlier_claims(dataset: str) -> list[Claim]:
    """MahNMF, and the hybrid, ahead of both others without noise and under three kinds of it."""
    return [
        ahead(dataset, condition, method, [EUC, KL])
        for condition in _OUTLIERS
        for method in (MAH, HYBRID)
    ]


ASSUMED = {name: text for name, text in faces.ASSUMED.items() if name != "ranks and splits"} | {
    "people and trials": "Lost in the text. Two to ten people, drawn at random twenty times, all "
    "images of each; as many components as people.",
    "weights": "Those of Xu et al. (2003), computed from the images as they are given, corrupted. "
    "A common factor brings the sum of all pixels back to what it was, which no clustering by "
    "least squares depends on; the smoothing of MahNMF does.",
    "clusters": "An image belongs to its largest coefficient, components being scaled to unit sum.",
    "mutual information": "The figures show it divided by the larger of the two entropies, as Xu "
    "et al. do; the text does not say. The table of results has it in bits, too.",
    "verdicts": "A trial is one observation: the mean of a score over its numbers of people. A "
    "claim holds if both scores are ahead of each rival (paired t tests), and is refuted if any is "
    "behind (after Holm's correction).",
    "PCA": "Not shown: a principal component is no cluster.",
}
"""Our choices where the paper says nothing of these experiments."""

CAPTION = (
    "Accuracy (AC, above) and normalised mutual information (below), a line for each condition. "
    "The paper has curves over the number of people, of which the fewest and the most are shown. "
    "Means over trials with 95 % intervals; hollow: a single trial; grey bar: the same clusters "
    "with their labels shuffled."
)
