"""Events that commands report to ``progress``; as text each is a line."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Begun",
    "Computed",
    "Ended",
    "Event",
    "Note",
    "Progress",
    "describe",
    "events",
    "silent",
]


@dataclass(frozen=True)
class Note:
    """A notice."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Begun:
    """The first of some trials is about to be computed."""

    todo: int

    def __str__(self) -> str:
        return f"{self.todo} trials to compute"


@dataclass(frozen=True)
class Computed:
    """A trial was computed and its record stored.

    Attributes
    ----------
    record : dict
    done, todo : int
        Trials computed, this one included, and to be computed.
    summary : RunSummary
    """

    record: dict[str, Any]
    done: int
    todo: int
    summary: Any

    def __str__(self) -> str:
        failed = "" if self.record["status"] == "done" else " failed"
        return f"{self.done} of {self.todo}: {describe(self.record)}{failed}"


@dataclass(frozen=True)
class Ended:
    """No more of these trials are computed."""

    done: int

    def __str__(self) -> str:
        return f"{self.done} trials computed"


Event = Note | Begun | Computed | Ended
Progress = Callable[[Event], object]


def silent(event: Event) -> None:
    """Ignore an event."""


@contextlib.contextmanager
def events(progress: Progress, todo: int) -> Iterator[Callable[[Any, dict], None]]:
    """Report that trials begin and end; the value is called with the summary and each record."""
    count = 0

    def computed(summary, record):
        nonlocal count
        count += 1
        progress(Computed(record, count, todo, summary))

    progress(Begun(todo))
    try:
        yield computed
    finally:
        progress(Ended(count))


def describe(record) -> str:
    """A trial in a few words, with the key that ``nmfbench replay`` takes.

    Examples
    --------
    >>> describe({"key": "0123456789abcdef01234567", "task": "recovery", "dataset": "blobs",
    ...           "corruption": None, "level": None, "solver": "spa", "params": {}, "repeat": 3})
    '0123456789ab (recovery, blobs, spa, repeat 3)'
    """
    parts = [record["task"], record["dataset"]]
    if record["corruption"] is not None:
        parts.append(f"{record['corruption']} {record['level']:g}")
    parts.append(record["solver"])
    parts += [f"{name}={value}" for name, value in sorted(record["params"].items())]
    return f"{record['key'][:12]} ({', '.join(parts)}, repeat {record['repeat']})"
