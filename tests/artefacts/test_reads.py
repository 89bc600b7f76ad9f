"""Arrays that stayed behind where records came from: what is judged, and what is computed again."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from engine import on_digits, trial

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import Finding
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.plan import Plan
from nmfbench.commands.agenda import agenda_of, open_rows
from nmfbench.engine import runner
from nmfbench.records.errors import StoreError
from nmfbench.records.pending import Held, in_stages, missing
from nmfbench.records.provenance import host, public_host
from nmfbench.records.store import Store
from nmfbench.verdicts.evaluate import behind, evaluate, judge
from nmfbench.verdicts.known import Known
from nmfbench.verdicts.prospects import prospects_of

REPEATS = 10
CURVE = {"curve": np.arange(3.0)}


def one(solver, repeat, **fields):
    return trial(solver, repeat=repeat, **fields)


def grid(profile, **fields):
    """Two solvers, of which the quick grid has one."""
    solvers = ("spa",) if profile == "quick" else ("spa", "xray-l2")
    repeats = range({"smoke": 1, "quick": 5, "paper": REPEATS}[profile])
    return [one(solver, k, **fields) for solver in solvers for k in repeats]


def _curves(records):
    """A table of all curves, and of one image if there is one."""
    totals = [arrays["curve"].sum() for arrays in records["arrays"]]
    first = records[records["repeat"] == 0]["arrays"]
    images = sum("image" in arrays and arrays["image"].sum() for arrays in first)
    return pd.DataFrame({"total": [sum(totals)], "images": [images]})


def _judged(records):
    totals = [arrays["curve"].sum() for arrays in records["arrays"]]
    return Finding.without("confirmed" if len(totals) > 5 else "inconclusive", str(len(totals)))


CURVES = Artefact(
    "alpha/curves",
    title="Curves",
    kind="table",
    methods=[Method("A", "spa"), Method("B", "xray-l2")],
    grid=grid,
    table=_curves,
    picture=lambda table: table,
    claims=[Claim("more", "There are more than five.", "Section 1", _judged)],
    planned=Plan(REPEATS, "Cheap."),
)
TIMED = replace(CURVES, id="alpha/timed", grid=lambda profile: grid(profile, timed=True))


def record_of(trial, **changes):
    answer = {"outcome": {"metrics": {"a": 0.25}, "fit": {}}, "elapsed": 2.0}
    return runner.make_record(trial, answer, {}) | changes


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def bring(store, trials, arrays=CURVE):
    store.put_imported([(record_of(t, host=public_host(host())), arrays) for t in trials])


def compute(store, trials, arrays=CURVE):
    for t in trials:
        store.put(record_of(t), arrays, replace=True)


def partly(store, artefact=CURVES, **fields):
    """A complete grid; of the second solver three imported records have no curve."""
    bring(store, [one("spa", k, **fields) for k in range(REPEATS)])
    lacking = [one("xray-l2", k, **fields) for k in (0, 3, 4)]
    bring(store, lacking, {})
    compute(store, [t for t in artefact.plan("paper") if t.key not in store.status([t.key])])
    return {t.key for t in lacking}


def test_a_grid_is_judged_as_far_as_its_arrays_are_at_hand(store):
    """Repeats without them count as not complete, and a sentence says what computes them."""
    partly(store)
    evaluation = evaluate(CURVES, store)
    assert (evaluation.profile, evaluation.whole, evaluation.left_out) == ("paper", 7, 6)
    assert evaluation.table["total"].item() == 14 * CURVE["curve"].sum()
    assert evaluation.verdicts[0][1].verdict == "confirmed"
    (note,) = [text for text in evaluation.notes if "arrays" in text]
    assert note.startswith("3 records are not judged, as they were imported without arrays")
    assert "(curve): nmfbench run alpha/curves --profile paper computes them" in note
    named = evaluate(CURVES, store, profile="paper")
    assert (named.done, named.whole, named.left_out, named.total) == (17, 7, 3, 20)


def test_the_quick_grid_is_judged_where_arrays_of_the_paper_s_stayed_behind(store):
    """Not the paper's grid, although every trial of it has a record."""
    bring(store, grid("paper"), {})
    bring(store, grid("quick"))
    judged = judge(CURVES, store)
    assert (judged.grid.profile, judged.grid.whole, judged.first.profile) == ("quick", 5, "paper")
    assert judged.found.table["total"].item() == 5 * CURVE["curve"].sum()
    compute(store, [t for t in grid("paper") if t.repeat in range(5)])
    assert judge(CURVES, store).grid.profile == "paper"


def test_without_any_array_nothing_is_judged_and_nothing_raises(store):
    """All of it has to be computed, which takes as many passes as there are repeats, at most."""
    bring(store, grid("paper"), {})
    evaluation = evaluate(CURVES, store)
    assert [v.verdict for _, v in evaluation.verdicts] == ["not run"]
    assert any("20 records are not judged" in text for text in evaluation.notes)
    asked = behind(CURVES, store, CURVES.plan("paper"))
    assert asked  # of a repeat
    compute(store, [t for t in grid("paper") if t.key in asked])
    rest = behind(CURVES, store, CURVES.plan("paper"))
    assert asked | rest == {t.key for t in grid("paper")}


