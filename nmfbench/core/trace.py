"""The clock and the record of a run: the only place where a fit is timed."""

from __future__ import annotations

import time
from contextlib import contextmanager

import numpy as np

__all__ = ["TRACE_DTYPE", "Trace"]

TRACE_DTYPE = np.dtype(
    [("iteration", "i8"), ("seconds", "f8"), ("cpu_seconds", "f8"), ("objective", "f8")]
)


class Trace:
    """Objective against time, with the clock off while the objective is evaluated.

    Attributes
    ----------
    seconds, cpu_seconds : float
        Wall and CPU seconds (all threads of the process) spent under :meth:`clock` so far.

    Examples
    --------
    >>> trace = Trace()
    >>> with trace.clock():
    ...     total = sum(range(10))
    >>> trace.record(0, total)
    >>> trace.as_array()["objective"]
    array([45.])
    """

    def __init__(self):
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self._rows: list[tuple[int, float, float, float]] = []

    @contextmanager
    def clock(self):
        """Count the time spent in the ``with`` block."""
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - wall
            self.cpu_seconds += time.process_time() - cpu

    def record(self, iteration: int, objective: float) -> None:
        """Note the objective after ``iteration`` iterations, at the time the clock shows."""
        self._rows.append((iteration, self.seconds, self.cpu_seconds, float(objective)))

    def __len__(self):
        return len(self._rows)

    def objective(self, back: int = 0) -> float:
        """The objective recorded last, or ``back`` records before it."""
        return self._rows[-1 - back][3]

    def as_array(self) -> np.ndarray:
        """The records as a structured array with the fields of ``TRACE_DTYPE``."""
        return np.array(self._rows, dtype=TRACE_DTYPE)
