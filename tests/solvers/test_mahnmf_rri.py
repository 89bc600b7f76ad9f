"""MahNMF by rank-one residual iteration, plain and in a box."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from oracles_l1 import box_optima, lad_optima, lad_optimum, weighted_median_coefficient

from nmfbench import make_solver
from nmfbench.optim import losses
from nmfbench.solvers.manhattan import rri

KEYS = ["mahnmf-rri", "mahnmf-bc-rri"]


def data(n=20, m=15, r=4, seed=0, noise=0.1):
    """Data in [0, 1] near rank r, a tenth of whose entries are gross errors, and a start."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, r)) @ rng.random((r, m)) / r + noise * rng.random((n, m))
    X = np.where(rng.random((n, m)) < 0.1, rng.random((n, m)), X)
    return X, {"W": 0.5 * rng.random((n, r)), "H": 0.5 * rng.random((r, m))}


def solver(key="mahnmf-rri", r=4, **params):
    return make_solver(key, n_components=r, random_state=0, **({"max_iter": 25} | params))


@pytest.mark.against("mahnmf-rri", "scipy.optimize.linprog")
def test_a_fixed_point_need_not_solve_the_sub_problem():
    """The paper's claim fails: at (1, 1) no single coordinate can improve, yet (0, 2) is exact."""
    H = np.array([[3.0, 1.0, 0.0], [3.0, 0.0, 0.5]])
    x = np.array([[6.0, 0.0, 1.0]])
    stuck = solver(r=2).represent(x, H, np.ones((1, 2)))
    np.testing.assert_array_equal(stuck, [[1, 1]])
    assert losses.manhattan(x, stuck, H.T) == 1.5
    optimum, w = lad_optimum(x[0], H)
    assert optimum == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(w, [0, 2], atol=1e-12)
    fitted = solver(r=2)
    fitted.components_, fitted.n_features_in_ = H, 3
    np.testing.assert_allclose(fitted.transform(x), [[0, 2]], atol=1e-12)


@pytest.mark.against("mahnmf-rri", "weighted medians by their definition")
def test_sweeps_end_at_a_coordinate_wise_optimum():
    """No coordinate of what sweeps lead to can be improved alone; all together often can."""
    X, start = data()
    W = solver().represent(X, start["H"], start["W"])
    reached = np.abs(X - W @ start["H"]).sum(axis=1)
    for i, k in np.ndindex(W.shape):
        others = W[i].copy()
        others[k] = 0
        z = X[i] - others @ start["H"]
        best = max(weighted_median_coefficient(z, start["H"][k]), 0)
        assert reached[i] <= np.abs(z - best * start["H"][k]).sum() * (1 + 1e-12)
    exact = lad_optima(X, start["H"])
    assert (reached >= exact * (1 - 1e-9)).all()
    assert reached.sum() > 1.001 * exact.sum()


@pytest.mark.parametrize("median", ["select", "sort"])
@pytest.mark.parametrize("inner_sweeps", [1, 3, None])
@pytest.mark.parametrize("key", KEYS)
def test_the_objective_never_rises(key, inner_sweeps, median):
    """It falls at every iteration, is that of the factors, and both medians lead to the same."""
    X, start = data()
    model = solver(key, inner_sweeps=inner_sweeps, median=median)
    W = model.fit_transform(X, **start)
    objectives = model.trace_["objective"]
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()
    assert objectives[-1] < 0.8 * objectives[0]
    assert model.objective_ == pytest.approx(losses.manhattan(X, W, model.components_.T), rel=1e-12)
    other = solver(key, inner_sweeps=inner_sweeps, median="select").fit(X, **start)
    assert model.objective_ == pytest.approx(other.objective_, rel=1e-9)


