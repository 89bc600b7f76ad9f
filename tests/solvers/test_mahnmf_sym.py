"""Symmetric MahNMF: the scalar update, the sweep, the paper's rule, recovery, bad input."""

import numpy as np
import pytest
import scipy.sparse as sp

from nmfbench.optim.kernels.symmetric_median import symmetric_median, symmetric_sweep
from nmfbench.optim.losses import manhattan
from nmfbench.solvers.manhattan.mahnmf_sym import MahNMFSym

KINDS = (np.asarray, sp.csr_matrix)


def scalar(x, points, weights, diagonal):
    """The function that one entry minimises, at each x."""
    x = np.atleast_1d(x)
    return weights @ np.abs(points[:, None] - x) + np.abs(diagonal - x**2)


def brute_force(points, weights, diagonal):
    """Its minimum: on a dense grid, at the points, and where each piece is stationary."""
    rho = np.sqrt(max(diagonal, 0.0))
    ends = np.sort(points)
    slopes = 2 * np.concatenate([[0.0], np.cumsum(weights[np.argsort(points)])]) - weights.sum()
    top = max(rho, ends.max(initial=0.0), weights.sum() / 2) + 0.1
    candidates = np.concatenate([[0.0, rho], points, -slopes / 2, np.linspace(0, top, 3001)])
    return scalar(candidates[candidates >= 0], points, weights, diagonal).min()


def scalar_problems():
    """Points and weights of all sizes, small integers that make ties among them."""
    rng = np.random.default_rng(0)
    for size in (*range(8), 30):
        for _ in range(60):
            if rng.random() < 0.3:
                points = rng.integers(-2, 4, size).astype(float)
                weights = rng.integers(1, 4, size) / 2
            else:
                points = rng.choice([0.3, 1, 3]) * rng.standard_normal(size)
                weights = rng.choice([0.1, 1, 5]) * rng.random(size) + 1e-3
            yield points, weights, rng


def similarity(seed=0, n=12, r=3, noise=0.1):
    """A random symmetric matrix near one of low rank, and H."""
    rng = np.random.default_rng(seed)
    H = rng.random((n, r)) * (rng.random((n, r)) < 0.6)
    X = H @ H.T + noise * rng.random((n, n))
    return (X + X.T) / 2, H


@pytest.mark.parametrize("diagonal", [-3.0, -0.1, 0.0, 0.01, 0.5, 1.0, 4.0, 30.0])
def test_the_scalar_update_is_the_global_minimum(diagonal):
    """For either sign of the diagonal no grid point, breakpoint or stationary point is better."""
    for points, weights, _ in scalar_problems():
        x = symmetric_median(points.copy(), weights.copy(), len(points), 0.0, diagonal, True)
        assert x >= 0
        found = scalar(x, points, weights, diagonal)[0]
        best = brute_force(points, weights, diagonal)
        assert found <= best + 1e-10 * (1 + best)


def test_the_rule_of_the_paper_is_exact_where_it_holds():
    """Where the diagonal is not positive both rules agree, and elsewhere the paper's is worse."""
    worse = 0
    for points, weights, rng in scalar_problems():

        def update(diagonal, exact, points=points, weights=weights):
            args = points.copy(), weights.copy(), len(points), 0.0
            return symmetric_median(*args, diagonal, exact)

        negative, positive = -rng.random(), 9 * rng.random()
        assert update(negative, True) == update(negative, False)
        values = [
            scalar(update(positive, exact), points, weights, positive)[0] for exact in (True, False)
        ]
        assert values[0] <= values[1] + 1e-12
        worse += values[0] < values[1] - 1e-6
    assert worse > 50


def test_an_entry_without_points_takes_the_root_of_the_diagonal():
    """If all others in its column are zero, the exact rule starts an entry, the paper's not."""
    none = np.empty(0)
    assert symmetric_median(none, none, 0, 0.0, 4.0, True) == 2.0
    assert symmetric_median(none, none, 0, 0.0, 4.0, False) == 0.0
    assert symmetric_median(none, none, 0, 0.0, -1.0, True) == 0.0


def test_points_at_infinity_do_no_harm():
    """Tiny entries of H may put points beyond the largest number."""
    points, weights = np.array([np.inf, 0.5, -np.inf, 2.0]), np.array([1e-300, 1.0, 1e-300, 0.5])
    for diagonal in (-1.0, 1.0, 9.0):
        x = symmetric_median(points.copy(), weights.copy(), 4, 0.0, diagonal, True)
        finite = np.array([0.5, 2.0]), np.array([1.0, 0.5])
        assert scalar(x, *finite, diagonal)[0] <= brute_force(*finite, diagonal) + 1e-12


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_sweep_lowers_the_loss(dtype):
    """After no sweep the l1 norm of the residual has risen."""
    tol = 1e3 * np.finfo(dtype).eps
    for seed in range(5):
        X, _ = similarity(seed, noise=0.5)
        X = X.astype(dtype)
        H = np.random.default_rng(seed).random((3, len(X))).astype(dtype)
        V = sp.csr_array(X)
        before = np.abs(X - H.T @ H).sum()
        for _ in range(8):
            symmetric_sweep(H, V.indptr, V.indices, V.data, np.arange(len(X)), True)
            after = np.abs(X - H.T @ H).sum()
            assert after <= before * (1 + tol)
            before = after
        assert H.min() >= 0


