"""Group norms on the non-negative orthant: projections and proximal operators."""

import numpy as np
import pytest
from scipy.optimize import minimize

from nmfbench.optim.proximal import (
    GroupBall,
    GroupPenalty,
    group_norm,
    project_group_ball,
    project_simplex,
    prox_group_norm,
)

P = [2, np.inf]


def examples(seed=0):
    """Points of both signs, with ties, zero columns, one row and one column among them."""
    rng = np.random.default_rng(seed)
    ties = rng.integers(-2, 3, (5, 4)).astype(float)
    dead = rng.standard_normal((6, 3))
    dead[:, 1] = -np.abs(dead[:, 1])
    sparse = np.zeros((4, 3))
    sparse[1, 2] = 2.0
    return [
        rng.standard_normal((7, 4)),
        10 * rng.random((30, 5)),
        ties,
        dead,
        sparse,
        rng.standard_normal((1, 6)),
        rng.standard_normal((6, 1)),
        np.ones((3, 3)),
    ]


def feasible(rng, shape, radius, p):
    """A random non-negative point, of norm ``radius`` or less."""
    Y = rng.random(shape) * (rng.random(shape) < 0.6)
    size = group_norm(Y, p)
    return Y * (radius * rng.random() ** 0.2 / size) if size > 0 else Y


def generic(X, p, radius=None, step=0.0):
    """Projection or proximal operator by SLSQP: levels over the entries, or norms rounded at 0."""
    n, r = X.shape

    def norms(v):
        Y, levels = v[: n * r].reshape(n, r), v[n * r :]
        return levels if p == np.inf else np.sqrt((Y**2).sum(axis=0) + 1e-10)

    constraints = []
    if p == np.inf:
        below = np.hstack([-np.eye(n * r), np.tile(np.eye(r), (n, 1))])
        constraints.append({"type": "ineq", "fun": lambda v: below @ v, "jac": lambda v: below})
    if radius is not None:
        constraints.append({"type": "ineq", "fun": lambda v: radius - norms(v).sum()})
    found = minimize(
        lambda v: 0.5 * np.sum((v[: n * r] - X.ravel()) ** 2) + step * norms(v).sum(),
        np.concatenate([np.full(n * r, 0.1), np.full(r, 0.1)]),
        bounds=[(0, None)] * (n * r) + [(0, 1e3)] * r,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-11, "maxiter": 1000},
    )
    assert found.success, found.message
    return found.x[: n * r].reshape(n, r)


@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9, 1.0, 2.0])
def test_projections_obey_the_variational_inequality(p, share):
    """Seen from the projection, no point of the set lies in the direction of X."""
    rng = np.random.default_rng(1)
    for X in examples():
        radius = share * group_norm(np.maximum(X, 0), p)
        Y = project_group_ball(X.copy(), radius, p)
        assert Y.min() >= 0
        assert group_norm(Y, p) <= radius * (1 + 1e-14) + 1e-300
        for _ in range(50):
            other = feasible(rng, X.shape, radius, p)
            assert np.vdot(X - Y, other - Y) <= 1e-10 * (1 + np.sum(X**2))


@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("step", [0.0, 0.05, 1.0, 4.0, 1e3])
def test_proximal_operators_obey_the_variational_inequality(p, step):
    """``t (norm(V) - norm(Y)) >= <X - Y, V - Y>`` for every V >= 0, as for each proximal point."""
    rng = np.random.default_rng(2)
    for X in examples():
        Y = prox_group_norm(X.copy(), step, p)
        assert Y.min() >= 0
        norm = group_norm(Y, p)
        others = [feasible(rng, X.shape, 10 * rng.random(), p) for _ in range(50)]
        others += [Y * (1 + 0.01 * rng.standard_normal(X.shape)) for _ in range(50)]
        for other in others:
            rise = step * (group_norm(other, p) - norm)
            assert rise >= np.vdot(X - Y, other - Y) - 1e-10 * (1 + np.sum(X**2))


