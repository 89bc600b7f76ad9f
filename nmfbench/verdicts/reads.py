"""Arrays that an artefact reads, and which of them were not imported with their records.

A record book keeps of each record the arrays that its own report shows. As a grid grows, tests and
tables may need more of them; what has an imported record without such an array is computed again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from nmfbench.records.errors import ArrayStayedBehindError
from nmfbench.records.store import Store
from nmfbench.records.stored import StoredArrays

__all__ = ["ReadArrays", "Reads", "read_arrays"]


@dataclass
class Reads:
    """Arrays that evaluations read, by key of the trial and name of the array.

    Attributes
    ----------
    all, claims : set of (str, str)
        All arrays that were read, and the arrays that the test of a claim read.
    behind : set of (str, str)
        Arrays that were not imported with their records.
    by_claims : bool
        Whether a claim is tested now.
    trying : bool
        Whether similar arrays stand in for the missing ones.
    """

    all: set[tuple[str, str]] = field(default_factory=set)
    claims: set[tuple[str, str]] = field(default_factory=set)
    behind: set[tuple[str, str]] = field(default_factory=set)
    by_claims: bool = False
    trying: bool = True

    def note(self, key: str, name: str) -> None:
        """An array is read."""
        self.all.add((key, name))
        if self.by_claims:
            self.claims.add((key, name))

    def add(self, other: Reads) -> None:
        """Take over what others noted."""
        self.all |= other.all
        self.claims |= other.claims
        self.behind |= other.behind


def read_arrays(records: pd.DataFrame, store: Store, reads: Reads) -> list[ReadArrays]:
    """Arrays of each record, which note what is read of them."""
    kin = _Kin(store, records)
    return [ReadArrays(store, key, reads, kin) for key in records["key"]]


class ReadArrays(StoredArrays):
    """Arrays of one trial, which note what is read of them.

    One that stayed behind is noted, and a like one stands in for it, so that one evaluation, whose
    results do not count then, finds all that stayed behind.
    """

    def __init__(self, store, key, reads, kin):
        super().__init__(store, key, reads.note)
        self._reads, self._kin = reads, kin

    def __getitem__(self, name) -> np.ndarray:
        try:
            return super().__getitem__(name)
        except ArrayStayedBehindError:
            if not self._reads.trying:
                raise
            self._reads.behind.add((self._key, name))
            like = self._kin.with_array(self._key, name)
            if like is None:
                self._reads.behind |= {(key, name) for key in self._kin.beside(self._key)}
                raise
            return self._store.array(like, name)

    def __contains__(self, name) -> bool:
        if name in self._store.array_names(self._key):
            return True
        # What no like record has is nothing that could have stayed behind.
        nearest = self._kin.with_array(self._key, name, nearest=True) is not None
        return nearest and bool(self._store.imported([self._key]))

    def get(self, name, default=None):
        if name not in self:  # rather than a KeyError, which an array that stayed behind is, too
            return default
        return self[name]


class _Kin:
    """Records alike, with the arrays that they have."""

    def __init__(self, store: Store, records: pd.DataFrame):
        self._store, self._records = store, records

    def with_array(self, key: str, name: str, *, nearest: bool = False) -> str | None:
        """The key of a record like another that has an array; ``nearest``: of one solver and data
        set."""
        kinds = self._kinds[key][: 1 if nearest else None]
        return next((self._having[k, name] for k in kinds if (k, name) in self._having), None)

    def beside(self, key: str) -> set[str]:
        """Keys of the imported records of the same task and repeat."""
        records = self._records.set_index("key")
        like = records[["task", "repeat"]].eq(records.loc[key, ["task", "repeat"]]).all(axis=1)
        return self._store.imported(like.index[like])

    @cached_property
    def _kinds(self) -> dict[str, list[tuple[str, ...]]]:
        columns = self._records[["key", "task", "dataset", "solver"]]
        return {
            key: [(task, dataset, solver), (task, dataset), (task,)]
            for key, task, dataset, solver in columns.itertuples(index=False)
        }

    @cached_property
    def _having(self) -> dict[tuple[tuple[str, ...], str], str]:
        names = self._store.names_of_arrays(self._kinds)
        found: dict[tuple[tuple[str, ...], str], str] = {}
        for key, kinds in self._kinds.items():
            for name in names.get(key, ()):
                for kind in kinds:
                    found.setdefault((kind, name), key)
        return found
