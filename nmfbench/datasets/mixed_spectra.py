"""Mixtures of known spectra, on which unmixing is measured."""

import numpy as np
from scipy.ndimage import gaussian_filter1d
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset

__all__ = ["draw_abundances", "draw_spectra", "mixed_spectra"]


@register_dataset(
    "mixed-spectra",
    kind="generated",
    title="Mixtures of smooth spectra",
    generated=True,
    n_samples=400,
    n_features=100,
    n_classes=None,
    source="generated: mixtures of smooth spectra with absorption bands",
    licence="none needed",
    scaling="reflectances in [0, 1]",
)
def mixed_spectra(rng, n_samples=400, n_features=100, n_components=5, purity=1.0):
    """Pixels that mix a few materials linearly: a product of abundances and spectra.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_samples, n_features : int
        Pixels and bands.
    n_components : int
        Materials.
    purity : float, default=1.0
        Largest abundance of a pixel. With 1 there is one pure pixel of each material.

    Returns
    -------
    Bunch
        ``X``; ``components``, the spectra of the materials; ``weights``, the abundances, whose
        rows sum to one, so that ``X = weights @ components``; and ``rank``, how many materials.

    References
    ----------
    Nascimento & Bioucas-Dias (2005), Vertex component analysis, and Miao & Qi (2007), Endmember
    extraction from highly mixed data using minimum volume constrained NMF, generate mixtures in
    this way, of measured spectra. Ours are generated, too.

    Examples
    --------
    >>> data = mixed_spectra(np.random.default_rng(0), n_samples=50, n_components=3, purity=0.8)
    >>> data.X.shape, bool(data.weights.max() <= 0.8)
    ((50, 100), True)
    """
    components = draw_spectra(rng, n_components, n_features)
    weights = draw_abundances(rng, n_samples, n_components, purity)
    X = weights @ components
    return Bunch(X=X, y=None, upper=1.0, components=components, weights=weights, rank=n_components)


def draw_spectra(rng, n_components, n_features):
    """Smooth spectra between 0 and 1, each with three absorption bands of its own.

    Returns
    -------
    ndarray of shape (n_components, n_features)
    """
    if n_components < 1 or n_features < 2:
        raise ValueError(
            f"spectra need n_components >= 1 and n_features >= 2; got {n_components} and "
            f"{n_features}."
        )
    bands = np.linspace(0, 1, n_features)
    spectra = np.empty((n_components, n_features))
    for spectrum in spectra:
        rise = gaussian_filter1d(rng.standard_normal(n_features), n_features / 8, mode="nearest")
        rise = (rise - rise.min()) / np.ptp(rise)
        low, high = np.sort(rng.uniform(0.1, 1, size=2))
        spectrum[:] = low + (high - low) * rise
        centres, widths = rng.uniform(size=3), rng.uniform(0.01, 0.06, size=3)
        for centre, width, depth in zip(centres, widths, rng.uniform(0.1, 0.9, 3), strict=True):
            spectrum *= 1 - depth * np.exp(-(((bands - centre) / width) ** 2) / 2)
    return spectra


def draw_abundances(rng, n_samples, n_components, purity):
    """Abundances, uniform on the part of the simplex where none exceeds the purity.

    With ``purity=1`` one sample of each component, at a random place, is pure.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        Rows that sum to one.
    """
    n, r = n_samples, n_components
    least = 2 / (r + 1)  # so that a fair share of all draws is kept
    if not (1 <= r <= n and least <= purity <= 1):
        raise ValueError(
            f"mixtures need 1 <= n_components <= n_samples and a purity from 2 / (n_components + "
            f"1) = {least:.2g} to 1; got n_components={r}, n_samples={n} and purity={purity}."
        )
    weights = rng.dirichlet(np.ones(r), size=n)
    while (mixed_too_little := weights.max(axis=1) > purity).any():
        weights[mixed_too_little] = rng.dirichlet(np.ones(r), size=mixed_too_little.sum())
    if purity == 1:
        weights[rng.choice(n, r, replace=False)] = np.eye(r)
    return weights
