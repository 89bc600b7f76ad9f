"""Exchange of an external class's records: saved, imported, shown, audited."""

import contextlib
import io
import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from engine import trial

from nmfbench import cli
from nmfbench.comparison import plan as planning
from nmfbench.comparison.evaluate import evaluate, gather
from nmfbench.comparison.leaderboards import leaderboards
from nmfbench.comparison.plan import make_plan
from nmfbench.comparison.run import compute, look_up
from nmfbench.comparison.saved import add_saved, save_records, saved_solvers
from nmfbench.core import registry
from nmfbench.core.registry import Registry
from nmfbench.engine import runner
from nmfbench.guests import GuestError, parse_solver
from nmfbench.guests.examine import Examined
from nmfbench.problems.problem import Problem
from nmfbench.records.exchange import ExchangeError, export_records, read_exports
from nmfbench.records.merge import import_records
from nmfbench.records.saved import as_saved, is_saved
from nmfbench.records.store import Store
from nmfbench.reports.boards import write_leaderboards
from nmfbench.verdicts.book import publish

MINE = """
import os
import numpy as np

if os.environ.get("MINE_LEAVES"):
    open(os.environ["MINE_LEAVES"], "w").close()


class Mine:
    def __init__(self, n_components=2, random_state=None):
        self.n_components, self.random_state = n_components, random_state

    def fit_transform(self, X):
        rng = np.random.default_rng(self.random_state)
        H = X[rng.choice(len(X), self.n_components, replace=False)]
        self.components_ = H
        return np.maximum(X @ np.linalg.pinv(H), 0)


class Fails(Mine):
    def fit_transform(self, X):
        raise FileNotFoundError("no more data")
"""

SIZES = {"n_components": 3, "n_classes": 3, "train_per_class": 8, "test_per_class": 4}
ABILITIES = {"start": False, "anchors": False, "sparse": True, "partial_fit": False}
ABILITIES |= dict.fromkeys(("represents", "signed", "symmetric", "square"), False)


def tiny(task, profile):
    """One problem of recognition, and its fits once more, timed."""
    digits = Problem(
        task="recognition",
        label="digits",
        dataset="digits",
        options=SIZES,
        baselines=[("pca", {})],
        repeats=6,
    )
    return [digits, replace(digits, repeats=1, timed=True, ranked=False)]


def plan_of(*solvers):
    """A plan of recognition in which the solvers meet PCA."""
    found = [Examined(parse_solver(text), [], ABILITIES, None, None) for text in solvers]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "problems_of", tiny)
        patch.setattr(planning, "repeats_to_decide", lambda comparisons: 1)
        return make_plan(found, tasks=["recognition"])


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """Files that somebody sends: one with a class, and the records that a comparison saved."""
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "mine.py").write_text(MINE)
    plan = plan_of(f"{folder}/mine.py:Mine", f"{folder}/mine.py:Fails")
    plan.cells = [cell for cell in plan.cells if cell.entrant.new and not cell.problem.timed]
    with Store(folder / "store") as store:
        compute(plan, look_up(plan, store, folder / "timings"), store, folder / "timings")
        names = save_records(plan, store, folder / "mine.parquet", format="parquet")
    assert set(names) == {f"mine.py:{name}@{version(folder, name)}" for name in ("Mine", "Fails")}
    return folder


def version(folder, name="Mine"):
    """Hash of what a class in a folder uses."""
    return trial(f"{folder}/mine.py:{name}").declared["solver"]


