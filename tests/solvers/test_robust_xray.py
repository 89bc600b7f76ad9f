"""RobustXRAY: recovery, the lemmas of its sub-gradients, guarantees, and the paper's figures."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_l1 import lad_optima
from sklearn.base import clone

from nmfbench import make_solver
from nmfbench.optim import losses
from nmfbench.optim.projections import project_manhattan
from nmfbench.solvers.separable.robust_xray import RobustXRAY

DUALS = pytest.mark.parametrize("dual", ["minus_one", "multiplier"])


def figure3(seed, delta, r=20, m=200, n=210):
    """The matrices of Figure 3 as rows, shuffled, and the set of anchors."""
    rng = np.random.default_rng(seed)
    W, alpha = rng.random((m, r)), rng.random(r)
    H = np.hstack([np.eye(r), rng.dirichlet(alpha, n - r).T])
    noise = np.maximum(rng.laplace(0, 1 / np.sqrt(2), (m, n)) * delta, 0)
    order = rng.permutation(n)
    return (W @ H + noise)[:, order].T.copy(), set(np.flatnonzero(order < r))


def text(seed=0, n=60, m=150):
    """Sparse counts, a few words to a row."""
    rng = np.random.default_rng(seed)
    return sp.csr_matrix(rng.poisson(0.08 * rng.pareto(1.5, m).clip(0, 20), (n, m)) * 1.0)


def fit(X, r, **params):
    return RobustXRAY(n_components=r, **{"random_state": 0, **params}).fit(X)


def recovery(X, anchors, key="robust-xray", **params):
    model = make_solver(key, n_components=len(anchors), random_state=0, **params).fit(X)
    return len(anchors & set(model.anchor_indices_)) / len(anchors)


@pytest.mark.against("robust-xray", "planted anchors")
@DUALS
@pytest.mark.parametrize("selection", ["max", "rand"])
@pytest.mark.parametrize("first", ["paper", "l2"])
def test_noiseless_anchors_are_found(dual, selection, first):
    """Without noise all anchors are found, and then the fit stops: nothing is left to explain."""
    for seed in range(3):
        X, anchors = figure3(seed, 0.0, r=8, m=30, n=60)
        model = fit(X, 12, dual=dual, selection=selection, first=first, random_state=seed)
        assert set(model.anchor_indices_) == anchors
        assert model.stop_reason_ == "converged"
        assert model.objective_ <= 1e-10 * X.sum()


@DUALS
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_copies_zero_rows_and_scales_do_not_matter(dual, dtype, form):
    """Multiples of an anchor are one point, the first; a zero row is never taken."""
    X, anchors = figure3(1, 0.0, r=6, m=20, n=40)
    members = sorted(anchors)
    X = np.vstack([X, X[members], 2 * X[members], np.zeros((2, 20))])
    X[:40] *= 2.0 ** np.random.default_rng(0).integers(-2, 3, (40, 1))
    model = fit(form(X.astype(dtype)), 6, dual=dual)
    assert set(model.anchor_indices_) == anchors
    assert model.components_.dtype == dtype


def test_ties_are_resolved_to_all_extreme_points_of_the_face():
    """With a collinear p every row ties; the corners are taken, inner points of faces are not."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.dirichlet(np.ones(5), 20), np.eye(5), np.eye(5)[:2], np.zeros((1, 5))])
    for data in (X, sp.csr_matrix(X)):
        model = fit(data, 8, p=np.ones(5))
        assert sorted(model.anchor_indices_) == [20, 21, 22, 23, 24]
        assert model.stop_reason_ == "converged"
        assert model.n_selections_ == 1  # the face gave them all
    np.testing.assert_array_equal(
        fit(X, 3, p=np.ones(5)).anchor_indices_, model.anchor_indices_[:3]
    )


def test_two_tied_anchors_are_both_taken():
    """Remark 2: two maximisers are two anchors."""
    X = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 4.0], [0.2, 0.2, 4.0]])
    model = fit(X, 3, p=np.ones(3))
    assert set(model.anchor_indices_) == {0, 1, 2}


