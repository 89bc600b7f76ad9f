"""Records as files: nothing is lost on the way, and what is no export is refused."""

import csv
import json
import os
import random
import sqlite3
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from benchmarks.book import multiply
from nmfbench import cli
from nmfbench.records import exchange
from nmfbench.records.errors import StoreError
from nmfbench.records.exchange import (
    FIRST,
    LAST,
    ExchangeError,
    export_records,
    read_export,
    read_exports,
)
from nmfbench.records.merge import import_records
from nmfbench.records.record import JSON
from nmfbench.records.store import Store
from nmfbench.reports.sums import write_sums
from nmfbench.trials.trial import Trial, key_of


def _record(solver="spa", status="done", **changes):
    trial = Trial("recovery", "near-separable", solver, {"a": [1, None, "ü"]}, options={"q": 0.1})
    declared = trial.declared | changes.pop("declared", {})
    values = {
        "key": key_of(trial, declared),
        "declared": declared,
        "code": "0123456789ab",
        "status": status,
        "error": None if status == "done" else 'Traceback\n  "x", line 1\r\nValueError: a, b',
        "metrics": {"score": 0.1 + 0.2, "accuracy@100": 1.0} if status == "done" else {},
        "seconds": 1 / 3,
        "cpu_seconds": None,
        "n_iter": 2**53 + 1,
        "objective": 1e-300,
        "stop_reason": None,
        "first_objectives": [1.5, None, 0.1 + 0.2] if status == "done" else None,
        "elapsed": 0.7 if status == "done" else None,
        "peak_memory": None,
        "host": {"cpu": 'a "b", c', "cores": 2},
        "versions": {"python": "3.11"},
        "finished": "2024-01-01T00:00:00+00:00",
    }
    return trial.to_dict() | values | changes


@pytest.fixture
def records():
    """A finished trial with awkward values, another with other metrics, and a failure."""
    return [
        _record(),
        _record("mu", metrics={"accuracy@20": 0.5}),
        _record("hals", "failed"),
    ]


@pytest.fixture(params=["csv", "parquet"])
def file(request, tmp_path, records):
    """Those records as a file of each kind."""
    path = tmp_path / f"records.{request.param}"
    artefacts = {records[0]["key"]: ["a/one", "b/two"]}
    assert export_records(records, path, format=request.param, artefacts=artefacts) == 3
    return path


def test_a_file_holds_all_of_every_record(file, records):
    """Numbers to the last bit, text with quotes and line ends, empty cells as None."""
    assert read_export(file) == [(record, {}) for record in records]


ARRAYS = {
    "W": np.arange(6, dtype=np.float32).reshape(2, 3),
    "trace": np.array([(0, 1.5), (3, np.nan)], dtype=[("iteration", "i8"), ("objective", "f8")]),
    "names": np.array(["a", "ü"]),
    "none": np.empty((0, 2)),
}


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_file_that_is_written_in_pieces_holds_the_same(tmp_path, monkeypatch, records, kind):
    whole, pieces = tmp_path / f"whole.{kind}", tmp_path / f"pieces.{kind}"
    export_records(records, whole, format=kind, artefacts={})
    monkeypatch.setattr(exchange, "_AT_ONCE", 2)
    assert export_records(records, pieces, format=kind, artefacts={}) == len(records) == 3
    assert read_exports([pieces]) == read_exports([whole])
    assert _table(pieces).equals(_table(whole))
    if kind == "csv":
        assert pieces.read_bytes() == whole.read_bytes()


