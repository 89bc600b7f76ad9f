"""The promises of every registered solver: the common checks, and what only ours promise."""

import inspect
import pickle
import tempfile

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from nmfbench.cards.docstring import parameters
from nmfbench.checks import CHECKS, easy_data, perform_check
from nmfbench.core.registry import solvers
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.core.validation import MAGNITUDES
from nmfbench.solvers.frobenius.mu import MU
from nmfbench.solvers.separable.base import BaseSeparable

KEYS = list(solvers)
SEPARABLE = [key for key in KEYS if issubclass(solvers[key].target, BaseSeparable)]
ITERATIVE = [key for key in KEYS if solvers[key].target.takes_factors]
SPARSE = [key for key in KEYS if solvers[key].target.accepts_sparse]
N, M, R = 24, 10, 3

# The checks that concern some solvers only.
CONCERNED = {
    "anchors": SEPARABLE,
    "batches": [key for key in KEYS if hasattr(solvers[key].target, "partial_fit")],
    "explains": [key for key in KEYS if solvers[key].target.loss],
    "monotone": [key for key in KEYS if solvers[key].info["monotone"]],
    "nested": [key for key in KEYS if solvers[key].info["nested"]],
    "objective": [key for key in ITERATIVE if solvers[key].target.loss],
    "permutation": {*ITERATIVE, *SEPARABLE} - {"random-rows"},
    "sparse": SPARSE,
    "start": ITERATIVE,
}

_NEED_SOMETHING = {*SEPARABLE, "sklearn-cd", "sklearn-minibatch", "sklearn-mu"} - {"smrs"}

# Where the reconstruction is looked at: weights of penalties that are small against the data, and
# iterations where they are slow.
FAITHFUL = {
    "dnmf": {"alpha": 1e-3, "alpha_features": 1e-3},
    "drcc": {"alpha": 1e-3, "alpha_features": 1e-3},
    "gnmf": {"alpha": 1e-3},
    "hals-compressed": {"passes": 2},  # ten short iterations, in which rounding does not grow
    "ignmf": {"alpha": 1e-3, "constraint": "penalty", "xi": 1e-3},
    "nlcf": {"mu": 1e-3},
    "rcc": {"alpha": 1e-3, "alpha_features": 1e-3, "lam": np.inf},
    "rnmfd": {"alpha": 1e-3, "beta": 1e-3},
    "sym-mu": {"max_iter": 300},
}


def suited(key, X, r=R):
    """``X``; the inner products of its rows, or ``r`` columns, for solvers of such data."""
    kind = solvers[key].target
    return X @ X.T if kind.symmetric else X[:, :r] if kind.square else X


# Methods and flags that decide how a solver checks its input.
CHECKING = (
    *("fit", "fit_transform", "partial_fit", "transform", "inverse_transform"),
    *("_fit", "_rank", "_rank_bound", "_new_data"),
    *("takes_factors", "signed", "accepts_sparse", "any_rank", "square", "symmetric"),
)


def one_of_each_base(keys):
    """The first solver of each way to check input; the others are slow tests."""
    seen, params = set(), []
    for key in keys:
        way = tuple(inspect.getattr_static(solvers[key].target, name, None) for name in CHECKING)
        params.append(pytest.param(key, marks=[pytest.mark.slow] if way in seen else []))
        seen.add(way)
    return params


def problem(key, **options):
    """Easy data for a solver."""
    return suited(key, easy_data(**{"noise": 0.05} | options))


def start(key):
    """Initial factors for :func:`problem`, below one as some solvers bound factors."""
    rng = np.random.default_rng(5)
    W, H = rng.uniform(0.1, 0.9, (N, R)), rng.uniform(0.1, 0.9, (R, M))
    return (W, W.T.copy()) if solvers[key].target.symmetric else (W, H)


