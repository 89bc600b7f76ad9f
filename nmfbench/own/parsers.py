"""Parsers of matrices in files, to be run in a guarded child: see :mod:`.reader`."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from nmfbench.core.guard import limited_memory
from nmfbench.core.parsing import ANSWER
from nmfbench.core.text import one_line
from nmfbench.own.parsed import Parsed, Refused
from nmfbench.own.tables import from_frame, from_text, labels_from_text

__all__ = ["COMPRESSIBLE", "KINDS", "frame_content", "parse", "plain"]

_CHUNK = 1 << 20
_LONGEST = 300  # characters of a parser's error
_SHOWN = 12  # names of arrays that a message lists
_AGAIN = "write it again, as a matrix of numbers"
_USUAL = ("X", "x", "data", "matrix", "V", "A")  # of a matrix among several


def parse(path, options, folder, limit):
    """Parse a file in this process, and write its content, or what is wrong, to a folder.

    Parameters
    ----------
    path, folder : str
    options : str
        JSON of ``labels``, ``variable`` and ``image_side``.
    limit : str
        Bytes of memory.
    """
    path, folder, limit = Path(path), Path(folder), int(limit)
    problem = None
    try:
        # Of addresses, as zeros that nobody has touched take no memory, but room on the disk.
        with limited_memory(limit):
            asked = json.loads(options)
            content = _parsed(path, asked, folder, limit)
            if not asked.get("as_labels"):
                content.X = plain(content.X)
            content.save(folder)
    except Refused as error:
        problem = str(error)
    except MemoryError:
        problem = f"needs more than {limit / 1e6:.0f} MB of memory: keep fewer rows or columns."
    except Exception as error:  # whatever damage makes parsers do
        reason = one_line(error)[:_LONGEST].rstrip(".") or type(error).__name__
        problem = (
            f"cannot be read as {_kind(path) or 'data'} ({reason}); {_AGAIN}: pickled objects are "
            "never loaded."
        )
    (folder / ANSWER).write_text(json.dumps(problem), encoding="utf-8")


def _parsed(path, options, folder, limit):
    if path.is_dir():
        return _from_folder(path, options, folder, limit)
    if (kind := _kind(path)) is None:
        raise Refused(
            f"has the ending {path.suffix or 'of no format'}, which is none of "
            f"{', '.join(KINDS)}: save it as one of these."
        )
    if path.suffix.lower() == ".gz":
        path = _unpacked(path, folder / f"unpacked{kind}", limit)
    content = KINDS[kind](path, options, limit)
    if options.get("as_labels") and content.labels is None:
        content.labels = _vector(content.X)
        content.X = np.zeros((1, 1))
    return content


def _kind(path):
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
        return suffixes[-1] if suffixes and suffixes[-1] in COMPRESSIBLE else None
    return suffixes[-1] if suffixes and suffixes[-1] in KINDS else None


def _unpacked(path, target, limit):
    """Decompress a file, as long as it does not become larger than the memory there is."""
    size = 0
    try:
        with gzip.open(path) as packed, target.open("wb") as stream:
            while chunk := packed.read(_CHUNK):
                size += len(chunk)
                if size > limit:
                    raise Refused(
                        f"unpacks to more than {limit / 1e6:.0f} MB: keep fewer rows or columns."
                    )
                stream.write(chunk)
    except (OSError, EOFError) as error:
        raise Refused(f"is no whole .gz file ({one_line(error)}): compress it again.") from None
    return target


def _check_room(n_bytes, limit):
    """Raise Refused if arrays of so many bytes do not fit, before they are read."""
    if n_bytes > limit:
        raise Refused(
            f"would take {n_bytes / 1e6:.0f} MB in memory, more than the {limit / 1e6:.0f} MB "
            "there are: keep fewer rows or columns, or store it as a sparse matrix."
        )


def plain(X):
    """The matrix in double precision."""
    if not sp.issparse(X):
        X = np.asarray(X)
    if X.dtype.kind not in "biuf":
        what = "complex numbers" if X.dtype.kind == "c" else f"entries of type {X.dtype}"
        raise Refused(f"holds {what}: X must be a matrix of real numbers; convert them to float.")
    if X.ndim != 2:
        raise Refused(
            f"holds an array of {X.ndim} dimension{'s' * (X.ndim != 1)}: X must have two, "
            "samples in rows and features in columns; reshape it."
        )
    if hasattr(X, "check_format"):  # of compressed rows or columns: indices beyond the shape
        X.check_format(full_check=True)
    if not X.shape[0] or not X.shape[1]:
        raise Refused(f"has the shape {X.shape[0]} x {X.shape[1]}: X needs a row and a column.")
    return X.astype(np.float64) if sp.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)


def _vector(X):
    """Entries of a row or column, as labels."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    if X.dtype.kind not in "biufUS" or X.size != max(X.shape, default=0):
        raise Refused(
            f"holds an array of shape {X.shape} and type {X.dtype}: labels must be one for each "
            "sample, as text or numbers."
        )
    return [v.decode(errors="replace") if isinstance(v, bytes) else v for v in X.ravel().tolist()]


