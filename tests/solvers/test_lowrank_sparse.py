"""Low rank + sparse: known decompositions, duality, independent references and peers."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as SklearnPCA
from skpcp import PCP

from nmfbench.optim.kernels.shrinkage import shrink_remainder, step_dual
from nmfbench.optim.projections import project_manhattan
from nmfbench.solvers.bases import loop
from nmfbench.solvers.lowrank_sparse import rpca_ialm
from nmfbench.solvers.lowrank_sparse.base import orthonormal_factors
from nmfbench.solvers.lowrank_sparse.godec import GoDec, _largest_entries
from nmfbench.solvers.lowrank_sparse.median import Median
from nmfbench.solvers.lowrank_sparse.pca import PCA
from nmfbench.solvers.lowrank_sparse.robust_lowrank_admm import RobustLowRankADMM
from nmfbench.solvers.lowrank_sparse.rpca_ialm import RPCAIALM

SOLVERS = [PCA, Median, RPCAIALM, GoDec, RobustLowRankADMM]
SHAPES = [(80, 60), (60, 80)]


def planted(n, m, r=5, share=0.05, seed=0):
    """A signed matrix of rank r, and sparse errors as large as its largest entry."""
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((n, r)) @ rng.standard_normal((r, m))
    wrong = rng.random((n, m)) < share
    return L, wrong * rng.uniform(-1, 1, (n, m)) * np.abs(L).max()


def noisy(n=40, m=30, seed=0):
    """A matrix that is neither of low rank nor sparse, of any sign."""
    L, S = planted(n, m, 3, 0.1, seed)
    return L + S + 0.5 * np.random.default_rng(seed + 1).standard_normal((n, m))


def soft(V, t):
    return np.sign(V) * np.maximum(np.abs(V) - t, 0)


def distance(A, B):
    """Relative error of A."""
    return np.linalg.norm(A - B) / np.linalg.norm(B)


# -- what they share ---------------------------------------------------------------------------


@pytest.mark.parametrize("cls", SOLVERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_parts_sum_to_the_data(cls, dtype):
    """low_rank_ is the reconstruction of fit_transform; with sparse_ it is X, but for noise."""
    X = noisy().astype(dtype)
    model = cls(n_components=None if cls is RPCAIALM else 4, random_state=0)
    W = model.fit_transform(X)
    assert model.low_rank_.dtype == model.sparse_.dtype == dtype
    np.testing.assert_allclose(model.inverse_transform(W), model.low_rank_, atol=2e-5)
    left = np.linalg.norm(X - model.low_rank_ - model.sparse_)
    noise = np.sqrt(model.objective_) if cls is GoDec else 0
    assert left == pytest.approx(noise, rel=1e-3, abs=5e-6 * float(np.linalg.norm(X)))


@pytest.mark.against(("godec", "pca", "robust-lowrank-admm", "rpca-ialm"), "numpy.linalg.lstsq")
@pytest.mark.parametrize("cls", [PCA, RPCAIALM, GoDec, RobustLowRankADMM])
def test_components_are_orthonormal_and_transform_is_least_squares(cls):
    """No other coefficients fit new samples better, and components are sorted."""
    model = cls(n_components=4, random_state=0)
    W = model.fit_transform(noisy())
    C = model.components_
    np.testing.assert_allclose(C @ C.T, np.eye(4), atol=1e-12)
    assert np.all(np.diff(np.sum(W**2, axis=0)) <= 0)
    new = noisy(seed=3)
    offset = model.mean_ if cls is PCA else 0
    best = np.linalg.lstsq(C.T, (new - offset).T, rcond=None)[0].T
    np.testing.assert_allclose(model.transform(new), best, atol=1e-10)


@pytest.mark.parametrize("cls", SOLVERS)
def test_zero_and_constant_data_are_decomposed(cls):
    """Data without structure give finite factors and an exact reconstruction."""
    for X in (np.zeros((7, 5)), np.full((7, 5), -3.0), np.eye(1, 5), np.eye(5, 1)):
        model = cls(n_components=1, random_state=0)
        W = model.fit_transform(X)
        assert np.isfinite(W).all()
        np.testing.assert_allclose(model.low_rank_ + model.sparse_, X, atol=1e-6)


@pytest.mark.parametrize("cls", SOLVERS)
def test_the_sign_of_the_data_does_not_matter(cls):
    """The decomposition of -X is minus that of X."""
    X = noisy()
    plain, mirrored = (cls(n_components=3, random_state=0).fit(Y) for Y in (X, -X))
    np.testing.assert_allclose(mirrored.low_rank_, -plain.low_rank_, atol=1e-8)
    np.testing.assert_allclose(mirrored.sparse_, -plain.sparse_, atol=1e-8)


@pytest.mark.parametrize("cls", SOLVERS)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_no_tolerance_is_absolute(cls, scale):
    """Scaled data have a scaled decomposition."""
    X = noisy()
    plain, scaled = (cls(n_components=3, random_state=0).fit(Y) for Y in (X, scale * X))
    assert scaled.n_iter_ == plain.n_iter_
    np.testing.assert_allclose(scaled.low_rank_ / scale, plain.low_rank_, atol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
def test_orthonormal_factors_are_a_thin_svd(shape):
    """The product is kept, surplus components are zero, missing ones the least important."""
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((shape[0], 4)), rng.standard_normal((4, shape[1]))
    W, C = orthonormal_factors(A, B, 6)
    np.testing.assert_allclose(W @ C, A @ B, atol=1e-12)
    assert not W[:, 4:].any()
    assert not C[4:].any()
    sigma = np.linalg.svd(A @ B, compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(W[:, :4], axis=0), sigma[:4])
    W, C = orthonormal_factors(A, B, 2)
    np.testing.assert_allclose(np.linalg.norm(A @ B - W @ C, "fro"), np.hypot(*sigma[2:4]))


# -- robust PCA --------------------------------------------------------------------------------


@pytest.mark.against("rpca-ialm", "planted parts")
@pytest.mark.parametrize("svd", ["gram", "full", "lanczos"])
@pytest.mark.parametrize("shape", SHAPES)
def test_rpca_recovers_low_rank_plus_sparse(svd, shape):
    """Rank 5 with 5 % gross errors is separated exactly: values, rank and support."""
    L, S = planted(2 * shape[0], 2 * shape[1])
    model = RPCAIALM(svd=svd, random_state=0).fit(L + S)
    assert model.stop_reason_ == "converged"
    assert model.rank_ == 5
    assert distance(model.low_rank_, L) < 1e-5
    assert distance(model.sparse_, S) < 1e-5
    np.testing.assert_array_equal(model.sparse_ != 0, S != 0)


def test_rpca_works_in_single_precision():
    """float32 data are separated to their own precision."""
    L, S = planted(160, 120)
    for svd in ("gram", "full", "lanczos"):
        model = RPCAIALM(svd=svd, random_state=0).fit((L + S).astype(np.float32))
        assert model.stop_reason_ == "converged"
        assert model.rank_ == 5
        assert distance(model.low_rank_, L) < 1e-5


@pytest.mark.parametrize("X", [sum(planted(60, 50)), noisy()], ids=["planted", "noisy"])
def test_rpca_is_certified_by_its_dual_bound(X):
    """A feasible multiplier proves the optimum: the bound holds, and meets a slow enough run."""
    lam = 1 / np.sqrt(max(X.shape))
    model = RPCAIALM(rho=1.02, tol=1e-9, max_iter=3000)
    X, s = model._fit(X, None, None)
    Y, L = s.Y, model.low_rank_
    assert np.linalg.norm(Y, 2) <= 1 + 1e-2
    assert np.abs(Y).max() <= lam * (1 + 1e-12)
    primal = np.linalg.svd(L, compute_uv=False).sum() + lam * np.abs(X - L).sum()
    assert model.objective_ == pytest.approx(primal, rel=1e-9)
    bound = np.sum(X * Y) / max(1, np.linalg.norm(Y, 2))
    assert model.dual_bound_ == pytest.approx(bound, rel=1e-9)
    assert bound <= primal * (1 + 1e-12)
    assert primal - bound <= 1e-4 * primal
    # The default is faster, never below the bound, and near.
    fast = RPCAIALM().fit(X)
    assert bound * (1 - 1e-12) <= fast.objective_ <= 1.02 * primal


@pytest.mark.against("rpca-ialm", "skpcp.PCP")
@pytest.mark.parametrize("X", [sum(planted(60, 50)), noisy()], ids=["planted", "noisy"])
def test_rpca_agrees_with_a_public_peer(X):
    """skpcp's ADMM with a constant penalty comes to the same decomposition."""
    theirs = PCP(max_iter=4000, tol=1e-10).fit(X)
    ours = RPCAIALM(rho=1.02, tol=1e-9, max_iter=3000).fit(X)
    assert distance(ours.low_rank_, theirs.low_rank_) < 2e-3
    lam = 1 / np.sqrt(max(X.shape))
    nuclear = np.linalg.svd(theirs.low_rank_, compute_uv=False).sum()
    objective = nuclear + lam * np.abs(X - theirs.low_rank_).sum()
    assert ours.objective_ == pytest.approx(objective, rel=1e-5)


