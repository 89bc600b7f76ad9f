"""The fits on corrupted faces as paired differences: which methods differ beyond chance?"""

from __future__ import annotations

from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from scipy import stats

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.estimate import Estimate
from nmfbench.artefacts.finding import ALPHA, Finding, Test
from nmfbench.artefacts.frames import melt_metrics, select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.region import Lead
from nmfbench.artefacts.style import method_styles
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, KL, MAH, METHODS, NAMES, PCA, trials_on_faces
from nmfbench.papers.mahnmf.faces_claims import slug
from nmfbench.problems.faces import CONDITIONS
from nmfbench.stats.corrections import holm
from nmfbench.stats.intervals import mean_and_interval

_OURS, _RIVALS = (MAH, HYBRID), (EUC, KL, PCA)
_DATASETS = ("yaleb", "pie")
_ACCURACIES = {"accuracy-4": "Algorithm 4", "accuracy-5": "Algorithm 5"}
_ERRORS = ["relative-error-train", "relative-error-test"]


def trials(profile):
    """Trials of Figures 5 and 7 and of Table 1, at every rank: no fit is this artefact's own."""
    return [
        trial
        for dataset in _DATASETS
        for task in ("recognition", "reconstruction")
        for trial in trials_on_faces(task, dataset, profile)
    ]


# -- comparisons ------------------------------------------------------------------------------


def compare(records):
    """Paired differences of MahNMF and the hybrid from each rival, with their tests.

    Two methods are paired within a split and a rank; differences are averaged over the ranks of a
    split at which both were run, so that a split is one observation. ``p`` is that of the
    two-sided Wilcoxon signed-rank test over splits, ``adjusted`` after Holm's correction within
    a family: the comparisons of one method, on one data set and by one metric, with every rival
    in every condition.

    Returns
    -------
    DataFrame
        ``dataset``, ``metric``, ``method``, ``rival``, ``condition``; ``mean``, ``low``, ``high``
        of the difference in percentage points, above 0 where the method is the better, with a
        95 % t interval; ``count`` of splits; ``error``, the standard error of the mean; ``p``,
        ``adjusted``; ``family``, its size; ``smallest``, the adjusted p-value of a method that
        is ahead in every split.
    """
    metrics = {metric: metric for metric in (*_ACCURACIES, *_ERRORS)}
    long = melt_metrics(records, metrics, "metric", "points", unit=100)
    long["points"] *= np.where(long["metric"].isin(_ERRORS), -1, 1)
    panel = ["dataset", "metric", "condition"]
    cells = [*panel, "n_components", "repeat"]
    wide = long.pivot_table("points", cells, "method", observed=True)
    parts = []
    for method, rival in product(_OURS, _RIVALS):
        if {method, rival} <= set(wide):
            lead = (wide[method] - wide[rival]).dropna()
            splits = lead.groupby([*panel, "repeat"], observed=True).mean()
            groups = splits.groupby(panel, observed=True)
            found = mean_and_interval(groups).assign(method=method, rival=rival)
            tests = {"p": groups.agg(_signed_rank), "error": groups.sem().fillna(0)}
            parts.append(found.assign(**{name: v.to_numpy(float) for name, v in tests.items()}))
    table = pd.concat(parts or [pd.DataFrame(columns=_COLUMNS)], ignore_index=True)
    families = table.groupby(["dataset", "metric", "method"], observed=True)["p"]
    return table.assign(
        adjusted=families.transform(holm),
        family=families.transform("size"),
        smallest=lambda t: np.minimum(1, t["family"] * 2.0 ** (1 - t["count"])),
    )[_COLUMNS]


_COLUMNS = ["dataset", "metric", "method", "rival", "condition", "mean", "low", "high", "count"]
_COLUMNS += ["error", "p", "adjusted", "family", "smallest"]


def _signed_rank(d):
    d = np.round(d, 9)  # equal scores, up to rounding, are ties
    return stats.wilcoxon(d).pvalue if d.any() else 1.0


# -- figure -----------------------------------------------------------------------------------


