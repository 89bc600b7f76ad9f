"""Which trials are to be computed: those without a record that counts."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from nmfbench.core import registry
from nmfbench.records.provenance import host, versions
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial

__all__ = ["Held", "in_stages", "missing", "other_release", "timed_here"]


class Held:
    """What a store holds of some trials, read once, for those who ask for it in turn.

    Parameters
    ----------
    store : Store
    keys : iterable of str
    """

    def __init__(self, store: Store, keys: Iterable[str]):
        self._store = store
        self._provenance = store.provenance(keys)
        self._imported: dict[str, bool] = {}

    @classmethod
    def of(cls, trials: Iterable[Trial], store: Store) -> Held:
        """Records of some trials and of the fits that they start from."""
        everyone = (t for trial in trials for t in (trial, trial.base) if t is not None)
        return cls(store, {trial.key for trial in everyone})

    def provenance(self, keys: Iterable[str]) -> dict[str, dict]:
        return {key: self._provenance[key] for key in keys if key in self._provenance}

    def imported(self, keys: Iterable[str]) -> set[str]:
        keys = self._provenance.keys() & set(keys)
        if new := keys - self._imported.keys():
            found = self._store.imported(new)
            self._imported.update((key, key in found) for key in new)
        return {key for key in keys if self._imported[key]}


def missing(
    trials: Iterable[Trial],
    store: Store | Held,
    *,
    retry_failed: bool = False,
    recompute: bool | Collection[str] = False,
) -> list[Trial]:
    """The trials without a record that counts, each once, in order.

    These count as missing, too: failed trials that other source computed; what a wrapped peer
    gave under another release of it; and, of timed rivals on one problem, those timed on another
    machine or in another environment, as soon as one of them has to be timed here, or was.

    Parameters
    ----------
    retry_failed : bool, default=False
        Count all failed records as missing.
    recompute : bool or collection of str, default=False
        Count imported records as missing: all, or the ones with these keys.
    """
    by_key = {trial.key: trial for trial in trials}
    held = store.provenance(by_key)
    lacking = {
        key for key, trial in by_key.items() if not _counts(trial, held.get(key), retry_failed)
    }
    if recompute:
        chosen = by_key.keys() if isinstance(recompute, bool) else by_key.keys() & set(recompute)
        lacking |= store.imported(chosen)
    problems = {key: trial.timed_problem for key, trial in by_key.items() if trial.timed}
    elsewhere = {key for key in problems.keys() - lacking if not timed_here(held[key])}
    here = {problem for key, problem in problems.items() if key not in elsewhere}
    lacking |= {key for key in elsewhere if problems[key] in here}
    return [trial for key, trial in by_key.items() if key in lacking]


def _counts(trial: Trial, record: Mapping[str, Any] | None, retry_failed: bool) -> bool:
    if record is None:
        return False
    if record["status"] == "failed":
        return not retry_failed and record["code"] == trial.code
    return other_release(trial, record) is None


def other_release(trial: Trial, record: Mapping[str, Any]) -> str | None:
    """The release of the wrapped peer behind a record, as ``"scikit-learn 1.5.0"``, if it is not
    the installed one."""
    package = registry.solvers[trial.solver].info.get("wraps")
    if package is None or record["versions"].get(package) == versions(package)[package]:
        return None
    return f"{package} {record['versions'].get(package)}"


def timed_here(record: Mapping[str, Any]) -> bool:
    """Whether a record was timed on this very machine, and under the installed releases.

    That of this package does not matter: what changes a result raises a version in the key. A
    record that was published or imported does not say on which machine, and counts as timed on
    another.
    """
    releases = {name: release for name, release in versions().items() if name != "nmfbench"}
    return record["host"] == host() and releases.items() <= record["versions"].items()


def in_stages(
    trials: Iterable[Trial],
    store: Store | Held,
    *,
    retry_failed: bool = False,
    recompute: bool | Collection[str] = False,
) -> list[list[Trial]]:
    """The trials to compute, in stages: what others start from comes first.

    A fit whose record was imported, without its arrays, is computed again where something has to
    start from it, and with it all of the trials that do, so that they come from one computation.
    The arguments are as in :func:`missing`.
    """
    lacking = functools.partial(
        missing, store=store, retry_failed=retry_failed, recompute=recompute
    )
    trials = list({trial.key: trial for trial in trials}.values())
    stages = [lacking(trials)]
    while bases := {t.base.key: t.base for t in stages[0] if t.base is not None}:
        again = {trial.key for trial in lacking(bases.values())}
        again |= store.imported(bases)
        staged = {trial.key for trial in stages[0]}
        stages[0] += [t for t in trials if t.base and t.base.key in again and t.key not in staged]
        first = [trial for key, trial in bases.items() if key in again]
        stages = [first, *([t for t in stage if t.key not in again] for stage in stages)]
    return [stage for stage in stages if stage]