@pytest.mark.against("rpca-ialm", "its formulas, written out")
@pytest.mark.parametrize("svd", ["gram", "full"])
def test_rpca_iterations_are_those_of_the_paper(svd):
    """The fused passes make the iterates of a plain transcription of Lin et al.'s Algorithm 5."""
    D = noisy()
    lam = 0.2
    norm = np.linalg.norm(D, 2)
    A, Y, mu = np.zeros_like(D), D / max(norm, np.abs(D).max() / lam), 1.25 / norm
    for n_iter in range(1, 9):
        E = soft(D - A + Y / mu, lam / mu)
        U, sigma, Vt = np.linalg.svd(D - E + Y / mu, full_matrices=False)
        A = (U * np.maximum(sigma - 1 / mu, 0)) @ Vt
        Y = Y + mu * (D - A - E)
        mu = min(1.5 * mu, 1e7 * 1.25 / norm)
        model = RPCAIALM(lam=lam, svd=svd, max_iter=n_iter).fit(D)
        np.testing.assert_allclose(model.low_rank_, A, atol=1e-10)
        np.testing.assert_allclose(model.sparse_, E, atol=1e-10)


def test_rpca_predicts_the_rank_as_the_authors_code_does(monkeypatch):
    """Lanczos is asked for 10 singular values, then by their rule; LAPACK where all are needed."""
    asked, ranks = [], []
    leading, shrink = rpca_ialm._leading_svd, rpca_ialm._shrink

    def spy(M, k, start):
        U, sigma, Vt = leading(M, k, start)
        np.testing.assert_allclose(sigma, np.linalg.svd(M, compute_uv=False)[:k], rtol=1e-9)
        asked.append(k)
        return U, sigma, Vt

    def count(*args):
        found = shrink(*args)
        ranks.append(found[0].shape[1])
        return found

    monkeypatch.setattr(rpca_ialm, "_leading_svd", spy)
    monkeypatch.setattr(rpca_ialm, "_shrink", count)
    X = noisy(70, 60)
    model = RPCAIALM(svd="lanczos", random_state=0)
    model.fit(X)
    asked, ranks = [], []
    model.fit(X)
    predicted = [10]
    for rank in ranks:
        more = 1 if rank < predicted[-1] else 3  # a twentieth of 60
        predicted.append(min(rank + more, 60))
    assert asked == [k for k in predicted[:-1] if k < 60]
    assert max(ranks) > 10  # so that the second rule is used as well
    model.set_params(rho=1.1).fit(X)
    exact = RPCAIALM(svd="full", rho=1.1).fit(X)
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-4)
    assert distance(model.low_rank_, exact.low_rank_) < 1e-2
    assert model.dual_bound_ <= exact.objective_


