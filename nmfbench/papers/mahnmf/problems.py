"""The matrices of Figures 3 and 4 and of the crossover study, and how long each method runs."""

from nmfbench.papers.mahnmf.curves import ALGORITHM_1, HYBRID, OGM, SELECT, SORT, SPECTRAL, Problem
from nmfbench.problems import convergence

__all__ = ["FACES", "LARGE", "LOW_RANK", "LOW_RANK_WIDE", "MIDDLE", "PIE", "SMALL", "SMOKE", "TINY"]


def _rounds(algorithm_1, sort, select, ogm, spectral, hybrid):
    rounds = {
        ALGORITHM_1: algorithm_1,
        SORT: sort,
        SELECT: select,
        OGM: ogm,
        SPECTRAL: spectral,
        HYBRID: hybrid,
    }
    return {method: number for method, number in rounds.items() if number}


SMOKE = Problem(
    "20 x 12, r = 3 (smoke)",
    "uniform",
    dataset_params={"n_samples": 12, "n_features": 20},
    options={"n_components": 3},
    rounds=_rounds(14, 14, 14, 14, 14, 14),
    repeats={"smoke": 2},
)
TINY = Problem(
    "200 x 50, r = 20",
    "uniform",
    dataset_params={"n_samples": 50, "n_features": 200},
    options={"n_components": 20},
    rounds=_rounds(30, 40, 200, 50, 50, 100),
    repeats={"quick": 6, "paper": 10},
)
SMALL = Problem(
    "500 x 100, r = 50",
    "uniform",
    options={"n_components": 50},
    rounds=_rounds(16, 20, 150, 40, 40, 100),
    repeats={"quick": {SORT: 1, SELECT: 1, SPECTRAL: 1, HYBRID: 1}, "paper": 10},
)
MIDDLE = Problem(
    "2000 x 400, r = 50",
    "uniform",
    dataset_params={"n_samples": 400, "n_features": 2000},
    options={"n_components": 50},
    rounds=_rounds(0, 25, 60, 30, 30, 80),
    repeats={"paper": 5},
)
LARGE = Problem(
    "5000 x 1000, r = 100",
    "uniform",
    dataset_params={"n_samples": 1000, "n_features": 5000},
    options={"n_components": 100},
    rounds=_rounds(0, 12, 40, 20, 20, 60),
    repeats={"paper": 5},
)
LOW_RANK = Problem(
    "low rank + noise, 500 x 100, r = 10",
    "noisy-low-rank",
    dataset_params=convergence.LOW_RANK,
    options={"n_components": 10},
    rounds=_rounds(16, 40, 150, 60, 60, 100),
    repeats={"quick": 6, "paper": 10},
)
LOW_RANK_WIDE = Problem(
    "low rank + noise, 2000 x 400, r = 20",
    "noisy-low-rank",
    dataset_params={"n_samples": 400, "n_features": 2000, "n_components": 20},
    options={"n_components": 20},
    rounds=_rounds(0, 40, 100, 60, 60, 80),
    repeats={"paper": 5},
)
FACES = Problem(
    "Yale B, 1024 x 266, r = 50",
    "yaleb",
    options={"n_components": 50, "per_class": 7},
    rounds=_rounds(12, 25, 80, 25, 25, 50),
    repeats={"quick": 1, "paper": 10},
)
PIE = Problem(
    "PIE, 1024 x 476, r = 100",
    "pie",
    options={"n_components": 100, "per_class": 7},
    rounds=_rounds(0, 12, 40, 12, 12, 40),
    repeats={"quick": {SELECT: 1, SPECTRAL: 1, HYBRID: 1}, "paper": 10},
)
