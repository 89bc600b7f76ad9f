"""Proof of how good representations are: a loss, a bound below it, and the gap between them."""

from __future__ import annotations

__all__ = ["as_certificate"]


def as_certificate(primal, dual_bound, size):
    """The dict that ``certificate`` of a solver returns.

    Parameters
    ----------
    primal : float
        Objective of the representation found.
    dual_bound : float
        A number that no representation can go below.
    size : float
        An objective that is not small, in the unit of this one: where the representation is zero,
        or, if that is infinite, another that grows with the data.

    Returns
    -------
    dict
        ``primal``, ``dual_bound``, and ``gap``: their difference as a share of ``size``.
        A share of ``primal`` would be rounding over rounding where data are represented exactly.

    Examples
    --------
    >>> as_certificate(3.0, 2.0, 10.0)
    {'primal': 3.0, 'dual_bound': 2.0, 'gap': 0.1}
    """
    gap = max(primal - dual_bound, 0.0) / size if size else 0.0
    return {"primal": float(primal), "dual_bound": float(dual_bound), "gap": float(gap)}
