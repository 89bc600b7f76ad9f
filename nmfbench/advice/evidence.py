"""Scores of held-out entries, by protocol, loss, rank and fold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from nmfbench.advice.folds import Fold, predict_fold
from nmfbench.advice.noise import NOISES, Scale, cell_width, log_density, scale_of
from nmfbench.stats.intervals import t_interval

__all__ = ["Budget", "Evidence", "Score", "compare"]


class Budget:
    """Seconds, from now on.

    Parameters
    ----------
    seconds : float
    clock : callable, optional
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic):
        self._clock, self._from = clock, clock()
        self.seconds, self._spent = seconds, 0.0

    def share_out(self) -> None:
        """From now on shares are of what is left."""
        self._spent = min(self.used, self.seconds)

    @property
    def used(self) -> float:
        return self._clock() - self._from

    def left(self, share: float = 1.0) -> float:
        """Seconds until a share of the budget is used; negative where more is."""
        return self._spent + share * (self.seconds - self._spent) - self.used

    def allows(self, share: float, need: float = 0.0) -> bool:
        """Whether work of ``need`` seconds ends before a share of the budget is used."""
        return need <= self.left(share)


@dataclass(frozen=True)
class Score:
    """Held-out entries of a fold: mean log density by noise model.

    Attributes
    ----------
    density : dict of str to float
        By noise model, a key of :data:`~nmfbench.advice.noise.NOISES`.
    scale : dict of str to Scale
    seconds : float
    """

    density: dict[str, float]
    scale: dict[str, Scale]
    seconds: float


@dataclass
class Evidence:
    """Scores so far; the same question is not computed twice.

    Attributes
    ----------
    X : ndarray of shape (n, m)
        The matrix, or a part of it.
    noises : sequence of str
        Noise models that the data have.
    scores : dict
        By (protocol, loss, rank) the scores of the first folds, None where the fit failed.
    """

    X: np.ndarray
    noises: Sequence[str] = tuple(NOISES)
    scores: dict[tuple[str, str, int], list[Score | None]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        self.widths = cell_width(self.X)
        positive = self.X[self.X > 0]
        self.floor = float(positive.min()) if positive.size else 1.0

    def ask(
        self,
        protocol,
        folds: Sequence[Fold],
        losses,
        ranks,
        budget: Budget,
        share: float,
        last: float = 1.0,
    ):
        """Score losses and ranks, fold by fold, until a share of the budget is used.

        A fold is begun if as much time is left as its dearest predecessor took; the first two are
        begun in any case, and broken off where the share ``last`` is used. What a fold has then
        counts if it is the first; at least one fit is made.

        Returns
        -------
        bool
            Whether all folds are done.
        """
        keys = [(protocol, loss, rank) for loss in losses for rank in ranks]
        longest = 0.0
        for index, fold in enumerate(folds):
            todo = [key for key in keys if len(self.scores.get(key, ())) == index]
            if index >= 2 and todo and not budget.allows(share, longest):
                return False
            begun = budget.used
            done: list[tuple[str, str, int]] = []
            for key in todo:
                if (index or done) and not budget.allows(last):
                    for other in done if index else ():
                        self.scores[other].pop()
                    return False
                self.scores.setdefault(key, []).append(self._score(fold, *key[1:]))
                done.append(key)
            longest = max(longest, budget.used - begun)
        return True

    def _score(self, fold, loss, rank):
        begun = time.perf_counter()
        try:
            found = predict_fold(self.X, fold, rank, loss)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            self.failures[f"{loss}, rank {rank}"] = str(error)
            return None
        if not np.isfinite(found.y).all():
            self.failures[f"{loss}, rank {rank}"] = "predictions are not finite"
            return None
        return self.judge(found, time.perf_counter() - begun)

    def judge(self, found, seconds=0.0) -> Score:
        """Score of a prediction under each noise model."""
        freedom = max(found.freedom, 0.1 * len(found.train_x))
        density, scale = {}, {}
        for noise in self.noises:
            floor = self.floor if noise == "itakura-saito" else 1e-9 * self.floor
            scale[noise] = scale_of(noise, found.train_x, found.train_y, freedom, max(self.widths))
            values = log_density(noise, found.x, found.y, scale[noise], self.widths, floor)
            density[noise] = float(np.mean(values))
        return Score(density, scale, seconds)

    def values(self, protocol, loss, rank, noise) -> np.ndarray:
        """Densities by fold; NaN where a fit failed."""
        scores = self.scores.get((protocol, loss, rank), ())
        return np.array([np.nan if s is None else s.density[noise] for s in scores])

    def training(self, protocol, loss, rank, noise) -> float:
        """Mean size of the residuals of training entries, as the noise model measures it."""
        scores = self.scores.get((protocol, loss, rank), ())
        return float(np.mean([s.scale[noise].size for s in scores if s is not None]))

    def table(self, protocol, noise) -> dict[tuple[str, int], np.ndarray]:
        """Densities by fold of each loss and rank, of the folds that all of them have."""
        keys = [key for key in self.scores if key[0] == protocol]
        found = {key[1:]: self.values(*key, noise) for key in keys}
        return {key: values for key, values in found.items() if np.isfinite(values).any()}


def compare(best: np.ndarray, other: np.ndarray) -> dict[str, float | None]:
    """How far a score lies behind the best, by folds that both have.

    Returns
    -------
    dict
        ``behind``, the mean difference; ``error``, its standard error; ``low`` and ``high``, a
        95 % interval; None where there are fewer than two folds.
    """
    n = min(len(best), len(other))
    differences = best[:n] - other[:n]
    differences = differences[np.isfinite(differences)]
    if len(differences) < 2:
        mean = float(np.mean(differences)) if len(differences) else None
        return {"behind": mean, "error": None, "low": None, "high": None}
    interval = t_interval(differences)
    error = float(np.std(differences, ddof=1) / np.sqrt(len(differences)))
    low, high = interval
    return {"behind": float(differences.mean()), "error": error, "low": low, "high": high}


def ranked(values: Iterable[tuple[object, np.ndarray]]):
    """Keys by mean of their finite values, the largest first."""
    means = [(key, float(np.nanmean(v))) for key, v in values if np.isfinite(v).any()]
    return sorted(means, key=lambda pair: -pair[1])
