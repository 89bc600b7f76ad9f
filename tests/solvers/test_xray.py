"""The XRAY family: recovery, selection rules, guarantees, and agreement between its members."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from oracles_bregman import nnls_rows
from sklearn.base import clone

from nmfbench import make_solver
from nmfbench.optim.projections import project_frobenius
from nmfbench.optim.projections.bregman import GENERATORS
from nmfbench.solvers.separable.bregman_xray import BaseBregmanXRAY

EXACT_RULES = ["max", "rand", "dist", "greedy_p"]
KEYS = pytest.mark.parametrize("key", ["xray-l2", "xray-kl", "xray-is"])


def separable(seed=0, r=20, m=200, n=210):
    """The matrices of Figures 3 and 4, rows shuffled, and the indices of the anchors."""
    rng = np.random.default_rng(seed)
    W, alpha = rng.random((m, r)), rng.random(r)
    H = np.hstack([np.eye(r), rng.dirichlet(alpha, n - r).T])
    order = rng.permutation(n)
    return (W @ H)[:, order].T.copy(), set(np.argsort(order)[:r])


def recovered(key, X, anchors, **params):
    s = make_solver(key, n_components=len(anchors), random_state=0, **params).fit(X)
    return len(set(s.anchor_indices_) & anchors) / len(anchors)


@pytest.mark.against("xray-l2", "planted anchors")
@pytest.mark.parametrize("selection", EXACT_RULES)
@pytest.mark.parametrize("seed", range(3))
def test_noiseless_anchors_are_found(selection, seed):
    """Every rule but `greedy` is exact without noise, and stops when the rows are exhausted."""
    X, anchors = separable(seed, r=8, m=30, n=60)
    s = make_solver("xray-l2", n_components=12, selection=selection, random_state=seed).fit(X)
    assert set(s.anchor_indices_) == anchors
    assert s.stop_reason_ == "converged"
    assert s.objective_ <= 1e-16 * (X**2).sum()


@pytest.mark.parametrize("selection", EXACT_RULES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_copies_zero_rows_and_scales_do_not_matter(selection, dtype):
    """Multiples of anchors are one point, and a zero row is never taken."""
    X, anchors = separable(1, r=6, m=20, n=40)
    X = np.vstack([X, X[sorted(anchors)], 2 * X[sorted(anchors)], np.zeros((3, 20))])
    X[:40] *= 2.0 ** np.random.default_rng(0).integers(-2, 3, (40, 1))
    s = make_solver("xray-l2", n_components=10, selection=selection, random_state=0)
    found = s.fit(X.astype(dtype)).anchor_indices_
    back = {40 + k: j for k, j in enumerate(sorted(anchors))}
    back |= {46 + k: j for k, j in enumerate(sorted(anchors))}
    assert [j for j in found if j >= 40] == []  # the lowest index stands for equal points
    assert {back.get(j, j) for j in found} == anchors
    assert len(found) == 6


def test_ties_between_different_points_go_to_an_extreme_one():
    """Without the random p an interior point of a face may tie with its corners, and loses."""
    X = np.array([[1.0, 1, 0], [2.0, 0, 0], [0, 2.0, 0], [1, 2, 0], [0, 0, 0.1]])
    s = make_solver("xray-l2", n_components=3, p=np.ones(3)).fit(X)
    assert set(s.anchor_indices_) == {1, 2, 4}


@pytest.mark.against(("xray-is", "xray-kl"), "planted anchors")
@pytest.mark.parametrize("key", ["xray-kl", "xray-is"])
def test_bregman_forms_find_noiseless_anchors(key):
    """Without noise the Bregman forms find (almost) all anchors of the paper's matrices."""
    assert np.mean([recovered(key, *separable(seed)) for seed in range(2)]) >= 0.95


