"""ANP: its objective, the split of a matrix of mixed signs, its descent, and its scale."""

import tracemalloc

import numpy as np
import pytest

from nmfbench.optim.projections import project_frobenius
from nmfbench.solvers.frobenius.mu import MU
from nmfbench.solvers.graph.anp import ANP

N, M, R = 20, 12, 3


def problem(seed=0, n=N, m=M, r=R):
    """Samples of unit norm, and factors to start from."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, r)) @ rng.random((r, m)) + 0.1 * rng.random((n, m))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, rng.uniform(0.05, 0.9, (n, r)), rng.uniform(0.05, 0.5, (m, r))


def degenerate(seed=0):
    """Data with zero samples, duplicates and mostly zeros."""
    rng = np.random.default_rng(seed)
    X = rng.random((N, M)) * (rng.random((N, M)) < 0.2)
    X[3] = X[4]
    X[7] = 0
    return X


def given(X, W, Ht, **params):
    """A fit of data as they are, from given factors: the model and its representation."""
    model = ANP(**{"n_components": W.shape[1], "scale": "none", "tol": 0.0} | params)
    return model, model.fit_transform(X, W=W, H=Ht.T)


def variance(V, lam2):
    """Objective of an A-optimal design."""
    return np.trace(np.linalg.inv(V.T @ V + lam2 * np.eye(V.shape[1])))


def rises(model):
    """Largest rise of the objective in a sweep, relative to the objective."""
    trace = model.trace_["objective"]
    return (np.diff(trace) / np.abs(trace[:-1])).max()


# -- the problem -------------------------------------------------------------------------------


@pytest.mark.parametrize("normalize", [True, False])
def test_the_objective_is_that_of_the_factors_returned(normalize):
    """Squared error plus lam1 lam2 times the trace of the inverse; units as configured."""
    X, W, Ht = problem()
    model, V = given(X, W, Ht, lam1=0.7, lam2=0.3, max_iter=12, normalize=normalize)
    error = np.linalg.norm(X - V @ model.components_) ** 2
    assert model.objective_ == pytest.approx(error + 0.7 * 0.3 * variance(V, 0.3))
    norms = np.linalg.norm(model.components_, axis=1)
    assert np.allclose(norms, 1) == normalize


def test_the_two_forms_of_the_variance_are_equal():
    """The regression that predicts the identity attains the trace, and no other does better; the
    solve with an n x n matrix gives the same Z."""
    V, rng = problem()[1], np.random.default_rng(0)
    for lam2 in (0.1, 1.0, 10.0):
        Z = V @ np.linalg.inv(V.T @ V + lam2 * np.eye(R))
        np.testing.assert_allclose(Z, np.linalg.solve(V @ V.T + lam2 * np.eye(N), V))

        def regression(Z, lam2=lam2):
            return np.sum((np.eye(R) - V.T @ Z) ** 2) + lam2 * np.sum(Z**2)

        assert regression(Z) == pytest.approx(lam2 * variance(V, lam2))
        for size in (1e-4, 1e-2, 1.0):
            assert regression(Z + size * rng.standard_normal(Z.shape)) > regression(Z)


def literal_sweeps(X, U, V, lam1, lam2, normalize, sweeps):
    """The sweeps written out, samples in columns, M as an n x n matrix."""
    for _ in range(sweeps):
        U = U * (X @ V) / (U @ V.T @ V)
        if normalize:
            norms = np.linalg.norm(U, axis=0)
            U, V = U / norms, V * norms
        Z = np.linalg.solve(V @ V.T + lam2 * np.eye(len(V)), V)
        M = Z @ Z.T
        numerator = X.T @ U + lam1 * Z.clip(0) + lam1 * (-M).clip(0) @ V
        V = V * numerator / (V @ U.T @ U + lam1 * (-Z).clip(0) + lam1 * M.clip(0) @ V)
    return U, V


@pytest.mark.against("anp", "its formulas, written out")
@pytest.mark.parametrize("normalize", [True, False])
def test_the_iterates_are_those_of_the_formulas(normalize):
    """With "paper" and the entries of M, sweeps are the formulas of the slides, written out."""
    X, W, Ht = problem()
    U, V = literal_sweeps(X.T, Ht, W, 2.0, 0.5, normalize, 7)
    params = {"lam1": 2.0, "lam2": 0.5, "normalize": normalize, "max_iter": 7}
    model, fitted = given(X, W, Ht, v_update="paper", split="entries", **params)
    np.testing.assert_allclose(fitted, V, rtol=1e-9)
    np.testing.assert_allclose(model.components_, U.T, rtol=1e-9)


@pytest.mark.parametrize("v_update", ["safe", "paper", "balanced"])
def test_without_a_weight_it_is_plain_nmf(v_update):
    """lam1 = 0: the multiplicative updates of Lee & Seung, the components first."""
    X, W, Ht = problem()
    mu = MU(n_components=R, max_iter=20, tol=0)
    U = mu.fit_transform(X.T, W=Ht, H=W.T)
    for normalize in (True, False):
        params = {"v_update": v_update, "normalize": normalize, "max_iter": 20}
        model, V = given(X, W, Ht, lam1=0.0, **params)
        np.testing.assert_allclose(V @ model.components_, (U @ mu.components_).T, rtol=1e-9)
        np.testing.assert_allclose(model.trace_["objective"], mu.trace_["objective"], rtol=1e-9)


# -- the split ---------------------------------------------------------------------------------


def parts(V, split, lam2=0.1, dtype=np.float64):
    Z = (V @ np.linalg.inv(V.T @ V + lam2 * np.eye(V.shape[1]))).astype(dtype)
    return Z, *ANP(split=split)._products_of_parts(Z, V.astype(dtype))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [20, 700])  # one block of rows, and several
def test_both_splits_are_non_negative_and_differ_by_the_whole(n, dtype):
    """Plus minus minus is ZZ'V. The parts of the entries are the smallest there are."""
    V = problem(n=n)[1]
    Z, plus, minus = parts(V, "entries", dtype=dtype)
    M, tolerance = Z.astype(float) @ Z.T, 1e-12 if dtype == np.float64 else 1e-4
    np.testing.assert_allclose(plus, M.clip(0) @ V, rtol=tolerance)
    np.testing.assert_allclose(minus, (-M).clip(0) @ V, rtol=tolerance)
    _, larger, other = parts(V, "factors", dtype=dtype)
    np.testing.assert_allclose(larger - other, plus - minus, atol=tolerance * larger.max())
    assert (other >= minus * (1 - tolerance)).all()
    assert other.sum() > 1.01 * minus.sum()
    assert plus.dtype == larger.dtype == dtype


