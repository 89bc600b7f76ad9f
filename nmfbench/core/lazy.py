"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy"]


def lazy(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    r"""``__getattr__`` and ``__dir__`` of a package (PEP 562), so that its import is cheap.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        Name -> module that defines it, below the package.

    Examples
    --------
    >>> get, _ = lazy("nmfbench", {"one_line": "core.text"})
    >>> get("one_line")("two\nlines")
    'two lines'
    """

    def get(name: str) -> Any:
        if name in homes:
            return getattr(import_module(f"{package}.{homes[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: sorted({*vars(sys.modules[package]), *homes})
