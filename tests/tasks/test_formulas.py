"""Formulas of RNMFD and ANP: the searches agree with what is known, and see what is wrong."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from nmfbench.solvers import make_solver
from nmfbench.tasks import formulas


def images(seed=0, n=20):
    rng = np.random.default_rng(seed)
    return Bunch(X=rng.random((n, 12)), y=np.arange(n) % 4)


@pytest.mark.parametrize(
    ("e", "lam", "s", "value"),
    [(1.0, 0.5, 0.75, 0.4375), (-1.0, 0.5, -0.75, 0.4375), (0.2, 1, 0, 0.04)],
)
def test_the_search_finds_the_sparse_entry(e, lam, s, value):
    """By hand: an error of 1 at the weight 1/2 leaves 1/4, one below half of the weight all."""
    assert formulas._best_entry(e, lam) == pytest.approx((s, value), abs=1e-7)


def test_huber_is_what_a_fit_pays():
    """All three differences are of rounding, or of the search."""
    solver = make_solver("rnmfd", random_state=0, max_iter=20)
    found = formulas.huber_loss(images(), solver, np.random.default_rng(0), n_components=4)
    assert max(found.metrics.values()) < 1e-6


def test_the_bound_of_lemma_2_is_of_a_quadratic():
    """It holds without orthogonality; with it the quartic passes it for a large entry."""
    gaps = {}
    for beta in (0.0, 100.0):
        solver, rng = make_solver("rnmfd", beta=beta), np.random.default_rng(0)
        found = formulas.auxiliary_function(images(), solver, rng, n_components=4).metrics
        gaps[beta] = found["lowest-gap"]
    assert gaps[0.0] > -1e-12
    assert gaps[100.0] < -1


def test_the_kkt_residual_of_rnmfd_falls():
    """Long fits end nearer to a stationary point than short ones."""
    found = []
    for n in (5, 500):
        solver = make_solver("rnmfd", max_iter=n, tol=0.0, alpha=1.0, beta=1.0)
        outcome = formulas.rnmfd_stationarity(
            images(), solver, np.random.default_rng(0), n_components=3
        )
        found.append(outcome.metrics["kkt-residual"])
    assert found[1] < 0.5 * found[0]


def test_the_formula_of_anp_is_least_squares():
    """The trace is the least value of the regression."""
    solver, rng = make_solver("anp"), np.random.default_rng(0)
    found = formulas.anp_trace(images(), solver, rng, n_components=4).metrics
    assert max(found.values()) < 1e-6


def test_the_slope_along_the_scale_is_that_of_the_objective():
    """A difference quotient of the trace, along W times t."""
    rng, ridge = np.random.default_rng(0), 1.0
    solver = make_solver("anp", random_state=0, max_iter=5, normalize=False, lam2=ridge)
    data = images()
    found = formulas.anp_stationarity(data, solver, rng, n_components=3).metrics
    W = solver.fit_transform(
        formulas._images(data, None, None),
        **formulas.drawn_start(
            solver, formulas._images(data, None, None), 3, np.random.default_rng(0)
        ),
    )

    def trace(t):
        return np.trace(np.linalg.inv(t**2 * W.T @ W + ridge * np.eye(3)))

    slope = (trace(1 + 1e-5) - trace(1 - 1e-5)) / 2e-5
    assert found["scale-slope"] == pytest.approx(-slope / trace(1), rel=1e-4)


def test_starts_that_end_alike_have_no_spread():
    """A problem of rank 1 has one optimum."""
    rng = np.random.default_rng(0)
    solver = make_solver("anp", lam1=0.0, tol=1e-10, max_iter=2000)
    found = formulas.anp_optima(images(), solver, rng, n_components=1, n_starts=3).metrics
    assert found["spread-of-optima"] < 1e-6
