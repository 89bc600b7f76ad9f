"""Numbers that the papers print: the rule by which ours agree, and what the artefacts declare."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from nmfbench import cli
from nmfbench.artefacts.printed import mean_of
from nmfbench.core import registry
from nmfbench.core.matters import Ratio
from nmfbench.papers.reported import _table
from nmfbench.records.store import Store
from nmfbench.reports.printed import as_printed, number_tally, our_number, write_numbers
from nmfbench.reports.section import Section, section
from nmfbench.verdicts.evaluate import evaluate
from nmfbench.verdicts.numbers import OUTCOMES, compare, number_rows

ARTEFACTS = [entry.target for entry in registry.artefacts.entries()]
DECLARING = [artefact for artefact in ARTEFACTS if artefact.printed]
NUMBERS = [(artefact, number) for artefact in DECLARING for number in artefact.printed]
PUBLISHED = json.loads(
    (Path(__file__).parents[2] / "reports" / "numbers.json").read_text(encoding="utf-8")
)


def around(mean, half, n=5):
    """``n`` values whose 95 % t interval is ``mean`` ± ``half``."""
    values = np.linspace(-1, 1, n)
    values *= half / (stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / math.sqrt(n))
    return mean + values


# -- the rule ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mean", "half", "expected"),
    [
        (0.50, 0.019, "agrees"),
        (0.51, 0.009, "agrees"),
        (0.51, 0.011, "open"),
        (0.50, 0.021, "open"),
        (0.53, 0.009, "differs"),
        (0.47, 0.009, "differs"),
        (0.53, 0.011, "open"),
        (0.60, 0.0, "differs"),
        (0.50, 0.0, "agrees"),
    ],
)
def test_the_interval_decides(mean, half, expected):
    """Within two points it agrees, outside of them it differs, and across an end it is open."""
    found = compare((0.5, 0.5), around(mean, half), 0.02)
    assert found.outcome == expected
    assert found.mean == pytest.approx(mean)
    assert found.interval == pytest.approx((mean - half, mean + half))
    assert found.n == 5


def test_five_repeats_are_needed():
    """Four decide nothing, however near or far."""
    for mean in (0.5, 0.9):
        assert compare((0.5, 0.5), around(mean, 0.001, 4), 0.02).outcome == "open"
        assert compare((0.5, 0.5), around(mean, 0.001, 5), 0.02).outcome != "open"
    assert compare((0.5, 0.5), [0.5], 0.02).interval is None
    nothing = compare((0.5, 0.5), [], 0.02)
    assert (nothing.outcome, nothing.mean, nothing.n) == ("open", None, 0)


def test_the_larger_of_spread_and_what_matters_counts():
    """A printed spread above the smallest difference that matters widens, one below does not."""
    ours = around(0.54, 0.005)
    assert compare((0.5, 0.5), ours, 0.02).outcome == "differs"
    assert compare((0.5, 0.5), ours, 0.02, 0.01).outcome == "differs"
    assert compare((0.5, 0.5), ours, 0.02, 0.05).outcome == "agrees"
    for far in (72, 130):
        ratios = np.exp(around(math.log(far), 0.01))
        assert compare((100, 100), ratios, Ratio(0.1)).outcome == "differs"
        assert compare((100, 100), ratios, Ratio(0.1), 40).outcome == "agrees"


@pytest.mark.parametrize(
    ("mean", "expected"),
    [(2.6, "differs"), (2.8, "agrees"), (6, "agrees"), (10.9, "agrees"), (11.2, "differs")],
)
def test_a_range_is_widened_at_both_ends(mean, expected):
    """By a tenth where a tenth matters; the mean of ratios is the geometric one."""
    values = np.exp(around(math.log(mean), 0.005))
    found = compare((3, 10), values, Ratio(0.1))
    assert found.outcome == expected
    assert found.mean == pytest.approx(mean)
    assert found.interval == pytest.approx((mean * math.exp(-0.005), mean * math.exp(0.005)))


def test_at_least_and_at_most_have_one_end():
    """A range with one end leaves the other side open."""
    for value, least, most in ((5, "differs", "agrees"), (1000, "agrees", "differs")):
        values = np.exp(around(math.log(value), 0.01))
        assert compare((10, math.inf), values, Ratio(0.1)).outcome == least
        assert compare((-math.inf, 10), values, Ratio(0.1)).outcome == most


def test_the_size_of_a_data_set_has_to_be_equal():
    """It needs no repeats, and one sample more is another set."""
    assert compare((400, 400), [400.0], None).outcome == "agrees"
    assert compare((400, 400), [401.0], None).outcome == "differs"
    assert compare((400, 400), [400.0, 401.0], None).outcome == "differs"
    assert compare((400, 400), [400.0] * 7, None).n == 1


def test_a_mean_over_sets_needs_all_of_them():
    """A repeat without one of the sets, or without the metric, counts for nothing."""
    frame = pd.DataFrame(
        {"repeat": [0, 0, 0, 1], "dataset": ["a", "a", "b", "a"], "ac": [0.1, 0.3, 0.6, 0.9]}
    )
    both = {"dataset": ["a", "b"]}
    assert mean_of("ac", both, over="dataset")(frame).to_dict() == pytest.approx({0: 0.4})
    assert mean_of("ac", {"dataset": "a"})(frame).to_dict() == pytest.approx({0: 0.2, 1: 0.9})
    assert mean_of("nmi", both)(frame).empty


# -- rows -------------------------------------------------------------------------------------


def test_all_numbers_that_were_run_find_ours():
    """In the frame of the records of the book; a stand-in for no data set has none.

    That the records give the published rows, the tests of published verdicts check.
    """
    found = {row["id"]: row for row in PUBLISHED}
    assert len(found) == len(PUBLISHED) == len(NUMBERS)
    for artefact, number in NUMBERS:
        row = found[f"{artefact.id}/{number.key}"]
        assert (row["ours"] is None) == (number.ours is None), row["id"]
        assert row["outcome"] in OUTCOMES
        assert set(row["stand_ins"]) == set() or row["outcome"] == "not comparable"


def test_numbers_on_other_data_are_not_comparable():
    """UMIST of RNMFD has more images than the paper's; averages hold it, and ORL does not."""
    found = {row["id"]: row for row in PUBLISHED}
    for name, comparable in (("umist", False), ("average", False), ("orl", True)):
        row = found[f"rnmfd/table3/{name}-rnmfd"]
        assert (row["outcome"] != "not comparable") == comparable
        assert bool(row["stand_ins"]) != comparable


