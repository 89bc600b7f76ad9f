"""Options that several commands share, and the values that options take.

Nothing heavy is imported here, so that ``--help`` and wrong usage answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from nmfbench.commands import values
from nmfbench.commands.values import PROFILES, hint, one_of

__all__ = [
    "PROFILES",
    "SOLVER",
    "add_command",
    "argument",
    "budget",
    "choose",
    "computing",
    "data",
    "hint",
    "jobs",
    "judged_profile",
    "limits",
    "names_of",
    "output",
    "positive",
    "print_json",
    "profile",
    "reading",
    "renew",
    "retry_failed",
    "since",
    "site",
    "solvers",
    "store",
    "switch",
    "target",
    "targets",
    "timed",
    "yes_or_no",
]

SOLVER = (
    "a key (mu), package.module:Class or path/to/file.py:Class, with parameters if need be, as in "
    "'file.py:MyNMF(alpha=0.1)'"
)


def add_command(commands, name, function, help, more=""):
    """Add a command to the parser.

    Parameters
    ----------
    commands : object
        As :meth:`argparse.ArgumentParser.add_subparsers` gives it.
    name : str
    function : str or callable
        The function that answers it, as ``module:name`` below :mod:`nmfbench.commands`, or itself.
        Each option added is one of its keywords, and ``names`` are its positional arguments.
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
    sub.set_defaults(function=function)
    return sub


def argument(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Type of an option from a reader of values, with its message."""

    def convert(word):
        try:
            return read(word)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert


def positive(kind):
    """Type of an option that takes a number above 0, ``int`` or ``float``."""
    return argument(values.positive(kind))


def yes_or_no(word):
    """Type of an option that takes ``yes`` or ``no``."""
    return argument(one_of(("yes", "no")))(word) == "yes"


def switch(sub, flag, help):
    """Add an option without a value."""
    sub.add_argument(flag, action="store_true", help=help)


def choose(sub, flag, words, **more):
    """Add an option that takes one of a few words."""
    sub.add_argument(flag, type=argument(one_of(words)), **more).completer = _words(words)


def _words(words):
    return lambda **_: words


def targets(sub):
    sub.add_argument(
        "names",
        nargs="*",
        metavar="TARGET",
        help="artefact (robust-xray/fig3), paper (robust-xray) or 'all', the default",
    ).completer = _targets


def store(sub):
    sub.add_argument(
        "--store", default="results", metavar="DIR", help="folder of the records (results)"
    )


def profile(sub):
    choose(
        sub,
        "--profile",
        PROFILES,
        default="quick",
        metavar="P",
        help="smoke: seconds an artefact; quick (the default): minutes; paper: the papers' grids",
    )
    _stand_in(sub)


def judged_profile(sub):
    choose(
        sub,
        "--profile",
        PROFILES,
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
        type=argument(values.moment),
        metavar="WHEN",
        help="'look': up to the next look of each artefact with open tests; 'planned': up to the "
        "planned repeats of all; or a time of day such as 6:30",
    )
    timed(sub)
    sub.add_argument(
        "--recompute",
        action="store_true",
        help="compute imported records again, and compare",
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
    sub.add_argument("--budget", type=argument(values.seconds), metavar="T", help=help)


def timed(sub):
    choose(
        sub,
        "--timed",
        ("no", "only"),
        metavar="no|only",
        help="'no': leave out trials whose seconds are the result; 'only': no others, each as soon "
        "as the machine is idle, with their rivals in other artefacts that were timed elsewhere",
    )


def jobs(sub, default=1, help="trials at a time (1)"):
    sub.add_argument("--jobs", type=positive(int), default=default, metavar="N", help=help)


def retry_failed(sub):
    sub.add_argument(
        "--retry-failed", action="store_true", help="compute failed trials once more, too"
    )


def renew(sub):
    sub.add_argument(
        "--renew",
        action="store_true",
        help="timings that are taken again, since the store has them from another machine, take "
        "the place of these, with all others of the same problems: 'nmfbench publish' takes them",
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
        type=argument(values.bytes_of),
        metavar="SIZE",
        help=f"what a {unit}'s process may hold together with all that it starts, such as 500M or "
        "4G (four fifths of what is available, shared by the jobs)",
    )


def target(sub):
    sub.add_argument(
        "--target",
        type=argument(values.target),
        metavar="NAME",
        help="instructions that untimed trials are computed with: 'reference' (the default), which "
        "gives the same bits on all x86-64 processors with AVX2, or 'native', all that this "
        "processor has; timed trials are always native",
    )


def output(sub, default="report", help="folder of the pages"):
    sub.add_argument("--output", default=default, metavar="DIR", help=f"{help} ({default})")


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


_OWN = "a file or folder of your own (.csv, .npz, .mtx, .mat, .h5ad, pictures, ...)"


def data(sub, what, **more):
    """Data by a registered name or of the user's own, and how to read them."""
    option = sub.add_argument("--data", metavar="NAME|FILE", help=f"{what}, or {_OWN}", **more)
    option.completer = names_of("datasets")
    reading(sub)


def own_data(sub, what):
    """Data of the user's own, and how to read them."""
    sub.add_argument("--data", metavar="FILE", help=f"{what}, {_OWN}")
    reading(sub)


def reading(sub):
    """How to read data of the user's own."""
    sub.add_argument(
        "--labels", metavar="FILE|COLUMN", help="classes of the samples of your own data"
    )
    switch(sub, "--transpose", "samples are columns of FILE")
    sub.add_argument(
        "--variable", metavar="NAME", help="the matrix among several of FILE, or a layer of .h5ad"
    )
    sub.add_argument(
        "--image-side",
        type=positive(int),
        metavar="N",
        help="resize pictures of a folder to a square with sides of N pixels",
    )


def print_json(sub):
    sub.add_argument("--json", action="store_true", help="print one JSON document")


# -- names that a shell completes ---------------------------------------------------------------


def solvers(sub, flag, **more):
    """Add an argument that takes solvers, of which the keys of the suite are completed."""
    sub.add_argument(flag, **more).completer = names_of("solvers")


def names_of(kind):
    """Completer of the names in a registry."""

    def complete(**_):
        from nmfbench.commands.remembered import remembered
        from nmfbench.core import registry

        return remembered(f"names-of-{kind}", lambda: list(getattr(registry, kind)))

    return complete


def _targets(**_):
    ids = names_of("artefacts")()
    return ["all", *{name.partition("/")[0]: None for name in ids}, *ids]
