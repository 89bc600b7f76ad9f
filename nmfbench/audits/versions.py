"""Find the version of an entry in the source that declares it, and raise it there."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from pathlib import Path

from nmfbench.core import registry

__all__ = ["VersionError", "declaration", "raise_version"]


class VersionError(ValueError):
    """No declaration was found that could be edited."""


def declaration(kind: str, key: str) -> tuple[Path, int, str, int]:
    """Where an entry is registered.

    Parameters
    ----------
    kind : {"solver", "task", "dataset", "stand-in", "corruption"}
    key : str

    Returns
    -------
    path : Path
    line : int
    name : {"version", "stand_in_version"}
    version : int
        As declared, 1 if nothing is.
    """
    path, node = _find(kind, key)
    version = _version_node(node, _name(kind))
    return path, node.lineno, _name(kind), 1 if version is None else version.value


def raise_version(kind: str, key: str) -> int:
    """Write the next version of an entry into its source; returns it.

    Raises
    ------
    VersionError
        If the entry is not registered by a call, or a row of a table, that names it.
    """
    path, node = _find(kind, key)
    lines = path.read_text(encoding="utf-8").split("\n")
    name = _name(kind)
    version = _version_node(node, name)
    if version is not None:
        new = version.value + 1
        _replace(lines, version.lineno, version.col_offset, version.end_col_offset, str(new))
    elif isinstance(node, ast.Dict):  # first in the row
        new, first = 2, _first_key(node)
        _replace(lines, first.lineno, first.col_offset, first.col_offset, f'"{name}": {new}, ')
    else:  # behind the key
        new, first = 2, node.args[0]
        place = first.end_lineno, first.end_col_offset, first.end_col_offset
        line = lines[place[0] - 1]
        indent = line[: len(line) - len(line.lstrip())]
        gap = " " if node.lineno == node.end_lineno else f"\n{indent}"
        _replace(lines, *place, f",{gap}{name}={new}")
    path.write_text("\n".join(lines), encoding="utf-8")
    return new


def _replace(lines, line, start, end, text):
    raw = lines[line - 1].encode()
    lines[line - 1] = (raw[:start] + text.encode() + raw[end:]).decode()


def _name(kind):
    return "stand_in_version" if kind == "stand-in" else "version"


def _find(kind, key):
    """The file that registers an entry, and the call or row of a table that does."""
    of_data = kind in ("dataset", "stand-in")
    target = (registry.datasets if of_data else getattr(registry, f"{kind}s"))[key].target
    while isinstance(target, functools.partial):
        target = target.func
    try:
        source = inspect.getsourcefile(inspect.unwrap(target))
    except TypeError:  # an external class, which is identified by its file
        source = None
    if source is None:
        raise VersionError(f"the {kind} {key!r} has no version that could be raised.")
    own = Path(source)
    # Data that are loaded alike share a loader, which may stand in another file of its folder.
    for path in dict.fromkeys([own, *(sorted(own.parent.glob("*.py")) if of_data else ())]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _is_registration(node, key):
                return path, node
            if isinstance(node, ast.Dict) and of_data:
                for name, value in zip(node.keys, node.values, strict=True):
                    if _constant(name) == key and isinstance(value, ast.Dict):
                        return path, value
    raise VersionError(f"{own} has no declaration of the {kind} {key!r} that could be edited.")


def _is_registration(node, key):
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    return name.startswith("register_") and bool(node.args) and _names(node.args[0], key)


def _names(node, key):
    """Whether a constant is the key, or an f-string can be it, which registers several alike."""
    if not isinstance(node, ast.JoinedStr):
        return _constant(node) == key
    constants = map(_constant, node.values)
    parts = (".+" if constant is None else re.escape(constant) for constant in constants)
    return re.fullmatch("".join(parts), key) is not None


def _constant(node):
    return node.value if isinstance(node, ast.Constant) else None


def _first_key(node: ast.Dict) -> ast.expr:
    return next(name for name in node.keys if name is not None)


def _version_node(node, wanted):
    if isinstance(node, ast.Dict):
        pairs = list(zip(map(_constant, node.keys), node.values, strict=True))
    else:
        pairs = [(keyword.arg, keyword.value) for keyword in node.keywords]
    return next((value for name, value in pairs if name == wanted), None)
