"""Commands of the command line, one file each.

A new command is one new file here: it is found by a scan of this folder. The file offers
``add(commands)``, which names a function and declares its arguments as options (shared ones are in
:mod:`nmfbench.cli.options`): each option is a keyword of the function, with the same default; an
argument ``names`` with ``nargs="*"`` is given as positional ones, to ``def families(*names)``.
What the function returns is printed, as text or, with ``--json``, as data; notices and progress go
to standard error meanwhile. A whole file:

>>> from nmfbench.cli import options
>>> from nmfbench.commands.answer import Answer, text_table
>>> from nmfbench.commands.values import command

>>> @command
... def families(*, paper=None):
...     from nmfbench.core import registry
...
...     facts = [entry.info for entry in registry.solvers.entries()]
...     known = sorted({info["family"] for info in facts if paper in (None, info["paper"])})
...     rows = [{"family": name} for name in known]
...     return Answer(rows, text_table(rows, ("family",)), rows=rows)

>>> def add(commands):
...     sub = options.add_command(commands, "families", families, "families of solvers")
...     sub.add_argument("--paper", metavar="KEY", help="of one paper alone")
...     options.print_json(sub)

:func:`~nmfbench.commands.values.command` checks arguments that have one meaning in all commands,
such as ``profile``. A function that Python has, too, is a file of :mod:`nmfbench.commands` instead,
and ``add`` names it as ``"file:function"``. All files here are imported for each command, so that
they import nothing heavy outside functions.

``tests/cli/test_commands.py`` looks at all of them: a file has at most 60 lines, and leaves parsed
arguments to :mod:`nmfbench.cli.options`.
"""

ORDER = (
    "list",
    "run",
    "status",
    "report",
    "reproduce",
    "claims",
    "compare",
    "recommend",
    "score",
    "check",
    "card",
    "data",
    "export",
    "import_",
    "publish",
    "verify",
    "replay",
    "audit",
    "doctor",
)
"""Order of the commands in the help: that of a first use, then what maintainers need."""
