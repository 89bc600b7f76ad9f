"""Downloads, from a local server that can misbehave; and the conversion of public formats."""

import gzip
import hashlib
import io
import os
import signal
import tarfile
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pooch
import pytest
import scipy.sparse as sp
from scipy.io import mmwrite, savemat
from sklearn.utils import Bunch
from third_party import prepared

from nmfbench.core.registry import Entry, datasets
from nmfbench.datasets import (
    DataError,
    DataMissingError,
    DownloadError,
    convert,
    fetch,
    load_dataset,
    verify,
)
from nmfbench.datasets.convert import HOSTS, Home
from nmfbench.datasets.files import (
    content_hash,
    find_file,
    forget,
    variant_file,
    write_arrays,
)

RNG = np.random.default_rng(0)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A machine without data; returns its empty cache."""
    monkeypatch.setenv("NMFBENCH_DATA", "")
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NMFBENCH_MIRROR", raising=False)
    forget()
    yield tmp_path / "cache"
    forget()


@pytest.fixture
def server(monkeypatch):
    """A web server on this machine: ``files`` it gives, ``status`` it answers, ``requested`` paths;
    with ``cut`` it breaks off early."""
    state = Bunch(files={}, status=200, requested=[], cut=False)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            state.requested.append(self.path)
            body = state.files.get(self.path.lstrip("/"))
            status = state.status if body is not None else 404
            body = body or b"no such file"
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if state.cut else body)

        def log_message(self, *args):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.url = f"http://127.0.0.1:{running.server_port}"
    for host in HOSTS:
        monkeypatch.setitem(HOSTS, host, state.url)
    yield state
    running.shutdown()
    running.server_close()
    thread.join()


def faces(n=6, shape=(32, 32)):
    """Small images and labels in the types of a prepared file."""
    return {
        "X": RNG.integers(0, 256, size=(n, shape[0] * shape[1])).astype(np.uint8),
        "y": np.repeat(np.arange(1, n // 2 + 1), 2).astype(np.int16),
        "image_shape": np.array(shape, np.int32),
    }


def mat(**arrays):
    """Bytes of a MATLAB file."""
    stream = io.BytesIO()
    savemat(stream, arrays, do_compression=True)
    return stream.getvalue()


def cai_mat(arrays):
    """The same images as Deng Cai stores them: column by column, as doubles."""
    height, width = arrays["image_shape"]
    images = arrays["X"].reshape(-1, height, width).transpose(0, 2, 1)
    return mat(fea=images.reshape(len(images), -1).astype(float), gnd=arrays["y"][:, None])


@pytest.fixture
def tiny(cache, server, monkeypatch):
    """A registered set of six faces whose original the server has at ``/tiny.mat``."""
    arrays = faces()
    server.files["tiny.mat"] = cai_mat(arrays)
    home = Home(("{cai}/tiny.mat",), convert.cai_images(), variant="six other faces")
    info = {
        "file": "tiny.npz",
        "sha256": "0" * 64,
        "content": content_hash(arrays),
        "n_bytes": sum(array.nbytes for array in arrays.values()),
        "kind": "images",
        "n_samples": 6,
        "n_features": 1024,
        "n_classes": 3,
        "homes": (home,),
        "stand_in": datasets["orl"].info["stand_in"],
    }

    def register(**changes):
        info.update(changes)
        monkeypatch.setitem(datasets._entries, "tiny", Entry("tiny", datasets["orl"].target, info))

    register()
    return Bunch(arrays=arrays, home=home, register=register, file=cache / "tiny.npz")


def left_over(cache):
    return [path.name for path in cache.rglob("*")] if cache.exists() else []


def test_fetch_converts_checks_and_stores(tiny, server):
    """A fetched set loads as the real one, and a second fetch asks the server nothing."""
    with pytest.raises(DataMissingError):
        load_dataset("tiny")
    assert verify("tiny") == "missing"
    assert fetch("tiny") == tiny.file
    data = load_dataset("tiny")
    np.testing.assert_array_equal(data.X, tiny.arrays["X"] / 255)
    assert not data.is_stand_in
    assert verify("tiny") == "ok"
    assert left_over(tiny.file.parent) == ["tiny.npz"]
    assert fetch("tiny") == tiny.file
    assert server.requested == ["/tiny.mat"]


def test_a_damaged_cached_file_is_fetched_again(tiny, server):
    """Verify reports damage in the cache and fetch repairs it."""
    fetch("tiny")
    tiny.file.write_bytes(tiny.file.read_bytes()[:-9])
    assert verify("tiny") == "corrupt"
    with pytest.raises(DataError, match="damaged"):
        load_dataset("tiny")
    fetch("tiny")
    assert verify("tiny") == "ok"
    assert len(server.requested) == 2


def test_a_damaged_prepared_file_is_left_alone(tiny, monkeypatch, tmp_path):
    """The folder of prepared files is the user's: fetch says what is wrong, and changes nothing."""
    monkeypatch.setenv("NMFBENCH_DATA", str(tmp_path))
    (tmp_path / "tiny.npz").write_bytes(b"damaged")
    with pytest.raises(DataError, match="Remove the file"):
        fetch("tiny")
    assert (tmp_path / "tiny.npz").read_bytes() == b"damaged"


