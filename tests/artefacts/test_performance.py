"""Profiles, anytime curves, fronts and breakdown levels: by hand, and against definitions."""

import numpy as np
import pandas as pd
import pytest

from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.stats.breakdown import breakdown_levels
from nmfbench.stats.profiles import (
    anytime_curves,
    data_profile,
    pareto_front,
    performance_profile,
    profile_area,
    times_to_target,
)


def trace(seconds, objective):
    rows = [(i, t, 2 * t, f) for i, (t, f) in enumerate(zip(seconds, objective, strict=True))]
    return np.array(rows, dtype=TRACE_DTYPE)


def height(profile, axis, method, x):
    """The step function of a method at ``x``."""
    curve = profile[profile["method"] == method]
    return curve["share"].to_numpy()[np.searchsorted(curve[axis], x, side="right") - 1]


@pytest.fixture
def costs():
    """Made-up costs: some equal, some never, a problem that nobody solves."""
    rng = np.random.default_rng(0)
    values = rng.integers(1, 9, (30, 4)) * 0.5
    values[rng.random((30, 4)) < 0.2] = np.inf
    values[7] = np.inf
    return pd.DataFrame(values, columns=list("abcd"))


# -- times to a target ------------------------------------------------------------------------


def test_targets_are_factors_of_the_best_of_all_runs_of_a_problem():
    """The best of one method sets the target of all; other problems have their own."""
    runs = pd.DataFrame(
        {
            "data": ["x", "x", "x", "y"],
            "method": ["a", "b", "c", "a"],
            "trace": [
                trace([0, 1, 2, 3], [50, 10.2, 10.05, 10.02]),
                trace([0, 5], [50, 10.0]),
                None,
                trace([0, 1], [50, 20.0]),
            ],
        }
    )
    table = times_to_target(runs, ["data"]).set_index(["data", "method", "factor"])
    assert table["cost"].to_dict() == {
        ("x", "a", 1.01): 2,
        ("x", "b", 1.01): 5,
        ("x", "c", 1.01): np.inf,
        ("x", "a", 1.001): np.inf,
        ("x", "b", 1.001): 5,
        ("x", "c", 1.001): np.inf,
        ("y", "a", 1.01): 1,
        ("y", "a", 1.001): 1,
    }
    assert table.loc[("x", "c", 1.01), "target"] == pytest.approx(10.1)
    cpu = times_to_target(runs, ["data"], factors=[1.01], clock="cpu_seconds")
    assert cpu["cost"].tolist() == [4, 10, np.inf, 2]


def test_a_target_may_be_reached_and_left():
    """The first time counts, although the objective rises afterwards, or is no number."""
    runs = pd.DataFrame(
        {"data": "x", "method": ["a"], "trace": [trace([0, 1, 2, 3], [9, 1, 5, np.nan])]}
    )
    assert times_to_target(runs, ["data"])["cost"].tolist() == [1, 1]


def test_an_exact_factorization_sets_no_target_of_rounding_errors():
    """A target below 1e-8 of the start's objective is reached, however small the best is."""
    runs = pd.DataFrame(
        {
            "data": "x",
            "method": ["a", "b"],
            "trace": [trace([0, 1], [100, 1e-28]), trace([0, 1, 2], [100, 1e-5, 1e-7])],
        }
    )
    assert times_to_target(runs, ["data"], [1.01])["cost"].tolist() == [1, 2]
    assert times_to_target(runs, ["data"], [1.01], floor=0)["cost"].tolist() == [1, np.inf]


def test_targets_need_sensible_factors_and_objectives():
    """A factor of 1 or less, and a negative objective, are errors."""
    runs = pd.DataFrame({"data": "x", "method": ["a"], "trace": [trace([0, 1], [1, -1])]})
    with pytest.raises(ValueError, match="factors must be above 1, got 1"):
        times_to_target(runs, ["data"], [1])
    with pytest.raises(ValueError, match="negative objective, -1"):
        times_to_target(runs, ["data"])


# -- profiles ---------------------------------------------------------------------------------


