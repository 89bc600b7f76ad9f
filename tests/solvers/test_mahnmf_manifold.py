"""Manifold-regularised MahNMF: the penalty, its gradient, each half-step, the graph."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from oracles_l1 import manifold_lad_optimum

from nmfbench.core.registry import solvers
from nmfbench.optim import graphs, losses
from nmfbench.solvers.manhattan.mahnmf_m_ogm import MahNMFMOGM, SmoothedManifold
from nmfbench.solvers.manhattan.mahnmf_m_rri import MahNMFMRRI
from nmfbench.solvers.manhattan.mahnmf_ogm import MahNMFOGM
from nmfbench.solvers.manhattan.mahnmf_rri import MahNMFRRI
from nmfbench.solvers.manhattan.smoothing import SmoothedLoss

SOLVERS = [MahNMFMRRI, MahNMFMOGM]
N, M, R = 18, 12, 3


def problem(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((N, R)) @ rng.random((R, M)) + rng.laplace(0, 0.1, (N, M)).clip(0)
    return X, rng.random((N, R)), rng.random((M, R))


def affinity(seed=1, n=N):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.3), 1)
    return A + A.T


def objective(X, W, H, A, beta):
    """Eq. (33), from its definition, with the rows of H scaled to unit sum."""
    sums = H.sum(axis=1)
    W, H = W * sums, H / sums[:, None]
    L = np.diag(A.sum(axis=1)) - A
    return np.abs(X - W @ H).sum() + beta / 2 * np.trace(W.T @ L @ W)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_objective_is_that_of_the_paper_at_unit_scale(solver):
    """The fit reports Eq. (33) of the factors returned, whose components have unit sum."""
    X, W0, Ht = problem()
    A = affinity()
    for beta in (1e-3, 0.1):
        model = solver(n_components=R, beta=beta, affinity=A, max_iter=15)
        W = model.fit_transform(X, W=W0, H=Ht.T)
        H = model.components_
        np.testing.assert_allclose(H.sum(axis=1), 1)
        assert model.objective_ == pytest.approx(objective(X, W, H, A, beta))


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_scale_of_the_start_does_not_matter_to_the_objective(solver):
    """Scaling W down and H up leaves the objective, so there is no escape to zero."""
    X, W, Ht = problem()
    A = affinity()
    fits = [
        solver(n_components=R, beta=0.5, affinity=A, max_iter=1).fit(X, W=W / c, H=c * Ht.T)
        for c in (1.0, 1000.0)
    ]
    first = [fit.trace_["objective"][0] for fit in fits]
    assert first[0] == pytest.approx(objective(X, W, Ht.T, A, 0.5))
    assert first[1] == pytest.approx(first[0])
    if solver is MahNMFMRRI:  # smoothing has a unit
        assert fits[1].objective_ == pytest.approx(fits[0].objective_)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_graph_is_made_of_the_neighbours_of_the_data(solver):
    """Without an affinity the graph joins the ``n_neighbors`` nearest neighbours."""
    X, _, _ = problem()
    params = {"n_components": R, "beta": 0.1, "random_state": 0, "max_iter": 5}
    made = solver(n_neighbors=2, **params).fit(X)
    given = solver(affinity=graphs.knn_affinity(X, 2), **params).fit(X)
    other = solver(n_neighbors=6, **params).fit(X)
    np.testing.assert_array_equal(made.components_, given.components_)
    assert made.objective_ != other.objective_


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_larger_beta_gives_a_smoother_representation(solver):
    """The penalty does what it is there for, relative to the size of W."""
    X, W, Ht = problem()
    A = affinity()
    roughness = []
    for beta in (0.0, 1.0, 100.0):
        model = solver(n_components=R, beta=beta, affinity=A, max_iter=60, tol=0)
        fitted = model.fit_transform(X, W=W, H=Ht.T)
        roughness.append(graphs.smoothness(sp.csr_array(A), fitted) / np.sum(fitted**2))
    assert roughness[0] > roughness[1] > roughness[2]


def test_without_beta_ogm_is_the_plain_solver():
    """beta = 0 gives the plain solver's factors, bit for bit."""
    X, W, Ht = problem()
    plain = MahNMFOGM(n_components=R, max_iter=8).fit(X, W=W, H=Ht.T)
    model = MahNMFMOGM(n_components=R, max_iter=8, beta=0.0).fit(X, W=W, H=Ht.T)
    np.testing.assert_array_equal(model.components_, plain.components_)
    np.testing.assert_array_equal(model.trace_["objective"], plain.trace_["objective"])


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_without_beta_or_edges_rri_is_the_plain_solver(beta):
    """beta = 0, or a graph without edges: the plain solver's fit."""
    X, W, Ht = problem()
    A = affinity() if beta == 0 else np.zeros((N, N))
    plain = MahNMFRRI(n_components=R, max_iter=8, tol=0)
    model = MahNMFMRRI(n_components=R, max_iter=8, tol=0, beta=beta, affinity=A)
    expected = plain.fit_transform(X, W=W, H=Ht.T)
    np.testing.assert_allclose(model.fit_transform(X, W=W, H=Ht.T), expected, atol=1e-9)
    np.testing.assert_allclose(model.components_, plain.components_, atol=1e-9)
    assert model.objective_ == pytest.approx(plain.objective_)


