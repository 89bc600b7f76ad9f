"""Choice of the rank: does cross-validation with a solver find the known rank of data?"""

from __future__ import annotations

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.tasks.base import SCALED, Outcome, total_cost
from nmfbench.tasks.held_out import errors_by_rank

__all__ = ["rank_choice"]


@register_task(
    "rank-choice",
    summary="distance of the rank chosen by bi-cross-validation from the known one",
    title="Choice of the rank",
    score="rank-error",
    score_name="distance of the chosen rank from the true one",
    higher_is_better=False,
    # A near tie between the held-out errors of two ranks.
    tolerances={"rank-error": 1, "chosen-rank": 1, "right-rank": 1},
    # A component; of errors and of the share of right choices as elsewhere.
    matters={
        "rank-error": 1.0,
        "chosen-rank": 1.0,
        "right-rank": 0.02,
        "held-out-error@*": Ratio(0.02),
    },
    revisions=SCALED,
)
def rank_choice(data, solver, rng, *, ranks, n_folds=2):
    """Choose the rank whose factors predict held-out entries best.

    The protocol is that of :func:`~nmfbench.tasks.held_out.held_out`, with the same blocks for all
    ranks. The choice sees the data as they are given, noise and all; of equal errors the smaller
    rank counts.

    Parameters
    ----------
    data : Bunch
        With ``X``, dense, and ``rank``, that of ``X`` without noise.
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
        Metrics ``rank-error``, how far the chosen rank is from the true one; ``right-rank``, 1 if
        it is the true one, else 0; ``chosen-rank``; and ``held-out-error@r``, the relative error
        of the held-out entries, for each rank r. Cost and iterations are sums over ranks and
        blocks.

    References
    ----------
    Owen & Perry (2009), Bi-cross-validation of the SVD and the nonnegative matrix factorization.
    """
    errors, fits = errors_by_rank(data.X, solver, ranks, n_folds, rng)
    chosen = min(errors, key=errors.__getitem__)
    metrics = {
        "rank-error": abs(chosen - data.rank),
        "right-rank": chosen == data.rank,
        "chosen-rank": chosen,
    }
    metrics |= {f"held-out-error@{rank}": error for rank, error in errors.items()}
    return Outcome(metrics, total_cost(fits))
