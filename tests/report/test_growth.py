"""How the cost of an iteration grows: the benchmark that measures it, and its place on a page."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import growth as benchmark
from benchmarks.outside import Outside
from nmfbench.reports.growth import AXES, rows_of, tables
from nmfbench.reports.race import rows_of as races_of
from nmfbench.reports.race_page import write_race

TINY = {
    "n": [(30 * k, 20, 3, 1.0) for k in (1, 2, 4)],
    "m": [(30, 20 * k, 3, 1.0) for k in (1, 2, 4)],
    "r": [(30, 20, 2 * k, 1.0) for k in (1, 2, 4)],
    "nnz": [(40, 50, 3, 0.1 * k) for k in (1, 2, 4)],
}


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(benchmark, "SIZES", TINY)


def test_a_row_has_exponents_and_two_threads(tiny):
    """Of every size that grows, with the number of entries that are not zero in its column."""
    row = benchmark.row_of("hals", "frobenius", 0.01)
    assert set(row["exponents"]) == set(AXES)
    assert np.isfinite(list(row["exponents"].values())).all()
    assert [size[:4] for size in row["sizes"]["n"]] == [[30 * k, 20, 3, 600 * k] for k in (1, 2, 4)]
    assert [size[3] for size in row["sizes"]["nnz"]] == [200, 400, 800]
    assert {len(seconds) for seconds in row["on_threads"].values()} == {2}


def test_time_that_doubles_with_a_size_has_the_exponent_one(tiny, monkeypatch):
    """A library whose iterations take so long as the data have entries, and r squared."""

    def fits(X, W, H, seconds, seed):
        entries = X.nnz if sp.issparse(X) else X.size
        for n_iter in (1, 2, 4):
            yield n_iter, 7.0 + n_iter * entries * len(H) ** 2, W, H  # 7 s of set-up

    racer = Outside("Theirs", "frobenius", fits, lambda: "1.0")
    monkeypatch.setattr(benchmark, "OUTSIDE", {"theirs": racer})
    row = benchmark.row_of("theirs", "frobenius", 0.01)
    assert row["exponents"] == pytest.approx({"n": 1, "m": 1, "r": 2, "nnz": 1})
    assert row["on_threads"] == {}


def test_sparse_data_have_the_share_and_the_rank():
    """A share of places, which hold multiples of one of r profiles."""
    X = benchmark.data(60, 50, 4, 0.25)
    assert X.format == "csr"
    assert X.nnz == 750
    assert (X.data > 0).all()
    dense = benchmark.data(60, 50, 4, 1.0)
    assert isinstance(dense, np.ndarray)


def test_rows_of_a_solver_replace_its_old_ones(tiny, tmp_path, capsys):
    """The command prints a line for each solver, and keeps other solvers' rows."""
    file = tmp_path / "growth.json"
    for pattern in ("^hals$", "^kl-mu$", "^hals$"):
        argv = ["-k", pattern, "--seconds", "0.01", "--output", str(file)]
        assert benchmark.main(argv) == 0
    assert [row["solver"] for row in rows_of(file)] == ["hals", "kl-mu"]
    assert capsys.readouterr().out.count("two threads over one") == 3
    with pytest.raises(SystemExit):
        benchmark.main(["-k", "nobody"])


def row(solver, name=None, **changed):
    return {
        "solver": solver,
        "name": name,
        "loss": "frobenius",
        "sizes": {"r": [[30, 20, 8, 600, 0.25]], "nnz": [[40, 50, 3, 800, 0.5]]},
        "exponents": {"n": 1.0, "m": 0.9, "r": 1.234, "nnz": 0.8},
        "on_threads": {"r": [3.0, 1.5], "nnz": [1.0, 1.25]},
        "date": "2026-01-01",
        "processor": "a processor",
    } | changed


def test_the_page_shows_exponents_and_gains(tmp_path):
    """What a library does not take, or nobody measured, is an empty cell."""
    assert tables([]) is None
    dense = row("theirs", "Theirs", on_threads={}, exponents={"n": 1.5, "m": 1, "r": 1})
    del dense["sizes"]["nnz"]
    found = tables([dense, row("hals")])
    assert found["sizes"] == {"r": [30, 20, 8, 600], "nnz": [40, 50, 3, 800]}
    page = write_race(races_of(), [dense, row("hals")], tmp_path)[0].read_text(encoding="utf-8")
    shown = page[page.index('id="growth"') :]
    theirs, ours = re.findall(r"<tr><td>.*?</tr>", shown, re.DOTALL)
    cells = [re.findall(r'number">(.*?)</td>', text) for text in (theirs, ours)]
    assert cells[0] == ["1.50", "1.00", "1.00", "", "0.25 s", "", "", ""]
    assert cells[1] == ["1.00", "0.90", "1.23", "0.80", "0.25 s", "0.5 s", "2.00 ×", "0.80 ×"]
    assert 'href="solvers/hals.html"' in ours
    without = write_race(races_of(), [], tmp_path)[0].read_text(encoding="utf-8")
    assert 'id="growth"' not in without
