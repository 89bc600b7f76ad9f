"""Stopping rules, named: each looks at what a solver has recorded and says whether to stop."""

__all__ = ["relative_decrease"]


def relative_decrease(trace, tol):
    """The last step lowered the objective by no more than ``tol`` times its value before it.

    Parameters
    ----------
    trace : Trace
        With at least two records.
    tol : float
        With 0, stop only when the objective has ceased to fall.

    Returns
    -------
    bool

    Examples
    --------
    >>> from nmfbench.trace import Trace
    >>> trace = Trace()
    >>> trace.record(0, 100.0)
    >>> trace.record(1, 99.0)
    >>> relative_decrease(trace, tol=0.1), relative_decrease(trace, tol=0.001)
    (True, False)
    """
    before, now = trace.objective(1), trace.objective()
    return bool(before - now <= tol * before)
