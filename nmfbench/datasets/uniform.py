"""Dense random matrices on which the speed of solvers is compared."""

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset

__all__ = ["noisy_low_rank", "uniform"]


@register_dataset(
    "uniform",
    kind="generated",
    title="Dense uniform matrix",
    generated=True,
    n_samples=100,
    n_features=500,
    n_classes=None,
    source="generated as in Guan et al. (2012), Section 5.1",
    licence="none needed",
    scaling="entries in [0, 1]",
)
def uniform(rng, n_samples=100, n_features=500):
    """Independent uniform numbers on [0, 1]: no structure at all.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_samples, n_features : int

    Examples
    --------
    >>> uniform(np.random.default_rng(0), n_samples=3, n_features=2).X.shape
    (3, 2)
    """
    _check_sizes(n_samples=n_samples, n_features=n_features)
    return Bunch(X=rng.uniform(size=(n_samples, n_features)), y=None)


@register_dataset(
    "noisy-low-rank",
    kind="generated",
    title="Low-rank matrix with Laplace noise",
    generated=True,
    n_samples=400,
    n_features=1000,
    n_classes=None,
    source="generated: product of two sparse non-negative factors, plus noise",
    licence="none needed",
    scaling="entries in [0, 1]",
)
def noisy_low_rank(rng, n_samples=400, n_features=1000, n_components=20, noise=0.1):
    """A product of non-negative factors plus Laplace noise, clipped to [0, 1].

    Half of the entries of each factor are zero, the others exponential; the largest entry of the
    product is 1.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_samples, n_features, n_components : int
    noise : float, default=0.1
        Scale of the noise, in units of the mean entry of the product.

    Returns
    -------
    Bunch
        ``X``; ``clean``, the product; and ``rank``, the number of its components.

    Examples
    --------
    >>> data = noisy_low_rank(np.random.default_rng(0), n_samples=40, n_features=30, noise=0)
    >>> float(data.X.max()), int(np.linalg.matrix_rank(data.X))
    (1.0, 20)
    """
    _check_sizes(n_samples=n_samples, n_features=n_features, n_components=n_components)
    if noise < 0:
        raise ValueError(f"noise must not be negative, got {noise}.")
    W, Ht = (
        rng.exponential(size=(n, n_components)) * (rng.uniform(size=(n, n_components)) < 0.5)
        for n in (n_samples, n_features)
    )
    clean = W @ Ht.T
    clean /= clean.max()
    X = np.clip(clean + noise * clean.mean() * rng.laplace(size=clean.shape), 0, 1)
    return Bunch(X=X, y=None, clean=clean, rank=n_components)


def _check_sizes(**sizes):
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}.")
