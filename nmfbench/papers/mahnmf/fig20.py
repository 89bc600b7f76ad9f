"""Figure 20: latent spaces of several views, how well they classify, and how sparse they are."""

from __future__ import annotations

from functools import partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, better
from nmfbench.artefacts.finding import at_each_reading
from nmfbench.artefacts.frames import mean_table, select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Curves, legend_of
from nmfbench.papers.mahnmf import multiview, multiview_sets, table2
from nmfbench.papers.mahnmf.multiview import BOUNDS, EUC, FLSS, HALS, LABELS, MAH, RAW, WEIGHTS
from nmfbench.papers.mahnmf.multiview_sets import NAMES, STAND_INS
from nmfbench.stats.between import between_share

_DRAWN = (MAH, EUC)
_OF_BOUND = {share: f"{MAH}, bound {share:g}" for share in BOUNDS} | {BOUNDS[0]: MAH}
_OF_WEIGHT = {share: f"{EUC}, {share:g} α" for share in WEIGHTS} | {WEIGHTS[0]: EUC}
_CURVES = Curves(x="dimensions", labels=LABELS, level=("raw", RAW), ylim=(0, 1))
_SOURCE = "Section 5.5, Figure 20"


def frame(records):
    """Records, and for each set, method and split a row with the pattern of its bases.

    ``pattern`` is the sparseness of each feature over the components, and ``unused`` whether it is
    in none, averaged over the numbers of dimensions; ``views`` the view of each feature; ``eta2``
    the share of the variance of ``pattern`` that lies between views.
    """
    found = _by_setting(multiview.frame(records))
    named = [*_OF_BOUND.values(), *_OF_WEIGHT.values(), HALS]
    rows = select_rows(found, method=named).sort_values("dimensions")
    patterns = [
        dict(zip(_FIT, fit, strict=True)) | _pattern([row.arrays for row in fits.itertuples()])
        for fit, fits in rows.groupby(_FIT)
    ]
    columns = [*_FIT, "pattern", "unused", "views", "eta2"]
    return pd.concat([found, pd.DataFrame(patterns, columns=columns)], ignore_index=True)


_FIT = ["dataset", "method", "repeat"]


def _by_setting(found):
    """Fits at other bounds and weights than the usual ones, which are methods of their own."""
    named = []
    for row in found[["dataset", "method", "params"]].itertuples():
        name = row.method
        if name == MAH:
            name = _OF_BOUND[row.params.get("bound", BOUNDS[0])]
        elif name == EUC:
            usual = multiview.params_of("eucnmf-gs", row.dataset)["alpha"]
            name = _OF_WEIGHT[round(row.params["alpha"] / usual, 3)]
        named.append(name)
    return found.assign(method=named)


def _pattern(arrays):
    widths = arrays[0]["widths"]
    pattern, unused = (np.mean([a[n] for a in arrays], axis=0) for n in ("sparseness", "unused"))
    views = np.repeat(np.arange(len(widths)), widths)
    eta2 = between_share(pattern, views)
    return {"pattern": pattern, "unused": unused, "views": views, "eta2": eta2}


def _means(rows):
    """Mean pattern over the splits of a method, and the view of each feature."""
    return np.mean(list(rows["pattern"]), axis=0), rows["views"].iloc[0]


def table(frame):
    """Curves, with ``part`` "map", and patterns, with ``part`` "sparseness".

    The former have ``mean``, ``low``, ``high`` and ``count`` of the mean average precision, and
    ``raw``, that of raw views; the latter ``view``, ``feature``, its ``sparseness``, ``unused``,
    the share of the fits that leave it out, and ``eta2`` of the method: all means over splits.
    """
    by = ["dataset", "method", "n_components"]
    fits = select_rows(frame[frame["dimensions"].notna()], method=LABELS)
    curves = mean_table(fits, "map", by, between=(0, 1)).reset_index(drop=True)
    curves = curves.merge(fits.groupby(by)["dimensions"].mean().reset_index(), on=by)
    raw = select_rows(frame, method=RAW).groupby("dataset")["map"].mean()
    parts = [curves.assign(part="map", raw=curves["dataset"].map(raw))]
    patterns = select_rows(frame, method=list(_DRAWN)).dropna(subset="eta2")
    for (dataset, method), rows in patterns.groupby(["dataset", "method"]):
        sparseness, views = _means(rows)
        features = {
            "part": "sparseness",
            "dataset": dataset,
            "method": method,
            "view": views,
            "feature": np.arange(len(views)),
            "sparseness": sparseness,
            "unused": np.mean(list(rows["unused"]), axis=0),
            "eta2": rows["eta2"].mean(),
        }
        parts.append(pd.DataFrame(features))
    return pd.concat(parts, ignore_index=True)


def draw(table):
    """A row a set: precision by dimensions, and how sparse each feature is with two methods."""
    there = [key for key in NAMES if (table["dataset"] == key).any()]
    figure, axes = plt.subplots(
        len(there), 3, figsize=(12.5, 3.1 * len(there) + 0.6), squeeze=False
    )
    letters = iter("abcdefghijkl")
    for line, key in zip(axes, there, strict=True):
        rows = select_rows(table, dataset=key)
        _CURVES.draw_panel(line[0], select_rows(rows, part="map"), LABELS)
        line[0].set(xlabel="dimensions", ylabel=f"{NAMES[key]}\nmean average precision")
        line[0].set_title(f"({next(letters)})")
        for axis, method in zip(line[1:], _DRAWN, strict=True):
            _draw_pattern(axis, select_rows(rows, part="sparseness", method=method))
            axis.set(title=f"({next(letters)}) {method}{axis.get_title()}", ylim=(-0.03, 1.03))
            axis.set(xlabel="feature, view after view", ylabel="sparseness")
    legend_of(figure, axes[:, 0], LABELS)
    return figure


