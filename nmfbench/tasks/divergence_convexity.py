"""Whether the Itakura-Saito divergence of a model is convex in its bases."""

from __future__ import annotations

import numpy as np

from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.kernels.itakura_saito import itakura_saito_codes
from nmfbench.tasks.base import Outcome, ability, fit_of
from nmfbench.tasks.online import draw_samples, first_bases, start_at

__all__ = ["divergence_convexity", "excess"]

_FLOOR = 1e-3  # of the mean of the data: about a tenth of a grey level
_SCALES = 2.0, 6.0  # ends of a line through the origin
_UPDATES = 500  # of the coefficients
_ROUNDING = 1e-9


@register_task(
    "divergence-convexity",
    summary="Itakura-Saito divergence halfway between bases over the mean of both ends",
    needs={"partial_fit": "the class has no partial_fit"},
    matters={"largest-excess": None, "share*": 0.02},
)
def divergence_convexity(data, solver, rng, *, n_components, n_samples):
    r"""Compare the divergence at midpoints of segments of bases with the mean of their ends.

    :math:`d(v, Wh) = \sum_i v_i/y_i - \log(v_i/y_i) - 1` with :math:`y = Wh` is convex in W only
    if it is nowhere higher halfway between two bases than on average at these. Each sample has its
    coefficients h on the learned bases, the same along a segment.

    Parameters
    ----------
    data : Bunch
        With ``X``; no entry counts as less than 0.001 of the mean.
    solver : estimator
        Of the online family, for the divergence; it learns from one pass.
    rng : Generator
        Draws samples, first bases and other random bases.
    n_components, n_samples : int

    Returns
    -------
    Outcome
        Metrics ``largest-excess``, of the midpoint over the mean of the ends as a share of that
        mean, and ``share-*`` of the segments where it exceeds 1e-9: ``learned``, from learned
        bases to random ones; ``random``, between random bases; ``scaled``, from twice to six times
        the learned bases; ``entry``, of one entry of the learned bases, from nothing to twice its
        size.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Section III-D.
    """
    learn = ability(solver, "partial_fit", "take one for the divergence, such as or-nmf-is")
    X = draw_samples(data, rng, n_samples)[0]
    floor = _FLOOR * X.mean()
    X = np.maximum(X, floor)
    start = first_bases(X, n_components, rng)
    solver.set_params(n_components=n_components, floor=floor)
    start_at(solver, start, len(X), 1)
    clock = Trace()
    with clock.clock():
        learn(X)
    H = np.asarray(solver.components_, dtype=np.float64)
    codes = np.repeat(X.sum(axis=1, keepdims=True) / H.sum(), len(H), axis=1)
    itakura_saito_codes(codes, X, H, floor, 0.5, 1e-6, _UPDATES)
    others = [np.roll(first_bases(X, n_components, rng), k, axis=0) for k in range(2)]
    learned, first, second = (codes @ bases for bases in (H, *others))
    low, high = _SCALES
    part = codes[:, [0]] * H[0]
    found = {
        "learned": excess(X, learned, first),
        "random": excess(X, first, second),
        "scaled": excess(X, low * learned, high * learned),
        "entry": _excess_of_entries(X, learned, part),
    }
    metrics = {f"share-{name}": np.mean(values > _ROUNDING) for name, values in found.items()}
    metrics["largest-excess"] = max(values.max() for values in found.values())
    fit = fit_of(clock, 1, stop_reason="max_iter")
    return Outcome({name: float(value) for name, value in metrics.items()}, fit)


def _terms(X, Y):
    ratio = X / Y
    return ratio - np.log(ratio) - 1


def excess(X, first, second):
    """Divergence of each row halfway between two models, less the mean of both, as a share of it.

    Examples
    --------
    A model of one pixel, twice and six times as bright as it:

    >>> x = np.array([[1.0]])
    >>> excess(x, 2 * x, 6 * x).round(3).item()
    0.105
    """
    ends = (_terms(X, first).sum(axis=1) + _terms(X, second).sum(axis=1)) / 2
    return (_terms(X, (first + second) / 2).sum(axis=1) - ends) / ends


def _excess_of_entries(X, Y, part):
    """The same for each entry of the models, of which ``part`` vanishes, or doubles.

    Where nothing changes, or nothing is left, there is no segment.
    """
    there = (part > 1e-6 * Y) & (part < (1 - 1e-6) * Y)
    X, Y, part = X[there], Y[there], part[there]
    ends = (_terms(X, Y - part) + _terms(X, Y + part)) / 2
    return (_terms(X, Y) - ends) / ends
