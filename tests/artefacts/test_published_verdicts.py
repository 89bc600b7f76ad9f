"""The published verdicts and numbers: what each must have, and that they follow from the book."""

import json
import math
from pathlib import Path

import pytest

from nmfbench.artefacts.finding import MIN_UNITS
from nmfbench.core import registry
from nmfbench.papers.paper import paper
from nmfbench.records.store import Store
from nmfbench.reports.findings import findings_table
from nmfbench.verdicts.evaluate import claim_rows, evaluate
from nmfbench.verdicts.numbers import number_rows
from nmfbench.verdicts.sentences import outcome, sentence_rows
from nmfbench.verdicts.verdict import DECIDED

ROOT = Path(__file__).parents[2]
CLAIMS, SENTENCES, NUMBERS = (
    json.loads((ROOT / "reports" / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("claims", "sentences", "numbers")
)
PUBLISHED = sorted({row["artefact"] for row in CLAIMS})  # not one added since
TESTED = [row for row in CLAIMS if row["verdict"] in DECIDED and row["p_value"] is not None]
LEADS = [row for row in CLAIMS if row["threshold"] is None and row["interval"] and row["delta"]]


def test_no_decided_test_has_fewer_than_five_units():
    """Facts and counterexamples, which have no sample, apart."""
    assert TESTED
    assert [row["id"] for row in TESTED if row["n"] < MIN_UNITS] == []


def test_decided_tests_say_what_decided_them():
    """Level, look, planned repeats; the size of a lead or whose the threshold is."""
    for row in TESTED:
        assert 0.9 < row["level"] < 1, row["id"]
        assert row["look"] in ("interim", "final"), row["id"]
        assert row["planned"] >= MIN_UNITS, row["id"]
        if row["verdict"] == "no lead":
            assert row["delta"], row["id"]
        if row["threshold"] is not None:
            assert row["threshold"]["whose"] in ("paper", "ours"), row["id"]


def test_no_interval_of_a_lead_contradicts_its_verdict():
    """Above 0 if and only if ahead, below it if behind, and else only where there is no lead.

    Leads and their absence are two families, each with a level of its own: what has no lead at the
    level of the second may be behind at that level, and not at the level of the first.
    """
    assert LEADS
    for row in LEADS:
        low, high = row["interval"]
        start = 1.0 if row["delta"]["of"] == "ratio" else 0.0
        share = row["delta"]["value"]
        matters = start + share
        assert (low > start) == (row["verdict"] == "confirmed"), row["id"]
        if row["verdict"] != "no lead":
            assert (high < start) == (row["verdict"] == "refuted"), row["id"]
        if row["verdict"] == "no lead":
            assert high < matters or math.isclose(high, matters), row["id"]
        if row["verdict"] == "inconclusive":
            assert high >= matters, row["id"]


def test_headlines_are_claims_of_papers():
    """Headlines, which readers cite, are claims of the paper, and not our questions."""
    by_id = {row["id"]: row for row in CLAIMS}
    for key in {name.partition("/")[0] for name in by_id}:
        for headline in paper(key).headlines:
            assert by_id[f"{key}/{headline.claim}"]["origin"] == "paper"


def test_claims_of_papers_stand_under_a_sentence():
    """Each names the sentences that it tests."""
    assert [r["id"] for r in CLAIMS if r["origin"] == "paper" and not r["sentence"]] == []


@pytest.mark.parametrize("key", sorted({row["paper"] for row in SENTENCES}))
def test_sentences_follow_from_their_tests(key):
    """By the rule that is printed beside them."""
    published = [row for row in SENTENCES if row["paper"] == key]
    assert published == sentence_rows(key, paper(key).sentences, CLAIMS)
    judged = {row["id"]: row for row in CLAIMS}
    for row in published:
        if row["tests"]:
            found = [judged[test["id"]] for test in row["tests"]]
            assert row["outcome"] == outcome(row["asks"], found), row["id"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_verdicts_follow_from_the_published_records(name, published_store):
    """Also verdicts that read arrays, and ours beside printed numbers: a reader has the book."""
    artefact = registry.artefacts[name].target
    if missing := artefact.missing_data("paper"):
        pytest.skip(
            f"its grid is on {', '.join(missing)}, which the project may not redistribute or which "
            "is not fetched; the test runs where 'nmfbench data list' finds it"
        )
    published = {row["id"]: (row["verdict"], row["n"]) for row in CLAIMS}
    with Store(published_store, create=False) as store:
        evaluation = evaluate(artefact, store, stand_in=True)
        rows, numbers = claim_rows(evaluation), number_rows(evaluation)
    found = {row["id"]: (row["verdict"], row["n"]) for row in rows}
    assert found == {name: published[name] for name in found}
    assert len(numbers) == len(artefact.printed)
    for row in numbers:
        (beside,) = [one for one in NUMBERS if one["id"] == row["id"]]
        assert row | {"ours": None, "interval": None} == beside | {"ours": None, "interval": None}
        assert row["ours"] == pytest.approx(beside["ours"])


def test_the_readme_has_the_published_findings():
    """As ``nmfbench claims all --findings`` prints them of the published records."""
    assert findings_table(CLAIMS) in (ROOT / "README.md").read_text(encoding="utf-8")