def test_a_performance_profile_is_its_definition(costs):
    """At any ratio: the share of problems with a finite cost within it of the least cost."""
    profile = performance_profile(costs, largest=20)
    best = costs.min(axis=1)
    for method in costs:
        for tau in (1, 1.25, 1.5, 2, 3.7, 19):
            expected = np.mean(np.isfinite(costs[method]) & (costs[method] <= tau * best))
            assert height(profile, "ratio", method, tau) == pytest.approx(expected)


def test_performance_profiles_by_hand():
    """Two methods on four problems: a tie, a win each, and a problem that one fails."""
    costs = pd.DataFrame({"a": [1.0, 2.0, 8.0, np.inf], "b": [1.0, 6.0, 4.0, 5.0]})
    table = performance_profile(costs, largest=10)
    assert table[["method", "ratio", "share"]].to_numpy().tolist() == [
        ["a", 1, 0.5],
        ["a", 2, 0.75],
        ["a", 10, 0.75],
        ["b", 1, 0.75],
        ["b", 3, 1],
        ["b", 10, 1],
    ]
    area = profile_area(table)
    assert area["a"] == pytest.approx((0.5 * np.log(2) + 0.75 * np.log(5)) / np.log(10))
    assert list(area.index) == ["b", "a"]


def test_a_data_profile_is_its_definition(costs):
    """At any budget: the share of problems solved within it, in units of each problem."""
    unit = pd.Series(np.linspace(0.5, 2, len(costs)), index=costs.index)
    for scale, given in ((1.0, None), (unit, unit)):
        profile = data_profile(costs, unit=given, largest=50)
        for method in costs:
            for budget in (1.0, 2.0, 3.1, 30):
                expected = np.mean(costs[method] <= budget * scale)
                assert height(profile, "budget", method, budget) == pytest.approx(expected)
    with pytest.raises(ValueError, match="unit must have a positive number for every problem"):
        data_profile(costs, unit=unit[:5])


def test_profiles_do_not_fall_and_share_their_ends(costs):
    """Curves rise from the same first to the same last point."""
    for profile, axis in ((performance_profile(costs), "ratio"), (data_profile(costs), "budget")):
        curves = [curve for _, curve in profile.groupby("method")]
        assert len({(c[axis].iloc[0], c[axis].iloc[-1]) for c in curves}) == 1
        assert all((c["share"].diff().dropna() >= 0).all() for c in curves)
        assert all((c[axis].diff().dropna() > 0).all() for c in curves)


def test_a_problem_that_one_was_not_given_counts_for_none(costs):
    """A gap leaves its problem out for all; nothing left is an error."""
    gap = costs.astype(float)
    gap.loc[3, "b"] = np.nan
    expected = performance_profile(costs.drop(index=3), largest=20)
    pd.testing.assert_frame_equal(performance_profile(gap, largest=20), expected)
    with pytest.raises(ValueError, match="no problem has all of the methods"):
        data_profile(gap.loc[[3]])


def test_costs_of_nothing_need_a_floor():
    """A cost of 0 has no ratio; a floor makes what the clock cannot tell apart equal."""
    costs = pd.DataFrame({"a": [0.0, 1.0], "b": [1e-5, 2.0]})
    with pytest.raises(ValueError, match="give a floor above 0"):
        performance_profile(costs)
    profile = performance_profile(costs, floor=1e-4)
    assert height(profile, "ratio", "b", 1) == 0.5


def test_profiles_of_a_perfect_or_hopeless_field_have_a_width():
    """All costs equal, or all infinite: still curves from one point to another."""
    equal = performance_profile(pd.DataFrame({"a": [1.0], "b": [1.0]}))
    assert equal["share"].tolist() == [1] * 4
    never = performance_profile(pd.DataFrame({"a": [np.inf], "b": [np.inf]}))
    assert never["share"].tolist() == [0] * 4
    assert data_profile(pd.DataFrame({"a": [np.inf]}))["share"].tolist() == [0] * 2
    with pytest.raises(ValueError, match="largest must be above 1"):
        performance_profile(pd.DataFrame({"a": [1.0]}), largest=1)


# -- anytime curves ---------------------------------------------------------------------------


