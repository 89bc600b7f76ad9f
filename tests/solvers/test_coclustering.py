"""DRCC and RCC: objectives, fixed points, closed forms, planted clusters; the edge norms."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from nmfbench.optim import graphs
from nmfbench.optim.kernels.edge_norms import pull_along_edges
from nmfbench.solvers.graph.base import feature_affinity
from nmfbench.solvers.graph.drcc import DRCC
from nmfbench.solvers.graph.rcc import RCC

SOLVERS = [DRCC, RCC]
N, M, R = 14, 10, 2


def problem(seed=0, n=N, m=M):
    return normalize(np.random.default_rng(seed).random((n, m)))


def planted(seed=0, outliers=0.0):
    """Blocks of samples and features, with noise and a share of entries that are large."""
    rng = np.random.default_rng(seed)
    rows, columns = np.repeat(np.arange(3), 12), np.repeat(np.arange(3), 8)
    means = np.array([[1.0, 0.1, 0.4], [0.1, 0.9, 0.3], [0.5, 0.2, 1.0]])
    X = means[rows][:, columns] + 0.1 * rng.random((36, 24))
    X[rng.random(X.shape) < outliers] += 4
    order = rng.permutation(36)
    return X[order], rows[order]


def state_of(model, X, n_iter=None):
    """The state after some iterations, all by default, and the objectives on the way."""
    s = model._start(X, model.n_components, np.random.default_rng(0), None)
    values = [model._objective(X, s)]
    for _ in range(model.max_iter if n_iter is None else n_iter):
        model._step(X, s)
        values.append(model._objective(X, s))
    return s, values


def edges(S, V):
    """Sum of the edge norms, floor included, from the definition."""
    S, total = sp.csr_array(S).toarray(), 0.0
    for i in range(len(V)):
        for j in range(i):
            total += S[i, j] * np.sqrt(np.sum((V[i] - V[j]) ** 2) + 1e-12)
    return total


def huber(E, lam):
    """Squares, with the sparse part that is best for them."""
    E_sparse = np.sign(E) * np.maximum(np.abs(E) - lam / 2, 0)
    return np.sum((E - E_sparse) ** 2) + (lam * np.abs(E_sparse).sum() if lam < np.inf else 0.0)


def objective(model, X, W, B, G):
    """From the definitions."""
    S, T = graphs.knn_affinity(X, model.n_neighbors), feature_affinity(X, model.n_neighbors)
    error = X - W @ B @ G.T
    if isinstance(model, RCC):
        penalties = edges(S, W), edges(T, G)
        loss = huber(error, model.lam_)
    else:
        penalties = graphs.smoothness(S, W), graphs.smoothness(T, G)
        loss = np.sum(error**2)
    return loss + model.alpha * penalties[0] + model.alpha_features * penalties[1]


@pytest.mark.against(("drcc", "rcc"), "its formulas, written out")
@pytest.mark.parametrize("normalize_columns", [True, False])
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_objective_is_that_of_the_formula(solver, normalize_columns):
    """So it is at every iteration; components are the middle times the features' factor."""
    X = problem()
    weights = {"alpha": 0.3, "alpha_features": 0.7, "normalize": normalize_columns}
    for n_iter in (0, 1, 7):
        model = solver(n_components=R, max_iter=7, **weights)
        s, values = state_of(model, X, n_iter)
        assert values[-1] == pytest.approx(objective(model, X, s.W, s.B, s.G))
    fit = solver(n_components=R, max_iter=7, random_state=0, **weights).fit(X)
    np.testing.assert_allclose(fit.trace_["objective"], values)
    np.testing.assert_allclose(fit.components_, s.B @ s.G.T, atol=1e-11)


@pytest.mark.against(("drcc", "rcc"), "the conditions of an optimum")
@pytest.mark.parametrize(("solver", "lam"), [(DRCC, None), (RCC, 0.1), (RCC, np.inf)])
def test_fixed_points_are_stationary(solver, lam):
    """In the end the slope vanishes where a factor is positive, and no zero should be larger."""
    X = problem(1, 10, 8)
    params = {"lam": lam} if solver is RCC else {}
    # Small weights: ends of an edge that closes would hardly move any more.
    weight = 1e-3 if solver is RCC else 0.05
    params |= {"alpha": weight, "alpha_features": weight / 2, "n_neighbors": 2}
    model = solver(n_components=R, normalize=False, max_iter=6000, **params)
    s, values = state_of(model, X)
    factors = {"W": s.W, "B": s.B, "G": s.G}
    assert np.all(np.diff(values) <= 1e-9 * np.abs(values[:-1]))
    for name, factor in factors.items():
        slope = np.empty_like(factor)
        for at in np.ndindex(factor.shape):
            sides = []
            for step in (1e-6, -1e-6):
                moved = factor.copy()
                moved[at] += step
                sides.append(objective(model, X, **(factors | {name: moved})))
            slope[at] = (sides[0] - sides[1]) / 2e-6
        if solver is DRCC and name == "B":
            assert np.abs(slope).max() < 1e-4
        else:
            assert np.abs(np.minimum(factor, slope)).max() < 5e-3
        assert np.abs(factor).max() > 0.1


