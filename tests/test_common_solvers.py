"""What every registered solver owes, whatever it computes."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from nmfbench.core.registry import solvers
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.optim.losses import LOSSES
from nmfbench.solvers.separable.base import BaseSeparable

KEYS = list(solvers)
SEPARABLE = [key for key in KEYS if issubclass(solvers[key].target, BaseSeparable)]
CLUSTERERS = [key for key in KEYS if hasattr(solvers[key].target, "fit_predict")]
ITERATIVE = [key for key in KEYS if solvers[key].target.takes_factors]
N, M, R = 24, 10, 3

# scikit-learn's checks that a solver does not pass, and why.
_UNFINISHED = "fit_transform returns the last W of a slow iteration, transform the exact optimum"
_UNSPLIT = "transform is least squares, which cannot leave out the sparse part as the fit does"
_NO_GRAPH = "fit_transform weighs in the graph of the samples, and new samples are in none"
_NO_COST = "fit_transform weighs in what the use of a component costs, transform only the fit"
_COORDINATES = "fit_transform returns a coordinate-wise optimum, transform the exact one"
_ONE_FACTOR = "the fit changes both factors, which are one, and transform only one of the two"
_CLUSTERS = "fit_transform tells clusters apart, transform combines their components"
_NEED_SOMETHING = {*SEPARABLE, "sklearn-cd", "sklearn-minibatch", "sklearn-mu"} - {"smrs"}
UNLIKE_TRANSFORM = {
    "dnmf": _NO_GRAPH,
    "drcc": _NO_GRAPH,
    "gnmf": _NO_GRAPH,
    "ignmf": _NO_GRAPH,
    "is-mu": _UNFINISHED,
    "kmeans": _CLUSTERS,
    "kl-mu": _UNFINISHED,
    "mahnmf-bc-ogm": _UNFINISHED,
    "mahnmf-bc-rri": _COORDINATES,
    "mahnmf-gs": _UNFINISHED,
    "mahnmf-m-rri": _NO_GRAPH,
    "mahnmf-rri": _COORDINATES,
    "mahnmf-sym": _ONE_FACTOR,
    "mu": _UNFINISHED,
    "ncuts": _CLUSTERS,
    "nsdr": _CLUSTERS,
    "rcc": _NO_GRAPH,
    "nlcf": _NO_COST,
    "rnmfd": _NO_GRAPH,
    "rpca-ialm": _UNSPLIT,
    "sklearn-cd": _UNFINISHED,
    "sklearn-minibatch": _UNFINISHED,
    "sklearn-mu": _UNFINISHED,
}
EXPECTED_FAILURES = {
    key: dict.fromkeys(["check_transformer_general", "check_transformer_data_not_an_array"], reason)
    for key, reason in UNLIKE_TRANSFORM.items()
}
for key in CLUSTERERS:
    if not solvers[key].target.signed:
        EXPECTED_FAILURES.setdefault(key, {})["check_clustering"] = "its data are negative"


# Where the reconstruction is looked at: weights of penalties that are small against the data.
FAITHFUL = {
    "dnmf": {"alpha": 1e-3, "alpha_features": 1e-3},
    "drcc": {"alpha": 1e-3, "alpha_features": 1e-3},
    "gnmf": {"alpha": 1e-3},
    "ignmf": {"alpha": 1e-3, "constraint": "penalty", "xi": 1e-3},
    "nlcf": {"mu": 1e-3},
    "rcc": {"alpha": 1e-3, "alpha_features": 1e-3, "lam": np.inf},
    "rnmfd": {"alpha": 1e-3, "beta": 1e-3},
}


def points(seed=0, noise=0.05):
    """Points near the cone of three of them, in random order: easy for every family."""
    rng = np.random.default_rng(seed)
    weights = np.vstack([np.eye(R), rng.dirichlet(np.ones(R), N - R)])
    X = weights @ rng.random((R, M)) + noise * rng.random((N, M))
    return X[rng.permutation(N)]


def suited(key, X):
    """``X``, or the inner products of its rows for a solver of symmetric data."""
    return X @ X.T if solvers[key].target.symmetric else X


def problem(key, **options):
    """Easy data for a solver."""
    return suited(key, points(**options))


def start(key):
    """Initial factors for :func:`problem`, below one as some solvers bound theirs."""
    rng = np.random.default_rng(5)
    W, H = rng.uniform(0.1, 0.9, (N, R)), rng.uniform(0.1, 0.9, (R, M))
    return (W, W.T.copy()) if solvers[key].target.symmetric else (W, H)


def make(key, **params):
    """A small instance of a solver."""
    model = solvers[key].target(n_components=R, random_state=0)
    if "max_iter" in model.get_params() and key in ITERATIVE:
        model.set_params(max_iter=40)
    if "scale" in model.get_params():
        model.set_params(scale="none")  # so that the reconstruction is of the data
    model.set_params(**FAITHFUL.get(key, {}))
    return model.set_params(**params)


def inputs(key, X):
    """The data in each layout that the solver takes."""
    return [X, sp.csr_matrix(X)] if solvers[key].target.accepts_sparse else [X]


def refuses(error, match, fit):
    """The promised error, with the name of what was wrong in it."""
    with pytest.raises(error, match=match):
        fit()


@pytest.mark.parametrize("key", KEYS)
def test_the_registry_entry_is_complete(key):
    """A solver has a name, a family and a reference, and its docstring names its symbols."""
    entry = solvers[key]
    assert entry.info["name"]
    assert entry.info["reference"]
    assert entry.info["family"] == entry.target.__module__.split(".")[-2] or (
        not entry.target.__module__.startswith("nmfbench.")
    )
    assert "Notation\n    --------\n" in entry.target.__doc__


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("key", KEYS)
def test_factors_have_the_right_shape_type_and_sign(key, dtype):
    """Factors are finite and non-negative, of the promised shape, in the precision of X."""
    for X in inputs(key, problem(key).astype(dtype)):
        model = make(key)
        W = model.fit_transform(X)
        transformed = model.transform(X[:5])
        assert W.shape == (N, R)
        assert model.components_.shape == (R, X.shape[1])
        assert transformed.shape == (5, R)
        assert model.n_features_in_ == X.shape[1]
        for factor in (W, model.components_, transformed):
            assert isinstance(factor, np.ndarray)
            assert factor.dtype == dtype
            assert np.isfinite(factor).all()
            assert model.signed or (factor >= 0).all()
        reconstruction = model.inverse_transform(W)
        dense = X.toarray() if sp.issparse(X) else X
        assert reconstruction.dtype == dtype
        assert np.linalg.norm(dense - reconstruction) < 0.3 * np.linalg.norm(dense)


@pytest.mark.parametrize("key", KEYS)
def test_inputs_are_not_modified(key):
    """Data and initial factors are left as they were, even when they are read-only."""
    for X in inputs(key, problem(key)):
        before = X.copy()
        for array in (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,):
            array.flags.writeable = False
        W, H = start(key)
        given = {"W": W, "H": H} if key in ITERATIVE else {}
        kept = {name: factor.copy() for name, factor in given.items()}
        make(key).fit(X, **given).transform(X)
        assert abs(X - before).max() == 0
        for name, factor in given.items():
            np.testing.assert_array_equal(factor, kept[name])


@pytest.mark.parametrize("key", KEYS)
def test_same_seed_same_bits(key):
    """Two fits with one seed are identical, and leave numpy's global generator alone."""
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    for X in inputs(key, problem(key)):
        a, b = make(key), make(key)
        Wa, Wb = a.fit_transform(X), b.fit_transform(X)
        np.testing.assert_array_equal(Wa, Wb)
        np.testing.assert_array_equal(a.components_, b.components_)
        np.testing.assert_array_equal(a.trace_["objective"], b.trace_["objective"])
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize("key", KEYS)
def test_sparse_data_give_the_result_of_dense_data(key):
    """Layout does not matter, up to rounding."""
    X = suited(key, points() * (np.random.default_rng(1).random((N, M)) < 0.8))
    found = []
    for data in inputs(key, X):
        model = make(key, max_iter=5) if key in ITERATIVE else make(key)
        W = model.fit_transform(data)
        found.append(W @ model.components_)
    for reconstruction in found[1:]:
        np.testing.assert_allclose(reconstruction, found[0], atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("key", KEYS)
def test_the_trace_tells_the_run(key, dtype):
    """The trace starts before the first step, ends at the objective, and counts time forward."""
    model = make(key).fit(problem(key).astype(dtype))
    trace = model.trace_
    assert trace.dtype == TRACE_DTYPE
    assert trace["iteration"][0] == 0
    assert trace["iteration"][-1] == model.n_iter_ >= 1
    if not model.keeps_best:
        assert trace["objective"][-1] == model.objective_
    else:
        assert trace["objective"].min() == model.objective_
    assert np.isfinite(trace["objective"]).all()
    assert np.all(np.diff(trace["seconds"]) >= 0)
    assert np.all(np.diff(trace["iteration"]) > 0)
    assert model.stop_reason_ in ("converged", "max_iter")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("key", [k for k in KEYS if solvers[k].info["monotone"]])
def test_the_objective_of_monotone_solvers_never_rises(key, dtype):
    """Beyond rounding, no step raises what is minimised."""
    rounding = 1e3 * np.finfo(dtype).eps
    for seed in range(3):
        X = problem(key, seed=seed, noise=0.3).astype(dtype)
        objective = make(key).fit(X).trace_["objective"]
        assert np.all(np.diff(objective) <= rounding * np.abs(objective[:-1]) + 1e-12)


@pytest.mark.parametrize("key", [key for key in ITERATIVE if solvers[key].target.loss])
def test_the_objective_can_be_recomputed(key):
    """What the fit reports is the loss of the factors it returns."""
    X = problem(key)
    model = make(key)
    W = model.fit_transform(X)
    exact = LOSSES[model.loss](X, W, np.ascontiguousarray(model.components_.T))
    assert model.objective_ == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("key", ITERATIVE)
def test_initial_factors_are_honoured(key):
    """Given factors are the start: the trace begins with their loss, and no seed matters."""
    X = problem(key)
    W, H = start(key)
    models = [make(key, random_state=seed).fit(X, W=W, H=H) for seed in (0, 1)]
    np.testing.assert_array_equal(models[0].components_, models[1].components_)
    if solvers[key].target.loss:
        expected = LOSSES[solvers[key].target.loss](X, W, np.ascontiguousarray(H.T))
        assert models[0].trace_["objective"][0] == pytest.approx(expected)


@pytest.mark.parametrize("key", ITERATIVE)
def test_bad_initial_factors_are_refused(key):
    """Factors of the wrong shape or sign, or without their partner, are refused by name."""
    X = problem(key)
    W, H = start(key)
    refuses(ValueError, "Initial W has shape", lambda: make(key).fit(X, W=W[:, :2], H=H))
    refuses(ValueError, "Initial H has shape", lambda: make(key).fit(X, W=W, H=H.T))
    refuses(ValueError, "H was not given", lambda: make(key).fit(X, W=W))
    if not solvers[key].target.signed:
        refuses(ValueError, "passed to W", lambda: make(key).fit(X, W=-W, H=H))


@pytest.mark.parametrize("key", [key for key in KEYS if key not in ITERATIVE])
def test_solvers_without_a_start_refuse_initial_factors(key):
    """Where no factors are improved step by step, there is no start to give."""
    W, H = start(key)
    refuses(ValueError, "no initial factors", lambda: make(key).fit(problem(key), W=W, H=H))


@pytest.mark.parametrize("key", ITERATIVE)
def test_permuting_samples_permutes_the_representation(key):
    """From permuted initial factors, permuted data give the same answer, permuted."""
    X = points()
    W, H = start(key)
    order = np.random.default_rng(2).permutation(N)
    features = order if solvers[key].target.symmetric else slice(None)
    a, b = make(key, max_iter=10), make(key, max_iter=10)
    plain = a.fit_transform(suited(key, X), W=W, H=H)
    permuted = b.fit_transform(suited(key, X[order]), W=W[order], H=H[:, features])
    np.testing.assert_allclose(permuted, plain[order], atol=1e-8)
    np.testing.assert_allclose(b.components_, a.components_[:, features], atol=1e-8)


# A random choice is one of positions.
@pytest.mark.parametrize("key", [key for key in SEPARABLE if key != "random-rows"])
def test_permuting_samples_permutes_the_anchors(key):
    """The same rows are chosen, wherever they stand; greedy solvers keep their order too."""
    X = problem(key)
    order = np.random.default_rng(2).permutation(N)
    plain = make(key).fit(X).anchor_indices_
    permuted = order[make(key).fit(X[order]).anchor_indices_]
    if solvers[key].info["nested"]:
        np.testing.assert_array_equal(permuted, plain)
    else:
        assert set(permuted.tolist()) == set(plain.tolist())


@pytest.mark.parametrize("key", SEPARABLE)
def test_anchors_are_distinct_rows(key):
    """components_ are the rows of X at anchor_indices_."""
    for X in inputs(key, problem(key)):
        model = make(key).fit(X)
        anchors = model.anchor_indices_
        rows = X[anchors].toarray() if sp.issparse(X) else X[anchors]
        assert anchors.dtype == np.intp
        assert len(set(anchors.tolist())) == R
        np.testing.assert_array_equal(model.components_, rows)


@pytest.mark.parametrize("key", [k for k in SEPARABLE if solvers[k].info["nested"]])
def test_nested_solvers_serve_every_smaller_rank(key):
    """The first anchors of a larger fit are those of a smaller one."""
    X = problem(key, noise=0.2)
    large = make(key, n_components=5).fit(X).anchor_indices_
    for q in (1, 3):
        small = make(key, n_components=q).fit(X).anchor_indices_
        np.testing.assert_array_equal(small, large[:q])


@pytest.mark.parametrize("r", [1, R])
@pytest.mark.parametrize("key", KEYS)
def test_zero_rows_and_columns_and_rank_one_survive(key, r):
    """Empty samples and features give finite factors; without an offset, zero rows give zero."""
    X = points()
    X[[0, 7]] = 0
    X[:, 2] = 0
    X = suited(key, X)
    for data in inputs(key, X):
        model = make(key, n_components=r)
        W = model.fit_transform(data)
        assert W.shape == (N, r)
        assert np.isfinite(W).all()
        assert np.isfinite(model.components_).all()
        transformed = model.transform(data)
        if not model.signed:  # those may describe differences from a mean or a background
            np.testing.assert_allclose(transformed[[0, 7]] @ model.components_, 0, atol=1e-8)


@pytest.mark.parametrize("key", KEYS)
def test_an_all_zero_matrix_is_fitted_by_zeros_or_refused(key):
    """Nothing to fit gives a zero reconstruction, without a warning, or an error that says so."""
    X = np.zeros_like(problem(key))
    model = make(key)
    if key in _NEED_SOMETHING:
        refuses(ValueError, "zero", lambda: model.fit(X))
    else:
        W = model.fit_transform(X)
        np.testing.assert_allclose(model.inverse_transform(W), 0, atol=1e-12)


@pytest.mark.parametrize("key", KEYS)
def test_bad_data_are_refused(key):
    """Data that no factorization is defined for are refused, and the message says what is wrong."""
    bad_entries = [(np.nan, "NaN"), (np.inf, "infinity")]
    if not solvers[key].target.signed:
        bad_entries.append((-1.0, "Negative values"))
    for bad, match in bad_entries:
        X = problem(key)
        X[3, 4] = bad
        for data in inputs(key, X):
            refuses(ValueError, match, lambda data=data: make(key).fit(data))
    refuses(ValueError, "1D array", lambda: make(key).fit(problem(key)[0]))
    refuses(ValueError, "0 sample", lambda: make(key).fit(np.empty((0, M))))
    refuses(ValueError, "0 feature", lambda: make(key).fit(np.empty((N, 0))))
    if not solvers[key].target.accepts_sparse:
        refuses(TypeError, "needs dense data", lambda: make(key).fit(sp.csr_matrix(problem(key))))


@pytest.mark.parametrize("key", KEYS)
def test_bad_parameters_are_refused(key):
    """A rank or a seed that makes no sense is refused by name."""
    X = problem(key)
    for rank, error in ((0, ValueError), (-1, ValueError), (N + 1, ValueError), (2.0, TypeError)):
        refuses(error, "n_components", lambda r=rank: make(key, n_components=r).fit(X))
    refuses(ValueError, "random_state", lambda: make(key, random_state="seed").fit(X))


@pytest.mark.parametrize("key", KEYS)
def test_transform_checks_its_data(key):
    """transform needs a fit, and as many features as the fit had."""
    model = make(key).fit(problem(key))
    refuses(ValueError, "features", lambda: model.transform(problem(key)[:, :-1]))
    if not model.signed:
        refuses(ValueError, "Negative values", lambda: model.transform(-problem(key)))
    refuses(ValueError, "W has shape", lambda: model.inverse_transform(np.ones((2, R + 1))))
    refuses(ValueError, "not fitted", lambda: make(key).transform(problem(key)))


@pytest.mark.parametrize("key", KEYS)
def test_clone_and_pickle_work(key):
    """Parameters survive a clone, and a fitted model survives a round trip through bytes."""
    model = make(key)
    params = model.get_params()
    assert clone(model).get_params() == params
    assert type(model)(**params).get_params() == params
    assert type(model).__name__ in repr(model)
    X = problem(key)
    model.fit(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    assert again.objective_ == model.objective_
    assert model.get_feature_names_out()[0].endswith("0")


def _expected_failures(estimator):
    for key in KEYS:
        if solvers[key].target is type(estimator):
            return EXPECTED_FAILURES.get(key, {})
    return {}


def with_checks(keys):
    """Parametrize a test with scikit-learn's checks of these solvers."""
    return parametrize_with_checks(
        [solvers[key].target() for key in keys],
        expected_failed_checks=_expected_failures,
        xfail_strict=True,
    )


TYPICAL = ("mu", "kl-mu", "gnmf", "kmeans", "pca", "mahnmf-rri", "mahnmf-sym", "sklearn-cd", "spa")
"""Solvers of every family, and of every kind of estimator."""


@with_checks(TYPICAL)
def test_scikit_learn_checks(estimator, check):
    """scikit-learn's own checks of an estimator pass, but for the exceptions listed above."""
    check(estimator)


@pytest.mark.slow
@with_checks([key for key in KEYS if key not in TYPICAL])
def test_scikit_learn_checks_of_the_others(estimator, check):
    """So they do for solvers that share their base with one of those."""
    check(estimator)


def test_every_family_has_a_typical_solver():
    """No family is left to the slow tests alone."""
    families = [{solvers[key].info["family"] for key in keys} for keys in (TYPICAL, KEYS)]
    assert families[0] == families[1]


def test_listed_exceptions_are_of_known_solvers():
    """Every exception has a solver and a reason."""
    assert set(EXPECTED_FAILURES) <= set(KEYS)
    assert all(reason for checks in EXPECTED_FAILURES.values() for reason in checks.values())


@pytest.mark.against("random-rows", "the uniform distribution, by scipy.stats.chisquare")
def test_random_rows_are_uniform_over_rows_that_are_not_zero():
    """Each row that is not zero is chosen equally often, a zero row never."""
    X = points()
    X[3] = 0
    chosen = [make("random-rows", n_components=1, random_state=i).fit(X) for i in range(2000)]
    counts = np.bincount([solver.anchor_indices_[0] for solver in chosen], minlength=N)
    assert counts[3] == 0
    assert stats.chisquare(np.delete(counts, 3)).pvalue > 1e-3
