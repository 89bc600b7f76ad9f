"""The multiplicative update, for any objective whose gradient splits in two non-negative parts."""

import numpy as np
from numba import njit

__all__ = ["halfway_update", "ratio_update"]


@njit(cache=True)
def ratio_update(factor, numerator, denominator):
    """``factor *= numerator / denominator``, entry by entry, in place.

    An entry whose denominator is zero stays: either it is zero itself, or its component has no
    partner, so that it does not enter the reconstruction.
    """
    for i in range(factor.shape[0]):
        for k in range(factor.shape[1]):
            if denominator[i, k] > 0:
                # In this order: the product may underflow to 0, the ratio must not overflow.
                factor[i, k] = factor[i, k] * numerator[i, k] / denominator[i, k]


def halfway_update(factor, numerator, denominator):
    """``factor *= (1 + numerator / denominator) / 2``, entry by entry, in place.

    Half the way of :func:`ratio_update`, for a factor that is both factors, where a whole step
    may overshoot. ``numerator`` is overwritten.
    """
    numerator /= np.maximum(denominator, np.finfo(factor.dtype).tiny)
    numerator += 1
    factor *= numerator / 2
