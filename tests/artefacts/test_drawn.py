"""The numbers of the curves of a figure, as read from what was drawn."""

import io
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from nmfbench.artefacts.drawn import attach_data, figure_data
from nmfbench.artefacts.plots import Curves, Expected, Printed
from nmfbench.artefacts.style import method_styles


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def table(levels, methods=("NMF", "SPA"), panels=("ORL", "Yale")):
    rows = [
        {"data": panel, "method": method, "level": level, "mean": 10.0 * k + level}
        for panel in panels
        for k, method in enumerate(methods)
        for level in levels
    ]
    found = pd.DataFrame(rows).assign(count=5, chance=2.5)
    return found.assign(low=found["mean"] - 1, high=found["mean"] + 1)


def curves(**more):
    panels = {"column": "data", "columns": {"ORL": "ORL", "Yale": "Yale"}}
    return Curves(x="level", labels=["NMF", "SPA"], xlabel="level", ylabel="score", **panels | more)


def test_curves_are_read_with_intervals_and_repeats():
    """Each point of the table is there, with what the picture shows it by."""
    shown = table([1.0, 2.0, 3.0, 4.0])
    found = figure_data(curves()(shown))
    ours = found.points.rename(columns={"y": "mean", "n": "count"})
    pd.testing.assert_frame_equal(
        ours[["x", "mean", "low", "high", "count"]],
        shown.rename(columns={"level": "x"})[["x", "mean", "low", "high", "count"]],
        check_dtype=False,
    )
    assert list(ours["panel"]) == list(shown["data"])
    assert list(ours["curve"]) == list(shown["method"])
    assert [(p["title"], p["x"], p["y"]) for p in found.panels] == [
        ("ORL", "level", "score"),
        ("Yale", "level", "score"),
    ]
    assert found.panels[0]["intervals"] == {"NMF": "band", "SPA": "band"}


@pytest.mark.parametrize(
    ("looks", "marker", "full"),
    [
        ({"marker": "s"}, "M-0.5 0.5L0.5 0.5L0.5 -0.5L-0.5 -0.5L-0.5 0.5Z", True),
        ({"marker": "^"}, "M0 -0.5L-0.5 0.5L0.5 0.5L0 -0.5Z", True),
        ({"marker": "^", "fillstyle": "none"}, "M0 -0.5L-0.5 0.5L0.5 0.5L0 -0.5", False),
        ({"marker": "^", "markerfacecolor": "white"}, "M0 -0.5L-0.5 0.5L0.5 0.5L0 -0.5Z", False),
        ({"marker": "_"}, "M0.5 0L-0.5 0", False),
        ({"marker": ""}, None, None),
    ],
)
def test_markers_are_outlines_of_size_one(looks, marker, full):
    """In the directions of SVG; what is no area is lines, and an open one is not full."""
    figure, axis = plt.subplots()
    axis.plot([1, 2], [3, 4], label="NMF", **looks)
    (curve,) = figure_data(figure).curves
    assert curve.get("marker") == marker
    assert curve.get("full") == full


def test_areas_are_read_with_their_ends():
    """Shaded ranges of a legend are in units of the axes; an open end is the end of the panel."""
    ranges = [
        Expected("the paper: above 7 at 2", x=(1.5, 2.5), y=(7.0, np.inf), at={"data": "ORL"}),
        Expected("the paper: up to 3", x=(-np.inf, 3.0)),
    ]
    printed = [Printed("the paper's axis", (0.0, 5.0))]
    figure = curves(expected=ranges, printed=printed, ylim=(0, 20))(table([1.0, 2.0, 3.0, 4.0]))
    orl, yale = (panel["areas"] for panel in figure_data(figure).panels)
    assert [area["name"] for area in orl] == [printed[0].label, *(words.label for words in ranges)]
    assert [area["name"] for area in yale] == [printed[0].label, ranges[1].label]
    assert orl[0]["y"] == pytest.approx([0, 5])
    assert orl[1]["x"] == pytest.approx([1.5, 2.5])
    assert orl[1]["y"] == pytest.approx([7, 20])
    assert orl[2]["x"] == pytest.approx([figure.axes[0].get_xlim()[0], 3])
    assert len({area["color"] for area in orl}) == 2
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {words.label for words in ranges} <= set(names)


def test_an_area_of_a_logarithmic_axis_is_in_its_units():
    """Not in decades, and bars without a name are no areas."""
    figure, axis = plt.subplots()
    axis.plot([1, 1000], [1, 2], label="NMF")
    axis.bar([10], [1])
    axis.set_xscale("log")
    Expected("the paper: from 10 to 100", x=(10, 100)).draw(axis)
    ((area,),) = [panel["areas"] for panel in figure_data(figure).panels]
    assert area["x"] == pytest.approx([10, 100])