def test_the_matrix_has_mixed_signs():
    """So ZZ'V, the denominator of the slides, is negative in places."""
    rng = np.random.default_rng(0)
    V = rng.random((N, R)) * (rng.random((N, R)) < 0.5)
    Z, plus, minus = parts(V, "entries")
    assert (Z @ Z.T).min() < 0
    assert minus.max() > 0
    V[:, 0] = V[:, 1] + 1e-3 * V[:, 2]
    V[0] = [0.0, 1.0, 0.0]
    _, plus, minus = parts(V, "entries", lam2=1e-3)
    assert (plus - minus).min() < 0


def test_many_samples_are_not_multiplied_with_each_other():
    """Beyond 3000 samples the factors of M are split, and no n x n array is made either way."""
    X, W, Ht = problem(n=3001, m=15)
    fits = {}
    for split in ("auto", "factors", "entries"):
        given(X[:50], W[:50], Ht, split=split, max_iter=1)
        tracemalloc.start()
        fits[split] = given(X, W, Ht, split=split, max_iter=1)[1]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.3 * 8 * 3001**2
    np.testing.assert_array_equal(fits["auto"], fits["factors"])
    few = {
        split: given(X[:3000], W[:3000], Ht, split=split, lam1=1.0, max_iter=1)[1] for split in fits
    }
    np.testing.assert_array_equal(few["auto"], few["entries"])
    assert np.abs(few["auto"] - few["factors"]).max() > 1e-9


# -- descent -----------------------------------------------------------------------------------


@pytest.mark.parametrize("split", ["entries", "factors"])
@pytest.mark.parametrize("v_update", ["safe", "balanced", "root"])
def test_without_rescaling_the_objective_never_rises(v_update, split):
    """Whatever the weights, on noisy, sparse and degenerate data."""
    for lam1, lam2 in ((0.01, 1.0), (1.0, 0.1), (1e3, 1.0), (1e4, 1e-3)):
        params = {"lam1": lam1, "lam2": lam2, "v_update": v_update, "split": split}
        for seed in range(2):
            for X in (problem(seed)[0], degenerate(seed)):
                model = ANP(n_components=R, normalize=False, random_state=seed, tol=0, **params)
                assert rises(model.set_params(max_iter=120).fit(X)) <= 1e-9


