"""Performance profiles of the race."""

import numpy as np
import pytest
from PIL import Image

from nmfbench.reports.profiles import FACTORS, costs_by_kind, shares, write_profiles
from nmfbench.reports.race import LEVELS

FINE = [level for level in LEVELS if level < 1.001]


def row(solver, seconds, fine=None, problem="faces", loss="frobenius", text=False):
    """A row whose finest levels take other seconds than the rest."""
    fine = seconds if fine is None else fine
    levels = {f"{level:g}": fine if level in FINE else seconds for level in LEVELS}
    return {
        "solver": solver,
        "problem": problem,
        "loss": loss,
        "text": text,
        "seconds": levels,
    }


def test_each_kind_has_the_solvers_that_ran_on_all_of_it():
    """Losses and sparse data are apart; a solver of dense data alone has no column among texts."""
    rows = [
        row("hals", [1.0, 2.0]),
        row("nenmf", [1.0, 2.0]),
        row("hals", [1.0], problem="news", text=True),
        row("nenmf", [1.0], problem="news", text=True),
        row("hals", [1.0], problem="mail", text=True),
        row("kl-mu", [1.0], loss="kl"),
    ]
    found = dict(costs_by_kind(rows))
    assert [title.rpartition(", ")[2] for title in found] == ["dense data", "text", "dense data"]
    dense, text, kl = found.values()
    assert list(dense.columns) == ["HALS", "NeNMF"]
    assert list(text.columns) == ["HALS"]
    assert len(dense) == 2 * len(LEVELS)
    assert len(kl) == len(LEVELS)


def test_shares_count_cases_within_a_multiple_of_the_fastest():
    """Starts and levels are cases; what was never reached is within no multiple."""
    rows = [row("hals", [1.0, 1.0], [3.0, np.inf]), row("nenmf", [1.5, 4.0], [1.0, 1.0])]
    ((_, costs),) = costs_by_kind(rows)
    fine = len(FINE) / len(LEVELS)
    found = {each["name"]: each["shares"] for each in shares(costs)}
    assert FACTORS == (1.0, 2.0)
    assert [share for share, *_ in found["HALS"]] == pytest.approx([1 - fine, 1 - fine])
    assert [share for share, *_ in found["NeNMF"]] == pytest.approx([fine, fine + (1 - fine) / 2])
    assert next(iter(found)) == max(found, key=lambda name: found[name][-1][0])
    (_, low, high), (_, lower, higher) = found["NeNMF"]
    assert low == high == pytest.approx(fine)  # each start says the same
    assert (lower, higher) == pytest.approx((fine, 1.0))  # by luck one start alone is drawn


def test_problems_weigh_the_same():
    """A problem of more starts has no more weight."""
    rows = [row("hals", [1.0] * 3), row("nenmf", [9.0] * 3)]
    rows += [row("hals", [9.0], problem="more"), row("nenmf", [1.0], problem="more")]
    ((_, costs),) = costs_by_kind(rows)
    assert [each["shares"][0][0] for each in shares(costs)] == [0.5, 0.5]


def test_the_picture_has_a_panel_for_each_kind(tmp_path):
    """It is written beside the page, and the tables are in its order."""
    rows = [row("hals", [1.0, 2.0]), row("nenmf", [4.0, 1.0]), row("kl-mu", [1.0], loss="kl")]
    found = write_profiles(rows, tmp_path)
    assert [(t["problems"], t["starts"]) for t in found["tables"]] == [(1, 2), (1, 1)]
    with Image.open(tmp_path / found["picture"]) as picture:
        assert picture.width > picture.height
