"""Linear classifiers by the squared hinge loss: optimal, and equal to scikit-learn's."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from nmfbench.optim.squared_hinge import squared_hinge_weights

COSTS = (0.01, 1.0, 100.0)


def problem(n, d, *, apart=0.5, seed=0):
    """Samples of three classes, which are easier to separate the farther ``apart`` they are."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    centres = apart * rng.standard_normal((3, d))
    return centres[y] + rng.standard_normal((n, d)), y[:, None] == np.arange(3)


def objective(w, A, y, cost):
    """As the docstring of the module has it, with its gradient."""
    slack = np.maximum(1 - y * (A @ w[:-1] + w[-1]), 0)
    gradient = w - 2 * cost * np.append(A.T @ (y * slack), (y * slack).sum())
    return 0.5 * w @ w + cost * slack @ slack, gradient


@pytest.mark.parametrize(("n", "d"), [(60, 4), (60, 59), (60, 60), (20, 90), (1, 3), (2, 1)])
@pytest.mark.parametrize("apart", [0.0, 3.0])
def test_the_gradient_vanishes(n, d, apart):
    """With more samples than dimensions and fewer, of classes that can be parted and cannot."""
    A, Y = problem(n, d, apart=apart)
    for cost, W in zip(COSTS, squared_hinge_weights(A, Y, COSTS), strict=True):
        assert W.shape == (d + 1, 3)
        for c in range(3):
            _, gradient = objective(W[:, c], A, np.where(Y[:, c], 1, -1), cost)
            assert np.abs(gradient).max() < 1e-9 * max(1, cost) * n


def test_a_general_minimiser_finds_the_same():
    """BFGS on the objective comes no lower, and to the same weights."""
    A, Y = problem(40, 5)
    for cost, W in zip(COSTS, squared_hinge_weights(A, Y, COSTS), strict=True):
        y = np.where(Y[:, 1], 1, -1)
        found = minimize(objective, np.zeros(6), (A, y, cost), jac=True, options={"gtol": 1e-9})
        assert objective(W[:, 1], A, y, cost)[0] <= found.fun * (1 + 1e-12)
        np.testing.assert_allclose(W[:, 1], found.x, atol=1e-6)


@pytest.mark.parametrize(("n", "d"), [(80, 6), (30, 70)])
def test_weights_are_those_of_liblinear(n, d):
    """With a bias that is regularised as a weight is, as scikit-learn's is."""
    A, Y = problem(n, d, seed=1)
    (W,) = squared_hinge_weights(A, Y, [0.5])
    for c in range(3):
        svm = LinearSVC(C=0.5, tol=1e-10, max_iter=1_000_000, random_state=0).fit(A, Y[:, c])
        np.testing.assert_allclose(W[:, c], np.append(svm.coef_, svm.intercept_), atol=1e-6)


def test_costs_come_in_any_order():
    """The weights at a cost depend neither on the other costs nor on their order."""
    A, Y = problem(50, 8)
    forth, back = squared_hinge_weights(A, Y, COSTS), squared_hinge_weights(A, Y, COSTS[::-1])
    for cost, a, b in zip(COSTS, forth, back[::-1], strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, squared_hinge_weights(A, Y, [cost])[0], atol=1e-9)


def test_repeated_samples_and_dimensions_do_no_harm():
    """Dependent rows and columns leave the minimiser unique, as the ridge sees to it."""
    A, Y = problem(20, 3)
    twice, classes = np.repeat(np.hstack([A, A]), 2, axis=0), np.repeat(Y, 2, axis=0)
    (W,) = squared_hinge_weights(twice, classes, [1.0])
    np.testing.assert_allclose(W[:3], W[3:6], atol=1e-12)
