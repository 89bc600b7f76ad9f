"""What Figures 2 and 3 share: clusters of a few classes, by number of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Claim, Verdict, around
from nmfbench.artefacts.comparisons import always_best, better, comparable
from nmfbench.artefacts.style import method_styles, plot_band
from nmfbench.engine.perform import make_solver
from nmfbench.engine.trials import Trial
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.sets import clustering_trial, method
from nmfbench.stats.intervals import mean_and_interval

__all__ = [
    "AC",
    "ANP",
    "ASSUMED",
    "BEST",
    "KMEANS",
    "METHODS",
    "NCUTS",
    "NMF",
    "NMI",
    "SMOKE",
    "TRIED",
    "WEIGHTS",
    "Part",
    "claims",
    "draw_curves",
    "grid",
    "summarise_curves",
    "told_apart",
]

KMEANS, NMF, ANP, NCUTS = "Kmeans", "NMF", "ANP", "Ncuts"
BEST = "ANP, best on the test"
AC, NMI = "clustering-accuracy", "nmi-max"
_SCORES = {AC: "AC", NMI: "normalised MI"}

_NAMES = ("lam1", "lam2")
_DEFAULTS = tuple(make_solver("anp").get_params()[name] for name in _NAMES)
WEIGHTS: tuple[tuple[float, float], ...] = tuple(product((0.001, 0.01, 0.1, 1.0), (0.1, 1.0, 10.0)))
"""All pairs of :math:`\\lambda_1` and :math:`\\lambda_2` that are tried."""
TRIED = ((0.01, 1.0), (0.1, 1.0), (1.0, 1.0))
"""Those that a quick run tries."""


def _anp(weights):
    return method(ANP, "anp", **dict(zip(_NAMES, weights, strict=True)))


_OTHERS = (method(KMEANS, "kmeans"), method(NMF, "mu"), method(NCUTS, "ncuts"))
METHODS = (*_OTHERS[:2], *map(_anp, WEIGHTS), _OTHERS[2])


@dataclass(frozen=True)
class Part:
    """A part of a grid: numbers of classes, draws of each, and the weights of ANP tried there."""

    classes: Sequence[int]
    draws: int = 20
    weights: Sequence[tuple[float, float]] = WEIGHTS


SMOKE = (Part((2, 3), 2, (_DEFAULTS, (0.1, 1.0))),)


def grid(dataset: str, whole: int, parts: Sequence[Part], *, stand_in: bool = False) -> list[Trial]:
    """Trials on classes drawn at random, a component for each.

    Parameters
    ----------
    dataset : str
    whole : int
        How many classes it has. With all of them nothing is drawn, as in the tables of RNMFD.
    parts : sequence of Part
    stand_in : bool, default=False
    """
    trials = []
    for part in parts:
        found = [*_OTHERS, *map(_anp, part.weights)]
        for m, repeat, classes in product(found, range(part.draws), part.classes):
            trial = clustering_trial(sets.SETS["orl"], m, repeat, smoke=stand_in)
            options = {**trial.options, "n_components": classes, "n_classes": classes}
            if classes == whole:
                del options["n_classes"]
            trials.append(replace(trial, dataset=dataset, options=options))
    return list(dict.fromkeys(trials))


# -- weights ----------------------------------------------------------------------------------


def told_apart(records: pd.DataFrame) -> pd.DataFrame:
    """Records with ANP at its defaults as ``ANP``, and at the best weights again as ``BEST``.

    The best weights are those of the highest mean accuracy over all cells (a draw of a number of
    classes) that all weights of the grid have; other weights are left out. The columns ``lam1``
    and ``lam2`` hold the weights, NaN of other methods.
    """
    records = _with_weights(records)
    anp = records["method"] == ANP
    default = records[~anp | _are(records, _DEFAULTS)]
    best = records[anp & _are(records, _best(records))]
    return pd.concat([default, best.assign(method=BEST)], ignore_index=True)


def _with_weights(records):
    values = {
        name: [params.get(name, default) for params in records["params"]]
        for name, default in zip(_NAMES, _DEFAULTS, strict=True)
    }
    records = records.astype({"method": str})
    weights = pd.DataFrame(values, index=records.index, dtype=float)
    return records.join(weights.where(records["method"] == ANP))


def _are(records, weights):
    return records[list(_NAMES)].eq(list(weights)).all(axis=1)


def _accuracies(records):
    """AC of the cells that all weights of ANP have: a row for each, a column for the weights."""
    anp = records[records["method"] == ANP]
    cells = anp.groupby(["n_components", "repeat", *_NAMES])[AC].mean()
    return cells.unstack(list(_NAMES)).dropna()


def _best(records):
    cells = _accuracies(records)
    return cells.mean().idxmax() if len(cells) else _DEFAULTS


# -- summary ----------------------------------------------------------------------------------


def summarise_curves(records):
    """Means and 95 % intervals over draws, in long form.

    Rows with ``part`` "curves" hold the score of a method for a number of ``classes``; rows with
    ``part`` "weights" by how much the accuracy of ANP with these weights exceeds that of NMF, on
    the cells that all of them have.
    """
    by = ["n_components", "method", *_NAMES]
    apart = told_apart(records).groupby(by, dropna=False)
    parts = [
        mean_and_interval(apart[score]).assign(part="curves", score=score) for score in _SCORES
    ]
    nmf = records[records["method"] == NMF].groupby(["n_components", "repeat"])[AC].mean()
    leads = _accuracies(_with_weights(records)).sub(nmf, axis=0).dropna()
    if len(leads):
        leads = leads.groupby(level="repeat").mean().melt(value_name=AC).groupby(list(_NAMES))[AC]
        parts.append(mean_and_interval(leads).assign(part="weights", score=AC, method=ANP))
    table = pd.concat(parts, ignore_index=True).rename(columns={"n_components": "classes"})
    return table[["part", "score", "method", *_NAMES, "classes", "mean", "low", "high", "count"]]


# -- figure -----------------------------------------------------------------------------------

_ORDER = (KMEANS, NMF, ANP, BEST, NCUTS)


def draw_curves(table):
    """AC and MI by number of classes, and what the weights of ANP change."""
    figure, axes = plt.subplots(1, 3, figsize=(12.5, 4.4))
    curves = table[table["part"] == "curves"]
    for axis, letter, (score, name) in zip(axes, "ab", _SCORES.items(), strict=False):
        _draw_scores(axis, curves[curves["score"] == score])
        axis.set(xlabel="classes", ylabel=name, title=f"({letter}) {name}")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    _draw_weights(axes[2], table[table["part"] == "weights"])
    return figure


_FEW = 3  # numbers of classes, up to which points stand side by side


def _draw_scores(axis, curves):
    styles = method_styles(_ORDER)
    styles[BEST] |= {"linestyle": "--", "markerfacecolor": "white"}
    classes = sorted(set(curves["classes"]))
    aside = 0.015 * (classes[-1] - classes[0]) if len(classes) <= _FEW else 0
    for k, (label, style) in enumerate(styles.items()):
        rows = curves[curves["method"] == label].sort_values("classes")
        rows = rows.assign(high=rows["high"].clip(upper=1))  # an interval may end above
        if rows.empty:
            continue
        label = _legend(label, rows)
        if aside:
            x = rows["classes"] + aside * (k - (len(styles) - 1) / 2)
            error = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
            axis.errorbar(x, rows["mean"], error, label=label, elinewidth=1, **style)
        else:
            plot_band(axis, rows["classes"], rows, label, style)
    axis.set_xticks(classes)


def _legend(label, rows):
    if label not in (ANP, BEST):
        return label
    lam1, lam2 = (rows[name].iloc[0] for name in _NAMES)
    return f"{label} (λ₁ {lam1:g}, λ₂ {lam2:g})"


def _draw_weights(axis, rows):
    ridges = sorted(set(rows["lam2"]))
    styles = method_styles([f"λ₂ = {lam2:g}" for lam2 in ridges])
    greys = np.linspace(0.1, 0.65, len(ridges))  # colours are those of methods
    groups = rows.sort_values("lam1").groupby("lam2")
    for (label, style), grey, (_, curve) in zip(styles.items(), greys, groups, strict=True):
        plot_band(axis, curve["lam1"], curve, label, {**style, "color": f"{grey:.2f}"})
    axis.axhline(0, color="firebrick", linewidth=1)
    axis.set_xscale("log")
    axis.set(xlabel="λ₁", ylabel="AC of ANP minus AC of NMF", title="(c) weights of the new term")
    if len(rows):
        axis.legend()


# -- claims -----------------------------------------------------------------------------------


def claims(figure: str, whole: str) -> list[Claim]:
    """What the slides show in a figure, and what we ask besides.

    Parameters
    ----------
    figure : str
        Such as ``"Figure 2"``.
    whole : str
        Name of the data.
    """
    scores, by = list(_SCORES), ["n_components"]
    ours = f"ours, after {figure}"
    return [
        Claim(
            "anp-at-its-defaults",
            f"ANP, with the same weights everywhere, is ahead of K-means and of NMF in AC and in "
            f"MI on {whole}.",
            figure,
            _explained(always_best(ANP, [KMEANS, NMF], scores, by), ANP),
        ),
        Claim(
            "anp-at-its-best",
            f"ANP, with the weights that score best on the test, is ahead of K-means and of NMF in "
            f"AC and in MI on {whole}.",
            figure,
            _explained(always_best(BEST, [KMEANS, NMF], scores, by), BEST),
        ),
        Claim(
            "anp-is-nmf",
            "With its default weights ANP scores as NMF does, within a point of AC and of MI.",
            ours,
            _explained(comparable([ANP, NMF], scores, 0.01, by), ANP),
            origin="ours",
        ),
        Claim(
            "anp-above-ncuts",
            f"ANP, with the weights that score best on the test, is ahead of normalised cuts of a "
            f"neighbour graph on {whole}.",
            ours,
            _explained(always_best(BEST, [NCUTS], scores, by), BEST),
            origin="ours",
        ),
        Claim(
            "more-classes-are-harder",
            "The accuracy of ANP is lower for the most classes than for the fewest.",
            ours,
            _fewest_to_most,
            origin="ours",
        ),
        Claim(
            "falls-at-every-step",
            "The accuracy of ANP falls with every step to more classes. (So one would expect, and "
            "the slides ask why that of Figure 2(a) does not.)",
            "Critiques and questions",
            _every_step,
        ),
    ]


def _explained(test, method):
    """``test`` with both kinds of ANP told apart, and with what explains the verdict."""

    def explained(test, records):
        apart = told_apart(records)
        verdict = test(apart)
        if verdict.effect is None:
            return verdict
        rows = apart[apart["method"] == method]
        lam1, lam2 = (rows[name].iloc[0] for name in _NAMES)
        text = f"λ₁ = {lam1:g}, λ₂ = {lam2:g}"
        if method == BEST:
            tried = _with_weights(records)[list(_NAMES)].dropna().drop_duplicates()
            text += f", the best of {len(tried)} pairs"
        if "objective" in rows:
            # The trace is at most the number of components over the ridge.
            share = (lam1 * rows["n_components"] / rows["objective"]).max()
            text += f"; the new term is at most {100 * share:.2g} % of the objective"
        return replace(verdict, evidence=f"{verdict.evidence}; {text}")

    return around(test, explained)


def _of_defaults(records):
    apart = told_apart(records)
    return apart[apart["method"] == ANP]


def _fewest_to_most(records):
    rows = _of_defaults(records)
    few, many = rows["n_components"].min(), rows["n_components"].max()
    names = {few: f"{few} classes", many: f"{many} classes"}
    rows = rows.assign(method=rows["n_components"].map(names))
    return better(f"{few} classes", f"{many} classes", AC)(rows)


_FEWER, _MORE = "fewer classes", "more classes"


def _every_step(records):
    rows = _of_defaults(records)
    cells = rows.groupby(["repeat", "n_components"])[AC].mean().unstack()
    if cells.shape[1] < 2:
        return Verdict("not run", "there is no step in this grid")
    # A column for each step, a row for each of its ends.
    steps, ends = [], {_FEWER: {}, _MORE: {}}
    for few, many in pairwise(cells.columns):
        steps.append(f"AC from {few} to {many}")
        ends[_FEWER][steps[-1]], ends[_MORE][steps[-1]] = cells[few], cells[many]
    table = pd.concat(
        [pd.DataFrame(columns).assign(method=end) for end, columns in ends.items()]
    ).rename_axis("repeat")
    verdict = always_best(_FEWER, [_MORE], steps)(table.reset_index())
    if verdict.effect is None:
        return verdict
    cells = cells.dropna().to_numpy()
    draws = np.random.default_rng(0).integers(len(cells), size=(2000, len(cells)))
    falls = (np.diff(cells[draws].mean(axis=1), axis=1) < 0).all(axis=1).mean()
    text = f"of means over as many draws anew {100 * falls:.0f} % fall at every step"
    return replace(verdict, evidence=f"{verdict.evidence}; {text}")


ASSUMED: Mapping[str, str] = {
    "numbers": "The slides print none, and the text of the paper is not at hand: curves can only "
    "be compared by their order. The numbers of classes, and how many draws a mean is over, are "
    "ours too.",
    "weights": "Not given. The same defaults everywhere (λ₁ = 0.01, λ₂ = 1); and, for a data set, "
    "those of a grid (λ₁ from 0.001 to 1, λ₂ from 0.1 to 10) that have the highest mean accuracy "
    "over all numbers of classes, which are chosen on the test and so look better than they are.",
    "scale": "Not given. Samples are scaled to unit length, and so are components in every "
    "iteration of ANP; without that its new term has no effect at the infimum.",
    "start": "Uniform numbers and one multiplicative step. A draw is of the classes, of the start "
    "and of the seed of K-means, the same for all methods. With all classes there is nothing left "
    "to draw of them.",
    "stopping": sets.ASSUMED["stopping"],
    "clusters": "As many components as classes, then K-means of the representation (the best of "
    "ten starts), components having unit length. K-means of the images, and Ncuts of a graph "
    "of five neighbours, which is ours, cluster by themselves.",
    "mutual information": "Divided by the larger of the two entropies, as this group of authors "
    "does elsewhere; the slides do not say.",
    "verdicts": "A draw is one observation: the mean of a score over its numbers of classes. "
    "ANP has to be ahead of each rival in both scores (paired t tests), and is refuted if it is "
    "behind any (after Holm's correction).",
}
"""What the slides do not say, and what we chose."""
