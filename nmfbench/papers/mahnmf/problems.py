"""Methods and matrices of Figures 1 to 4 and of the crossover study, and how long each runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.engine.trials import Trial

__all__ = ["METHODS", "Problem", "runs", "sub_problems"]

ALGORITHM_1 = "RRI (Algorithm 1)"
SORT = "RRI (one sweep, sorting)"
SELECT = "RRI (one sweep, selection)"
OGM = "OGM (paper's step)"
SPECTRAL = "OGM (spectral step)"
HYBRID = "hybrid"

METHODS = (
    Method(ALGORITHM_1, "mahnmf-rri", {"inner_sweeps": None}),
    Method(SORT, "mahnmf-rri", {"median": "sort"}),
    Method(SELECT, "mahnmf-rri"),
    Method(OGM, "mahnmf-ogm"),
    Method(SPECTRAL, "mahnmf-ogm", {"lipschitz": "spectral"}),
    Method(HYBRID, "mahnmf-hybrid"),
)


@dataclass(frozen=True)
class Problem:
    """A matrix to factorize, and how long each method runs on it.

    Parameters
    ----------
    label : str
        Features x samples, as the paper gives sizes.
    dataset : str
    options : mapping
        Of the task; ``n_components`` among them.
    rounds : sequence of int
        Iterations of each of :data:`METHODS`; one with 0 does not run.
    repeats : mapping
        By profile: a number, or a mapping from methods to numbers.
    dataset_params : mapping, optional
    stand_in : bool, default=False
    """

    label: str
    dataset: str
    options: Mapping[str, Any]
    rounds: Sequence[int]
    repeats: Mapping[str, int | Mapping[str, int]]
    dataset_params: Mapping[str, Any] = field(default_factory=dict)
    stand_in: bool = False

    def trials(self, method: Method, profile: str) -> list[Trial]:
        """The runs of a method on this matrix."""
        found = self.repeats.get(profile, 0)
        repeats = found.get(method.label, 0) if isinstance(found, Mapping) else found
        rounds = dict(zip((m.label for m in METHODS), self.rounds, strict=True))[method.label]
        base = Trial(
            "convergence",
            self.dataset,
            method.solver,
            method.params,
            self.dataset_params,
            options={**self.options, "max_iter": rounds},
            stand_in=self.stand_in,
            timed=True,
        )
        return cross(base, repeats) if rounds else []

    def holds(self, record: Mapping[str, Any]) -> bool:
        """Whether a record is of a run on this matrix."""
        same = (record["dataset"], record["dataset_params"]) == (self.dataset, self.dataset_params)
        return same and all(record.get(name) == value for name, value in self.options.items())


def runs(problems: Sequence[Problem], methods: Sequence[Method], profile: str) -> list[Trial]:
    """Trials of every method on every problem that it runs on."""
    return [
        t for problem in problems for method in methods for t in problem.trials(method, profile)
    ]


def sub_problems(profile: str, chosen: Sequence[Method], **options: Any) -> list[Trial]:
    """Convex sub-problems of 20 features on a uniform basis, a hundred in each repeat."""
    repeats, n = {"smoke": (2, 10), "quick": (6, 100), "paper": (10, 100)}[profile]
    base = Trial(
        "nlad",
        "uniform",
        "",
        dataset_params={"n_samples": n, "n_features": 20},
        options={"n_components": 6, **options},
    )
    return cross(base, repeats, methods(chosen))


def _size(features, samples, **params):
    return {"n_samples": samples, "n_features": features, **params}


SMOKE = Problem(
    "20 x 12, r = 3 (smoke)",
    "uniform",
    {"n_components": 3},
    (14, 14, 14, 14, 14, 14),
    {"smoke": 2},
    _size(20, 12),
)
TINY = Problem(
    "200 x 50, r = 20",
    "uniform",
    {"n_components": 20},
    (30, 40, 200, 50, 50, 100),
    {"quick": 6, "paper": 10},
    _size(200, 50),
)
SMALL = Problem(
    "500 x 100, r = 50",
    "uniform",
    {"n_components": 50},
    (16, 20, 150, 40, 40, 100),
    {"quick": {SORT: 1, SELECT: 1, SPECTRAL: 1, HYBRID: 1}, "paper": 10},
)
MIDDLE = Problem(
    "2000 x 400, r = 50",
    "uniform",
    {"n_components": 50},
    (0, 25, 60, 30, 30, 80),
    {"paper": 5},
    _size(2000, 400),
)
LARGE = Problem(
    "5000 x 1000, r = 100",
    "uniform",
    {"n_components": 100},
    (0, 12, 40, 20, 20, 60),
    {"paper": 5},
    _size(5000, 1000),
)
LOW_RANK = Problem(
    "low rank + noise, 500 x 100, r = 10",
    "noisy-low-rank",
    {"n_components": 10},
    (16, 40, 150, 60, 60, 100),
    {"quick": 6, "paper": 10},
    _size(500, 100, n_components=10),
)
LOW_RANK_WIDE = Problem(
    "low rank + noise, 2000 x 400, r = 20",
    "noisy-low-rank",
    {"n_components": 20},
    (0, 40, 100, 60, 60, 80),
    {"paper": 5},
    _size(2000, 400, n_components=20),
)
SMOKE_FACES = Problem(
    "faces, r = 3 (smoke)",
    "yaleb",
    {"n_components": 3, "per_class": 2},
    (14, 14, 14, 14, 14, 14),
    {"smoke": 2},
    stand_in=True,
)
FACES = Problem(
    "Yale B, 1024 x 266, r = 50",
    "yaleb",
    {"n_components": 50, "per_class": 7},
    (12, 25, 80, 25, 25, 50),
    {"quick": 1, "paper": 10},
)
PIE = Problem(
    "PIE, 1024 x 476, r = 100",
    "pie",
    {"n_components": 100, "per_class": 7},
    (0, 12, 40, 12, 12, 40),
    {"quick": {SELECT: 1, SPECTRAL: 1, HYBRID: 1}, "paper": 10},
)
