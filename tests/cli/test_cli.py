"""The command line: what it prints, where, and with which exit code."""

import contextlib
import csv
import html
import io
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
import traceback
from dataclasses import replace
from functools import partial

import pandas as pd
import pytest
from engine import only_readable, small_disk

import nmfbench
from nmfbench import cli
from nmfbench.artefacts.artefact import PROFILES, Artefact
from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.sentence import Sentence
from nmfbench.cards.measured import read_measured, write_measured
from nmfbench.cli import options
from nmfbench.cli.app import parse
from nmfbench.cli.progress import Progress
from nmfbench.core import registry
from nmfbench.core.registry import Registry
from nmfbench.engine.perform import perform
from nmfbench.engine.worker import Worker
from nmfbench.records.provenance import public_host
from nmfbench.records.repair import survey
from nmfbench.records.store import Store
from nmfbench.reports.build import Report
from nmfbench.reports.section import render_section
from nmfbench.trials.target import in_force
from nmfbench.trials.trial import Trial
from nmfbench.verdicts.evaluate import evaluate

TINY = {"n_samples": 20, "n_features": 12, "n_components": 3}
SPA = Method("SPA", "spa")
REPEATS = {"smoke": 1, "quick": 5, "paper": 6}
MEASURED = {
    "exponents": {"n": 1.5, "m": None, "r": None},
    "sizes": [[10, 20, 3, 0.5]],
    "error": None,
    "measured": "2026-01-02",
    "host": {"cpu": "some", "platform": "Linux"},
    "versions": {"numpy": "2.0"},
    "code": "old",
    "threads": 1,
}


def _artefact(name, trials, methods=(SPA,), claims=()):
    return Artefact(
        name,
        title=f"Title of {name}",
        kind="table",
        methods=methods,
        grid=trials,
        table=lambda records: records.groupby("method", observed=True).size().reset_index(),
        picture=lambda table: table,
        claims=claims,
    )


def _grid(levels):
    def trials(profile):
        return [
            Trial("recovery", "near-separable", "spa", {}, TINY, "sparse-laplace", x, repeat=r)
            for x in levels
            for r in range(REPEATS[profile])
        ]

    return trials


def _on_missing_data(profile):
    options = {"sizes": [5]}
    return [Trial("exemplars", "bbc", "spa", options=options)]


def _failing(profile):
    return [Trial("recovery", "near-separable", "spa", {"normalize": "perhaps", "no": 1}, TINY)]


def _raising(records):
    raise RuntimeError("the test of this claim is broken")


@pytest.fixture(autouse=True)
def artefacts(monkeypatch, tmp_path):
    """Five small artefacts instead of the papers', no data but what comes with the suite."""
    found = [
        _artefact(
            "alpha/one",
            _grid([0.0, 0.1]),
            claims=[
                Claim("finds", "SPA finds.", "Section 1", at_least("SPA", "anchor-recovery", 0.2)),
                Claim("all", "SPA finds all.", "Section 2", at_least("SPA", "anchor-recovery", 2)),
            ],
        ),
        _artefact("alpha/two", _grid([0.1, 0.2])),  # shares the level 0.1 with alpha/one
        _artefact("beta/texts", _on_missing_data),
        _artefact("gamma/failing", _failing),
        _artefact(
            "gamma/raising", _grid([0.0]), claims=[Claim("broken", "It is.", "here", _raising)]
        ),
    ]
    registry_of_five = Registry("artefact", "json")  # any module that registers nothing
    for artefact in found:
        registry_of_five.add(artefact.id, artefact)
    monkeypatch.setattr(registry, "artefacts", registry_of_five)
    tested = Sentence(key="finds-much", text="SPA finds.", place="Abstract", tests=("one/finds",))
    papers = {"alpha": [tested]}
    monkeypatch.setattr("nmfbench.papers.paper.sentences_of", lambda key: papers.get(key, []))
    monkeypatch.setenv("NMFBENCH_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NMFBENCH_MIRROR", raising=False)


class InProcess(Worker):
    """A worker that is no process, for speed; the tests of the runner have the real one."""

    def run(self, trial, time_limit=None, base=None, perturbation=None):
        try:
            outcome = perform(Trial.from_dict(trial), base, perturbation=perturbation)
        except Exception:
            return {"error": traceback.format_exc(), "peak_memory": 0}, {}
        answer = {"metrics": outcome.metrics, "fit": outcome.fit}
        return {"outcome": answer, "peak_memory": 0, "target": in_force()}, outcome.arrays


@pytest.fixture(autouse=True)
def _quick_workers(monkeypatch, request):
    if "real_workers" not in request.fixturenames:
        monkeypatch.setattr("nmfbench.engine.runner.Worker", InProcess)
        monkeypatch.setattr("nmfbench.audits.sample.Worker", InProcess)


@pytest.fixture
def real_workers():
    """Trials are computed as they are for a user: in child processes."""


@pytest.fixture
def command(capsys, tmp_path):
    """Run one command on a store of its own; the exit code, standard output and error."""

    def call(*words, store=tmp_path / "store"):
        takes_store = words and words[0] not in ("list", "data") and not words[0].startswith("-")
        code = cli.main([*words, "--store", str(store)] if takes_store else list(words))
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return call


def _json(command, *words, **options):
    code, out, _ = command(*words, "--json", **options)
    return code, json.loads(out)


# -- list -------------------------------------------------------------------------------------

SHAPES = {
    "solvers": {"key", "name", "family", "paper", "reference", "class"},
    "artefacts": {
        *("id", "paper", "kind", "title", "task", "datasets", "solvers", "claims", "trials")
    },
    "datasets": {
        *("name", "n_samples", "n_features", "n_classes", "source", "licence", "available"),
        "stand_in_for",
    },
    "corruptions": {"key", "level"},
    "metrics": {"key", "name", "higher_is_better"},
    "tasks": {"key", "summary"},
}


@pytest.mark.parametrize("things", SHAPES)
def test_lists_have_the_promised_keys(command, things):
    """Each row of ``list --json`` has what DESIGN promises, and the text shows each name."""
    code, rows = _json(command, "list", things)
    assert code == 0
    assert rows
    assert all(SHAPES[things] <= set(row) for row in rows)
    code, out, err = command("list", things)
    assert (code, err) == (0, "")
    name = SHAPES[things] & {"key", "id", "name"} - ({"name"} if things != "datasets" else set())
    assert all(row[name.copy().pop()] in out for row in rows)


def test_listed_classes_can_be_imported(command):
    """The class of a solver is named as ``module:Class``."""
    _, rows = _json(command, "list", "solvers")
    row = next(row for row in rows if row["key"] == "spa")
    module, _, name = row["class"].partition(":")
    assert getattr(sys.modules[module], name) is type(nmfbench.make_solver("spa"))


def test_listed_trials_count_each_trial_once(command):
    """``trials`` has a number for each profile."""
    _, rows = _json(command, "list", "artefacts")
    assert rows[0]["trials"] == {"smoke": 2, "quick": 10, "paper": 12}
    assert rows[0]["claims"] == ["alpha/one/finds", "alpha/one/all"]