def state(X, W, Ht, **params):
    model = MahNMFMRRI(n_components=R, **params)
    s = model._start(X, R, np.random.default_rng(0), (W.copy(), Ht.copy()))
    s.R[:] = X - s.W @ s.Ht.T
    return model, s


@pytest.mark.parametrize("beta", [1e-3, 1.0])
def test_half_steps_of_rri_never_raise_what_they_minimise(beta):
    """W: the objective, for H as it is. H: the loss, whatever becomes of the penalty."""
    for seed in range(5):
        X, W, Ht = problem(seed)
        model, s = state(X, W, Ht, beta=beta, affinity=affinity(seed))
        for _ in range(15):
            before = model._objective(X, s)
            model._improve_W(s)
            assert model._objective(X, s) <= before * (1 + 1e-12)
            before = losses.manhattan(X, s.W, s.Ht)
            model._improve_H(s)
            assert losses.manhattan(X, s.W, s.Ht) <= before * (1 + 1e-12)
            np.testing.assert_allclose(s.R, X - s.W @ s.Ht.T, atol=1e-12)


def test_the_objective_of_rri_may_rise():
    """Sweeps over H change the sums of its rows, so no monotone decrease is promised."""
    assert not solvers["mahnmf-m-rri"].info["monotone"]
    rises = 0.0
    for seed in range(10):
        X, W, Ht = problem(seed)
        model = MahNMFMRRI(n_components=R, beta=1.0, affinity=affinity(seed), tol=0, max_iter=60)
        rises = max(rises, np.diff(model.fit(X, W=W, H=Ht.T).trace_["objective"]).max())
    assert rises > 1e-6


@pytest.mark.against("mahnmf-m-rri", "the conditions of an optimum")
def test_a_fixed_point_of_the_sweeps_over_w_is_optimal_in_every_coordinate():
    """Once sweeps change nothing, no move of a single entry of W lowers the objective."""
    X, W, Ht = problem()
    A = affinity()
    model, s = state(X, W, Ht, beta=0.3, affinity=A)
    for _ in range(400):
        model._improve_W(s)
    best = objective(X, s.W, s.Ht.T, A, 0.3)
    for i in range(N):
        for k in range(R):
            for step in (-1.0, -1e-2, -1e-5, 1e-5, 1e-2, 1.0):
                moved = s.W.copy()
                moved[i, k] = max(moved[i, k] + step, 0)
                assert objective(X, moved, s.Ht.T, A, 0.3) >= best * (1 - 1e-12)


@pytest.mark.against(("mahnmf-m-ogm", "mahnmf-m-rri"), "scipy.optimize")
@pytest.mark.parametrize("beta", [0.05, 1.0])
def test_the_sub_problem_over_w(beta):
    """OGM reaches the optimum of a quadratic programme; RRI stays above it, and not far."""
    X, W, Ht = problem()
    X, W, A = X[:5, :8].copy(), W[:5], affinity(2, 5)
    Ht = Ht[:8] / Ht[:8].sum(axis=0)
    L = np.diag(A.sum(axis=1)) - A
    best, _ = manifold_lad_optimum(X, Ht.T, L, beta)
    model, s = state(X, W, Ht, beta=beta, affinity=A)
    for _ in range(300):
        model._improve_W(s)
    assert best * (1 - 1e-6) <= objective(X, s.W, Ht.T, A, beta) <= 1.3 * best
    tight = {"inner_tol": 1e-7, "inner_max_iter": 20000, "lipschitz": "spectral"}
    for mu in (1.0, 0.1, 0.01):
        W = MahNMFMOGM(beta=beta, affinity=A, mu0=mu, **tight).represent(X, Ht.T, W)
    assert best * (1 - 1e-6) <= objective(X, W, Ht.T, A, beta) <= best * 1.001


