"""The place of a guest's class: a file or a module, found and read without running it."""

from __future__ import annotations

import ast
import difflib
import functools
import importlib
import importlib.util
import os
import sys
from pathlib import Path

from nmfbench.guests.errors import GuestError
from nmfbench.trials.fingerprint import strip_source

__all__ = ["classes_of", "find_in_working_directory", "local_sources", "locate", "short_name"]

_OWN = "nmfbench"


def locate(place: str, attribute: str) -> str:
    """The key of a guest: its place made absolute, after a look at the file, if it is one.

    Raises
    ------
    GuestError
        If there is no such file, it cannot be read, or it has a syntax error.
    """
    if place.endswith(".py"):
        path = Path(place).expanduser()
        key = f"{path.resolve()}:{attribute}"
        local_sources(path.resolve(), shown=place)
        return key
    if not all(part.isidentifier() for part in place.split(".")):
        what = "a path to a file that ends in .py, or a dotted module"
        raise GuestError(f"{place}:{attribute} names no solver: before the colon goes {what}.")
    return f"{place}:{attribute}"


def short_name(place: str, attribute: str) -> str:
    """Place without the folder, and class: ``"mine.py:MyNMF"``."""
    return f"{os.path.basename(place)}:{attribute}"


def classes_of(path: str) -> list[str]:
    """Names of the classes that a file defines; nothing of it is run.

    Raises
    ------
    GuestError
        If there is no such file, or it has a syntax error.
    """
    body = ast.parse(_read(Path(path), path)).body
    return [node.name for node in body if isinstance(node, ast.ClassDef)]


def local_sources(path: Path, shown=None, attribute=None):
    """Source of a file and of what it imports from its folder, and all names that they import.

    Parameters
    ----------
    path : Path
    shown : str, optional
        What a message calls the file.
    attribute : str, optional
        A class of the file: others, and functions, that it does not use are left out.

    Returns
    -------
    texts : list of str
        Name and source, without comments and docstrings, of each.
    imported : list of str
        Dotted names of what they import from elsewhere.
    """
    found, imported, todo = {}, set(), [path]
    while todo:
        file = todo.pop()
        if file in found:
            continue
        text = _read(file, shown if file == path and shown else file.name)
        if file == path and attribute is not None:
            text = _used_by(attribute, text)
        stripped, names = _analysed(text)
        found[file] = f"{file.relative_to(path.parent).as_posix()}\n{stripped}"
        for name in names:
            near = _neighbours(path.parent, name.partition(".")[0])
            todo += near
            if not near:
                imported.add(name)
    return [found[file] for file in sorted(found)], sorted(imported)


@functools.lru_cache(64)  # every trial has a key, and a file changes seldom
def _analysed(text):
    """The part of a source that decides results, and the dotted names that it imports."""
    return strip_source(text), [
        name for node in ast.walk(ast.parse(text)) for name in _imports(node)
    ]


@functools.lru_cache(64)
def _used_by(attribute, text):
    """A source without the classes and functions that one of its classes does not use.

    Used is what the class, the statements beside classes and functions, or what these use name, in
    code or as text. What has a decorator stays, as that may do anything; and where code looks
    names up by itself, all stays.
    """
    body = ast.parse(text).body
    unused = {
        node.name: node
        for node in body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.decorator_list
        and node.name != attribute
    }
    todo: list[ast.AST] = [node for node in body if node not in unused.values()]
    while todo:
        words = {word for node in ast.walk(todo.pop()) for word in _words(node)}
        if words & _LOOK_UPS:
            return text
        todo += [unused.pop(word) for word in words & unused.keys()]
    lines = text.split("\n")
    for node in unused.values():
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        lines[first:last] = [""] * (last - first)
    return "\n".join(lines)


_LOOK_UPS = {"globals", "vars", "eval", "exec", "inspect", "modules", "__subclasses__"}


def _words(node):
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace(".", " ").split()
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _imports(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def _neighbours(folder, name):
    if name == _OWN:
        return []
    package = folder / name
    if (package / "__init__.py").is_file():
        return sorted(package.rglob("*.py"))
    return [file] if (file := folder / f"{name}.py").is_file() else []


def _read(path, shown):
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise GuestError(f"the file {shown} {what}{_nearest_file(path)}")
    try:
        with open(path, "rb") as file:
            return _decoded(file.read())
    except OSError as error:
        raise GuestError(f"the file {shown} cannot be read: {error.strerror}.") from None
    except (SyntaxError, ValueError) as error:
        number = getattr(error, "lineno", None)
        line = f", line {number}" if number else ""
        text = getattr(error, "msg", None) or error
        raise GuestError(f"{shown} is no Python file{line}: {text}.") from None


@functools.lru_cache(64)
def _decoded(source):
    ast.parse(source)
    return importlib.util.decode_source(source)


def _nearest_file(path):
    names = [file.name for file in path.parent.glob("*.py") if file.is_file()]
    close = difflib.get_close_matches(path.name, names, n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else "."


def find_in_working_directory(module):
    """Let a package of the working directory be found, after all that is installed."""
    top = module.partition(".")[0]
    try:
        found = importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        found = True
    if not found and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
        importlib.invalidate_caches()
