"""Streams of samples whose law changes on the way."""

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset
from nmfbench.core.validation import check_choice

__all__ = ["KINDS", "drifting"]

KINDS = {
    "stationary": lambda time: np.zeros_like(time),
    "abrupt": lambda time: np.where(time < 0.5, 0.0, 1.0),
    "gradual": lambda time: time,
    "recurring": lambda time: np.floor(4 * time) % 2,
}
"""By name: the share of the second law at a time, from 0 to 1, of the stream."""


@register_dataset(
    "drifting",
    kind="generated",
    title="Stream from a changing mixture",
    generated=True,
    n_samples=4000,
    n_features=100,
    n_classes=None,
    source="generated: sparse mixtures of bases that change",
    licence="none needed",
    scaling="non-negative, sums of about 1",
)
def drifting(rng, kind="stationary", n_samples=4000, n_features=100, n_components=10, noise=0.02):
    r"""Mixtures of bases that change from one set to another, in the order of time.

    Sample s is :math:`W(s)h` plus Gaussian noise, clipped at 0, with h from the Dirichlet
    distribution of parameter 0.3 and :math:`W(s) = (1-p(s)) W_a + p(s) W_b`; columns of
    :math:`W_a, W_b` are from that of parameter 0.1.

    Parameters
    ----------
    rng : numpy.random.Generator
    kind : {"stationary", "abrupt", "gradual", "recurring"}
        How p goes: it stays 0, becomes 1 in the middle, grows from 0 to 1, or is 0, 1, 0, 1 in
        the four quarters.
    n_samples, n_features, n_components : int
    noise : float, default=0.02
        Standard deviation, in units of the mean length of a sample, over the root of n_features.

    Returns
    -------
    Bunch
        ``X``, and ``segments``, the first samples of the pieces in which the law is the same; the
        gradual stream is given as four quarters.

    Examples
    --------
    >>> drifting(np.random.default_rng(0), "recurring", n_samples=40).segments
    array([ 0, 10, 20, 30])
    """
    check_choice(kind, "kind", KINDS)
    if min(n_samples, n_features, n_components) < 1 or noise < 0:
        raise ValueError(
            "n_samples, n_features and n_components must be at least 1 and noise at least 0; got "
            f"{n_samples}, {n_features}, {n_components} and {noise}."
        )
    first, second = rng.dirichlet(np.full(n_features, 0.1), size=(2, n_components))
    codes = rng.dirichlet(np.full(n_components, 0.3), size=n_samples)
    share = KINDS[kind](np.arange(n_samples) / n_samples)[:, None]
    clean = (1 - share) * (codes @ first) + share * (codes @ second)
    scale = noise * np.linalg.norm(clean, axis=1).mean() / np.sqrt(n_features)
    X = np.maximum(clean + scale * rng.standard_normal(clean.shape), 0)
    pieces = {"stationary": 1, "abrupt": 2}.get(kind, 4)
    return Bunch(X=X, y=None, segments=-(-np.arange(pieces) * n_samples // pieces))
