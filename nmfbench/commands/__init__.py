"""Commands as functions: what the command line does, for Python and notebooks.

One file per command. To add one, write a function with keyword arguments here, decorated by
:func:`~nmfbench.commands.values.command`, that returns an
:class:`~nmfbench.commands.answer.Answer`; a file of its options in :mod:`nmfbench.cli.commands`
makes it a command, and a line in ``nmfbench/__init__.py`` an attribute of the package.

The functions print nothing. ``progress`` is called with an event for each notice and each trial
computed (:mod:`nmfbench.commands.progress`): ``progress=print`` shows them as lines.
"""
