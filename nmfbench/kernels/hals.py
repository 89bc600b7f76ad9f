"""Hierarchical alternating least squares on Gram products."""

from numba import njit

__all__ = ["hals_sweeps"]


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def hals_sweeps(factor, cross, gram, n_sweeps):
    """Exact minimisation over one component after the other, ``n_sweeps`` times, in place.

    The problem is ``min ||X - factor @ other.T||^2`` over ``factor >= 0``. Its rows are
    independent, so each makes all its sweeps while it is in cache.

    Parameters
    ----------
    factor : ndarray of shape (n, r)
        Modified in place.
    cross : ndarray of shape (n, r)
        ``X @ other``.
    gram : ndarray of shape (r, r)
        ``other.T @ other``. A component with a zero on its diagonal is left as it is.
    n_sweeps : int
    """
    n, r = factor.shape
    zero = factor.dtype.type(0)
    for i in range(n):
        row = factor[i]
        for _ in range(n_sweeps):
            for k in range(r):
                if gram[k, k] > 0:
                    gradient = -cross[i, k]
                    for j in range(r):
                        gradient += gram[k, j] * row[j]
                    value = row[k] - gradient / gram[k, k]
                    row[k] = value if value > zero else zero
