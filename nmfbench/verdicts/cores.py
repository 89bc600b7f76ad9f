"""Hours that the papers' grids take on a number of cores, simulated from what trials cost."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from nmfbench.artefacts.artefact import Artefact
from nmfbench.engine.budget import Costs
from nmfbench.engine.makespan import jobs_of, longest_chain, makespan
from nmfbench.records.beside import KeptTable
from nmfbench.records.store import Store

__all__ = ["KEPT", "on_cores"]

KEPT = KeptTable(
    "cores.json",
    "cores",
    {
        "cores": int,
        "hours": float,
        "chain": float,
        "artefact": str,
        "solver": str,
        "dataset": str,
        "trials": int,
        "known": int,
    },
    amount=lambda table: max(table["known"], default=0),
)
"""The simulation in a folder; a copy replaces none that knows the costs of more trials."""

_CORES = (1, 2, 10, 100, 1000)


def on_cores(artefacts: Iterable[Artefact], store: Store) -> pd.DataFrame:
    """Hours of the papers' grids on 1 to 1000 cores, and the chain of trials that takes longest.

    Trials that were computed cost the mean of their kind, others what
    :class:`~nmfbench.engine.budget.Costs` predicts. How cores are simulated is said in
    :mod:`nmfbench.engine.makespan`.

    Parameters
    ----------
    artefacts : iterable of Artefact
    store : Store

    Returns
    -------
    DataFrame
        Columns ``cores`` and ``hours``; ``chain`` (hours of the longest chain of trials, which no
        number of cores makes shorter), with the ``artefact``, ``solver`` and ``dataset`` of its
        last one; ``trials``, and of how many the cost is ``known``.
    """
    plans = {artefact.id: artefact.plan("paper", stand_in=True) for artefact in artefacts}
    trials = {trial.key: trial for plan in plans.values() for trial in plan}
    jobs = jobs_of(trials.values(), Costs(store, trials.values()).of)
    if not jobs:
        return pd.DataFrame(columns=list(KEPT.columns))
    chain = longest_chain(jobs)
    last = chain[-1].trial
    in_plan = (a for a, plan in plans.items() for t in plan if last in (t, t.base))
    where = {
        "chain": sum(job.seconds for job in chain) / 3600,
        "artefact": next(in_plan),
        "solver": last.solver,
        "dataset": last.dataset,
        "trials": len(trials),
        "known": len(store.provenance(trials)),
    }
    return pd.DataFrame(
        [{"cores": n, "hours": makespan(jobs, n) / 3600, **where} for n in _CORES],
        columns=list(KEPT.columns),
    )
