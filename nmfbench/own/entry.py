"""The registry's answer for the key of a matrix of the user's own.

Its arrays are in a folder that lasts as long as a command, for the processes that compute trials;
nothing is copied to the store or the record book.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from nmfbench.core.registry import Entry, UnknownNameError, datasets
from nmfbench.own.data import OWN, OwnData
from nmfbench.own.loader import load_own

__all__ = ["entry", "provided"]

_FOLDER = "NMFBENCH_OWN"
_KEY = re.compile(OWN + "[0-9a-f]{16}")


def entry(key: str) -> Entry:
    """Registry entry of the data with a key, whether or not they are here."""
    if not _KEY.fullmatch(key):
        raise UnknownNameError("dataset", key, list(datasets))
    folder = Path(os.environ.get(_FOLDER, os.devnull))
    name = key.removeprefix(OWN)
    about = folder / f"{name}.json"
    facts = json.loads(about.read_text(encoding="utf-8")) if about.is_file() else {}
    info: dict[str, Any] = {
        "title": key,
        "kind": "own",
        "source": "a matrix of the user's own",
        "licence": "the user's own",
        "layout": "of the matrix that the command was given with --data; give it again",
        "file": str(folder / f"{name}.npz"),
        "sha256": None,  # its content is in its name
        "n_bytes": 0,
        "n_classes": None,
        "version": 1,
        "stand_in_version": None,
    }
    return Entry(key, load_own, info | facts)


@contextlib.contextmanager
def provided(data: OwnData) -> Iterator[str]:
    """Within the block trials on these data can be computed, here and in processes started here.

    Gives their key.
    """
    bunch = data.bunch()
    if sp.issparse(bunch.X):
        X = bunch.X
        arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    else:
        arrays = {"X": bunch.X}
    if bunch.y is not None:
        arrays["y"] = bunch.y
    if bunch.image_shape is not None:
        arrays["image_shape"] = bunch.image_shape
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    n, m = bunch.X.shape
    facts = {
        "title": data.name,
        "n_samples": n,
        "n_features": m,
        "n_bytes": sum(array.nbytes for array in arrays.values()),
    }
    name, before = data.key.removeprefix(OWN), os.environ.get(_FOLDER)
    with tempfile.TemporaryDirectory(prefix="nmfbench-own-") as folder:
        np.savez(Path(folder, f"{name}.npz"), **arrays)
        Path(folder, f"{name}.json").write_text(json.dumps(facts), encoding="utf-8")
        os.environ[_FOLDER] = folder
        try:
            yield data.key
        finally:
            if before is None:
                os.environ.pop(_FOLDER, None)
            else:
                os.environ[_FOLDER] = before
