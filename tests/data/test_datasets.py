"""Data sets: real, bundled, generated and stand-ins, and errors of damaged files."""

import hashlib
import json
import re
import textwrap
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.utils import Bunch
from third_party import prepared, real

import nmfbench.datasets
from nmfbench.core.registry import Entry, UnknownNameError, datasets, register_dataset
from nmfbench.datasets import (
    DataError,
    DataMissingError,
    dataset_available,
    dataset_info,
    load_dataset,
    verify,
)
from nmfbench.datasets.convert import Wheel
from nmfbench.datasets.files import (
    content_hash,
    forget,
    prepared_folders,
    read_registered,
    write_arrays,
)
from nmfbench.datasets.images import area_averaged

STORED = [name for name in datasets if "file" in datasets[name].info]
PREPARED = [
    name
    for name in STORED
    if "sha256" in datasets[name].info
    and not any(isinstance(home, Wheel) for home in datasets[name].info.get("homes", ()))
]
BUNDLED = [name for name in datasets if "file" not in datasets[name].info]
WITH_SLICES = [name for name in PREPARED if datasets[name].info["kind"] == "multiview"]


def manifest():
    """The list of the prepared files, as it lies beside them."""
    for folder in prepared_folders():
        if (folder / "MANIFEST.json").is_file():
            listed = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
            return {row["file"].rsplit("/", 1)[-1]: row for row in listed["files"]}
    return pytest.skip(
        "MANIFEST.json comes with the prepared data files, which the project may not redistribute; "
        "the test runs where NMFBENCH_DATA names a folder that has it"
    )


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A machine without data: a folder of prepared files and a cache, both empty."""
    folder = tmp_path / "prepared"
    folder.mkdir()
    monkeypatch.setenv("NMFBENCH_DATA", str(folder))
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path / "cache"))
    forget()
    yield folder
    forget()


@pytest.fixture
def tiny(empty, monkeypatch):
    """A registered set of 6 x 4 pixels whose file is in the folder of prepared files."""
    arrays = {
        "X": np.arange(24, dtype=np.uint8).reshape(6, 4),
        "y": np.array([1, 1, 1, 2, 2, 3], np.int16),
        "image_shape": np.array([2, 2], np.int32),
    }
    path = write_arrays(empty / "tiny.npz", arrays)

    def register(**changes):
        info = {"file": "tiny.npz", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        info |= {"n_samples": 6, "n_features": 4, "n_classes": 3, "kind": "images"} | changes
        monkeypatch.setitem(datasets._entries, "tiny", Entry("tiny", datasets["orl"].target, info))

    register()
    return Bunch(path=path, register=register)


@pytest.mark.parametrize("name", datasets)
def test_metadata_are_filled_in(name):
    """Every data set says what it is, how large, whose, under what terms and in what scale."""
    row = dataset_info(name)
    json.dumps(row)
    assert row["name"] == name
    for key in ("title", "kind", "source", "licence", "scaling", "n_samples", "n_features"):
        assert row[key], f"{name}: {key} is empty"
    assert isinstance(row["available"], bool)


@pytest.mark.parametrize("name", STORED)
def test_real_data_have_the_registered_shape(name):
    """Real data have the stated samples, features and classes, and no negative entry."""
    data, row = real(name), dataset_info(name)
    assert data.X.shape == (row["n_samples"], row["n_features"])
    assert data.X.dtype == np.float64
    assert data.X.min() >= 0
    assert not data.is_stand_in
    assert (None if data.y is None else len(np.unique(data.y))) == row["n_classes"]
    if data.image_shape is not None:
        assert np.prod(data.image_shape) == data.X.shape[1]
    if row["scaling"].endswith("in [0, 1]"):
        assert data.X.max() <= 1
    if row["kind"] in ("images", "video", "segmentation"):
        assert data.X.max() <= data.upper == 1
    if sp.issparse(data.X):
        assert data.X.has_canonical_format
        assert data.X.data.min() > 0


def test_every_prepared_file_has_a_name():
    """The registry reaches every prepared file, with the checksum that the manifest gives; all
    others come from a wheel, or their users make them."""
    listed = manifest()
    registered = {datasets[name].info["file"]: datasets[name].info["sha256"] for name in PREPARED}
    assert registered == {file: row["sha256"] for file, row in listed.items()}


@pytest.mark.parametrize("name", PREPARED)
def test_prepared_files_agree_with_the_manifest(name):
    """Shape, number of classes and image shape are as in the manifest."""
    row = manifest()[datasets[name].info["file"]]
    data = real(name, **({"views": None} if name in WITH_SLICES else {}))
    if row.get("image_shape"):
        assert data.image_shape == tuple(row["image_shape"])
    if name == "corel5k":
        assert data.Y.shape[1] == row["classes"]
    elif isinstance(row["classes"], int):
        assert len(np.unique(data.y)) == row["classes"]
    if name in WITH_SLICES:
        widths = dict(
            zip(data.view_names, (view.stop - view.start for view in data.views), strict=True)
        )
        assert widths.items() <= {key: shape[1] for key, shape in row["shape"].items()}.items()
    elif name != "bsds":
        assert data.X.shape == tuple(row["shape"])


def test_reuters_ten_largest_classes():
    """Reuters with its ten largest classes is the paper's 7285 x 18221 matrix."""
    data = real("reuters", largest_classes=10)
    assert data.X.shape == (7285, 18221)
    assert list(np.unique(data.y)) == list(range(1, 11))
    whole = load_dataset("reuters")
    rows = np.flatnonzero(whole.y <= 10)
    assert data.X.sum() == whole.X[rows].sum()
    assert set(rows[data.train_idx]) == set(whole.train_idx) & set(rows)


