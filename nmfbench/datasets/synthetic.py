"""Synthetic stand-ins for real data.

A stand-in has the structure that a task needs (classes, parts, a background, masks) in a
reduced size. It comes from a fixed seed, so that it is the same data set everywhere, and
whatever is computed from it is labelled.
"""

import numpy as np
import scipy.ndimage as ndi
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

__all__ = [
    "annotation_like",
    "coloured_regions",
    "digits_like",
    "faces_like",
    "multiview_like",
    "regions_like",
    "text_like",
    "video_like",
]


def text_like(
    seed,
    n_samples=1200,
    n_features=4000,
    n_classes=10,
    first_label=1,
    dense=False,
    labelled=True,
):
    """Documents of a topic model: Zipf's law for words, a vocabulary of its own for each class,
    log-normal lengths, classes of very unequal size."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, n_classes + 1)
    sizes = np.maximum((n_samples * share / share.sum()).astype(int), 1)
    sizes[0] += n_samples - sizes.sum()
    labels = np.repeat(np.arange(n_classes), sizes)
    common = 1.0 / np.arange(3, n_features + 3)
    own_size = max(n_features // 25, 2)
    topics = np.empty((n_classes, n_features))
    for topic in topics:
        special = np.zeros(n_features)
        words = rng.choice(n_features, own_size, replace=False)
        special[words] = 1.0 / np.arange(3, own_size + 3)
        topic[:] = 0.6 * common / common.sum() + 0.4 * special / special.sum()
    lengths = np.maximum(rng.lognormal(4.0, 0.6, n_samples).astype(int), 8)
    X = np.zeros((n_samples, n_features))
    cumulative = topics.cumsum(axis=1)
    cumulative /= cumulative[:, -1:]
    for row, label, length in zip(X, labels, lengths, strict=True):
        # One document in five mixes two subjects, so that classes are not trivially apart.
        second = rng.integers(n_classes) if rng.uniform() < 0.2 else label
        for subject, part in ((label, length - length // 3), (second, length // 3)):
            words = np.searchsorted(cumulative[subject], rng.uniform(size=part), side="right")
            np.add.at(row, words, 1.0)
    y = labels + first_label if labelled else None
    return Bunch(X=X if dense else sp.csr_matrix(X), y=y)


def _smooth(rng, shape, width):
    """A smooth random field with values from 0 to 1."""
    field = ndi.gaussian_filter(rng.standard_normal(shape), width, mode="nearest")
    return (field - field.min()) / np.ptp(field)


def faces_like(
    seed, image_shape=(32, 32), n_classes=20, n_per_class=10, lighting=0.3, labelled=True
):
    """Images built from shared local parts: a class is a choice of parts, a sample varies their
    strength and is lit from a side; ``lighting`` is the strength of that light."""
    rng = np.random.default_rng(seed)
    height, width = image_shape
    n_parts = 24
    rows, columns = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    centres = rng.uniform(0.1, 0.9, size=(n_parts, 2))
    spread = rng.uniform(0.05, 0.15, size=n_parts)
    parts = np.stack(
        [
            np.exp(-((rows - a) ** 2 + (columns - b) ** 2) / (2 * s**2)).ravel()
            for (a, b), s in zip(centres, spread, strict=True)
        ]
    )
    face = 0.4 * np.exp(-3 * ((rows - 0.5) ** 2 + (columns - 0.5) ** 2)).ravel()
    y = np.repeat(np.arange(1, n_classes + 1), n_per_class)
    identity = rng.gamma(0.6, 0.4, size=(n_classes, n_parts))
    strength = identity[y - 1] * rng.lognormal(0, 0.25, size=(len(y), n_parts))
    direction = rng.uniform(-lighting, lighting, size=(len(y), 2))
    grid = np.stack([rows.ravel() - 0.5, columns.ravel() - 0.5])
    X = (face + strength @ parts) * (1 + 2 * direction @ grid)
    X *= 0.95 / np.quantile(X, 0.98)
    X = np.clip(X + 0.01 * rng.standard_normal(X.shape), 0, 1)
    return Bunch(X=X, y=y if labelled else None, image_shape=tuple(image_shape), upper=1.0)


def digits_like(image_shape, binary=False):
    """The 8 x 8 digits that come with scikit-learn, enlarged; 800 of them."""
    small = load_digits()
    zoom = (1, image_shape[0] / 8, image_shape[1] / 8)
    images = np.clip(ndi.zoom(small.images[:800] / 16.0, zoom, order=1), 0, 1)
    X = images.reshape(len(images), -1)
    X = (X > 0.5).astype(float) if binary else X
    return Bunch(X=X, y=small.target[:800].copy(), image_shape=tuple(image_shape), upper=1.0)


def video_like(seed, n_frames=60, image_shape=(48, 64)):
    """A still background whose light changes slowly, three blobs that cross it, and their masks."""
    rng = np.random.default_rng(seed)
    height, width = image_shape
    background = 0.25 + 0.5 * _smooth(rng, image_shape, 4)
    time = np.linspace(0, 1, n_frames)
    light = 1 + 0.1 * np.sin(2 * np.pi * (time + rng.uniform()))
    frames = light[:, None, None] * background
    moving = np.zeros(frames.shape, bool)
    rows, columns = np.mgrid[:height, :width]
    for _ in range(3):
        start, end = rng.uniform(0, 1, size=(2, 2)) * image_shape
        a, b = rng.uniform(0.08, 0.16, size=2) * image_shape
        shade = rng.choice([0.05, 0.95])
        for k, t in enumerate(time):
            i, j = start + t * (end - start)
            blob = ((rows - i) / a) ** 2 + ((columns - j) / b) ** 2 <= 1
            frames[k][blob] = shade
            moving[k] |= blob
    frames = np.clip(frames + 0.01 * rng.standard_normal(frames.shape), 0, 1)
    return Bunch(
        X=frames.reshape(n_frames, -1),
        y=None,
        image_shape=tuple(image_shape),
        upper=1.0,
        masks=np.where(moving, 255, 0).astype(np.uint8).reshape(n_frames, -1),
        gt_frames=np.arange(n_frames),
        frame_index=np.arange(1, n_frames + 1),
    )


def multiview_like(seed, widths, n_samples=300, n_classes=10, sparse=False):
    """One hidden class structure, seen through a non-negative mixing of each view.

    ``widths`` maps the names of the views to their numbers of features.
    """
    rng = np.random.default_rng(seed)
    y = np.sort(np.arange(n_samples) % n_classes) + 1
    centres = rng.gamma(0.5, 1.0, size=(n_classes, 2 * n_classes))
    hidden = centres[y - 1] * rng.lognormal(0, 0.5, size=(n_samples, 2 * n_classes))
    parts, views, end = [], [], 0
    for width in widths.values():
        mixed = hidden @ rng.gamma(0.3, 1.0, size=(2 * n_classes, width))
        parts.append(rng.poisson(mixed / mixed.mean() * (0.1 if sparse else 5.0)).astype(float))
        views.append(slice(end, end + width))
        end += width
    X = np.hstack(parts)
    return Bunch(X=sp.csr_matrix(X) if sparse else X, y=y, views=views, view_names=list(widths))


def annotation_like(seed, n_samples=600, n_features=200, n_tags=50):
    """Binary image words and binary tags that share hidden subjects; four of five train."""
    rng = np.random.default_rng(seed)
    subjects = rng.dirichlet(np.full(12, 0.15), size=n_samples)

    def draw(n, mean):
        chance = subjects @ rng.gamma(0.15, 1.0, size=(12, n))
        return rng.uniform(size=chance.shape) < np.clip(mean * chance / chance.mean(), 0, 0.9)

    X, Y = draw(n_features, 0.05), draw(n_tags, 0.07)
    Y[np.arange(n_samples), rng.integers(n_tags, size=n_samples)] |= ~Y.any(axis=1)
    X[np.arange(n_samples), rng.integers(n_features, size=n_samples)] |= ~X.any(axis=1)
    return Bunch(X=X.astype(float), y=None, Y=Y.astype(np.uint8), n_train=n_samples * 4 // 5)


def regions_like(seed, n_images=4, image_shape=(48, 64)):
    """Coloured regions with smooth borders, and three slightly different drawings of them."""
    return coloured_regions(np.random.default_rng(seed), n_images, image_shape)


def coloured_regions(rng, n_images, image_shape):
    """Images of :func:`regions_like`, from a generator of random numbers."""
    images, segmentations = [], []
    for k in range(n_images):
        fields = np.stack([_smooth(rng, image_shape, 7) for _ in range(3 + k % 3)])
        colours = rng.uniform(0.1, 0.9, size=(len(fields), 3))
        image = colours[fields.argmax(axis=0)] + 0.03 * rng.standard_normal((*image_shape, 3))
        images.append(np.rint(255 * np.clip(image, 0, 1)).astype(np.uint8))
        drawn = [(fields + 0.02 * rng.uniform(size=(len(fields), 1, 1))).argmax(axis=0) + 1]
        drawn += [(fields + 0.05 * rng.uniform(size=(len(fields), 1, 1))).argmax(axis=0) + 1]
        drawn += [fields.argmax(axis=0) + 1]
        segmentations.append(np.stack(drawn).astype(np.uint8))
    luma = np.array([0.299, 0.587, 0.114]) / 255.0
    return Bunch(
        X=np.stack([(image @ luma).ravel() for image in images]),
        y=None,
        upper=1.0,
        ids=[f"made-{k}" for k in range(n_images)],
        split=["test"] * n_images,
        images=images,
        segmentations=segmentations,
        image_shapes=[tuple(image_shape)] * n_images,
    )