@pytest.mark.parametrize("X", [np.zeros((20, 15)), np.ones((30, 25)), np.eye(4)[:1]])
def test_rpca_by_lanczos_survives_degenerate_data(X):
    """Zeros, one direction, and matrices too small for Lanczos' method."""
    exact = RPCAIALM(svd="full").fit(X)
    model = RPCAIALM(svd="lanczos", random_state=0).fit(X)
    np.testing.assert_allclose(model.low_rank_, exact.low_rank_, atol=1e-6)
    assert model.rank_ == exact.rank_


def test_rpca_starts_on_the_boundary_of_the_dual():
    """The first multiplier obeys both constraints, one with equality; the induced norm misses."""
    for X in (noisy(), sum(planted(60, 20, 2, 0.02))):
        lam = 1 / np.sqrt(max(X.shape))
        Y = RPCAIALM()._start(X, 1, np.random.default_rng(0), None).Y
        assert max(np.linalg.norm(Y, 2), np.abs(Y).max() / lam) == pytest.approx(1)
        induced = X / max(np.linalg.norm(X, 2), np.linalg.norm(X, np.inf) / lam)
        assert max(np.linalg.norm(induced, 2), np.abs(induced).max() / lam) < 0.5


def test_rpca_of_the_transpose_is_the_transpose():
    """Nothing tells rows from columns, step by step (the induced norm would)."""
    X = sum(planted(70, 20, 2))
    a, b = RPCAIALM().fit(X), RPCAIALM().fit(X.T)
    np.testing.assert_allclose(b.trace_["objective"], a.trace_["objective"], rtol=1e-9)
    np.testing.assert_allclose(b.low_rank_, a.low_rank_.T, atol=1e-9)


