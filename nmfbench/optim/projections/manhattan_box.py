r"""Least absolute deviations in a box: :math:`\min_{0 \le W \le b} \|X - W H\|_1`, exactly.

The bound is no new problem. With :math:`2 M_k` the sum of row k of H, which no slope of the loss
in :math:`w_k` exceeds, :math:`2 M_k [w_k - b]_+` is an exact penalty. But for a constant, it is
the misfit of two more features, whose values are :math:`M_k b` and 0, and in which component k
has :math:`M_k` and the others nothing:

.. math:: |M_k b - M_k w_k| + |0 - M_k w_k| = M_k b + 2 M_k [w_k - b]_+, \qquad w_k \ge 0.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from nmfbench.core.validation import check_projection, in_precision_of
from nmfbench.optim.projections.certificate import as_certificate
from nmfbench.optim.projections.manhattan import ManhattanCone, warn_if_unfinished

__all__ = ["box_lower_bound", "certify_manhattan_box", "project_manhattan_box"]

_BLOCK = 1 << 20  # entries of the extended data in memory at once
_MAX_PIVOTS = 100_000


def project_manhattan_box(X, H, upper, *, max_iter=_MAX_PIVOTS, return_dual=False):
    r"""Minimise :math:`\|X - W H\|_1` over ``0 <= W <= upper``, exactly.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), non-negative
        Sparse rows are made dense, a block at a time.
    H : ndarray of shape (r, n_features), non-negative
        Rows may be zero, repeated or dependent.
    upper : float or ndarray of shape (r,), non-negative
        May be infinite.
    max_iter : int
        Most pivots for one row of ``X``; see :func:`~.manhattan.project_manhattan`.
    return_dual : bool, default=False
        Also return the dual matrix.

    Returns
    -------
    W : ndarray of shape (n_samples, r), in the precision of ``X``
    D : ndarray of shape (n_samples, n_features), only if ``return_dual``
        Sub-gradients with :math:`|D| \le 1` whose :func:`box_lower_bound` is the optimum.

    Examples
    --------
    >>> project_manhattan_box(np.array([[2.0, 2.0, 9.0]]), np.array([[1.0, 1.0, 1.0]]), 1.5)
    array([[1.5]])
    """
    X = check_projection(X, H)
    upper = np.broadcast_to(np.asarray(upper, dtype=np.float64), H.shape[0])
    if not np.all(upper >= 0):  # NaN too
        raise ValueError(f"upper must not be negative, as the box would be empty; got {upper}.")
    (n, m), r = X.shape, H.shape[0]
    H = H.astype(np.float64, copy=False)
    penalty = H.sum(axis=1) / 2
    bounded = np.flatnonzero(np.isfinite(upper))
    diagonal = np.zeros((r, len(bounded)))
    diagonal[bounded, np.arange(len(bounded))] = penalty[bounded]
    extended = np.hstack([H, diagonal, diagonal])
    bounds = np.concatenate([(penalty * upper)[bounded], np.zeros(len(bounded))])
    W = np.empty((n, r))
    D = np.empty((n, m)) if return_dual else None
    unfinished = 0
    for block in gen_batches(n, max(1, _BLOCK // extended.shape[1])):
        rows = _dense(X[block])
        cone = ManhattanCone(
            np.hstack([rows, np.tile(bounds, (len(rows), 1))]), r, max_iter=max_iter
        )
        cone.extend(extended)
        unfinished += cone.unfinished
        # Where the penalty is no steeper than the loss, a solution may lie outside the box; its
        # projection is as good.
        np.minimum(cone.W, upper, out=W[block])
        if D is not None:
            D[block] = cone.duals(np.arange(len(rows)))[:, :m]
    warn_if_unfinished(unfinished, max_iter)
    W = in_precision_of(X, W)
    return (W, D) if return_dual else W


def box_lower_bound(X, H, upper, D):
    r"""A lower bound of :math:`\min_{0 \le W \le b} \|X - W H\|_1` for each row, from any ``D``.

    .. math:: \phi(D) = \langle D, X \rangle - \sum_k b_k [(D H^T)_k]_+, \qquad |D| \le 1,

    the minimum of :math:`\langle D, X - W H \rangle` over the box (Guan et al. 2012, Section 4.1,
    where the dual variable has the other sign).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    H : ndarray of shape (r, n_features)
    upper : float or ndarray of shape (r,), finite
    D : ndarray of shape (n_samples, n_features)
        Is clipped to [-1, 1] first.

    Returns
    -------
    bounds : ndarray of shape (n_samples,)
    """
    D = np.clip(np.asarray(D, dtype=np.float64), -1, 1)
    costs = np.maximum(D @ H.T.astype(np.float64), 0) * upper
    return np.einsum("ij,ij->i", D, X) - costs.sum(axis=1)


def certify_manhattan_box(X, H, upper):
    """How near the projection of ``X`` is to the optimum over the box, with proof.

    Parameters
    ----------
    X, H, upper
        As for :func:`box_lower_bound`.

    Returns
    -------
    dict
        ``primal``, the objective of :func:`project_manhattan_box`; ``dual_bound``, a number that
        no representation in the box can go below; ``gap``, their difference relative to the l1
        norm of ``X``.
    """
    H = H.astype(np.float64, copy=False)
    primal, bound = 0.0, 0.0
    for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
        rows = _dense(X[block]).astype(np.float64)
        W, D = project_manhattan_box(rows, H, upper, return_dual=True)
        primal += float(np.abs(rows - W @ H).sum())
        bound += float(np.maximum(box_lower_bound(rows, H, upper, D), 0).sum())
    return as_certificate(primal, bound, X.sum(dtype=np.float64))


def _dense(rows):
    return rows.toarray() if sp.issparse(rows) else rows
