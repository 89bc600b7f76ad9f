"""Levels of breakdown, on curves whose answers are known."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from nmfbench.papers.mahnmf.studies import breakdown
from nmfbench.problems.noise import NOISES
from nmfbench.stats.breakdown import (
    breakdown_levels,
    first_below,
    lead_ranges,
    longest_lead,
)
from nmfbench.stats.corrections import holm

LAPLACE = NOISES["laplace"]
EXPONENTIAL = NOISES["exponential"]


def _scan(x, y, found):
    """Points of a fine grid at which the curve through points satisfies ``found``."""
    fine = np.linspace(x[0], x[-1], 200_001)
    return fine[found(np.interp(fine, x, y))]


def test_first_below_is_where_a_fine_scan_of_the_curve_finds_it():
    """The level agrees with a search over the interpolated curve, and is infinite without one."""
    rng = np.random.default_rng(0)
    x = np.r_[0.0, np.cumsum(rng.uniform(0.1, 1, 6))]
    curves = rng.uniform(0, 1, (40, 7))
    levels = first_below(x, curves, np.full(40, 0.25))
    assert np.isinf(levels).any()
    assert (levels == 0).any()
    for y, level in zip(curves, levels, strict=True):
        below = _scan(x, y, lambda v: v < 0.25)
        expected = below[0] if len(below) else np.inf
        assert level == pytest.approx(expected, abs=1e-4)


def test_longest_lead_is_the_run_of_the_largest_area():
    """Of the runs above zero of a finely scanned curve the one with the largest sum is found."""
    rng = np.random.default_rng(1)
    x = np.r_[0.0, np.cumsum(rng.uniform(0.1, 1, 6))]
    fine = np.linspace(x[0], x[-1], 200_001)
    for y in rng.standard_normal((30, 7)):
        values = np.interp(fine, x, y)
        runs = np.split(np.arange(len(fine)), np.flatnonzero(np.diff(values > 0)) + 1)
        best = max(runs, key=lambda run: np.maximum(values[run], 0).sum())
        begin, end = longest_lead(x, y)
        assert begin == pytest.approx(fine[best[0]], abs=1e-4)
        assert end == pytest.approx(fine[best[-1]] if best[-1] < 200_000 else np.inf, abs=1e-4)


def test_no_lead_has_no_ends():
    """A curve that only touches zero leads nowhere."""
    assert np.isnan(longest_lead([0, 1, 2], [-1.0, 0.0, -1.0])).all()


def test_holm_follows_the_definition():
    """An adjusted p-value is the largest of (n - rank) p over those not above it, at most 1."""
    p = np.array([0.04, 0.001, 0.5, 0.013, 0.9])
    ordered = np.sort(p)
    expected = [min(1, max((5 - k) * q for k, q in enumerate(ordered) if q <= one)) for one in p]
    assert holm(p) == pytest.approx(expected)


def _records(accuracy, noise=LAPLACE, splits=6, clean=0.8):
    """Records of methods whose accuracy is ``accuracy[method](level, split)``."""
    cells = [(None, np.nan), *((noise.corruption, level) for level in noise.levels)]
    return pd.DataFrame(
        {
            "method": method,
            "repeat": split,
            "corruption": corruption,
            "level": level,
            "n_classes": 10,
            "accuracy-5": score(level, split) if corruption else clean,
        }
        for method, score in accuracy.items()
        for split in range(splits)
        for corruption, level in cells
    )


def test_breakdown_of_a_straight_line():
    """An accuracy that falls from 0.8 at slope s is halved at the level 0.4 / s, in each split."""
    records = _records({"EucNMF": lambda level, split: 0.8 - (0.6 + 0.1 * split) * level})
    frame = breakdown.frame(records)
    levels = frame[frame["part"] == "split"].set_index("repeat")["level at breakdown"]
    expected = {split: 0.4 / (0.6 + 0.1 * split) for split in range(6)}
    assert levels.to_dict() == pytest.approx(expected)


def test_a_level_beyond_the_grid_is_that_of_its_end():
    """A method that never loses half of its accuracy counts as if it did at the largest level."""
    frame = breakdown.frame(_records({"EucNMF": lambda level, split: 0.7}))
    assert (frame.loc[frame["part"] == "split", "level at breakdown"] == 1).all()


def test_curves_with_a_hole_are_left_out():
    """A split that lacks a level is no part of any mean."""
    records = _records({"EucNMF": lambda level, split: 0.8 - split * level / 10})
    frame = breakdown.frame(records[(records["repeat"] != 2) | (records["level"] != 0.3)])
    assert set(frame["repeat"]) == {0, 1, 3, 4, 5}


def test_table_of_breakdown_and_lead():
    """The table holds the level of the mean curve, its interval, what never breaks, and leads."""
    slopes = 0.6 + 0.1 * np.arange(6)
    records = _records(
        {
            "EucNMF": lambda level, split: 0.8 - slopes[split] * level,
            "KLNMF": lambda level, split: 0.8 - 0.1 * level,
            "PCA": lambda level, split: 0.5 - 0.1 * level,
        }
    )
    table = breakdown.summarise(breakdown.frame(records))
    row = {
        (one["part"], one["method"]): one
        for one in table[table["part"] != "curve"].to_dict("records")
    }
    found = row["breakdown", "EucNMF"]
    assert found["dose"] == pytest.approx(0.4 / slopes.mean())
    assert 0.4 / slopes.max() < found["low"] < found["dose"] < found["high"] < 0.4 / slopes.min()
    assert found["beyond"] == 0
    assert row["breakdown", "KLNMF"]["beyond"] == 1
    assert row["breakdown", "KLNMF"]["dose"] == 1
    assert row["from", "KLNMF"]["dose"] == 0
    assert row["to", "KLNMF"]["beyond"] == 1
    # PCA drops by 0.3 at once, and then is ahead from where lines cross, between two levels.
    doses = np.r_[0.0, LAPLACE.levels]
    gap = np.r_[0.0, slopes.mean() * doses[1:] - 0.3 - 0.1 * doses[1:]]
    crossing = longest_lead(doses, gap)[0]
    assert row["from", "PCA"]["dose"] == pytest.approx(crossing)
    assert crossing == pytest.approx(0.3 / (slopes.mean() - 0.1))


def test_clean_data_are_no_point_of_the_exponential_curve():
    """If a corruption replaces every entry, the curve begins at the lowest level."""
    records = _records({"EucNMF": lambda level, split: 0.1}, noise=EXPONENTIAL)
    frame = breakdown.frame(records)
    curves, splits = frame[frame["part"] == "curve"], frame[frame["part"] == "split"]
    assert curves["dose"].min() == 0.25
    assert (curves["clean"] == 80).all()
    assert (splits["level at breakdown"] == 0.25).all()


def _curves(repeats, rng):
    """Falling curves of two methods at five levels, with noise, and the score of clean data."""
    return pd.DataFrame(
        {
            "method": method,
            "repeat": repeat,
            "level": level,
            "score": 0.9 - slope * level + 0.02 * rng.standard_normal(),
            "clean": 1.0 + 0.01 * repeat,
        }
        for method, slope in (("a", 0.3), ("b", 0.2))
        for repeat in range(repeats)
        for level in range(5)
    )


def test_levels_over_repeats_are_those_of_the_mean_curve():
    """The mean curve breaks down where a table of means does, within its bootstrap interval."""
    table = _curves(6, np.random.default_rng(3))
    found = breakdown_levels(table, "score", over="repeat", clean="clean").set_index("method")
    means = table.groupby(["method", "level"], as_index=False)[["score", "clean"]].mean()
    expected = breakdown_levels(means, "score", clean="clean").set_index("method")
    assert found["level"].to_dict() == pytest.approx(expected["level"].to_dict())
    assert (found["low"] < found["level"]).all()
    assert (found["level"] < found["high"]).all()
    assert (found["count"] == 6).all()
    few = breakdown_levels(table[table["repeat"] < 4], "score", over="repeat")
    assert few[["low", "high"]].isna().all(axis=None)


NOISE = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "skewed": lambda rng, shape: rng.exponential(1.0, shape) - 1,
}


def noisy(truth, n, noise, runs=600):
    """Curves of ``n`` methods, whose repeats differ in height, in slope and at each level."""
    rng, x = np.random.default_rng(5), np.linspace(0, 1, len(truth))
    draw = NOISE[noise]
    heights, slopes = (0.03 * draw(rng, (runs, n, 1)) for _ in range(2))
    curves = truth + heights + slopes * 2 * x + 0.01 * rng.standard_normal((runs, n, len(x)))
    run, repeat, level = np.indices(curves.shape).reshape(3, -1)
    columns = {"method": run, "repeat": repeat, "level": x[level], "score": curves.ravel()}
    return pd.DataFrame(columns)


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize(("noise", "least"), [("normal", 0.93), ("skewed", 0.89)])
def test_intervals_of_breakdown_levels_cover_the_truth(n, noise, least):
    """In 600 samples of a few repeats, up to the error of that many samples."""
    truth = 1 - 0.8 * np.linspace(0, 1, 9)
    found = breakdown_levels(noisy(truth, n, noise), "score", over="repeat")
    covered = ((found["low"] <= 0.625) & (found["high"] >= 0.625)).mean()
    assert least - 0.015 < covered < 0.98


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 10])
def test_intervals_of_the_ends_of_a_lead_cover_the_truth(n):
    """A lead from 0.25 to 0.75, over a rival that always scores 0."""
    truth = 0.25 - np.abs(np.linspace(0, 1, 9) - 0.5)
    table = noisy(truth, n, "normal", runs=200)
    rival = table[table["method"] == 0].assign(method=-1, score=0.0)
    found = lead_ranges(pd.concat([table, rival]), "score", -1)
    ends = found["end"].map({"from": 0.25, "to": 0.75})
    assert 0.9 < ((found["low"] <= ends) & (found["high"] >= ends)).mean() < 0.99


def test_a_lead_is_paired_by_repeat():
    """Repeats that only one of two methods has do not count for the lead of one over the other."""
    table = _curves(6, np.random.default_rng(4))
    table = table[(table["method"] == "a") | (table["repeat"] > 0)]
    found = lead_ranges(table, "score", "a").set_index("end")
    gaps = table.pivot(index=["repeat", "level"], columns="method", values="score").dropna()
    gap = (gaps["b"] - gaps["a"]).groupby("level").mean()
    assert tuple(found["level"]) == pytest.approx(longest_lead(gap.index, gap))
    assert (found["count"] == 5).all()
    assert (found["low"] <= found["level"]).all()
    assert found.loc["from", "share"] == 1


def test_the_picture_has_breakdowns_as_shares_and_the_table_has_levels():
    """A dot stands at the share of the largest level; what never breaks has a hollow arrow."""
    slopes = 0.6 + 0.1 * np.arange(6)
    records = _records(
        {
            "EucNMF": lambda level, split: 0.8 - slopes[split] * level,
            "KLNMF": lambda level, split: 0.8 - 0.1 * level,
        }
    )
    records["relative-error-test"] = 0.25
    table = breakdown.summarise(breakdown.frame(records))
    figure = breakdown.draw(table)
    curves, levels = figure.axes
    assert curves.get_title() == LAPLACE.title
    assert [label.get_text() for label in levels.get_yticklabels()] == [LAPLACE.title]
    dots = {line.get_marker(): line for line in levels.lines if line.get_linestyle() == "None"}
    half = 0.4 / slopes.mean()
    found = [float(dot.get_xdata()[0]) for dot in dots.values()]
    assert sorted(found) == pytest.approx([half / max(LAPLACE.levels), 1.0])
    assert dots[">"].get_markerfacecolor() == "white"
    plt.close(figure)
    scores = breakdown.scores(table).set_index("method")
    lost = "half of the clean accuracy lost at"
    assert scores.loc["EucNMF", lost].startswith(f"{half:.2f} [")
    assert scores.loc["KLNMF", lost].startswith(f"> {max(LAPLACE.levels):.2f}")
    assert scores.loc["EucNMF", "ahead of EucNMF from"] == ""
    assert set(scores["relative error of test images, mean"]) == {"0.250"}
