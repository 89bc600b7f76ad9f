"""A matrix of the user's own: all formats, names, labels, diagnosis, and its key."""

import gzip
import os
import struct
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from PIL import Image

from nmfbench.own import read
from nmfbench.own.diagnosis import diagnose
from nmfbench.own.errors import OwnDataError

N, M = 12, 5
ROWS = [f"s{i}" for i in range(N)]
COLUMNS = [f"f{j}" for j in range(M)]


@pytest.fixture
def X():
    """Counts, half of them zero."""
    return np.random.default_rng(0).poisson(0.7, (N, M)).astype(float)


def _frame(X):
    return pd.DataFrame(X, index=ROWS, columns=COLUMNS)


def _csv(path, X):
    _frame(X).to_csv(path)


def _plain_csv(path, X):
    np.savetxt(path, X, delimiter=",")


def _semicolons(path, X):
    _frame(X).to_csv(path, sep=";", decimal=",")


def _of_r(path, X):
    _frame(X).to_csv(path, sep="\t")
    header, _, rest = path.read_text().partition("\n")
    path.write_text(header.removeprefix("\t") + "\n" + rest)


def _blanks(path, X):
    np.savetxt(path, X)


def _gz(path, X):
    with gzip.open(path, "wt") as stream:
        _frame(X).to_csv(stream)


def _utf_16(path, X):
    _frame(X).to_csv(path, sep="\t", encoding="utf-16")


def _mtx_gz(path, X):
    with gzip.open(path, "wb") as stream:
        scipy.io.mmwrite(stream, sp.coo_matrix(X))


def _mat_73(path, X):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = X.T
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def _h5ad(path, X):
    h5py = pytest.importorskip("h5py")
    S = sp.csr_matrix(X)
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"] = "csr_matrix"
        group.attrs["shape"] = X.shape
        group.update({"data": S.data, "indices": S.indices, "indptr": S.indptr})
        for part, names in (("obs", ROWS), ("var", COLUMNS)):
            frame = file.create_group(part)
            frame.attrs["_index"] = "_index"
            frame["_index"] = np.array(names, dtype="S")
        kinds = file["obs"].create_group("kind")
        kinds["categories"] = np.array(["a", "b"], dtype="S")
        kinds["codes"] = np.arange(N) % 2


def _tenx_h5(path, X):
    h5py = pytest.importorskip("h5py")
    S = sp.csr_matrix(X)
    with h5py.File(path, "w") as file:
        group = file.create_group("matrix")
        group.update({"data": S.data, "indices": S.indices, "indptr": S.indptr})
        group["shape"] = [M, N]
        group["barcodes"] = np.array(ROWS, dtype="S")
        group["features/name"] = np.array(COLUMNS, dtype="S")


def _tenx_folder(path, X):
    path.mkdir()
    _mtx_gz(path / "matrix.mtx.gz", X.T)
    for name, lines in (
        ("barcodes.tsv.gz", ROWS),
        ("features.tsv.gz", [f"ENS{j}\t{name}\tGene Expression" for j, name in enumerate(COLUMNS)]),
    ):
        with gzip.open(path / name, "wt") as stream:
            stream.write("\n".join(lines) + "\n")