@pytest.fixture
def ours(sent, tmp_path, monkeypatch):
    """A store into which the records were imported, with another ``mine.py`` in the folder."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("raise SystemExit('it was run')")
    with Store("store") as store:
        import_records(read_exports([sent / "mine.parquet"]), store)
    return tmp_path / "store"


def fill(store, plan, score=0.5):
    """Records of a plan, as if it had been computed."""
    for cell in plan.cells:
        answer = {"outcome": {"metrics": {"accuracy-5": score}, "fit": {"n_iter": 1}}}
        for one in filter(None, (cell.trial, cell.trial.base)):
            store.put(runner.make_record(one, answer | {"elapsed": 0.1}, {}))


def test_a_saved_file_tells_no_place_and_no_time(sent):
    """No row names a folder or holds a timed trial, and errors are a line."""
    table = pd.read_parquet(sent / "mine.parquet")
    assert not table["timed"].any()
    assert set(table["task"]) == {"recognition", "factorization"}
    solvers = {f"mine.py:{name}@{version(sent, name)}" for name in ("Mine", "Fails")}
    assert set(table["solver"]) == solvers
    failed = table[(table["status"] == "failed") & (table["task"] == "factorization")]
    assert set(failed["error"]) == {"FileNotFoundError: no more data"}
    assert str(sent) not in table.to_csv()


def test_import_runs_and_reads_no_code(sent, tmp_path, monkeypatch, capsys):
    """Neither a local file of that name nor the file itself is opened; the names are printed."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").mkdir()  # cannot be read as a file
    assert cli.main(["import", str(sent / "mine.parquet"), "--store", "store", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    saved = [f"mine.py:{name}@{version(sent, name)}" for name in ("Fails", "Mine")]
    assert answer["saved"] == saved
    assert answer["new"] == len(pd.read_parquet(sent / "mine.parquet"))
    # A second import finds all of them, and the store still names the class without a place.
    assert cli.main(["import", str(sent / "mine.parquet"), "--store", "store"]) == 0
    assert "--against mine.py:Mine@" in capsys.readouterr().out
    with Store("store") as store:
        assert {str(spec) for spec in saved_solvers(store)} == set(answer["saved"])


def test_an_import_beside_records_of_a_lost_file(sent, tmp_path):
    """Records of a class whose file is gone do not stop an import."""
    file = tmp_path / "lost.py"
    file.write_text(MINE)
    plan = plan_of(f"{file}:Mine")
    with Store(tmp_path / "store") as store:
        fill(store, plan)
        file.unlink()
        found = import_records(read_exports([sent / "mine.parquet"]), store)
        assert found.new == len(pd.read_parquet(sent / "mine.parquet"))


def test_what_was_saved_stands_beside_others(sent, ours, tmp_path, monkeypatch, capsys):
    """A comparison shows it, marked, without running it."""
    monkeypatch.setattr(planning, "problems_of", tiny)
    monkeypatch.setattr(planning, "repeats_to_decide", lambda comparisons: 1)
    name = f"mine.py:Mine@{version(sent)}"
    with Store(ours) as store:
        fill(store, plan_of("mu"))
    words = ["compare", "mu", "--task", "recognition", "--against", name]
    words += ["--store", str(ours), "--output", "page", "--jobs", "1"]
    assert cli.main([*words, "--save", "mu.csv", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)["saved"]
    assert written["solvers"] == ["mu"]  # and not what is imported
    assert written["trials"] == len(read_exports(["mu.csv"])) > 0
    scores = pd.read_csv("page/tables/scores.csv").set_index("method")
    assert set(scores.index) == {"mu", "pca", f"Mine@{version(sent)}"}
    table = pd.read_parquet(sent / "mine.parquet").query("task == 'recognition'")
    theirs = table[table["solver"] == name]["accuracy-5"]
    assert scores.loc[f"Mine@{version(sent)}", "center"] == pytest.approx(theirs.mean())
    page = re.sub("<[^>]*>", "", Path("page/index.html").read_text())
    assert f"Mine@{version(sent)} (records from elsewhere, not audited here)" in page
    assert "its times were taken on another machine" in page
    words[words.index(name)] = "mine.py:Mine@000000000000"
    assert cli.main(words) == 2
    assert "has no imported record of mine.py:Mine@000000000000" in capsys.readouterr().err


def test_a_saved_class_is_not_run():
    """Commands that would run it say why it cannot be."""
    spec = parse_solver("some/folder/mine.py:Mine@1f2e3d4c5b6a(alpha=2)")
    assert str(spec) == "mine.py:Mine@1f2e3d4c5b6a(alpha=2)"
    assert spec.is_saved
    with pytest.raises(GuestError, match="records made elsewhere, and is not run"):
        registry.solvers[spec.solver].target()


def test_keys_stay_those_of_the_class(sent):
    """A trial of the saved class has the key of one of the class in its file."""
    here = trial(f"{sent}/mine.py:Mine", params={"n_components": 3})
    assert replace(here, solver=f"mine.py:Mine@{version(sent)}").key == here.key


@pytest.fixture(scope="module")
def rows(sent, tmp_path_factory):
    """Rows of an audit of what was saved, and the store in which it was made."""
    folder = tmp_path_factory.mktemp("audited")
    with Store(folder) as store:
        import_records(read_exports([sent / "mine.parquet"]), store)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        words = ["audit", "--solver", f"{sent}/mine.py:Mine", "--store", str(folder), "--json"]
        assert cli.main(words) == 0
    return json.loads(out.getvalue()), folder


def origins(folder):
    """Words of a comparison on the origin of saved records, by class."""
    plan = plan_of("mu")
    with Store(folder) as store:
        add_saved(plan, saved_solvers(store), store)
    return {e.label.partition("@")[0]: e.origin for e in plan.entrants if e.origin}


def test_an_audit_computes_a_sample_again(rows, ours):
    """Of each task it computes a record from the file that made it, and the mark changes."""
    found, folder = rows
    assert {row["task"] for row in found} == {"recognition", "factorization"}
    assert all(row["audited"] == 1 and not row["different"] for row in found)
    not_audited = "records from elsewhere, not audited here"
    assert origins(ours) == dict.fromkeys(("Mine", "Fails"), not_audited)
    audited = {"Mine": "records from elsewhere, audited here", "Fails": not_audited}
    assert origins(folder) == audited


def test_a_record_that_came_out_different_is_told(rows, tmp_path):
    """One audit with another outcome is enough."""
    folder = shutil.copytree(rows[1], tmp_path / "store")
    with Store(folder) as store:
        store.put_audits([row | {"outcome": "different"} for row in store.audits()[:2]])
    assert origins(folder)["Mine"].endswith("some came out different")


def test_an_audit_needs_just_that_source(ours, tmp_path, capsys):
    """Without the file nothing is computed again, and a file with other source is refused."""
    words = ["audit", "--store", str(ours), "--json"]
    assert cli.main(words) == 0
    assert json.loads(capsys.readouterr().out) == []
    edited = tmp_path / "edited"
    edited.mkdir()
    (edited / "mine.py").write_text(MINE.replace("0)", "0.1)"))
    assert cli.main([*words, "--solver", f"{edited}/mine.py:Mine"]) == 2
    assert "no record of mine.py:Mine@" in capsys.readouterr().err


def test_leaderboards_rank_what_was_saved(sent, ours, tmp_path):
    """It has a row, with its origin, among those who have the same repeats."""
    plan = plan_of("mu")
    with Store(ours) as store:
        fill(store, plan)
        add_saved(plan, saved_solvers(store), store)
        records = gather(plan, store)
        boards, lacking = leaderboards(records)
        assert evaluate(plan, records).scores["method"].nunique() == 4
    (board,) = boards
    labels = {f"{name}@{version(sent, name)}" for name in ("Mine", "Fails")}
    assert set(board.table["method"]) == {"mu", "pca"} | labels
    assert board.table["method"].iloc[-1] == f"Fails@{version(sent, 'Fails')}"
    origins = {entrant.label: entrant.origin for entrant in plan.entrants if entrant.origin}
    page = write_leaderboards(boards, lacking, origins, tmp_path)[0].read_text()
    for label in labels:
        assert f'{label}<div class="source">records from elsewhere, not audited here</div>' in page
        assert f"solvers/{label}" not in page
    assert 'href="solvers/mu.html"' in page


def test_only_audited_records_are_published(sent, ours, rows, tmp_path, monkeypatch):
    """The record book takes records of a class once audits found all of its groups the same."""
    monkeypatch.setattr(registry, "artefacts", Registry("artefact", "json"))  # none
    with Store(ours) as store:
        assert publish(store, tmp_path / "book").records == 0
    with Store(shutil.copytree(rows[1], tmp_path / "audited")) as store:
        publish(store, tmp_path / "book")
    published = [record["solver"] for record, _ in read_exports([tmp_path / "book"])]
    assert set(published) == {f"mine.py:Mine@{version(sent)}"}
    # Once published they stay, also where another store has not audited them.
    with Store(tmp_path / "other") as store:
        assert publish(store, tmp_path / "book").records == len(published)


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        ("mine.py:Mi<b>ne", "names no class with its version"),
        ("mi\x1bne.py:Mine", "names no class with its version"),
        (":", "names no class with its version"),
    ],
)
def test_a_name_that_no_class_has_is_refused(tmp_path, sent, solver, message):
    """The name that a stranger's file gives a class is checked before it is shown."""
    (record, _), *_ = read_exports([sent / "mine.parquet"])
    with pytest.raises(ValueError, match=message):
        as_saved(record | {"solver": solver})
    assert not is_saved(solver)


def test_an_edited_name_is_noticed(tmp_path, sent):
    """The version in a name is that of the key, whatever the row says."""
    table = pd.read_parquet(sent / "mine.parquet").drop(columns="digest")
    other = f"mine.py:Mine@{'0' * 12}"
    table.assign(solver=other).to_parquet(tmp_path / "edited.parquet")
    with pytest.raises(ExchangeError, match="does not belong to the other columns"):
        read_exports([tmp_path / "edited.parquet"], bare=lambda path: True)
    rows = table[table["solver"].str.contains(":Mine@")]
    rows.assign(solver=other).to_parquet(tmp_path / "edited.parquet")
    pairs = read_exports([tmp_path / "edited.parquet"], bare=lambda path: True)
    names = {record["solver"] for record, _ in pairs}
    assert names == {f"mine.py:Mine@{version(sent)}"}


def test_every_export_leaves_the_place_out(tmp_path, sent):
    """Of a store with records of a class in a file, no export names its folder."""
    with Store(sent / "store") as store:
        records = store.records()
    assert any(record["solver"].startswith(os.sep) for record in records)
    export_records(records, tmp_path / "all.csv", format="csv", artefacts={})
    table = pd.read_csv(tmp_path / "all.csv")
    assert not table["solver"].str.contains(os.sep, regex=False).any()
