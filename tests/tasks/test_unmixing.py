"""Unmixing: angles by hand, matching by brute force, and factors that are known."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.utils import Bunch

from nmfbench.datasets import load_dataset
from nmfbench.metrics.factors import spectral_angle, spectral_angles
from nmfbench.solvers import make_solver
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.factorization import factorization
from nmfbench.tasks.unmixing import abundances, unmixing


def outcome(W, H):
    arrays = {"W": W, "components": H, "train": np.arange(len(W))}
    return Outcome({"dead-components": 0.0}, {"seconds": 1.0}, arrays)


def mixtures(purity=1.0, n=60):
    sizes = {"n_samples": n, "n_features": 30, "n_components": 3}
    return load_dataset("mixed-spectra", rng=1, purity=purity, **sizes)


def test_angles_by_hand():
    """Angles of 0, 30, 60 and 90 degrees, whatever the lengths; zero is at a right angle."""
    true = np.array([[2.0, 0.0]])
    found = np.array([[7.0, 0.0], [np.sqrt(3), 1], [1, np.sqrt(3)], [0, 4], [0, 0]])
    np.testing.assert_allclose(spectral_angles(true, found), [[0, 30, 60, 90, 90]], atol=1e-12)


def test_small_angles_are_exact():
    """An angle of a millionth of a degree is measured, where the arc cosine gives zero."""
    tiny = np.radians(1e-6)
    found = spectral_angles([[1.0, 0.0]], [[np.cos(tiny), np.sin(tiny)]])
    assert found[0, 0] == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize("n_found", [2, 3, 4, 5])
def test_matching_by_brute_force(n_found):
    """No other way to pair spectra and components has a smaller mean angle."""
    rng = np.random.default_rng(n_found)
    true, found = rng.random((4, 6)) ** 3, rng.random((n_found, 6)) ** 3
    cosines = [[t @ f / np.linalg.norm(t) / np.linalg.norm(f) for f in found] for t in true]
    angles = np.degrees(np.arccos(cosines))
    if n_found < 4:  # spectra without a component are at a right angle
        angles = np.column_stack([angles, np.full((4, 4 - n_found), 90.0)])
    ways = itertools.permutations(range(angles.shape[1]), 4)
    best = min(np.mean([angles[i, j] for i, j in enumerate(way)]) for way in ways)
    assert spectral_angle(true, found) == pytest.approx(best)


def test_true_factors_in_any_order_and_scale_are_right():
    """Components times positive numbers, in another order, have angle and error zero."""
    data = mixtures(purity=0.8)
    order, scales = [2, 0, 1], np.array([0.01, 3.0, 50.0])
    W, H = data.weights[:, order] / scales, data.components[order] * scales[:, None]
    np.testing.assert_allclose(W @ H, data.X)
    found = unmixing(data, None, None, outcome(W, H)).metrics
    assert found["spectral-angle"] == pytest.approx(0, abs=1e-6)
    assert found["spectral-angle-worst"] == pytest.approx(0, abs=1e-6)
    assert found["abundance-error"] == pytest.approx(0, abs=1e-12)
    assert found["dead-components"] == 0


def test_errors_by_hand():
    """Two spectra at right angles, one of them found 45 degrees off, its abundance halved."""
    data = Bunch(components=np.eye(2), weights=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]))
    H = np.array([[1.0, 1.0], [2.0, 0.0]])
    W = np.array([[0.0, 3.0], [4.0, 0.0], [4.0, 3.0]])
    # Scales 1 / 6 and 2 / 9 are nearest to rows that sum to one: 2/3, 2/3 and 4/3.
    found = unmixing(data, None, None, outcome(W, H)).metrics
    assert found["spectral-angle"] == pytest.approx(22.5)
    assert found["spectral-angle-worst"] == pytest.approx(45)
    error = np.array([[-1 / 3, 0], [0, -1 / 3], [-1 / 3, 2 / 3]])
    assert found["abundance-error"] == pytest.approx(np.sqrt(np.mean(error**2)))


def test_a_spectrum_without_component_is_missed():
    """With a component too few, or a zero one, a spectrum is at a right angle, its abundance 0."""
    data = mixtures()
    W, H = data.weights, data.components
    few = unmixing(data, None, None, outcome(W[:, :2], H[:2])).metrics
    zero = unmixing(data, None, None, outcome(W * [1, 1, 0], H * [[1], [1], [0]])).metrics
    for found in (few, zero):
        assert found["spectral-angle"] == pytest.approx(30)
        assert found["spectral-angle-worst"] == pytest.approx(90)
    assert few["abundance-error"] == pytest.approx(zero["abundance-error"])
    assert few["abundance-error"] > 0.2


def test_scales_of_abundances_by_a_general_optimizer():
    """No other non-negative scales bring the sums of the rows nearer to one."""
    W = np.random.default_rng(0).random((12, 4)) * [1, 10, 0.1, 1] * [1, 1, 1, 0]
    best = minimize(
        lambda s: np.sum((W @ s - 1) ** 2), np.ones(4), bounds=[(0, None)] * 4, tol=1e-14
    )
    found = abundances(W)
    assert np.sum((found.sum(axis=1) - 1) ** 2) == pytest.approx(best.fun, rel=1e-6)
    np.testing.assert_array_equal(found[:, 3], 0)


def test_mixtures_are_what_they_say():
    """Abundances sum to one and keep to the purity; with one, each material has a pure pixel."""
    for purity in (0.8, 1.0):
        data = mixtures(purity, n=500)
        np.testing.assert_allclose(data.weights.sum(axis=1), 1)
        assert data.weights.min() >= 0
        assert 0.95 * purity < data.weights.max() <= purity
        np.testing.assert_allclose(data.weights @ data.components, data.X)
        assert data.rank == 3 == np.linalg.matrix_rank(data.X)
        assert 0 <= data.components.min() <= data.components.max() <= 1
    np.testing.assert_array_equal(np.sort(data.weights.max(axis=0)), 1)
    angles = spectral_angles(data.components, data.components)
    assert angles[~np.eye(3, dtype=bool)].min() > 1
    # Smooth: neighbouring bands differ little.
    assert np.abs(np.diff(data.components, axis=1)).max() < 0.5


@pytest.mark.parametrize("wrong", [{"purity": 0.3}, {"purity": 1.1}, {"n_components": 0}])
def test_impossible_mixtures_are_named(wrong):
    """No abundances of three materials are all below a third, and none exceeds one."""
    with pytest.raises(ValueError, match="n_components"):
        load_dataset("mixed-spectra", rng=0, **({"n_components": 3} | wrong))


@pytest.mark.against("spa", "known endmembers")
def test_pure_pixels_are_found_by_anchors():
    """SPA of mixtures with pure pixels finds spectra and abundances; without them it is off."""
    found = {}
    for purity in (0.8, 1.0):
        data = mixtures(purity)
        base = factorization(data, make_solver("spa"), np.random.default_rng(0), n_components=3)
        found[purity] = unmixing(data, None, None, base).metrics
    assert found[1.0]["spectral-angle-worst"] < 1e-3
    assert found[1.0]["abundance-error"] < 1e-5
    assert found[0.8]["spectral-angle"] > 0.5