def test_text_keeps_its_words():
    """The columns of the BBC matrix keep their words when classes are dropped."""
    data, whole = real("bbc", largest_classes=2), load_dataset("bbc")
    assert data.X.shape[1] == len(data.terms) < len(whole.terms) == whole.X.shape[1]
    column = list(whole.terms).index("govern")
    docs = np.isin(whole.docs, data.docs)
    kept = data.X[:, list(data.terms).index("govern")]
    assert (kept != whole.X[docs][:, column]).nnz == 0


def test_video_masks_belong_to_frames():
    """Masks have the size of a frame, frame numbers within the clip, and known codes."""
    data = real("video-wavingtrees")
    assert data.masks.shape == (len(data.gt_frames), data.X.shape[1])
    assert data.gt_frames.max() < len(data.X) == len(data.frame_index)
    assert set(np.unique(data.masks)) <= {0, 50, 170, 255}
    assert real("video-hall").masks is None


def test_segmentations_fit_their_images():
    """Every human segmentation has the size of its image, and X holds the grey image."""
    data = real("bsds")
    for image, drawn, shape, row in zip(
        data.images, data.segmentations, data.image_shapes, data.X, strict=True
    ):
        assert image.shape == (*shape, 3)
        assert drawn.shape[1:] == shape
        expected = image @ [0.299, 0.587, 0.114] / 255
        np.testing.assert_allclose(row.reshape(shape), expected, atol=1e-12)


@pytest.mark.parametrize("name", WITH_SLICES)
def test_views_cover_the_columns(name):
    """Views are slices that cover the columns of X in order; some of them can be chosen."""
    data = load_dataset(name, stand_in=True)
    assert [view.stop for view in data.views[:-1]] == [view.start for view in data.views[1:]]
    assert (data.views[0].start, data.views[-1].stop) == (0, data.X.shape[1])
    last, first = data.view_names[-1], data.view_names[0]
    chosen = load_dataset(name, stand_in=True, views=[last, first])
    assert chosen.view_names == [last, first]
    assert abs(chosen.X[:, chosen.views[0]] - data.X[:, data.views[-1]]).max() == 0
    with pytest.raises(ValueError, match="has the views"):
        load_dataset(name, stand_in=True, views=["nonesuch"])


def test_the_negative_view_is_left_out():
    """kar64, the only view with negative values, comes only on request."""
    assert "kar64" not in real("mv-mfeat").view_names
    asked = real("mv-mfeat", views=("kar64", "pix240"))
    assert asked.X.shape == (2000, 304)
    assert asked.X.min() < 0


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_and_generated_data_need_no_file(empty, name):
    """Bundled and generated data load on a machine without data, with the stated shape."""
    data, row = load_dataset(name), dataset_info(name)
    assert data.X.shape == (row["n_samples"], row["n_features"])
    assert data.X.min() >= 0
    assert data.X.max() <= 1
    assert dataset_available(name)
    assert verify(name) == "ok"
    assert not data.is_stand_in


