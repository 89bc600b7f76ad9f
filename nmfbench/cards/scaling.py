"""How the time of an iteration grows with n samples, m features and r components.

In theory: as the solver declares it when it is registered. Measured: the slope of log seconds
against the log of one size, the others fixed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from nmfbench.core import registry
from nmfbench.engine.worker import Worker, WorkerDied
from nmfbench.records.provenance import host, versions
from nmfbench.records.results import reason
from nmfbench.trials.fingerprint import code_version
from nmfbench.trials.target import NATIVE

__all__ = ["SIZES", "measure_exponents", "theoretical_exponents"]

SIZES = ("n", "m", "r")

# -- in theory --------------------------------------------------------------------------------


def theoretical_exponents(cost: Sequence[str]) -> dict[str, tuple[int, int]] | None:
    """Exponents of n, m and r in the time of an iteration, as its solver declares it.

    Parameters
    ----------
    cost : sequence of str
        As :func:`~nmfbench.core.registry.register_solver` takes it.

    Returns
    -------
    dict or None
        For each of ``n``, ``m``, ``r`` the smallest and the largest exponent among the terms. None
        if nothing is declared.

    Examples
    --------
    >>> theoretical_exponents(["nmr", "nnr"])
    {'n': (1, 2), 'm': (0, 1), 'r': (1, 1)}
    """
    if not cost:
        return None
    powers = {size: [term.count(size) for term in cost] for size in SIZES}
    return {size: (min(found), max(found)) for size, found in powers.items()}


# -- measured ---------------------------------------------------------------------------------

_BASES = (
    (90, 75, 5, 0.03),
    (180, 150, 5, 0.03),
    (360, 300, 5, 0.03),
    (360, 300, 10, 0.03),
    # Larger problems leave the caches as they grow, and come to sizes where solvers change methods.
    (360, 300, 20, 0.0),
)
"""Samples, features and iterations of the base problem: the first whose fit takes that many
seconds, so that they stand out from overheads."""

_COMPONENTS = 16  # of the base problem, or an eleventh of its samples
_LONG, _TOO_LONG = 0.5, 4.0  # seconds of a fit after which a third size, or none, is the last
_FACTORS, _RANKS = (1, 2, 4, 8), (1, 2, 3, 4)  # by which n and m grow, and r
_REPEATS = 10
_BUDGET = 3.0  # seconds of all fits after which none is repeated


def measure_exponents(
    solver: str,
    params: dict | None = None,
    *,
    time_limit: float = 60.0,
    worker: Worker | None = None,
) -> dict:
    """Time fits of growing problems in a child process, on one thread.

    The problem is random, of rank r plus noise. It grows, then the number of iterations does, until
    a fit takes long enough to be timed; then n and m are doubled up to three times, each by itself,
    and r grows up to four times, in a problem that is twice as large if fits are fast. All sizes
    are timed up to ten times, in rounds; of each iteration the least time counts. Times are CPU
    seconds, which other processes hardly touch. :func:`time_here` describes further arguments that
    a built-in solver gets.

    Parameters
    ----------
    solver : str
        As :class:`~nmfbench.guests.SolverSpec` has it.
    params : dict, optional
    time_limit : float
        Seconds for a fit. A size that takes longer is left out.
    worker : Worker, optional
        The child, which is left open; by default one for this call alone.

    Returns
    -------
    dict
        ``exponents`` (for ``n``, ``m``, ``r``; None where fewer than three sizes were timed),
        ``sizes`` (rows of n, m, r and CPU seconds of an iteration), ``error``, ``measured`` (date),
        ``host``, ``versions``, ``code``, ``threads``.
    """
    child = worker or Worker(target=NATIVE)
    spent = 0.0

    def timed(n, m, r, max_iter):
        nonlocal spent
        sizes = {"n": n, "m": m, "r": r, "max_iter": max_iter}
        arguments = {"solver": solver, "params": params or {}, **sizes}
        found = child.call(f"{__name__}:time_here", arguments, time_limit, solver)
        spent += found["took"]
        return found

    least: dict[tuple[int, int, int], np.ndarray] = {}
    axes: dict[str, list[tuple[int, int, int]]] = {}
    error = None
    try:
        timed(*_BASES[0][:2], 2, 2)  # imports and compiled code come with the first fit
        for n, m, max_iter, enough in _BASES:
            base = (n, m, min(_COMPONENTS, n // 11))
            found = timed(*base, max_iter)
            if found["seconds"] >= enough:
                break
        axes, spent = _axes(base, found), 0.0
        for _ in range(_REPEATS):
            for size in dict.fromkeys(size for sizes in axes.values() for size in sizes):
                if not any(size in sizes for sizes in axes.values()):
                    continue  # left out meanwhile
                found = timed(*size, max_iter)
                least[size] = _least(least.get(size), np.array(found["steps"]))
                if found["took"] > _LONG:
                    fewest = 3 if found["took"] < _TOO_LONG else 1
                    axes = {name: _up_to(sizes, size, fewest) for name, sizes in axes.items()}
            if spent > _BUDGET:
                break
    except TimeoutError:
        error = f"a fit takes longer than {time_limit:g} s"
    except (WorkerDied, RuntimeError) as failure:
        error = reason(str(failure))
    finally:
        if worker is None:
            child.close()
    each = {size: float(steps.mean()) for size, steps in least.items()}
    exponents = {
        name: slope([(size[i], each[size]) for size in axes.get(name, ()) if size in each])
        for i, name in enumerate(SIZES)
    }
    return {
        "exponents": exponents,
        "sizes": [[*size, seconds] for size, seconds in sorted(each.items())],
        "error": error,
        "measured": datetime.now(UTC).strftime("%Y-%m-%d"),
        "host": host(),
        "versions": versions(),
        "code": code_version([registry.solvers[solver].target]),
        "threads": 1,
    }


def _up_to(sizes, last, fewest):
    """Sizes up to one of them, but a few at least; all where it is not among them."""
    return sizes[: max(sizes.index(last) + 1, fewest)] if last in sizes else sizes


def _least(known, steps):
    """The least time of each iteration; the faster fit's, if numbers of iterations differ."""
    if known is None or known.shape != steps.shape:
        return steps if known is None or steps.mean() < known.mean() else known
    return np.minimum(known, steps)


