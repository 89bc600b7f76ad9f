"""How two records of one trial agree: tolerances by metric and precision, arrays, rounding."""

import math

import numpy as np
import pytest

from nmfbench.core import registry
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.records import agreement
from nmfbench.records.agreement import Agreement, compare, drift, same_target


def record(task="recovery", solver="spa", metrics=None, **fields):
    """A record as far as it is compared."""
    given = {
        "task": task,
        "solver": solver,
        "params": {},
        "options": {},
        "metrics": metrics or {},
        "objective": 2.0,
        "n_iter": 3,
        "first_objectives": [8.0, 4.0, 3.0, 2.0],
        "host": {"cpu": "one"},
        "versions": TARGET,
    }
    return given | fields


TARGET = {"numpy": "2.0", "blas": "a", "numba-target": "b", "numpy-simd": "c", "libc": "d"}
ELSEWHERE = {"versions": TARGET | {"blas": "another"}}


@pytest.fixture
def tolerances(monkeypatch):
    """The tolerances that the task of :func:`record` declares, to be filled."""
    declared = {}
    monkeypatch.setitem(registry.tasks["recovery"].info, "tolerances", declared)
    return declared


def outcome(old, new, *arrays):
    return compare(old, new, *arrays).outcome


def test_equal_records_have_the_same_bits():
    """Nothing differs, and what was compared is named."""
    found = compare(record(metrics={"x": 1.0}), record(metrics={"x": 1.0}))
    assert found.outcome == "same bits"
    assert {"x", "objective", "iterations", "objective after 3 iterations"} <= set(found.compared)
    assert not found.differences


@pytest.mark.parametrize(
    ("new", "expected"),
    [(1.0, "same bits"), (1 + 4e-16, "same digits"), (1 + 5e-6, "same digits")]
    + [(1 + 2e-5, "different"), (-1.0, "different")],
)
def test_metrics_agree_relatively_where_nothing_is_declared(new, expected):
    """The limit is a share of the larger value; a last digit is a difference of bits."""
    assert outcome(record(metrics={"x": 1.0}), record(metrics={"x": new})) == expected


@pytest.mark.parametrize(("new", "expected"), [(0.52, "same digits"), (0.53, "different")])
def test_a_declared_tolerance_is_in_the_unit_of_the_metric(tolerances, new, expected):
    """It is for the metrics that its pattern fits, and for no other."""
    tolerances["accuracy@*"] = 0.02
    assert outcome(record(metrics={"accuracy@9": 0.5}), record(metrics={"accuracy@9": new})) == (
        expected
    )
    assert outcome(record(metrics={"accuracy": 0.5}), record(metrics={"accuracy": new})) == (
        "different"
    )


def test_the_first_pattern_that_fits_counts(tolerances):
    """A task lists the special before the general."""
    tolerances |= {"error-train": 0.1, "error-*": 0.0}
    old, new = ({"error-train": x, "error-test": 1.0} for x in (1.0, 1.05))
    assert outcome(record(metrics=old), record(metrics=new)) == "same digits"
    old, new = ({"error-train": 1.0, "error-test": x} for x in (1.0, 1.05))
    assert outcome(record(metrics=old), record(metrics=new)) == "different"


def test_a_metric_of_infinite_tolerance_is_not_compared(tolerances):
    """Such is a time."""
    tolerances["seconds-*"] = math.inf
    found = compare(
        record(metrics={"seconds-sweep": 1.0}), record(metrics={"seconds-sweep": 100.0})
    )
    assert found.outcome == "same bits"
    assert "seconds-sweep" not in found.compared


def test_a_metric_that_one_side_lacks_is_a_difference():
    """Whichever side it is, and the text says which."""
    with_it, without = record(metrics={"x": 1.0}), record()
    assert compare(with_it, without).beyond == ["x is only in the first computation"]
    assert compare(without, with_it).beyond == ["x is only in the second computation"]