def manifold_loss(X, W, Ht, mu=0.3, dtype=np.float64, lipschitz="trace"):
    S, penalties = sp.csr_array(affinity()), np.array([0.5, 2.0, 0.0])
    X, Ht = X.astype(dtype), Ht.astype(dtype)
    buffer = np.empty_like(X)
    loss = SmoothedManifold(X, Ht, mu, buffer, S, penalties, lipschitz=lipschitz)
    plain = SmoothedLoss(X, Ht, mu, buffer, varies="W", lipschitz=lipschitz)
    return loss, plain, S, penalties


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_gradient_of_the_smoothed_objective(dtype):
    """Value and gradient are sums over loss and penalty; finite differences agree."""
    X, W, Ht = problem()
    loss, plain, S, penalties = manifold_loss(X, W, Ht, dtype=dtype)
    W = W.astype(dtype)
    g, h = np.empty_like(W), np.empty_like(W)
    value = loss.gradient(W, g)
    expected = plain.gradient(W, h) + 0.5 * graphs.smoothness(S, W * np.sqrt(penalties))
    assert value == pytest.approx(expected, rel=1e-6)
    assert g.dtype == dtype
    if dtype == np.float32:
        return
    for i, k in ((0, 0), (7, 1), (17, 2)):
        sides = []
        for step in (1e-5, -1e-5):
            moved = W.copy()
            moved[i, k] += step
            sides.append(loss.gradient(moved, h))
        assert (sides[0] - sides[1]) / 2e-5 == pytest.approx(g[i, k], rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("lipschitz", ["trace", "spectral"])
def test_the_gradient_never_changes_faster_than_its_lipschitz_constant(lipschitz):
    """The constant covers loss and penalty, whose columns have weights of their own."""
    X, W, Ht = problem()
    loss, _, _, _ = manifold_loss(X, W, Ht, mu=5.0, lipschitz=lipschitz)
    rng = np.random.default_rng(0)
    a, b = np.empty_like(W), np.empty_like(W)
    for size in (1e-3, 1.0, 100.0):
        for _ in range(20):
            move = size * rng.standard_normal(W.shape) * (rng.random(R) < 0.5)
            loss.gradient(W, a)
            loss.gradient(W + move, b)
            assert np.linalg.norm(b - a) <= loss.lipschitz * np.linalg.norm(move) * (1 + 1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_isolated_samples_and_parts_of_the_graph_do_not_touch_each_other(solver):
    """Samples without neighbours are fitted as by beta = 0; a cluster does not feel another."""
    X, W, Ht = problem()
    A = affinity()
    A[:, 9:] = A[9:] = 0
    split = A.copy()
    split[9:, 9:] = affinity(5, 9)
    whole, cut, plain = (
        solver(n_components=R, beta=beta, affinity=graph, max_iter=1)
        for beta, graph in ((0.5, split), (0.5, A), (0.0, A))
    )
    if solver is MahNMFMOGM:  # the step is one for all samples, so a fixed number differs
        for model in (whole, cut, plain):
            model.set_params(mu0=0.05, inner_tol=1e-9, inner_max_iter=20000)
    half_steps = []
    for model in (whole, cut, plain):
        s = model._start(X, R, np.random.default_rng(0), (W.copy(), Ht.copy()))
        if solver is MahNMFMRRI:
            s.R[:] = X - s.W @ s.Ht.T
            model._improve_W(s)
        else:
            s.W = model._descend(X, s, "W", model.mu0)
        half_steps.append(s.W)
    tolerance = 1e-12 if solver is MahNMFMRRI else 2e-3
    np.testing.assert_allclose(half_steps[0][:9], half_steps[1][:9], atol=tolerance)
    np.testing.assert_allclose(half_steps[1][9:], half_steps[2][9:], atol=tolerance)
    assert np.abs(half_steps[0][9:] - half_steps[2][9:]).max() > 1e-2
    assert np.abs(half_steps[1][:9] - half_steps[2][:9]).max() > 1e-2


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"beta": -1.0}, "beta"),
        ({"beta": np.nan}, "beta"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"affinity": np.triu(affinity())}, "affinity is not symmetric"),
        ({"affinity": -affinity()}, "affinity has negative"),
        ({"affinity": affinity()[:5, :5]}, "affinity has shape"),
        ({"affinity": affinity() * np.nan}, "affinity has NaN"),
    ],
)
def test_bad_parameters_are_refused(solver, params, match):
    """A weight or a graph that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=match):
        solver(n_components=R, **params).fit(problem()[0])


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.coo_array, np.asarray])
def test_the_affinity_may_be_sparse_or_dense(form):
    """The layout of the affinity does not matter, and it is not modified."""
    X, _, _ = problem()
    A = affinity() + np.eye(N)
    given = form(A)
    params = {"n_components": R, "beta": 0.1, "random_state": 0, "max_iter": 4}
    model = MahNMFMRRI(affinity=given, **params).fit(X)
    expected = MahNMFMRRI(affinity=A, **params).fit(X)
    np.testing.assert_array_equal(model.components_, expected.components_)
    np.testing.assert_array_equal(given.toarray() if sp.issparse(given) else given, A)


def test_fewer_samples_than_neighbours():
    """The graph is complete then, and one sample has none."""
    X, _, _ = problem()
    for n in (1, 3):
        model = MahNMFMRRI(n_components=1, random_state=0).fit(X[:n])
        assert np.isfinite(model.objective_)


@pytest.mark.parametrize(
    ("solver", "params"), [(MahNMFMRRI, {}), (MahNMFMOGM, {"inner_max_iter": 20})]
)
def test_a_fit_needs_the_memory_of_three_more_matrices(solver, params):
    """At its peak, graph and all, a fit holds no more than X and three arrays of its size."""
    X = np.random.default_rng(0).random((400, 1500))
    model = solver(n_components=2, max_iter=2, random_state=0, **params)
    model.fit(X[:20])  # compiles
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 3.1 * X.nbytes
