"""Inner iterations of online methods: how many a step takes, and what makes them many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.kernels.incremental import incremental_updates
from nmfbench.optim.kernels.simplex import row_sweeps
from nmfbench.solvers.online.base import exact_codes
from nmfbench.solvers.online.inmf import INMF
from nmfbench.solvers.online.surrogate import surrogate
from nmfbench.tasks.base import Outcome, ability, fit_of
from nmfbench.tasks.online import draw_samples, first_bases, start_at

__all__ = ["incremental_steps", "off_diagonal_sweeps", "zero_denominators"]

_PLACES = 20  # samples of a stream whose steps are looked at
_GAP = 0.01  # share of the first gap to the minimum that counts as the end
_FLOOR = 1e-12
_TINY = 1e-12  # of a value: a gap that rounding makes


def _stream(data, solver, rng, n_components, n_samples, n_epochs):
    """The samples of all passes, and the places to look at: even, from the r-th sample on."""
    ability(solver, "partial_fit", "take one of the online family")
    X = normalize(draw_samples(data, rng, n_samples)[0])
    H = first_bases(X, n_components, rng)
    solver.set_params(n_components=n_components)
    start_at(solver, H, len(X), n_epochs)
    stream = X[np.tile(rng.permutation(len(X)), n_epochs)]
    places = np.linspace(min(n_components, len(stream) - 1), len(stream) - 1, _PLACES)
    return stream, H, {*places.astype(int).tolist()}


def _outcome(metrics, clock, n):
    fit = fit_of(clock, n, stop_reason="max_iter")
    return Outcome({name: float(value) for name, value in metrics.items()}, fit)


def _mean_count(counts):
    """Geometric mean."""
    return np.exp(np.mean(np.log(counts)))


# -- INMF -------------------------------------------------------------------------------------


@register_task(
    "incremental-steps",
    summary="multiplicative updates of INMF for a sample, beside exact sweeps on its problem",
    needs={"partial_fit": "the class has no partial_fit"},
    tolerances={"*": np.inf},  # rounding may move the iteration that passes the level
    matters={"updates": Ratio(0.10), "sweeps": Ratio(0.10), "share-ended": None},
)
def incremental_steps(data, solver, rng, *, n_components, n_samples=None, n_epochs=2, limit=2000):
    r"""Count the updates of Eq. (40) until 99 % of what they can gain is gained.

    At some samples of a stream, the problem of INMF, Eq. (39), is taken as it stands, and is
    lowered from the same start in two ways: by the multiplicative updates (40), and by
    best coefficients and one exact sweep over the bases in turn, which cost
    :math:`O(mr^2)` likewise. The minimum is the lowest value that either of them reaches in
    ``limit`` iterations.

    Parameters
    ----------
    data : Bunch
        With ``X``, whose rows are scaled to unit norm.
    solver : estimator
        INMF, for its weights.
    rng : Generator
        Draws samples, first bases and the order, which all passes share.
    n_components : int
    n_samples : int, optional
        By default all.
    n_epochs : int, default=2
    limit : int, default=2000

    Returns
    -------
    Outcome
        Metrics ``updates`` and ``sweeps``, geometric means over the samples; ``share-ended``, of
        the samples whose updates came that near.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Eqs. (39) and (40).
    """
    stream, H, places = _stream(data, solver, rng, n_components, n_samples, n_epochs)
    clock, updates, sweeps, ended = Trace(), [], [], []
    for k, v in enumerate(stream):
        if k in places:
            found = _both_ways(solver, v, H, limit)
            if found is not None:
                updates.append(min(found[0], limit))
                sweeps.append(min(found[1], limit))
                ended.append(found[0] <= limit)
        with clock.clock():
            solver.partial_fit(v[None])
    metrics = {
        "updates": _mean_count(updates),
        "sweeps": _mean_count(sweeps),
        "share-ended": np.mean(ended),
    }
    return _outcome(metrics, clock, len(stream))


def _both_ways(solver, v, H, limit):
    """Updates and sweeps on the problem of the next sample; None where there is nothing to gain."""
    old, new = solver.weights
    if hasattr(solver, "_state"):
        s = solver._state
        H, A, B = s.H.copy(), old * s.A, old * s.B
    else:
        H, A, B = H.copy(), np.zeros((len(H),) * 2), np.zeros_like(H)
    h = np.full(len(H), v.sum() / max(H.sum(), _FLOOR))

    def value(H, h):
        return surrogate(H, A @ H, B) + 0.5 * new * np.sum((v - h @ H) ** 2)

    first = value(H, h)
    by_updates, M, g = [], H.copy(), h.copy()
    for _ in range(limit):
        incremental_updates(M, g, v, A, B, 1.0, new, 0.0, 1, _FLOOR)
        by_updates.append(value(M, g))
    by_sweeps = []
    for _ in range(limit):
        g = exact_codes(v[None], H)[0]
        _sweep(H, A + new * np.outer(g, g), B + new * np.outer(g, v))
        by_sweeps.append(value(H, g))
        if len(by_sweeps) > 1 and by_sweeps[-2] - by_sweeps[-1] <= _TINY * abs(first):
            break
    lowest = min(min(by_updates), min(by_sweeps))
    if first - lowest <= _TINY * max(abs(first), 1.0):
        return None
    level = lowest + _GAP * (first - lowest)
    return tuple(_first_below(curve, level, limit) for curve in (by_updates, by_sweeps))


def _first_below(values, level, limit):
    """Iterations until a value is at the level; more than ``limit``, if none is."""
    below = np.flatnonzero(np.array(values) <= level)
    return int(below[0]) + 1 if len(below) else limit + 1


def _sweep(H, A, B):
    """Minimise a quadratic surrogate over non-negative rows, one after the other."""
    for k in range(len(H)):
        if A[k, k] > 0:
            H[k] = np.maximum(H[k] - (A[k] @ H - B[k]) / A[k, k], 0.0)


@dataclass(eq=False, repr=False, kw_only=True)
class _Unfloored(INMF):
    """INMF as printed: a denominator may be zero."""

    floor: ClassVar[float] = 0.0


@register_task(
    "zero-denominators",
    summary="whether INMF without a floor for its denominators ends with finite bases",
    needs={"partial_fit": "the class has no partial_fit"},
    matters={"failed": 0.02, "finite-share": None},
)
def zero_denominators(data, solver, rng, *, n_components, n_samples=None, n_epochs=2):
    """Give INMF a stream, with denominators as printed, until its bases are not finite.

    Parameters
    ----------
    data : Bunch
        With ``X``, whose rows are scaled to unit norm.
    solver : estimator
        INMF, for its parameters.
    rng : Generator
        Draws samples, first bases and the order, which all passes share.
    n_components : int
    n_samples : int, optional
        By default all.
    n_epochs : int, default=2

    Returns
    -------
    Outcome
        Metrics ``failed``, 1 where bases or coefficients have an entry that is not finite, and
        ``finite-share``, of the samples before.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Section IV-C.
    """
    printed = _Unfloored(**solver.get_params())
    stream, _, _ = _stream(data, printed, rng, n_components, n_samples, n_epochs)
    clock, failed, done = Trace(), False, 0
    with np.errstate(all="ignore"):
        for v in stream:
            with clock.clock():
                printed.partial_fit(v[None])
            finite = np.isfinite(printed.components_).all()
            if not (finite and np.isfinite(printed.latest_codes_).all()):
                failed = True
                break
            done += 1
    return _outcome({"failed": failed, "finite-share": done / len(stream)}, clock, done)


# -- OMF --------------------------------------------------------------------------------------


@register_task(
    "off-diagonal-sweeps",
    summary="sweeps over bases against the size of the off-diagonal entries of the Hessian",
    needs={"partial_fit": "the class has no partial_fit"},
    tolerances={"*": np.inf},  # rounding may move the iteration that passes the level
    matters={"sweeps": Ratio(0.10), "sweeps-*": Ratio(0.10)},
)
def off_diagonal_sweeps(
    data, solver, rng, *, n_components, shares, n_samples=None, n_epochs=2, limit=2000
):
    r"""Count the sweeps of Eq. (45) with off-diagonal entries of :math:`A_t` as they are, and less.

    At some samples of a stream of OMF, the surrogate :math:`\frac12 tr(W A_t W^T) - tr(W^T B_t)` is
    minimised over the simplex from the first bases of the stream, by sweeps over the columns, with
    the off-diagonal entries of :math:`A_t` at a share of what they are. Sweeps count until the gap
    to the minimum is a hundredth of what it was.

    Parameters
    ----------
    data : Bunch
        With ``X``, whose rows are scaled to unit norm.
    solver : estimator
        OMF.
    rng : Generator
        Draws samples, first bases and the order, which all passes share.
    n_components : int
    shares : sequence of float
    n_samples : int, optional
        By default all.
    n_epochs : int, default=2
    limit : int, default=2000
        Sweeps at most.

    Returns
    -------
    Outcome
        Metrics ``sweeps-<share>``, geometric means over the samples.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Eqs. (44) and (45).
    """
    stream, H, places = _stream(data, solver, rng, n_components, n_samples, n_epochs)
    clock = Trace()
    counts: dict[float, list[Any]] = {share: [] for share in shares}
    for k, v in enumerate(stream):
        with clock.clock():
            solver.partial_fit(v[None])
        if k in places:
            A, B = solver._state.A, solver._state.B
            for share in shares:
                scaled = share * A + (1 - share) * np.diag(np.diag(A))
                counts[share].append(_sweeps(H, scaled, B, limit))
    metrics = {f"sweeps-{share:g}": _mean_count(found) for share, found in counts.items()}
    return _outcome(metrics, clock, len(stream))


def _sweeps(H, A, B, limit):
    """Sweeps over the bases until the gap to the minimum is a hundredth of that at ``H``."""
    H, values = H.copy(), []
    first = surrogate(H, A @ H, B)
    for _ in range(limit):
        row_sweeps(H, A, B, 1, 0.0)
        values.append(surrogate(H, A @ H, B))
        if len(values) > 1 and values[-2] - values[-1] <= _TINY * abs(first):
            break
    lowest = values[-1]
    if first - lowest <= _TINY * max(abs(first), 1.0):
        return 1
    return min(_first_below(values, lowest + _GAP * (first - lowest), limit), limit)