@pytest.mark.parametrize(
    ("status", "answer"), [(500, "500 Internal Server Error"), (404, "404 Not Found")]
)
def test_server_errors(tiny, server, status, answer):
    """A server's refusal names the address, the answer and the remedy; nothing is left."""
    server.status = status
    with pytest.raises(DownloadError, match=rf"/tiny\.mat: the server answered {answer}"):
        fetch("tiny")
    with pytest.raises(DownloadError, match=r"NMFBENCH_DATA.*NMFBENCH_MIRROR.*--stand-in"):
        fetch("tiny")
    assert left_over(tiny.file.parent) == []


def test_a_transfer_that_breaks_off(tiny, server):
    """A download shorter than announced is refused, and nothing is left."""
    server.cut = True
    with pytest.raises(DownloadError, match=r"tiny\.mat: the transfer broke off"):
        fetch("tiny")
    assert left_over(tiny.file.parent) == []


@pytest.mark.parametrize(
    ("limit", "message"), [("LARGEST", "more than 0 bytes"), ("LONGEST", "more than 0 seconds")]
)
def test_a_download_beyond_limits(tiny, server, monkeypatch, limit, message):
    """One that goes on and on is given up, and nothing is left."""
    monkeypatch.setitem(fetch.__globals__, limit, 0)
    with pytest.raises(DownloadError, match=rf"tiny\.mat: it .* {message}, so it was thrown away"):
        fetch("tiny")
    assert left_over(tiny.file.parent) == []


def test_no_network(tiny, server, monkeypatch):
    """A missing connection is named as the cause."""
    monkeypatch.setitem(HOSTS, "cai", "http://127.0.0.1:9")
    with pytest.raises(DownloadError, match="no connection"):
        fetch("tiny")
    assert left_over(tiny.file.parent) == []


def test_a_file_of_another_kind(tiny, server):
    """An error page, or half an archive, in place of the data is refused."""
    for body in (b"<html>moved</html>", server.files["tiny.mat"][:2000]):
        server.files["tiny.mat"] = body
        with pytest.raises(DownloadError, match="damaged, or is not the expected file"):
            fetch("tiny")
    assert left_over(tiny.file.parent) == []


def die(paths):
    os.kill(os.getpid(), signal.SIGSEGV)


def hang(paths):
    time.sleep(60)


def grow(paths):
    return {"X": np.ones(2**34)}


@pytest.mark.parametrize(
    ("convert", "message"),
    [(die, "ends the process that does"), (hang, "within 5 seconds"), (grow, "MemoryError")],
)
def test_a_file_that_ends_its_parser_is_refused(tiny, monkeypatch, convert, message):
    """A crash, a loop and a bomb of memory end the process that converts, and not this one."""
    monkeypatch.setitem(fetch.__globals__, "CONVERSION", 5 if convert is hang else 60)
    tiny.register(homes=(Home(tiny.home.urls, convert),))
    with pytest.raises(DownloadError, match=f"not the expected file .*{message}"):
        fetch("tiny")
    assert left_over(tiny.file.parent) == []


def test_wrong_checksum_of_the_original(tiny, server):
    """Where the hash of the original is known, a wrong one is refused with both hashes."""
    known = "1" * 64
    found = hashlib.sha256(server.files["tiny.mat"]).hexdigest()
    tiny.register(homes=(Home(tiny.home.urls, tiny.home.convert, hashes=(known,)),))
    with pytest.raises(DownloadError, match=f"wrong checksum(?s:.*){known}(?s:.*){found}"):
        fetch("tiny")
    assert left_over(tiny.file.parent) == []


def test_other_data_at_an_exact_home(tiny, server):
    """Where the conversion is exact, other data are refused."""
    server.files["tiny.mat"] = cai_mat(faces())
    with pytest.raises(DownloadError, match="not the data this suite was checked with"):
        fetch("tiny")
    assert left_over(tiny.file.parent) == []


