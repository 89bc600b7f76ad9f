"""What a section says before its figure: outcomes, what surprises first."""

import re
from types import SimpleNamespace

from nmfbench.artefacts.claim import Claim
from nmfbench.cards.card import Evidence
from nmfbench.cards.evidence import Standing
from nmfbench.core import registry
from nmfbench.reports.outcomes import baseline_first, is_baseline, outcomes, printed_apart
from nmfbench.reports.section import contents, with_sentences
from nmfbench.verdicts.verdict import Look, Verdict


def evidence(*standings):
    found = [
        Standing("robust-xray/fig5", "exemplars", "accuracy@20", name, key, rank, 4, 3)
        for name, key, rank in standings
    ]
    return Evidence("robust-xray/fig5", "quick", None, found, {}, {})


def evaluation(*verdicts, artefact="robust-xray/fig5"):
    """Verdicts on claims of its own, of the paper unless their id begins with "we"."""
    target = registry.artefacts[artefact].target
    pairs = [
        (
            Claim(name, f"Claim {name}.", "Section 1", None)
            if not name.startswith("we")
            else Claim(name, f"Claim {name}.", "ours", None, origin="ours"),
            verdict,
        )
        for name, verdict in verdicts
    ]
    shared = {"profile": "quick", "whole": 9, "repeats": 9, "done": 9, "total": 9}
    return SimpleNamespace(
        artefact=target, verdicts=pairs, look=Look(9, 9, final=True), stand_ins=[], **shared
    )


def verdict(word, p, effect=0.25):
    text = f"A minus B: {effect} (95 % interval 0.2 to 0.3); p = {p}, n = 9 repeats"
    return Verdict(word, text, effect, (0.2, 0.3), 0.95, p, p, 9)


def test_a_trivial_baseline_that_nothing_outranks_is_named():
    """Alone or level with others; not where a method ranks above it, nor without rivals."""
    random = ("random choice", "random-rows")
    for other, named in ((2.0, True), (1.5, True), (1.0, False)):
        (found,) = baseline_first(evidence((*random, 1.5), ("SPA", "spa", other))) or [None]
        assert (found is not None) == named
        if named:
            assert "“random choice”" in found.text
            assert "mean rank is 1.5 among 4 methods on 3 problems" in found.text
    assert baseline_first(evidence((*random, 1.0))) == []
    assert baseline_first(evidence(("SPA", "spa", 1.0), ("XRAY-l2", "xray-l2", 2.0))) == []
    assert baseline_first(None) == []


def test_baselines_are_registered_as_such():
    """No method of a paper counts as trivial."""
    trivial = {key for key in registry.solvers if is_baseline(key)}
    assert {"random-rows", "random-bases", "median"} <= trivial
    assert not any(registry.solvers[key].info["paper"] for key in trivial)


def test_what_was_refuted_comes_before_what_was_confirmed():
    """Of each kind the clearest, with its evidence as far as the first semicolon."""
    found = outcomes(
        evaluation(
            ("a", verdict("confirmed", 0.001)),
            ("b", verdict("confirmed", 0.0001)),
            ("c", verdict("refuted", 0.01)),
            ("d", verdict("no lead", 0.02)),
            ("e", verdict("inconclusive", 0.3)),
            ("we-ask", verdict("refuted", 0.04)),
        ),
        evidence(("random choice", "random-rows", 1.0), ("SPA", "spa", 2.0)),
    )
    assert [one.verdict for one in found] == ["", "refuted", "confirmed", "no lead", "refuted"]
    assert [one.claim.rpartition("/")[2] for one in found] == ["", "c", "b", "d", "we-ask"]
    assert found[1].text == "Claim c. A minus B: 0.25 (95 % interval 0.2 to 0.3)."


def test_a_declared_headline_takes_the_place_of_the_clearest_claim():
    """And it is not repeated; an open one leaves the place to what is decided."""
    clear = ("clear", verdict("confirmed", 1e-9))
    for word in ("confirmed", "refuted", "no lead", "inconclusive"):
        pairs = (("beats-hottopixx", verdict(word, 0.01)), clear)
        found = outcomes(evaluation(*pairs, artefact="robust-xray/fig3"), None)
        (one,) = found
        if word == "inconclusive":
            assert one.claim == "robust-xray/fig3/clear"
        else:
            assert one.claim == "robust-xray/fig3/beats-hottopixx"
            assert "RobustXRAY" in one.text
            assert re.search(r"\[-?[\d.]+, -?[\d.]+\]", one.text)


def test_nothing_decided_says_nothing():
    """Open and missing verdicts, and numbers that agree or cannot be compared."""
    open_ones = [("a", verdict("inconclusive", 0.5)), ("b", Verdict("not run"))]
    row = {"outcome": "not comparable", "printed": 0.5, "ours": 0.9}
    assert outcomes(evaluation(*open_ones), None, [row]) == []


def test_the_printed_number_that_differs_most_is_shown():
    """By ratio; how many agree and differ stands beside it."""
    row = {"what": "A", "spread": None, "per_cent": True, "interval": None, "unit": "repeat"}
    rows = [
        row | {"printed": printed, "ours": ours, "outcome": outcome}
        for printed, ours, outcome in (
            (0.5, 0.6, "differs"),
            (0.2, 0.6, "differs"),
            (0.9, 0.9, "agrees"),
            (0.1, 0.9, "not comparable"),
        )
    ]
    (found,) = printed_apart(rows)
    assert found.text.startswith("2 of 3 comparable printed numbers differ")
    assert "printed 20 %, here 60 %" in found.text


def test_a_section_shows_the_sentences_that_it_tests():
    """In the room that it leaves for them, with their outcomes; after two the rest is folded."""

    def row(name, test):
        tests = [{"id": test, "verdict": "confirmed"}]
        shown = {"text": f"The {name} sentence.", "place": "Section 1", "outcome": "holds"}
        return shown | {"id": f"robust-xray/{name}", "tests": tests}

    rows = [row(f"{i}th", "robust-xray/fig3/a") for i in range(5)]
    rows.append(row("other", "robust-xray/fig30/a"))
    page = with_sentences("<p><!-- sentences of robust-xray/fig3 --></p>", rows)
    assert re.findall(r"The (\w+) sentence", page) == [f"{i}th" for i in range(5)]
    assert page.index("2th") > page.index("3 more sentences")
    assert "sentences.html#robust-xray/0th" in page
    assert (
        with_sentences("<p><!-- sentences of robust-xray/fig1 --></p>", rows).strip() == "<p></p>"
    )


def test_the_contents_count_claims_of_the_paper():
    """One entry for each section, with its anchor; our own questions are not counted."""
    section = SimpleNamespace(
        evaluation=evaluation(
            ("a", verdict("refuted", 0.01)),
            ("b", Verdict("not run")),
            ("we-ask", verdict("refuted", 0.01)),
        )
    )
    (entry,) = contents([section])
    assert entry["anchor"] == "robust-xray-fig5"
    assert entry["name"] == "Figure 5"
    assert {word: n for word, n in entry["counts"].items() if n} == {"refuted": 1, "not run": 1}