# -- run, status, claims ----------------------------------------------------------------------


def test_a_run_is_resumed_and_shared_trials_are_computed_once(command, real_workers):
    """A second run dispatches nothing; an artefact finds the trials of another one."""
    code, first = _json(command, "run", "alpha/one", "--profile", "smoke")
    assert (code, first["computed"], first["done"], first["total"]) == (0, 2, 2, 2)
    code, second = _json(command, "run", "alpha/one", "--profile", "smoke")
    assert (code, second["computed"], second["found"]) == (0, 0, 2)
    code, both = _json(command, "run", "alpha", "--profile", "smoke", "--jobs", "2")
    assert (code, both["computed"], both["total"]) == (0, 1, 3)
    assert [row["id"] for row in both["artefacts"]] == ["alpha/one", "alpha/two"]


def test_status_counts_before_and_after_a_run(command, tmp_path):
    """Without a store all trials are missing, and looking makes none."""
    code, rows = _json(command, "status", "alpha/one", "--profile", "smoke")
    assert code == 0
    assert not (tmp_path / "store").exists()
    expected = {"id": "alpha/one", "profile": "smoke", "done": 0, "failed": 0}
    assert expected.items() <= rows[0].items()
    assert (rows[0]["missing"], rows[0]["total"]) == (2, 2)
    command("run", "alpha/one", "--profile", "smoke")
    _, rows = _json(command, "status", "--profile", "smoke")
    done = {row["id"]: (row["done"], row["missing"], row["total"]) for row in rows}
    assert done["alpha/one"] == (2, 0, 2)
    assert done["alpha/two"] == (1, 1, 2)
    assert done["beta/texts"] == (0, 1, 1)


def test_status_says_how_much_is_of_the_reference_target(command):
    """Of the records of all artefacts together, each once."""
    words = ("status", "alpha", "--profile", "smoke")
    assert command(*words)[1].endswith("\nNo record that is not timed.\n")
    command("run", "alpha", "--profile", "smoke")
    _, (row, *_) = _json(command, *words)  # these tests may run under another target
    share = "3 of 3" if row["reference"] else "0 of 3"
    percent = "100.0%" if row["reference"] else "0.0%"
    last = f"Of the reference target: {share} records that are not timed ({percent})."
    assert command(*words)[1].splitlines()[-1] == last


def test_claims_are_judged_and_a_refuted_one_is_no_failure(command):
    """Verdicts follow the records; exit code 0 whatever they are."""
    _, rows = _json(command, "claims", "alpha/one")
    assert [row["verdict"] for row in rows] == ["not run", "not run"]
    command("run", "alpha/one", "--profile", "paper")
    code, rows = _json(command, "claims", "alpha/one")
    promised = {"id", "artefact", "statement", "source", "verdict", "effect", "p_value", "n"}
    promised |= {"data", "done", "total", "paper_total", "origin", "reported", "threshold"}
    promised |= {"sentence", "delta", "look", "planned", "interval", "level", "unit", "p_adjusted"}
    promised |= {"open", "hangs_on"}
    assert all(promised <= set(row) for row in rows)
    neighbours = {"half": 0.1, "twice": 0.4, "at_half": "confirmed", "at_twice": "confirmed"}
    assert rows[0]["origin"] == "paper"
    assert rows[0]["threshold"] == {"value": 0.2, "whose": "ours", **neighbours}
    assert (rows[0]["done"], rows[0]["total"], rows[0]["paper_total"]) == (12, 12, 12)
    assert [row["sentence"] for row in rows] == [["finds-much"], []]
    assert (rows[0]["look"], rows[0]["planned"], rows[0]["unit"]) == ("final", 6, "repeats")
    assert code == 0
    assert [row["verdict"] for row in rows] == ["confirmed", "refuted"]
    assert rows[0]["id"] == "alpha/one/finds"
    assert (rows[0]["n"], rows[0]["data"]) == (6, "own")
    code, out, _ = command("claims", "alpha/one")
    assert code == 0
    assert "confirmed     finds: SPA finds. (Section 1)" in out
    assert "Bound: 0.2, ours." in out


def test_claims_before_the_planned_repeats_are_marked(command):
    """In the heading, and where a claim is decided; one that is open needs no mark of its own."""
    command("run", "alpha/one")
    _, rows = _json(command, "claims", "alpha/one", "--profile", "quick")
    _, out, _ = command("claims", "alpha/one", "--profile", "quick")
    assert "(quick, 10 of 10 trials; interim, 5 repeats of the quick grid)" in out
    assert {row["verdict"] for row in rows} == {"inconclusive", "refuted"}
    assert "inconclusive  finds: SPA finds. (Section 1)" in out
    assert "refuted       all: SPA finds all. (Section 2; interim)" in out
    assert {row["look"] for row in rows} == {"interim"}


def test_claims_are_judged_on_the_largest_grid(command):
    """Without a profile five whole repeats of the paper's grid come before the quick grid."""
    command("run", "alpha/one", "--profile", "smoke")
    _, rows = _json(command, "claims", "alpha/one")
    assert {(row["profile"], row["whole_repeats"], row["repeats"]) for row in rows} == {
        ("paper", 1, 6)
    }
    command("run", "alpha/one", "--profile", "quick")
    _, rows = _json(command, "claims", "alpha/one")
    assert {(row["profile"], row["whole_repeats"], row["repeats"]) for row in rows} == {
        ("paper", 5, 6)
    }
    assert {(row["done"], row["total"]) for row in rows} == {(10, 12)}
    head = "(paper, 5 of 6 repeats, 10 of 12 trials; interim, 5 of 6 repeats)"
    assert head in command("claims", "alpha/one")[1]
    command("run", "alpha/one", "--profile", "paper")
    _, out, _ = command("claims", "alpha/one")
    assert "(paper, 12 of 12 trials)" in out
    assert "interim" not in out


def test_a_claim_whose_test_raises_is_a_failure(command):
    """Exit code 1 and the reason on standard error."""
    command("run", "gamma/raising", "--profile", "smoke")
    code, out, err = command("claims", "gamma/raising", "--profile", "smoke", "--json")
    assert code == 1
    assert json.loads(out)[0]["verdict"] == "inconclusive"
    assert "gamma/raising/broken" in err
    assert "the test of this claim is broken" in err


def test_a_failed_trial_is_told_and_counts_until_it_is_done(command):
    """Exit code 1, also when the failure is an old one; ``--retry-failed`` tries again."""
    code, out, err = command("run", "gamma/failing", "--json")
    data = json.loads(out)
    assert (code, data["failed"], data["computed"]) == (1, 1, 1)
    assert re.search(r"failed: [0-9a-f]{12} \(recovery, near-separable, spa.*ValueError", err)
    assert "ValueError" in data["failures"][0]["error"]
    code, data = _json(command, "run", "gamma/failing")
    assert (code, data["failed"], data["computed"]) == (1, 1, 0)
    code, data = _json(command, "run", "gamma/failing", "--retry-failed")
    assert (code, data["failed"], data["computed"]) == (1, 1, 1)


