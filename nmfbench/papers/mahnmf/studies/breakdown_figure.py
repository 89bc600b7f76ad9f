"""Accuracy against the level of each noise, and the levels at which methods break down."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.names import name_curves
from nmfbench.artefacts.plots import Curves, legend_of
from nmfbench.artefacts.style import method_styles
from nmfbench.papers.mahnmf.faces import METHODS
from nmfbench.problems.noise import NOISES

_LABELS = [method.label for method in METHODS]
_CURVED = ("occlusion", "laplace", "salt-pepper")  # of the paper's claims


def draw(table):
    """Accuracy against the level of the noises of the paper's claims, and breakdowns under all."""
    shown = [noise for noise in NOISES.values() if (table["corruption"] == noise.corruption).any()]
    curved = [noise for noise in shown if noise.corruption in _CURVED] or shown[:3]
    figure, axes = plt.subplots(
        1,
        len(curved) + 1,
        figsize=(3.2 * len(curved) + 6.4, 4.4),
        width_ratios=[*[1] * len(curved), 1.25],
        squeeze=False,
    )
    run = [label for label in _LABELS if (table["method"] == label).any()]
    scores = Curves(x="dose", labels=_LABELS, level=("chance", "guessing"))
    *panels, last = axes[0]
    for axis, noise in zip(panels, curved, strict=True):
        rows = select_rows(table, corruption=noise.corruption, part="curve", metric="accuracy-5")
        scores.draw_panel(axis, rows, _LABELS)
        end = rows["dose"].max()
        axis.set(title=noise.title, xlabel=noise.axis, xlim=(-0.03 * end, 1.06 * end))
        axis.sharey(panels[0])
        axis.label_outer(remove_inner_ticks=False)
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("accuracy (%), Algorithm 5")
    _draw_breakdowns(last, table, shown, run)
    named = name_curves(panels[-1], 3.4)
    legend_of(figure, axes, _LABELS, left_out=named)
    splits = int(table["count"].max())
    if splits == 1:
        figure.suptitle("One split, so that there are no intervals: differences may be chance.")
    return figure


def _draw_breakdowns(axis, table, noises, labels):
    """A line for each noise, a dot for each method; a hollow arrow beyond the grid, either way."""
    styles = method_styles(_LABELS)
    shifts = np.linspace(-0.27, 0.27, len(labels))
    for y, noise in enumerate(noises):
        rows = select_rows(table, corruption=noise.corruption)
        doses = select_rows(rows, part="curve")["dose"]
        begin, end = doses.min(), doses.max()
        levels = select_rows(rows, part="breakdown", metric="accuracy-5")
        for label, shift in zip(labels, shifts, strict=True):
            for row in select_rows(levels, method=label).to_dict("records"):
                _draw_breakdown(axis, row, y, y + shift, styles[label], begin, end)
    axis.set(
        title="half of the clean accuracy lost",
        xlabel="at this share of the largest level",
        yticks=range(len(noises)),
        yticklabels=[noise.title for noise in noises],
        xlim=(-0.04, 1.08),
        ylim=(len(noises) - 0.5, -0.5),
    )


def _draw_breakdown(axis, row, y, place, style, begin, end):
    bounds = [row["low"] / end, row["high"] / end]
    axis.plot(bounds, [place, place], color=style["color"], linewidth=1.2)
    look = {"marker": style["marker"]}
    if row["beyond"] or row["dose"] <= begin:
        look = {"marker": ">" if row["beyond"] else "<", "mfc": "white"}
    look |= {"color": style["color"], "markersize": 6, "linestyle": "", "clip_on": False}
    (dot,) = axis.plot(row["dose"] / end, place, **look)
    names = ("dose", "low", "high")
    drawn = row | {name: row[name] / end for name in names}
    attach_data(dot, [y], pd.DataFrame([drawn | {"mean": drawn["dose"]}]), row["method"], "bars")


def scores(table):
    """For each noise and method: breakdown, the range of levels ahead of EucNMF, and the error."""
    rows = []
    for noise in NOISES.values():
        of_noise = select_rows(table, corruption=noise.corruption)
        for label in _LABELS:
            own = select_rows(of_noise, method=label)
            if not len(own):
                continue
            parts = select_rows(own, metric="accuracy-5")
            begin, end, lost = (select_rows(parts, part=p) for p in ("from", "to", "breakdown"))
            errors = select_rows(own, part="curve", metric="relative-error-test")
            rows.append(
                {
                    "noise": f"{noise.title} ({noise.axis})",
                    "method": label,
                    "half of the clean accuracy lost at": _level(lost),
                    "ahead of EucNMF from": _level(begin),
                    "to": _level(end),
                    "relative error of test images, mean": f"{errors['mean'].mean():.3f}",
                }
            )
    return pd.DataFrame(rows)


def _level(rows):
    """A level with its interval, as text; empty where there is none."""
    rows = rows.dropna(subset=["dose"])
    if not len(rows):
        return ""
    row = rows.iloc[0]
    text = f"{'> ' if row['beyond'] else ''}{row['dose']:.2f}"
    return text if pd.isna(row["low"]) else f"{text} [{row['low']:.2f}, {row['high']:.2f}]"
