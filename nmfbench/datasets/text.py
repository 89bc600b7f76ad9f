"""Text: term counts of news, documents in rows, as sparse matrices."""

from functools import partial
from typing import Any

import scipy.sparse as sp
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset
from nmfbench.datasets import convert
from nmfbench.datasets.convert import Home
from nmfbench.datasets.synthetic import text_like

__all__ = ["csr", "load_text"]


def csr(arrays, prefix=""):
    """Sparse matrix of float64 counts from the four arrays it is stored as."""
    parts = [arrays[prefix + part].copy() for part in ("data", "indices", "indptr")]
    shape = tuple(int(n) for n in arrays[prefix + "shape"])
    return sp.csr_matrix((parts[0].astype(float), parts[1], parts[2]), shape=shape)


def load_text(arrays):
    """Counts and labels; ``terms``, ``docs``, ``target_names``, ``train_idx`` and ``test_idx``
    where the source gives them."""
    extra = {"names": "target_names"}
    more = {
        extra.get(name, name): arrays[name].copy()
        for name in ("terms", "docs", "names", "train_idx", "test_idx")
        if name in arrays
    }
    return Bunch(X=csr(arrays), y=arrays["y"].copy(), **more)


ROWS: dict[str, dict[str, Any]] = {
    "bbc": {
        "title": "BBC news",
        "file": "bbc_news.npz",
        "sha256": "8db4b266336346bfefd4d091646f25294470fcdb91c9bb105edf4d2bdd30f27f",
        "content": "786742b85863bfcb17032350079726ea51594c1698671784c2676854b7e36260",
        "n_bytes": 2523760,
        "n_samples": 2225,
        "n_features": 9635,
        "n_classes": 5,
        "source": "BBC datasets, UCD; Greene & Cunningham, ICML 2006",
        "licence": "non-commercial research; article copyright BBC",
        "homes": (Home(("{ucd}/bbc.zip",), convert.bbc),),
        "stand_in": partial(text_like, seed=11, n_classes=5, first_label=0),
    },
    "reuters": {
        "title": "Reuters-21578, 65 categories",
        "file": "reuters21578_65.npz",
        "sha256": "e4823034e1ac9df2eada979f3c60e7b34a7ee21f2c2d5756de89e59866463832",
        "content": "4987745bb197ccb5b0c58a12925f58f94631d572303c87f2e02099fad64fbc97",
        "n_bytes": 2013639,
        "n_samples": 8293,
        "n_features": 18933,
        "n_classes": 65,
        "source": "Reuters-21578 Distribution 1.0, D. D. Lewis (ModApte, single-label); matrix by "
        "Deng Cai",
        "licence": "research use; Reuters Ltd and Carnegie Group",
        "homes": (Home(("{cai}/Reuters21578/Reuters21578.mat",), convert.cai_text),),
        "stand_in": partial(text_like, seed=12, n_classes=10),
    },
    "tdt2": {
        "title": "TDT2, the 30 largest topics",
        "file": "tdt2_30.npz",
        "sha256": "39cd4438a932f4174415543958b999f9ba62fef685a602cc182c527868a6615a",
        "content": "8562433569ec649a1595a276cc5bf783de1ba2156e66759b18688d4634cc37d1",
        "n_bytes": 6177059,
        "n_samples": 9394,
        "n_features": 36771,
        "n_classes": 30,
        "source": "NIST Topic Detection and Tracking corpus 2; count matrix by Deng Cai",
        "licence": "texts under the LDC licence",
        "homes": (Home(("{cai}/TDT2/TDT2.mat",), convert.cai_text),),
        "stand_in": partial(text_like, seed=13, n_classes=15),
    },
}
for _key, _row in ROWS.items():
    register_dataset(_key, kind="text", scaling="term counts", **_row)(load_text)
