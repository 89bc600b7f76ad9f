"""Exit codes of errors. Imported when one is raised, as it knows errors of the whole suite."""

from __future__ import annotations

import sqlite3

from nmfbench.cli.output import ReportError, UsageError
from nmfbench.cli.targets import TargetError
from nmfbench.cli.versions import VersionError
from nmfbench.compare.plan import CompareError
from nmfbench.core.registry import UnknownNameError
from nmfbench.datasets.errors import DataError
from nmfbench.engine.exchange import ExchangeError
from nmfbench.engine.runner import SchedulerError
from nmfbench.engine.store import StoreError
from nmfbench.engine.worker import WorkerError
from nmfbench.guests import GuestError

__all__ = ["exit_code"]

_FAILED = (DataError, ReportError, WorkerError)
_WRONG_USAGE = (
    CompareError,
    ExchangeError,
    GuestError,
    OSError,
    SchedulerError,
    StoreError,
    TargetError,
    UnknownNameError,
    UsageError,
    VersionError,
    sqlite3.Error,
)


def exit_code(error: Exception) -> int | None:
    """1 where something failed, 2 where the user asked for what cannot be; None: a bug of ours."""
    if isinstance(error, _FAILED):
        return 1
    return 2 if isinstance(error, _WRONG_USAGE) else None
