"""Search for a rank: how well does the rank that cross-validation prefers predict entries?"""

from __future__ import annotations

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.tasks.base import Outcome, total_cost
from nmfbench.tasks.held_out import errors_by_rank

__all__ = ["rank_search"]


@register_task(
    "rank-search",
    summary="relative error of held-out entries at the rank where it is smallest",
    title="Search for the rank",
    score="best-held-out-error",
    score_name="relative error of the held-out entries at the best rank",
    higher_is_better=False,
    # A near tie between the held-out errors of two ranks.
    tolerances={"chosen-rank": 1},
    matters={"chosen-rank": 1.0, "*held-out-error*": Ratio(0.02)},
)
def rank_search(data, solver, rng, *, ranks, n_folds=2):
    """Hold blocks of entries out, and predict them by factors of each of several ranks.

    As :func:`~nmfbench.tasks.rank_choice.rank_choice`, for data whose rank nobody knows.

    Parameters
    ----------
    data : Bunch
        With ``X``, dense.
    solver : estimator
        With ``components_`` once fitted.
    rng : Generator
        Draws the folds, then the starts: the same for every solver.
    ranks : sequence of int
        Candidates.
    n_folds : int, default=2
        Of the samples, and of the features.

    Returns
    -------
    Outcome
        Metrics ``best-held-out-error``, ``chosen-rank``, of equal errors the smaller one, and
        ``held-out-error@r`` for each rank r. Cost and iterations are sums.

    References
    ----------
    Owen & Perry (2009), Bi-cross-validation of the SVD and the nonnegative matrix factorization.
    """
    errors, fits = errors_by_rank(data.X, solver, ranks, n_folds, rng)
    chosen = min(errors, key=errors.__getitem__)
    metrics = {"best-held-out-error": errors[chosen], "chosen-rank": chosen}
    metrics |= {f"held-out-error@{rank}": error for rank, error in errors.items()}
    return Outcome(metrics, total_cost(fits))
