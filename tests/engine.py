"""Helpers for the tests of trials, runs and the store: grids, processes, packages, comparisons."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import numpy as np
import psutil
import pytest

from nmfbench.core import registry
from nmfbench.trials.trial import Trial

SMALL = {"n_samples": 40, "n_features": 30, "n_components": 4}
# Columns that may differ between two computations of one trial.
_OF_THE_DAY = ("seconds", "cpu_seconds", "elapsed", "peak_memory", "host", "versions", "finished")


def trial(solver="spa", **fields):
    """A trial of anchor recovery that takes milliseconds."""
    given = {"task": "recovery", "dataset": "near-separable", "dataset_params": SMALL}
    return Trial(**(given | {"solver": solver} | fields))


def small_grid():
    """Several separable solvers on a few small data sets, another task on real data, and two that
    share a fit, which is listed before them."""
    solvers = [e.key for e in registry.solvers.entries() if e.info["family"] == "separable"]
    assert "spa" in solvers
    grid = [
        trial(solver, corruption="sparse-laplace", level=level, repeat=repeat)
        for solver in solvers
        for level in (0.0, 0.5)
        for repeat in range(2)
    ]
    sizes = {"sizes": [10, 20]}
    exemplars = Trial(task="exemplars", dataset="digits", solver="spa", options=sizes)
    shared = [on_digits(task) for task in ("recognition", "reconstruction")]
    return [*grid, exemplars, shared[0].base, *shared]


def on_digits(task, solver="nenmf", **options):
    """A trial of a task that is based on a fit, on salted digits; it takes milliseconds."""
    given = {"n_components": 4, "train_per_class": 5, "test_per_class": 5}
    return Trial(
        task=task,
        dataset="digits",
        solver=solver,
        corruption="salt-pepper",
        level=0.1,
        options=given | options,
    )


def content(store, key):
    """All that must be equal, whoever computed a trial: the record and its arrays, as bytes."""
    record = {k: v for k, v in store.records([key])[0].items() if k not in _OF_THE_DAY}
    arrays = {}
    for name, array in store.arrays(key).items():
        if array.dtype.names:  # a trace, less its clock
            array = array[[field for field in array.dtype.names if "seconds" not in field]]
            array = np.array(array.tolist())
        arrays[name] = (array.dtype.str, array.shape, array.tobytes())
    return record, arrays


def assert_same_content(store, other):
    """The two stores hold the same trials with the same results, bit for bit."""
    keys = [record["key"] for record in store.records()]
    assert keys == [record["key"] for record in other.records()]
    assert keys
    for key in keys:
        assert content(store, key) == content(other, key)


def start_python(code, *args, path=(), **options):
    """Run code in a new interpreter and process group; its environment carries a mark."""
    mark = uuid.uuid4().hex
    folders = [*map(str, path), os.environ.get("PYTHONPATH", "")]
    env = os.environ | {"NMFBENCH_TEST_MARK": mark, "PYTHONPATH": os.pathsep.join(folders)}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        env={name: value for name, value in env.items() if value},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )
    process.mark = mark
    return process


def python(code, *args, path=(), timeout=120):
    """As :func:`start_python`, to the end: standard output and standard error."""
    process = start_python(code, *args, path=path)
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, err
    return out, err


def survivors(process):
    """The processes that descend from a process of :func:`start_python`, whoever adopted them."""
    found = []
    for candidate in psutil.process_iter():
        try:
            if candidate.status() == psutil.STATUS_ZOMBIE or candidate.pid == process.pid:
                continue
            if candidate.environ().get("NMFBENCH_TEST_MARK") == process.mark:
                found.append(candidate)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


@contextlib.contextmanager
def small_disk(size):
    """A folder on a disk of its own of this size; skips without the rights to mount one."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
            pytest.skip(
                "a full disk is tested on a small tmpfs, so that no real disk is filled; the test "
                "runs as root on Linux, who alone may mount one"
            )
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


@contextlib.contextmanager
def only_readable(folder):
    """A copy of a folder that this process can read, but not write to."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(shutil.copytree(folder, Path(place) / "copy"))
        for path in (*copy.rglob("*"), copy):
            path.chmod(0o555 if path.is_dir() else 0o444)
        Path(place).chmod(0o755)
        user = os.geteuid()
        if user == 0:  # whom no mode stops, unless the privileges of root are taken away
            with contextlib.suppress(PermissionError):
                os.seteuid(65534)
        try:
            yield copy
        finally:
            os.seteuid(user)
            copy.chmod(0o755)


def install(folder, name, source, entry_points):
    """Lay a one-module package into a folder as an installer would, with its entry points."""
    folder = Path(folder)
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    text = "".join(f"[nmfbench.{group}]\n{name} = {name}\n" for group in entry_points)
    (info / "entry_points.txt").write_text(text, encoding="utf-8")
    return folder