@pytest.mark.parametrize("p", P)
def test_both_agree_with_a_generic_solver(p):
    """SLSQP finds the same points, some columns of which vanish."""
    X = np.random.default_rng(3).standard_normal((3, 3)) + 0.3
    for radius in (0.5, 2.0):
        found = project_group_ball(X.copy(), radius, p)
        np.testing.assert_allclose(found, generic(X, p, radius=radius), atol=1e-4)
    for step in (0.1, 0.7):
        found = prox_group_norm(X.copy(), step, p)
        np.testing.assert_allclose(found, generic(X, p, step=step), atol=1e-4)


@pytest.mark.parametrize("p", P)
def test_a_ball_is_entered_at_its_surface_and_left_alone_inside(p):
    """Outside points are sent to the sphere, inside ones stay as they are, and s = 0 gives 0."""
    for X in map(np.abs, examples()):
        norm = group_norm(X, p)
        inside = project_group_ball(X.copy(), norm * (1 + 1e-12), p)
        np.testing.assert_array_equal(inside, X)
        Y = project_group_ball(X.copy(), norm / 3, p)
        assert group_norm(Y, p) == pytest.approx(norm / 3, rel=1e-12)
        np.testing.assert_allclose(project_group_ball(Y.copy(), norm / 3, p), Y, rtol=1e-12)
        assert not project_group_ball(X.copy(), 0.0, p).any()


@pytest.mark.parametrize("p", P)
def test_negative_entries_become_zero_and_not_positive(p):
    """The paper projects absolute values, which is farther from X, as for X = (-1, 0.5)."""
    X = np.array([[-1.0, 0.5]])
    Y = project_group_ball(X.copy(), 1.0, p)
    np.testing.assert_array_equal(Y, [[0.0, 0.5]])
    of_absolute_values = project_group_ball(np.abs(X), 1.0, p)
    assert of_absolute_values.min() >= 0
    assert group_norm(of_absolute_values, p) <= 1 + 1e-15
    assert np.linalg.norm(of_absolute_values - X) > 1.7 * np.linalg.norm(Y - X)


def test_columns_vanish_where_the_step_reaches_their_norm_or_their_sum():
    """The dual norm decides: the 2-norm for p = 2, the sum of the entries for p = infinity."""
    X = np.array([[3.0, 0.3], [4.0, 0.4]])
    np.testing.assert_allclose(prox_group_norm(X.copy(), 0.5, 2), [[2.7, 0.0], [3.6, 0.0]])
    np.testing.assert_allclose(prox_group_norm(X.copy(), 0.7, np.inf), [[3.0, 0.0], [3.3, 0.0]])
    np.testing.assert_allclose(prox_group_norm(X.copy(), 3.0, np.inf), [[2.0, 0.0], [2.0, 0.0]])
    for p in P:
        assert not prox_group_norm(X.copy(), np.inf, p).any()


def test_the_proximal_operator_of_maxima_obeys_moreau():
    """The part cut off is the projection on the vectors with sum at most t."""
    X = np.random.default_rng(4).standard_normal((9, 5))
    for step in (0.3, 2.0):
        cut = np.maximum(X, 0) - prox_group_norm(X.copy(), step, np.inf)
        for x, c in zip(X.T, cut.T, strict=True):
            x = np.maximum(x, 0)
            np.testing.assert_allclose(c, x if x.sum() <= step else project_simplex(x, step))


@pytest.mark.parametrize("p", P)
def test_single_precision_is_kept_and_agrees(p):
    """float32 in, float32 out, in place, with the digits of float64."""
    X = np.random.default_rng(5).random((500, 8))
    for operate in (
        lambda X: project_group_ball(X, 0.3 * group_norm(X, p), p),
        lambda X: prox_group_norm(X, 2.0, p),
    ):
        single = X.astype(np.float32)
        out = operate(single)
        assert out is single
        assert out.dtype == np.float32
        np.testing.assert_allclose(out, operate(X.copy()), atol=1e-6)


