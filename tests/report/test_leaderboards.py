"""Leaderboards: order, differences from the first, and stability, on made-up records."""

import numpy as np
import pandas as pd
import pytest

from nmfbench.comparison.leaderboards import leaderboards, preferred
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.reports.boards import standing_of


def records(scores, *, task="recognition", corruption=None, problem="faces", repeats=12, kind=None):
    """Rows of trials: the scores of each method, plus a little noise that its rivals share."""
    shared = np.random.default_rng(0).normal(scale=0.01, size=repeats)
    rows = [
        {
            "task": task,
            "problem": problem,
            "corruption": corruption,
            "method": method,
            "repeat": k,
            "score": None if score is None else score(k) + shared[k],
            "status": "missing" if score is None else "done",
            "ranked": True,
            "loss": np.nan,
            "kind": kind,
            "cpu_seconds": 1.0,
            "host": {"cpu": "this one"},
        }
        for method, score in scores.items()
        for k in range(repeats)
    ]
    return pd.DataFrame(rows).astype({"score": float})


GOOD, AS_GOOD, BAD = (lambda k: 0.9), (lambda k: 0.9 - 0.01 * (-1) ** (k // 2)), (lambda k: 0.5)


def test_a_job_has_its_order_and_who_is_told_apart():
    """The first one is ahead of a worse one, and level with an equal one."""
    (board,), lacking = leaderboards(records({"bad": BAD, "good": GOOD, "equal": AS_GOOD}))
    assert not lacking
    assert (board.title, board.key) == ("Recognition", "recognition")
    assert board.first in ("good", "equal")
    standing = board.table.set_index("method")["standing"]
    assert standing["bad"] == "behind"
    assert board.level == [name for name in ("good", "equal") if name != board.first]
    assert board.table["method"].iloc[-1] == "bad"
    assert (board.repeats, board.asked) == (12, 3)


def test_a_lead_over_all_problems_counts_however_many_they_are():
    """One test for each rival: ten repeats that decide 25 tests decide nineteen solvers on five
    problems, and say so where there are too many solvers."""
    many = {f"solver {s}": (lambda k, s=s: 1 - s / 40) for s in range(30)}

    def board(count):
        scores = dict(list(many.items())[:count])
        parts = [records(scores, problem=f"faces {p}", repeats=10) for p in range(5)]
        return leaderboards(pd.concat(parts, ignore_index=True))[0][0]

    assert board(19).table["standing"].tolist() == ["first"] + ["behind"] * 18
    assert board(19).winner == "solver 0"
    assert board(26).table["standing"].tolist() == ["first"] + ["behind"] * 25
    assert set(board(27).table["standing"]) == {"first", "open"}
    assert board(27).open
    assert board(27).winner is None
    assert standing_of(board(27)) == "No winner: 10 repeats are too few to tell 27 solvers apart."


def test_a_lead_in_means_alone_is_none():
    """A few repeats far ahead make a better mean, and most repeats say the opposite."""
    frame = records({"seldom": lambda k: 0.9 if k % 12 == 0 else 0.498, "steady": BAD}, repeats=12)
    (board,), _ = leaderboards(frame)
    assert board.table[["method", "standing"]].values.tolist() == [
        ["seldom", "first"],
        ["steady", "mixed"],
    ]
    assert board.winner is None


def test_the_direction_is_that_of_the_task():
    """Where lower is better, the lowest is first."""
    (board,), _ = leaderboards(records({"high": GOOD, "low": BAD}, task="reconstruction"))
    assert board.first == "low"


def test_corruptions_are_jobs_of_their_own():
    """Clean and corrupted problems of a task are ranked apart."""
    clean = records({"a": GOOD, "b": BAD})
    noisy = records({"a": BAD, "b": GOOD}, corruption="salt-pepper", problem="faces, noisy")
    boards, _ = leaderboards(pd.concat([clean, noisy], ignore_index=True))
    assert {board.key: board.first for board in boards} == {
        "recognition": "a",
        "recognition-salt-pepper": "b",
    }
    assert boards[1].title == "Recognition under salt & pepper noise"


def test_halves_tell_how_stable_the_order_is():
    """Orders that are reversed from half to half have a tau of -1; equal ones of 1."""
    swapping = {"a": lambda k: 0.5 + 0.1 * (k % 2), "b": lambda k: 0.56 - 0.1 * (k % 2)}
    (board,), _ = leaderboards(records(swapping))
    assert board.agreement == pytest.approx(-1)
    assert board.first_of_halves == ("b", "a")
    (board,), _ = leaderboards(records({"a": GOOD, "b": BAD}))
    assert board.agreement == pytest.approx(1)


def test_a_failed_trial_is_the_worst():
    """Who fails is not first, however good the rest."""
    frame = records({"a": GOOD, "b": BAD})
    frame.loc[(frame["method"] == "a") & (frame["repeat"] == 3), ["status", "score"]] = (
        "failed",
        np.nan,
    )
    (board,), _ = leaderboards(frame)
    assert board.first == "b"


def test_solvers_without_records_are_not_ranked():
    """One that lacks records is left out; where most lack them, the job is."""
    (board,), _ = leaderboards(records({"a": GOOD, "b": BAD, "c": None}))
    assert board.table["method"].tolist() == ["a", "b"]
    assert board.asked == 3
    boards, lacking = leaderboards(records({"a": GOOD, "b": None, "c": None}))
    assert boards == []
    assert [criterion.task for criterion in lacking] == ["recognition"]
    assert leaderboards(records({"a": GOOD}))[0] == []
    assert leaderboards(records({"a": GOOD, "b": BAD}, repeats=5))[0] == []


def test_real_data_have_boards_of_those_who_have_records():
    """A kind of data is a job of its own; problems that few have done are left out."""
    scores = {name: (lambda k, s=s: s) for s, name in enumerate("abcde")}
    lacking = dict.fromkeys("fgh")
    faces = records(scores | lacking, kind="images", problem="faces")
    few = records(dict.fromkeys("bcde") | {"a": GOOD} | lacking, kind="images", problem="digits")
    generated = records(scores | lacking, problem="made up")
    given = pd.concat([faces, few, generated], ignore_index=True)
    (real,), _ = leaderboards(given, by_kind=True)
    assert (real.key, real.title) == ("recognition-images", "Recognition: images")
    assert real.problems == ["faces"]
    assert (len(real.table), real.asked) == (5, 8)
    assert (real.first, real.stable) == ("e", True)
    four = dict.fromkeys("abcd", GOOD)
    assert leaderboards(records(four | lacking, kind="images"), by_kind=True)[0] == []
    (whole,), _ = leaderboards(records(four, kind="images"), by_kind=True)
    assert (len(whole.table), whole.asked) == (4, 4)
    (small,), _ = leaderboards(given[given["problem"] != "digits"])
    assert (small.kind, small.asked) == (None, 8)


def test_the_front_has_whom_none_beats_in_quality_and_time():
    """A slower solver belongs to it if it is better."""
    frame = records({"slow": GOOD, "fast": BAD, "both": lambda k: 0.4})
    frame["cpu_seconds"] = frame["method"].map({"slow": 2.0, "fast": 0.1, "both": 1.0})
    (board,), _ = leaderboards(frame)
    costs = board.costs().set_index("method")
    assert costs["seconds"].to_dict() == pytest.approx({"slow": 2.0, "fast": 0.1, "both": 1.0})
    assert costs.index[costs["front"]].tolist() == ["fast", "slow"]


def test_seconds_are_of_the_processor_that_computed_most():
    """A solver that another one has fitted, be it one problem, has no place beside them."""
    scores = {"here": GOOD, "also here": AS_GOOD, "there": BAD, "both": lambda k: 0.4}
    frames = [records(scores, problem=problem) for problem in ("faces", "digits")]
    frame = pd.concat(frames, ignore_index=True)
    elsewhere = (frame["method"] == "there") | (frame["method"] == "both") & (
        frame["problem"] == "digits"
    )
    frame.loc[elsewhere, "host"] = [{"cpu": "another"}] * elsewhere.sum()
    frame.loc[elsewhere, "cpu_seconds"] = 3.0
    (board,), _ = leaderboards(frame)
    assert sorted(board.costs()["method"]) == ["also here", "here"]
    assert len(board.table) == 4


def races(seconds, loss, repeats=8):
    """Rows of races: each method falls from 9 to 1 in its seconds; None: it never does."""
    rows = []
    for method, time in seconds.items():
        steps = [(0, 0.0, 0.0, 9.0), (1, time or 1.0, time or 1.0, 1.0 if time else 5.0)]
        trace = np.array(steps, dtype=TRACE_DTYPE)
        rows += [
            {
                "task": "convergence",
                "problem": f"digits, {loss}",
                "corruption": None,
                "method": method,
                "repeat": k,
                "score": np.nan,
                "status": "done",
                "ranked": True,
                "loss": loss,
                "kind": None,
                "cpu_seconds": 1.0,
                "host": {"cpu": "this one"},
                "arrays": {"trace": trace},
            }
            for k in range(repeats)
        ]
    return pd.DataFrame(rows)


def test_races_are_ranked_by_loss():
    """Solvers that minimise one loss race each other, by the seconds to 1 % above the best."""
    rows = [
        races({"slow": 2.0, "fast": 0.5, "stuck": None}, "kl"),
        races({"a": 2.0, "b": 1.0}, "l2"),
    ]
    rows[1]["loss"] = "frobenius"
    boards, lacking = leaderboards(pd.concat(rows, ignore_index=True))
    assert not lacking
    kl, frobenius = boards
    assert (kl.key, kl.title) == ("convergence-kl", "Speed, Kullback-Leibler divergence")
    assert kl.table["method"].tolist() == ["fast", "slow", "stuck"]
    assert kl.table["standing"].tolist() == ["first", "behind", "behind"]
    assert kl.scores.set_index("method")["center"].to_dict() == {
        "fast": 0.5,
        "slow": 2.0,
        "stuck": np.inf,
    }
    assert frobenius.table["method"].tolist() == ["b", "a"]


def test_a_race_on_real_data_stands_for_its_loss_alone():
    """Other losses keep the leaderboard of the small problems."""
    small = pd.concat(
        [races({"a": 2.0, "b": 1.0}, loss) for loss in ("frobenius", "kl")], ignore_index=True
    )
    faces = races({"a": 1.0, "b": 2.0}, "frobenius").assign(kind="images", problem="faces")
    boards, _ = leaderboards(small)
    (real,), _ = leaderboards(pd.concat([small, faces], ignore_index=True), by_kind=True)
    assert (real.key, real.title) == (
        "convergence-frobenius-images",
        "Speed: images, Frobenius norm",
    )
    assert (real.problems, real.first) == (["faces"], "a")
    kept = [board.key for board in preferred([real, *boards])]
    assert kept == ["convergence-frobenius-images", "convergence-kl"]


def test_a_race_without_its_trace_is_not_ranked():
    """Nobody can say when it came near the best."""
    found = races({"slow": 2.0, "fast": 0.5, "away": 0.1}, "kl")
    away = found["method"] == "away"
    found["arrays"] = [
        {} if gone else arrays for gone, arrays in zip(away, found["arrays"], strict=True)
    ]
    (board,), _ = leaderboards(found)
    assert board.table["method"].tolist() == ["fast", "slow"]
    assert board.asked == 3