def test_dense_random_matrices_are_what_they_say():
    """Uniform entries fill [0, 1]; a low-rank matrix has its rank and Laplace noise."""
    X = load_dataset("uniform", rng=0, n_samples=80, n_features=60).X
    assert X.shape == (80, 60)
    np.testing.assert_allclose(np.quantile(X, [0, 0.25, 0.5, 1]), [0, 0.25, 0.5, 1], atol=0.02)
    assert np.linalg.matrix_rank(X) == 60
    sizes = {"n_samples": 300, "n_features": 200, "n_components": 7}
    data = load_dataset("noisy-low-rank", rng=0, **sizes, noise=0.3)
    assert np.linalg.matrix_rank(data.clean) == 7
    assert data.clean.max() == 1
    free = (data.clean > 2 * data.clean.mean()) & (data.clean < 0.5)  # where nothing is clipped
    noise = np.abs(data.X - data.clean)[free].mean() / data.clean.mean()
    assert noise == pytest.approx(0.3, rel=0.05)
    clean = load_dataset("noisy-low-rank", rng=0, **sizes, noise=0)
    np.testing.assert_array_equal(clean.X, data.clean)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("uniform", "n_samples"), ("noisy-low-rank", "n_components"), ("noisy-low-rank", "noise")],
)
def test_bad_sizes_of_random_matrices_are_named(name, wrong):
    """A size below one, or a negative noise, is an error that names the parameter."""
    with pytest.raises(ValueError, match=f"{wrong} must"):
        load_dataset(name, rng=0, **{wrong: -1})


def test_near_separable_structure():
    """Every sample is a conic combination of the anchors; an anchor is none of the others'."""
    data = load_dataset(
        "near-separable",
        rng=np.random.default_rng(3),
        n_samples=40,
        n_features=30,
        n_components=6,
    )
    assert data.X.shape == (40, 30)
    assert list(data.anchors) == sorted(set(data.anchors))
    assert len(data.anchors) == 6
    np.testing.assert_array_equal(data.X[data.anchors], data.components)
    np.testing.assert_allclose(data.X, data.weights @ data.components, atol=1e-14)
    np.testing.assert_allclose(data.weights.sum(axis=1), 1)
    for i, sample in enumerate(data.X):
        others = np.setdiff1d(data.anchors, [i])
        assert (nnls(data.X[others].T, sample)[1] < 1e-10) == (i not in data.anchors)


def test_near_separable_columns_of_random_scale():
    """The same points, each times a factor that is one of its own."""
    sizes = {"n_samples": 40, "n_features": 30, "n_components": 6}
    plain, scaled = (
        load_dataset("near-separable", rng=np.random.default_rng(3), spread=spread, **sizes)
        for spread in (0.0, 1.0)
    )
    factors = scaled.X / plain.X
    np.testing.assert_allclose(factors, np.repeat(factors[:, :1], 30, axis=1))
    assert np.log(factors[:, 0]).std() == pytest.approx(1.0, abs=0.3)
    np.testing.assert_array_equal(scaled.anchors, plain.anchors)
    np.testing.assert_array_equal(scaled.X[scaled.anchors], scaled.components)
    np.testing.assert_allclose(scaled.X, scaled.weights @ scaled.components)


