"""Outlooks kept beside a store: looked up while nothing changed that they depend on."""

import json
import shutil

import pytest
from engine import trial

import nmfbench
from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.core import registry
from nmfbench.engine import runner
from nmfbench.records.store import Store
from nmfbench.trials import fingerprint
from nmfbench.verdicts import known as module
from nmfbench.verdicts import prospects
from nmfbench.verdicts.evaluate import judge
from nmfbench.verdicts.known import FILE_NAME, Known
from nmfbench.verdicts.prospects import Outlook, outlook_of, prospects_of
from nmfbench.verdicts.scheduler import looks_of

TRIALS = [trial(repeat=k) for k in range(3)]
KEYS = [one.key for one in TRIALS]


@pytest.fixture
def artefact():
    return registry.artefacts["or-nmf/fig1"].target


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        for one in TRIALS[:2]:
            opened.put(record_of(one, 0.5))
        yield opened


def record_of(one, metric):
    return runner.make_record(one, {"outcome": {"metrics": {"a": metric}, "fit": {}}}, {})


class Answers:
    """Counts its calls."""

    def __init__(self):
        self.asked = 0

    def __call__(self):
        self.asked += 1
        return {"asked": self.asked}


def ask(store, artefact, answers, question="what"):
    known = Known(store)
    found = known.of(artefact, question, KEYS, answers)
    known.keep()
    return found["asked"]


def test_an_answer_is_looked_up_until_a_record_changes(store, artefact):
    """Another record, another metric, another array, and where it came from all count."""
    answers = Answers()
    assert [ask(store, artefact, answers) for _ in range(3)] == [1, 1, 1]
    store.put(record_of(TRIALS[2], 0.5))
    assert [ask(store, artefact, answers) for _ in range(2)] == [2, 2]
    store.put(record_of(TRIALS[2], 0.25), replace=True)
    assert ask(store, artefact, answers) == 3
    record = record_of(TRIALS[2], 0.25)
    store.put(record, {"curve": TRIALS[2].rng("data").random(3)}, replace=True)
    assert ask(store, artefact, answers) == 4
    store.put_imported([(store.records([KEYS[2]])[0], {})])
    assert [ask(store, artefact, answers) for _ in range(2)] == [5, 5]


def test_other_questions_and_other_source_are_answered_by_themselves(store, artefact, monkeypatch):
    """An edit of the package, or another release of a package, is reason to work it out again."""
    answers = Answers()
    assert [ask(store, artefact, answers, q) for q in ("a", "b", "a")] == [1, 2, 1]
    with monkeypatch.context() as patched:
        patched.setattr(module, "_source", lambda paper: f"edited {paper}")
        assert [ask(store, artefact, answers, "a") for _ in range(2)] == [3, 3]
    monkeypatch.setattr(module, "versions", lambda: {"numpy": "0.1"})
    assert ask(store, artefact, answers, "a") == 4


def test_only_source_that_tests_can_depend_on_counts(artefact):
    """All modules that an artefact imports, and not other papers nor what shows verdicts."""
    files = {str(path.relative_to(module._ROOT)) for path in module._files(artefact.paper)}
    assert {"papers/paper.py", "papers/or_nmf/fig1.py", "tasks/recognition.py"} <= files
    assert not any(name.startswith(("papers/mahnmf/", "reports/", "commands/")) for name in files)
    assert set(module._files(None)) > set(module._files(artefact.paper))
    for entry in registry.artefacts.entries():
        roots = ("nmfbench.verdicts.prospects", module._module(entry.target.grid))
        reached = {fingerprint._path(name) for name in fingerprint._closure(roots)}
        assert reached <= set(module._files(entry.target.paper)), entry.key