def test_a_trial_over_its_time_limit_is_a_failure(command, real_workers):
    """``--time-limit`` ends a trial that takes longer."""
    code, data = _json(command, "run", "alpha/one", "--profile", "smoke", "--time-limit", "0.001")
    assert (code, data["failed"]) == (1, 2)
    assert "TimeoutError" in data["failures"][0]["error"]


def test_names_after_options_count(command):
    """``run a --jobs 2 b`` and ``run --jobs 2 a b`` mean the same."""
    for words in (
        ("status", "alpha/one", "--profile", "smoke", "alpha/two"),
        ("status", "--profile", "smoke", "alpha/one", "alpha/two"),
    ):
        _, rows = _json(command, *words)
        assert [row["id"] for row in rows] == ["alpha/one", "alpha/two"]


# -- missing data -----------------------------------------------------------------------------


def test_a_named_artefact_without_its_data_is_an_error(command, tmp_path):
    """Exit code 1, one line with the command that gets the data, and nothing runs."""
    code, out, err = command("run", "beta/texts", "alpha/one")
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "nmfbench data fetch bbc" in err
    assert "--stand-in" in err
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("name", ["all", "beta"])
def test_a_wide_name_leaves_out_what_lacks_data(command, name):
    """'all' and a paper's name go on, with a notice."""
    words = ("run", name, "--profile", "smoke", "--json")
    code, out, err = command(*words)
    data = json.loads(out)
    assert code == (1 if name == "all" else 0)  # gamma/failing is in 'all'
    assert data["left_out"] == [{"id": "beta/texts", "missing_data": ["bbc"]}]
    assert "beta/texts is left out" in err
    assert "beta/texts" not in [row["id"] for row in data["artefacts"]]


def test_a_stand_in_serves_where_data_are_missing(command):
    """With ``--stand-in`` the artefact runs, and claims and status know it."""
    code, data = _json(command, "run", "beta/texts", "--stand-in")
    assert (code, data["done"], data["left_out"]) == (0, 1, [])
    assert _json(command, "status", "beta/texts", "--stand-in")[1][0]["done"] == 1
    assert _json(command, "status", "beta/texts")[1][0]["done"] == 0
    assert "stand-in" in command("claims", "beta/texts", "--stand-in")[1]


def test_data_can_be_listed_and_verified(command):
    """``data`` takes names, and refuses unknown ones."""
    _, rows = _json(command, "data", "list", "digits", "bbc")
    assert {row["name"]: row["available"] for row in rows} == {"digits": True, "bbc": False}
    code, rows = _json(command, "data", "verify", "digits")
    assert (code, rows) == (0, [{"name": "digits", "status": "ok"}])
    code, rows = _json(command, "data", "verify", "digits", "bbc")
    assert (code, rows[1]["status"]) == (1, "missing")
    assert _json(command, "data", "verify")[0] == 0  # what is not here cannot be damaged
    code, _, err = command("data", "fetch", "digit")
    assert code == 2
    assert "'digits'" in err


def test_a_failed_download_is_told(command, monkeypatch):
    """Exit code 1 and the reason; the other sets are fetched all the same."""
    monkeypatch.setenv("NMFBENCH_MIRROR", "http://127.0.0.1:9/nothing")
    code, out, err = command("data", "fetch", "digits", "bbc", "--json")
    assert code == 1
    rows = json.loads(out)
    assert [row["status"] for row in rows] == ["at hand", "failed"]
    assert "127.0.0.1:9" in rows[1]["error"]
    assert "127.0.0.1:9" in err


@pytest.mark.parametrize("where", ["nmfbench.cli.app.parse", "nmfbench.cli.app._complain"])
def test_ctrl_c_at_any_moment_is_told_in_a_line(monkeypatch, capsys, where):
    """While arguments are parsed, and while an error is printed."""
    real = cli.app._complain

    def interrupted(*given):
        monkeypatch.setattr("nmfbench.cli.app._complain", real)
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupted)
    assert cli.main(["run", "no/such"]) == 130
    assert capsys.readouterr().err == "nmfbench: stopped.\n"


# -- wrong usage ------------------------------------------------------------------------------

WRONG = [
    (["run", "alpha/on"], "'alpha/one'"),
    (["run", "two"], "'alpha/two'"),
    (["run", "alhpa"], "'alpha'"),
    (["status", "zzzzz"], "'alpha', 'beta'"),
    (["run", "--profile", "smok"], "did you mean 'smoke'"),
    (["run", "--jobs", "0"], "whole number above 0"),
    (["run", "--jobs", "two"], "whole number above 0"),
    (["run", "--time-limit", "-1"], "number above 0"),
    (["run", "--time-limit", "nan"], "number above 0"),
    (["run", "--memory-limit", "much"], "500M or 4G"),
    (["run", "--memory-limit", "9" * 400], "500M or 4G"),
    (["run", "--memory-limit", "9" * 18 + "T"], "500M or 4G"),
    (["run", "--memory-limit", "0.5"], "500M or 4G"),
    (["run", "--time-limit", "9" * 400], "number above 0"),
    (["run", "--jobs", "9" * 400], "whole number above 0"),
    (["run", "--budget", "9" * 400 + "h"], "90s, 30m or 2h"),
    (["run", "--job", "2"], "'--jobs'"),
    (["list", "solver"], "'solvers'"),
    (["claim"], "'claims'"),
    (["export", "--format", "cvs", "--output", "x"], "'csv'"),
    (["export"], "--output"),
    (["replay"], "TRIAL-KEY"),
    (["replay", "abc", "def"], "'def'"),
    (["data", "get"], "fetch"),
    (["compere", "spa"], "invalid choice"),
    (["card"], "the following arguments are required: KEY"),
    (["card", "spaa"], "'spa'"),
]


