"""The page of the race on hard problems, and the benchmark that measures it."""

import itertools
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import outside, race
from benchmarks.outside import OUTSIDE, Outside, trace_of
from benchmarks.race import Problem, keep, run_of, summary, table
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.optim.losses import LOSSES
from nmfbench.reports.race import (
    LEVELS,
    TARGETS,
    judge,
    mean_ratio,
    ratio,
    rows_of,
    seconds_to,
    soonest,
)
from nmfbench.reports.race_page import write_race
from nmfbench.solvers import make_solver


def trace(*records):
    """A trace of (CPU seconds, objective)."""
    found = np.zeros(len(records), TRACE_DTYPE)
    found["cpu_seconds"], found["objective"] = np.transpose(records)
    return found


QUICK = trace((0, 9.0), (1, 1.005), (2, 1.0))
SLOW = trace((0, 9.0), (4, 1.0095), (5, 1.0005))
STUCK = trace((0, 9.0), (3, 1.5))
FACTS = {
    "problem": "faces, r = 5", "loss": "frobenius", "text": False, "shape": [30, 20],
    "limit": 4.0, "date": "2026-01-01", "version": "1", "processor": "a processor",
    "load": 2.0,
}  # fmt: skip


def at_targets(row):
    return [list(seconds_to(row, target)) for target in TARGETS]


def at_every_level(seconds):
    return {f"{level:g}": seconds for level in LEVELS}


def rows(runs, **facts):
    return [{**FACTS, **facts, "solver": key, **found} for key, found in summary(runs).items()]


def test_a_run_on_its_way_is_timed_against_the_best_of_its_start():
    """Each start has its own best, from which targets and ends are counted."""
    found = summary({"hals-her": [QUICK, QUICK], "hals": [SLOW, STUCK]})
    assert at_targets(found["hals-her"]) == [[1, 1], [2, 2], [2, 2]]
    assert at_targets(found["hals"]) == [[4, np.inf], [5, np.inf], [np.inf] * 2]
    assert list(found["hals"]["seconds"]) == [f"{level:g}" for level in LEVELS]
    np.testing.assert_allclose(found["hals"]["ends"], [1.0005, 1.5])


def test_a_run_that_has_settled_is_timed_against_its_own_end():
    """Another minimum is no slowness: where it lies is in the ends."""
    settled = trace((0, 9.0), (1, 1.2), (2, 1.1), (3, 1.1), (10, 1.1))
    found = summary({"hals-her": [QUICK], "hals": [settled]})["hals"]
    assert at_targets(found) == [[2], [2], [2]]
    np.testing.assert_allclose(found["ends"], [1.1])


def test_a_run_that_never_arrives_is_infinitely_slow():
    """The ratio of medians is 0 for who arrives alone, infinite the other way, else None."""
    runs = {"hals-her": [QUICK] * 3, "hals": [SLOW, SLOW, STUCK], "mu": [STUCK] * 3}
    her, hals, mu = rows(runs)
    found = ratio(her, hals, 1.01)
    assert (found.value, found.low, found.high) == (0.25, 0, 0.25)
    assert str(ratio(her, mu, 1.01)) == "alone"
    assert str(ratio(mu, her, 1.01)) == "never"
    assert ratio(mu, mu, 1.01) is None


def test_goals_turn_with_what_was_measured():
    """A goal on every problem counts problems, and a mean fails where a peer is alone."""
    quick = rows({"hals-her": [QUICK], "hals": [SLOW], "sklearn-cd": [SLOW]})
    slow = rows({"hals-her": [SLOW], "hals": [QUICK], "sklearn-cd": [QUICK]}, problem="more")
    assert all(met for *_, met in judge(quick))
    found = {(goal.peer, goal.target): (words, met) for goal, words, met in judge(quick + slow)}
    assert found["hals", 1.01] == ("on 1 of 2; most on more, 4.00 ×", False)
    assert found["hals", 1.0001] == ("on 1 of 2; most on more, never", False)
    assert found["sklearn-cd", 1.01][1] is False
    slower = {"hals-her": [SLOW], "hals": [STUCK]}  # which may need less than a limit more
    assert {met for goal, _, met in judge(rows(slower)) if goal.peer == "hals"} >= {None}
    assert not list(judge(rows({"kl-newton": [QUICK], "kl-mu": [SLOW]}, loss="kl")))


