"""Stopping rules, named: each looks at what a solver has recorded and says whether to stop."""

__all__ = ["relative_decrease", "relative_progress"]


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
    >>> from nmfbench.core.trace import Trace
    >>> trace = Trace()
    >>> trace.record(0, 100.0)
    >>> trace.record(1, 99.0)
    >>> relative_decrease(trace, tol=0.1), relative_decrease(trace, tol=0.001)
    (True, False)
    """
    before, now = trace.objective(1), trace.objective()
    return bool(before - now <= tol * before)


def relative_progress(trace, tol, min_iter=10):
    r"""The last step changed the objective little against all the steps together.

    .. math:: |F_{t-1} - F_t| \le \epsilon |F_0 - F_t|, \qquad t \ge \text{min\_iter}

    Parameters
    ----------
    trace : Trace
        With the record of the start and of every step.
    tol : float
    min_iter : int, default=10

    Returns
    -------
    bool

    Notes
    -----
    A bad start makes :math:`F_0` large and the test loose. Guan et al. (2012), Eq. (4); the
    formula is lost in the text, and is that of the authors' published code.

    Examples
    --------
    >>> from nmfbench.core.trace import Trace
    >>> trace = Trace()
    >>> for iteration, objective in enumerate([100.0, 20.0, 19.0]):
    ...     trace.record(iteration, objective)
    >>> relative_progress(trace, 0.1, min_iter=2), relative_progress(trace, 0.1, min_iter=3)
    (True, False)
    """
    if len(trace) <= min_iter:
        return False
    start, before, now = trace.objective(len(trace) - 1), trace.objective(1), trace.objective()
    return bool(abs(before - now) <= tol * abs(start - now))