def test_what_stayed_behind_is_computed_again_and_then_judged(store):
    """Of an incomplete grid, too, so that it can be completed; other imported records stay."""
    bring(store, grid("quick"))
    lacking = [one("xray-l2", k) for k in (0, 3)]
    bring(store, lacking, {})
    compute(store, [one("xray-l2", 1)])
    again = behind(CURVES, store, CURVES.plan("paper"))
    assert again == {t.key for t in lacking}
    todo = missing(grid("paper"), store, recompute=again)
    assert {t.key for t in todo} == {
        t.key for t in grid("paper") if t.key in again or not store.status([t.key])
    }
    compute(store, todo)
    assert behind(CURVES, store, CURVES.plan("paper")) == set()
    assert missing(grid("paper"), store, recompute=again) == []
    evaluation = evaluate(CURVES, store)
    assert (evaluation.profile, evaluation.whole) == ("paper", REPEATS)
    assert not any("arrays" in text for text in evaluation.notes)


def test_only_what_is_read_is_computed_again(store):
    """An image of the first repeat, which others came without; and no array that none has."""
    bring(store, grid("paper"))
    assert behind(CURVES, store, CURVES.plan("paper")) == set()  # no record has an image
    first = [one("spa", 0), one("spa", 1)]
    bring(store, first[1:], CURVE | {"image": np.ones(2)})
    assert behind(CURVES, store, CURVES.plan("paper")) == {first[0].key}
    compute(store, first[:1])  # and now it is known to have none
    assert behind(CURVES, store, CURVES.plan("paper")) == set()


def test_rivals_of_a_timed_trial_are_timed_again_with_it(store):
    """All of the repeats where an array stayed behind."""
    bring(store, grid("paper", timed=True))
    bring(store, [one("xray-l2", 2, timed=True)], {})
    again = behind(TIMED, store, TIMED.plan("paper"))
    todo = missing(TIMED.plan("paper"), store, recompute=again)
    assert set(todo) == {one(solver, 2, timed=True) for solver in ("spa", "xray-l2")}


def test_what_starts_from_a_fit_is_computed_with_it(store):
    """A fit of which an array stayed behind is computed again, and so is what starts from it."""
    tasks = [on_digits(name) for name in ("recognition", "reconstruction")]
    fit = tasks[0].base
    shared = replace(CURVES, grid=lambda profile: [fit, *tasks], methods=[Method("A", "nenmf")])
    bring(store, [fit], {})
    bring(store, tasks)
    again = behind(shared, store, [fit, *tasks])
    assert again == {fit.key, *(t.key for t in tasks)}
    assert in_stages([fit, *tasks], store, recompute=again) == [[fit], tasks]


def test_the_hours_ahead_have_what_stayed_behind(store):
    """Open tests of a grid with all records are not without a way ahead."""
    bring(store, grid("paper"), {})
    bring(store, grid("quick"))
    trials = CURVES.plan("paper")
    held = Held.of(trials, store)
    agenda = agenda_of([CURVES], {CURVES.id: trials}, store, "paper", held, Known(store))
    (row,) = open_rows(agenda)
    assert row["next"] is not None
    lacking = {t.key for t in grid("paper")} - {t.key for t in grid("quick")}
    assert agenda.pending.lacking == lacking
    assert row["end"]["trials"] == len(lacking)
    assert row["end"]["hours"] == pytest.approx(2.0 * len(lacking) / 3600, rel=1e-3)
    compute(store, [t for t in grid("paper") if t.key in lacking])
    agenda.pending.remove(lacking)
    agenda.refresh(lacking)
    assert prospects_of(CURVES, store, CURVES.plan("paper")).look.final
    assert agenda.open == 0


def test_another_array_that_raises_does_not_hide_a_broken_test(store):
    """Errors that no stand-in can have caused are raised as ever."""
    broken = replace(CURVES, table=lambda records: records["no such column"])
    compute(store, grid("paper"))
    with pytest.raises(KeyError, match="no such column"):
        evaluate(broken, store)


def test_whoever_reads_on_later_is_given_no_other_array(store):
    """A substitute for an array that stayed behind only serves to find out what is read."""
    bring(store, grid("paper"))
    bring(store, [one("spa", 1)], CURVE | {"image": np.ones(2)})
    later = replace(CURVES, table=lambda records: pd.DataFrame({"n": [len(records)]}), claims=[])
    records = evaluate(later, store).records
    arrays = dict(zip(records["key"], records["arrays"], strict=True))
    assert arrays[one("spa", 1).key]["image"].sum() == 2
    with pytest.raises(StoreError, match="without its array 'image'"):
        arrays[one("spa", 0).key]["image"]


def test_a_damaged_record_is_an_error(store):
    """A store that is not what was written is no reason to compute anything again."""
    bring(store, grid("paper"))
    store._db.execute("UPDATE records SET metrics = '{}' WHERE key = ?", (one("spa", 0).key,))
    with pytest.raises(StoreError, match="damaged"):
        evaluate(CURVES, store)