def test_safe_is_the_plain_step_wherever_that_descends():
    """Bit for bit, as long as "paper" never rises."""
    X, W, Ht = problem()
    for lam1 in (0.01, 10.0):
        fits = [
            given(X, W, Ht, v_update=rule, lam1=lam1, normalize=False, max_iter=50)
            for rule in ("paper", "safe")
        ]
        assert rises(fits[0][0]) <= 0
        np.testing.assert_array_equal(fits[0][1], fits[1][1])


def test_safe_takes_the_balanced_step_where_the_plain_one_would_rise(monkeypatch):
    """A plain step made to overshoot is refused for the balanced one."""
    import nmfbench.solvers.graph.anp as module

    X, W, Ht = problem()
    expected = given(X, W, Ht, v_update="balanced", lam1=5.0, normalize=False, max_iter=1)[1]
    true, calls = module.power_ratio, []

    def overshoot(out, factor, numerator, denominator, power):
        calls.append(power)
        true(out, factor, numerator, denominator, 9.0 if len(calls) == 1 else power)

    monkeypatch.setattr(module, "power_ratio", overshoot)
    found = given(X, W, Ht, v_update="safe", lam1=5.0, normalize=False, max_iter=1)[1]
    assert len(calls) == 2
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_single_precision_descends_too():
    """Up to the rounding of single precision, to nearly the same objective."""
    X, W, Ht = problem()
    params = {"lam1": 1.0, "normalize": False, "max_iter": 60}
    double = given(X, W, Ht, **params)[0]
    model, V = given(X.astype(np.float32), W, Ht, **params)
    assert V.dtype == model.components_.dtype == np.float32
    assert rises(model) <= 1e-6
    assert model.objective_ == pytest.approx(double.objective_, rel=1e-4)


@pytest.mark.against("anp", "the conditions of an optimum")
def test_limits_over_the_representation_are_stationary():
    """With the components as they are, sweeps over W end where the numerical gradient vanishes
    or pushes against the bound."""
    X, W, Ht = problem(n=9, m=6, r=2)
    lam1, lam2 = 2.0, 0.5
    model = ANP(n_components=2, lam1=lam1, lam2=lam2, scale="none")
    s = model._start(X, 2, np.random.default_rng(0), (W.copy(), Ht.copy()))
    for _ in range(8000):
        model._improve_representation(s, X @ Ht, Ht.T @ Ht)

    def objective(z):
        V = z.reshape(9, 2)
        return np.linalg.norm(X - V @ Ht.T) ** 2 + lam1 * lam2 * variance(V, lam2)

    z, steps = s.W.ravel(), 1e-6 * np.eye(18)
    gradient = np.array([objective(z + h) - objective(z - h) for h in steps]) / 2e-6
    assert np.abs(gradient[z > 1e-3]).max() < 1e-5
    assert gradient.min() > -1e-5
    plain = project_frobenius(X, Ht.T)
    assert np.abs(plain - s.W).max() > 1e-2


# -- scale -------------------------------------------------------------------------------------


def test_a_larger_weight_gives_a_smaller_variance():
    """At unit components the penalty does what it is there for."""
    X, W, Ht = problem()
    found = [
        variance(given(X, W, Ht, lam1=lam1, max_iter=200)[1], 1.0) for lam1 in (0.0, 0.1, 10.0)
    ]
    assert found[0] > found[1] > found[2]


def test_without_a_fixed_scale_the_variance_goes_to_nothing():
    """Scale moves into W, at no cost to the fit, and the penalty fades."""
    X, W, Ht = problem()
    penalties = []
    for normalize in (True, False):
        params = {"lam1": 10.0, "normalize": normalize, "max_iter": 1000}
        V = given(X, W, Ht, **params)[1]
        penalties.append(10.0 * variance(V, 1.0))
    assert penalties[1] < 0.1 * penalties[0]


def test_transform_is_least_squares_of_the_scaled_samples():
    """New samples have no part in the variance."""
    X = problem()[0]
    model = ANP(n_components=R, random_state=0, max_iter=20).fit(3 * X)
    expected = project_frobenius(X[:5], model.components_)
    np.testing.assert_allclose(model.transform(7 * X[:5]), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"lam1": -1.0}, "lam1"),
        ({"lam1": np.nan}, "lam1"),
        ({"lam2": 0.0}, "lam2"),
        ({"lam2": np.inf}, "lam2"),
        ({"v_update": "fast"}, "v_update"),
        ({"split": "rows"}, "split"),
    ],
)
def test_bad_parameters_are_refused(params, match):
    """A weight or an option that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=match):
        ANP(n_components=R, **params).fit(problem()[0])
