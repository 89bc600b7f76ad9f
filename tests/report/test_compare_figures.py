"""Pictures of comparisons: all methods named legibly, the highlighted set apart, data as given."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from scipy.optimize import minimize

from nmfbench.comparison.figures import (
    draw_anytime,
    draw_critical_difference,
    draw_profile,
    draw_quality_time,
    draw_robustness,
)
from nmfbench.comparison.labels import spread, standing_out
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.stats.breakdown import breakdown_levels
from nmfbench.stats.profiles import (
    anytime_curves,
    data_profile,
    pareto_front,
    performance_profile,
)
from nmfbench.stats.ranks import critical_difference

MINE = "mine.py:MyNMF"


def names(k):
    return [MINE, *(f"baseline-{j}" for j in range(1, k))]


# -- tables of made-up methods ----------------------------------------------------------------


def ranks_table(k, rng):
    merit = rng.random(k)
    scores = pd.DataFrame(merit + 0.3 * rng.standard_normal((12, k)), columns=names(k))
    return critical_difference(scores)


def costs(k, rng):
    values = np.exp(rng.standard_normal((25, k)) + 2 * rng.random(k))
    values[rng.random((25, k)) < 0.1] = np.inf
    return pd.DataFrame(values, columns=names(k))


def profile_table(k, rng):
    parts = [performance_profile(costs(k, rng), largest=50).assign(panel=p) for p in ("1 %", "9 %")]
    return pd.concat(parts)


def anytime_table(k, rng):
    rows = []
    for method, repeat in itertools.product(names(k), range(3)):
        seconds = np.linspace(0, 1 + 9 * rng.random(), 20)
        objective = 1 + rng.random() * 0.2 + np.exp(-seconds)
        trace = [(i, *2 * (t,), f) for i, (t, f) in enumerate(zip(seconds, objective, strict=True))]
        rows.append((method, repeat, np.array(trace, TRACE_DTYPE)))
    return anytime_curves(pd.DataFrame(rows, columns=["method", "repeat", "trace"]), points=20)


def robustness_table(k, rng):
    rows = [
        (corruption, method, level, merit * np.exp(-level))
        for corruption in ("occlusion", "Laplace")
        for method, merit in zip(names(k), 0.5 + rng.random(k), strict=True)
        for level in (0.0, 0.5, 1.0)
    ]
    table = pd.DataFrame(rows, columns=["corruption", "method", "level", "mean"])
    return table.assign(low=table["mean"] - 0.1, high=table["mean"] + 0.1)


def quality_table(k, rng):
    # Two crowds, so that names have to make room for each other.
    seconds = np.exp(0.5 * rng.standard_normal(k) + 3 * (np.arange(k) % 2))
    score = 0.7 + 0.02 * rng.standard_normal(k) - 0.3 * (np.arange(k) % 2)
    table = pd.DataFrame({"method": names(k), "seconds": seconds, "score": score})
    return table.assign(front=pareto_front(seconds, score))


def robustness(table, highlight):
    broken = breakdown_levels(table, by=["corruption"])
    return draw_robustness(table, highlight, by="corruption", breakdown=broken)


FIGURES = {
    "ranks": (ranks_table, draw_critical_difference, 1),
    "performance": (profile_table, lambda t, h: draw_profile(t, h, by="panel"), 2),
    "data": (lambda k, rng: data_profile(costs(k, rng)), draw_profile, 1),
    "anytime": (anytime_table, draw_anytime, 1),
    "robustness": (robustness_table, robustness, 2),
    "quality": (quality_table, draw_quality_time, 1),
}


@pytest.fixture(scope="module", params=FIGURES)
def drawn(request):
    """A figure of thirty methods, one of them highlighted, and how many panels name them."""
    table, draw, panels = FIGURES[request.param]
    k = 30
    figure = draw(table(k, np.random.default_rng(0)), [MINE])
    figure.draw_without_rendering()
    yield figure, k, panels
    plt.close(figure)


def labels(figure, k):
    """Texts that name a method, whatever stands beside the name, by name."""
    found = {name: [] for name in names(k)}
    for axis in figure.axes:
        for text in axis.texts:
            for word in text.get_text().split():
                if word in found:
                    found[word].append(text)
    return found


# -- all figures ------------------------------------------------------------------------------


def test_every_method_is_named_once_in_each_panel_within_the_figure(drawn):
    """No name is missing, doubled or cut off."""
    figure, k, panels = drawn
    for texts in labels(figure, k).values():
        assert len(texts) == panels
        for text in texts:
            box = text.get_window_extent()
            assert text.get_tightbbox().width > 0  # 0 of one that is not drawn at all
            assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
            assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1


def test_names_are_legible(drawn):
    """No two names overlap, and none is smaller than six points."""
    figure, k, _ = drawn
    texts = [text for found in labels(figure, k).values() for text in found]
    assert min(text.get_fontsize() for text in texts) >= 6
    for a, b in itertools.combinations([text.get_window_extent() for text in texts], 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        # Boxes are as high as the tallest letters and tails there are.
        tall = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert min(wide, tall) < 0.25 * min(a.height, b.height)


def test_what_is_highlighted_stands_out(drawn):
    """The highlighted name alone is bold and in colour."""
    figure, k, _ = drawn
    for name, texts in labels(figure, k).items():
        for text in texts:
            assert (text.get_weight() == "bold") == (name == MINE)
            grey = np.ptp(to_rgb(text.get_color())) == 0
            assert grey == (name != MINE)


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_needs_no_highlight(kind):
    """Without a highlighted method, or with one that the table lacks, all are grey."""
    table, draw, _ = FIGURES[kind]
    figure = draw(table(3, np.random.default_rng(1)), ["absent"])
    texts = [text for found in labels(figure, 3).values() for text in found]
    assert len(texts) >= 3
    assert all(np.ptp(to_rgb(text.get_color())) == 0 for text in texts)
    plt.close(figure)


# -- each figure ------------------------------------------------------------------------------


def wide_lines(figure, width):
    return [
        line.get_xydata()
        for axis in figure.axes
        for line in axis.lines
        if line.get_linewidth() == width
    ]


def test_bars_of_the_diagram_span_their_groups():
    """A bar for each letter, from its best mean rank to its worst, and the difference to scale."""
    table = pd.DataFrame(
        {"method": list("abcd"), "mean_rank": [1.2, 2.0, 2.9, 3.9], "groups": ["a", "ab", "b", ""]}
    ).assign(critical_difference=1.0, friedman_p=0.01, alpha=0.05, post_hoc="nemenyi", n_tasks=9)
    figure = draw_critical_difference(table, ["b"])
    bars = wide_lines(figure, 3.2)
    np.testing.assert_allclose([bar[:, 0] for bar in bars], [[1.2, 2.0], [2.0, 2.9]], atol=0.02)
    assert len({bar[0, 1] for bar in bars}) == 2
    (scale,) = wide_lines(figure, 1.4)
    assert np.ptp(scale[:, 0]) == pytest.approx(1.0)
    assert "9 tasks" in figure.axes[0].get_xlabel()
    assert "Friedman p = 0.01" in figure.axes[0].get_xlabel()
    plt.close(figure)


def test_a_diagram_without_a_difference_says_so():
    """If Friedman's test finds nothing, the line below says it and names no test of pairs."""
    rng = np.random.default_rng(0)
    table = critical_difference(pd.DataFrame(rng.random((6, 4)), columns=list("abcd")))
    figure = draw_critical_difference(table)
    assert "no difference found (Friedman p = " in figure.axes[0].get_xlabel()
    assert "Nemenyi" not in figure.axes[0].get_xlabel()
    plt.close(figure)


