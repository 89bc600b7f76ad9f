"""Which tests compare a solver with something independent, found by reading the tests.

No metadata says what a solver was checked against. What can be said truthfully is what the tests
do: which of them are about the solver, and which independent routines these call. Tests are in the
repository, not in an installed package.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nmfbench
from nmfbench import registry

__all__ = ["CheckedBy", "checked_by"]

_INDEPENDENT = re.compile(
    r"oracles_\w+|scipy\.optimize(\.|$)|sklearn\.(cluster|decomposition|linear_model|manifold)(\.|$)"
)
_SOLVERS = "nmfbench.solvers"
_PARTS = re.compile(r"nmfbench\.(kernels|projections|proximal|graphs|solvers)\b")
_ELSEWHERE = re.compile(
    r"test_(common|cli|report|check|guests|plugin|cards|compare|benchmarks|readme|registry"
    r"|recognition|reconstruction|clustering|tasks|protocols)"
)


@dataclass(frozen=True)
class CheckedBy:
    """A test of a solver, or of a part of it, against something independent.

    Attributes
    ----------
    file, test : str
    part : str or None
        The function of the solver that is tested, where it is not the solver itself.
    statement : str
        The first line of its docstring: what holds.
    against : list of str
        The independent routines that it calls, with their modules.
    """

    file: str
    test: str
    part: str | None
    statement: str
    against: list[str]


def checked_by(key: str, kind: type, folder: Path | None = None) -> list[CheckedBy] | None:
    """Tests of a registered solver that call an independent routine.

    A test is about the solver if it mentions the key or the class, itself or by way of a function
    or constant of its module; and about a part if it mentions a function that the module of the
    class, or of a base of its family, defines or imports from this package, and no other solver.

    Parameters
    ----------
    key : str
    kind : type
        Its class.
    folder : path, optional
        By default ``tests`` beside the package.

    Returns
    -------
    list of CheckedBy or None
        Those of the solver itself first. None where there are no tests to read.
    """
    folder = folder or Path(nmfbench.__file__).parent.parent / "tests"
    files = sorted(folder.glob("test_*.py"))
    if not any(path.name == "test_common_solvers.py" for path in files):
        return None
    parts = _parts(kind)
    solvers = registry.solvers.entries()
    keys, kinds = {e.key for e in solvers}, {e.target.__name__ for e in solvers}
    found = []
    for path in files:
        if _ELSEWHERE.match(path.name):
            continue
        for test in _tests(path):
            whole = key in test.strings or kind.__name__ in test.names
            about_another = keys & test.strings or kinds & test.names
            called = () if about_another else sorted(parts & test.imported)
            part = next(iter(called), None)
            if test.against and (whole or part):
                said = (test.statement, test.against)
                found.append(CheckedBy(path.name, test.name, None if whole else part, *said))
    return sorted(found, key=lambda test: test.part is not None)


def _parts(kind) -> set[str]:
    """Functions of the modules of a class and of its family's bases, their own or imported."""
    modules = {base.__module__ for base in inspect.getmro(kind)}
    names = set()
    for module in modules - {f"{_SOLVERS}.base", f"{_SOLVERS}.alternating"}:
        if module.startswith(f"{_SOLVERS}."):
            tree = ast.parse(inspect.getsource(sys.modules[module]))
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and _PARTS.match(node.module or ""):
                    names |= {a.name for a in node.names}
                elif isinstance(node, ast.FunctionDef) and node in tree.body:
                    names.add(node.name)
    return {name for name in names if not re.match("Base|State|_", name)}


@dataclass(frozen=True)
class _Test:
    name: str
    statement: str
    names: frozenset[str]
    imported: frozenset[str]
    strings: frozenset[str]
    against: list[str]


@functools.cache
def _tests(path: Path) -> list[_Test]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    origins, bodies = {}, {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            origins |= {a.asname or a.name: (node.module, a.name) for a in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bodies[node.name] = node
        elif isinstance(node, ast.Assign):
            bodies |= {t.id: node for t in node.targets if isinstance(t, ast.Name)}
    used = {name: _words(node) for name, node in bodies.items()}
    tests = []
    for name, node in bodies.items():
        if name.startswith("test_") and isinstance(node, ast.FunctionDef):
            words = _closure(name, used)
            names = frozenset(word for kind, word in words if kind == "name")
            imported = names & {
                name for name, (module, _) in origins.items() if _PARTS.match(module)
            }
            strings = frozenset(word for kind, word in words if kind == "string")
            against = sorted(
                f"{module}.{original}"
                for word, (module, original) in origins.items()
                if word in names and _INDEPENDENT.match(module)
            )
            statement = (ast.get_docstring(node) or "").partition("\n")[0]
            tests.append(_Test(name, statement, names, imported, strings, against))
    return tests


def _words(node):
    """Pairs of ``"name"`` or ``"string"`` and what stands in a node, docstrings left out."""
    words, silent = set(), set()
    for part in ast.walk(node):  # parents come before their children
        is_doc = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
        # "mu" is a solver of scikit-learn's NMF, too.
        is_theirs = isinstance(part, ast.keyword) and part.arg == "solver"
        if is_doc or is_theirs:
            silent.add(part.value)
        elif isinstance(part, ast.Name):
            words.add(("name", part.id))
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part not in silent:
            words.add(("string", part.value))
    return words


def _closure(name, used):
    found, todo = set(), [("name", name)]
    while todo:
        word = todo.pop()
        if word not in found:
            found.add(word)
            todo += used.get(word[1], ()) if word[0] == "name" else ()
    return found