@pytest.mark.against("xray-l2", "the algorithm by definition, with scipy.optimize.nnls")
@pytest.mark.parametrize("selection", [*EXACT_RULES, "greedy"])
def test_equals_an_implementation_by_definition(selection):
    """Residual matrices, scipy's nnls and the rules as the paper states them: same anchors."""
    X = np.random.default_rng(5).random((25, 12))
    p = 1 + np.random.default_rng(6).uniform(0, 1e-5, 12)
    s = make_solver("xray-l2", n_components=6, selection=selection, p=p, random_state=0).fit(X)
    R, anchors = X.copy(), []
    for k in range(6):
        products = R @ X.T
        positive = np.maximum(products, 0)
        if selection in ("greedy", "greedy_p"):
            heights = X @ p if selection == "greedy_p" else np.linalg.norm(X, axis=1)
            scores = np.linalg.norm(positive, axis=0) / heights
        else:
            norms = np.linalg.norm(positive if selection == "dist" else R, axis=1)
            norms[anchors] = 0
            i = int(np.argmax(norms))
            scores = products[i] / (X @ p)
        scores[anchors] = -np.inf
        if selection == "rand":  # its row is random: any that leads to the anchor chosen
            rows = products / (X @ p)
            rows[:, anchors] = -np.inf
            outside = np.linalg.norm(R, axis=1) > 1e-6
            assert s.anchor_indices_[k] in rows[outside].argmax(axis=1)
        else:
            assert s.anchor_indices_[k] == np.argmax(scores)
        anchors.append(int(s.anchor_indices_[k]))
        W = nnls_rows(X, X[anchors])
        R = X - W @ X[anchors]
        np.testing.assert_allclose(s.trace_["objective"][k + 1], (R**2).sum(), rtol=1e-9)


@pytest.mark.against("xray-l2", "scipy.optimize.nnls")
def test_greedy_scores_are_the_decrease_of_the_loss():
    """`greedy` maximises what one more anchor gains with the other coefficients fixed."""
    X = np.random.default_rng(7).random((12, 8))
    first, second = (
        make_solver("xray-l2", n_components=2, selection="greedy").fit(X).anchor_indices_
    )
    R = X - nnls_rows(X, X[[first]]) @ X[[first]]
    gains = [(R**2).sum() - ((R - nnls_rows(R, X[[j]]) @ X[[j]]) ** 2).sum() for j in range(12)]
    assert int(np.argmax(gains)) == second
    scores = np.linalg.norm(np.maximum(R @ X.T, 0), axis=0) / np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(scores**2, gains, atol=1e-10)


def test_a_step_towards_the_worst_row():
    """`max` aims at the row with the largest residual, of rows that are not anchors."""
    X = np.array([[1.0, 0, 0], [0.9, 0.1, 0], [0, 0, 3.0], [0.2, 0.2, 0.2]])
    assert list(make_solver("xray-l2", n_components=2).fit(X).anchor_indices_) == [2, 0]


@dataclass(eq=False, repr=False, kw_only=True)
class SquaredXRAY(BaseBregmanXRAY):
    """Bregman XRAY with phi(x) = x^2."""

    generator = GENERATORS["frobenius"]

    def _fit_rows(self, X, H, W0):
        W = project_frobenius(X, H, W0)
        return W, ((X - W @ H) ** 2).sum(axis=1)

    def _row_scale(self, s):
        return s.squares


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("selection", ["max", "rand"])
def test_the_square_as_generator_gives_xray_l2(seed, selection):
    """With phi(x) = x^2 Bregman XRAY selects the anchors of XRAY-l2, in their order."""
    X = np.random.default_rng(seed).random((60, 30))
    params = {"n_components": 15, "random_state": seed, "selection": selection}
    np.testing.assert_array_equal(
        SquaredXRAY(**params).fit(X).anchor_indices_,
        make_solver("xray-l2", **params).fit(X).anchor_indices_,
    )


