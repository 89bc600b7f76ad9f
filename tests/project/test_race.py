"""``python -m benchmarks.race``: times to targets, medians with runs that never arrive, goals."""

import json

import numpy as np
import pytest

from benchmarks import race
from benchmarks.race import Problem, judge, ratio, run_of, summary, table
from nmfbench.core.trace import TRACE_DTYPE


def trace(*records):
    """A trace of (CPU seconds, objective)."""
    found = np.zeros(len(records), TRACE_DTYPE)
    found["cpu_seconds"], found["objective"] = np.transpose(records)
    return found


QUICK = trace((0, 9.0), (1, 1.005), (2, 1.0))
SLOW = trace((0, 9.0), (4, 1.0095), (5, 1.0005))
STUCK = trace((0, 9.0), (3, 1.5))
FACES = Problem("faces", "orl", 5)


def test_a_run_on_its_way_is_timed_against_the_best_of_its_start():
    """Each start has its own best, from which targets and ends are counted."""
    found = summary({"hals-her": [QUICK, QUICK], "hals": [SLOW, STUCK]})
    np.testing.assert_array_equal(found["hals-her"]["seconds"], [[1, 1], [2, 2], [2, 2]])
    np.testing.assert_array_equal(
        found["hals"]["seconds"], [[4, np.inf], [5, np.inf], [np.inf] * 2]
    )
    np.testing.assert_allclose(found["hals"]["ends"], [1.0005, 1.5])


def test_a_run_that_has_settled_is_timed_against_its_own_end():
    """Another minimum is no slowness: where it lies is in the ends."""
    settled = trace((0, 9.0), (1, 1.2), (2, 1.1), (3, 1.1), (10, 1.1))
    found = summary({"hals-her": [QUICK], "hals": [settled]})["hals"]
    np.testing.assert_array_equal(found["seconds"], [[2], [2], [2]])
    np.testing.assert_allclose(found["ends"], [1.1])


def test_a_run_that_never_arrives_is_infinitely_slow():
    """The ratio of medians is 0 for who arrives alone, infinite the other way, else None."""
    found = summary({"hals-her": [QUICK] * 3, "hals": [SLOW, SLOW, STUCK], "mu": [STUCK] * 3})
    assert ratio(found, "hals-her", "hals", 1.01) == 0.25
    assert ratio(found, "hals-her", "mu", 1.01) == 0
    assert ratio(found, "mu", "hals-her", 1.01) == np.inf
    assert ratio(found, "mu", "mu", 1.01) is None


def test_goals_turn_with_what_was_measured():
    """A goal on every problem takes the worst, and one as a mean fails where a peer is alone."""
    quick = summary({"hals-her": [QUICK], "hals": [SLOW], "sklearn-cd": [SLOW]})
    slow = summary({"hals-her": [SLOW], "hals": [QUICK], "sklearn-cd": [QUICK]})
    more = Problem("more faces", "orl", 9)
    assert all(met for *_, met in judge({FACES: quick}))
    missed = [goal for goal, measured, met in judge({FACES: quick, more: slow}) if not met]
    assert {(goal.peer, goal.target) for goal in missed} >= {("hals", 1.01), ("sklearn-cd", 1.01)}
    assert not list(judge({Problem("text", "bbc", 5, "kl"): {}}))


def test_the_table_says_who_never_arrived():
    """Medians, the share of starts that arrived, ratios to the reference, and ends."""
    found = summary({"hals": [SLOW, STUCK, STUCK], "hals-her": [QUICK] * 3})
    rows = table(FACES, found).splitlines()
    assert rows[2].split()[:3] == ["hals", "never", "1/3"]
    assert rows[3].split()[:4] == ["hals-her", "1", "s", "3/3"]


@pytest.mark.parametrize("key", ["hals", "sklearn-cd", "sklearn-mu"])
def test_a_run_shows_each_iteration(key):
    """Objectives after each iteration fall, and time goes on, for peers without a trace as well."""
    rng = np.random.default_rng(0)
    found = run_of(key, rng.random((30, 20)), rng.random((30, 3)), rng.random((3, 20)), 0.01)
    assert len(found) > 3
    assert (np.diff(found["objective"]) <= 1e-9).all()
    assert (np.diff(found["cpu_seconds"]) >= 0).all()


def test_the_command_writes_what_it_measured(monkeypatch, tmp_path, capsys):
    """The table and the goals are printed, and samples are written as JSON."""
    X = np.random.default_rng(1).random((30, 20))
    monkeypatch.setattr(race, "PROBLEMS", (FACES,))
    monkeypatch.setattr(Problem, "load", lambda self: X)
    file = tmp_path / "race.json"
    assert race.main(["--starts", "1", "--seconds", "0.01", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "frobenius, faces, r = 5" in printed
    assert "hals-her: to 1.01" in printed
    runs = json.loads(file.read_text())["runs"]
    assert [run["solver"] for run in runs] == list(race.RACERS["frobenius"])
    with pytest.raises(SystemExit):
        race.main(["-k", "no such problem"])
