"""The Huber loss of a factorization, and the data that it sees, in one pass."""

from numba import njit

__all__ = ["pull_to_fit"]


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def pull_to_fit(fitted, X, threshold):
    r"""Turn fitted values into the data freed from outliers, in place; return the loss.

    With :math:`e = x - f` for an entry x and the value f fitted to it, and the threshold t,

    .. math:: f \leftarrow f + \operatorname{clip}(e, -t, t), \qquad
              h(e) = \begin{cases} e^2 & |e| \le t \\ 2t|e| - t^2 & |e| > t. \end{cases}

    That is x itself unless it is farther than t from f, and then the nearest value that is not.

    Parameters
    ----------
    fitted : ndarray of shape (n, m)
        In: the fitted values. Out: ``X`` without its sparse part, :math:`X - S`.
    X : ndarray of shape (n, m)
    threshold : float
        Positive. With infinity ``X`` comes out as it is, and the loss is the squared error.

    Returns
    -------
    float
        Sum of h over all entries. A row is summed in its own precision, rows in float64.

    Notes
    -----
    If ``X`` and the fitted values are non-negative, so is what comes out, as it lies between
    them; rounding cannot change that.

    References
    ----------
    Guo, Ding & Zhou (2014), Robust non-negative matrix factorization with discriminability for
    image representation, Eqs. (19)-(20).
    """
    n, m = X.shape
    t = fitted.dtype.type(threshold)
    total = 0.0
    for i in range(n):
        f, x = fitted[i], X[i]
        subtotal = fitted.dtype.type(0)
        for j in range(m):
            e = x[j] - f[j]
            inner = min(max(e, -t), t)
            subtotal += inner * (e + e - inner)
            # Not f + inner: an entry that is no outlier shall come out unrounded.
            f[j] = min(max(x[j], f[j] - t), f[j] + t)
        total += subtotal
    return total
