"""Commands as functions: what the command line does, for Python and notebooks.

One file per command: a function with keyword arguments, decorated by
:func:`~nmfbench.commands.values.command`, that returns an
:class:`~nmfbench.commands.answer.Answer`. A file of its options in :mod:`nmfbench.cli.commands`
makes it a command; a command that only the command line needs has its function there, too, and is
one file. A line in ``nmfbench/__init__.py`` makes a function an attribute of the package.

The functions print nothing. ``progress`` is called with an event for each notice and each trial
computed (:mod:`nmfbench.commands.progress`): ``progress=print`` shows them as lines.
"""
