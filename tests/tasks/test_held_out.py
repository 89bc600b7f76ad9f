"""Held-out entries and the choice of a rank, against loops, pseudo-inverses and known factors."""

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from nmfbench.datasets import load_dataset
from nmfbench.solvers import make_solver
from nmfbench.tasks.held_out import draw_blocks, held_out, predict_block, predict_blocks
from nmfbench.tasks.rank_choice import rank_choice


class Truncated(BaseEstimator):
    """Truncated SVD, an outside estimator with factors of any sign."""

    signed = True

    def __init__(self, n_components=1):
        self.n_components = n_components

    def fit_transform(self, X):
        U, s, Vt = np.linalg.svd(X, full_matrices=False)
        self.components_ = Vt[: self.n_components]
        return U[:, : self.n_components] * s[: self.n_components]


class Recorder(Truncated):
    """One that keeps the shapes and sums of all that it was fitted to."""

    def fit_transform(self, X):
        self.seen = [*getattr(self, "seen", []), X.copy()]
        return super().fit_transform(X)


def low_rank(n=24, m=18, r=3, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(n, r)) @ rng.exponential(size=(r, m))
    return Bunch(X=X + noise * rng.standard_normal(X.shape), y=None, rank=r)


@pytest.mark.parametrize(("shape", "n_folds"), [((6, 4), 2), ((7, 5), 3), ((2, 2), 2)])
def test_blocks_cover_every_entry_once(shape, n_folds):
    """Each entry is held out in one block, and each block leaves rows and columns to fit."""
    counts = np.zeros(shape, dtype=int)
    for rows, columns in draw_blocks(shape, n_folds, np.random.default_rng(0)):
        counts[np.ix_(rows, columns)] += 1
        assert len(rows) < shape[0]
        assert len(columns) < shape[1]
    assert (counts == 1).all()


@pytest.mark.parametrize("n_folds", [1, 5])
def test_too_few_or_too_many_folds_are_an_error(n_folds):
    """One fold leaves nothing to fit, and there are no more folds than features."""
    with pytest.raises(ValueError, match="n_folds"):
        draw_blocks((9, 4), n_folds, np.random.default_rng(0))


def test_no_fit_sees_what_it_predicts():
    """The four fits of halves see the four complementary blocks, and a wrong entry changes no
    prediction of itself."""
    data = low_rank(noise=0.5)
    blocks = draw_blocks(data.X.shape, 2, np.random.default_rng(1))
    solver = Recorder()
    before = predict_blocks(data.X, solver, 2, blocks, np.random.default_rng(0))[0]
    sums = sorted(part.sum() for part in solver.seen)
    assert sums == pytest.approx(sorted(data.X[np.ix_(*block)].sum() for block in blocks))
    rows, columns = blocks[2]
    wrong = data.X.copy()
    wrong[np.ix_(rows, columns)] = 100 * np.random.default_rng(2).random((12, 9))
    after = predict_blocks(wrong, Truncated(), 2, blocks, np.random.default_rng(0))[0]
    np.testing.assert_array_equal(before[np.ix_(rows, columns)], after[np.ix_(rows, columns)])
    assert not np.allclose(before, after)


def test_signed_factors_predict_by_the_pseudo_inverse():
    """Of a truncated SVD the prediction is B D_k^+ C, as Owen & Perry have it."""
    X = low_rank(noise=1.0).X
    blocks = draw_blocks(X.shape, 2, np.random.default_rng(3))
    found, retained, _ = predict_blocks(X, Truncated(), 2, blocks, np.random.default_rng(0))
    squares = 0
    for rows, columns in blocks:
        others = np.delete(np.arange(24), rows), np.delete(np.arange(18), columns)
        U, s, Vt = np.linalg.svd(X[np.ix_(*others)])
        D = U[:, :2] * s[:2] @ Vt[:2]
        expected = X[np.ix_(rows, others[1])] @ np.linalg.pinv(D, 1e-9) @ X[others[0]][:, columns]
        np.testing.assert_allclose(found[np.ix_(rows, columns)], expected)
        squares += np.sum(s[2:] ** 2)
    assert retained == pytest.approx(np.sqrt(squares / np.sum(X**2)))