def _pictures(X):
    """Rows of pictures, if an array has three dimensions, and the shape of a picture."""
    if isinstance(X, np.ndarray) and X.ndim == 3 and X.dtype.kind in "biuf" and X.size:
        return X.reshape(len(X), -1), X.shape[1:], [f"{len(X)} pictures of {X.shape[1:]}"]
    return X, None, []


def _choose(path, names, variable):
    """The name of the matrix among several."""
    names = list(names)
    listed = ", ".join(one_line(name)[:40] for name in names[:_SHOWN])
    listed += ", ..." * (len(names) > _SHOWN)
    if variable is not None:
        if variable in names:
            return variable
        raise Refused(f"has no variable {variable!r}; it holds {listed or 'none'}.")
    if len(names) == 1:
        return names[0]
    for usual in _USUAL:
        if usual in names:
            return usual
    if not names:
        raise Refused("holds no matrix of numbers: save one in it.")
    raise Refused(
        f"holds several matrices, {listed}: say which one is X, as variable={names[0]!r}."
    )


def _table(path, options, limit):
    if options.get("as_labels"):
        return labels_from_text(path)
    return from_text(path, options["labels"])


def _npy_size(stream):
    """Bytes of the array that a header announces."""
    version = np.lib.format.read_magic(stream)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in readers:
        raise ValueError(f"its format has the version {version}")
    shape, _, dtype = readers[version](stream)
    if dtype.hasobject:
        raise Refused(
            "holds Python objects, which are never unpickled: save X.astype(float) instead."
        )
    size = int(dtype.itemsize)
    for n in shape:
        if n < 0:
            raise ValueError("a dimension is negative")
        size *= int(n)
    return size


def _npy(path, options, limit):
    with path.open("rb") as stream:
        size = _npy_size(stream)
        held = path.stat().st_size - stream.tell()
    if size > held:
        raise Refused(
            f"is cut off: {size} bytes of numbers are announced, {held} there; copy it again."
        )
    _check_room(size, limit)
    X, shape, notes = _pictures(np.load(path, allow_pickle=False))
    return Parsed(X, image_shape=shape, notes=notes)


def _npz(path, options, limit):
    with zipfile.ZipFile(path) as archive:
        _check_room(sum(member.file_size for member in archive.infolist()), limit)
        sizes = {}
        for member in archive.infolist():
            with archive.open(member) as stream:
                sizes[member.filename.removesuffix(".npy")] = _npy_size(stream)
    _check_room(sum(sizes.values()), limit)
    if "format" in sizes and "shape" in sizes and "data" in sizes:
        X = sp.load_npz(path)
        _check_room(X.nnz * 12, limit)
        return Parsed(sp.csr_matrix(X))
    with np.load(path, allow_pickle=False) as file:
        labels = options["labels"]
        found = {n: file[n] for n in file.files if n != labels or options["variable"] == n}
        matrices = [n for n, a in found.items() if a.ndim in (2, 3) and a.dtype.kind in "biuf"]
        name = _choose(path, matrices or list(found), options["variable"])
        X, shape, notes = _pictures(found[name])
        kept = file[labels].tolist() if labels in file.files else None
    if kept is not None and not all(isinstance(v, str | int | float | bool) for v in kept):
        raise Refused(f"has no classes in {labels!r}: labels must be one for each sample.")
    others = [n for n in matrices if n != name]
    notes += [f"{name} of {', '.join([name, *others])}"] if others else []
    return Parsed(X, labels=kept, image_shape=shape, notes=notes)


def _mtx(path, options, limit):
    from scipy.io import mminfo, mmread

    n, m, entries, layout, field, _ = mminfo(path)
    if field == "complex":
        raise Refused("holds complex numbers: X must be real; save their absolute values, say.")
    _check_room(n * m * 8 if layout == "array" else entries * 24 + n * 8, limit)
    return Parsed(mmread(path))


