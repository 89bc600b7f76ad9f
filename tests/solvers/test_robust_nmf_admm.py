"""Robust NMF by ADMM: planted factorizations, exact sub-problems, and a plain transcription."""

import numpy as np
import pytest
from scipy.optimize import nnls

from nmfbench.optim.kernels.shrinkage import step_residual
from nmfbench.optim.losses import manhattan
from nmfbench.optim.projections import project_manhattan
from nmfbench.solvers.frobenius.hals import HALS
from nmfbench.solvers.manhattan.robust_nmf_admm import RobustNMFADMM


def planted(n=80, m=60, r=4, share=0.05, seed=0):
    """A product of sparse non-negative factors, and that with outliers as large as its largest."""
    rng = np.random.default_rng(seed)
    W, H = (rng.exponential(size=s) * (rng.random(s) < 0.6) for s in ((n, r), (r, m)))
    L = W @ H
    wrong = rng.random((n, m)) < share
    return L, np.where(wrong, L.max() * rng.random((n, m)), L)


def start(n, m, r, seed=1):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)), rng.random((r, m))


def soft(V, t):
    return np.sign(V) * np.maximum(np.abs(V) - t, 0)


def distance(A, B):
    return np.linalg.norm(A - B) / np.linalg.norm(B)


@pytest.mark.against("robust-nmf-admm", "planted factors")
@pytest.mark.parametrize("init", ["uniform", "random"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_planted_factorization_is_found_under_outliers(init, seed):
    """Gross errors in 5 % of the entries do no harm, while least squares are led astray."""
    L, X = planted(seed=seed)
    model = RobustNMFADMM(n_components=4, init=init, tol=1e-6, max_iter=2000, random_state=0)
    W = model.fit_transform(X)
    assert distance(W @ model.components_, L) < 1e-3
    assert model.objective_ <= (1 + 1e-3) * np.abs(X - L).sum()
    euclidean = HALS(n_components=4, max_iter=2000, tol=1e-8)
    assert distance(euclidean.fit_transform(X) @ euclidean.components_, L) > 0.2


def test_each_factor_is_near_the_exact_optimum_given_the_other():
    """The exact l1 projection on either factor gains less than 1 % on noisy data."""
    rng = np.random.default_rng(3)
    X = planted()[1] + rng.laplace(0, 0.05, (80, 60)).clip(0)
    model = RobustNMFADMM(n_components=4, tol=1e-6, max_iter=2000, random_state=0)
    W = model.fit_transform(X)
    H = model.components_
    exact = np.abs(X - project_manhattan(X, H) @ H).sum()
    assert exact <= model.objective_ * (1 + 1e-12)
    assert model.objective_ <= 1.01 * exact
    exact = np.abs(X.T - project_manhattan(np.ascontiguousarray(X.T), W.T.copy()) @ W.T).sum()
    assert exact <= model.objective_ * (1 + 1e-12)
    assert model.objective_ <= 1.01 * exact
    certificate = model.certificate(X)
    assert certificate["dual_bound"] <= certificate["primal"] <= model.objective_ * (1 + 1e-9)


@pytest.mark.against("robust-nmf-admm", "its formulas, with scipy.optimize.nnls")
def test_iterations_are_those_of_the_method_of_multipliers():
    """With enough sweeps for exact least squares, each step is the textbook's."""
    X = planted(20, 15, 3)[1]
    W, H = start(20, 15, 3)
    P, dual = W @ H, np.zeros_like(X)
    objectives = [np.abs(X - P).sum()]
    for n_iter in range(6):
        # The penalty is the inverse of the least mean residual before this one.
        before = [X.sum(), *objectives[:n_iter]]
        t = min(before) / X.size / 2.5
        U = t * dual
        Z = soft(X - P - U, t)
        U = U + P + Z - X
        dual = U / t
        T = X - Z - U
        W = np.array([nnls(H.T, row)[0] for row in T])
        H = np.array([nnls(W, column)[0] for column in T.T]).T
        P = W @ H
        objectives.append(np.abs(X - P).sum())
    first = start(20, 15, 3)
    model = RobustNMFADMM(n_components=3, rho=2.5, sweeps=5000, max_iter=6)
    model.fit(X, W=first[0], H=first[1])
    np.testing.assert_allclose(model.trace_["objective"], objectives, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_fused_pass_equals_its_formulas(dtype):
    """Fitted values become the target, the multiplier its successor; the loss is returned."""
    rng = np.random.default_rng(0)
    X, F, U = rng.standard_normal((3, 9, 7)).astype(dtype)
    E = X - F
    Z = soft(E - 0.5 * U, 0.3)
    after = 0.5 * U - E + Z
    target, multiplier = F.copy(), U.copy()
    value = step_residual(target, multiplier, X, 0.3, 0.5)
    atol = 1e-5 if dtype == np.float32 else 1e-14
    np.testing.assert_allclose(multiplier, after, atol=atol)
    np.testing.assert_allclose(target, X - Z - after, atol=atol)
    assert value == pytest.approx(np.abs(E).sum(dtype=np.float64), rel=1e-6)


def test_the_best_factors_of_all_starts_are_returned():
    """More starts never end higher, the trace holds them all, and they share one generator."""
    X = planted(40, 30, 4)[1]
    settings = {"n_components": 4, "random_state": 1, "max_iter": 15, "tol": 0}
    one = RobustNMFADMM(**settings).fit(X)
    four = RobustNMFADMM(n_init=4, **settings)
    W = four.fit_transform(X)
    assert len(one.trace_) == 16
    assert len(four.trace_) == 61
    np.testing.assert_array_equal(four.trace_["objective"][:16], one.trace_["objective"])
    assert len(np.unique(four.trace_["objective"][[15, 30, 45, 60]])) == 4
    assert four.objective_ == four.trace_["objective"].min() < one.objective_
    assert manhattan(X, W, four.components_.T.copy()) == pytest.approx(four.objective_)


def test_the_stop_reason_is_that_of_the_last_start():
    """A start that stalls has converged; one that runs out of iterations has not."""
    X = planted()[1]
    short = RobustNMFADMM(n_components=4, max_iter=5, random_state=0).fit(X)
    assert (short.stop_reason_, short.n_iter_) == ("max_iter", 5)
    long = RobustNMFADMM(n_components=4, max_iter=500, n_init=2, random_state=0).fit(X)
    assert long.stop_reason_ == "converged"
    assert long.n_iter_ < 1000


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_scale_of_the_data_does_not_matter(scale):
    """The penalty follows the data, so scaled data take the same way."""
    X = planted(30, 20, 3)[1]
    W, H = start(30, 20, 3)
    plain = RobustNMFADMM(n_components=3, max_iter=20).fit(X, W=W, H=H)
    scaled = RobustNMFADMM(n_components=3, max_iter=20).fit(scale * X, W=scale * W, H=H)
    np.testing.assert_allclose(
        scaled.trace_["objective"] / scale, plain.trace_["objective"], rtol=1e-9
    )


def test_zero_data_and_dead_components_do_no_harm():
    """Nothing to fit gives zero, and a component without a partner is counted."""
    assert RobustNMFADMM(n_components=2, random_state=0).fit(np.zeros((5, 4))).objective_ == 0
    X = planted(30, 20, 3)[1]
    W, H = start(30, 20, 3)
    W[:, 1] = 0
    H[1] = 0
    model = RobustNMFADMM(n_components=3).fit(X, W=W, H=H)
    assert model.n_dead_components_ == 1
    assert np.isfinite(model.objective_)


@pytest.mark.parametrize(
    ("name", "value"),
    [("rho", 0.0), ("n_init", 0), ("sweeps", 0), ("init", "svd"), ("max_iter", 0), ("tol", -1.0)],
)
def test_parameters_out_of_range_are_named(name, value):
    """A parameter that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=name):
        RobustNMFADMM(n_components=2, **{name: value}).fit(np.ones((4, 3)))
