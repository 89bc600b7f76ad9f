r"""Linear classifiers: the squared hinge loss with a ridge, exactly, for several classes.

With labels :math:`y_i = \pm 1` of one class, and a bias as the weight of a further dimension that
is 1 throughout, support vector machines with the squared loss have

.. math:: f(w) = \tfrac12\|w\|^2 + C \sum_i [1 - y_i a_i^T w]_+^2 .

Where the set I of samples with a positive part is known, f is a quadratic, and its minimiser that
of ridge regression on these samples alone. Newton's method takes that minimiser, and with it the
next set. The set repeats after a few steps, and then the minimiser is exact.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr

__all__ = ["squared_hinge_weights"]

_MAX_STEPS = 100  # some five are needed
_SUFFICIENT = 1e-4  # share of the decrease by its slope that a step has to reach
_HALVINGS = 30
_ROUNDING = 1e-14


def squared_hinge_weights(A, Y, costs):
    """Weights of one classifier for each class, at each cost.

    Parameters
    ----------
    A : ndarray of shape (n, d), float64
    Y : ndarray of bool of shape (n, n_classes)
        Whether a sample belongs to a class.
    costs : sequence of float
        C, positive.

    Returns
    -------
    list of ndarray of shape (d + 1, n_classes)
        For each cost; the bias is the last weight.

    Examples
    --------
    >>> A, Y = np.array([[1.0], [-1.0]]), np.array([[True], [False]])
    >>> squared_hinge_weights(A, Y, [0.25])[0].ravel().round(12)
    array([0.5, 0. ])
    """
    n = len(A)
    A = np.hstack([A, np.ones((n, 1))])
    signs = np.where(Y, 1.0, -1.0)
    axes = None
    if A.shape[1] > n:  # the minimiser is a combination of the samples: n dimensions do
        axes, triangle = qr(A.T, mode="economic", check_finite=False)
        A = np.ascontiguousarray(triangle.T)
    found = {}
    W = _ridge_regression(A, signs, min(costs))
    for cost in sorted(set(costs)):  # from the solution at the cost before
        W = np.column_stack([_minimise(A, y, cost, w) for y, w in zip(signs.T, W.T, strict=True)])
        found[cost] = W if axes is None else axes @ W
    return [found[cost] for cost in costs]


def _minimise(A, y, cost, w):
    """Newton's method from ``w``, with the sufficient decrease that makes it end."""
    slack = 1.0 - y * (A @ w)
    active = slack > 0
    value = _value(w, slack, cost)
    for _ in range(_MAX_STEPS):
        target = _ridge_regression(A[active], y[active], cost)
        step = target - w
        decrease = -(step @ w - 2 * cost * (step @ ((y * np.maximum(slack, 0)) @ A)))
        length, moved = 1.0, y * (A @ step)
        for _ in range(_HALVINGS):
            next_slack = slack - length * moved
            next_value = _value(w + length * step, next_slack, cost)
            if next_value <= value - _SUFFICIENT * length * decrease + _ROUNDING * value:
                break
            length /= 2
        w, slack, value = w + length * step, next_slack, next_value
        now = slack > 0
        if (np.array_equal(now, active) and length == 1.0) or decrease <= _ROUNDING * value:
            break
        active = now
    return w


def _value(w, slack, cost):
    positive = np.maximum(slack, 0)
    return 0.5 * (w @ w) + cost * (positive @ positive)


def _ridge_regression(A, y, cost):
    r"""The minimiser of :math:`\frac12\|w\|^2 + C\|A w - y\|^2`, in the fewer dimensions."""
    ridge = 0.5 / cost
    if len(A) < A.shape[1]:
        return A.T @ _solve(A @ A.T, ridge, y)
    return _solve(A.T @ A, ridge, A.T @ y)


def _solve(gram, ridge, right):
    gram.flat[:: len(gram) + 1] += ridge
    return cho_solve(cho_factor(gram, overwrite_a=True, check_finite=False), right)
