"""Sums over pairs of samples and coefficients, which stand for the past of a stream."""

from numba import njit

__all__ = ["add_pair"]


@njit(cache=True, nogil=True)
def add_pair(A, B, h, v):
    r"""Add :math:`hh^T` to ``A`` and :math:`hv^T` to ``B``, in place.

    Parameters
    ----------
    A : ndarray of shape (r, r), changed in place
    B : ndarray of shape (r, m), changed in place
    h : ndarray of shape (r,)
        Coefficients of a sample, many of them zero.
    v : ndarray of shape (m,)
        The sample.
    """
    for k in range(h.shape[0]):
        weight = h[k]
        if weight == 0:
            continue
        for j in range(h.shape[0]):
            A[k, j] += weight * h[j]
        for i in range(v.shape[0]):
            B[k, i] += weight * v[i]
