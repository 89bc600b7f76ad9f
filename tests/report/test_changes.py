"""What changed since a release: verdicts that moved, new claims, claims that are gone."""

import html
import json
import re

import pytest

import nmfbench
from nmfbench.core import registry
from nmfbench.records.store import Store
from nmfbench.reports.changes import (
    Move,
    Release,
    ReleaseError,
    read_release,
    write_changes,
    write_release,
)
from nmfbench.reports.landing import write_landing
from nmfbench.reports.section import render_section, section
from nmfbench.verdicts.evaluate import claim_rows, evaluate
from nmfbench.verdicts.verdict import VERDICTS

FIG3 = "robust-xray/fig3"


PARTS = ("before", "now")


def row(name, verdict, **more):
    """A claim with its verdict, by default of Figure 3 of RobustXRAY."""
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
        "origin": "paper",
        "level": 0.985,
        "unit": "repeats",
        "threshold": None,
        "delta": {"value": 0.02, "of": "difference"},
        "whole_repeats": 5,
        "look": "interim",
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
    assert move.effects == ["0.25 [0.125, 0.375] at 98.5 %", "0.5 [0.438, 0.562] at 98.5 %"]
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
    assert move.effects[1] == "0.25 [-inf, 0.375] at 98.5 %"
    assert move.reason == "trials"


MARGIN = {"value": 0.04, "whose": "ours"}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, "rule"),
        ({"level": 0.9, "interval": [0.0, 0.5]}, "rule"),
        ({"effect": 0.25 * (1 + 1e-9)}, "rule"),
        ({"look": "final"}, "rule"),
        ({"effect": 0.2501}, "test"),
        ({"effect": None}, "test"),
        ({"statement": "Another claim holds."}, "test"),
        ({"threshold": MARGIN}, "test"),
        ({"threshold": MARGIN | {"value": (0.04, 2.0)}}, "test"),
        ({"delta": {"value": 0.05, "of": "difference"}}, "test"),
        ({"n": 12}, "test"),
        ({"unit": "frames"}, "test"),
        ({"done": 200, "effect": 0.5, "statement": "Another claim holds."}, "trials"),
        ({"profile": "paper"}, "trials"),
        ({"whole_repeats": 6}, "trials"),
        ({"data": "stand-in"}, "trials"),
    ],
)
def test_a_verdict_that_moved_has_a_reason(more, reason):
    """Other trials come before another test, and that before other rules; either way round."""
    before, now = row("a", "inconclusive"), row("a", "no lead", **more)
    assert Move(before, now).reason == Move(now, before).reason == reason


def test_equal_thresholds_are_of_one_test():
    """Numbers are compared, single ones and pairs, and not their verdicts at half and twice."""
    for value in (0.04, (0.2, 3.0)):
        here, there = ({"value": v, "whose": "ours"} for v in (value, value))
        move = Move(
            row("a", "confirmed", threshold=here),
            row("a", "no lead", threshold=there | {"at_half": "confirmed"}),
        )
        assert move.reason == "rule"


def test_outcomes_are_counted_by_paper(changes):
    """Every claim of the release that today has, or that is gone, and every one of today."""
    assert list(changes.tests) == ["robust-xray"]
    found = changes.tests["robust-xray"]
    nothing = dict.fromkeys(VERDICTS, 0)
    assert found.before == nothing | {"inconclusive": 1, "confirmed": 1, "refuted": 1}
    assert found.now == nothing | {"confirmed": 2, "not run": 1}
    assert changes.sentences == {}


def sentence(name, outcome, tests=("a",), untestable=None):
    known = {"id": f"robust-xray/{name}", "outcome": outcome, "tests": list(tests)}
    return known | {"untestable": untestable}


def test_outcomes_of_sentences_are_kept_and_compared(tmp_path):
    """Where a release keeps them; a sentence without a test counts apart, others not at all."""
    path = tmp_path / "released.json"
    before = [sentence("s", "open"), sentence("t", "open", ()), sentence("u", None, (), "Taste.")]
    write_release(BEFORE, path, before)
    found = read_release(path).compare(NOW, [FIG3], [sentence("s", "no lead"), *before[1:]])
    outcomes = found.sentences["robust-xray"]
    assert {word: n for word, n in outcomes.before.items() if n} == {"open": 1, "no test yet": 1}
    assert {word: n for word, n in outcomes.now.items() if n} == {"no lead": 1, "no test yet": 1}
    without = Release("0.1.0", "2026-11-22", BEFORE).compare(NOW, [FIG3], before)
    assert without.sentences["robust-xray"].before is None
    write_changes(without, tmp_path)
    assert "did not keep their outcomes" in (tmp_path / "changes.html").read_text("utf-8")


def test_a_release_without_levels_is_read(tmp_path):
    """Rows as release 0.1.0 kept them: their intervals are at 95 %, what they lack is no reason."""
    added = ("origin", "level", "unit", "threshold", "delta", "whole_repeats", "look")
    old = [{k: v for k, v in known.items() if k not in added} for known in BEFORE]
    path = tmp_path / "released.json"
    path.write_text(json.dumps({"version": "0.1.0", "date": "2026-11-22", "claims": old}))
    (move,) = read_release(path).compare([row("a", "no lead", whole_repeats=9)], []).moved
    assert move.effects == ["0.25 [0.125, 0.375] at 95 %", "0.25 [0.125, 0.375] at 98.5 %"]
    assert move.reason == "rule"


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
    path, data = write_changes(changes, tmp_path)
    page = path.read_text(encoding="utf-8")
    words = words_of(page)
    assert (
        "The claim a holds. robust-xray/fig3 ? inconclusive → ✓ confirmed "
        "0.25 [0.125, 0.375] at 98.5 % → 0.5 [0.438, 0.562] at 98.5 % "
        "trials 100 of 500 → 200 of 500 n = 10 → 20"
    ) in words
    assert "1 by reason “trials” Other trials: more repeats" in words
    assert "robust-xray 1 → 2 0 → 0 1 → 0 1 → 0 0 → 1" in words
    assert f'href="robust-xray.html#{FIG3}/a"' in page
    assert "1 from ? inconclusive to ✓ confirmed" in words
    assert "– not run The claim d holds." in words
    assert "✗ refuted The claim c holds." in words
    assert "The claim b holds." not in words
    found = json.loads(data.read_text(encoding="utf-8"))
    assert {part["id"].rpartition("/")[2]: part["reason"] for part in found["changed"]} == {
        "a": "trials",
        "d": "new",
        "c": "gone",
    }
    assert [found["changed"][0][part] for part in PARTS] == ["inconclusive", "confirmed"]
    assert found["changed"][1] == {"id": NOW[2]["id"], "reason": "new"}
    assert found["changed"][2]["before"] == "refuted"
    assert [found["tests"]["robust-xray"][part]["confirmed"] for part in PARTS] == [1, 2]


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
    assert f"{other} in release" in words_of(shown)
    same = render_section(found, changes=Release("1", "today", rows).compare(rows, [artefact.id]))
    assert "Since release 1 (today): no verdict moved." in same
    assert "Since release" not in render_section(found)
