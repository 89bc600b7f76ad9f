"""Arrays of a stored trial, read on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from nmfbench.records.store import Store

__all__ = ["StoredArrays"]


class StoredArrays(Mapping[str, np.ndarray]):
    """The arrays of one trial as a mapping from names, each read at its first use.

    Parameters
    ----------
    store : Store
        Open for as long as arrays are read.
    key : str
    seen : callable, optional
        Called with the key and the name of each array that is read.
    """

    def __init__(
        self,
        store: Store,
        key: str,
        seen: Callable[[str, str], object] = lambda key, name: None,
    ):
        self._store, self._key, self._seen = store, key, seen
        self._read: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._read:
            self._read[name] = self._store.array(self._key, name)
        self._seen(self._key, name)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._store.array_names(self._key))

    def __len__(self) -> int:
        return len(self._store.array_names(self._key))