@pytest.mark.against("mahnmf-sym", "scalar updates one by one, on the dense residual")
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("density", [0.0, 0.1, 0.5, 1.0])
def test_a_sweep_is_its_scalar_updates(density, exact):
    """Skipping zeros of V, and points on the wrong side, gives what all points give."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        A = rng.random((20, 20)) * (rng.random((20, 20)) < density)
        X = A + A.T
        X[np.diag_indices(20)] *= rng.random(20) < 0.5
        H = rng.random((3, 20)) * (rng.random((3, 20)) < 0.7)
        slow, order, V = H.copy(), rng.permutation(20), sp.csr_array(X)
        for _ in range(3):
            symmetric_sweep(H, V.indptr, V.indices, V.data, order, exact)
            for i in order:
                for k in range(3):
                    Z = X[i] - slow[:, i] @ slow + slow[k, i] * slow[k]
                    others = (slow[k] > 0) & (np.arange(20) != i)
                    h = slow[k, others]
                    diagonal = X[i, i] - slow[:, i] @ slow[:, i] + slow[k, i] ** 2
                    points, weights = Z[others] / h, 2 * h
                    slow[k, i] = symmetric_median(points, weights, len(h), 0.0, diagonal, exact)
            np.testing.assert_allclose(H, slow, atol=1e-7)  # roots of what rounding leaves


def test_sparse_similarities_are_those_of_a_dense_array():
    """Fit, representation of new samples, and certificate are the same."""
    X, _ = similarity()
    X[X < 0.4] = 0
    X[np.diag_indices(12)] = 1
    models = [MahNMFSym(n_components=3, random_state=0).fit(kind(X)) for kind in KINDS]
    np.testing.assert_allclose(*(model.components_ for model in models), atol=1e-8)
    projections = [m.transform(kind(X[:4])) for m, kind in zip(models, KINDS, strict=True)]
    np.testing.assert_allclose(*projections, atol=1e-8)
    found = [m.certificate(kind(X))["primal"] for m, kind in zip(models, KINDS, strict=True)]
    assert found[0] == pytest.approx(found[1])


@pytest.mark.against("mahnmf-sym", "the conditions of an optimum")
def test_fixed_points_are_optimal_in_every_entry():
    """At the end, no value of any single entry on a grid is better."""
    X, _ = similarity(noise=0.5)
    W = MahNMFSym(n_components=3, tol=0, max_iter=200, random_state=0).fit_transform(X)
    least = manhattan(X, W, W)
    for i, k in np.ndindex(W.shape):
        for x in np.linspace(0, 2, 41):
            other = W.copy()
            other[i, k] = x
            assert manhattan(X, other, other) >= least * (1 - 1e-9)


def test_the_rule_of_the_paper_can_raise_the_objective():
    """For X = (1) and r = 1 it leaves the exact H = (1) for (0); the exact rule stays."""
    X, one = np.ones((1, 1)), np.ones((1, 1))
    with pytest.warns(UserWarning, match="all components are zero"):
        paper = MahNMFSym(diagonal="paper", max_iter=1).fit(X, W=one, H=one)
    np.testing.assert_array_equal(paper.trace_["objective"], [0.0, 1.0])
    exact = MahNMFSym(max_iter=1).fit(X, W=one, H=one)
    np.testing.assert_array_equal(exact.trace_["objective"], [0.0, 0.0])


def test_with_one_component_the_assumption_of_the_paper_never_holds():
    """The residual without the only component is X itself, whose diagonal is positive."""
    X, _ = similarity(r=1, noise=0.0)
    X += 0.1 * np.eye(len(X))
    H = np.random.default_rng(0).random((1, len(X)))
    E = X - H.T @ H
    assert np.all(np.diag(E) + H[0] ** 2 > 0)
    exact, paper = (
        MahNMFSym(n_components=1, diagonal=rule, tol=0, max_iter=30).fit(X, W=H.T, H=H)
        for rule in ("exact", "paper")
    )
    assert exact.objective_ < paper.objective_
    assert np.all(np.diff(exact.trace_["objective"]) <= 1e-12)


@pytest.mark.against("mahnmf-sym", "planted blocks")
def test_blocks_are_recovered():
    """A block-diagonal matrix of rank-one blocks is factorized exactly, a component a block."""
    rng = np.random.default_rng(1)
    H = np.zeros((15, 3))
    for k in range(3):
        H[5 * k : 5 * k + 5, k] = rng.uniform(0.5, 1.5, 5)
    model = MahNMFSym(n_components=3, random_state=0, tol=1e-12, max_iter=500)
    W = model.fit_transform(H @ H.T)
    order = np.argmax(W[[0, 5, 10]], axis=1)
    np.testing.assert_allclose(W[:, order], H, atol=1e-8)
    np.testing.assert_array_equal(model.components_, W.T)
    assert model.n_dead_components_ == 0


def test_outliers_do_not_matter_to_the_exact_factor():
    """With a few gross errors in the matrix, the l1 fit from the truth stays there."""
    X, H = similarity(noise=0.0)
    corrupted = X.copy()
    corrupted[1, 7] = corrupted[7, 1] = 50.0
    model = MahNMFSym(n_components=3, max_iter=20)
    W = model.fit_transform(corrupted, W=H, H=H.T)
    np.testing.assert_allclose(W @ W.T, X, atol=1e-8)


def test_a_dead_component_is_counted_and_can_revive():
    """A zero column stays zero under the paper's rule, and not under the exact one."""
    X = np.kron(np.eye(2), np.ones((2, 2)))
    start = np.zeros((4, 2))
    start[:2, 0] = 1.0
    paper = MahNMFSym(n_components=2, diagonal="paper", max_iter=5).fit(X, W=start, H=start.T)
    exact = MahNMFSym(n_components=2, max_iter=5).fit(X, W=start, H=start.T)
    assert paper.n_dead_components_ == 1
    assert paper.objective_ == 4.0
    assert exact.n_dead_components_ == 0
    assert exact.objective_ == 0.0


