"""Sections of an earlier report: as they were where nothing has changed, and else made again."""

import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from nmfbench.core import registry
from nmfbench.records.schema import AUDIT
from nmfbench.records.store import Store
from nmfbench.reports import remembered
from nmfbench.reports.changes import write_release
from nmfbench.reports.remembered import forget
from nmfbench.reports.section import section
from nmfbench.reports.two_targets import TwoTargets, write_two_targets

FIG3 = "robust-xray/fig3"


def shown(folder, **asked):
    given = {"store": folder / "store", "profile": "smoke", "output": folder / "report"}
    return section(FIG3, **given | asked)


@pytest.fixture(scope="module")
def once(smoke_store, tmp_path_factory):
    """The store of a figure's smoke grid and its report, and the section that was made first."""
    folder = tmp_path_factory.mktemp("once")
    keys = [trial.key for trial in registry.artefacts[FIG3].target.plan("smoke")]
    with Store(smoke_store) as source, Store(folder / "store") as copy:
        for record in source.records(keys):
            copy.put(record, source.arrays(record["key"]))
    return folder, shown(folder)


@pytest.fixture
def folder(once, tmp_path):
    return Path(shutil.copytree(once[0], tmp_path / "copy"))


class Evaluated(Exception):
    pass


@pytest.fixture
def refuse(monkeypatch):
    """From the call on, nothing may be evaluated."""

    def again(*_, **__):
        raise Evaluated

    return partial(monkeypatch.setattr, "nmfbench.reports.section.evaluate", again)


def test_a_section_of_which_nothing_has_changed_is_as_it_was(once, folder, refuse):
    """All that pages take from it, though nothing is evaluated."""
    refuse()
    first, again = once[1], shown(folder)
    assert again.to_json() == first.to_json()
    assert again.brief == first.brief
    assert again.evaluation.verdicts == first.evaluation.verdicts


def other_record(store, report, monkeypatch):
    with Store(store) as opened:
        record = opened.records()[0]
        opened.put(record | {"n_iter": 77}, replace=True)


def other_array(store, report, monkeypatch):
    with Store(store) as opened:
        record = opened.records()[0]
        opened.put(record, opened.arrays(record["key"]) | {"more": np.zeros(1)}, replace=True)


def audited(store, report, monkeypatch):
    with Store(store) as opened:
        key = opened.records()[0]["key"]
        opened.put_audits([dict.fromkeys(AUDIT, "x") | {"key": key, "host": {"cpu": "some"}}])


def no_picture(store, report, monkeypatch):
    (report / "figures" / "robust-xray-fig3.webp").unlink()


def edited_trials(store, report, monkeypatch):
    (report / "trials" / "robust-xray-fig3.html").write_text("edited", encoding="utf-8")


def other_source(store, report, monkeypatch):
    monkeypatch.setattr(remembered, "_source", lambda: "edited")


def other_releases(store, report, monkeypatch):
    monkeypatch.setattr(remembered, "versions", lambda *names: {"numpy": "9"})


def missing_data(store, report, monkeypatch):
    monkeypatch.setattr(remembered, "dataset_available", lambda name: False)


def on_rounding(store, report, monkeypatch):
    targets = ["openblas 0.3.30 Haswell", "openblas 0.3.30 Nehalem"]
    write_two_targets(TwoTargets("smoke", targets, "2026-01-01", [FIG3], 1, []), store)


def damaged(store, report, monkeypatch):
    (path,) = (store / "sections").iterdir()
    held = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({"of": held["of"]}), encoding="utf-8")


def forgotten(store, report, monkeypatch):
    forget(store)
    forget(store)  # and nothing happens where there is nothing


@pytest.mark.parametrize(
    "change",
    [
        *(other_record, other_array, audited, no_picture, edited_trials, other_source),
        *(other_releases, missing_data, on_rounding, damaged, forgotten),
    ],
)
def test_a_section_is_made_again_where_anything_has_changed(change, folder, refuse, monkeypatch):
    """A record, an array, a file of the report, code, a release, data, what lies beside."""
    change(folder / "store", folder / "report", monkeypatch)
    refuse()
    with pytest.raises(Evaluated):
        shown(folder)


def test_a_section_is_made_again_if_another_is_asked_for(folder, refuse):
    """Another profile, or since a release."""
    write_release([], folder / "released.json")
    refuse()
    for asked in ({"profile": None}, {"stand_in": True}, {"since": folder / "released.json"}):
        with pytest.raises(Evaluated):
            shown(folder, **asked)


def test_an_artefact_of_another_package_is_evaluated_every_time(folder, refuse, monkeypatch):
    """Its source is not looked at."""
    entry = registry.artefacts[FIG3]
    first, *rest = entry.target.claims
    mine = replace(first, test=lambda frame: first.test(frame))
    other = replace(entry.target, claims=[mine, *rest])
    monkeypatch.setitem(registry.artefacts._entries, FIG3, replace(entry, target=other))
    shown(folder)
    refuse()
    with pytest.raises(Evaluated):
        shown(folder)
