"""The page on open tests: each is counted once, by why it is open, and settings by their tests."""

import re

import pytest

from nmfbench.reports.still_open import write_open
from nmfbench.verdicts.evaluate import ClaimRow

_BLANK = dict.fromkeys(ClaimRow.__annotations__)


def _row(artefact, reason, *, origin="paper", look="final", setting=""):
    found = {"artefact": artefact, "open": reason, "origin": origin, "look": look}
    found |= {"hangs_on": setting, "planned": 20, "whole_repeats": 5, "profile": "paper"}
    return _BLANK | found


@pytest.fixture
def page(tmp_path):
    rows = [
        _row("robust-xray/fig3", None),
        _row("robust-xray/fig3", "settings", setting="the rank"),
        _row("robust-xray/fig3", "settings", setting="the rank"),
        _row("robust-xray/fig3", "settings", setting="the start"),
        _row("robust-xray/fig3", "precision", origin="ours"),
        _row("anp/fig2", "repeats", look="interim"),
        _row("anp/fig2", None),
    ]
    return write_open(rows, tmp_path).read_text(encoding="utf-8")


def _cells(page, first):
    row = next(row for row in re.findall(r"<tr>(.*?)</tr>", page, re.S) if first in row)
    return [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<td.*?</td>", row, re.S)]


def test_open_tests_of_the_papers_are_counted_by_the_reason(page):
    """Those that are ours do not count, nor do decided ones."""
    assert "Of 6 tests of the papers' sentences 2 are decided and 4 are not" in page
    where = page[page.index("Figure by figure") :]
    assert _cells(where, ">robust-xray/fig3</a></td>") == [
        *("robust-xray/fig3", "3 hang on settings", "All 20 planned repeats."),
    ]
    name, why, progress = _cells(where, ">anp/fig2</a></td>")
    assert (name, why) == ("anp/fig2", "1 lacks repeats")
    assert progress.startswith("5 of 20 repeats. ")
    assert "CPU" in progress


def test_settings_come_in_the_order_of_the_tests_that_hang_on_them(page):
    """With the artefacts of these tests."""
    settings = page[page.index("Settings that decide") :]
    assert settings.index("The rank") < settings.index("The start")
    assert _cells(settings, "The rank") == ["The rank", "2", "robust-xray/fig3"]


def test_a_report_without_open_tests_says_so(tmp_path):
    """There is no table of settings then."""
    page = write_open([_row("anp/fig2", None)], tmp_path).read_text(encoding="utf-8")
    assert "1 are decided and 0 are not" in page
    assert "Settings that decide" not in page