FORMATS = {
    "named.csv": _csv,
    "plain.csv": _plain_csv,
    "semicolons.csv": _semicolons,
    "of-r.tsv": _of_r,
    "tabs-in.csv": _of_r,
    "blanks.txt": _blanks,
    "named.csv.gz": _gz,
    "utf-16.tsv": _utf_16,
    "dense.npy": np.save,
    "dense.npz": lambda path, X: np.savez_compressed(path, X=X, note=np.array("text")),
    "sparse.npz": lambda path, X: sp.save_npz(path, sp.csc_matrix(X)),
    "sparse.mtx": lambda path, X: scipy.io.mmwrite(path, sp.coo_matrix(X)),
    "dense.mtx": lambda path, X: scipy.io.mmwrite(path, X),
    "sparse.mtx.gz": _mtx_gz,
    "named.parquet": lambda path, X: _frame(X).to_parquet(path),
    "plain.feather": lambda path, X: _frame(X).reset_index(drop=True).to_feather(path),
    "dense.mat": lambda path, X: scipy.io.savemat(path, {"X": X, "names": "text"}),
    "sparse.mat": lambda path, X: scipy.io.savemat(path, {"V": sp.csc_matrix(X)}),
    "new.mat": _mat_73,
    "cells.h5ad": _h5ad,
    "cells.h5": _tenx_h5,
    "10x": _tenx_folder,
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_matrix(name, X, tmp_path):
    """Numbers, names where the file has them, and one key of all that are stored alike."""
    path = tmp_path / name
    FORMATS[name](path, X)
    found = read(path)
    dense = found.X.toarray() if sp.issparse(found.X) else found.X
    np.testing.assert_array_equal(dense, X)
    assert dense.dtype == np.float64
    assert found.name == name
    named = name in ("semicolons.csv", "utf-16.tsv", "10x", "cells.h5ad", "cells.h5") or (
        name.startswith(("named", "of-r", "tabs"))
    )
    assert found.sample_names == (ROWS if named else None)
    assert found.feature_names == (COLUMNS if named or name == "plain.feather" else None)
    same = sp.csr_matrix(X) if sp.issparse(found.X) else X
    assert found.key == read(same).key
    assert found.diagnosis.kind == "counts"


def test_pictures_of_a_folder_are_rows(tmp_path):
    """Grey levels from 0 to 1 in the order of names; folders are classes, sizes can be changed."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (6, 4, 3), dtype=np.uint8)
    for i, picture in enumerate(pixels):
        (tmp_path / "ab"[i % 2]).mkdir(exist_ok=True)
        Image.fromarray(picture).save(tmp_path / "ab"[i % 2] / f"{i}.png")
    (tmp_path / "readme.md").write_text("no picture")
    found = read(tmp_path, labels="folder")
    order = [0, 2, 4, 1, 3, 5]
    np.testing.assert_allclose(found.X, pixels[order].reshape(6, -1) / 255)
    assert found.image_shape == (4, 3)
    assert found.y.tolist() == ["a"] * 3 + ["b"] * 3
    assert found.sample_names[0] == "a/0.png"
    assert read(tmp_path, image_side=2).X.shape == (6, 4)
    Image.new("L", (7, 7)).save(tmp_path / "c.png")
    with pytest.raises(OwnDataError, match=r"several sizes: 6 of 3 x 4 .* image_side"):
        read(tmp_path)


def test_frames_and_lists_are_read(X):
    """A data frame brings names and labels; a list of lists is a matrix."""
    frame = _frame(X)
    frame["kind"] = ["a", "b"] * (N // 2)
    found = read(frame, labels="kind")
    assert found.sample_names == ROWS
    assert found.feature_names == COLUMNS
    assert found.y.tolist() == ["a", "b"] * (N // 2)
    assert read(X.tolist()).key == found.key
    with pytest.raises(OwnDataError, match=r"labels='kind'"):
        read(frame)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(["a", "b"] * (N // 2)),
        "label\n" + "\n".join(["a", "b"] * (N // 2)),
        "\n".join(f"s{i},{'ab'[i % 2]}" for i in reversed(range(N))),
        "sample;class\n" + "\n".join(f"s{i};{'ab'[i % 2]}" for i in reversed(range(N))),
    ],
)
def test_labels_come_from_a_file(text, X, tmp_path):
    """One in each line, or by the names of the samples in any order; with or without a header."""
    _csv(tmp_path / "X.csv", X)
    (tmp_path / "y.csv").write_text(text)
    assert read(tmp_path / "X.csv", labels=tmp_path / "y.csv").y.tolist() == ["a", "b"] * (N // 2)


def test_labels_come_from_columns_and_arrays(X, tmp_path):
    """A column of text or of numbers, an array of an archive, a column of obs, a sequence."""
    frame = _frame(X).assign(kind=["a", "b"] * (N // 2), number=[1, 2, 3] * (N // 3))
    frame.to_csv(tmp_path / "X.csv")
    with pytest.raises(OwnDataError, match="text in 1 of 8 columns: 'kind'"):
        read(tmp_path / "X.csv")
    frame.drop(columns="kind").to_csv(tmp_path / "X.csv")
    found = read(tmp_path / "X.csv", labels="number")
    assert found.y.tolist() == [1, 2, 3] * (N // 3)
    assert found.feature_names == COLUMNS
    np.testing.assert_array_equal(found.X, X)
    numbers = np.arange(N) % 2
    np.savez(tmp_path / "X.npz", X=X, y=numbers)
    assert read(tmp_path / "X.npz", labels="y").y.tolist() == numbers.tolist()
    np.save(tmp_path / "y.npy", numbers)
    assert read(X, labels=tmp_path / "y.npy").y.tolist() == numbers.tolist()
    _h5ad(tmp_path / "X.h5ad", X)
    assert read(tmp_path / "X.h5ad", labels="kind").y.tolist() == ["a", "b"] * (N // 2)
    assert read(X, labels=list(numbers)).y.tolist() == numbers.tolist()


def test_samples_may_be_columns(X, tmp_path):
    """Names turn with the matrix; labels of the wrong length say so."""
    _frame(X).T.to_csv(tmp_path / "X.csv")
    found = read(tmp_path / "X.csv", transpose=True)
    np.testing.assert_array_equal(found.X, X)
    assert (found.sample_names, found.feature_names) == (ROWS, COLUMNS)
    with pytest.raises(OwnDataError, match="transpose=True if samples are columns"):
        read(tmp_path / "X.csv", labels=["a", "b"] * (N // 2))


def test_missing_entries_are_refused(tmp_path):
    """An empty cell and NA are NaN; the error names the first."""
    (tmp_path / "X.csv").write_text("name,a,b\nu,1,\nv,NA,4\nw,5,6\n")
    found = read(tmp_path / "X.csv")
    assert found.diagnosis.missing == [(0, 1), (1, 0)]
    with pytest.raises(OwnDataError, match=r"2 missing .* row 0 \('u'\), column 1 \('b'\): impute"):
        found.checked()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, -2.0], [3.0, 4.0]], r"1 negative entry \(smallest -2; the first in row 0"),
        ([[1.0, np.inf], [3.0, 4.0]], "1 infinite entries, the first in row 0, column 1"),
        ([[0.0, 0.0]], "zeros only"),
        ([[np.nan, np.nan]], "2 missing entries"),
        ([[1e300, 1.0]], "1e\\+300 as its largest entry"),
    ],
)
def test_what_cannot_be_factorized_says_where_and_what_to_do(X, message):
    """Negative, infinite, missing entries, zeros only, and numbers out of range."""
    with pytest.raises(OwnDataError, match=message):
        read(np.array(X)).checked()


def test_the_diagnosis_finds_what_was_put_in():
    """Zero rows and columns, duplicates, heavy tails, units, orientation; dense as sparse."""
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (200, 30)) * 1.0
    X[3], X[:, 4], X[7] = 0, 0, X[8]
    for found in (diagnose(X), diagnose(sp.csr_matrix(X))):
        assert (found.zero_rows, found.zero_columns) == ([3], [4])
        assert found.duplicate_rows == 1
        assert found.kind == "counts"
        assert not found.heavy_tails
        assert not found.looks_transposed
    Y = rng.gamma(2.0, size=(200, 30))
    assert diagnose(Y).kind == "real numbers"
    Y[5, 5] = 1e4
    assert diagnose(Y).heavy_tails
    Z = rng.poisson(rng.lognormal(1.0, 1.5, 200)[:, None] * np.ones(30)) * 1.0
    assert diagnose(Z).looks_transposed
    assert not diagnose(Z.T.copy()).looks_transposed
    shares = X[:, :4] + 1
    assert diagnose(shares / shares.sum(axis=1, keepdims=True) * 0.7).kind != "counts"


def test_the_key_is_of_the_content(X, tmp_path):
    """Another file name is the same key; another number, or shape, is not."""
    _plain_csv(tmp_path / "a.csv", X)
    np.save(tmp_path / "b.npy", X)
    assert read(tmp_path / "a.csv").key == read(tmp_path / "b.npy").key
    Y = X.copy()
    Y[0, 0] += 1e-9
    assert len({read(A).key for A in (X, Y, X.T, sp.csr_matrix(X))}) == 4


def test_nothing_is_unpickled(tmp_path):
    """Arrays of objects are refused, whatever they would run."""

    class Bad:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    bad = np.array([[Bad()]], dtype=object)
    np.save(tmp_path / "a.npy", bad)
    np.savez(tmp_path / "b.npz", X=bad)
    for name in ("a.npy", "b.npz"):
        with pytest.raises(OwnDataError, match="never unpickled"):
            read(tmp_path / name)
    assert not (tmp_path / "ran").exists()


def _zip_bomb(path):
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (65536, 65536), }\n"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("X.npy", "w", force_zip64=True) as stream,
    ):
        stream.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", len(header)) + header)
        for _ in range(20):
            stream.write(bytes(2**24))


def _gzip_bomb(path):
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(20):
            stream.write(b"1,1\n" * 2**22)


@pytest.mark.parametrize(("name", "make"), [("a.npz", _zip_bomb), ("a.csv.gz", _gzip_bomb)])
def test_what_unpacks_to_more_than_the_memory_is_not_read(name, make, tmp_path):
    """A file of a few megabytes that claims gigabytes."""
    make(tmp_path / name)
    with pytest.raises(OwnDataError, match="keep fewer rows or columns"):
        read(tmp_path / name, memory_limit=2**28)
