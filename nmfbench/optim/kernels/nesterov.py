"""A step of Nesterov's optimal gradient method for non-negative least squares.

With its small products a fit takes 1.1 times as long with vectors of 256 bits, as the reference
target has them, as with 512.
"""

from numba import njit

__all__ = ["nesterov_step"]


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def nesterov_step(before, now, slope_before, slope, cross, momentum, length):
    """A projected gradient step from the extrapolation of two points, and where it comes from.

    The gradient of a quadratic is affine: at the extrapolation ``now + momentum (now - before)``
    it is the same combination of the gradients at the two points, and needs no product.

    Parameters
    ----------
    before : ndarray of shape (n, r)
        Becomes the new point, in place.
    now : ndarray of shape (n, r)
    slope_before : ndarray of shape (n, r)
        The gradient at ``before``.
    slope : ndarray of shape (n, r)
        ``now @ gram``. Becomes the gradient at ``now``, in place.
    cross : ndarray of shape (n, r)
        What is to be taken from it.
    momentum, length : float
        In the dtype of the arrays.

    Returns
    -------
    float
        Squared norm of the projected gradient at ``now``: of the gradient where it is negative
        or the factor positive.
    """
    a, b = before.reshape(-1), now.reshape(-1)
    f, g, c = slope_before.reshape(-1), slope.reshape(-1), cross.reshape(-1)
    zero = a.dtype.type(0)
    total = 0.0
    for i in range(a.shape[0]):
        gradient = g[i] - c[i]
        g[i] = gradient
        violation = gradient if b[i] > zero else min(gradient, zero)
        total += violation * violation
        point = b[i] + momentum * (b[i] - a[i])
        a[i] = max(point - length * (gradient + momentum * (gradient - f[i])), zero)
    return total