def test_the_mean_over_problems_counts_what_never_came():
    """By its limit, from above or below; a problem on which nobody came so near does not count."""
    there = {"hals": [SLOW] * 3, "hals-her": [QUICK] * 3, "mu": [STUCK] * 3}
    hals, her, mu = rows(there)
    also = rows({"hals": [STUCK] * 3, "hals-her": [STUCK] * 3}, problem="more")
    for row in also:
        row["seconds"] = at_every_level([np.inf] * 3)
    references = {row["problem"]: row for row in (hals, also[0])}
    found = mean_ratio([her, also[1]], references, 1.01)
    assert (found.value, found.low, found.high) == (0.25, 0.25, 0.25)
    never = mean_ratio([mu], references, 1.01)
    assert never.value == 1.0  # 4 s, the limit of both
    assert mean_ratio([also[1]], references, 1.01) is None
    spread = mean_ratio([{**her, "seconds": at_every_level([1.0, 2.0, 4.0])}], references, 1.01)
    assert (spread.low, spread.high) == (0.25, 1.0)


def test_the_first_is_named_in_a_sentence_beside_other_libraries():
    """Who did not run on all problems of a loss is no first; a loss without a race has no word."""
    runs = {"hals": [SLOW] * 3, "hals-her": [QUICK] * 3, "sklearn-cd": [SLOW] * 3}
    more = rows(
        {
            "hals": [SLOW] * 3,
            "hals-her": [QUICK] * 3,
            "sklearn-cd": [SLOW] * 3,
            "nenmf": [QUICK] * 3,
        },
        problem="more",
    )
    (sentence,) = soonest(rows(runs) + more)
    assert sentence == (
        "HALS-HER takes 0.25 times [0.25, 0.25] the CPU time of HALS to an objective within 1 % of "
        "where it ends (Frobenius norm, 2 hard problems); of other libraries the first is "
        "scikit-learn CD, 1.00 times [1.00, 1.00]."
    )
    theirs = rows({"hals": [SLOW], "hals-her": [SLOW], "sklearn-cd": [QUICK]})
    (sentence,) = soonest(theirs)
    assert sentence.startswith("scikit-learn CD takes 0.25 times")
    assert "of other libraries" not in sentence
    assert soonest([]) == []


def test_a_lead_over_runs_that_never_came_is_a_bound():
    """Their limit counts, so that they take at least so long, and what beats them at most."""
    (sentence,) = soonest(rows({"hals": [SLOW], "hals-her": [QUICK], "sklearn-cd": [STUCK]}))
    assert "HALS-HER takes 0.25 times" in sentence
    assert "scikit-learn CD, at least 1.00 times" in sentence
    (sentence,) = soonest(rows({"hals": [STUCK], "hals-her": [QUICK]}))
    assert "HALS-HER takes at most 0.25 times" in sentence
    both = rows({"hals": [STUCK], "hals-her": [QUICK]})
    both += rows({"hals": [QUICK], "hals-her": [STUCK]}, problem="more")
    assert "HALS-HER takes about 1.00 times" in soonest(both)[0]


