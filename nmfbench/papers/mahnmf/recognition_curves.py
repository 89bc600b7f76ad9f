"""What Figures 5 and 7 share: the accuracy of recognition against the rank, six conditions."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Claim, around
from nmfbench.artefacts.comparisons import always_best, at_least, better, comparable
from nmfbench.artefacts.style import method_styles
from nmfbench.datasets.base import dataset_info
from nmfbench.papers.mahnmf.faces import (
    CONDITIONS,
    EUC,
    HYBRID,
    KL,
    METHODS,
    slug,
    with_condition,
)
from nmfbench.stats.intervals import mean_and_interval

__all__ = [
    "ASSUMED",
    "CAPTION",
    "ahead",
    "ahead_in_all",
    "almost_perfect",
    "as_good_as_kl",
    "behind_euc",
    "draw",
    "robust",
    "summarise",
]

_BY = ("n_components",)  # methods have not all run at the same ranks
_MARGIN = 3.0  # percentage points
_PERFECT = 95.0  # per cent

# Rows of panels, with their metric; the paper has the first two.
_ALGORITHMS = {
    "Algorithm 4": "accuracy-4",
    "Algorithm 5": "accuracy-5",
    "Algorithm 4, recoded": "accuracy-4-recoded",
}
_ROW_TITLES = {
    "Algorithm 4": "Algorithm 4\n(clean test images)",
    "Algorithm 5": "Algorithm 5\n(corrupted test images)",
    "Algorithm 4, recoded": "Algorithm 4, training\nimages recoded (ours)",
}
_PANELS = {
    (algorithm, condition): chr(ord("a") + i)
    for i, (algorithm, condition) in enumerate(
        (a, c) for a in ("Algorithm 4", "Algorithm 5") for c in CONDITIONS
    )
}


# -- table and figure -------------------------------------------------------------------------


def summarise(records, dataset):
    """Mean accuracy in per cent and its 95 % t interval over splits.

    Rows are algorithms, conditions, methods and ranks; ``chance`` is the accuracy of guessing,
    missing on a stand-in.
    """
    long = with_condition(records).melt(
        ["condition", "method", "n_components", "repeat"],
        list(_ALGORITHMS.values()),
        "metric",
        "accuracy",
    )
    names = {metric: algorithm for algorithm, metric in _ALGORITHMS.items()}
    long["algorithm"] = pd.Categorical(long["metric"].map(names), categories=list(_ALGORITHMS))
    long["accuracy"] *= 100
    keys = ["algorithm", "condition", "method", "n_components"]
    table = mean_and_interval(long.groupby(keys, observed=True)["accuracy"])
    table["low"], table["high"] = table["low"].clip(lower=0), table["high"].clip(upper=100)
    own = not records["stand_in"].any()
    return table.assign(chance=100 / dataset_info(dataset)["n_classes"] if own else np.nan)


def draw(table):
    """A row of panels an algorithm, a panel a condition; the paper's panels with their letters."""
    conditions = [c for c in CONDITIONS if c in set(table["condition"])]
    figure, axes = plt.subplots(
        len(_ALGORITHMS),
        len(conditions),
        figsize=(2.2 * len(conditions) + 1.0, 8.4),
        sharex=True,
        sharey="row",
        squeeze=False,
    )
    labels = [m.label for m in METHODS]
    styles = method_styles(labels)
    # Side by side, so that intervals of one rank do not cover each other.
    shift = 0.008 * np.ptp(table["n_components"])
    for row, algorithm in zip(axes, _ALGORITHMS, strict=True):
        for axis, condition in zip(row, conditions, strict=True):
            panel = table[(table["algorithm"] == algorithm) & (table["condition"] == condition)]
            for i, label in enumerate(labels):
                rows = panel[panel["method"] == label].sort_values("n_components")
                if rows.empty:
                    continue
                x = rows["n_components"] + shift * (i - (len(labels) - 1) / 2)
                _plot(axis, x, rows, label, styles[label])
            if table["chance"].notna().all():
                axis.axhline(table["chance"].iloc[0], color="0.4", linestyle=":", label="guessing")
            letter = _PANELS.get((algorithm, condition))
            axis.set_title(f"({letter}) {condition}" if letter else condition)
            axis.set_xlabel("rank")
            axis.tick_params(labelbottom=True)
            axis.locator_params(axis="x", integer=True)
            axis.margins(x=0.08)
        row[0].set_ylabel(f"{_ROW_TITLES[algorithm]}\naccuracy (%)")
        row[0].set_ylim(bottom=0)
    handles, names = _all_entries(axes)
    columns = len(conditions)
    figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False)
    return figure


def _plot(axis, x, rows, label, style):
    """Means with error bars; a mean of one split, which has no interval, is hollow."""
    single = rows["count"] == 1
    line = {"color": style["color"], "linewidth": 1.2}
    axis.plot(x, rows["mean"], label=label, **{**style, **line})
    axis.plot(x[single], rows["mean"][single], **{**style, "linestyle": "", "mfc": "white"})
    axis.vlines(x[~single], rows["low"][~single], rows["high"][~single], **line)


def _all_entries(axes):
    """Handles and labels of the legend; some panels lack some methods."""
    found = {}
    for axis in axes.flat:
        for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    order = [name for name in (*(m.label for m in METHODS), "guessing") if name in found]
    return [found[name] for name in order], order


CAPTION = (
    "Training images are corrupted as the panel says; test images are clean for Algorithm 4 "
    "(pseudo-inverse, Euclidean distance) and corrupted for Algorithm 5 (non-negative codes, "
    "cosine). Means over splits with 95 % intervals; hollow: a single split. Last row, not in the "
    "paper: Algorithm 4 with the training images coded by the pseudo-inverse as the test images "
    "are, instead of by the factorization."
)

