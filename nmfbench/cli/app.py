"""The command line: parse, call, print.

Exit codes:

0. done; a refuted claim is a result like any other.
1. Something failed that the command needed or ran: a trial (of this run, or recorded as failed by
   an earlier one), a test of a claim that raised an exception, a download, a damaged data file,
   data that are missing, a replay that gives another result.
2. Wrong usage: an unknown name, a bad value, or a file, folder or address that is not what it
   should be. Nothing was computed.
130. Ctrl-C. What had finished is kept, and the same command resumes.

Only this file knows argparse. It imports little, so that ``--help`` and wrong usage answer at
once; what the commands do is in :mod:`nmfbench.cli.commands`.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import os
import re
import sys
import warnings

__all__ = ["main", "parse"]

PROFILES = ("smoke", "quick", "paper")
BOOK = "reports/records"
THINGS = ("solvers", "datasets", "corruptions", "metrics", "tasks", "artefacts")

_EPILOG = """\
TARGET is an artefact (robust-xray/fig3), a paper (robust-xray: all of its artefacts) or 'all', the
default. Exit codes: 0 done; 1 a trial, the test of a claim, a download or a replay failed, or data
are missing or damaged; 2 wrong usage; 130 stopped by Ctrl-C (the same command resumes)."""


def main(argv=None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        By default what the command was called with.

    Returns
    -------
    int
        The exit code.
    """
    try:
        args = parse(argv)
    except SystemExit as end:  # argparse ends so after --help, --version and errors
        return end.code or 0
    as_json = getattr(args, "json", False)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
            warnings.showwarning = _show_warning
            from nmfbench.cli import commands

            result = getattr(commands, args.function)(args)
        if as_json:
            print(json.dumps(result.data, indent=2, allow_nan=False))
        elif result.text:
            print(result.text)
        sys.stdout.flush()
        return result.code
    except KeyboardInterrupt as stop:
        return _complain(stop, 130, "stopped.")
    except BrokenPipeError:  # nmfbench list | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        from nmfbench.cli import commands

        code = commands.exit_code(error)
        if code is None:  # a mistake of ours: its traceback helps to mend it
            raise
        return _complain(error, code)


def _complain(error, code, default=""):
    text = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    text = " ".join(text.split()) or default or type(error).__name__
    print(f"nmfbench: {text}", file=sys.stderr)
    return code


def _show_warning(message, *_, **__):
    print(f"nmfbench: note: {message}", file=sys.stderr)


# -- the grammar ------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Errors in one line, with the nearest valid names."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, allow_abbrev=False, **kwargs)

    def error(self, message):
        choice = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice:
            names = re.findall(r"[\w-]+", choice[2])
            message += _hint(choice[1], names)
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _hint(word, names):
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def parse(argv):
    parser, commands = _grammar()
    args, rest = parser.parse_known_args(argv)
    command = commands[args.command]
    options = [word for word in rest if word.startswith("-")]
    if options or not hasattr(args, "names"):
        word = (options or rest or [None])[0]
        if word is not None:
            known = re.findall(r"--[a-z-]+", command.format_usage())
            command.error(f"unknown argument {word!r}{_hint(word.partition('=')[0], known)}")
    elif rest:
        args.names += rest  # names after an option: run a --jobs 2 b
    return args


