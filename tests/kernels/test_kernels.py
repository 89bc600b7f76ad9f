"""Compiled kernels match today's source, also of kernels that they call."""

import os
import time
from pathlib import Path

import pytest
from engine import python

import nmfbench.optim.kernels
from nmfbench.core.registry import solvers

FIT = """
import hashlib, inspect, sys, warnings
import numpy as np
from nmfbench.core.registry import solvers
warnings.simplefilter("ignore")
target, rng = solvers[sys.argv[1]].target, np.random.default_rng(0)
X = rng.random((100, 3)) @ rng.random((3, 40)) + 0.01 * rng.random((100, 40))
X = X @ X.T if target.symmetric else X[:, :4] if target.square else X
given = inspect.signature(target).parameters
wanted = {"n_components": 4, "random_state": 0, "max_iter": 50}
model = target(**{name: value for name, value in wanted.items() if name in given}).fit(X)
print(hashlib.sha256(model.transform(X).tobytes() + model.components_.tobytes()).hexdigest())
"""


def test_a_kernel_that_calls_another_is_compiled_again_with_it(tmp_path):
    """numba looks at the file of a kernel alone; what calls a changed kernel is forgotten."""
    package = tmp_path / "nmfbench" / "optim" / "kernels"
    package.mkdir(parents=True)
    for parent in (package.parent, package.parent.parent):
        (parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text(Path(nmfbench.optim.kernels.__file__).read_text())
    head = "from numba import njit\n"
    inner, outer, third = (package / f"{name}.py" for name in ("inner", "outer", "third"))
    inner.write_text(f"{head}@njit(cache=True)\ndef factor():\n    return 2.0\n")
    outer.write_text(
        f"{head}from nmfbench.optim.kernels.inner import factor\n"
        "@njit(cache=True)\ndef scale(x):\n    return factor() * x\n"
    )
    third.write_text(
        f"{head}from nmfbench.optim.kernels.outer import scale\n"
        "@njit(cache=True)\ndef twice(x):\n    return scale(scale(x))\n"
    )
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from nmfbench.optim.kernels.third import twice\n"
        "print(twice(1.0), sum(twice.stats.cache_hits.values()))"
    )
    assert python(code, tmp_path)[0].split()[0] == "4.0"
    assert python(code, tmp_path)[0].split() == ["4.0", "1"]
    inner.write_text(inner.read_text().replace("2.0", "3.0"))
    later = time.time() + 10
    os.utime(inner, (later, later))
    assert python(code, tmp_path)[0].split()[0] == "9.0"


def test_kernels_compile_where_no_cache_can_be_written(tmp_path):
    """Into a temporary folder, which child processes share and nobody finds afterwards."""
    package = tmp_path / "nmfbench" / "optim" / "kernels"
    package.mkdir(parents=True)
    for parent in (package.parent, package.parent.parent):
        (parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text(Path(nmfbench.optim.kernels.__file__).read_text())
    kernel = "from numba import njit\n@njit(cache=True)\ndef one():\n    return 1.0\n"
    (package / "one.py").write_text(kernel)
    for name in ("home", "nmfbench/optim/kernels/__pycache__"):
        (tmp_path / name).write_text("a file, in which no folder can be made")
    child = "from nmfbench.optim.kernels.one import one; one(); print(one.stats.cache_hits.total())"
    code = (
        "import os, subprocess, sys\n"
        "os.environ.pop('NUMBA_CACHE_DIR', None); os.environ.pop('XDG_CACHE_HOME', None)\n"
        "os.environ |= {'HOME': sys.argv[1] + '/home', 'PYTHONPATH': sys.argv[1]}\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from nmfbench.optim.kernels import KEEPS_COMPILED\n"
        "from nmfbench.optim.kernels.one import one\n"
        f"print(KEEPS_COMPILED, one(), os.environ['NUMBA_CACHE_DIR'], flush=True)\n"
        f"subprocess.run([sys.executable, '-P', '-c', {child!r}], check=True)\n"
    )
    out, _ = python(code, tmp_path)
    keeps, value, folder, hits = out.split()
    assert (keeps, value, hits) == ("False", "1.0", "1")
    assert not os.path.exists(folder)


@pytest.mark.parametrize(
    "key",
    [pytest.param(k, marks=[] if k == "kl-newton" else pytest.mark.slow) for k in sorted(solvers)],
)
def test_compiled_and_loaded_kernels_give_the_same_bits(tmp_path, monkeypatch, key):
    """A kernel that calls another which may reorder its sums has it inlined.

    Otherwise there are two versions of the inner one, optimised alone and within its caller, and
    which of them runs depends on what the process has compiled and loaded.
    """
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compiled, _ = python(FIT, key, timeout=600)
    loaded, _ = python(FIT, key, timeout=600)
    assert compiled == loaded