def _axes(base, found):
    """Sizes of the fits for each exponent, given a fit of the base problem."""
    n, m, r = base
    # As far below n and m as time allows: what grows with r^2 should stay below n m r.
    k = 2 if found["seconds"] < _LONG / 5 else 1
    if found["symmetric"]:
        n_sizes = [(f * n, f * n, r) for f in _FACTORS]
        return {"n": n_sizes, "r": [(k * n, k * n, k * f * r) for f in _RANKS]}
    if found["square"]:
        return {
            "n": [(f * n, r, r) for f in _FACTORS],
            "r": [(n, f * r, f * r) for f in _FACTORS],
        }
    return {
        "n": [(f * n, m, r) for f in _FACTORS],
        "m": [(n, f * m, r) for f in _FACTORS],
        "r": [(k * n, k * m, k * f * r) for f in _RANKS],
    }


def slope(points) -> float | None:
    """Least-squares slope of log seconds against log size.

    Examples
    --------
    >>> round(slope([(100, 0.1), (200, 0.4), (400, 1.6)]), 6)
    2.0
    """
    if len(points) < 3:
        return None
    x, y = np.log(np.array(points, dtype=float)).T
    return float(np.polyfit(x, y, 1)[0])


_FIXED = {
    "tol": 0.0,
    "inner_tol": 1e-300,
    "inner_max_iter": 3,
    "max_iter_inner": 3,
    "max_inner": 3,
    "max_sweeps": 3,
    "init": "random",
}
"""Parameters under which the work of an iteration depends on the size of the data alone."""


def time_here(solver, params, n, m, r, max_iter):
    """In the child: CPU seconds of all iterations of a fit, of each, and of all that was done.

    Unless the parameters say otherwise, a solver of this package starts from random factors where
    it can, does not stop early, and makes no more than three inner iterations.
    """
    from nmfbench.solvers import make_solver

    began = time.process_time()
    model = make_solver(solver, **params)
    known = model.get_params()
    wanted = {"n_components": r, "random_state": 0, "max_iter": max_iter}
    if ":" not in solver:
        wanted |= {name: value for name, value in _FIXED.items() if name not in params}
        if "random" not in getattr(model, "inits", ()):
            wanted.pop("init", None)
    model.set_params(**{name: value for name, value in wanted.items() if name in known})
    if ":" not in solver and "max_iter" in known and model._n_steps(r) not in (1, max_iter):
        # Steps are anchors, and max_iter and tol are of the solution within each.
        model.set_params(**{name: known[name] for name in ("max_iter", "tol") if name in known})
    rng = np.random.default_rng(0)
    kinds = {name: bool(getattr(model, name, False)) for name in ("symmetric", "square")}
    if kinds["square"]:
        m = r
    if kinds["symmetric"]:
        W = rng.random((n, r))
        X = W @ W.T / r
    else:
        X = rng.random((n, r)) @ rng.random((r, m)) / r + 0.1 * rng.random((n, m))
    before = time.process_time()
    model.fit(X)
    ended = time.process_time()
    seconds = ended - before
    steps = [seconds / int(getattr(model, "n_iter_", 1) or 1)]
    trace = getattr(model, "trace_", None)
    if trace is not None and len(trace):
        made, cpu = np.diff(trace["iteration"]), trace["cpu_seconds"]
        iterates = bool((made > 0).any())
        seconds = float(cpu[-1] - cpu[0] if iterates else cpu[-1])  # a start may be slow
        steps = (np.diff(cpu) / made).tolist() if iterates else [seconds]
    return {"seconds": seconds, "steps": steps, "took": ended - began} | kinds
