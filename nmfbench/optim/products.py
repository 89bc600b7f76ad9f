"""Products of the data with a few columns."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from nmfbench.optim.kernels.sparse_product import sparse_product

__all__ = ["thin_product"]


def thin_product(X, factor):
    """``X @ factor`` to the last bit, and for a CSR matrix in less time.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, m)
    factor : ndarray of shape (m, r)

    Returns
    -------
    ndarray of shape (n, r)
    """
    if not sp.issparse(X) or X.dtype != factor.dtype:
        return X @ factor
    out = np.empty((X.shape[0], factor.shape[1]), X.dtype)
    sparse_product(X.indptr, X.indices, X.data, np.ascontiguousarray(factor), out)
    return out
