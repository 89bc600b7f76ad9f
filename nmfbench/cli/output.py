"""Notices and progress on standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nmfbench.commands.progress import Begun, Computed, Ended, Event, Note
from nmfbench.core.text import printable

if TYPE_CHECKING:
    from nmfbench.cli.progress import Progress

__all__ = ["Reporter", "notice"]


def notice(text):
    """Print a line to standard error."""
    print(f"nmfbench: {printable(text)}", file=sys.stderr, flush=True)


class Reporter:
    """Shows the events of a command: notices as lines, trials as a bar or a line now and then."""

    _progress: Progress  # from the first event of trials on

    def __call__(self, event: Event) -> None:
        match event:
            case Note(text):
                notice(text)
            case Begun(todo):
                from nmfbench.cli.progress import Progress

                self._progress = Progress(todo)
            case Computed(record, summary=summary):
                self._progress(summary, record)
            case Ended():
                self._progress.close()
