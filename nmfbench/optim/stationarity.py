"""Distance of given factors ``X ~ W @ Ht.T`` from a stationary point, whoever computed them.

Both measures are free of units: neither scaling ``X``, nor a component up in one factor and down
in the other, changes them.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from nmfbench.optim.projections import CERTIFICATES

__all__ = ["EXPONENTS", "factor_gap", "kkt_residual"]

EXPONENTS = {"frobenius": 2, "kl": 1, "itakura-saito": 0}
"""Differentiable losses, as the beta of their beta-divergence."""

_BLOCK = 1 << 22  # entries of the reconstruction in memory at once


def kkt_residual(X, W, Ht, loss):
    r"""Residual of the Karush-Kuhn-Tucker conditions of a differentiable loss, for both factors.

    With :math:`Y = W H` and the beta of the loss, the gradient in W is, up to a constant factor,

    .. math:: P - N, \qquad P = Y^{\beta-1} H^T, \quad N = (X \circ Y^{\beta-2}) H^T

    with both non-negative. With :math:`\bar W` the means of the columns of W, the conditions

    .. math:: W \ge 0, \quad P - N \ge 0, \quad W \circ (P - N) = 0

    hold where the minimum of :math:`W / \bar W` and :math:`(P - N) / (P + N)` is zero.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), non-negative
    W : ndarray of shape (n_samples, r), non-negative
    Ht : ndarray of shape (n_features, r), non-negative
    loss : str
        A key of :data:`EXPONENTS`.

    Returns
    -------
    float in [0, 1], or None
        Root mean square of the minima, of the factor in which it is larger; 0 at a stationary
        point. None where the gradient is infinite, as the reconstruction vanishes where the loss
        does not allow it.
    """
    beta = EXPONENTS[loss]
    up_W, down_W = np.zeros_like(W), np.zeros_like(W)
    up_H, down_H = np.zeros_like(Ht), np.zeros_like(Ht)
    for rows in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
        x = X[rows].toarray() if sp.issparse(X) else X[rows]
        y = W[rows] @ Ht.T
        with np.errstate(divide="ignore", over="ignore"):
            up = y ** (beta - 1)
            down = np.divide(x, y ** (2 - beta), out=np.zeros_like(y), where=x > 0)
        if not (np.isfinite(up).all() and np.isfinite(down).all()):
            return None
        up_W[rows], down_W[rows] = up @ Ht, down @ Ht
        up_H += up.T @ W[rows]
        down_H += down.T @ W[rows]
    return max(_residual(W, up_W, down_W), _residual(Ht, up_H, down_H))


def _residual(factor, up, down):
    """Root mean square violation of one factor, of a gradient ``up - down``."""
    total = up + down
    slope = np.divide(up - down, total, out=np.zeros_like(total), where=total > 0)
    means = factor.mean(axis=0)
    size = np.divide(factor, means, out=np.zeros_like(total), where=means > 0)
    return float(np.sqrt(np.mean(np.minimum(size, slope) ** 2)))


def factor_gap(X, Ht, loss, value):
    r"""Share of a loss that the best ``W`` for this ``Ht`` would save.

    .. math:: 1 - \min_{V \ge 0} f(V, H) / f(W, H)

    Transpose ``X`` and give ``W`` for the gap of the other factor. Both are zero where neither
    factor alone can be bettered: of a differentiable loss exactly at the stationary points.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), non-negative
    Ht : ndarray of shape (n_features, r), non-negative
    loss : str
        A key of :data:`~nmfbench.optim.projections.CERTIFICATES`.
    value : float
        The loss at both factors.

    Returns
    -------
    float in [0, 1]
        Of ``frobenius`` and ``manhattan`` to rounding, of ``kl`` to a duality gap of 1e-6 in each
        row.
    """
    lowest = CERTIFICATES[loss](X, np.ascontiguousarray(Ht.T))["primal"]
    return max(0.0, 1 - lowest / value) if value > 0 else 0.0
