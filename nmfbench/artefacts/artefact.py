"""An artefact: one table or figure of one paper, as a grid of trials and four small functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import pandas as pd

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.grids import Method, changed
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.printed import PrintedNumber
from nmfbench.artefacts.strips import Strip
from nmfbench.core import registry
from nmfbench.core.matters import Matters, Ratio, check_matters, smallest_difference
from nmfbench.core.validation import check_choice
from nmfbench.datasets.base import dataset_available, dataset_variant
from nmfbench.trials.trial import Trial, canonical, share_prototypes

__all__ = [
    "PROFILES",
    "Artefact",
    "label_records",
    "register_artefact",
    "substitutes",
]

PROFILES = ("smoke", "quick", "paper")


def label_records(records: pd.DataFrame, methods: Sequence[Method]) -> pd.DataFrame:
    """Records with a categorical column ``method``, and a column for each option of the task.

    A label ``method`` of a trial counts more than its solver and parameters. Methods with one label
    are one curve or row, which the artefact shows at several parameters; the column ``setting``
    tells these apart, the text :func:`~nmfbench.trials.trial.canonical`.
    """
    labels = {(m.solver, canonical(dict(m.params))): m.label for m in methods}
    settings = [canonical(params) for params in records["params"]]
    found: list[Any] = [
        labels.get((solver, setting))
        for solver, setting in zip(records["solver"], settings, strict=True)
    ]
    order = list(dict.fromkeys(m.label for m in methods))
    if "method" in records:
        found = list(records["method"].astype(object).fillna(pd.Series(found, records.index)))
        order += [label for label in dict.fromkeys(found) if label not in order]
    options = pd.DataFrame(list(records["options"]), index=records.index)
    method = pd.Categorical(found, categories=order, ordered=True)
    return pd.concat([records.assign(method=method, setting=settings), options], axis=1)


@dataclass(frozen=True)
class Artefact:
    """One table or figure.

    Parameters
    ----------
    id : str
        Paper and name, such as ``"robust-xray/fig3"``.
    title : str
        What it shows, in a line.
    kind : {"figure", "table"}
    methods : sequence of Method
        Its curves or rows, in order; they label the records.
    grid : callable
        Profile -> list of trials, see :mod:`~nmfbench.artefacts.grids`.
    table : callable
        Frame -> what the artefact shows, as a tidy table; all statistics live here.
    picture : callable
        That table -> a matplotlib figure, or a DataFrame as it should be printed.
    frame : callable, optional
        Labelled records (a DataFrame) -> the long frame that table and claims look at; by default
        the records themselves. It is called once for all of them. The column ``arrays`` holds a
        mapping for each trial, from the names of its arrays (``trace``, ...) to the arrays, read
        from the store when first used.
    claims : sequence of Claim
    assumed : mapping
        What the paper does not say, and what we chose.
    matters : mapping
        Smallest differences that matter, of columns that its frame derives and its claims compare.
    planned : Plan, optional
        Repeats after which its verdicts are final; every registered artefact has one.
    further : callable, optional
        Trial -> whether it is there for further readings of claims alone. While these are not
        computed, the artefact is judged without them.
    stands_for : mapping
        Of real data sets that take the place of the paper's: what they stand for here,
        such as ``{"coil20": "COIL-20 for Caltech-101"}``.
    caption : str
        How to read it, for the report.
    scores : callable, optional
        Of a figure: that table -> a DataFrame, printed below the picture.
    strips : callable, optional
        Of a figure: that table -> list of :class:`~nmfbench.artefacts.strips.Strip`, clips which
        the report lets its reader step through.
    """

    id: str
    title: str
    kind: Literal["figure", "table"]
    methods: Sequence[Method]
    grid: Callable[[str], list[Trial]]
    table: Callable[[pd.DataFrame], pd.DataFrame]
    picture: Callable[[pd.DataFrame], Any]
    frame: Callable[[pd.DataFrame], pd.DataFrame] = lambda records: records
    claims: Sequence[Claim] = ()
    printed: Sequence[PrintedNumber] = ()
    assumed: Mapping[str, str] = field(default_factory=dict)
    matters: Matters = field(default_factory=dict)
    planned: Plan | None = None
    further: Callable[[Trial], bool] = lambda trial: False
    stands_for: Mapping[str, str] = field(default_factory=dict)
    caption: str = ""
    scores: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    strips: Callable[[pd.DataFrame], list[Strip]] | None = None

    def __post_init__(self):
        check_matters(self.id, self.matters)

    @property
    def paper(self) -> str:
        return self.id.partition("/")[0]

    @property
    def name(self) -> str:
        return self.id.partition("/")[2]

    @property
    def paper_total(self) -> int:
        """Trials of the paper grid: the paper's own, and the repeats that a plan adds."""
        return len(self._grid("paper"))

    @property
    def planned_trials(self) -> list[Trial]:
        """Trials after which verdicts are final: the paper grid's, or the part that is planned."""
        grid = self._grid("paper")
        return list(grid) if self.planned is None else self.planned.trials(grid)

    def smallest_difference(self, name: str) -> float | Ratio | None:
        """The smallest difference that matters, of a column that it derives or a metric.

        See :func:`nmfbench.core.matters.smallest_difference`.
        """
        tasks = (matters for task in self.names("task") for matters in registry.matters_in(task))
        return smallest_difference(name, self.matters, *tasks)

    def substitutes(self, trials: Sequence[Trial]) -> dict[str, str]:
        """Name what the data of these trials stand in for here, by data set."""
        real = {t.dataset for t in trials if not (t.stand_in or t.dataset_params.get("variant"))}
        own = {name: text for name, text in self.stands_for.items() if name in real}
        return substitutes(trials) | own

    def names(self, attribute: str) -> list[str]:
        """Sorted names of the ``task``, ``dataset`` or ``solver`` of the paper's grid."""
        return list(_names(self.grid, attribute))

    def missing_data(self, profile: str) -> list[str]:
        """Datasets of a profile that are not available."""
        names = {t.dataset for t in self._grid(profile) if not t.stand_in}
        return sorted(name for name in names if not dataset_available(name))

    def plan(self, profile: str, *, stand_in: bool = False) -> list[Trial]:
        """The trials of a profile.

        Parameters
        ----------
        profile : {"smoke", "quick", "paper"}
        stand_in : bool, default=False
            Where real data are missing, plan a fetched variant or the synthetic stand-in instead.
        """
        absent = self.missing_data(profile) if stand_in else []
        change = {
            name: {"dataset_params": {"variant": True}}
            if dataset_variant(name)
            else {"stand_in": True}
            for name in absent
        }
        return [
            changed(t, change[t.dataset]) if t.dataset in change else t for t in self._grid(profile)
        ]

    def _grid(self, profile):
        check_choice(profile, "profile", PROFILES)
        return _listed(self.grid, profile)


