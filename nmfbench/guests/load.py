"""A guest's class, imported, and refused if it cannot be a solver."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from importlib.machinery import SourceFileLoader
from pathlib import Path

from nmfbench.guests.errors import GuestError
from nmfbench.guests.place import find_in_working_directory, local_sources, short_name
from nmfbench.guests.signature import nearest, parameters_of

__all__ = ["load"]


def load(place: str, attribute: str) -> type:
    """Import a class.

    Parameters
    ----------
    place : str
        Path of a file that ends in ``.py``, or the dotted name of a module.
    attribute : str
        Name of the class.

    Raises
    ------
    GuestError
        If importing fails, there is no such class, or it has not the methods or parameters that
        a solver needs.
    """
    module = _load_file(Path(place)) if place.endswith(".py") else _load_module(place)
    kind = _find(module, attribute, os.path.basename(place))
    return _checked_class(kind, short_name(place, attribute))


def _load_file(path):
    texts, _ = local_sources(path)
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
    name = f"nmfbench_guest_{path.stem}_{digest}"  # an edited file is another module
    if name in sys.modules:
        return sys.modules[name]
    if str(path.parent) not in sys.path:  # at the end: the file's neighbours hide nobody
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or not isinstance(spec.loader, SourceFileLoader):
        raise GuestError(f"{path.name} is no Python file.")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        # Not by the loader: a cached compilation may be of the file as it was before an edit.
        exec(spec.loader.source_to_code(path.read_bytes(), str(path)), vars(module))
    except BaseException as error:
        del sys.modules[name]
        raise _import_failed(error, path.name) from error
    return module


def _load_module(name):
    find_in_working_directory(name)
    try:
        return importlib.import_module(name)
    except BaseException as error:
        raise _import_failed(error, name) from error


def _find(module, attribute, place):
    found = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            kinds = {n for n, v in vars(found).items() if inspect.isclass(v)}
            own = {n for n in kinds if vars(found)[n].__module__ == module.__name__} or kinds
            hint = nearest(part, own, "its classes are")
            raise GuestError(f"{place} has no class {attribute}; {hint}") from None
    return found


def _import_failed(error, place):
    if isinstance(error, KeyboardInterrupt):
        return error
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if os.path.basename(frame.filename) == place]
    where = f" (line {lines[-1]})" if lines else ""
    text = " ".join(str(error).split())
    return GuestError(f"importing {place} fails{where}: {type(error).__name__}: {text}")


def _checked_class(kind, name):
    if not inspect.isclass(kind):
        raise GuestError(
            f"{name} is no class but of type {type(kind).__name__}; a solver is a class with fit, "
            "fit_transform or partial_fit."
        )
    methods = ("fit", "fit_transform", "partial_fit")
    if not any(callable(getattr(kind, method, None)) for method in methods):
        raise GuestError(
            f"{name} is no estimator: it has neither fit(X) nor fit_transform(X) nor "
            "partial_fit(X)."
        )
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
