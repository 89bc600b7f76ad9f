"""The parsed content of a file, as one process hands it to another in a folder."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["Parsed", "Refused"]


class Refused(Exception):
    """A file cannot be used. The message follows the file's name: "... has no numbers; ..."."""


@dataclass
class Parsed:
    """Content of a file, rows and columns as the file has them.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_columns)
    rows, columns : list of str or None
        Names.
    labels : list or None
        The column that was asked for as labels, which is then none of ``X``.
    samples : {"rows", "columns"}
        Which of them are samples, unless somebody says otherwise.
    image_shape : (int, int) or None
    notes : list of str
        What was found on reading, in words.
    """

    X: Any
    rows: list[str] | None = None
    columns: list[str] | None = None
    labels: list[Any] | None = None
    samples: str = "rows"
    image_shape: tuple[int, int] | None = None
    notes: list[str] = field(default_factory=list)

    def save(self, folder: Path) -> None:
        """Write it to files of a folder."""
        X = self.X
        if sp.issparse(X):
            X = sp.csr_matrix(X)
            X.sum_duplicates()
            arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        else:
            arrays = {"dense": X}
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
        about = {name: value for name, value in vars(self).items() if name != "X"}
        about |= {"shape": [int(n) for n in X.shape], "arrays": list(arrays)}
        (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Parsed:
        """Read it from files that :meth:`save` wrote."""
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        shape = tuple(about.pop("shape"))
        arrays = {
            name: np.load(folder / f"{name}.npy", allow_pickle=False)
            for name in about.pop("arrays")
        }
        if "dense" in arrays:
            X = arrays["dense"]
        else:
            X = sp.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
        if about["image_shape"] is not None:
            about["image_shape"] = tuple(about["image_shape"])
        return cls(X, **about)