@pytest.mark.parametrize(("words", "hint"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_usage_is_one_line_with_a_hint(capsys, words, hint):
    """Exit code 2, nothing on standard output, the nearest valid names on standard error."""
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert hint in err


def test_the_program_alone_shows_first_steps(capsys):
    """Wrong usage, too, but of somebody who is new here."""
    assert cli.main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "COMMAND" in err
    steps = re.findall(r"^  nmfbench (.*?)  ", err, flags=re.MULTILINE)
    assert len(steps) == 4
    for step in steps:
        parse(step.split())


def test_an_unusable_store_is_an_error(command, tmp_path):
    """A file in place of the folder, a foreign database, a damaged file: one line, exit code 2."""
    text = tmp_path / "text"
    text.write_text("no store")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "records.sqlite").write_bytes(b"x" * 5000)
    for store in (text, damaged):
        for words in (["run", "alpha/one"], ["status"], ["claims"], ["export", "--output", "x"]):
            code, out, err = command(*words, store=store)
            assert (code, out) == (2, "")
            assert str(store) in err
            assert len(err.splitlines()) <= 2  # the number of trials may have been printed


@pytest.mark.parametrize("words", [["export", "--output", "x.csv"], ["replay", "ab"], ["report"]])
def test_what_needs_records_says_that_there_is_no_store(command, words, tmp_path, monkeypatch):
    """Exit code 2 where there is nothing to read."""
    monkeypatch.chdir(tmp_path)
    code, out, err = command(*words)
    assert (code, out) == (2, "")
    assert "there is no store" in err


def test_an_unreachable_scheduler_is_an_error(command):
    """Exit code 2 and its address; nothing runs here instead."""
    pytest.importorskip("distributed")
    code, _, err = command("run", "alpha/one", "--scheduler", "nonsense://127.0.0.1:1")
    assert code == 2
    assert "nonsense://127.0.0.1:1" in err
    assert _json(command, "status", "alpha/one")[1][0]["done"] == 0


def test_the_profiles_are_those_of_the_artefacts():
    """The grammar, which imports little, repeats them."""
    assert options.PROFILES == PROFILES


# -- export, import, replay, doctor -----------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_export_and_import_give_the_same_table(command, tmp_path, kind):
    """A round trip through a file loses nothing but arrays; a second import adds nothing."""
    command("run", "alpha", "gamma/failing", "--profile", "smoke")
    file = tmp_path / f"all.{kind}"
    code, _, _ = command("export", "--format", kind, "--output", str(file))
    assert code == 0
    other = tmp_path / "other"
    code, out, _ = command("import", str(file), store=other)
    assert code == 0
    assert "4 new trials" in out
    assert "0 new trials" in command("import", str(file), store=other)[1]
    with Store(tmp_path / "store") as ours, Store(other) as theirs:
        public = [row | {"host": public_host(row["host"])} for row in ours.records()]
        assert public == theirs.records()
    _, rows = _json(command, "status", "alpha", "--profile", "smoke", store=other)
    assert [row["missing"] for row in rows] == [0, 0]


def test_an_export_takes_the_trials_it_is_asked_for(command, tmp_path):
    """An artefact's name narrows it, as does a profile; shared trials are one row."""
    command("run", "alpha", "--profile", "quick")
    file = tmp_path / "part.csv"
    for words, count in ((["alpha/two"], 10), (["alpha/two", "--profile", "smoke"], 2), ([], 15)):
        assert command("export", *words, "--output", str(file))[0] == 0
        with file.open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert len(rows) == count
    assert {row["artefact"] for row in rows} == {
        "alpha/one",
        "alpha/two",
        "alpha/one;alpha/two",
    } - {"alpha/one"} | {"alpha/one;gamma/raising"}


def test_importing_junk_is_an_error(command, tmp_path):
    """Exit code 2 and the reason; a good file beside the bad one is not imported either."""
    command("run", "alpha/one", "--profile", "smoke")
    good, junk = tmp_path / "good.csv", tmp_path / "junk.csv"
    command("export", "--output", str(good))
    junk.write_text("a,b\n1,2\n")
    code, out, err = command("import", str(good), str(junk), store=tmp_path / "other")
    assert (code, out) == (2, "")
    assert "junk.csv is not an export" in err
    with Store(tmp_path / "other") as store:
        assert store.records() == []
    code, _, err = command("import", str(tmp_path / "none.csv"))
    assert code == 2
    assert "there is no file" in err


def test_replay_finds_a_trial_by_how_its_key_begins(command, tmp_path):
    """The same bits on this machine; unknown and ambiguous keys are wrong usage."""
    command("run", "alpha/one", "--profile", "smoke")
    with Store(tmp_path / "store") as store:
        key = store.records()[0]["key"]
    code, data = _json(command, "replay", key[:10])
    assert (code, data["key"], data["verdict"]) == (0, key, "same bits")
    assert data["same_code"]
    code, _, err = command("replay", "zz")
    assert code == 2
    assert "'zz'" in err


def test_doctor_tells_what_is_here_and_what_is_missing(command):
    """Exit code 0: missing data do not make the suite unusable."""
    code, data = _json(command, "doctor")
    assert code == 0
    assert data["usable"]
    topics = {row["topic"]: row for row in data["findings"]}
    assert {"python", "numpy", "threads", "memory", "numba cache", "store", "distributed"} <= set(
        topics
    )
    bbc = next(row for row in data["data"] if row["topic"] == "bbc")
    assert re.search(r"[\d.]+ GB, 80% of what is available", topics["memory"]["detail"])
    assert (bbc["state"], "NMFBENCH_DATA" in bbc["remedy"]) == ("missing", True)
    code, out, _ = command("doctor")
    assert code == 0
    assert "The suite can be used." in out


def test_doctor_calls_a_damaged_store_broken(command, tmp_path):
    """Exit code 1, and the remedy."""
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "records.sqlite").write_bytes(b"x" * 5000)
    code, data = _json(command, "doctor")
    assert (code, data["usable"]) == (1, False)


def test_doctor_calls_an_empty_store_usable(command, tmp_path):
    """Its creation was interrupted; the next run completes it."""
    (tmp_path / "store").mkdir()
    with contextlib.closing(sqlite3.connect(tmp_path / "store" / "records.sqlite")) as db:
        db.execute("PRAGMA journal_mode = WAL")  # killed here
    code, data = _json(command, "doctor")
    assert (code, data["usable"]) == (0, True)
    store = next(row for row in data["findings"] if row["topic"] == "store")
    assert store["detail"].startswith("an empty one in")


def damage(store):
    """Change a record behind the store's back: its key."""
    with sqlite3.connect(store / "records.sqlite") as db:
        ((key,),) = db.execute("SELECT key FROM records ORDER BY key LIMIT 1").fetchall()
        db.execute("UPDATE records SET metrics = '{' WHERE key = ?", (key,))
    db.close()
    return key


READERS = (
    ["claims", "alpha"],
    ["status", "alpha", "--profile", "smoke"],
    ["export", "--output", "x.csv"],
    ["run", "alpha", "--profile", "smoke"],
    ["audit"],
    ["replay", "a"],
    ["publish", "--book", "book"],
)


@pytest.mark.parametrize("words", READERS, ids=[words[0] for words in READERS])
def test_a_damaged_record_is_told_in_a_line(command, tmp_path, monkeypatch, words):
    """Exit code 1, the record and the command that sets it aside; never a traceback."""
    monkeypatch.chdir(tmp_path)
    command("run", "alpha", "--profile", "smoke")
    key = damage(tmp_path / "store")
    code, out, err = command(*words)
    assert (code, out) == (1, "")
    assert f"record '{key}' is damaged" in err
    assert "nmfbench doctor --repair --store" in err
    assert "Traceback" not in err


