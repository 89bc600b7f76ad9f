"""Load of this machine, on which timed trials wait."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import psutil

__all__ = ["Idle"]

_BUSY = 0.25  # processors in use beside this program, at most, for a timed trial to start
_SECONDS = 1.0  # of a look
_VALID = 5.0  # seconds that a look at an idle machine counts for: many trials take a tenth of one


class Idle:
    """Whether the machine is idle enough for a timed trial to start.

    Parameters
    ----------
    notify : callable
        Called with a sentence when trials begin to wait, and when they go on.
    """

    def __init__(self, notify: Callable[[str], object]):
        self._notify, self._waits = notify, False
        self._until = 0.0

    def __call__(self, trial) -> bool:
        if time.monotonic() < self._until:
            return True
        busy = psutil.cpu_percent(_SECONDS) / 100 * (os.cpu_count() or 1)
        idle = busy <= _BUSY
        if self._waits == idle:  # changed
            self._waits = not idle
            self._notify(
                "the machine is idle; timed trials go on"
                if idle
                else f"timed trials wait for an idle machine: {busy:.1f} processors are busy with "
                f"{_busiest()}, and at most {_BUSY} may be"
            )
        self._until = time.monotonic() + _VALID if idle else 0.0
        return idle


def _busiest() -> str:
    """Names of the processes that use most of the processors."""
    processes = list(psutil.process_iter(["name"]))
    for process in processes:
        _percent(process)
    psutil.cpu_percent(_SECONDS)
    used = sorted(((_percent(p), p.info["name"] or "?") for p in processes), reverse=True)
    names = [f"{name} ({percent:.0f} %)" for percent, name in used[:3] if percent >= 5]
    return ", ".join(names) or "what is not seen from here"


def _percent(process) -> float:
    try:
        return process.cpu_percent()
    except psutil.Error:
        return 0.0