def test_a_parquet_file_may_hold_arrays(tmp_path, records):
    """They come back with their record, to the bit; a record without any has none."""
    path = tmp_path / "records.parquet"
    held = {records[1]["key"]: ARRAYS}
    export_records(
        records, path, format="parquet", artefacts={}, arrays=lambda key: held.get(key, {})
    )
    found = read_export(path)
    assert [record for record, _ in found] == records
    assert [list(arrays) for _, arrays in found] == [[], sorted(ARRAYS), []]
    for name, array in found[1][1].items():
        assert (array.dtype, array.shape) == (ARRAYS[name].dtype, ARRAYS[name].shape)
        assert array.tobytes() == ARRAYS[name].tobytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": b"12"}, "an array cannot be read"),
        ({"shape": "[-1]"}, "an array cannot be read"),
        ({"dtype": '"|O"'}, "an array cannot be read"),
        ({"dtype": '"(1,,2)f8"'}, "an array cannot be read"),
        ({"dtype": '"U0"'}, "an array cannot be read"),
        ({"shape": "[2.5, 2]"}, "sizes that are no numbers"),
        ({"shape": '"22"'}, "sizes that are no numbers"),
        ({"name": None}, "which is no name"),
        ({"name": 3}, "which is no name"),
        ({"name": ""}, "which is no name"),
        ({"extra": "1"}, "not as nmfbench writes them"),
    ],
)
def test_damaged_arrays_are_refused(tmp_path, records, change, message):
    """The error names the file and the row, as for any other cell."""
    path = tmp_path / "records.parquet"
    export_records(
        records[:1], path, format="parquet", artefacts={}, arrays=lambda key: {"W": np.eye(2)}
    )
    table = pd.read_parquet(path)
    table["arrays"] = [[dict(table["arrays"][0][0]) | change]]
    table.to_parquet(path)
    with pytest.raises(ExchangeError, match=rf"records\.parquet, row 1: .*{message}"):
        read_export(path)


def test_a_folder_stands_for_its_parquet_files(tmp_path, records):
    """All of them, below it, too; one without any is an error."""
    folder = tmp_path / "book"
    for name, record in zip(("a/one", "b"), records[:2], strict=True):
        export_records([record], folder / f"{name}.parquet", format="parquet", artefacts={})
    (folder / "README.md").write_text("no records\n")
    export_records(records[2:], tmp_path / "rest.csv", format="csv", artefacts={})
    found = read_exports([folder, tmp_path / "rest.csv"])
    assert [record for record, _ in found] == records
    (tmp_path / "empty").mkdir()
    with pytest.raises(ExchangeError, match=r"no parquet file in the folder .*empty"):
        read_exports([tmp_path / "empty"])


def test_a_store_filled_from_a_file_has_the_same_table(file, records, tmp_path):
    """Exported, imported, tabulated: equal to the records' own table."""
    with Store(tmp_path / "first") as first, Store(tmp_path / "second") as second:
        for record in records:
            first.put(record)
        found = import_records(read_exports([file, file]), second)
        assert (found.new, found.replaced, found.held) == (3, 0, 0)
        found = import_records(read_exports([file]), second)
        assert (found.new, found.replaced, found.held) == (0, 0, 3)
        pd.testing.assert_frame_equal(first.table(), second.table())


def test_the_columns_are_those_of_the_contract(file, records):
    """key ... status, a column per metric, seconds ... peak_memory, host and versions, the rest."""
    table = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file)
    metrics = ["accuracy@20", "accuracy@100", "score"]
    assert list(table) == [*FIRST, *metrics, *LAST]
    assert table["artefact"][0] == "a/one;b/two"
    assert json.loads(table["params"][0]) == records[0]["params"]
    assert np.isnan(table["score"][1])


def test_a_book_is_multiplied(tmp_path, records):
    """Each copy is a record of a repeat of its own, with the same numbers and arrays."""
    one, many = tmp_path / "one", tmp_path / "many"
    arrays = {record["key"]: {"W": ARRAYS["W"]} for record in records}
    (one / "paper").mkdir(parents=True)
    path = one / "paper" / "fig.parquet"
    export_records(records, path, format="parquet", artefacts={}, arrays=arrays.__getitem__)
    assert multiply(one, many, 7) == (3, 9)
    pairs = read_exports([many])
    assert {tuple(found) for _, found in pairs} == {("W",)}
    repeats = [(record["solver"], record["repeat"] % 10**6) for record, _ in pairs]
    assert Counter(repeats) == {(record["solver"], record["repeat"]): 3 for record in records}
    assert len({record["key"] for record, _ in pairs}) == 9
    for record in records:
        same = [found for found, _ in pairs if found["solver"] == record["solver"]]
        assert [found["metrics"] for found in same] == 3 * [record["metrics"]]