def test_doctor_repairs_a_store(command, tmp_path):
    """It lists the damage; with --repair it sets that aside, and a run computes it again."""
    command("run", "alpha", "--profile", "smoke")
    code, out, _ = command("doctor", "--repair")
    assert code == 0
    assert "Nothing is damaged in" in out
    key = damage(tmp_path / "store")
    code, data = _json(command, "doctor")
    assert (code, data["usable"]) == (1, False)
    (finding,) = [row for row in data["findings"] if row["topic"] == "store"]
    assert (finding["state"], key in finding["detail"]) == ("broken", True)
    assert "doctor --repair" in finding["remedy"]
    code, out, _ = command("doctor", "--repair")
    assert code == 0
    assert "Kept 2 records" in out
    assert key in out
    assert "records.sqlite.damaged-1" in out
    assert "'nmfbench run' computes these again" in out
    _, data = _json(command, "run", "alpha", "--profile", "smoke")
    assert (data["found"], data["computed"]) == (2, 1)
    damage(tmp_path / "store")
    code, data = _json(command, "doctor", "--repair")
    assert code == 0
    assert [row["key"] for row in data["repair"]["set_aside"]] == [key]
    assert data["repair"]["file"].endswith("damaged-2")
    assert command("doctor", "--repair", store=tmp_path / "none")[0] == 2


def test_a_store_that_can_only_be_read_is_read(command, tmp_path):
    """Claims, status and doctor need no more; what has to write says so before it computes."""
    command("run", "alpha", "--profile", "smoke")
    expected = command("claims", "alpha", "--json")
    with only_readable(tmp_path / "store") as store:
        assert command("claims", "alpha", "--json", store=store)[:2] == expected[:2]
        assert _json(command, "status", "alpha", "--profile", "smoke", store=store)[0] == 0
        assert survey(store).is_whole
        for words in (["run", "alpha", "--profile", "paper"], ["audit"]):
            code, out, err = command(*words, store=store)
            assert (code, out) == (2, "")
            assert "make the folder writable" in err


@pytest.mark.parametrize("how", ["deleted", "moved"])
def test_a_store_that_goes_away_in_the_midst_ends_the_run(command, tmp_path, monkeypatch, how):
    """Exit code 1, and no word of trials done: their records are not in the requested store."""
    store = tmp_path / "store"
    put = Store.put
    goes = {
        "moved": partial(store.rename, tmp_path / "elsewhere"),
        "deleted": partial(shutil.rmtree, store),
    }[how]

    def gone(self, *args, **kwargs):
        if store.exists():  # a second record may come before the first is missed
            goes()
        return put(self, *args, **kwargs)

    monkeypatch.setattr(Store, "put", gone)
    code, out, err = command("run", "alpha", "--profile", "smoke")
    assert (code, out) == (1, "")
    assert "moved, deleted or replaced" in err


def test_a_full_disk_is_a_failure_and_no_wrong_usage(command, tmp_path):
    """Exit code 1 and what to do, for the store and for files; with room the same command goes
    on."""
    with small_disk(2**20) as disk:
        store, filler = disk / "store", disk / "filler"
        command("run", "alpha/one", "--profile", "smoke", store=store)
        filler.write_bytes(b"x" * shutil.disk_usage(disk).free)
        for words in (["run", "alpha", "--profile", "smoke"], ["export", "--output", disk / "x"]):
            code, out, err = command(*map(str, words), store=store)
            assert (code, out) == (1, "")
            assert "make room" in err or "No space left" in err
            assert len(err.splitlines()) <= 3
        assert not (disk / "x").exists()
        filler.unlink()
        _, data = _json(command, "run", "alpha", "--profile", "smoke", store=store)
        assert (data["found"], data["done"]) == (2, 3)


# -- budgets, the record book, audits ---------------------------------------------------------


def test_a_budget_is_spent_on_whole_repeats(command):
    """A run computes what fits into its budget, and the next one goes on from there."""
    code, data = _json(command, "run", "alpha", "--profile", "quick", "--budget", "90s")
    assert (code, data["done"], data["computed"], data["found"]) == (0, 15, 15, 0)
    code, data = _json(command, "run", "alpha", "--profile", "paper", "--budget", "1h")
    assert (code, data["computed"], data["found"], data["total"]) == (0, 3, 15, 18)
    assert [row["missing"] for row in data["artefacts"]] == [0, 0]
    assert command("run", "alpha", "--budget", "soon")[0] == 2


def test_what_does_not_fit_into_a_budget_is_not_begun(command, monkeypatch, tmp_path):
    """By the cost of other repeats: then no trial of a repeat has a record."""
    command("run", "alpha/one", "--profile", "smoke")
    with Store(tmp_path / "store") as store:
        for record in store.records():
            store.put(record | {"elapsed": 60.0}, replace=True)
    code, data = _json(command, "run", "alpha/one", "--profile", "quick", "--budget", "90s")
    assert (code, data["computed"], data["found"], data["total"]) == (0, 0, 2, 10)
    code, data = _json(command, "run", "alpha/one", "--profile", "quick", "--budget", "130s")
    assert (code, data["computed"]) == (0, 8)  # once their costs are known they all fit


def test_open_tests_with_what_they_take(command):
    """Of the next look and of the last one; when these are complete, they need nothing more."""
    code, rows = _json(command, "status", "alpha", "--open")
    assert code == 0
    (row,) = rows  # alpha/two has no claims
    assert (row["id"], row["open"], row["repeats"], row["planned"]) == ("alpha/one", 2, 0, 6)
    assert (row["next"]["repeats"], row["next"]["trials"]) == (5, 10)
    assert (row["end"]["repeats"], row["end"]["trials"]) == (6, 12)
    assert 0 < row["next"]["expected"] < row["end"]["expected"]
    assert (row["timed"], row["open_paper"]) == (False, 2)
    command("run", "alpha/one", "--profile", "paper")
    code, rows = _json(command, "status", "alpha", "--open")
    assert all(row["next"] is None for row in rows)
    code, out, _ = command("status", "alpha", "--open")
    assert code == 0
    assert "open test" in out


def test_a_run_up_to_the_next_look_and_up_to_the_planned_repeats(command):
    """It says what was decided and what is next, and what each artefact was predicted to take."""
    words = ("run", "alpha", "--profile", "paper", "--until")
    code, data = _json(command, *words, "look")
    assert (code, data["computed"]) == (0, 10)
    (row,) = data["batches"]
    assert (row["id"], row["batches"]) == ("alpha/one", 1)
    assert row["predicted"] > row["spent"]  # nothing was known of such trials
    code, out, err = command(*words, "planned")
    assert code == 0
    assert "open tests decided; next: alpha/" in err
    assert "predicted" in out
    _, data = _json(command, *words, "planned")
    assert (data["computed"], data["done"]) == (0, 18)
    for word in ("never", "25:00"):
        assert command("run", "alpha", "--until", word)[0] == 2