def draw(table):
    """Two forest plots, of accuracy and of reconstruction: a line for each condition and rival."""
    places = [
        (dataset, condition)
        for dataset, condition in product(_DATASETS, CONDITIONS)
        if len(select_rows(table, dataset=dataset, condition=condition, metric=list(_FORESTS)))
    ]
    heights = np.arange(len(places))
    figure, axes = plt.subplots(
        1,
        len(_FORESTS),
        figsize=(12.0, 0.5 * len(places) + 1.6),
        sharey=True,
        squeeze=False,
    )
    styles = method_styles([method.label for method in METHODS])
    pairs = list(product(_RIVALS[:2], _OURS))
    shifts = np.linspace(-0.27, 0.27, len(pairs))
    for axis, (metric, title) in zip(axes[0], _FORESTS.items(), strict=True):
        for (rival, method), shift in zip(pairs, shifts, strict=True):
            for y, (dataset, condition) in zip(heights, places, strict=True):
                place = {"dataset": dataset, "condition": condition, "metric": metric}
                for one in select_rows(table, place, method=method, rival=rival).to_dict("records"):
                    _draw_one(axis, one, y, shift, styles[method]["color"])
        axis.axvline(0, color="0.3", linewidth=0.8)
        lines = _found(table, metric)
        axis.set_title(title, pad=6 + 13 * len(lines))
        look = {"transform": axis.transAxes, "ha": "center", "va": "bottom", "fontsize": "small"}
        axis.text(0.5, 1.01, "\n".join(lines), **look)
        axis.set_xlabel("better by (points)")
        axis.grid(visible=False, axis="y")
        for y in heights[::2]:
            axis.axhspan(y - 0.5, y + 0.5, color="0.95", zorder=0)
    names = [f"{NAMES[dataset]}, {condition}" for dataset, condition in places]
    axes[0, 0].set(yticks=heights, yticklabels=names, ylim=(len(places) - 0.5, -0.5))
    grey: dict[str, Any] = {"linestyle": "", "color": "0.3", "mfc": "white"}
    handles = [
        *(Line2D([], [], color=styles[m]["color"], linewidth=2, label=m) for m in _OURS),
        *(Line2D([], [], marker=_MARKERS[r], label=f"over {r}", **grey) for r in _RIVALS[:2]),
        Line2D([], [], **{**grey, "mfc": "0.3"}, marker="D", label="filled: significant (Holm)"),
    ]
    figure.suptitle(_power(table), fontsize="small")
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    return figure


_FORESTS = {
    "accuracy-5": "Accuracy, Algorithm 5",
    "relative-error-test": "Relative error of test images",
}
_MARKERS = {EUC: "s", KL: "^"}


def _found(table, metric):
    """Lines of a title: where MahNMF, or the hybrid if it alone was run, is ahead of both rivals.

    Of data sets with more than a single split.
    """
    rows = select_rows(table, metric=metric, rival=list(_RIVALS[:2]))
    rows = rows[rows["count"] > 1]
    found: dict[str, list[str]] = {}
    for (dataset, condition), here in rows.groupby(["dataset", "condition"], sort=False):
        method = next(method for method in _OURS if (here["method"] == method).any())
        both = select_rows(here, method=method)
        for words, so in (("ahead of", both["low"] > 0), ("behind", both["high"] < 0)):
            if len(both) == 2 and so.all():
                line = f"{method} {words} both on {NAMES[dataset]}"
                found.setdefault(line, []).append(condition)
    return [f"{line}: {', '.join(conditions)}" for line, conditions in found.items()]


def _draw_one(axis, one, y, shift, color):
    if one["count"] > 1:
        axis.plot([one["low"], one["high"]], [y + shift] * 2, color=color, linewidth=1.3)
    fill = color if one["adjusted"] < ALPHA else "white"
    look = {"color": color, "mfc": fill, "markersize": 5, "linestyle": ""}
    (dot,) = axis.plot(one["mean"], y + shift, _MARKERS[one["rival"]], **look)
    attach_data(dot, [y], pd.DataFrame([one]), f"{one['method']} over {one['rival']}", "bars")


def scores(table):
    """All differences: the picture leaves out Algorithm 4, training images and PCA."""
    metrics = _ACCURACIES | {
        "relative-error-train": "error, training images",
        "relative-error-test": "error, test images",
    }
    shown = table.sort_values(["dataset", "metric"], kind="stable")
    numbers = [
        f"{row.mean:.1f} [{row.low:.1f}, {row.high:.1f}]" if row.count > 1 else f"{row.mean:.1f}"
        for row in shown.itertuples(index=False)
    ]
    keys = ["data", "metric", "method", "rival"]
    rows = pd.DataFrame(
        {
            "data": shown["dataset"].map(NAMES),
            "metric": shown["metric"].map(metrics),
            "method": shown["method"].astype(str),
            "rival": shown["rival"].astype(str),
            "condition": shown["condition"].astype(str),
            "points": numbers,
        }
    )
    wide = rows.pivot(index=keys, columns="condition", values="points")
    return wide[[condition for condition in CONDITIONS if condition in wide]].reset_index()