def test_metrics_are_in_one_order(tmp_path):
    """Also where their numbers are equal as whole ones: a set is not in the same order twice."""
    small = [f"p@0.{'0' * zeros}1" for zeros in range(6, -1, -1)]
    names = ["p@100", *small, "p@20"]
    for given in (names, names[::-1]):
        path = tmp_path / "x.csv"
        record = _record(metrics=dict.fromkeys(given, 0.5))
        export_records([record], path, format="csv", artefacts={})
        found = [name for name in _table(path).columns if name.startswith("p@")]
        assert found == [*small, "p@20", "p@100"]


def test_a_finished_record_takes_the_place_of_a_failed_one_only(tmp_path, records):
    """Done is never written over; failed is, by done."""
    failed = _record(status="failed", metrics={})
    other = _record(seconds=99.0)
    with Store(tmp_path) as store:
        store.put(failed)
        for record, expected in ((failed, (0, 0, 1)), (records[0], (0, 1, 0)), (other, (0, 0, 1))):
            path = tmp_path / "one.csv"
            export_records([record], path, format="csv", artefacts={})
            found = import_records(read_export(path), store)
            assert (found.new, found.replaced, found.held) == expected
        assert store.records() == [records[0]]


def test_a_file_is_written_whole_or_not_at_all(tmp_path, records):
    """No part file is left, neither after success nor after failure."""
    (tmp_path / "taken").write_text("a file, not a folder")
    with pytest.raises(ExchangeError, match="cannot write"):
        export_records(records, tmp_path / "taken" / "x.csv", format="csv", artefacts={})
    export_records(records, tmp_path / "new" / "x.csv", format="csv", artefacts={})
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["x.csv"]
    empty = tmp_path / "none.parquet"
    assert export_records([], empty, format="parquet", artefacts={}) == 0
    assert read_export(empty) == []


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_key_is_checked_from_its_row_alone(tmp_path, kind):
    """Neither other versions than today's nor a fit that stands in no row make it unreadable."""
    options = {"n_components": 3, "train_per_class": 2, "test_per_class": 2}
    trial = Trial("recognition", "digits", "mu", options=options)
    declared = trial.declared | {"solver": 7, "base": "0" * 24}
    given = [
        _record(declared={"scheme": 99, "dataset": "0123456789ab"}),
        _record() | trial.to_dict() | {"key": key_of(trial, declared), "declared": declared},
    ]
    assert given[1]["key"] != trial.key
    path = tmp_path / f"records.{kind}"
    export_records(given, path, format=kind, artefacts={})
    assert [record for record, _ in read_export(path)] == given


SPOILT = [
    ("status", "perhaps", "neither 'done' nor 'failed'"),
    ("key", "0" * 24, "does not belong"),
    ("level", "high", "not a number"),
    ("score", "nan", "not a finite number"),
    ("repeat", "0.5", "not a whole number"),
    ("repeat", "", "repeat is empty"),
    ("seconds", "inf", "not a finite number"),
    ("stand_in", "2", "neither True nor False"),
    ("params", "{'a': 1}", "not a JSON object"),
    ("params", "[1]", "not a JSON object"),
    ("options", '{"q":NaN}', "not a JSON object"),
    ("options", '{"q":0.2}', "does not belong"),
    ("declared", "", "declared is empty"),
    ("declared", '{"solver":2}', "does not belong"),
    ("declared", "2", "not a JSON object"),
    ("first_objectives", "1.5", "not a JSON list"),
    ("first_objectives", '["a"]', "not a finite number"),
    ("elapsed", "long", "not a number"),
    ("solver", "mu", "does not belong"),
    ("corruption", "gaussian", "needs both a corruption and its level"),
    ("task", "no-such-task", "does not belong"),
    ("finished", "", "finished is empty"),
    ("finished", "long ago", "not a time"),
    ("finished", "2024-01-01T00:00:00+02:00", "not a time"),
    ("seconds", "-1", "not from 0 to 1e+09 seconds"),
    ("elapsed", "1e300", "not from 0 to 1e+09 seconds"),
    ("elapsed", "1_0", "not a number"),
    ("n_iter", "-7", "not between 0 and 2^63"),
    ("n_iter", "9" * 20, "not between 0 and 2^63"),
    ("n_iter", "9" * 5000, "not a whole number"),
    ("n_iter", "٣", "not a number"),
    ("peak_memory", "-1", "not between"),
    ("error", "boom", "has an error"),
    ("host", '{"cpu":1e999}', "cpu = inf, which is not text"),
    ("host", "[" * 10**5, "recursion"),
    ("score", "0.25", "digest does not belong"),
    ("score", "", "digest does not belong"),
    ("objective", "1.0", "digest does not belong"),
    ("finished", "2024-01-01T00:00:01+00:00", "digest does not belong"),
    ("code", "ba9876543210", "digest does not belong"),
    ("digest", "", "digest does not belong"),
]


