"""Group-sparse NMF under the squared loss: blocks, stationarity, two methods, degenerate data."""

import numpy as np
import pytest
from scipy.optimize import minimize

from nmfbench.core.registry import solvers
from nmfbench.optim.fista import monotone_fista
from nmfbench.optim.proximal import GroupPenalty, group_norms
from nmfbench.solvers.multiview.eucnmf_gs import EucNMFGS, group_sweeps

P = [2, "inf"]
VIEWS = [slice(0, 6), slice(6, 10), slice(10, 18)]
GROUPS = [np.arange(18)[view] for view in VIEWS]


def problem(seed=0, n=30, m=18, r=4):
    """Noisy data of three views, each without one of four components, and a start."""
    rng = np.random.default_rng(seed)
    H = rng.random((r, m))
    for k, view in enumerate(VIEWS):
        H[k, view] = 0
    X = rng.random((n, r)) @ H + 0.05 * rng.random((n, m))
    return X, rng.random((n, r)), rng.random((r, m))


def value(X, W, H, alpha, beta, p, groups=GROUPS):
    """The objective, from its definition."""
    norms = sum(np.linalg.norm(row[g], float(p)) for row in H for g in groups)
    return 0.5 * np.sum((X - W @ H) ** 2) + alpha * norms + 0.5 * beta * np.sum(W**2)


