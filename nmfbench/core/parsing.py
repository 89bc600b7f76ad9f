"""Parsing of a file in a guarded process of its own, which damage may end."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nmfbench.core.guard import Guarded

__all__ = ["ANSWER", "Remedies", "problem_of_parsing"]

ANSWER = "answer.json"
"""File in which the process leaves what is wrong with the file that it parsed, or null."""


@dataclass(frozen=True)
class Remedies:
    """What users do about a file that takes too much memory or time to parse, or is damaged."""

    memory: str
    time: str
    damage: str


def problem_of_parsing(
    code: str,
    path: Path,
    options: Any,
    folder: str,
    remedies: Remedies,
    *,
    time_limit: float,
    memory_limit: int,
) -> str | None:
    """Parse a file in a guarded process, and say what is wrong with the file, if anything.

    Parameters
    ----------
    code : str
        What the process runs. Its arguments are the absolute path of the file, the options as
        JSON, the folder and the limit of memory; it writes what it has parsed, and
        :data:`ANSWER`, to the folder.
    path : Path
    options : object
        Of the parser, as JSON can hold it.
    folder : str
    remedies : Remedies
    time_limit : float
        Seconds.
    memory_limit : int
        Bytes.

    Returns
    -------
    str or None
        The end of a sentence that begins with the name of the file.
    """
    child = Guarded(
        code,
        str(path.absolute()),
        json.dumps(options),
        folder,
        str(memory_limit),
        memory_limit=memory_limit,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        in_time = child.ended(time_limit)
    finally:
        end = child.close()
    if end.held is not None:
        limit = f"{memory_limit / 1e6:.0f} MB"
        return f"takes more than {limit} of memory to read: {remedies.memory}."
    if not in_time:
        return f"is not read within {time_limit:g} seconds: {remedies.time}."
    answer = Path(folder, ANSWER)
    if end.code != 0 or not answer.is_file():
        return f"is damaged, as reading it ends the process that does: {remedies.damage}."
    return json.loads(answer.read_text(encoding="utf-8"))
