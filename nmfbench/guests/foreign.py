"""Matrices in files of other programs, parsed in a process of its own.

Parsers of binary files are written for files that are in order: a damaged or hostile one may end
the process, or fill the memory or the disk. Here it ends a guarded child, with limits of time and
memory, and the program goes on with an error of one line that names the file.
"""

from __future__ import annotations

import itertools
import json
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from nmfbench.core.guard import default_memory_limit, limited_memory
from nmfbench.core.parsing import ANSWER, Remedies, problem_of_parsing
from nmfbench.core.text import one_line
from nmfbench.guests.errors import GuestError
from nmfbench.own.parsed import Refused
from nmfbench.own.tables import from_text

__all__ = ["KINDS", "read_matrices"]

_TIME_LIMIT = 60  # seconds
_MEMORY_LIMIT = 2**33  # bytes
_LONGEST = 300  # characters of a parser's error
_SHOWN = 20  # names of a file's matrices
_AGAIN = "write it again, with nothing in it but matrices of numbers"
_CODE = """
from nmfbench.guests.foreign import parse
parse(*sys.argv[1:])
"""


def read_matrices(path, names, *, time_limit=_TIME_LIMIT, memory_limit=None) -> list[np.ndarray]:
    """Read matrices of a file that another program wrote.

    Parameters
    ----------
    path : path-like
        A regular file whose suffix is one of :data:`KINDS`.
    names : sequence of str
        What an ``.npz`` or ``.mat`` file calls them. A ``.csv`` file has one.
    time_limit : float, default=60
        Seconds.
    memory_limit : int, optional
        Bytes; by default 8 GiB, or that of a trial if it is less.

    Returns
    -------
    list of ndarray
        Real numbers in double precision; other types but objects as they are. Sparse matrices are
        made dense.

    Raises
    ------
    GuestError
        If the file cannot be read, whatever its parser does.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise GuestError(f"{path} is not a regular file: copy what it gives to one.")
    path.open("rb").close()  # an OSError says what is wrong
    with tempfile.TemporaryDirectory() as folder:
        problem = problem_of_parsing(
            _CODE,
            path,
            list(names),
            folder,
            Remedies(_AGAIN, _AGAIN, _AGAIN),
            time_limit=time_limit,
            memory_limit=memory_limit or min(default_memory_limit(), _MEMORY_LIMIT),
        )
        if problem is not None:
            raise GuestError(f"{path} {problem}")
        count = 1 if path.suffix.lower() == ".csv" else len(names)
        return [np.load(Path(folder, f"{i}.npy"), allow_pickle=False) for i in range(count)]


def parse(path, names, folder, limit):
    """Parse a file in this process, and write its matrices, or what is wrong, to a folder."""
    problem, folder = None, Path(folder)
    path, names = Path(path), json.loads(names)
    try:
        # Of addresses, as zeros that nobody has touched take no memory, but room on the disk.
        with limited_memory(int(limit)):
            for i, array in enumerate(KINDS[path.suffix.lower()](path, names)):
                np.save(folder / f"{i}.npy", _plain(array), allow_pickle=False)
    except GuestError as error:
        problem = str(error)
    except MemoryError:
        problem = f"asks for more memory than there is; {_AGAIN}."
    except Exception as error:  # whatever damage makes parsers do
        reason = one_line(error)[:_LONGEST].rstrip(".") or type(error).__name__
        if path.suffix.lower() == ".csv":
            problem = f"cannot be read as a table of numbers: {reason}."
        else:
            problem = (
                f"cannot be read as a {path.suffix} file of plain arrays ({reason}); {_AGAIN}: "
                "pickled objects are never loaded."
            )
    (folder / ANSWER).write_text(json.dumps(problem), encoding="utf-8")


def _plain(array):
    """A dense array, of numbers in double precision if it is of real ones."""
    array = array.toarray() if sp.issparse(array) else np.asarray(array)
    if array.dtype.hasobject:
        raise ValueError("it holds objects, not numbers")
    return array.astype(np.float64, copy=False) if array.dtype.kind in "biuf" else array


def _from_npz(path, names):
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
        if not isinstance(file, np.lib.npyio.NpzFile):
            raise ValueError("it is one array, not an archive of several")
        _check_names(names, file.files)
        return [file[name] for name in names]


def _from_mat(path, names):
    with path.open("rb") as stream:
        head = stream.read(128)
    if head.startswith((b"MATLAB 7.3", b"\x89HDF")):
        return _from_hdf5(path, names)
    if head.startswith(b"# Created by Octave"):
        raise GuestError(f"is in Octave's text format; {_save_as_version_7(path, names)}.")
    from scipy.io import loadmat

    arrays = loadmat(path)
    _check_names(names, [name for name in arrays if not name.startswith("__")])
    return [arrays[name] for name in names]


def _from_hdf5(path, names):
    """MATLAB 7.3: a data set per matrix, with the axes in reverse."""
    remedy = _save_as_version_7(path, names)
    try:
        import h5py  # optional
    except ImportError:
        raise GuestError(f"is a MATLAB 7.3 file; install h5py, or {remedy}.") from None
    try:
        with h5py.File(path) as file:
            _check_names(names, [name for name in file if not name.startswith("#")])
            if not all(isinstance(file[name], h5py.Dataset) for name in names):
                raise GuestError(
                    "is an HDF5 file in which not all of them are full matrices of numbers; "
                    f"{remedy}."
                )
            return [file[name][()].T for name in names]
    except GuestError:
        raise
    except Exception as error:  # whatever damage makes the library do
        reason = one_line(error)[:_LONGEST].rstrip(".")
        raise GuestError(f"is a damaged MATLAB 7.3 file ({reason}); {remedy}.") from error


def _save_as_version_7(path, names):
    listed = ", ".join(repr(name) for name in names)
    octave = f"save('-v7', '{path.name}', {listed})"
    return f"save it as version 7: save('{path.name}', {listed}, '-v7') or, in Octave, {octave}"


def _check_names(names, found):
    lacking = [name for name in names if name not in found]
    if lacking:
        shown = ", ".join(one_line(name)[:_LONGEST] for name in itertools.islice(found, _SHOWN))
        shown += ", ..." * (len(found) > _SHOWN)
        raise GuestError(
            f"has no {' and no '.join(lacking)}; it holds {shown or 'nothing'}. "
            "Say what the factors are called there: --names W H."
        )


def _from_csv(path, names):
    """A table as one of data is read: with names, semicolons and decimal commas, or without."""
    try:
        return [from_text(path).X]
    except Refused as error:
        raise GuestError(str(error)) from None


KINDS = {".npz": _from_npz, ".mat": _from_mat, ".csv": _from_csv}
"""The function that parses each kind of file: ``(path, names) -> matrices``."""
