"""Commands of the command line, one file each.

To add a command, write its function in :mod:`nmfbench.commands` and add a file here: it is found by
a scan of this folder. The file offers ``add(commands)``, which names the function and declares its
arguments as options (shared ones are in :mod:`nmfbench.cli.options`): each option
is a keyword of the function, with the same default. What the function returns is printed, as text
or, with ``--json``, as data; notices and progress go to standard error meanwhile.

A command that only the command line needs may have its function in the same file.

All files are imported for each command, so that they import nothing heavy outside functions.
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
