"""How two computations of one trial agree: same bits, same digits, rounding decides, or different.

Under one numerical target and one set of releases a trial has the same bits again. Under another
target (:mod:`nmfbench.trials.target`) sums are added up in another order. What this does to a
number depends on the precision of the fit and on how long it went on, see :data:`RELATIVE`; a task
declares what more its metrics may differ by (``tolerances=``). Some fits go elsewhere after a
rounding error. How far is measured (:mod:`nmfbench.audits.rounding`), and what is within it says
nothing of the code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from nmfbench.core import registry
from nmfbench.stats.intervals import t_interval
from nmfbench.trials.target import FIELDS, is_known
from nmfbench.trials.trial import precision_of

__all__ = ["EARLY", "OUTCOMES", "RELATIVE", "Agreement", "compare", "drift", "same_target"]

RELATIVE = {"float64": 1e-5, "float32": 3e-4}
"""Largest relative difference of the same digits, by the precision of the fit.

Between four kinds of processors 1300 trials of the smoke grids differed by up to 3e-6 and 1.3e-4,
after hundreds of iterations.
"""

EARLY = {"float64": 1e-8, "float32": 3e-5}
"""The same of the objective after i iterations, before a factor of 1 + i, by which rounding grows.

There objectives differed by up to 1e-11 and, of 10 iterations, 1e-4.
"""

OUTCOMES = ("same bits", "same digits", "rounding", "different")

_NEAR_ZERO = {"float64": 1e-13, "float32": 1e-6}  # share of earlier objectives that is rounding
_ITERATIONS = {"float64": 0.0, "float32": 0.05}  # share by which a stop rule may be off
_SPREADS = 4.0  # two computations may be this many times as far apart as a few measured ones
_ENOUGH = 5  # pairs of records whose mean difference is tested
_LEVEL = 0.999  # of the interval of a mean difference
_TIMES = ("seconds", "cpu_seconds")
_NUMERICAL = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass
class Agreement:
    """How two computations agree.

    Attributes
    ----------
    spread : mapping of str to float
        By quantity, the relative difference that rounding was measured to make.
    compared : list of str
        The quantities that were compared; never times or memory.
    gaps : dict of str to float
        Relative difference of each quantity that is not the same to the bit.
    differences : list of str
        The same as text, with both values.
    rounding : list of str
        Differences beyond the tolerances and within the spread.
    beyond : list of str
        Differences beyond both.
    """

    spread: Mapping[str, float] = field(default_factory=dict)
    compared: list[str] = field(default_factory=list)
    gaps: dict[str, float] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    rounding: list[str] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """One of :data:`OUTCOMES`."""
        if self.beyond:
            return "different"
        return "rounding" if self.rounding else OUTCOMES[bool(self.differences)]

    @property
    def details(self) -> list[str]:
        """The differences that decide the outcome."""
        return self.beyond or self.rounding or self.differences

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
                self._add(name, f"is only in the {side} computation", math.inf, False)
            return
        a, b = np.asarray(old), np.asarray(new)
        if a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes():
            return
        largest, gap = _gap(a, b)
        close, share = gap <= absolute + relative * largest, gap / (largest or 1)
        if a.ndim == b.ndim == 0:
            self._add(name, f"was {old!r}, is {new!r}", share, close)
        else:
            self._add(name, f"differs by {share:.2g}, relatively", share, close)

    def _add(self, name, words, share, close):
        text = f"{name} {words}"
        self.gaps[name] = share
        self.differences.append(text)
        if not close:
            explained = share <= _SPREADS * self.spread.get(name, 0.0)
            (self.rounding if explained else self.beyond).append(text)


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


def compare(
    old: Mapping,
    new: Mapping,
    old_arrays=None,
    new_arrays=None,
    *,
    spread: Mapping[str, float] | None = None,
) -> Agreement:
    """Compare two records of one trial: all numbers of them but times and memory.

    These are the first objectives, the objective, the metrics, the iterations and, if given, the
    arrays.

    Parameters
    ----------
    old, new : record
    old_arrays, new_arrays : mapping of str to ndarray, optional
    spread : mapping of str to float, optional
        What rounding does to this trial, by quantity; it counts between two targets only.
    """
    found = Agreement({} if spread is None or same_target(old, new) else spread)
    precision, near_zero = _precision(old), _near_zero(old)
    first = zip(old["first_objectives"] or (), new["first_objectives"] or (), strict=False)
    for i, (x, y) in enumerate(first):
        name = f"objective after {i} iterations"
        found.see(name, x, y, (1 + i) * EARLY[precision], near_zero)
    relative = RELATIVE[precision]
    found.see("objective", old["objective"], new["objective"], relative, near_zero)
    tolerances = registry.tasks[old["task"]].info["tolerances"]
    a, b = _numbers(old, old_arrays), _numbers(new, new_arrays)
    for name in dict.fromkeys([*a, *b]):
        allowed = (t for pattern, t in tolerances.items() if fnmatchcase(name, pattern))
        found.see(name, a.get(name), b.get(name), relative, next(allowed, 0.0))
    # What moves the objective may also move the iteration at which a rule stops, to the next one.
    moved = found.spread.get("objective", 0.0) > relative
    found.see("iterations", old["n_iter"], new["n_iter"], _ITERATIONS[precision], float(moved))
    return found


def drift(pairs: Iterable[tuple[Mapping, Mapping]]) -> list[str]:
    """Metrics whose mean has changed, of trials in which rounding decides.

    One trial says nothing then, but many do: each difference is as likely to be up as down.

    Parameters
    ----------
    pairs : iterable of (record, record)
        Two computations of each of several trials of one task, solver and data set.

    Returns
    -------
    list of str
        A line for each metric whose mean difference has an interval of 99.9 % without 0, and is
        more than the same digits of its largest value may differ by. Nothing of fewer than five
        pairs.
    """
    gaps: dict[str, list[float]] = {}
    digits: dict[str, float] = {}
    for old, new in pairs:
        for name in old["metrics"].keys() & new["metrics"].keys():
            a, b = old["metrics"][name], new["metrics"][name]
            gaps.setdefault(name, []).append(b - a)
            size = RELATIVE[_precision(old)] * max(abs(a), abs(b))
            digits[name] = max(digits.get(name, 0.0), size)
    lines = []
    for name, values in sorted(gaps.items()):
        n, mean = len(values), float(np.mean(values))
        if n < _ENOUGH or abs(mean) <= digits[name]:
            continue
        low, high = t_interval(values, _LEVEL)
        if low > 0 or high < 0:
            half = (high - low) / 2
            lines.append(f"{name} changed by {mean:.3g} ± {half:.2g} in the mean of {n} trials")
    return lines


def same_target(old: Mapping, new: Mapping) -> bool:
    """Whether two records were computed under one numerical target and releases, as far as known.

    A record that does not say under which is of another than any.
    """
    a, b = old["versions"], new["versions"]
    return is_known(a) and all(a.get(name) == b.get(name) for name in (*_NUMERICAL, *FIELDS))


def _precision(record) -> str:
    return precision_of(record["task"], record["options"])


def _near_zero(record) -> float:
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
