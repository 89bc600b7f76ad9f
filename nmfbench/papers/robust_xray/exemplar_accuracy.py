"""Shared by Figures 5 and 6: exemplars of a text collection, under three weightings of terms."""

from __future__ import annotations

from collections.abc import Sequence

from nmfbench.artefacts.frames import lengthen, mean_table
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plots import Curves, Expected, Printed
from nmfbench.engine.trials import Trial
from nmfbench.papers.reported import reported
from nmfbench.problems.exemplars import SMOKE_OPTIONS, TEXTS

__all__ = [
    "ACCURACIES",
    "ASSUMED",
    "METHODS",
    "SHOWN",
    "WEIGHTINGS",
    "curves",
    "grid",
    "summarise",
]

METHODS = (
    Method("SMRS", "smrs"),
    Method("SPA", "spa"),
    Method("XRAY-l2", "xray-l2"),
    Method("RobustXRAY", "robust-xray"),
    Method("random choice", "random-rows"),  # not in the paper
)
SHOWN = [method.label for method in METHODS[:4]]
"""The paper's methods; the last is the one that it proposes."""

WEIGHTINGS = {
    "counts": "raw counts",
    "l1": "counts divided by document length",
    "tfidf": "tf-idf",
}
SIZES = range(10, 151, 10)
ACCURACIES = [f"accuracy@{size}" for size in SIZES]


def grid(dataset, repeats, chosen=METHODS, *, smoke=False):
    """Trials of the chosen methods on every weighting and split of a collection."""
    base = Trial(
        task="exemplars",
        dataset=dataset,
        dataset_params=TEXTS[dataset],
        solver="",
        options=SMOKE_OPTIONS if smoke else {},
        stand_in=smoke,
    )
    return cross(base, repeats, options("weighting", WEIGHTINGS), methods(chosen))


def summarise(records):
    """Mean accuracy and 95 % t interval over splits, in per cent as the paper's axes are."""
    sizes = {f"accuracy@{size}": size for size in SIZES}
    long = lengthen(records, sizes, "size", "accuracy", unit=100).dropna(subset="accuracy")
    table = mean_table(long.astype({"size": int}), "accuracy", ["weighting", "method", "size"])
    everything = 100 * records.groupby("weighting")["accuracy@all"].mean()
    return table.assign(everything=table["weighting"].map(everything))


def curves(
    artefact: str, *, printed: Sequence[Printed] = (), expected: Sequence[Expected] = ()
) -> Curves:
    """Accuracy against the number of exemplars, with the range of the paper's axis."""
    axis = reported(artefact, "axis")
    ends = tuple(100 * end for end in axis.value)
    return Curves(
        x="size",
        labels=[method.label for method in METHODS],
        column="weighting",
        columns={weighting: f"chosen on {words}" for weighting, words in WEIGHTINGS.items()},
        xlabel="number of exemplars",
        ylabel="test accuracy (%)",
        level=("everything", "all training documents"),
        printed=[Printed(f"the paper's {axis.text}", ends), *printed],
        expected=expected,
        size=(4.3, 3.8),
    )


ASSUMED = {
    "term weighting": "Not given. Solvers see raw counts, counts divided by document length, or "
    "tf-idf; the classifier always sees tf-idf rows of unit length.",
    "classifier": "LIBLINEAR, one against the rest, C = 1: C is not given.",
    "splits": "Half of each class, rounded up, trains, which gives the sizes in the figures' "
    "titles; the number of splits is not given.",
    "random choice": "Not in the paper; without it no curve can be judged.",
    "SMRS": "alpha = 5, the value its authors suggest; where fewer exemplars than asked for "
    "survive its pruning, lambda is halved up to four times, then pruned ones are taken back.",
}