def test_algorithm_1_ends_its_sweeps_by_equation_8():
    """An iteration is sweeps over W, then over H, each ended by its share of the progress."""
    X, start = data(n=30, m=25, r=6)
    tol = {"W": 1e-2, "H": 1e-2}
    W, Ht = start["W"].copy(), start["H"].T.copy()
    counts = []
    for _ in range(3):
        for name, Y, factor, other in (("W", X, W, Ht), ("H", X.T, Ht, W)):
            f = [np.abs(Y - factor @ other.T).sum()]
            while True:
                residual = Y - factor @ other.T
                rri.improve(residual, factor, other)
                f.append(np.abs(Y - factor @ other.T).sum())
                if len(f) > 10 and abs(f[-2] - f[-1]) <= tol[name] * abs(f[-1] - f[0]):
                    break
            counts.append(len(f) - 1)
            tol[name] /= 10 if counts[-1] == 10 else 1
    assert 10 in counts
    assert max(counts) > 10
    model = solver(r=6, inner_sweeps=None, max_iter=3, tol=0).fit(X, **start)
    expected = losses.manhattan(X, W, Ht)
    assert model.objective_ == pytest.approx(expected, rel=1e-4)  # rounding decides ties


@pytest.mark.parametrize("key", KEYS)
def test_single_precision_reaches_what_double_does(key):
    """float32 factors come from float32 data, as good as the others, and the sums do not drift."""
    X, _ = data(n=60, m=50)
    double = solver(key, max_iter=50, tol=0).fit(X)
    single = solver(key, max_iter=50, tol=0)
    W = single.fit_transform(X.astype(np.float32))
    assert W.dtype == np.float32
    assert single.objective_ == pytest.approx(double.objective_, rel=0.02)
    exact = np.abs(X - W.astype(float) @ single.components_).sum()
    assert single.objective_ == pytest.approx(exact, rel=1e-5)


def test_threads_do_not_change_a_fit(monkeypatch):
    """A fit whose rows are shared out among threads is the same to the bit."""
    X, start = data(n=31, m=23)
    alone = solver(inner_sweeps=2).fit(X, **start)
    monkeypatch.setattr(rri, "_PARALLEL", 0)
    for threads in (2, 5):
        monkeypatch.setattr(rri.numba.config, "NUMBA_NUM_THREADS", threads)
        shared = solver(inner_sweeps=2).fit(X, **start)
        np.testing.assert_array_equal(shared.components_, alone.components_)
        np.testing.assert_array_equal(shared.trace_["objective"], alone.trace_["objective"])


def test_dead_components_are_counted_and_revived():
    """A component that is zero stays so and is counted; ``revive`` makes it useful again."""
    X, start = data(seed=1)
    start["W"][:, 2] = 0
    start["H"][2] = 0
    dead = solver(tol=0).fit(X, **start)
    assert dead.n_dead_components_ == 1
    alive = solver(tol=0, revive=True).fit(X, **start)
    assert alive.n_dead_components_ == 0
    assert alive.components_.any(axis=1).all()
    objectives = alive.trace_["objective"]
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()
    assert alive.objective_ < dead.objective_


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("revive", [False, True])
def test_zero_rows_and_columns_stay_zero(key, revive):
    """They are fitted exactly, and nothing becomes NaN."""
    X, _ = data(seed=2)
    X[3], X[:, 5] = 0, 0
    model = solver(key, revive=revive)
    fitted = model.inverse_transform(model.fit_transform(X))
    assert not fitted[3].any()
    assert not fitted[:, 5].any()
    assert np.abs(X - fitted).sum() < 0.5 * X.sum()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("revive", [False, True])
def test_an_all_zero_matrix_has_the_zero_solution(key, revive):
    """There is nothing to fit, and nothing to warn of."""
    model = solver(key, revive=revive).fit(np.zeros((9, 8)))
    assert model.objective_ == 0
    assert not model.inverse_transform(model.transform(np.zeros((2, 8)))).any()


def test_data_with_more_than_half_zeros_are_warned_of():
    """Zero is then often the best fit in the l1 norm, so a warning says that it was returned."""
    rng = np.random.default_rng(3)
    X = rng.random((40, 30)) * (rng.random((40, 30)) < 0.15)
    model = solver()
    flat = {"W": np.full((40, 4), 0.1), "H": np.full((4, 30), 0.1)}
    with pytest.warns(UserWarning, match="more than half of the entries of X are zeros"):
        model.fit(X, **flat)
    assert model.n_dead_components_ == 4
    assert model.objective_ == pytest.approx(X.sum(), rel=1e-12)