def _mat(path, options, limit):
    with path.open("rb") as stream:
        head = stream.read(128)
    if head.startswith((b"MATLAB 7.3", b"\x89HDF")):
        return _mat_73(path, options, limit)
    if head.startswith(b"# Created by Octave"):
        raise Refused("is in Octave's text format: save it with save('-v7', 'file.mat', 'X').")
    from scipy.io import loadmat, whosmat

    numbers = ("double", "single", "sparse", "logical")
    held = {
        name: (shape, kind)
        for name, shape, kind in whosmat(path)
        if kind in numbers or "int" in kind
    }
    name = _choose(path, _matrices(held, options), options["variable"])
    labels = options["labels"]
    wanted = [name, labels] if labels in held else [name]
    for each in wanted:
        shape, kind = held[each]
        _check_room(0 if kind == "sparse" else int(np.prod([float(s) for s in shape])) * 8, limit)
    found = loadmat(path, variable_names=wanted)
    kept = found[labels].ravel().tolist() if labels in held and labels != name else None
    X, shape, notes = _pictures(found[name])
    return Parsed(X, labels=kept, image_shape=shape, notes=notes)


def _matrices(held, options):
    """Names of what is no vector and not the labels; of all, where nothing else is there."""
    large = [n for n, (shape, _) in held.items() if min(shape, default=0) > 1]
    return [n for n in large if n != options["labels"]] or list(held)


def _h5py():
    try:
        import h5py  # optional
    except ImportError:
        raise Refused(
            "is an HDF5 file, which h5py reads: install it with pip install 'nmfbench[data]'."
        ) from None
    return h5py


def _mat_73(path, options, limit):
    """MATLAB 7.3: a data set per matrix, with the axes in reverse; a group per sparse one."""
    h5py = _h5py()
    with h5py.File(path) as file:
        held = {
            name: (item.shape, "") if isinstance(item, h5py.Dataset) else ((2, 2), "sparse")
            for name, item in file.items()
            if not name.startswith("#")
            and (isinstance(item, h5py.Dataset) or "MATLAB_sparse" in item.attrs)
        }
        name = _choose(path, _matrices(held, options), options["variable"])
        item = file[name]
        if isinstance(item, h5py.Dataset):
            _check_room(item.size * 8, limit)
            return Parsed(item[()].T)
        n = int(item.attrs["MATLAB_sparse"])
        parts = _compressed(item, "data", "ir", "jc", limit)
        return Parsed(sp.csc_matrix(parts, shape=(n, len(parts[2]) - 1)))


def _compressed(group, data, indices, indptr, limit):
    _check_room(sum(group[name].size * 8 for name in (data, indices, indptr)), limit)
    return tuple(group[name][()] for name in (data, indices, indptr))


def _arrow(path, options, limit):
    """Parquet or feather."""
    import pyarrow as pa
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    if _kind(path) == ".parquet":
        about = pq.ParquetFile(path).metadata
        _check_room(about.num_rows * about.num_columns * 8, limit)
        table = pq.read_table(path)
    else:
        with pa.memory_map(str(path)) as stream:
            file = pa.ipc.open_file(stream)
            rows = sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))
            _check_room(rows * len(file.schema) * 8, limit)
        table = feather.read_table(path)
    return frame_content(table.to_pandas(), options["labels"])


def frame_content(frame, labels=None) -> Parsed:
    """Content of a data frame whose index, unless it only counts, names the rows."""
    import pandas as pd

    columns = [str(name) for name in frame.columns]
    parsed = from_frame(frame, columns, labels)
    if parsed.rows is None and not isinstance(frame.index, pd.RangeIndex):
        parsed.rows = [str(name) for name in frame.index]
    return parsed


