"""Forest plots of leads on several data sets."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator, ScalarFormatter

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plots import legend_of
from nmfbench.artefacts.style import method_styles


def draw(table: pd.DataFrame, *, xlabel: str) -> Figure:
    """A panel for each sentence, a row for each data set, a point with its interval for a rival."""
    panels = list(dict.fromkeys(table["panel"]))
    places = list(dict.fromkeys(table["place"]))
    most = max((rows["over"].nunique() for _, rows in table.groupby("panel")), default=1)
    figure, axes = plt.subplots(
        1,
        max(len(panels), 1),
        squeeze=False,
        sharey=True,
        figsize=(
            1.6 + 4.2 * max(len(panels), 1),
            1.6 + len(places) * max(0.45, 0.14 * most) + 0.12 * most,
        ),
    )
    for axis, panel in zip(axes[0], panels, strict=False):
        rows = select_rows(table, panel=panel)
        axis.set(title=panel, xlabel=xlabel)
        _draw_panel(axis, rows, places)
    own = [place in set(table.loc[table["own"], "place"]) for place in places]
    for axis in axes[0]:
        for y in np.flatnonzero(own):
            axis.axhspan(y - 0.5, y + 0.5, color="0.5", alpha=0.12, linewidth=0)
        axis.grid(axis="y", visible=False)
    bottom = max(len(places), 1) - 0.5
    axes[0, 0].set(yticks=range(len(places)), yticklabels=places, ylim=(bottom, -0.5), ylabel="")
    if not places:
        words = "no comparison has all of its methods yet"
        axes[0, 0].text(0.5, 0.5, words, transform=axes[0, 0].transAxes, ha="center")
        axes[0, 0].set(xticks=[])
    legend_of(figure, axes)
    return figure


def _draw_panel(axis, rows, places):
    overs = list(dict.fromkeys(rows["over"]))
    rivals = [over.partition(" in ")[0] for over in overs]
    styles = method_styles(list(dict.fromkeys(rivals)))
    far = min(0.32, 0.1 * (len(overs) - 1))
    shifts = np.linspace(-far, far, len(overs))
    for k, (over, rival, shift) in enumerate(zip(overs, rivals, shifts, strict=True)):
        points = select_rows(rows, over=over)
        y = np.array([places.index(place) for place in points["place"]])
        style = styles[rival]
        again = rival in rivals[:k]  # of one rival a further score
        look = {"color": style["color"], "marker": style["marker"], "markersize": 5}
        look |= {"mfc": "white" if again else style["color"], "linestyle": ""}
        axis.hlines(y + shift, points["low"], points["high"], color=style["color"], linewidth=1.3)
        label = f"over {over}" if over else axis.get_title()  # a title names a single rival
        (line,) = axis.plot(points["mean"], y + shift, label=label, **look)
        attach_data(line, y, points, interval="bars")
    first = rows.iloc[0]
    axis.axvline(first["border"], color="0.2", linewidth=1.0)
    axis.axvline(first["matters"], color="0.2", linewidth=1.0, linestyle=":")
    if first["ratio"]:
        axis.set_xscale("log")
        axis.xaxis.set_major_locator(MaxNLocator(5))
        axis.xaxis.set_major_formatter(ScalarFormatter())
        axis.xaxis.set_minor_locator(NullLocator())
