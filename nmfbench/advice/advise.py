"""Advice: the stages, one after the other, within a budget."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from nmfbench.advice.choose import (
    LossChoice,
    RankChoice,
    choose_loss,
    choose_rank,
    most_components,
    rank_grid,
)
from nmfbench.advice.evidence import Budget, Evidence
from nmfbench.advice.folds import FITS, Prediction, draw_cells, draw_folds, predict_fold
from nmfbench.advice.kernels import Kernels, loss_job, solver_job
from nmfbench.advice.model import Model, Stability, fit_model, proof, stability_of
from nmfbench.advice.noise import NOISES, is_counts
from nmfbench.advice.race import USED_UP, Race, enough_iterations, entrants, run_race
from nmfbench.advice.residuals import growth, outliers
from nmfbench.advice.sample import Part, draw_part

__all__ = ["LEAST_ROWS", "Advice", "advise", "largest_rank"]

LEAST_ROWS = 20
"""Rows and columns below which nothing can be chosen."""

_FOLDS, _CELL_FOLDS = 4, 5
_LARGEST_RANK = 60
_ENTRIES = 400, 10_000, 400_000  # of the part looked at: per second of the budget, least, most
_STARTS = 5
_FINE = 12  # ranks in one look between two of the grid
_MOST_ZEROS = 0.01  # with more there is no Itakura-Saito divergence
_UNTIL = {
    "pilot": (0.12, 0.3),
    "loss": (0.38, 0.72),
    "rank": (0.5, 0.8),
    "fine": (0.6, 0.8),
    "cells": (0.7, 0.85),
}
"""Shares of the budget after which a stage begins no other fold, and breaks off one of the first
two."""
_QUICK = ["frobenius", "kl", "itakura-saito", "manhattan"]  # to compile, at first
_STARTING = 3.0  # seconds that a process takes to find compiled kernels
_COMPILED = 0.55, 0.8  # shares until which kernels of losses, and of solvers, are waited for
_STABLE = 0.76, 0.9
_RACE = 0.9
_SETTLED = 0.95  # until which the iterations of the model are looked for
_WHOLE_FOLDS, _WHOLE_ASKED = 8, 3  # of the whole matrix, and how many of them are asked
_SLOW = 2  # a first look may take so many times its share before the part is made smaller
_LEAST_ENTRIES = 2_500
_NOT_COMPILED = "its kernels were not compiled within the budget"


@dataclass
class Advice:
    """Results of the stages; None where a stage was not reached.

    Attributes
    ----------
    shape : (int, int)
    seed : int
    asked : int or None
        Rank that was asked for, in place of the one that held-out entries choose.
    part : Part
    loss : LossChoice or None
    losses_left_out, solvers_left_out : dict of str to str
        Losses that no fit was made by, though the data have them, and why; solvers of the loss that
        did not take part in the race, and why.
    rank, rank_by_cells : RankChoice or None
        By blocks of entries, and by entries at random.
    residuals : dict or None
        Of :func:`~nmfbench.advice.residuals.growth`, with ``dispersion`` of counts.
    outliers : dict or None
    stability : dict of int to Stability
        By rank, on the part.
    race : Race or None
    model : Model or None
        Of all rows and columns.
    model_stability : Stability or None
        Of fits to all rows and columns, of which the model is the best.
    proof : dict or None
    notes : list of str
        Limits of the answers.
    undecided : list of str
        Questions that these data do not answer.
    stopped : str
        The stage at which it was stopped, if it was.
    seconds : float
    """

    shape: tuple[int, int]
    seed: int
    budget: float
    asked: int | None = None
    part: Part | None = None
    loss: LossChoice | None = None
    losses_left_out: dict[str, str] = field(default_factory=dict)
    solvers_left_out: dict[str, str] = field(default_factory=dict)
    rank: RankChoice | None = None
    rank_by_cells: RankChoice | None = None
    residuals: dict[str, Any] | None = None
    outliers: dict[str, Any] | None = None
    stability: dict[int, Stability] = field(default_factory=dict)
    race: Race | None = None
    model: Model | None = None
    model_stability: Stability | None = None
    proof: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    stopped: str = ""
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether a rank, a loss and a solver were chosen."""
        return None not in (self.loss, self.rank, self.race)

    @property
    def n_components(self) -> int:
        """Rank that was asked for, else the one that held-out entries choose."""
        return self.asked or _there(self.rank).rank

    @property
    def untried(self) -> dict[str, str]:
        """What the budget had no time for, by the choice that is provisional for it."""
        found = {}
        if self.rank is not None and self.rank.folds < _FOLDS:
            found["rank"] = f"{_FOLDS - self.rank.folds} of {_FOLDS} parts to hold out"
        if self.losses_left_out:
            found["loss"] = f"fits by {', '.join(self.losses_left_out)}"
        late = [k for k, why in self.solvers_left_out.items() if why in (USED_UP, _NOT_COMPILED)]
        if late:
            found["solver"] = ", ".join(late)
        return found


