"""``python -m benchmarks.book``: the commands on a record book of many times the records.

The published book, and one of as many records as asked for, in which each record stands several
times, as further repeats with the same numbers. Wall seconds and memory of the largest process of
each command are printed beside each other. Claims and reports read what their grids ask for, of
which both books have the same; the other commands go through all records.

    python -m benchmarks.book --records 500000
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from pyarrow import parquet

from nmfbench.records.exchange import export_records, read_export, trial_of
from nmfbench.trials.trial import key_of

BOOK = Path(__file__).parents[1] / "reports" / "records"
_APART = 10**6
"""Between the repeats of a record and of its copies: more than any grid has."""


def commands(book, folder):
    """Command lines by name, in their order; all but the first need what it makes."""
    store = ("--store", str(folder / "store"))
    return {
        "import": ("import", str(book), *store),
        "import again": ("import", str(book), *store),
        "status": ("status", "all", *store),
        "claims": ("claims", "all", "--stand-in", *store),
        "export": ("export", "all", "--output", str(folder / "all.parquet"), *store),
        "report": ("report", "all", "--stand-in", "--output", str(folder / "report"), *store),
    }


def multiply(book, folder, wanted):
    """Write a book of at least the wanted number of records; how many both have."""
    files = sorted(book.rglob("*.parquet"))
    held = sum(parquet.read_metadata(file).num_rows for file in files)
    copies = -(-wanted // held)
    for file in files:
        pairs = [_copy(*pair, copy) for pair in read_export(file) for copy in range(copies)]
        arrays = {record["key"]: found for record, found in pairs}
        path = folder / file.relative_to(book)
        path.parent.mkdir(parents=True, exist_ok=True)
        export_records(
            (record for record, _ in pairs),
            path,
            format="parquet",
            artefacts={},
            arrays=arrays.__getitem__,
        )
    return held, held * copies


def _copy(record, arrays, copy):
    if not copy:
        return record, arrays
    trial = trial_of(record)
    trial = replace(trial, repeat=trial.repeat + copy * _APART)
    key = key_of(trial, record["declared"])
    return {**record, "key": key, "repeat": trial.repeat}, arrays


def measured(words):
    """Wall seconds of a command, and the most memory that a process of it had, in GB."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "nmfbench", *words], stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"nmfbench {' '.join(words)} ended with {status}")
    return time.perf_counter() - began, used.ru_maxrss * 1024 / 1e9


def main(argv=None) -> int:
    """Measure, print a table, and return 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.book", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--records", type=int, default=500_000, help="at least (500000)")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many = folder / "book"
        counts = multiply(BOOK, many, args.records)
        found = []
        for book, place in ((BOOK, folder / "one"), (many, folder / "many")):
            place.mkdir()
            found.append({})
            for command, words in commands(book, place).items():
                found[-1][command] = seconds, memory = measured(words)
                print(f"{place.name}: {command} {seconds:.1f} s, {memory:.1f} GB", flush=True)
            sizes = [(place / "store" / "records.sqlite").stat().st_size, _size(book)]
            print(f"{place.name}: store {sizes[0] / 1e6:.0f} MB, book {sizes[1] / 1e6:.0f} MB")
    print(f"{'':12} {counts[0]:>10} records {counts[1]:>12} records   ratio")
    for name, (seconds, memory) in found[0].items():
        longer, larger = found[1][name]
        print(
            f"{name:12} {seconds:8.1f} s {memory:5.1f} GB {longer:10.1f} s {larger:5.1f} GB "
            f"{longer / seconds:7.1f}"
        )
    return 0


def _size(folder):
    return sum(file.stat().st_size for file in folder.rglob("*.parquet"))


if __name__ == "__main__":
    sys.exit(main())
