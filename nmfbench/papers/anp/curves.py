"""Shared by Figures 2 and 3: clusters of a few classes, by number of classes."""

from __future__ import annotations

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.frames import mean_table, melt_metrics, reference, select_rows
from nmfbench.artefacts.grids import changed, cross, methods
from nmfbench.artefacts.plots import Curves, legend_of, plot_points
from nmfbench.artefacts.style import category_styles, method_styles
from nmfbench.datasets.base import dataset_info
from nmfbench.papers.rnmfd import sets
from nmfbench.problems.clustering import SETS, whole_set
from nmfbench.solvers import make_solver

KMEANS, NMF, ANP, NCUTS, GNMF = "K-means", "NMF", "ANP", "Ncuts", "GNMF"
BEST, EACH = "ANP, best on the test", "ANP, each of its weights"
GNMF_BEST, GNMF_EACH = "GNMF, best on the test", "GNMF, each of its weights"
NO_TERM = "ANP without its term"
_CURVES = [KMEANS, NMF, ANP, BEST, NCUTS, GNMF, GNMF_BEST]
AC, NMI = "clustering-accuracy", "nmi-max"
SCORES = {AC: "AC", NMI: "normalised MI"}

NAMES = ["lam1", "lam2"]
DEFAULTS = {name: make_solver("anp").get_params()[name] for name in NAMES}
"""Weights of ANP that are the same everywhere."""
WEIGHTS = tuple(product((0.001, 0.01, 0.1, 1.0), (0.1, 1.0, 10.0)))
"""Pairs of the weights λ₁ and λ₂ of ANP, from the smallest to the largest."""
TRIED = ((0.01, 1.0), (0.1, 1.0), (1.0, 1.0))
"""Pairs of the weights that a quick run tries, the defaults first."""
GRAPH_DEFAULTS = {"alpha": make_solver("gnmf").get_params()["alpha"]}
_GRAPH_WEIGHTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
GRAPH_TRIED = (100.0, 1.0)
"""Weights of GNMF that a quick run tries, the default first."""


def _anp(weights):
    return [sets.method(ANP, "anp", **dict(zip(NAMES, pair, strict=True))) for pair in weights]


def _gnmf(weights):
    return [sets.method(GNMF, "gnmf", alpha=alpha) for alpha in weights]


_OTHERS = [
    sets.method(KMEANS, "kmeans"),
    sets.method(NMF, "mu"),
    sets.method(NCUTS, "ncuts"),
    sets.method(NO_TERM, "anp", lam1=0.0),
]
METHODS = (*_OTHERS[:2], *_anp(WEIGHTS), *_OTHERS[2:3], *_gnmf(_GRAPH_WEIGHTS), *_OTHERS[3:])


def on_classes(dataset, n, *, smoke=False):
    """Trial, without a method, on ``n`` classes drawn at random, with a component for each.

    With all classes of a data set nothing is drawn, as in the tables of RNMFD.
    """
    base = whole_set(SETS["orl"], smoke=smoke).trial("", {}, 0)
    drawn = {} if n == dataset_info(dataset)["n_classes"] else {"n_classes": n}
    return changed(base, {"dataset": dataset, "options": {"n_components": n} | drawn})


def grid(dataset, classes, draws=20, weights=WEIGHTS, graph_weights=_GRAPH_WEIGHTS, *, smoke=False):
    """Trials on each number of classes, see :func:`on_classes`, with each of the weights.

    ``weights`` are pairs of ANP, ``graph_weights`` of GNMF.
    """
    tried = methods([*_OTHERS, *_anp(weights), *_gnmf(graph_weights)])
    places = [on_classes(dataset, n, smoke=smoke) for n in classes]
    return [trial for place in places for trial in cross(place, draws, tried)]


def told_apart(records):
    """Records with the number of ``classes`` and the weights of ANP and of GNMF.

    Each of the two stands there three times: under its name at its defaults, as ``BEST`` or
    ``GNMF_BEST`` at its best weights, and as ``EACH`` or ``GNMF_EACH`` at all of them, in the cells
    (a draw of a number of classes) that all have. The best weights have the highest mean
    accuracy there.
    """
    records = records.astype({"method": str}).assign(classes=records["n_components"])
    of_anp, of_gnmf = (
        _by_weights(records, *way)
        for way in ((ANP, BEST, EACH, DEFAULTS), (GNMF, GNMF_BEST, GNMF_EACH, GRAPH_DEFAULTS))
    )
    others = records[~records["method"].isin([ANP, GNMF])]
    return pd.concat([others, *of_anp, *of_gnmf], ignore_index=True)


def _by_weights(records, method, best, each, defaults):
    """The records of a method at its defaults, at its best weights, and at each of them."""
    run, names = select_rows(records, method=method), list(defaults)
    for name, default in defaults.items():
        weights = [params.get(name, default) for params in run["params"]]
        run = run.assign(**{name: pd.Series(weights, run.index, dtype=float)})
    done = run.groupby(["classes", "repeat"])[AC].transform("count")
    shared = run[done == len(run[names].drop_duplicates())]
    means = shared.groupby(names)[AC].mean()
    chosen = defaults
    if len(means):
        chosen = dict(zip(names, np.atleast_1d(means.idxmax()), strict=True))
    sides = {method: select_rows(run, defaults), best: select_rows(run, chosen), each: shared}
    return [rows.assign(method=label) for label, rows in sides.items()]


