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
from nmfbench.core import registry

__all__ = ["CheckedBy", "checked_by"]

_INDEPENDENT = re.compile(
    r"oracles_\w+|scipy\.optimize(\.|$)|sklearn\.(cluster|decomposition|linear_model|manifold)(\.|$)"
    r"|skpcp(\.|$)"
)
_SAID = {
    "scikit-learn": r"scikit.learn",
    "its formulas, written out": r"formula|definition|transcription|written out"
    r"|(iterat|step|sweep)\w* (are|is) (those|that) of the paper",
    "brute force": r"brute force|of all partitions|one by one",
    "an answer that is known": r"\b(singular pair|known|planted|recovers low|recovered"
    r"|noiseless)\b",
    "the conditions of an optimum": r"stationary|gradient vanishes|optimal in (each|every)"
    r"|\bno (other|random nudge)\b",
}
"""What a test says of itself that makes it an independent check, where it calls no routine."""
_SOLVERS = "nmfbench.solvers"
_PARTS = re.compile(r"nmfbench\.(kernels|projections|proximal|graphs|solvers)\b")
_REFUSALS = re.compile(r"refused|named")  # whatever they say of what is known
_MAKERS = {"make_solver", "registry", "solvers", "registry.solvers"}
_ELSEWHERE = re.compile(
    r"test_(common|cli|report|check|guests|plugin|cards|compare|benchmarks|readme|registry"
    r"|recognition|reconstruction|clustering|tasks|protocols|exchange|store|replay|fingerprint"
    r"|trials|runner|ranking|claims|artefacts|pictures|sensitivity|ingredients|similarity|\w+_curves"
    r"|versions|missing|merge|budget|audit|arrays|book|agreement|published|first_iterations)"
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
        The independent routines that it calls, with their modules; else a word of what it says it
        compares with.
    """

    file: str
    test: str
    part: str | None
    statement: str
    against: list[str]


def checked_by(key: str, kind: type, folder: Path | None = None) -> list[CheckedBy] | None:
    """Tests of a registered solver that call an independent routine, or say what they hold it to.

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
    families = {e.key.replace("-", "_"): e.info["family"] for e in solvers}
    family = registry.solvers[key].info["family"]
    found = []
    for path in files:
        if _ELSEWHERE.match(path.name):
            continue
        # In the file of a solver of another family it is a rival.
        is_rival = families.get(path.stem.removeprefix("test_"), family) != family
        for test in _tests(path):
            # "median" is a parameter of others, too.
            by_key = key in test.strings and test.names & _MAKERS
            whole = by_key or kind.__name__ in test.names
            about_another = keys & test.strings or kinds & test.names
            called = () if about_another else sorted(parts & test.imported)
            part = next(iter(called), None)
            against = test.against
            if whole and not against and not is_rival and not _REFUSALS.search(test.name):
                said = f"{test.name.replace('_', ' ')} {test.statement}".lower()
                against = [word for word, pattern in _SAID.items() if re.search(pattern, said)][:1]
            if against and (whole or part):
                part = None if whole else part
                found.append(CheckedBy(path.name, test.name, part, test.statement, against))
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
    bodies, origins, used = _module(path)
    tests = []
    for name, node in bodies.items():
        if name.startswith("test_") and isinstance(node, ast.FunctionDef):
            words = _closure(name, used)
            names = frozenset(word for kind, word in words if kind == "name")
            imported = names & {
                name for name, (module, _) in origins.items() if _PARTS.match(module)
            }
            strings = frozenset(word for kind, word in words if kind == "string")
            statement = (ast.get_docstring(node) or "").partition("\n")[0]
            against = sorted(_independent(path, name))
            tests.append(_Test(name, statement, names, imported, strings, against))
    return tests


@functools.cache
def _module(path):
    """Definitions of a module, where its imported names are from, and what each definition uses."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    origins, bodies = {}, {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            origins |= {a.asname or a.name: (node.module, a.name) for a in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bodies[node.name] = node
        elif isinstance(node, ast.Assign):
            bodies |= {t.id: node for t in node.targets if isinstance(t, ast.Name)}
    return bodies, origins, {name: _words(node) for name, node in bodies.items()}


def _independent(path, name):
    """Independent routines that a definition calls, itself or by way of another module of tests."""
    _, origins, used = _module(path)
    found = set()
    for kind, word in _closure(name, used):
        # A dotted name stands for itself, unless it is only a module.
        module, original = origins.get(word, word.rpartition(".")[::2])
        if kind == "name" and _INDEPENDENT.match(module):
            found.add(f"{module}.{original}")
        elif kind == "name" and word in origins and module.startswith("test_"):
            found |= _independent(path.with_name(f"{module}.py"), original)
    return found


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
        elif isinstance(part, ast.Attribute):
            dotted = ast.unparse(part)
            words |= {("name", dotted)} if re.fullmatch(r"[\w.]+", dotted) else set()
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
