"""The quantile function of the Poisson distribution, for means that are not large."""

from math import exp

from numba import njit

__all__ = ["poisson_quantile"]


@njit(cache=True)
def poisson_quantile(u, mean):
    """Replace each ``u[i]`` by the smallest k whose cumulative probability reaches it.

    Probabilities are summed up from k = 0, at a cost of about ``mean[i]`` additions an entry.

    Parameters
    ----------
    u : ndarray of shape (n,)
        In [0, 1).
    mean : ndarray of shape (n,)
        From 0 to 700: the probability of 0 must not underflow.
    """
    for i in range(len(u)):
        k = 0
        probability = exp(-mean[i])
        reached = probability
        while reached < u[i]:
            k += 1
            probability *= mean[i] / k
            # Beyond the mode probabilities fall. Rounding may stop their sum below u.
            if k > mean[i] and reached + probability == reached:
                break
            reached += probability
        u[i] = k
