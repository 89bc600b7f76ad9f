"""Verdicts that hang on rounding: judged on two stores, kept, and shown in the report."""

import dataclasses
import json

import pytest

from nmfbench import cli
from nmfbench.core import registry
from nmfbench.records.exchange import ExchangeError
from nmfbench.records.store import Store
from nmfbench.reports.section import section
from nmfbench.reports.two_targets import (
    FILE_NAME,
    judge_twice,
    merge_two_targets,
    name_of_target,
    read_two_targets,
    write_page,
    write_two_targets,
)

FIG3 = "robust-xray/fig3"
NEW = {
    "blas": "openblas 0.3.30 Haswell x1, openblas 0.3.31 Haswell x1",
    "numba-target": "x86-64-v3 00000000",
    "numpy-simd": "X86_V2 X86_V3",
    "libc": "glibc 2.36",
}
OLD = {
    "blas": "openblas 0.3.30 Nehalem x1, openblas 0.3.31 Nehalem x1",
    "numba-target": "x86-64-v2 00000000",
    "numpy-simd": "X86_V2",
    "libc": "glibc 2.36",
}


@pytest.fixture(scope="module")
def folders(smoke_store, tmp_path_factory):
    """A store of the smoke grid of a figure, and one in which noise was no trouble to a method."""
    plain, other = (tmp_path_factory.mktemp(name) for name in ("plain", "other"))
    keys = [trial.key for trial in registry.artefacts[FIG3].target.plan("smoke")]
    with Store(smoke_store) as store:
        records = store.records(keys)
    with Store(plain) as store:
        store.put_imported((record | {"versions": NEW}, {}) for record in records)
    with Store(other) as store:
        for record in records:
            lead = {"anchor-recovery": float(record["solver"] == "spa")}
            store.put_imported([(record | {"versions": OLD, "metrics": lead}, {})])
    return plain, other


@pytest.fixture
def found(folders):
    with Store(folders[0]) as store, Store(folders[1]) as other:
        return judge_twice(
            [entry.target for entry in registry.artefacts.entries()],
            store,
            other,
            profile="smoke",
            stand_in=True,
        )


def test_whole_grids_are_judged_and_verdicts_that_differ_are_kept(found):
    """With the names of both targets; grids that one store lacks are left out."""
    assert found.artefacts == [FIG3]
    assert found.targets == ["reference", "OpenBLAS Nehalem, numba x86-64-v2"]
    assert found.rows
    for before, now in found.rows:
        assert before["id"] == now["id"]
        assert before["verdict"] != now["verdict"]
        assert found.of(now["id"]).before == before
    assert found.of("another") is None
    assert len(found.rows) <= found.total


def test_an_equal_store_hangs_on_nothing(folders):
    """The same records give the same verdicts."""
    with Store(folders[0]) as store:
        artefacts = [registry.artefacts[FIG3].target]
        found = judge_twice(artefacts, store, store, profile="smoke", stand_in=True)
    assert (found.rows, found.artefacts) == ([], [FIG3])
    assert str(found).startswith("none of ")


def test_targets_have_names():
    """As a reader may know them."""
    assert name_of_target({"numpy": "2.0"}) == "unknown"
    assert name_of_target(OLD) == "OpenBLAS Nehalem, numba x86-64-v2"


def test_the_command_keeps_what_it_finds(folders, capsys):
    """Beside the first store."""
    words = ["claims", FIG3, "--profile", "smoke", "--stand-in", "--store", str(folders[0])]
    assert cli.main([*words, "--other", str(folders[1]), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["artefacts"] == [FIG3]
    assert dataclasses.asdict(read_two_targets(folders[0])) == printed
    assert cli.main([*words, "--other", str(folders[1])]) == 0
    assert "on rounding, of 1 artefacts (reference / OpenBLAS Nehalem" in capsys.readouterr().out
    (folders[0] / FILE_NAME).unlink()


def test_a_grid_can_be_judged_in_parts(found):
    """Earlier verdicts stay if grid and targets are the same, and no artefact is judged again."""
    row = found.rows[0][0] | {"id": "anp/fig2/x", "artefact": "anp/fig2"}
    earlier = dataclasses.replace(found, artefacts=["anp/fig2"], total=3, date="2000-01-01")
    earlier = dataclasses.replace(earlier, rows=[[row, row]])
    both = found.joined(earlier)
    assert (both.artefacts, both.date) == (["anp/fig2", FIG3], found.date)
    assert both.total == 3 + found.total
    assert both.rows == [[row, row], *sorted(found.rows, key=lambda pair: pair[0]["id"])]
    assert found.joined(None) == found.joined(both) == found
    for other in ({"profile": "paper"}, {"targets": ["reference", "unknown"]}):
        assert found.joined(dataclasses.replace(earlier, **other)) == found


def test_sections_and_their_page_say_it(found, folders, tmp_path):
    """Beside the verdict and in a table with both effects; not in a report without the artefact."""
    write_two_targets(found, folders[0])
    try:
        given = {"store": folders[0], "profile": "smoke", "output": tmp_path}
        text = section(FIG3, **given).html
    finally:
        (folders[0] / FILE_NAME).unlink()
    assert text.count("Hangs on rounding") == len(found.rows)
    page = write_page(found, [FIG3], tmp_path).read_text()
    assert all(row["id"] in page for row, _ in found.rows)
    page = write_page(found, [], tmp_path).read_text()
    assert not any(row["id"] in page for row, _ in found.rows)


def test_the_later_file_comes_along(found, tmp_path):
    """With imports and publications."""
    here, there = tmp_path / "here", tmp_path / "there"
    merge_two_targets(there, here)
    assert read_two_targets(here) is None
    write_two_targets(found, there)
    merge_two_targets(there, here)
    assert read_two_targets(here) == dataclasses.replace(found, machine="")
    merge_two_targets(here, tmp_path / "book", own=True)
    assert read_two_targets(tmp_path / "book") is None
    merge_two_targets(there, tmp_path / "book", own=True)
    assert read_two_targets(tmp_path / "book") == read_two_targets(here)
    later = dataclasses.replace(found, date="9999-01-01")
    write_two_targets(later, here)
    merge_two_targets(there, here)
    assert read_two_targets(here) == later


@pytest.mark.parametrize("text", ["{", "{}", '{"profile": 1}'])
def test_a_damaged_file_is_an_error(tmp_path, text):
    """It is named."""
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(ExchangeError, match="Move the file away"):
        read_two_targets(tmp_path)
