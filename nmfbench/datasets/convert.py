"""Public originals -> prepared arrays, one function per file format.

Each takes the paths of the downloaded originals and returns the arrays of a prepared file, in
the same types, so that the result can be compared with the file this suite was checked with.
"""

import gzip
import io
import re
import tarfile
import zipfile
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.io import loadmat, mmread

__all__ = ["HOSTS", "Home", "Wheel", "pgm", "resize_mean"]

#: Public homes of the originals. Tests point them at a local server.
HOSTS = {
    "att": "https://www.cl.cam.ac.uk/Research/DTG/attarchive/pub/data",
    "bsds": "https://www2.eecs.berkeley.edu/Research/Projects/CS/vision/grouping/BSR",
    "cai": "http://www.cad.zju.edu.cn/home/dengcai/Data",
    "cbcl": "http://www.ai.mit.edu/courses/6.899/lectures",
    "mnist": "https://storage.googleapis.com/cvdf-datasets/mnist",
    "olivetti": "https://ndownloader.figshare.com/files",
    "roweis": "https://cs.nyu.edu/~roweis/data",
    "ucd": "http://mlg.ucd.ie/files/datasets",
    "uci": "https://archive.ics.uci.edu/ml/machine-learning-databases",
}


@dataclass(frozen=True)
class Home:
    """A public home of a data set.

    Attributes
    ----------
    urls : tuple of str
        Addresses, ``{cai}`` and the like standing for an entry of :data:`HOSTS`.
    convert : callable
        Paths of the downloads to prepared arrays.
    exact : bool
        The conversion gives the very arrays of the prepared file; anything else is an error.
        Where it is False, a result that differs is kept apart, as a named variant.
    variant : str
        What to call that variant.
    hashes : tuple of str or None
        SHA-256 of each download, where it is known.
    """

    urls: tuple
    convert: object
    exact: bool = True
    variant: str = ""
    hashes: tuple = ()

    @property
    def places(self) -> list[str]:
        """Addresses, in full."""
        return [url.format(**HOSTS) for url in self.urls]


@dataclass(frozen=True)
class Wheel:
    """A package whose wheel holds a data set, wherever pip gets its packages from.

    Nothing of it is installed, imported or run.

    Attributes
    ----------
    requirement : str
        Name and version, as ``"scanpy==1.11.5"``.
    members : tuple of str
        Paths within the wheel.
    convert : callable
        Paths of the unpacked members to prepared arrays.
    hashes : tuple of str
        SHA-256 of each member.
    needs : str, optional
        Module that ``convert`` imports and that may not be installed.
    """

    requirement: str
    members: tuple
    convert: object
    hashes: tuple
    needs: str | None = None

    exact: ClassVar[bool] = True

    @property
    def places(self) -> list[str]:
        """Members, and what they are part of."""
        return [f"{member} of {self.requirement}" for member in self.members]


def _images(X, y, image_shape):
    arrays = {"X": X, "image_shape": np.asarray(image_shape, np.int32)}
    return arrays if y is None else arrays | {"y": np.asarray(y, np.int16).ravel()}


