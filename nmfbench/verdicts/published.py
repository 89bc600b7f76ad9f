"""Verdicts and numbers that were published with this release, for where no trial has run."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from nmfbench.core.shipped import shipped

__all__ = ["read_published"]


def read_published(name: str, artefacts: Collection[str]) -> list[dict[str, Any]]:
    """Rows of some artefacts from a file of the published report.

    Parameters
    ----------
    name : str
        ``"claims.json"`` or ``"numbers.json"``.
    artefacts : collection of str
        Their ids.

    Raises
    ------
    FileNotFoundError
        If the package was installed without the file.

    Examples
    --------
    >>> {row["artefact"] for row in read_published("claims.json", ["mahnmf/theorem3"])}
    {'mahnmf/theorem3'}
    """
    path = shipped(f"reports/{name}")
    if path is None:
        raise FileNotFoundError(
            f"reports/{name} is not in this installation: wheels and checkouts have it."
        )
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [row for row in rows if row["artefact"] in artefacts]
