"""Races: how soon solvers that minimise one loss come near its smallest value."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nmfbench.core import registry
from nmfbench.core.registry import register_problems
from nmfbench.problems.problem import REPEATS, Baselines, Problem

__all__ = ["LOW_RANK", "RACERS", "Race"]

RACERS: dict[str, Baselines] = {
    "frobenius": (("nenmf", {}), ("hals", {}), ("mu", {})),
    "kl": (("kl-mu", {}), ("sklearn-mu", {})),
    "itakura-saito": (("is-mu", {}),),
    "manhattan": (
        ("mahnmf-hybrid", {}),
        ("mahnmf-rri", {}),
        ("mahnmf-ogm", {"lipschitz": "spectral"}),
    ),
}
"""By loss, solvers that minimise it, with their parameters."""

_ROUNDS = {
    "nenmf": 100,
    "mu": 600,
    "kl-mu": 300,
    "sklearn-mu": 300,
    "mahnmf-hybrid": 80,
    "mahnmf-rri": 80,
    "mahnmf-ogm": 50,
}
"""Iterations that come to like times."""
_OTHER_ROUNDS = 200  # of other built-in solvers


def _makes_all_at_once(solver):
    """Whether it is an external class, or wraps one: then one call may make all iterations."""
    return ":" in solver or registry.solvers[solver].info["wraps"] is not None


@dataclass(frozen=True, kw_only=True)
class Race(Problem):
    """A problem of convergence, in which each solver makes iterations of its own number.

    Parameters
    ----------
    loss : str
        The loss that all who take part minimise.
    effort : float, default=1
        Share of the usual number of iterations.
    """

    effort: float = 1.0

    def trial(self, solver, params, repeat, *, starts=True):
        """The trial of one solver and repeat.

        Of a solver that cannot start from given factors (``starts=False``), a timed fit of its own
        tells when it ends, and where.
        """
        trial = super().trial(solver, params, repeat)
        if not starts:
            return replace(trial, task="factorization")
        rounds = params.get("max_iter", self._rounds(solver))
        most = max(1, round(rounds * self.effort))
        options = {**trial.options, "max_iter": most}
        if _makes_all_at_once(solver):
            options["shorter_fits"] = True
        return replace(trial, options=options)

    def _rounds(self, solver):
        """Iterations; of what is not ours as many as of the baseline that makes most."""
        if _makes_all_at_once(solver) and solver not in _ROUNDS:
            return max(self._rounds(key) for key, _ in self.baselines)
        return _ROUNDS.get(solver, _OTHER_ROUNDS)


LOW_RANK = {"n_samples": 100, "n_features": 500, "n_components": 10}
"""Size and rank of the smaller low-rank matrices, which have noise."""


@register_problems("convergence")
def convergence(profile):
    """Matrices that are dense or sparse, tall or wide, made or measured, by loss."""
    smoke = profile == "smoke"
    sets = [("low rank + noise", "noisy-low-rank", 10, LOW_RANK), ("digits", "digits", 10, {})]
    if not smoke:
        sets += [("uniform", "uniform", 20, {}), ("faces (CBCL)", "cbcl", 25, {})]
    if profile == "paper":
        sets += [("ORL", "orl", 40, {}), ("Semeion", "semeion", 30, {})]
    # The median of a feature of sparse data is zero, and so is what the Manhattan distance fits.
    with_texts = sets if smoke else [*sets, ("texts (BBC)", "bbc", 20, {})]
    # Itakura-Saito is undefined at zero, where one solver has a floor and another refuses.
    shapes = ((100, 500), (500, 100))
    positive = [
        (f"uniform {n} x {m}", "uniform", 10, {"n_samples": n, "n_features": m}) for n, m in shapes
    ]
    by_loss = {
        "frobenius": with_texts,
        "kl": with_texts,
        "itakura-saito": positive,
        "manhattan": sets,
    }
    return [
        Race(
            task="convergence",
            label=f"{name}, r = {rank}, {loss}",
            dataset=dataset,
            dataset_params=params,
            options={"n_components": rank},
            baselines=baselines,
            repeats=REPEATS[profile],
            timed=True,
            loss=loss,
            effort=_effort(loss, dataset, smoke),
        )
        for loss, baselines in RACERS.items()
        for name, dataset, rank, params in by_loss[loss]
    ]


def _effort(loss, dataset, smoke):
    """Share of the usual iterations with which all come near their smallest value soon."""
    if smoke:
        return 0.3 if loss == "manhattan" else 0.5
    return 0.25 if dataset == "bbc" else 1.0
