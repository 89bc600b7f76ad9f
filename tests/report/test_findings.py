"""Findings say what came out: each sentence for each outcome."""

import re

import pytest

from nmfbench.core import registry
from nmfbench.papers.paper import paper
from nmfbench.reports.findings import findings, findings_table, sentence
from nmfbench.verdicts.verdict import VERDICTS

PAPERS = sorted({name.partition("/")[0] for name in registry.artefacts})
HEADLINES = [
    pytest.param(key, one, id=f"{key}/{one.claim}")
    for key in PAPERS
    for one in paper(key).headlines
]
ROW = {
    "effect": 0.8,
    "interval": [0.5, 1.28],
    "level": 0.95,
    "n": 10,
    "unit": "repeats",
    "look": "final",
    "data": "own",
    "done": 30,
    "paper_total": 400,
}


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize(("key", "headline"), HEADLINES)
def test_each_outcome_has_a_sentence_with_its_number(key, headline, verdict):
    """Whole sentences; the number has the side that the sentence speaks of."""
    row = ROW | {"verdict": verdict} | ({"effect": None} if verdict == "not run" else {})
    text = sentence(headline, row)
    assert re.fullmatch(r"[A-Z].*[^.]\.", text)
    assert "{" not in text
    assert text.startswith("Open: whether ") == (verdict in ("inconclusive", "not run"))
    times = headline.unit == "times"
    ahead, behind = (f"{x * headline.scale:.3g}" for x in (0.8, 1 / 0.8 if times else -0.8))
    digits = [ahead, behind]
    numbers = re.findall(r"(-?[\d.]+) ?(?:times|points)? \[(-?[\d.]+), (-?[\d.]+)\]", text)
    if verdict == "not run":
        assert numbers == []
        return
    ((value, low, high),) = numbers
    assert float(low) <= float(value) <= float(high)
    assert any(abs(float(value) - float(one)) <= 0.5 for one in digits)


def test_a_number_has_the_digits_that_its_interval_supports():
    """Two of the half-width; without an interval three significant ones."""
    headline = paper("mahnmf").headlines[0]
    row = ROW | {"verdict": "confirmed", "effect": 12.0857, "interval": [7.8085, 16.3629]}
    assert "12.1 points [7.8, 16.4]" in sentence(headline, row)
    assert "12.1 points" in sentence(headline, row | {"interval": None})
    assert "12.09 points [12.09, 12.09]" in sentence(headline, row | {"interval": [12.0857] * 2})


def test_findings_say_how_much_is_behind_them():
    """Repeats, whether all planned are there, and whose data they are."""
    name = f"mahnmf/{paper('mahnmf').headlines[0].claim}"
    row = ROW | {"id": name, "verdict": "confirmed", "look": "interim", "data": "stand-in"}
    (found,) = findings([row])
    assert found["id"] == name
    assert found["verdict"] == "confirmed"
    assert found["scope"] == "10 repeats, interim, stand-in data"
    assert found["sentence"] == (
        found["finding"][:-1] + " (7 % of the grid, 10 repeats, interim, stand-in data)."
    )
    *_, line = findings_table([row]).splitlines()
    assert line.endswith("| confirmed | 10 repeats, interim, stand-in data |")
    assert findings([row | {"id": "mahnmf/fig5/another"}]) == []
