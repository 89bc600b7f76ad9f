"""PASCAL VOC 2007 and MIR Flickr: views of images of several classes, in files that users supply.

They are the features of Guillaumin, Verbeek and Schmid (CVPR 2010), of which the paper of MahNMF
takes three. They cannot be fetched. Whoever has them writes a file for each set, of all images of
both of its halves, row by row in one order::

    np.savez_compressed(
        "voc2007.npz",              # or "mirflickr.npz", of 25000 images and 38 classes
        view_DenseSift=dense_sift,  # (9963, 1000), not negative
        view_Gist=gist,             # (9963, 512), not negative
        view_DenseHue=dense_hue,    # (9963, 100), not negative
        Y=classes,                  # (9963, 20), 1 where an image is of a class, and 0 elsewhere
    )

and puts it into the folder that ``NMFBENCH_DATA`` names. An image may be of several classes or of
none. Of the marks of VOC, which are 1, 0 for difficult objects and -1, ``Y`` is ``marks == 1``: an
image whose objects of a class are all difficult is not of that class.

Nobody knows the checksum of such a file beforehand: its layout is checked, and its SHA-256 counts
in the keys of its trials. ``nmfbench data verify voc2007`` tells whether it can be used, and
``nmfbench.load_dataset("voc2007")`` what is wrong with it.
"""

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset

__all__ = ["VIEWS", "load_labelled_views"]

VIEWS = {"DenseSift": 1000, "Gist": 512, "DenseHue": 100}
"""Views, and how many features they have."""


def load_labelled_views(arrays):
    """``Y`` (n_samples, n_classes) tells the classes; ``views`` are slices of the columns of ``X``,
    ``view_names`` their names."""
    Y = arrays["Y"]
    if Y.ndim != 2 or not np.isin(Y, (0, 1)).all():
        raise ValueError(
            "Y must be a matrix, 1 where a sample is of a class and 0 elsewhere (of marks that are "
            "1, 0 for difficult, and -1, write 'marks == 1')"
        )
    ends = np.cumsum(list(VIEWS.values())).tolist()
    views = [slice(*place) for place in zip([0, *ends], ends, strict=False)]
    X = np.empty((len(Y), ends[-1]))
    for (name, width), view in zip(VIEWS.items(), views, strict=True):
        part = arrays[f"view_{name}"]
        if part.shape != (len(Y), width):
            raise ValueError(
                f"view_{name} has the shape {part.shape}; {(len(Y), width)} is expected, as Y has "
                f"{len(Y)} rows"
            )
        X[:, view] = part
        if not (np.isfinite(X[:, view]).all() and (X[:, view] >= 0).all()):
            raise ValueError(f"view_{name} has entries that are negative or not finite")
    return Bunch(X=X, y=None, Y=Y.astype(np.uint8), views=views, view_names=list(VIEWS))


_FEATURES = "features of Guillaumin, Verbeek & Schmid, CVPR 2010"

ROWS: dict[str, dict[str, Any]] = {
    "voc2007": {
        "title": "PASCAL VOC 2007, three views",
        "n_samples": 9963,
        "n_labels": 20,
        "source": f"PASCAL VOC 2007; Everingham, Van Gool, Williams, Winn & Zisserman; {_FEATURES}",
        "licence": "images: Flickr's terms of use; supplied by the user",
    },
    "mirflickr": {
        "title": "MIR Flickr, three views",
        "n_samples": 25000,
        "n_labels": 38,
        "source": f"MIR Flickr; Huiskes & Lew, MIR 2008; {_FEATURES}",
        "licence": "images: Creative Commons, as their authors chose; supplied by the user",
    },
}
for _key, _row in ROWS.items():
    _n, _n_labels = _row["n_samples"], _row["n_labels"]
    _widths = ", ".join(f"view_{name} ({_n} x {width})" for name, width in VIEWS.items())
    _n_features = sum(VIEWS.values())
    register_dataset(
        _key,
        kind="multiview",
        file=f"{_key}.npz",
        layout=f"{_widths}, not negative, and Y ({_n} x {_n_labels}) of zeros and ones",
        n_bytes=8 * _n * (_n_features + _n_labels),
        n_features=_n_features,
        n_classes=None,
        scaling=f"as in the source; Y: {_n_labels} binary classes",
        **_row,
    )(load_labelled_views)