def test_non_negative_factors_predict_by_nnls():
    """Each held-out row and column has the coefficients that scipy's NNLS finds."""
    rng = np.random.default_rng(4)
    L, R, B, C = (rng.random(shape) for shape in ((7, 3), (3, 5), (4, 5), (7, 6)))
    W = np.array([nnls(R.T, row)[0] for row in B])
    H = np.column_stack([nnls(L, column)[0] for column in C.T])
    assert (W == 0).any()
    np.testing.assert_allclose(predict_block(L, R, B, C), W @ H, atol=1e-10)


def test_a_mean_is_predicted_with_the_factors():
    """PCA of data that lie in a plane off the origin predicts all entries."""
    rng = np.random.default_rng(5)
    X = 5 + rng.random((20, 2)) @ rng.random((2, 16))
    outcome = held_out(Bunch(X=X), make_solver("pca"), rng, n_components=2)
    assert outcome.metrics["held-out-error"] < 1e-8


def test_exact_factors_predict_exactly():
    """Without noise an exact factorization of the rest leaves no error; a smaller rank does."""
    data = low_rank()
    errors = [
        held_out(data, Truncated(), np.random.default_rng(0), n_components=r).metrics
        for r in (2, 3)
    ]
    assert errors[0]["held-out-error"] > 0.01
    assert errors[1]["held-out-error"] < 1e-10
    assert errors[1]["retained-error"] < 1e-10


def test_errors_are_against_the_clean_entries():
    """Of corrupted data the entries without noise are to be predicted."""
    clean = low_rank().X
    data = Bunch(X=clean + np.random.default_rng(0).random(clean.shape), clean=clean)
    found = held_out(data, Truncated(), np.random.default_rng(0), n_components=3).metrics
    blocks = draw_blocks(clean.shape, 2, np.random.default_rng(0))
    predicted = predict_blocks(data.X, Truncated(), 3, blocks, None)[0]
    expected = np.sqrt(np.sum((predicted - clean) ** 2) / np.sum(clean**2))
    assert found["held-out-error"] == pytest.approx(expected)


def test_costs_are_those_of_all_fits():
    """Seconds and iterations are sums over the blocks; there is no one objective."""
    solver = make_solver("mu", max_iter=7, tol=0)
    outcome = held_out(low_rank(), solver, np.random.default_rng(0), n_components=2)
    assert outcome.fit["n_iter"] == 4 * 7
    assert outcome.fit["seconds"] > solver.trace_["seconds"][-1]
    assert outcome.fit["objective"] is None


@pytest.mark.parametrize("rank", [2, 4])
def test_the_known_rank_is_found(rank):
    """Under a little noise the error is least at the true rank, and each side of it is higher."""
    data = low_rank(n=40, m=32, r=rank, noise=0.05)
    ranks = range(1, 7)
    outcome = rank_choice(data, Truncated(), np.random.default_rng(0), ranks=ranks)
    errors = [outcome.metrics[f"held-out-error@{r}"] for r in ranks]
    assert outcome.metrics["chosen-rank"] == 1 + np.argmin(errors) == rank
    assert (outcome.metrics["rank-error"], outcome.metrics["right-rank"]) == (0, 1)


def test_a_solver_of_the_suite_finds_the_rank():
    """NeNMF and the suite's own matrix of rank three: three is chosen of five."""
    size = {"n_samples": 40, "n_features": 30, "n_components": 3, "noise": 0.05}
    data = load_dataset("noisy-low-rank", rng=0, **size)
    outcome = rank_choice(
        data, make_solver("nenmf", random_state=0), np.random.default_rng(0), ranks=[1, 2, 3, 4, 5]
    )
    assert outcome.metrics["chosen-rank"] == data.rank == 3


def test_a_wrong_rank_counts_by_its_distance():
    """Where the true rank is no candidate, the error is the distance of the nearest choice."""
    data = low_rank(n=40, m=32, r=4, noise=0.01)
    outcome = rank_choice(data, Truncated(), np.random.default_rng(0), ranks=[2, 1])
    assert outcome.metrics["chosen-rank"] == 2
    assert (outcome.metrics["rank-error"], outcome.metrics["right-rank"]) == (2, 0)
    with pytest.raises(ValueError, match="ranks is empty"):
        rank_choice(data, Truncated(), np.random.default_rng(0), ranks=[])
