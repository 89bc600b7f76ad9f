"""Evaluation protocols, one file each, shared by the papers and by every comparison.

A task is a function from data and an unfitted solver to an :class:`~nmfbench.tasks.base.Outcome`.
A new one is a new file in this folder, or in any package that names its module under the entry
point ``nmfbench.tasks``:

>>> from nmfbench.registry import register_task
>>> from nmfbench.tasks.base import Outcome, timed_fit
>>> def rank_used(data, solver, rng):
...     fit, arrays = timed_fit(solver, data.X)
...     return Outcome({"rank": float(len(solver.components_))}, fit, arrays)

with ``@register_task("rank-used", summary="number of components found")`` above it. ``data`` is
the Bunch of :func:`nmfbench.load_dataset`, corrupted if the trial says so (the clean matrix is
then ``data.clean``), ``rng`` draws splits, and further keyword arguments are the trial's options.
"""