def test_an_objective_that_neither_has_is_none():
    """Some solvers minimise nothing."""
    old, new = (record(objective=None, first_objectives=None) for _ in range(2))
    assert outcome(old, new) == "same bits"
    assert outcome(record(objective=None), record()) == "different"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_agrees_with_itself_only(value):
    """As numbers, and as entries of arrays."""
    found = Agreement()
    found.see("x", value, value)
    found.see("x", np.array([1.0, value]), np.array([1.0 + 1e-9, value]))
    assert found.outcome == "same digits"
    for other in (1.0, math.nan, math.inf, -math.inf):
        if repr(other) != repr(value):
            found = Agreement()
            found.see("x", np.array([1.0, value]), np.array([1.0, other]), absolute=1e9)
            assert found.outcome == "different"


def test_numbers_near_zero_by_rounding_agree():
    """An objective of 1e-30 after one of 8 is a zero; as large a share of it is not."""
    small, other = (record(objective=x, first_objectives=[8.0, 4.0, x]) for x in (1e-30, 7e-31))
    assert outcome(small, other) == "same digits"
    assert outcome(record(objective=1e-6), record(objective=1.1e-6)) == "different"
    huge = record(first_objectives=[1e12, 4.0, 3.0, 1e-6])
    assert outcome(huge, huge | {"first_objectives": [1e12, 4.0, 3.0, 2e-6]}) == "different"


def test_single_precision_has_fewer_digits():
    """Tolerances go by the precision of the fit, and a stop rule may be a few percent off."""
    double, single = {}, {"options": {"dtype": "float32"}}
    pair = [record(metrics={"x": x}, n_iter=n) for x, n in ((1.0, 200), (1.0001, 206))]
    assert outcome(*(r | double for r in pair)) == "different"
    assert outcome(*(r | single for r in pair)) == "same digits"
    pair = [record(n_iter=n) for n in (200, 220)]
    assert outcome(*(r | single for r in pair)) == "different"
    assert outcome(record(n_iter=200), record(n_iter=201)) == "different"


def test_first_objectives_agree_closely_and_less_so_as_iterations_go_on():
    """A step that is one thousandth longer shows there even where all fits end alike."""
    start = record()["first_objectives"]
    for i, gap, expected in [(1, 1e-8, "same digits"), (1, 4e-8, "different")] + [
        (3, 3e-8, "same digits"),
        (3, 6e-8, "different"),
    ]:
        moved = [x * (1 + gap * (i == k)) for k, x in enumerate(start)]
        new = record(first_objectives=moved)
        assert outcome(record(), new) == expected


def test_first_objectives_are_compared_as_far_as_both_go():
    """A fit of ten iterations is compared with the first ten of another."""
    short = record(first_objectives=[8.0, 4.0])
    assert outcome(record(), short) == "same bits"
    diverged = record(first_objectives=[8.0, None])
    assert outcome(diverged, diverged) == "same bits"
    assert outcome(record(), diverged) == "different"


def test_arrays_are_compared_and_times_of_a_trace_are_not():
    """Arrays by their largest difference; of a trace, iterations and objectives."""
    trace = np.zeros(2, TRACE_DTYPE)
    trace["objective"] = [2.0, 1.0]
    later = trace.copy()
    later["seconds"], later["cpu_seconds"] = 5.0, 4.0
    arrays = {"trace": trace, "W": np.ones((2, 2))}
    found = compare(record(), record(), arrays, {"trace": later, "W": np.ones((2, 2))})
    assert found.outcome == "same bits"
    assert {"W", "trace.objective", "trace.iteration"} <= set(found.compared)
    assert not any("seconds" in name for name in found.compared)
    assert outcome(record(), record(), arrays, arrays | {"W": np.ones((2, 2)) + 1e-9}) == (
        "same digits"
    )
    assert outcome(record(), record(), arrays, arrays | {"W": np.ones((2, 3))}) == "different"
    assert outcome(record(), record(), arrays, {"trace": later}) == "different"


