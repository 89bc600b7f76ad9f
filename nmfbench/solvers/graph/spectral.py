"""Eigenvectors of the normalised Laplacian of a graph, for the clusterers that start from them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh

from nmfbench.optim import graphs

__all__ = ["normalized_affinity", "spectral_rows", "spectral_vectors"]

_DENSE = 300  # samples up to which a dense eigensolver is used
_FLOOR = 1e-10  # of degrees


def normalized_affinity(S):
    r""":math:`D^{-1/2} S D^{-1/2}`, the identity minus the normalised Laplacian.

    Parameters
    ----------
    S : CSR array of shape (n_samples, n_samples)
        Symmetric and non-negative. A row without entries stays so.

    Returns
    -------
    CSR array of the same shape
    """
    scale = sp.diags_array(1 / np.sqrt(np.maximum(graphs.degrees(S), _FLOOR)))
    return (scale @ S @ scale).tocsr()


def spectral_vectors(S, k, rng):
    r"""Eigenvectors of the ``k`` smallest eigenvalues of the normalised Laplacian.

    Parameters
    ----------
    S : CSR array of shape (n_samples, n_samples)
        Symmetric and non-negative.
    k : int
        At most ``n_samples``.
    rng : Generator
        Starts the Lanczos iteration.

    Returns
    -------
    V : ndarray of shape (n_samples, k)
        Orthonormal columns, by increasing eigenvalue.

    Notes
    -----
    The eigenvectors of the eigenvalue 0 are known: :math:`D^{1/2} 1_C` for each connected
    component C, here by decreasing volume. They are taken out of the matrix, as a Lanczos
    iteration does not find all copies of a multiple eigenvalue. With ``k`` components or more, the
    vectors of the k largest are all that is returned: the graph does not determine which components
    to join. A sample without neighbours has the eigenvalue 1.
    """
    n = S.shape[0]
    d = graphs.degrees(S)
    _, part = connected_components(S, directed=False)
    volume = np.bincount(part, weights=d)
    linked = np.flatnonzero(volume)
    kept = linked[np.argsort(-volume[linked], kind="stable")][:k]
    known = np.zeros((n, len(kept)))
    for column, c in enumerate(kept):
        known[part == c, column] = np.sqrt(d[part == c] / volume[c])
    missing = k - len(kept)
    if not missing:
        return known
    A = normalized_affinity(S)
    if n <= _DENSE or 2 * missing > n:
        dense = A.toarray() - 2 * known @ known.T  # takes the eigenvalues 1 to -1
        return np.hstack([known, eigh(dense, subset_by_index=(n - missing, n - 1))[1][:, ::-1]])
    deflated = LinearOperator(
        (n, n), matvec=lambda x: A @ x - 2 * (known @ (known.T @ x)), dtype=np.float64
    )
    values, found = eigsh(deflated, missing, which="LA", v0=rng.standard_normal(n))
    return np.hstack([known, found[:, np.argsort(-values, kind="stable")]])


def spectral_rows(S, k, rng):
    """:func:`spectral_vectors` with rows of unit norm, but for zero rows.

    References
    ----------
    Ng, Jordan & Weiss (2001), On spectral clustering: analysis and an algorithm.
    """
    V = spectral_vectors(S, k, rng)
    norms = np.linalg.norm(V, axis=1, keepdims=True)
    return V / np.where(norms > _FLOOR, norms, 1.0)
