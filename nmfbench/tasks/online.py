"""Online learning: how the mean cost of a stream's samples falls, pass after pass."""

from __future__ import annotations

import contextlib
import copy
import math
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from scipy.integrate import trapezoid
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.core.validation import check_choice
from nmfbench.metrics.factors import sparseness
from nmfbench.optim.init import INITS
from nmfbench.optim.kernels.itakura_saito import itakura_saito_cost
from nmfbench.solvers.online.base import BaseOnline, exact_codes, mean_cost
from nmfbench.solvers.online.divergence import best_codes, mean_divergence
from nmfbench.tasks.base import Outcome, fit_of

__all__ = ["draw_samples", "first_bases", "online", "start_at"]


@register_task(
    "online",
    summary="mean cost of a stream's samples against samples and seconds, pass after pass",
    title="Online learning",
    score="cost",
    score_name="mean cost at the end, best coefficients",
    higher_is_better=False,
    needs={"partial_fit": "the class has no partial_fit"},
    # Inner loops end by a small tolerance: one iteration more or less moves the last digits.
    tolerances={
        "inner-iterations": np.inf,
        "floored-denominators": np.inf,
        "n-rises": np.inf,
        "state-bytes": np.inf,
    },
    matters={
        "cost*": Ratio(0.02),
        "stored*": Ratio(0.02),
        "test-cost": Ratio(0.02),
        "area*": math.log10(1.02),  # decimal logarithms of costs
        "sparseness": 0.02,
        "data-sparseness": 0.02,
        "inner-iterations": Ratio(0.10),
        "state-bytes": Ratio(0.10),
        "floored-denominators": Ratio(0.10),
        "n-rises": Ratio(0.10),
        "visited-share": None,
        "initial": None,
        "samples": None,
        "features": None,
    },
)
def online(
    data,
    solver,
    rng,
    *,
    n_components,
    n_samples=None,
    n_test=0,
    n_epochs=2,
    record_every=None,
    passes=None,
    loss="frobenius",
    floor=1e-9,
    init="uniform",
):
    r"""Give a solver the samples one block after the other, and look at its bases in between.

    Two costs are recorded, with the clock off: :math:`f_t(W^t) = \frac1t \sum_{i\le t}
    l(v_i, W^t h_i)` with the coefficients that each sample had when it came, which the paper
    plots, and :math:`F_n(W^t) = \frac1n \sum_i \min_{h\ge0} l(v_i, W^t h)`, the true mean cost of
    all samples. The first favours methods that leave W alone.

    Samples, order and first bases are drawn by the trial's repeat, the same for every solver; all
    passes have one order. A solver without ``partial_fit`` is fitted again from these bases for
    each record, with as many iterations as there were passes.

    Parameters
    ----------
    data : Bunch
        With ``X``, and with labels ``y`` where test samples are to be drawn by class.
    solver : estimator
        With ``partial_fit``, or a batch solver that starts from given factors. The online family
        of this package gets the first bases as ``init``, and a ``partial_fit`` that takes ``H``
        gets them so; any other draws its own.
    rng : Generator
    n_components : int
    n_samples : int, optional
        Samples drawn at random; by default all that are no test samples.
    n_test : int, default=0
        Samples that are never learned from.
    n_epochs : int, default=2
        Passes.
    record_every : int, optional
        Samples of a block, after each of which the costs are recorded: a multiple of the chunk of
        solvers that take chunks, as a chunk does not reach from one block into the next. By
        default ``n_components``, which is their chunk.
    passes : sequence of int, optional
        Record only after these passes, the last of which ends the stream.
    loss : {"frobenius", "itakura-saito"}, default="frobenius"
        Samples have unit 2-norm for the former.
    floor : float, default=1e-9
        Share of the mean of all samples that the Itakura-Saito divergence takes for zero, in the
        costs and in the solvers of the online family.
    init : {"uniform", "random", "nndsvda", "nndsvd"}, default="uniform"
        First bases, see :mod:`nmfbench.optim.init`; their rows are scaled to unit sum.

    Returns
    -------
    Outcome
        Metrics ``initial``, ``cost`` and ``stored``, F_n at the start, F_n and f_t at the end;
        ``cost-once`` and ``stored-once`` after one pass, if recorded; ``area`` and
        ``area-stored``, means of their decimal logarithms over the logarithm of the samples;
        ``test-cost``, F of the test samples at the end; ``sparseness``, Hoyer's, mean over
        the bases, and ``data-sparseness``, mean over the samples; ``state-bytes``, of the pickled
        solver at the end, if it can be pickled; ``samples`` and ``features``; and what the solver
        counts: ``inner-iterations``, ``visited-share``, ``floored-denominators``, ``n-rises``.
        Arrays ``trace``, whose iterations are samples and whose objective is F_n; ``stored``, f_t
        at the same times, NaN at the start; ``test``, F of the test samples, if there are any; and
        ``components``.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Section V-A.
    """
    check_choice(loss, "loss", ("frobenius", "itakura-saito"))
    X, test = draw_samples(data, rng, n_samples, n_test)
    if loss == "frobenius":
        X, test = normalize(X), normalize(test) if n_test else test
        cost: _Frobenius | _ItakuraSaito = _Frobenius()
    else:
        cost = _ItakuraSaito(floor * X.mean())
    H = first_bases(X, n_components, rng, init)
    order = rng.permutation(len(X))
    solver.set_params(n_components=n_components)
    learn = _stream if callable(getattr(solver, "partial_fit", None)) else _refit
    ends = _ends(len(X), record_every or n_components, n_epochs, passes)
    curve = learn(solver, X[order], H, ends, _Curve(cost, X, test))

    trace, stored = curve.trace.as_array(), np.array(curve.stored)
    H = np.asarray(solver.components_, dtype=np.float64)
    metrics = {
        "initial": trace["objective"][0],
        "cost": trace["objective"][-1],
        "stored": stored[-1],
        "area": _area(trace["iteration"], trace["objective"]),
        "area-stored": _area(trace["iteration"], stored),
        "sparseness": _mean_sparseness(H),
        "data-sparseness": _mean_sparseness(X),
        "samples": len(X),
        "features": X.shape[1],
    }
    with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):  # of lambdas, locks
        metrics["state-bytes"] = len(pickle.dumps(solver))
    if len(X) in ends:
        once = 1 + ends.index(len(X))
        metrics |= {"cost-once": trace["objective"][once], "stored-once": stored[once]}
    arrays = {"trace": trace, "stored": stored, "components": solver.components_}
    if n_test:
        arrays["test"] = np.array(curve.test)
        metrics["test-cost"] = curve.test[-1]
    for name in ("inner_iterations_", "visited_share_", "floored_denominators_", "n_rises_"):
        if hasattr(solver, name):
            metrics[name.rstrip("_").replace("_", "-")] = getattr(solver, name)
    fit = fit_of(curve.trace, ends[-1] // len(X), trace["objective"][-1])
    return Outcome({name: float(value) for name, value in metrics.items()}, fit, arrays)


def draw_samples(data, rng, n_samples, n_test=0):
    """Samples to learn from, and samples never seen, of each class alike."""
    X, y = data.X, data.get("y")
    left = np.arange(X.shape[0])
    test = left[:0]
    if n_test:
        seed = int(rng.integers(2**31))
        left, test = train_test_split(left, test_size=n_test, stratify=y, random_state=seed)
    if n_samples is not None:
        if n_samples > len(left):
            raise ValueError(f"n_samples is {n_samples}, but there are {len(left)} samples.")
        left = rng.choice(left, n_samples, replace=False)
    parts = X[np.sort(left)], X[np.sort(test)]
    return [
        np.asarray(part.toarray() if hasattr(part, "toarray") else part, dtype=np.float64)
        for part in parts
    ]


def first_bases(X, r, rng, init="uniform"):
    """First bases in rows of unit sum."""
    H = INITS[init](X, r, rng)[1].T
    return H / np.maximum(H.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def start_at(solver, H, n_samples, passes):
    """Let a solver of the online family begin at ``H``, and know how many steps are to come."""
    solver.set_params(init=H)
    if "horizon" in solver.get_params():
        solver.set_params(horizon=solver.steps_of(n_samples, len(H)) * passes)


def _ends(n: int, every: int, n_epochs: int, passes: Sequence[int] | None) -> list[int]:
    """Numbers of samples after which the costs are recorded; a block never spans two passes."""
    if passes is not None:
        return [n * k for k in passes]
    once = [*range(every, n, every), n]
    return [n * k + end for k in range(n_epochs) for end in once]


@dataclass
class _Curve:
    """The clock, and the costs at each record."""

    cost: Any
    X: np.ndarray
    samples_of_test: np.ndarray
    trace: Trace = field(default_factory=Trace)
    stored: list[float] = field(default_factory=list)
    test: list[float] = field(default_factory=list)

    def record(self, n_samples, H, stored=np.nan):
        self.trace.record(n_samples, self.cost.best(self.X, H))
        self.stored.append(stored)
        if len(self.samples_of_test):
            self.test.append(self.cost.best(self.samples_of_test, H))


def _stream(solver, X, H, ends, curve):
    """The curve of a stream of the rows of ``X``, pass after pass, in blocks that end at ``ends``.

    Passes that have no record are one block each.
    """
    n, cost = len(X), curve.cost
    if isinstance(solver, BaseOnline):
        start_at(solver, H, n, ends[-1] // n)
        if isinstance(cost, _ItakuraSaito) and "floor" in solver.get_params():
            solver.set_params(floor=cost.floor)
    start = {"H": H} if "H" in signature(solver.partial_fit).parameters else {}
    # So that nothing is compiled on the clock; copies, as a solver may write into what it gets.
    copy.deepcopy(solver).partial_fit(X[: 2 * len(H)].copy(), **copy.deepcopy(start))
    codes = np.empty((0, len(H)))
    curve.record(0, H)
    done = 0
    for end in sorted({*ends, *range(n, ends[-1], n)}):
        rows = X[np.arange(done, end) % n]
        before = np.array(solver.components_) if done else None  # some write into their own
        with curve.trace.clock():
            solver.partial_fit(rows, **start)
        done, start = end, {}
        now = np.asarray(solver.components_, dtype=np.float64)
        codes = _codes_so_far(solver, rows, before, codes, cost)
        if end in ends:
            stored = sum(
                cost.given(X[: len(part)], part, now)
                for part in (codes[k : k + n] for k in range(0, done, n))
            )
            curve.record(done, now, stored / done)
    return curve


def _codes_so_far(solver, rows, before, codes, cost):
    """Coefficients of all samples at their arrival; the solver's own, if it keeps them.

    For a solver that does not keep them, the best coefficients on its bases before the block, or
    after the first block, since only the solver knows their scale.
    """
    kept = getattr(solver, "codes_", None)
    if kept is not None and len(kept) == len(codes) + len(rows):
        return np.asarray(kept, dtype=np.float64)
    new = getattr(solver, "latest_codes_", None)
    if new is None or np.isnan(new).any():
        bases = solver.components_ if before is None else before
        new = cost.codes(rows, np.asarray(bases, dtype=np.float64))
    return np.concatenate([codes, new])


def _refit(solver, X, H, ends, curve):
    """The curve of a batch solver, an iteration a pass; its stored coefficients are its own."""
    W = curve.cost.codes(X, H)
    curve.record(0, H)
    for end in ends:
        if end % len(X):
            raise ValueError("a batch solver makes whole passes: give passes.")
        solver.set_params(max_iter=end // len(X), tol=0.0)
        found = solver.fit_transform(X, W=W, H=H)
        curve.trace.seconds = solver.trace_["seconds"][-1]
        curve.trace.cpu_seconds = solver.trace_["cpu_seconds"][-1]
        components = np.asarray(solver.components_, dtype=np.float64)
        stored = curve.cost.given(X, np.asarray(found, dtype=np.float64), components)
        curve.record(end, components, stored / len(X))
    return curve


def _mean_sparseness(rows):
    """Mean over the rows that are not zero."""
    return np.mean([sparseness(row) for row in rows if row.any()] or [0.0])


def _area(samples, values):
    """Mean of the decimal logarithms, over the logarithm of the samples, from the first block on.

    Costs that reach zero count as the smallest positive number.
    """
    x, y = np.log(samples[1:]), np.log10(np.maximum(values[1:], np.finfo(float).tiny))
    return y[0] if len(x) == 1 else trapezoid(y, x) / np.ptp(x)


class _Frobenius:
    """Half the squared error of samples of unit norm."""

    def codes(self, X, H):
        return exact_codes(X, H)

    def best(self, X, H):
        return mean_cost(X, H)

    def given(self, X, codes, H):
        return 0.5 * np.sum((X - codes @ H) ** 2)


class _ItakuraSaito:
    """The Itakura-Saito divergence, with a floor in place of zero."""

    def __init__(self, floor):
        self.floor = floor

    def codes(self, X, H):
        return best_codes(np.ascontiguousarray(X), np.ascontiguousarray(H), self.floor, mm=True)

    def best(self, X, H):
        return mean_divergence(X, H, self.floor)

    def given(self, X, codes, H):
        return itakura_saito_cost(X, np.ascontiguousarray(codes), H, self.floor)