def _h5ad(path, options, limit):
    """AnnData: cells in rows; ``variable`` names a layer."""
    h5py = _h5py()
    with h5py.File(path) as file:
        layers = list(file.get("layers", ()))
        variable = options["variable"]
        if variable is not None and variable not in layers:
            raise Refused(f"has no layer {variable!r}; it has {', '.join(layers) or 'none'}.")
        if variable is None and "X" not in file:
            raise Refused(f"has no X: name a layer, of {', '.join(layers) or 'none'}, as variable.")
        X = file["X"] if variable is None else file["layers"][variable]
        if isinstance(X, h5py.Dataset):
            _check_room(X.size * 8, limit)
            matrix = X[()]
        else:
            kind = str(X.attrs.get("encoding-type", X.attrs.get("h5sparse_format", "csr")))
            shape = tuple(int(n) for n in X.attrs.get("shape", X.attrs.get("h5sparse_shape")))
            make = sp.csc_matrix if "csc" in kind else sp.csr_matrix
            matrix = make(_compressed(X, "data", "indices", "indptr", limit), shape=shape)
        rows, columns = (_annotation(file[part]) for part in ("obs", "var"))
        labels = options["labels"]
        kept = None
        if labels is not None:
            if labels not in file["obs"]:
                names = ", ".join(n for n in file["obs"] if not n.startswith("_"))
                raise Refused(f"has no labels {labels!r} in obs; it has {names or 'none'}.")
            kept = _column(h5py, file["obs"], labels)
    return Parsed(matrix, rows, columns, kept)


def _annotation(frame):
    """Names of the cells or genes of an AnnData file."""
    if not hasattr(frame, "attrs") or not hasattr(frame, "keys"):
        return None
    index = frame.attrs.get("_index", "_index")
    return _texts(frame[index][()]) if index in frame else None


def _column(h5py, frame, name):
    item = frame[name]
    if not isinstance(item, h5py.Dataset):  # a categorical one
        categories = _texts(item["categories"][()])
        return [categories[code] if code >= 0 else None for code in item["codes"][()].tolist()]
    return _texts(item[()]) if item.dtype.kind not in "biuf" else item[()].tolist()


def _texts(values):
    return [v.decode(errors="replace") if isinstance(v, bytes) else str(v) for v in values.tolist()]


def _tenx(path, options, limit):
    """10x: genes in rows of a compressed matrix by columns, so cells are its rows."""
    h5py = _h5py()
    with h5py.File(path) as file:
        if "matrix" not in file:
            raise Refused("is no 10x file, as it has no group 'matrix': save it as .h5ad or .mtx.")
        group = file["matrix"]
        n_genes, n_cells = (int(n) for n in group["shape"][()])
        parts = _compressed(group, "data", "indices", "indptr", limit)
        X = sp.csr_matrix(parts, shape=(n_cells, n_genes))
        genes = group["features/name"] if "features/name" in group else group["gene_names"]
        return Parsed(X, _texts(group["barcodes"][()]), _texts(genes[()]))


def _from_folder(path, options, folder, limit):
    for name in ("matrix.mtx.gz", "matrix.mtx"):
        if (path / name).is_file():
            return _tenx_folder(path, name, folder, limit)
    from nmfbench.own.pictures import from_pictures

    return from_pictures(path, options, limit)


def _tenx_folder(path, name, folder, limit):
    file = path / name
    if file.suffix == ".gz":
        file = _unpacked(file, folder / "unpacked.mtx", limit)
    parsed = _mtx(file, {}, limit)
    genes = _first_there(path, ("features.tsv", "genes.tsv"), folder, limit)
    cells = _first_there(path, ("barcodes.tsv",), folder, limit)
    n_genes, n_cells = parsed.X.shape
    for what, names, size in (("genes", genes, n_genes), ("barcodes", cells, n_cells)):
        if names is not None and len(names) != size:
            raise Refused(f"has {len(names)} {what} for {size} in {name}: copy the folder again.")
    genes = None if genes is None else [line[min(1, len(line) - 1)] for line in genes]
    cells = None if cells is None else [line[0] for line in cells]
    X = sp.csr_matrix(parsed.X.T)
    return Parsed(X, cells, genes, notes=["a 10x folder: cells are samples"])


def _first_there(path, names, folder, limit):
    """Cells of the lines of the first of some files, which may be compressed."""
    for name in names:
        for file in (path / f"{name}.gz", path / name):
            if file.is_file():
                if file.suffix == ".gz":
                    file = _unpacked(file, folder / f"unpacked-{name}", limit)
                lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
                return [line.split("\t") for line in lines]
    return None


KINDS: dict[str, Any] = {
    ".csv": _table,
    ".tsv": _table,
    ".txt": _table,
    ".npy": _npy,
    ".npz": _npz,
    ".mtx": _mtx,
    ".parquet": _arrow,
    ".feather": _arrow,
    ".mat": _mat,
    ".h5ad": _h5ad,
    ".h5": _tenx,
}
"""The function that parses each kind of file: ``(path, options, limit) -> Parsed``."""

COMPRESSIBLE = (".csv", ".tsv", ".txt", ".mtx")
"""Kinds that may be compressed, with ``.gz`` after their ending."""
