"""Where and with what a result was computed."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import re
import secrets
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import nmfbench
from nmfbench.datasets.files import cache_folder

__all__ = ["commit", "computed_here", "host", "machine", "public_host", "versions"]

_NAME = re.compile(rb"[0-9a-f]{32}\s*")  # of a machine
_PACKAGES = ("nmfbench", "numpy", "scipy", "scikit-learn", "numba", "pandas")


@functools.cache
def machine() -> str:
    """Random name of this machine, made at first use and kept in the user's cache.

    Two machines with the same processor differ by it. A damaged file is replaced. Where there is
    none and the cache cannot be written, the name is that of this process.
    """
    path, new = cache_folder() / "machine", secrets.token_hex(16)
    with contextlib.suppress(OSError):
        if _NAME.fullmatch(held := path.read_bytes()) is not None:
            return held.decode().strip()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".part-") as folder:
            part = Path(folder) / path.name
            part.write_text(new, encoding="utf-8")
            try:
                os.link(part, path)
            except FileExistsError:  # of another process, or an earlier one
                if _NAME.fullmatch(path.read_bytes()) is None:
                    part.replace(path)
            except OSError:  # a file system without links
                if not path.exists():
                    part.replace(path)
        return path.read_text(encoding="utf-8").strip()
    return new


@functools.cache
def host() -> dict[str, str | int]:
    """Platform, processor, number of cores, and the random name of this machine."""
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        found = re.search(r"model name\s*:\s*(.+)", cpuinfo)
    except OSError:
        found = None
    model = found.group(1).strip() if found else platform.processor() or platform.machine()
    return {
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": model,
        "cores": os.cpu_count() or 1,
        "machine": machine(),
    }


def computed_here(record: Mapping) -> bool:
    """Whether a record, or an audit, has the random name of this machine, which no other knows.

    So a store that another machine has filled is not taken for one of this.
    """
    return record["host"].get("machine") == machine()


def public_host(host: Mapping[str, str | int]) -> dict[str, str | int]:
    """The same without the name of the machine, as it leaves the machine."""
    return {name: value for name, value in host.items() if name != "machine"}


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