def _grammar():
    parser = _Parser(
        "nmfbench",
        description="Benchmarks and reproducibility for non-negative matrix factorization.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name, help, *shared):
        sub = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
        sub.set_defaults(function={"list": "list_", "import": "import_"}.get(name, name))
        for add in shared:
            add(sub)
        return sub

    sub = command("list", "what the suite has", _json)
    sub.add_argument("things", choices=THINGS)

    command("run", "compute the trials that have no record yet", *_GRID, _computing, _json)
    command("status", "how many trials are done, failed and missing", *_GRID, _json)
    command("report", "make the pages of the report from the records", *_JUDGED, _output)
    sub = command("reproduce", "run, then report", *_GRID, _computing, _output)
    sub.add_argument(
        "--book",
        metavar="DIR",
        help="a folder of published records: import them first, compute again what fits, and say "
        "how much of it agrees",
    )
    command("claims", "what the records say of each claim of the papers", *_JUDGED, _json)

    sub = command("compare", "solvers against the baselines: one page", _computing_here, _json)
    sub.description += (
        " Baselines come from the store where they have been run. Exit code 1 if a trial failed."
    )
    sub.add_argument("names", nargs="+", metavar="SOLVER", help=_SOLVER)
    sub.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="TASK",
        help="may be repeated; by default all tasks that the solvers can do",
    )
    sub.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="KEY",
        help="a baseline, named as SOLVER; may be repeated; 'all' is every solver of the suite; by "
        "default a few for each task",
    )
    sub.add_argument(
        "--profile",
        type=_one_of(PROFILES),
        default="quick",
        metavar="P",
        help="smoke: a minute; quick (the default): some ten; paper: the papers' own problems",
    )
    sub.add_argument(
        "--output", default="comparison", metavar="DIR", help="folder of the page (comparison)"
    )
    _store(sub)

    sub = command("check", "the common checks on one solver, in words", _json)
    sub.description += (
        " Each runs in a child process. Exit code 1 if one fails; notes are no failures."
    )
    sub.add_argument("solver", metavar="SOLVER", help=_SOLVER)
    _limits(sub, 60.0, "check")

    sub = command("card", "what is known of a solver, from registry and records", *_CARD)
    sub.description += (
        " Problem, cost, parameters, departures from the paper, tests, exponents of time, and "
        "where it wins and fails in the artefacts of the papers. --json prints a list, but for one "
        "KEY that is not 'all'."
    )
    sub.add_argument(
        "names", nargs="+", metavar="KEY", help=f"{_SOLVER}; or 'all' that are registered"
    )
    sub.add_argument(
        "--measure",
        action="store_true",
        help="first measure how the time of an iteration grows, and keep it beside the records; "
        "of several solvers those that have not been measured here, with the present code",
    )
    sub.add_argument(
        "--time-limit",
        type=_positive(float),
        default=60.0,
        metavar="SECONDS",
        help="for a fit that is measured, and for the look at a class from outside (60)",
    )

    sub = command("data", "what data are at hand; get them; check them", _json)
    sub.add_argument(
        "action",
        choices=("list", "fetch", "verify"),
        help="fetch downloads into the user's cache; verify reads the files and checks them",
    )
    sub.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="data sets; by default all (fetch: all that are missing and have a public home)",
    )

    sub = command("export", "write records to one file, a row a trial, arrays left out", _targets)
    sub.description += (
        " 'all', the default, takes the whole store, also records that no artefact asks for any "
        "more; a trial that several artefacts share is one row, with their names joined by ';'."
    )
    _store(sub)
    sub.add_argument(
        "--profile", type=_one_of(PROFILES), metavar="P", help="only the trials of this profile"
    )
    sub.add_argument(
        "--format",
        type=_one_of(("parquet", "csv")),
        metavar="{parquet,csv}",
        help="by default what the name of the file says, else parquet",
    )
    sub.add_argument("--output", required=True, metavar="FILE")

    sub = command("import", "merge exported records; equal keys are not doubled", _store, _json)
    sub.add_argument(
        "names", nargs="+", metavar="FILE", help="or a folder: all parquet files below it"
    )

    sub = command("publish", "merge the records of a store into the record book", _store, _json)
    sub.add_argument(
        "--book", default=BOOK, metavar="DIR", help=f"folder of the record book ({BOOK})"
    )

    sub = command("replay", "rerun one trial: same bits, same digits, or different", _store, _json)
    sub.add_argument("key", metavar="TRIAL-KEY", help="key of a record, or how it begins")
    _limits(sub)

    sub = command(
        "audit", "compute a sample of the records again, and compare", _targets, _store, _json
    )
    sub.description += (
        " A row of the answer is a task, a solver and a data set. Exit code 1 if a record comes "
        "out different."
    )
    sub.add_argument(
        "--sample", type=_positive(int), default=1, metavar="N", help="records of each row (1)"
    )
    sub.add_argument("--draw", default="", metavar="TEXT", help="another text draws another sample")
    sub.add_argument(
        "--changed", action="store_true", help="only records that other source computed"
    )
    sub.add_argument(
        "--accept",
        action="store_true",
        help="raise the versions of what came out different, in the source",
    )
    _budget(sub)
    _jobs(sub)
    _limits(sub)

    command("doctor", "what is installed and at hand, what is missing, and how to get it", *_DOCTOR)
    return parser, commands.choices


