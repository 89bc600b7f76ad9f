"""Refits of separable solvers against linear programmes and non-negative least squares."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracles_bregman import nnls_rows
from oracles_l1 import lad_optima

from nmfbench import make_solver
from nmfbench.core.registry import solvers
from nmfbench.optim import losses
from nmfbench.optim.projections.manhattan import fit_manhattan
from nmfbench.solvers.separable.base import BaseSeparable

KEYS = [key for key in solvers if issubclass(solvers[key].target, BaseSeparable)]
SAME_LOSS = ["robust-xray", "xray-l2", "xray-kl", "xray-is"]  # selection minimises it as well
MANHATTAN = [
    ("robust-xray", {}),
    ("hottopixx", {}),
    ("xray-l2", {"refit_loss": "manhattan"}),
]
FROBENIUS = ["xray-l2", "spa", "smrs", "random-rows"]


def scene(n=30, m=17, seed=0):
    """Pixels as rows: a background under changing light, objects that pass, and noise."""
    rng = np.random.default_rng(seed)
    X = np.outer(rng.uniform(0.3, 1, n), rng.uniform(0.8, 1.2, m))
    X += np.outer(rng.uniform(0, 0.2, n), np.arange(m) / m)
    X[rng.random((n, m)) < 0.1] = 0.9
    return X + rng.uniform(0, 0.02, (n, m))


def fit(key, X, refits, r=3, **params):
    """A fitted solver, and its W."""
    model = make_solver(key, n_components=r, random_state=0, refits=refits, **params)
    W = model.fit_transform(X)
    return model, W


@pytest.mark.against(("robust-xray", "hottopixx", "xray-l2"), "scipy.optimize.linprog")
@pytest.mark.parametrize(("key", "params"), MANHATTAN)
def test_halves_of_an_l1_refit_are_linear_programmes(key, params):
    """The losses recorded are the optima over W on the anchors, then over H on that W."""
    X = scene()
    model, W = fit(key, X, 1, **params)
    first, second = model.trace_["objective"][-2:]
    assert first == pytest.approx(lad_optima(X, X[model.anchor_indices_]).sum(), rel=1e-9)
    assert second == pytest.approx(lad_optima(X.T, W.T).sum(), rel=1e-9)
    assert second == pytest.approx(np.abs(X - W @ model.components_).sum(), rel=1e-9)
    again, _ = fit(key, X, 2, **params)
    third = again.trace_["objective"][-2]
    assert third == pytest.approx(lad_optima(X, model.components_).sum(), rel=1e-9)
    assert third < second < first


@pytest.mark.against(("xray-l2", "spa", "smrs", "random-rows"), "scipy.optimize.nnls")
@pytest.mark.parametrize("key", FROBENIUS)
def test_halves_of_an_l2_refit_are_least_squares(key):
    """As for the l1 norm, with SciPy's non-negative least squares."""
    X = scene()
    model, W = fit(key, X, 1)
    anchors = X[model.anchor_indices_]
    first, second = model.trace_["objective"][-2:]
    assert first == pytest.approx(((X - nnls_rows(X, anchors) @ anchors) ** 2).sum(), rel=1e-9)
    np.testing.assert_allclose(model.components_, nnls_rows(X.T, W.T).T, atol=1e-8)
    assert second == pytest.approx(((X - W @ model.components_) ** 2).sum(), rel=1e-9)


