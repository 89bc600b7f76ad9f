"""Fingerprints of source code: which text computed a record.

A record keeps the fingerprint of the modules that computed it, found by following imports from the
modules of the solver, the task, the dataset and the corruption, inside their own packages and
inside this one. Comments, docstrings and blank lines do not count. It is no part of the key of a
built-in solver's record, which holds declared versions: an audit (:mod:`nmfbench.audits.audit`)
looks at the records whose fingerprint is not today's. An external class declares no version and is
identified by its fingerprint alone.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import io
import sys
import textwrap
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["code_version", "strip_source"]

_OWN = "nmfbench"
# Names, look-ups, downloads and what differences matter: they decide what is run, whether it can be
# and how it is judged, never what comes out (the content of a data file is checked against its own
# hash, which is in the key).
_PLUMBING = {
    _OWN,
    f"{_OWN}.core.facts",
    f"{_OWN}.core.matters",
    f"{_OWN}.core.registry",
    f"{_OWN}.datasets",
    f"{_OWN}.datasets.convert",
    f"{_OWN}.datasets.download",
}


def code_version(things: Iterable[Any], *, with_ours: bool = True) -> str:
    """Hash of the given modules and of all that they import from their own packages.

    Parameters
    ----------
    things : iterable
        Dotted names of modules, such as ``"nmfbench.solvers.separable.spa"``; or classes,
        functions and partials, which stand for the modules that define them; or objects that list
        what they depend on in a method ``origins``.
    with_ours : bool, default=True
        Also follow what modules of other packages import from this one.

    Returns
    -------
    str
        12 hexadecimal digits, the same on every machine and version of Python.

    Raises
    ------
    ValueError
        If the source of something cannot be found.
    """
    modules, texts = set(), set()
    for thing in things:
        for module, text in [(thing, "")] if isinstance(thing, str) else _origins(thing):
            modules.add(module)
            texts.add(text)
    return _code_version(tuple(sorted(modules)), tuple(sorted(texts)), with_ours)


def _origins(thing):
    """Pairs of a module to follow, and text to hash besides it."""
    if hasattr(thing, "origins"):  # an external solver, which may not be imported here
        return thing.origins()
    if isinstance(thing, functools.partial):
        arguments = f"{list(thing.args)} {sorted(thing.keywords.items())}"
        return [*_origins(thing.func), ("", f"{_name(thing.func)} {arguments}")]
    module = getattr(thing, "__module__", None) or type(thing).__module__
    if _path(module) is not None:
        return [(module, "")]
    # Defined on the fly: in a notebook, in __main__, in a module without a file.
    try:
        return [("", strip_source(inspect.getsource(thing)))]
    except (OSError, TypeError, SyntaxError, IndentationError) as error:
        raise ValueError(
            f"the source of {_name(thing)} cannot be found ({error}), so that its results "
            "could be mistaken for results of another version; put it into a file of its own."
        ) from error


def _name(thing) -> str:
    while isinstance(thing, functools.partial):
        thing = thing.func
    return f"{thing.__module__}.{getattr(thing, '__qualname__', type(thing).__qualname__)}"


@functools.cache
def _code_version(modules, texts, with_ours):
    digest = hashlib.sha256()
    for name in sorted(_closure(modules)):
        if not with_ours and name.partition(".")[0] == _OWN:
            continue
        digest.update(f"{name}\n{_source(name)}\n".encode())
    for text in texts:
        digest.update(text.encode())
    return digest.hexdigest()[:12]


def _closure(modules) -> set[str]:
    """The modules, and what they import from their own packages and ours, directly or not."""
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
    """The source file of a module; None if there is none, or no such module."""
    try:
        spec = importlib.util.find_spec(name) if name else None
    except (ImportError, ValueError, AttributeError):
        spec = None
    origin = spec.origin if spec else getattr(sys.modules.get(name), "__file__", None)
    path = Path(origin) if origin and origin.endswith(".py") else None
    return path if path is not None and path.is_file() else None


@functools.cache
def _imports(name) -> set[str]:
    tops = {name.partition(".")[0], _OWN}
    path = _path(name)
    is_package = path is not None and path.name == "__init__.py"
    package = name if is_package else name.rpartition(".")[0]
    targets: set[str] = set()
    for node in ast.walk(ast.parse(_text(name))):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = importlib.util.resolve_name("." * node.level + base, package)
            targets.add(base)
            targets |= {f"{base}.{alias.name}" for alias in node.names}
    return {target for target in targets if target.partition(".")[0] in tops}


@functools.cache
def _text(name) -> str:
    path = _path(name)
    if path is None:
        raise TypeError(f"module {name!r} has no source file.")
    with tokenize.open(path) as file:
        return file.read()


@functools.cache
def _source(name) -> str:
    return strip_source(_text(name))


def strip_source(source: str) -> str:
    """Source text without comments, docstrings, blank lines and trailing blanks.

    Examples
    --------
    >>> print(strip_source('def f(x):\\n    "Twice x."\\n\\n    return 2 * x  # why not'))
    def f(x):
        return 2 * x
    """
    source = textwrap.dedent(source)
    lines = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
            _cut(lines, first.value)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _cut(lines, node):
    """Blank the text of a node, and leave what stands before and after it on its lines."""
    first, last = node.lineno - 1, node.end_lineno - 1
    before = lines[first].encode()[: node.col_offset].decode()
    after = lines[last].encode()[node.end_col_offset :].decode()
    lines[first : last + 1] = [before + after] + [""] * (last - first)
