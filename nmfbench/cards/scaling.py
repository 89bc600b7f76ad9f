"""How the time of an iteration grows with n samples, m features and r components.

In theory: from the formulas in the docstring's words on cost. Measured: the slope of log seconds
against the log of one size, the others fixed.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import numpy as np

from nmfbench import registry
from nmfbench.engine.fingerprint import code_version
from nmfbench.engine.provenance import host, versions
from nmfbench.engine.results import reason
from nmfbench.engine.trials import canonical
from nmfbench.engine.worker import Worker, WorkerDied

__all__ = ["measure_exponents", "read_measured", "theoretical_exponents", "write_measured"]

FILE_NAME = "scaling.json"
SIZES = ("n", "m", "r")

# -- in theory --------------------------------------------------------------------------------

_PRODUCT = re.compile(r"products?\b[^.,;]*?(with r vectors|of the size of ``X H\^T``)")
_WITH_ONE = re.compile(r"product of ``X`` with a (vector|row)")
_ORDER = re.compile(r":math:`(?P<a>[^`]+)`|``(?P<b>O\([^`]+)``")
_ONCE = re.compile(r"(memory|making|no dense)\b", re.IGNORECASE)


def theoretical_exponents(cost: str | None) -> dict[str, tuple[int, int]] | None:
    r"""Exponents of n, m and r in the time of an iteration, as the words on cost have them.

    A product of ``X`` with r vectors counts as n m r, and one with a vector as n m; the non-zero
    entries of sparse data as n m. As r is at most n and m, terms such as (n + m) r^2 are below
    n m r. Logarithms are left out.

    Parameters
    ----------
    cost : str or None
        As :func:`~nmfbench.cards.docstring.cost` gives it.

    Returns
    -------
    dict or None
        For each of ``n``, ``m``, ``r`` the smallest and the largest exponent among the leading
        terms. None if there is no formula in these letters.

    Examples
    --------
    >>> theoretical_exponents("Cost per iteration: :math:`O(n^2m + (n+m)r^2)`.")
    {'n': (2, 2), 'm': (1, 1), 'r': (0, 0)}
    """
    terms: set[tuple[int, ...]] = set()
    for sentence in re.split(r"(?<=[.;])\s+", " ".join((cost or "").split())):
        if _ONCE.match(sentence):
            continue
        if _PRODUCT.search(sentence):
            terms.add((1, 1, 1))
        if _WITH_ONE.search(sentence):
            terms.add((1, 1, 0))
        for match in _ORDER.finditer(sentence):
            found = _monomials(match["a"] or match["b"])
            if found is None and "O(" in match[0] and (1, 1, 1) not in terms:
                return None  # a size that is none of these
            terms |= {t for t in found or () if sum(t) > 1}
    leading = [a for a in terms if not any(a != b and _below(a, b) for b in terms)]
    if not leading:
        return None
    columns = zip(SIZES, zip(*leading, strict=True), strict=True)
    return {size: (min(powers), max(powers)) for size, powers in columns}


def _below(a, b):
    """Whether n^a0 m^a1 r^a2 is at most that of b for all r up to n and m."""
    return a[0] <= b[0] and a[1] <= b[1] and sum(a) <= sum(b)


def _monomials(formula):
    """Exponents of the terms of a sum of products; None if it has other letters."""
    text = re.sub(r"\\mathrm\{nnz\}\(X\)|nnz\(X\)", "nm", formula)
    text = re.sub(r"\\min\((\w),(\w)\)", r"(\1+\2)", text)
    text = re.sub(r"\\log\s*\w|\\,|\s", "", text)
    text = re.sub(r"^O(?=\()", "", text)
    if not re.fullmatch(r"[nmr\d()+^]+", text):
        return None
    terms, rest = _sum(text)
    return terms if not rest else None


def _sum(text):
    terms: set[tuple[int, ...]] = set()
    while True:
        found, text = _factors(text)
        terms |= found
        if not text.startswith("+"):
            return terms, text
        text = text[1:]


def _factors(text):
    terms = {(0, 0, 0)}
    while text and text[0] not in "+)":
        if text[0] == "(":
            inner, text = _sum(text[1:])
            text = text[1:]
        else:
            letter = "nmr".find(text[0])
            inner = {tuple(int(i == letter) for i in range(3))}
            text = text[1:]
        power = re.match(r"\^(\d)", text)
        for _ in range(int(power[1]) if power else 1):
            terms = {tuple(map(sum, zip(*p, strict=True))) for p in product(terms, inner)}
        text = text[power.end() :] if power else text
    return terms, text


# -- measured ---------------------------------------------------------------------------------

_SMALLEST = (96, 80, 8)
_LARGEST = 384  # samples of the base problem; more would leave the caches as it grows
_ENOUGH = 0.03  # seconds of a fit that are told apart from overheads
_LONG = 2.0  # seconds of a fit after which a size grows no more
_STEPS = 3  # times that a size is doubled
_REPEATS = 3
_FEWEST, _MOST = 5, 40  # iterations


def measure_exponents(
    solver: str,
    params: dict | None = None,
    *,
    time_limit: float = 60.0,
    tell: Callable[[str], None] = lambda text: None,
) -> dict:
    """Time fits of growing problems in a child process, on one thread.

    The problem is random, of rank r plus noise. It grows, then the number of iterations does, until
    a fit takes long enough to be timed; then n, m and r are doubled up to three times, each by
    itself. Of three rounds over all sizes the least time of each is taken. Times are CPU seconds,
    which other processes hardly touch.

    Parameters
    ----------
    solver : str
        As :class:`~nmfbench.guests.SolverSpec` has it.
    params : dict, optional
    time_limit : float
        Seconds for a fit. A size that takes longer is left out.
    tell : callable
        Is told what goes on.

    Returns
    -------
    dict
        ``exponents`` (for ``n``, ``m``, ``r``; None where fewer than three sizes were timed),
        ``sizes`` (rows of n, m, r and CPU seconds of an iteration), ``error``, ``measured`` (date),
        ``host``, ``versions``, ``code``, ``threads``.
    """
    worker = Worker()

    def timed(n, m, r, max_iter):
        sizes = {"n": n, "m": m, "r": r, "max_iter": max_iter}
        arguments = {"solver": solver, "params": params or {}, **sizes}
        tell(f"n = {n}, m = {m}, r = {r}")
        return worker.call(f"{__name__}:time_here", arguments, time_limit, solver)

    best: dict[tuple[int, int, int], float] = {}
    error = None
    try:
        base, max_iter = _SMALLEST, _FEWEST
        while (found := timed(*base, max_iter))["seconds"] < _ENOUGH and max_iter < _MOST:
            if 2 * base[0] <= _LARGEST:
                base = (2 * base[0], 2 * base[1], base[2])
            else:
                max_iter *= 2
        axes = _axes(base, found["symmetric"])
        for _ in range(_REPEATS):
            for axis, sizes in axes.items():
                for size in list(sizes):
                    found = timed(*size, max_iter)
                    best[size] = min(best.get(size, np.inf), found["each"])
                    if found["seconds"] > _LONG:
                        axes[axis] = sizes[: sizes.index(size) + 1]
                        break
    except TimeoutError:
        error = f"a fit takes longer than {time_limit:g} s"
    except (WorkerDied, RuntimeError) as failure:
        error = reason(str(failure))
    finally:
        worker.close()
    exponents = {
        name: slope([(size[i], best[size]) for size in axes[name] if size in best] if best else [])
        if best and name in axes
        else None
        for i, name in enumerate(SIZES)
    }
    return {
        "exponents": exponents,
        "sizes": [[*size, seconds] for size, seconds in sorted(best.items())],
        "error": error,
        "measured": datetime.now(UTC).strftime("%Y-%m-%d"),
        "host": host(),
        "versions": versions(),
        "code": code_version([registry.solvers[solver].target]),
        "threads": 1,
    }


def _axes(base, symmetric):
    factors = [2**k for k in range(_STEPS + 1)]
    n, m, r = base
    axes = {
        "n": [(k * n, m, r) for k in factors],
        "m": [(n, k * m, r) for k in factors],
        "r": [(n, m, k * r) for k in factors],
    }
    if symmetric:
        axes["n"] = [(k * n, k * n, r) for k in factors]
        del axes["m"]
    return axes


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


def time_here(solver, params, n, m, r, max_iter):
    """In the child: CPU seconds of a fit, and of one of its iterations."""
    from nmfbench.engine.perform import make_solver

    model = make_solver(solver, **params)
    known = model.get_params()
    wanted = {"n_components": r, "random_state": 0, "max_iter": max_iter}
    if ":" not in solver:
        wanted |= {"tol": 0.0, "init": "random"}
        wanted = {k: v for k, v in wanted.items() if k not in params}
        if "init" in known and "random" not in getattr(model, "inits", ()):
            del wanted["init"]
    model.set_params(**{name: value for name, value in wanted.items() if name in known})
    rng = np.random.default_rng(0)
    symmetric = bool(getattr(model, "symmetric", False))
    if symmetric:
        W = rng.random((n, r))
        X = W @ W.T / r
    else:
        X = rng.random((n, r)) @ rng.random((r, m)) / r + 0.1 * rng.random((n, m))
    began = time.process_time()
    model.fit(X)
    took = time.process_time() - began
    trace = getattr(model, "trace_", None)
    steps, spent = int(getattr(model, "n_iter_", 1) or 1), took
    if trace is not None and len(trace):
        spent = float(trace["cpu_seconds"][-1])
        if len(trace) > 1 and trace["iteration"][-1] > trace["iteration"][0]:
            steps = int(trace["iteration"][-1] - trace["iteration"][0])
            spent -= float(trace["cpu_seconds"][0])
    return {"seconds": spent, "each": spent / steps, "symmetric": symmetric}


# -- kept beside the records ------------------------------------------------------------------


def read_measured(folder, solver: str, params: dict | None = None) -> dict | None:
    """What :func:`write_measured` left, with ``current``: whether the code is still the same."""
    path = Path(folder) / FILE_NAME
    if not path.exists():
        return None
    found = json.loads(path.read_text(encoding="utf-8")).get(_name(solver, params))
    if found is None:
        return None
    return found | {"current": found["code"] == code_version([registry.solvers[solver].target])}


def write_measured(folder, solver: str, params: dict | None, measured: dict) -> None:
    """Keep a measurement in the folder of a store."""
    path = Path(folder) / FILE_NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    held[_name(solver, params)] = measured
    path.write_text(json.dumps(held, indent=1, sort_keys=True), encoding="utf-8")


def _name(solver, params):
    key = registry.solvers[solver].key
    return f"{key} {canonical(params)}" if params else key
