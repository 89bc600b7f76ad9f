"""Which solvers there are: those registered in this checkout, in a fixed order.

asv numbers the cases of a benchmark, and runs case number 5 at every commit. Were the names asked
of the installed package, an old commit with fewer solvers would count otherwise, and its times be
noted under wrong names. So they are read from the sources beside these benchmarks; a solver that
the installed package lacks is skipped.
"""

import ast
from functools import cache

from benchmarks import CHECKOUT, module

__all__ = ["make", "registered"]


@cache
def registered():
    """Key -> family of every solver that the checkout registers, sorted by key."""
    found = {}
    for path in (CHECKOUT / "nmfbench" / "solvers").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "register_solver":
                family = next(word.value for word in node.keywords if word.arg == "family")
                found[ast.literal_eval(node.args[0])] = ast.literal_eval(family)
    return dict(sorted(found.items()))


def make(key, **params):
    """An unfitted solver, with what it has of ``params``.

    Raises
    ------
    NotImplementedError
        If the installed package has no such solver.
    """
    registry = module("core", "registry")

    if key not in registry.solvers:
        raise NotImplementedError(f"this version has no solver {key!r}")
    solver = registry.solvers[key].target()
    known = solver.get_params()
    return solver.set_params(**{name: value for name, value in params.items() if name in known})