def test_the_page_counts_problems_on_which_a_solver_came_so_near(tmp_path):
    """In the table over all problems, the fastest first."""
    both = rows({"hals": [SLOW] * 3, "hals-her": [QUICK] * 3})
    both += rows({"hals": [SLOW] * 3, "hals-her": [STUCK] * 3}, problem="more")
    page = write_race(both, [], tmp_path)[0].read_text(encoding="utf-8")
    over = page[page.index('id="frobenius"') : page.index("faces, r = 5")]
    assert over.index("HALS-HER") < over.index(">HALS<")
    counts = re.findall(r"\d of \d", over)  # where the end of HALS is above 1.0001 of the best
    assert counts == ["1 of 2"] * 3 + ["2 of 2", "2 of 2", "1 of 2"]


def test_the_page_shows_losses_beside_leads(tmp_path):
    """Medians, how many starts came so near, ratios with their range, ends and goals."""
    runs = {"hals": [SLOW, STUCK, STUCK], "hals-her": [QUICK] * 3, "sklearn-cd": [QUICK] * 3}
    page = write_race(rows(runs), [], tmp_path)[0].read_text(encoding="utf-8")
    for words in (
        "faces, r = 5, Frobenius norm",
        "30 × 20, 3 starts",
        "never",
        "alone",
        "up to 2.0 programs to a processor",
        "50.000 %",
    ):
        assert words in page
    assert page.count("<td>no</td>") == sum(met is False for *_, met in judge(rows(runs))) > 0
    lines = table(rows(runs)).splitlines()
    assert lines[1].split()[:3] == ["hals", "never", "1/3"]
    assert lines[2].split()[:4] == ["hals-her", "1", "s", "3/3"]


def test_rows_of_a_problem_replace_its_old_ones(tmp_path):
    """A file keeps other problems, in their order, and infinity; without a file there is none."""
    file = tmp_path / "race.json"
    assert rows_of(file) == []
    keep(rows({"hals": [QUICK]}, problem="BBC, r = 20"), file)
    keep(rows({"hals": [STUCK], "mu": [QUICK]}, problem="ORL, r = 40"), file)
    keep(rows({"hals": [QUICK]}, problem="ORL, r = 40"), file)
    assert [row["problem"] for row in rows_of(file)] == ["ORL, r = 40", "BBC, r = 20"]
    keep(rows({"hals": [STUCK], "mu": [QUICK]}, problem="BBC, r = 20"), file)
    assert rows_of(file)[1]["seconds"] == at_every_level([np.inf])
    json.loads(file.read_text(), parse_constant=pytest.fail)


@pytest.mark.parametrize("key", ["hals", "sklearn-cd", "sklearn-mu"])
def test_a_run_shows_each_iteration(key):
    """Objectives after each iteration fall, and time goes on, for peers without a trace as well."""
    rng = np.random.default_rng(0)
    found = run_of(key, rng.random((30, 20)), rng.random((30, 3)), rng.random((3, 20)), 0.01)
    assert len(found) > 3
    assert (np.diff(found["objective"]) <= 1e-9).all()
    assert (np.diff(found["cpu_seconds"]) >= 0).all()


