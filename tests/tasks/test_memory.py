"""The memory of a stream: use, limit, and where samples come from."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from nmfbench import load_dataset, make_solver
from nmfbench.tasks.memory import memory, patches


def run(key, n_samples=300, params=None, **options):
    solver = make_solver(key, **{"random_state": 0} | (params or {}))
    rng = np.random.default_rng(0)
    settings = {"n_components": 3, "n_samples": n_samples, "patch": 8} | options
    return memory(load_dataset("sample-images"), solver, rng, **settings)


def test_a_buffer_of_all_samples_grows_and_a_ring_does_not():
    """Memory in use after each tenth of a stream; at the end, the size of a pickle."""
    ring, whole = run("mor-nmf"), run("or-nmf")
    assert ring.arrays["samples"].tolist() == list(range(30, 301, 30))
    assert np.ptp(ring.arrays["bytes"]) < 100 < np.ptp(whole.arrays["bytes"])
    held = 300 * (64 + 3) * 8  # a row of the buffer: a patch and its coefficients
    assert held < whole.metrics["bytes"] < 3 * held
    assert whole.metrics["out-of-memory"] == 0
    assert whole.metrics["anonymous"] > 0
    assert (whole.arrays["seconds"] > 0).all()
    assert 0 < whole.metrics["held-out"] < ring.metrics["held-out"] * 10
    assert 0 < whole.metrics["visited-share"] <= 1


def test_what_does_not_fit_is_a_result(monkeypatch):
    """An array larger than the limit ends the fit, while a stream of its rows goes through."""
    for name in ("OMP", "OPENBLAS", "MKL"):  # a process at rest takes memory for each thread
        monkeypatch.setenv(f"{name}_NUM_THREADS", "1")
    found = run("hals", n_samples=150_000, patch=16, limit=400)
    assert found.metrics == {"out-of-memory": 1.0}
    assert found.fit["stop_reason"] == "out of memory"
    assert run("omf", n_samples=1000, patch=16, limit=400).metrics["out-of-memory"] == 0


def test_faults_of_a_solver_are_no_lack_of_memory():
    """Other errors of a solver in the fresh process are raised here."""
    with pytest.raises(ValueError, match="buffer must be an integer of at least 1 or None"):
        run("mor-nmf", params={"buffer": 0})


def test_patches_are_windows_of_the_images():
    """Each is somewhere in an image, whatever the sizes of the images."""
    images = [np.arange(30.0).reshape(5, 6), 100 + np.arange(30.0).reshape(6, 5)]
    data = Bunch(X=np.array([i.ravel() for i in images]), image_shapes=[i.shape for i in images])
    windows = {
        tuple(image[y : y + 3, x : x + 3].ravel())
        for image in images
        for y in range(image.shape[0] - 2)
        for x in range(image.shape[1] - 2)
    }
    found = {tuple(row) for row in patches(data, 400, 3, np.random.default_rng(0)).astype(float)}
    assert found == windows
