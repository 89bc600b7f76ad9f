"""Lemmas on conical hulls: the checks find what is there, and see what is not."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils import Bunch

from nmfbench.solvers import make_solver
from nmfbench.tasks import cones


def data(seed=0, n_components=4):
    rng = np.random.default_rng(seed)
    return Bunch(X=rng.random((12, 8)), components=rng.random((n_components, 8)))


def test_a_subgradient_needs_the_best_projection():
    """At the l1 projection there is one; at a point of the cone that is not the nearest none."""
    x, H = np.array([1.0, 2.0, 5.0]), np.array([[1.0, 1.0, 1.0]])
    w = cones.l1_weights(x, H)
    assert w == pytest.approx([2.0])  # the median
    D = cones.subgradient(x, H, x - w @ H)
    assert D @ x == pytest.approx(np.abs(x - w @ H).sum())
    assert cones.subgradient(x, H, x - 0.5 * H[0]) is None


def test_the_tying_vector_ties():
    """By p two new anchors have the largest score, to rounding, and no other row has it."""
    rng = np.random.default_rng(0)
    X, anchors = cones.separable_rows(data().components, rng)
    products = X @ np.ones(X.shape[1])
    p = cones._tying_vector(products, X, anchors, rng)
    scores = np.sort(products / (X @ p))
    assert (p > 0).all()
    assert scores[-2] == pytest.approx(scores[-1], rel=1e-12)
    assert scores[-3] < scores[-1] * (1 - 1e-6)


@pytest.mark.parametrize("on_edges", [False, True])
def test_ties_are_resolved(on_edges):
    """Rows on an edge tie with its ends, which a recursive call returns alone."""
    solver = make_solver("robust-xray", random_state=0)
    found = cones.tied_anchors(data(), solver, np.random.default_rng(1), on_edges=on_edges).metrics
    assert found["ties"] > 0
    assert found["wrong-ties"] == 0
    assert found["tied-points"] == (4 if on_edges else 2) * found["ties"]


def test_admm_ends_at_the_optimum():
    """The smaller the tolerance, the nearer."""
    found = cones.admm_projection(data(), None, np.random.default_rng(0), n_components=3).metrics
    excess = [found[f"excess-{k}"] for k in (2, 4, 6, 8)]
    assert excess == sorted(excess, reverse=True)
    assert -1e-12 < excess[-1] < 1e-6


@pytest.mark.parametrize("weighting", ["counts", "l1", "tfidf"])
def test_zeros_of_texts_are_counted(weighting):
    """A residual is zero where neither the document nor its anchors have a word."""
    rng = np.random.default_rng(0)
    counts = sp.csr_matrix(np.hstack([rng.poisson(2.0, (20, 5)) + 1.0, np.zeros((20, 15))]))
    texts = Bunch(X=counts, y=np.arange(20) % 2)
    solver, seen = make_solver("robust-xray", random_state=0), {"view": "texts"}
    seen["weighting"] = weighting
    found = cones.residual_zeros(texts, solver, rng, n_components=2, **seen).metrics
    assert found["largest-share-of-zeros"] >= 0.75
    assert found["selections"] == 2


def test_a_constant_that_is_no_median_is_seen():
    """The mean of the frames is farther from them than the median is."""

    class Mean:
        def fit(self, X):
            self.low_rank_ = np.tile(X.mean(axis=0), (len(X), 1))
            return self

    clip, rng = Bunch(X=np.random.default_rng(0).random((9, 30))), np.random.default_rng(1)
    found = cones.median_background(clip, Mean(), rng, constant=0.5).metrics
    assert found["excess"] > 0.01
    assert found["distance"] > 0.01
    exact = cones.median_background(clip, make_solver("median"), rng, constant=0.5).metrics
    assert max(map(abs, exact.values())) < 1e-12


@pytest.mark.parametrize("solver", ["xray-kl", "xray-is"])
def test_swapped_arguments_find_the_anchors(solver):
    """A projection that is no minimum, such as the start of the search, would not."""
    found = cones.swapped_divergence(data(), make_solver(solver), np.random.default_rng(0))
    assert found.metrics["anchor-recovery"] == 1


def test_the_square_gives_the_order_of_xray():
    """With another divergence the order differs."""
    rng, solver = np.random.default_rng(0), make_solver("xray-l2", random_state=0)
    assert cones.square_divergence(data(), solver, rng, n_components=4).metrics == {
        "same-anchors": 1.0
    }


def test_methods_that_choose_all_at_once_are_not_nested():
    """Hottopixx may choose others for a lower rank; RobustXRAY does not."""
    solver = make_solver("robust-xray", random_state=0)
    found = cones.nested_anchors(data(), solver, None, n_components=4).metrics
    assert found == {"selections-per-anchor": 1.0, "lower-ranks-contained": 1.0}
