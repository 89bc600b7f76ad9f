"""Generated views of which it is known what they share."""

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset
from nmfbench.core.validation import check_choice

__all__ = ["shared_views"]

_NOISES = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "laplace": lambda rng, shape: rng.laplace(scale=np.sqrt(0.5), size=shape),
}
"""Noise of standard deviation 1."""


@register_dataset(
    "shared-views",
    kind="generated",
    title="Views with shared and private components",
    generated=True,
    n_samples=300,
    n_features=180,
    n_classes=None,
    source="generated: components that all views share, and others of single views",
    licence="none needed",
    scaling="entries in [0, 1]; the views differ in scale",
)
def shared_views(
    rng,
    n_samples=300,
    widths=(40, 60, 80),
    scales=(1.0, 5.0, 25.0),
    n_shared=4,
    n_private=2,
    noise="gaussian",
    level=0.1,
):
    """Products of exponential weights and uniform components, with noise, side by side.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_samples : int
    widths : sequence of int
        Features of each view.
    scales : sequence of float
        Factors on the views.
    n_shared, n_private : int
        Components of all views, and of each view alone.
    noise : {"gaussian", "laplace"}
    level : float
        Standard deviation of the noise, as a share of the mean entry of its view. Entries below 0
        become 0.

    Returns
    -------
    Bunch
        ``X``, whose largest entry is 1; ``views``, slices of its columns; ``components``, in the
        scale of ``X``; ``active`` of shape (n_views, n_components), which view has which component.

    Examples
    --------
    >>> data = shared_views(np.random.default_rng(0), n_shared=1, n_private=1)
    >>> data.X.shape, data.active.astype(int).tolist()
    ((300, 180), [[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]])
    """
    check_choice(noise, "noise", _NOISES)
    if len(scales) != len(widths):
        raise ValueError(f"{len(widths)} views need as many scales, got {len(scales)}.")
    if level < 0:
        raise ValueError(f"level must not be negative, got {level}.")
    ends = np.cumsum(widths).tolist()
    views = [slice(*place) for place in zip([0, *ends], ends, strict=False)]
    private = np.kron(np.eye(len(views), dtype=bool), np.ones(n_private, dtype=bool))
    active = np.hstack([np.ones((len(views), n_shared), dtype=bool), private])
    weights = rng.exponential(size=(n_samples, active.shape[1]))
    components = rng.uniform(size=(active.shape[1], ends[-1]))
    components *= np.repeat(active * np.reshape(scales, (-1, 1)), widths, axis=0).T
    X = weights @ components
    deviation = np.repeat([level * X[:, view].mean() for view in views], widths)
    X = np.maximum(X + deviation * _NOISES[noise](rng, X.shape), 0)
    top = X.max()
    return Bunch(X=X / top, y=None, views=views, components=components / top, active=active)
