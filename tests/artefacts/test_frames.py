"""Rows and means of a frame that tests ask for more than once."""

import gc

import numpy as np
import pandas as pd

from nmfbench.artefacts import frames
from nmfbench.artefacts.comparisons import better, per_repeat
from nmfbench.artefacts.finding import within
from nmfbench.artefacts.frames import once, rows_at, select_rows


def made(seed=0, level=1):
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product([["a", "b"], [level, level + 1], range(4)])
    columns = index.to_frame(index=False, name=["method", "level", "repeat"])
    return columns.assign(score=rng.random(len(columns)))


def test_rows_are_selected_once_for_each_frame_and_condition():
    """By value and by list; another frame, or another condition, is another selection."""
    frame, other = made(), made()
    for at in ({"method": "a"}, {"method": ["a", "b"], "level": 2}, {"level": {1, 2}}):
        pd.testing.assert_frame_equal(rows_at(frame, at), select_rows(frame, at))
        assert rows_at(frame, at) is rows_at(frame, dict(at))
        assert rows_at(other, at) is not rows_at(frame, at)


def test_what_was_made_goes_with_its_frame():
    """Also rows of rows, which only the rows keep alive; another frame in its place has its own."""
    before = set(frames._MADE)
    frame = made()
    rows_at(rows_at(frame, {"method": "a"}), {"level": 1})
    assert len(set(frames._MADE) - before) == 2
    del frame
    gc.collect()
    assert set(frames._MADE) == before
    for seed in range(20):  # in memory that was given back
        frame = made(seed)
        assert once(frame, "sum", lambda frame=frame: frame["score"].sum()) == frame["score"].sum()


def test_means_are_told_apart_by_all_that_they_depend_on():
    """Side, value, cells, unit and scale; and each frame has its own."""
    frame = made()
    frame = frame.assign(double=2 * frame["score"])
    sides = ["a", "b", {"method": "a", "level": 1}]
    found = [
        tuple(per_repeat(frame, side, value, by, unit=unit, ratio=ratio))
        for side in sides
        for value in ("score", "double")
        for by, unit in (((), "repeat"), (("level",), "repeat"), ((), "level"))
        for ratio in (False, True)
    ]
    # Of the side with one level, cells by level are its repeats.
    assert len(set(found)) == len(found) - 4
    assert not per_repeat(made(1), "a", "score").equals(per_repeat(frame, "a", "score"))


def test_tests_of_rows_find_what_they_find_on_a_frame_of_these_rows():
    """A second test of the same rows, too."""
    frame = made()
    for _ in range(2):
        for level in (1, 2):
            inside = within({"level": level}, better("a", "b", "score"))(frame)
            alone = better("a", "b", "score")(select_rows(frame, level=level))
            assert inside.estimates == alone.estimates
