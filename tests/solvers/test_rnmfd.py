"""RNMFD: its kernels, its updates, its descent, its thresholds, and new samples."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from nmfbench.optim import graphs
from nmfbench.optim.kernels.huber import pull_to_fit
from nmfbench.optim.kernels.laplacian import neighbor_smoothness
from nmfbench.optim.projections import project_frobenius
from nmfbench.solvers.frobenius.mu import MU
from nmfbench.solvers.graph.rnmfd import RNMFD

N, M, R = 20, 12, 3


def problem(seed=0, n=N, m=M, r=R):
    """Samples of unit norm, two of them with an outlier, and factors to start from."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, r)) @ rng.random((r, m)) + 0.1 * rng.random((n, m))
    X[[1, 4], [2, 3]] += 5
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, rng.uniform(0.05, 0.5, (n, r)), rng.uniform(0.05, 0.5, (m, r))


def degenerate(seed=0):
    """Data with zero samples, duplicates and mostly zeros."""
    rng = np.random.default_rng(seed)
    X = rng.random((N, M)) * (rng.random((N, M)) < 0.2)
    X[3] = X[4]
    X[7] = 0
    return X


def affinity(seed=1, n=N, share=0.3):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < share), 1)
    return A + A.T


def soft(E, t):
    return np.sign(E) * np.maximum(np.abs(E) - t, 0)


def paper_objective(X, U, V, S, A, lam, alpha, beta):
    """Eq. (11) as it stands, samples in columns."""
    L = np.diag(A.sum(axis=1)) - A
    fit = np.linalg.norm(X - U @ V.T - S) ** 2 + (lam * np.abs(S).sum() if S.any() else 0)
    penalty = np.linalg.norm(V.T @ V - np.eye(V.shape[1])) ** 2
    return fit + alpha * np.trace(V.T @ L @ V) + beta * penalty


def paper_sweeps(X, U, V, A, lam, alpha, beta, sweeps):
    """Eqs. (12), (17), (19) as they stand; the objectives too."""
    S, D = np.zeros_like(X), np.diag(A.sum(axis=1))
    objectives = [paper_objective(X, U, V, S, A, lam, alpha, beta)]
    for _ in range(sweeps):
        Xh = X - S
        U = U * (Xh @ V) / (U @ V.T @ V)
        numerator = Xh.T @ U + alpha * A @ V + 2 * beta * V
        V = V * numerator / (V @ U.T @ U + alpha * D @ V + 2 * beta * V @ V.T @ V)
        S = soft(X - U @ V.T, lam / 2)
        objectives.append(paper_objective(X, U, V, S, A, lam, alpha, beta))
    return U, V, S, objectives


def huber(E, t):
    return np.where(np.abs(E) <= t, E**2, 2 * t * np.abs(E) - t**2).sum()


def given(X, W, Ht, **params):
    """A fit of data as they are, from given factors: the model and its representation."""
    model = RNMFD(**{"n_components": W.shape[1], "scale": "none", "tol": 0.0} | params)
    return model, model.fit_transform(X, W=W, H=Ht.T)


def rises(model):
    """Largest rise of the objective in a sweep, relative to the objective."""
    trace = model.trace_["objective"]
    return (np.diff(trace) / np.abs(trace[:-1])).max()


# -- kernels -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("t", [1e-3, 0.2, np.inf])
def test_the_kernel_minimises_over_the_sparse_part(dtype, t):
    """The rest of X is X - S for the S of Eq. (19), and the loss is that of Eq. (18) at it."""
    rng = np.random.default_rng(0)
    X, fitted = rng.random((7, 33)).astype(dtype), rng.random((7, 33)).astype(dtype)
    buffer = fitted.copy()
    loss = pull_to_fit(buffer, X, t)
    S = soft(X.astype(float) - fitted, t)
    np.testing.assert_allclose(buffer, X - S, rtol=1e-6)
    inner = np.abs(X - fitted) < t * (1 - 1e-6)
    np.testing.assert_array_equal(buffer[inner], X[inner])
    penalty = 2 * t * np.abs(S).sum() if S.any() else 0.0
    assert loss == pytest.approx(np.sum((X - fitted - S) ** 2) + penalty, rel=1e-5)


