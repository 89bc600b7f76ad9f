"""Initial factors ``(W, Ht)`` of shapes (n_samples, r) and (n_features, r), in the dtype of X."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn.utils.sparsefuncs import csc_median_axis_0

from nmfbench.optim.kernels.multiplicative import halfway_update

__all__ = [
    "INITS",
    "median",
    "nndsvd",
    "nndsvda",
    "random",
    "symmetric_frobenius",
    "symmetric_uniform",
    "uniform",
]


def random(X, r, rng):
    """Absolute values of Gaussian numbers, scaled by ``sqrt(mean(X) / r)`` as scikit-learn does.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    r : int
    rng : Generator

    Returns
    -------
    W, Ht : C-contiguous ndarray
    """
    scale = np.sqrt(X.mean(dtype=np.float64) / r)
    Ht = np.abs(scale * rng.standard_normal((X.shape[1], r)))
    W = np.abs(scale * rng.standard_normal((X.shape[0], r)))
    return W.astype(X.dtype), Ht.astype(X.dtype)


def nndsvd(X, r, rng):
    r"""Non-negative double SVD: the dominant signed half of each singular pair.

    .. math:: u v^T = (u_+ - u_-)(v_+ - v_-)^T, \quad
              \text{keep } u_\pm v_\pm^T \text{ of larger norm, times the singular value.}

    About half of the entries are zero, and multiplicative updates keep them so. If ``X`` has
    lower rank than ``r``, the surplus components are zero, except beyond ``min(X.shape)``, where
    there is no pair and components are drawn as by :func:`random`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    r : int
    rng : Generator
        Starts the iterative SVD, which is used when ``r`` is small against ``X``, and draws what
        is random.

    Returns
    -------
    W, Ht : C-contiguous ndarray

    References
    ----------
    Boutsidis & Gallopoulos (2008), SVD based initialization.
    """
    pairs = min(r, *X.shape)
    U, sigma, Vt = _leading_svd(X, pairs, rng)
    W = np.zeros((X.shape[0], pairs))
    Ht = np.zeros((X.shape[1], pairs))
    for k in range(pairs):
        # The leading pair of a non-negative matrix has one sign, but for rounding.
        u, v = (np.abs(U[:, k]), np.abs(Vt[k])) if k == 0 else _dominant_half(U[:, k], Vt[k])
        share = np.linalg.norm(u) * np.linalg.norm(v)
        if sigma[k] <= 1e-12 * sigma[0] or share == 0:
            continue
        size = np.sqrt(sigma[k] * share)
        W[:, k] = size * u / np.linalg.norm(u)
        Ht[:, k] = size * v / np.linalg.norm(v)
    noise = 1e-6  # what is this small is rounding of the SVD
    W[noise * W.max(initial=0) > W] = 0
    Ht[Ht < noise * Ht.max(initial=0)] = 0
    if r > pairs:
        drawn = random(X, r, rng)
        W, Ht = (np.hstack([F, G[:, pairs:]]) for F, G in zip((W, Ht), drawn, strict=True))
    return W.astype(X.dtype), Ht.astype(X.dtype)


def nndsvda(X, r, rng):
    r""":func:`nndsvd` with its zeros filled by a small number, so that any update can move them.

    .. math:: \text{mean}(X) \, / \sqrt{\max(X)}

    Of data with a maximum of 1 this is the mean of ``X``, as published. The mean itself has the
    unit of ``X``, while factors have its root: the start would depend on the unit.

    Parameters and returns as in :func:`nndsvd`.
    """
    W, Ht = nndsvd(X, r, rng)
    largest = float(X.max()) or 1.0
    fill = X.mean(dtype=np.float64) / np.sqrt(largest)
    W[W == 0] = fill
    Ht[Ht == 0] = fill
    return W, Ht


def _leading_svd(X, r, rng):
    if not X.shape[0] or X.max() == 0:
        return np.zeros((X.shape[0], r)), np.zeros(r), np.zeros((r, X.shape[1]))
    if 4 * r < min(X.shape) and min(X.shape) > 50:
        start = rng.standard_normal(min(X.shape))
        U, sigma, Vt = svds(X.astype(np.float64), k=r, v0=start)
        order = np.argsort(-sigma)
        return U[:, order], sigma[order], Vt[order]
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    U, sigma, Vt = np.linalg.svd(dense.astype(np.float64), full_matrices=False)
    return U[:, :r], sigma[:r], Vt[:r]


def _dominant_half(u, v):
    plus = np.maximum(u, 0), np.maximum(v, 0)
    minus = np.maximum(-u, 0), np.maximum(-v, 0)
    size = [np.linalg.norm(a) * np.linalg.norm(b) for a, b in (plus, minus)]
    return plus if size[0] >= size[1] else minus


def uniform(X, r, rng):
    r"""Uniform numbers on [0, 1/r], and one multiplicative step on each, which fixes the scale.

    .. math:: W \leftarrow W \odot \frac{X H^T}{W H H^T}, \quad
              H \leftarrow H \odot \frac{W^T X}{W^T W H}

    The start of the authors' published code of MahNMF (Guan et al. 2012): a median kills
    components whose product overshoots the data, so it is small.

    Parameters and returns as in :func:`random`.
    """
    Ht = rng.uniform(0, 1 / r, (X.shape[1], r)).astype(X.dtype)
    W = rng.uniform(0, 1 / r, (X.shape[0], r)).astype(X.dtype)
    W *= (X @ Ht) / (W @ (Ht.T @ Ht))
    gram = W.T @ W
    Ht *= (X.T @ W) / np.maximum(Ht @ gram, np.finfo(X.dtype).tiny)
    return W, Ht


def median(X, r, rng):
    """The median of the samples as the first component, with weights 1; the others small.

    The others are uniform numbers: components up to a tenth of the mean of ``X``, with weights
    up to 1. For frames of a still camera the first is nearly the background; a random start may
    lose components there.

    Parameters and returns as in :func:`random`. Features that are zero in more than half
    of the samples start at zero.
    """
    W, Ht = np.ones((X.shape[0], r)), np.empty((X.shape[1], r))
    Ht[:, 0] = csc_median_axis_0(X.tocsc()) if sp.issparse(X) else np.median(X, axis=0)
    W[:, 1:] = rng.uniform(0, 1, (X.shape[0], r - 1))
    Ht[:, 1:] = rng.uniform(0, 0.1 * X.mean(dtype=np.float64), (X.shape[1], r - 1))
    return W.astype(X.dtype), Ht.astype(X.dtype)


def symmetric_uniform(X, r, rng):
    """Uniform numbers, scaled so that ``H @ H.T`` fits ``X`` best in the least squares.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n)
    r : int
    rng : Generator

    Returns
    -------
    H, H : ndarray of shape (n, r)
        The same array, twice.
    """
    H = rng.random((X.shape[0], r))
    gram = H.T @ H
    H *= np.sqrt(np.vdot(H, X @ H) / np.vdot(gram, gram))
    H = H.astype(X.dtype)
    return H, H


def symmetric_frobenius(X, r, rng):
    r"""The symmetric NMF of least squares, by multiplicative steps from :func:`symmetric_uniform`.

    .. math:: H \leftarrow H \odot (\tfrac12 + \tfrac12\, X H \oslash H H^T H)

    Parameters and returns as in :func:`symmetric_uniform`.
    """
    H, _ = symmetric_uniform(X, r, rng)
    for _ in range(_START_STEPS):
        halfway_update(H, X @ H, H @ (H.T @ H))
    return H, H


INITS = {
    "random": random,
    "nndsvd": nndsvd,
    "nndsvda": nndsvda,
    "uniform": uniform,
    "median": median,
}

_START_STEPS = 300
