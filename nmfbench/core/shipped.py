"""Files of the repository that an installed package has, too: guides, published verdicts."""

from __future__ import annotations

from pathlib import Path

__all__ = ["shipped", "shipped_folder"]

_PACKAGE = Path(__file__).parents[1]


def shipped_folder() -> Path:
    """Folder of these files: inside an installed package, otherwise the checkout."""
    inside = _PACKAGE / "shipped"
    return inside if inside.is_dir() else _PACKAGE.parent


def shipped(name: str) -> Path | None:
    """One of these files, as the checkout has it; None where it is missing.

    Examples
    --------
    >>> shipped("docs/readers.md").name, shipped("docs/none.md")
    ('readers.md', None)
    """
    path = shipped_folder() / name
    return path if path.is_file() else None