ASSUMED = {
    "averages": "A claim compares methods at equal rank and split, and averages over the ranks "
    "at which it has most splits: all in the paper's grid, rank 20 in the quick one of Yale B.",
    "robust to occlusion": "The share of the accuracy without noise (same split and rank) that is "
    "left under occlusion is larger than those of EucNMF and KLNMF.",
    "does not perform well": "Its accuracy is below that of EucNMF.",
    "comparable": f"Mean accuracies less than {_MARGIN:g} percentage points apart.",
    "almost perfectly": f"Accuracy above {_PERFECT:g} % at the rank where its mean is largest.",
    "zero codes": "A test image whose code is zero counts as an error of Algorithm 5.",
}


# -- claims -----------------------------------------------------------------------------------


def ahead(method, algorithm, condition, source, rivals=(EUC, KL)):
    """The claim that the accuracy of ``method`` is above those of all ``rivals``."""
    test = always_best(method, rivals, [_accuracy(algorithm, condition)], _BY)
    statement = f"{method} is ahead of {' and '.join(rivals)}."
    return _on_panel("ahead", method, algorithm, condition, statement, source, test)


def ahead_in_all(method, algorithm, source, rivals=(EUC, KL)):
    """The claim of :func:`ahead` under every corruption at once."""
    noisy = list(CONDITIONS)[1:]
    values = [_accuracy(algorithm, condition) for condition in noisy]
    first, last = (_PANELS[algorithm, condition] for condition in (noisy[0], noisy[-1]))
    return Claim(
        _id("corrupted", "ahead", method, algorithm),
        f"({first}) to ({last}), {algorithm}: {method} is ahead of {' and '.join(rivals)} under "
        "every corruption.",
        _source(method, source),
        _on_derived(always_best(method, rivals, values, _BY)),
        origin=_origin(method),
    )


def robust(method, algorithm, source):
    """The claim that ``method`` keeps more of its accuracy under occlusion than its rivals do."""
    test = always_best(method, (EUC, KL), [_kept(algorithm)], _BY)
    statement = (
        f"{method} is robust: it keeps a larger share of its accuracy without noise than "
        f"{EUC} and {KL} do."
    )
    return _on_panel("robust", method, algorithm, "occlusion", statement, source, test)


def behind_euc(method, algorithm, condition, source):
    """The claim that ``method`` does not perform well: EucNMF is ahead."""
    test = better(EUC, method, _accuracy(algorithm, condition), _BY)
    statement = f"{method} does not perform well: {EUC} is ahead of it."
    return _on_panel("behind", method, algorithm, condition, statement, source, test)


def as_good_as_kl(method, algorithm, condition, source):
    """The claim that ``method`` is comparable to KLNMF."""
    test = comparable([method, KL], _accuracy(algorithm, condition), _MARGIN, _BY)
    statement = f"{method} is comparable to {KL} (within {_MARGIN:g} percentage points)."
    return _on_panel("as-kl", method, algorithm, condition, statement, source, test)


def almost_perfect(method, algorithm, condition, source):
    """The claim that ``method`` classifies nearly all test images, at its best rank."""
    value = _accuracy(algorithm, condition)

    def at_best_rank(test, records):
        rows = records[records["method"] == method]
        means = rows.groupby("n_components")[value].mean()
        best = rows[rows["n_components"] == (means.idxmax() if means.notna().any() else None)]
        return test(best)

    test = around(at_least(method, value, _PERFECT, measured_from=100.0), at_best_rank)

    statement = f"{method} is almost perfect (above {_PERFECT:g} % at its best rank)."
    return _on_panel("perfect", method, algorithm, condition, statement, source, test)


def _on_panel(kind, method, algorithm, condition, statement, source, test):
    name = "clean" if condition == "no noise" else slug(condition)
    return Claim(
        _id(name, kind, method, algorithm),
        f"({_PANELS[algorithm, condition]}) {condition}, {algorithm}: {statement}",
        _source(method, source),
        _on_derived(test),
        origin=_origin(method),
    )


def _id(name, kind, method, algorithm):
    return f"{name}-{kind}-{algorithm[-1]}" + ("-hybrid" if method == HYBRID else "")


def _source(method, source):
    # What the paper says of its own method, asked of another one for the same problem.
    return f"{source}; the hybrid is ours" if method == HYBRID else source


def _origin(method):
    return "ours" if method == HYBRID else "paper"


def _accuracy(algorithm, condition):
    return f"accuracy (%) by {algorithm}, {condition}"


def _kept(algorithm):
    return f"share of the clean accuracy (%) kept by {algorithm}"


def _on_derived(test):
    """``test`` on records with a column for each of :func:`_accuracy` and :func:`_kept`."""

    def derived(test, records):
        records = with_condition(records)
        cell = ["method", "repeat", "n_components"]
        new = {}
        for algorithm in ("Algorithm 4", "Algorithm 5"):
            value = 100 * records[_ALGORITHMS[algorithm]]
            for condition in CONDITIONS:
                new[_accuracy(algorithm, condition)] = value.where(
                    records["condition"] == condition
                )
            clean = new[_accuracy(algorithm, "no noise")]
            clean = clean.groupby([records[k] for k in cell], observed=True).transform("mean")
            occluded = new[_accuracy(algorithm, "occlusion")]
            new[_kept(algorithm)] = 100 * occluded / clean.where(clean > 0)
        return test(records.assign(**new))

    return around(test, derived)
