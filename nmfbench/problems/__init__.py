"""Problems: data, corruption, split, options and repeats by profile, for papers and comparisons.

A :class:`~nmfbench.problems.problem.Problem` is a trial without its solver. A file of this folder
has the problems of one task, or of one kind of data, and the levels, sets and options that
artefacts of papers share with comparisons: where a paper asks the same question, its options are
used, so that a record serves both.

The problems of a comparison are registered by the key of their task, and ``nmfbench compare`` ranks
solvers on them by the task's declared score. Of a task in this package they are a file here; an
external task and its problems may come from one file, the module under the entry point
``nmfbench.tasks``:

>>> from nmfbench.core.registry import register_problems
>>> from nmfbench.problems.baselines import GENERAL
>>> from nmfbench.problems.problem import Problem
>>> def ranks_used(profile):
...     return [Problem("rank-used", "digits", "digits", {}, baselines=GENERAL, repeats=10)]

with ``@register_problems("rank-used")`` above it. Baselines are the registered solvers, with their
parameters, that a new solver meets there by default, in all tasks alike where they can do them.
"""