def small(key):
    """Parameters of a short fit."""
    known = solvers[key].target().get_params()
    params = {"max_iter": 40} if "max_iter" in known and key in ITERATIVE else {}
    # So that the reconstruction is of the data.
    return params | ({"scale": "none"} if "scale" in known else {}) | FAITHFUL.get(key, {})


def make(key, **params):
    """A small instance of a solver."""
    return solvers[key].target(**{"n_components": R, "random_state": 0} | small(key) | params)


def inputs(key, X):
    """The data in each layout that the solver takes."""
    return [X, sp.csr_matrix(X)] if solvers[key].target.accepts_sparse else [X]


def refuses(error, match, fit):
    """The promised error, with the name of what was wrong in it."""
    with pytest.raises(error, match=match):
        fit()


@pytest.mark.parametrize("key", KEYS)
def test_the_registry_entry_is_complete(key):
    """A solver has a name, a family and a reference, and its docstring all that cards show."""
    entry = solvers[key]
    assert entry.info["name"]
    assert entry.info["reference"]
    assert entry.info["family"] == entry.target.__module__.split(".")[-2] or (
        not entry.target.__module__.startswith("nmfbench.")
    ), "the family of a solver is the folder of its file"
    assert "Notation\n    --------\n" in entry.target.__doc__, "add a section Notation"
    without = set(entry.target().get_params()) - set(parameters(entry.target))
    assert not without, f"say in the section Parameters what these mean: {sorted(without)}"


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("check", CHECKS)
def test_common_checks_pass(key, check):
    """All that ``nmfbench check`` tests holds for the built-in solvers, down to the notes."""
    params = small(key)
    if check in ("larger", "leaves-nothing") and "max_iter" in solvers[key].target().get_params():
        params["max_iter"] = 5  # they take longest, and ask for no good fit
    found = perform_check(key, params, check)
    concerned = key in CONCERNED.get(check, KEYS)
    assert found["status"] == ("passed" if concerned else "skipped"), found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("key", KEYS)
def test_factors_have_the_precision_of_the_data_and_explain_them(key, dtype):
    """Factors are arrays in the precision of X, and their product is near it."""
    for X in inputs(key, problem(key).astype(dtype)):
        model = make(key)
        W = model.fit_transform(X)
        assert model.n_features_in_ == X.shape[1]
        for factor in (W, model.components_, model.transform(X[:5])):
            assert isinstance(factor, np.ndarray)
            assert factor.dtype == dtype
        reconstruction = model.inverse_transform(W)
        dense = X.toarray() if sp.issparse(X) else X
        assert reconstruction.dtype == dtype
        assert np.linalg.norm(dense - reconstruction) < 0.3 * np.linalg.norm(dense)


def spaced(array):
    """The same numbers at every second place of a larger array, which is transposed."""
    wide = np.full((2 * array.shape[1], 2 * array.shape[0]), np.nan, dtype=array.dtype)
    wide[::2, ::2] = array.T
    return wide[::2, ::2].T


def mapped(array):
    """The same numbers in a file, which cannot be written to."""
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, array)
        file.flush()
        return np.load(file.name, mmap_mode="r")


LAYOUTS = (np.asfortranarray, spaced, mapped, lambda array: array.astype(">f8"))


