"""Contrast of classes in an affinity matrix, and what of it a symmetric factor can show."""

from __future__ import annotations

import numpy as np

__all__ = ["block_means", "bound_share", "class_contrast"]


def class_contrast(A, B, labels):
    """Mean entry of a matrix within labels as a ratio to that between them, off the diagonal.

    Parameters
    ----------
    A, B : ndarray or CSR array
        The matrix is ``A @ B.T``, or ``A`` if ``B`` is None, square and non-negative.
    labels : ndarray of int

    Returns
    -------
    float
        At most a million, as there may be nothing between labels; 1 with a single label, and of
        a matrix of zeros.

    Examples
    --------
    >>> round(class_contrast(np.array([[9.0, 4, 2], [4, 9, 2], [2, 2, 9]]), None, [0, 0, 1]), 4)
    2.0
    """
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    one_hot = np.eye(len(sizes))[labels]
    if B is None:
        blocks, diagonal = one_hot.T @ (A @ one_hot), A.diagonal().sum()
    else:
        blocks = (one_hot.T @ A) @ (B.T @ one_hot)
        diagonal = np.vdot(A, B)
    n = sizes.sum()
    pairs_within = np.vdot(sizes, sizes) - n
    pairs_between = n * (n - 1) - pairs_within
    within = np.trace(blocks) - diagonal
    between = blocks.sum() - np.trace(blocks)
    if not pairs_within or not pairs_between or not within + between > 0:
        return 1.0
    return float(min(within / pairs_within / max(between / pairs_between, 1e-300), 1e6))


def block_means(A, cells):
    """Means of the square blocks of a matrix, without its diagonal.

    Parameters
    ----------
    A : ndarray of shape (n, n)
    cells : int
        Blocks a side, at most. All are of one size but the last ones.

    Returns
    -------
    ndarray of shape (n_blocks, n_blocks)
        A block that has nothing but a diagonal entry is 0.

    Examples
    --------
    >>> block_means(np.array([[9.0, 2, 4], [2, 9, 6], [4, 6, 9]]), 2)
    array([[2., 5.],
           [5., 0.]])
    """
    n = len(A)
    first = np.arange(0, n, -(-n // cells))
    sizes = np.diff(first, append=n)
    off = A - np.diag(A.diagonal())
    sums = np.add.reduceat(np.add.reduceat(off, first, axis=0), first, axis=1)
    return sums / np.maximum(np.outer(sizes, sizes) - np.diag(sizes), 1)


def bound_share(V, H):
    """Share of the entries of H where the diagonal of V is no more than other components make it.

    Parameters
    ----------
    V : ndarray or CSR array of shape (n, n)
    H : ndarray of shape (n, r)

    Returns
    -------
    float
    """
    squares = H**2
    others = squares.sum(axis=1, keepdims=True) - squares
    return np.mean(V.diagonal()[:, None] - others <= 0)