@pytest.mark.against("drcc", "its formulas, written out")
def test_an_iteration_of_drcc_is_the_formula():
    """The first iteration from the start, by dense matrices and parts by sign."""
    X = problem()
    model = DRCC(n_components=3, alpha=0.3, alpha_features=0.7, normalize=False, max_iter=1)
    start, _ = state_of(model, X, 0)
    end, _ = state_of(model, X)
    W, B, G = start.W, start.B, start.G

    def stepped(F, P, Q, weight, S):
        S, D = S.toarray(), np.diag(S.toarray().sum(axis=1))
        above = weight * S @ F + P.clip(0) + F @ (-Q).clip(0)
        return F * np.sqrt(above / (weight * D @ F + (-P).clip(0) + F @ Q.clip(0)))

    W = stepped(W, X @ G @ B.T, B @ G.T @ G @ B.T, 0.3, graphs.knn_affinity(X, 5))
    G = stepped(G, X.T @ W @ B, B.T @ W.T @ W @ B, 0.7, graphs.knn_affinity(X.T.copy(), 5))
    np.testing.assert_allclose(end.W, W, rtol=1e-9)
    np.testing.assert_allclose(end.G, G, rtol=1e-9)


@pytest.mark.against("rcc", "its formulas, written out")
def test_an_iteration_of_rcc_is_the_formula():
    """The first iteration from the start, by dense matrices and the graphs of the norms."""
    X, lam = problem(), 0.05
    model = RCC(n_components=3, alpha=0.3, alpha_features=0.7, lam=lam, max_iter=1)
    start, _ = state_of(model, X, 0)
    end, _ = state_of(model, X)
    W, B, G = start.W, start.B, start.G
    freed = W @ B @ G.T + np.clip(X - W @ B @ G.T, -lam / 2, lam / 2)
    W, B, G = (
        W / np.linalg.norm(W, axis=0),
        np.linalg.norm(W, axis=0)[:, None] * B * np.linalg.norm(G, axis=0),
        G / np.linalg.norm(G, axis=0),
    )

    def stepped(F, target, basis, weight, S):
        norms = np.sqrt(np.sum((F[:, None] - F) ** 2, axis=2) + 1e-12)
        S = S.toarray() / (2 * norms)
        D = np.diag(S.sum(axis=1))
        below = F @ basis.T @ basis + weight * D @ F
        return F * (target @ basis + weight * S @ F) / below

    G = stepped(G, freed.T, W @ B, 0.7, graphs.knn_affinity(X.T.copy(), 5))
    B = B * (W.T @ freed @ G) / (W.T @ W @ B @ G.T @ G)
    W = stepped(W, freed, G @ B.T, 0.3, graphs.knn_affinity(X, 5))
    for found, wanted in ((end.G, G), (end.B, B), (end.W, W)):
        np.testing.assert_allclose(found, wanted, rtol=1e-8)


@pytest.mark.against(("drcc", "rcc"), "the leading singular pair")
@pytest.mark.parametrize("solver", SOLVERS)
def test_one_component_without_penalties_is_the_leading_singular_pair(solver):
    """Of rank one, three factors are no more than two, and the optimum is known."""
    X = problem()
    params = {"lam": np.inf} if solver is RCC else {}
    model = solver(n_components=1, alpha=0.0, alpha_features=0.0, tol=1e-15, **params)
    W = model.set_params(random_state=0, max_iter=3000).fit_transform(X)
    U, sigma, Vt = np.linalg.svd(X)
    best = sigma[0] * np.outer(U[:, 0], Vt[0])
    np.testing.assert_allclose(W @ model.components_, best, atol=1e-6)
    assert model.objective_ == pytest.approx(np.sum(sigma[1:] ** 2))


