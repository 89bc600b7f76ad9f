"""Choices from scores of held-out entries: noise model, loss of the fit, rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nmfbench.advice.evidence import Evidence, compare, ranked

__all__ = ["LossChoice", "RankChoice", "choose_loss", "choose_rank", "most_components", "rank_grid"]


@dataclass(frozen=True)
class LossChoice:
    """Noise model and loss.

    Attributes
    ----------
    noise, loss : str
        Keys of :data:`nmfbench.advice.noise.NOISES`; mostly one and the same.
    distinct : bool
        Whether the noise model predicts better than all others, beyond the intervals.
    noises, losses : list of dict
        Evidence, the best first: of noise models under the best fit for each; of fits under the
        noise model chosen. ``behind`` is how far it is behind the best, with ``low`` and ``high``.
    """

    noise: str
    loss: str
    distinct: bool
    noises: list[dict[str, Any]]
    losses: list[dict[str, Any]]


@dataclass(frozen=True)
class RankChoice:
    """Rank by one protocol.

    Attributes
    ----------
    rank : int
        The smallest within one standard error of the best.
    best : int
    low, high : int
        Range of ranks whose intervals include the best.
    open : bool
        Whether the largest rank tried is among these: then larger ones may do as well.
    curve : list of dict
        ``rank``, ``score``, ``behind``, ``error``, ``low``, ``high``, ``folds`` and
        ``training``, the size of the residuals of the entries that were fitted.
    """

    rank: int
    best: int
    low: int
    high: int
    open: bool
    curve: list[dict[str, Any]]

    @property
    def folds(self) -> int:
        """That all ranks were judged by."""
        return max(row["folds"] for row in self.curve)


def choose_loss(evidence: Evidence, protocol: str) -> LossChoice:
    """The noise model by density over all fits, and the fit that predicts best under it.

    Parameters
    ----------
    evidence : Evidence
    protocol : str

    Returns
    -------
    LossChoice

    Raises
    ------
    ValueError
        If no fit succeeded.
    """
    best_of: dict[str, tuple[Any, np.ndarray]] = {}
    tables = {noise: _common(evidence.table(protocol, noise)) for noise in evidence.noises}
    for noise, table in tables.items():
        order = ranked(table.items())
        if order:
            best_of[noise] = order[0][0], table[order[0][0]]
    order = ranked((noise, values) for noise, (_, values) in best_of.items())
    if not order:
        reasons = "; ".join(f"{k}: {v}" for k, v in list(evidence.failures.items())[:3])
        raise ValueError(f"no fit succeeded on parts of these data. {reasons}")
    noise = order[0][0]
    noises = [
        {"noise": name, "score": score, "loss": best_of[name][0][0], "rank": best_of[name][0][1]}
        | compare(best_of[noise][1], best_of[name][1])
        for name, score in order
    ]
    table = tables[noise]
    top: dict[str, tuple[int, float]] = {}
    for (loss, rank), score in ranked(table.items()):
        top.setdefault(loss, (rank, score))
    loss = next(iter(top))
    chosen = table[loss, top[loss][0]]
    losses: list[dict[str, Any]] = [
        {"loss": name, "score": score, "rank": rank} | compare(chosen, table[name, rank])
        for name, (rank, score) in top.items()
    ]
    # Of fits that predict alike, the loss of the noise model: it is the efficient one.
    for row in losses:
        if row["loss"] == noise != loss and row["low"] is not None and row["low"] <= 0:
            loss = noise
    rivals = [r for r in noises if r["noise"] != noise]
    distinct = all(row["low"] is not None and row["low"] > 0 for row in rivals)
    return LossChoice(noise, loss, distinct, noises, losses)


def _common(table):
    """Scores of the folds that all losses have; a loss with a single fold only counts beside such.

    Means over different folds cannot be compared.
    """
    most: dict[str, int] = {}
    for (loss, _), values in table.items():
        most[loss] = max(most.get(loss, 0), len(values))
    folds = min([n for n in most.values() if n > 1], default=1)
    return {key: values[:folds] for key, values in table.items() if len(values) >= folds}


def choose_rank(evidence: Evidence, protocol: str, loss: str, noise: str) -> RankChoice | None:
    """The smallest rank within one standard error of the best, of differences over folds.

    Returns
    -------
    RankChoice or None
        None where no rank was scored.
    """
    table = {
        rank: values
        for (own, rank), values in evidence.table(protocol, noise).items()
        if own == loss
    }
    # A rank that fewer folds have than others cannot be compared by the mean.
    full = max((len(v) for v in table.values()), default=0)
    table = {rank: v for rank, v in sorted(table.items()) if len(v) == full}
    order = ranked(table.items())
    if not order:
        return None
    best = order[0][0]
    curve: list[dict[str, Any]] = []
    for rank, values in table.items():
        row: dict[str, Any] = dict(compare(table[best], values))
        curve.append(
            {
                "rank": rank,
                "score": float(np.nanmean(values)),
                "folds": int(np.isfinite(values).sum()),
                "training": evidence.training(protocol, loss, rank, noise),
            }
            | row
        )
    within = [r["rank"] for r in curve if r["error"] is not None and r["behind"] <= r["error"]]
    level = [r["rank"] for r in curve if r["low"] is not None and r["low"] <= 0]
    chosen = min([*within, best])
    low, high = min([*level, chosen]), max([*level, best])
    return RankChoice(chosen, best, low, high, high == max(table), curve)


def most_components(shape: Sequence[int], share: float = 0.5) -> int:
    """Largest rank to try: whose factors have a share of as many numbers as there are entries.

    Examples
    --------
    >>> most_components((120, 80)), most_components((5, 4))
    (24, 1)
    """
    n, m = shape
    return max(1, min(int(share * n * m / (n + m)), min(n, m) - 1))


def rank_grid(most: int, ratio: float = 1.5) -> list[int]:
    """Ranks from 1 in steps that grow.

    Examples
    --------
    >>> rank_grid(24)
    [1, 2, 3, 4, 7, 10, 15, 23]
    """
    found, value = [], 1.0
    while round(value) <= most:
        found.append(round(value))
        value = max(value * ratio, round(value) + 1)
    if most not in found and (not found or most >= 1.2 * found[-1]):
        found.append(most)
    return found
