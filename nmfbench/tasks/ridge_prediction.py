"""Ridge regression on a representation: the variance and the squared bias of its predictions."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_count, check_number
from nmfbench.tasks.base import Outcome, split_of
from nmfbench.tasks.clustering import scaled_representation

__all__ = ["error_terms", "ridge_prediction"]


@register_task(
    "ridge-prediction",
    summary="variance and squared bias of a ridge regression on the representation",
    based_on="factorization",
    # Two per cent of an error would be seen in predictions.
    matters={
        "prediction-variance": Ratio(0.02),
        "prediction-bias": Ratio(0.02),
        "coefficient-variance": Ratio(0.02),
    },
)
def ridge_prediction(data, solver, rng, base, *, ridge=1.0, n_responses=50):
    r"""Regress known responses on the codes of the training samples, and predict the test samples.

    Responses are linear functions of the samples of unit length, themselves of unit variance, plus
    independent noise of unit variance in training. Expectations over the noise are exact.

    Parameters
    ----------
    data : Bunch
    solver : estimator
        For its class attribute ``fixes_scale``: otherwise components are scaled to unit length.
    rng : Generator
        Draws the coefficients of the responses.
    base : Outcome
        Of the task ``factorization``, with training and test samples.
    ridge : float, default=1
        Weight of the squared length of the coefficients.
    n_responses : int, default=50

    Returns
    -------
    Outcome
        Metrics ``prediction-variance`` and ``prediction-bias``, see :func:`error_terms`, of the
        test samples; ``coefficient-variance``, the trace of :math:`(W^TW + \lambda I)^{-1}`.

    References
    ----------
    Liu, Yang, Wu & Li (2012), A-optimal non-negative projection, as presented in slides by Wang:
    "Why regression?" and "Critiques and questions".
    """
    check_number(ridge, "ridge", above=0)
    check_count(n_responses, "n_responses")
    train, test = split_of(base)
    X = normalize(data.X.astype(np.float64))
    coefficients = rng.standard_normal((X.shape[1], n_responses))
    responses = X @ coefficients
    responses /= responses[train].std(axis=0)
    W = scaled_representation(solver, base.arrays)
    codes = scaled_representation(solver, {**base.arrays, "W": base.arrays["codes"]})
    variance, bias = error_terms(W, codes, responses[train], responses[test], ridge)
    inverse = np.linalg.inv(W.T @ W + ridge * np.eye(W.shape[1]))
    metrics = {
        "prediction-variance": variance,
        "prediction-bias": bias,
        "coefficient-variance": np.trace(inverse),
    }
    return Outcome({name: float(value) for name, value in metrics.items()}, base.fit)


def error_terms(W, codes, known, wanted, ridge):
    r"""Terms of the expected squared error of a ridge regression, without that of the noise.

    With :math:`A = V (W^T W + \lambda I)^{-1} W^T` predictions of noisy responses
    :math:`f + \varepsilon`, of unit variance, are :math:`A (f + \varepsilon)`.

    Parameters
    ----------
    W : ndarray of shape (n, r)
        Representation of the training samples.
    codes : ndarray of shape (n_test, r)
        V, that of the test samples.
    known, wanted : ndarray of shape (n, k) and (n_test, k)
        Responses without noise.
    ridge : float

    Returns
    -------
    variance, bias : float
        The mean squares of the entries of A, summed over its rows' entries, and of
        :math:`A f - f_{test}`; means over the test samples, of the latter over responses too.

    Examples
    --------
    >>> W = np.ones((4, 1))
    >>> error_terms(W, W[:1], 3 * W, 3 * W[:1], ridge=4.0)  # A has four entries of 1/8
    (0.0625, 2.25)
    """
    A = codes @ np.linalg.solve(W.T @ W + ridge * np.eye(W.shape[1]), W.T)
    return float((A**2).sum(axis=1).mean()), float(((A @ known - wanted) ** 2).mean())
