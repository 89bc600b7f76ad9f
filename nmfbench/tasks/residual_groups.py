"""Groups in the sparse part: which entries of a group does a fit leave in its residual?"""

from __future__ import annotations

import numpy as np

from nmfbench.core.registry import register_task
from nmfbench.tasks.base import Outcome, drawn_start, low_rank_of, timed_fit

__all__ = ["planted_groups", "residual_groups"]


@register_task(
    "residual-groups",
    summary="entries of planted groups of a sparse part that a fit leaves in its residual",
    tolerances={"*": 0.01},  # an entry may pass the threshold by rounding
    matters={
        "one-of-group": 0.02,
        "share-of-group": 0.02,
        "unlikeness": 0.02,
        "absorbed": None,
        "correlation": None,
    },
)
def residual_groups(
    data, solver, rng, *, n_components, size=5, active=0.1, spread=0.05, threshold=0.1
):
    """Add groups of correlated entries to the data, fit, and look for them in the residual.

    Parameters
    ----------
    data : Bunch
        With ``X``, of low rank.
    solver : estimator
    rng : Generator
        Draws the groups and the start: the same for every solver.
    n_components : int
    size, active, spread
        See :func:`planted_groups`.
    threshold : float, default=0.1
        A residual below this share of what was planted in its group counts as zero.

    Returns
    -------
    Outcome
        Metrics, over the groups that are active in a sample: ``one-of-group``, the share of those
        with any non-zero residual that have a single one; ``share-of-group``, the mean share of
        their entries that have one; ``unlikeness``, the mean of the deviation of residuals within
        a group over their mean, of groups with any; ``absorbed``, the share of groups without any;
        ``correlation``, the mean one of planted entries of a group over the samples.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.4; the measures are ours.
    """
    n, m = data.X.shape
    planted = planted_groups(rng, n, m, size, active, spread)
    X = data.X + planted.reshape(data.X.shape)
    start = drawn_start(solver, X, n_components, rng)
    solver.set_params(n_components=n_components)
    fit, arrays = timed_fit(solver, X, representation=True, **start)
    residual = np.abs(X - low_rank_of(solver, arrays["W"], X)).reshape(planted.shape)
    is_active = planted.any(axis=2)
    found, amounts = residual[is_active], planted[is_active].mean(axis=1)
    nonzero = (found > threshold * amounts[:, None]).sum(axis=1)
    some = nonzero > 0
    left = found[some]
    pairs = np.triu_indices(size, 1)
    correlations = [np.corrcoef(group.T)[pairs].mean() for group in planted.swapaxes(0, 1)]
    metrics = {
        "one-of-group": np.mean(nonzero[some] == 1) if some.any() else 0.0,
        "share-of-group": np.mean(nonzero / size),
        "unlikeness": np.mean(left.std(axis=1) / left.mean(axis=1)) if some.any() else 0.0,
        "absorbed": np.mean(~some),
        "correlation": np.mean(correlations),
    }
    return Outcome({name: float(value) for name, value in metrics.items()}, fit)


def planted_groups(rng, n_samples, n_features, size, active, spread):
    """Entries of a sparse part in which groups of features become non-zero together.

    Neighbouring features are a group; in a sample each group is active at random, by one amount
    of 0.3 to 1 times a factor near 1 for each feature. Every group is active in two samples at
    least.

    Parameters
    ----------
    rng : Generator
    n_samples, n_features, size : int
        Features, which groups of ``size`` divide.
    active : float
        Probability.
    spread : float
        Standard deviation of the factors.

    Returns
    -------
    ndarray of shape (n_samples, n_features // size, size), non-negative

    Raises
    ------
    ValueError
        If groups do not divide the features.

    Examples
    --------
    >>> planted_groups(np.random.default_rng(0), 4, 6, 3, 0.2, 0.0).astype(bool).all(axis=2).sum()
    np.int64(4)
    """
    if n_features % size:
        raise ValueError(f"groups of {size} do not divide {n_features} features.")
    n_groups = n_features // size
    chosen = rng.random((n_samples, n_groups)) < active
    for group in np.flatnonzero(chosen.sum(axis=0) < 2):
        chosen[rng.choice(n_samples, 2, replace=False), group] = True
    amounts = np.where(chosen, rng.uniform(0.3, 1.0, chosen.shape), 0.0)
    factors = 1 + spread * rng.standard_normal((n_samples, n_groups, size))
    return amounts[:, :, None] * np.maximum(factors, 0.0)