def _draw_pattern(axis, rows):
    unused = rows["unused"] > 0.5
    axis.plot(rows["feature"], rows["sparseness"], ".", markersize=3, color="0.25")
    left_out = rows[unused]
    axis.plot(left_out["feature"], left_out["sparseness"], "x", markersize=4, color="firebrick")
    for start in rows.groupby("view")["feature"].min().iloc[1:]:
        axis.axvline(start - 0.5, color="0.5", linewidth=1)
    if len(rows):
        left = f", {unused.sum()} unused" if unused.any() else ""
        axis.set_title(f": η² = {rows['eta2'].iloc[0]:.2f}{left}")


def _chosen(dataset):
    return [*multiview.shown(dataset), *multiview.elsewhere(dataset)]


# -- claims -----------------------------------------------------------------------------------


def _at_each_setting(test_of):
    """A test of MahNMF-GS and EucNMF-GS that comes out alike at each bound and weight."""
    tests = {
        f"bound {bound:g}, {weight:g} α": test_of(ours, theirs)
        for (bound, ours), (weight, theirs) in product(_OF_BOUND.items(), _OF_WEIGHT.items())
    }
    return at_each_reading("the bound and the weight", tests)


def _claims(dataset):
    slug, name, at = dataset.removeprefix("mv-"), NAMES[dataset], {"dataset": dataset}
    ours, origin = f"ours, after {_SOURCE}", multiview_sets.origin(dataset)
    source = _SOURCE if origin == "paper" else ours
    return [
        Claim(
            f"ahead-{slug}",
            f"{name}: MahNMF-GS has a higher mean average precision than EucNMF-GS, mean over the "
            "numbers of dimensions.",
            source,
            multiview.unless_easy(dataset, better(MAH, EUC, "map", ["n_components"])),
            reported=table2.printed_of(dataset, [MAH, EUC]),
            origin=origin,
        ),
        Claim(
            f"ahead-at-each-{slug}",
            f"{name}: MahNMF-GS has a higher mean average precision than EucNMF-GS at every number "
            "of dimensions.",
            ours,
            multiview.unless_easy(
                dataset, always_best(MAH, [EUC], "map", each={"n_components": ...})
            ),
            origin="ours",
        ),
        Claim(
            f"views-by-groups-{slug}",
            f"{name}: with MahNMF-GS, features of one view are similar in their sparseness, and "
            "those of different views are not: more of its variance lies between views than with "
            "plain NMF (HALS), which knows nothing of views.",
            source,
            at_each_reading(
                "the bound",
                {f"{b:g}": better(name, HALS, "eta2", at=at) for b, name in _OF_BOUND.items()},
            ),
            origin=origin,
        ),
        Claim(
            f"views-apart-{slug}",
            f"{name}: with MahNMF-GS more of the variance of this sparseness lies between views "
            "than with EucNMF-GS.",
            source,
            _at_each_setting(partial(better, value="eta2", at=at)),
            origin=origin,
        ),
        Claim(
            f"private-{slug}",
            f"{name}: MahNMF-GS has more components that a view does without than EucNMF-GS.",
            source,
            _at_each_setting(partial(better, value="private", by=["n_components"], at=at)),
            origin=origin,
        ),
    ]


ARTEFACT = multiview.artefact(
    "fig20",
    title="Latent spaces of several views",
    kind="figure",
    chosen=_chosen,
    frame=frame,
    table=table,
    picture=draw,
    claims=_claims,
    planned=Plan(
        10,
        "As in the paper's grid: a repeat takes half an hour of CPU time.",
        **STAND_INS,
    ),
    matters={"eta2": 0.02, "private": 0.02},
    assumed={
        "significantly": "The paper draws precision over dimensions and names no test: ahead in "
        "the mean over the numbers of dimensions. At every one of them is our question.",
        "sparseness": "That of Hoyer (2004) of a feature's weights in all components, averaged "
        "over the numbers of dimensions. A feature that is in none counts as 1, and is marked. "
        "Similar and different is read as the share η² of its variance that lies between "
        "views. Views of other kinds and widths differ with any method, so that the share is "
        "compared with the shares of plain NMF (HALS), which has no groups, and of EucNMF-GS.",
        "private information": "Pairs of a view and a live component with no more than a "
        "millionth of the largest length. A component that is zero everywhere is not private.",
        "bounds and weights": "They make groups zero, and both are lost: claims on sparseness and "
        "on private information are decided where they come out alike with MahNMF-GS at bounds of "
        "0.5, which is drawn, 0.25 and 0.75, and with EucNMF-GS at α, a tenth of it and five "
        "times. They are the fits of Table 2, which has the best of each method.",
    },
    caption="Left: mean average precision of linear classifiers on the codes, means over "
    "splits with 95 % intervals; dotted: classifiers on all views without a latent space. "
    f"{FLSS} is drawn at the number of dimensions that it has left. Middle and right: how "
    "sparse each feature is over the components, lines between views; a red cross is a feature "
    "that most fits leave out.",
)
