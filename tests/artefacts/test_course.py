"""Decided tests over CPU hours, as records have it."""

from dataclasses import replace

import pandas as pd
import pytest
from engine import trial

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.plan import Plan
from nmfbench.engine import runner
from nmfbench.records.exchange import ExchangeError
from nmfbench.records.store import Store
from nmfbench.reports.hours import write_hours
from nmfbench.verdicts.cores import on_cores
from nmfbench.verdicts.course import KEPT, course

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
    """A look is reached with the last record of its repeats; hours are the sum over all records."""
    clear, late = artefact("alpha/clear", "spa", 10), artefact("alpha/late", "xray-l2", 5)
    with Store(tmp_path) as store:
        for k, one in enumerate((*clear.grid("paper"), *late.grid("paper"))):
            answer = {"outcome": {"metrics": {"a": 1.0 + 0.01 * k}, "fit": {}}, "elapsed": HOUR}
            record = runner.make_record(one, answer, {})
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
            store.put(runner.make_record(one, answer, {}))
        assert course([clear], store)["repeats"].tolist() == [5]


def test_trials_for_further_readings_take_no_look_away(tmp_path):
    """An artefact had come to its looks before these were planned."""
    clear = artefact("alpha/clear", "spa", 10)
    more = [trial("xray-l2", repeat=k) for k in range(10)]
    usual = clear.grid("paper")
    grown = replace(
        clear,
        grid=lambda profile: [*usual, *more],
        further=lambda one: one.solver == "xray-l2",
    )
    with Store(tmp_path) as store:
        for one in usual:
            answer = {"outcome": {"metrics": {"a": 1.0 + 0.01 * one.repeat}, "fit": {}}}
            store.put(runner.make_record(one, answer, {}))
        assert course([grown], store)["repeats"].tolist() == [5, 10]


def looks(n):
    """A course with one hour per look."""
    return pd.DataFrame(
        {
            "finished": [f"2026-01-01T{k:02d}:00:00+00:00" for k in range(n)],
            "hours": [k + 0.5 for k in range(n)],
            "artefact": [f"alpha/a{k % 2}" for k in range(n)],
            "repeats": range(5, 5 + n),
            "decided": [1] * n,
            "all_decided": range(1, n + 1),
        }
    )


def test_a_course_comes_back_and_fewer_hours_replace_none(tmp_path):
    """What is kept is what is read; a copy goes where there is none, or one of fewer hours."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    assert KEPT.read(here) is None
    KEPT.write(looks(3), here)
    pd.testing.assert_frame_equal(KEPT.read(here), looks(3))
    KEPT.merge(here, there)
    KEPT.write(looks(2), here)
    KEPT.merge(here, there)
    pd.testing.assert_frame_equal(KEPT.read(there), looks(3))


@pytest.mark.parametrize("text", ["{}", '{"looks": [[1, 2]]}', '{"looks": 3}', "no JSON"])
def test_a_course_of_another_form_is_an_error(tmp_path, text):
    """A file that is not as it was written is named, with what to do."""
    (tmp_path / KEPT.file_name).write_text(text)
    with pytest.raises(ExchangeError, match="Move the file away"):
        KEPT.read(tmp_path)


def test_the_page_says_how_much_was_decided_after_how_many_hours(tmp_path):
    """The last look of each artefact has a row, linked where its artefact is in the report."""
    page, picture = write_hours(looks(3), None, ["alpha/a0"], tmp_path)
    text = page.read_text(encoding="utf-8")
    assert picture.stat().st_size > 1000
    assert "After 2.5 hours 3 tests" in " ".join(text.split())
    assert text.count("<tr>") == 3
    assert 'href="alpha.html#alpha-a0"' in text
    assert "alpha-a1" not in text


def test_hours_on_cores(tmp_path):
    """Independent trials share the cores; costs come from the records."""
    clear = artefact("alpha/clear", "spa", 10)
    with Store(tmp_path) as store:
        for one in clear.grid("paper")[:5]:
            answer = {"outcome": {"metrics": {"a": 1.0}, "fit": {}}, "elapsed": HOUR}
            store.put(runner.make_record(one, answer, {}))
        found = on_cores([clear], store)
    assert found["cores"].tolist() == [1, 2, 10, 100, 1000]
    assert found["hours"].tolist() == pytest.approx([10.0, 5.0, 1.0, 1.0, 1.0])
    one = found.iloc[0]
    assert (one["trials"], one["known"], one["chain"]) == (10, 5, pytest.approx(1.0))
    assert (one["artefact"], one["solver"]) == ("alpha/clear", "spa")
    page, _ = write_hours(looks(3), found, [], tmp_path)
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert "All 10 trials" in text
    assert "by the records of 5 of them" in text
    assert "10 %" in text  # of the time of each of a hundred cores, nine in ten of which wait
