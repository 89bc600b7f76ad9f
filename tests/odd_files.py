"""Files that users have by mistake: what each is, how to write it, and how reading it ends.

``READ``: a matrix. Else a part of the one line that names the problem and the remedy.
"""

import gzip
import io
import itertools
import os
import struct
import zipfile
import zlib

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp
from PIL import Image

READ = "read"
_ROWS, _COLUMNS = 8, 5


def odd_files():
    """Dict of names to (ending, function that writes the file, how reading it ends)."""
    found = {}
    kinds = (tables, encodings, compressed, arrays, archives, coordinates, frames, matlab)
    for kind in (*kinds, containers, pictures, places):
        for name, *case in kind():
            assert name not in found, name
            found[name] = tuple(case)
    return found


def _numbers():
    return np.random.default_rng(0).integers(1, 90, (_ROWS, _COLUMNS)).astype(float)


def _cells():
    return [[f"{value:g}" for value in row] for row in _numbers()]


def _text(text, encoding="utf-8"):
    return lambda path: path.write_bytes(text.encode(encoding))


def _bytes(content):
    return lambda path: path.write_bytes(content)


# -- text -----------------------------------------------------------------------------------------


def _faults():
    """Faults of a table of cells: (name, cells, how reading it ends)."""
    head = [f"gene{j}" for j in range(_COLUMNS)]

    def changed(i, j, cell):
        cells = _cells()
        cells[i][j] = cell
        return cells

    short, long = _cells(), _cells()
    short[3].pop()
    long[5].append("7")
    yield "plain", _cells(), READ
    yield "header", [head, *_cells()], READ
    yield "names of rows", [["", *head], *([f"s{i}", *r] for i, r in enumerate(_cells()))], READ
    yield "duplicate names", [["a"] * _COLUMNS, *_cells()], READ
    yield "one row", _cells()[:1], READ
    yield "one column", [row[:1] for row in _cells()], READ
    yield "quotes", [[f'"{cell}"' for cell in row] for row in _cells()], READ
    yield "short row", short, "rows of unequal length"
    yield "long row", long, "rows of unequal length"
    yield "NA", changed(2, 1, "NA"), "impute"
    yield "nan", changed(2, 1, "nan"), "impute"
    yield "negative", changed(4, 2, "-3"), "negative entry"
    yield "infinite", changed(4, 2, "inf"), "infinite"
    yield "zeros", [["0"] * _COLUMNS] * _ROWS, "zeros only"
    yield "overflow", changed(1, 1, "1e300"), "divide the data"
    yield "tiny", [["1e-300"] * _COLUMNS] * _ROWS, "divide the data"
    yield "header alone", [head], ":"
    yield "word", changed(3, 3, "high"), "no numbers"
    yield "unit", changed(3, 3, "5mg"), "no numbers"
    yield "complex", changed(3, 3, "1+2j"), "no numbers"
    yield "all words", [head] * _ROWS, ":"
    yield "date", [["2024-01-02", *row[1:]] for row in _cells()], READ
    yield "two columns of words", [["x", "y", *row[2:]] for row in _cells()], "text in"
    yield "open quote", changed(3, 3, '"5'), ":"


def tables():
    for (word, separator, ending), (name, cells, end) in itertools.product(
        (
            ("commas", ",", ".csv"), ("semicolons", ";", ".csv"), ("tabs", "\t", ".tsv"),
            ("bars", "|", ".txt"), ("blanks", " ", ".txt"), ("tabs in .csv", "\t", ".csv"),
        ),
        _faults(),
    ):  # fmt: skip
        text = "".join(separator.join(row) + "\n" for row in cells)
        end = ":" if (word, name) == ("blanks", "quotes") else end
        yield f"{word}: {name}", ending, _text(text), end
    plain = "".join(",".join(row) + "\n" for row in _cells())
    gap = plain.replace(_cells()[2][1] + ",", ",", 1)
    yield "an empty cell", ".csv", _text(gap), "impute"
    yield "a separator at the end", ".csv", _text(plain.replace("\n", ",\n")), READ
    yield "comments before", ".csv", _text("# by hand\n% or not\n" + plain), READ
    yield "a title before", ".csv", _text("Counts of the year\n" + plain), "unequal length"
    yield "a sum after", ".csv", _text(plain + "total,9\n"), "unequal length"
    yield "lines of blanks", ".csv", _text(plain.replace("\n", "\n\n")), READ
    yield "Windows lines", ".csv", _text(plain.replace("\n", "\r\n")), READ
    yield "old Mac lines", ".csv", _text(plain.replace("\n", "\r")), READ
    yield "decimal commas", ".csv", _text(plain.replace(",", ";").replace("\n", ",5\n")), READ
    yield "empty", ".csv", _bytes(b""), "is empty"
    yield "blanks alone", ".csv", _bytes(b" \n \n"), "is empty"
    yield "comments alone", ".csv", _bytes(b"# a\n# b\n"), "comments and blanks"
    yield "zero bytes", ".csv", _bytes(bytes(500)), "is empty"
    yield "noise", ".csv", _bytes(np.random.default_rng(0).bytes(5000)), ":"
    yield (
        "a page",
        ".csv",
        _text("<!doctype html>\n<html><body>\n<p>404</p>\n</body></html>\n"),
        ":",
    )
    yield "JSON", ".csv", _text('{"X": [[1, 2], [3, 4]]}\n'), ":"
    yield "a spreadsheet", ".csv", _bytes(b"PK\x03\x04" + bytes(range(256)) * 8), ":"


