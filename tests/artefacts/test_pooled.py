"""Pooled deviations against scipy's own tests of several groups."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from nmfbench.stats.pooled import pooled_means, t_ratio


def groups_of(runs, seed=0):
    """Runs of cells with means from 0 to 0.03, in two blocks."""
    rng = np.random.default_rng(seed)
    rows = [
        ("a", x, 0.01 * x + 0.01 * rng.standard_normal()) for x in range(4) for _ in range(runs)
    ]
    rows += [("b", x, rng.standard_normal()) for x in range(2) for _ in range(runs)]
    return pd.DataFrame(rows, columns=["set", "x", "score"]).groupby(["set", "x"])["score"]


def test_the_pooled_error_of_two_cells_is_that_of_the_t_test():
    """With two cells in a block, their difference over its error is Student's t."""
    groups = groups_of(3)
    cells = pooled_means(groups, "set").loc["b"]
    found = t_ratio(-cells["mean"].diff().iloc[1:], np.hypot(*cells["error"]))
    student = stats.ttest_ind(groups.get_group(("b", 0)), groups.get_group(("b", 1)))
    assert found == pytest.approx(student.statistic)
    assert cells["freedom"].tolist() == [student.df, student.df]


def test_single_runs_have_no_freedom():
    """Of one run in each cell nothing is known of a deviation."""
    cells = pooled_means(groups_of(1), "set")
    assert (cells["freedom"] == 0).all()
    assert (cells["error"] == 0).all()
