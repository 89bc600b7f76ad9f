"""Quantities of the convergence theory of OR-NMF, measured along a stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.solvers.online.base import exact_codes
from nmfbench.solvers.online.or_nmf import ORNMF
from nmfbench.solvers.online.surrogate import surrogate
from nmfbench.tasks.base import Outcome, ability, fit_of
from nmfbench.tasks.online import draw_samples, first_bases, start_at

__all__ = ["costs_at", "surrogate_stream"]

_A_DECADE = 8  # samples at which costs are evaluated


@register_task(
    "surrogate-stream",
    summary="surrogate, cost and first-order gap of the bases along a stream",
    needs={"partial_fit": "the class has no partial_fit"},
    # Inner loops end by a small tolerance: one iteration more or less moves the last digits.
    tolerances={"largest-rise": np.inf, "share-of-rises": np.inf},
    matters={
        "stored": Ratio(0.02),
        "cost": Ratio(0.02),
        "largest-rise": None,
        "share-of-rises": 0.02,
        "largest-norm": None,
    },
)
def surrogate_stream(
    data,
    solver,
    rng,
    *,
    n_components,
    n_samples=None,
    n_epochs=2,
    cosine=True,
    norm_share=None,
    only_end=False,
    within=0,
):
    r"""Give a solver one sample after the other, and follow its surrogate and its cost.

    The surrogate :math:`g_t(W) = \frac1t \sum_{i\le t} \frac12 \|v_i - W h_i\|^2` has the
    coefficients that each sample had when it came, and the cost
    :math:`f_t(W) = \frac1t \sum_{i\le t} \min_{h\ge0} \frac12 \|v_i - W h\|^2` the best ones. The
    first-order gap of the mean cost f of all samples is
    :math:`\max_{U \in C} \langle \nabla f(W), W - U \rangle`: zero at stationary bases on the
    simplex, and there alone.

    Parameters
    ----------
    data : Bunch
        With ``X``, whose rows are scaled to unit norm.
    solver : estimator
        Of the online family.
    rng : Generator
        Draws samples, first bases, and the order, which all passes share.
    n_components : int
    n_samples : int, optional
        Samples drawn at random; by default all.
    n_epochs : int, default=2
        Passes.
    cosine : bool, default=True
        Whether a solver that scales its steps by a cosine knows the length of the stream;
        otherwise its factor stays at the first value.
    norm_share : float, optional
        Of OR-NMF: fix :math:`M_*` at this share of the largest norm of a gradient in a run that
        finds it by itself.
    only_end : bool, default=False
        Leave out what is measured before the end.
    within : int, default=0
        Also measure so many times, evenly, within the second and the last pass.

    Returns
    -------
    Outcome
        Metrics ``stored`` and ``cost``, g and f at the end; ``largest-rise``, the largest relative
        change of :math:`g_t` by the t-th update of W, and ``share-of-rises``, the share of updates
        that raise it by more than 1e-9 of its value; ``largest-norm``, of a gradient, where the
        solver knows it. Arrays ``change`` and ``rise``, :math:`\|W^t - W^{t-1}\|_F` and the
        relative change, by step; and at the numbers ``at`` of samples, eight a decade, and after
        each pass: ``surrogate``, ``best``, f_t, ``all``, f, and ``slope``, the first-order gap.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Sections II-A and II-B.
    """
    ability(solver, "partial_fit", "take one of the online family, such as or-nmf")
    X = normalize(draw_samples(data, rng, n_samples)[0])
    H = first_bases(X, n_components, rng)
    order = rng.permutation(len(X))
    solver.set_params(n_components=n_components)
    start_at(solver, H, len(X), n_epochs)
    if not cosine:
        solver.set_params(horizon=None)
    stream = X[np.tile(order, n_epochs)]
    if norm_share is not None:
        found = type(solver)(**solver.get_params()).partial_fit(stream)
        solver = _FixedNorm(**solver.get_params(), norm=norm_share * _largest(found))
    places = {len(stream)} if only_end else set(_places(len(stream), len(X), n_components))
    if within:
        for start in (len(X), len(stream) - len(X)):
            places |= set(np.linspace(start, start + len(X), within + 1).round().astype(int)[1:])
    past, clock, rows = _Past(np.zeros((len(H),) * 2), np.zeros_like(H)), Trace(), []
    change, rise = np.zeros(len(stream)), np.zeros(len(stream))
    for k, v in enumerate(stream):
        with clock.clock():
            solver.partial_fit(v[None])
        before, H = H, np.asarray(solver.components_, dtype=np.float64)
        past.add(v, solver.latest_codes_[0])
        old, new = past.surrogate(before), past.surrogate(H)
        change[k], rise[k] = np.linalg.norm(H - before), (new - old) / max(old, 1e-300)
        if k + 1 in places:
            rows.append([k + 1, new, *costs_at(X[order], H, k + 1)])
    at, stored, best, everything, slope = np.array(rows, dtype=float).T
    metrics = {
        "stored": stored[-1],
        "cost": everything[-1],
        "largest-rise": rise.max(),
        "share-of-rises": np.mean(rise > 1e-9),
    }
    if (norm := _largest(solver)) is not None:
        metrics["largest-norm"] = norm
    arrays = {"at": at, "surrogate": stored, "best": best, "all": everything, "slope": slope}
    if not only_end:
        arrays |= {"change": change, "rise": rise}
    fit = fit_of(clock, len(stream), everything[-1], stop_reason="max_iter")
    return Outcome({name: float(value) for name, value in metrics.items()}, fit, arrays)


def _places(end, n, first):
    """Numbers of samples, even on a logarithmic scale, and those after each pass."""
    count = int(np.ceil(_A_DECADE * np.log10(end / first))) + 1
    return [*np.unique(np.geomspace(first, end, count).round().astype(int)), *range(n, end + 1, n)]


def costs_at(X, H, t):
    """Mean cost of the first ``t`` samples of repeated passes over ``X``, of all, and the gap.

    Parameters
    ----------
    X : ndarray of shape (n, m)
        In the order of the passes.
    H : ndarray of shape (r, m)
        Rows on the simplex.
    t : int

    Returns
    -------
    best, everything, gap : float
        The gap is the first-order one of ``everything``.
    """
    codes = exact_codes(X, H)
    residual = codes @ H - X
    costs = 0.5 * np.sum(residual**2, axis=1)
    weights = np.full(len(X), t // len(X)) + (np.arange(len(X)) < t % len(X))
    gradient = codes.T @ residual / len(X)
    gap = np.sum(gradient * H) - gradient.min(axis=1).sum()
    return np.average(costs, weights=weights), costs.mean(), gap


@dataclass
class _Past:
    """Sums over the samples so far and their coefficients."""

    A: np.ndarray
    B: np.ndarray
    squares: float = 0.0
    n: int = 0

    def add(self, v, h):
        self.A += np.outer(h, h)
        self.B += np.outer(h, v)
        self.squares += v @ v
        self.n += 1

    def surrogate(self, H):
        """The surrogate with its constant, as a mean."""
        return (surrogate(H, self.A @ H, self.B) + 0.5 * self.squares) / self.n


def _largest(solver):
    """The largest norm of a gradient, of a solver that keeps it."""
    return getattr(solver._state, "largest", None)


@dataclass(eq=False, repr=False, kw_only=True)
class _FixedNorm(ORNMF):
    """OR-NMF whose steps have a fixed norm of the gradient in the denominator."""

    norm: float = 1.0

    def _prepare(self, s):
        super()._prepare(s)
        s.largest = self.norm

    def _divergence(self, s):
        return 0.0, self.norm
