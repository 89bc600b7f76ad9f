"""How two computations of one trial agree: same bits, same digits, or different."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from nmfbench import registry

__all__ = ["OUTCOMES", "RELATIVE", "Agreement", "compare", "compare_first_objectives"]

RELATIVE = 1e-6
"""Largest relative difference of the same digits, where a task declares no other tolerance."""

OUTCOMES = ("same bits", "same digits", "different")

_TIMES = ("seconds", "cpu_seconds")


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
    """

    compared: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    close: bool = True

    @property
    def outcome(self) -> str:
        """One of :data:`OUTCOMES`."""
        return "different" if not self.close else OUTCOMES[bool(self.differences)]

    def see(self, name, old, new, tolerance: float | None = None) -> None:
        """Compare one quantity: numbers or arrays, or None where one side lacks it.

        Parameters
        ----------
        tolerance : float, optional
            Largest difference that counts as none; by default :data:`RELATIVE` of the largest
            value.
        """
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
        close = gap <= (RELATIVE * largest if tolerance is None else tolerance)
        if a.ndim == b.ndim == 0:
            self._add(f"{name} was {old!r}, is {new!r}", close)
        else:
            self._add(f"{name} differs by {gap / (largest or 1):.2g}, relatively", close)

    def _add(self, text, close):
        self.differences.append(text)
        self.close &= close


def _gap(a, b):
    """The largest value, and the largest difference; infinite where there is no difference."""
    if a.shape != b.shape or a.dtype.kind not in "fiub" or b.dtype.kind not in "fiub":
        return 0.0, math.inf
    a, b = a.astype(float), b.astype(float)
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return 0.0, math.inf
    largest = max(np.max(np.abs(x)[finite], initial=0.0) for x in (a, b))
    return float(largest), float(np.max(np.abs(a - b)[finite], initial=0.0))


def compare(old: Mapping, new: Mapping, old_arrays=None, new_arrays=None) -> Agreement:
    """Compare two records of one trial: metrics, objective, iterations and, if given, arrays."""
    found = Agreement()
    tolerances = registry.tasks[old["task"]].info["tolerances"]
    a, b = _numbers(old, old_arrays), _numbers(new, new_arrays)
    for name in dict.fromkeys([*a, *b]):
        allowed = (t for pattern, t in tolerances.items() if fnmatchcase(name, pattern))
        found.see(name, a.get(name), b.get(name), next(allowed, None))
    return found


def compare_first_objectives(old: Mapping, new: Mapping) -> Agreement:
    """Compare two records by the first objectives of their fits, as far as both have them."""
    found = Agreement()
    a, b = old["first_objectives"], new["first_objectives"]
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        found.see(f"objective after {i} iterations", x, y)
    return found


def _numbers(record, arrays):
    """All that is compared, by name: scalars, and plain arrays without the times of a trace."""
    found = {**record["metrics"], "objective": record["objective"], "iterations": record["n_iter"]}
    for name, array in (arrays or {}).items():
        if array.dtype.names is None:
            found[name] = array
        else:
            kept = [part for part in array.dtype.names if part not in _TIMES]
            found |= {f"{name}.{part}": array[part] for part in kept}
    return found