def test_between_targets_rounding_may_do_what_it_was_measured_to_do():
    """Up to four times as much of a quantity; and of none that was not seen to move."""
    old, spread = record(metrics={"x": 1.0, "y": 1.0}), {"x": 0.1, "iterations": math.inf}
    for x, y, expected in [
        (1.3, 1.0, "rounding"),
        (1.9, 1.0, "different"),
        (1.0, 1.1, "different"),
        (1 + 1e-7, 1.0, "same digits"),
        (1.0, 1.0, "same bits"),
    ]:
        new = record(metrics={"x": x, "y": y}) | ELSEWHERE
        found = compare(old, new, spread=spread)
        assert found.outcome == expected
        assert compare(old, new).outcome == expected.replace("rounding", "different")
    found = compare(old, old | ELSEWHERE | {"n_iter": 8}, spread=spread)
    assert (found.outcome, found.details) == ("rounding", ["iterations was 3, is 8"])


@pytest.mark.parametrize(
    ("n_iter", "spread", "expected"),
    [(4, {"objective": 1e-3}, "rounding"), (5, {"objective": 1e-3}, "different")]
    + [(4, {"objective": 1e-9}, "different"), (4, {"x": 1e-3}, "different")],
)
def test_where_rounding_moves_the_objective_a_stop_may_be_one_iteration_off(
    n_iter, spread, expected
):
    """Few perturbed fits need not show it: the rule compares what rounding moves."""
    old = record()
    moved = (
        old | ELSEWHERE | {"n_iter": n_iter, "objective": 2.0 * (1 + spread.get("objective", 0))}
    )
    assert compare(old, moved, spread=spread).outcome == expected


def test_at_one_target_rounding_is_no_excuse():
    """The same instructions round alike."""
    old, new = record(), record(objective=2.05)
    assert compare(old, new, spread={"objective": 1.0}).outcome == "different"
    assert compare(old, new | ELSEWHERE, spread={"objective": 1.0}).outcome == "rounding"


def test_a_target_is_the_same_if_all_of_it_is_known_to_be():
    """Releases and instructions count, the name of the processor does not."""
    old = record()
    assert same_target(old, old | {"host": {"cpu": "another"}})
    assert same_target(old, old | {"versions": TARGET | {"pandas": "3"}})
    for name in TARGET:
        assert not same_target(old, old | {"versions": TARGET | {name: "another"}})
    unknown = record(versions={"numpy": "2.0"})
    assert not same_target(unknown, unknown)


def pairs(gaps):
    return [(record(metrics={"x": 1.0}), record(metrics={"x": 1.0 + gap})) for gap in gaps]


def test_where_rounding_decides_the_mean_stays():
    """Differences to both sides are none of the mean; to one side they are."""
    rng = np.random.default_rng(0)
    both_ways = rng.normal(0, 0.1, 40)
    assert drift(pairs(both_ways)) == []
    (line,) = drift(pairs(both_ways + 0.2))
    assert line.startswith("x changed by 0.19")
    assert "in the mean of 40 trials" in line
    assert drift(pairs([0.2] * 4)) == []  # too few to say
    assert len(drift(pairs([0.2] * 5))) == 1
    assert drift(pairs([0.0] * 5)) == []
    assert drift(pairs([2e-16] * 20)) == []  # the same digits


def test_what_is_declared_exists():
    """Tolerances are not negative, and each precision has its own."""
    for entry in registry.tasks.entries():
        assert all(value > 0 for value in entry.info["tolerances"].values())
    assert set(agreement.RELATIVE) == set(agreement.EARLY)


def test_solvers_that_wrap_another_package_say_so():
    """Their numbers are of the release that is installed."""
    wrapped = {e.key: e.info["wraps"] for e in registry.solvers.entries() if e.info["wraps"]}
    peers = {e.key for e in registry.solvers.entries() if e.info["family"] == "peers"}
    assert set(wrapped) == peers | {"kmeans", "ncuts", "pca"}
    assert set(wrapped.values()) == {"scikit-learn"}
