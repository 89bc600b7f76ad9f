"""What changed since a release: verdicts that moved, new claims, claims that are gone."""

import html
import re

import pytest

import nmfbench
from nmfbench.artefacts.evaluate import claim_rows, evaluate
from nmfbench.core import registry
from nmfbench.engine.store import Store
from nmfbench.report.changes import (
    Release,
    ReleaseError,
    read_release,
    write_changes,
    write_release,
)
from nmfbench.report.landing import write_landing
from nmfbench.report.section import render_section, section

FIG3 = "robust-xray/fig3"


def row(name, verdict, **more):
    """A claim with its verdict, of Figure 3 of RobustXRAY unless said otherwise."""
    known = {
        "id": f"{FIG3}/{name}",
        "artefact": FIG3,
        "statement": f"The claim {name} holds.",
        "effect": 0.25,
        "interval": [0.125, 0.375],
        "n": 10,
        "data": "own",
        "profile": "quick",
        "done": 100,
        "paper_total": 500,
    }
    return known | {"verdict": verdict} | more


BEFORE = [row("a", "inconclusive"), row("b", "confirmed"), row("c", "refuted")]
NOW = [
    row("a", "confirmed", effect=0.5, interval=[0.4375, 0.5625], n=20, done=200),
    row("b", "confirmed", effect=0.75),
    row("d", "not run", effect=None, interval=None, n=0),
]


@pytest.fixture
def changes():
    return Release("0.1.0", "2026-11-22", BEFORE).compare(NOW, [FIG3])


def words_of(text):
    return " ".join(html.unescape(re.sub("<.*?>", " ", text)).split())


def test_a_verdict_that_moved_is_told_with_both_effects(changes):
    """Only another verdict is a move; the effect, its interval and the trials stand beside it."""
    (move,) = changes.moved
    assert (move.before, move.now) == (BEFORE[0], NOW[0])
    assert move.effects == ["0.25 [0.125, 0.375]", "0.5 [0.438, 0.562]"]
    assert move.grounds == ["trials 100 of 500 → 200 of 500"]
    assert changes.directions == {("inconclusive", "confirmed"): 1}
    assert changes.same == 1


def test_new_claims_and_claims_that_are_gone_are_counted(changes):
    """The rest of the sentence; where nothing changed it says so."""
    assert [r["id"] for r in changes.new] == [f"{FIG3}/d"]
    assert [r["id"] for r in changes.gone] == [f"{FIG3}/c"]
    assert str(changes) == (
        "Since release 0.1.0 (2026-11-22): 1 verdict moved, 1 claim is new, 1 claim is gone"
    )
    same = changes.release.compare(BEFORE, [FIG3])
    assert str(same) == "Since release 0.1.0 (2026-11-22): no verdict moved"


def test_a_report_of_some_artefacts_misses_no_claim_of_others():
    """A claim is gone if its artefact is shown without it, or is no artefact any more."""
    elsewhere = row("x", "confirmed", id="anp/fig2/x", artefact="anp/fig2")
    lost = row("y", "confirmed", id="anp/lost/y", artefact="anp/lost")
    found = Release("0.1.0", "2026-11-22", [elsewhere, lost]).compare([], [FIG3])
    assert found.gone == [lost]


def test_a_verdict_on_other_data_or_another_grid_says_so():
    """A move from the paper's data to a stand-in is not passed off as a change of the method."""
    now = [row("a", "refuted", data="stand-in", profile="smoke", interval=[None, 0.375])]
    (move,) = Release("0.1.0", "2026-11-22", BEFORE).compare(now, [FIG3]).moved
    assert move.grounds == ["profile quick → smoke", "data own → stand-in"]
    assert move.effects[1] == "0.25 [-inf, 0.375]"


def test_what_a_release_keeps_is_read_again(tmp_path):
    """The same rows, with the version of the package and a date."""
    path = tmp_path / "released.json"
    write_release(NOW, path)
    found = read_release(path)
    assert found.claims == NOW
    assert found.version == nmfbench.__version__
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found.date)
    assert found.compare(NOW, [FIG3]).moved == []


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"version": "1"}', '{"claims": [{"id": 1}]}'])
def test_another_file_is_no_release(tmp_path, text):
    """The message says which command writes one."""
    path = tmp_path / "released.json"
    path.write_text(text)
    with pytest.raises(ReleaseError, match="claims --release"):
        read_release(path)


def test_the_page_shows_each_move_in_words_and_signs(changes, tmp_path):
    """Claim, verdict, effect, interval and n, before and now; and what is new and gone."""
    page = write_changes(changes, tmp_path).read_text(encoding="utf-8")
    words = words_of(page)
    assert (
        "The claim a holds. robust-xray/fig3 ? inconclusive → ✓ confirmed "
        "0.25 [0.125, 0.375] → 0.5 [0.438, 0.562] trials 100 of 500 → 200 of 500 n = 10 → 20"
    ) in words
    assert f'href="robust-xray.html#{FIG3}/a"' in page
    assert "1 from ? inconclusive to ✓ confirmed" in words
    assert "– not run The claim d holds." in words
    assert "✗ refuted The claim c holds." in words
    assert "The claim b holds." not in words


def test_the_landing_page_leads_to_the_changes(changes, tmp_path):
    """One click; without a release there is nothing to click on."""
    (index,) = write_landing([], [], [], tmp_path, None, changes)
    assert f'<a href="changes.html">{changes}</a>' in index.read_text(encoding="utf-8")
    (index,) = write_landing([], [], [], tmp_path, None)
    assert "changes.html" not in index.read_text(encoding="utf-8")


def test_a_section_lists_what_moved_in_it(smoke_store, tmp_path):
    """The table of an artefact's moves; a sentence where none moved; nothing without a release."""
    artefact = registry.artefacts["anp/fig2"].target
    with Store(smoke_store, create=False) as store:
        found = evaluate(artefact, store, profile="smoke", stand_in=True)
    rows = claim_rows(found)
    other = {"confirmed": "refuted"}.get(rows[0]["verdict"], "confirmed")
    path = tmp_path / "released.json"
    write_release([rows[0] | {"verdict": other}, *rows[1:]], path)
    asked = {"store": smoke_store, "profile": "smoke", "stand_in": True, "output": tmp_path}
    shown = section(artefact.id, **asked, since=path).html
    assert "1 verdict moved" in shown
    assert f"{other} → " in words_of(shown)
    same = render_section(found, changes=Release("1", "today", rows).compare(rows, [artefact.id]))
    assert "Since release 1 (today): no verdict moved." in same
    assert "Since release" not in render_section(found)