def test_the_command_keeps_what_it_measured(monkeypatch, tmp_path, capsys):
    """The table and the goals are printed, and a row for each solver is kept."""
    X = np.random.default_rng(1).random((30, 20))
    monkeypatch.setattr(race, "PROBLEMS", (Problem("faces", "orl", 5),))
    monkeypatch.setattr(Problem, "load", lambda self: X)
    file = tmp_path / "race.json"
    assert race.main(["--starts", "1", "--seconds", "0.01", "--output", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "frobenius, faces, r = 5" in printed
    assert "hals-her: to 1.01" in printed
    assert [row["solver"] for row in rows_of(file)] == list(race.racers(X, "frobenius"))
    with pytest.raises(SystemExit):
        race.main(["-k", "no such problem"])


# -- other libraries --------------------------------------------------------------------------


def made(n_rows=30, n_columns=20, rank=3):
    """Data, and factors to start from."""
    rng = np.random.default_rng(0)
    return (
        rng.random((n_rows, n_columns)),
        rng.random((n_rows, rank)),
        rng.random((rank, n_columns)),
    )


def test_a_library_is_timed_by_longer_and_longer_fits(monkeypatch):
    """Whole fits, the clock around each; the trace goes from one to the next."""
    X, W, H = made()
    clock, asked = itertools.count(), []
    monkeypatch.setattr(outside, "time", SimpleNamespace(process_time=lambda: next(clock)))

    def fit(n_iter):
        asked.append(n_iter)
        solver = make_solver("hals", n_components=3, max_iter=n_iter, tol=0)
        return solver.fit_transform(X, W=W, H=H), solver.components_

    def fits(X, W, H, seconds, seed):
        return outside._growing(fit, lambda found: found, seconds)

    monkeypatch.setattr(outside, "MOST", 10)
    found = trace_of(Outside("a library", "frobenius", fits, lambda: "1.0"), X, W, H, 9.0, 0)
    assert asked == [1, 1, 2, 3, 4, 6, 9, 14]
    solver = make_solver("hals", n_components=3, max_iter=14, tol=0).fit(X, W=W, H=H)
    expected = solver.trace_["objective"]
    assert found["iteration"].tolist() == list(range(15))
    np.testing.assert_allclose(found["objective"][asked], expected[asked])
    np.testing.assert_allclose(found["objective"], expected, rtol=1e-3)
    assert (np.diff(found["objective"]) < 0).all()
    assert set(found["cpu_seconds"]) == {0.0, 1.0}  # each fit took one second of this clock


def test_the_last_fit_takes_what_a_run_may(monkeypatch):
    """It is no longer than the seconds leave room for, if a fit takes a second an iteration."""
    clock = [0.0]
    monkeypatch.setattr(outside, "time", SimpleNamespace(process_time=lambda: clock[0]))

    def fit(n_iter):
        clock[0] += n_iter

    counts = [n_iter for n_iter, *_ in outside._growing(fit, lambda found: (0, 0), 10.0)]
    assert counts == [1, 2, 3, 4, 6, 9]
    counts = [n_iter for n_iter, *_ in outside._growing(fit, lambda found: (0, 0), 8.0)]
    assert counts == [1, 2, 3, 4, 6, 8]


def test_a_run_that_goes_nowhere_ends():
    """A fit that ends as high as the one before it is the last."""
    X, W, H = made()

    def fits(X, W, H, seconds, seed):
        for n_iter in itertools.count(1):
            scale = max(0.5, 1 - n_iter / 10)
            yield n_iter, float(n_iter), scale * W, H

    found = trace_of(Outside("a library", "frobenius", fits, lambda: "1.0"), X, W, H, 9.0, 0)
    assert found["iteration"][-1] == 6


@pytest.mark.parametrize(
    ("key", "form"),
    [(k, f) for k, one in OUTSIDE.items() for f in ("dense", "sparse")[: 1 + one.sparse]],
)
def test_a_library_descends_to_where_ours_does(key, form):
    """Its factors, put together as it means them, come near the objective of our solver."""
    racer = OUTSIDE[key]
    if not racer.is_installed():
        pytest.skip(
            f"{racer.name} is a library of others that the project does not need; the race takes "
            "it, and the test runs, where it is installed (CONTRIBUTING.md, Speed)"
        )
    X, W, H = made(60, 40, 2)
    X = W @ H + 0.01 * X
    given = sp.csr_array(X) if form == "sparse" else X
    found = trace_of(racer, given, *made(60, 40, 2)[1:], 0.05, 1)
    assert found["objective"][0] == pytest.approx(LOSSES[racer.loss](given, W, H.T.copy()))
    key = {"frobenius": "hals", "kl": "kl-mu"}[racer.loss]
    ours = make_solver(key, n_components=2, max_iter=2000, tol=0, random_state=0).fit(X)
    assert found["objective"][-1] <= 1.02 * ours.objective_
    assert (np.diff(found["cpu_seconds"]) >= 0).all()
