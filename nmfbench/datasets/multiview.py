"""Multi-view sets: several descriptions of the same samples, side by side in one matrix."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset
from nmfbench.datasets import convert
from nmfbench.datasets.convert import Home
from nmfbench.datasets.synthetic import multiview_like
from nmfbench.datasets.text import csr

__all__ = ["load_multiview"]

_MAHNMF = "PASCAL VOC2007 and MIRFLICKR features (mahnmf, multi-view)"


def load_multiview(arrays):
    """``views`` are slices of the columns of ``X``, ``view_names`` their names."""
    names = [str(name) for name in arrays["names"]]
    if f"view_{names[0]}_data" in arrays:
        parts = [csr(arrays, f"view_{name}_") for name in names]
        X = sp.csr_matrix(sp.hstack(parts, format="csr"))
    else:
        parts = [arrays[f"view_{name}"].astype(np.float64) for name in names]
        X = np.hstack(parts)
    ends = np.cumsum([part.shape[1] for part in parts])
    views = [
        slice(int(end) - part.shape[1], int(end)) for part, end in zip(parts, ends, strict=True)
    ]
    return Bunch(X=X, y=arrays["y"].copy(), views=views, view_names=names)


ROWS: dict[str, dict[str, Any]] = {
    "mv-mfeat": {
        "title": "UCI Multiple Features, digits",
        "file": "mv_mfeat.npz",
        "sha256": "eb6cc762b1938e93b0f15a8d7b4c1d2dbd040298da4a50dfeb2d5b01c510fbe0",
        "content": "d1c4f553392dbf04df0767b503f1af3681a08c5b1b8ec0431f400bd6c33eaf93",
        "n_bytes": 4436144,
        "n_samples": 2000,
        "n_features": 585,
        "n_classes": 10,
        "source": "UCI Multiple Features; van Breukelen, Duin, Tax & den Hartog 1998",
        "licence": "CC BY 4.0",
        "scaling": "as in the source; kar64 has negative values and is left out unless asked for",
        "default_views": ("fac216", "fou76", "mor6", "pix240", "zer47"),
        "stand_in_for": _MAHNMF,
        "homes": (
            Home(
                tuple(
                    f"{{uci}}/mfeat/mfeat-{v}" for v in ("fac", "fou", "kar", "mor", "pix", "zer")
                ),
                convert.mfeat,
                exact=False,
                variant="UCI's text tables in their own rounding",
            ),
        ),
        "stand_in": partial(
            multiview_like,
            seed=21,
            n_classes=10,
            widths={"fac216": 216, "fou76": 76, "kar64": 64, "mor6": 6, "pix240": 240, "zer47": 47},
        ),
    },
    "mv-msrcv1": {
        "title": "MSRC-v1 images",
        "file": "mv_msrcv1.npz",
        "sha256": "5c51cc35c1cc1600889705695da967efb9c5aa8335e8b044037f3e13a510f01d",
        "n_samples": 210,
        "n_features": 1622,
        "n_classes": 7,
        "source": "Microsoft Research Cambridge; Winn, Criminisi & Minka, ICCV 2005",
        "licence": "non-commercial research",
        "stand_in_for": _MAHNMF,
        "stand_in": partial(
            multiview_like,
            seed=22,
            n_classes=7,
            widths={"cm24": 24, "hog576": 576, "gist512": 512, "lbp256": 256, "cent254": 254},
        ),
    },
    "mv-scene15": {
        "title": "Scene-15",
        "file": "mv_scene15.npz",
        "sha256": "b4db676d1ea6f89cf26b679bdf81476b145903824b96a5dc8e0986d7005c7d62",
        "n_samples": 4485,
        "n_features": 119,
        "n_classes": 15,
        "source": "Fei-Fei & Perona, CVPR 2005; Lazebnik, Schmid & Ponce, CVPR 2006; features "
        "reported to be those of Dai & Van Gool, ICCV 2013",
        "licence": "research use",
        "stand_in_for": _MAHNMF,
        "stand_in": partial(
            multiview_like,
            seed=23,
            n_classes=15,
            widths={"view1_20": 20, "view2_59": 59, "view3_40": 40},
        ),
    },
    "mv-landuse21": {
        "title": "LandUse-21 aerial images",
        "file": "mv_landuse21.npz",
        "sha256": "af8a11c8b115ac97340abb552dbf6b307390dcbe4d4a140b319b136f27e5aa6d",
        "n_samples": 2100,
        "n_features": 119,
        "n_classes": 21,
        "source": "UC Merced Land Use; Yang & Newsam, ACM GIS 2010",
        "licence": "USGS imagery, public domain",
        "stand_in_for": _MAHNMF,
        "stand_in": partial(
            multiview_like,
            seed=24,
            n_classes=21,
            widths={"view1_20": 20, "view2_59": 59, "view3_40": 40},
        ),
    },
    "mv-100leaves": {
        "title": "One-hundred plant species leaves",
        "file": "mv_100leaves.npz",
        "sha256": "ba327f6e380979de4ff1ad99b30e13f59a1923342087bd213844d367169541e7",
        "n_samples": 1600,
        "n_features": 192,
        "n_classes": 100,
        "source": "Mallah, Cope & Orwell 2013; UCI repository",
        "licence": "CC BY 4.0",
        "stand_in": partial(
            multiview_like,
            seed=25,
            n_classes=20,
            widths={"margin64": 64, "shape64": 64, "texture64": 64},
        ),
    },
    "mv-3sources": {
        "title": "3-Sources news",
        "file": "mv_3sources.npz",
        "sha256": "f98092d0db288b2380b768badc45d635b8e9f37dbb78fbdd312c1f35bb6ccc13",
        "n_samples": 169,
        "n_features": 10259,
        "n_classes": 6,
        "source": "3-Sources, UCD; Greene & Cunningham 2009",
        "licence": "non-commercial research",
        "scaling": "term counts",
        "stand_in": partial(
            multiview_like,
            seed=26,
            n_samples=169,
            n_classes=6,
            widths={"bbc": 800, "guardian": 800, "reuters": 800},
            sparse=True,
        ),
    },
    "mv-bbcsport": {
        "title": "BBCSport, two segments a document",
        "file": "mv_bbcsport.npz",
        "sha256": "32f0301511d29f06c6e92fae7243d5e8b8251a9a08086abc700e983427a818fe",
        "n_samples": 544,
        "n_features": 6386,
        "n_classes": 5,
        "source": "BBCSport, UCD; Greene & Cunningham 2006",
        "licence": "non-commercial research",
        "scaling": "term weights as in the source (TF-IDF-like)",
        "stand_in": partial(
            multiview_like, seed=27, n_classes=5, widths={"seg1": 800, "seg2": 800}, sparse=True
        ),
    },
}
for _key, _row in ROWS.items():
    _row.setdefault("scaling", "as in the source; the views differ in scale")
    register_dataset(_key, kind="multiview", **_row)(load_multiview)