def test_a_run_by_looks_that_is_stopped_goes_on_from_there(command, monkeypatch, tmp_path):
    """Ctrl-C between two trials of a batch keeps those before; any number of jobs gives the same
    records."""
    words = ("run", "alpha", "--profile", "paper", "--until", "planned")
    original, seen, begun = Progress.__call__, [], threading.Semaphore(3)

    class Held(InProcess):
        """Begins the fourth trial once it is told to end, however fast the machine is."""

        def run(self, *given):
            begun.acquire()
            return super().run(*given)

        def kill(self):
            begun.release()
            super().kill()

    def stop_after_three(self, summary, record):
        original(self, summary, record)
        seen.append(record["key"])
        if len(seen) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Progress, "__call__", stop_after_three)
        patched.setattr("nmfbench.engine.runner.Worker", Held)
        code, _, err = command(*words)
    assert code == 130
    assert re.search(r"stopped\. [3-9] of 18 trials have a record", err)
    kept = int(re.search(r"stopped\. (\d+)", err)[1])
    code, data = _json(command, *words)
    assert (code, data["computed"], data["done"]) == (0, 18 - kept, 18)
    other = tmp_path / "other"
    assert _json(command, *words, "--jobs", "2", store=other)[1]["computed"] == 18
    with Store(tmp_path / "store") as one, Store(other) as two:
        assert [r["metrics"] for r in one.records()] == [r["metrics"] for r in two.records()]


def test_a_run_says_how_many_open_tests_are_decided_and_what_is_next(command):
    """Before each batch, with its CPU time and the verdicts that are expected of it."""
    _, _, err = command("run", "alpha", "--profile", "paper", "--until", "planned")
    lines = re.findall(
        r"(\d+) of 2 open tests decided; next: ([\w/]+), ([^,]+), ([\d.]+) expected", err
    )
    assert lines[0][:2] == ("0", "alpha/one")
    assert float(lines[0][3]) > 0


def test_a_batch_beyond_its_limits_says_so_once_and_the_run_ends(command, monkeypatch):
    """Others come first then, all are computed in the end, and nothing is tried for ever."""

    class Slow(InProcess):
        def run(self, trial, *more):
            if trial["level"] == 0.2:
                raise TimeoutError("over its limit of 1 s")
            return super().run(trial, *more)

    monkeypatch.setattr("nmfbench.engine.runner.Worker", Slow)
    words = ("run", "alpha", "--profile", "paper", "--until", "planned")
    code, _, err = command(*words)
    assert code == 1
    assert err.count("exceeded a limit of time or memory") == 1
    assert "alpha/two: 5 trials exceeded" in err
    code, data = _json(command, *words)
    assert (data["computed"], data["found"], len(data["failures"])) == (0, 18, 0)


def test_what_was_imported_without_its_curves_is_computed_again(command, tmp_path):
    """A run of an artefact that reads them names how many, and the next one has nothing to do."""

    def traces(records):
        return pd.DataFrame({"n": [sum(len(a["trace"]) for a in records["arrays"])]})

    artefact = replace(_artefact("delta/curves", _grid([0.0])), table=traces)
    registry.artefacts.add("delta/curves", artefact)
    assert _json(command, "run", "delta", "--profile", "paper")[1]["computed"] == 6
    with Store(tmp_path / "store") as here, Store(tmp_path / "there") as there:
        for k, record in enumerate(here.records()):
            arrays = here.arrays(record["key"]) if k < 4 else {}
            there.put_imported([(record | {"host": public_host(record["host"])}, arrays)])
    for words in (["--until", "planned"], []):
        shutil.copytree(tmp_path / "there", tmp_path / f"there{len(words)}")
        place = tmp_path / f"there{len(words)}"
        code, _, err = command("run", "delta", "--profile", "paper", *words, store=place)
        assert code == 0
        assert "2 trials to be computed again, imported without arrays that are read" in err
        with Store(place) as store:
            assert len(store.imported(r["key"] for r in store.records())) == 4
            assert evaluate(artefact, store).whole == 6
        again = _json(command, "run", "delta", "--profile", "paper", *words, store=place)[1]
        assert again["computed"] == 0


@pytest.mark.parametrize("words", [[], ["--budget", "10m"]], ids=["at once", "in batches"])
def test_all_imported_records_are_computed_again_on_request(command, tmp_path, words):
    """In one go or within a budget, and compared; the next run has nothing to do."""
    registry.artefacts.add("delta/again", _artefact("delta/again", _grid([0.0])))
    run, place = ("run", "delta", "--profile", "paper", *words, "--recompute"), tmp_path / "there"
    assert _json(command, *run)[1]["computed"] == 6
    with Store(tmp_path / "store") as here, Store(place) as there:
        for record in here.records():
            host = public_host(record["host"])
            there.put_imported([(record | {"host": host}, here.arrays(record["key"]))])
    code, out, err = command(*run, "--json", store=place)
    found = json.loads(out)
    assert (code, found["computed"], found["found"]) == (0, 6, 0)
    assert found["agreement"] == {"same bits": 6}
    assert "6 trials, of which 6 have no record that was computed here" in err
    assert "imported without arrays" not in err
    assert _json(command, *run, store=place)[1]["computed"] == 0


def test_timed_trials_alone_or_left_out(command, monkeypatch):
    """Those whose seconds are the result wait for an idle machine, and say what they wait for."""
    trials = [
        replace(one, timed=one.level == 0.1, repeat=one.repeat)
        for one in _grid([0.0, 0.1])("quick")
    ]
    registry.artefacts.add("delta/clock", _artefact("delta/clock", lambda profile: trials))
    busy = iter([90.0, 0.0])
    monkeypatch.setattr("nmfbench.engine.runner._PATIENCE", 0.01)
    monkeypatch.setattr("nmfbench.engine.idle.psutil.cpu_percent", lambda seconds: next(busy, 0.0))
    assert _json(command, "run", "delta", "--timed", "no")[1]["computed"] == 5
    code, _, err = command("run", "delta", "--timed", "only")
    assert code == 0
    assert "timed trials wait for an idle machine" in err
    assert "the machine is idle" in err
    assert _json(command, "run", "delta")[1]["found"] == 10
    words = ("run", "delta", "--timed", "only", "--scheduler", "tcp://localhost:1")
    assert command(*words)[0] == 2