@pytest.mark.against(("xray-is", "xray-kl"), "its formulas, written out")
@pytest.mark.parametrize("key", ["xray-kl", "xray-is"])
@pytest.mark.parametrize("first", ["l2", "mean"])
def test_bregman_anchors_follow_from_their_definition(key, first):
    """Given the projections, each anchor maximises the score of Eq. (4.5)."""
    X, _ = separable(2, r=6, m=30, n=40)
    X = X * np.random.default_rng(0).exponential(1, X.shape)
    p = 1 + np.random.default_rng(1).uniform(0, 1e-5, 30)
    s = make_solver(key, n_components=6, p=p, first=first).fit(X)
    g, A = s.generator, s.anchor_indices_
    floor = s.floor_
    W = np.zeros((40, 0))
    for k in range(6):
        Y = W @ X[A[:k]] if k or first == "l2" else np.tile(X.mean(axis=0), (40, 1))
        if k or first == "mean":
            badness = g.divergence(X, np.maximum(Y, floor)).sum(axis=1)
            badness[A[:k]] = -np.inf
            i = int(np.argmax(badness))
            v = g.weighted_residual(X[i], np.maximum(Y[i], floor))
        else:
            v = X[np.argmax((X**2).sum(axis=1))]
        scores = X @ v / (X @ p)
        scores[A[:k]] = -np.inf
        assert A[k] == np.argmax(scores)
        W, divergence = s._fit_rows(X, X[A[: k + 1]], np.column_stack([W, np.zeros(40)]))
        np.testing.assert_allclose(divergence.sum(), s.trace_["objective"][k + 1], rtol=1e-9)


@pytest.mark.parametrize("key", ["xray-kl", "xray-is"])
def test_projected_rows_satisfy_the_selection_lemma(key):
    """X_A^T (phi''(y) R) is zero on the support and not positive off it, after a fit."""
    X, _ = separable(3, r=6, m=30, n=40)
    X = X * np.random.default_rng(0).exponential(1, X.shape)
    s = make_solver(key, n_components=5, tol=1e-13, max_sweeps=20_000, random_state=0)
    W = s.fit_transform(X)
    assert (W >= 0).all()
    v = s.generator.weighted_residual(X, np.maximum(W @ s.components_, s.floor_))
    others = np.setdiff1d(np.arange(40), s.anchor_indices_)
    slopes = (v @ s.components_.T)[others]
    scale = (np.abs(v) @ s.components_.T)[others]
    assert (slopes <= 1e-4 * scale).all()
    support = W[others] > 1e-6
    assert (np.abs(slopes[support]) <= 1e-4 * scale[support]).all()


@KEYS
def test_the_objective_never_rises(key):
    """Each anchor lowers the objective, also where the projection is only local."""
    X, _ = separable(4, r=8, m=40, n=60)
    X = X * np.random.default_rng(0).exponential(1, X.shape)
    objective = make_solver(key, n_components=25, random_state=0).fit(X).trace_["objective"]
    assert (np.diff(objective) <= 1e-12 * objective[0]).all()


def test_exponential_data_favour_itakura_saito():
    """On Figure 4's data XRAY-IS recovers far more anchors than XRAY-l2 (about .9 and .6)."""
    results = {"xray-is": [], "xray-l2": []}
    for seed in range(3):
        X, anchors = separable(seed)
        X = X * np.random.default_rng(100 + seed).exponential(1, X.shape)
        for key, values in results.items():
            values.append(recovered(key, X, anchors))
    assert np.mean(results["xray-is"]) >= 0.8
    assert np.mean(results["xray-is"]) >= np.mean(results["xray-l2"]) + 0.15


def test_counts_reveal_their_anchors_as_the_intensity_grows():
    """On Poisson data recovery improves with the mean, for XRAY-KL and XRAY-l2 alike."""
    recovery = {}
    for intensity in (1, 10):
        for key in ("xray-kl", "xray-l2"):
            values = []
            for seed in range(3):
                X, anchors = separable(seed)
                X = np.random.default_rng(200 + seed).poisson(intensity * X).astype(float)
                values.append(recovered(key, X, anchors))
            recovery[key, intensity] = np.mean(values)
    for key in ("xray-kl", "xray-l2"):
        assert recovery[key, 10] >= 0.9
        assert recovery[key, 10] >= recovery[key, 1] + 0.3
    for intensity in (1, 10):
        assert abs(recovery["xray-kl", intensity] - recovery["xray-l2", intensity]) <= 0.15


@KEYS
def test_a_smaller_fit_is_the_beginning_of_a_larger_one(key):
    """Anchors are nested: one fit serves every smaller number of anchors."""
    X = np.random.default_rng(8).random((40, 20))
    for selection in ("max", "rand"):
        large, small = (
            make_solver(key, n_components=r, random_state=3, selection=selection).fit(X)
            for r in (10, 4)
        )
        np.testing.assert_array_equal(large.anchor_indices_[:4], small.anchor_indices_)