@pytest.mark.parametrize("solver", SOLVERS)
def test_without_graphs_unit_columns_change_nothing(solver):
    """Multiplicative steps do not see the scale of columns, so only penalties notice it."""
    X = problem()
    params = {"n_components": R, "max_iter": 25, "random_state": 0, "tol": 0.0}
    traces = [
        solver(alpha=alpha, alpha_features=alpha, normalize=scaled, **params).fit(X).trace_
        for alpha in (0.0, 1.0)
        for scaled in (True, False)
    ]
    traces = [trace["objective"] for trace in traces]
    np.testing.assert_allclose(traces[0], traces[1], rtol=1e-8)
    assert traces[2][-1] < 0.99 * traces[3][-1]


@pytest.mark.against(("drcc", "rcc"), "planted clusters")
@pytest.mark.parametrize("solver", SOLVERS)
def test_planted_clusters_are_found(solver):
    """Samples of a block get one label."""
    for seed in range(3):
        X, y = planted(seed)
        model = solver(n_components=3, random_state=seed, alpha=0.01, alpha_features=0.01)
        labels = model.fit_predict(X)
        assert adjusted_rand_score(labels, y) == 1
        np.testing.assert_array_equal(labels, model.labels_)
        W = model.fit_transform(X)
        np.testing.assert_array_equal(labels, (W / np.linalg.norm(W, axis=0)).argmax(axis=1))
        assert np.linalg.norm(normalize(X) - W @ model.components_) < 0.2 * np.sqrt(36)


def test_the_sparse_part_takes_outliers():
    """With it RCC keeps closer to the data beneath the outliers than without."""
    clean, _ = planted()
    dirty, _ = planted(outliers=0.02)
    off = dirty - clean > 1
    errors = {}
    for lam in ("q95", "mad", np.inf):
        model = RCC(n_components=3, lam=lam, scale="none", alpha=1e-3, alpha_features=1e-3)
        W = model.set_params(random_state=0).fit_transform(dirty)
        errors[lam] = np.abs(clean - W @ model.components_).mean()
    assert 0.01 < off.mean() < 0.03
    assert max(errors["q95"], errors["mad"]) < 0.7 * errors[np.inf]


def test_the_threshold_is_that_of_the_data():
    """Rules give a multiple of the data's scale; a number is taken as it is."""
    X = problem()
    for lam in ("q95", "mad"):
        fits = [
            RCC(n_components=R, lam=lam, scale="none", max_iter=1, random_state=0).fit(c * X)
            for c in (1.0, 10.0)
        ]
        assert fits[1].lam_ == pytest.approx(10 * fits[0].lam_)
        assert 0 < fits[0].lam_ < 2 * X.max()
    assert RCC(n_components=R, lam=0.3, max_iter=1).fit(X).lam_ == 0.3


@pytest.mark.parametrize("normalize_columns", [True, False])
def test_the_freed_data_are_never_negative(normalize_columns):
    """Data without the sparse part lie between the data and what is fitted to them."""
    X, _ = planted(outliers=0.1)
    model = RCC(n_components=3, max_iter=1, lam=0.05, normalize=normalize_columns)
    s = model._start(X, 3, np.random.default_rng(0), None)
    for _ in range(20):
        model._step(X, s)
        fitted = s.W @ s.B @ s.G.T
        assert (s.target >= np.minimum(s.X, fitted) * (1 - 1e-12)).all()
        assert (s.target <= np.maximum(s.X, fitted) * (1 + 1e-12)).all()
        assert s.target.min() >= 0


@pytest.mark.against("drcc", "the conditions of an optimum")
def test_the_middle_of_drcc_is_least_squares():
    """No other middle factor fits better, also when columns nearly depend on each other."""
    X = problem()
    model = DRCC(n_components=3, alpha=0.1, alpha_features=0.1, max_iter=5)
    s, _ = state_of(model, X)
    best = np.linalg.pinv(s.W) @ X @ np.linalg.pinv(s.G.T)
    np.testing.assert_allclose(s.B, best, rtol=1e-5, atol=1e-7)
    s.W[:, 1] = s.W[:, 0] + 1e-6 * np.random.default_rng(0).random(N)
    s.B[:] = np.linalg.pinv(s.W) @ X @ np.linalg.pinv(s.G.T)
    before = np.sum((X - s.W @ s.B @ s.G.T) ** 2)
    model._solve_middle(s.X, s)  # the ridge makes a small, worse B
    assert np.sum((X - s.W @ s.B @ s.G.T) ** 2) <= before * (1 + 1e-12)


