"""Records of another numerical target, computed again under the reference target.

So a record book that was computed on several machines becomes one of the same bits on all of them,
and no version is raised for it: what changes is how sums were rounded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

from nmfbench.audits.audit import Audit, Group
from nmfbench.audits.sample import cost_of
from nmfbench.datasets.base import dataset_available
from nmfbench.engine.runner import Limits, WorkerPool, run
from nmfbench.records.agreement import compare
from nmfbench.records.exchange import current_trial
from nmfbench.records.rounding import Spreads
from nmfbench.records.saved import is_saved
from nmfbench.records.store import Store
from nmfbench.records.vouchers import group_of
from nmfbench.trials.target import REFERENCE, is_reference
from nmfbench.trials.trial import Trial

__all__ = ["renew"]

_BATCH = 30.0  # seconds that trials of one call of the runner took before, at least


def renew(
    store: Store,
    keys: Iterable[str] | None = None,
    *,
    budget: float | None = None,
    jobs: int = 1,
    limits: Limits | None = None,
    progress: Callable[[Audit], None] = lambda found: None,
) -> list[Group]:
    """Compute untimed records of another target again, and keep the new ones.

    A fit is computed again together with all that starts from it; the fastest groups come first.
    Only finished records count that were imported, whose key is still today's and whose data are
    available.

    Parameters
    ----------
    store : Store
    keys : iterable of str, optional
        Of the records to choose from; by default all.
    budget : float, optional
        Seconds after which no trial is begun.
    jobs : int, default=1
        Trials computed at a time.
    limits : Limits, optional
    progress : callable
        Called with the comparison of each new record with the one whose place it takes.

    Returns
    -------
    list of Group
        As of :func:`nmfbench.audits.audit.audit`; ``records`` counts records of another target.
    """
    deadline = float("inf") if budget is None else time.monotonic() + budget
    limits = limits or Limits()
    before: dict[str, Mapping[str, Any]] = {}
    trials: dict[str, Trial] = {}
    groups: dict[tuple[str, ...], Group] = {}
    spreads = Spreads(store.folder)
    for record in _of_another_target(store, keys):
        trial = current_trial(record)
        if trial is not None and (trial.stand_in or dataset_available(trial.dataset)):
            before[record["key"]], trials[record["key"]] = record, trial
            group = groups.setdefault(group_of(record), Group(*group_of(record)))
            group.records += 1

    def tell(_, record):
        old = before.get(record["key"])
        if old is not None and record["status"] == "done":
            agreement = compare(old, record, spread=spreads.of(old))
            found = Audit(old, trials[old["key"]], agreement.outcome, agreement.details, record)
            groups[group_of(old)].audits.append(found)
            progress(found)

    fits = {_root(trial).key for trial in trials.values()} - before.keys()
    costs = {r["key"]: cost_of(r) for r in (*before.values(), *store.records(fits))}
    with closing(WorkerPool(limits.memory, jobs)) as pool:
        for batch in _batches(costs, trials):
            if time.monotonic() >= deadline:
                break
            run(
                batch,
                store,
                jobs=jobs,
                limits=limits,
                recompute=True,
                target=REFERENCE,
                progress=tell,
                wanted=lambda trial: time.monotonic() < deadline,
                pool=pool,
            )
    return [groups[name] for name in sorted(groups)]


def _of_another_target(store, keys) -> list[dict]:
    found = [
        record
        for record in store.records(keys)
        if record["status"] == "done"
        and not record["timed"]
        and not is_saved(record["solver"])
        and not is_reference(record["versions"])
    ]
    imported = store.imported(record["key"] for record in found)
    return [record for record in found if record["key"] in imported]


def _root(trial: Trial) -> Trial:
    """The fit that a trial starts from, at the end."""
    while trial.base is not None:
        trial = trial.base
    return trial


def _batches(costs: Mapping[str, float], trials: Mapping[str, Trial]) -> Iterator[list[Trial]]:
    """Trials with all that start from the same fit, the cheapest first.

    Their fit counts also where it is no trial of these: no trial starts from an imported one.
    """
    families: dict[str, list[Trial]] = {}
    for trial in trials.values():
        families.setdefault(_root(trial).key, []).append(trial)

    def cost(root):
        keys = {root, *(trial.key for trial in families[root])}
        return sum(costs.get(key, 0.0) for key in keys)

    batch, seconds = [], 0.0
    for root in sorted(families, key=lambda root: (cost(root) / len(families[root]), root)):
        batch += families[root]
        seconds += cost(root)
        if seconds >= _BATCH:
            yield batch
            batch, seconds = [], 0.0
    if batch:
        yield batch