def best_block(X, W, groups, alpha, p):
    """The least of the objective over H, by SLSQP: levels for maxima, 2-norms rounded at zero."""
    m, r = X.shape[1], W.shape[1]
    n_t = len(groups) * r if p == "inf" else 0
    A = np.zeros((n_t and r * m, r * m + n_t))
    for k in range(r) if n_t else ():
        for g, group in enumerate(groups):
            for j in group:
                A[k * m + j, [k * m + j, r * m + g * r + k]] = -1, 1

    def objective(v):
        H = v[: r * m].reshape(r, m)
        error = W @ H - X
        slope = (W.T @ error).ravel()
        if n_t:
            cost, slope = v[r * m :].sum(), np.concatenate([slope, np.full(n_t, alpha)])
        else:
            sizes = {i: np.sqrt((H[:, g] ** 2).sum(axis=1) + 1e-12) for i, g in enumerate(groups)}
            cost, push = sum(size.sum() for size in sizes.values()), np.zeros_like(H)
            for i, g in enumerate(groups):
                push[:, g] = H[:, g] / sizes[i][:, None]
            slope = slope + alpha * push.ravel()
        return 0.5 * np.sum(error**2) + alpha * cost, slope

    found = minimize(
        objective,
        np.full(r * m + n_t, 0.5),
        jac=True,
        bounds=[(0, None)] * (r * m + n_t),
        constraints=[{"type": "ineq", "fun": lambda v: A @ v, "jac": lambda v: A}] if n_t else (),
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert found.success, found.message
    return found.fun


@pytest.mark.against("eucnmf-gs", "scipy.optimize.minimize (SLSQP)", part="a factor")
@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("alpha", [0.05, 1.0])
def test_both_methods_solve_a_block(p, alpha):
    """With W fixed the problem is convex, and both ways end at the optimum of a generic solver."""
    rng = np.random.default_rng(2)
    X, W = rng.random((8, 6)), rng.random((8, 2))
    groups = [np.array([0, 3]), np.array([1, 2, 4, 5])]
    expected = best_block(X, W, groups, alpha, p)
    prox, start = GroupPenalty(groups, float(p), alpha), np.full((6, 2), 0.5)
    cross, gram = X.T @ W, W.T @ W
    steps = monotone_fista(start, cross, gram, prox, prox.value, max_iter=5000)
    sweeps = start.copy()
    group_sweeps(sweeps, cross, gram, prox, 1000)
    for Ht in (steps, sweeps):
        assert value(X, W, Ht.T, alpha, 0.0, p, groups) == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(steps, sweeps, atol=1e-6)


@pytest.mark.parametrize("p", P)
def test_a_group_is_off_exactly_where_its_slope_is_small(p):
    """W_gk = 0 is optimal iff the dual norm of the positive part of the slope is at most alpha."""
    X, W, H = problem()
    residual = X - W @ H + np.outer(W[:, 0], H[0])
    slopes = [np.maximum(W[:, 0] @ residual[:, g], 0) for g in GROUPS]
    dual = [np.linalg.norm(slope, 2 if p == 2 else 1) for slope in slopes]
    middle = np.sort(dual)[1]
    for alpha, off in ((middle * (1 - 1e-9), 1), (middle * (1 + 1e-9), 2)):
        Ht = np.ascontiguousarray(H.T)
        gram = np.zeros((4, 4))
        gram[0] = gram[:, 0] = W.T @ W[:, 0]
        np.fill_diagonal(gram, np.einsum("ik,ik->k", W, W))
        column = Ht[:, [0]] + (X.T @ W[:, [0]] - Ht @ (W.T @ W[:, [0]])) / gram[0, 0]
        GroupPenalty(GROUPS, float(p), alpha)(column, 1 / gram[0, 0])
        assert (group_norms(column, GROUPS, float(p)) == 0).sum() == off


@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("method", ["bcd", "gradient"])
def test_the_objective_never_rises_and_is_what_it_says(p, method):
    """It is half the squared loss plus both penalties, and falls in every iteration."""
    X, W, H = problem()
    model = EucNMFGS(
        n_components=4, groups=VIEWS, p=p, method=method, beta=0.1, max_iter=100, tol=0
    )
    found = model.fit_transform(X, W=W, H=H)
    assert model.objective_ == pytest.approx(value(X, found, model.components_, 1.0, 0.1, p))
    assert np.all(np.diff(model.trace_["objective"]) <= 1e-12 * model.trace_["objective"][0])
    assert model.trace_["objective"][0] <= value(X, W, H, 1.0, 0.1, p)


@pytest.mark.parametrize("p", P)
def test_component_by_component_the_penalties_are_in_balance(p):
    """At the end alpha times the norms of a row of H equals beta times the square of W's column."""
    X, W, H = problem()
    model = EucNMFGS(n_components=4, groups=VIEWS, p=p, alpha=0.5, beta=0.2, tol=1e-12)
    found = model.set_params(max_iter=2000).fit_transform(X, W=W, H=H)
    np.testing.assert_allclose(
        0.5 * model.group_norms_.sum(axis=0), 0.2 * np.sum(found**2, axis=0), rtol=1e-6, atol=1e-12
    )


def test_the_balance_is_the_best_scale():
    """No other division of the scale of a component lowers the penalties."""
    X, W, H = problem()
    s = EucNMFGS(n_components=4, groups=VIEWS, alpha=0.5, beta=0.2)._start(
        X, 4, None, (W.copy(), np.ascontiguousarray(H.T))
    )
    np.testing.assert_allclose(s.W @ s.Ht.T, W @ H)
    best = value(X, s.W, s.Ht.T, 0.5, 0.2, "inf")
    for c in (0.8, 0.99, 1.01, 1.2):
        for k in range(4):
            scale = np.where(np.arange(4) == k, c, 1.0)
            assert value(X, s.W / scale, s.Ht.T * scale[:, None], 0.5, 0.2, "inf") > best


@pytest.mark.against("eucnmf-gs", "the other of its two methods")
@pytest.mark.parametrize("p", P)
def test_both_methods_reach_the_same_value(p):
    """From near a solution, coordinate descent and proximal gradients end at one objective."""
    X, *_ = problem()
    near = EucNMFGS(n_components=3, groups=VIEWS, p=p, beta=0.1, random_state=0, tol=1e-7)
    W = near.fit_transform(X)
    ends = [
        EucNMFGS(
            n_components=3, groups=VIEWS, p=p, beta=0.1, method=method, tol=1e-14, max_iter=20000
        )
        .fit(X, W=W, H=near.components_)
        .objective_
        for method in ("bcd", "gradient")
    ]
    assert ends[0] == pytest.approx(ends[1], rel=1e-7)


def test_without_weights_it_is_hals():
    """With alpha = beta = 0 an iteration is that of ``hals``, with as many sweeps."""
    X, W, H = problem()
    plain = solvers["hals"].target(n_components=4, sweeps=5, max_iter=20, tol=0).fit(X, W=W, H=H)
    ours = EucNMFGS(n_components=4, alpha=0, beta=0, max_iter=20, tol=0).fit(X, W=W, H=H)
    np.testing.assert_allclose(2 * ours.trace_["objective"], plain.trace_["objective"], rtol=1e-8)


@pytest.mark.parametrize("p", P)
def test_a_heavier_penalty_switches_views_off(p):
    """As alpha grows, more and more pairs of view and component are exactly zero, at last all."""
    X, *_ = problem()
    off = [
        (
            EucNMFGS(n_components=4, groups=VIEWS, p=p, alpha=alpha, beta=0.1, random_state=0)
            .fit(X)
            .group_norms_
            == 0
        ).sum()
        for alpha in (0.0, 1.0, 1e4)
    ]
    assert off[0] < off[1] < off[2] == 12


@pytest.mark.against("eucnmf-gs", "scipy.optimize.minimize (L-BFGS-B)", part="transform")
def test_transform_is_ridge_least_squares_on_the_cone():
    """New samples get the best non-negative representation under the ridge."""
    X, W, H = problem()
    model = EucNMFGS(n_components=4, groups=VIEWS, beta=0.3, max_iter=20).fit(X, W=W, H=H)
    new = problem(seed=1)[0][:5]
    for x, w in zip(new, model.transform(new), strict=True):

        def cost(v, x=x):
            error = v @ model.components_ - x
            return (
                0.5 * error @ error + 0.15 * v @ v,
                model.components_ @ error + 0.3 * v,
            )

        found = minimize(cost, np.ones(4), jac=True, bounds=[(0, None)] * 4, tol=1e-14)
        np.testing.assert_allclose(w, found.x, atol=1e-4)
        assert cost(w)[0] <= found.fun * (1 + 1e-9)


@pytest.mark.parametrize("method", ["bcd", "gradient"])
def test_degenerate_data_will_do(method):
    """Zero rows, repeated rows, constant and zero columns, and a single view do no harm."""
    X, *_ = problem()
    X[:, 3], X[:, 8] = 0.7, 0.0
    X[[2, 5]] = 0
    X[7:12] = X[7]
    for groups in (None, VIEWS, np.arange(18) % 3):
        model = EucNMFGS(n_components=6, groups=groups, method=method, random_state=0)
        found = model.fit_transform(X)
        assert np.isfinite(model.components_).all()
        assert not found[[2, 5]].any()
        again = model.transform(X)
        np.testing.assert_allclose(again[7:12], again[[7]].repeat(5, axis=0), atol=1e-12)
        assert not model.components_[:, 8].any()
        assert model.objective_ < model.trace_["objective"][0]


@pytest.mark.parametrize(
    "params",
    [
        {"p": 1},
        {"alpha": -1.0},
        {"beta": np.inf},
        {"method": "newton"},
        {"inner_max_iter": 0},
    ],
)
def test_bad_parameters_are_refused(params):
    """A value that makes no sense is refused by the name of its parameter."""
    with pytest.raises(ValueError, match=f"{next(iter(params))} must be"):
        EucNMFGS(n_components=2, **params).fit(problem()[0])
