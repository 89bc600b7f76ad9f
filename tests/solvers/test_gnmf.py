"""GNMF and DNMF: objective, the step against its definition, special cases, descent."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import approx_fprime
from sklearn.preprocessing import normalize

from nmfbench.optim import graphs
from nmfbench.optim.kernels.floored_ratio import FLOOR, graph_ratio, neighbor_sums, power_ratio
from nmfbench.solvers.frobenius.mu import MU
from nmfbench.solvers.graph.base import feature_affinity
from nmfbench.solvers.graph.dnmf import DNMF
from nmfbench.solvers.graph.gnmf import GNMF

N, M, R = 12, 9, 3


def problem(seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((N, M)), rng.random((N, R)), rng.random((R, M))


def laplacian(S):
    """Dense, from the definition."""
    S = S.toarray()
    return np.diag(S.sum(axis=1)) - S


def objective(X, W, H, L, alpha, L_features=None, mu=0.0):
    """Objective of GNMF and DNMF, from the definition."""
    value = np.sum((X - W @ H) ** 2) + alpha * np.trace(W.T @ L @ W)
    return value + (mu * np.trace(H @ L_features @ H.T) if mu else 0.0)


@pytest.mark.against(("dnmf", "gnmf"), "scipy.optimize.approx_fprime")
@pytest.mark.parametrize("weights", [(0.0, 0.0), (0.7, 0.0), (0.7, 0.3), (100.0, 100.0)])
def test_a_sweep_is_a_step_along_the_gradient(weights):
    """Either factor moves by minus the gradient, times itself over twice the denominator."""
    X, W, H = problem()
    alpha, mu = weights
    params = {"n_components": R, "alpha": alpha, "max_iter": 1, "n_neighbors": 2, "scale": "none"}
    if mu:
        model = DNMF(**params, alpha_features=mu, normalize=False)
    else:
        model = GNMF(**params, normalize=False)
    new_W = model.fit_transform(X, W=W, H=H)
    new_H = model.components_
    S, T = graphs.knn_affinity(X, 2), feature_affinity(X, 2)
    L, K = laplacian(S), laplacian(T)

    def value(W, H):
        return objective(X, W, H, L, alpha, K, mu)

    slope = approx_fprime(H.ravel(), lambda h: value(W, h.reshape(R, M)), 1e-7).reshape(R, M)
    below = W.T @ W @ H + mu * H * T.sum(axis=0)
    np.testing.assert_allclose(new_H, H - H / (2 * below) * slope, atol=2e-5)
    slope = approx_fprime(W.ravel(), lambda w: value(w.reshape(N, R), new_H), 1e-7).reshape(N, R)
    below = W @ new_H @ new_H.T + alpha * S.sum(axis=1)[:, None] * W
    np.testing.assert_allclose(new_W, W - W / (2 * below) * slope, atol=2e-5)
    assert model.trace_["objective"][0] == pytest.approx(value(W, H))
    assert model.objective_ == pytest.approx(value(new_W, new_H))


@pytest.mark.parametrize("sparse", [False, True])
def test_without_weight_it_is_plain_nmf(sparse):
    """GNMF with weight 0 is NMF-MU of the transposed data, as H comes first."""
    X, W, H = problem()
    data = sp.csr_matrix(X) if sparse else X
    model = GNMF(n_components=R, alpha=0, scale="none", normalize=False, max_iter=30, tol=0)
    found = model.fit_transform(data, W=W, H=H)
    plain = MU(n_components=R, max_iter=30, tol=0)
    expected = plain.fit_transform(X.T, W=H.T, H=W.T)
    np.testing.assert_allclose(model.components_.T, expected, rtol=1e-9)
    np.testing.assert_allclose(found.T, plain.components_, rtol=1e-9)
    np.testing.assert_allclose(model.trace_["objective"], plain.trace_["objective"])


def test_without_weight_on_the_features_dnmf_is_gnmf():
    """DNMF with alpha_features=0 is GNMF."""
    X, W, H = problem()
    params = {"n_components": R, "alpha": 3.0, "max_iter": 30, "tol": 0}
    fits = [GNMF(**params).fit(X, W=W, H=H), DNMF(**params, alpha_features=0).fit(X, W=W, H=H)]
    np.testing.assert_allclose(fits[1].components_, fits[0].components_, rtol=1e-12)
    np.testing.assert_array_equal(fits[1].trace_["objective"], fits[0].trace_["objective"])


def test_dnmf_is_symmetric_in_samples_and_features():
    """Transposed data with the weights exchanged have the objective of the data, at the start."""
    X, W, H = problem()
    params = {"n_components": R, "scale": "none", "max_iter": 1}
    a = DNMF(**params, alpha=2.0, alpha_features=5.0).fit(X, W=W, H=H)
    b = DNMF(**params, alpha=5.0, alpha_features=2.0).fit(X.T, W=H.T, H=W.T)
    assert a.trace_["objective"][0] == pytest.approx(b.trace_["objective"][0])


@pytest.mark.against("dnmf", "the conditions of an optimum")
def test_dnmf_ends_where_the_gradient_vanishes():
    """At the limit, slopes vanish or entries do, and no slope is negative."""
    X, W, H = problem(1)
    alpha, mu = 0.5, 0.3
    params = {"n_components": R, "scale": "none", "n_neighbors": 2, "normalize": False}
    model = DNMF(**params, alpha=alpha, alpha_features=mu, max_iter=5000, tol=0)
    W = model.fit_transform(X, W=W, H=H)
    H = model.components_
    L, K = laplacian(graphs.knn_affinity(X, 2)), laplacian(feature_affinity(X, 2))
    slope_W = 2 * (W @ H - X) @ H.T + 2 * alpha * L @ W
    slope_H = 2 * W.T @ (W @ H - X) + 2 * mu * H @ K
    for factor, slope in ((W, slope_W), (H, slope_H)):
        assert np.abs(factor * slope).max() < 1e-6
        assert slope.min() > -1e-5


def test_a_heavy_graph_makes_its_parts_constant():
    """Where the graph is all that counts, samples joined by a path get one representation."""
    X, _, _ = problem()
    parts = np.arange(N) % 2
    S = (parts[:, None] == parts).astype(float)
    model = GNMF(n_components=R, alpha=1e4, affinity=S, max_iter=1000, tol=0, random_state=0)
    W = model.fit_transform(X)
    for part in (0, 1):
        rows = W[parts == part]
        assert np.abs(rows - rows.mean(axis=0)).max() < 1e-3 * W.max()


def test_normalising_keeps_the_product_and_the_trace():
    """Unit components equal the plain fit's, scaled, and W is scaled inversely."""
    X, W, H = problem()
    params = {"n_components": R, "alpha": 1.0, "max_iter": 20}
    plain, unit = GNMF(**params, normalize=False), GNMF(**params)
    plain_W, unit_W = plain.fit_transform(X, W=W, H=H), unit.fit_transform(X, W=W, H=H)
    np.testing.assert_allclose(np.linalg.norm(unit.components_, axis=1), 1)
    np.testing.assert_allclose(unit_W @ unit.components_, plain_W @ plain.components_)
    np.testing.assert_array_equal(unit.trace_["objective"], plain.trace_["objective"])
    exact = objective(
        normalize(X), plain_W, plain.components_, laplacian(graphs.knn_affinity(normalize(X))), 1.0
    )
    assert plain.objective_ == pytest.approx(exact)