def test_rpca_shows_as_many_components_as_asked_for():
    """Fewer are the best of them, more are zero; the decomposition stays the same."""
    L, S = planted(60, 50)
    shown = {r: RPCAIALM(n_components=r).fit(L + S) for r in (None, 2, 5, 9)}
    assert {r: len(model.components_) for r, model in shown.items()} == {None: 5, 2: 2, 5: 5, 9: 9}
    for model in shown.values():
        np.testing.assert_array_equal(model.low_rank_, shown[None].low_rank_)
    np.testing.assert_array_equal(shown[2].components_, shown[5].components_[:2])
    assert not shown[9].components_[5:].any()


def test_fused_passes_equal_their_formulas():
    """The kernels compute what their docstrings say."""
    rng = np.random.default_rng(0)
    X, L, Y = rng.standard_normal((3, 9, 7))
    S, M = np.empty_like(X), L.copy()
    shrink_remainder(M, S, X, Y, 0.3, 0.5)
    expected = soft(X - L + 0.5 * Y, 0.3)
    np.testing.assert_allclose(S, expected, atol=1e-14)
    np.testing.assert_array_equal(S == 0, expected == 0)
    np.testing.assert_allclose(M, X - expected + 0.5 * Y, atol=1e-14)
    stepped = Y.copy()
    total = step_dual(stepped, X, L, S, 2.0)
    np.testing.assert_allclose(stepped, Y + 2 * (X - L - S), atol=1e-14)
    assert total == pytest.approx(np.sum((X - L - S) ** 2))


# -- GoDec -------------------------------------------------------------------------------------


@pytest.mark.against("godec", "planted parts")
@pytest.mark.parametrize("shape", SHAPES)
def test_godec_recovers_low_rank_plus_sparse(shape):
    """With both complexities known, rank 5 with 5 % errors is separated."""
    L, S = planted(2 * shape[0], 2 * shape[1])
    card = int(np.sum(S != 0))
    model = GoDec(n_components=5, card=card, power=1, tol=1e-7, max_iter=300, random_state=0)
    model.fit(L + S)
    assert model.stop_reason_ == "converged"
    assert distance(model.low_rank_, L) < 1e-5
    assert distance(model.sparse_, S) < 1e-5


@pytest.mark.against("godec", "its formulas, written out")
@pytest.mark.parametrize("power", [0, 2])
def test_godec_iterations_are_those_of_the_paper(power):
    """A plain transcription of Algorithm 1, with M = L + (X - L - S), makes the same iterates."""
    V, r, c = noisy(50, 30), 3, 90
    rng = np.random.default_rng(7)
    M, S = V.copy(), np.zeros_like(V)
    for n_iter in range(1, 7):
        np.testing.assert_allclose(M, V - S, atol=1e-12)  # the identity of the loop
        Y2 = rng.standard_normal((30, r))
        for _ in range(power + 1):
            Y1 = M @ Y2
            Y2 = M.T @ Y1
        Q = np.linalg.qr(Y2)[0]
        L = M @ Q @ Q.T
        T = M - L + S
        S = np.where(np.abs(T) >= np.sort(np.abs(T).ravel())[-c], T, 0)
        M = L + T - S
        model = GoDec(n_components=r, card=c, power=power, max_iter=n_iter, tol=0, random_state=7)
        model.fit(V)
        assert model.trace_["objective"][-1] == pytest.approx(np.sum((V - L - S) ** 2), rel=1e-9)
        if model.objective_ == model.trace_["objective"][-1]:
            np.testing.assert_allclose(model.low_rank_, L, atol=1e-10)
            np.testing.assert_allclose(model.sparse_, S, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("card", "count"), [(0.05, 240), (100, 100), (0, 0), (1.0, 4800)])
