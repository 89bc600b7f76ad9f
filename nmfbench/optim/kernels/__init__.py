"""Compiled inner loops, one file per operation: the only home of ``numba.njit``.

Kernels are plain functions of arrays that update their first argument in place. They neither
allocate in an inner loop nor print, and they work in the dtype of their arguments.
"""

import contextlib
import re
from pathlib import Path


def _forget_stale(folder: Path) -> None:
    """Remove compiled kernels that are older than a kernel in another file that they call.

    numba compiles a kernel anew when its own file has changed, and knows nothing of the others.
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


_forget_stale(Path(__file__).parent)
