"""Objects and natural images: COIL-20, BSDS500, Corel5k, and scikit-learn's two photographs."""

from functools import partial

import numpy as np
from sklearn.datasets import load_sample_images
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset
from nmfbench.datasets import convert
from nmfbench.datasets.convert import Home
from nmfbench.datasets.images import load_unscaled, register_images
from nmfbench.datasets.synthetic import annotation_like, faces_like, regions_like, text_like

__all__ = ["grey", "load_annotation", "load_hue_words", "load_sample_patches", "load_segmentation"]

COIL = {
    "coil20": {
        "title": "COIL-20 objects",
        "file": "coil20_32x32.npz",
        "sha256": "d65f3d9b5a9f290fc72734a1430da3d9bd758c110fc1dc564372501a834d06c7",
        "content": "330bf1057116b221bddc738850364f4019a4707e1049b0cf4e87388bae4aa293",
        "n_bytes": 5901128,
        "n_samples": 1440,
        "n_features": 1024,
        "n_classes": 20,
        "source": (
            "Columbia Object Image Library; Nene, Nayar & Murase, CUCS-005-96; 32x32 by Deng Cai"
        ),
        "licence": "non-commercial research",
        "homes": (
            Home(
                ("{cai}/COIL20/COIL20.mat",),
                convert.cai_images(dtype="float32"),
                exact=False,
                variant="Deng Cai's COIL20.mat in its own rounding",
            ),
        ),
        "stand_in": partial(faces_like, seed=8, n_classes=20, n_per_class=30),
    },
}
register_images(COIL, load_unscaled, "as in the source, in [0, 1]")

_BSDS = "BSDS500; Arbelaez, Maire, Fowlkes & Malik, PAMI 2011; Martin et al., ICCV 2001"


def grey(image):
    """Luma (ITU-R 601) in [0, 1] of an 8-bit RGB image."""
    return image @ np.array([0.299, 0.587, 0.114]) / 255.0


@register_dataset(
    "bsds",
    kind="segmentation",
    title="Berkeley images with human segmentations",
    file="bsds500_24images.npz",
    sha256="89e562618b7206c389e1e73a1736931c050c2a36fdfb2a08dcd0dcd5b5810f4a",
    content="d7c1cfe06f625fabb0074984e861c6821c2fb237a88a79348742a5b41d5abf1e",
    n_bytes=30726855,
    n_samples=24,
    n_features=154401,
    n_classes=None,
    source=_BSDS + "; 24 of the 500 images",
    licence="non-commercial research and education",
    scaling="X: grey (ITU-R 601) in [0, 1]; images: 8-bit RGB",
    homes=(
        Home(
            ("{bsds}/BSR_bsds500.tgz",),
            convert.bsds,
            exact=False,
            variant="BSDS500 images as this machine decodes JPEG",
        ),
    ),
    stand_in=partial(regions_like, seed=31),
)
def load_segmentation(arrays):
    """``images`` (RGB), ``segmentations`` (a stack of label images each), ``ids``, ``split``.

    Upright and lying images have the same number of pixels, so that ``X`` is one matrix; row i
    has the shape ``image_shapes[i]``.
    """
    ids = [str(i) for i in arrays["ids"]]
    images = [arrays[f"image_{i}"].copy() for i in ids]
    return Bunch(
        X=np.stack([grey(image).ravel() for image in images]),
        y=None,
        upper=1.0,
        ids=ids,
        split=[str(part) for part in arrays["split"]],
        images=images,
        segmentations=[arrays[f"segs_{i}"].copy() for i in ids],
        image_shapes=[image.shape[:2] for image in images],
    )


@register_dataset(
    "corel5k",
    kind="annotation",
    title="Corel5k, blob words and tags",
    file="corel5k_blobs499_tags374.npz",
    sha256="92b10b3fcbcab91c4487512d38192fc28500e319650ca56f941a712474d1ae40",
    n_samples=5000,
    n_features=499,
    n_classes=None,
    source="Corel5k; Duygulu, Barnard, de Freitas & Forsyth, ECCV 2002",
    licence="research use",
    scaling="X: binary blob words; Y: 374 binary tags",
    stand_in_for="Corel5k for IAPR TC12",
    stand_in=partial(annotation_like, seed=32),
)
def load_annotation(arrays):
    """``Y`` (n_samples, n_tags) holds the tags. The first ``n_train`` rows train and the others
    test: neighbouring rows are of one photo CD, so that a random split would leak. The source
    names no split, but in these test rows 263 tags occur, 260 of them in training rows too, which
    is the number of test words quoted for the official one."""
    return Bunch(X=arrays["X"].astype(np.float64), y=None, Y=arrays["Y"].copy(), n_train=4500)


@register_dataset(
    "huebow",
    kind="counts",
    title="Hue words of the BSDS500 images",
    file="bsds500_huebow.npz",
    sha256="38014a412399a41741bfd60244dca215e50f0d3a39a9de22fe9a6f7e50c0b90f",
    n_samples=500,
    n_features=100,
    n_classes=None,
    source="derived for this project from the images of " + _BSDS,
    licence="non-commercial research and education",
    scaling="counts of 100 hue words; X on a dense grid, harris_hue at Harris points",
    stand_in_for="hue words for DenseHue of IAPR TC12",
    stand_in=partial(
        text_like, seed=33, n_samples=500, n_features=100, n_classes=5, dense=True, labelled=False
    ),
)
def load_hue_words(arrays):
    """``X`` counts hue words on a dense grid, ``harris_hue`` at Harris points; ``ids`` are the
    image numbers."""
    return Bunch(
        X=arrays["X"].astype(np.float64),
        y=None,
        harris_hue=arrays["harris_hue"].astype(np.float64),
        ids=[str(i) for i in arrays["names"]],
    )


@register_dataset(
    "sample-images",
    kind="images",
    title="Patches of scikit-learn's two photographs",
    n_samples=2080,
    n_features=256,
    n_classes=2,
    source="scikit-learn's load_sample_images: china.jpg and flower.jpg",
    licence="CC BY",
    scaling="grey (ITU-R 601) in [0, 1]",
)
def load_sample_patches(patch=16):
    """Grey patches side by side, ``patch`` pixels square; ``y`` tells the photograph, and
    ``images`` holds both in RGB. Comes with scikit-learn."""
    photographs = load_sample_images().images
    X = []
    for photograph in photographs:
        rows, columns = (n // patch for n in photograph.shape[:2])
        blocks = grey(photograph)[: rows * patch, : columns * patch]
        blocks = blocks.reshape(rows, patch, columns, patch).transpose(0, 2, 1, 3)
        X.append(blocks.reshape(-1, patch * patch))
    y = np.repeat(np.arange(len(X)), [len(part) for part in X])
    return Bunch(X=np.vstack(X), y=y, image_shape=(patch, patch), upper=1.0, images=photographs)
