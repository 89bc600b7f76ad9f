"""Types: what they say of records and registered things is so, and exceptions have reasons."""

import re
import typing
from pathlib import Path

import pytest

import nmfbench
from nmfbench.core import facts, registry
from nmfbench.records.record import COLUMNS, Record

PACKAGE = Path(nmfbench.__file__).parent
IGNORED = re.compile(r"#\s*type:\s*ignore(\[[a-z-]+\])?(?P<reason>\s+#\s*\S.*)?")
KINDS = {
    "solvers": facts.SolverFacts,
    "datasets": facts.DatasetFacts,
    "corruptions": facts.CorruptionFacts,
    "metrics": facts.MetricFacts,
    "tasks": facts.TaskFacts,
    "problems": facts.NoFacts,
    "artefacts": facts.NoFacts,
}


def test_an_exception_to_the_types_names_its_code_and_its_reason():
    """At most thirty lines are excepted from the checks, each by a code and with a reason."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "type:" in line and (match := IGNORED.search(line)):
                found.append(path)
                assert match[1], f"{path}: {line}"
                assert match["reason"], f"{path}: {line}"
    assert len(found) <= 30


def test_types_are_shipped():
    """The marker that tells type checkers of other projects to read ours is in the package."""
    assert (PACKAGE / "py.typed").is_file()


def test_a_record_has_a_type_for_each_column():
    """The type of a record names all columns in their order, and None where it may stand."""
    hints = typing.get_type_hints(Record)
    assert list(hints) == list(COLUMNS)
    for name, kind in COLUMNS.items():
        may_be_none = "NOT NULL" not in kind and name != "key"
        assert (type(None) in typing.get_args(hints[name])) == (
            may_be_none or name == "first_objectives"
        ), name


@pytest.mark.parametrize("kind", KINDS)
def test_facts_are_those_of_their_type(kind):
    """Whatever is registered has all facts that its kind needs, and no others."""
    known = KINDS[kind]
    for entry in getattr(registry, kind).entries():
        assert entry.info.keys() >= known.__required_keys__, entry.key
        assert entry.info.keys() <= known.__required_keys__ | known.__optional_keys__, entry.key
