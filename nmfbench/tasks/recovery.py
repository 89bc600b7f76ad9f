"""Anchor recovery: does a separable solver find the samples that generate all others?"""

from nmfbench.core.registry import register_task
from nmfbench.metrics.factors import anchor_recovery
from nmfbench.tasks.base import CHOOSE, Outcome, ability, timed_fit

__all__ = ["recovery"]


@register_task(
    "recovery",
    summary="fraction of the true anchors found",
    title="Anchor recovery",
    score="anchor-recovery",
    score_name="share of the anchors recovered",
    higher_is_better=True,
    needs={"anchors": "its fit leaves no anchor_indices_"},
    matters={"anchor-recovery": 0.02, "lp-calls": None, "selections": None},
)
def recovery(data, solver, rng):
    """Fit a separable solver with as many components as there are anchors.

    Parameters
    ----------
    data : Bunch
        With ``X`` and the indices ``anchors`` of the true anchors.
    solver : estimator
        With ``anchor_indices_`` once fitted.
    rng : Generator
        Not used: nothing is split.

    Returns
    -------
    Outcome
        Metric ``anchor-recovery``; arrays ``anchors`` (found, in order) and ``trace``. For
        solvers that count them, also ``lp-calls`` and ``selections``.

    References
    ----------
    Kumar & Sindhwani (2015), Section 5.1.
    """
    solver.set_params(n_components=len(data.anchors))
    fit, arrays = timed_fit(solver, data.X)
    anchors = ability(solver, "anchor_indices_", CHOOSE)
    metrics = {"anchor-recovery": anchor_recovery(anchors, data.anchors)}
    for metric, attribute in (("lp-calls", "n_lp_calls_"), ("selections", "n_selections_")):
        if hasattr(solver, attribute):
            metrics[metric] = float(getattr(solver, attribute))
    return Outcome(metrics, fit, {"anchors": anchors, **arrays})
