"""Which solver: successive halving on shared starts and folds, at equal CPU seconds.

Each solver of the loss starts from the same factors on the same folds, and predicts their entries
after as many iterations as fit into the seconds of a round. The better half, and solvers whose
intervals include the best, go on with four times the seconds. What counts is how soon the error of
held-out entries is within one per cent of the best that any of them reaches.

All of them start, in no order that earlier results would suggest: a first round of the three to six
solvers of a loss takes about a second, which is all that an order could save.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from nmfbench.advice.evidence import Budget
from nmfbench.advice.folds import Fold, lifted, predict_fold, start_of
from nmfbench.advice.noise import deviance
from nmfbench.core import registry
from nmfbench.solvers import make_solver
from nmfbench.stats.intervals import t_interval

__all__ = ["USED_UP", "Entrant", "Race", "enough_iterations", "entrants", "run_race"]

USED_UP = "the budget was used up"
"""Why a solver or a loss was left out."""

_CLOSE = 0.01  # of the best error of held-out entries
_SAME = 0.001
_GROWTH = 4.0  # of the seconds, from one round to the next
_FIRST = 6  # iterations of the first round
_ROUNDS = 5


@dataclass
class Entrant:
    """A solver in the race.

    Attributes
    ----------
    key : str
    points : dict
        By iterations the seconds and errors of each fold, as arrays.
    looks : dict
        By iterations the mean seconds of a look at a fold, by the clock: fit and projections.
    out : str
        Why it left the race, if it did.
    ended : bool
        Whether it stops by itself before the iterations it may make: more of them change nothing.
    """

    key: str
    points: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    looks: dict[int, float] = field(default_factory=dict)
    out: str = ""
    ended: bool = False

    @property
    def best(self) -> np.ndarray:
        """Errors by fold where their mean is lowest."""
        return min((errors for _, errors in self.points.values()), key=np.mean)

    @property
    def iterations(self) -> int:
        """Fewest iterations with an error within a thousandth of its best."""
        limit = (1 + _SAME) * float(np.mean(self.best))
        return min(k for k, (_, errors) in self.points.items() if np.mean(errors) <= limit)

    def seconds_to(self, target: float) -> float | None:
        """Mean seconds of the first round whose mean error is at most a target."""
        for _, (seconds, errors) in sorted(self.points.items()):
            if np.mean(errors) <= target:
                return float(np.mean(seconds))
        return None


@dataclass(frozen=True)
class Race:
    """Outcome.

    Attributes
    ----------
    solver : str
    level : list of str
        Solvers that reach an error within one per cent of the best, or whose interval includes it.
    rows : list of dict
        ``solver``, ``seconds`` to that error (None if never), ``error`` with ``low`` and ``high``
        as ratios to the best, ``iterations``, ``look``, the seconds of a fold with these, by the
        clock, ``out``, ``curve`` of all rounds.
    rounds : int
    left_out : dict of str to str
        Solvers that were not run to the end of a round, and why.
    """

    solver: str
    level: list[str]
    rows: list[dict[str, Any]]
    rounds: int
    left_out: dict[str, str]


def entrants(loss: str, X) -> tuple[list[str], dict[str, str]]:
    """Solvers of a loss that can factorize a matrix from given factors, and why others cannot.

    Parameters
    ----------
    loss : str
    X : ndarray or sparse matrix

    Returns
    -------
    keys : list of str
    left_out : dict of str to str
    """
    found, left_out = [], {}
    for key in registry.solvers:
        kind = registry.solvers[key].target
        if getattr(kind, "loss", None) != loss:
            continue
        reason = _unfit(kind, X)
        if reason:
            left_out[key] = reason
        else:
            found.append(key)
    return sorted(found), left_out


def _unfit(kind, X):
    if getattr(kind, "symmetric", False) or getattr(kind, "square", False):
        return "it takes symmetric or square problems alone"
    if getattr(kind, "signed", False):
        return "its factors have signs"
    if not getattr(kind, "takes_factors", False) or "max_iter" not in kind().get_params():
        return "it does not start from given factors"
    if "upper" in kind().get_params():
        return "its factors are bounded from above"
    if sp.issparse(X) and not getattr(kind, "accepts_sparse", False):
        return "it takes no sparse data"
    return ""


def run_race(
    X,
    loss: str,
    n_components: int,
    folds: Sequence[Fold],
    keys: Sequence[str],
    budget: Budget,
    share: float,
    progress: Callable[[str], object] = lambda text: None,
) -> Race:
    """Race solvers of one loss; see the module.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    loss : str
    n_components : int
    folds : sequence of Fold
        Blocks.
    keys : sequence of str
        Of :func:`entrants`, at least one.
    budget : Budget
    share : float
        Of the budget, after which no other round begins.
    progress : callable, optional

    Returns
    -------
    Race

    Raises
    ------
    ValueError
        If no solver can fit the data.
    """
    everyone = [Entrant(key) for key in keys]
    running, rounds, limit = everyone, 0, None
    for number in range(_ROUNDS):
        begun = budget.used
        for entrant in running:
            if (number or entrant is not running[0]) and not budget.allows(share):
                break
            iterations = _FIRST if limit is None else _affordable(entrant, limit)
            if iterations not in entrant.points and not entrant.out and not entrant.ended:
                _run(entrant, X, loss, n_components, folds, iterations)
        running = [entrant for entrant in running if entrant.points and not entrant.out]
        if not running:
            break
        rounds = number + 1
        if limit is None:
            limit = float(np.median([_last(entrant)[0].mean() for entrant in running]))
        limit *= _GROWTH
        running = _better_half(running) if number else running
        names = ", ".join(entrant.key for entrant in running)
        progress(f"solvers, round {rounds}: {names} go on")
        if not budget.allows(share, _GROWTH * (budget.used - begun) * 0.7):
            break
    return _outcome(everyone, rounds)


def enough_iterations(
    X,
    key: str,
    loss: str,
    n_components: int,
    folds: Sequence[Fold],
    first: int,
    budget: Budget,
    share: float,
) -> int:
    """Fewest iterations that predict held-out entries as well as more of them do.

    The race asks the same of a smaller matrix, which is overfitted sooner.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    key : str
        Solver.
    loss : str
    n_components : int
    folds : sequence of Fold
        Blocks that leave most of the matrix.
    first : int
        Iterations to begin with; then four times as many, until the error rises.
    budget : Budget
    share : float
        Of the budget, by which it ends.

    Returns
    -------
    int
        ``first``, if nothing could be fitted.
    """
    entrant, iterations = Entrant(key), first
    for _ in range(_ROUNDS):
        begun = budget.used
        _run(entrant, X, loss, n_components, folds, iterations)
        if not entrant.points:
            return first
        rises = np.mean(_last(entrant)[1]) > (1 + _SAME) * np.mean(entrant.best)
        need = _GROWTH * (budget.used - begun)
        if entrant.out or entrant.ended or rises or not budget.allows(share, need):
            break
        iterations = int(_GROWTH * iterations)
    return entrant.iterations


def _last(entrant):
    return entrant.points[max(entrant.points)]


def _affordable(entrant, limit):
    seconds, _ = _last(entrant)
    made = max(entrant.points)
    return max(made, int(made * limit / max(float(seconds.mean()), 1e-9)), 2)


def _better_half(running):
    order = sorted(running, key=lambda entrant: np.mean(_last(entrant)[1]))
    keep = order[: max(2, (len(order) + 1) // 2)]
    best = _last(order[0])[1]
    for entrant in order[len(keep) :]:
        low, _, _ = _ratio(_last(entrant)[1], best)
        if low <= 1 + _CLOSE and np.mean(_last(entrant)[1]) <= 1.05 * np.mean(best):
            keep.append(entrant)
    return keep


def _run(entrant, X, loss, n_components, folds, iterations):
    begun = time.monotonic()
    seconds, errors, made = [], [], []
    for fold in folds:
        spent: list[float] = []

        def fit(D, rng, spent=spent, seed=fold.seed):
            solver = make_solver(entrant.key, n_components=n_components, max_iter=iterations)
            params = solver.get_params()
            if "tol" in params:
                solver.set_params(tol=0.0)
            if "random_state" in params:
                solver.set_params(random_state=seed)
            start = start_of(D, n_components, rng)
            start = start if loss == "frobenius" else lifted(**start, X=D)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                W = solver.fit_transform(D, **start)
            trace = getattr(solver, "trace_", None)
            spent.append(float(trace["cpu_seconds"][-1]) if trace is not None else np.nan)
            made.append(int(np.max(getattr(solver, "n_iter_", iterations))))
            return W, solver.components_

        try:
            found = predict_fold(X, fold, n_components, loss, fit)
        except (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError) as error:
            entrant.out = str(error).splitlines()[0]
            return
        held_out = float(np.mean(deviance(loss, found.x, found.y)))
        if not np.isfinite(held_out) or not np.isfinite(spent[0]):
            entrant.out = "its factors or its times are not finite"
            return
        seconds.append(spent[0])
        errors.append(held_out)
    entrant.ended = max(made) < iterations
    iterations = min(iterations, max(made))
    entrant.points[iterations] = np.array(seconds), np.array(errors)
    entrant.looks[iterations] = (time.monotonic() - begun) / len(folds)


def _ratio(errors, best):
    """Geometric mean of the ratio of errors, and its 95 % interval."""
    logs = np.log(np.maximum(errors, 1e-300)) - np.log(np.maximum(best, 1e-300))
    interval = t_interval(logs)
    middle = float(np.exp(logs.mean()))
    if interval is None:
        return middle, middle, middle
    return float(np.exp(interval[0])), middle, float(np.exp(interval[1]))


def _outcome(everyone, rounds):
    left_out = {e.key: e.out or USED_UP for e in everyone if not e.points}
    ran = [entrant for entrant in everyone if entrant.points]
    if not ran:
        raise ValueError("no solver could fit these data: " + "; ".join(left_out.values()))
    winner = min(ran, key=lambda entrant: np.mean(entrant.best))
    target = (1 + _CLOSE) * float(np.mean(winner.best))
    rows, level = [], []
    for entrant in ran:
        low, middle, high = _ratio(entrant.best, winner.best)
        seconds = entrant.seconds_to(target)
        if seconds is not None or low <= 1:
            level.append(entrant.key)
        rows.append(
            {
                "solver": entrant.key,
                "seconds": seconds,
                "error": middle,
                "low": low,
                "high": high,
                "iterations": entrant.iterations,
                "look": entrant.looks[entrant.iterations],
                "curve": _curve(entrant, winner.best),
                "out": entrant.out,
            }
        )
    rows.sort(key=lambda row: (row["seconds"] is None, row["seconds"] or 0.0, row["error"]))
    return Race(rows[0]["solver"], level, rows, rounds, left_out)


def _curve(entrant, best):
    """Seconds and errors of each round, as ratios to the best."""
    names = "iterations", "seconds", "low", "error", "high"
    return [
        dict(zip(names, (made, float(np.mean(seconds)), *_ratio(errors, best)), strict=True))
        for made, (seconds, errors) in sorted(entrant.points.items())
    ]
