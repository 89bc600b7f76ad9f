"""Factorization: fit a solver on a training part and keep the factors for whoever asks."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_count
from nmfbench.tasks.base import Outcome, drawn_start, timed_fit
from nmfbench.tasks.convergence import draw_per_class

__all__ = ["factorization", "reweighted"]


@register_task(
    "factorization",
    summary="factors of a training part, and codes of a test part",
    takes_similarities=True,
    matters={"*dead-components": None, "orthogonality-gap": None, "outlier-share": None},
)
def factorization(
    data,
    solver,
    rng,
    *,
    n_components,
    n_classes=None,
    train_per_class=None,
    test_per_class=None,
    reweight=False,
    unit_samples=False,
    init="uniform",
    dtype="float64",
):
    """Draw classes and samples, fit, and code the rest on the fitted components.

    The tasks that are based on this one share its fits: one for each (data, split, corruption,
    solver, rank).

    Parameters
    ----------
    data : Bunch
        With ``X``, corrupted if the trial says so, and with labels ``y`` if classes are drawn.
    solver : estimator
        With ``components_`` once fitted.
    rng : Generator
        Draws classes, split and start, in this order: the same for every solver.
    n_components : int
        Rank.
    n_classes : int, optional
        Number of classes to keep, drawn at random; by default all.
    train_per_class : int, optional
        Number of training samples of each class, drawn at random, with the rest for testing; by
        default train on all.
    test_per_class : int, optional
        Number of the rest of each class to test on; by default all.
    reweight : bool, default=False
        Weight the samples before the fit, see :func:`reweighted`.
    unit_samples : bool, default=False
        Scale the samples, training and test, to unit length.
    init : {"uniform", "random", "nndsvda", "nndsvd"}, default="uniform"
        Start of solvers that take one; see :mod:`nmfbench.optim.init`.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the fit. Codes are computed in double precision.

    Returns
    -------
    Outcome
        Metrics ``dead-components``, how many are zero in either factor, and the solver's own
        ``diagnostics``. Arrays ``train`` and
        ``test``, rows of the data; ``W`` of the training samples as the fit left it;
        ``components``; ``codes`` of the test samples, the best on these components under the
        solver's own loss; ``mean``, of solvers that centre the data; ``labels``, of clusterers;
        ``trace``. The factors are kept in single precision.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2; Xu, Liu & Gong (2003), Document clustering based on
    non-negative matrix factorization.
    """
    check_count(n_components, "n_components")
    rows = np.arange(data.X.shape[0])
    if n_classes is not None:
        labels = np.unique(data.y)
        if n_classes > len(labels):
            raise ValueError(f"n_classes is {n_classes}, but the data have {len(labels)} classes.")
        rows = np.flatnonzero(np.isin(data.y, rng.choice(labels, n_classes, replace=False)))
    train, test = rows, rows[:0]
    if train_per_class is not None:
        train = rows[draw_per_class(data.y[rows], train_per_class, rng)]
        test = np.setdiff1d(rows, train)
        if test_per_class is not None:
            test = test[draw_per_class(data.y[test], test_per_class, rng)]
    X, unseen = data.X[train], data.X[test]
    if unit_samples:
        X, unseen = (normalize(part) if part.shape[0] else part for part in (X, unseen))
    X = (reweighted(X) if reweight else X).astype(dtype)
    start = drawn_start(solver, X, n_components, rng, init)
    solver.set_params(n_components=n_components)
    fit, arrays = timed_fit(solver, X, representation=True, **start)
    codes = solver.transform(unseen) if len(test) else np.zeros((0, n_components))
    dead = ~(arrays["W"].any(axis=0) & solver.components_.any(axis=1))
    kept = {"W": arrays["W"], "components": solver.components_, "codes": codes}
    if hasattr(solver, "mean_"):
        kept["mean"] = solver.mean_
    arrays |= {name: np.asarray(array, dtype=np.float32) for name, array in kept.items()}
    arrays |= {"train": train, "test": test}
    if hasattr(solver, "labels_"):
        arrays["labels"] = np.asarray(solver.labels_)
    metrics = {"dead-components": float(dead.sum())}
    for name in getattr(solver, "diagnostics", ()):
        metrics[name.strip("_").replace("_", "-")] = float(getattr(solver, name))
    return Outcome(metrics, fit, arrays)


def reweighted(X):
    r"""Samples times weights in proportion to :math:`(X X^T 1)^{-1/2}`, as of a normalised cut.

    With them least squares over the factors is a relaxed normalised cut of the graph of inner
    products :math:`X X^T`, whose degrees are :math:`X X^T 1`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), non-negative

    Returns
    -------
    ndarray of the same shape

    Notes
    -----
    *Departures.* The weights themselves would make entries smaller the more samples there are,
    down to a thousandth. A factor common to all samples brings the sum of the entries back to
    what it was: no cut depends on it, but a smoothing parameter has a unit.

    References
    ----------
    Xu, Liu & Gong (2003), weighted NMF; Guan et al. (2012), MahNMF, Section 5.3.1.

    Examples
    --------
    >>> reweighted(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])).round(3)
    array([[1.172, 0.   ],
           [1.172, 0.   ],
           [0.   , 1.657]])
    """
    degrees = X @ X.sum(axis=0)
    weighted = X / np.sqrt(np.where(degrees > 0, degrees, 1.0))[:, None]
    total = weighted.sum()
    return weighted * (X.sum() / total) if total > 0 else weighted
