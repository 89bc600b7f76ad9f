"""Values of the arguments of commands, read from numbers or text, and checked.

Nothing heavy is imported here: the command line reads its options with these functions, too.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Sequence
from datetime import time
from typing import Any, ParamSpec, TypeVar, cast

from nmfbench.commands.errors import UsageError

__all__ = [
    "BOOK",
    "FORMATS",
    "LOSSES",
    "PROFILES",
    "bytes_of",
    "command",
    "converted",
    "hint",
    "listed",
    "moment",
    "one_of",
    "positive",
    "seconds",
    "target",
]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

BOOK = "reports/records"
PROFILES = ("smoke", "quick", "paper")
FORMATS = ("parquet", "csv")
LOSSES = ("frobenius", "manhattan", "kl", "itakura-saito")
_LARGEST = 1 << 62  # what the system takes for a limit, and more than anybody means


def hint(word: str, names: Sequence[str]) -> str:
    """The nearest names, as the end of an error message."""
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def listed(words: str | Sequence[str] | None) -> list[str]:
    """Several words, of which one may stand by itself."""
    return [words] if isinstance(words, str) else list(words or ())


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Reader of one of a few words."""

    def convert(word):
        if word not in names:
            nearest = hint(word, names) if isinstance(word, str) else ""
            raise ValueError(f"{word!r} is not one of {', '.join(names)}{nearest}")
        return word

    return convert


def positive(kind: type[int] | type[float]) -> Callable[[Any], Any]:
    """Reader of a number above 0, ``int`` or ``float``."""

    def convert(word):
        try:
            value = kind(word)
        except (TypeError, ValueError, OverflowError):
            value = 0
        whole = kind is float or isinstance(word, str) or value == word
        if not (0 < value < _LARGEST and whole):
            what = "whole number" if kind is int else "number"
            raise ValueError(f"needs a {what} above 0, got {word!r}")
        return value

    return convert


def seconds(word: str | float) -> float:
    """Seconds from ``90s``, ``30m``, ``2h``, or a number of seconds.

    Examples
    --------
    >>> seconds("30m"), seconds(90)
    (1800.0, 90.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", str(word))
    found = float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]] if match else 0
    if not 0 < found < _LARGEST:
        raise ValueError(f"needs a time such as 90s, 30m or 2h, got {word!r}")
    return found


def moment(word: str | time) -> str | time:
    """``look``, ``planned``, or a time of day as ``datetime.time``."""
    if word in ("look", "planned") or isinstance(word, time):
        return word
    match = re.fullmatch(r"(\d{1,2}):(\d\d)", str(word))
    if match is None or int(match[1]) > 23 or int(match[2]) > 59:
        raise ValueError(f"needs 'look', 'planned' or a time of day such as 6:30, got {word!r}")
    return time(int(match[1]), int(match[2]))


def bytes_of(word: str | int) -> int:
    """Bytes from ``500M``, ``4G``, ``4GiB`` or a plain number; units are powers of 1024.

    Examples
    --------
    >>> bytes_of("4K"), bytes_of(500)
    (4096, 500)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", str(word), re.IGNORECASE)
    size = float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ") if match else 0
    if not 1 <= size < _LARGEST:
        raise ValueError(f"needs a size such as 500M or 4G, got {word!r}")
    return int(size)


def target(word: str) -> str:
    """Name of a numerical target."""
    from nmfbench.trials.target import environment

    try:
        environment(word)
    except ValueError as error:
        raise ValueError(str(error).rstrip(".")) from None
    return word


_READERS: dict[str, Callable[[Any], Any]] = {
    "profile": one_of(PROFILES),
    "budget": seconds,
    "until": moment,
    "timed": one_of(("no", "only")),
    "jobs": positive(int),
    "rank": positive(int),
    "sample": positive(int),
    "time_limit": positive(float),
    "memory_limit": bytes_of,
    "target": target,
    "format": one_of(FORMATS),
}


def command(function: Callable[P, R]) -> Callable[P, R]:
    """Check and convert the arguments of a command that have one meaning in all commands.

    Raises
    ------
    UsageError
        Of the function returned, if a value is not valid; the message names the argument.

    Examples
    --------
    >>> @command
    ... def wait(*, budget=None, jobs=1):
    ...     return budget, jobs
    >>> wait(budget="2m")
    (120.0, 1)
    >>> wait(jobs=0)
    Traceback (most recent call last):
    nmfbench.commands.errors.UsageError: jobs: needs a whole number above 0, got 0
    """
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def checked(*args: P.args, **given: P.kwargs) -> R:
        for name, value in given.items():
            if name in _READERS and not (value is None and parameters[name].default is None):
                try:
                    given[name] = _READERS[name](value)
                except ValueError as error:
                    raise UsageError(f"{name}: {error}") from None
        return function(*args, **given)

    return checked


def converted(value: T | str | None) -> T | None:
    """An argument in the body of a command, where :func:`command` has made a number of its text."""
    return cast("T | None", value)