def advise(
    X,
    *,
    rank: int | None = None,
    seed: int = 0,
    budget: Budget | float = 300.0,
    kernels: Kernels | None = None,
    progress: Callable[[str], object] = lambda text: None,
) -> Advice:
    """Choose noise model and loss, rank and solver for a matrix, and fit the choice.

    Ctrl-C ends it with what is done. Where the budget is used up before a stage ends, the stage
    ends with what it has, and a note says what was left out.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), non-negative and finite
    rank : int, optional
        For which to choose loss and solver, at most :func:`largest_rank`; by default held-out
        entries choose it, too.
    seed : int, default=0
        Of all that is random. With one seed the answers are the same, but where the budget ends
        a stage early, or this machine is slow for it.
    budget : Budget or float, default=300
        Seconds.
    kernels : Kernels, optional
        Compiles them in another process; by default they are compiled here, however long it takes.
    progress : callable, optional
        Called with a line of text now and then.

    Returns
    -------
    Advice
    """
    clock = budget if isinstance(budget, Budget) else Budget(budget)
    run = _Run(X, rank, seed, clock, kernels, progress)
    stage = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, work in run.stages():
                stage = name
                # The part is small, and many threads on it wait for each other on a busy machine.
                with threadpool_limits(None if name == "model" else 1):
                    work()
                if run.advice.undecided and run.evidence is None:
                    break
    except KeyboardInterrupt:
        run.advice.stopped = stage
        run.conclude()
    run.advice.seconds = run.budget.used
    return run.advice


def largest_rank(shape) -> int:
    """Largest rank that held-out entries of a matrix are asked about.

    Examples
    --------
    >>> largest_rank((120, 80)), largest_rank((5, 4))
    (18, 1)
    """
    n, m = (int(size * (1 - 1 / _FOLDS)) for size in shape)
    return min(most_components((n, m)), _LARGEST_RANK)


T = TypeVar("T")


def _there(found: T | None) -> T:
    """The result of an earlier stage."""
    if found is None:
        raise ValueError("an earlier stage found nothing")
    return found


