"""Reading a matrix of the user's own: a file, a folder or an array."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from nmfbench.core.guard import default_memory_limit
from nmfbench.core.parsing import Remedies, problem_of_parsing
from nmfbench.core.registry import datasets
from nmfbench.core.text import one_line
from nmfbench.core.validation import canonical_csr
from nmfbench.own.data import OwnData
from nmfbench.own.errors import OwnDataError
from nmfbench.own.labels import checked_labels, is_file, matched
from nmfbench.own.parsed import Parsed, Refused
from nmfbench.own.parsers import COMPRESSIBLE, KINDS, frame_content, plain

__all__ = ["is_own", "read"]

_TIME_LIMIT = 600.0  # seconds
_REMEDIES = Remedies(
    memory="keep fewer rows or columns",
    time="keep fewer rows or columns, or write it as .npz",
    damage="write it again",
)
_CODE = """
from nmfbench.own.parsers import parse
parse(*sys.argv[1:])
"""


def is_own(source) -> bool:
    """Whether data are a matrix or a file of the user's own, rather than a registered name.

    A word that is no registered name counts as a file if there is one, or if it looks like a path.

    Examples
    --------
    >>> is_own("digits"), is_own("counts.csv"), is_own("digit"), is_own([[1.0]])
    (False, True, False, True)
    """
    if not isinstance(source, str):
        return True
    if source in datasets:
        return False
    path = Path(source)
    suffixes = [*KINDS, *(f"{kind}.gz" for kind in COMPRESSIBLE)]
    if len(path.parts) > 1 or source.lower().endswith(tuple(suffixes)):
        return True
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def read(
    source,
    *,
    labels=None,
    transpose: bool = False,
    variable: str | None = None,
    image_side: int | None = None,
    time_limit: float = _TIME_LIMIT,
    memory_limit: int | None = None,
) -> OwnData:
    """Read a matrix of the user's own and look it over. Nothing is unpickled.

    Parameters
    ----------
    source : path-like, array-like, sparse matrix, DataFrame or AnnData
        A file or folder as :mod:`nmfbench.own` lists them; or data in memory.
    labels : path-like, str or sequence, optional
        A file with one label in each line, or the name of a sample and its label; the name of a
        column (an array of an ``.npz`` or ``.mat`` file, a column of ``obs``; ``"folder"`` of
        pictures: the folders they are in); or the labels.
    transpose : bool, default=False
        Samples are columns. Of 10x files and AnnData cells are samples by themselves.
    variable : str, optional
        The matrix among several of an ``.npz`` or ``.mat`` file, or a layer of an ``.h5ad`` file.
    image_side : int, optional
        Resize pictures to a square of so many pixels a side.
    time_limit : float, default=600
        Seconds to read a file within.
    memory_limit : int, optional
        Bytes that reading may take; by default a share of the memory that is available.

    Returns
    -------
    OwnData
        Missing and negative entries are as they are: see
        :meth:`~nmfbench.own.data.OwnData.checked`.

    Raises
    ------
    OwnDataError
        If there is no such file, it cannot be read, or holds no matrix of numbers.

    Examples
    --------
    >>> found = read([[1.0, 0.0], [2.0, 3.0]], labels=["a", "b"])
    Traceback (most recent call last):
    nmfbench.own.errors.OwnDataError: labels has another class for each of the 2 samples: ...
    >>> found = read([[1.0, 0.0], [2.0, 3.0], [2.0, 2.0]], labels=["a", "b", "b"])
    >>> found.diagnosis.lines()[0]
    '3 samples x 2 features, dense, 83.3 % not zero'
    """
    if image_side is not None and not (isinstance(image_side, int) and image_side >= 1):
        raise OwnDataError(f"image_side must be an integer of at least 1, got {image_side!r}.")
    limits = {"time_limit": time_limit, "memory_limit": memory_limit}
    column = labels if isinstance(labels, str) and not is_file(labels) else None
    if isinstance(source, str | Path):
        name = Path(source).name or str(source)
        options = {"labels": column, "variable": variable, "image_side": image_side}
        parsed = _from_file(Path(source).expanduser(), options, "data", **limits)
    else:
        name = "data"
        parsed = _from_memory(source, column, variable)
    X, rows, columns = parsed.X, parsed.rows, parsed.columns
    for what, names, size in (("row", rows, X.shape[0]), ("column", columns, X.shape[1])):
        if names is not None and len(names) != size:
            raise OwnDataError(f"data has {len(names)} {what} names for {size} {what}s.")
    if transpose:
        X = X.T.tocsr() if sp.issparse(X) else np.ascontiguousarray(X.T)
        rows, columns = columns, rows
    X = canonical_csr(sp.csr_matrix(X)) if sp.issparse(X) else X
    given = parsed.labels
    if labels is not None and given is None:
        given, X, columns = _labels(labels, column, X, rows, columns, limits)
    y = None if given is None else checked_labels(given, X)
    shape = None if transpose else parsed.image_shape
    return OwnData(X, name, columns, rows, y, shape, tuple(parsed.notes))


def _labels(labels, column, X, rows, columns, limits):
    """Labels, and the data without them."""
    if column is not None:
        places = [j for j, name in enumerate(columns or ()) if name == column]
        if len(places) != 1:
            known = ", ".join(one_line(n)[:40] for n in (columns or ())[:12])
            known += ", ..." * (len(columns or ()) > 12)
            raise OwnDataError(
                f"labels={column!r} is no file and no column of the data"
                + (f"; columns are {known}." if columns else ", which has no names of columns.")
                + " Name a file with one label in each line."
            )
        j = places[0]
        values = X[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j].copy()
        kept = [k for k in range(X.shape[1]) if k != j]
        return values.tolist(), X[:, kept], [columns[k] for k in kept]
    if isinstance(labels, str | Path):
        path = Path(labels).expanduser()
        options = {"labels": None, "variable": None, "image_side": None, "as_labels": True}
        parsed = _from_file(path, options, "labels", **limits)
        return matched(parsed.labels or [], rows, X.shape[0]), X, columns
    return [v.item() if isinstance(v, np.generic) else v for v in labels], X, columns


def _from_memory(source, labels, variable) -> Parsed:
    """Content of what is in memory."""
    try:
        if hasattr(source, "obs_names") and hasattr(source, "var_names"):  # an AnnData
            X = source.X if variable is None else source.layers[variable]
            given = source.obs[labels].tolist() if labels in source.obs else None
            rows, columns = (list(map(str, n)) for n in (source.obs_names, source.var_names))
            parsed = Parsed(X, rows, columns, given)
        elif hasattr(source, "iloc") and hasattr(source, "columns"):
            parsed = frame_content(source, labels)
        else:
            parsed = Parsed(source if sp.issparse(source) else np.asarray(source))
        parsed.X = plain(parsed.X)
    except Refused as error:
        raise OwnDataError(f"data {error}") from None
    except (KeyError, ValueError, TypeError) as error:
        reason = one_line(error).rstrip(".")
        raise OwnDataError(f"data is no matrix of numbers ({reason}): pass a 2-D array.") from None
    return parsed


def _from_file(path, options, parameter, *, time_limit, memory_limit) -> Parsed:
    """Content of a file or folder, parsed in a process of its own."""
    shown = f"{parameter}={one_line(path)}"
    try:
        if not path.exists():
            raise OwnDataError(f"{shown} is not there: name a file or folder that exists.")
        if not (path.is_file() or path.is_dir()):
            raise OwnDataError(f"{shown} is not a regular file: copy what it gives to one.")
        if path.is_file():
            path.open("rb").close()
    except (OSError, ValueError) as error:
        if isinstance(error, OwnDataError):
            raise
        reason = one_line(getattr(error, "strerror", None) or error)
        raise OwnDataError(
            f"{shown} cannot be read ({reason}): check its name and rights."
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        problem = problem_of_parsing(
            _CODE,
            path,
            options,
            folder,
            _REMEDIES,
            time_limit=time_limit,
            memory_limit=memory_limit or default_memory_limit(),
        )
        if problem is not None:
            raise OwnDataError(f"{shown} {one_line(problem)}")
        return Parsed.load(Path(folder))
