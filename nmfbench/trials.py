"""A trial: the unit of work, its key, and the random numbers derived from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from nmfbench import registry
from nmfbench.fingerprint import code_version

__all__ = ["Trial", "canonical"]


def canonical(value: Any) -> str:
    """JSON with sorted keys and no blanks: equal values give equal text.

    Raises
    ------
    TypeError
        If the value holds something that JSON has no form for (an array, a function).

    Examples
    --------
    >>> canonical({"b": 1, "a": [0.5, None]})
    '{"a":[0.5,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Trial:
    """One task on one (data, corruption, level, solver, parameters, repeat).

    Two trials with equal fields, computed by the same code, have the same key, whichever artefact
    or profile asked for them.

    Parameters
    ----------
    task, dataset, solver : str
        Registered names.
    params : mapping
        Parameters of the solver; what JSON can hold.
    dataset_params : mapping
        Parameters of the loader.
    corruption : str, optional
    level : float, optional
        Level of the corruption.
    options : mapping
        Options of the task.
    repeat : int
        Draw of the data (generated data, corruption, split).
    start : int
        Draw of the solver's own randomness on the same data.
    stand_in : bool
        Use the synthetic stand-in of the dataset.
    timed : bool
        The seconds are the result: such trials run one at a time.
    """

    task: str
    dataset: str
    solver: str
    params: Mapping[str, Any] = field(default_factory=dict)
    dataset_params: Mapping[str, Any] = field(default_factory=dict)
    corruption: str | None = None
    level: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    repeat: int = 0
    start: int = 0
    stand_in: bool = False
    timed: bool = False

    def __post_init__(self):
        if (self.corruption is None) != (self.level is None):
            raise ValueError("a trial needs both a corruption and its level, or neither.")
        if self.level is not None:
            object.__setattr__(self, "level", float(self.level))

    def __hash__(self):
        return hash(canonical(asdict(self)))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Trial:
        """The trial whose fields are ``values``, as :meth:`to_dict` gave them."""
        known = {f.name for f in fields(cls)}
        unknown = set(values) - known
        if unknown:
            raise ValueError(f"a trial has no field {', '.join(sorted(unknown))}.")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @cached_property
    def code(self) -> str:
        """Version of the code that computes this trial."""
        targets = [registry.tasks[self.task], registry.datasets[self.dataset]]
        targets.append(registry.solvers[self.solver])
        if self.corruption is not None:
            targets.append(registry.corruptions[self.corruption])
        return code_version(["nmfbench.perform", *(entry.target.__module__ for entry in targets)])

    @cached_property
    def key(self) -> str:
        """24 hexadecimal digits: a hash of all fields and of :attr:`code`."""
        return hashlib.sha256(canonical([asdict(self), self.code]).encode()).hexdigest()[:24]

    def rng(self, purpose: str) -> np.random.Generator:
        """Random numbers for one purpose, the same for every solver and level.

        Parameters
        ----------
        purpose : {"data", "corruption", "split"}
        """
        return np.random.default_rng(self._seed(purpose))

    @property
    def random_state(self) -> int:
        """Seed of the solver's own randomness: the same for every solver."""
        return int(np.random.default_rng(self._seed(f"start {self.start}")).integers(2**31))

    def _seed(self, purpose):
        # Neither the solver nor the level: rivals, and all levels, share their draws.
        data = [self.dataset, dict(self.dataset_params), self.stand_in, self.repeat]
        if purpose == "corruption":
            data.append(self.corruption)
        digest = hashlib.sha256(canonical([purpose, data]).encode()).digest()
        return int.from_bytes(digest[:16], "little")