@pytest.mark.parametrize("words", [[], ["--budget", "10m"]], ids=["at once", "in batches"])
def test_rivals_that_were_timed_elsewhere_are_timed_along(command, tmp_path, monkeypatch, words):
    """Also in artefacts that were not asked for, of the problems that are timed now and no others:
    timings of one problem are of one machine."""
    monkeypatch.setattr("nmfbench.engine.idle.psutil.cpu_percent", lambda seconds: 0.0)
    few, all_ = (_grid([0.1])(profile) for profile in ("smoke", "quick"))
    rivals = [replace(t, params={"normalize": True}, timed=True) for t in all_]
    asked = [replace(t, timed=True) for t in few]
    for name, grid in (("delta/clock", asked), ("epsilon/clock", rivals)):
        registry.artefacts.add(name, _artefact(name, lambda profile, grid=grid: grid))
    run = ("run", "--timed", "only", *words)
    assert _json(command, *run, "epsilon")[1]["computed"] == 5
    elsewhere = {"platform": "other", "cpu": "other", "cores": 1}
    with Store(tmp_path / "store") as store:
        for record in store.records():
            store.put(record | {"host": elsewhere}, replace=True)
    code, _, err = command(*run, "delta")
    assert code == 0
    assert "with 1 trial of other artefacts, timed on another machine" in err
    with Store(tmp_path / "store") as store:
        hosts = {record["key"]: record["host"] for record in store.records()}
    assert hosts.keys() == {trial.key for trial in (*asked, *rivals)}
    apart = {key for key, found in hosts.items() if found == elsewhere}
    assert apart == {trial.key for trial in rivals if trial.repeat > 0}
    assert "of other artefacts" not in command(*run, "delta")[2]


def test_publish_and_import_of_a_folder_give_the_same_records(command, tmp_path):
    """The book goes from store to store; publishing twice writes nothing."""
    command("run", "alpha", "gamma/failing", "--profile", "smoke")
    book = str(tmp_path / "book")
    code, first = _json(command, "publish", "--book", book)
    assert code == 0
    assert (first["records"], first["files"], first["written"]) == (4, 3, 3)
    assert (first["outdated"], first["merge"]["new"], first["book"]) == (0, 4, book)
    here = MEASURED["host"] | {"machine": "0" * 32}
    write_measured(tmp_path / "store", "spa", None, MEASURED | {"host": here})
    again = _json(command, "publish", "--book", book)[1]
    assert (first["measured"], again["measured"], again["written"]) == (0, 1, 0)
    code, out, _ = command("publish", "--book", book)
    assert "4 records in 3 files" in out
    other = tmp_path / "other"
    code, data = _json(command, "import", book, store=other)
    assert (code, data["new"], data["held"], data["left_out"], data["unknown"]) == (0, 4, 0, 0, 0)
    assert read_measured(other, "spa") == MEASURED | {"current": False}
    _, data = _json(command, "import", book, store=other)
    assert (data["new"], data["held"], data["agreement"]) == (0, 4, {"same bits": 3})
    with Store(tmp_path / "store") as ours, Store(other) as theirs:
        public = [row | {"host": public_host(row["host"])} for row in ours.records()]
        assert public == theirs.records()
    assert _json(command, "run", "alpha", "--profile", "smoke", store=other)[1]["computed"] == 0
    (tmp_path / "empty").mkdir()
    code, _, err = command("import", str(tmp_path / "empty"), store=other)
    assert code == 2
    assert "no parquet file" in err


def test_an_audit_has_the_promised_rows(command, tmp_path):
    """A row a group: how many records, how many computed again, and how they agree."""
    command("run", "alpha", "gamma/failing", "--profile", "smoke")
    code, rows = _json(command, "audit", "--sample", "2")
    assert code == 0
    (row,) = rows  # failures are not audited
    expected = {"task": "recovery", "solver": "spa", "dataset": "near-separable", "records": 3}
    expected |= {"audited": 2, "same_bits": 2, "same_digits": 0, "different": 0}
    assert expected.items() <= row.items()
    _, (row,) = _json(command, "audit", "alpha/two", "--sample", "9")
    assert (row["records"], row["audited"]) == (2, 2)
    code, out, _ = command("audit", "--changed")
    assert code == 0
    assert "no record had to be computed again" in out
    assert command("audit", "--budget", "90s")[0] == 0
    _, (row, *_) = _json(command, "status", "alpha/one", "--profile", "smoke")
    assert (row["current"], row["audited"], row["different"], row["unaudited"]) == (2, 0, 0, 0)


def test_an_audit_finds_an_edited_record(command, tmp_path):
    """Exit code 1, both values, and the version that would have to be raised."""
    command("run", "alpha/one", "--profile", "smoke")
    with Store(tmp_path / "store") as store:
        for record in store.records():
            store.put(record | {"objective": 77.0, "code": "earlier"}, replace=True)
    code, rows = _json(command, "audit", "--changed")
    assert (code, rows[0]["changed"], rows[0]["different"]) == (1, 2, 1)
    (difference,) = rows[0]["differences"]
    assert any("77.0" in text for text in difference["what"])
    code, out, _ = command("audit", "--changed")
    assert code == 1
    assert "if the change is meant, raise" in out
    _, (row,) = _json(command, "status", "alpha/one", "--profile", "smoke")
    assert row["different"] == 2


def test_reproduce_imports_the_book_and_says_how_much_of_it_agreed(command, monkeypatch, tmp_path):
    """Imported records are computed again, as far as the budget goes, and compared."""

    def build_report(artefacts, store, **options):
        return Report(tmp_path / "index.html", [])

    monkeypatch.setattr("nmfbench.reports.build.build_report", build_report)
    command("run", "alpha", "--profile", "smoke")
    with Store(tmp_path / "store") as store:
        record = store.records()[0]
        store.put(record | {"objective": 77.0}, replace=True)
    book, other = str(tmp_path / "book"), tmp_path / "other"
    command("publish", "--book", book)
    words = ("reproduce", "alpha", "--profile", "smoke", "--book", book, "--budget", "5m")
    code, out, _ = command(*words, store=other)
    assert code == 0
    assert "Computed here: 3 of 3; the same bits 2, digits 0, different 1." in out
    assert re.search(r"^different: .*\n    objective was 77\.0, is ", out, re.MULTILINE)
    assert out.splitlines()[-1] == str(tmp_path / "index.html")
    # Computed here by now: not once more, and the book takes no place of it.
    code, out, _ = command(*words, store=other)
    assert code == 0
    assert "Computed here: 0 of 3" in out
    with Store(other) as store:
        assert store.imported(record["key"] for record in store.records()) == set()
        assert 77.0 not in [record["objective"] for record in store.records()]


# -- the report -------------------------------------------------------------------------------


def test_reproduce_runs_and_then_reports_what_could_run(command, monkeypatch, tmp_path):
    """The report leaves out what the run left out, and compares with a release, if there is one."""
    calls = []

    def build_report(artefacts, store, **options):
        calls.append(([artefact.id for artefact in artefacts], store, options))
        print("a notebook talks")
        with Store(store) as opened:
            found = [evaluate(artefact, opened, profile="smoke") for artefact in artefacts]
        return Report(tmp_path / "pages" / "index.html", found)

    monkeypatch.setattr("nmfbench.reports.build.build_report", build_report)
    monkeypatch.chdir(tmp_path)
    words = ("reproduce", "alpha", "beta", "--profile", "smoke", "--output", str(tmp_path / "p"))
    code, out, err = command(*words)
    assert code == 0
    assert out.splitlines()[-1] == str(tmp_path / "pages" / "index.html")
    assert "a notebook talks" in err
    (ids, store, options) = calls[0]
    assert ids == ["alpha/one", "alpha/two"]
    assert store == str(tmp_path / "store")
    # Whatever was run, the report shows each artefact on its largest grid; no release to compare.
    assert options == {
        "profile": None,
        "output": str(tmp_path / "p"),
        "stand_in": False,
        "since": None,
        "site": None,
    }
    command("claims", "alpha", "--release", "released.json")
    released = json.loads((tmp_path / "released.json").read_text(encoding="utf-8"))
    assert released["sentences"] == [{"id": "alpha/finds-much", "state": "open"}]
    code, out, _ = command("report", "gamma/raising", "--profile", "smoke")
    assert code == 1
    assert "a test of a claim, or a picture, failed: gamma/raising/broken" in out
    since = {"since": "released.json"}
    assert calls[1][2] == options | {"profile": "smoke", "output": "report"} | since
    command("report", "alpha", "--since", "other.json")
    assert calls[2][2]["since"] == "other.json"