def test_a_variant_is_only_a_stand_in(tiny, server):
    """Another version of the data is kept apart, named, and used with variant=True only."""
    other = faces()
    server.files["tiny.mat"] = cai_mat(other)
    home = Home(tiny.home.urls, tiny.home.convert, exact=False, variant="six other faces")
    tiny.register(homes=(home,))
    with pytest.warns(UserWarning, match="six other faces"):
        path = fetch("tiny")
    assert path == variant_file("tiny.npz")
    with pytest.raises(DataMissingError, match="takes the variant"):
        load_dataset("tiny")
    data = load_dataset("tiny", variant=True)
    np.testing.assert_array_equal(data.X, other["X"] / 255)
    assert data.is_stand_in
    assert data.variant == "six other faces"
    assert fetch("tiny") == path
    assert len(server.requested) == 1
    server.files["tiny.mat"] = cai_mat(tiny.arrays)
    assert fetch("tiny", refresh=True) == tiny.file
    assert not load_dataset("tiny").is_stand_in
    path.write_bytes(b"damaged")
    tiny.file.unlink()
    with pytest.raises(DataError, match="damaged"):
        load_dataset("tiny", variant=True)


def test_a_variant_of_another_size_is_refused(tiny, server):
    """A variant must have the samples, features and classes of the data set."""
    server.files["tiny.mat"] = cai_mat(faces(n=4))
    tiny.register(homes=(Home(tiny.home.urls, tiny.home.convert, exact=False),))
    with pytest.raises(DownloadError, match=r"4 x 1024 values.*6 x 1024 are expected"):
        fetch("tiny")
    assert left_over(tiny.file.parent) == []


def test_homes_are_tried_in_turn(tiny, server):
    """When the first home fails, the next one is tried."""
    gone = Home(("{cai}/gone.mat",), convert.cai_images())
    tiny.register(homes=(gone, tiny.home))
    assert fetch("tiny") == tiny.file
    assert server.requested == ["/gone.mat", "/tiny.mat"]


def test_a_mirror_of_the_prepared_files(tiny, server, monkeypatch, tmp_path):
    """NMFBENCH_MIRROR gives the prepared file itself, and its checksum is checked."""
    prepared = write_arrays(tmp_path / "tiny.npz", tiny.arrays).read_bytes()
    server.files["mirror/tiny.npz"] = prepared
    monkeypatch.setenv("NMFBENCH_MIRROR", server.url + "/mirror/")
    with pytest.raises(DownloadError, match="wrong checksum"):
        fetch("tiny")
    assert left_over(tiny.file.parent) == []
    tiny.register(sha256=hashlib.sha256(prepared).hexdigest(), content=None)
    retrieve, folders = pooch.retrieve, []

    def spied(*args, path, **options):
        folders.append(Path(path).name)
        return retrieve(*args, path=path, **options)

    monkeypatch.setattr(pooch, "retrieve", spied)
    assert fetch("tiny").read_bytes() == prepared
    assert folders[0].startswith(".fetch-")  # what is left there when it is killed is removed later
    assert left_over(tiny.file.parent) == ["tiny.npz"]
    assert load_dataset("tiny").X.shape == (6, 1024)


def test_sets_without_a_home(cache):
    """Bundled sets need no fetching; one without a public home says what to do."""
    assert fetch("digits") is None
    assert fetch("near-separable") is None
    with pytest.raises(DownloadError, match=r"no public home.*pie_pose27_32x32\.npz"):
        fetch("pie")


