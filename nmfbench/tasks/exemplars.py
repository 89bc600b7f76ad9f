"""Exemplars: how well does a classifier do that is trained on a few chosen documents only?"""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from nmfbench.core.registry import register_task
from nmfbench.metrics.clustering import accuracy
from nmfbench.tasks.base import CHOOSE, Outcome, ability, timed_fit

__all__ = ["exemplars", "halve_each_class", "weight_terms"]

_SIZES = tuple(range(10, 151, 10))


@register_task(
    "exemplars",
    summary="test accuracy of a linear SVM trained on chosen exemplars",
    score="accuracy@20",
    score_name="accuracy of a classifier trained on 20 exemplars",
    higher_is_better=True,
    needs={
        "anchors": "its fit leaves no anchor_indices_",
        "sparse": "it takes dense data only, and texts are sparse",
    },
    tolerances={"accuracy@*": 0.005},  # a document on the margin: one of the smoke grids' 300
    matters={"accuracy@*": 0.02, "classes@*": None, "filled": None},
)
def exemplars(data, solver, rng, *, weighting="counts", sizes=_SIZES):
    """Choose exemplars among the training documents without labels, then train on them alone.

    Half of each class, rounded up, trains. Solvers see the training documents under
    ``weighting``; the classifier always sees tf-idf rows of unit length.

    Parameters
    ----------
    data : Bunch
        With counts ``X`` and labels ``y``.
    solver : estimator
        With ``anchor_indices_`` in order of selection, or with ``anchors_for(q)`` where the
        choice of q exemplars is not a prefix of a larger one.
    rng : Generator
        Draws the split.
    weighting : {"counts", "l1", "tfidf"}, default="counts"
        What the solver sees, see :func:`weight_terms`.
    sizes : sequence of int
        Numbers of exemplars.

    Returns
    -------
    Outcome
        Metrics ``accuracy@q`` and ``classes@q`` (classes with an exemplar) for each size, and
        ``accuracy@all``, of a classifier trained on all training documents. ``filled`` is 1 if
        a method that prunes its exemplars had to take pruned ones back.

    References
    ----------
    Kumar & Sindhwani (2015), Section 5.2, Figures 5 and 6. Term weighting, the classifier's
    ``C = 1`` and the number of splits are ours: the paper does not give them.
    """
    y = np.asarray(data.y)
    train, test = halve_each_class(y, rng)
    # Collections come sorted by class; a solver that breaks ties by position must not see it.
    train = rng.permutation(train)
    sizes = [q for q in sorted(sizes) if q <= len(train)]
    if not sizes:
        raise ValueError(f"sizes must include one of at most {len(train)} training documents.")
    solver.set_params(n_components=sizes[-1])
    fit, arrays = timed_fit(solver, weight_terms(data.X[train], weighting))

    tfidf = TfidfTransformer().fit(data.X[train])
    X_train, X_test = tfidf.transform(data.X[train]), tfidf.transform(data.X[test])
    metrics = {}
    for q in sizes:
        chosen = _chosen(solver, q)
        predicted = _predict(X_train[chosen], y[train][chosen], X_test)
        metrics[f"accuracy@{q}"] = accuracy(y[test], predicted)
        metrics[f"classes@{q}"] = float(len(np.unique(y[train][chosen])))
    metrics["accuracy@all"] = accuracy(y[test], _predict(X_train, y[train], X_test))
    if hasattr(solver, "filled_"):
        metrics["filled"] = float(solver.filled_)
    arrays["anchors"] = train[ability(solver, "anchor_indices_", CHOOSE)]
    return Outcome(metrics, fit, arrays)


def _chosen(solver, q):
    if hasattr(solver, "anchors_for"):
        return solver.anchors_for(q)
    return ability(solver, "anchor_indices_", CHOOSE)[:q]


def _predict(X, y, X_test):
    """Labels by a linear SVM; with one class only, there is nothing to train."""
    if len(np.unique(y)) == 1:
        return np.full(X_test.shape[0], y[0])
    return LinearSVC(C=1.0, max_iter=10_000, random_state=0).fit(X, y).predict(X_test)


def halve_each_class(y, rng):
    """Split at random: half of each class, rounded up, trains; the rest tests.

    Returns
    -------
    train, test : ndarray of int, sorted

    Examples
    --------
    >>> train, test = halve_each_class(np.array([0, 0, 0, 1, 1]), np.random.default_rng(0))
    >>> len(train), len(test)
    (3, 2)
    """
    parts = []
    for label in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == label))
        parts.append(members[: (len(members) + 1) // 2])
    train = np.sort(np.concatenate(parts))
    return train, np.setdiff1d(np.arange(len(y)), train)


def weight_terms(X, weighting):
    """Weight term counts: as they are, divided by document length, or tf-idf.

    Parameters
    ----------
    X : CSR matrix of counts
    weighting : {"counts", "l1", "tfidf"}
    """
    if weighting == "counts":
        return X
    if weighting == "l1":
        return normalize(X, norm="l1")
    if weighting == "tfidf":
        return TfidfTransformer().fit_transform(X)
    raise ValueError(f"weighting must be 'counts', 'l1' or 'tfidf', got {weighting!r}.")