def test_anytime_curves_hold_the_best_and_summarise_repeats():
    """At each time the running minimum, as quartiles over repeats; ended runs keep their last."""
    runs = pd.DataFrame(
        {
            "method": "a",
            "repeat": [0, 1, 2],
            "trace": [
                trace([0, 1, 2, 4], [10, 8, 9, 5]),
                trace([0, 1], [10, 6]),
                trace([0, 1, 2], [10, 4, 2]),
            ],
        }
    )
    table = anytime_curves(runs, relative=False, points=3).set_index("seconds")
    assert table.index.tolist() == [1, 2, 4]
    assert table["median"].tolist() == [6, 6, 5]
    assert table["low"].tolist() == [5, 4, 3.5]
    assert table["high"].tolist() == [7, 7, 5.5]
    assert (table["count"] == 3).all()


def test_relative_curves_are_to_the_best_of_the_same_repeat():
    """Each repeat has data and a best objective of its own, shared by its methods."""
    runs = pd.DataFrame(
        {
            "data": "x",
            "method": ["a", "a", "b", "b"],
            "repeat": [0, 1, 0, 1],
            "trace": [
                trace([0, 1], [9, 4]),
                trace([0, 1], [900, 400]),
                trace([0, 1], [9, 2]),
                trace([0, 1], [900, 800]),
            ],
        }
    )
    table = anytime_curves(runs, ["data"], points=2).groupby("method")["median"].last()
    assert table.to_dict() == {"a": 1.5, "b": 1.5}


def test_a_curve_begins_when_all_of_its_repeats_have():
    """A long set-up delays a curve, and a run that failed is left out."""
    runs = pd.DataFrame(
        {
            "method": ["a", "b", "b", "b"],
            "repeat": [0, 0, 1, 2],
            "trace": [
                trace([0, 1, 9], [9, 8, 7]),
                trace([2, 3], [9, 7]),
                trace([4], [7]),
                None,
            ],
        }
    )
    table = anytime_curves(runs, points=50)
    begun = table.groupby("method")["seconds"].min()
    assert begun["a"] == 1
    assert 4 <= begun["b"] < 4.3
    assert table.groupby("method")["count"].first().to_dict() == {"a": 1, "b": 2}
    assert table["seconds"].max() == 9
    assert anytime_curves(runs.iloc[3:]).empty


# -- fronts and breakdowns --------------------------------------------------------------------


def test_the_front_is_what_nobody_beats():
    """Brute force agrees, for scores and for errors, with ties."""
    rng = np.random.default_rng(0)
    cost, score = rng.integers(0, 8, (2, 40)).astype(float)
    for higher, merit in ((True, score), (False, -score)):
        expected = [
            not any(
                (cost[j] <= cost[i] and merit[j] >= merit[i])
                and (cost[j] < cost[i] or merit[j] > merit[i])
                for j in range(40)
            )
            for i in range(40)
        ]
        assert pareto_front(cost, score, higher).tolist() == expected
    assert pareto_front([1, 1, np.nan], [2, 2, 9]).tolist() == [True, True, False]


def test_breakdown_levels_by_hand():
    """Half of the first score, twice the first error, never, and too little to say."""
    table = pd.DataFrame(
        [
            ("noise", "a", 0.0, 0.8),
            ("noise", "a", 0.5, 0.5),
            ("noise", "a", 1.0, 0.3),
            ("noise", "b", 1.0, 0.6),
            ("noise", "b", 0.0, 0.9),
            ("noise", "c", 0.0, 0.9),
            ("noise", "c", 1.0, np.nan),
        ],
        columns=["corruption", "method", "level", "mean"],
    )
    found = breakdown_levels(table, by=["corruption"]).set_index("method")["level"]
    assert found["a"] == pytest.approx(0.75)
    assert found["b"] == np.inf
    assert np.isnan(found["c"])
    errors = table.assign(mean=1 / table["mean"])
    inverse = breakdown_levels(errors, higher_is_better=False).set_index("method")["level"]
    assert 0.5 < inverse["a"] < 1
    assert inverse["b"] == np.inf
