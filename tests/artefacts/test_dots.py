"""Forest plots of categories, and names of curves at their ends."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from nmfbench.artefacts.dots import Dots
from nmfbench.artefacts.drawn import figure_data
from nmfbench.artefacts.names import apart
from nmfbench.artefacts.plots import Curves

NOISES = {"none": "no noise", "much": "much noise"}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def table():
    rows = [
        (data, noise, method, 10.0 * k + len(noise), 1 if method == "SPA" else 5)
        for data in ("ORL", "Yale")
        for noise in NOISES
        for k, method in enumerate(("NMF", "SPA", "guessing"))
    ]
    found = pd.DataFrame(rows, columns=["data", "noise", "method", "mean", "count"])
    found.loc[found["noise"] == "none", "mean"] += 1
    return found.assign(low=found["mean"] - 1, high=found["mean"] + 1)


def dots(**more):
    how = {"column": "data", "columns": {"ORL": "ORL", "Yale": "Yale"}, "trivial": ["guessing"]}
    return Dots("noise", NOISES, ["NMF", "SPA"], xlabel="score", **how | more)


def test_dots_are_read_by_category():
    """Each mean of the table is a point of its line, with its interval and repeats."""
    found = figure_data(dots()(table()))
    shown = table()
    points = found.points.sort_values(["panel", "x", "curve"], ignore_index=True)
    wanted = shown.assign(x=shown["noise"].map({"none": 0, "much": 1}))
    wanted = wanted.sort_values(["data", "x", "method"], ignore_index=True)
    assert list(points["y"]) == list(wanted["mean"])
    assert list(points["n"]) == list(wanted["count"])
    assert points["low"].isna().tolist() == (wanted["count"] == 1).tolist()
    assert [name for _, name in found.panels[0]["ticks"]] == [*NOISES.values()]
    assert found.panels[0]["y"] == "score"


def test_a_single_run_is_hollow():
    """A mean of one run has a hollow marker and no interval; one of several has both."""
    axis = dots()(table()).axes[0]
    faces = {line.get_label(): line.get_markerfacecolor() for line in axis.lines}
    assert faces["SPA"] == "white"
    assert faces["NMF"] != "white"
    intervals = [len(lines.get_segments()) for lines in axis.collections]
    assert sorted(intervals) == [0, 2]


def test_the_legend_names_what_was_not_run():
    """A method that is awaited and has no row stands in the legend, and in no panel."""
    names = [t.get_text() for t in dots(awaited=["NMF", "XRAY"])(table()).legends[0].get_texts()]
    assert names == ["NMF", "SPA", "guessing", "XRAY: no run in this grid"]


@pytest.mark.parametrize("seed", range(20))
def test_names_keep_their_order_and_distance(seed):
    """No two names are closer than a line, none leaves the panel, and their order is kept."""
    rng = np.random.default_rng(seed)
    wanted = list(rng.random(8) * rng.choice([0.05, 1.0]))
    found = apart(wanted, 0.1, 0.0, 1.0)
    order = np.argsort(wanted, kind="stable")
    steps = np.diff(np.array(found)[order])
    assert (steps >= 0.1 - 1e-9).all()
    assert min(found) >= -1e-9
    assert max(found) <= 1 + 1e-9


def test_names_that_have_room_stand_where_they_belong():
    """Curves that end far from each other have their names beside their last points."""
    assert apart([0.9, 0.1, 0.5], 0.2, 0, 1) == pytest.approx([0.9, 0.1, 0.5])


def curves_table(methods=("NMF", "SPA")):
    rows = [
        (data, method, x, 10.0**k * (1 + x))
        for data in ("ORL", "Yale")
        for k, method in enumerate(methods)
        for x in range(5)
    ]
    found = pd.DataFrame(rows, columns=["data", "method", "x", "mean"])
    return found.assign(low=found["mean"], high=found["mean"], count=3)


def drawn(**more):
    panels = {"column": "data", "columns": {"ORL": "ORL", "Yale": "Yale"}}
    return Curves("x", ["NMF", "SPA"], **panels | more)


def texts(axis):
    return {text.get_text() for text in axis.texts}


def test_names_stand_at_the_curves_of_the_last_panel():
    """Then no legend is needed; a panel with other curves has names of its own."""
    figure = drawn()(curves_table())
    assert [texts(axis) for axis in figure.axes] == [set(), {"NMF", "SPA"}]
    assert figure.legends == []
    figure = drawn(named="ORL")(curves_table())
    assert [texts(axis) for axis in figure.axes] == [{"NMF", "SPA"}, set()]
    figure = drawn(only={"Yale": ["NMF"]})(curves_table())
    assert [texts(axis) for axis in figure.axes] == [{"NMF", "SPA"}, {"NMF"}]
    (legend,) = drawn(named=False)(curves_table()).legends
    assert [text.get_text() for text in legend.get_texts()] == ["NMF", "SPA"]


def test_names_without_room_go_to_a_legend():
    """Curves whose names would cover each other have a legend."""
    many = [f"method {k}" for k in range(30)]
    figure = Curves("x", many)(curves_table(many).assign(mean=1.0))
    assert texts(figure.axes[0]) == set()
    assert len(figure.legends[0].get_texts()) == 30


@pytest.mark.parametrize("logy", [False, True])
def test_a_curve_may_be_cut(logy):
    """The other curves set the axis, and the name of the cut curve has an arrow and its value."""
    figure = drawn(cut=["SPA"], logy=logy)(curves_table())
    last = figure.axes[-1]
    assert last.get_ylim()[1] < 10
    assert texts(last) == {"NMF", "SPA ↑ 50"}
    points = figure_data(figure).points
    assert points.loc[points["curve"] == "SPA", "y"].max() == 50
