"""A trial: the unit of work, its key, and the random numbers derived from it."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import math
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from nmfbench.core import registry
from nmfbench.datasets.files import supplied_hash
from nmfbench.trials.fingerprint import code_version
from nmfbench.trials.seeds import SCHEME, seed_of

__all__ = ["Trial", "canonical", "key_of", "precision_of", "share_prototypes", "version_of"]


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


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
    return _encode(value)


def _plain(values: dict) -> dict:
    """As it comes back from a store: equal content is equal, and a tuple is like a list.

    A caller's later change of the dictionary does not reach in here.
    """
    for name, value in values.items():  # a loop, since there are many trials
        if type(name) is not str or not _is_atom(value):
            return json.loads(canonical(values))
    return dict(sorted(values.items()))  # as most are, and as JSON would give it


def _is_atom(value) -> bool:
    kind = type(value)
    return kind in (str, int, bool, type(None)) or (kind is float and math.isfinite(value))


@dataclass(frozen=True)
class Trial:
    """One task on one (data, corruption, level, solver, parameters, repeat).

    Two trials with equal fields have the same key as long as the declared versions of what
    computes them are the same, whichever artefact or profile uses them.

    Parameters
    ----------
    task, dataset, solver : str
        Registered names. A solver may also be a guest: ``"package.module:Class"`` or
        ``"/path/to/file.py:Class"``, see :mod:`nmfbench.guests`.
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

    labels: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """What the grid of an artefact calls it, see :mod:`nmfbench.artefacts.grids`. No field: neither
    its key nor its record has it, so that artefacts share results."""

    def __post_init__(self) -> None:
        if (self.corruption is None) != (self.level is None):
            raise ValueError("a trial needs both a corruption and its level, or neither.")
        if self.level is not None:
            object.__setattr__(self, "level", float(self.level))
        for name in ("params", "dataset_params", "options"):
            try:
                plain = _plain(dict(getattr(self, name)))
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"{name} of a trial must hold finite numbers, strings, booleans, None and "
                    f"lists or dictionaries of these, got {getattr(self, name)!r} ({error})."
                ) from None
            object.__setattr__(self, name, plain)

    def __hash__(self) -> int:
        return hash(self._text)

    def in_repeat(self, repeat: int) -> Trial:
        """The same trial in another repeat, with the same :attr:`prototype`."""
        found = object.__new__(Trial)
        values = {name: self.__dict__[name] for name in _FIELDS}
        found.__dict__.update(values, repeat=repeat, labels=self.labels, _prototype=self.prototype)
        return found

    @property
    def prototype(self) -> Trial:
        """The trial of which this one is another repeat; itself, if none is known.

        It keeps what does not depend on the repeat, so that the keys of a grid of many repeats take
        little more time than the key of one.
        """
        return self.__dict__.get("_prototype", self)

    @cached_property
    def _text(self) -> str:
        """All fields as canonical text."""
        before, after = self.prototype._around_repeat
        return f"{before}{int.__repr__(self.repeat)}{after}"

    @cached_property
    def _around_repeat(self) -> tuple[str, str]:
        """All fields as canonical text, but for the repeat: what is before it and after it."""
        fields = {name: getattr(self, name) for name in _FIELDS}
        before = canonical({name: value for name, value in fields.items() if name < "repeat"})
        after = canonical({name: value for name, value in fields.items() if name > "repeat"})
        return f'{before[:-1]},"repeat":', f",{after[1:]}"

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Trial:
        """The trial whose fields are ``values``, as :meth:`to_dict` gave them."""
        known = {f.name for f in fields(cls)}
        unknown = set(values) - known
        if unknown:
            raise ValueError(f"a trial has no field {', '.join(sorted(unknown))}.")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """All fields by name; a later change of the dictionary does not reach in here."""
        return {name: deepcopy(getattr(self, name)) for name in _FIELDS}

    @cached_property
    def code(self) -> str:
        """Fingerprint of the source that computes this trial; no part of its key."""
        if self.prototype is not self:
            return self.prototype.code
        data = registry.datasets[self.dataset]
        entries: list[registry.Entry[Any]] = [
            data,
            registry.tasks[self.task],
            registry.solvers[self.solver],
        ]
        if self.corruption is not None:
            entries.append(registry.corruptions[self.corruption])
        things = [
            "nmfbench.engine.perform",
            "nmfbench.trials.seeds",
            *(entry.target for entry in entries),
        ]
        if self.stand_in and data.info.get("stand_in") is not None:
            things.append(data.info["stand_in"])
        return code_version(things)

    @cached_property
    def data_version(self) -> str | None:
        """Which content of a data file this trial reads, if it reads one."""
        info = registry.datasets[self.dataset].info
        if self.stand_in:
            return None
        if self.dataset_params.get("variant"):
            variants = [[h.variant, *h.hashes] for h in info.get("homes") or () if not h.exact]
            return canonical(variants)
        if "file" in info and "sha256" not in info:
            return supplied_hash(info["file"])
        return info.get("sha256")

    @cached_property
    def base(self) -> Trial | None:
        """The trial whose result this one starts from, if its task is based on another.

        It differs in the task and has only the options that its own task takes. So trials that
        evaluate one fit in different ways share it.
        """
        if self.prototype is not self:
            base = self.prototype.base
            return None if base is None else base.in_repeat(self.repeat)
        name = registry.tasks[self.task].info["based_on"]
        if name is None:
            return None
        taken = _options_of(name)
        options = {key: value for key, value in self.options.items() if key in taken}
        values = {field: getattr(self, field) for field in _FIELDS}  # sooner than by replace
        return Trial(**values | {"task": name, "options": options})

    @property
    def fit(self) -> Trial:
        """The :attr:`base` of a trial that has one.

        Raises
        ------
        ValueError
            If its task starts from no other.
        """
        if self.base is None:
            raise ValueError(f"task {self.task!r} starts from the result of no other task.")
        return self.base

    @property
    def own_options(self) -> dict[str, Any]:
        """The options that are for the task itself, not for the one it is based on."""
        taken = () if self.base is None else self.base.options
        return {key: value for key, value in self.options.items() if key not in taken}

    @property
    def declared(self) -> dict[str, Any]:
        """All that the key holds besides the fields.

        The declared versions of solver, task, dataset (or its stand-in) and corruption, the number
        of the scheme of seeds, the content of the data file, and the key of the base.
        """
        return self.prototype._versions | {"base": None if self.base is None else self.base.key}

    @cached_property
    def _versions(self) -> dict[str, Any]:
        """Declared values without the base."""
        data = registry.datasets[self.dataset]
        stand_in = self.stand_in and data.info.get("stand_in") is not None
        noise = None if self.corruption is None else registry.corruptions[self.corruption]
        task = registry.tasks[self.task]
        revision = task.info["revisions"].get(self.solver)
        return {
            "scheme": SCHEME,
            "solver": version_of(registry.solvers[self.solver]),
            "task": version_of(task) if revision is None else f"{version_of(task)}.{revision}",
            "dataset": version_of(data, stand_in=stand_in),
            "corruption": None if noise is None else version_of(noise),
            "content": self.data_version,
        }

    @cached_property
    def _after_base(self) -> str:
        """Declared values as canonical text: all that follows the key of the base."""
        return f",{canonical(self._versions)[1:]}"

    @cached_property
    def key(self) -> str:
        """24 hexadecimal digits: a hash of all fields and of what is :attr:`declared`.

        Of a solver in a file outside, the name of the file counts and its folder does not.
        """
        if ":" in self.solver:
            return key_of(self, self.declared)
        base = "null" if self.base is None else f'"{self.base.key}"'
        return _hashed(f'{self._text} {{"base":{base}{self.prototype._after_base}')

    @property
    def timed_problem(self) -> str:
        """Problem that timed rivals share: all fields but the solver and its parameters."""
        return f"{self.repeat} {self.prototype._timed_problem}"

    @cached_property
    def _timed_problem(self) -> str:
        """The same but for the repeat."""
        fields = {name: getattr(self, name) for name in _FIELDS}
        return canonical(fields | {"solver": None, "params": None, "repeat": None})

    def rng(self, purpose: str) -> np.random.Generator:
        """Random numbers for one purpose, the same for every solver and level.

        Parameters
        ----------
        purpose : {"data", "corruption", "split"}
        """
        return np.random.default_rng(seed_of(self, purpose))

    @property
    def random_state(self) -> int:
        """Seed of the solver's own randomness: the same for every solver."""
        rng = np.random.default_rng(seed_of(self, f"start {self.start}"))
        return int(rng.integers(2**31))