def test_colours_are_those_of_the_picture():
    """They come from the lines themselves, whatever chose them."""
    from matplotlib.colors import to_hex

    found = figure_data(curves()(table([1.0, 2.0, 3.0, 4.0])))
    styles = method_styles(["NMF", "SPA"])
    assert [c["color"] for c in found.curves] == [to_hex(s["color"]) for s in styles.values()]


def test_points_side_by_side_stand_where_they_belong():
    """Few values of x are moved apart in the picture only."""
    found = figure_data(curves()(table([1.0, 2.0])))
    assert set(found.points["x"]) == {1.0, 2.0}
    assert found.panels[0]["intervals"] == {"NMF": "bars", "SPA": "bars"}


def test_a_level_reaches_from_the_first_place_to_the_last():
    """A line across a panel is a curve of two points, without an interval."""
    found = figure_data(curves(level=("chance", "guessing"))(table([1.0, 2.0, 3.0, 4.0])))
    level = found.points[(found.points["curve"] == "guessing") & (found.points["panel"] == "ORL")]
    assert list(level["x"]) == [1.0, 4.0]
    assert list(level["y"]) == [2.5, 2.5]
    assert level[["low", "high", "n"]].isna().all(axis=None)
    alone = figure_data(curves(level=("chance", "guessing"))(table([3.0]))).points
    assert list(alone.loc[alone["curve"] == "guessing", "x"]) == [3.0, 3.0]  # a panel each


def test_axes_are_those_of_the_picture():
    """Scales and limits, logarithmic or not."""
    found = figure_data(curves(logx=["Yale"], logy=True)(table([1.0, 2.0, 3.0, 4.0])))
    assert [p["scales"] for p in found.panels] == [
        {"x": "linear", "y": "log"},
        {"x": "log", "y": "log"},
    ]
    for panel in found.panels:
        low, high = panel["limits"]["y"]
        assert 0 < low < 1.0
        assert high > 14.0


def test_rows_of_panels_have_names_of_their_own():
    """Equal titles are distinguished by the axes of y."""
    both = pd.concat([table([1.0, 2.0]).assign(score=name) for name in ("AC", "MI")])
    rows = {"AC": "accuracy,\nAC", "MI": "MI"}
    found = figure_data(curves(row="score", rows=rows)(both))
    names = ["ORL, accuracy, AC", "Yale, accuracy, AC", "ORL, MI", "Yale, MI"]
    assert [p["name"] for p in found.panels] == names
    assert list(found.points["panel"].unique()) == names


def test_categories_along_the_side_become_places_of_x():
    """A panel that lies on its side is turned; its categories keep their names."""
    _, axis = plt.subplots()
    for place, mean in enumerate((3.0, 5.0)):
        (dot,) = axis.plot(mean, place, "o")
        row = pd.DataFrame([{"mean": mean, "low": mean - 1, "high": mean + 1}])
        attach_data(dot, [place], row, "lead", "bars")
    axis.set(yticks=[0, 1], yticklabels=["A vs B", "A vs C"], xlabel="points", xscale="log")
    found = figure_data(axis.figure)
    assert found.points[["x", "y", "low"]].to_numpy().tolist() == [[0, 3, 2], [1, 5, 4]]
    (panel,) = found.panels
    assert panel["ticks"] == [(0.0, "A vs B"), (1.0, "A vs C")]
    assert (panel["x"], panel["y"]) == ("", "points")
    assert panel["scales"] == {"x": "linear", "y": "log"}


def test_pictures_have_no_curves():
    """Neither images, nor lines without a label, nor entries of a legend are curves."""
    figure, (left, right) = plt.subplots(1, 2)
    left.imshow(np.eye(3))
    left.plot([0, 1], [0, 1], label="over an image")
    right.plot([0, 1], [0, 1])
    right.plot([], [], label="for the legend")
    assert figure_data(figure) is None


def test_the_script_has_the_numbers_of_the_csv():
    """A page draws the very numbers that it offers; a column without any is left out."""
    found = figure_data(curves(level=("chance", "guessing"))(table([1.0, 2.0, 1e7, 4 / 3])))
    call, _, values = found.script("small-one").rstrip(";\n").partition(" = ")
    assert call == '(window.figures ??= {})["small-one"]'
    points = json.loads(values)["points"]
    assert set(points["ORL"]["guessing"]) == {"x", "y"}
    saved = pd.read_csv(io.StringIO(found.csv()))
    for (panel, curve), rows in saved.groupby(["panel", "curve"]):
        for name, column in points[panel][curve].items():
            assert column == rows[name].tolist()
    assert found.csv().splitlines()[:2] == ["panel,curve,x,y,low,high,n", "ORL,NMF,1,1,0,2,5"]
