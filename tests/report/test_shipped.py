"""Verdicts that an installed package shows where no trial has run."""

import json
from pathlib import Path

import pytest

import nmfbench
from nmfbench.commands.errors import UsageError
from nmfbench.core.shipped import shipped
from nmfbench.verdicts.published import read_published

REPORTS = Path(nmfbench.__file__).parents[1] / "reports"


def rows_of(name):
    return json.loads((REPORTS / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("claims.json", {}),
        ("sentences.json", {"sentences": True}),
        ("numbers.json", {"numbers": True}),
    ],
)
def test_published_rows_are_those_of_the_report(file, options, tmp_path):
    """Whatever store there is."""
    found = nmfbench.claims("mahnmf", published=True, store=tmp_path / "none", **options)
    expected = [row for row in rows_of(file) if row["id"].startswith("mahnmf/")]
    assert [row["id"] for row in found.data] == [row["id"] for row in expected]
    word = "verdict" if file == "claims.json" else "outcome"
    assert [row[word] for row in found.data] == [row[word] for row in expected]
    assert all(row["id"].rpartition("/")[2] in found.text for row in expected)


def test_published_verdicts_have_their_evidence():
    """With the p-value that decided, and what the grid had."""
    text = " ".join(nmfbench.claims("robust-xray/fig3", published=True).text.split())
    rows = [row for row in rows_of("claims.json") if row["artefact"] == "robust-xray/fig3"]
    assert len(rows) > 10
    for row in rows:
        assert f"{row['verdict']} {row['id'].rpartition('/')[2]}: " in text
        assert " ".join(row["evidence"].split()) in text
        if row["p_adjusted"] is not None:
            assert f"p = {row['p_adjusted']:.2g}." in text


def test_published_verdicts_are_of_no_other_store():
    """Options that choose among records are refused."""
    for options in ({"profile": "quick"}, {"release": "file.json"}, {"other": "store"}):
        with pytest.raises(UsageError, match="published: takes no"):
            nmfbench.claims("mahnmf", published=True, **options)


def test_a_store_without_trials_leads_to_the_published_verdicts(tmp_path):
    """Beside a page of claims that have not run."""
    told = []
    found = nmfbench.claims("mahnmf/fig2", store=tmp_path / "none", progress=told.append)
    assert set(found.table["verdict"]) == {"not run"}
    assert any("--published" in str(note) for note in told)


def test_records_that_come_with_the_suite_are_imported(monkeypatch, tmp_path):
    """Where no file is named; an installation without records says so."""
    monkeypatch.setattr("nmfbench.core.shipped._PACKAGE", tmp_path / "nmfbench")
    store = tmp_path / "store"
    with pytest.raises(UsageError, match=r"no records in .*reports.records"):
        nmfbench.import_records(store=store)
    records = tmp_path / "reports" / "records" / "compare"
    records.mkdir(parents=True)
    here = nmfbench.run("rnmfd/table2", profile="smoke", stand_in=True, store=tmp_path / "one")
    nmfbench.export("rnmfd", store=tmp_path / "one", output=records / "some.parquet")
    assert nmfbench.import_records(store=store).data["new"] == here.data["done"] > 0


def test_what_an_installation_lacks_is_named(monkeypatch, tmp_path):
    """An installation in which somebody left out the files."""
    monkeypatch.setattr("nmfbench.core.shipped._PACKAGE", tmp_path / "nmfbench")
    assert shipped("docs/readers.md") is None
    with pytest.raises(FileNotFoundError, match=r"reports/claims\.json is not in this"):
        read_published("claims.json", ["mahnmf/fig2"])


def test_an_installed_package_has_its_own_files(monkeypatch, tmp_path):
    """Rather than those of the folder that it lies in."""
    monkeypatch.setattr("nmfbench.core.shipped._PACKAGE", tmp_path / "nmfbench")
    for folder in (tmp_path, tmp_path / "nmfbench" / "shipped"):
        (folder / "docs").mkdir(parents=True)
        (folder / "docs" / "readers.md").touch()
    assert shipped("docs/readers.md") == tmp_path / "nmfbench" / "shipped" / "docs" / "readers.md"
