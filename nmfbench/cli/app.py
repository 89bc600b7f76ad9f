"""The command line: parse, call, print.

Exit codes:

0. done; a refuted claim is a result like any other.
1. Something failed that the command needed or ran: a trial (of this run, or recorded as failed by
   an earlier one), a test of a claim that raised an exception, a download, a damaged data file or
   store, a full disk, a store that was moved away in the midst, data that are missing, a replay
   that gives another result. What had finished is kept, as far as its store is.
2. Wrong usage: an unknown name, a bad value, or a file, folder or address that is not what it
   should be. Nothing was computed.
130. Ctrl-C. What had finished is kept, and the same command resumes.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import inspect
import json
import os
import re
import sys
import warnings

from nmfbench.cli import commands
from nmfbench.cli.options import hint
from nmfbench.cli.output import Reporter
from nmfbench.core.text import one_line, printable

__all__ = ["main", "make_parsers", "parse"]

_EPILOG = """\
First steps:
  nmfbench claims robust-xray --sentences --published   which sentences of a paper hold
  nmfbench recommend counts.csv                         rank, loss and solver for a matrix of yours
  nmfbench compare mine.py:MyNMF --profile smoke        a solver of yours beside others
  nmfbench doctor                                       what is missing, and where the guides are

TARGET is an artefact (robust-xray/fig3), a paper (robust-xray: all of its artefacts) or 'all', the
default. Exit codes: 0 done; 1 a trial, the test of a claim, a download, a replay, the store or its
disk failed, or data are missing or damaged; 2 wrong usage; 130 stopped by Ctrl-C (the same command
resumes)."""


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
        return _main(argv)
    except KeyboardInterrupt as stop:  # also while arguments are parsed or errors printed
        return _complain(stop, 130, "stopped.")


def _main(argv):
    try:
        args = parse(argv)
    except SystemExit as end:  # argparse ends so after --help, --version and errors
        return end.code or 0
    gc.set_threshold(20_000, 20, 20)  # grids have 10^5 trials, in which there is no garbage
    as_json = getattr(args, "json", False)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
            warnings.showwarning = _show_warning
            answer = _call(args)
        if as_json:
            print(json.dumps(answer.data, indent=2, allow_nan=False))
        elif answer.text:
            print(printable(answer.text))
        sys.stdout.flush()
        return int(answer.failed)
    except BrokenPipeError:  # nmfbench list | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        from nmfbench.cli.errors import exit_code

        code = exit_code(error)
        if code is None:  # a bug in nmfbench: its traceback helps to fix it
            raise
        return _complain(error, code)


def _call(args):
    """Call the function of a command with the values of its options."""
    given = dict(vars(args))
    function = given.pop("function")
    if isinstance(function, str):
        module, _, name = function.partition(":")
        function = getattr(importlib.import_module(f"nmfbench.commands.{module}"), name)
    names = given.pop("names", ())
    for own in ("command", "json", "version"):
        given.pop(own, None)
    if "progress" in inspect.signature(function).parameters:
        given["progress"] = Reporter()
    return function(*names, **given)


def _complain(error, code, default=""):
    text = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    text = one_line(text) or default or type(error).__name__
    print(f"nmfbench: {text}", file=sys.stderr)
    return code


def _show_warning(message, *_, **__):
    print(f"nmfbench: note: {printable(message)}", file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """Errors in one line, with the nearest valid names."""

    def __init__(self, prog=None, **options):
        super().__init__(prog, allow_abbrev=False, **options)

    def error(self, message):
        choice = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice:
            names = re.findall(r"[\w-]+", choice[2])
            message += hint(choice[1], names)
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parse(argv):
    """Arguments of a command; ``function`` among them names what answers it."""
    parser, parsers = make_parsers()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for the words that may come next
        import argcomplete

        argcomplete.autocomplete(parser)
    if not (sys.argv[1:] if argv is None else argv):
        parser.exit(2, parser.format_help())
    args, rest = parser.parse_known_args(argv)
    command = parsers[args.command]
    options = [word for word in rest if word.startswith("-")]
    if options or not hasattr(args, "names"):
        word = (options or rest or [None])[0]
        if word is not None:
            known = re.findall(r"--[a-z-]+", command.format_usage())
            command.error(f"unknown argument {word!r}{hint(word.partition('=')[0], known)}")
    elif rest:
        args.names += rest  # names after an option: run a --jobs 2 b
    return args


def make_parsers():
    """The main parser, and the parsers of the commands by name."""
    parser = _Parser(
        "nmfbench",
        description="Benchmarks and reproducibility for non-negative matrix factorization.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    added = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in _command_files():
        importlib.import_module(f"{commands.__name__}.{name}").add(added)
    return parser, added.choices


def _command_files():
    """Names of the files of commands, as the help lists them; what ``ORDER`` lacks comes last."""
    # Not by pkgutil, whose imports take longer than all else here.
    files = (file.partition(".") for file in os.listdir(commands.__path__[0]))
    names = {name for name, _, suffix in files if suffix == "py"} - {"__init__"}
    order = {name: place for place, name in enumerate(commands.ORDER)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


class _Version(argparse.Action):
    def __call__(self, parser, *_):
        from nmfbench import __version__

        print(f"nmfbench {__version__}")
        parser.exit()