@cache
def _listed(grid: Callable[[str], list[Trial]], profile: str) -> tuple[Trial, ...]:
    """The trials of a profile, each once; kept, as some grids have many thousands."""
    trials = tuple(dict.fromkeys(grid(profile)))
    share_prototypes(trials)
    return trials


@cache
def _names(grid: Callable[[str], list[Trial]], attribute: str) -> tuple[str, ...]:
    """Sorted values of an attribute in the paper's grid, for which each test asks."""
    return tuple(sorted({getattr(trial, attribute) for trial in _listed(grid, "paper")}))


def register_artefact(artefact: Artefact) -> Artefact:
    """Add an artefact to the registry.

    Raises
    ------
    ValueError
        If it says nothing of its planned repeats.
    """
    if artefact.planned is None:
        raise ValueError(
            f"planned: artefact {artefact.id!r} needs the repeats after which its verdicts are "
            "final, as in planned=Plan(10, 'why so many')."
        )
    registry.artefacts.add(artefact.id, artefact)
    return artefact


def substitutes(trials: Sequence[Trial]) -> dict[str, str]:
    """Name what the data of these trials stand in for: ``{dataset: the paper's data}``."""
    found = {}
    for trial in trials:
        if trial.dataset_params.get("variant"):
            found[trial.dataset] = dataset_variant(trial.dataset) or "a variant"
        elif trial.stand_in:
            found[trial.dataset] = f"{trial.dataset} (synthetic stand-in)"
        elif meant := registry.datasets[trial.dataset].info.get("stand_in_for"):
            found[trial.dataset] = meant
    return found