def test_curves_are_the_table():
    """A highlighted profile is drawn wide, as the step function of its rows."""
    table = performance_profile(costs(4, np.random.default_rng(0)))
    figure = draw_profile(table, [MINE])
    (curve,) = wide_lines(figure, 2.6)
    np.testing.assert_array_equal(curve, table.loc[table["method"] == MINE, ["ratio", "share"]])
    lines = [line for line in figure.axes[0].lines if line.get_drawstyle() == "steps-post"]
    assert len(lines) == 4
    plt.close(figure)


def test_an_excess_below_the_floor_lies_on_it():
    """The best method has no logarithm of its excess: it lies on the floor, which says at most."""
    table = pd.DataFrame({"method": MINE, "seconds": [1.0, 2.0], "median": [1.5, 1.0]})
    table = table.assign(low=table["median"], high=table["median"])
    figure = draw_anytime(table, [MINE], floor=1e-3)
    (curve,) = wide_lines(figure, 2.6)
    np.testing.assert_allclose(curve[:, 1], [0.5, 1e-3])
    figure.draw_without_rendering()
    assert "≤ 0.1 %" in [text.get_text() for text in figure.axes[0].get_yticklabels()]
    plt.close(figure)
    plain = draw_anytime(table, [MINE], relative=False)
    np.testing.assert_allclose(wide_lines(plain, 2.6)[0][:, 1], [1.5, 1.0])
    plt.close(plain)


def test_curves_are_named_where_they_differ_more():
    """Names are to the left if noise brings all methods together, else to the right."""
    table = robustness_table(4, np.random.default_rng(0))
    for turn, align in ((1, "right"), (-1, "left")):
        turned = table.assign(level=turn * table["level"])
        figure = draw_robustness(turned, by="corruption")
        assert {text.get_ha() for text in figure.axes[0].texts} == {align}
        plt.close(figure)


