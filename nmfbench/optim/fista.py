"""Accelerated proximal gradients for a least-squares sub-problem, from its Gram products."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["monotone_fista"]


def monotone_fista(
    factor, cross, gram, prox: Callable, penalty: Callable, *, max_iter=100, tol=0.0
):
    r"""Minimise :math:`\frac12 \mathrm{tr}(F G F^T) - \langle C, F\rangle + h(F)`; never rises.

    With :math:`G = B^T B` and :math:`C = X B` the smooth part is, but for a constant,
    :math:`\frac12 \|X - F B^T\|_F^2`. The method is FISTA, with steps of :math:`1/\|G\|_2`; a step
    that would raise the objective is taken back, and the momentum is dropped there.

    Parameters
    ----------
    factor : ndarray of shape (n, r)
        Where to start. Not modified.
    cross : ndarray of shape (n, r)
    gram : ndarray of shape (r, r)
        Symmetric and positive semi-definite.
    prox : callable
        ``prox(F, step)`` replaces ``F``, in place, by the minimiser of ``step`` times h plus half
        the squared distance.
    penalty : callable
        ``penalty(F)``, the value of h.
    max_iter : int, default=100
        Most steps.
    tol : float, default=0.0
        Stop when a step changes the factor by no more than this share of its norm.

    Returns
    -------
    ndarray of shape (n, r)

    References
    ----------
    Beck & Teboulle (2009), A fast iterative shrinkage-thresholding algorithm, Section 4;
    O'Donoghue & Candes (2015), Adaptive restart for accelerated gradient schemes.
    """
    if not factor.size:
        return factor.copy()
    norm = np.linalg.eigvalsh(gram)[-1]
    length = 1 / norm if norm > np.finfo(gram.dtype).tiny else 1.0
    twice = 2 * cross
    work = np.empty_like(cross)

    def objective(F, product):
        return 0.5 * np.vdot(F, np.subtract(product, twice, out=work)) + penalty(F)

    # Arrays take turns: new ones of this size cost more than what is computed in them.
    now, product = factor.copy(), factor @ gram
    after, product_after, point = (np.empty_like(product) for _ in range(3))
    value = objective(now, product)
    slope = product - cross
    ahead, alpha = now, 1.0
    for _ in range(max_iter):
        np.subtract(ahead, np.multiply(slope, length, out=work), out=after)
        prox(after, length)
        np.matmul(after, gram, out=product_after)
        value_after = objective(after, product_after)
        if not value_after <= value:
            if ahead is now:  # a plain step, which only rounding lets rise
                break
            np.subtract(product, cross, out=slope)
            ahead, alpha = now, 1.0
            continue
        alpha, last = (1 + np.sqrt(1 + 4 * alpha**2)) / 2, alpha
        momentum = (last - 1) / alpha
        np.subtract(product_after, product, out=slope)
        slope *= momentum
        slope += product_after
        slope -= cross
        change = np.subtract(after, now, out=work)
        ahead = np.multiply(change, momentum, out=point)
        ahead += after
        now, after, product, product_after = after, now, product_after, product
        value = value_after
        if np.linalg.norm(change) <= tol * np.linalg.norm(now):
            break
    return now
