"""Methods and matrices of Figures 1 to 4 and of the crossover study, and how long each runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nmfbench.artefacts.grids import Method, changed, cross, labelled, methods, options
from nmfbench.problems import convergence
from nmfbench.problems.problem import Problem
from nmfbench.trials.trial import Trial

ALGORITHM_1 = "MahNMF (RRI, Algorithm 1)"
SORT = "MahNMF (RRI, sorting)"
SELECT = "MahNMF (RRI)"
OGM = "MahNMF (OGM, paper's step)"
SPECTRAL = "MahNMF (OGM)"
HYBRID = "MahNMF (hybrid)"

METHODS = (
    Method(ALGORITHM_1, "mahnmf-rri", {"inner_sweeps": None}),
    Method(SORT, "mahnmf-rri", {"median": "sort"}),
    Method(SELECT, "mahnmf-rri"),
    Method(OGM, "mahnmf-ogm"),
    Method(SPECTRAL, "mahnmf-ogm", {"lipschitz": "spectral"}),
    Method(HYBRID, "mahnmf-hybrid"),
)


@dataclass(frozen=True, kw_only=True)
class Matrix(Problem):
    """A matrix to factorize, and how long each method runs on it; labels are features x samples.

    Parameters
    ----------
    rounds : sequence of int
        Iterations of each of :data:`METHODS`; one with 0 does not run.
    repeats : mapping
        By profile: a number, or a mapping from methods to numbers.
    """

    rounds: Sequence[int]
    repeats: Mapping[str, int | Mapping[str, int]]  # type: ignore[assignment]  # by profile
    task: str = "convergence"
    timed: bool = True

    def trials(self, method: Method, profile: str) -> list[Trial]:
        """The runs of a method on this matrix, which is their ``problem``."""
        found = self.repeats.get(profile, 0)
        repeats = found.get(method.label, 0) if isinstance(found, Mapping) else found
        rounds = dict(zip((m.label for m in METHODS), self.rounds, strict=True))[method.label]
        base = self.trial(method.solver, method.params, 0)
        axis = labelled("problem", [self.label], options("max_iter", [rounds]))
        return cross(base, repeats, axis) if rounds else []

    def other(self, task: str, column: str, **options: Any) -> Trial:
        """A trial of another task, untimed and without a solver; ``column`` has the label."""
        options = dict(self.options) | options
        base = Trial(task, self.dataset, "", {}, self.dataset_params, options=options)
        return changed(base, {"labels": {column: self.label}})


def runs(
    matrices: Sequence[Matrix], chosen: Sequence[Method], profile: str, *, repeats: int = 0
) -> list[Trial]:
    """Trials of every method on every matrix that it runs on.

    Parameters
    ----------
    matrices : sequence of Matrix
    chosen : sequence of Method
    profile : {"smoke", "quick", "paper"}
    repeats : int, optional
        In the paper grid, in place of the runs on a matrix that is in it.
    """
    if repeats:
        matrices = [
            replace(matrix, repeats={**matrix.repeats, "paper": repeats})
            if "paper" in matrix.repeats
            else matrix
            for matrix in matrices
        ]
    found = [matrix.trials(method, profile) for matrix in matrices for method in chosen]
    return [trial for trials in found for trial in trials]


def sub_problems(
    profile: str, chosen: Sequence[Method], *, repeats: int = 10, **more: Any
) -> list[Trial]:
    """Convex sub-problems of 20 features on a uniform basis, a hundred in each repeat.

    ``repeats`` are of the paper grid, and ``more`` options of the task.
    """
    repeats, n = {"smoke": (2, 10), "quick": (6, 100), "paper": (repeats, 100)}[profile]
    base = Trial(
        "nlad", "uniform", "", dataset_params=_size(20, n), options={"n_components": 6, **more}
    )
    return cross(base, repeats, methods(chosen))


def _matrix(label, dataset, rounds, repeats, size=None, **options):
    return Matrix(
        label=label,
        dataset=dataset,
        options=options,
        dataset_params=size or {},
        rounds=rounds,
        repeats=repeats,
    )


def _size(features, samples):
    return {"n_samples": samples, "n_features": features}


_TEN, _FIVE = {"quick": 6, "paper": 10}, {"paper": 5}
_SHORT = (14, 14, 14, 14, 14, 14)

SMOKE = _matrix(
    "20 x 12, r = 3 (smoke)", "uniform", _SHORT, {"smoke": 2}, _size(20, 12), n_components=3
)
TINY = _matrix(
    "200 x 50, r = 20", "uniform", (30, 40, 200, 50, 50, 100), _TEN, _size(200, 50), n_components=20
)
SMALL = _matrix(
    "500 x 100, r = 50",
    "uniform",
    (16, 20, 150, 40, 40, 100),
    {"quick": {SORT: 1, SELECT: 1, SPECTRAL: 1, HYBRID: 1}, "paper": 10},
    n_components=50,
)
MIDDLE = _matrix(
    "2000 x 400, r = 50",
    "uniform",
    (0, 25, 60, 30, 30, 80),
    _FIVE,
    _size(2000, 400),
    n_components=50,
)
LARGE = _matrix(
    "5000 x 1000, r = 100",
    "uniform",
    (0, 12, 40, 20, 20, 60),
    _FIVE,
    _size(5000, 1000),
    n_components=100,
)
LOW_RANK = _matrix(
    "low rank + noise, 500 x 100, r = 10",
    "noisy-low-rank",
    (16, 40, 150, 60, 60, 100),
    _TEN,
    convergence.LOW_RANK,
    n_components=10,
)
LOW_RANK_WIDE = _matrix(
    "low rank + noise, 2000 x 400, r = 20",
    "noisy-low-rank",
    (0, 40, 100, 60, 60, 80),
    _FIVE,
    {"n_samples": 400, "n_features": 2000, "n_components": 20},
    n_components=20,
)
SMOKE_FACES = replace(
    SMOKE,
    label="faces, r = 3 (smoke)",
    dataset="yaleb",
    dataset_params={},
    options={"n_components": 3, "per_class": 2},
    stand_in=True,
)
FACES = _matrix(
    "Yale B, 1024 x 266, r = 50",
    "yaleb",
    (12, 25, 80, 25, 25, 50),
    {"quick": 1, "paper": 10},
    n_components=50,
    per_class=7,
)
PIE = _matrix(
    "PIE, 1024 x 476, r = 100",
    "pie",
    (0, 12, 40, 12, 12, 40),
    {"quick": {SELECT: 1, SPECTRAL: 1, HYBRID: 1}, "paper": 10},
    n_components=100,
    per_class=7,
)