def test_near_separable_is_shuffled_and_seeded():
    """Anchors lie anywhere, and equal seeds give equal data."""
    first, again, other = (load_dataset("near-separable", rng=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.X, again.X)
    assert list(first.anchors) != list(other.anchors)
    assert first.anchors.max() > 100
    with pytest.raises(ValueError, match="n_components <= n_samples"):
        load_dataset("near-separable", n_samples=3)


@pytest.mark.parametrize("name", PREPARED)
def test_stand_ins_say_so(empty, name):
    """Missing data stop with a remedy; a stand-in is non-negative, fixed and labelled."""
    assert not dataset_available(name)
    assert verify(name) == "missing"
    with pytest.raises(DataMissingError, match=r"NMFBENCH_DATA.*--stand-in"):
        load_dataset(name)
    first = load_dataset(name, rng=1, stand_in=True)
    again = load_dataset(name, rng=2, stand_in=True)
    assert first.is_stand_in
    assert first.name == name
    assert first.X.min() >= 0
    assert abs(first.X - again.X).max() == 0
    assert np.asarray(first.X.sum(axis=1)).min() > 0
    assert (first.y is None) == (dataset_info(name)["n_classes"] is None)
    for key, value in first.items():  # arrays that go with the samples
        if key in ("y", "Y", "masks"):
            assert value is None or len(value) == len(np.asarray(first.X.sum(axis=1)))


def test_missing_data_name_the_command(empty):
    """The message names the very command that gets the data, where there is one."""
    with pytest.raises(DataMissingError, match="'nmfbench data fetch orl'"):
        load_dataset("orl")
    with pytest.raises(DataMissingError, match="no public home"):
        load_dataset("pie")


@pytest.mark.parametrize("value", ["", "nowhere"])
def test_the_variable_hides_neighbouring_data(empty, monkeypatch, tmp_path, value):
    """NMFBENCH_DATA set to nothing, or to no folder, hides the folder beside the checkout."""
    monkeypatch.setenv("NMFBENCH_DATA", value)
    assert prepared_folders() == []
    assert not dataset_available("orl")


def test_the_folder_beside_the_current_one_is_searched(tmp_path, monkeypatch):
    """Without NMFBENCH_DATA, ../shared/data beside the current folder is searched."""
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    monkeypatch.delenv("NMFBENCH_DATA", raising=False)
    monkeypatch.chdir(tmp_path / "work")
    assert tmp_path / "shared" / "data" in prepared_folders()


def test_a_prepared_file_is_scaled_to_one(tiny):
    """8-bit grey levels are divided by 255."""
    data = load_dataset("tiny")
    np.testing.assert_array_equal(data.X * 255, np.arange(24).reshape(6, 4))
    assert data.image_shape == (2, 2)


def test_largest_classes_break_ties_by_label(tiny):
    """Of classes of equal size the lower label is kept, and images keep all their pixels."""
    path = tiny.path
    arrays = {
        "X": np.zeros((6, 4), np.uint8),
        "y": np.array([3, 3, 2, 2, 1, 9], np.int16),
        "image_shape": np.array([2, 2]),
    }
    write_arrays(path, arrays)
    tiny.register(sha256=hashlib.sha256(path.read_bytes()).hexdigest(), n_classes=4)
    assert list(load_dataset("tiny", largest_classes=1).y) == [2, 2]
    data = load_dataset("tiny", largest_classes=3)
    assert list(data.y) == [3, 3, 2, 2, 1]
    assert data.X.shape == (5, 4)
    for bad in (0, 5, 1.5, "two"):
        with pytest.raises(ValueError, match="whole number from 1 to 4"):
            load_dataset("tiny", largest_classes=bad)


def test_samples_per_class_are_drawn_once(tiny):
    """A class keeps this number of samples, in order and the same every time, or all it has."""
    whole = load_dataset("tiny")
    data, again = (load_dataset("tiny", samples_per_class=2) for _ in range(2))
    assert list(data.y) == [1, 1, 2, 2, 3]
    np.testing.assert_array_equal(data.X, again.X)
    rows = [int(np.flatnonzero((x == whole.X).all(axis=1))[0]) for x in data.X]
    assert rows == sorted(rows)
    np.testing.assert_array_equal(whole.y[rows], data.y)
    both = load_dataset("tiny", largest_classes=2, samples_per_class=1)
    assert list(both.y) == [1, 2]
    for bad in (0, 1.5, "two"):
        with pytest.raises(ValueError, match="samples_per_class must be a whole number from 1"):
            load_dataset("tiny", samples_per_class=bad)


def test_areas_are_averaged():
    """Resizing keeps flat images flat and the mean of any, and integrates over parts of pixels."""
    images = np.random.default_rng(0).random((3, 32, 24))
    small = area_averaged(images, (19, 7))
    assert small.shape == (3, 19, 7)
    np.testing.assert_allclose(small.mean(axis=(1, 2)), images.mean(axis=(1, 2)), rtol=1e-12)
    np.testing.assert_allclose(area_averaged(np.full((1, 32, 32), 0.3), (19, 19)), 0.3, rtol=1e-12)
    # Rows of height 2/3 over the heights [0, 1) and [1, 2): all of one, halves of both, the other.
    third = area_averaged(np.array([[[0.0], [6.0]]]), (3, 1))
    np.testing.assert_allclose(third.ravel(), [0, 3, 6], atol=1e-12)
    # By blocks where sides divide, and by repeated pixels where they do not.
    blocks = images[0].reshape(16, 2, 8, 3).mean(axis=(1, 3))
    np.testing.assert_allclose(area_averaged(images, (16, 8))[0], blocks, rtol=1e-12)
    fine = np.repeat(np.repeat(images[0], 5, axis=0), 5, axis=1).reshape(5, 32, 5, 24)
    np.testing.assert_allclose(area_averaged(images, (5, 5))[0], fine.mean(axis=(1, 3)), rtol=1e-12)


def test_images_are_resized_and_other_data_not():
    """``image_side`` changes pixels and shape alone, of image sets only."""
    whole, small = load_dataset("digits"), load_dataset("digits", image_side=5)
    assert small.X.shape == (1797, 25)
    assert small.image_shape == (5, 5)
    np.testing.assert_array_equal(small.y, whole.y)
    pixels = area_averaged(whole.X.reshape(-1, 8, 8), (5, 5))
    np.testing.assert_array_equal(small.X, pixels.reshape(1797, 25))
    with pytest.raises(ValueError, match="image_side must be a whole number from 1 on"):
        load_dataset("digits", image_side=2.5)
    with pytest.raises(ValueError, match="no parameter 'image_side'"):
        load_dataset("near-separable", image_side=5)


def test_the_caller_cannot_alter_what_is_kept(tiny):
    """Changing a loaded array, or any array of it, leaves the next load as it was."""
    first = load_dataset("tiny")
    X, y = first.X.copy(), first.y.copy()
    first.X[:] = -1
    first.y[:] = 7
    again = load_dataset("tiny")
    np.testing.assert_array_equal(again.X, X)
    np.testing.assert_array_equal(again.y, y)


def test_sparse_data_cannot_be_altered_through_the_cache():
    """The same holds of the three arrays of a sparse matrix."""
    first = real("mv-3sources")
    again = load_dataset("mv-3sources").X
    kept = again.copy()
    first.X.data[:] = -1
    first.X.indices[:] = 0
    first.X.indptr[:] = 0
    last = load_dataset("mv-3sources").X
    assert (last != kept).nnz == 0


def test_a_file_is_read_once(tiny, monkeypatch):
    """A hundred trials on one data set read its file once."""
    reads = []
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: reads.append(path) or read(path))
    for _ in range(5):
        load_dataset("tiny")
    assert len(reads) == 1