def encodings():
    names = "größe,naïve,čas,température,π"
    rows = "".join(",".join(row) + "\n" for row in _cells())
    for encoding, end in (
        ("utf-8", READ), ("utf-8-sig", READ), ("utf-16", READ), ("utf-16-le", READ),
        ("utf-16-be", READ), ("utf-32", ":"), ("cp1252", READ), ("latin-1", READ),
        ("cp1250", READ), ("shift-jis", READ), ("gb18030", "UTF-8"), ("koi8-r", READ),
        ("cp037", ":"), ("utf-7", READ),
    ):  # fmt: skip
        head = names.encode(encoding, "replace").decode(encoding)
        yield f"in {encoding}", ".csv", _text(head + "\n" + rows, encoding), end
        words = _text(5 * "hello\n", encoding)
        yield f"words in {encoding}", ".csv", words, ":"


def compressed():
    plain = "".join(",".join(row) + "\n" for row in _cells()).encode()
    packed = gzip.compress(plain)
    yield "gzip", ".csv.gz", _bytes(packed), READ
    yield "gzip of tabs", ".tsv.gz", _bytes(gzip.compress(plain.replace(b",", b"\t"))), READ
    yield "cut gzip", ".csv.gz", _bytes(packed[:-9]), "no whole .gz"
    yield "no gzip", ".csv.gz", _bytes(plain), "no whole .gz"
    yield "a gzip bomb", ".csv.gz", _bytes(gzip.compress(bytes(1 << 26))), ":"
    yield "gzip of what", ".gz", _bytes(packed), "ending"
    yield "gzip of .npy", ".npy.gz", _bytes(packed), "ending"


# -- arrays ---------------------------------------------------------------------------------------


def _npy(array, **options):
    return lambda path: np.save(path, array, **options)