@pytest.mark.parametrize(("column", "value", "message"), SPOILT)
def test_a_spoilt_cell_is_named(tmp_path, records, column, value, message):
    """The error says the row, the column and what is wrong; nothing is imported."""
    path = tmp_path / "spoilt.csv"
    export_records(records, path, format="csv", artefacts={})
    with path.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    rows[0][column] = value
    with path.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    with Store(tmp_path / "store") as store:
        with pytest.raises(ExchangeError, match="row 1") as caught:
            import_records(read_exports([path]), store)
        assert message in str(caught.value)
        assert store.records() == []


def test_nothing_is_imported_unless_all_rows_are_whole(tmp_path, records):
    """One bad row after many good ones, in a file or in a store's transaction: none is written."""
    many = [_record(declared={"draw": i}) for i in range(30)]
    path = tmp_path / "records.csv"
    export_records(many, path, format="csv", artefacts={})
    lines = path.read_text().splitlines(keepends=True)
    assert str(2**53 + 1) in lines[21]
    lines[21] = lines[21].replace(str(2**53 + 1), "9" * 20)
    path.write_text("".join(lines))
    with Store(tmp_path / "store") as store:
        with pytest.raises(ExchangeError, match=r"row 21: n_iter is 9{20}, not between"):
            import_records(read_exports([path]), store)
        assert store.records() == []
        many[20]["n_iter"] = int("9" * 20)  # as if no file had been checked
        with pytest.raises(StoreError, match=r"n_iter is 9{20}"):
            import_records(((record, {}) for record in many), store)
        assert store.records() == []


CHANGES = {
    "score": 0.0,
    "accuracy@20": 0.5,  # which the record does not have
    "seconds": 0.5,
    "cpu_seconds": 0.5,
    "elapsed": 0.5,
    "n_iter": 3,
    "peak_memory": 3,
    "objective": 0.5,
    "stop_reason": "converged",
    "first_objectives": "[1.5]",
    "code": "ba9876543210",
    "host": '{"cores":2,"cpu":"another"}',
    "versions": '{"python":"3.12"}',
    "finished": "2024-01-01T00:00:01+00:00",
}


def test_a_changed_cell_is_noticed(file):
    """Whatever no key tells of: metrics, costs, and where and when it was computed."""
    for name, value in CHANGES.items():
        table = _table(file)
        table.loc[0, name] = str(value) if file.suffix == ".csv" else value
        changed = file.with_name(f"changed{file.suffix}")
        _save(table, changed)
        with pytest.raises(ExchangeError, match="row 1: the digest does not belong"):
            read_export(changed)


def _table(file):
    if file.suffix == ".parquet":
        return pd.read_parquet(file)
    return pd.read_csv(file, dtype=str)


def _save(table, file):
    if file.suffix == ".parquet":
        table.to_parquet(file, index=False)
    else:
        table.to_csv(file, index=False)


def test_a_column_that_is_none_of_ours_is_noticed(file):
    """Such as the numbers of rows that pandas writes first by default."""
    table = _table(file)
    table.insert(0, "Unnamed: 0", np.arange(float(len(table))))
    _save(table, file)
    with pytest.raises(ExchangeError, match="row 1: the digest does not belong"):
        read_export(file)


def test_a_file_without_digests_is_read_on_request(file, records, tmp_path):
    """The store then gives its records digests."""
    _save(_table(file).drop(columns="digest"), file)
    with pytest.raises(ExchangeError, match=r"no digests.*--without-digests"):
        read_export(file)
    pairs = read_export(file, bare=lambda path: path == file)
    assert [record for record, _ in pairs] == records
    with Store(tmp_path / "store") as store:
        import_records(pairs, store)
        again = tmp_path / "again.parquet"
        export_records(store.records(), again, format="parquet", artefacts={})
    assert pd.read_parquet(again)["digest"].str.fullmatch("[0-9a-f]{16}").all()


