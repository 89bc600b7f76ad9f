"""Where the version of an entry is declared in the source, and how it is raised there."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from pathlib import Path

from nmfbench import registry

__all__ = ["VersionError", "declaration", "raise_version"]


class VersionError(ValueError):
    """No declaration was found that could be edited."""


def declaration(kind: str, key: str) -> tuple[Path, int, int]:
    """Where an entry is registered.

    Parameters
    ----------
    kind : {"solver", "task", "dataset", "corruption"}
    key : str

    Returns
    -------
    path : Path
    line : int
    version : int
        As declared, 1 if nothing is.
    """
    path, node = _find(kind, key)
    version = _version_node(node)
    return path, node.lineno, 1 if version is None else version.value


def raise_version(kind: str, key: str) -> int:
    """Write the next version of an entry into its source; returns it.

    Raises
    ------
    VersionError
        If the entry is not registered by a call, or a row of a table, that names it.
    """
    path, node = _find(kind, key)
    lines = path.read_text(encoding="utf-8").split("\n")
    version = _version_node(node)
    if version is not None:
        new = version.value + 1
        _replace(lines, version, str(new))
    else:
        new, last = 2, _last_of(node)
        text = f'"version": {new}' if isinstance(node, ast.Dict) else f"version={new}"
        row = last.end_lineno - 1
        indent = re.match(r"\s*", lines[row])[0]
        text = f", {text}" if node.lineno == node.end_lineno else f",\n{indent}{text}"
        cut = len(lines[row].encode()[: last.end_col_offset].decode())
        lines[row] = lines[row][:cut] + text + lines[row][cut:]
    path.write_text("\n".join(lines), encoding="utf-8")
    return new


def _replace(lines, node, text):
    row = node.lineno - 1
    raw = lines[row].encode()
    lines[row] = (raw[: node.col_offset] + text.encode() + raw[node.end_col_offset :]).decode()


def _find(kind, key):
    """The file that registers an entry, and the call or row of a table that does."""
    target = getattr(registry, f"{kind}s")[key].target
    while isinstance(target, functools.partial):
        target = target.func
    path = Path(inspect.getsourcefile(inspect.unwrap(target)))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and _is_registration(node, key):
            return path, node
        if isinstance(node, ast.Dict) and kind == "dataset":
            for name, value in zip(node.keys, node.values, strict=True):
                if getattr(name, "value", None) == key and isinstance(value, ast.Dict):
                    return path, value
    raise VersionError(f"{path} has no declaration of the {kind} {key!r} that could be edited.")


def _is_registration(node, key):
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    return name.startswith("register_") and bool(node.args) and _constant(node.args[0]) == key


def _constant(node):
    return getattr(node, "value", None)


def _version_node(node):
    if isinstance(node, ast.Dict):
        pairs = zip((_constant(name) for name in node.keys), node.values, strict=True)
    else:
        pairs = ((keyword.arg, keyword.value) for keyword in node.keywords)
    return next((value for name, value in pairs if name == "version"), None)


def _last_of(node):
    if isinstance(node, ast.Dict):
        return node.values[-1]
    return node.keywords[-1].value if node.keywords else node.args[-1]
