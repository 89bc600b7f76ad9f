"""Drawing of Figure 7: curves of foreground detection, and the parameters chosen for them."""

from __future__ import annotations

from itertools import product

import matplotlib.pyplot as plt
import pandas as pd

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plots import Printed, legend_of
from nmfbench.artefacts.style import method_styles
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.reported import reported
from nmfbench.papers.robust_xray.foreground import (
    HALL,
    HIGHER,
    HIGHER_ALONE,
    L2,
    L2_PRINTED,
    LIT,
    LOBBY,
    LOCAL,
    LOCAL_ALONE,
    LOW_RANK,
    MEDIAN,
    RANDOM_ALONE,
    RANDOM_STARTS,
    RESTAURANT,
    ROBUST,
    RPCA,
    SVD_START,
)
from nmfbench.papers.roc_curves import BEST, HONEST

_CURVES = (ROBUST, LOCAL, LOW_RANK, RPCA, L2, L2_PRINTED)
_LISTED = (
    *(*_CURVES, MEDIAN, SVD_START, RANDOM_STARTS, HIGHER),
    *(LOCAL_ALONE, RANDOM_ALONE, HIGHER_ALONE),
)
_PANELS = {RESTAURANT: "restaurant", HALL: "hall", LIT: "lobby", LOBBY: "lobby"}
_PRINTED = {clip: reported("robust-xray/fig7", name) for clip, name in _PANELS.items()}
_LINES = {HONEST: "-", BEST: "--"}


def draw(table):
    """A panel a clip: full curves where parameters are chosen honestly, dashed the paper's."""
    clips = list(dict.fromkeys(table["clip"]))
    columns = min(2, len(clips))
    rows = -(-len(clips) // columns)
    figure, axes = plt.subplots(
        rows, columns, squeeze=False, figsize=(5.2 * columns, 3.8 * rows + 0.9)
    )
    for axis, clip in zip(axes.flat, clips, strict=False):
        _draw_curves(axis, select_rows(table, clip=clip), clip)
    for protocol, line in _LINES.items():
        axes.flat[0].plot([], [], line, color="0.2", label=f"parameters: {protocol}")
    legend_of(figure, axes, [*_CURVES, MEDIAN])
    return figure


def _draw_curves(axis, panel, clip):
    styles = method_styles(_CURVES) | {MEDIAN: {"color": "0.55", "linewidth": 0.8}}
    limit = panel["limit"].iloc[0]
    inside = panel[(panel["false_alarms"] <= limit) & panel["method"].isin(styles)]
    for (method, style), (protocol, line) in product(styles.items(), _LINES.items()):
        curve = select_rows(inside, method=method, protocol=protocol)
        honest = protocol == HONEST
        look = {"color": style["color"], "linewidth": style["linewidth"]}
        look["label"] = method if honest else None
        (drawn,) = axis.plot(curve["false_alarms"], curve["hits"], line, **look)
        if len(curve):
            name, band = (method, "band") if honest else (f"{method} ({protocol} parameters)", "")
            attach_data(drawn, curve["false_alarms"], curve.assign(mean=curve["hits"]), name, band)
        if honest and method != MEDIAN:
            area = {"color": look["color"], "alpha": 0.12, "linewidth": 0}
            axis.fill_between(curve["false_alarms"], curve["low"], curve["high"], **area)
    low, high = _PRINTED[clip].value[2:] if clip in _PRINTED else (0, 1)
    ends = inside.loc[inside["false_alarms"] == inside["false_alarms"].max(), "hits"]
    axis.set(xlim=(0, limit), ylim=(min(low, ends.min() - 0.1), max(high, ends.max() + 0.01)))
    if clip in _PRINTED:
        Printed("the paper's axis", (low, high)).draw(axis)
    axis.set(xlabel="false-alarm rate", ylabel="hit rate", title=clip)


def chosen_parameters(table):
    """Mean hit rates up to the end of the axis, and the parameters that gave them."""
    cells = table.drop_duplicates(["clip", "method", "protocol"])
    cells = cells.assign(
        text=[f"{cell.pauc:.3f} ({cell.setting})" for cell in cells.itertuples()],
        clip=pd.Categorical(cells["clip"], cells["clip"].unique()),
        method=pd.Categorical(cells["method"], _LISTED),
    ).sort_values(["clip", "method"])
    lines = {"clip": "clip", "method": "method"}
    return score_table(cells, lines, [HONEST, BEST], lambda cell: cell.text, column="protocol")
