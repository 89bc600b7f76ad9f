"""Weighted medians: the update of one coordinate, and sweeps over many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nmfbench.solvers.manhattan.rri import improve

MEDIANS = ["select", "sort"]


def candidates(z, w, upper):
    """Every point at which the loss of ``x`` can be least: its kinks and the ends."""
    kinks = np.clip(z[w > 0] / w[w > 0], 0, upper)
    return np.unique(np.append(kinks, 0.0))


def loss(z, w, x):
    return np.abs(z[None, :] - np.outer(np.atleast_1d(x), w)).sum(axis=1)


def updated(z, w, x, upper, median, dtype=np.float64):
    """The coordinate after one update that starts from ``x``, and the residual it leaves."""
    residual = (z - x * w)[None, :].astype(dtype)
    factor = np.array([[x]], dtype)
    improve(residual, factor, w[:, None].astype(dtype), upper=upper, median=median)
    return factor[0, 0], residual[0]


def sweep(residual, factor, basis, upper):
    """One sweep in the plainest way: sort the points, and stop where half the weight is reached."""
    for i, k in np.ndindex(factor.shape):
        w = basis[k]
        if not w.any():
            continue
        z = residual[i] + factor[i, k] * w
        points = z[w > 0] / w[w > 0]
        order = np.argsort(points)
        reached = np.cumsum(w[w > 0][order]) >= w.sum() / 2
        factor[i, k] = np.clip(points[order][reached.argmax()], 0, upper)
        residual[i] = z - factor[i, k] * w


def problem(n=7, m=300, r=4, seed=0):
    """A residual, a factor and a basis, both of which have zeros."""
    rng = np.random.default_rng(seed)
    factor = rng.random((n, r)) * (rng.random((n, r)) < 0.7)
    basis = rng.random((r, m)) * (rng.random((r, m)) < 0.8)
    X = rng.random((n, m)) * r / 4
    return X - factor @ basis, factor, basis


@st.composite
def ties(draw):
    """Small whole numbers, and weights whose reciprocals are exact: nothing is rounded."""
    size = draw(st.integers(1, 60))
    z = draw(st.lists(st.integers(-3, 6), min_size=size, max_size=size))
    w = draw(st.lists(st.sampled_from([0, 0, 1, 2, 4]), min_size=size, max_size=size))
    upper = draw(st.sampled_from([np.inf, 0.5, 2.0]))
    x = min(draw(st.sampled_from([0.0, 0.25, 1.0, 7.0])), upper)
    return np.array(z, float), np.array(w, float), x, upper


@pytest.mark.parametrize("median", MEDIANS)
@given(case=ties())
@settings(deadline=None)  # the first example compiles
def test_the_update_is_the_left_most_minimiser_to_the_bit(median, case):
    """Among ties, zero weights and in a box: what trying every kink finds first, exactly."""
    z, w, x, upper = case
    found, residual = updated(z, w, x, upper, median)
    if not w.any():
        assert found == x
        return
    points = candidates(z, w, upper)
    assert found == points[loss(z, w, points).argmin()]
    np.testing.assert_array_equal(residual, z - found * w)


@pytest.mark.parametrize("median", MEDIANS)
@pytest.mark.parametrize("upper", [np.inf, 0.4])
@pytest.mark.parametrize("m", [1, 2, 5, 23, 40, 149, 700])
def test_no_kink_is_better_than_the_update(m, upper, median):
    """The objective after an update is the least over all kinks, for vectors short and long."""
    rng = np.random.default_rng(m)
    for _ in range(30):
        w = rng.random(m) * (rng.random(m) < 0.8)
        z = rng.normal(rng.choice([-0.2, 0.0, 0.3]), 0.5, m) * (rng.random(m) < 0.8)
        x = min(rng.choice([0.0, rng.random()]), upper)
        found, _ = updated(z, w, x, upper, median)
        assert 0 <= found <= upper
        best = loss(z, w, candidates(z, w, upper)).min() if w.any() else loss(z, w, x)[0]
        assert loss(z, w, found)[0] == pytest.approx(best, rel=1e-12)


def test_equal_points_are_found_among_many():
    """A long vector of few values, where a partition leaves one side empty."""
    rng = np.random.default_rng(0)
    for values in ([1.0], [1.0, 2.0], [0.0, 1.0, 2.0, 3.0]):
        z, w = rng.choice(values, 400), np.ones(400)
        found, _ = updated(z, w, 0.0, np.inf, "select")
        points = candidates(z, w, np.inf)
        assert found == points[loss(z, w, points).argmin()]


@pytest.mark.parametrize("median", MEDIANS)
@pytest.mark.parametrize("upper", [np.inf, 0.5])
def test_sweeps_agree_with_plain_ones(upper, median):
    """Selecting and sorting do what the definition does, to rounding, and keep the residual."""
    residual, factor, basis = problem()
    factor = np.minimum(factor, upper)
    X = residual + factor @ basis
    residual = X - factor @ basis
    plain = residual.copy(), factor.copy()
    improve(residual, factor, basis.T, upper=upper, sweeps=3, median=median)
    for _ in range(3):
        sweep(*plain, basis, upper)
    np.testing.assert_allclose(factor, plain[1], atol=1e-12)
    np.testing.assert_allclose(residual, plain[0], atol=1e-12)
    np.testing.assert_allclose(residual, X - factor @ basis, atol=1e-12)


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-14), (np.float32, 1e-6)])
def test_no_row_gets_worse_in_a_sweep(dtype, rtol):
    """The loss of each row falls or stays, update after update, in both precisions."""
    residual, factor, basis = (a.astype(dtype) for a in problem(seed=1))
    before = np.abs(residual).sum(axis=1, dtype=float)
    first = before
    for _ in range(20):
        improve(residual, factor, basis.T)
        now = np.abs(residual).sum(axis=1, dtype=float)
        assert (now <= before * (1 + rtol)).all()
        before = now
    assert before.sum() < 0.9 * first.sum()
    assert factor.dtype == residual.dtype == dtype


@pytest.mark.parametrize("threads", [2, 3, 7, 20])
def test_threads_do_not_change_a_bit(threads):
    """Rows are independent, so however they are shared out, the result is the same."""
    residual, factor, basis = problem(n=11, m=60, seed=2)
    alone = residual.copy(), factor.copy()
    improve(*alone, basis.T, sweeps=2, threads=1)
    improve(residual, factor, basis.T, sweeps=2, threads=threads)
    np.testing.assert_array_equal(residual, alone[0])
    np.testing.assert_array_equal(factor, alone[1])


@pytest.mark.parametrize("median", MEDIANS)
def test_weights_too_small_to_invert_do_no_harm(median):
    """Subnormal weights, whose reciprocals overflow, leave everything finite and no worse."""
    rng = np.random.default_rng(3)
    z, w = rng.random(40), rng.random(40)
    w[:5] = 1e-310
    for weights in (w, np.full(40, 1e-310)):
        found, residual = updated(z, weights, 0.5, np.inf, median)
        assert np.isfinite(found)
        assert np.abs(residual).sum() <= loss(z, weights, 0.5)[0] * (1 + 1e-12)


def test_a_zero_row_of_the_basis_leaves_its_coordinate():
    """Where the loss is constant nothing moves, to zero or elsewhere."""
    residual, factor, basis = problem(seed=4)
    basis[1] = 0
    kept = factor[:, 1].copy()
    improve(residual, factor, basis.T, sweeps=2)
    np.testing.assert_array_equal(factor[:, 1], kept)


def test_no_factor_has_a_negative_zero():
    """A coordinate that moves to zero is plain zero."""
    residual, factor, basis = problem(seed=5)
    improve(residual - 1, factor, basis.T, sweeps=2)
    assert not factor.all()
    assert not np.signbit(factor).any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_residual_is_that_of_the_rounded_factor(dtype):
    """A coordinate too large for its shift stays, and the residual with it; the box is not left."""
    upper = dtype(0.1)
    large = 1 / np.finfo(dtype).eps
    residual, factor = np.full((1, 3), dtype(0.3)), np.array([[large]], dtype)
    improve(residual, factor, np.ones((3, 1), dtype))
    assert factor[0, 0] - dtype(large) == dtype(0.3) - residual[0, 0]
    rng = np.random.default_rng(6)
    factor = rng.uniform(0, upper, (200, 1)).astype(dtype)
    improve(np.ones((200, 3), dtype), factor, np.ones((3, 1), dtype), upper=0.1)
    assert factor.max() == upper
    np.testing.assert_allclose(factor, upper, rtol=1e-6)
