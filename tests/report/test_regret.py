"""The page on the regret of recommend, and the benchmark that measures it."""

import json

import numpy as np
import pytest

from benchmarks.recommend import Split, names, problem_named
from nmfbench.reports.regret import rows_of, write_regret

ROW = {
    "problem": "one", "shape": [30, 20], "rank": 4, "rank_low": 3, "rank_high": 5, "rank_known": 4,
    "loss": "kl", "loss_known": "frobenius", "solver": "kl-mu", "error_regret": 0.004,
    "objective_regret": 0.0, "ratio_to_defaults": 0.5, "ratio_to_known_rank": 1.1,
    "seconds": 60.0, "reference_seconds": 30.0, "budget": 60.0, "reference": 10.0,
}  # fmt: skip


def test_the_page_says_how_often_it_is_right(tmp_path):
    """Medians and counts are of the rows, and budgets are the measured ones."""
    other = ROW | {"problem": "two", "error_regret": 0.02, "rank_known": None, "loss_known": None}
    page = write_regret([ROW, other], tmp_path).read_text(encoding="utf-8")
    for words in (
        "2 of the 16 problems",
        "Median regret in held-out error 1.20 %",
        "at most 1 % on 1 of 2",
        "chosen in 0 of 1 cases",
        "Budgets: 60 seconds",
        "Budgets were shortened.",
        "at most 1 %: missed",
        "more than 2 %: reached",
        "everything: missed, as <code>recommend</code> took 2.0 times",
    ):
        assert words in page


def test_the_page_says_which_goals_are_reached(tmp_path):
    """At the budgets of the goals, from the rows alone; what is worse than defaults is named."""
    row = ROW | {"budget": 300.0, "reference": 120.0, "seconds": 3.0}
    rows = [row, row | {"problem": "two", "ratio_to_defaults": 1.03}]
    page = write_regret(rows, tmp_path).read_text(encoding="utf-8")
    assert "shortened" not in page
    for words in ("at most 1 %: reached", "2 %: missed on two.", "everything: reached"):
        assert words in page


def test_no_file_no_rows(tmp_path):
    """Without results there is no page to write; the page has the rows of the file."""
    assert rows_of(tmp_path / "none.json") == []
    (tmp_path / "some.json").write_text(json.dumps([ROW]))
    assert rows_of(tmp_path / "some.json") == [ROW]


@pytest.mark.parametrize("name", [name for name in names() if "rank" in name])
def test_generated_problems_are_as_written_down(name):
    """Shapes are as in the split, nothing is negative, and a second draw is the same."""
    problem, X = problem_named(name)
    assert X.shape == tuple(problem["shape"])
    assert X.min() >= 0
    np.testing.assert_array_equal(problem_named(name)[1], X)


def test_the_block_is_hidden_from_the_rest():
    """The four parts make up the matrix, and factors that are known predict the block."""
    rng = np.random.default_rng(0)
    W, H = rng.random((40, 3)), rng.random((3, 32))
    split = Split(W @ H, np.random.default_rng(1))
    assert split.x.shape == (10, 8)
    assert split.D.shape == (30, 24)
    assert sum(part.size for part in (split.x, split.B, split.C, split.D)) == 40 * 32
