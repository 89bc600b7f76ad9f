"""How two computations of one trial agree: same bits, same digits, or different.

Processors round differently: they add up in another order, or fuse a product with a sum. What this
does to a number depends on the precision of the fit and on how long it went on, see
:data:`RELATIVE`. A task declares what more its metrics may differ by (``tolerances=``), and a
solver the settings under which rounding decides where a fit goes (``forks=``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from nmfbench.core import registry

__all__ = [
    "EARLY",
    "OUTCOMES",
    "RELATIVE",
    "Agreement",
    "compare",
    "compare_first_objectives",
    "forks",
    "same_place",
]

RELATIVE = {"float64": 1e-5, "float32": 3e-4}
"""Largest relative difference of the same digits, by the precision of the fit.

Between four kinds of processors 1300 trials of the smoke grids differed by up to 3e-6 and 1.3e-4,
after hundreds of iterations.
"""

EARLY = {"float64": 1e-8, "float32": 3e-5}
"""The same of the objective after i iterations, before a factor of 1 + i, by which rounding grows.

There objectives differed by up to 1e-11 and, of 10 iterations, 1e-4.
"""

OUTCOMES = ("same bits", "same digits", "different")

_NEAR_ZERO = {"float64": 1e-13, "float32": 1e-6}  # share of earlier objectives that is rounding
_ITERATIONS = {"float64": 0.0, "float32": 0.05}  # share by which a stop rule may be off
_FORKED = 0.05  # relative difference of objectives, once rounding has parted two fits
_TIMES = ("seconds", "cpu_seconds")
_NUMERICAL = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass
class Agreement:
    """How two computations agree.

    Attributes
    ----------
    compared : list of str
        The quantities that were compared; never times or memory.
    differences : list of str
        Those that are not the same to the bit, with both values.
    close : bool
        All differences are within the tolerances.
    beyond : list of str
        Those of the differences that are beyond the tolerances.
    """

    compared: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    close: bool = True
    beyond: list[str] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """One of :data:`OUTCOMES`."""
        return "different" if not self.close else OUTCOMES[bool(self.differences)]

    def see(self, name, old, new, relative=RELATIVE["float64"], absolute=0.0) -> None:
        """Compare one quantity: numbers or arrays, or None where one side lacks it.

        Parameters
        ----------
        relative, absolute : float
            A difference counts as none up to ``absolute`` and ``relative`` of the largest value
            together. Where ``absolute`` is infinite nothing is compared.
        """
        if absolute == math.inf:
            return
        self.compared.append(name)
        if old is None or new is None:
            if old is not new:
                side = "first" if new is None else "second"
                self._add(f"{name} is only in the {side} computation", False)
            return
        a, b = np.asarray(old), np.asarray(new)
        if a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes():
            return
        largest, gap = _gap(a, b)
        close = gap <= absolute + relative * largest
        if a.ndim == b.ndim == 0:
            self._add(f"{name} was {old!r}, is {new!r}", close)
        else:
            self._add(f"{name} differs by {gap / (largest or 1):.2g}, relatively", close)

    def _add(self, text, close):
        self.differences.append(text)
        if not close:
            self.beyond.append(text)
            self.close = False


def _gap(a, b):
    """The largest value, and the largest difference; infinite where there is no difference."""
    if a.shape != b.shape or a.dtype.kind not in "fiub" or b.dtype.kind not in "fiub":
        return 0.0, math.inf
    a, b = a.astype(float), b.astype(float)
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return 0.0, math.inf
    a, b = a[finite], b[finite]
    largest = max(np.max(np.abs(x), initial=0.0) for x in (a, b))
    return float(largest), float(np.max(np.abs(a - b), initial=0.0))


def compare(old: Mapping, new: Mapping, old_arrays=None, new_arrays=None) -> Agreement:
    """Compare two records of one trial: all numbers of them but times and memory.

    These are the metrics, the objective, the iterations, the first objectives and, if given, the
    arrays. Of fits that rounding parts, see :func:`forks`, it is the objectives only, unless both
    records are of one host and the same releases.
    """
    found = compare_first_objectives(old, new)
    precision, forked = _precision(old), _forks_between(old, new) is not None
    relative = _FORKED if forked else RELATIVE[precision]
    found.see("objective", old["objective"], new["objective"], relative, _rounding(old))
    if forked:
        return found
    tolerances = registry.tasks[old["task"]].info["tolerances"]
    a, b = _numbers(old, old_arrays), _numbers(new, new_arrays)
    for name in dict.fromkeys([*a, *b]):
        allowed = (t for pattern, t in tolerances.items() if fnmatchcase(name, pattern))
        found.see(name, a.get(name), b.get(name), relative, next(allowed, 0.0))
    found.see("iterations", old["n_iter"], new["n_iter"], _ITERATIONS[precision])
    return found


def compare_first_objectives(old: Mapping, new: Mapping) -> Agreement:
    """Compare two records by the first objectives of their fits, as far as both have them."""
    found = Agreement()
    a, b = old["first_objectives"], new["first_objectives"]
    early, after = EARLY[_precision(old)], _forks_between(old, new)
    for i, (x, y) in enumerate(zip(a or (), b or (), strict=False)):
        relative = (1 + i) * early if after is None or i <= after else _FORKED
        found.see(f"objective after {i} iterations", x, y, relative, _rounding(old))
    return found


def forks(record: Mapping) -> int | None:
    """After how many iterations rounding decides where the fit of a record goes, if it does.

    The solver declares it, see :func:`nmfbench.core.registry.register_solver`.
    """
    solver = registry.solvers[record["solver"]]
    settings = record["params"] | {"task": record["task"]}
    for declared in solver.info.get("forks", ()):
        wanted = {name: value for name, value in declared.items() if name != "after"}
        if wanted.items() <= settings.items():
            return declared.get("after", 0)
    return None


def same_place(old: Mapping, new: Mapping) -> bool:
    """Whether two records are of one kind of host and one set of numerical packages."""
    packages = ((record["versions"].get(name) for name in _NUMERICAL) for record in (old, new))
    return old["host"] == new["host"] and len(set(map(tuple, packages))) == 1


def _forks_between(old, new):
    return None if same_place(old, new) else forks(old)


def _precision(record) -> str:
    return record["options"].get("dtype", "float64")


def _rounding(record) -> float:
    """Size of the rounding in an objective near zero: of the first ones, most are not.

    The very first may be huge, as a divergence from nothing.
    """
    known = [abs(value) for value in record["first_objectives"] or () if value is not None]
    return _NEAR_ZERO[_precision(record)] * float(np.median(known or [0.0]))


def _numbers(record, arrays):
    """Metrics by name, and plain arrays without the times of a trace."""
    found = dict(record["metrics"])
    for name, array in (arrays or {}).items():
        if array.dtype.names is None:
            found[name] = array
        else:
            kept = [part for part in array.dtype.names if part not in _TIMES]
            found |= {f"{name}.{part}": array[part] for part in kept}
    return found