@KEYS
def test_scaling_the_data_keeps_the_anchors(key):
    """X -> c X changes no anchor, and permuting rows permutes them."""
    X = np.random.default_rng(9).random((40, 20))
    s = make_solver(key, n_components=8, random_state=0)
    A = s.fit(X).anchor_indices_
    np.testing.assert_array_equal(clone(s).fit(1024 * X).anchor_indices_, A)
    np.testing.assert_array_equal(clone(s).fit(X / 1024).anchor_indices_, A)
    order = np.random.default_rng(0).permutation(40)
    np.testing.assert_array_equal(order[clone(s).fit(X[order]).anchor_indices_], A)


@pytest.mark.parametrize(
    ("key", "selection"),
    [("xray-l2", rule) for rule in [*EXACT_RULES, "greedy"]] + [("xray-kl", "max")],
)
def test_sparse_data_give_the_dense_anchors(key, selection):
    """CSR data, with zero rows and uncovered entries, are treated as the same dense data."""
    rng = np.random.default_rng(10)
    X = rng.poisson(0.4, (40, 50)).astype(float) * rng.uniform(0.5, 2, (40, 1))
    X[7] = 0
    s = make_solver(key, n_components=10, random_state=0, selection=selection)
    dense, sparse = clone(s).fit(X), clone(s).fit(sp.csr_matrix(X))
    np.testing.assert_array_equal(dense.anchor_indices_, sparse.anchor_indices_)
    np.testing.assert_allclose(dense.trace_["objective"], sparse.trace_["objective"], rtol=1e-9)
    np.testing.assert_allclose(dense.transform(X), sparse.transform(sp.csr_matrix(X)), atol=1e-9)
    assert 7 not in dense.anchor_indices_


@KEYS
def test_fit_transform_reconstructs_and_keeps_the_dtype(key):
    """W times the anchors approximates X; float32 data give float32 factors."""
    X, anchors = separable(5, r=5, m=20, n=30)
    for dtype, rtol in ((np.float64, 1e-2), (np.float32, 1e-2)):
        s = make_solver(key, n_components=5, random_state=0)
        W = s.fit_transform(X.astype(dtype))
        assert W.dtype == s.components_.dtype == dtype
        assert set(s.anchor_indices_) == anchors
        np.testing.assert_allclose(s.inverse_transform(W), X, rtol=rtol, atol=1e-2)
        np.testing.assert_allclose(s.transform(X.astype(dtype)), W, atol=1e-2)


@KEYS
def test_a_given_p_replaces_the_random_one(key):
    """With p passed in, the seed no longer matters."""
    X = np.random.default_rng(11).random((30, 10))
    p = np.linspace(1, 1.001, 10)
    fits = [
        make_solver(key, n_components=5, p=p, random_state=k).fit(X).anchor_indices_ for k in (0, 1)
    ]
    np.testing.assert_array_equal(*fits)


@KEYS
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"selection": "best"}, "selection must be one of 'max', 'rand'"),
        ({"p": np.ones(3)}, "p has shape"),
        ({"p": np.r_[0.0, np.ones(4)]}, "p must be finite and positive"),
    ],
)
def test_senseless_parameters_are_refused(key, params, message):
    """The error names the parameter."""
    with pytest.raises(ValueError, match=message):
        make_solver(key, n_components=2, **params).fit(np.ones((4, 5)) + np.eye(4, 5))


@pytest.mark.parametrize("key", ["xray-kl", "xray-is"])
@pytest.mark.parametrize(
    ("name", "value"), [("first", "random"), ("floor", 0.0), ("tol", -1.0), ("max_sweeps", 0)]
)
def test_senseless_bregman_parameters_are_refused(key, name, value):
    """The error names the parameter."""
    with pytest.raises(ValueError, match=f"{name} must be"):
        make_solver(key, n_components=2, **{name: value}).fit(np.eye(4) + 1)


@KEYS
def test_all_zero_data_are_refused(key):
    """Without a row that is not zero there is no anchor."""
    with pytest.raises(ValueError, match="X is all zero: there is no row to choose"):
        make_solver(key, n_components=2).fit(np.zeros((4, 3)))
