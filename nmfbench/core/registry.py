"""Names to things: solvers, datasets, corruptions, metrics, tasks, problems and artefacts.

Each kind of thing has one :class:`Registry`. It fills itself on first use: it imports every
module below its package (a folder scan, so that a new solver is one new file) and then the
entry points that installed third-party packages declare (``nmfbench.solvers``,
``nmfbench.datasets``, ``nmfbench.tasks``). Names are unique; a misspelt one is answered with
the nearest valid names.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar, Unpack, cast

from nmfbench.core.facts import (
    CorruptionFacts,
    DatasetFacts,
    DeclaredDataset,
    MetricFacts,
    NoFacts,
    SolverFacts,
    TaskFacts,
)
from nmfbench.core.matters import Matters, check_matters

__all__ = [
    "ABILITIES",
    "PROPERTIES",
    "Entry",
    "Registry",
    "UnknownNameError",
    "artefacts",
    "corruptions",
    "datasets",
    "matters_in",
    "metrics",
    "problems",
    "register_corruption",
    "register_dataset",
    "register_metric",
    "register_problems",
    "register_solver",
    "register_task",
    "solvers",
    "tasks",
]

_KEY = re.compile(r"[a-z0-9]+([-_/][a-z0-9]+)*")

Facts = TypeVar("Facts", bound=Mapping[str, Any])
Target = TypeVar("Target")


class UnknownNameError(KeyError):
    """A name that is in no registry; the message lists the nearest valid ones."""

    def __init__(self, kind: str, name: object, known: Sequence[str]):
        self.kind, self.name = kind, name
        self.suggestions = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
        hint = (
            f"did you mean {' or '.join(map(repr, self.suggestions))}?"
            if self.suggestions
            else f"known names: {', '.join(sorted(known)) or 'none'}."
        )
        super().__init__(f"no {kind} is called {name!r}; {hint}")

    def __str__(self) -> str:
        return self.args[0]

    def __reduce__(self) -> tuple[Any, ...]:  # so that it can come back from a cluster
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[KeyError], args: tuple[Any, ...], attributes: dict[str, Any]) -> KeyError:
    error = kind.__new__(kind, *args)
    error.args, error.__dict__ = args, attributes
    return error


@dataclass(frozen=True)
class Entry(Generic[Facts]):
    """One registered thing.

    Attributes
    ----------
    key : str
        Public name, as the command line and the records show it.
    target : object
        The estimator class, loader, function, task or artefact itself.
    info : dict
        Facts declared when it was registered, by kind of thing in :mod:`nmfbench.core.facts`.
    """

    key: str
    target: Any
    info: Facts = field(default_factory=lambda: cast(Facts, {}))

    @property
    def is_ours(self) -> bool:
        """Whether this package defines it, rather than another one."""
        target = self.target
        while isinstance(target, functools.partial):
            target = target.func
        module = getattr(target, "__module__", None) or type(target).__module__
        return module.partition(".")[0] == __name__.partition(".")[0]


class Registry(Generic[Facts]):
    """A dictionary of entries that fills itself on first use.

    Parameters
    ----------
    kind : str
        What it holds, in the singular: the word that error messages use.
    package : str
        Package or module that is imported, with everything below it, to fill the registry.
    group : str, optional
        Entry-point group through which installed packages add their own.
    by_place : str, optional
        Module and function, such as ``"package.module:function"``, that gives the entry of a key
        with a colon, the place, or content, of something that is not registered.
    """

    def __init__(
        self, kind: str, package: str, group: str | None = None, *, by_place: str | None = None
    ):
        self.kind, self.package, self.group = kind, package, group
        self.by_place = by_place
        self._entries: dict[str, Entry[Facts]] = {}
        self._loaded = self._loading = False
        self._lock = threading.RLock()

    def add(self, key: str, target: Any, **info: Any) -> None:
        """Register ``target`` under ``key``.

        Raises
        ------
        ValueError
            If the key is malformed, or taken by another thing.
        """
        if not _KEY.fullmatch(key):
            raise ValueError(
                f"{self.kind} key {key!r} is malformed: use lower-case letters and digits, "
                "joined by '-', as in 'robust-xray'."
            )
        held = self._entries.get(key)
        # A module that is imported again (reload, two paths to one file) replaces its own entry.
        if held is not None and _identity(held.target) != _identity(target):
            raise ValueError(
                f"{self.kind} {key!r} is registered already, by {_identity(held.target)}; "
                "choose another key."
            )
        self._entries[key] = Entry(key, target, cast(Facts, info))

    def __getitem__(self, key: str) -> Entry[Facts]:
        if self.by_place is not None and isinstance(key, str) and ":" in key:
            module, _, name = self.by_place.partition(":")
            return getattr(importlib.import_module(module), name)(key)
        self._load()
        try:
            return self._entries[key]
        except (KeyError, TypeError):
            raise UnknownNameError(self.kind, key, list(self._entries)) from None

    def __contains__(self, key: object) -> bool:
        self._load()
        return key in self._entries

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._entries))

    def __len__(self) -> int:
        self._load()
        return len(self._entries)

    def entries(self) -> list[Entry[Facts]]:
        """All entries, sorted by key."""
        return [self[key] for key in self]

    @property
    def is_begun(self) -> bool:
        """Whether it has entries, or was filled."""
        return self._loaded or bool(self._entries)

    def _load(self) -> None:
        if self._loaded:
            return
        with self._lock:  # other threads wait until the registry is whole
            if self._loaded or self._loading:  # a module being imported may look something up
                return
            self._loading = True
            try:
                self._scan()
                self._loaded = True
            finally:
                self._loading = False

    def _scan(self) -> None:
        root = importlib.import_module(self.package)
        for module in pkgutil.walk_packages(getattr(root, "__path__", []), self.package + "."):
            importlib.import_module(module.name)
        if self.group is None:
            return
        for point in sorted(entry_points(group=self.group), key=lambda point: point.name):
            try:
                point.load()
            except (Exception, SystemExit) as error:  # must not take the suite down
                warnings.warn(
                    f"entry point {point.name!r} ({point.value}) of group {self.group!r} was "
                    f"left out, because importing it failed: {error!r}",
                    RuntimeWarning,
                    stacklevel=2,
                )


def _identity(target: Any) -> str:
    return f"{getattr(target, '__module__', '?')}.{getattr(target, '__qualname__', repr(target))}"


solvers: Registry[SolverFacts] = Registry(
    "solver", "nmfbench.solvers", "nmfbench.solvers", by_place="nmfbench.guests.lookup:entry"
)
datasets: Registry[DatasetFacts] = Registry(
    "dataset", "nmfbench.datasets", "nmfbench.datasets", by_place="nmfbench.own.entry:entry"
)
corruptions: Registry[CorruptionFacts] = Registry("corruption", "nmfbench.corruptions")
metrics: Registry[MetricFacts] = Registry("metric", "nmfbench.metrics")
tasks: Registry[TaskFacts] = Registry("task", "nmfbench.tasks", "nmfbench.tasks")
# An external task and its problems may come from one file.
problems: Registry[NoFacts] = Registry("problem set", "nmfbench.problems", "nmfbench.tasks")
artefacts: Registry[NoFacts] = Registry("artefact", "nmfbench.papers")


def _decorator(registry: Registry[Facts], key: str, info: Facts) -> Callable[[Target], Target]:
    def register(target: Target) -> Target:
        registry.add(key, target, **info)
        return target

    return register


PROPERTIES = {
    "features": "It learns components and codes on them, and leaves clusters to another method.",
    "locality": "It knows which samples are close, by a graph or by local coordinates, and keeps "
    "them close.",
    "discriminability": "It drives the representation towards an indicator of groups: columns that "
    "are non-negative and orthogonal, or the indicator itself.",
    "robustness": "A few grossly wrong entries or samples have bounded influence on its loss.",
    "nontrivial": "However large the weight of its penalty, columns of the representation neither "
    "become alike nor vanish, and its penalty cannot be escaped by a change of scale.",
}
"""Aims of a method that Table 1 of Guo, Ding & Zhou (2014) compares, in a checkable form."""


ABILITIES = {
    "anchors": "its fit leaves the indices of samples as anchor_indices_",
    "labels": "its fit leaves a cluster for each sample as labels_",
    "start": "its fit takes initial factors W and H, and it has max_iter",
    "represents": "it has a method represent(X, H, W)",
    "partial_fit": "it has a method partial_fit",
    "sparse": "it takes sparse data",
    "trace": "its fit leaves the objective against time as trace_",
    "signed": "its factors may be negative",
    "symmetric": "its data are similarities of the samples",
    "square": "it has as many components as its data have features",
}
"""Abilities and kinds of a solver that a tiny fit shows, and that a task may need."""


def register_solver(
    key: str,
    *,
    name: str,
    family: str,
    reference: str,
    paper: str | None = None,
    monotone: bool = False,
    nested: bool = False,
    cost: Sequence[str] = (),
    properties: Sequence[str] = (),
    wraps: str | None = None,
    version: int | None = None,
) -> Callable[[Target], Target]:
    """Class decorator: add a scikit-learn estimator to the suite.

    Parameters
    ----------
    key : str
        Public name, such as ``"robust-xray"``.
    name : str
        As tables and legends print it.
    family : str
        ``"frobenius"``, ``"separable"``, ...: the folder it lives in.
    reference : str
        Publication, author and year.
    paper : str, optional
        Which of the five papers proposes it (``"robust-xray"``, ``"mahnmf"``, ...).
    monotone : bool, default=False
        The recorded objective never rises. The common tests check it.
    nested : bool, default=False
        Separable solvers only: the first q anchors of a larger fit equal the anchors of a fit with
        ``n_components=q``, so that one fit serves every q.
    cost : sequence of str, default=()
        Leading terms in the time of an iteration, for n samples, m features and r components, r
        at most n and m: ``("nmr",)`` for :math:`nmr`, ``("nm", "nrr")`` for :math:`nm + nr^2`.
        Logarithms are left out. By default it is no polynomial of these; the section *Cost* of the
        docstring has the words.
    properties : sequence of str, default=()
        What the method is designed for, of :data:`PROPERTIES`.
    wraps : str, optional
        The distribution that does the work, such as ``"scikit-learn"``: under another release of
        it a record is out of date.
    version : int, optional
        See :func:`register_task`.

    Raises
    ------
    ValueError
        If a property is none of these, a term of the cost has other letters, or the version is no
        whole number above 0.
    """
    unknown = [name for name in properties if name not in PROPERTIES]
    if unknown:
        raise ValueError(
            f"solver {key!r} has unknown properties {', '.join(unknown)}; choose from "
            f"{', '.join(PROPERTIES)}."
        )
    if isinstance(cost, str) or not all(re.fullmatch("[nmr]+", term) for term in cost):
        raise ValueError(
            f"solver {key!r} has cost {cost!r}; give products of the letters n, m and r, as in "
            "('nm', 'nrr')."
        )
    info: SolverFacts = {
        "name": name,
        "family": family,
        "reference": reference,
        "paper": paper,
        "monotone": monotone,
        "nested": nested,
        "cost": tuple(cost),
        "properties": tuple(properties),
        "wraps": wraps,
        "version": _checked_version(key, version),
    }
    return _decorator(solvers, key, info)


def register_dataset(
    key: str,
    *,
    version: int | None = None,
    stand_in_version: int | None = None,
    **info: Unpack[DeclaredDataset],
) -> Callable[[Target], Target]:
    """Decorator: add a loader to the suite. See :mod:`nmfbench.datasets`.

    ``version`` is that of the loader and ``stand_in_version`` that of the stand-in, see
    :func:`register_task`; the content of a data file counts by itself.
    """
    facts: DatasetFacts = {
        **info,
        "version": _checked_version(key, version),
        "stand_in_version": _checked_version(key, stand_in_version),
    }
    return _decorator(datasets, key, facts)


def register_corruption(
    key: str, *, level: str, version: int | None = None
) -> Callable[[Target], Target]:
    """Decorator: add a corruption ``(data, level, rng) -> (X, mask)``; ``level`` says in words
    what its level means. See :mod:`nmfbench.corruptions`, and :func:`register_task` for the
    version."""
    info: CorruptionFacts = {"level": level, "version": _checked_version(key, version)}
    return _decorator(corruptions, key, info)


def register_metric(key: str, *, name: str, higher_is_better: bool) -> Callable[[Target], Target]:
    """Decorator: add a metric; ``name`` is what an axis shows."""
    info: MetricFacts = {"name": name, "higher_is_better": higher_is_better}
    return _decorator(metrics, key, info)


def register_task(
    key: str,
    *,
    summary: str,
    title: str | None = None,
    score: str | None = None,
    score_name: str | None = None,
    higher_is_better: bool | None = None,
    race: bool = False,
    needs: Mapping[str, str] | None = None,
    takes_similarities: bool = False,
    based_on: str | None = None,
    tolerances: Mapping[str, float] | None = None,
    matters: Matters | None = None,
    precision: str = "float64",
    version: int | None = None,
    revisions: Mapping[str, int] | None = None,
) -> Callable[[Target], Target]:
    """Decorator: add a task, a function from data and a solver to metrics.

    Parameters
    ----------
    key : str
        Public name, such as ``"recovery"``.
    summary : str
        What it measures, in a line.
    title : str, optional
        Heading on pages; by default made of the key.
    score : str, optional
        The metric that methods are ranked by, on cards and in comparisons. A task without one has
        no winner, and is left out there.
    score_name : str, optional
        The score in words; by default its key.
    higher_is_better : bool, optional
        Direction of the score, which a score needs.
    race : bool, default=False
        Comparisons rank solvers that minimise one loss by the seconds to near the best objective
        of all of them, which the array ``trace`` tells; cards rank by the score in any case.
    needs : mapping of str to str, optional
        By ability of a solver, one of :data:`ABILITIES`, why a solver without it cannot do the
        task: the end of a sentence that begins with "it cannot:".
    takes_similarities : bool, default=False
        The data may also be similarities of the samples, which symmetric solvers take.
    based_on : str, optional
        A task whose outcome this one starts from, such as ``"factorization"``. That outcome is
        computed once for all tasks that ask for it, stored, and given as a fourth argument. Of an
        external class the solver then has the attribute ``fixes_scale`` and nothing else, as
        its code is not run again. See :mod:`nmfbench.tasks`.
    tolerances : mapping, optional
        By name or pattern of a metric (``"accuracy@*"``) the largest difference between two
        computations of one trial that counts as none, in the metric's own unit: one sample of an
        accuracy, one of a count, infinity for a time. The relative difference that rounding makes
        in any number is allowed besides, see :data:`nmfbench.records.agreement.RELATIVE`.
    matters : mapping, optional
        By name or pattern of a metric the smallest difference that its users would notice, in the
        metric's own unit or as a :class:`~nmfbench.core.matters.Ratio`; None of a diagnostic, which
        no claim compares. See
        :func:`~nmfbench.core.matters.smallest_difference`.
    precision : {"float64", "float32"}, default="float64"
        Precision of the data that the solver is given, where a trial has no option ``dtype``.
    version : int, optional
        Raised whenever the numbers change that it gives; defaults of parameters count as numbers.
        By default 1 inside this package, while a solver that another package registers is
        identified by its source.
    revisions : mapping of str to int, optional
        By solver, where the numbers of some solvers alone have changed: how often they have since
        the version was raised.

    Raises
    ------
    ValueError
        If a score has no direction, if a need is no ability, if a difference that matters is not
        above 0, or if the version is no whole number above 0.
    """
    if score is not None and higher_is_better is None:
        raise ValueError(f"task {key!r} has the score {score!r}: say whether higher_is_better.")
    unknown = [name for name in needs or () if name not in ABILITIES]
    if unknown:
        raise ValueError(
            f"task {key!r} needs unknown abilities {', '.join(unknown)}; choose from "
            f"{', '.join(ABILITIES)}."
        )
    info: TaskFacts = {
        "summary": summary,
        "title": title or key.replace("-", " ").capitalize(),
        "score": score,
        "score_name": score_name or score,
        "higher_is_better": higher_is_better,
        "race": race,
        "needs": dict(needs or {}),
        "takes_similarities": takes_similarities,
        "based_on": based_on,
        "tolerances": dict(tolerances or {}),
        "matters": check_matters(f"task {key!r}", matters or {}),
        "precision": precision,
        "version": _checked_version(key, version),
        "revisions": dict(revisions or {}),
    }
    for solver, revision in info["revisions"].items():
        _checked_version(f"{key} of {solver}", revision)
    return _decorator(tasks, key, info)


def matters_in(task: str) -> list[Matters]:
    """Declarations of a task, then of the task that it is based on, whose metrics it passes on."""
    declared: list[Matters] = []
    base: str | None = task
    while base is not None:
        info = tasks[base].info
        declared.append(info["matters"])
        base = info["based_on"]
    return declared


def register_problems(task: str) -> Callable[[Target], Target]:
    """Decorator: add the problems on which comparisons set a task.

    The function takes a profile, ``"smoke"``, ``"quick"`` or ``"paper"``, and returns a list of
    :class:`nmfbench.problems.problem.Problem`. See :mod:`nmfbench.problems`.

    Parameters
    ----------
    task : str
        Key of the task.
    """
    none: NoFacts = {}
    return _decorator(problems, task, none)


def _checked_version(key: str, version: int | None) -> int | None:
    if version is None or (type(version) is int and version >= 1):
        return version
    raise ValueError(f"the version of {key!r} must be a whole number above 0, got {version!r}.")
