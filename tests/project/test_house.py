"""The rooms of the package, its top-level folders and modules, as their imports show them."""

import ast
from pathlib import Path

import nmfbench

PACKAGE = Path(nmfbench.__file__).parent

ALLOWED = {
    "core": "",
    "datasets": "core",
    "own": "core datasets",
    "optim": "core",
    "corruptions": "core optim",
    "metrics": "core optim",
    "solvers": "core optim",
    "stats": "core",
    "tasks": "core datasets optim metrics solvers",
    "advice": "core optim metrics solvers stats tasks",
    "trials": "core datasets",
    "problems": "core datasets trials",
    "records": "core datasets stats trials",
    "engine": "core datasets optim corruptions solvers tasks trials records",
    "audits": "core datasets trials records engine",
    "artefacts": "core datasets stats trials",
    "papers": "core datasets metrics solvers stats tasks trials problems artefacts",
    "verdicts": "core datasets own stats trials records engine artefacts",
    "guests": "core own optim solvers trials records engine",
    "checks": "core optim solvers records engine guests",
    "pages": "core artefacts verdicts",
    "comparison": "core datasets optim metrics solvers stats tasks trials problems records engine "
    "artefacts guests checks pages",
    "recommendation": "artefacts pages comparison",
    "cards": "core solvers stats trials problems records engine artefacts papers verdicts guests "
    "pages comparison",
    "reports": "core datasets stats trials problems records artefacts papers verdicts guests pages "
    "comparison cards",
    "commands": "core datasets own optim metrics tasks advice trials problems records engine "
    "audits artefacts papers verdicts guests checks comparison recommendation cards reports",
    "cli": "core datasets own records engine audits guests comparison reports commands",
}
"""The rooms, and from which others each may import: from those above it alone.

What describes work (a trial, a problem, an artefact, a paper) knows neither the store nor the
engine. A room may be added, and an import too where it points upwards.
"""


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
    """Rooms that each room imports from."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        named = (name.split(".") for name in imports_of(path) if name.startswith("nmfbench."))
        if not room.startswith("__"):
            found.setdefault(room, set()).update(
                parts[1] for parts in named if not parts[1].startswith("__")
            )
    return {room: {other for other in others if other != room} for room, others in found.items()}


def test_imports_are_allowed():
    """Each room imports from the rooms that the table names, and from all of these."""
    allowed, found = {room: set(others.split()) for room, others in ALLOWED.items()}, rooms()
    more = {room: others - allowed.get(room, set()) for room, others in found.items()}
    more = {room: others for room, others in more.items() if others}
    assert not more, f"move what is shared to a room above both, or allow in ALLOWED: {more}"
    assert allowed == found, "ALLOWED has rooms or imports that are there no longer"


def test_no_circle():
    """A room imports only from those above it, so that no two import each other."""
    order = list(ALLOWED)
    for room, others in ALLOWED.items():
        assert all(order.index(other) < order.index(room) for other in others.split()), room
