"""MahNMF in a box by smoothing: the duality gap, the box, and what is refused."""

import numpy as np
import pytest
from oracles_l1 import box_optima

from nmfbench import make_solver
from nmfbench.optim.kernels.smoothing import optimal_step
from nmfbench.solvers.manhattan.smoothing import Box, DualityGap, SmoothedLoss, optimal_gradient


def problem(varies="W", n=8, m=15, r=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, m))
    factor, other = rng.random((n, r)), rng.random((m, r))
    if varies == "H":
        factor, other = rng.random((m, r)), rng.random((n, r))
    return X, factor, other


def optimum(X, other, varies, upper):
    """The exact minimum over the box."""
    return box_optima(X if varies == "W" else X.T, other.T, upper).sum()


@pytest.mark.against("mahnmf-bc-ogm", "scipy.optimize.linprog", part="SmoothedLoss")
@pytest.mark.parametrize("upper", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("varies", ["W", "H"])
def test_the_gap_encloses_the_linear_programme(varies, upper):
    """phi <= LP <= F, and F - phi is at most the right-hand side of Eq. (25)."""
    X, factor, other = problem(varies)
    start = np.minimum(factor, upper)
    exact = optimum(X, other, varies, upper)
    D = np.linalg.norm(other, axis=1).sum()
    farthest = 0.5 * np.sum(np.maximum(start, upper - start) ** 2)
    for mu in (0.3, 0.03, 0.003):
        loss = SmoothedLoss(X, other, mu, np.empty_like(X), varies=varies)
        for n_iter in (10, 100, 1000):
            gap = DualityGap(loss, upper, 0.0)
            optimal_gradient(loss, start, prox=Box(upper), stop=gap, max_iter=n_iter)
            assert gap.dual_bound <= exact * (1 + 1e-9)
            assert exact <= gap.primal * (1 + 1e-9)
            bound = loss.smoothing_error + 4 * D * farthest / (mu * n_iter**2)
            assert gap.primal - gap.dual_bound <= bound * (1 + 1e-9)


@pytest.mark.parametrize("varies", ["W", "H"])
def test_the_bound_is_that_of_the_averaged_dual_matrix(varies):
    """The bound made of inner products alone equals the one of the matrix itself."""
    X, factor, other = problem(varies)
    upper, mu, n_iter = 0.3, 0.05, 10
    loss = SmoothedLoss(X, other, mu, np.empty_like(X), varies=varies)
    gap = DualityGap(loss, upper, 0.0)
    start = np.minimum(factor, upper)
    optimal_gradient(loss, start, prox=Box(upper), stop=gap, max_iter=n_iter)

    average, weights = np.zeros_like(X), 0.0
    point, Y, g, total = start.copy(), *(np.zeros_like(start) for _ in range(3))
    kappa = mu * np.linalg.norm(other, axis=1)
    for k in range(n_iter):
        E = point @ other.T - X if varies == "W" else other @ point.T - X
        U = np.clip(E / (kappa if varies == "W" else kappa[:, None]), -1, 1)
        average += (k + 1) / 2 * U
        weights += (k + 1) / 2
        g = np.ascontiguousarray((U if varies == "W" else U.T) @ other)
        optimal_step(point, g, total, start, Y, 1 / loss.lipschitz, k, upper)
    average /= weights
    products = (average if varies == "W" else average.T) @ other
    phi = -np.sum(average * X) + upper * np.minimum(products, 0).sum()
    assert gap.dual_bound == pytest.approx(phi, rel=1e-9)
    E = Y @ other.T - X if varies == "W" else other @ Y.T - X
    assert gap.primal == pytest.approx(np.abs(E).sum(), rel=1e-9)


@pytest.mark.against("mahnmf-bc-ogm", "scipy.optimize.linprog", part="SmoothedLoss")
def test_a_sub_problem_ends_when_the_gap_is_small_enough():
    """The promise holds at the end, a smaller one takes longer, and it is looked at every ten."""
    X, factor, other = problem()
    exact = optimum(X, other, "W", 0.3)
    counts = []
    for tol in (0.3, 0.1, 0.03):
        loss = SmoothedLoss(X, other, 1e-3, np.empty_like(X), varies="W", lipschitz="spectral")
        gap = DualityGap(loss, 0.3, tol)
        done = optimal_gradient(
            loss, np.minimum(factor, 0.3), prox=Box(0.3), stop=gap, max_iter=20000
        )
        assert loss.exact(done.factor) <= exact / (1 - tol)
        counts.append(done.n_iter)
    assert counts[0] < counts[1] < counts[2] < 20000
    assert all(count % 10 == 0 for count in counts)


def data():
    rng = np.random.default_rng(1)
    return rng.random((30, 4)) @ rng.random((4, 20)) / 2


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("stop", ["gap", "gradient", "objective"])
def test_both_factors_stay_in_the_box(stop, dtype):
    """Entries are between 0 and upper, the bound is reached, and the fit improves."""
    X = data().astype(dtype)
    start = {"W": np.full((30, 4), 0.9, dtype), "H": np.full((4, 20), 0.1, dtype)}
    start["H"] += np.random.default_rng(0).random((4, 20)).astype(dtype)
    model = make_solver(
        "mahnmf-bc-ogm", n_components=4, upper=0.4, stop=stop, max_iter=30, random_state=0
    )
    W = model.fit_transform(X, **start)
    transformed = model.transform(X)
    for factor in (W, model.components_, transformed):
        assert factor.dtype == dtype
        assert factor.min() >= 0
        assert factor.max() <= np.float32(0.4) + 1e-7
    assert max(W.max(), model.components_.max()) == pytest.approx(0.4, rel=1e-6)
    clipped = {name: np.minimum(factor, 0.4) for name, factor in start.items()}
    first = np.abs(X - clipped["W"] @ clipped["H"]).sum()
    assert model.trace_["objective"][0] == pytest.approx(first, rel=1e-5)
    assert model.objective_ < 0.5 * first


@pytest.mark.against("mahnmf-bc-ogm", "scipy.optimize.linprog")
def test_the_certificate_is_of_the_box():
    """Primal and bound meet at the optimum of the linear programmes with bounds."""
    X = data()
    model = make_solver("mahnmf-bc-ogm", n_components=4, upper=0.5, random_state=0).fit(X)
    certificate = model.certificate(X)
    exact = box_optima(X, model.components_, 0.5).sum()
    assert certificate["primal"] == pytest.approx(exact, rel=1e-8)
    assert certificate["dual_bound"] == pytest.approx(exact, rel=1e-8)
    assert certificate["dual_bound"] <= exact * (1 + 1e-9)
    assert certificate["gap"] <= 1e-8
    primal = np.abs(X - model.transform(X) @ model.components_).sum()
    assert certificate["primal"] == pytest.approx(primal, rel=1e-9)


def test_an_unbounded_box_needs_another_stop_rule():
    """With upper = inf there is no gap to stop by; with another rule it is MahNMF."""
    options = {"n_components": 4, "upper": np.inf, "random_state": 0, "max_iter": 5}
    with pytest.raises(ValueError, match="stop='gradient'"):
        make_solver("mahnmf-bc-ogm", **options).fit(data())
    boxed = make_solver("mahnmf-bc-ogm", stop="gradient", **options).fit(data())
    del options["upper"]
    free = make_solver("mahnmf-ogm", **options).fit(data())
    np.testing.assert_array_equal(boxed.trace_["objective"], free.trace_["objective"])
    assert boxed.certificate(data())["gap"] <= 1e-8


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"upper": -1.0}, "upper"),
        ({"upper": 0.0}, "upper"),
        ({"upper": np.nan}, "upper"),
        ({"stop": "never"}, "stop"),
        ({"restart": True}, "restart"),
    ],
)
def test_bad_parameters_are_refused(options, match):
    """An empty box, an unknown rule, and a restart that would spoil the average are refused."""
    with pytest.raises(ValueError, match=match):
        make_solver("mahnmf-bc-ogm", **options).fit(data())