def test_sums_stand_in_for_digests(file, tmp_path, capsys):
    """A sum beside or above a file vouches for it; without, the command asks for its option."""
    _save(_table(file).drop(columns="digest"), file)
    below = tmp_path / "published" / "records"
    below.mkdir(parents=True)
    copy = below / file.name
    copy.write_bytes(file.read_bytes())
    words = ["import", str(copy), "--store", str(tmp_path / "store")]
    assert cli.main(words) == 2
    assert "--without-digests" in capsys.readouterr().err
    write_sums([copy], below.parent)
    assert cli.main(words) == 0
    copy.write_bytes(copy.read_bytes() + b"\n")
    assert cli.main(words) == 2
    copy.write_bytes(file.read_bytes())
    (below.parent / "SHA256SUMS").unlink()
    assert cli.main([*words, "--without-digests"]) == 0


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path, records):
    """Windows programs begin a file of UTF-8 with it."""
    path = tmp_path / "records.csv"
    export_records(records, path, format="csv", artefacts={})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert [record for record, _ in read_export(path)] == records


@pytest.mark.parametrize("flips", [150, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_flipped_bit_of_a_file_is_noticed_or_changes_nothing(tmp_path, kind, flips):
    """In cells, arrays or what describes them: an ExchangeError, or what was written."""
    records = [_record(declared={"draw": i}, metrics={"score": i / 7}) for i in range(12)]
    options = {"arrays": lambda key: ARRAYS} if kind == "parquet" else {}
    path, rng, noticed = tmp_path / "records", random.Random(0), 0
    export_records(records, path, format=kind, artefacts={}, **options)
    whole = path.read_bytes()
    expected = _comparable(read_export(path))
    for _ in range(flips):
        bit = rng.randrange(8 * len(whole))
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            assert _comparable(read_export(path)) == expected, bit
        except ExchangeError:
            noticed += 1
    assert noticed > flips // 3


def _comparable(pairs):
    return [
        (record, {n: (a.tobytes(), a.dtype, a.shape) for n, a in arrays.items()})
        for record, arrays in pairs
    ]


def test_what_is_no_export_is_refused(tmp_path, file):
    """Other tables, other files, damaged and missing ones: an error that names the file."""
    whole = file.read_bytes()
    contents = {
        "empty": b"",
        "binary": bytes(range(256)),
        "text": b"to be or not to be",
        "magic": b"PAR1 but nothing more",
        "cut": whole[: len(whole) // 2],
    }
    for name, content in contents.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ExchangeError, match=name):
            read_export(path)
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ExchangeError, match=path.name):
            read_export(path)
    other = tmp_path / "other.parquet"
    pd.DataFrame({"key": ["a"], "task": [1]}).to_parquet(other)
    with pytest.raises(ExchangeError, match="columns are missing: artefact"):
        read_export(other)
    table = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file)
    for name in ("method", "metrics"):
        table.assign(**{name: 1.0}).to_csv(other, index=False)
        with pytest.raises(ExchangeError, match=f"metric can be called {name}"):
            read_export(other)


def test_files_of_records_have_limits(tmp_path):
    """A pipe is not read, and neither is a small file that would fill the memory."""
    pipe, large = tmp_path / "pipe.parquet", tmp_path / "large.parquet"
    os.mkfifo(pipe)
    with pytest.raises(ExchangeError, match=r"pipe\.parquet is not a regular file"):
        read_export(pipe)
    pd.DataFrame({"key": np.zeros(1_000_001, np.int8)}).to_parquet(large)
    with pytest.raises(ExchangeError, match=r"large\.parquet has 1000001 rows .*export fewer"):
        read_export(large)


def test_a_long_table_of_text_is_refused(tmp_path, monkeypatch):
    """As a parquet file of too many rows is, while it is read."""
    monkeypatch.setattr("nmfbench.records.exchange._ROW_LIMIT", 2)
    records = [_record(declared={"draw": i}) for i in range(3)]
    export_records(records, tmp_path / "a.csv", format="csv", artefacts={})
    with pytest.raises(ExchangeError, match=r"a\.csv has 3 rows or more .*export fewer"):
        read_export(tmp_path / "a.csv")


