"""nmfbench: benchmarks and reproducibility for non-negative matrix factorization.

The way of a result, and where each part lives::

    dataset or generator   nmfbench.datasets
      -> corruption        nmfbench.corruptions
      -> solver            nmfbench.solvers       (on nmfbench.optim)
      -> metric            nmfbench.metrics       (called by the tasks of nmfbench.tasks)
      -> trial             nmfbench.trials        (without solvers: nmfbench.problems)
      -> record            nmfbench.records       (by nmfbench.engine; nmfbench.audit)
      -> table or figure   nmfbench.papers        (in the vocabulary of nmfbench.artefacts)
      -> verdict           nmfbench.verdicts
      -> page              nmfbench.report, nmfbench.cards, nmfbench.compare

>>> import nmfbench
>>> solver = nmfbench.make_solver("spa", n_components=2)
>>> solver.fit([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]).anchor_indices_.tolist()
[0, 2]
"""

from importlib import import_module

__version__ = "0.1.0"

# Imported when first used, so that the command line answers at once.
_HOMES = {
    "load_dataset": "nmfbench.datasets.base",
    "make_solver": "nmfbench.solvers",
    "results": "nmfbench.records.results",
}
__all__ = list(_HOMES)


def __getattr__(name):
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
