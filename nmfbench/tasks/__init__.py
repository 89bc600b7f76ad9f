"""Evaluation protocols, one file each, shared by the papers and by every comparison.

A task is a function from data and an unfitted solver to an :class:`~nmfbench.tasks.base.Outcome`.
A new one is a new file in this folder, or in any package that names its module under the entry
point ``nmfbench.tasks``:

>>> from nmfbench.core.registry import register_task
>>> from nmfbench.tasks.base import Outcome, timed_fit
>>> def rank_used(data, solver, rng):
...     fit, arrays = timed_fit(solver, data.X)
...     return Outcome({"rank": float(len(solver.components_))}, fit, arrays)

with ``@register_task("rank-used", summary="number of components found")`` above it. One trial of it
is ``perform(Trial("rank-used", "digits", "mu"))``, of :mod:`nmfbench.engine.perform` and
:mod:`nmfbench.trials.trial`; artefacts ask for many, in their grids, and ``compare`` for those of
its problems, a file of the same name in :mod:`nmfbench.problems`. ``data`` is
the Bunch of :func:`nmfbench.load_dataset`, corrupted if the trial says so (the clean matrix is
then ``data.clean``), ``rng`` draws splits, and further keyword arguments are the trial's options.

All that others know of a task is declared there: the metric that methods are ranked by and its
direction (``score="rank", higher_is_better=False``), and why a solver without an ability cannot do
it (``needs={"anchors": "its fit leaves no anchor_indices_"}``), and what difference of each metric
its users would notice (``matters={"rank": 1.0}``, see :mod:`nmfbench.core.matters`), which is one
number, whatever is compared and whatever comes out; see
:func:`~nmfbench.core.registry.register_task`. Cards rank by that score, ``check`` says who cannot,
and ``compare`` asks it of the task's :mod:`~nmfbench.problems`. Whatever is not declared is left
out there. The tests of all tasks are ``tests/artefacts/test_criteria.py`` and ``test_matters.py``.

Where a fit is dear and there are several questions to ask of it, a task starts from the outcome of
another instead of fitting: ``factorization`` keeps split, factors and codes, and whoever is
registered with ``based_on="factorization"`` gets them as a fourth argument. The engine computes a
fit once for all trials that differ in the task alone:

>>> def residual(data, solver, rng, base):
...     train, W, H = (base.arrays[name] for name in ("train", "W", "components"))
...     return Outcome({"residual": float(abs(data.X[train] - W @ H).sum())}, base.fit)
"""