def _power(table):
    """Say what the numbers of splits can decide."""
    words = []
    for dataset, rows in table.groupby("dataset", sort=False):
        splits = sorted(set(rows["count"]))
        few = rows[rows["smallest"] >= ALPHA]
        text = f"{NAMES[dataset]}: {' and '.join(f'{n:g}' for n in splits)} split"
        text += "s" if splits != [1] else ""
        if len(few) == len(rows):
            text += ", too few for any difference to be significant"
        elif len(few):
            text += f", too few in {len(few)} of {len(rows)} comparisons"
        words.append(text)
    family = int(table["family"].max())
    need = int(np.floor(1 + np.log2(family / ALPHA))) + 1
    return f"{'; '.join(words)}. With {family} comparisons in a family {need} splits can be enough."


# -- claims -----------------------------------------------------------------------------------


def _significant(method, **place) -> Test:
    """``method`` is ahead of EucNMF and KLNMF, by t tests over splits."""

    def test(comparisons):
        found = select_rows(comparisons, place, method=method, rival=[EUC, KL])
        if len(found) < 2:
            text = "no split of this grid has both sides of both comparisons"
            return Finding.without("not run", text)
        leads = [
            Estimate(row.mean, row.error, row.count - 1, row.count, "points", row.rival)
            for row in found.itertuples(index=False)
        ]
        text = f"smallest lead of {method} {{}} percentage points, over {{name}}"
        notes = [
            f"Wilcoxon signed-rank tests: {row.rival} p = {row.p:.2g}"
            for row in found.itertuples(index=False)
        ]
        return Finding(text, leads, Lead(), unit="splits", notes=notes)

    return test


def _claims(dataset, conditions, source):
    return [
        Claim(
            f"{dataset}-{slug(condition)}-{metric[-1]}{'-hybrid' if method == HYBRID else ''}",
            f"{NAMES[dataset]}, {condition}, {algorithm}: {method} significantly outperforms both "
            f"{EUC} and {KL}.",
            f"ours, after {source}, whose own claim has the same test",
            _significant(method, dataset=dataset, condition=condition, metric=metric),
            origin="ours",
        )
        for condition in conditions
        for method in _OURS
        for metric, algorithm in _ACCURACIES.items()
    ]


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/paired",
        title="Methods on corrupted faces, as paired differences",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=compare,
        table=lambda comparisons: comparisons,
        picture=draw,
        scores=scores,
        claims=[
            *_claims("yaleb", ["Laplace", "salt & pepper"], "Section 5.2.1, Figure 5"),
            *_claims("pie", ["occlusion", "Laplace", "salt & pepper"], "Section 5.2.2, Figure 7"),
        ],
        planned=Plan(10, "As in the paper's grid: a repeat takes an hour of CPU time."),
        matters={"points": 2.0},
        assumed=faces.ASSUMED
        | {
            "significantly": "The paper names no test. Verdicts are by t tests over splits, as "
            "everywhere, so that the paper's sentences are decided with Figures 5 and 7, on the "
            "same leads; here they are asked again beside signed-rank tests. The picture has "
            "two-sided Wilcoxon signed-rank tests, corrected by Holm's procedure for the "
            "comparisons of one method on one data set by one metric (three rivals in six "
            "conditions: 18), of which no fewer than ten splits can be significant.",
            "lengths of components": faces.UNIT_LENGTH,
            "one observation": "A split: differences at the ranks of a split are averaged, over "
            "those that both methods were run at.",
        },
        caption="How much better MahNMF and its hybrid are than EucNMF and KLNMF, in percentage "
        "points of accuracy, and of relative error (less is better), on the same split at the same "
        "rank: means over splits with 95 % t intervals. The table has both algorithms, training "
        "images, and PCA. Filled: significant by the Wilcoxon signed-rank "
        "test after Holm's correction over 18 comparisons. Of fewer than ten splits none can be, "
        "however clear the difference.",
    )
)
