"""Where a guest's class is: found and versioned without importing it, imported where it runs."""

from __future__ import annotations

import ast
import difflib
import functools
import hashlib
import importlib
import importlib.util
import inspect
import json
import os
import sys
import traceback
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from nmfbench import __version__
from nmfbench.core.registry import Entry
from nmfbench.engine.fingerprint import code_version, strip_source

__all__ = ["GuestError", "Source", "check_parameters", "classes_of", "entry", "locate"]

_OWN = "nmfbench"
# Their releases do not count, as they do not for our own solvers: they stand in the record.
_COMMON = {"numpy", "scipy", _OWN}


class GuestError(ValueError):
    """A class from outside that cannot be used as a solver; the message says why, in a line."""


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
        _local_sources(path.resolve(), shown=place)
        return key
    if not all(part.isidentifier() for part in place.split(".")):
        what = "a path to a file that ends in .py, or a dotted module"
        raise GuestError(f"{place}:{attribute} names no solver: before the colon goes {what}.")
    return f"{place}:{attribute}"


def entry(key: str) -> Entry:
    """What the registry answers for the key of a guest, such as ``"/home/me/mine.py:MyNMF"``.

    The key of the entry lacks the folder, on which no result depends.
    """
    place, _, attribute = key.rpartition(":")
    source = Source(place, attribute)
    info = {
        "name": attribute,
        "family": "guest",
        "reference": source.name,
        "paper": None,
        "monotone": False,
        "nested": False,
    }
    return Entry(source.name, source, info)


@dataclass(frozen=True)
class Source:
    """A class in a file or a module, imported when it is called.

    Attributes
    ----------
    place : str
        Path of a file that ends in ``.py``, or the dotted name of a module.
    attribute : str
        Name of the class.
    """

    place: str
    attribute: str

    @property
    def is_file(self) -> bool:
        return self.place.endswith(".py")

    @property
    def name(self) -> str:
        """Place without the folder, and class."""
        place = os.path.basename(self.place) if self.is_file else self.place
        return f"{place}:{self.attribute}"

    def fingerprint(self) -> str:
        """Its version: a hash of its own files, the releases of what they import, and ours."""
        return code_version([self], with_ours=False)

    def origins(self) -> list[tuple[str, str]]:
        """For :func:`~nmfbench.engine.fingerprint.code_version`: pairs of module and text."""
        from nmfbench.guests.adapter import VERSION

        pairs = [(f"{_OWN}.guests.adapter", f"adapter {VERSION}")]
        if self.is_file:
            texts, imported = _local_sources(Path(self.place))
            tops = {name.partition(".")[0] for name in imported}
            if _OWN in tops:
                pairs += [(name, __version__) for name in imported if name.startswith(_OWN)]
            pairs += [("", text) for text in texts]
            releases = (_version(top) for top in sorted(tops - _COMMON))
            return pairs + [("", release) for release in releases if release]
        version = _version(self.place.partition(".")[0])
        if version is None:  # not installed, or installed to be edited
            _find_in_working_directory(self.place)
            return [*pairs, (self.place, "")]
        return [*pairs, ("", version)]

    def load(self) -> type:
        """Import the class.

        Raises
        ------
        GuestError
            If importing fails, there is no such class, or it has not the methods or parameters
            that a solver needs.
        """
        module = self._load_file() if self.is_file else self._load_module()
        return _checked_class(self._find(module), self.name)

    def __call__(self):
        """An unfitted estimator that the tasks can use."""
        from nmfbench.guests.adapter import Guest
        from nmfbench.solvers.bases.loop import BaseNMF

        kind = self.load()
        return kind() if issubclass(kind, BaseNMF) else Guest(kind)

    def _load_file(self):
        path = Path(self.place)
        texts, _ = _local_sources(path)
        digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
        name = f"{_OWN}_guest_{path.stem}_{digest}"  # an edited file is another module
        if name in sys.modules:
            return sys.modules[name]
        if str(path.parent) not in sys.path:  # at the end: the file's neighbours hide nobody
            sys.path.append(str(path.parent))
        spec = importlib.util.spec_from_file_location(name, path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            # Not by the loader: a cached compilation may be of the file as it was before an edit.
            exec(spec.loader.source_to_code(path.read_bytes(), str(path)), vars(module))
        except BaseException as error:
            del sys.modules[name]
            raise _import_failed(error, path.name) from error
        return module

    def _load_module(self):
        _find_in_working_directory(self.place)
        try:
            return importlib.import_module(self.place)
        except BaseException as error:
            raise _import_failed(error, self.place) from error

    def _find(self, module):
        found = module
        for part in self.attribute.split("."):
            try:
                found = getattr(found, part)
            except AttributeError:
                kinds = {n for n, v in vars(found).items() if inspect.isclass(v)}
                own = {n for n in kinds if vars(found)[n].__module__ == module.__name__} or kinds
                place = self.name.rpartition(":")[0]
                hint = _nearest(part, own, "its classes are")
                raise GuestError(f"{place} has no class {self.attribute}; {hint}") from None
        return found


def _import_failed(error, place):
    if isinstance(error, KeyboardInterrupt):
        return error
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if os.path.basename(frame.filename) == place]
    where = f" (line {lines[-1]})" if lines else ""
    text = " ".join(str(error).split())
    return GuestError(f"importing {place} fails{where}: {type(error).__name__}: {text}")


