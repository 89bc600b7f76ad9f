"""Compiled inner loops, one file per operation: the only home of ``numba.njit``.

Kernels are plain functions of arrays that update their first argument in place. They neither
allocate in an inner loop nor print, and they work in the dtype of their arguments.

A counter that is passed on starts as ``np.intp(0)``: for a literal 0 numba compiles every kernel
that it is passed to a second time. An array is copied in a loop: for ``a[:] = b`` numba compiles
how an error would name the two shapes, which takes two seconds (``a[:] = 0`` costs nothing).
"""

import atexit
import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path

import numba


def _forget_stale(folder: Path) -> None:
    """Remove compiled kernels that are older than a kernel in another file that they call.

    numba recompiles a kernel when its own file has changed, and does not notice changes in others.
    """
    files = {path.stem: path for path in folder.glob("*.py")}
    imported = re.compile(rf"^from {re.escape(__name__)}\.(\w+) import", re.M)
    calls = {name: set(imported.findall(path.read_text())) for name, path in files.items()}
    for name, found in calls.items():
        seen, todo = set(), list(found)
        while todo:
            if (other := todo.pop()) in files and other not in seen:
                seen.add(other)
                todo += calls[other]
        if not seen:
            continue
        changed = max(files[other].stat().st_mtime for other in seen)
        for index in (folder / "__pycache__").glob(f"{name}.*.nbi"):
            with contextlib.suppress(OSError):
                if index.stat().st_mtime < changed:
                    index.unlink()


def _has_cache() -> bool:
    """Whether numba may keep what it compiles: here, in the user's cache, or where it is set to."""
    try:
        numba.njit(cache=True)(_has_cache)
    except RuntimeError:
        return False
    return True


KEEPS_COMPILED = _has_cache()
"""False where numba would refuse to compile; a temporary folder then serves this process, and the
processes that it starts, and is removed with it."""

if not KEEPS_COMPILED:
    numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="nmfbench-")
    atexit.register(shutil.rmtree, numba.config.CACHE_DIR, ignore_errors=True)

_forget_stale(Path(__file__).parent)
