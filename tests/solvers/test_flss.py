"""Factorized latent spaces: blocks, balance, stationarity, components that are dropped, codes."""

import numpy as np
import pytest
from scipy.optimize import minimize

from nmfbench.optim.fista import monotone_fista
from nmfbench.optim.proximal import GroupPenalty, group_norms
from nmfbench.solvers.multiview.flss import FLSS

VIEWS = [slice(0, 6), slice(6, 10), slice(10, 18)]
GROUPS = [np.arange(18)[view] for view in VIEWS]


def problem(seed=0, n=40, noise=0.02):
    """Signed data with one component for all views, and a private one for each."""
    rng = np.random.default_rng(seed)
    H = rng.standard_normal((4, 18))
    for k, view in enumerate(VIEWS):
        H[k] *= np.isin(np.arange(18), np.arange(18)[view])
    return rng.uniform(-1, 1, (n, 4)) @ H + noise * rng.standard_normal((n, 18))


def value(X, W, H, lam, gamma):
    """The objective, from its definition."""
    features = sum(np.abs(row[g]).max() for row in H for g in GROUPS)
    samples = np.abs(W).max(axis=0).sum()
    return np.sum((X - W @ H) ** 2) / len(X) + lam * features + gamma * samples


def best_block(X, B, groups, weight):
    """The least of |X - F B'|^2 / n plus weighted maxima of groups of rows of F, by SLSQP."""
    n, r = len(X), B.shape[1]
    n_f, n_t = n * r, len(groups) * r
    A = np.zeros((n_f, n_f + n_t))
    for g, group in enumerate(groups):
        for i in group:
            for k in range(r):
                A[i * r + k, [i * r + k, n_f + g * r + k]] = -1, 1
    both = np.vstack([A, A - 2 * np.hstack([A[:, :n_f], np.zeros((n_f, n_t))])])

    def objective(v):
        error = v[:n_f].reshape(n, r) @ B.T - X
        slope = np.concatenate([(2 / n * error @ B).ravel(), np.full(n_t, weight)])
        return np.sum(error**2) / n + weight * v[n_f:].sum(), slope

    found = minimize(
        objective,
        np.concatenate([np.zeros(n_f), np.ones(n_t)]),
        jac=True,
        constraints=[{"type": "ineq", "fun": lambda v: both @ v, "jac": lambda v: both}],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert found.success, found.message
    return found.fun


@pytest.mark.against("flss", "scipy.optimize.minimize (SLSQP)", part="a factor")
@pytest.mark.parametrize("weight", [0.01, 0.3])
def test_a_block_ends_at_the_optimum(weight):
    """With one factor fixed the problem is convex, and ends where a generic solver does."""
    rng = np.random.default_rng(3)
    X, B = rng.standard_normal((8, 6)), rng.standard_normal((6, 2))
    groups = [np.array([0, 4]), np.array([1, 2, 3, 5, 6, 7])]
    prox = GroupPenalty(groups, np.inf, weight, signed=True)
    c, start = 2 / len(X), np.zeros((8, 2))
    F = monotone_fista(start, c * X @ B, c * B.T @ B, prox, prox.value, max_iter=5000, tol=1e-12)
    found = np.sum((X - F @ B.T) ** 2) / len(X) + prox.value(F)
    assert found == pytest.approx(best_block(X, B, groups, weight), rel=1e-7)


def test_a_block_is_zero_where_slopes_are_small():
    """W = 0 is optimal iff, for each component, the slopes at zero sum to gamma or less."""
    X = problem()
    H = np.random.default_rng(0).standard_normal((3, 18))
    slopes = np.abs(2 / len(X) * X @ H.T).sum(axis=0)
    for gamma, zero in ((slopes.max() * 1.0001, True), (slopes.max() * 0.9999, False)):
        prox = GroupPenalty([np.arange(len(X))], np.inf, gamma, signed=True)
        c = 2 / len(X)
        W = monotone_fista(
            np.zeros((len(X), 3)), c * X @ H.T, c * H @ H.T, prox, prox.value, max_iter=500
        )
        assert W.any() != zero


@pytest.mark.parametrize("init", ["svd", "random"])
@pytest.mark.parametrize("weight", [1e-3, 0.1])
def test_the_objective_never_rises_and_is_what_it_says(weight, init):
    """It is the loss a sample plus both penalties, and falls while components are dropped."""
    X = problem()
    model = FLSS(n_components=8, groups=VIEWS, lam=weight, gamma=2 * weight, init=init)
    W = model.set_params(random_state=0).fit_transform(X)
    assert model.objective_ == pytest.approx(value(X, W, model.components_, weight, 2 * weight))
    assert np.all(np.diff(model.trace_["objective"]) <= 1e-12 * model.trace_["objective"][0])


def test_component_by_component_the_penalties_are_equal():
    """That holds at a stationary point, and after every iteration."""
    X = problem()
    model = FLSS(n_components=8, groups=VIEWS, lam=0.05, gamma=0.02, max_iter=3)
    W = model.fit_transform(X)
    features = group_norms(model.components_.T, GROUPS, np.inf).sum(axis=0)
    np.testing.assert_allclose(0.05 * features, 0.02 * np.abs(W).max(axis=0), rtol=1e-12)


def test_only_the_product_of_the_weights_matters():
    """With lam four times larger and gamma four times smaller, both reach the same value."""
    X = problem()
    ends = [
        FLSS(n_components=5, groups=VIEWS, lam=lam, gamma=gamma, tol=1e-9, max_iter=2000)
        .fit(X)
        .objective_
        for lam, gamma in ((0.05, 0.05), (0.2, 0.0125))
    ]
    assert ends[0] == pytest.approx(ends[1], rel=1e-4)


def test_shared_and_private_components_are_found():
    """Of eight components four are left: one that all views share, and a private one for each."""
    model = FLSS(n_components=8, groups=VIEWS, lam=0.2, gamma=0.2, max_iter=500).fit(problem())
    assert model.n_components_ == 4 == len(model.components_)
    assert model.shared_.shape == (3, 4)
    np.testing.assert_array_equal(
        model.shared_, [model.components_[:, view].any(axis=1) for view in VIEWS]
    )
    assert sorted(model.shared_.sum(axis=0)) == [1, 1, 1, 3]


def test_the_slopes_of_a_component_in_use_sum_to_its_weight():
    """At an optimum of W the l1 norm of the slope is gamma for each component that is not zero."""
    X = problem()
    gamma = 0.05
    model = FLSS(n_components=4, groups=VIEWS, lam=0.05, gamma=gamma, inner_tol=0, tol=1e-10)
    W = model.set_params(max_iter=500, inner_max_iter=200).fit_transform(X)
    slopes = 2 / len(X) * (X - W @ model.components_) @ model.components_.T
    np.testing.assert_allclose(np.abs(slopes).sum(axis=0), gamma, rtol=0.02)


def test_heavy_weights_leave_nothing():
    """Then the fit is zero, and one row of zeros stands for the components."""
    X = problem()
    model = FLSS(n_components=5, groups=VIEWS, lam=1e4, gamma=1e4)
    W = model.fit_transform(X)
    assert model.n_components_ == 0
    assert not model.shared_.any()
    assert W.shape == (40, 1)
    assert not model.inverse_transform(model.transform(X)).any()
    assert model.objective_ == pytest.approx(np.sum(X**2) / len(X))


@pytest.mark.against("flss", "numpy.linalg.lstsq", part="transform")
def test_transform_is_nearly_least_squares():
    """The ridge is slight: fitted values agree with least squares to five digits."""
    X = problem()
    model = FLSS(n_components=4, groups=VIEWS, lam=0.02, gamma=0.02).fit(X)
    new = problem(seed=1)[:6]
    W = np.linalg.lstsq(model.components_.T, new.T)[0].T
    np.testing.assert_allclose(model.transform(new), W, atol=1e-4 * np.abs(W).max())


@pytest.mark.parametrize("init", ["svd", "random"])
def test_degenerate_data_will_do(init):
    """Zero rows, repeated rows, constant and zero columns, and a single view do no harm."""
    X = problem()
    X[:, 3], X[:, 8] = 0.7, 0.0
    X[[2, 5]] = 0
    X[7:12] = X[7]
    for groups in (None, VIEWS, np.arange(18) % 3):
        model = FLSS(n_components=6, groups=groups, init=init, random_state=0, lam=0.01, gamma=0.01)
        W = model.fit_transform(X)
        assert np.isfinite(model.components_).all()
        np.testing.assert_allclose(W[7:12], W[[7]].repeat(5, axis=0), atol=1e-8)
        np.testing.assert_allclose(W[[2]], W[[5]], atol=1e-8)
        assert not model.transform(np.zeros((1, 18))).any()
        assert model.objective_ < model.trace_["objective"][0]


@pytest.mark.parametrize(
    "params",
    [
        {"lam": 0.0},
        {"gamma": -1.0},
        {"gamma": np.inf},
        {"inner_max_iter": 0},
        {"inner_tol": -1.0},
        {"init": "nndsvd"},
    ],
)
def test_bad_parameters_are_refused(params):
    """A value that makes no sense is refused by the name of its parameter."""
    with pytest.raises(ValueError, match=f"{next(iter(params))} must"):
        FLSS(n_components=2, **params).fit(problem())
