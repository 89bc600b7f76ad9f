"""The page on the regret of recommend, and the benchmark that measures it."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import ranks
from benchmarks.recommend import Split, names, problem_named
from nmfbench.reports.regret import RANKS_FILE, rank_facts, rows_of, write_regret

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


# -- ranks ------------------------------------------------------------------------------------


def test_the_page_counts_ranks_by_rule(tmp_path):
    """Right, off by one, and never asked; the range is that of recommend."""
    shared = {"noise": "gamma", "shape": [9, 8]}
    rows = [
        shared | {"rank": 3, "low": 2, "high": 3, "chosen": {"a": 3, "b": 5}},
        shared | {"rank": 6, "low": 7, "high": 8, "chosen": {"a": 7, "b": None}},
    ]
    facts = rank_facts(rows)
    assert (facts["count"], facts["known"], facts["within"]) == (2, [3, 6], 1)
    first, second = facts["rules"]
    assert (first["exact"], first["near"], first["error"]) == (1, 2, 0.5)
    assert (second["exact"], second["near"], second["error"]) == (0, 0, 2.0)
    assert second["cells"] == [[5, None]]
    page = write_regret([ROW], tmp_path, rows).read_text(encoding="utf-8")
    for words in ("chooses the rank in 1 cases", "range has it in 1", "<td>3, 7</td>", "5, –"):
        assert words in page
    assert rank_facts([]) is None
    assert "How often" not in write_regret([ROW], tmp_path).read_text(encoding="utf-8")


@pytest.mark.parametrize("noise", ranks.NOISES)
def test_matrices_have_their_rank(noise):
    """Exact ones have it, and one multiple of each component; noisy ones are non-negative."""
    X = ranks.matrix(noise, 6)
    assert X.shape == ranks.SHAPE
    assert X.min() >= 0
    np.testing.assert_array_equal(ranks.matrix(noise, 6), X)
    if noise == "none":
        assert np.linalg.matrix_rank(X) == 6


def test_rules_find_a_rank_that_is_plain():
    """Singular values far above the noise, and five blocks that every start finds."""
    rng = np.random.default_rng(0)
    X = 5 + rng.normal(size=(100, 4)) @ rng.normal(size=(4, 60)) + 0.05 * rng.normal(size=(100, 60))
    assert ranks.hard_threshold(X) == 5  # with the mean
    assert ranks.evidence(X) == 4  # without
    blocks = np.kron(np.eye(5), np.ones((12, 8))) + 0.01 * rng.random((60, 40))
    assert ranks.most_consistent(blocks) == 5


def test_the_docs_say_what_was_measured():
    """Numbers in the page for practitioners are those of the files."""
    rows, own = rows_of(RANKS_FILE), rank_facts(rows_of(RANKS_FILE))["rules"][0]
    regret = float(np.median([row["error_regret"] for row in rows_of()]))
    assert own["name"] == "recommend"
    text = (Path(__file__).parents[2] / "docs" / "practitioners.md").read_text(encoding="utf-8")
    text = " ".join(text.split())
    for words in (
        f"On {len(rows)} matrices of known rank",
        f"right on {own['exact']} and off by one on {own['near'] - own['exact']} ",
        f"On {len(rows_of())} problems held back",
        f"{100 * regret:.2f}".lstrip("0") + " % (median)",
    ):
        assert words in text