@pytest.mark.parametrize("size", [1e-20, 0.5, 1.0, 30.0])
def test_the_simplex_is_met_and_nearest(size):
    """The projection has the given sum, and a quadratic's variational inequality holds."""
    rng = np.random.default_rng(6)
    for x in (rng.standard_normal(8), np.ones(4), np.array([3.0]), -rng.random(5)):
        y = project_simplex(x, size)
        assert y.min() >= 0
        # The threshold has the rounding error of the entries.
        assert y.sum() == pytest.approx(size, abs=1e-14)
        for _ in range(100):
            other = size * rng.dirichlet(np.ones(len(x)))
            assert (x - y) @ (other - y) <= 1e-12 * max(1, size)
    assert project_simplex(np.ones(3, dtype=np.float32)).dtype == np.float32


def bisected(x, t):
    """The proximal operator of t times the largest magnitude of one vector, by bisection."""
    low, high = 0.0, np.abs(x).max()
    for _ in range(200):
        middle = (low + high) / 2
        too_much = np.maximum(np.abs(x) - middle, 0).sum() > t
        low, high = (middle, high) if too_much else (low, middle)
    return np.clip(x, -high, high)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("step", [0.0, 0.3, 2.0, 100.0])
def test_the_signed_operator_of_the_maximum_agrees_with_bisection(step, dtype):
    """Magnitudes are cut at the level at which the step is cut off, and signs stay."""
    for X in examples():
        found = prox_group_norm(X.astype(dtype), step, np.inf, signed=True)
        expected = np.column_stack([bisected(x, step) for x in X.T])
        np.testing.assert_allclose(found, expected, atol=1e-6 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("step", [0.3, 2.0, 100.0])
def test_the_signed_operator_of_the_2_norm_shrinks(step):
    """Vectors keep their direction and lose the step in length, down to zero."""
    for X in examples():
        lengths = np.linalg.norm(X, axis=0)
        found = prox_group_norm(X.copy(), step, 2, signed=True)
        left = np.maximum(lengths - step, 0)
        np.testing.assert_allclose(found, X * left / np.where(lengths > 0, lengths, 1), atol=1e-12)


def test_equal_entries_are_cut_together():
    """Of columns whose entries are equal the sum of the levels is the radius, whatever rounding."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        X = np.tile(rng.random(5), (rng.integers(1, 9), 1))
        radius = group_norm(X, np.inf) * rng.choice([1e-9, 0.3, 1 - 1e-9, 1 - 1e-15])
        found = project_group_ball(X.copy(), radius, np.inf)
        assert group_norm(found, np.inf) == pytest.approx(radius, rel=1e-12)


def test_where_levels_start_changes_nothing():
    """From none, from far too high or low, and from the solution the same levels are found."""
    rng = np.random.default_rng(0)
    for X in examples():
        starts = [np.full(X.shape[1], value) for value in (0.0, 0.1, np.inf)]
        starts += [rng.random(X.shape[1]) for _ in range(5)]
        norm = group_norm(np.maximum(X, 0), np.inf)
        for share in (0.01, 0.3, 0.99):
            if norm:
                expected = project_group_ball(X.copy(), share * norm, np.inf)
                for start in starts:
                    for _ in range(2):  # the second time from the solution
                        found = project_group_ball(X.copy(), share * norm, np.inf, levels=start)
                        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-300)
            for signed in (False, True):
                expected = prox_group_norm(X.copy(), 3 * share, np.inf, signed=signed)
                for start in starts:
                    levels = start.copy()
                    found = prox_group_norm(
                        X.copy(), 3 * share, np.inf, signed=signed, levels=levels
                    )
                    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("kind", ["ball", "penalty"])
def test_operators_of_groups_do_not_remember(kind):
    """A second call with other values, and one with fewer columns, give what a first one gives."""
    rng = np.random.default_rng(1)
    groups = [np.arange(4), np.arange(4, 9), np.array([9, 11, 13]), np.array([10, 12])]

    def operator():
        if kind == "ball":
            return GroupBall(groups, np.inf, [0.5, 1.0, 2.0, 0.1])
        return GroupPenalty(groups, np.inf, 0.7, signed=True)

    used = operator()
    for r in (3, 3, 5, 2):
        X = 10.0 ** rng.integers(-2, 3) * rng.standard_normal((14, r))
        found, expected = X.copy(), X.copy()
        used(found, 0.3)
        operator()(expected, 0.3)
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-300)
        assert not np.array_equal(found, X)
