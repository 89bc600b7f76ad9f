"""Projection on a cone under the Frobenius norm: non-negative least squares."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from nmfbench.optim.kernels.nnls import nnls_gram

__all__ = ["project_frobenius"]

_BLOCK = 1 << 21  # entries of X converted to float64 at once


def project_frobenius(X, H, W0=None, *, tol=1e-12, max_iter=None):
    r"""Minimise :math:`\|X - W H\|_F^2` over ``W >= 0``, exactly.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Of any sign.
    H : ndarray of shape (r, n_features)
        Of any sign. Zero rows get the coefficient 0; rows may depend on each other.
    W0 : ndarray of shape (n_samples, r), optional
        Where to start. The loss found does not depend on it; a near solution saves time.
    tol : float, default=1e-12
        Violation of the optimality conditions to accept, relative to the norms of the rows.
    max_iter : int, optional
        Most coefficients to add in one row of ``W``, ``10 r`` by default: a safeguard.

    Returns
    -------
    W : ndarray of shape (n_samples, r), non-negative, in the precision of ``X``

    Notes
    -----
    Works from ``H H^T`` and ``X H^T`` in float64, whatever the dtype of ``X``. Coefficients
    are accurate to about ``1e-16 cond(H)^2``; the loss is far less sensitive.

    Examples
    --------
    >>> project_frobenius(np.array([[2.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0]]))
    array([[1., 1.]])
    """
    H = np.asarray(H, dtype=np.float64)
    n, r = X.shape[0], H.shape[0]
    if H.shape[1] != X.shape[1]:
        raise ValueError(f"H has {H.shape[1]} features, but X has {X.shape[1]}.")
    W = np.zeros((n, r)) if W0 is None else np.array(W0, dtype=np.float64, order="C")
    if W.shape != (n, r):
        raise ValueError(f"W0 has shape {W.shape}, but X and H need {(n, r)}.")
    nnls_gram(W, H @ H.T, cross_products(X, H), tol, 10 * r if max_iter is None else max_iter)
    return W.astype(np.result_type(X.dtype, np.float32), copy=False)


def cross_products(X, H):
    """``X @ H.T`` in float64, a block of rows at a time if ``X`` has less precision."""
    if sp.issparse(X) or X.dtype == np.float64:
        return np.ascontiguousarray(X @ H.T)
    C = np.empty((X.shape[0], H.shape[0]))
    for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
        np.matmul(X[block].astype(np.float64), H.T, out=C[block])
    return C
