"""Generated images of coloured regions, with drawings of them."""

from nmfbench.core.registry import register_dataset
from nmfbench.datasets.synthetic import coloured_regions

__all__ = ["regions"]


@register_dataset(
    "regions",
    kind="segmentation",
    title="Coloured regions",
    generated=True,
    n_samples=4,
    n_features=3072,
    n_classes=None,
    source="generated: regions with smooth borders, and three drawings of each image",
    licence="none needed",
    scaling="X: grey (ITU-R 601) in [0, 1]; images: 8-bit RGB",
)
def regions(rng, n_images=4, image_shape=(48, 64)):
    """Images of three to five regions, each of one colour but for noise.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_images : int, default=4
    image_shape : (int, int), default=(48, 64)
        Height and width.

    Returns
    -------
    Bunch
        The fields of :func:`~nmfbench.datasets.objects.load_segmentation`.

    Examples
    --------
    >>> import numpy as np
    >>> data = regions(np.random.default_rng(0), n_images=2)
    >>> data.X.shape, data.segmentations[0].shape
    ((2, 3072), (3, 48, 64))
    """
    return coloured_regions(rng, n_images, image_shape)
