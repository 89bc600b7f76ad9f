"""Exit codes of errors. Imported when one is raised, as it knows errors of the whole suite."""

from __future__ import annotations

import errno

from nmfbench.audits.versions import VersionError
from nmfbench.commands.errors import ReportError, UsageError
from nmfbench.commands.targets import TargetError
from nmfbench.comparison.plan import CompareError
from nmfbench.core.registry import UnknownNameError
from nmfbench.datasets.errors import DataError
from nmfbench.engine.runner import SchedulerError
from nmfbench.engine.worker import WorkerError
from nmfbench.guests import GuestError
from nmfbench.own.errors import OwnDataError
from nmfbench.records.errors import NoStoreError, StoreError
from nmfbench.records.exchange import ExchangeError
from nmfbench.reports.changes import ReleaseError
from nmfbench.reports.sums import SumsError

__all__ = ["exit_code"]

_FAILED = (DataError, ReportError, StoreError, WorkerError)
_WRONG_USAGE = (
    CompareError,
    ExchangeError,
    GuestError,
    NoStoreError,
    OSError,
    OwnDataError,
    ReleaseError,
    SchedulerError,
    SumsError,
    TargetError,
    UnknownNameError,
    UsageError,
    VersionError,
)
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)


def exit_code(error: Exception) -> int | None:
    """Exit code of an error: 1 where something failed, 2 for wrong usage; None for a bug."""
    if isinstance(error, _WRONG_USAGE):
        return 1 if _is_of_the_disk(error) else 2
    return 1 if isinstance(error, _FAILED) else None


def _is_of_the_disk(error) -> bool:
    """Whether a disk that is full or fails is behind an error: no command could be right then."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
            return True
        error = error.__cause__
    return False
