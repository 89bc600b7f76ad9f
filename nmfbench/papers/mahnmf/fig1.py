"""Figure 1: the functions of one variable that RRI minimises, and where that leads."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.style import category_styles, legend_below, method_styles
from nmfbench.papers.mahnmf.matrices import sub_problems
from nmfbench.trials.trial import Trial

RRI = "MahNMF (RRI)"
OGM = "MahNMF (OGM), μ = 0.01"
METHODS = (
    Method(RRI, "mahnmf-rri"),
    Method(OGM, "mahnmf-ogm", {"mu0": 0.01, "inner_tol": 1e-4, "inner_max_iter": 10_000}),
)

UNIFORM, FACES = "uniform", "yaleb"
NAMES = {
    UNIFORM: "20 x 6, uniform",
    FACES: "1024 x 15, faces as basis (Yale B)",
}
EXACT = 1e-6  # a relative excess below it is no excess

# Points p_i = Z_i / w_i and weights w_i of three functions sum_i w_i |x - p_i|.
SHAPES = {
    "kink between two slopes": ((1.0, 2.0, 4.0), (1.0, 2.0, 1.5)),
    "kink on the first point": ((1.5, 3.0, 4.5), (3.0, 1.0, 1.0)),
    "flat piece": ((1.0, 2.5, 4.0, 4.5), (1.0, 1.5, 1.5, 1.0)),
}
# Of the two weights (h1, h2) on the columns of W; RRI stands still at (1, 1).
EXAMPLE_W = np.array([[3.0, 3.0], [1.0, 0.0], [0.0, 0.5]])
EXAMPLE_V = np.array([6.0, 0.0, 1.0])
# Places of the numbers on its contours, clear of the two points.
_LABELLED = [(0.33, 1.67), (0.67, 1.33), (1.33, 0.67), (0.73, 0.73), (1.54, 1.54), (2.0, 2.0)]


def trials(profile):
    faces = Trial(
        "nlad", FACES, "", options={"n_components": 15, "basis": "samples", "per_class": 2}
    )
    repeats = {"smoke": 0, "quick": 6, "paper": 10}[profile]
    return sub_problems(profile, METHODS) + cross(faces, repeats, methods(METHODS))


def summarise(records):
    """Curves of the functions, values of the example on a grid, and the spread of the excess.

    The excess is that of single problems (rows of X), of all repeats together: its quantiles.
    """
    parts = [_shapes(), _example()]
    for (dataset, method), rows in records.groupby(["dataset", "method"], observed=True):
        excess = np.sort(np.concatenate([arrays["excess"] for arrays in rows["arrays"]]))
        share = np.linspace(0, 1, 101)
        part = pd.DataFrame({"x": np.quantile(excess, share), "y": share})
        parts.append(part.assign(panel="excess", curve=f"{method}: {NAMES[dataset]}"))
    return pd.concat(parts, ignore_index=True)


def _shapes():
    parts = []
    for name, (points, weights) in SHAPES.items():
        x = np.unique([*np.linspace(0, 6, 121), *points])
        y = np.abs(x[:, None] - points) @ np.array(weights)
        parts.append(pd.DataFrame({"panel": "shapes", "curve": name, "x": x, "y": y}))
    return pd.concat(parts)


def _example():
    side = np.linspace(0, 3, 61)
    x, y = (axis.ravel() for axis in np.meshgrid(side, side))
    z = np.abs(np.column_stack([x, y]) @ EXAMPLE_W.T - EXAMPLE_V).sum(axis=1)
    return pd.DataFrame({"panel": "example", "curve": "", "x": x, "y": y, "z": z})


def draw(table):
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.9))
    parts = (("shapes", _draw_shapes), ("example", _draw_example), ("excess", _draw_excess))
    for axis, (panel, draw_panel) in zip(axes, parts, strict=True):
        draw_panel(axis, select_rows(table, panel=panel))
        legend_below(axis, columns=1)
    return figure


def _draw_shapes(axis, table):
    styles = category_styles(list(SHAPES))
    for name, rows in table.groupby("curve", sort=False):
        style = styles[name] | {"marker": ""}
        axis.plot(rows["x"], rows["y"], label=name, **style)
        lowest = rows[rows["y"] <= rows["y"].min() + 1e-9].iloc[0]
        axis.plot(lowest["x"], lowest["y"], "o", color=style["color"], markersize=8)
    axis.set(
        title="the loss in one variable (dots: left-most minimiser)",
        xlabel="x = one entry of H",
        ylabel="loss",
        xlim=(0, 6),
    )


def _draw_example(axis, table):
    grid = table.pivot(index="y", columns="x", values="z")
    levels = [0.5, 1, 1.5, 2, 3, 5, 8]
    drawn = axis.contour(grid.columns, grid.index, grid, levels, colors="0.35", linewidths=1.2)
    axis.clabel(drawn, fontsize="small", manual=_LABELLED)
    look = {"color": "black", "markersize": 11, "linestyle": "", "clip_on": False, "zorder": 3}
    for x, y, marker, name in ((1, 1, "X", "RRI stands still"), (0, 2, "*", "optimum")):
        value = table.loc[np.isclose(table["x"], x) & np.isclose(table["y"], y), "z"].iloc[0]
        axis.plot(x, y, marker, label=f"{name}: loss {value:g} at ({x}, {y})", **look)
    axis.set(
        title="a loss in two variables: no single one can improve (1, 1)",
        xlabel="first weight",
        ylabel="second weight",
    )


def _draw_excess(axis, table):
    styles = method_styles(list(dict.fromkeys(table["curve"])))
    for name, rows in table.groupby("curve", sort=False):
        x = 100 * rows["x"].clip(lower=EXACT)  # an exact solution has no place on the axis
        axis.plot(x, rows["y"], label=name, **styles[name] | {"marker": ""})
    axis.set(
        title="excess over the optimum of the sub-problem",
        xlabel="loss above the optimum (%)",
        ylabel="share of problems at or below",
        xscale="log",
        ylim=(0, 1.01),
    )
    axis.yaxis.set_major_formatter(PercentFormatter(1.0))


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig1",
        title="The piecewise linear functions of RRI, and what minimising them leads to",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=summarise,
        picture=draw,
        claims=[
            Claim(
                "scalar",
                "Each update is the minimiser in its variable, the others held fixed. (Tested "
                "where RRI stops: by which share of the loss could a change of one variable "
                "still lower it?)",
                "Section 2, Eqs. (6)-(7)",
                without_exception(RRI, "single-move", high=EXACT),
            ),
            Claim(
                "sub-problem",
                "Updating the variables in turn optimises the convex problem (2). (Tested "
                "against the exact optimum: the excess of the loss.)",
                "Section 2",
                without_exception(RRI, "excess", high=EXACT),
            ),
        ],
        planned=Plan(10, "Complete when plans were made; a repeat takes 6 s of CPU time."),
        assumed={
            "functions": "Points and weights of the three functions are ours; the paper gives "
            "their shapes only.",
            "designs": "Basis and data uniform on [0, 1], 100 problems a repeat; and 15 random "
            "images as a basis of the others, 2 images a person.",
        },
        caption="Left: two functions with a single minimiser and one with a flat piece, of which "
        "the left-most point is taken. Middle: the loss of the basis [[3, 3], [1, 0], [0, 0.5]] "
        "and the data (6, 0, 1). Right: RRI run to its fixed point from random weights, against "
        "an exact simplex solution; every row of X is a problem. Smoothing moves all variables "
        "jointly and comes as near as its μ allows.",
    )
)
