"""The near-separable matrices on which anchor recovery is measured."""

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset

__all__ = ["near_separable"]


@register_dataset(
    "near-separable",
    kind="generated",
    title="Near-separable matrix",
    generated=True,
    n_samples=210,
    n_features=200,
    n_classes=None,
    source="generated as in Kumar & Sindhwani (2015), Section 5.1",
    licence="none needed",
    scaling="entries in [0, 1]",
)
def near_separable(rng, n_samples=210, n_features=200, n_components=20, spread=0.0):
    """Separable data without noise: every sample is a convex combination of the anchors.

    Paper notation: ``X = W [I H']`` with samples in columns, W uniform on (0, 1) and the columns
    of H' from one Dirichlet distribution whose parameters are uniform on (0, 1). Here samples
    are rows, in shuffled order, lest an algorithm that prefers low indices gain by it.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_samples, n_features, n_components : int
        Samples in all, features, and anchors among the samples.
    spread : float, default=0.0
        Standard deviation of the logarithms of factors by which the samples are multiplied. They
        are then conic combinations of the anchors, and convex ones of their directions alone.

    Returns
    -------
    Bunch
        ``X``; ``anchors``, the sorted rows of ``X`` that are anchors; ``components``, those
        rows; ``weights``, so that ``X = weights @ components``.

    Examples
    --------
    >>> import numpy as np
    >>> data = near_separable(np.random.default_rng(0), n_samples=30, n_components=4)
    >>> data.X.shape, len(data.anchors)
    ((30, 200), 4)
    """
    n, m, r = n_samples, n_features, n_components
    if not 1 <= r <= n or m < 1:
        raise ValueError(
            f"near-separable data need 1 <= n_components <= n_samples and n_features >= 1; "
            f"got n_components={r}, n_samples={n}, n_features={m}."
        )
    W = rng.uniform(size=(m, r))
    alpha = rng.uniform(size=r)
    H = np.hstack([np.eye(r), rng.dirichlet(alpha, size=n - r).T])
    order = rng.permutation(n)
    anchors = np.flatnonzero(order < r)
    components = W.T[order[anchors]]
    weights = H.T[order][:, order[anchors]]
    if spread:
        factors = np.exp(spread * rng.standard_normal(n))
        weights = factors[:, None] * weights / factors[anchors]
        components = factors[anchors, None] * components
    X = weights @ components
    X[anchors] = components  # the anchors themselves, free of rounding
    return Bunch(X=X, y=None, anchors=anchors, components=components, weights=weights)