def test_an_unusable_cache_folder(tiny, monkeypatch, tmp_path):
    """The error of a cache that cannot be made names the variable that moves it."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(DownloadError, match="NMFBENCH_CACHE"):
        fetch("tiny")


@pytest.mark.parametrize("answer", ["~/.cache/nmfbench", None])
def test_a_user_without_a_home_folder_has_no_cache(tiny, monkeypatch, answer):
    """Nothing is found in it, and what would fill it names the variable."""

    def without_home(name):
        if answer is None:  # as newer releases do
            raise RuntimeError("could not determine the home directory")
        return answer

    monkeypatch.delenv("NMFBENCH_CACHE")
    monkeypatch.setattr("nmfbench.datasets.files.platformdirs.user_cache_dir", without_home)
    assert find_file("machine") is None
    with pytest.raises(DownloadError, match="NMFBENCH_CACHE"):
        fetch("tiny")


@pytest.mark.parametrize("variable", ["NMFBENCH_CACHE", "NMFBENCH_DATA"])
def test_a_folder_whose_name_is_too_long(tiny, monkeypatch, tmp_path, variable):
    """It is an error that says which variables name folders."""
    monkeypatch.setenv(variable, str(tmp_path / ("a" * 300)))
    with pytest.raises(DataError, match=r"too long.*NMFBENCH_CACHE"):
        fetch("tiny")


def test_cai_text_is_the_prepared_form(tmp_path):
    """Term counts come back as CSR of small integers, with positions counted from 0."""
    counts = sp.random(7, 9, density=0.4, random_state=1, data_rvs=lambda k: np.arange(1, k + 1))
    stored = mat(fea=sp.csc_matrix(counts), gnd=np.ones((7, 1)), trainIdx=[[1], [7]], testIdx=[[3]])
    (tmp_path / "t.mat").write_bytes(stored)
    arrays = convert.cai_text([tmp_path / "t.mat"])
    X = sp.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), arrays["shape"])
    np.testing.assert_array_equal(X.toarray(), counts.toarray())
    assert list(arrays["train_idx"]) == [0, 6]
    assert arrays["data"].dtype == np.uint8


def test_bbc_zip(tmp_path):
    """Words x documents are turned, and classes are read off the names of the documents."""
    counts = np.array([[1, 0, 2], [0, 3, 0]])
    stream = io.BytesIO()
    mmwrite(stream, sp.coo_matrix(counts))
    with zipfile.ZipFile(tmp_path / "bbc.zip", "w") as archive:
        archive.writestr("bbc/bbc.mtx", stream.getvalue())
        archive.writestr("bbc/bbc.terms", "ad\nsale\n")
        archive.writestr("bbc/bbc.docs", "tech.001\nbusiness.001\ntech.002\n")
    arrays = convert.bbc([tmp_path / "bbc.zip"])
    X = sp.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), arrays["shape"])
    np.testing.assert_array_equal(X.toarray(), counts.T)
    assert list(arrays["names"]) == ["business", "tech"]
    assert list(arrays["y"]) == [1, 0, 1]


def test_digit_formats(tmp_path):
    """MNIST's idx files and Semeion's table give pixels and digits."""
    pixels = RNG.integers(0, 256, size=(3, 4, 5)).astype(np.uint8)
    paths = [tmp_path / "images", tmp_path / "labels"]
    head = np.array([2051, 3, 4, 5], ">i4").tobytes()
    paths[0].write_bytes(gzip.compress(head + pixels.tobytes()))
    paths[1].write_bytes(gzip.compress(np.array([2049, 3], ">i4").tobytes() + bytes([7, 2, 1])))
    arrays = convert.idx(paths)
    np.testing.assert_array_equal(arrays["X"].reshape(3, 4, 5), pixels)
    assert list(arrays["y"]) == [7, 2, 1]

    table = np.hstack([RNG.integers(0, 2, size=(10, 256)), np.eye(10)[::-1]])
    np.savetxt(paths[0], table, fmt="%.4f")
    arrays = convert.semeion(paths[:1])
    np.testing.assert_array_equal(arrays["X"], table[:, :256])
    assert list(arrays["y"]) == list(range(9, -1, -1))


def test_face_archives(tmp_path):
    """Olivetti and UMIST are reduced by block means, upright; ORL and CBCL are read as PGM."""
    upright = RNG.integers(0, 256, size=(20, 64, 64))
    columns = upright.transpose(0, 2, 1).reshape(20, -1).T.astype(float)
    (tmp_path / "o").write_bytes(mat(faces=columns))
    arrays = convert.olivetti([tmp_path / "o"])
    np.testing.assert_allclose(
        arrays["X"].reshape(-1, 32, 32)[3, 2, 5], upright[3, 4:6, 10:12].mean(), atol=0.5
    )
    assert list(np.unique(arrays["y"], return_counts=True)[1]) == [10, 10]

    cell = np.empty((1, 2), object)
    cell[0, 0], cell[0, 1] = (np.full((112, 92, k), 8 * k, np.uint8) for k in (2, 3))
    (tmp_path / "u").write_bytes(mat(facedat=cell))
    arrays = convert.umist([tmp_path / "u"])
    assert arrays["X"].shape == (5, 28 * 23)
    assert list(arrays["y"]) == [1, 1, 2, 2, 2]
    assert list(arrays["X"][:, 0]) == [16, 16, 24, 24, 24]

    image = b"P5\n# made\n3 2\n255\n" + bytes(range(6))
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        archive.writestr("s10/1.pgm", image)
        archive.writestr("s2/1.pgm", image)
        archive.writestr("README", "words")
    arrays = convert.att_faces([tmp_path / "a"])
    assert list(arrays["y"]) == [2, 10]
    assert list(arrays["X"][0]) == list(range(6))
    assert list(arrays["image_shape"]) == [2, 3]
    with pytest.raises(ValueError, match="PGM"):
        convert.pgm(b"P6 1 1 255 xxx")

    inner = tar({"train/face/face2.pgm": image, "train/non-face/a.pgm": image})
    (tmp_path / "c").write_bytes(tar({"face.train.tar.gz": inner}))
    arrays = convert.cbcl([tmp_path / "c"])
    assert arrays["X"].shape == (1, 6)
    assert "y" not in arrays


def tar(members):
    """Bytes of a compressed archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def test_bsds_archive(tmp_path, monkeypatch):
    """The Berkeley archive gives each image with all its segmentations."""
    image_module = pytest.importorskip("PIL.Image")
    stream = io.BytesIO()
    image_module.fromarray(np.zeros((4, 6, 3), np.uint8)).save(stream, "JPEG")
    truth = np.empty((1, 2), object)
    for k in range(2):
        truth[0, k] = {"Segmentation": np.full((4, 6), k + 1, np.uint16)}
    members = {"BSR/data/images/val/3096.jpg": stream.getvalue()}
    members["BSR/data/groundTruth/val/3096.mat"] = mat(groundTruth=truth)
    (tmp_path / "b").write_bytes(tar(members))
    monkeypatch.setattr(convert, "BSDS_IDS", ["3096"])
    arrays = convert.bsds([tmp_path / "b"])
    assert arrays["image_3096"].shape == (4, 6, 3)
    assert arrays["segs_3096"].shape == (2, 4, 6)
    assert list(arrays["split"]) == ["val"]