def test_features_are_joined_by_their_values():
    """The graph of the features is that of the columns, dense or sparse."""
    X, _, _ = problem()
    expected = graphs.knn_affinity(X.T, 3).toarray()
    for data in (X, sp.csr_matrix(X)):
        np.testing.assert_array_equal(feature_affinity(data, 3).toarray(), expected)


@pytest.mark.parametrize("solver", [GNMF, DNMF])
@pytest.mark.parametrize("bad", [-1.0, np.inf, np.nan])
def test_weights_that_make_no_sense_are_refused(solver, bad):
    """A weight is finite and not negative."""
    X, _, _ = problem()
    names = ["alpha"] + (["alpha_features"] if solver is DNMF else [])
    for name in names:
        with pytest.raises(ValueError, match=f"{name} must be a finite number"):
            solver(n_components=R, **{name: bad}).fit(X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("power", [1.0, 0.5, 0.25, 0.7])
def test_power_ratio_is_its_formula(power, dtype):
    """Ratios are raised to any power; floors hold; the factor may be overwritten."""
    rng = np.random.default_rng(0)
    factor, above, below = rng.random((3, 7, 4)).astype(dtype)
    factor[0, 0], above[1, 1], below[2, 2] = FLOOR, 0, 0
    expected = factor * (above / np.maximum(below, 1e-10)) ** power
    out = np.empty_like(factor)
    power_ratio(out, factor, above, below, power)
    np.testing.assert_allclose(out, np.maximum(expected, FLOOR), rtol=1e-5)
    power_ratio(factor, factor, above, below, power)
    np.testing.assert_array_equal(factor, out)
    assert out.min() == dtype(FLOOR)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_graph_ratio_is_its_formula(dtype):
    """The formula with its floors; samples without neighbours are plain."""
    rng = np.random.default_rng(0)
    S = np.triu(rng.random((7, 7)) * (rng.random((7, 7)) < 0.4), 1)
    S += S.T
    S[3] = S[:, 3] = 0
    A = sp.csr_array(S)
    factor, above, below = rng.random((3, 7, 4)).astype(dtype)
    above[3, 2] = below[3, 1] = 0
    d, weight, sums = S.sum(axis=1), 2.5, np.empty_like(factor)
    rtol = 1e-5 if dtype == np.float32 else 1e-13
    neighbor_sums(sums, factor, A.indptr, A.indices, A.data)
    np.testing.assert_allclose(sums, S @ factor, rtol=rtol)
    below_all = np.maximum(below + weight * d[:, None] * factor, 1e-10)
    expected = np.maximum(factor * (above + weight * S @ factor) / below_all, FLOOR)
    graph_ratio(factor, above, below, sums, d, weight)
    np.testing.assert_allclose(factor, expected, rtol=rtol)
    assert factor[3, 2] == dtype(FLOOR)