def resize_mean(images, factor):
    """Block means of a stack of images (n, height, width)."""
    n, height, width = images.shape
    blocks = images.reshape(n, height // factor, factor, width // factor, factor)
    return blocks.mean(axis=(2, 4))


def pgm(data):
    """Pixels of a binary PGM (P5) image of 8 bits."""
    head = re.match(rb"P5\s(?:\s*#.*\n)*\s*(\d+)\s+(?:#.*\n)*(\d+)\s+(?:#.*\n)*(\d+)\s", data)
    if head is None or int(head[3]) > 255:
        raise ValueError("not an 8-bit binary PGM image")
    width, height = int(head[1]), int(head[2])
    return np.frombuffer(data, np.uint8, width * height, head.end()).reshape(height, width)


# Deng Cai's files: `fea` (samples, features), images column by column, and `gnd` from 1.
def _cai_images(paths, *, shape, dtype):
    mat = loadmat(paths[0], variable_names=["fea", "gnd"])
    images = mat["fea"].reshape(-1, *shape[::-1]).transpose(0, 2, 1)
    X = np.ascontiguousarray(images, dtype).reshape(len(images), -1)
    return _images(X, mat["gnd"], shape)


def cai_images(shape=(32, 32), dtype="uint8"):
    return partial(_cai_images, shape=shape, dtype=np.dtype(dtype))


def cai_text(paths):
    mat = loadmat(paths[0], variable_names=["fea", "gnd", "trainIdx", "testIdx"])
    arrays = _csr(mat["fea"]) | {"y": mat["gnd"].astype(np.int16).ravel()}
    for theirs, ours in (("trainIdx", "train_idx"), ("testIdx", "test_idx")):
        if theirs in mat:
            arrays[ours] = (mat[theirs].astype(int).ravel() - 1).astype(np.int16)
    return arrays


def _csr(counts, dtype=np.uint8):
    counts = sp.csr_matrix(counts)
    counts.sum_duplicates()
    return {
        "data": counts.data.astype(dtype),
        "indices": counts.indices.astype(np.int32),
        "indptr": counts.indptr.astype(np.int32),
        "shape": np.asarray(counts.shape, np.int64),
    }


def bbc(paths):
    """``bbc.zip``: a terms x documents matrix, and documents named after their class."""
    with zipfile.ZipFile(paths[0]) as archive:
        members = {name.rsplit("/", 1)[-1]: name for name in archive.namelist()}
        counts = mmread(io.BytesIO(archive.read(members["bbc.mtx"])))
        terms = archive.read(members["bbc.terms"]).decode("utf-8").split()
        docs = archive.read(members["bbc.docs"]).decode("utf-8").split()
    names, y = np.unique([doc.split(".")[0] for doc in docs], return_inverse=True)
    words = {"names": names, "terms": np.array(terms), "docs": np.array(docs)}
    return _csr(counts.T) | words | {"y": y.astype(np.int16)}


def semeion(paths):
    """Rows of 256 binary pixels and 10 class indicators."""
    table = np.loadtxt(paths[0])
    return _images(table[:, :256].astype(np.uint8), table[:, 256:].argmax(axis=1), (16, 16))


def idx(paths):
    """MNIST's own format: images, then labels."""
    pixels, labels = (gzip.decompress(path.read_bytes()) for path in paths)
    n, height, width = np.frombuffer(pixels, ">i4", 3, 4)
    X = np.frombuffer(pixels, np.uint8, offset=16).reshape(n, height * width)
    return _images(X, np.frombuffer(labels, np.uint8, offset=8), (height, width))


def olivetti(paths):
    """The 64 x 64 Olivetti faces (columns of ``faces``) as 32 x 32 block means."""
    faces = loadmat(paths[0], variable_names=["faces"])["faces"]
    images = faces.T.reshape(-1, 64, 64).transpose(0, 2, 1).astype(float)
    X = np.rint(resize_mean(images, 2)).astype(np.uint8).reshape(len(images), -1)
    return _images(X, np.repeat(np.arange(1, len(X) // 10 + 1), 10), (32, 32))


def umist(paths):
    """Sam Roweis's ``umist_cropped.mat`` (112 x 92) as 28 x 23 block means."""
    subjects = loadmat(paths[0], variable_names=["facedat"])["facedat"].ravel()
    stacks = [resize_mean(faces.transpose(2, 0, 1).astype(float), 4) for faces in subjects]
    X = np.concatenate(stacks).astype(np.float32)
    y = np.repeat(np.arange(1, len(stacks) + 1), [len(stack) for stack in stacks])
    return _images(X.reshape(len(X), -1), y, X.shape[1:])


def att_faces(paths):
    """``att_faces.zip``: ``s<subject>/<number>.pgm``."""
    with zipfile.ZipFile(paths[0]) as archive:
        found = [re.search(r"s(\d+)/(\d+)\.pgm$", name) for name in archive.namelist()]
        order = sorted((int(m[1]), int(m[2]), m.string) for m in found if m)
        images = np.stack([pgm(archive.read(name)) for _, _, name in order])
    y = [subject for subject, _, _ in order]
    return _images(images.reshape(len(images), -1), y, images.shape[1:])


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    if file is None:
        raise ValueError(f"{name} is no file")
    return file.read()


def cbcl(paths):
    """``faces.tar.gz``: the training faces are an archive within the archive."""
    with tarfile.open(paths[0]) as outer:
        name = next(m for m in outer.getnames() if m.endswith("face.train.tar.gz"))
        inner_bytes = io.BytesIO(_member(outer, name))
    with tarfile.open(fileobj=inner_bytes) as inner:
        names = sorted(m for m in inner.getnames() if re.search(r"train/face/.*\.pgm$", m))
        images = np.stack([pgm(_member(inner, name)) for name in names])
    return _images(images.reshape(len(images), -1), None, images.shape[1:])


def mfeat(paths):
    """The six text tables of UCI's Multiple Features, 200 rows a digit."""
    types = {"fac216": np.uint16, "pix240": np.uint8}
    names = ["fac216", "fou76", "kar64", "mor6", "pix240", "zer47"]
    tables = [np.loadtxt(path, ndmin=2) for path in paths]
    views = {f"view_{n}": t.astype(types.get(n, float)) for n, t in zip(names, tables, strict=True)}
    y = np.repeat(np.arange(10), len(tables[0]) // 10).astype(np.int16)
    return views | {"names": np.array(names), "y": y}


def indian_pines(paths):
    """tensorly's arrays: the cube (height, width, bands), and land cover, 0 where it is unknown."""
    cube, cover = (np.load(path, allow_pickle=False) for path in paths)
    X = cube.reshape(-1, cube.shape[2])
    return {"X": X, "y": cover.ravel(), "scene_shape": np.asarray(cover.shape, np.int32)}


def pbmc68k(paths):
    """scanpy's ``10x_pbmc68k_reduced.h5ad``, which has :math:`\\log(1 + 10^4 c / t)`, rounded to
    three decimals, of the counts c of a cell with t counts in all: the counts are found from it."""
    import h5py  # optional

    with h5py.File(paths[0]) as file:
        parts = [file[f"raw.X/{part}"][:] for part in ("data", "indices", "indptr")]
        cells, genes = file["obs"][:], file["raw.var"]["index"]
        types = file["uns/bulk_labels_categories"][:]
    totals = cells["n_counts"].astype(float)
    scaled = sp.csr_matrix((np.expm1(parts[0].astype(float)), *parts[1:]))
    counts = scaled.multiply(totals[:, None] / 1e4).tocsr()
    rounded = np.rint(counts.data)
    if np.abs(counts.data - rounded).max() > 0.25:
        raise ValueError("entries that are no counts")
    counts.data = rounded
    return _csr(counts, np.uint16) | {
        "totals": totals.astype(np.int32),
        "terms": genes.astype(str),
        "y": cells["bulk_labels"].astype(np.int16),
        "names": types.astype(str),
    }


#: The 24 images of the prepared file, in its order.
BSDS_IDS = [
    "3096", "8068", "12003", "24063", "37073", "41004", "42049", "86016",
    "86068", "113044", "118035", "135069", "147091", "161062", "167062", "198023",
    "227092", "238011", "241004", "253036", "260058", "296059", "300091", "35058",
]  # fmt: skip


def bsds(paths):
    """``BSR_bsds500.tgz``: JPEG images, and a cell of human segmentations for each."""
    from PIL import Image

    arrays, split = {}, []
    with tarfile.open(paths[0]) as archive:
        members = {"/".join(m.split("/")[-2:]): m for m in archive.getnames()}
        for number in BSDS_IDS:
            part = next(p for p in ("train", "val", "test") if f"{p}/{number}.jpg" in members)
            jpeg = io.BytesIO(_member(archive, members[f"{part}/{number}.jpg"]))
            truth = io.BytesIO(_member(archive, members[f"{part}/{number}.mat"]))
            drawn = loadmat(truth)["groundTruth"].ravel()
            segmentations = [np.asarray(one["Segmentation"][0, 0], np.uint8) for one in drawn]
            arrays[f"image_{number}"] = np.asarray(Image.open(jpeg).convert("RGB"))
            arrays[f"segs_{number}"] = np.stack(segmentations)
            split.append(part)
    return arrays | {"ids": np.array(BSDS_IDS), "split": np.array(split)}
