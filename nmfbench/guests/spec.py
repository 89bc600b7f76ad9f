"""Solvers as the command line names them: a key or a place, and parameters."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from typing import Any

from nmfbench.core import registry
from nmfbench.guests.errors import GuestError
from nmfbench.guests.place import classes_of, locate, short_name
from nmfbench.guests.signature import check_parameters
from nmfbench.records.saved import is_saved

__all__ = ["SolverSpec", "parse_solver"]

_NAME = r"[^\W\d]\w*"
_PLACE = re.compile(
    rf"(?P<place>.+?):(?P<attribute>{_NAME}(\.{_NAME})*)"
    r"(?P<version>@[0-9a-f]{12})?\s*(?P<call>\(.*\))?",
    re.DOTALL,
)
_KEY = re.compile(r"(?P<key>[\w./\\-]+)\s*(?P<call>\(.*\))?", re.DOTALL)


@dataclass(frozen=True)
class SolverSpec:
    """A solver and its parameters, as a :class:`~nmfbench.trials.trial.Trial` takes them.

    Attributes
    ----------
    solver : str
        A registered key, ``package.module:Class``, or ``/path/to/file.py:Class``, the path
        absolute; or ``file.py:Class@version`` of records made elsewhere.
    params : dict
    """

    solver: str
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def is_guest(self) -> bool:
        """Whether it is an external class."""
        return ":" in self.solver

    @property
    def is_saved(self) -> bool:
        """Whether it stands for records made elsewhere."""
        return is_saved(self.solver)

    @property
    def label(self) -> str:
        """Short name, for legends and tables.

        Examples
        --------
        >>> SolverSpec("sklearn.decomposition:NMF", {"solver": "mu"}).label
        "NMF(solver='mu')"
        """
        name = self.solver.rpartition(":")[2]
        given = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{name}({given})" if given else name

    def __str__(self):
        return self.solver.rpartition(":")[0] + ":" * self.is_guest + self.label


def parse_solver(text: str) -> SolverSpec:
    """Read a solver as a user writes it; nothing of it is run or imported.

    Parameters
    ----------
    text : str
        ``spa``, ``package.module:Class`` or ``path/to/file.py:Class``, each with optional
        parameters, as in ``mu(max_iter=50)``: keywords and literals. ``file.py:Class@version``
        stands for records of the class that were made elsewhere.

    Raises
    ------
    GuestError
        If it cannot be read, the file is missing or has a syntax error, or a registered solver
        has no such parameter.
    UnknownNameError
        If it looks like a key and no solver has it.

    Examples
    --------
    >>> parse_solver("mu(max_iter=50, init='random')")
    SolverSpec(solver='mu', params={'max_iter': 50, 'init': 'random'})
    """
    text = text.strip()
    if match := _PLACE.fullmatch(text):
        params = _parameters(text, match["call"])
        if match["version"]:
            name = short_name(match["place"], match["attribute"])
            return SolverSpec(name + match["version"], params)
        return SolverSpec(locate(match["place"], match["attribute"]), params)
    match = _KEY.fullmatch(text)
    if not match or text.endswith(".py"):
        raise GuestError(_unreadable(text))
    params, key = _parameters(text, match["call"]), match["key"]
    if key not in registry.solvers and "." in key and "/" not in key:
        module, _, name = key.rpartition(".")
        written = f"{module}:{name}" if name[:1].isupper() else f"{key}:Class"
        raise GuestError(f"no solver is called {key!r}; a class is written {written}.")
    target = registry.solvers[key].target
    check_parameters(key, params, target().get_params())
    return SolverSpec(key, params)


def _unreadable(text):
    names = [f"{text}:{name}" for name in classes_of(text)] if text.endswith(".py") else []
    if names:
        return f"{text} needs the name of a class: {' or '.join(names)}."
    return (
        f"{text!r} names no solver: give a key (see nmfbench list solvers), package.module:Class "
        "or path/to/file.py:Class, with parameters as in 'mu(max_iter=50)'."
    )


def _parameters(text, call):
    """Keywords and literals, read and never evaluated."""
    if call is None:
        return {}
    try:
        node = ast.parse(f"f{call}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        node = None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise GuestError(f"the parameters of {text!r} cannot be read: write (name=value, ...).")
    if node.args:
        raise GuestError(f"the parameters of {text!r} need names: write (name=value, ...).")
    found = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise GuestError(f"the parameters of {text!r} need names: ** is not read.")
        if keyword.arg in found:
            raise GuestError(f"the parameter {keyword.arg} of {text!r} is given twice.")
        found[keyword.arg] = _literal(text, keyword)
    return found


def _literal(text, keyword):
    try:
        value = ast.literal_eval(keyword.value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        written = ast.unparse(keyword.value)
        hint = f" (a string needs quotes: {written!r})" if written.isidentifier() else ""
        raise GuestError(
            f"the value of {keyword.arg} in {text!r} is no literal: {written}{hint}; expressions "
            "are not evaluated."
        ) from None
    try:
        same = json.loads(json.dumps(value, allow_nan=False)) == _lists(value)
    except (TypeError, ValueError):
        same = False
    if not same:
        raise GuestError(
            f"the value of {keyword.arg} in {text!r} must be a finite number, a string, True, "
            "False, None, or a list or dictionary of these."
        )
    return value


def _lists(value):
    """Tuples as lists, which is how a record keeps them."""
    if isinstance(value, list | tuple):
        return [_lists(part) for part in value]
    if isinstance(value, dict):
        return {key: _lists(part) for key, part in value.items()}
    return value