@pytest.mark.parametrize("key", KEYS)
def test_layouts_do_not_matter(key):
    """Order, gaps, byte order and files change no bit, of data or of initial factors."""
    X, (W, H) = problem(key), start(key)
    few = {"max_iter": 3} if "max_iter" in make(key).get_params() and key in ITERATIVE else {}

    def fitted(layout):
        given = {"W": layout(W), "H": layout(H)} if key in ITERATIVE else {}
        model = make(key, **few)
        return model.fit_transform(layout(X), **given), model.components_, model.transform(X[:5])

    expected = fitted(np.ascontiguousarray)
    for layout in LAYOUTS:
        for found, wanted in zip(fitted(layout), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("key", SPARSE)
def test_read_only_sparse_data_will_do(key):
    """The arrays of a sparse matrix may be such that cannot be written to."""
    X = sp.csr_matrix(problem(key))
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    make(key).fit(X).transform(X)


@pytest.mark.parametrize("key", SPARSE)
def test_entries_of_sparse_data_may_come_in_pieces(key):
    """Entries given twice count with their sum, in any order, and explicit zeros are none."""
    X = suited(key, easy_data(noise=0.05) * (np.random.default_rng(1).random((N, M)) < 0.8))
    whole = sp.csr_matrix(X)
    rows, columns = np.nonzero(X + np.eye(*X.shape))  # some of them zero
    values = X[rows, columns]
    halves = np.concatenate([values / 4, 3 * values / 4])
    places = np.tile(columns, 2), np.tile(rows, 2)
    order = np.lexsort((-places[0], places[1]))
    indptr = np.concatenate([[0], np.bincount(places[1], minlength=X.shape[0]).cumsum()])
    pieces = sp.csr_matrix((halves[order], places[0][order], indptr), shape=X.shape)
    assert pieces.nnz >= 2 * whole.nnz
    few = {"max_iter": 3} if key in ITERATIVE else {}
    found, wanted = (make(key, **few).fit(data) for data in (pieces, whole))
    np.testing.assert_allclose(found.components_, wanted.components_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.transform(pieces), wanted.transform(whole), atol=1e-9)


@pytest.mark.parametrize("key", SPARSE)
def test_sparse_data_give_the_result_of_dense_data(key):
    """Layout does not matter, up to rounding."""
    X = suited(key, easy_data(noise=0.05) * (np.random.default_rng(1).random((N, M)) < 0.8))
    found = []
    for data in inputs(key, X):
        model = make(key, max_iter=5) if key in ITERATIVE else make(key)
        found.append(model.fit_transform(data) @ model.components_)
    np.testing.assert_allclose(*found, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("key", KEYS)
def test_the_trace_tells_the_run(key, dtype):
    """The trace starts before the first step, and ends at the objective."""
    model = make(key).fit(problem(key).astype(dtype))
    trace = model.trace_
    assert trace.dtype == TRACE_DTYPE
    assert trace["iteration"][0] == 0
    assert trace["iteration"][-1] == model.n_iter_ >= 1
    least_or_last = trace["objective"].min() if model.keeps_best else trace["objective"][-1]
    assert model.objective_ == least_or_last
    assert model.stop_reason_ in ("converged", "max_iter")


@pytest.mark.parametrize("key", one_of_each_base(ITERATIVE))
def test_bad_initial_factors_are_refused(key):
    """Factors of the wrong shape or sign, or without their partner, are refused by name."""
    X = problem(key)
    W, H = start(key)
    refuses(ValueError, "Initial W has shape", lambda: make(key).fit(X, W=W[:, :2], H=H))
    refuses(ValueError, "Initial H has shape", lambda: make(key).fit(X, W=W, H=H.T))
    refuses(ValueError, "H was not given", lambda: make(key).fit(X, W=W))
    if not solvers[key].target.signed:
        refuses(ValueError, "passed to W", lambda: make(key).fit(X, W=-W, H=H))


@pytest.mark.parametrize("key", one_of_each_base(key for key in KEYS if key not in ITERATIVE))
def test_solvers_without_a_start_refuse_initial_factors(key):
    """Where no factors are improved step by step, there is no start to give."""
    W, H = start(key)
    refuses(ValueError, "no initial factors", lambda: make(key).fit(problem(key), W=W, H=H))


@pytest.mark.parametrize("key", SEPARABLE)
def test_components_are_exactly_the_rows_of_anchors(key):
    """There are ``n_components`` anchors, and components_ are their rows to the bit."""
    for X in inputs(key, problem(key)):
        model = make(key).fit(X)
        anchors = model.anchor_indices_
        rows = X[anchors].toarray() if sp.issparse(X) else X[anchors]
        assert anchors.dtype == np.intp
        assert len(anchors) == R
        np.testing.assert_array_equal(model.components_, rows)


# Signed solvers may describe differences from a mean or a background.
@pytest.mark.parametrize("r", [1, R])
@pytest.mark.parametrize("key", [key for key in KEYS if not solvers[key].target.signed])
def test_zero_rows_are_explained_by_zeros(key, r):
    """Without an offset, empty samples have a zero reconstruction."""
    for data in inputs(key, suited(key, easy_data(noise=0.05, zeros=True), r)):
        model = make(key, n_components=r).fit(data)
        transformed = model.transform(data)
        np.testing.assert_allclose(transformed[[0, 7]] @ model.components_, 0, atol=1e-8)


@pytest.mark.parametrize("key", KEYS)
def test_an_all_zero_matrix_is_fitted_by_zeros_or_refused(key):
    """Nothing to fit gives a zero reconstruction, without a warning, or an error that says so."""
    X = np.zeros_like(problem(key))
    model = make(key)
    if key in _NEED_SOMETHING:
        refuses(ValueError, "X is all zero", lambda: model.fit(X))
    else:
        W = model.fit_transform(X)
        np.testing.assert_allclose(model.inverse_transform(W), 0, atol=1e-12)


@pytest.mark.parametrize("key", one_of_each_base(KEYS))
def test_bad_data_are_refused(key):
    """Data that no factorization is defined for are refused, and the message says what is wrong."""
    bad_entries = [(np.nan, "NaN"), (np.inf, "infinity")]
    if not solvers[key].target.signed:
        bad_entries.append((-1.0, "Negative values"))
    for bad, match in bad_entries:
        X = problem(key)
        X[3, 1] = bad
        for data in inputs(key, X):
            refuses(ValueError, match, lambda data=data: make(key).fit(data))
    refuses(ValueError, "1D array", lambda: make(key).fit(problem(key)[0]))
    refuses(ValueError, "0 sample", lambda: make(key).fit(np.empty((0, M))))
    refuses(ValueError, "0 feature", lambda: make(key).fit(np.empty((N, 0))))
    if not solvers[key].target.accepts_sparse:
        refuses(TypeError, "needs dense data", lambda: make(key).fit(sp.csr_matrix(problem(key))))


@pytest.mark.parametrize("key", one_of_each_base(KEYS))
def test_bad_parameters_are_refused(key):
    """A rank or a seed that makes no sense is refused by name."""
    X = problem(key)
    ranks = [(0, ValueError), (-1, ValueError), (2.0, TypeError)]
    if not solvers[key].target.any_rank:
        ranks.append((N + 1, ValueError))
    for rank, error in ranks:
        refuses(error, "n_components", lambda r=rank: make(key, n_components=r).fit(X))
    refuses(ValueError, "random_state", lambda: make(key, random_state="seed").fit(X))


OPTIONAL_NUMBERS = {"buffer", "cap", "chunk", "floor", "horizon", "inner_sweeps", "lam", "n_sweeps"}
"""Parameters that are None or a number."""


@pytest.mark.parametrize("key", KEYS)
def test_numbers_out_of_range_are_refused(key):
    """No number may be NaN, text or negative, no integer infinite, a fraction or a truth value."""
    X = problem(key)
    for name, default in make(key).get_params().items():
        if isinstance(default, bool) or name in ("n_components", "random_state"):
            continue
        bad = []
        if isinstance(default, int):
            bad = [np.nan, np.inf, 1.5, -1, "3", True] if name != "amnesia" else [np.nan, -1]
        elif isinstance(default, float) or (default is None and name in OPTIONAL_NUMBERS):
            bad = [np.nan, -1.0, "3", np.ones(2), True]
        for value in bad:
            model = make(key, **{name: value})
            refuses((TypeError, ValueError), f"{name} must be", lambda model=model: model.fit(X))


@pytest.mark.parametrize("kind", ["datetime64[D]", "timedelta64[s]", [("value", float)]])
@pytest.mark.parametrize("key", one_of_each_base(KEYS))
def test_times_and_records_are_no_data(key, kind):
    """Types that numpy makes numbers of without a word are refused, as data and as factors."""
    X = np.ones((N, M), dtype=int).astype(kind)
    refuses(TypeError, "no numbers", lambda: make(key).fit(X))
    if key in ITERATIVE:
        W, H = (factor.astype(int).astype(kind) for factor in start(key))
        refuses(TypeError, "no numbers", lambda: make(key).fit(problem(key), W=W, H=H))


@pytest.mark.parametrize("key", one_of_each_base(KEYS))
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


def with_checks(keys):
    """Parametrize a test with scikit-learn's checks of these solvers."""
    return parametrize_with_checks(
        [solvers[key].target() for key in keys],
        expected_failed_checks=lambda estimator: estimator.expected_failed_checks(),
        xfail_strict=True,
    )


TYPICAL = (
    *("mu", "kl-mu", "gnmf", "kmeans", "pca", "mahnmf-rri", "mahnmf-sym", "omf", "sklearn-cd"),
    *("spa", "flss"),
)
"""Solvers of every family, and of every kind of estimator."""


@with_checks(TYPICAL)
def test_scikit_learn_checks(estimator, check):
    """scikit-learn's own checks of an estimator pass, but for declared exceptions."""
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


@pytest.mark.parametrize("key", one_of_each_base(KEYS))
def test_a_rank_that_no_memory_holds_is_an_error(key):
    """It says that n_components is too large, of whatever solver."""
    kind = solvers[key].target
    if "n_components" not in kind().get_params():
        return
    with pytest.raises(ValueError, match=r"n_components=1000000000\b"):
        make(key, n_components=10**9).fit(problem(key))


@pytest.mark.against("random-rows", "the uniform distribution, by scipy.stats.chisquare")
def test_random_rows_are_uniform_over_rows_that_are_not_zero():
    """Each row that is not zero is chosen equally often, a zero row never."""
    X = easy_data(noise=0.05)
    X[3] = 0
    chosen = [make("random-rows", n_components=1, random_state=i).fit(X) for i in range(2000)]
    counts = np.bincount([solver.anchor_indices_[0] for solver in chosen], minlength=N)
    assert counts[3] == 0
    assert stats.chisquare(np.delete(counts, 3)).pvalue > 1e-3


def test_a_fit_that_compiles_cannot_fail():
    """A solver that refuses the tiny matrix that is fitted first still fits the data."""

    class ManyRows(MU):
        def _start(self, X, r, rng, factors):
            if X.shape[0] < N:
                raise ValueError("too few rows")
            return super()._start(X, r, rng, factors)

    found, wanted = (cls(n_components=R, max_iter=5, random_state=0) for cls in (ManyRows, MU))
    X = problem("mu")
    np.testing.assert_array_equal(found.fit_transform(X), wanted.fit_transform(X))


def finite(model, X):
    """Fit, and transform; everything found is finite."""
    W = model.fit_transform(X)
    found = (W, model.components_, model.transform(X), model.objective_, model.trace_["objective"])
    return all(np.isfinite(part).all() for part in found)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", MAGNITUDES)
@pytest.mark.parametrize("key", KEYS)
def test_magnitudes_are_handled_or_refused(key, dtype):
    """At both ends of the range all results are finite; beyond, data and factors are refused.

    Weights that have no unit, such as that of a ridge, leave little of the loss there: that a
    solver does not converge, it may say.
    """
    X = problem(key)
    X = (X / X.max()).astype(dtype)
    for limit, beyond in ((2.0 ** -MAGNITUDES[dtype], 0.5), (2.0 ** MAGNITUDES[dtype], 2.0)):
        assert finite(make(key), X * X.dtype.type(limit))
        for data in inputs(key, X * X.dtype.type(beyond * limit)):
            refuses(ValueError, "largest magnitude in X", lambda data=data: make(key).fit(data))
        if key in ITERATIVE:
            W, H = (factor * beyond * limit for factor in start(key))
            refuses(ValueError, "magnitude in W", lambda W=2 * W, H=H: make(key).fit(X, W=W, H=H))
    model = make(key).fit(X)
    refuses(ValueError, "largest magnitude in X", lambda: model.transform(X.astype(float) * 1e200))


@pytest.mark.parametrize("dtype", MAGNITUDES)
@pytest.mark.parametrize("key", [key for key in KEYS if key != "sklearn-mu"])
def test_tiny_entries_do_no_harm(key, dtype):
    """An entry, a row or a column as small as a number can be leaves all results finite.

    But for scikit-learn's Kullback-Leibler: it sets factors below 2e-16 to zero, from which the
    divergence of a positive entry is infinite.
    """
    tiny = np.finfo(dtype).smallest_subnormal
    for rows, columns in ((2, 1), (2, slice(None)), (slice(None), 1)):
        X = problem(key)
        X[rows, columns] = tiny
        if solvers[key].target.symmetric:
            X[columns, rows] = tiny
        for data in inputs(key, X.astype(dtype)):
            assert finite(make(key), data)


ANY_RANK = [key for key in KEYS if solvers[key].target.any_rank and not solvers[key].target.square]


@pytest.mark.parametrize("key", ANY_RANK)
def test_there_may_be_more_components_than_samples_and_features(key):
    """Such a rank gives factors of that many components, which explain data as few do."""
    X, r = suited(key, easy_data(noise=0.05))[:8, :8], 11
    model = make(key, n_components=r)
    assert finite(model, X)
    assert len(model.components_) == r or key == "flss"  # it leaves out zero components
    few = make(key, n_components=1).fit(X)
    errors = [np.linalg.norm(X - m.transform(X) @ m.components_) for m in (model, few)]
    assert errors[0] <= errors[1] + 0.02 * np.linalg.norm(X)


# Solvers whose reconstruction depends on the unit of the data, and why.
_PENALTY = "its penalties have a unit, and it does not scale the data"
_BOX = "its box is in the unit of the factors"
_SMOOTHING = "mu0 is in the unit of the factors"
_ABSOLUTE = "scikit-learn has tolerances in the unit of the data"
WITH_A_UNIT = {
    "eucnmf-gs": _PENALTY,
    "flss": _PENALTY,
    "inmf-vc": "delta and tau weigh the volume of the bases against the fit",
    "mahnmf-bc-ogm": _BOX,
    "mahnmf-bc-rri": _BOX,
    "mahnmf-en": "lam is in the inverse unit of the data",
    "mahnmf-gs": _PENALTY,
    "mahnmf-m-ogm": _PENALTY,
    "mahnmf-m-rri": _PENALTY,
    "mahnmf-ogm": _SMOOTHING,
    "sklearn-minibatch": _ABSOLUTE,
    "sklearn-minibatch-dl": _ABSOLUTE,
}
ROUNDED = {
    "rpca-ialm": "LAPACK bisects for the eigenvalues above a bound, to an absolute tolerance"
}


@pytest.mark.parametrize("key", KEYS)
def test_powers_of_two_change_the_unit_and_nothing_else(key):
    """The reconstruction of 256 X is 256 times that of X, to the bit, or has a reason not to be."""
    X, params = problem(key), {"n_components": R, "random_state": 0}
    known = solvers[key].target().get_params()
    params |= {"max_iter": 5} if key in ITERATIVE else {}
    scaled = known.get("scale", "none") != "none"  # it factorizes data without a unit

    def reconstruction(data):
        model = solvers[key].target(**params)
        return model.inverse_transform(model.fit_transform(data))

    wanted = reconstruction(X)
    same = [
        np.array_equal(reconstruction(unit * X), wanted if scaled else unit * wanted)
        for unit in (256.0, 1 / 256)
    ]
    assert all(same) == (key not in WITH_A_UNIT | ROUNDED)
