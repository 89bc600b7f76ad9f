"""Records as files: nothing is lost on the way, and what is no export is refused."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from nmfbench.engine.exchange import (
    FIRST,
    LAST,
    ExchangeError,
    export_records,
    read_export,
    read_exports,
)
from nmfbench.engine.merge import import_records
from nmfbench.engine.store import JSON, Store
from nmfbench.engine.trials import Trial, key_of


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
    ("first_objectives", '["a"]', "not a number"),
    ("elapsed", "long", "not a number"),
    ("solver", "mu", "does not belong"),
    ("corruption", "gaussian", "needs both a corruption and its level"),
    ("task", "no-such-task", "does not belong"),
    ("finished", "", "finished is empty"),
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


def test_another_program_may_save_the_file_anew(tmp_path):
    """pandas writes whole numbers beside empty cells as 4.0: the same record all the same."""
    records = [_record(n_iter=4), _record("mu", n_iter=None)]
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    export_records(records, first, format="csv", artefacts={})
    pd.read_csv(first).to_csv(second, index=False)
    assert "4.0" in second.read_text()
    assert [record for record, _ in read_export(second)] == records


def test_json_columns_are_canonical_text(file):
    """Sorted keys and no blanks, so that equal values are equal text."""
    table = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file)
    for name in set(JSON) - {"metrics"}:
        for text in table[name].dropna():
            parsed = json.loads(text)
            assert text == json.dumps(parsed, sort_keys=True, separators=(",", ":"))
