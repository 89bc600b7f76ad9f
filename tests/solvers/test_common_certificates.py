"""Certificates of all solvers whose ``transform`` solves a convex problem, and other programs."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from oracles_bregman import best_of_starts
from oracles_l1 import lad_optima
from scipy.optimize import nnls
from test_common_solvers import KEYS, SPARSE, make, problem

from nmfbench.core.registry import solvers
from nmfbench.optim.losses import LOSSES
from nmfbench.optim.projections.bregman import GENERATORS

WITHOUT = {
    "is-mu": "the Itakura-Saito divergence is not convex",
    "median": "all weights are one, whatever the data",
    "onmf-is": "the Itakura-Saito divergence is not convex",
    "or-nmf-is": "the Itakura-Saito divergence is not convex",
    "xray-is": "the Itakura-Saito divergence is not convex",
}
CONVEX = [key for key in KEYS if key not in WITHOUT]

# The losses of transform, where it is no penalised one.
NNLS = (
    "anp",
    "dnmf",
    "drcc",
    "gnmf",
    "hals",
    "ignmf",
    "inmf",
    "inmf-vc",
    "kmeans",
    "lnmf",
    "mor-nmf",
    "mu",
    "ncuts",
    "nenmf",
    "nlcf",
    "nsdr",
    "omf",
    "omf-cg",
    "omf-da",
    "onmf",
    "or-nmf",
    "random-bases",
    "random-rows",
    "rcc",
    "sklearn-cd",
    "sklearn-minibatch",
    "sklearn-minibatch-dl",
    "smrs",
    "spa",
    "sym-mu",
    "wor-nmf",
    "xray-l2",
)
LEAST_SQUARES = ("godec", "pca", "robust-lowrank-admm", "rpca-ialm")
MANHATTAN = (
    "hottopixx",
    "mahnmf-hybrid",
    "mahnmf-m-ogm",
    "mahnmf-m-rri",
    "mahnmf-ogm",
    "mahnmf-rri",
    "mahnmf-sym",
    "robust-nmf-admm",
    "robust-xray",
)
BOXED = ("mahnmf-bc-ogm", "mahnmf-bc-rri", "mahnmf-gs")
KL = ("kl-mu", "kl-newton", "sklearn-mu", "xray-kl")


@functools.cache
def fitted(key):
    """A solver, and the data that it has been fitted to."""
    X = problem(key)
    return make(key).fit(X), X


def loss_of_transform(key, model, X, W):
    """The objective of transform, from its formula."""
    if key in KL:
        return LOSSES["kl"](X, W, model.components_.T)
    E = X - model.inverse_transform(W)
    size = np.abs(E)
    if key in (*MANHATTAN, *BOXED, "mahnmf-en"):
        return size.sum() + 0.5 * getattr(model, "lam", 0.0) * np.sum(E**2)
    inner = np.minimum(size, 0.5 * model.lam_) if key == "rnmfd" else size
    ridge = {
        "eucnmf-gs": model.get_params().get("beta"),
        "flss": 1e-6 * np.mean(np.sum(model.components_**2, axis=1)),
    }
    return np.sum(inner * (2 * size - inner)) + ridge.get(key, 0.0) * np.sum(W**2)


@pytest.mark.parametrize("key", KEYS)
def test_solvers_of_a_convex_problem_have_a_certificate(key):
    """All but those with a reason; these have no such method at all."""
    assert hasattr(make(key), "certificate") is (key in CONVEX)
    assert solvers[key].target.convex is (key in CONVEX)


@pytest.mark.parametrize("key", CONVEX)
def test_certificates_prove_that_transform_is_optimal(key):
    """In any unit, of exact data and of none: loss and bound meet."""
    model, X = fitted(key)
    zeros = np.zeros((8, len(model.components_)))
    exact = model.inverse_transform(np.random.default_rng(3).random(zeros.shape))
    nothing = model.inverse_transform(zeros)
    large = 1e6 * X
    if key == "rnmfd":  # where most entries are outliers, its iterations are slow
        large = 10 * X
    for data in (X, 1e-6 * X, large, exact, nothing):
        found = model.certificate(data)
        assert set(found) == {"primal", "dual_bound", "gap"}
        size = loss_of_transform(key, model, data, np.zeros((len(data), zeros.shape[1])))
        if key in KL:
            size = data.sum()
        attained = loss_of_transform(key, model, data, model.transform(data))
        assert found["primal"] == pytest.approx(attained, rel=1e-9, abs=1e-12 * size)
        assert found["dual_bound"] <= found["primal"] + 1e-13 * size
        expected = (found["primal"] - found["dual_bound"]) / (size or 1.0)
        assert found["gap"] == pytest.approx(max(expected, 0), abs=1e-15)
        assert found["gap"] < 1e-6
    assert found == {"primal": 0, "dual_bound": 0, "gap": 0}


@pytest.mark.parametrize("key", [key for key in CONVEX if key in SPARSE])
def test_certificates_do_not_depend_on_the_form_of_the_data(key):
    """Sparse data and float32 give what dense data in double precision give."""
    model, X = fitted(key)
    X = np.maximum(X - np.median(X), 0)
    dense, sparse, single = map(model.certificate, (X, sp.csr_matrix(X), X.astype(np.float32)))
    assert sparse == pytest.approx(dense, rel=1e-9, abs=1e-12)
    assert single == pytest.approx(dense, rel=1e-5, abs=1e-6)
    assert single["gap"] < 1e-6


def bracketed(key, best, X, tol=1e-12):
    """The certificate of the first rows of ``X`` has the optimum between its two ends."""
    model, _ = fitted(key)
    found = model.certificate(X)
    assert found["dual_bound"] - tol * best <= best <= found["primal"] + tol * best
    assert best > 0


@pytest.mark.against(NNLS, "scipy.optimize.nnls", part="certificate")
@pytest.mark.parametrize("key", NNLS)
def test_the_optimum_of_nnls_is_between_bound_and_primal(key):
    """scipy finds nothing below the bound, and nothing that is worse than transform."""
    model, X = fitted(key)
    best = sum(nnls(model.components_.T, x)[1] ** 2 for x in X)
    bracketed(key, best, X, tol=1e-9)


@pytest.mark.against(LEAST_SQUARES, "numpy.linalg.lstsq", part="certificate")
@pytest.mark.parametrize("key", LEAST_SQUARES)
def test_the_optimum_of_least_squares_is_between_bound_and_primal(key):
    """Coefficients of any sign, of the data without their mean where there is one."""
    model, X = fitted(key)
    rows = X - getattr(model, "mean_", 0)
    W = np.linalg.lstsq(model.components_.T, rows.T)[0].T
    bracketed(key, np.sum((rows - W @ model.components_) ** 2), X, tol=1e-9)


@pytest.mark.against(MANHATTAN, "scipy.optimize.linprog", part="certificate")
@pytest.mark.parametrize("key", MANHATTAN)
def test_the_optimum_of_the_linear_programme_is_between_bound_and_primal(key):
    """The l1 norm, by HiGHS."""
    model, X = fitted(key)
    bracketed(key, lad_optima(X, model.components_).sum(), X, tol=1e-9)


@pytest.mark.against(KL, "scipy.optimize.minimize", part="certificate")
@pytest.mark.parametrize("key", KL)
def test_the_optimum_of_the_divergence_is_between_bound_and_primal(key):
    """Kullback-Leibler, by L-BFGS-B; the problem being convex, one start will do."""
    model, X = fitted(key)
    X, rng = X[:3], np.random.default_rng(0)
    best = sum(best_of_starts(x, model.components_, GENERATORS["kl"], rng, 1) for x in X)
    bracketed(key, best, X, tol=1e-6)
