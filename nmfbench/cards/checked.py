"""Tests that hold a solver to something independent of it, as they are marked.

A test says itself which solvers it checks, and against what::

    @pytest.mark.against("mu", "sklearn.decomposition.NMF")
    @pytest.mark.against(("hals", "mu"), "the leading singular pair")
    @pytest.mark.against("nenmf", "scipy.optimize.nnls", part="optimal_gradient_nnls")

The marks are read from the source of the tests, which are in the repository and not in an installed
package.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path

import nmfbench

__all__ = ["CheckedBy", "checked_by", "marked_tests"]

_TESTS = Path(nmfbench.__file__).parent.parent / "tests"


@dataclass(frozen=True)
class CheckedBy:
    """A test of solvers, or of a part of them, against something independent.

    Attributes
    ----------
    solvers : tuple of str
        Keys of the solvers.
    against : str
        The independent thing: a routine of another library, an oracle, or a few words.
    part : str or None
        Name of the function or class that is tested, where it is not the solvers themselves.
    file, test : str
        Where the test is.
    statement : str
        The first paragraph of its docstring.
    """

    solvers: tuple[str, ...]
    against: str
    part: str | None
    file: str
    test: str
    statement: str


def checked_by(key: str, folder: Path = _TESTS) -> list[CheckedBy] | None:
    """Marked tests of a solver, tests of the whole solver first; None without a folder of tests."""
    tests = marked_tests(folder)
    mine = sorted((t for t in tests if key in t.solvers), key=lambda test: test.part is not None)
    return mine if tests else None


@functools.cache
def marked_tests(folder: Path = _TESTS) -> tuple[CheckedBy, ...]:
    """All tests of a folder that have the mark ``against``, once for each such mark.

    Raises
    ------
    TypeError, ValueError
        If the arguments of a mark are not those above, or no literals nor constants of the module.
    """
    return tuple(test for path in sorted(folder.rglob("test_*.py")) for test in _marked(path))


def _marked(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }

    def value(node):
        return ast.literal_eval(constants[node.id] if isinstance(node, ast.Name) else node)

    for node in tree.body:
        for mark in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.against":
                given = [value(argument) for argument in mark.args]
                named = {k.arg: value(k.value) for k in mark.keywords if k.arg is not None}
                doc = ast.get_docstring(node) or ""
                statement = " ".join(doc.partition("\n\n")[0].split())
                yield _checked_by(
                    *given, **named, file=path.name, test=node.name, statement=statement
                )


def _checked_by(solvers, oracle, *, part=None, **where):
    keys = (solvers,) if isinstance(solvers, str) else tuple(solvers)
    return CheckedBy(keys, oracle, part, **where)
