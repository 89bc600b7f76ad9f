"""Decided tests over CPU hours, as records have it."""

from dataclasses import replace

import pytest
from engine import trial

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.plan import Plan
from nmfbench.engine import runner
from nmfbench.records.store import Store
from nmfbench.verdicts.course import course

HOUR = 3600.0


def artefact(name, solver, repeats):
    trials = [trial(solver, repeat=k) for k in range(repeats)]
    return Artefact(
        name,
        title=name,
        kind="table",
        methods=[Method("A", solver)],
        grid=lambda profile: trials,
        table=lambda records: records,
        picture=lambda table: table,
        claims=[Claim("high", "It is above 0.", "Section 1", at_least("A", "a", 0.0))],
        matters={"a": 0.02},
        planned=Plan(repeats, "Cheap."),
    )


def test_decided_tests_over_hours(tmp_path):
    """Each look is come to with the last record of its repeats; hours are those of all records."""
    clear, late = artefact("alpha/clear", "spa", 10), artefact("alpha/late", "xray-l2", 5)
    with Store(tmp_path) as store:
        for k, one in enumerate((*clear.grid("paper"), *late.grid("paper"))):
            answer = {"outcome": {"metrics": {"a": 1.0 + 0.01 * k}, "fit": {}}, "elapsed": HOUR}
            record = runner._record(one, answer, {})
            store.put(record | {"finished": f"2026-01-01T{k:02d}:00:00+00:00"})
        unplanned = replace(clear, id="alpha/other", planned=None)
        found = course([late, clear, unplanned], store)
    assert found["artefact"].tolist() == ["alpha/clear", "alpha/clear", "alpha/late"]
    assert found["repeats"].tolist() == [5, 10, 5]
    assert found["hours"].tolist() == pytest.approx([5.0, 10.0, 15.0])
    assert found["decided"].tolist() == [1, 1, 1]  # by p < 0.001, then finally
    assert found["all_decided"].tolist() == [1, 1, 2]


def test_a_look_that_is_not_complete_is_none(tmp_path):
    """One record that is missing leaves it out, and an empty store gives an empty table."""
    clear = artefact("alpha/clear", "spa", 10)
    with Store(tmp_path) as store:
        assert course([clear], store).empty
        for one in clear.grid("paper")[:-1]:
            answer = {"outcome": {"metrics": {"a": 1.0 + 0.01 * one.repeat}, "fit": {}}}
            store.put(runner._record(one, answer, {}))
        assert course([clear], store)["repeats"].tolist() == [5]