def test_drcc_takes_data_of_any_sign():
    """Signed data are fitted, also when no entry is positive, and are not turned round."""
    X = np.random.default_rng(0).standard_normal((N, M))
    for data in (X, -np.abs(X)):
        for scale in ("unit", "max", "none"):
            model = DRCC(n_components=3, scale=scale, normalize=False, random_state=0, tol=0.0)
            W = model.set_params(alpha=1e-3, alpha_features=1e-3).fit_transform(data)
            assert (W >= 0).all()
            objectives = model.trace_["objective"]
            assert (np.diff(objectives) <= 1e-9 * objectives[1:]).all()
            divisors = {"unit": np.linalg.norm(data, axis=1, keepdims=True), "none": 1}
            scaled = data / divisors.get(scale, np.abs(data).max())
            left = np.linalg.norm(scaled - W @ model.components_) / np.linalg.norm(scaled)
            assert left < (0.85 if data is X else 0.65)
    assert model.components_.min() < 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_single_precision_gives_nearly_the_same(solver):
    """Objectives agree to the digits of single precision, also at large weights."""
    X = problem(0, 40, 30)
    params = {"n_components": 4, "alpha": 100.0, "alpha_features": 100.0, "max_iter": 60}
    for scaled in (True, False):
        fits = [
            solver(normalize=scaled, random_state=0, **params).fit(X.astype(dtype))
            for dtype in (np.float64, np.float32)
        ]
        assert fits[1].objective_ == pytest.approx(fits[0].objective_, rel=0.02)


@pytest.mark.parametrize("solver", SOLVERS)
def test_clusters_beyond_the_features_are_left_over(solver):
    """With zero features left out there may be fewer than clusters."""
    X = np.zeros((12, 6))
    X[:, [1, 4]] = np.random.default_rng(0).random((12, 2))
    model = solver(n_components=4, random_state=0).fit(X)
    assert model.components_.shape == (4, 6)
    assert np.isfinite(model.objective_)
    assert not model.components_[:, [0, 2, 3, 5]].any()


@pytest.mark.parametrize(
    ("solver", "params", "match"),
    [
        (DRCC, {"alpha": -1.0}, "alpha must be a finite number"),
        (DRCC, {"alpha_features": np.nan}, "alpha_features must be a finite number"),
        (DRCC, {"init": "random"}, "init must be one of 'kmeans'"),
        (RCC, {"alpha": np.inf}, "alpha must be a finite number"),
        (RCC, {"alpha_features": -0.5}, "alpha_features must be a finite number"),
        (RCC, {"lam": 0.0}, "lam must be a number above 0"),
        (RCC, {"lam": "q50"}, "lam must be a number or one of"),
    ],
)
def test_bad_parameters_are_refused(solver, params, match):
    """A weight or a name that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=match):
        solver(n_components=R, **params).fit(problem())


def reweighed(S, V, dtype=np.float64):
    V = V.astype(dtype)
    sums, degrees = np.empty_like(V), np.empty(len(V))
    total = pull_along_edges(S.indptr, S.indices, S.data, V, 1e-12, sums, degrees)
    return total, sums, degrees


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_edge_norms_and_their_graph(dtype):
    """Sum, products and degrees equal the dense graph's of reciprocal norms."""
    rng = np.random.default_rng(0)
    V = rng.random((N, R)).astype(dtype).astype(np.float64)
    V[3] = V[4]
    S = graphs.knn_affinity(problem(), 4, weights="heat")
    total, sums, degrees = reweighed(S, V, dtype)
    norms = np.sqrt(np.sum((V[:, None] - V) ** 2, axis=2) + 1e-12)
    graph = S.toarray() / (2 * norms)
    assert total == pytest.approx(edges(S, V))
    np.testing.assert_allclose(degrees, graph.sum(axis=1))
    np.testing.assert_allclose(sums, graph @ V, rtol=1e-12 if dtype == np.float64 else 1e-6)


def test_the_reweighed_graph_bounds_the_edge_norms():
    """Its smoothness plus a constant is never below them, and touches them where it was made."""
    rng = np.random.default_rng(0)
    S = graphs.knn_affinity(problem(), 4)
    for _ in range(20):
        V, U = rng.random((N, R)), rng.random((N, R)) * rng.choice([0.1, 1, 10])
        total, sums, degrees = reweighed(S, V)

        def smooth(F, S=S, V=V):
            norms = np.sqrt(np.sum((V[:, None] - V) ** 2, axis=2) + 1e-12)
            return graphs.smoothness(sp.csr_array(S.toarray() / (2 * norms)), F)

        assert smooth(V) == pytest.approx(np.vdot(V, degrees[:, None] * V - sums))
        constant = total - smooth(V)
        assert edges(S, U) <= smooth(U) + constant + 1e-9
