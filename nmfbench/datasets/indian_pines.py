"""Indian Pines: spectra of the pixels of a scene, and mixtures of the means of its classes."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset
from nmfbench.datasets import convert
from nmfbench.datasets.convert import Wheel
from nmfbench.datasets.mixed_spectra import draw_abundances

__all__ = ["load_indian_pines", "load_mixed_indian_pines"]

_N_CLASSES = 16
_TOP = 9604  # largest entry of the scene

_FILE: dict[str, Any] = {
    "file": "indian_pines.npz",
    "sha256": "e4d9a12515b3b5b39dd557807e2fb124526ae6834622e5fb94b36b6cbf9a08e3",
    "content": "cce4bde68948f1770816dcb8deb9f62ee36146f6e8c4348cb36ffcd94160be9c",
    "n_bytes": 8431033,
    "source": "AVIRIS scene of 12 June 1992, 200 bands as tensorly ships them; Baumgardner, Biehl "
    "& Landgrebe 2015",
    "licence": "CC BY 3.0",
    "homes": (
        Wheel(
            "tensorly==0.10.0",
            tuple(f"tensorly/datasets/data/Indian_pines_{x}.npy" for x in ("corrected", "gt")),
            convert.indian_pines,
            hashes=(
                "8f038e4d81569e38ebfc72a15c9984c150de42580ab260be10a13442e912e451",
                "44610d21625b311b05b8e0c4ba9a6cc755c2fbb9df48e4d89419024aa6ad3f9d",
            ),
        ),
    ),
}


@register_dataset(
    "indian-pines",
    kind="spectra",
    title="Indian Pines, pixels of known land cover",
    n_samples=10249,
    n_features=200,
    n_classes=_N_CLASSES,
    scaling="radiances / the largest, in [0, 1]",
    **_FILE,
)
def load_indian_pines(arrays):
    """Spectra of the pixels whose land cover is known, which is their label, from 1 to 16.

    A label is no abundance: a pixel is 20 m wide, and mixes what grows there with soil.
    """
    known = arrays["y"] > 0
    return Bunch(X=arrays["X"][known] / _TOP, y=arrays["y"][known].astype(np.int16), upper=1.0)


@register_dataset(
    "mixed-indian-pines",
    kind="generated",
    title="Mixtures of the mean spectra of Indian Pines",
    generated=True,
    n_samples=400,
    n_features=200,
    n_classes=None,
    scaling="radiances / the largest, in [0, 1]",
    **_FILE,
)
def load_mixed_indian_pines(arrays, rng, n_samples=400, n_components=4, purity=1.0):
    """Generated mixtures of measured spectra, the means of some classes, drawn at random.

    Parameters
    ----------
    arrays : dict of str to ndarray
    rng : numpy.random.Generator
    n_samples : int
        Pixels.
    n_components : int
        Classes.
    purity : float
        Largest abundance of a pixel, see :func:`~nmfbench.datasets.mixed_spectra.mixed_spectra`.

    Returns
    -------
    Bunch
        As of :func:`~nmfbench.datasets.mixed_spectra.mixed_spectra`, with ``classes``, the labels
        of the spectra.
    """
    pixels = load_indian_pines(arrays)
    if not 1 <= n_components <= _N_CLASSES:
        raise ValueError(f"there are {_N_CLASSES} classes; got n_components={n_components}.")
    classes = rng.permutation(np.arange(1, _N_CLASSES + 1))[:n_components]
    components = np.array([pixels.X[pixels.y == label].mean(axis=0) for label in classes])
    weights = draw_abundances(rng, n_samples, n_components, purity)
    return Bunch(
        X=weights @ components,
        y=None,
        upper=1.0,
        components=components,
        weights=weights,
        rank=n_components,
        classes=classes,
    )
