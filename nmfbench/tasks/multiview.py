"""Multi-view learning: classes of samples by linear classifiers on codes of all views together."""

from __future__ import annotations

import numpy as np
from scipy.linalg import pinv
from sklearn.model_selection import KFold, StratifiedKFold

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_choice
from nmfbench.metrics.factors import sparseness
from nmfbench.metrics.retrieval import average_precisions, mean_average_precision
from nmfbench.optim.proximal import group_norms
from nmfbench.optim.squared_hinge import squared_hinge_weights
from nmfbench.tasks.base import Outcome, timed_fit
from nmfbench.tasks.exemplars import halve_each_class

__all__ = ["OFF", "decision_values", "multiview", "scaled_views", "used_views"]

_RTOL = 1e-10  # of the singular values of the bases that count
_CONSTANT = 1e-10  # spread of a dimension, as a share of its largest value, that is rounding
_NORMS = {"l2": 2, "l1": 1}

OFF = 1e-6
"""Share of the largest group norm below which a view does without a component."""


@register_task(
    "multiview",
    title="Multi-view learning",
    version=2,  # the classifiers are exact
    summary="mean average precision of linear classifiers on codes of samples in several views",
    score="map",
    score_name="mean average precision of a linear SVM on the codes",
    higher_is_better=True,
    # Two test samples of nearly one score: one of the smoke grid's few of a class.
    tolerances={"map*": 0.02, "cost*": 10.0, "zero-codes": 1, "at-cap": 0.01, "off": 0.01},
    # The regularisation of the classifiers, ``cost``, is chosen and not judged.
    matters={
        "map*": 0.02,
        "residual": Ratio(0.02),
        "off": 0.02,
        "rank": Ratio(0.10),  # dimensions: what a latent space costs
        "cost*": None,
        "chance": None,
        "zero-codes": None,
        "at-cap": None,
    },
)
def multiview(
    data,
    solver,
    rng,
    *,
    n_components=None,
    scaling="l2",
    costs=(0.01, 0.1, 1.0, 10.0),
    n_folds=3,
    references=False,
):
    r"""Learn one latent space for all views, and classify in it.

    Half of each class trains, or half of all samples if ``data.Y`` has several classes a sample.
    Bases are learned on the training half. Both halves are then coded alike: by the ``transform``
    of the solver, and by the pseudo-inverse of its components, which parts the basis from the rule
    of coding. On either code a linear SVM is trained for each class, on dimensions standardised by
    the training half. Its cost is chosen by cross-validation inside that half.

    Parameters
    ----------
    data : Bunch
        With ``X``, with ``y`` or a binary matrix ``Y`` (n_samples, n_classes), and with ``views``;
        without these all features are one. If ``X`` is corrupted, so is the training half alone.
    solver : estimator
        With ``components_`` once fitted. A parameter ``groups``, if it has one, is set to the
        views.
    rng : Generator
        Draws the split, and the folds.
    n_components : int, optional
        Rank; by default the solver's own for None, of the suite's the smaller side of the data.
    scaling : {"l2", "l1"}, default="l2"
        Each view is divided by the mean norm of its training samples, so that all weigh alike.
    costs : sequence of float
        Of the classifiers, to choose from.
    n_folds : int, default=3
    references : bool, default=False
        Also classify without a latent space, which does not depend on the solver.

    Returns
    -------
    Outcome
        Metrics ``map``, mean average precision of the test half by ``transform``; ``map-11``, the
        same interpolated at eleven points; ``map-inner``, that of the cross-validation, by which
        parameters can be chosen without the test half; ``cost``, the one chosen; all of these with
        the ending ``-pinv`` for the other codes, and, for ``references``, ``-raw`` for all views
        side by side, and ``-view`` for the single view best in cross-validation. ``chance``, the
        mean share of a class in the test half; ``rank``, how many components are not zero; ``off``,
        the share of pairs of view and component where the view does without; ``zero-codes`` of the
        test half; ``at-cap``, the share of its codes at the parameter ``upper`` of the solver;
        ``residual``, relative error of the training half on its codes. Arrays: ``precisions`` of
        the classes; ``widths`` and ``residuals`` of the views; ``unused``, whether a feature is in
        no component; ``sparseness`` of each feature over the components, if there are several;
        ``trace``.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.5, Figure 20 and Table 2. Scaling, costs, folds and number
    of splits are ours: the paper does not give them.
    """
    check_choice(scaling, "scaling", _NORMS)
    labels = data.get("Y")
    Y = _indicator(data.y) if labels is None else np.asarray(labels, dtype=bool)
    y = np.zeros(len(Y)) if labels is not None else Y.argmax(axis=1)
    train, test = halve_each_class(y, rng)
    used, views = used_views(data.X, data.get("views", [slice(None)]))
    halves = data.X[train][:, used], data.get("clean", data.X)[test][:, used]
    known, unseen = scaled_views(*halves, views, scaling)
    groups = {"groups": views} if "groups" in solver.get_params() else {}
    solver.set_params(n_components=n_components, **groups)
    fit, arrays = timed_fit(solver, known)

    kind = KFold if labels is not None else StratifiedKFold
    splits = kind(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
    folds = list(splits.split(known, y[train]))

    def judge(train_codes, test_codes, ending=""):
        cost, inner = _best_cost(train_codes, Y[train], sorted(costs), folds)
        (scores,) = decision_values(train_codes, Y[train], test_codes, [cost])
        return {
            f"map{ending}": mean_average_precision(Y[test], scores),
            f"map-11{ending}": mean_average_precision(Y[test], scores, interpolated=True),
            f"map-inner{ending}": inner,
            f"cost{ending}": cost,
        }, scores

    H = np.asarray(solver.components_, dtype=np.float64)
    codes = solver.transform(known), solver.transform(unseen)
    mean = getattr(solver, "mean_", np.zeros(H.shape[1]))
    inverse = pinv(H, rtol=_RTOL)
    metrics, scores = judge(*codes)
    metrics |= judge((known - mean) @ inverse, (unseen - mean) @ inverse, "-pinv")[0]
    if references:
        metrics |= judge(known, unseen, "-raw")[0]
        single = [judge(known[:, view], unseen[:, view], "-view")[0] for view in views]
        metrics |= max(single, key=lambda found: found["map-inner-view"])
    error = known - mean - codes[0] @ H
    norms = group_norms(H.T, views, 2)
    metrics |= {
        "chance": Y[test][:, Y[test].any(axis=0)].mean(),
        "rank": float(H.any(axis=1).sum()),
        "off": np.mean(norms <= OFF * norms.max()),
        "zero-codes": float((~codes[1].any(axis=1)).sum()),
        "at-cap": np.mean(codes[1] >= solver.get_params().get("upper", np.inf)),
        "residual": np.linalg.norm(error) / np.linalg.norm(known),
    }
    arrays |= {
        "precisions": average_precisions(Y[test], scores),
        "widths": np.array([view.stop - view.start for view in views]),
        "residuals": np.array(
            [np.linalg.norm(error[:, view]) / np.linalg.norm(known[:, view]) for view in views]
        ),
        "unused": ~H.any(axis=0),
    }
    if len(H) > 1:
        arrays["sparseness"] = np.apply_along_axis(sparseness, 0, H)
    return Outcome(metrics, fit, arrays)


def _indicator(y):
    """Classes as the columns of a binary matrix."""
    return np.asarray(y)[:, None] == np.unique(y)


def used_views(X, views):
    """Features that are not zero in all samples, and the views of these.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    views : sequence of slice

    Returns
    -------
    used : ndarray of int
        Features, view after view.
    views : list of slice
        Of ``used``. A view of nothing but zeros is left out.

    Examples
    --------
    >>> used_views(np.array([[1, 0, 0, 2, 3]]), [slice(0, 2), slice(2, 3), slice(3, 5)])
    (array([0, 3, 4]), [slice(0, 1, None), slice(1, 3, None)])
    """
    live = X.any(axis=0)
    parts = [np.arange(X.shape[1])[view] for view in views]
    parts = [part[live[part]] for part in parts if live[part].any()]
    ends = np.cumsum([len(part) for part in parts]).tolist()
    return np.concatenate(parts), [slice(*ends) for ends in zip([0, *ends], ends, strict=False)]


def scaled_views(train, test, views, norm="l2"):
    """Both halves, with each view divided by the mean norm of its training samples.

    Examples
    --------
    >>> train, test = np.array([[3.0, 4.0, 1.0]]), np.array([[5.0, 0.0, 4.0]])
    >>> scaled_views(train, test, [slice(0, 2), slice(2, 3)])
    (array([[0.6, 0.8, 1. ]]), array([[1., 0., 4.]]))
    """
    sizes = np.ones(train.shape[1])
    for view in views:
        sizes[view] = np.linalg.norm(train[:, view], _NORMS[norm], axis=1).mean() or 1.0
    return train / sizes, test / sizes


def decision_values(train, Y, test, costs):
    """Signed distances of the test samples from the hyperplanes of one linear SVM for each class.

    Parameters
    ----------
    train : ndarray of shape (n_train, n_dimensions)
    Y : ndarray of bool of shape (n_train, n_classes)
    test : ndarray of shape (n_test, n_dimensions)
    costs : sequence of float
        Of :func:`~nmfbench.optim.squared_hinge.squared_hinge_weights`.

    Returns
    -------
    ndarray of shape (n_costs, n_test, n_classes)
        Zero for a class to which all training samples belong, or none.

    Notes
    -----
    Dimensions are standardised by the training samples; dimensions that are constant there are
    dropped.
    """
    mean, spread = train.mean(axis=0), train.std(axis=0)
    varies = spread > _CONSTANT * np.abs(train).max(axis=0)
    A, B = ((X[:, varies] - mean[varies]) / spread[varies] for X in (train, test))
    scores = np.zeros((len(costs), len(B), Y.shape[1]))
    told_apart = Y.any(axis=0) & ~Y.all(axis=0)
    if varies.any() and told_apart.any():
        for found, weights in zip(
            scores, squared_hinge_weights(A, Y[:, told_apart], costs), strict=True
        ):
            found[:, told_apart] = B @ weights[:-1] + weights[-1]
    return scores


def _best_cost(codes, Y, costs, folds):
    """The cost of the best mean average precision over the folds, the first of equals; and that."""
    precisions = np.mean(
        [
            [
                mean_average_precision(Y[out], scores)
                for scores in decision_values(codes[into], Y[into], codes[out], costs)
            ]
            for into, out in folds
        ],
        axis=0,
    )
    best = int(precisions.argmax())
    return costs[best], precisions[best]
