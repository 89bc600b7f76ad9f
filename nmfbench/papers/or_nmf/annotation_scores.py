"""Scores of annotation by dimensionality: trials, frame, table and curves."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.frames import mean_table, melt_metrics, select_rows, with_columns
from nmfbench.artefacts.names import name_curves
from nmfbench.artefacts.plots import Curves, Printed, legend_of
from nmfbench.artefacts.style import method_styles
from nmfbench.papers.or_nmf.annotation import ONLINE, PCA, SAMPLES, UNTRAINED, grid, whole
from nmfbench.papers.or_nmf.methods import PRINTED, UPDATES
from nmfbench.papers.reported import reported
from nmfbench.problems.annotation import ONE_PASS

COSINE, EUCLIDEAN, FREQUENT = (
    "features, cosine",
    "features, Euclidean",
    "five most frequent tags",
)
_DASHED = (UNTRAINED, SAMPLES, PCA, COSINE, EUCLIDEAN, FREQUENT)
"""Baselines."""
AXES = reported("or-nmf/fig12", "axes")
_COUNTED = [method.label for method in UPDATES.values()]
LEARNING = ("all images, twice", f"{ONE_PASS['n_learn']} images, once")
PERCENT = {"ac": "AC", "rc": "RC", "ns": "NS"}
_BY_TAG = {"tag-precision": "precision by tag", "tag-recall": "recall by tag"}
_SCORES = PERCENT | _BY_TAG | {"n-plus": "N+"}
_UNITS = {
    "AC": "accuracy of annotation, AC (%)",  # elsewhere AC is that of clusters
    "RC": "recall of annotation, RC (%)",
    "NS": "normalized score, NS (%)",
    **{words: f"{words} (%)" for words in _BY_TAG.values()},
    "N+": "number of tags, N+",
}
SCORE = "score (%)"
PLACE = ["learning", "dimensionality", "repeat"]


def trials(profile):
    """Codes by learned bases and baselines at each dimensionality, and the features themselves."""
    return [*grid(profile), *whole(profile)]


def frame(records):
    """Scores, N+ as a number and the others in per cent, by ``learning`` and ``dimensionality``.

    Baselines without a dimensionality or a repeat stand at all of them.
    """
    records = with_columns(records, ["n_learn", "unit_samples"]).astype({"method": str})
    full = records["n_components"].isna()
    learning = np.where(records["n_learn"].isna(), *LEARNING)
    fits = records.assign(learning=learning, dimensionality=records["n_components"] / 2)[~full]
    plain = records[full]
    metric = np.where(plain["unit_samples"].eq(False), EUCLIDEAN, COSINE)
    frequent = records.head(1).assign(method=FREQUENT)
    frequent = frequent.assign(**{name: frequent[f"{name}-frequent"] for name in _SCORES})
    lines = pd.concat([plain.assign(method=metric), frequent]).drop(columns="repeat")
    lines = lines.merge(fits[PLACE].drop_duplicates(), how="cross")
    both = pd.concat([fits, lines], ignore_index=True)
    both = both.assign(**{name: 100 * both[name] for name in (*PERCENT, *_BY_TAG)})
    return melt_metrics(both, _SCORES, "kind", SCORE)


def table(frame):
    """Means over repeats with 95 % t intervals, of the methods that are drawn."""
    shown = frame[frame["method"].isin([*ONLINE, PRINTED, *_DASHED, *_COUNTED])]
    return mean_table(shown, SCORE, ["learning", "kind", "method", "dimensionality"])


def draw(table):
    """Panels of the paper, and below them the scores by tag, for each way of learning."""
    found = [learning for learning in LEARNING if (table["learning"] == learning).any()]
    there = found or LEARNING[:1]
    shape = 2 * len(there), 3
    figure, axes = plt.subplots(*shape, figsize=(12.6, 3.1 * shape[0] + 0.8), squeeze=False)
    curves = Curves(x="dimensionality", labels=[*ONLINE, PRINTED])
    places = [(learning, kind) for learning in there for kind in _SCORES.values()]
    for axis, (learning, kind) in zip(axes.flat, places, strict=True):
        panel = select_rows(table, learning=learning, kind=kind)
        curves.draw_panel(axis, panel, curves.labels)
        for label, style in method_styles(_DASHED).items():
            line = select_rows(panel, method=label).sort_values("dimensionality")
            look = style | {"linestyle": "--", "linewidth": 1, "mfc": "white"}
            axis.plot(line["dimensionality"], line["mean"], label=label, **look)
        if kind in PERCENT.values():
            ends = tuple(100 * end for end in AXES.value)
            Printed(f"the paper's {AXES.text}", ends).draw(axis)
        axis.set(xlabel="dimensionality (%)", ylabel=_UNITS[kind], title=f"{kind}, {learning}")
    named = {name for line in axes for name in name_curves(line[-1], 2.3)}
    legend_of(figure, axes, [*ONLINE, PRINTED, *_DASHED], left_out=named)
    return figure