def test_ours_is_that_of_the_table(published_store):
    """Under the paper's protocol: the mean that the table shows."""
    artefact = registry.artefacts["rnmfd/table3"].target
    with Store(published_store, create=False) as store:
        table = evaluate(artefact, store).table
    cells = table[table["protocol"] == "best"].set_index(["dataset", "method"])["mean"]
    found = {row["id"]: row["ours"] for row in PUBLISHED}
    for dataset, method in (("orl", "GNMF"), ("mnist", "RNMFD"), ("average", "NSDR")):
        ours = found[f"rnmfd/table3/{dataset}-{method.lower()}"]
        assert 100 * ours == pytest.approx(cells[dataset, method])


def test_a_section_brings_its_numbers(published_store, tmp_path):
    """From the notebook to the pages, as rows."""
    made = section("rnmfd/table2", store=published_store, output=tmp_path)
    assert [row["outcome"] for row in made.numbers].count("not comparable") == 3
    assert len(made.numbers) == 15
    assert Section.from_json(made.to_json()).numbers == made.numbers


def test_an_artefact_without_records_leaves_its_numbers_open(tmp_path):
    """They are counted, and nothing is measured."""
    artefact = registry.artefacts["robust-xray/fig5"].target
    with Store(tmp_path) as store:
        found = number_rows(evaluate(artefact, store, profile="smoke"))
    assert [(row["ours"], row["n"]) for row in found] == [(None, 0)] * 2


# -- what is declared -------------------------------------------------------------------------

NOT_NUMBERS = {
    "robust-xray/fig5": {"training-documents"},  # half of each class: a setting
    "robust-xray/fig6": {"training-documents"},
    "robust-xray/fig7": {"restaurant", "hall", "lobby"},  # axes
    "rnmfd/table1": {"features", "locality", "discriminability", "robustness", "nontrivial"},
    "rnmfd/fig2": {"p", "alpha", "beta"},  # ranges of parameters
    "or-nmf/table1": {"or-nmf", "mor-nmf", "onmf", "inmf", "omf"},  # orders of growth
    "or-nmf/table3": {"all"},  # of examples that are not printed
}
"""Entries of ``reported.toml``, beside axes, that are no results."""