def test_an_answer_on_a_whole_store_is_looked_up_until_anything_changes(
    store, artefact, monkeypatch
):
    """Any record counts, planned or not, and the machine, as others timed elsewhere."""
    answers = Answers()

    def ask():
        known = Known(store)
        found = known.of_store([artefact], "what", answers)
        known.keep()
        return found["asked"]

    assert [ask() for _ in range(2)] == [1, 1]
    store.put(record_of(trial("mu"), 0.5))
    assert [ask() for _ in range(2)] == [2, 2]
    monkeypatch.setattr(module, "host", lambda: {"machine": "another"})
    assert [ask() for _ in range(2)] == [3, 3]


def test_what_others_define_is_worked_out_each_time(store):
    """Its source is not looked at."""
    other = Artefact(
        "alpha/one",
        title="One",
        kind="table",
        methods=[],
        grid=lambda profile: TRIALS,
        table=len,
        picture=lambda table: table,
    )
    answers = Answers()
    assert [ask(store, other, answers) for _ in range(2)] == [1, 2]


def test_a_file_that_cannot_be_read_or_written_is_as_good_as_none(store, artefact):
    """It is written again; in a store that can only be read nothing is written."""
    path, answers = store.folder / FILE_NAME, Answers()
    for text in ("no JSON", "[]", json.dumps({'or-nmf/fig1 "what"': 3})):
        path.write_text(text)
        before = answers.asked
        assert [ask(store, artefact, answers) for _ in range(2)] == [before + 1, before + 1]
    shutil.copytree(store.folder, store.folder.parent / "copy")
    with Store(store.folder.parent / "copy", create=False, as_it_is=True) as copy:
        (copy.folder / FILE_NAME).unlink()
        assert ask(copy, artefact, answers) == answers.asked
        assert not (copy.folder / FILE_NAME).exists()


def test_an_outlook_comes_back_as_it_was(store, artefact):
    """Open tests, look, and what the looks ahead are expected to decide."""
    trials = artefact.planned_trials
    looks = looks_of(artefact.planned, final=True)
    assert isinstance(artefact.planned, Plan)
    found = [outlook_of(artefact, store, Known(store), trials, looks)]
    known = Known(store)
    for _ in range(2):
        found.append(outlook_of(artefact, store, known, trials, looks))
        known.keep()
    assert found[0] == found[1] == found[2]
    direct = prospects_of(artefact, store, trials)
    assert found[0].open == direct.open
    assert [found[0].expected(look) for look in looks] == [direct.expected(look) for look in looks]
    assert isinstance(found[0], Outlook)


def test_open_tests_are_the_same_with_and_without_what_is_known(tmp_path, monkeypatch):
    """Also beside a damaged file or the file of another store; and only what changed is judged."""
    names, folder = ("anp/lemmas", "rnmfd/table2"), tmp_path / "store"
    judged = []
    monkeypatch.setattr(
        prospects, "judge", lambda *a, **k: judged.append(a[0].id) or judge(*a, **k)
    )

    def ask():
        judged.clear()
        return nmfbench.status(*names, open=True, store=folder).data

    def put(name, repeats):
        with Store(folder) as opened:
            for one in registry.artefacts[name].target.planned_trials:
                if one.repeat < repeats:
                    opened.put(record_of(one, 0.5 + 0.1 * one.repeat) | {"elapsed": 3.0})

    put("anp/lemmas", 2)
    path = folder / FILE_NAME
    fresh = ask()
    kept = path.read_text()
    assert {row["id"] for row in fresh} == set(names) == set(judged)
    assert ask() == fresh
    assert judged == []
    for text in (kept[: len(kept) // 2], "[1]", kept.replace('"answer"', '"other"')):
        path.write_text(text)
        assert ask() == fresh
        assert set(judged) == set(names)
        assert path.read_text() == kept
    put("anp/lemmas", 5)
    changed = ask()
    assert judged == ["anp/lemmas"]
    assert changed != fresh
    path.write_text(kept)  # of the store as it was, or of another one
    assert ask() == changed
    path.unlink()
    assert ask() == changed