@pytest.mark.parametrize("dual", ["minus_one", "multiplier"])
def test_one_feature_needs_one_anchor(dual):
    """With m = 1 any row explains all."""
    X = np.arange(5.0)[:, None]
    model = fit(X, 3, dual=dual)
    assert len(model.anchor_indices_) == 1
    assert model.anchor_indices_[0] == 1  # the first of five copies that is not zero
    assert model.objective_ == pytest.approx(0, abs=1e-12)


@DUALS
@pytest.mark.parametrize("make", [lambda: figure3(3, 0.5, r=6, m=40, n=50)[0], text])
def test_subgradients_satisfy_both_lemmas(dual, make, monkeypatch):
    """D is a sign pattern, D x_a <= 0 for the anchors (3.1), D x_i > 0 for the outsider (3.2)."""
    X = make()
    seen = []
    original = RobustXRAY._subgradient

    def spy(self, s, i):
        D = original(self, s, i)
        seen.append((i, list(s.anchors), s.cone.residual(i), D.copy()))
        return D

    monkeypatch.setattr(RobustXRAY, "_subgradient", spy)
    fit(X, 12, dual=dual)
    seen = seen[-11:]  # the tiny fit that compiles comes through here too
    dense = X.toarray() if sp.issparse(X) else X
    for i, anchors, R, D in seen:
        assert np.abs(D).max() <= 1
        clear = np.abs(R) > 1e-8 * dense[i].max()
        np.testing.assert_array_equal(D[clear], np.sign(R)[clear])
        assert D @ dense[i] > 0
        assert (dense[anchors] @ D).max(initial=-1.0) <= 1e-7 * dense[anchors].sum(1).max(initial=1)


def test_multiplier_pairs_to_the_residual():
    """With dual="multiplier" <D, x_i> is the residual norm, so scores can be trusted."""
    X, _ = figure3(0, 0.7, r=6, m=40, n=50)
    model = fit(X, 6)
    _, D = project_manhattan(X, model.components_, return_dual=True)
    assert (D * X).sum() == pytest.approx(model.objective_, rel=1e-10)


def test_linear_programme_is_used_when_minus_one_fails():
    """A row that is fitted but for a little has D x_i < 0 with -1; the LP then gives (0, 1)."""
    X = np.array([[5.0, 0.0], [10.0, 1.0], [0.0, 0.5]])
    p = np.array([1.0, 2.0])
    model = fit(X, 2, p=p)
    assert list(model.anchor_indices_) == [0, 2]
    assert model.n_lp_calls_ == 1
    assert model.n_lp_failures_ == 0
    assert model.n_selections_ == 2
    assert fit(X, 2, p=p, dual="multiplier").n_lp_calls_ == 0


def test_linear_programmes_follow_exact_recovery():
    """Spikes on otherwise exact rows call for the LP, once the anchors are found."""
    rng = np.random.default_rng(4)
    X, anchors = figure3(4, 0.0, r=5, m=30, n=40)
    for i in set(range(40)) - anchors:
        X[i, rng.integers(30)] += 1e-3
    model = fit(X, 8)
    assert set(model.anchor_indices_[:5]) == anchors
    assert model.n_lp_calls_ == 3
    assert model.n_lp_failures_ == 0


@pytest.mark.against("robust-xray", "its formulas, written out")
@DUALS
def test_equals_an_implementation_by_definition(dual):
    """Algorithm 1 written down with HiGHS for the projections chooses the same anchors."""
    X, _ = figure3(2, 0.8, r=5, m=25, n=30)
    p = 1 + np.random.default_rng(0).uniform(0, 1e-5, 25)
    anchors, R = [], X.copy()
    for _step in range(5):
        norms = np.abs(R).sum(axis=1)
        norms[anchors] = 0
        i = int(np.argmax(norms))
        D = np.where(np.abs(R[i]) <= 1e-9, -1.0, np.sign(R[i]))
        if dual == "multiplier" and anchors:
            D = project_manhattan(X[[i]], X[anchors], return_dual=True)[1][0]
        scores = X @ D / (X @ p)
        scores[anchors] = -np.inf
        anchors.append(int(np.argmax(scores)))
        R = X - project_manhattan(X, X[anchors]) @ X[anchors]
    assert list(fit(X, 5, p=p, dual=dual).anchor_indices_) == anchors


