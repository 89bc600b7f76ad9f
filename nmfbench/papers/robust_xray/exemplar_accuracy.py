"""What Figures 5 and 6 share: exemplars of a text collection, for three term weightings."""

from __future__ import annotations

import matplotlib.pyplot as plt

from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.style import method_styles, plot_band
from nmfbench.engine.trials import Trial
from nmfbench.problems.exemplars import SMOKE_OPTIONS
from nmfbench.stats.intervals import mean_and_interval

__all__ = [
    "METHODS",
    "ROBUST",
    "SIZES",
    "SMRS",
    "SPA",
    "WEIGHTINGS",
    "XRAY",
    "draw",
    "grid",
    "summarise",
]

ROBUST, XRAY, SPA, SMRS = "RobustXRAY", "XRAY-l2", "SPA", "SMRS"
RANDOM = "random choice"  # not in the paper
METHODS = (
    Method(SMRS, "smrs"),
    Method(SPA, "spa"),
    Method(XRAY, "xray-l2"),
    Method(ROBUST, "robust-xray"),
    Method(RANDOM, "random-rows"),
)
WEIGHTINGS = {
    "counts": "raw counts",
    "l1": "counts divided by document length",
    "tfidf": "tf-idf",
}
SIZES = list(range(10, 151, 10))
_REFERENCE = "all training documents"


def grid(dataset, dataset_params, repeats, *, smrs_on=tuple(WEIGHTINGS), smoke=False):
    """Trials of every method on every weighting and split; of SMRS on those of ``smrs_on``."""
    options = SMOKE_OPTIONS if smoke else {}
    return [
        Trial(
            task="exemplars",
            dataset=dataset,
            dataset_params=dataset_params,
            solver=method.solver,
            params=method.params,
            options={"weighting": weighting, **options},
            repeat=repeat,
            stand_in=smoke,
        )
        for weighting in WEIGHTINGS
        for repeat in range(repeats)
        for method in METHODS
        if method.label != SMRS or weighting in smrs_on
    ]


def summarise(records):
    """Mean accuracy and 95 % t interval over splits, by weighting, method and size."""
    sizes = [name for name in records.columns if name.startswith("accuracy@")]
    # In per cent, as the paper's axes are.
    long = records.melt(["weighting", "method", "repeat"], sizes, "size", "accuracy").dropna()
    long["accuracy"] *= 100
    long["size"] = long["size"].str.removeprefix("accuracy@")
    groups = long.groupby(["weighting", "method", "size"], observed=True)["accuracy"]
    return mean_and_interval(groups)


def draw(table):
    """Accuracy against the number of exemplars, a panel a weighting."""
    weightings = [w for w in WEIGHTINGS if w in set(table["weighting"])]
    figure, axes = plt.subplots(
        1, len(weightings), figsize=(4.6 * len(weightings), 4.4), sharey=True, squeeze=False
    )
    labels = [m.label for m in METHODS]
    styles = method_styles(labels)
    for axis, weighting in zip(axes[0], weightings, strict=True):
        panel = table[table["weighting"] == weighting]
        reference = panel[panel["size"] == "all"]["mean"].mean()
        axis.axhline(reference, color="0.3", linestyle=":", label=_REFERENCE)
        chosen = panel[panel["size"] != "all"].assign(q=lambda t: t["size"].astype(int))
        for label in labels:
            rows = chosen[chosen["method"] == label].sort_values("q")
            if rows.empty:
                continue
            plot_band(axis, rows["q"], rows, label, styles[label])
        axis.set(title=f"chosen on {WEIGHTINGS[weighting]}", xlabel="number of exemplars")
    axes[0, 0].set_ylabel("test accuracy (%)")
    # The first panel has every method that another one has.
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False
    )
    return figure


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
