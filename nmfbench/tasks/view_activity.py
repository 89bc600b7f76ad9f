"""Recovery of what views share: which known components does which view have?"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.preprocessing import normalize

from nmfbench.core.registry import register_task
from nmfbench.metrics.detection import change_detection, confusion
from nmfbench.optim.proximal import group_norms
from nmfbench.tasks.base import Outcome, timed_fit
from nmfbench.tasks.multiview import OFF, scaled_views

__all__ = ["matched_activity", "view_activity"]


@register_task(
    "view-activity",
    title="Recovery of what views share",
    summary="agreement of the views' components with the known ones they share or have alone",
    matters={"activity-f": 0.02, "cosine": 0.02, "off": 0.02},
)
def view_activity(data, solver, rng):
    """Fit as many components as there are, and compare which view has which.

    Views are divided by the mean norm of their samples, as in the task ``multiview``. Each known
    component is matched with at most one found, so that the sum of their cosines is largest.

    Parameters
    ----------
    data : Bunch
        With ``X``, ``views``, and the known ``components`` and ``active``.
    solver : estimator
        With ``components_`` once fitted. A parameter ``groups``, if it has one, is set to the
        views.
    rng : Generator
        Not used: nothing is split.

    Returns
    -------
    Outcome
        Metrics ``activity-f``, the F-measure of the pairs of view and known component where the
        view has the matched one; ``cosine``, the mean of the matched pairs, 0 without a match;
        ``off``, the share of pairs of view and found component where the view does without. Array
        ``trace``.
    """
    known = data.active.shape[1]
    X, components = scaled_views(data.X, data.components, data.views)
    groups = {"groups": data.views} if "groups" in solver.get_params() else {}
    solver.set_params(n_components=known, **groups)
    fit, arrays = timed_fit(solver, X)
    H = np.asarray(solver.components_, dtype=np.float64)
    norms = group_norms(H.T, data.views, 2)
    used = norms > OFF * norms.max()
    found, cosines = matched_activity(components, H, used)
    metrics = {
        "activity-f": change_detection(confusion(data.active, found))["f"],
        "cosine": cosines.mean(),
        "off": 1 - used.mean(),
    }
    return Outcome(metrics, fit, arrays)


def matched_activity(components, found, used):
    """Activity of the components that match the known ones, and how well they match.

    Parameters
    ----------
    components : ndarray of shape (n_known, n_features)
    found : ndarray of shape (n_found, n_features)
        Their signs are ignored.
    used : ndarray of bool of shape (n_views, n_found)

    Returns
    -------
    activity : ndarray of bool of shape (n_views, n_known)
        False in all views for a component without a match.
    cosines : ndarray of shape (n_known,)
        0 without a match.

    Examples
    --------
    >>> used = np.array([[True, False], [True, True]])
    >>> matched_activity(np.eye(2), np.array([[0.0, 3.0], [1.0, 0.0]]), used)[0]
    array([[False,  True],
           [ True,  True]])
    """
    alike = np.abs(normalize(components) @ normalize(found).T)
    pairs = linear_sum_assignment(alike, maximize=True)
    activity = np.zeros((len(used), len(components)), dtype=bool)
    activity[:, pairs[0]] = used[:, pairs[1]]
    cosines = np.zeros(len(components))
    cosines[pairs[0]] = alike[pairs]
    return activity, cosines