class _Version(argparse.Action):
    def __call__(self, parser, *_):
        from nmfbench import __version__

        print(f"nmfbench {__version__}")
        parser.exit()


_SOLVER = (
    "a key (mu), package.module:Class or path/to/file.py:Class, with parameters if need be, as in "
    "'file.py:MyNMF(alpha=0.1)'"
)


def _targets(sub):
    sub.add_argument(
        "names",
        nargs="*",
        metavar="TARGET",
        help="artefact (robust-xray/fig3), paper (robust-xray) or 'all', the default",
    )


def _store(sub):
    sub.add_argument(
        "--store", default="results", metavar="DIR", help="folder of the records (results)"
    )


def _profile(sub):
    sub.add_argument(
        "--profile",
        type=_one_of(PROFILES),
        default="quick",
        metavar="P",
        help="smoke: seconds an artefact; quick (the default): minutes; paper: the papers' grids",
    )
    _stand_in(sub)


def _judged_profile(sub):
    sub.add_argument(
        "--profile",
        type=_one_of(PROFILES),
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


def _computing(sub):
    _budget(sub)
    sub.add_argument(
        "--anew", action="store_true", help="compute imported records again, and compare"
    )
    _jobs(sub)
    sub.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler, tcp://host:port")
    _retry_failed(sub)
    _limits(sub)


def _jobs(sub):
    sub.add_argument(
        "--jobs", type=_positive(int), default=1, metavar="N", help="trials at a time (1)"
    )


def _budget(sub):
    sub.add_argument(
        "--budget",
        type=_duration,
        metavar="T",
        help="begin no more after this time, such as 90s, 30m or 2h (no limit)",
    )


def _computing_here(sub):
    sub.add_argument(
        "--jobs",
        type=_positive(int),
        default=os.cpu_count() or 1,
        metavar="N",
        help="trials at a time (as many as there are cores); timed ones run one at a time",
    )
    _retry_failed(sub)
    _limits(sub, 300.0)


def _retry_failed(sub):
    sub.add_argument(
        "--retry-failed", action="store_true", help="compute failed trials once more, too"
    )


def _limits(sub, seconds=3600.0, unit="trial"):
    sub.add_argument(
        "--time-limit",
        type=_positive(float),
        default=seconds,
        metavar="SECONDS",
        help=f"a {unit} that takes longer has failed ({seconds:g})",
    )
    sub.add_argument(
        "--memory-limit",
        type=_memory,
        metavar="SIZE",
        help=f"what a {unit}'s process may allocate, such as 500M or 4G (no limit)",
    )


def _output(sub):
    sub.add_argument(
        "--output", default="report", metavar="DIR", help="folder of the pages (report)"
    )


def _json(sub):
    sub.add_argument("--json", action="store_true", help="print one JSON document")


_GRID = (_targets, _profile, _store)
_JUDGED = (_targets, _judged_profile, _store)
_CARD = (_judged_profile, _store, _json)
_DOCTOR = (_store, _json)


# -- values of options ------------------------------------------------------------------------


def _one_of(names):
    def convert(word):
        if word not in names:
            raise argparse.ArgumentTypeError(
                f"{word!r} is not one of {', '.join(names)}{_hint(word, names)}"
            )
        return word

    return convert


def _positive(kind):
    def convert(word):
        try:
            value = kind(word)
        except ValueError:
            value = 0
        if not 0 < value < float("inf"):
            what = "whole number" if kind is int else "number"
            raise argparse.ArgumentTypeError(f"needs a {what} above 0, got {word!r}")
        return value

    return convert


def _duration(word):
    """Seconds from ``90s``, ``30m``, ``2h``, or a plain number of seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", word)
    seconds = float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]] if match else 0
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"needs a time such as 90s, 30m or 2h, got {word!r}")
    return seconds


def _memory(word):
    """Bytes from ``500M``, ``4G``, ``4GiB`` or a plain number; units are powers of 1024."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", word, re.IGNORECASE)
    size = int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ")) if match else 0
    if size < 1:
        raise argparse.ArgumentTypeError(f"needs a size such as 500M or 4G, got {word!r}")
    return size
