r"""Projections on a cone under Bregman divergences, and the divergences themselves.

.. math:: D_\phi(x, y) = \phi(x) - \phi(y) - \phi'(y) (x - y)
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy
from sklearn.exceptions import ConvergenceWarning

from nmfbench.core.validation import check_projection, in_precision_of
from nmfbench.optim.kernels.bregman import itakura_saito_rows, kl_csr_rows, kl_dense_rows
from nmfbench.optim.projections.certificate import as_certificate

__all__ = [
    "GENERATORS",
    "Generator",
    "certify_kl",
    "fit_itakura_saito",
    "fit_kl",
    "project_itakura_saito",
    "project_kl",
]


@dataclass(frozen=True)
class Generator:
    """A convex function of one variable, entry by entry, and what it generates.

    Attributes
    ----------
    phi, d1, d2 : callable
        The function and its first two derivatives.
    divergence : callable
        ``(x, y) -> D(x, y)``, entry by entry.
    weighted_residual : callable
        ``(x, y) -> phi''(y) (x - y)``: minus the gradient of the divergence in ``y``.
    """

    phi: Callable
    d1: Callable
    d2: Callable
    divergence: Callable
    weighted_residual: Callable


GENERATORS = {
    "frobenius": Generator(
        phi=np.square,
        d1=lambda x: 2 * x,
        d2=lambda x: np.full_like(x, 2.0),
        divergence=lambda x, y: (x - y) ** 2,
        weighted_residual=lambda x, y: 2 * (x - y),
    ),
    "kl": Generator(
        phi=lambda x: xlogy(x, x) - x,
        d1=np.log,
        d2=lambda x: 1 / x,
        divergence=lambda x, y: xlogy(x, x) - xlogy(x, y) - x + y,
        weighted_residual=lambda x, y: x / y - 1,
    ),
    "itakura-saito": Generator(
        phi=lambda x: -np.log(x),
        d1=lambda x: -1 / x,
        d2=lambda x: 1 / x**2,
        divergence=lambda x, y: x / y - np.log(x / y) - 1,
        weighted_residual=lambda x, y: (x - y) / y**2,
    ),
}


def project_kl(X, H, W0=None, *, tol=1e-10, max_iter=60, floor=1e-9):
    r"""Minimise the Kullback-Leibler divergence of ``X`` from ``W H`` over ``W >= 0``, exactly.

    .. math:: \sum_{ij} X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} - X_{ij} + (WH)_{ij}

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), non-negative
    H : ndarray of shape (r, n_features), non-negative
    W0 : ndarray of shape (n_samples, r), optional
        Where to start. No row of the result has a larger loss than here.
    tol : float, default=1e-10
        Duality gap to accept in a row, relative to its loss, or to 1e-15 of its sum: the loss is
        proven to be that near to the optimum. Coefficients are off by up to about the square root
        of it. With 0, until nothing but rounding is left.
    max_iter : int, default=60
        Most steps in a row; 10 to 15 are usual. A row that meets it keeps the coefficients
        reached, and a ConvergenceWarning is given if ``tol`` is positive.
    floor : float, default=1e-9
        Below ``floor`` times the mean of ``X`` the logarithm of a reconstruction is continued by
        its tangent: no row of ``H`` may cover an entry of ``X``, whose loss would be infinite.

    Returns
    -------
    W : ndarray of shape (n_samples, r), non-negative, in the precision of ``X``

    Notes
    -----
    Some sweeps of coordinate descent after Li, Lebanon & Park (2012), with the second derivative
    ``sum a^2 x / y^2`` in place of their ``sum a^2 / y``: it makes each step safe without a line
    search. Then steps of Newton's method, to the minimum of the quadratic model over
    ``W >= 0``, which converge quadratically. No step raises the loss. Only the support of ``X``
    is visited: a sweep costs ``O(r nnz(X))``, a step ``O(f^2 nnz(X))`` with ``f`` coefficients
    that are not zero.

    For the gap, ``X / (W H)`` is divided by the least number that makes it feasible for the dual
    problem: to maximise :math:`\sum_{ij} X_{ij} \log D_{ij}` where :math:`D H^T \le 1 H^T`.

    Examples
    --------
    >>> project_kl(np.array([[2.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0]]), tol=0).round(6)
    array([[1., 1.]])
    """
    W, _, _, unfinished = _fit_kl(X, H, W0, tol, max_iter, floor)
    if unfinished and tol > 0:
        warnings.warn(
            f"{unfinished} projections of a row are not within tol={tol} after max_iter={max_iter} "
            "steps; the coefficients reached are kept.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return in_precision_of(X, W)


def project_itakura_saito(X, H, W0=None, *, tol=1e-5, max_iter=60, floor=1e-9):
    r"""A local minimum over ``W >= 0`` of the Itakura-Saito divergence of ``X`` from ``W H``.

    .. math:: \sum_{ij} \frac{X_{ij}}{(WH)_{ij}} - \log \frac{X_{ij}}{(WH)_{ij}} - 1

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), non-negative
    H : ndarray of shape (r, n_features), non-negative
    W0 : ndarray of shape (n_samples, r), optional
        Where to start. No row of the result has a larger loss than here.
    tol : float, default=1e-5
        Stop a row when a step lowers its loss by no more than this share.
    max_iter : int, default=60
        Most steps in a row; 4 to 6 are usual.
    floor : float, default=1e-9
        ``X`` and the reconstruction are raised to ``floor`` times the mean of ``X``: the loss is
        undefined at zero.

    Returns
    -------
    W : ndarray of shape (n_samples, r), non-negative, in the precision of ``X``

    Notes
    -----
    The problem is not convex. Steps of Newton's method go to the minimum over ``W >= 0`` of a
    quadratic model, in which an entry's curvature :math:`(2 X / Y - 1) / Y^2`, with
    :math:`Y = W H`, is kept above :math:`1 / (10 Y^2)`. A step is halved until the loss does not
    rise; after one that was halved follows a sweep of the coordinate descent of Li, Lebanon & Park
    (2012), its steps halved alike. A step costs ``O(f^2 m)`` with ``f`` coefficients that are not
    zero and ``m`` features.

    Examples
    --------
    >>> H = np.array([[1.0, 3.0], [2.0, 1.0]])
    >>> project_itakura_saito(np.array([[3.0, 4.0]]), H, tol=0).round(6)
    array([[1., 1.]])
    """
    W, _ = fit_itakura_saito(X, H, W0, tol=tol, max_iter=max_iter, floor=floor)
    return in_precision_of(X, W)


def fit_kl(X, H, W0=None, *, tol=1e-10, max_iter=60, floor=1e-9):
    """As :func:`project_kl`, in float64 and without a warning: ``W``, and the loss of each row."""
    return _fit_kl(X, H, W0, tol, max_iter, floor)[:2]


def certify_kl(X, H, *, tol=1e-10, max_iter=60, floor=1e-9):
    """How near the projection of ``X`` on the cone of ``H`` is to the optimum, with proof.

    Parameters
    ----------
    X, H, tol, max_iter, floor
        As for :func:`project_kl`, whose duality gap this is.

    Returns
    -------
    dict
        ``primal``, the objective of :func:`project_kl`; ``dual_bound``, a number that no
        representation can go below; ``gap``, their difference relative to the sum of ``X``, as
        the divergence from zero is infinite.
    """
    _, loss, gap, _ = _fit_kl(X, H, None, tol, max_iter, floor)
    bound = np.maximum(loss - gap, 0).sum()
    return as_certificate(loss.sum(), bound, X.sum(dtype=np.float64))


def _fit_kl(X, H, W0, tol, max_iter, floor):
    """Weights, losses and duality gaps of the rows, and how many rows are unfinished."""
    X, H, W, loss, tol = _prepare(X, H, W0, tol)
    floor, gap = floor * X.mean(), np.empty_like(loss)
    if sp.issparse(X):
        csr = X.data, X.indices, X.indptr
        unfinished = kl_csr_rows(W, loss, gap, *csr, H, floor, tol, max_iter)
    else:
        unfinished = kl_dense_rows(W, loss, gap, X, H, floor, tol, max_iter)
    return W, loss, gap, unfinished


def fit_itakura_saito(X, H, W0=None, *, tol=1e-5, max_iter=60, floor=1e-9):
    """As :func:`project_itakura_saito`, in float64: ``W``, and the loss of each row."""
    if sp.issparse(X):
        raise TypeError("The Itakura-Saito divergence is undefined at zero: pass a dense X.")
    X, H, W, loss, tol = _prepare(X, H, W0, tol)
    itakura_saito_rows(W, loss, X, H, floor * X.mean(), tol, max_iter)
    return W, loss


def _prepare(X, H, W0, tol):
    """Data, basis, start, losses and tolerance in the few forms that kernels are compiled for."""
    X = check_projection(X, H, W0)
    if not sp.issparse(X):
        X = np.ascontiguousarray(X)
    H = np.ascontiguousarray(H, dtype=np.float64)
    shape = X.shape[0], H.shape[0]
    W = np.zeros(shape) if W0 is None else np.array(W0, dtype=np.float64, order="C")
    return X, H, W, np.empty(shape[0]), float(tol)
