"""Progress of a run: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time

from tqdm import tqdm

from nmfbench.commands.progress import describe
from nmfbench.core.text import printable
from nmfbench.records.results import reason

__all__ = ["Progress"]

_SECONDS = 2.0  # plain lines come no faster than this,
_LONGEST_WAIT = 30.0  # and at least this often,
_STEP = 0.05  # or when this share of the trials was computed


class Progress:
    """Counts records as they are stored, and shows failures at once.

    Parameters
    ----------
    todo : int
        Trials that will be computed.
    stream : text stream, optional
        By default standard error.
    """

    def __init__(self, todo: int, stream=None):
        self.stream = stream or sys.stderr
        self.todo, self.count, self.failed = todo, 0, 0
        self._started = self._shown_at = time.monotonic()
        self._shown = 0
        self._bar = None
        if self.stream.isatty() and todo > 0:
            # tqdm shows nothing on a terminal that does not tell its size; this assumes 80 x 24.
            columns, rows = shutil.get_terminal_size()
            self._bar = tqdm(total=todo, unit="trial", file=self.stream, ncols=columns, nrows=rows)

    def __call__(self, summary, record):
        self.count += 1
        if record["status"] == "failed":
            self.failed += 1
        if record["status"] == "failed" and not record["error"].startswith("BaseFailed"):
            self._write(f"failed: {describe(record)}: {reason(record['error'])}")
        if self._bar is not None:
            self._bar.set_postfix(failed=self.failed, refresh=False)
            self._bar.update()
        else:
            self._line()

    def _line(self):
        now = time.monotonic()
        waited = now - self._shown_at
        grown = self.count - self._shown >= _STEP * self.todo
        if self.count < self.todo and not (
            waited >= _SECONDS and (grown or waited >= _LONGEST_WAIT)
        ):
            return
        self._shown_at, self._shown = now, self.count
        self._write(
            f"{self.count} of {self.todo} trials, {self.failed} failed, {now - self._started:.0f} s"
        )

    def _write(self, text):
        line = f"nmfbench: {printable(text)}"
        if self._bar is not None:
            self._bar.write(line, file=self.stream)
        else:
            print(line, file=self.stream, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()