def test_mfeat_tables(tmp_path):
    """Six tables become six views, and the digits follow from the order of the rows."""
    paths = []
    for k in range(6):
        paths.append(tmp_path / f"v{k}")
        np.savetxt(paths[-1], np.full((20, k + 1), k), fmt="%d")
    arrays = convert.mfeat(paths)
    assert arrays["view_fac216"].dtype == np.uint16
    assert arrays["view_zer47"].shape == (20, 6)
    assert list(arrays["y"]) == sorted([*range(10), *range(10)])
    load = datasets["mv-mfeat"].target
    assert load(arrays).X.shape == (20, 21)


@pytest.mark.parametrize("name", ["orl", "yale", "yaleb"])
def test_the_real_faces_come_back(name, server, tmp_path, monkeypatch):
    """The prepared faces, put into Deng Cai's format and fetched, are the registered arrays."""
    info = datasets[name].info
    with np.load(prepared(info)) as archive:
        server.files[info["homes"][0].urls[0].removeprefix("{cai}/")] = cai_mat(dict(archive))
    monkeypatch.setenv("NMFBENCH_DATA", "")
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path))
    assert fetch(name) == tmp_path / info["file"]
    assert verify(name) == "ok"


@pytest.mark.parametrize("name", ["reuters", "bbc", "semeion"])
def test_the_real_text_and_digits_come_back(name, server, tmp_path, monkeypatch):
    """The same for term counts and for Semeion's table."""
    info = datasets[name].info
    with np.load(prepared(info)) as archive:
        d = dict(archive)
    if name != "semeion":
        X = sp.csr_matrix((d["data"].astype(float), d["indices"], d["indptr"]), d["shape"])
    stream = io.BytesIO()
    if name == "reuters":
        steps = {"trainIdx": d["train_idx"][:, None] + 1.0, "testIdx": d["test_idx"][:, None] + 1.0}
        stream.write(mat(fea=X.tocsc(), gnd=d["y"][:, None].astype(float), **steps))
    elif name == "bbc":
        with zipfile.ZipFile(stream, "w") as archive:
            matrix = io.BytesIO()
            mmwrite(matrix, X.T.tocoo())
            archive.writestr("bbc.mtx", matrix.getvalue())
            archive.writestr("bbc.terms", "\n".join(d["terms"]))
            archive.writestr("bbc.docs", "\n".join(d["docs"]))
    else:
        np.savetxt(stream, np.hstack([d["X"], np.eye(10)[d["y"]]]), fmt="%.4f")
    address = info["homes"][0].urls[0]
    server.files[address.split("}/", 1)[1]] = stream.getvalue()
    monkeypatch.setenv("NMFBENCH_DATA", "")
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path))
    assert fetch(name) == tmp_path / info["file"]
    assert verify(name) == "ok"
    assert load_dataset(name).X.shape == (info["n_samples"], info["n_features"])
