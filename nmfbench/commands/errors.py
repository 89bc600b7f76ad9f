"""Errors that commands raise, besides the errors of the rooms above them."""

from __future__ import annotations

__all__ = ["ReportError", "UsageError"]


class UsageError(ValueError):
    """Arguments that do not fit together, or do not fit what is there."""


class ReportError(RuntimeError):
    """The report could not be made."""
