"""Where and with what a result was computed."""

from __future__ import annotations

import functools
import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["host", "versions"]

_PACKAGES = ("nmfbench", "numpy", "scipy", "scikit-learn", "numba", "pandas")


@functools.cache
def host() -> dict[str, str | int]:
    """Platform, processor and number of cores; nothing that names a person or a machine."""
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        model = re.search(r"model name\s*:\s*(.+)", cpuinfo).group(1).strip()
    except (OSError, AttributeError):
        model = platform.processor() or platform.machine()
    return {
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": model,
        "cores": os.cpu_count() or 1,
    }


@functools.cache
def versions(*more: str) -> dict[str, str]:
    """Versions of Python, of the packages that numbers depend on, and of those given."""
    found = {"python": platform.python_version()}
    for package in (*_PACKAGES, *more):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
