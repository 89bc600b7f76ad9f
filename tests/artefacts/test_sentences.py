"""Sentences of the papers: the rule by which their tests decide them, and their files."""

import json
from typing import get_args, get_type_hints

import pytest

from nmfbench import cli
from nmfbench.artefacts.sentence import Sentence
from nmfbench.core import registry
from nmfbench.papers.paper import paper
from nmfbench.verdicts.sentences import OUTCOMES, outcome, sentence_rows

PAPERS = sorted({entry.key.partition("/")[0] for entry in registry.artefacts.entries()})
YES, NO, NIL, MAYBE = (
    {"verdict": word, "p_value": 0.001, "data": "own"}
    for word in ("confirmed", "refuted", "no lead", "inconclusive")
)
ABSENT = MAYBE | {"verdict": "not run", "p_value": None}
FACT = YES | {"p_value": None}  # a theorem has no sample


# -- the rule ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdicts", "plain", "in_all"),
    [
        ([YES, YES], "holds", "holds"),
        ([FACT], "holds", "holds"),
        ([NO, NO], "fails", "fails"),
        ([NO, NIL], "fails", "fails"),
        ([NO, MAYBE], "open", "fails"),
        ([NO, ABSENT], "open", "fails"),
        ([YES, NO], "in part", "fails"),
        ([YES, NIL], "in part", "in part"),
        ([YES, NIL, MAYBE], "in part", "in part"),
        ([YES, MAYBE], "open", "open"),
        ([NIL, NIL], "no lead", "no lead"),
        ([NIL, MAYBE], "open", "open"),
        ([ABSENT], "open", "open"),
        ([], "open", "open"),
    ],
)
def test_all_tests_decide_a_sentence_without_a_quantifier(verdicts, plain, in_all):
    """In whatever order they come; "in all cases" a single refutation is enough."""
    for given in (verdicts, verdicts[::-1]):
        assert outcome("all", given) == plain
        assert outcome("in all cases", given) == in_all


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([YES, NO, NO], "holds"),
        ([YES, ABSENT], "holds"),
        ([FACT, NO], "holds"),
        ([NO, NO, NIL], "fails"),
        ([NO, MAYBE], "open"),
        ([YES | {"p_value": 0.03}, NO | {"p_value": 0.5}], "open"),  # 0.06 after Holm
        ([YES | {"p_value": 0.02}, NO | {"p_value": 0.5}], "holds"),
        ([YES | {"p_value": 0.03}, ABSENT], "holds"),
        ([], "open"),
    ],
)
def test_one_test_is_enough_for_some_cases(verdicts, expected):
    """At a level that allows for the number of the tests with a p-value."""
    for given in (verdicts, verdicts[::-1]):
        assert outcome("in some cases", given) == expected
        assert outcome("under one reading", given) == expected


def test_no_lead_under_any_reading_is_no_lead():
    """What has no lead whichever way it is read fails as a case, and has no lead as a sentence."""
    assert outcome("in some cases", [NIL, NIL]) == "fails"
    assert outcome("under one reading", [NIL, NIL]) == "no lead"


def test_a_row_names_its_tests_and_what_has_not_been_run():
    """A claim that is not among those judged counts as not run."""
    sentences = [
        Sentence(key="a", text="A.", place="Section 1", tests=("fig1/x", "fig1/y")),
        Sentence(key="b", text="B.", place="Section 2", untestable="it is an opinion"),
        Sentence(key="c", text="C.", place="Section 3", pending="the mean of a against that of b"),
    ]
    claims = [YES | {"id": "some/fig1/x", "data": "stand-in"}]
    a, b, c = sentence_rows("some", sentences, claims)
    assert [row["id"] for row in (a, b, c)] == ["some/a", "some/b", "some/c"]
    assert a["tests"] == [
        {"id": "some/fig1/x", "verdict": "confirmed"},
        {"id": "some/fig1/y", "verdict": "not run"},
    ]
    assert (a["outcome"], a["decided"], a["stand_ins"]) == ("open", 1, 1)
    assert (b["outcome"], b["untestable"]) == (None, "it is an opinion")
    assert (c["outcome"], c["pending"]) == ("open", "the mean of a against that of b")


# -- what the papers' files say ---------------------------------------------------------------


def claims_of(key):
    """Claims of a paper by id, without the paper."""
    return {
        f"{entry.target.name}/{claim.id}": claim
        for entry in registry.artefacts.entries()
        if entry.target.paper == key
        for claim in entry.target.claims
    }


@pytest.mark.parametrize("key", PAPERS)
def test_sentences_name_tests_that_there_are(key):
    """Claims of the paper, not our own; or they say what is pending, or why nothing can decide."""
    sentences, claims = paper(key).sentences, claims_of(key)
    assert sentences
    assert len({s.key for s in sentences}) == len(sentences)
    for s in sentences:
        assert s.text, s.key
        assert s.place, s.key
        assert s.asks in get_args(get_type_hints(Sentence)["asks"]), s.key
        assert bool(s.untestable) != bool(s.tests or s.pending), s.key
        assert len(set(s.tests)) == len(s.tests), s.key
        for test in s.tests:
            assert test in claims, f"{s.key}: there is no claim {test}"
            assert claims[test].origin == "paper", f"{s.key}: {test} is our question"


def without_sentence(key):
    """Claims of origin "paper" that stand under no sentence of it."""
    under = {test for s in paper(key).sentences for test in s.tests}
    return [n for n, c in claims_of(key).items() if c.origin == "paper" and n not in under]


@pytest.mark.parametrize("key", PAPERS)
def test_claims_of_a_paper_stand_under_its_sentences(key):
    """A claim without a sentence is our question."""
    assert without_sentence(key) == []


def test_the_command_prints_sentences(tmp_path, smoke_store, capsys):
    """Sentences of the requested papers, with outcome, place and the verdicts on their tests."""
    words = ["claims", "robust-xray", "--profile", "smoke", "--store", str(smoke_store)]
    words += ["--stand-in", "--sentences"]
    assert cli.main([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == [
        f"robust-xray/{s.key}" for s in paper("robust-xray").sentences
    ]
    assert {row["outcome"] for row in rows} <= {*OUTCOMES, None}
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    assert all(row["id"] in out for row in rows)
    assert "tests decided" in out


def test_the_report_has_the_rows_of_the_command(smoke_report):
    """``sentences.json``, one line per sentence, and the landing page leads there."""
    text = (smoke_report.folder / "sentences.json").read_text(encoding="utf-8")
    keys = {artefact.paper for artefact in smoke_report.artefacts}
    assert len(json.loads(text)) == sum(len(paper(key).sentences) for key in keys)
    assert 'href="sentences.json"' in (smoke_report.folder / "index.html").read_text()
