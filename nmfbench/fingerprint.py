"""The version of the code behind a result: a hash of the source it is computed by.

A record is only worth as much as the code that made it. Its key therefore includes a hash of the
modules that compute it, found by following imports inside the package from the modules of the
solver, the task, the dataset and the corruption. Comments, docstrings and blank lines do not
count, so that better words do not throw results away.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import io
import tokenize
from collections.abc import Iterable
from pathlib import Path

__all__ = ["code_version", "strip_source"]

# Names and look-ups; they decide what is run, never what comes out.
_PLUMBING = {"nmfbench", "nmfbench.registry"}


def code_version(modules: Iterable[str]) -> str:
    """Hash of the given modules and of all that they import from their own packages.

    Parameters
    ----------
    modules : iterable of str
        Dotted names, such as ``"nmfbench.solvers.separable.spa"``.

    Returns
    -------
    str
        12 hexadecimal digits.
    """
    return _code_version(tuple(sorted(set(modules))))


@functools.cache
def _code_version(modules):
    digest = hashlib.sha256()
    for name in sorted(_closure(modules)):
        digest.update(f"{name}\n{_source(name)}\n".encode())
    return digest.hexdigest()[:12]


def _closure(modules) -> set[str]:
    """The modules, and what they import from their own top-level packages, directly or not."""
    found, todo = set(), list(modules)
    while todo:
        name = todo.pop()
        if name in found or name in _PLUMBING or _path(name) is None:
            continue
        found.add(name)
        todo.extend(_imports(name))
    return found


@functools.cache
def _path(name) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


@functools.cache
def _imports(name) -> set[str]:
    top = name.partition(".")[0]
    package = name if _path(name).name == "__init__.py" else name.rpartition(".")[0]
    targets = set()
    for node in ast.walk(ast.parse(_path(name).read_bytes())):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            targets.add(base)
            targets |= {f"{base}.{alias.name}" for alias in node.names}
    return {target for target in targets if target.partition(".")[0] == top}


@functools.cache
def _source(name) -> str:
    return strip_source(_path(name).read_text(encoding="utf-8"))


def strip_source(source: str) -> str:
    """Source text without comments, docstrings, blank lines and trailing blanks.

    Examples
    --------
    >>> print(strip_source('def f(x):\\n    "Twice x."\\n\\n    return 2 * x  # why not'))
    def f(x):
        return 2 * x
    """
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
            continue
        value = body[0].value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            lines[value.lineno - 1 : value.end_lineno] = [""] * (
                value.end_lineno - value.lineno + 1
            )
    return "\n".join(line.rstrip() for line in lines if line.strip())