def test_godec_keeps_its_constraints(shape, card, count):
    """The rank is at most r, and of X - L exactly the largest entries are in S."""
    X = noisy(*shape)
    model = GoDec(n_components=4, card=card, max_iter=5, random_state=0).fit(X)
    assert np.linalg.matrix_rank(model.low_rank_) == 4
    assert np.count_nonzero(model.sparse_) == count
    rest = X - model.low_rank_
    kept = model.sparse_ != 0
    np.testing.assert_allclose(model.sparse_[kept], rest[kept], atol=1e-12)
    if 0 < count < X.size:
        assert np.abs(rest[kept]).min() >= np.abs(rest[~kept]).max()
    assert model.objective_ == pytest.approx(np.sum(rest[~kept] ** 2), rel=1e-9, abs=1e-20)


def test_the_first_godec_of_a_process_may_have_a_number_of_entries(monkeypatch):
    """The tiny fit that warms up has fewer entries than the sparse part of real data."""
    monkeypatch.setattr(loop, "_COMPILED", set())
    L, S = planted(30, 20)
    model = GoDec(n_components=5, card=100, random_state=0).fit(L + S)
    share = GoDec(n_components=5, card=100 / L.size, random_state=0).fit(L + S)
    assert np.sum(model.sparse_ != 0) == 100
    np.testing.assert_array_equal(model.sparse_, share.sparse_)


def test_godec_breaks_ties_by_position():
    """Of equal magnitudes as many are taken as the cardinality allows, signs notwithstanding."""
    R = np.ones((6, 6))
    R[::2] = -1
    R[4, 0] = 5
    assert sorted(_largest_entries(R, 4).tolist()) == [0, 1, 2, 24]
    assert len(_largest_entries(R, 0)) == 0


def test_godec_with_power_comes_near_the_exact_alternation():
    """Two extra powers reach what exact singular value decompositions reach from the same start."""
    X, r, c = noisy(60, 40), 3, 120
    S = np.zeros_like(X)
    for _ in range(100):
        U, sigma, Vt = np.linalg.svd(X - S, full_matrices=False)
        T = X - (U[:, :r] * sigma[:r]) @ Vt[:r]
        S = np.where(np.abs(T) >= np.sort(np.abs(T).ravel())[-c], T, 0)
    exact = np.sum((T - S) ** 2)
    model = GoDec(n_components=r, card=c, power=3, random_state=0).fit(X)
    assert model.objective_ <= 1.02 * exact


# -- PCA and the median ------------------------------------------------------------------------


@pytest.mark.against("pca", "sklearn.decomposition.PCA")
@pytest.mark.parametrize("shape", SHAPES)
def test_pca_is_that_of_scikit_learn(shape):
    """Mean, components, representations and reconstructions agree, and the objective is known."""
    X, new = noisy(*shape), noisy(9, shape[1], seed=4)
    theirs = SklearnPCA(4, svd_solver="full").fit(X)
    ours = PCA(n_components=4).fit(X)
    np.testing.assert_allclose(ours.mean_, theirs.mean_, atol=1e-12)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-10)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-10)
    back = theirs.inverse_transform(theirs.transform(new))
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(new)), back, atol=1e-10)
    sigma = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(ours.trace_["objective"][0], np.sum(sigma**2))
    assert ours.objective_ == pytest.approx(np.sum(sigma[4:] ** 2))


