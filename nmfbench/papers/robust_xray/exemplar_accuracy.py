"""Shared by Figures 5 and 6: exemplars of a text collection, under three weightings of terms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nmfbench.artefacts.bounds import not_below
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import Test, at_each_reading, with_evidence, within
from nmfbench.artefacts.frames import mean_table, melt_metrics
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plots import Curves, Expected, Printed
from nmfbench.papers.reported import reported
from nmfbench.problems.exemplars import SMOKE_OPTIONS, TEXTS
from nmfbench.trials.trial import Trial

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
_COUNTS, *_OTHERS = WEIGHTINGS
WEIGHTED = [{}, *options("weighting", _OTHERS)]
"""An axis of all weightings, for tasks that see raw counts where no option says otherwise."""
SIZES = range(10, 151, 10)
ACCURACIES = [f"accuracy@{size}" for size in SIZES]
MEAN_ACCURACY = "accuracy@mean"
"""Mean over the numbers of exemplars, of fits that have all of them."""

LARGEST_CLASS = {"reuters": (1856, 3640), "bbc": (255, 1111)}
"""Test documents of the largest class, and all of them: the same in every split."""
_SHARES = {name: largest / total for name, (largest, total) in LARGEST_CLASS.items()}


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


def at_each_weighting(test: Test) -> Test:
    """A test on the rows of a weighting, column ``weighting``, that comes out alike at each.

    For sentences on what is always so: the paper names no weighting of words.
    """
    tests = {words: within({"weighting": name}, test) for name, words in WEIGHTINGS.items()}
    return at_each_reading("the weighting of words", tests)


def with_weighting(records):
    """Records of :data:`WEIGHTED` trials, with the ``weighting`` of all."""
    known = records.reindex(columns=["weighting"])["weighting"]
    return records.assign(weighting=known.astype(object).fillna(_COUNTS))


def with_mean(records):
    """Records with :data:`MEAN_ACCURACY`."""
    accuracies = records.reindex(columns=ACCURACIES)
    return records.assign(**{MEAN_ACCURACY: accuracies.mean(axis=1, skipna=False)})


def beside_random(
    test: Test,
    weighting: str,
    value: str = MEAN_ACCURACY,
    words: str = "in the mean over numbers of exemplars",
) -> Test:
    """``test`` under a weighting; its evidence has mean accuracies, that of a random choice too."""
    return within({"weighting": weighting}, with_evidence(test, partial(_means, value, words)))


def _means(value, words, frame):
    means = 100 * frame.groupby("method", observed=True)[value].mean().dropna()
    if not {METHODS[-1].label} < set(means.index):
        return ""
    shown = ", ".join(
        f"{method.label} {means[method.label]:.1f}"
        for method in METHODS
        if method.label in means.index
    )
    return f"accuracy in per cent, {words}: {shown}"


def few_exemplars(name: str, bound: float, words: str):
    """Claims that ten exemplars of any method give reasonable accuracy, by weighting.

    Parameters
    ----------
    name : str
        Of the collection.
    bound : float
    words : str
        What the bound is, for the statements.
    """
    return [
        Claim(
            f"few-{weighting}",
            f"With ten exemplars of {name} the accuracy of SMRS, SPA, XRAY-l2 and RobustXRAY is "
            f"{words}, or not below it by more than the margin (chosen on {terms}).",
            "Section 5.2",
            beside_random(
                not_below(SHOWN, "accuracy@10", bound),
                weighting,
                "accuracy@10",
                "with ten exemplars",
            ),
        )
        for weighting, terms in WEIGHTINGS.items()
    ]


def summarise(records):
    """Mean accuracy and 95 % t interval over splits, in per cent as the paper's axes are."""
    sizes = {f"accuracy@{size}": size for size in SIZES}
    long = melt_metrics(records, sizes, "size", "accuracy", unit=100).dropna(subset="accuracy")
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
    "random choice": "Not in the paper; without it no curve can be judged. The evidence has it.",
    "few exemplars": "What “reasonable” accuracy is the paper says by an example: 50 % on Reuters. "
    "So much, within four points, every method has to reach there, though always answering the "
    f"largest class of the test half gives {_SHARES['reuters']:.0%}; and on BBC, of which it gives "
    f"none and whose largest class has {_SHARES['bbc']:.0%}.",
    "readings": "Under each weighting a sentence of the paper is tested apart, as the paper names "
    "none: it holds if it does under one of them, and fails if it does under none.",
    "SMRS": "alpha = 5, the value its authors suggest; where fewer exemplars than asked for "
    "survive its pruning, lambda is halved up to four times, then pruned ones are taken back.",
}
