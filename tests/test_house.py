"""The rooms of the package, its top-level folders and modules, as their imports show them."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import nmfbench

PACKAGE = Path(nmfbench.__file__).parent


def imports_of(path):
    """The modules of this package that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "nmfbench":
            yield from (f"nmfbench.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def rooms():
    """For each room those that it imports from."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        named = (name.split(".") for name in imports_of(path) if name.startswith("nmfbench."))
        if not room.startswith("__"):
            found.setdefault(room, set()).update(parts[1] for parts in named)
    return {room: {other for other in others if other != room} for room, others in found.items()}


def test_no_circle():
    """No two rooms import each other, not even by way of others."""
    order = list(TopologicalSorter(rooms()).static_order())
    assert order.index("core") < order.index("solvers") < order.index("engine") < order.index("cli")


def test_few_rooms():
    """The rooms are so few that they can be known by name."""
    assert len(rooms()) <= 20