@pytest.mark.parametrize("part", ["frame", "table", "picture"])
def test_trials_that_are_too_few_for_a_table_are_no_failure(command, tmp_path, part):
    """The section and its claims say so; of all trials an error is one, unless others computed
    some, whose records may hold anything."""

    def needs_more(records):
        raise KeyError("no such column")

    command("run", "alpha/two", "--profile", "smoke")  # one of the two trials of alpha/one
    artefact = replace(registry.artefacts["alpha/one"].target, **{part: needs_more})
    with Store(tmp_path / "store", create=False) as store:
        found = evaluate(artefact, store, profile="smoke")
        shown = render_section(found)
        assert "of 1 of 2 trials: KeyError('no such column')" in found.notes[-1]
        assert html.escape(found.notes[-1]) in shown.replace("&#39;", "&#x27;")
        assert (found.table is None) == (part != "picture")
        if part == "frame":
            assert {verdict.evidence for _, verdict in found.verdicts} == {found.notes[-1]}
    command("run", "alpha/one", "--profile", "smoke")
    with Store(tmp_path / "store", create=False) as store, pytest.raises(KeyError):
        evaluate(artefact, store, profile="smoke").draw()
    with Store(tmp_path / "store", create=False) as store, Store(tmp_path / "other") as other:
        other.put_imported((record, {}) for record in store.records())
        found = evaluate(artefact, other, profile="smoke")
        shown = render_section(found)
        assert "of 2 of 2 trials: KeyError('no such column')" in found.notes[-1]
        assert html.escape(found.notes[-1]) in shown.replace("&#39;", "&#x27;")
        assert "alpha/one, " in found.broken[0]


def test_a_failing_notebook_is_an_error(command, monkeypatch):
    """Exit code 1 and one line."""
    from nmfbench.reports.notebooks import NotebookError

    def build_report(*_, **__):
        raise NotebookError("alpha.ipynb failed:\nValueError: it has no such cell")

    monkeypatch.setattr("nmfbench.reports.build.build_report", build_report)
    command("run", "alpha/one", "--profile", "smoke")
    code, out, err = command("report", "alpha/one")
    assert (code, out) == (1, "")
    assert err == "nmfbench: alpha.ipynb failed: ValueError: it has no such cell\n"


# -- progress ---------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def _tell(stream, count, status="done"):
    record = {"key": "0" * 24, "task": "recovery", "dataset": "d", "corruption": None}
    record |= {"level": None, "solver": "spa", "params": {}, "repeat": 0, "status": status}
    record["error"] = "ValueError: no" if status == "failed" else None
    with Progress(count, stream) as progress:
        for _ in range(count):
            progress(None, record)
    return stream.getvalue()


def test_plain_lines_are_few():
    """Away from a terminal a fast run of many trials writes one line, and one a failure."""
    assert re.fullmatch(r"nmfbench: 500 of 500 trials, 0 failed, 0 s\n", _tell(io.StringIO(), 500))
    lines = _tell(io.StringIO(), 3, "failed").splitlines()
    assert lines[0] == "nmfbench: failed: 000000000000 (recovery, d, spa, repeat 0): ValueError: no"
    assert len(lines) == 4
    assert _tell(io.StringIO(), 0) == ""


def test_a_terminal_gets_a_bar():
    """The bar fills, and failures are printed above it."""
    assert "500/500" in _tell(Terminal(), 500)
    text = _tell(Terminal(), 3, "failed")
    assert "3/3" in text
    assert text.count("ValueError: no") == 3


# -- as a process -----------------------------------------------------------------------------


def _process(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "nmfbench", *words],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_help_and_version_go_to_standard_output(capsys):
    """``--version`` prints one line; the help of the suite names each command."""
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"nmfbench {nmfbench.__version__}\n"
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    analysis = ("claims", "compare", "check", "card")
    for word in ("list", "run", "status", "report", "reproduce", *analysis, "data", "export"):
        assert re.search(rf"^ +{word}( |$)", text, re.MULTILINE)


def test_the_package_runs_as_a_program(tmp_path):
    """``python -m nmfbench`` is the command; standard output is JSON alone."""
    done = _process("list", "tasks", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert "recovery" in [row["key"] for row in json.loads(done.stdout)]
    assert done.stderr == ""
    wrong = _process("run", "--profile", "smok", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "Traceback" not in wrong.stderr


_SLOW = textwrap.dedent(
    """
    import sys
    from nmfbench.core import registry
    from nmfbench.artefacts.artefact import Artefact
    from nmfbench.artefacts.grids import Method
    from nmfbench.cli import main
    from nmfbench.trials.trial import Trial

    def trials(profile):
        return [Trial("recovery", "near-separable", "spa", repeat=r) for r in range(3000)]

    registry.artefacts = registry.Registry("artefact", "json")
    registry.artefacts.add("delta/slow", Artefact("delta/slow", "Slow", "table",
        [Method("SPA", "spa")], trials, lambda records: records, lambda table: table))
    sys.exit(main())
    """
)


def test_ctrl_c_keeps_what_has_finished(tmp_path):
    """Exit code 130, a line that says so, and the records are in the store."""
    script = tmp_path / "slow.py"
    script.write_text(_SLOW)
    store = tmp_path / "store"
    process = subprocess.Popen(
        [sys.executable, str(script), "run", "delta/slow", "--jobs", "2", "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while _count(store) < 5 and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    counted = int(re.search(r"stopped\. (\d+) of 3000 trials have a record", err)[1])
    assert "the same command resumes" in err
    assert 5 <= counted < 3000
    assert counted == _count(store)


def _count(store):
    if not (store / "records.sqlite").exists():
        return 0
    try:
        with Store(store, create=False) as opened:
            return len(opened.records())
    except Exception:  # it is being made
        return 0


def test_a_closed_pipe_is_no_error(tmp_path):
    """``nmfbench list | head -1`` ends quietly."""
    shell = f"{shlex.quote(sys.executable)} -m nmfbench list datasets | head -1"
    done = subprocess.run(
        shell, shell=True, capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stderr == ""
