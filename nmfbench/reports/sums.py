"""Check sums of the files of a report: written with it, verified by whoever has a copy."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

__all__ = ["SumsError", "Verification", "file_sum", "has_listed_sum", "verify", "write_sums"]

NAME = "SHA256SUMS"

_LINE = re.compile(r"(?P<sum>[0-9a-f]{64}) [ *](?P<name>.+)")


class SumsError(ValueError):
    """A folder without check sums, or sums that cannot be read."""


@dataclass(frozen=True)
class Verification:
    """Files of a folder, relative to it, compared with its check sums.

    Attributes
    ----------
    whole : list of str
        Files that are what was written.
    changed, missing : list of str
        Files that are listed and have another content, or are not there.
    unlisted : list of str
        Files that are there and have no check sum, and what is no file or folder: other links,
        pipes, devices.
    """

    whole: list[str]
    changed: list[str]
    missing: list[str]
    unlisted: list[str]

    @property
    def is_whole(self) -> bool:
        """Whether all files are what was written, and there are no others."""
        return not (self.changed or self.missing or self.unlisted)


def file_sum(path) -> str:
    """SHA-256 of a file's content, in hexadecimal digits."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_sums(paths: Iterable[Path], folder: Path) -> Path:
    """Write ``SHA256SUMS`` of files in a folder, as ``sha256sum --check`` reads it; its path."""
    sums = {path.relative_to(folder).as_posix(): file_sum(path) for path in paths}
    lines = [f"{sums[name]}  {name}\n" for name in sorted(sums)]
    (folder / NAME).write_text("".join(lines), encoding="utf-8")
    return folder / NAME


def verify(folder) -> Verification:
    """Compare all files below a folder with its ``SHA256SUMS``.

    Raises
    ------
    SumsError
        If the folder has none, or it names files outside or twice, or is no list of check sums.
    """
    folder = Path(folder)
    sums = _read(folder)
    found = Verification([], [], [], [])
    for name, expected in sums.items():
        path = folder / name
        if not path.is_file():
            found.missing.append(name)
        elif file_sum(path) != expected:
            found.changed.append(name)
        else:
            found.whole.append(name)
    known = {*found.whole, *found.changed, NAME}
    there = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir())
    names = (path.relative_to(folder).as_posix() for path in there)
    found.unlisted.extend(name for name in names if name not in known)
    return found


def has_listed_sum(path) -> bool:
    """Whether the nearest ``SHA256SUMS``, beside a file or above it, has the file's own sum."""
    path = Path(path).resolve()
    for folder in path.parents:
        if (folder / NAME).is_file():
            return _read(folder).get(path.relative_to(folder).as_posix()) == file_sum(path)
    return False


def _read(folder) -> dict[str, str]:
    path = folder / NAME
    if not path.is_file():
        why = "there is no such folder" if not folder.is_dir() else f"it has no {NAME}"
        raise SumsError(f"{folder} cannot be verified: {why}.")
    sums: dict[str, str] = {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise SumsError(f"{path}, line {number} is no check sum with the name of a file.")
        name = PurePosixPath(match["name"])
        if name.is_absolute() or ".." in name.parts:
            raise SumsError(f"{path}, line {number} names a file outside of its folder: {name}.")
        if name.as_posix() in sums:
            raise SumsError(f"{path}, line {number} names a file for the second time: {name}.")
        sums[name.as_posix()] = match["sum"]
    if not sums:
        raise SumsError(f"{path} is empty.")
    return sums