def test_the_symmetric_start_is_least_squares_and_better_than_uniform():
    """It lowers the Frobenius error of the uniform start, and the l1 loss begins lower."""
    X, _ = similarity(n=30)
    one, other = (
        MahNMFSym(n_components=3, init=init, random_state=0, max_iter=1).fit(X)
        for init in ("symmetric", "uniform")
    )
    assert one.trace_["objective"][0] < 0.8 * other.trace_["objective"][0]
    starts = [MahNMFSym.inits[i](X, 3, np.random.default_rng(0))[0] for i in MahNMFSym.inits]
    errors = [np.linalg.norm(X - H @ H.T) for H in starts]
    assert errors[0] < 0.8 * errors[1]


def test_transform_represents_similarities_to_the_samples_of_the_fit():
    """New rows are combinations of the components; exact ones are found exactly."""
    X, H = similarity(noise=0.0)
    model = MahNMFSym(n_components=3).fit(X, W=H, H=H.T)
    new = np.random.default_rng(3).random((4, 3))
    np.testing.assert_allclose(model.transform(new @ H.T), new, atol=1e-8)
    assert model.certificate(X)["primal"] <= 1e-8


def test_zero_similarities_give_zero_factors_and_a_warning():
    """A matrix of zeros is factorized by zeros; nothing is divided by zero."""
    model = MahNMFSym(n_components=2, random_state=0).fit(np.zeros((5, 5)))
    assert not model.components_.any()
    assert model.n_dead_components_ == 2


def test_bad_input_is_refused():
    """An asymmetric or rectangular matrix, two different factors and unknown rules are refused."""
    X, H = similarity()
    model = MahNMFSym(n_components=3)
    skew = X.copy()
    skew[2, 5] += 0.01
    with pytest.raises(ValueError, match=r"X must be symmetric.*\(X \+ X\.T\) / 2"):
        model.fit(skew)
    model.fit((skew + skew.T) / 2)
    model.fit(X * (1 + 1e-15 * np.random.default_rng(0).standard_normal(X.shape)))
    with pytest.raises(ValueError, match="must be square"):
        model.fit(X[:, :5])
    with pytest.raises(ValueError, match=r"H=W\.T"):
        model.fit(X, W=H, H=H.T + 1)
    with pytest.raises(ValueError, match="diagonal must be"):
        MahNMFSym(diagonal="none").fit(X)
    with pytest.raises(ValueError, match="init must be one of 'symmetric', 'uniform'"):
        MahNMFSym(init="nndsvda").fit(X)


@pytest.mark.filterwarnings("ignore:all components are zero")
def test_on_similar_pixels_the_exact_rule_keeps_the_components():
    """From a uniform start, the paper's rule kills components of an image, and fits worse."""
    rng = np.random.default_rng(0)
    row, column = np.divmod(np.arange(140), 14)
    brightness = np.array([0.2, 0.5, 0.8])[3 * column // 14] + 0.03 * rng.standard_normal(140)
    distance = np.hypot(row[:, None] - row, column[:, None] - column) / 14
    X = np.exp(-(((brightness[:, None] - brightness) / 0.1) ** 2) - (distance / 0.25) ** 2)
    X *= distance < 5 / 16
    degree = np.sqrt(X.sum(axis=1))
    X /= np.outer(degree, degree)
    for seed in range(3):
        exact, paper = (
            MahNMFSym(
                n_components=10, diagonal=rule, init="uniform", random_state=seed, max_iter=50
            ).fit((X + X.T) / 2)
            for rule in ("exact", "paper")
        )
        assert exact.n_dead_components_ == 0
        assert paper.n_dead_components_ > 0
        assert exact.objective_ < 0.8 * paper.objective_
