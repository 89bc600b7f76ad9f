"""Text of others, as a terminal may show it, and numbers of things."""

from __future__ import annotations

import re

__all__ = ["counted", "one_line", "printable"]

# Controls, with the escapes that move a cursor or set a title, and marks that turn text round.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text) -> str:
    r"""The text with its control characters written out, but for tabs and ends of lines.

    Examples
    --------
    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], str(text))


def one_line(text) -> str:
    r"""The text in one line, without what a terminal would obey.

    Examples
    --------
    >>> one_line("a\n b\x07")
    'a b\\x07'
    """
    return printable(" ".join(str(text).split()))


def counted(count: int, noun: str) -> str:
    """A number of things, of which the noun is plural unless it is one.

    Examples
    --------
    >>> counted(1, "solver"), counted(0, "solver"), counted(2, "new trial")
    ('1 solver', '0 solvers', '2 new trials')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"
