"""Prepared data files: where they lie, and reading them with their checksum.

A prepared file is an ``.npz`` archive of plain arrays. It is looked for in a folder of prepared
files and then in the user's cache, and never unpickled.
"""

import contextlib
import hashlib
import io
import json
import os
import zipfile
from functools import lru_cache
from pathlib import Path

import numpy as np
import platformdirs

from nmfbench.core.files import atomic_write
from nmfbench.datasets.errors import DataError

__all__ = [
    "cache_folder",
    "content_hash",
    "find_file",
    "forget",
    "prepared_folders",
    "read_arrays",
    "read_registered",
    "read_variant",
    "supplied_hash",
    "variant_file",
    "write_arrays",
]

_HEADERS = 1 << 16  # bytes of the headers of all arrays of a file, at most


def prepared_folders():
    """Folders of prepared files, in the order in which they are searched.

    When ``NMFBENCH_DATA`` is set, to whatever value, only the folder it names counts; otherwise
    ``../shared/data`` beside the checkout, then beside the current folder.

    Returns
    -------
    list of Path
        Folders that exist.
    """
    chosen = os.environ.get("NMFBENCH_DATA")
    if chosen is not None:
        folders = [Path(chosen).expanduser()] if chosen else []
    else:
        checkout = Path(__file__).resolve().parents[2]
        folders = [here.parent / "shared" / "data" for here in (checkout, Path.cwd())]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def cache_folder():
    """The user's cache, which ``nmfbench data fetch`` fills; ``NMFBENCH_CACHE`` moves it.

    For a user without a home folder, as in a container, one that cannot be made.
    """
    if chosen := os.environ.get("NMFBENCH_CACHE"):
        return Path(chosen)
    with contextlib.suppress(RuntimeError):
        folder = Path(platformdirs.user_cache_dir("nmfbench"))
        if folder.is_absolute():
            return folder
    return Path(os.devnull, "nmfbench")


def find_file(file):
    """Path of a prepared file, or None when it is not on this machine."""
    try:
        for folder in [*prepared_folders(), cache_folder()]:
            if (folder / file).is_file():
                return folder / file
    except OSError as error:  # as of a name that is too long
        raise DataError(
            f"a folder of data cannot be searched ({error}); name another one in NMFBENCH_DATA or "
            "NMFBENCH_CACHE."
        ) from error
    return None


def variant_file(file):
    """Where the cache keeps another version of a data set, if it has one."""
    return cache_folder() / f"{Path(file).stem}.variant.npz"


def content_hash(arrays):
    """SHA-256 of the arrays of a file: names, types, shapes and values, but not compression.

    Examples
    --------
    >>> import numpy as np
    >>> content_hash({"a": np.arange(3), "b": np.eye(2)})[:8] == content_hash(
    ...     {"b": np.eye(2), "a": np.arange(3)}
    ... )[:8]
    True
    """
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


class _Arrays(dict):
    """Arrays of one file; asking for one that is not there names the file."""

    def __init__(self, path, arrays):
        super().__init__(arrays)
        self.path = path

    def __missing__(self, name):
        raise DataError(
            f"{self.path} has no array {name!r}; it has {', '.join(sorted(self)) or 'none'}. "
            "It is not the file this data set was registered with."
        )


def read_arrays(path, sha256, content=None, n_bytes=0):
    """Read a prepared file after checking its checksum, if it has one.

    Parameters
    ----------
    path : path-like
        An ``.npz`` file.
    sha256 : str or None
        What the file must hash to; None for a file that its user made, which may hold any arrays.
    content : str, optional
        What :func:`content_hash` of its arrays may give instead: a file that was downloaded and
        converted on this machine holds the same arrays in other bytes.
    n_bytes : int, default=0
        With ``content``, or without ``sha256``: bytes of the arrays. A file that would unpack to
        more is not unpacked.

    Returns
    -------
    dict of str to ndarray
        Read-only arrays. The last two files are kept in memory, so that a worker reads a file
        once and not for each trial.

    Raises
    ------
    DataError
        If the file cannot be read, is damaged, or holds pickled objects.
    """
    path = Path(path)
    try:
        stat = path.stat()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error
    return _read(path, (stat.st_mtime_ns, stat.st_size), sha256, content, n_bytes)


def read_registered(path, info):
    """Read the file of a data set, given what was registered of it."""
    return read_arrays(path, info.get("sha256"), info.get("content"), info.get("n_bytes", 0))


def supplied_hash(file):
    """SHA-256 of a file that its user made, as it is now; None when it is not on this machine."""
    path = find_file(file)
    if path is None:
        return None
    stat = path.stat()
    return _hash(path, (stat.st_mtime_ns, stat.st_size))


@lru_cache(maxsize=8)
def _hash(path, stamp):
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def forget():
    """Drop the files kept in memory, so that the next read is from disk."""
    _read.cache_clear()
    _hash.cache_clear()


@lru_cache(maxsize=2)
def _read(path, stamp, sha256, content, n_bytes):
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error
    found = hashlib.sha256(data).hexdigest()
    wrong = (
        f"{path} is damaged or of another version: its SHA-256 is {found}, expected {sha256} "
        f"({len(data)} bytes). Remove the file and get it again "
        "('nmfbench data fetch', or copy the prepared file again)."
    )
    if sha256 is None:
        _check_size(path, data, n_bytes)
        arrays = _unpack(path, data)
    elif found == sha256:
        arrays = _unpack(path, data)
    elif content is None:
        raise DataError(wrong)
    else:
        try:
            _check_size(path, data, n_bytes)
            arrays = _unpack(path, data)
        except (DataError, MemoryError) as error:  # a damaged header may ask for any memory
            raise DataError(wrong) from error
        if content_hash(arrays) != content:
            raise DataError(wrong)
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def _check_size(path, data, n_bytes):
    """Raise DataError if an archive would unpack to arrays of more than ``n_bytes``."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except Exception as error:  # whatever a damaged directory makes the parser do
        raise DataError(f"{path} is not a readable .npz archive: {error}.") from error
    if size > n_bytes + _HEADERS:
        raise DataError(f"{path} would unpack to {size} bytes, expected {n_bytes}.")


def _unpack(path, data):
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except MemoryError:
        raise
    except (ValueError, AttributeError) as error:
        raise DataError(
            f"{path} is not an .npz archive of plain arrays ({error}); pickled objects are "
            "never loaded."
        ) from error
    except Exception as error:  # whatever damage makes zipfile, its decoders and numpy do
        raise DataError(f"{path} is not a readable .npz archive: {error}.") from error
    if others := [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]:
        raise DataError(f"{path} is not an .npz archive of plain arrays: {others[0]!r} is none.")
    return _Arrays(path, arrays)


def write_arrays(path, arrays):
    """Write an ``.npz`` file in one step: it is there whole, or not at all."""
    path = Path(path)
    with atomic_write(path) as part, part.open("wb") as stream:
        np.savez_compressed(stream, **arrays)
    return path


def read_variant(file):
    """Arrays and description of the cached other version of a file, or None.

    Returns
    -------
    (dict of str to ndarray, str) or None
    """
    path = variant_file(file)
    note = path.with_suffix(".json")
    if not (path.is_file() and note.is_file()):
        return None
    try:
        facts = json.loads(note.read_text(encoding="utf-8"))
        sha256, what = facts["sha256"], facts["variant"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{note} is damaged ({error!r}); remove it and {path.name}, and fetch again."
        ) from error
    return read_arrays(path, sha256), what