@pytest.mark.parametrize("upper", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_box_holds_both_factors(upper, dtype):
    """Factors, and representations of new data, lie between zero and the bound."""
    X, start = data(seed=4)
    X = (2 * X).astype(dtype)
    start = {name: (3 * factor).astype(dtype) for name, factor in start.items()}
    model = solver("mahnmf-bc-rri", upper=upper)
    W = model.fit_transform(X, **start)
    for factor in (W, model.components_, model.transform(X)):
        assert factor.min() >= 0
        assert factor.max() <= dtype(upper)
    clipped = {name: np.minimum(factor, dtype(upper)) for name, factor in start.items()}
    again = solver("mahnmf-bc-rri", upper=upper).fit(X, **clipped)
    np.testing.assert_array_equal(again.trace_["objective"], model.trace_["objective"])


@pytest.mark.against("mahnmf-bc-rri", "scipy.optimize.linprog")
def test_the_box_binds_and_the_certificate_knows():
    """transform reaches the optimum over the box, which the certificate proves."""
    X, _ = data(seed=5)
    X = 2 * X
    model = solver("mahnmf-bc-rri", upper=0.5).fit(X)
    exact = box_optima(X, model.components_, 0.5).sum()
    assert exact > 1.01 * lad_optima(X, model.components_).sum()
    found = model.certificate(X)
    assert found["primal"] == pytest.approx(exact, rel=1e-9)
    assert exact * (1 - 1e-9) <= found["primal"]
    assert found["dual_bound"] <= exact * (1 + 1e-9)
    assert found["gap"] < 1e-6
    reached = losses.manhattan(X, model.transform(X), model.components_.T)
    assert reached == pytest.approx(exact, rel=1e-9)


def test_without_a_bound_the_box_is_the_orthant():
    """``upper=inf`` gives what the plain solver gives, but for the scale of the components."""
    X, start = data(seed=6)
    plain = solver().fit(X, **start)
    boxed = solver("mahnmf-bc-rri", upper=np.inf).fit(X, **start)
    np.testing.assert_array_equal(boxed.trace_["objective"], plain.trace_["objective"])
    assert boxed.certificate(X)["gap"] < 1e-6


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"inner_sweeps": 0}, "inner_sweeps must be an integer of at least 1 or None"),
        ({"inner_sweeps": None, "inner_tol": 0}, "inner_tol must be a finite number above 0"),
        ({"median": "guess"}, "median must be one of 'select', 'sort'"),
        ({"upper": 0}, "upper must be a number above 0"),
        ({"upper": -1.0}, "upper must be a number above 0"),
        ({"upper": np.nan}, "upper must be a number above 0"),
    ],
)
def test_senseless_parameters_are_refused(params, match):
    """The error names the parameter and what would do."""
    X, _ = data()
    with pytest.raises(ValueError, match=match):
        solver("mahnmf-bc-rri", **params).fit(X)


@pytest.mark.parametrize("key", KEYS)
def test_a_fit_takes_at_most_three_arrays_of_the_size_of_the_data(key):
    """Beyond X: the residual, its transpose, and one while the residual is made."""
    X, start = data(n=600, m=500)
    for revive in (False, True):
        model = solver(key, revive=revive, max_iter=12, tol=0)
        model.fit(X[:20], W=start["W"][:20], H=start["H"])  # compiles
        tracemalloc.start()
        try:
            model.fit(X, **start)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 3.1 * X.nbytes