@pytest.mark.against("median", "the conditions of an optimum")
@pytest.mark.parametrize("n_frames", [7, 8])
def test_the_median_is_the_l1_projection_on_constants(n_frames):
    """Where data are non-negative, no other common row is nearer in the l1 norm."""
    X = np.random.default_rng(n_frames).random((n_frames, 40))
    model = Median().fit(X)
    h = project_manhattan(np.ascontiguousarray(X.T), np.ones((1, n_frames))).T
    assert model.objective_ == pytest.approx(np.abs(X - h).sum(), rel=1e-12)
    assert model.objective_ == pytest.approx(np.abs(model.sparse_).sum(), rel=1e-12)
    if n_frames % 2:  # otherwise there are many optima
        np.testing.assert_allclose(model.components_, h, atol=1e-12)


def test_the_median_has_rank_one():
    """More components are zero, and every sample is represented by one."""
    X = noisy()
    model = Median(n_components=3)
    W = model.fit_transform(X)
    np.testing.assert_array_equal(W, model.transform(X))
    np.testing.assert_array_equal(W[:, 0], 1)
    assert not model.components_[1:].any()
    assert Median().fit_transform(X).shape == (40, 1)


# -- robust low rank ---------------------------------------------------------------------------


@pytest.mark.against("robust-lowrank-admm", "planted parts")
@pytest.mark.parametrize("init", ["svd", "random"])
@pytest.mark.parametrize("shape", SHAPES)
def test_robust_lowrank_recovers_low_rank_plus_sparse(init, shape):
    """Rank 5 with 10 % gross errors is found, from either start."""
    L, S = planted(*shape, share=0.1)
    model = RobustLowRankADMM(n_components=5, init=init, tol=1e-6, max_iter=2000, random_state=0)
    W = model.fit_transform(L + S)
    assert distance(W @ model.components_, L) < 1e-3
    assert np.linalg.matrix_rank(model.low_rank_) == 5
    assert model.objective_ <= (1 + 1e-3) * np.abs(S).sum()
    U, sigma, Vt = np.linalg.svd(L + S)
    assert distance((U[:, :5] * sigma[:5]) @ Vt[:5], L) > 0.1  # least squares are far from it


@pytest.mark.against("robust-lowrank-admm", "the conditions of an optimum")
def test_robust_lowrank_of_rank_one_is_near_a_stationary_point():
    """Weighted medians, exact for one factor and then for the other, gain less than 1 %."""
    X = noisy()
    model = RobustLowRankADMM(n_components=1, tol=1e-8, max_iter=5000, random_state=0)
    w, h = model.fit_transform(X).ravel(), model.components_.ravel()

    def fit(Y, w):
        """The minimiser of each column of ``|Y - w x|``: a weighted median of the ratios."""
        ratios, weights = Y / w[:, None], np.abs(w)
        order = np.argsort(ratios, axis=0)
        half = np.cumsum(weights[order], axis=0) >= weights.sum() / 2
        middle = np.take_along_axis(order, half.argmax(axis=0)[None], axis=0)
        return np.take_along_axis(ratios, middle, axis=0)[0]

    h = fit(X, w)
    w = fit(X.T, h)
    assert np.abs(X - np.outer(w, h)).sum() >= 0.99 * model.objective_


# -- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "name", "value"),
    [
        (RPCAIALM, "lam", 0.0),
        (RPCAIALM, "rho", 0.9),
        (RPCAIALM, "svd", "randomized"),
        (RPCAIALM, "max_iter", 0),
        (RPCAIALM, "tol", -1.0),
        (GoDec, "card", -1),
        (GoDec, "card", 1.5),
        (GoDec, "card", 13),
        (GoDec, "power", -1),
        (GoDec, "max_iter", 0),
        (GoDec, "tol", -1.0),
        (RobustLowRankADMM, "rho", 0.0),
        (RobustLowRankADMM, "n_init", 0),
        (RobustLowRankADMM, "init", "nndsvd"),
        (PCA, "svd_solver", "best"),
        (PCA, "n_components", 4),
        (GoDec, "n_components", 4),
    ],
)
def test_parameters_out_of_range_are_named(cls, name, value):
    """A parameter that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=name):
        cls(**{"n_components": 2, name: value}).fit(np.ones((4, 3)))