@pytest.mark.against("robust-xray", "scipy.optimize.linprog")
@DUALS
@pytest.mark.parametrize("make", [lambda: figure3(5, 0.3, r=6, m=30, n=40)[0], text])
def test_objective_is_optimal_at_each_step_and_never_rises(dual, make):
    """The trace holds the optimum for the first q anchors, as a general LP solver finds it."""
    X = make()
    dense = X.toarray() if sp.issparse(X) else X
    model = fit(X, 6, dual=dual)
    trace = model.trace_["objective"]
    assert trace[0] == pytest.approx(dense.sum())
    assert np.all(np.diff(trace) <= 0)
    for q in (1, 3, 6):
        optimum = lad_optima(dense, dense[model.anchor_indices_[:q]]).sum()
        assert trace[q] == pytest.approx(optimum, rel=1e-9)


@DUALS
@pytest.mark.parametrize("selection", ["max", "rand"])
@pytest.mark.parametrize("p", [None, np.ones(30)])
def test_a_smaller_fit_is_the_beginning_of_a_larger_one(dual, selection, p):
    """One fit serves every number of anchors up to its own."""
    X, _ = figure3(6, 0.4, r=6, m=30, n=40)
    large = fit(X, 9, dual=dual, selection=selection, p=p)
    for q in (1, 4):
        small = fit(X, q, dual=dual, selection=selection, p=p)
        np.testing.assert_array_equal(small.anchor_indices_, large.anchor_indices_[:q])
        np.testing.assert_array_equal(small.trace_["objective"], large.trace_["objective"][: q + 1])


@DUALS
@pytest.mark.parametrize("weighting", ["counts", "l1"])
def test_sparse_and_dense_data_give_the_same(dual, weighting):
    """CSR data are never made dense, and give the same anchors and objectives."""
    for seed in range(3):
        X = text(seed)
        if weighting == "l1":
            X = sp.csr_matrix(sp.diags_array(1 / np.asarray(X.sum(axis=1)).ravel()) @ X)
        sparse, dense = fit(X, 15, dual=dual), fit(X.toarray(), 15, dual=dual)
        np.testing.assert_array_equal(sparse.anchor_indices_, dense.anchor_indices_)
        np.testing.assert_allclose(sparse.trace_["objective"], dense.trace_["objective"])
        np.testing.assert_allclose(sparse.components_, dense.components_)


@given(seed=st.integers(0, 1000), delta=st.sampled_from([0.0, 0.1, 0.6]))
@settings(max_examples=15, deadline=None)
def test_permuting_rows_permutes_anchors(seed, delta):
    """With the same p the order of the rows is immaterial."""
    X, _ = figure3(seed, delta, r=4, m=15, n=20)
    order = np.random.default_rng(seed).permutation(20)
    plain, permuted = fit(X, 4), fit(X[order], 4)
    np.testing.assert_array_equal(order[permuted.anchor_indices_], plain.anchor_indices_)
    assert permuted.objective_ == pytest.approx(plain.objective_, abs=1e-9)


