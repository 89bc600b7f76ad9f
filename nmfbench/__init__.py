"""nmfbench: benchmarks and reproducibility for non-negative matrix factorization.

The way of a result, and where each part lives::

    dataset or generator   nmfbench.datasets
      -> corruption        nmfbench.corruptions
      -> solver            nmfbench.solvers       (on nmfbench.projections, nmfbench.kernels)
      -> metric            nmfbench.metrics       (called by the tasks of nmfbench.tasks)
      -> record            nmfbench.trials, nmfbench.runner, nmfbench.store
      -> table or figure   nmfbench.papers        (a folder a paper, a file an artefact)
      -> claim verdict     nmfbench.claims, nmfbench.report

>>> import nmfbench
>>> solver = nmfbench.make_solver("spa", n_components=2)
>>> solver.fit([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]).anchor_indices_.tolist()
[0, 2]
"""

from nmfbench.datasets.base import load_dataset
from nmfbench.perform import make_solver
from nmfbench.results import results

__all__ = ["load_dataset", "make_solver", "results"]
__version__ = "0.1.0"
