"""Random command lines end with a documented code and without a traceback."""

import collections

import odd_lines
import pytest

from nmfbench.cli import app


# A line that takes long is interrupted wherever it is, also where a socket has just been opened.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("lines", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_odd_lines_end_as_documented(lines, tmp_path, monkeypatch):
    """In a folder of their own, where no data set is and nothing has been computed."""
    monkeypatch.setenv("NMFBENCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "100")
    codes, wrong = collections.Counter(), {}
    with odd_lines.within(tmp_path):
        for number in range(lines):
            words = odd_lines.line(number)
            code, _, _, fault = odd_lines.answer(words)
            codes[code] += 1
            if fault:
                wrong[number] = (words, fault)
    assert not wrong
    assert codes[2] > lines / 4  # most are wrong
    assert codes[0] > 0


def test_lines_are_of_every_command():
    """As often as of any other."""
    drawn = collections.Counter(odd_lines.line(number)[0] for number in range(400))
    assert set(drawn) == set(app.make_parsers()[1]) - {"data"}
    assert max(drawn.values()) - min(drawn.values()) <= 1


def test_a_traceback_is_a_fault(tmp_path, monkeypatch):
    """So is an exit code that is not documented; an error in words is none."""
    monkeypatch.chdir(tmp_path)
    assert odd_lines.answer(["claims", "nothing/such"])[3] == ""
    monkeypatch.setattr(app, "_call", lambda args: 1 / 0)
    assert "ZeroDivisionError" in odd_lines.answer(["list", "solvers"])[3]
    monkeypatch.setattr(app, "_main", lambda argv: 7)
    assert odd_lines.answer(["list", "solvers"])[3] == "exit code 7"
