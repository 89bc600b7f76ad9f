"""Where and with what a result was computed."""

from __future__ import annotations

import functools
import os
import platform
import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import nmfbench

__all__ = ["commit", "host", "versions"]

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


@functools.cache
def commit() -> str | None:
    """Hash of the git commit that the package is of, "-dirty" behind it if files were edited.

    None of a package that is not in a checkout.
    """
    folder = Path(nmfbench.__file__).parent
    git = functools.partial(subprocess.run, cwd=folder, capture_output=True, text=True, check=True)
    try:
        git(["git", "ls-files", "--error-unmatch", "__init__.py"])
        found = git(["git", "rev-parse", "HEAD"]).stdout.strip()
        edited = git(["git", "status", "--porcelain", "."]).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{found}-dirty" if edited else found
