"""The benchmark of variants of HALS that were tried."""

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import tried
from benchmarks.data import factors, low_rank
from nmfbench.optim import losses


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("variant", tried.VARIANTS)
def test_variants_descend_to_where_hals_ends(variant, form):
    """All minimise one objective from one start, and their traces are of it."""
    X = low_rank(60, 40, 3)
    W, H = factors(60, 40, 3, X.mean())
    runs = {}
    for name in ("hals", variant):
        tried.run_of(name, form(X), W, H, 1e-9)  # compiles
        runs[name] = tried.run_of(name, form(X), W, H, 0.1)["objective"]
    objective = runs[variant]
    assert objective[0] == pytest.approx(losses.frobenius_sq(X, W, H.T))
    assert (np.diff(objective) <= 1e-9 * objective[0]).all()
    assert objective[-1] == pytest.approx(runs["hals"][-1], rel=1e-3)


def test_tables_are_printed(capsys):
    """A race and the ends of one problem, for a moment."""
    chosen = ["-k", "low rank", "--variants", "sweeps 2", "--starts", "1", "--ends", "2"]
    assert tried.main([*chosen, "--seconds", "0.05"]) == 0
    printed = capsys.readouterr().out
    assert "sweeps 2" in printed
    assert "greedy" not in printed
    assert "exponential" in printed