def sparse_data(n=40, m=30, r=4, seed=0, share=0.5):
    """Counts with zeros, and a start."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(rng.gamma(1, 1, (n, r)) @ rng.gamma(1, 1, (r, m))) * (
        rng.random((n, m)) < share
    )
    return X.astype(float), {"W": rng.random((n, r)), "H": rng.random((r, m))}


@pytest.mark.against("mahnmf-rri", "weighted medians by their definition", part="sparse data")
@pytest.mark.parametrize("upper", [np.inf, 0.7])
def test_a_sparse_sweep_makes_every_coordinate_the_best(upper):
    """One coordinate after the other becomes what trying every ratio finds, zeros included."""
    X, start = sparse_data(share=0.9)
    W, H = start["W"].copy(), start["H"]
    Ht = np.ascontiguousarray(H.T)
    W = np.minimum(W, upper)
    for _ in range(3):
        expected = W.copy()
        for i, k in np.ndindex(W.shape):
            others = expected[i].copy()
            others[k] = 0
            z = X[i] - others @ H
            expected[i, k] = min(max(weighted_median_coefficient(z, H[k]), 0), upper)
        rri.improve_sparse(sp.csr_matrix(X), W, Ht, upper=upper)
        losses_of = [np.abs(X - F @ H).sum(axis=1) for F in (W, expected)]
        np.testing.assert_allclose(*losses_of, rtol=1e-9)
    assert (W == 0).any()
    assert (W > 0).any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("median", ["select", "sort"])
@pytest.mark.parametrize("key", KEYS)
def test_sparse_sweeps_are_those_of_dense_data(key, median, dtype):
    """From one start, factors after some iterations equal the dense data's, to rounding."""
    X, start = sparse_data(share=0.8)
    X[3], X[:, 5] = 0, 0
    X += 0.01 * np.random.default_rng(1).random(X.shape) * (X > 0)  # no ties
    X, start = X.astype(dtype), {name: value.astype(dtype) for name, value in start.items()}
    fits = []
    for form in (np.asarray, sp.csr_matrix):
        model = solver(key, median=median, max_iter=4, tol=0)
        fits.append((model.fit_transform(form(X), **start), model.components_, model.objective_))
    tol = 1e-9 if dtype == np.float64 else 2e-3
    for found, wanted in zip(*fits, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=tol, atol=tol)
    assert fits[0][0].any()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("params", [{}, {"inner_sweeps": None}, {"revive": True}])
def test_the_objective_of_sparse_data_never_rises(key, params):
    """It falls at every iteration and is that of the factors, also where components die."""
    X, start = sparse_data(share=0.8)
    start["W"][:, 2] = 0
    X = sp.csr_matrix(X)
    model = solver(key, tol=0, max_iter=15, **params)
    W = model.fit_transform(X, **start)
    objectives = model.trace_["objective"]
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()
    exact = np.abs(X.toarray() - W @ model.components_).sum()
    assert model.objective_ == pytest.approx(exact, rel=1e-12)
    if "revive" in params:
        assert model.n_dead_components_ == 0


@pytest.mark.parametrize("key", KEYS)
def test_weights_of_sparse_data_are_optimal(key):
    """``represent`` ends at a coordinate-wise optimum, ``transform`` at the one of dense data."""
    X, start = sparse_data(share=0.9)
    model = solver(key).fit(sp.csr_matrix(X), **start)
    W, H = model.represent(sp.csr_matrix(X), start["H"], start["W"]), start["H"]
    upper = getattr(model, "upper", np.inf)
    for i, k in np.ndindex(W.shape):
        others = W[i].copy()
        others[k] = 0
        z = X[i] - others @ H
        best = min(max(weighted_median_coefficient(z, H[k]), 0), upper)
        reached = np.abs(X[i] - W[i] @ H).sum()
        assert reached <= np.abs(z - best * H[k]).sum() * (1 + 1e-9) + 1e-9
    values = [np.abs(X - model.transform(form(X)) @ model.components_).sum() for form in FORMS]
    assert values[0] == pytest.approx(values[1], rel=1e-9)
    assert model.certificate(sp.csr_matrix(X))["gap"] < 1e-9


FORMS = (np.asarray, sp.csr_matrix)


@pytest.mark.filterwarnings("ignore:all components are zero")
def test_sparse_data_stay_sparse():
    """A fit of a matrix that would not fit into memory needs what its entries need."""
    rng = np.random.default_rng(0)
    places = rng.integers(20_000, size=60_000), rng.integers(30_000, size=60_000)
    X = sp.csr_matrix((rng.random(60_000), places), shape=(20_000, 30_000))
    model = solver(r=3, max_iter=1)
    start = {"W": rng.random((20_000, 3)), "H": rng.random((3, 30_000))}
    model.fit(X[:500, :400], W=start["W"][:500], H=start["H"][:, :400])
    tracemalloc.start()
    model.fit(X, **start)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6