def test_breakdowns_are_marked_on_their_curves():
    """A triangle lies on the curve at the level, and there is none where nothing breaks."""
    table = robustness_table(2, np.random.default_rng(0))
    broken = pd.DataFrame(
        {
            "corruption": ["occlusion", "occlusion", "Laplace"],
            "method": [MINE, "baseline-1", MINE],
            "level": [0.75, np.inf, np.nan],
        }
    )
    figure = draw_robustness(table, [MINE], by="corruption", breakdown=broken)
    marks = [
        [line.get_xydata() for line in axis.lines if line.get_marker() == "v"]
        for axis in figure.axes
    ]
    curve = table[(table["corruption"] == "occlusion") & (table["method"] == MINE)]
    height = np.interp(0.75, curve["level"], curve["mean"])
    assert len(marks[1]) == 0
    np.testing.assert_allclose(marks[0], [[[0.75, height]]])
    plt.close(figure)


def test_the_front_is_a_staircase():
    """The front joins the best score to be had by each time, and holds to the right edge."""
    table = pd.DataFrame(
        {"method": list("abc"), "seconds": [1.0, 2.0, 4.0], "score": [0.2, 0.1, 0.9]}
    ).assign(front=[True, False, True])
    figure = draw_quality_time(table)
    (line,) = [line for line in figure.axes[0].lines if line.get_drawstyle() == "steps-post"]
    assert line.get_ydata().tolist() == [0.2, 0.9, 0.9]
    assert line.get_xdata()[:2].tolist() == [1.0, 4.0]
    assert line.get_xdata()[2] == figure.axes[0].get_xlim()[1]
    plt.close(figure)


def test_what_is_far_above_many_others_does_not_flatten_them():
    """An error of a million leaves the panel or is an arrow at its top, unless it is ours."""
    curves = robustness_table(20, np.random.default_rng(0)).assign(corruption="occlusion")
    curves = curves.drop_duplicates(["method", "level"])
    points = quality_table(20, np.random.default_rng(0))
    for outlier, cut in (("baseline-3", True), (MINE, False)):
        table = curves.assign(mean=curves["mean"].mask(curves["method"] == outlier, 1e6))
        figure = draw_robustness(table, [MINE], by="corruption", cut_above=True)
        low, high = figure.axes[0].get_ylim()
        assert (high < 2 * curves["mean"].max()) == cut
        assert low < curves["mean"].min()
        plt.close(figure)

        table = points.assign(score=points["score"].mask(points["method"] == outlier, 1e6))
        figure = draw_quality_time(table, [MINE], cut_above=True)
        arrows = [line for line in figure.axes[0].lines if line.get_marker() == "^"]
        assert len(arrows) == cut
        assert (figure.axes[0].get_ylim()[1] < 2) == cut
        plt.close(figure)
    # Of a few methods all is shown.
    few = curves[curves["method"].isin(names(4))]
    few = few.assign(mean=few["mean"].mask(few["method"] == "baseline-3", 1e6))
    figure = draw_robustness(few, [MINE], by="corruption", cut_above=True)
    assert figure.axes[0].get_ylim()[1] > 1e6
    plt.close(figure)


# -- labels -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_spread_is_the_least_squares_solution(seed):
    """A quadratic program finds the same places, with bounds and without."""
    rng = np.random.default_rng(seed)
    positions, gap = rng.random(6), 0.15
    order = np.argsort(positions)
    for low, high in ((-np.inf, np.inf), (0.05, 0.9)):
        rows = [
            {"type": "ineq", "fun": lambda y, a=a, b=b: y[b] - y[a] - gap}
            for a, b in itertools.pairwise(order)
        ]
        best = minimize(
            lambda y: ((y - positions) ** 2).sum(),
            positions,
            bounds=[(low, high)] * 6,
            constraints=rows,
            method="SLSQP",
            options={"ftol": 1e-14},
        )
        assert best.success
        np.testing.assert_allclose(spread(positions, gap, low, high), best.x, atol=1e-5)


def test_spread_fills_a_space_that_is_too_small():
    """Too many for the gap share the room evenly, in order; none and one are no special case."""
    found = spread([3.0, 1.0, 1.0, 2.0, 9.0], gap=1.0, low=0.0, high=2.0)
    np.testing.assert_allclose(found, [1.5, 0.0, 0.5, 1.0, 2.0])
    assert spread([], 1.0).shape == (0,)
    assert spread([5.0], 1.0, 0.0, 2.0).tolist() == [2.0]
    assert spread([0.3], 1.0).tolist() == [0.3]


def test_styles_tell_thirty_methods_apart_as_far_as_greys_can():
    """No two looks are equal up to sixteen greys, and highlights are drawn last, in colour."""
    styles = standing_out(names(16) + ["other"], ["other", MINE])
    assert list(styles)[-2:] == ["other", MINE]
    looks = {(str(s["color"]), str(s["linestyle"]), s["linewidth"]) for s in styles.values()}
    assert len(looks) == 17
    assert styles[MINE]["linewidth"] > 2 > styles["baseline-1"]["linewidth"]
