"""The l1 projection against linear programmes, and its dual certificates."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_l1 import lad_optima, weighted_median_coefficient
from sklearn.exceptions import ConvergenceWarning

from nmfbench.optim.kernels.l1_projection import _first_kink
from nmfbench.optim.projections.manhattan import (
    ManhattanCone,
    certify_manhattan,
    fit_manhattan,
    lower_bound,
    project_manhattan,
)


def problem(kind, seed=0, n=8):
    """Data and basis, small enough for a general LP solver."""
    rng = np.random.default_rng([seed, len(kind)])
    if kind.startswith("dependent"):
        return dependent(kind.partition(", ")[2], rng, n)
    k, m = int(rng.integers(2, 10)), int(rng.integers(12, 50))
    H, X = rng.random((k, m)), rng.random((n, m))
    if kind == "correlated":
        X = rng.random((n, k)) @ H + rng.laplace(0, 0.1, (n, m)).clip(0)
    elif kind == "sparse":
        H, X = H * (rng.random((k, m)) < 0.2), X * (rng.random((n, m)) < 0.3)
    elif kind == "zero rows":
        H[0], X[0], X[-1] = 0, 0, 0
    elif kind == "repeated basis":
        H = np.vstack([H, H[:2], 3 * H[:1], H[:1] + H[1:2]])
    elif kind == "exact fit":
        X = rng.random((n, k)) @ H
    elif kind == "counts":  # every vertex degenerate
        H, X = rng.integers(0, 3, (k, m)) * 1.0, rng.integers(0, 4, (n, m)) * 1.0
    elif kind == "grey levels":
        H, X = np.round(H, 1), np.round(rng.random((n, k)) @ H / 2, 1)
    elif kind == "salt and pepper":  # as images are: many entries equal, many zero
        H = np.round(rng.random((8, 90)) * (rng.random((8, 90)) < 0.6), 2)
        X = np.round(rng.random((n, 8)) @ H / 3, 2).clip(0, 1)
        flipped = rng.random(X.shape) < 0.3
        X[flipped] = rng.integers(0, 2, flipped.sum())
        X[0] = rng.integers(0, 2, 90)
    elif kind == "one feature":
        H, X = H[:, :1].copy(), X[:, :1].copy()
    elif kind == "more basis rows than features":
        H, X = rng.random((12, 5)), rng.random((n, 5))
    elif kind == "nearly dependent":
        H = H[:1] + 1e-6 * rng.random((k, m))
    return X, H


def dependent(how, rng, n):
    """Many features, so that solutions are approached before the first pivot; half of the rows
    of the basis depend on the others, and half of the data lie in the cone or are counts.
    """
    k = 10
    H = rng.random((k, 80))
    first, last = H[: k // 2], H[k // 2 :]
    if how == "repeated":
        last[:] = first
    elif how == "scaled":
        last[:] = 10.0 ** rng.integers(-3, 4, (k // 2, 1)) * first
    elif how == "summed":
        last[:] = first + first[::-1]
    elif how == "nearly":
        last[:] = first * (1 + 1e-8 * rng.random(first.shape))
    elif how == "zero":
        last[::2] = 0
    elif how == "counts":
        H = np.tile(rng.integers(0, 3, (k // 2, 80)) * 1.0, (2, 1))
    elif how == "outnumbering":
        H = np.tile(H, (9, 1))
    X = rng.random((n, 80))
    X[::4] = rng.random((len(X[::4]), len(H))) @ H
    X[1::4] = rng.integers(0, 4, X[1::4].shape)
    return X, H


KINDS = [
    "dense",
    "correlated",
    "sparse",
    "zero rows",
    "repeated basis",
    "exact fit",
    "counts",
    "grey levels",
    "salt and pepper",
    "one feature",
    "more basis rows than features",
    "nearly dependent",
    "dependent, repeated",
    "dependent, scaled",
    "dependent, summed",
    "dependent, nearly",
    "dependent, zero",
    "dependent, counts",
    "dependent, outnumbering",
]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("kind", KINDS)
def test_objective_equals_that_of_a_linear_programme(kind, form):
    """Row by row the objective is the optimum that HiGHS finds, to 1e-8 of the data."""
    for seed in range(3):
        X, H = problem(kind, seed)
        W = project_manhattan(form(X), form(H) if seed == 1 else H)
        assert W.shape == (len(X), len(H))
        assert W.min() >= 0
        objectives = np.abs(X - W @ H).sum(axis=1)
        assert np.all(np.abs(objectives - lad_optima(X, H)) <= 1e-8 * X.sum(axis=1))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kind", KINDS)
def test_dual_is_feasible_and_duality_strong(kind, form):
    """|D| <= 1, D H^T <= 0, <D, X> = ||R||_1, and D H^T vanishes where W is positive."""
    X, H = problem(kind)
    W, D = project_manhattan(form(X), H, return_dual=True)
    R = X - W @ H
    masses = np.maximum(H.sum(axis=1), 1e-300)
    products = D @ H.T / masses
    scale = X.sum(axis=1) + 1e-300
    assert np.abs(D).max() <= 1
    assert products.max() <= 1e-8
    assert np.all(np.abs((D * X).sum(axis=1) - np.abs(R).sum(axis=1)) <= 1e-8 * scale)
    assert np.all((products * W * masses).sum(axis=1) >= -1e-8 * scale)
    residual = (np.abs(R) > 1e-6) & (np.abs(R).sum(axis=1) > 1e-6)[:, None]
    np.testing.assert_array_equal(D[residual], np.sign(R)[residual])


@pytest.mark.parametrize("seed", range(12))
def test_repeated_rows_of_a_basis_are_no_trap(seed):
    """A coefficient that can be traded for another at no cost is let go without harm."""
    rng = np.random.default_rng(seed)
    H, X = rng.random((8, 60)), rng.random((6, 60))
    H[3:6] = H[:3]
    W = project_manhattan(X, H)
    objectives = np.abs(X - W @ H).sum(axis=1)
    np.testing.assert_allclose(objectives, lad_optima(X, H), rtol=1e-9)


@given(seed=st.integers(0, 10**6), digits=st.integers(4, 15))
@settings(max_examples=60, deadline=None)
def test_nearly_repeated_rows_give_the_optimum_or_a_warning(seed, digits):
    """However near to each other the rows of a basis are, no wrong answer is given in silence."""
    rng = np.random.default_rng(seed)
    k, m = int(rng.integers(2, 12)), int(rng.choice([10, 60, 150]))
    H = rng.random((k, m))
    H[rng.integers(k, size=k // 2)] = H[rng.integers(k)] * (1 + 10.0**-digits * rng.random(m))
    X = rng.random((3, k)) @ H if seed % 2 else rng.random((3, m))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        W = project_manhattan(X, H)
    excess = np.abs(X - W @ H).sum(axis=1) - lad_optima(X, H)
    assert caught or np.all(excess <= 1e-7 * X.sum(axis=1))  # HiGHS is no nearer


def test_one_basis_row_gives_the_weighted_median():
    """With r = 1 the coefficient is a weighted median of the ratios."""
    rng = np.random.default_rng(1)
    h, X = rng.random(21) * (rng.random(21) < 0.8), rng.random((10, 21))
    W = project_manhattan(X, h[None])
    expected = [weighted_median_coefficient(x, h) for x in X]
    np.testing.assert_allclose(W[:, 0], expected, rtol=1e-12, atol=1e-12)


def test_constant_basis_gives_the_median():
    """With a constant basis row (median filtering) the representation is the median."""
    X = np.random.default_rng(0).random((6, 31))
    W = project_manhattan(X, np.ones((1, 31)))
    np.testing.assert_allclose(W[:, 0], np.median(X, axis=1), rtol=1e-14)


@pytest.mark.parametrize("shape", [(0, 7), (3, 7)])
def test_empty_and_zero_bases_give_zero(shape):
    """Without a usable basis row the representation is zero, of the right shape."""
    X = np.random.default_rng(0).random((4, 7))
    for data in (X, sp.csr_matrix(X)):
        W = project_manhattan(data, np.zeros(shape))
        assert W.shape == (4, shape[0])
        assert not W.any()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kind", KINDS)
def test_the_start_changes_the_way_and_not_the_end(kind, form):
    """From any coefficients, negative or huge ones too, the optimum of an LP solver is reached."""
    X, H = problem(kind, seed=7)
    rng = np.random.default_rng(0)
    optima, scale = lad_optima(X, H), 1e-8 * X.sum(axis=1)
    solution = project_manhattan(form(X), H)
    starts = (0 * solution, solution, rng.normal(size=solution.shape), 1e3 + solution)
    for W0 in starts:
        W = project_manhattan(form(X), H, W0)
        assert W.min() >= 0
        assert np.all(np.abs(np.abs(X - W @ H).sum(axis=1) - optima) <= scale)


@pytest.mark.parametrize("kind", ["dense", "salt and pepper"])
def test_an_interrupted_start_is_not_left_behind(kind):
    """With no pivots allowed each row keeps the better of its start and zero; then it goes on."""
    X, H = problem(kind)
    cone = ManhattanCone(X, len(H) + 1, max_iter=0)
    W0 = np.random.default_rng(1).random((len(X), len(H))) * np.geomspace(1e-3, 10, len(X))[:, None]
    cone.extend(H, W0)
    expected = np.minimum(np.abs(X - W0 @ H).sum(axis=1), X.sum(axis=1))
    np.testing.assert_allclose(cone.norms, expected, rtol=1e-12)
    np.testing.assert_allclose(np.abs(X - cone.W @ H).sum(axis=1), expected, rtol=1e-12)
    cone._max_iter = 1000
    cone.extend(H[:1])
    np.testing.assert_allclose(cone.norms, lad_optima(X, H), rtol=1e-9)


def test_the_order_of_rows_does_not_matter():
    """Permuted or taken one at a time, rows have the same objectives to rounding."""
    X, H = problem("salt and pepper", n=30)
    norms = np.abs(X - project_manhattan(X, H) @ H).sum(axis=1)
    order = np.random.default_rng(0).permutation(30)
    permuted = np.abs(X[order] - project_manhattan(X[order], H) @ H).sum(axis=1)
    np.testing.assert_allclose(permuted, norms[order], rtol=1e-12)
    alone = [np.abs(x - project_manhattan(x[None], H)[0] @ H).sum() for x in X]
    np.testing.assert_allclose(alone, norms, rtol=1e-12)


def test_many_features_give_the_same_optimum():
    """The start near the optimum changes the way, not the end."""
    rng = np.random.default_rng(3)
    H = rng.random((6, 2600))
    X = rng.random((5, 6)) @ H + rng.laplace(0, 0.2, (5, 2600)).clip(0)
    W = project_manhattan(X, H)
    step_by_step = ManhattanCone(X, 6)
    for h in H:
        step_by_step.extend(h[None])
    objectives = np.abs(X - W @ H).sum(axis=1)
    np.testing.assert_allclose(objectives, step_by_step.norms, rtol=1e-12, atol=1e-12)
    certificate = certify_manhattan(X, H)
    assert certificate["gap"] <= 1e-12
    assert certificate["primal"] == pytest.approx(objectives.sum(), rel=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_single_precision_is_computed_in_double(form):
    """float32 data give a float32 representation that is as good as its digits."""
    X, H = problem("correlated")
    W = project_manhattan(form(X.astype(np.float32)), H.astype(np.float32))
    assert W.dtype == np.float32
    objectives = np.abs(X - W @ H).sum(axis=1)
    np.testing.assert_allclose(objectives, lad_optima(X, H), rtol=1e-5)


@pytest.mark.filterwarnings("ignore:.*not proved")  # of nearly repeated rows, at 1e-7
@pytest.mark.parametrize("kind", KINDS)
def test_a_growing_cone_equals_a_new_projection_at_each_size(kind):
    """Warm starts and rows left alone (the lazy rule) change nothing; no row ever gets worse."""
    X, H = problem(kind, seed=5)
    dense, sparse = ManhattanCone(X, len(H)), ManhattanCone(sp.csr_matrix(X), len(H))
    before = X.sum(axis=1)
    for k in range(1, len(H) + 1):
        dense.extend(H[k - 1 : k])
        sparse.extend(H[k - 1 : k])
        W = project_manhattan(X, H[:k])
        fresh = np.abs(X - W @ H[:k]).sum(axis=1)
        for cone in (dense, sparse):
            np.testing.assert_allclose(cone.norms, fresh, atol=1e-9 * X.sum())
            recomputed = np.abs(X - cone.W @ H[:k]).sum(axis=1)
            np.testing.assert_allclose(cone.norms, recomputed, atol=1e-12 * X.sum())
            np.testing.assert_allclose(
                cone.residual(2), X[2] - cone.W[2] @ H[:k], atol=1e-12 * X.sum()
            )
        assert np.all(dense.norms <= before)
        before = dense.norms.copy()


def test_sparse_rows_that_a_generator_cannot_serve_are_not_solved():
    """Most rows of sparse data need no pivot at all."""
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 500), density=0.02, rng=rng, format="csr")
    cone = ManhattanCone(X, 10)
    cone.extend(X[:10])
    assert cone.pivots < 60
    dense = np.abs(X.toarray() - cone.W @ X[:10].toarray()).sum(axis=1)
    np.testing.assert_allclose(cone.norms, dense, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        cone.norms[:40], lad_optima(X[:40].toarray(), X[:10].toarray()), atol=1e-9
    )


def test_unsorted_repeated_and_explicit_zero_entries_are_understood():
    """A CSR matrix need not be in canonical form, and is left as it was."""
    X = sp.csr_matrix(
        (np.array([1.0, 2.0, 0.0, 3.0]), np.array([2, 0, 1, 2]), np.array([0, 4])), shape=(1, 4)
    )
    H = np.array([[1.0, 0.0, 2.0, 0.0]])
    np.testing.assert_allclose(project_manhattan(X, H), project_manhattan(X.toarray(), H))
    assert X.nnz == 4


@given(seed=st.integers(0, 10**6), size=st.floats(0, 3))
@settings(max_examples=40, deadline=None)
def test_lower_bound_is_never_above_the_optimum(seed, size):
    """Whatever D is given, the bound made from it stays below the optimum."""
    rng = np.random.default_rng(seed)
    X, H = problem(KINDS[seed % len(KINDS)], seed, n=2)
    _, D = project_manhattan(X, H, return_dual=True)
    optima = lad_optima(X, H)
    slack = 1e-9 * X.sum() + 1e-300
    for candidate in (D, D + size * rng.standard_normal(D.shape), rng.uniform(-1, 1, D.shape)):
        assert np.all(lower_bound(X, H, candidate) <= optima + slack)
        np.testing.assert_allclose(
            lower_bound(sp.csr_matrix(X), H, candidate), lower_bound(X, H, candidate), atol=slack
        )
    assert np.all(lower_bound(X, H, D) >= optima - 1e-8 * X.sum())


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_no_random_nudge_improves_the_answer(seed):
    """The problem is convex: a small non-negative change of W cannot lower the objective."""
    rng = np.random.default_rng(seed)
    X, H = problem(KINDS[seed % len(KINDS)], seed, n=3)
    W = project_manhattan(X, H)
    best = np.abs(X - W @ H).sum(axis=1)
    for size in (1e-3, 0.1):
        nudged = np.maximum(W + size * rng.standard_normal(W.shape), 0)
        assert np.all(np.abs(X - nudged @ H).sum(axis=1) >= best - 1e-9 * X.sum())


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scaling_the_data_scales_the_representation(scale):
    """No tolerance is absolute."""
    X, H = problem("correlated")
    base = np.abs(X - project_manhattan(X, H) @ H).sum(axis=1)
    W = project_manhattan(scale * X, H)
    np.testing.assert_allclose(np.abs(scale * X - W @ H).sum(axis=1), scale * base, rtol=1e-10)
    W = project_manhattan(X, scale * H)
    np.testing.assert_allclose(np.abs(X - W @ (scale * H)).sum(axis=1), base, rtol=1e-10)


def test_max_iter_keeps_the_best_and_warns():
    """A row that runs out of pivots is still feasible, and the caller is warned."""
    X, H = problem("correlated")
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        W = project_manhattan(X, H, max_iter=1)
    assert W.min() >= 0
    assert np.all(np.abs(X - W @ H).sum(axis=1) <= X.sum(axis=1))


def test_wrong_number_of_features_is_refused():
    """H and X must have the same features, and a start their shape."""
    with pytest.raises(ValueError, match="H has shape"):
        project_manhattan(np.ones((2, 3)), np.ones((1, 4)))
    with pytest.raises(ValueError, match="W0 has shape"):
        project_manhattan(np.ones((2, 3)), np.ones((1, 3)), np.ones((2, 2)))


@pytest.mark.parametrize("n_frames", [7, 8])
def test_the_median_is_the_fit_of_rank_one_with_constant_weights(n_frames):
    """Pixels fitted by one constant frame get their median over the frames (Section 5.3)."""
    frames = np.random.default_rng(n_frames).random((n_frames, 40))
    background = project_manhattan(frames.T, np.ones((1, n_frames))).ravel()
    median = np.median(frames, axis=0)
    if n_frames % 2:
        np.testing.assert_allclose(background, median, rtol=1e-12)
    # With an even number any value between the two middle ones is as good.
    np.testing.assert_allclose(np.abs(frames - background).sum(), np.abs(frames - median).sum())


@pytest.mark.parametrize("project", [project_manhattan, fit_manhattan, certify_manhattan])
def test_outside_its_domain_a_projection_is_an_error(project):
    """Signed, infinite or vanishing data or bases are refused, with the parameter named."""
    X, H = problem("correlated")
    for at, name in ((0, "X"), (1, "H")):
        for value, message in ((-1.0, "Negative values.*"), (np.nan, f"{name} has NaN")):
            wrong = [X.copy(), H.copy()]
            wrong[at][1, 2] = value
            with pytest.raises(ValueError, match=message):
                project(*wrong)
        small = [X.copy(), H.copy()]
        small[at] *= 1e-295
        with pytest.raises(ValueError, match=f"largest magnitude in {name}"):
            project(*small)


class _Bounded(list):
    """A list that has no entries before its first."""

    def __getitem__(self, i):
        assert i >= 0
        return super().__getitem__(i)

    def __setitem__(self, i, value):
        assert i >= 0
        super().__setitem__(i, value)


def test_the_first_kink_is_found_within_the_kinks():
    """It is that of a full sort; with nothing needed, or nothing but NaN, one of the kinks."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(0, 12))
        step = rng.integers(0, 4, n).astype(float) if seed % 2 else rng.random(n)
        weight = rng.random(n)
        need = rng.choice([0.0, -1.0, np.nan, rng.random() * weight.sum(), weight.sum(), 2.0 * n])
        whole = sorted(zip(step, weight, range(n), strict=True))
        kinks = [_Bounded(values) for values in (step.tolist(), weight.tolist(), range(n))]
        at = _first_kink.py_func(*kinks, n, need)
        assert sorted(zip(*kinks, strict=True)) == whole
        assert -1 <= at < max(n, 1)
        assert (at == -1) == (n == 0)
        if 0 < need < weight.sum() - 1e-9:
            sums, found = np.cumsum([w for _, w, _ in whole]), list(kinks[0])
            assert found[at] == whole[int(np.searchsorted(sums, need))][0]
            assert max(found[: at + 1]) == found[at] <= min(found[at:])
