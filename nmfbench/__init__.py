"""nmfbench: benchmarks and reproducibility for non-negative matrix factorization.

The way of a result, and where each part lives::

    dataset or generator   nmfbench.datasets    (of the user's own: nmfbench.own)
      -> corruption        nmfbench.corruptions
      -> solver            nmfbench.solvers       (on nmfbench.optim)
      -> metric            nmfbench.metrics       (called by the tasks of nmfbench.tasks)
      -> trial             nmfbench.trials        (without solvers: nmfbench.problems)
      -> record            nmfbench.records       (by nmfbench.engine; nmfbench.audits)
      -> table or figure   nmfbench.papers        (in the vocabulary of nmfbench.artefacts)
      -> verdict           nmfbench.verdicts
      -> page              nmfbench.reports, nmfbench.cards, nmfbench.comparison

Every command of the command line ``nmfbench`` is a function of :mod:`nmfbench.commands`. Those
whose answers a program goes on with are names of this package, such as ``nmfbench.compare``.

>>> import nmfbench
>>> solver = nmfbench.make_solver("spa", n_components=2)
>>> solver.fit([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]).anchor_indices_.tolist()
[0, 2]
>>> nmfbench.status("robust-xray/fig3", store="no-such-folder").data[0]["done"]
0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nmfbench.core.lazy import lazy

if TYPE_CHECKING:
    from nmfbench.commands.audit import audit
    from nmfbench.commands.check import check
    from nmfbench.commands.claims import claims
    from nmfbench.commands.compare import compare
    from nmfbench.commands.export import export
    from nmfbench.commands.import_records import import_records
    from nmfbench.commands.recommend import recommend
    from nmfbench.commands.replay import replay
    from nmfbench.commands.report import report
    from nmfbench.commands.reproduce import reproduce
    from nmfbench.commands.run import run
    from nmfbench.commands.score import score
    from nmfbench.commands.status import status
    from nmfbench.datasets.base import load_dataset
    from nmfbench.records.results import results
    from nmfbench.solvers import make_solver

__version__ = "0.2.0"
__all__ = [
    "audit",
    "check",
    "claims",
    "compare",
    "export",
    "import_records",
    "load_dataset",
    "make_solver",
    "recommend",
    "replay",
    "report",
    "reproduce",
    "results",
    "run",
    "score",
    "status",
]

_HOMES = {name: f"commands.{name}" for name in __all__} | {
    "load_dataset": "datasets.base",
    "make_solver": "solvers",
    "results": "records.results",
}
__getattr__, __dir__ = lazy(__name__, _HOMES)  # the command line answers at once
