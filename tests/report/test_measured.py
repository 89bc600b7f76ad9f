"""Measured exponents of time on their way between stores and the record book."""

import json

import pytest

from nmfbench.cards.measured import FILE_NAME, merge_measured, read_measured, write_measured
from nmfbench.core import registry
from nmfbench.records.exchange import ExchangeError
from nmfbench.records.provenance import host, versions
from nmfbench.trials.fingerprint import code_version

HERE = {"measured": "2026-01-02", "host": host()}
ELSEWHERE = {"host": {"cpu": "another", "platform": "Linux", "cores": 1}}


def measurement(solver="mu", slope=1.0, **changes):
    """A measurement with the present code, on this machine, but for the changes."""
    return {
        "exponents": {"n": slope, "m": 1.0, "r": None},
        "sizes": [[10, 20, 3, 0.5]],
        "error": None,
        "versions": versions(),
        "threads": 1,
        "code": code_version([registry.solvers[solver].target]),
    } | (HERE | changes)


@pytest.mark.parametrize(
    ("offered", "held", "wins"),
    [
        ({}, None, True),
        ({}, {"code": "old"}, True),
        ({"code": "old"}, {}, False),
        ({"code": "old"}, None, True),
        ({}, ELSEWHERE, True),
        (ELSEWHERE | {"measured": "2026-02-01"}, {}, False),
        ({"measured": "2026-02-01"}, {}, True),
        ({"measured": "2026-01-01"}, {}, False),
        ({}, {}, False),
    ],
)
def test_the_present_code_this_machine_and_the_later_day_win(tmp_path, offered, held, wins):
    """In this order; what is alike stays as it was."""
    write_measured(tmp_path / "a", "mu", None, measurement(slope=2.0, **offered))
    if held is not None:
        write_measured(tmp_path / "b", "mu", None, measurement(slope=1.0, **held))
    assert merge_measured(tmp_path / "a", tmp_path / "b") == wins
    assert read_measured(tmp_path / "b", "mu")["exponents"]["n"] == (2.0 if wins else 1.0)


def test_measurements_of_others_are_not_passed_on(tmp_path):
    """Imported exponents are not published, and published ones do not name the machine."""
    here, there, book = (tmp_path / name for name in ("here", "there", "book"))
    write_measured(there, "mu", None, measurement(measured="9999-01-01", **ELSEWHERE))
    assert merge_measured(there, here) == 1
    assert merge_measured(here, book, own=True) == 0
    write_measured(here, "hals", None, measurement("hals"))
    assert merge_measured(here, book, own=True) == 1
    assert merge_measured(here, book, own=True) == 0
    assert "machine" not in (book / FILE_NAME).read_text()


def test_classes_from_outside_and_unknown_solvers_stay_behind(tmp_path):
    """Parameters of a solver of the suite come along; an absent file offers nothing."""
    write_measured(tmp_path / "a", "mu", {"tol": 0.1}, measurement())
    path = tmp_path / "a" / FILE_NAME
    held = json.loads(path.read_text())
    path.write_text(json.dumps(held | {"mine.py:My": measurement(), "no-such": measurement()}))
    assert merge_measured(tmp_path / "a", tmp_path / "b") == 1
    assert list(json.loads((tmp_path / "b" / FILE_NAME).read_text())) == ['mu {"tol":0.1}']
    assert merge_measured(tmp_path / "none", tmp_path / "b") == 0


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"mu": 1}',
        json.dumps({"mu": measurement(slope="<b>")}),
        json.dumps({"mu": measurement(slope=float("nan"))}),
        json.dumps({"mu": measurement(sizes=[[1, 2, 3]])}),
        json.dumps({"mu": measurement(host="here")}),
        json.dumps({"mu": measurement(measured=7)}),
    ],
)
def test_a_file_that_is_none_of_ours_is_refused_by_name(tmp_path, text):
    """Whoever wrote it; nothing of it is taken over."""
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(ExchangeError, match=str(tmp_path / FILE_NAME)):
        merge_measured(tmp_path, tmp_path / "b")
    assert not (tmp_path / "b").exists()
