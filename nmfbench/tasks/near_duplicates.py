"""Near-duplicates: do the exemplars that a method chooses say the same thing twice?"""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from nmfbench.core.registry import register_task
from nmfbench.tasks.base import CHOOSE, Outcome, ability, timed_fit
from nmfbench.tasks.exemplars import halve_each_class, weight_terms

__all__ = ["near_duplicates"]


@register_task(
    "near-duplicates",
    summary="share of chosen exemplars that are nearly equal to an earlier one",
    needs={
        "anchors": "its fit leaves no anchor_indices_",
        "sparse": "it takes dense data only, and texts are sparse",
    },
    tolerances={"near-duplicates*": 0.02},  # a document or two at the bound
    matters={"near-duplicates*": 0.02},
)
def near_duplicates(data, solver, rng, *, size=150, weighting="counts", cosine=0.9):
    """Choose exemplars as in the task ``exemplars``, and count the exemplars that are nearly equal.

    Parameters
    ----------
    data : Bunch
        With counts ``X`` and labels ``y``.
    solver : estimator
        With ``anchor_indices_`` in order of selection once fitted.
    rng : Generator
        Draws the split.
    size : int, default=150
        Number of exemplars.
    weighting : {"counts", "l1", "tfidf"}, default="counts"
        What the solver sees, see :func:`~nmfbench.tasks.exemplars.weight_terms`.
    cosine : float, default=0.9
        Two documents whose tf-idf vectors have a larger cosine are near-duplicates.

    Returns
    -------
    Outcome
        Metrics ``near-duplicates``, the share of the exemplars that are near-duplicates of an
        earlier one, and ``near-duplicates-at-random``, the same of as many random documents.

    References
    ----------
    Kumar & Sindhwani (2015), Section 5.2, on the cleaning of SMRS.
    """
    train, _ = halve_each_class(np.asarray(data.y), rng)
    train = rng.permutation(train)
    solver.set_params(n_components=min(size, len(train)))
    fit, _ = timed_fit(solver, weight_terms(data.X[train], weighting))
    chosen = ability(solver, "anchor_indices_", CHOOSE)
    documents = TfidfTransformer().fit_transform(data.X[train])
    metrics = {
        "near-duplicates": _share(documents[chosen], cosine),
        # The training documents are in random order.
        "near-duplicates-at-random": _share(documents[: len(chosen)], cosine),
    }
    return Outcome(metrics, fit, {"anchors": train[chosen]})


def _share(documents, cosine):
    near = np.triu((documents @ documents.T).toarray() > cosine, 1)
    return float(near.any(axis=0).mean())