def share_prototypes(trials: Iterable[Trial]) -> None:
    """Give trials that differ in the repeat alone one :attr:`~Trial.prototype`."""
    known: dict[tuple[str, str], Trial] = {}
    for trial in trials:
        prototype = trial.prototype
        shared = known.setdefault(prototype._around_repeat, prototype)
        if shared is not prototype:
            trial.__dict__["_prototype"] = shared  # which is no field


def _options_of(task: str) -> frozenset[str]:
    """Names of the options that a task, or the one it is based on, takes."""
    entry = registry.tasks[task]
    base, names = entry.info["based_on"], _keywords(entry.target)
    return names if base is None else names | _options_of(base)


@functools.cache
def _keywords(function) -> frozenset[str]:
    parameters = inspect.signature(function).parameters.values()
    return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def key_of(trial: Trial, declared: Mapping[str, Any]) -> str:
    """The key of a trial under given versions, such as the versions in a record."""
    if ":" in trial.solver:  # an external class: no result depends on the folder of its file
        trial = replace(trial, solver=registry.solvers[trial.solver].key)
    return _hashed(f"{trial._text} {canonical(dict(declared))}")


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


_FIELDS = tuple(f.name for f in fields(Trial))


def precision_of(task: str, options: Mapping[str, Any]) -> str:
    """Precision of the data that the solver of a trial is given: "float64" or "float32"."""
    return options.get("dtype", registry.tasks[task].info["precision"])


def version_of(entry: registry.Entry[Any], *, stand_in: bool = False) -> int | str:
    """The version of what is registered, or of its stand-in.

    Returns
    -------
    int or str
        What was declared, 1 by default; of what another package registers without a version, or
        of an external class, a fingerprint of its source.
    """
    declared = entry.info.get("stand_in_version" if stand_in else "version")
    if declared is not None:
        return declared
    target = entry.info["stand_in"] if stand_in else entry.target
    if hasattr(target, "fingerprint"):  # an external class, which may not be imported here
        return target.fingerprint()
    return 1 if entry.is_ours else code_version([target], with_ours=False)
