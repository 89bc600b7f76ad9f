"""Compiled kernels are those of today's source, also of kernels that they call."""

import os
import time
from pathlib import Path

from engine import python

import nmfbench.optim.kernels


def test_a_kernel_that_calls_another_is_compiled_anew_with_it(tmp_path):
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