def _header_of(shape, dtype="<f8"):
    text = repr({"descr": dtype, "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def arrays():
    X = _numbers()
    whole = io.BytesIO()
    np.save(whole, X)
    with_nan, negative = X.copy(), X.copy()
    with_nan[1, 2], negative[3, 3] = np.nan, -1
    for dtype in ("f2", "f4", ">f8", "i1", "u2", ">i4", "?"):
        yield f".npy of {dtype}", ".npy", _npy(X.astype(dtype)), READ
    yield ".npy in Fortran order", ".npy", _npy(np.asfortranarray(X)), READ
    yield ".npy of NaN", ".npy", _npy(with_nan), "impute"
    yield ".npy of a negative", ".npy", _npy(negative), "negative entry"
    yield ".npy of zeros", ".npy", _npy(0 * X), "zeros only"
    yield ".npy of one dimension", ".npy", _npy(X[0]), "1 dimension"
    yield ".npy of no dimension", ".npy", _npy(np.float64(1)), "0 dimensions"
    yield ".npy of four dimensions", ".npy", _npy(np.ones((2, 2, 2, 2))), "dimension"
    yield ".npy of no row", ".npy", _npy(X[:0]), "row and a column"
    yield ".npy of no column", ".npy", _npy(X[:, :0]), "row and a column"
    yield ".npy of complex", ".npy", _npy(X + 1j), "real numbers"
    yield ".npy of text", ".npy", _npy(X.astype(str)), "real numbers"
    yield ".npy of bytes", ".npy", _npy(X.astype("S4")), "real numbers"
    yield ".npy of dates", ".npy", _npy(X.astype("i8").astype("M8[D]")), "real numbers"
    yield ".npy of records", ".npy", _npy(np.ones(4, "f8,i4")), ":"
    yield ".npy of objects", ".npy", _npy(X.astype(object), allow_pickle=True), "never unpickled"
    yield "cut .npy", ".npy", _bytes(whole.getvalue()[:-40]), "cut off"
    yield ".npy cut in its header", ".npy", _bytes(whole.getvalue()[:50]), ":"
    yield ".npy of noise", ".npy", _bytes(b"\x93NUMPY" + bytes(range(200))), ":"
    yield ".npy that is text", ".npy", _text("1,2\n3,4\n"), ":"
    yield "empty .npy", ".npy", _bytes(b""), ":"
    yield ".npy that announces too much", ".npy", _bytes(_header_of((10**9, 10**9))), ":"
    yield ".npy of a negative shape", ".npy", _bytes(_header_of((-1, 5))), ":"


def _npz(**given):
    return lambda path: np.savez(path, **given)


def _zip(**members):
    def write(path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(f"{name}.npy", content)

    return write


def archives():
    X = _numbers()
    whole = io.BytesIO()
    np.savez(whole, X=X)
    S = sp.csr_matrix(X)
    parts = {"data": S.data, "indptr": S.indptr, "shape": S.shape, "format": b"csr"}
    yield ".npz of one", ".npz", _npz(X=X), READ
    yield ".npz of X and another", ".npz", _npz(X=X, Y=X), READ
    yield ".npz of two", ".npz", _npz(first=X, second=X), "several matrices"
    yield ".npz of none", ".npz", _npz(), "no matrix"
    yield ".npz of words", ".npz", _npz(words=np.array(["a", "b"])), ":"
    yield ".npz of objects", ".npz", _npz(X=X.astype(object)), ":"
    yield ".npz of a negative", ".npz", _npz(X=-X), "negative entries"
    yield ".npz of a sparse matrix", ".npz", lambda path: sp.save_npz(path, S), READ
    yield ".npz of wrong indices", ".npz", _npz(indices=S.indices + 99, **parts), ":"
    yield ".npz of negative indices", ".npz", _npz(indices=S.indices - 99, **parts), ":"
    yield ".npz of too few indices", ".npz", _npz(indices=S.indices[:3], **parts), ":"
    yield "cut .npz", ".npz", _bytes(whole.getvalue()[:-60]), ":"
    yield ".npz that is no archive", ".npz", _text("X = 1\n"), ":"
    yield ".npz of other files", ".npz", _zip(X=b"no array"), ":"
    yield "a .npz bomb", ".npz", _zip(X=_header_of((1 << 20, 8)) + bytes(1 << 26)), ":"


def _mtx(head, *lines):
    return _text("\n".join([f"%%MatrixMarket {head}", *lines]) + "\n")


def coordinates():
    S = sp.random(9, 7, 0.4, random_state=0)
    real = "matrix coordinate real general"
    yield ".mtx", ".mtx", lambda path: scipy.io.mmwrite(path, S), READ
    yield ".mtx of an array", ".mtx", lambda path: scipy.io.mmwrite(path, _numbers()), READ
    pattern = "matrix coordinate pattern general"
    yield ".mtx of a pattern", ".mtx", _mtx(pattern, "3 2 2", "1 1", "3 2"), READ
    symmetric = "matrix coordinate real symmetric"
    yield ".mtx of half", ".mtx", _mtx(symmetric, "3 3 2", "1 1 2", "3 2 5"), READ
    yield ".mtx of a negative", ".mtx", _mtx(real, "3 2 2", "1 1 -4", "3 2 1"), "negative entry"
    yield ".mtx of no entry", ".mtx", _mtx(real, "3 2 0"), "zeros only"
    complex_numbers = "matrix coordinate complex general"
    yield ".mtx of complex", ".mtx", _mtx(complex_numbers, "1 1 1", "1 1 1 2"), "real"
    yield ".mtx beyond its shape", ".mtx", _mtx(real, "3 2 1", "9 9 4"), ":"
    yield ".mtx at row zero", ".mtx", _mtx(real, "3 2 1", "0 1 4"), ":"
    yield ".mtx of too few lines", ".mtx", _mtx(real, "3 2 5", "1 1 4"), ":"
    yield ".mtx of too many lines", ".mtx", _mtx(real, "3 2 1", "1 1 4", "2 1 4"), ":"
    yield ".mtx of words", ".mtx", _mtx(real, "3 2 1", "1 1 four"), ":"
    yield ".mtx without a head", ".mtx", _text("3 2 1\n1 1 4\n"), ":"
    yield ".mtx of a wrong head", ".mtx", _mtx("tensor coordinate real general", "1 1 1"), ":"
    yield "empty .mtx", ".mtx", _bytes(b""), ":"
    yield ".mtx that announces too much", ".mtx", _mtx(real, f"3 3 {10**14}", "1 1 1"), ":"
    huge = _mtx("matrix array real general", f"{10**8} {10**8}", "1")
    yield ".mtx of a huge array", ".mtx", huge, ":"


# -- tables of other programs ---------------------------------------------------------------------


def frames():
    numbers = pd.DataFrame(_numbers(), columns=list("abcde"))
    for ending, name in ((".parquet", "to_parquet"), (".feather", "to_feather")):
        for what, table, end in (
            ("numbers", numbers, READ),
            ("NaN", numbers.where(numbers > 20), "impute"),
            ("a negative", -numbers, "negative entries"),
            ("names first", numbers.assign(a=list("stuvwxyz")), READ),
            ("words", numbers.assign(b=list("stuvwxyz")), ":"),
            ("words alone", numbers.astype(str).map(lambda word: "w" + word), ":"),
            ("no row", numbers[:0], ":"),
            ("lists", numbers.assign(c=[[1.0, 2.0]] * _ROWS), ":"),
            ("truth values", numbers > 20, READ),
        ):
            yield f"{ending} of {what}", ending, _frame(table, name), end
        yield f"{ending} that is text", ending, _text("a,b\n1,2\n"), ":"
        yield f"empty {ending}", ending, _bytes(b""), ":"
        yield f"cut {ending}", ending, _cut(_frame(numbers, name)), ":"


def _frame(table, name):
    return lambda path: getattr(table, name)(path)


def _cut(write):
    def cut(path):
        write(path)
        path.write_bytes(path.read_bytes()[:-30])

    return cut


def matlab():
    X = _numbers()

    def mat(**given):
        return lambda path: scipy.io.savemat(path, given)

    yield ".mat", ".mat", mat(X=X), READ
    yield ".mat of a sparse matrix", ".mat", mat(X=sp.csc_matrix(X)), READ
    yield ".mat of two", ".mat", mat(one=X, two=X), "several matrices"
    yield ".mat of words", ".mat", mat(word="abc"), "no matrix"
    yield ".mat of cells", ".mat", mat(c=np.array([X, "a"], dtype=object)), "no matrix"
    yield ".mat of complex", ".mat", mat(X=X + 1j), ":"
    yield ".mat of a negative", ".mat", mat(X=-X), "negative entries"
    yield "cut .mat", ".mat", _cut(mat(X=X)), ":"
    yield ".mat that is text", ".mat", _text("1 2\n3 4\n"), ":"
    yield "Octave's text", ".mat", _text("# Created by Octave\n# name: X\n# type: matrix\n"), "-v7"
    yield "empty .mat", ".mat", _bytes(b""), ":"


def containers():
    for ending in (".h5ad", ".h5"):
        yield f"{ending} that is text", ending, _text("1 2\n3 4\n"), ":"
        yield f"empty {ending}", ending, _bytes(b""), ":"
        yield f"{ending} without a matrix", ending, _no_matrix, ":"


def _no_matrix(path):
    import h5py

    with h5py.File(path, "w") as file:
        file.create_group("obs")


# -- folders and places ---------------------------------------------------------------------------


def _folder(**files):
    def write(path):
        path.mkdir()
        for name, content in files.items():
            (path / name.replace("_", ".")).write_bytes(content)

    return write


def _png(width=6, height=5, seed=0):
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width), dtype=np.uint8)
    packed = io.BytesIO()
    Image.fromarray(pixels).save(packed, "PNG")
    return packed.getvalue()


def _announced(width, height):
    """A picture whose head announces more pixels than a machine holds."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(1 << 16))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(c)) + kind + c + struct.pack(">I", zlib.crc32(kind + c))
        for kind, c in chunks
    )


def pictures():
    yield "pictures", "", _folder(a_png=_png(), b_png=_png(seed=1)), READ
    yield "one picture", "", _folder(a_png=_png()), READ
    yield "pictures of two sizes", "", _folder(a_png=_png(), b_png=_png(7)), "image_side"
    yield "a broken picture", "", _folder(a_png=_png(), b_png=_png()[:-40]), ":"
    yield "text called picture", "", _folder(a_png=b"1 2 3"), ":"
    yield "a picture too large", "", _folder(a_png=_announced(60_000, 60_000)), ":"
    yield "an empty folder", "", _folder(), "no picture"
    yield "a folder of tables", "", _folder(a_csv=b"1,2\n"), "no picture"
    yield "a black picture", "", _folder(a_png=_png(), b_png=_png()), READ


def places():
    yield "nothing there", ".csv", lambda path: None, "not there"
    yield "a link to nothing", ".csv", lambda path: path.symlink_to("none.csv"), ":"
    yield "a link in a circle", ".csv", lambda path: path.symlink_to(path.name), ":"
    yield "a pipe", ".csv", os.mkfifo, "not a regular file"
    for ending in (".xlsx", ".ods", ".docx", ".pdf", ".rds", ".RData", ".pkl", ".json", ".zip"):
        yield f"a file {ending}", ending, _bytes(b"anything"), "ending"
    yield "a file without an ending", "", _bytes(b"1 2\n"), "ending"