def test_wrong_checksum_says_both(tiny):
    """A wrong checksum names the file, what was expected, what was found, and the remedy."""
    path = tiny.path
    tiny.register(sha256="0" * 64)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(DataError, match=f"{re.escape(str(path))}.*{found}, expected {'0' * 64}"):
        load_dataset("tiny")
    assert verify("tiny") == "corrupt"


def test_truncated_file(tiny):
    """A truncated file is refused, whether or not its checksum is known."""
    path = tiny.path
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match="damaged or of another version"):
        load_dataset("tiny")
    tiny.register(sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(DataError, match=r"tiny\.npz is not a"):
        load_dataset("tiny")


def test_damage_after_a_first_read_is_seen(tiny):
    """A file that changes on the disk is checked again."""
    load_dataset("tiny")
    assert verify("tiny") == "ok"
    tiny.path.write_bytes(b"something else")
    assert verify("tiny") == "corrupt"
    with pytest.raises(DataError):
        load_dataset("tiny")


def test_pickled_arrays_are_refused(tiny):
    """An archive with pickled objects is refused even with the right checksum."""
    path = tiny.path
    np.savez(path, X=np.array([{"a": 1}], object))
    tiny.register(sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(DataError, match="never loaded"):
        load_dataset("tiny")
    np.array([{"a": 1}], object).dump(path)
    tiny.register(sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(DataError, match="never loaded"):
        load_dataset("tiny")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.ones((6, 4))}, "no array 'image_shape'"),
        ({"X": np.ones((5, 4)), "image_shape": np.array([2, 2])}, "5 x 4.*6 x 4"),
        ({"X": np.ones(3), "image_shape": np.array([2, 2])}, "X holds 1 dimensions"),
        (
            {"X": np.ones((6, 4)), "y": np.ones(5), "image_shape": np.array([2, 2])},
            "6 samples but 5 labels",
        ),
    ],
)
def test_files_of_another_content(tiny, arrays, message):
    """Missing arrays, wrong shapes and too few labels have different messages."""
    write_arrays(tiny.path, arrays)
    tiny.register(sha256=hashlib.sha256(tiny.path.read_bytes()).hexdigest())
    with pytest.raises(DataError, match=message):
        load_dataset("tiny")


