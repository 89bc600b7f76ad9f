"""Projection on a cone under the Frobenius norm: non-negative least squares."""

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.utils import gen_batches

from nmfbench.core.validation import check_projection, in_precision_of
from nmfbench.optim.kernels.nnls import nnls_gram
from nmfbench.optim.projections.certificate import as_certificate

__all__ = ["certify_frobenius", "frobenius_lower_bound", "project_frobenius"]

_BLOCK = 1 << 21  # entries of X made dense, or converted to float64, at once


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
    X = check_projection(X, H, W0, nonnegative=False)
    H = np.asarray(H, dtype=np.float64)
    n, r = X.shape[0], H.shape[0]
    W = np.zeros((n, r)) if W0 is None else np.array(W0, dtype=np.float64, order="C")
    nnls_gram(W, H @ H.T, cross_products(X, H), tol, 10 * r if max_iter is None else max_iter)
    return in_precision_of(X, W)


def cross_products(X, H):
    """``X @ H.T`` in float64, a block of rows at a time if ``X`` has less precision."""
    if sp.issparse(X) or X.dtype == np.float64:
        return np.ascontiguousarray(X @ H.T)
    C = np.empty((X.shape[0], H.shape[0]))
    for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
        np.matmul(X[block].astype(np.float64), H.T, out=C[block])
    return C


def certify_frobenius(X, H, W=None, *, ridge=0.0, price=0.0, limit=np.inf, signed=False):
    r"""How near a representation of ``X`` is to the optimum under squared errors, with proof.

    .. math:: \min_W \|X - W H\|_F^2 + \rho \|W\|_F^2 + p \sum_{ik} W_{ik}

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    H : ndarray of shape (r, n_features)
    W : ndarray of shape (n_samples, r), optional
        The representation; by default that of :func:`project_frobenius`.
    ridge, price : float, default=0.0
        The weights :math:`\rho` and p of the penalties.
    limit : float, default=inf
        Slope at which the loss of an entry becomes linear, for the Huber loss; without a ridge.
    signed : bool, default=False
        Whether W may have any sign, in place of ``W >= 0``.

    Returns
    -------
    dict
        ``primal``, the objective at ``W``; ``dual_bound``, a number that no representation can go
        below; ``gap``, their difference relative to the objective of ``W = 0``.
    """
    H = np.asarray(H, dtype=np.float64)
    r = H.shape[0]
    if ridge:  # the misfit of r more features, at which the data are zero
        H = np.hstack([H, np.sqrt(ridge) * np.eye(r)])
    primal = bound = unexplained = 0.0
    for rows in gen_batches(X.shape[0], max(1, _BLOCK // H.shape[1])):
        x = X[rows].toarray() if sp.issparse(X) else X[rows]
        x = x.astype(np.float64, copy=False)
        if ridge:
            x = np.hstack([x, np.zeros((len(x), r))])
        w = project_frobenius(x, H) if W is None else W[rows]
        E = x - w @ H
        slopes = np.clip(2 * E, -limit, limit)
        primal += _conjugate_bound(E, slopes).sum() + price * w.sum()
        unexplained += _conjugate_bound(x, np.clip(2 * x, -limit, limit)).sum()
        options = {"price": price, "limit": limit, "signed": signed}
        bound += frobenius_lower_bound(x, H, slopes, **options).sum()
    return as_certificate(primal, bound, unexplained)


def frobenius_lower_bound(X, H, D, *, price=0.0, limit=np.inf, signed=False):
    r"""A lower bound of the optimum of :func:`certify_frobenius` for each row, from any ``D``.

    ``D``, at best the slopes of the loss at the optimum, is moved, row by row, until
    :math:`D H^T \le p`, or 0 if W may have any sign, and shrunk until it is within the limit. By
    weak duality no representation then goes below

    .. math:: \langle D, X \rangle - \tfrac14 \|D\|_F^2 ,

    so a poor ``D`` gives a poor bound, not a wrong one.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    H : ndarray of shape (r, n_features)
        Of any sign. The bound for ``W >= 0`` is 0 unless a half-space is found to hold all rows.
    D : ndarray of shape (n_samples, n_features)
    price, limit, signed
        As for :func:`certify_frobenius`.

    Returns
    -------
    bounds : ndarray of shape (n_samples,), non-negative
    """
    if signed:
        Q = scipy.linalg.orth(H.T)
        D = D - (D @ Q) @ Q.T
    else:
        H = H[H.any(axis=1)]
        up = _direction(H)
        rise = H @ up
        if not (rise > 0).all():
            return np.zeros(len(X))
        excess = ((D @ H.T - price) / rise).max(axis=1, initial=0.0)
        D = D - excess[:, None] * up
    D = D / np.maximum(np.abs(D).max(axis=1, keepdims=True) / limit, 1.0)
    return np.maximum(_conjugate_bound(X, D), 0.0)


def _conjugate_bound(E, D):
    """``<d, e> - |d|^2 / 4``: the loss of a row at ``e`` if d are its slopes there, else less."""
    return np.einsum("ij,ij->i", D, E) - 0.25 * np.einsum("ij,ij->i", D, D)


def _direction(H):
    """A direction with a positive inner product with each row of ``H``, if one is found."""
    if (H >= 0).all():
        return np.ones(H.shape[1])
    return np.linalg.lstsq(H / np.linalg.norm(H, axis=1, keepdims=True), np.ones(len(H)))[0]
