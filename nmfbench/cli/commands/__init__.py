"""Commands of the command line, a file each.

To add a command, add a file: it is found by a scan of this folder. The file offers
``add(commands)``, which adds the command and its options (those that others have too are in
:mod:`nmfbench.cli.options`), and ``run(args)``, which answers it: parsed arguments in, a
:class:`~nmfbench.cli.output.Result` out, the answer as data and as text. Progress and notices go
to standard error meanwhile.

All files are imported for each command, so that they import what is heavy (the store, the
registries' entries, pandas) inside functions.
"""

ORDER = (
    "list",
    "run",
    "status",
    "report",
    "reproduce",
    "claims",
    "compare",
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
