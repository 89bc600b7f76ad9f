"""The tally of audits: what it counts, how it travels, and its page."""

import pandas as pd
import pytest

from nmfbench.core import registry
from nmfbench.pages.environment import environment
from nmfbench.papers.paper import paper
from nmfbench.records.exchange import ExchangeError
from nmfbench.records.schema import AUDIT
from nmfbench.records.store import Store
from nmfbench.records.tally import KEPT, tally
from nmfbench.reports.audits import audited_of, write_audits


def audit(key, outcome, task="recovery", finished="2026-01-02T03:04:05+00:00"):
    given = {"key": key, "outcome": outcome, "task": task, "finished": finished}
    return dict.fromkeys(AUDIT, "x") | given | {"host": {"cpu": "some"}}


@pytest.fixture
def found(tmp_path):
    """Of three records, one of which was audited twice."""
    with Store(tmp_path / "store") as store:
        store.put_audits([audit("a", "different"), audit("b", "same digits")])
        store.put_audits([audit("a", "same bits", finished="2026-01-03T00:00:00+00:00")])
        store.put_audits([audit("c", "rounding", "clustering")])
        return tally(store)


def test_the_last_audit_of_each_record_counts(found):
    """By task, with the time of the last one."""
    assert found["task"].tolist() == ["clustering", "recovery"]
    row = found.iloc[1].to_dict()
    assert (row["records"], row["same bits"], row["same digits"]) == (2, 1, 1)
    assert (row["rounding"], row["different"], row["last"][:10]) == (0, 0, "2026-01-03")


def test_a_tally_comes_back_and_one_of_fewer_records_replaces_none(found, tmp_path):
    """A tally is read as it was kept; a copy goes where there is none, or one of fewer records."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    assert KEPT.read(here) is None
    KEPT.write(found, here)
    pd.testing.assert_frame_equal(KEPT.read(here), found)
    KEPT.merge(here, there)
    KEPT.write(found[:1], here)
    KEPT.merge(here, there)
    pd.testing.assert_frame_equal(KEPT.read(there), found)


def test_an_empty_tally_is_not_kept(found, tmp_path):
    """A store without audits leaves none, and replaces none."""
    KEPT.offer(found[:0], tmp_path)
    assert KEPT.read(tmp_path) is None
    KEPT.offer(found, tmp_path)
    KEPT.offer(found[:0], tmp_path)
    pd.testing.assert_frame_equal(KEPT.read(tmp_path), found)


@pytest.mark.parametrize("text", ["{}", '{"audits": [[1, 2]]}', '{"audits": 3}', "no JSON"])
def test_a_tally_of_another_form_is_an_error(tmp_path, text):
    """A file that is not as it was written is named, with what to do."""
    (tmp_path / KEPT.file_name).write_text(text)
    with pytest.raises(ExchangeError, match="Move the file away"):
        KEPT.read(tmp_path)


def test_the_page_has_a_row_for_each_task(found, tmp_path):
    """And says how many records came out different."""
    text = write_audits(found, tmp_path).read_text(encoding="utf-8")
    assert "0 of 3 records came out different" in " ".join(text.split())
    assert text.count("<tr>") == 3
    assert "2026-01-03 00:00" in text


@pytest.mark.parametrize(("outcome", "words"), [("rounding", "none"), ("different", "1")])
def test_a_paper_says_how_many_of_its_records_were_computed_again(tmp_path, outcome, words):
    """Those of its tasks, and no others; nothing where nobody has audited."""
    with Store(tmp_path / "store") as store:
        store.put_audits([audit("a", "same bits"), audit("b", outcome), audit("c", "x", "online")])
        found = tally(store)
    artefacts = [registry.artefacts["robust-xray/fig3"].target]
    page = environment().get_template("about_paper.html")
    values = {"paper": paper("robust-xray"), "key": "robust-xray", "counts": {}, "found": []}
    text = page.render(**values, audited=audited_of(artefacts, found))
    assert (
        f"Audits computed 2 records of its tasks again, by the code of their day: {words}" in text
    )
    for none in (None, found[:0]):
        assert "Audits" not in page.render(**values, audited=audited_of(artefacts, none))