def _find_in_working_directory(module):
    """Let a package of the working directory be found, after all that is installed."""
    top = module.partition(".")[0]
    try:
        found = importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        found = True
    if not found and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
        importlib.invalidate_caches()


# -- the class --------------------------------------------------------------------------------


def _checked_class(kind, name):
    if not inspect.isclass(kind):
        raise GuestError(
            f"{name} is no class but of type {type(kind).__name__}; a solver is a class with fit "
            "or fit_transform."
        )
    if not any(callable(getattr(kind, method, None)) for method in ("fit", "fit_transform")):
        raise GuestError(f"{name} is no estimator: it has neither fit(X) nor fit_transform(X).")
    from nmfbench.guests.adapter import parameters_of

    names, any_name, demanded = parameters_of(kind)
    if demanded:
        raise GuestError(
            f"{name} cannot be made without {', '.join(demanded)}: all parameters but n_components "
            "need defaults, and names."
        )
    if "n_components" not in names and not any_name:
        close = [n for n in ("rank", "r", "k", "n_topics", "n_clusters") if n in names]
        hint = f"rename {close[0]}" if close else "add it, or write a class around this one"
        raise GuestError(f"{name} has no parameter n_components: {hint}.")
    return kind


def check_parameters(name: str, params, known) -> None:
    """Refuse parameters that a solver does not have, in a line with the nearest names.

    Raises
    ------
    GuestError
    """
    for param in params:
        if param not in known:
            hint = _nearest(param, known, "it has")
            raise GuestError(f"{name} has no parameter {param}; {hint}")


def _nearest(word, names, otherwise):
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"{otherwise} {', '.join(sorted(names))}." if names else "there is none."


# -- versions ---------------------------------------------------------------------------------


def _local_sources(path: Path, shown=None):
    """Source of a file and of what it imports from its folder, and all names that they import.

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
        stripped, names = _analysed(text)
        found[file] = f"{file.relative_to(path.parent).as_posix()}\n{stripped}"
        for name in names:
            near = _neighbours(path.parent, name.partition(".")[0])
            todo += near
            if not near:
                imported.add(name)
    return [found[file] for file in sorted(found)], sorted(imported)


@functools.lru_cache(64)  # a key a trial is asked for, and a file changes seldom
def _analysed(text):
    """What of a source decides results, and the dotted names that it imports."""
    return strip_source(text), [
        name for node in ast.walk(ast.parse(text)) for name in _imports(node)
    ]


def classes_of(path: str) -> list[str]:
    """Names of the classes that a file defines; nothing of it is run.

    Raises
    ------
    GuestError
        If there is no such file, or it has a syntax error.
    """
    body = ast.parse(_read(Path(path), path)).body
    return [node.name for node in body if isinstance(node, ast.ClassDef)]


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
        line = f", line {error.lineno}" if getattr(error, "lineno", None) else ""
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


def _version(top) -> str | None:
    """Name and version of the distribution that has a module; None if its source can change."""
    if top == _OWN or top in sys.stdlib_module_names:
        return None
    found = []
    for name in sorted(set(_distributions().get(top, ()))):
        about = metadata.distribution(name)
        direct = json.loads(about.read_text("direct_url.json") or "{}")
        if direct.get("dir_info", {}).get("editable"):
            return None
        found.append(f"{name}=={about.version}")
    return " ".join(found) or None


@functools.cache
def _distributions():
    return metadata.packages_distributions()