@given(seed=st.integers(0, 1000), exponent=st.integers(-40, 40))
@settings(max_examples=15, deadline=None)
def test_scaling_the_data_scales_the_objective(seed, exponent):
    """X -> c X keeps the anchors; no tolerance is absolute."""
    X, _ = figure3(seed, 0.3, r=4, m=15, n=20)
    plain, scaled = fit(X, 4), fit(2.0**exponent * X, 4)
    np.testing.assert_array_equal(plain.anchor_indices_, scaled.anchor_indices_)
    assert scaled.objective_ == pytest.approx(2.0**exponent * plain.objective_, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_scaling_rows_keeps_exact_recovery(seed):
    """Rows of any length span the same cone."""
    X, anchors = figure3(seed, 0.0, r=6, m=20, n=40)
    lengths = 10.0 ** np.random.default_rng(seed).uniform(-2, 2, (40, 1))
    assert recovery(lengths * X, anchors) == 1


def test_float32_gives_the_same_anchors():
    """Single precision is enough for data, and the attributes keep it."""
    X, _ = figure3(7, 0.5, r=8, m=60, n=70)
    single, double = fit(X.astype(np.float32), 8), fit(X.astype(np.float32).astype(float), 8)
    np.testing.assert_array_equal(single.anchor_indices_, double.anchor_indices_)
    assert single.components_.dtype == np.float32
    assert single.objective_ == pytest.approx(double.objective_, rel=1e-6)


def test_representation_and_transform_reach_the_objective():
    """fit_transform, and transform of the training data, are optimal for the anchors."""
    X, _ = figure3(8, 0.5, r=6, m=30, n=40)
    model = RobustXRAY(n_components=6, random_state=0)
    for W in (model.fit_transform(X), model.transform(X)):
        loss = losses.manhattan(X, W, model.components_.T)
        assert loss == pytest.approx(model.objective_, rel=1e-9)
        assert W.min() >= 0
    certificate = model.certificate(X)
    assert certificate["primal"] == pytest.approx(model.objective_, rel=1e-9)
    assert abs(certificate["gap"]) <= 1e-9


def test_the_seed_decides_everything_random():
    """Same seed, same bits; first="l2" with a given p needs no seed at all."""
    X, _ = figure3(9, 0.5, r=6, m=30, n=40)
    first, second = fit(X, 6, random_state=3), fit(X, 6, random_state=3)
    np.testing.assert_array_equal(first.trace_["objective"], second.trace_["objective"])
    firsts = {fit(X, 1, random_state=seed, first="l2").anchor_indices_[0] for seed in range(5)}
    lengths = np.linalg.norm(X / X.sum(axis=1, keepdims=True), axis=1)
    assert firsts == {int(np.argmax(lengths))}


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"selection": "mad"}, "selection"),
        ({"dual": "plus_one"}, "dual"),
        ({"first": "last"}, "first"),
        ({"max_iter": 0}, "max_iter"),
        ({"p": np.ones(3)}, "p has shape"),
        ({"p": -np.ones(5)}, "p must be"),
    ],
)
def test_bad_parameters_are_named(params, name):
    """The error message says which parameter is wrong."""
    model = RobustXRAY(n_components=2, **params)
    with pytest.raises(ValueError, match=name):
        clone(model).fit(np.random.default_rng(0).random((6, 5)))


def test_all_zero_data_are_refused():
    """Zero data have no row to choose."""
    with pytest.raises(ValueError, match="zero"):
        fit(np.zeros((4, 3)), 2)


@pytest.mark.parametrize("delta", [0.02, 0.1])
def test_figure_3_little_noise_loses_no_anchor(delta):
    """Reference values: all anchors up to noise of standard deviation 0.1."""
    assert np.mean([recovery(*figure3(seed, delta)) for seed in range(2)]) >= 0.99


def test_figure_3_strong_noise_is_survived_better_than_by_spa():
    """Reference values at 0.5: 0.97 against 0.75 of SPA."""
    data = [figure3(seed, 0.5) for seed in range(4)]
    robust = np.mean([recovery(*pair) for pair in data])
    spa = np.mean([recovery(*pair, key="spa") for pair in data])
    assert robust >= 0.9
    assert robust >= spa + 0.1


def test_figure_3_needs_no_linear_programme():
    """Remark 1: with dense noise -1 satisfies both lemmas."""
    assert fit(figure3(0, 0.5)[0], 10).n_lp_calls_ == 0
