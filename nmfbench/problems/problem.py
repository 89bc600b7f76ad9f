"""A problem: data, corruption and options of a task, without a solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nmfbench.core import registry
from nmfbench.trials.trial import Trial

__all__ = ["REPEATS", "Problem", "problems_of"]

REPEATS = {"smoke": 6, "quick": 10, "paper": 10}
"""Repeats by profile, at least; comparisons make more where many rivals need them."""


Baselines = Sequence[tuple[str, Mapping[str, Any]]]
"""Keys and parameters of solvers."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One line of a comparison: the same data and question for all, drawn several times.

    Parameters
    ----------
    task : str
    label : str
        Short; one of a kind among the ranked ones of its task.
    dataset : str
    options, dataset_params : mapping
    corruption, level : str, float, optional
    baselines : sequence of (str, mapping)
        Keys and parameters of the solvers that a new one meets by default: few, so that few
        repeats decide.
    settings : mapping of str to mapping
        Parameters of solvers that are no baselines, where their defaults would be unfair to them.
    repeats : int
        Least number of repeats; comparisons make more where many rivals need them.
    stand_in : bool, default=False
        On the synthetic stand-in of the data.
    timed : bool, default=False
        The score is the time in seconds.
    loss : str, optional
        Only for solvers that minimise this loss; for all others it is no question.
    ranked : bool, default=True
        Counts in the ranks; otherwise it times the fits of the problem of the same label.
    sparse : bool, default=False
        Its data are sparse: it is no question for solvers that take dense data only.
    """

    task: str
    label: str
    dataset: str
    options: Mapping[str, Any] = field(default_factory=dict)
    dataset_params: Mapping[str, Any] = field(default_factory=dict)
    corruption: str | None = None
    level: float | None = None
    baselines: Baselines = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    repeats: int = 1
    stand_in: bool = False
    timed: bool = False
    loss: str | None = None
    ranked: bool = True
    sparse: bool = False

    def as_timing_problem(self) -> Problem:
        """The fits of a few repeats once more, alone on the machine."""
        return replace(self, repeats=3, timed=True, ranked=False)

    def params_of(self, solver: str) -> dict[str, Any]:
        """Parameters of a registered solver here: those of the baseline, or its settings."""
        return dict({**self.settings, **dict(self.baselines)}.get(solver, {}))

    def trial(
        self, solver: str, params: Mapping[str, Any], repeat: int, *, starts: bool = True
    ) -> Trial:
        """The trial of one solver and repeat.

        Parameters
        ----------
        solver : str
        params : mapping
        repeat : int
        starts : bool, default=True
            The solver can start from given factors, which only races ask for.
        """
        trial = Trial(
            task=self.task,
            dataset=self.dataset,
            solver=solver,
            params=params,
            dataset_params=self.dataset_params,
            corruption=self.corruption,
            level=self.level,
            options=self.options,
            repeat=repeat,
            stand_in=self.stand_in,
            timed=self.timed,
        )
        return trial if self.ranked else trial.base or trial


def problems_of(task: str, profile: str) -> list[Problem]:
    """The problems on which comparisons set a task.

    Parameters
    ----------
    task : str
        A key of :data:`nmfbench.core.registry.problems`.
    profile : {"smoke", "quick", "paper"}
    """
    return registry.problems[task].target(profile)