class _Run:
    def __init__(self, X, asked, seed, budget, kernels, progress):
        self.X, self.budget, self.kernels, self.progress = X, budget, kernels, progress
        self.rng = np.random.default_rng(seed)
        self.advice = Advice(tuple(X.shape), seed, budget.seconds, asked)
        self.evidence: Evidence | None = None

    @property
    def known(self) -> Evidence:
        return _there(self.evidence)

    @property
    def data(self) -> np.ndarray:
        return self.known.X

    @property
    def part(self) -> Part:
        return _there(self.advice.part)

    @property
    def loss(self) -> LossChoice:
        return _there(self.advice.loss)

    @property
    def rank(self) -> RankChoice:
        return _there(self.advice.rank)

    @property
    def judged(self) -> int:
        """Rank that solvers are judged at; one that was asked for may be too large for the part."""
        return min(self.advice.n_components, self.most)

    @property
    def race(self) -> Race:
        return _there(self.advice.race)

    def stages(self):
        yield "data", self._prepare
        yield "pilot", self._pilot
        yield "loss", self._loss
        yield "rank", self._rank
        yield "cells", self._cells
        yield "residuals", self._residuals
        yield "stability", self._stability
        yield "solver", self._solver
        yield "model", self._model

    def conclude(self):
        """Choices by what there is, after a stop."""
        advice, evidence = self.advice, self.evidence
        if evidence is None:
            return
        try:
            keys = {loss for protocol, loss, _ in evidence.scores if protocol == "blocks"}
            if advice.loss is None and keys.issuperset(self.losses):
                advice.loss = choose_loss(evidence, "blocks")
            if advice.loss and advice.rank is None:
                advice.rank = choose_rank(evidence, "blocks", advice.loss.loss, advice.loss.noise)
        except ValueError:
            return

    def _prepare(self):
        rate, least, most = _ENTRIES
        entries = int(np.clip(rate * self.budget.seconds, least, most))
        part = self.advice.part = draw_part(self.X, entries, self.rng)
        if min(part.X.shape) < LEAST_ROWS:
            n, m = part.X.shape
            self.advice.undecided.append(
                f"rank, loss or solver: {n} rows and {m} columns are not zero, and with fewer than "
                f"{LEAST_ROWS} of either held-out entries choose nothing"
            )
            return
        if not part.whole:
            n, m = part.X.shape
            self.advice.notes.append(
                f"noise, rank and solvers were judged on {n} rows and {m} columns, which fit the "
                "budget"
            )
        noises = list(NOISES)
        zeros = float(np.mean(part.X == 0))
        if zeros > _MOST_ZEROS:
            noises.remove("itakura-saito")
            self.advice.notes.append(
                f"{100 * zeros:.3g} % of the entries are zero, where the Itakura-Saito divergence "
                "is not defined: it is left out"
            )
        self.losses = noises
        self._judge_on(part, noises)

    def _judge_on(self, part, noises):
        self.advice.part, self.evidence = part, Evidence(part.X, noises)
        shape = part.X.shape
        self.folds = draw_folds(shape, _FOLDS, self.rng)
        self.cell_folds = draw_cells(shape, _CELL_FOLDS, self.rng)
        self.most = largest_rank(shape)
        self.grid = rank_grid(self.most)
        if (asked := self.advice.asked) is not None and asked <= self.most:
            self.grid = sorted({*self.grid, asked})

    def _ask(self, losses, ranks, stage, protocol="blocks", folds=None):
        share, last = _UNTIL[stage]
        return self.known.ask(
            protocol, folds or self.folds, losses, sorted(set(ranks)), self.budget, share, last
        )

    def _compiled(self, jobs, share):
        """Jobs whose kernels are compiled once a share of the budget is used."""
        if self.kernels is None:
            return set(jobs)
        return self.kernels.wait(jobs, max(0.0, self.budget.left(share)))

    def _pilot(self):
        if self.kernels is not None:
            quick = sorted(self.losses, key=_QUICK.index)
            self.kernels.request(loss_job(loss) for loss in quick)
            # Without least squares there is no answer at all.
            if not self.kernels.wait([loss_job("frobenius")], _STARTING):
                self.progress("waiting for kernels to be compiled, which a machine does once")
                begun = self.budget.used
                self.kernels.wait([loss_job("frobenius")], math.inf)
                waited = self.budget.used - begun
                self.advice.notes.append(
                    f"{waited:.0f} seconds went into kernels, which a machine compiles once"
                )
        self.budget.share_out()
        self._fit_part_to_budget()
        self.progress("a first look at ranks, by least squares")
        self._ask(["frobenius"], self.grid, "pilot")
        first = choose_rank(self.known, "blocks", "frobenius", "frobenius")
        # Of few folds the standard error is large, and a rank within it is too small.
        few = first and first.curve[0]["folds"] < _FOLDS
        self.first = (first.best if few else first.rank) if first else 1

    def _fit_part_to_budget(self):
        """Take a smaller part where this machine is too slow for it."""
        begun = self.budget.used
        predict_fold(self.data, self.folds[0], self.grid[len(self.grid) // 2], "frobenius")
        needed = 2 * len(self.grid) * (self.budget.used - begun)
        room = _SLOW * self.budget.left(_UNTIL["pilot"][0])
        if needed <= room:
            return
        entries = max(_LEAST_ENTRIES, int(self.data.size * room / needed))
        smaller = draw_part(self.X, entries, self.rng)
        if min(smaller.X.shape) >= LEAST_ROWS and smaller.X.size < self.data.size:
            self._judge_on(smaller, self.losses)

    def _loss(self):
        place = int(np.searchsorted(self.grid, self.first))
        near = self.grid[max(0, place - 1) : place + 2]
        self.progress(f"losses, at ranks {', '.join(map(str, near))}")
        ready = self._compiled([loss_job(loss) for loss in self.losses], _COMPILED[0])
        losses = [loss for loss in self.losses if loss_job(loss) in ready or loss == "frobenius"]
        self._ask(losses, near, "loss")
        self.advice.loss = choose_loss(self.known, "blocks")
        chosen = self.loss
        tried = {row["loss"] for row in chosen.losses}
        for loss in self.losses:
            if loss not in tried:
                reason = USED_UP if loss in losses else _NOT_COMPILED
                self.advice.losses_left_out[loss] = reason
        self.progress(f"noise: {NOISES[chosen.noise]}; loss of the fit: {chosen.loss}")
        if self.kernels is not None:
            jobs = [self._job(key) for key in entrants(chosen.loss, self.X)[0]]
            self.kernels.request(jobs)

    def _job(self, key):
        return solver_job(key, self.loss.loss, sp.issparse(self.X))

    def _rank(self):
        loss, noise = self.loss.loss, self.loss.noise
        self.progress(f"ranks up to {self.most}")
        self._ask([loss], self.grid, "rank")
        found = _there(choose_rank(self.known, "blocks", loss, noise))
        between = {rank for r in (found.rank, found.best) for rank in self._neighbours(r)}
        if len(between) > _FINE:
            between = {r for r in between if abs(r - found.rank) <= _FINE // 2}
        if self.budget.allows(_UNTIL["fine"][0]):
            self._ask([loss], {*self.grid, *between}, "fine")
        self.advice.rank = choose_rank(self.known, "blocks", loss, noise)

    def _neighbours(self, rank):
        """All ranks between the neighbours in the grid."""
        below = max((r for r in self.grid if r < rank), default=rank)
        above = min((r for r in self.grid if r > rank), default=rank)
        return range(below, above + 1)

    def _cells(self):
        if not self.budget.allows(_UNTIL["cells"][0]):
            self._leave_out("ranks by entries at random")
            return
        loss, noise = self.loss.loss, self.loss.noise
        center = self.rank.rank
        ranks = {r for r in range(center - 2, center + 4) if 1 <= r <= self.most}
        ranks |= {r for r in self.grid if center / 3 <= r <= 2 * center}
        self.progress(f"entries at random, ranks {min(ranks)} to {max(ranks)}")
        self._ask([loss], ranks, "cells", "cells", self.cell_folds)
        self.advice.rank_by_cells = choose_rank(self.known, "cells", loss, noise)

    def _leave_out(self, what):
        self.advice.notes.append(f"{what} were left out: {USED_UP}")

    def _residuals(self):
        chosen, rank = self.loss, self.judged
        found: list[Prediction] = []
        for fold in self.folds:
            if found and not self.budget.allows(_UNTIL["cells"][1]):
                break
            found.append(predict_fold(self.data, fold, rank, chosen.loss))
        facts = growth(found)
        if is_counts(self.data):
            scores = self.known.scores["blocks", chosen.loss, rank]
            sizes = [s.scale["kl"].size for s in scores if s is not None]
            facts["dispersion"] = float(np.mean(sizes))
        self.advice.residuals = facts

    def _stability(self):
        chosen, judged = self.loss, self.judged
        others = [r for r in (self.rank.low, self.rank.high) if r > 1]
        ranks = dict.fromkeys([judged, judged - 1, judged + 1, *others])
        key, params = FITS[chosen.loss]
        for rank in [r for r in ranks if 2 <= r <= self.most]:
            if self.advice.stability and not self.budget.allows(_STABLE[0]):
                break
            self.progress(f"{_STARTS} starts at rank {rank}")
            models: list[Model] = []
            for i in range(_STARTS):
                if len(models) > 1 and not self.budget.allows(_STABLE[1]):
                    break
                seed = self.advice.seed + i
                models.append(fit_model(self.data, key, chosen.loss, rank, seed, **params))
            self.advice.stability[rank] = stability_of(models)
            if rank == judged:
                best = min(models, key=lambda model: model.objective)
                p = (self.advice.residuals or {}).get("exponent")
                width = max(self.known.widths)
                self.advice.outliers = outliers(self.data, best.W @ best.H, p, width)

    def _solver(self):
        loss, rank = self.loss.loss, self.judged
        keys, left_out = entrants(loss, self.X)
        if not keys:
            self.advice.undecided.append(
                f"which solver: none of the {loss} loss takes sparse data; a part of the rows and "
                "columns, dense, can be asked about"
            )
            return
        first = FITS[loss][0]
        ready = self._compiled([self._job(key) for key in keys], _COMPILED[1])
        for key in [k for k in keys if self._job(k) not in ready and k != first]:
            keys.remove(key)
            left_out[key] = _NOT_COMPILED
        self.advice.solvers_left_out = left_out
        if not keys:
            return
        # The one that is known to fit these data first, in case the budget ends.
        keys.sort(key=lambda key: key != first)
        self.progress(f"{len(keys)} solvers: {', '.join(keys)}")
        if rank < self.advice.n_components:
            self.advice.notes.append(
                f"solvers were judged at rank {rank}: the part of the matrix that fits the budget "
                f"is too small for {self.advice.asked}"
            )
        folds = self.folds[: len(self.folds) // 2]
        race = self.advice.race = run_race(
            self.data, loss, rank, folds, keys, self.budget, _RACE, self.progress
        )
        self.advice.solvers_left_out |= race.left_out

    def _model(self):
        if self.advice.race is None:
            return
        loss, race = self.loss.loss, self.race
        rank = self.advice.n_components
        X = self.X
        if not sp.issparse(X):
            X = np.ascontiguousarray(X, dtype=np.float64)
        self.progress(f"fitting {race.solver} at rank {rank} to all of the data")
        iterations, models = self._iterations(X, rank), []
        for i in range(_STARTS):
            begun = self.budget.used
            models.append(
                fit_model(X, race.solver, loss, rank, self.advice.seed + i, max_iter=iterations)
            )
            if not self.budget.allows(1.0, self.budget.used - begun):
                break
        self.advice.model = min(models, key=lambda model: model.objective)
        if len(models) > 1:
            self.advice.model_stability = stability_of(models)
            if self.part.whole:
                self.advice.stability[rank] = self.advice.model_stability
        if self.budget.allows(_RACE):
            self.advice.proof = proof(X, self.advice.model, loss)

    def _iterations(self, X, rank):
        """As many as predict held-out entries best, or as the rest of the budget has room for."""
        race, part = self.race, self.data
        row = next(r for r in race.rows if r["solver"] == race.solver)
        wanted, asked = row["iterations"], (race.solver, self.loss.loss, rank)
        if not sp.issparse(X) and rank == self.judged:
            need = _WHOLE_ASKED * row["look"] * X.size / part.size
            if self.budget.allows(_SETTLED, need):
                folds = draw_folds(X.shape, _WHOLE_FOLDS, self.rng)[:_WHOLE_ASKED]
                wanted = enough_iterations(X, *asked, folds, wanted, self.budget, _SETTLED)
        probe = fit_model(part, *asked[:2], self.judged, 0, max_iter=5)
        size = X.nnz if sp.issparse(X) else X.size
        filled = np.count_nonzero(part) if sp.issparse(X) else part.size
        each = max(probe.seconds / 5 * size / filled * rank / self.judged, 1e-9)
        room = max(self.budget.left(), 0.02 * self.budget.seconds) / 2
        return int(np.clip(room / each, min(10, wanted), wanted))