def test_no_other_sparse_part_has_a_smaller_loss():
    """For each entry a search over s finds no less than the Huber loss, and comes near to it."""
    e = np.linspace(-2, 2, 41)
    losses = [pull_to_fit(np.zeros((1, 1)), np.array([[x]]), 0.3) for x in e]
    s = np.linspace(-3, 3, 6001)
    best = np.min((e[:, None] - s) ** 2 + 0.6 * np.abs(s), axis=1)
    assert np.all(losses <= best + 1e-12)
    np.testing.assert_allclose(losses, best, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_data_freed_from_outliers_are_never_negative(dtype):
    """However the entries are rounded, X - S lies between X and the fit."""
    rng = np.random.default_rng(0)
    X = 10.0 ** rng.uniform(-20, 3, (50, 40)) * (rng.random((50, 40)) < 0.7)
    fitted = 10.0 ** rng.uniform(-20, 3, (50, 40)) * (rng.random((50, 40)) < 0.7)
    X, fitted = X.astype(dtype), fitted.astype(dtype)
    for t in (1e-9, 1e-3, 0.1, 10.0):
        out = fitted.copy()
        pull_to_fit(out, X, t)
        assert (out >= np.minimum(X, fitted)).all()
        assert (out <= np.maximum(X, fitted)).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_over_neighbours(dtype):
    """Products with the scaled affinity and the quadratic form of its Laplacian, in one pass."""
    A, rng = affinity(), np.random.default_rng(0)
    A[5] = A[:, 5] = 0
    W, q = rng.random((N, R)).astype(dtype), rng.random(N)
    S, out = sp.csr_array(A), np.empty((N, R), dtype)
    smoothness = neighbor_smoothness(out, W, q, S.indptr, S.indices, S.data)
    np.testing.assert_allclose(out, q[:, None] * (A @ (q[:, None] * W)), rtol=1e-5)
    assert smoothness == pytest.approx(graphs.smoothness(S, q[:, None] * W), rel=1e-5)


# -- updates and objective ---------------------------------------------------------------------


@pytest.mark.against("rnmfd", "its formulas, written out")
@pytest.mark.parametrize("lam", [0.05, np.inf])
def test_the_iterates_are_those_of_the_paper(lam):
    """With "paper", sweeps are Eqs. (12), (17) and (19), with S = 0 at the start."""
    X, W, Ht = problem()
    A = affinity()
    U, V, S, objectives = paper_sweeps(X.T, Ht, W, A, lam, 3.0, 2.0, 6)
    params = {"affinity": A, "lam": lam, "alpha": 3.0, "beta": 2.0, "max_iter": 6}
    model, fitted = given(X, W, Ht, v_update="paper", **params)
    np.testing.assert_allclose(fitted, V, rtol=1e-9)
    np.testing.assert_allclose(model.components_, U.T, rtol=1e-9)
    np.testing.assert_allclose(model.trace_["objective"], objectives, rtol=1e-9)
    assert model.outlier_share_ == pytest.approx(np.mean(S != 0))
    assert (lam == np.inf) == (model.outlier_share_ == 0)


@pytest.mark.parametrize("laplacian", ["plain", "sym"])
def test_the_objective_is_eq_11_of_the_factors_returned(laplacian):
    """With the normalised Laplacian, of the affinity divided by the roots of the degrees."""
    X, W, Ht = problem()
    A = affinity()
    model, V = given(X, W, Ht, affinity=A, lam=0.04, max_iter=9, laplacian=laplacian)
    if laplacian == "sym":
        root = np.sqrt(A.sum(axis=1))
        L = np.eye(N) - A / root / root[:, None]
        rough = np.trace(V.T @ L @ V)
    else:
        rough = graphs.smoothness(sp.csr_array(A), V)
    E = X - V @ model.components_
    gap = np.linalg.norm(V.T @ V - np.eye(R))
    assert model.objective_ == pytest.approx(huber(E, 0.02) + 100 * rough + 100 * gap**2)
    assert model.orthogonality_gap_ == pytest.approx(gap)
    assert model.n_dead_components_ == np.sum(np.linalg.norm(V, axis=0) < 0.3)


def test_without_penalties_and_outliers_it_is_plain_nmf():
    """lam = inf, alpha = beta = 0: the multiplicative updates of Lee & Seung."""
    X, W, Ht = problem()
    model, V = given(X, W, Ht, lam=np.inf, alpha=0.0, beta=0.0, max_iter=30)
    mu = MU(n_components=R, max_iter=30, tol=0)  # the components first, as Eq. (12) has it
    U = mu.fit_transform(X.T, W=Ht, H=W.T)
    np.testing.assert_allclose(V @ model.components_, (U @ mu.components_).T, rtol=1e-9)
    np.testing.assert_allclose(model.trace_["objective"], mu.trace_["objective"], rtol=1e-9)


@pytest.mark.against("rnmfd", "the conditions of an optimum")
def test_limits_are_stationary():
    """At the end of a long run the numerical gradient vanishes, or pushes against the bound."""
    X, W, Ht = problem(n=9, m=6, r=2)
    A = affinity(n=9)
    params = {"affinity": A, "lam": 0.1, "alpha": 0.3, "beta": 0.5, "max_iter": 20000}
    model, V = given(X, W, Ht, **params)
    S = sp.csr_array(A)

    def objective(z):
        V, U = z[:18].reshape(9, 2), z[18:].reshape(6, 2)
        gap = np.linalg.norm(V.T @ V - np.eye(2)) ** 2
        return huber(X - V @ U.T, 0.05) + 0.3 * graphs.smoothness(S, V) + 0.5 * gap

    z = np.concatenate([V.ravel(), model.components_.T.ravel()])
    steps = 1e-6 * np.eye(z.size)
    gradient = np.array([objective(z + h) - objective(z - h) for h in steps]) / 2e-6
    assert objective(z) == pytest.approx(model.objective_)
    assert np.abs(gradient[z > 1e-3]).max() < 1e-4
    assert gradient.min() > -1e-4
    assert (z > 1e-3).sum() > 15


# -- descent -----------------------------------------------------------------------------------


def single(v_update, max_iter=4):
    """One sample and one component that data do not speak to: only orthogonality matters."""
    W, Ht = np.array([[2.0]]), np.zeros((3, 1))
    params = {"lam": 1.0, "alpha": 0.0, "beta": 100.0, "v_update": v_update, "max_iter": max_iter}
    return given(np.zeros((1, 3)), W, Ht, **params)[0]


def test_theorem_1_is_wrong():
    """The published rule turns v into 1 / v there, and the objective rises every other sweep."""
    objectives = single("paper").trace_["objective"]
    np.testing.assert_allclose(objectives[:4], [900, 56.25, 900, 56.25], rtol=1e-6)
    for v_update in ("root", "safe"):
        model = single(v_update, 30)
        assert rises(model) <= 1e-12
        assert model.objective_ < 1e-6


SETTINGS = [
    {},
    {"alpha": 0.0, "beta": 1e4},
    {"alpha": 1e4, "beta": 10.0},
    {"beta": 1e4, "lam": "mad"},
    {"lam": np.inf, "laplacian": "sym"},
    {"lam": 1e-3, "alpha": 1.0, "beta": 0.0},
]


@pytest.mark.parametrize("v_update", ["root", "safe"])
@pytest.mark.parametrize("params", SETTINGS)
def test_the_objective_never_rises(params, v_update):
    """Whatever the weights, on noisy, sparse and degenerate data."""
    for seed in range(3):
        for X in (problem(seed)[0], degenerate(seed)):
            model = RNMFD(n_components=R, random_state=seed, tol=0, max_iter=120, **params)
            assert rises(model.set_params(v_update=v_update).fit(X)) <= 1e-9


def test_the_published_step_raises_the_objective_at_large_beta():
    """Within the range that is advertised for beta."""
    found = []
    for seed in range(5):
        model = RNMFD(n_components=R, alpha=0.0, beta=1e4, v_update="paper", random_state=seed)
        found.append(rises(model.set_params(tol=0, max_iter=50).fit(problem(seed)[0])))
    assert max(found) > 1e-3


def test_safe_is_the_published_step_wherever_that_descends():
    """Bit for bit at the published weights; where the published step would rise, it is not."""
    X, W, Ht = problem()
    A = affinity()
    fits = [given(X, W, Ht, affinity=A, v_update=rule, max_iter=40) for rule in ("paper", "safe")]
    assert rises(fits[0][0]) <= 0
    np.testing.assert_array_equal(fits[0][1], fits[1][1])
    assert single("safe").trace_["objective"][2] < single("paper").trace_["objective"][1]


def test_single_precision_descends_too():
    """Up to the rounding of single precision, to nearly the same objective."""
    X, W, Ht = problem()
    for rule in ("safe", "root"):
        double = given(X, W, Ht, lam=0.05, v_update=rule, max_iter=60)[0]
        X32 = X.astype(np.float32)
        model, V = given(X32, W, Ht, lam=0.05, v_update=rule, max_iter=60)
        assert V.dtype == model.components_.dtype == np.float32
        assert rises(model) <= 1e-6
        assert model.objective_ == pytest.approx(double.objective_, rel=1e-3)


# -- orthogonality -----------------------------------------------------------------------------


def test_data_without_a_say_leave_a_constant_column():
    """One component, next to no data and a connected graph: each entry is 1 / sqrt(n)."""
    X = 1e-9 * problem()[0]
    model = RNMFD(n_components=1, scale="none", lam=1.0, random_state=0, tol=0, max_iter=3000)
    W = model.fit_transform(X, W=problem()[1][:, :1], H=np.full((1, M), 1e-9))
    np.testing.assert_allclose(W, 1 / np.sqrt(N), rtol=1e-4)
    assert model.objective_ < 1e-6
    assert model.n_dead_components_ == 0
    assert model.orthogonality_gap_ < 1e-3


def test_components_die_where_the_graph_outweighs_orthogonality():
    """In a complete graph every cluster has many edges that leave it, and a column that starts
    small never grows; the normalised Laplacian bounds what these edges cost."""
    X, W, Ht = problem()
    W[:, 0], W[:, 1:] = 1 / np.sqrt(N), 1e-2 * W[:, 1:]
    params = {"affinity": np.ones((N, N)), "lam": 0.1, "max_iter": 500}
    plain = given(X, W, Ht, **params)[0]
    sym = given(X, W, Ht, laplacian="sym", **params)[0]
    assert plain.n_dead_components_ == R - 1
    assert sym.n_dead_components_ == 0
    assert sym.orthogonality_gap_ < 0.8 * plain.orthogonality_gap_


def test_samples_without_neighbours_are_not_penalised():
    """Neither Laplacian touches them: without edges alpha does not matter."""
    X, W, Ht = problem()
    for laplacian in ("plain", "sym"):
        params = {"affinity": np.zeros((N, N)), "laplacian": laplacian, "max_iter": 10}
        a, b = (given(X, W, Ht, alpha=alpha, **params)[1] for alpha in (0.0, 50.0))
        np.testing.assert_array_equal(a, b)


# -- the weight of the sparse part -------------------------------------------------------------


@pytest.mark.parametrize("lam", ["q95", "mad"])
def test_lam_is_measured_on_the_residual_of_plain_nmf(lam):
    """Its errors after 30 multiplicative sweeps from the same start tell what an outlier is."""
    X, W, Ht = problem()
    mu = MU(n_components=R, max_iter=30, tol=0)
    U = mu.fit_transform(X.T, W=Ht, H=W.T)
    E = np.abs(X.T - U @ mu.components_)
    expected = 2 * (np.quantile(E, 0.95) if lam == "q95" else 1.345 * 1.4826 * np.median(E))
    model, _ = given(X, W, Ht, lam=lam, max_iter=3)
    assert model.lam_ == pytest.approx(expected, rel=1e-6)
    assert model.outlier_share_ > 0


def test_no_sparse_part_has_a_name():
    """The name "none" is infinity, in a form that can be written down."""
    X, W, Ht = problem()
    named, infinite = (given(X, W, Ht, lam=lam, max_iter=5) for lam in ("none", np.inf))
    assert named[0].lam_ == np.inf
    np.testing.assert_array_equal(named[1], infinite[1])


def test_lam_follows_the_scale_of_the_data():
    """Data c times as large have a lam c times as large."""
    X, W, Ht = problem()
    one = given(X, W, Ht, max_iter=1)[0]
    four = given(4 * X, 2 * W, 2 * Ht, max_iter=1)[0]
    assert four.lam_ == pytest.approx(4 * one.lam_)
    assert given(X, W, Ht, lam=0.3, max_iter=1)[0].lam_ == 0.3


def test_a_perfect_fit_has_no_outliers():
    """Where the residual is zero, or there is nothing to fit, lam is infinite."""
    rng = np.random.default_rng(0)
    W, Ht = rng.random((N, R)), rng.random((M, R))
    assert given(W @ Ht.T, W, Ht, max_iter=2)[0].lam_ == np.inf
    model = RNMFD(n_components=R, random_state=0, max_iter=5).fit(np.zeros((N, M)))
    assert model.lam_ == np.inf
    assert not model.components_.any()


def test_outliers_hardly_move_the_components():
    """Gross errors in 3% of the entries: the fit of the clean entries is far better with lam."""
    rng = np.random.default_rng(0)
    clean = rng.random((60, R)) @ rng.random((R, 30))
    X = clean + 20 * (rng.random(clean.shape) < 0.03)
    params = {"n_components": R, "alpha": 0.0, "beta": 0.0, "scale": "none", "random_state": 0}
    errors = []
    for lam in (0.05, np.inf):
        model = RNMFD(lam=lam, max_iter=2000, tol=1e-9, **params)
        errors.append(np.linalg.norm(clean - model.fit_transform(X) @ model.components_))
    assert errors[0] < 0.1 * errors[1]


# -- new samples, memory, errors ---------------------------------------------------------------


@pytest.mark.against("rnmfd", "scipy.optimize.minimize")
@pytest.mark.parametrize("lam", [0.02, 0.2])
def test_transform_minimises_the_huber_loss(lam):
    """No bounded quasi-Newton search finds less, and moving an entry does not help."""
    X, W, Ht = problem()
    model, _ = given(X, W, Ht, lam=lam, max_iter=30)
    H = model.components_
    found = model.transform(X[:6])
    for x, w in zip(X[:6], found, strict=True):

        def loss(v, x=x):
            e = x - v @ H
            return huber(e, lam / 2), -2 * H @ np.clip(e, -lam / 2, lam / 2)

        best = minimize(loss, w + 0.01, jac=True, bounds=[(0, None)] * R, tol=1e-14)
        value, gradient = loss(w)
        assert value <= best.fun + 1e-9
        assert np.abs(gradient[w > 1e-8]).max(initial=0) < 1e-5
        assert gradient.min() > -1e-5


def test_transform_without_outliers_is_least_squares():
    """lam = inf: the non-negative least squares of the scaled samples."""
    X = problem()[0]
    model = RNMFD(n_components=R, lam=np.inf, random_state=0, max_iter=20).fit(3 * X)
    expected = project_frobenius(X[:5], model.components_)
    np.testing.assert_allclose(model.transform(7 * X[:5]), expected, rtol=1e-9)


def test_neither_the_sparse_part_nor_a_dense_graph_is_stored():
    """Peak memory is a few arrays of the size of X, far below that of n x n."""
    X = problem(n=1500, m=40)[0]
    model = RNMFD(n_components=R, random_state=0, max_iter=3).fit(X[:50])  # compiles
    model.affinity = graphs.knn_affinity(X, 5)
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * X.nbytes < 0.25 * 8 * 1500**2


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": np.inf}, "alpha"),
        ({"beta": np.nan}, "beta"),
        ({"lam": 0.0}, "lam .*above 0"),
        ({"lam": -2.0}, "lam"),
        ({"lam": np.nan}, "lam"),
        ({"lam": "q50"}, "lam"),
        ({"v_update": "fast"}, "v_update"),
        ({"laplacian": "random-walk"}, "laplacian"),
    ],
)
def test_bad_parameters_are_refused(params, match):
    """A weight or an option that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=match):
        RNMFD(n_components=R, **params).fit(problem()[0])