def test_a_value_that_is_repeated_does_not_fill_the_memory(tmp_path, monkeypatch):
    """In 20 KB stand 20 GB of text: read within a limit, after which the error names the file."""
    monkeypatch.setattr("nmfbench.records.exchange._MEMORY", 2**30)
    path, n = tmp_path / "packed.parquet", 200_000
    columns = {name: pa.array([name] * n) for name in (*FIRST, *LAST)}
    indices = pa.array(np.zeros(n, np.int32))
    columns["error"] = pa.DictionaryArray.from_arrays(indices, pa.array(["x" * 10**5]))
    parquet.write_table(pa.table(columns), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 100_000
    with pytest.raises(ExchangeError, match=r"packed\.parquet takes more memory"):
        read_export(path)


@pytest.mark.parametrize("column", ["finished", "seconds", "params", "digest"])
@pytest.mark.parametrize(
    "value", [pa.array([2**30], pa.date32()), pa.array([2**62], pa.timestamp("ns"))], ids=str
)
def test_cells_of_another_type_are_named(tmp_path, column, value):
    """Days and times, also ones that Python cannot represent."""
    path = tmp_path / "a.parquet"
    export_records([_record()], path, format="parquet", artefacts={})
    table = parquet.read_table(path)
    table = table.set_column(table.column_names.index(column), column, value)
    parquet.write_table(table, path)
    with pytest.raises(ExchangeError, match=r"a\.parquet"):
        read_export(path)


@pytest.mark.parametrize("name", ["scaling.json", "rounding.json", "two-targets.json"])
@pytest.mark.parametrize("text", ["[1]", "3", "null", "{", "[" * 10**5, '{"spa": 1}', None])
def test_a_strange_file_beside_records_is_named_and_nothing_is_imported(
    tmp_path, capsys, name, text
):
    """It holds no measurements; or it is a pipe, which would be waited for."""
    book = tmp_path / "book"
    export_records([_record()], book / "a.parquet", format="parquet", artefacts={})
    if text is None:
        os.mkfifo(book / name)
    else:
        (book / name).write_text(text)
    assert cli.main(["import", str(book), "--store", str(tmp_path / "store")]) == 2
    assert name in capsys.readouterr().err
    with Store(tmp_path / "store") as store:
        assert store.records() == []


def test_measurements_beside_records_are_taken_with_them_only(tmp_path, monkeypatch):
    """Where the records of a book cannot be written, its exponents of time are not, either."""
    book = tmp_path / "book"
    export_records([_record()], book / "a.parquet", format="parquet", artefacts={})
    measured = {"declared": [1, 1], "trials": 1, "measured": "2026-01-01", "spread": {}}
    (book / "rounding.json").write_text(json.dumps({"recovery spa near-separable": measured}))

    def full(*args, **options):
        raise sqlite3.OperationalError("database or disk is full")

    words = ["import", str(book), "--store", str(tmp_path / "store")]
    with monkeypatch.context() as patched:
        patched.setattr(Store, "_put", full)
        assert cli.main(words) == 1
    assert not (tmp_path / "store" / "rounding.json").exists()
    assert cli.main(words) == 0
    assert (tmp_path / "store" / "rounding.json").exists()


def test_another_program_may_save_the_file_again(tmp_path):
    """pandas writes whole numbers beside empty cells as 4.0: the same record all the same."""
    records = [_record(n_iter=4), _record("mu", n_iter=None)]
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    export_records(records, first, format="csv", artefacts={})
    # pandas 2 rounds other numbers on reading
    pd.read_csv(first, dtype={"score": str}).to_csv(second, index=False)
    assert "4.0" in second.read_text()
    assert [record for record, _ in read_export(second)] == records


def test_json_columns_are_canonical_text(file):
    """Sorted keys and no blanks, so that equal values are equal text."""
    table = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file)
    for name in set(JSON) - {"metrics"}:
        for text in table[name].dropna():
            parsed = json.loads(text)
            assert text == json.dumps(parsed, sort_keys=True, separators=(",", ":"))