@pytest.mark.parametrize("key", ["robust-xray", "xray-l2"])
def test_the_first_half_changes_nothing_where_projections_are_exact(key):
    """W is optimal for the anchors already."""
    X = scene()
    selected, W = fit(key, X, 0)
    refitted, after = fit(key, X, 1)
    objectives = refitted.trace_["objective"]
    assert objectives[-2] == pytest.approx(selected.objective_, rel=1e-12)
    np.testing.assert_array_equal(objectives[:-2], selected.trace_["objective"])
    np.testing.assert_allclose(after, W, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("key", KEYS)
def test_refits_keep_the_anchors_and_never_raise_the_loss(key, dtype):
    """Selection is as without refits; each half then lowers the loss, or leaves it."""
    X = scene().astype(dtype)
    for data in (X, sp.csr_matrix(X)) if solvers[key].target.accepts_sparse else (X,):
        selected, _ = fit(key, data, 0)
        refitted, W = fit(key, data, 2)
        np.testing.assert_array_equal(refitted.anchor_indices_, selected.anchor_indices_)
        assert refitted.n_iter_ == selected.n_iter_ + 4
        assert refitted.stop_reason_ == selected.stop_reason_
        assert refitted.components_.dtype == W.dtype == dtype
        assert not np.array_equal(refitted.components_, selected.components_)
        objectives = refitted.trace_["objective"]
        tail = objectives if key in SAME_LOSS else objectives[-4:]
        slack = 1e-5 if dtype == np.float32 else 1e-10
        assert (np.diff(tail) <= slack * tail[:-1]).all()
        assert refitted.objective_ == objectives[-1]
        assert (W >= 0).all()
        assert (refitted.components_ >= 0).all()


# The Itakura-Saito divergence of zeros depends on its floor alone.
@pytest.mark.parametrize("key", [key for key in KEYS if key != "xray-is"])
def test_fewer_anchors_than_asked_for_and_zeros_are_refitted(key):
    """Exhausted data end the selection, not the refits; empty rows and columns stay empty."""
    X = np.zeros((9, 7))
    X[1:8, :3] = np.outer([1.0, 2, 1, 3, 2, 1, 1], [1, 2, 3])
    X[3:5, 3:6] = 1
    model, W = fit(key, X, 1, r=5)
    kept = model.components_.sum(axis=1) > 0
    assert np.isfinite(W).all()
    np.testing.assert_allclose((W @ model.components_)[[0, 8]], 0, atol=1e-6)
    np.testing.assert_allclose(model.components_[kept][:, 6], 0, atol=1e-6)


def test_after_l1_refits_xray_l2_transforms_by_the_l1_norm():
    """New rows are projected under the loss that made the components."""
    X = scene()
    model, _ = fit("xray-l2", X, 1, refit_loss="manhattan")
    new = scene(seed=1)
    W = model.transform(new)
    found = np.abs(new - W @ model.components_).sum()
    assert found == pytest.approx(lad_optima(new, model.components_).sum(), rel=1e-9)
    assert model.certificate(new)["dual_bound"] == pytest.approx(found, rel=1e-9)
    selected, _ = fit("xray-l2", X, 0, refit_loss="manhattan")
    np.testing.assert_allclose(selected.transform(X), nnls_rows(X, selected.components_), atol=1e-8)


def test_a_refit_brings_a_dark_first_anchor_to_the_level_of_the_median():
    """Spec of the clips: one component, refitted, fits a still scene as well as its median."""
    X = scene(200, 40)
    still = np.abs(X - np.median(X, axis=1, keepdims=True)).sum()
    objectives = [fit("robust-xray", X, refits, r=1)[0].objective_ for refits in (0, 1, 2)]
    assert objectives[2] <= objectives[1] <= 1.05 * still


@pytest.mark.against("robust-xray", "scipy.optimize.linprog")
@pytest.mark.parametrize("kind", ["noise", "grey levels", "zeros", "exact"])
def test_long_rows_reach_the_optimum_from_any_start(kind):
    """A sample of the features changes the way to the optimum, and not the end."""
    rng = np.random.default_rng(1)
    H = rng.random((3, 4200))
    X = rng.random((2, 3)) @ H
    if kind != "exact":
        X += rng.laplace(0, 0.2, X.shape).clip(-0.1)
        X = np.abs(X)
    if kind == "grey levels":
        X, H = np.round(20 * X) / 20, np.round(20 * H) / 20
    if kind == "zeros":
        H[:, ::16] = 0
        X[0] = 0
    optimum = lad_optima(X, H).sum()
    for W0 in (np.zeros((2, 3)), np.full((2, 3), 9.0)):
        W, loss = fit_manhattan(X, H, W0)
        assert loss == pytest.approx(optimum, rel=1e-9, abs=1e-9)
        assert losses.manhattan(X, W, H.T) == pytest.approx(loss, rel=1e-9, abs=1e-9)


def test_dark_rows_are_no_anchors():
    """``min_share`` leaves out rows of small sums, and no others."""
    X = scene()
    X[4] = 0
    X[4, 2] = 1e-3  # an extreme point in a direction of its own
    assert 4 in fit("robust-xray", X, 0, first="l2")[0].anchor_indices_
    shared = fit("robust-xray", X, 0, first="l2", min_share=0.05)[0].anchor_indices_
    assert 4 not in shared
    without = fit("robust-xray", np.delete(X, 4, axis=0), 0, first="l2")[0].anchor_indices_
    np.testing.assert_array_equal(shared, without + (without >= 4))
    bright = X.sum(axis=1) >= X.sum(axis=1).mean()
    only = fit("robust-xray", X, 0, r=20, min_share=1.0)[0].anchor_indices_
    assert bright[only].all()


def test_the_longest_row_comes_first_whatever_the_seed():
    """``first="l2"`` depends on no seed, and the random choice does."""
    X = np.abs(np.random.default_rng(0).dirichlet(np.ones(20), 50))
    firsts = {
        first: {
            make_solver("robust-xray", n_components=1, first=first, random_state=seed)
            .fit(X)
            .anchor_indices_[0]
            for seed in range(20)
        }
        for first in ("paper", "l2")
    }
    assert firsts["l2"] == {np.linalg.norm(X, axis=1).argmax()}
    assert len(firsts["paper"]) > 1


@pytest.mark.parametrize(
    ("key", "name", "value", "message"),
    [
        *((key, "refits", -1, "refits must be an integer of at least 0") for key in KEYS),
        ("xray-l2", "refit_loss", "l1", "refit_loss must be None or 'manhattan'"),
        (
            "robust-xray",
            "min_share",
            1.5,
            "min_share must be a number of at least 0 and of at most 1",
        ),
    ],
)
def test_senseless_parameters_are_refused(key, name, value, message):
    """The message names the parameter."""
    with pytest.raises(ValueError, match=message):
        make_solver(key, n_components=2, **{name: value}).fit(scene())
