"""Options that several commands share, and the values that options take.

Nothing heavy is imported here, so that ``--help`` and wrong usage answer at once.
"""

from __future__ import annotations

import argparse
import difflib
import re
from datetime import time

__all__ = [
    "PROFILES",
    "SOLVER",
    "add_command",
    "budget",
    "computing",
    "hint",
    "jobs",
    "judged_profile",
    "limits",
    "one_of",
    "output",
    "positive",
    "print_json",
    "profile",
    "retry_failed",
    "since",
    "site",
    "store",
    "target",
    "targets",
    "timed",
]

PROFILES = ("smoke", "quick", "paper")
_LARGEST = 1 << 62  # what the system takes for a limit, and more than anybody means
SOLVER = (
    "a key (mu), package.module:Class or path/to/file.py:Class, with parameters if need be, as in "
    "'file.py:MyNMF(alpha=0.1)'"
)


def add_command(commands, name, run, help, more=""):
    """Add a command to the parser.

    Parameters
    ----------
    commands : object
        As :meth:`argparse.ArgumentParser.add_subparsers` gives it.
    name : str
    run : callable
        Parsed arguments in, a :class:`~nmfbench.cli.output.Result` out.
    help : str
        What it does, in the list of commands.
    more : str
        Further sentences of its own help.

    Returns
    -------
    argparse.ArgumentParser
    """
    description = f"{help[0].upper()}{help[1:]}. {more}".strip()
    sub = commands.add_parser(name, help=help, description=description)
    sub.set_defaults(run=run)
    return sub


def targets(sub):
    sub.add_argument(
        "names",
        nargs="*",
        metavar="TARGET",
        help="artefact (robust-xray/fig3), paper (robust-xray) or 'all', the default",
    )


def store(sub):
    sub.add_argument(
        "--store", default="results", metavar="DIR", help="folder of the records (results)"
    )


def profile(sub):
    sub.add_argument(
        "--profile",
        type=one_of(PROFILES),
        default="quick",
        metavar="P",
        help="smoke: seconds an artefact; quick (the default): minutes; paper: the papers' grids",
    )
    _stand_in(sub)


def judged_profile(sub):
    sub.add_argument(
        "--profile",
        type=one_of(PROFILES),
        metavar="P",
        help="judge all artefacts on the grid of smoke, quick or paper, as far as it has run; by "
        "default each on its largest grid of whole repeats",
    )
    _stand_in(sub)


def _stand_in(sub):
    sub.add_argument(
        "--stand-in",
        action="store_true",
        help="where real data are missing, use their labelled synthetic stand-ins",
    )


def computing(sub):
    """Options of commands that compute the trials of artefacts."""
    budget(
        sub,
        "begin no more after this time, such as 90s, 30m or 2h; first what is expected to decide "
        "most open tests per CPU second, up to the next look of an artefact. Outcomes so choose "
        "what is computed, and p-values stay valid: looks are fixed in the plan of an artefact, "
        "those before the last decide by p < 0.001 alone, and no outcome moves the last",
    )
    sub.add_argument(
        "--until",
        type=_until,
        metavar="WHEN",
        help="'look': up to the next look of each artefact with open tests; 'planned': up to the "
        "planned repeats of all; or a time of day such as 6:30",
    )
    timed(sub)
    sub.add_argument(
        "--anew", action="store_true", help="compute imported records again, and compare"
    )
    jobs(sub)
    sub.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask scheduler, tcp://host:port in a network that you trust, as it passes pickles "
        "on; tls://host:port with certificates in Dask's configuration",
    )
    retry_failed(sub)
    limits(sub)
    target(sub)


def budget(sub, help="begin no more after this time, such as 90s, 30m or 2h (no limit)"):
    sub.add_argument("--budget", type=_duration, metavar="T", help=help)


def timed(sub):
    sub.add_argument(
        "--timed",
        type=one_of(("no", "only")),
        metavar="no|only",
        help="'no': leave out trials whose seconds are the result; 'only': no others, each as soon "
        "as the machine is idle",
    )


def jobs(sub, default=1, help="trials at a time (1)"):
    sub.add_argument("--jobs", type=positive(int), default=default, metavar="N", help=help)


def retry_failed(sub):
    sub.add_argument(
        "--retry-failed", action="store_true", help="compute failed trials once more, too"
    )


def limits(sub, seconds=3600.0, unit="trial"):
    sub.add_argument(
        "--time-limit",
        type=positive(float),
        default=seconds,
        metavar="SECONDS",
        help=f"a {unit} that takes longer has failed ({seconds:g})",
    )
    sub.add_argument(
        "--memory-limit",
        type=_memory,
        metavar="SIZE",
        help=f"what a {unit}'s process may hold together with all that it starts, such as 500M or "
        "4G (four fifths of what is available, shared by the jobs)",
    )


def target(sub):
    sub.add_argument(
        "--target",
        type=_target,
        metavar="NAME",
        help="instructions that untimed trials are computed with: 'reference' (the default), which "
        "gives the same bits on all x86-64 processors with AVX2, or 'native', all that this "
        "processor has; timed trials are always native",
    )


def output(sub):
    sub.add_argument(
        "--output", default="report", metavar="DIR", help="folder of the pages (report)"
    )


def since(sub):
    sub.add_argument(
        "--since",
        metavar="FILE",
        help="verdicts of a release: say which have moved since (released.json, if there)",
    )


def site(sub):
    sub.add_argument(
        "--site",
        metavar="URL",
        help="address under which the pages are published, for canonical links and previews",
    )


def print_json(sub):
    sub.add_argument("--json", action="store_true", help="print one JSON document")


# -- values -----------------------------------------------------------------------------------


def hint(word, names):
    """The nearest names, as the end of an error message."""
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def one_of(names):
    """Type of an option that takes one of a few words."""

    def convert(word):
        if word not in names:
            raise argparse.ArgumentTypeError(
                f"{word!r} is not one of {', '.join(names)}{hint(word, names)}"
            )
        return word

    return convert


def positive(kind):
    """Type of an option that takes a number above 0, ``int`` or ``float``."""

    def convert(word):
        try:
            value = kind(word)
        except ValueError:
            value = 0
        if not 0 < value < _LARGEST:
            what = "whole number" if kind is int else "number"
            raise argparse.ArgumentTypeError(f"needs a {what} above 0, got {word!r}")
        return value

    return convert


def _target(word):
    from nmfbench.trials.target import environment

    try:
        environment(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from None
    return word


def _duration(word):
    """Seconds from ``90s``, ``30m``, ``2h``, or a plain number of seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", word)
    seconds = float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]] if match else 0
    if not 0 < seconds < _LARGEST:
        raise argparse.ArgumentTypeError(f"needs a time such as 90s, 30m or 2h, got {word!r}")
    return seconds


def _until(word):
    """``look``, ``planned``, or a time of day as ``datetime.time``."""
    if word in ("look", "planned"):
        return word
    match = re.fullmatch(r"(\d{1,2}):(\d\d)", word)
    if match is None or int(match[1]) > 23 or int(match[2]) > 59:
        raise argparse.ArgumentTypeError(
            f"needs 'look', 'planned' or a time of day such as 6:30, got {word!r}"
        )
    return time(int(match[1]), int(match[2]))


def _memory(word):
    """Bytes from ``500M``, ``4G``, ``4GiB`` or a plain number; units are powers of 1024."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", word, re.IGNORECASE)
    size = float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ") if match else 0
    if not 1 <= size < _LARGEST:
        raise argparse.ArgumentTypeError(f"needs a size such as 500M or 4G, got {word!r}")
    return int(size)