def summarise(frame):
    """Means and 95 % intervals over draws.

    Rows with ``part`` "curves" hold the score of a method for a number of ``classes``; rows with
    ``part`` "weights" by how much the accuracy of ANP with these weights exceeds that of NMF.
    """
    scores = melt_metrics(select_rows(frame, method=_CURVES), SCORES, "score", "value")
    curves = mean_table(scores, "value", ["score", "method", "classes"], between=(-np.inf, 1))
    curves = curves.merge(scores.groupby("method")[NAMES].first().reset_index(), on="method")
    each = select_rows(frame, method=EACH)
    leads = each[AC] - reference(frame, AC, {"method": NMF}, ["classes", "repeat"])[each.index]
    each = each.assign(lead=leads).dropna(subset="lead")
    weights = mean_table(each, "lead", NAMES, over=["repeat"]).assign(score=AC, method=ANP)
    return pd.concat([curves.assign(part="curves"), weights.assign(part="weights")])


# -- figure -----------------------------------------------------------------------------------


def draw(table):
    """AC and MI by number of classes, and what the weights of ANP change."""
    figure, axes = plt.subplots(1, 3, figsize=(12.5, 4.4))
    scores = select_rows(table, part="curves")
    curves = Curves(x="classes", labels=_CURVES)
    for axis, letter, score in zip(axes, "ab", SCORES.values(), strict=False):
        panel = select_rows(scores, score=score)
        curves.draw_panel(axis, panel, _CURVES)
        axis.set(xlabel="classes", ylabel=score, title=f"({letter}) {score}")
        axis.set_xticks(sorted(set(scores["classes"])))
    legend_of(figure, axes[:2], _CURVES)
    chosen = select_rows(scores, method=[ANP, BEST]).drop_duplicates("method")
    _draw_weights(axes[2], select_rows(table, part="weights"), chosen)
    return figure


def _draw_weights(axis, rows, chosen):
    """A curve for each ridge, and a ring in the colour of ANP where its curves are."""
    ridges = sorted(set(rows["lam2"]))
    styles = category_styles([f"λ₂ = {lam2:g}" for lam2 in ridges])
    greys = np.linspace(0.1, 0.65, len(ridges))  # colours stand for methods
    shown = zip(styles.items(), greys, ridges, strict=True)
    for k, ((label, style), grey, lam2) in enumerate(shown):
        curve = select_rows(rows, lam2=lam2).sort_values("lam1")
        x = curve["lam1"]
        shift = x * 1.06 ** (k - (len(ridges) - 1) / 2) - x
        plot_points(axis, x, curve, label, {**style, "color": f"{grey:.2f}"}, shift)
        for one in select_rows(chosen, lam2=lam2).to_dict("records"):
            ring = method_styles(_CURVES)[one["method"]]["color"]
            there = curve["lam1"] == one["lam1"]
            look = {"marker": "o", "mfc": "none", "markersize": 8 + 5 * (one["method"] == BEST)}
            place = (x + shift)[there], curve["mean"][there]
            axis.plot(*place, color=ring, linestyle="", **look)
    axis.axhline(0, color="firebrick", linewidth=1)
    axis.set_xscale("log")
    axis.set(xlabel="λ₁", ylabel="AC of ANP minus AC of NMF", title="(c) weights of the new term")
    if ridges:
        axis.legend(fontsize="small", ncols=len(ridges), loc="lower center")
        axis.margins(y=0.15)


ASSUMED = {
    "numbers": "The slides print none, and we do not have the text of the paper: curves can only "
    "be compared by their order. The numbers of classes, and how many draws a mean is over, are "
    "ours too.",
    "weights": "Not given. The same defaults everywhere (λ₁ = 0.01, λ₂ = 1); and, for a data set, "
    "those of a grid (λ₁ from 0.001 to 1, λ₂ from 0.1 to 10) that have the highest mean accuracy "
    "over all numbers of classes, which are chosen on the test and so look better than they are.",
    "scale": "Not given. Samples are scaled to unit length, and so are components in every "
    "iteration of ANP; without that its new term has no effect at the infimum.",
    "update": "The printed update, but for steps in which it would raise the objective.",
    "without the term": "The same updates and scaling of components, with λ₁ = 0.",
    "start": "Uniform numbers and one multiplicative step. A draw is of the classes, of the start "
    "and of the seed of K-means, the same for all methods. With all classes there is nothing left "
    "to draw of them.",
    "stopping": sets.ASSUMED["stopping"],
    "clusters": "As many components as classes, then K-means of the representation (the best of "
    "ten starts), components having unit length. K-means of the images, and Ncuts of a graph "
    "of five neighbours, which is ours, cluster by themselves.",
    "GNMF": "At its default weight of 100 (Cai et al., 2011), with a graph of five neighbours. "
    "With few images of a person that weight makes nearly all images alike (rnmfd/table1), so that "
    "this is not what the slides may mean by the state of the art, which they do not name. The "
    "claim on it is about GNMF at the best of six weights from 0.01 to 1000, chosen in the way of "
    "the twelve pairs of ANP: by the highest mean accuracy on the test. Much better: by ten "
    "points, five times the smallest difference that matters.",
    "mutual information": "Divided by the larger of the two entropies, as this group of authors "
    "does elsewhere; the slides do not say.",
    "verdicts": "A draw is one observation: the mean of a score over its numbers of classes. "
    "ANP has to be ahead of each rival in both scores (paired t tests), and is refuted if it is "
    "behind any. A good improvement is a sure one of any size.",
}
"""Our choices where the slides say nothing."""
