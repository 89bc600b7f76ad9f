"""Symmetric NMF in the Frobenius norm: stationarity, recovery, the start of its l1 twin, input."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from nmfbench.optim.losses import frobenius_sq
from nmfbench.solvers.frobenius.sym_mu import SymMU
from nmfbench.solvers.manhattan.mahnmf_sym import MahNMFSym


def similarity(seed=0, n=12, r=3, noise=0.1):
    """A random symmetric matrix near one of low rank, and H."""
    rng = np.random.default_rng(seed)
    H = rng.random((n, r))
    X = H @ H.T + noise * rng.random((n, n))
    return (X + X.T) / 2, H


@pytest.mark.against("sym-mu", "scipy.optimize.minimize")
def test_no_descent_is_left_at_the_end():
    """Bounded quasi-Newton steps from the end lower the objective no further."""
    X, _ = similarity()
    model = SymMU(n_components=3, tol=0, max_iter=20000, random_state=0)
    H = model.fit_transform(X)

    def value(h):
        E = X - h.reshape(H.shape) @ h.reshape(H.shape).T
        return np.sum(E**2), (-4 * E @ h.reshape(H.shape)).ravel()

    better = minimize(value, H.ravel(), jac=True, method="L-BFGS-B", bounds=[(0, None)] * H.size)
    assert model.objective_ == pytest.approx(frobenius_sq(X, H, H))
    assert better.fun >= model.objective_ * (1 - 1e-5)


@pytest.mark.against("sym-mu", "the formula of its step")
def test_a_step_is_the_formula():
    """One iteration multiplies H by 1/2 and half the ratio of the two parts of the gradient."""
    X, _ = similarity()
    H = np.random.default_rng(1).random((12, 3))
    found = SymMU(n_components=3, max_iter=1).fit(X, W=H, H=H.T).components_.T
    np.testing.assert_allclose(found, H * (0.5 + 0.5 * (X @ H) / (H @ H.T @ H)), rtol=1e-13)


@pytest.mark.against("sym-mu", "planted blocks")
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_blocks_are_recovered(kind):
    """Blocks of rank one are factorized exactly, a component a block, from dense or sparse data."""
    H = np.zeros((15, 3))
    for k in range(3):
        H[5 * k : 5 * k + 5, k] = np.random.default_rng(k).uniform(0.5, 1.5, 5)
    model = SymMU(n_components=3, random_state=0, tol=0, max_iter=3000)
    W = model.fit_transform(kind(H @ H.T))
    order = np.argmax(W[[0, 5, 10]], axis=1)
    np.testing.assert_allclose(W[:, order], H, atol=1e-6)
    np.testing.assert_array_equal(model.components_, W.T)


def test_it_is_the_start_of_its_twin():
    """After 300 iterations it is where the l1 solver begins by default."""
    X, _ = similarity(n=30)
    model = SymMU(n_components=4, random_state=3, max_iter=300, tol=0)
    H = model.fit_transform(X)
    start = MahNMFSym.inits["symmetric"](X, 4, np.random.default_rng(3))[0]
    np.testing.assert_allclose(H, start, rtol=1e-12)


def test_a_step_may_overshoot():
    """From a start far too small the objective rises, as the docstring says."""
    small = np.full((1, 1), 0.1)
    model = SymMU(max_iter=1).fit(np.ones((1, 1)), W=small, H=small)
    assert model.components_[0, 0] == pytest.approx(5.05)
    assert model.trace_["objective"][1] > model.trace_["objective"][0]


def test_degenerate_similarities():
    """Zeros give zeros, and a sample without similarities has a zero row at the end."""
    zero = SymMU(n_components=2, random_state=0).fit(np.zeros((5, 5)))
    assert not zero.components_.any()
    X, _ = similarity()
    X[4] = X[:, 4] = 0
    H = SymMU(n_components=3, random_state=0, max_iter=2000, tol=0).fit_transform(X)
    np.testing.assert_allclose(H[4], 0, atol=1e-12)


def test_bad_input_is_refused():
    """An asymmetric matrix, dense or sparse, and two different factors are refused."""
    X, H = similarity()
    skew = X.copy()
    skew[2, 5] += 0.01
    for kind in (np.asarray, sp.csr_matrix):
        with pytest.raises(ValueError, match=r"X must be symmetric.*X\[\d, \d\]"):
            SymMU(n_components=3).fit(kind(skew))
    with pytest.raises(ValueError, match="must be square"):
        SymMU(n_components=3).fit(X[:, :5])
    with pytest.raises(ValueError, match=r"H=W\.T"):
        SymMU(n_components=3).fit(X, W=H, H=H.T + 1)
