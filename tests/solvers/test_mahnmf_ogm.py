"""Smoothing: the smoothed loss, the optimal gradient method, and MahNMF by them."""

import tracemalloc

import numpy as np
import pytest
from oracles_l1 import lad_optima
from scipy.optimize import minimize

from nmfbench import make_solver
from nmfbench.optim import losses
from nmfbench.optim.projections.manhattan import project_manhattan
from nmfbench.solvers.manhattan.smoothing import Box, SmoothedLoss, optimal_gradient

SMOOTHED = (
    "mahnmf-bc-ogm",
    "mahnmf-en",
    "mahnmf-gs",
    "mahnmf-hybrid",
    "mahnmf-m-ogm",
    "mahnmf-ogm",
)


def problem(varies="W", n=12, m=20, r=4, seed=0, dtype=np.float64):
    """Data, the factor that varies and the fixed one, with a zero row in the latter."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, m))
    factor, other = rng.random((n, r)), rng.random((m, r))
    if varies == "H":
        factor, other = rng.random((m, r)), rng.random((n, r))
    other[3] = 0
    return X.astype(dtype), factor.astype(dtype), other.astype(dtype)


def smoothed(X, other, mu, varies, **options):
    return SmoothedLoss(X, other, mu, np.empty_like(X), varies=varies, **options)


def value_and_gradient(loss, factor):
    g = np.empty_like(factor)
    return loss.gradient(factor, g), g


def plainly(X, factor, other, mu, varies, ridge=0.0):
    """The smoothed loss by its definition, as a Huber function."""
    E = factor @ other.T - X if varies == "W" else other @ factor.T - X
    kappa = mu * np.linalg.norm(other, axis=1)
    kappa = kappa[None, :] if varies == "W" else kappa[:, None]
    e = np.abs(E)
    inside = e**2 / (2 * np.maximum(kappa, 1e-300))
    return np.where(e <= kappa, inside, e - kappa / 2).sum() + ridge / 2 * (E**2).sum()


def minimum(loss, start, upper=None):
    """The minimum over the orthant or a box, by a quasi-Newton method of scipy."""

    def evaluate(x):
        value, g = value_and_gradient(loss, x.reshape(start.shape))
        return value, g.ravel()

    done = minimize(
        evaluate,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, upper)] * start.size,
        options={"maxiter": 20000, "maxfun": 50000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 50},
    )
    return done.fun, done.x.reshape(start.shape)


@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("varies", ["W", "H"])
def test_gradient_agrees_with_finite_differences(varies, ridge):
    """The value is that of the Huber function, and the gradient its derivative."""
    X, factor, other = problem(varies)
    loss = smoothed(X, other, 0.05, varies, ridge=ridge)
    value, g = value_and_gradient(loss, factor)
    assert value == pytest.approx(plainly(X, factor, other, 0.05, varies, ridge), rel=1e-12)
    step = 1e-6
    for index in np.ndindex(factor.shape):
        moved = [factor.copy(), factor.copy()]
        moved[0][index] += step
        moved[1][index] -= step
        up, down = (plainly(X, f, other, 0.05, varies, ridge) for f in moved)
        assert g[index] == pytest.approx((up - down) / (2 * step), abs=1e-5)


@pytest.mark.parametrize("varies", ["W", "H"])
def test_single_precision_follows_double(varies):
    """The float32 kernels compute the same numbers, to their digits."""
    X, factor, other = problem(varies)
    exact, g = value_and_gradient(smoothed(X, other, 0.05, varies), factor)
    small = [a.astype(np.float32) for a in (X, factor, other)]
    value, g32 = value_and_gradient(smoothed(small[0], small[2], 0.05, varies), small[1])
    assert g32.dtype == np.float32
    assert value == pytest.approx(exact, rel=1e-5)
    np.testing.assert_allclose(g32, g, atol=1e-4)


@pytest.mark.parametrize("mu", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("varies", ["W", "H"])
def test_smoothing_error_is_between_its_bounds(varies, mu):
    """F_mu <= F <= F_mu + mu n D / 2 (Theorem 1)."""
    X, factor, other = problem(varies)
    loss = smoothed(X, other, mu, varies)
    value, _ = value_and_gradient(loss, factor)
    exact = np.abs((factor @ other.T if varies == "W" else other @ factor.T) - X).sum()
    assert loss.exact(factor) == pytest.approx(exact, rel=1e-12)
    d = np.linalg.norm(other, axis=1)
    assert loss.smoothing_error == pytest.approx(mu / 2 * d.sum() * len(factor), rel=1e-9)
    assert value <= exact * (1 + 1e-12)
    assert exact <= (value + loss.smoothing_error) * (1 + 1e-12)


def test_both_bounds_are_attained():
    """No residual leaves no error; residuals all beyond their thresholds leave all of it."""
    rng = np.random.default_rng(0)
    W, Ht = rng.random((5, 3)) + 0.1, rng.random((6, 3)) + 0.1
    fitted = W @ Ht.T
    for X, share in ((fitted, 0.0), (fitted + 5, 1.0)):
        loss = smoothed(X, Ht, 0.1, "W")
        value, _ = value_and_gradient(loss, W)
        assert loss.exact(W) - value == pytest.approx(share * loss.smoothing_error, abs=1e-10)


@pytest.mark.parametrize("lipschitz", ["trace", "spectral"])
@pytest.mark.parametrize("varies", ["W", "H"])
def test_gradient_never_changes_faster_than_the_constant_says(varies, lipschitz):
    """|g(x) - g(y)| <= L |x - y|, near and far, with and without a ridge."""
    X, factor, other = problem(varies)
    rng = np.random.default_rng(1)
    for ridge in (0.0, 0.5):
        for mu in (0.01, 1.0):
            loss = smoothed(X, other, mu, varies, lipschitz=lipschitz, ridge=ridge)
            _, g = value_and_gradient(loss, factor)
            for size in (1e-3, 1e-1, 10.0):
                moved = factor + size * rng.standard_normal(factor.shape)
                _, h = value_and_gradient(loss, moved)
                change = np.linalg.norm(h - g) / np.linalg.norm(moved - factor)
                assert change <= loss.lipschitz * (1 + 1e-9)


def test_spectral_constant_is_attained_and_the_trace_bounds_it():
    """Where no threshold is passed the loss is quadratic, and its curvature is the norm."""
    X, factor, other = problem("W")
    mu = 1e3
    tight = smoothed(X, other, mu, "W", lipschitz="spectral")
    trace = smoothed(X, other, mu, "W", lipschitz="trace")
    assert tight.lipschitz < trace.lipschitz
    d = np.maximum(np.linalg.norm(other, axis=1), 1e-30)
    _, vectors = np.linalg.eigh(other.T @ (other / d[:, None]))
    _, g = value_and_gradient(tight, factor)
    moved = factor + vectors[:, -1]
    _, h = value_and_gradient(tight, moved)
    change = np.linalg.norm(h - g) / np.linalg.norm(moved - factor)
    assert change == pytest.approx(tight.lipschitz, rel=1e-9)


@pytest.mark.against(SMOOTHED, "scipy.optimize.minimize", part="SmoothedLoss")
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("upper", [np.inf, 0.3])
@pytest.mark.parametrize("varies", ["W", "H"])
def test_the_method_finds_the_minimum_at_the_promised_rate(varies, upper, restart):
    """F(Y_N) - min F <= 4 L D / ((N+1)(N+2)); a restart may only help in the end."""
    X, factor, other = problem(varies)
    loss = smoothed(X, other, 0.05, varies)
    start = np.minimum(factor, upper)
    best, solution = minimum(loss, start, None if np.isinf(upper) else upper)
    distance = 0.5 * np.sum((solution - start) ** 2)
    for n_iter in (1, 3, 10, 30, 100, 1000):
        done = optimal_gradient(
            loss, start, prox=Box(upper), tol=0, max_iter=n_iter, restart=restart
        )
        value, _ = value_and_gradient(loss, done.factor)
        N = done.n_iter - 1
        assert value - best >= -1e-9 * best
        if not restart:
            assert value - best <= 4 * loss.lipschitz * distance / ((N + 1) * (N + 2))
    assert value - best <= (1e-6 if restart else 1e-4) * best


@pytest.mark.parametrize("upper", [np.inf, 0.3])
def test_any_prox_gives_the_steps_of_the_fused_kernel(upper):
    """The method for a general proximal operator takes the steps of that for a box."""
    X, factor, other = problem()
    loss = smoothed(X, other, 0.05, "W")
    start = np.minimum(factor, upper)

    def plain(factor, step):
        np.clip(factor, 0, upper, out=factor)

    for options in ({}, {"restart": True}, {"monotone": True}, {"stop": "objective"}):
        one = optimal_gradient(loss, start, prox=Box(upper), max_iter=60, **options)
        other_one = optimal_gradient(loss, start, prox=plain, max_iter=60, **options)
        assert one.n_iter == other_one.n_iter
        np.testing.assert_allclose(one.factor, other_one.factor, atol=1e-9)


def test_the_weights_of_a_penalty_grow_with_the_gradients():
    """The averaged step gets the sum (k+1)(k+2)/4 of all weights, the other one 1."""
    X, factor, other = problem()
    loss = smoothed(X, other, 0.05, "W")
    steps = []

    def prox(factor, step):
        steps.append(step * loss.lipschitz)
        np.maximum(factor, 0, out=factor)

    optimal_gradient(loss, factor, prox=prox, tol=0, max_iter=5)
    np.testing.assert_allclose(steps[0::2], np.ones(5))
    np.testing.assert_allclose(steps[1::2], np.cumsum([(i + 1) / 2 for i in range(5)]))


@pytest.mark.against(SMOOTHED, "scipy.optimize.minimize", part="SmoothedLoss")
def test_a_penalised_problem_reaches_its_minimum():
    """With the prox of a linear penalty the answer is that of a constrained quasi-Newton method."""
    X, start, other = problem()
    loss, weight = smoothed(X, other, 0.1, "W"), 0.8

    class Linear:
        def __call__(self, factor, step):
            np.maximum(factor - step * weight, 0, out=factor)

        def value(self, factor):
            return weight * float(factor.sum())

    class Both:
        def gradient(self, factor, out):
            value = loss.gradient(factor, out)
            out += weight
            return value + weight * factor.sum()

    best, _ = minimum(Both(), start)
    for monotone in (False, True):
        done = optimal_gradient(loss, start, prox=Linear(), tol=0, max_iter=1500, monotone=monotone)
        value, _ = value_and_gradient(loss, done.factor)
        assert value + Linear().value(done.factor) == pytest.approx(best, rel=1e-5)


def test_the_monotone_choice_never_raises_the_smoothed_objective():
    """With it the objective falls at every step; without it, on the same problem, it does not."""
    X, factor, other = problem()
    loss = smoothed(X, other, 0.05, "W", lipschitz="spectral")

    def run(monotone):
        found = [
            optimal_gradient(loss, factor, tol=0, max_iter=n, monotone=monotone).factor
            for n in range(1, 150)
        ]
        return np.diff([value_and_gradient(loss, Y)[0] for Y in found])

    assert run(True).max() <= 1e-12
    assert run(False).max() > 0


@pytest.mark.against(SMOOTHED, "scipy.optimize.minimize", part="SmoothedLoss")
@pytest.mark.parametrize("stop", ["gradient", "objective"])
def test_a_smaller_tolerance_ends_nearer_to_the_minimum(stop):
    """Both stop rules end early, later with a smaller tolerance, and never before min_iter."""
    X, factor, other = problem()
    loss = smoothed(X, other, 0.05, "W")
    best, _ = minimum(loss, factor)
    counts, excess = [], []
    for tol in (1e-1, 1e-3, 1e-5):
        done = optimal_gradient(loss, factor, tol=tol, max_iter=5000, stop=stop, min_iter=3)
        counts.append(done.n_iter)
        excess.append(value_and_gradient(loss, done.factor)[0] - best)
    assert counts[0] < counts[1] < counts[2] < 5000
    assert excess[2] < excess[0]
    assert excess[2] <= 1e-3 * best
    least = optimal_gradient(loss, factor, tol=1e9, max_iter=50, stop=stop, min_iter=7)
    assert least.n_iter == 7


@pytest.mark.against(SMOOTHED, "scipy.optimize.linprog", part="SmoothedLoss")
def test_little_smoothing_comes_near_the_linear_programme():
    """At mu = 1e-3 the exact objective is within mu n D / 2 of the optimum that HiGHS finds."""
    X, factor, other = problem("W", n=6)
    loss = smoothed(X, other, 1e-3, "W", lipschitz="spectral")
    done = optimal_gradient(loss, factor, tol=1e-7, max_iter=20000, restart=True)
    optimum = lad_optima(X, other.T).sum()
    assert optimum <= loss.exact(done.factor) * (1 + 1e-12)
    assert loss.exact(done.factor) <= optimum + loss.smoothing_error


def test_theorem_2_is_false():
    """From the exact minimiser, a sub-problem smoothed with mu = 0.5 raises the objective."""
    X, _, other = problem()
    exact = project_manhattan(X, other.T)
    loss = smoothed(X, other, 0.5, "W")
    after = optimal_gradient(loss, exact).factor
    assert loss.exact(after) > 1.01 * loss.exact(exact)


def data(dtype=np.float64):
    rng = np.random.default_rng(3)
    X = rng.random((40, 4)) @ rng.random((4, 30)) + 0.1 * rng.random((40, 30))
    return X.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_safeguard_makes_the_objective_fall(seed, dtype):
    """The objective may rise without the safeguard, and with it never does."""
    X = data(dtype)
    good = make_solver("mahnmf-ogm", n_components=4, random_state=seed)
    start = {"W": good.fit_transform(X), "H": good.components_}
    options = {"n_components": 4, "tol": 0, "max_iter": 40}
    free = make_solver("mahnmf-ogm", **options).fit(X, **start).trace_["objective"]
    guarded = make_solver("mahnmf-ogm", safeguard=True, **options).fit(X, **start)
    assert np.diff(free).max() > 0.01 * free[0]
    objective = guarded.trace_["objective"]
    assert np.all(np.diff(objective) <= 1e-6 * objective[:-1])
    assert objective[-1] < 0.999 * objective[0]


@pytest.mark.parametrize(
    "options",
    [
        {"lipschitz": "spectral"},
        {"restart": True},
        {"monotone": True},
        {"stop": "objective", "inner_tol": 1e-4},
        {"decay": 0.5},
        {"safeguard": True},
    ],
)
def test_every_option_fits_as_well_as_the_defaults(options):
    """No option spoils the result; each ends within a tenth of the plain method."""
    shared = {"n_components": 4, "max_iter": 60, "tol": 1e-4, "random_state": 0}
    plain = make_solver("mahnmf-ogm", **shared).fit(data())
    model = make_solver("mahnmf-ogm", **shared, **options).fit(data())
    assert model.objective_ <= 1.1 * plain.objective_


def test_the_best_factors_are_kept():
    """The result is as good as the best record of the trace, not as its last."""
    model = make_solver("mahnmf-ogm", n_components=4, random_state=0, tol=0, max_iter=5, mu0=20.0)
    W = model.fit_transform(data())
    objective = model.trace_["objective"]
    Ht = np.ascontiguousarray(model.components_.T)
    assert losses.manhattan(data(), W, Ht) == pytest.approx(objective.min(), rel=1e-9)


def test_nothing_of_the_size_of_the_data_is_made_in_an_iteration():
    """A fit takes one array of the size of X, however long it runs."""
    X = np.random.default_rng(0).random((600, 500))
    model = make_solver("mahnmf-ogm", n_components=3, random_state=0, max_iter=2, tol=0)
    model.fit(X)  # compiles
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * X.nbytes

    loss = smoothed(X, np.ones((500, 3)), 0.1, "W")
    start = np.ones((600, 3))
    for options in ({}, {"restart": True}, {"monotone": True}, {"stop": "objective"}):
        tracemalloc.start()
        optimal_gradient(loss, start, **options)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < X.nbytes / 4


@pytest.mark.parametrize(
    ("option", "bad"),
    [
        ("mu0", 0.0),
        ("decay", -1.0),
        ("lipschitz", "exact"),
        ("stop", "gap"),
        ("inner_max_iter", 0),
        ("inner_tol", 0.0),
    ],
)
def test_bad_parameters_are_refused(option, bad):
    """A parameter that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=option):
        make_solver("mahnmf-ogm", **{option: bad}).fit(data())