def test_equal_content_in_other_bytes(tiny):
    """A file converted on this machine passes by the hash of its arrays."""
    with np.load(tiny.path) as archive:
        arrays = dict(archive)
    np.savez(tiny.path, **arrays)  # uncompressed: other bytes
    with pytest.raises(DataError):
        load_dataset("tiny")
    tiny.register(sha256="0" * 64, content=content_hash(arrays), n_bytes=44)
    assert load_dataset("tiny").X.shape == (6, 4)
    arrays["X"] = arrays["X"] + 1
    np.savez(tiny.path, **arrays)
    with pytest.raises(DataError, match="another version"):
        load_dataset("tiny")


def test_a_file_of_unknown_bytes_may_hold_anything(tiny):
    """With any bit flipped, an archive gives the same arrays or an error that it is damaged."""
    whole = tiny.path.read_bytes()
    with np.load(tiny.path) as archive:
        known = content_hash(dict(archive))
    tiny.register(sha256="0" * 64, content=known, n_bytes=44)
    refused = []
    for place in [*range(256), *range(256, 8 * len(whole), 13)]:
        data = bytearray(whole)
        data[place // 8] ^= 1 << place % 8
        tiny.path.write_bytes(data)
        forget()
        try:
            assert load_dataset("tiny").X.shape == (6, 4)
        except DataError as error:
            refused.append(str(error))
    assert len(refused) > 200
    assert all("damaged" in text for text in refused)


def test_a_bomb_is_not_unpacked(tiny, monkeypatch):
    """An archive that would unpack to more than the data is refused by its directory."""
    np.savez_compressed(tiny.path, X=np.zeros(10**6))
    tiny.register(sha256="0" * 64, content="0" * 64, n_bytes=44)
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("it was unpacked"))
    with pytest.raises(DataError, match="damaged") as caught:
        load_dataset("tiny")
    assert "8000128 bytes, expected 44" in str(caught.value.__cause__)


def test_members_that_are_no_arrays_are_refused(tiny):
    """Even with the right checksum."""
    with zipfile.ZipFile(tiny.path, "a") as archive:
        archive.writestr("note.txt", "not an array")
    tiny.register()
    with pytest.raises(DataError, match=r"'note.txt' is none"):
        load_dataset("tiny")


@pytest.mark.parametrize("name", [name for name in STORED if datasets[name].info.get("content")])
def test_the_size_of_the_arrays_is_registered(name):
    """Exactly, beside their hash."""
    info = datasets[name].info
    arrays = read_registered(prepared(info), info)
    assert info["n_bytes"] == sum(array.nbytes for array in arrays.values())


def test_unknown_names_and_parameters():
    """A misspelt name gets the nearest ones, an unknown parameter the known ones."""
    with pytest.raises(UnknownNameError, match="'semeion'"):
        load_dataset("semion")
    with pytest.raises(ValueError, match=r"no parameter 'ranks'; it has .*n_components"):
        load_dataset("near-separable", ranks=3)
    with pytest.raises(ValueError, match="'largest_classes'"):
        load_dataset("near-separable", largest_classes=3)
    with pytest.raises(ValueError, match="it has largest_classes"):
        load_dataset("digits", n_samples=3)


def test_the_how_to_page_runs(monkeypatch):
    """The example in the package's docstring adds a data set that loads like any other."""
    page = nmfbench.datasets.__doc__
    code = re.search(r"names::\n\n(.*?)\n\nThe loader's", page, re.S)[1]
    monkeypatch.setattr(datasets, "_entries", dict(datasets._entries))
    exec(compile(textwrap.dedent(code), "how-to", "exec"), {"__name__": "how_to"})
    data = load_dataset("two-blobs", rng=0, n_samples=10, largest_classes=1)
    assert isinstance(data, Bunch)
    assert data.X.shape == (5, 5)
    with pytest.raises(ValueError, match="registered already"):
        register_dataset("orl")(len)