def ends(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("artefact", DECLARING, ids=lambda artefact: artefact.id)
def test_a_declared_number_is_a_reported_one(artefact):
    """Value and place are found in an entry of ``reported.toml``; keys are unique."""
    entries = _table()[artefact.id].values()
    known = {
        (float(value), entry["source"]) for entry in entries for value in np.ravel(entry["value"])
    }
    for number in artefact.printed:
        for end in filter(math.isfinite, ends(number.value)):
            assert (float(end), number.place) in known, number.key
    keys = [number.key for number in artefact.printed]
    assert len(set(keys)) == len(keys)


def test_each_reported_result_is_declared():
    """As often as it is printed; axes, settings, ranges and orders are not results."""
    for artefact in ARTEFACTS:
        left_out = NOT_NUMBERS.get(artefact.id, set())
        results = [
            float(value)
            for name, entry in _table().get(artefact.id, {}).items()
            if name not in left_out and not name.startswith(("axis", "axes"))
            for value in np.ravel(entry["value"])
        ]
        declared = [
            float(end) for n in artefact.printed for end in ends(n.value) if math.isfinite(end)
        ]
        assert sorted(declared) == sorted(results), artefact.id
    for artefact, names in NOT_NUMBERS.items():
        assert names <= set(_table()[artefact])


@pytest.mark.parametrize("artefact", DECLARING, ids=lambda artefact: artefact.id)
def test_what_matters_is_known_of_each(artefact):
    """The smallest difference of its metric is declared, and its data are of the artefact."""
    for number in artefact.printed:
        if number.metric is not None:
            assert artefact.smallest_difference(number.metric) is not None
        assert set(number.data) <= set(artefact.names("dataset")), number.key
        assert number.ours is not None or set(number.data) <= set(_elsewhere()), number.key


def _elsewhere():
    """Data sets that stand for the paper's, by their own entries."""
    return [e.key for e in registry.datasets.entries() if e.info.get("stand_in_for")]


# -- pages and the command --------------------------------------------------------------------

ROW = {
    "id": "some/table1/x",
    "paper": "some",
    "artefact": "some/table1",
    "what": "Accuracy of <b>NMF</b>",
    "printed": 0.41,
    "spread": 0.02,
    "place": "Table 1",
    "per_cent": True,
    "ours": 0.5,
    "interval": [0.48, 0.52],
    "n": 10,
    "unit": "repeat",
    "outcome": "differs",
    "stand_ins": [],
    "profile": "paper",
}


def test_numbers_as_text():
    """Per cent, spreads, ranges, and what was not measured."""
    assert as_printed(ROW) == "41 ± 2 %"
    assert our_number(ROW) == "50 [48, 52] %"
    plain = ROW | {"per_cent": False, "spread": None}
    assert as_printed(plain | {"printed": [3.0, 10.0]}) == "3 to 10"
    assert as_printed(plain | {"printed": [None, 100.0]}) == "at most 100"
    single = plain | {"ours": 17825.4, "interval": None}
    assert our_number(single) == "1.78e+04"
    assert our_number(single | {"ours": 17825.0, "unit": "data set"}) == "17825"
    assert our_number(plain | {"ours": None}) == ""


def test_the_page_lists_each_number(tmp_path):
    """With its outcome, and the count of the paper above them."""
    other = ROW | {"id": "some/table1/y", "outcome": "not comparable", "stand_ins": ["A for B"]}
    page = write_numbers([ROW, other], tmp_path).read_text()
    assert number_tally([ROW, other]) in page
    assert number_tally([ROW, other]) == (
        "Of 2 printed numbers 1 differs and 1 is not comparable (other data)."
    )
    assert 'id="some/table1/y"' in page
    assert "A for B" in page
    assert "Accuracy of &lt;b&gt;NMF" in page
    assert 'href="some.html#some-table1"' in page


def test_the_command_prints_numbers(published_store, capsys):
    """As text with the count at the end, and as the rows of ``numbers.json``."""
    words = ["claims", "robust-xray/speed", "--numbers", "--store", str(published_store)]
    assert cli.main([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == [
        f"robust-xray/speed/{key}" for key in ("smrs-min", "smrs-max", "ialm")
    ]
    assert rows[2]["printed"] == [10, None]
    assert rows[2]["outcome"] == "not comparable"
    assert cli.main(words) == 0
    assert capsys.readouterr().out.rstrip().endswith(number_tally(rows))


def test_the_report_has_the_rows_of_the_command(smoke_report):
    """``numbers.json``, and landing page and page of numbers count them."""
    text = (smoke_report.folder / "numbers.json").read_text(encoding="utf-8")
    rows = json.loads(text)
    shown = [artefact for artefact in smoke_report.artefacts if artefact.printed]
    assert len(rows) == sum(len(artefact.printed) for artefact in shown)
    index = (smoke_report.folder / "index.html").read_text()
    for key in {artefact.paper for artefact in shown}:
        tally = number_tally([row for row in rows if row["paper"] == key])
        assert tally in index
        assert tally in (smoke_report.folder / "numbers.html").read_text()
    assert 'href="numbers.json"' in index