def test_the_basis_of_a_single_sub_problem_is_not_clipped():
    """The basis that is given keeps entries above the bound; the weights keep to it."""
    X, W, other = problem()
    solver = make_solver("mahnmf-bc-ogm", n_components=4, upper=0.5, mu0=1e-3, inner_tol=1e-4)
    reached = solver.represent(X, other.T, W)
    assert reached.max() <= 0.5
    best = optimum(X, other, "W", 0.5)
    assert np.abs(X - reached @ other.T).sum() <= 1.01 * best


@pytest.mark.parametrize("stop", ["gap", "objective"])
def test_a_rule_that_is_looked_at_less_often_ends_no_sooner(stop):
    """At a multiple of the steps between two looks, or at the first one after the fewest steps."""
    X, factor, other = problem()
    for every in (1, 4, 25):
        loss = SmoothedLoss(X, other, 0.05, np.empty_like(X), varies="W")
        rule = DualityGap(loss, 0.3, 0.05) if stop == "gap" else stop
        options = {"prox": Box(0.3), "tol": 1e-3, "stop": rule, "every": every}
        n_iter = optimal_gradient(loss, np.minimum(factor, 0.3), max_iter=5000, **options).n_iter
        assert n_iter < 5000
        assert n_iter % every == 0


def test_the_smoothed_loss_is_the_value_beside_its_gradient():
    """Looking at the objective takes no gradient."""
    X, factor, other = problem("H")
    loss = SmoothedLoss(X, other, 0.05, np.empty_like(X), varies="H", ridge=0.3)
    value = loss.gradient(factor, np.empty_like(factor))
    assert loss.value(factor) == value
