"""The store: what goes in comes out, nothing is doubled, and bad files are explained."""

import contextlib
import errno
import shutil
import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest
from engine import only_readable, python, small_disk

from nmfbench.records import errors as module
from nmfbench.records import record as record_module
from nmfbench.records.digests import has_digests
from nmfbench.records.errors import DamagedError, EmptyStoreError, NoStoreError, StoreError
from nmfbench.records.record import COLUMNS, RESERVED, digest, to_row
from nmfbench.records.repair import survey
from nmfbench.records.schema import AUDIT
from nmfbench.records.store import Store
from nmfbench.records.stored import StoredArrays


def record(key="k", **fields):
    given = dict.fromkeys(COLUMNS) | {
        "key": key,
        "task": "recovery",
        "dataset": "near-separable",
        "solver": "spa",
        "status": "done",
        "code": "c",
        "repeat": 0,
        "start": 0,
        "stand_in": False,
        "timed": False,
        "finished": "2026-01-01T00:00:00+00:00",
        "metrics": {"accuracy": 0.5},
        "params": {},
        "dataset_params": {},
        "options": {},
        "declared": {"scheme": 1},
        "host": {},
        "versions": {},
    }
    return given | fields


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def test_roundtrip(store):
    """A record and its arrays come back as they were put."""
    trace = np.array([(0, 1.5)], dtype=[("iteration", "i8"), ("objective", "f8")])
    arrays = {"trace": trace, "W": np.eye(3, dtype=np.float32), "none": np.empty((0, 2))}
    given = record(params={"a": [1, None, "é"]}, timed=True, level=0.1, peak_memory=2**40)
    given |= {"declared": {"scheme": 1, "base": None}, "first_objectives": [2.0, None, 0.1]}
    assert store.put(given, arrays)
    assert store.records() == [given]
    found = store.arrays("k")
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    assert store.arrays("another") == {}


def test_arrays_are_read_one_at_a_time_when_asked_for(store):
    """A trial's arrays are a mapping that reads each once, and names those there are."""
    store.put(record("k"), {"W": np.eye(3), "trace": np.arange(4)})
    arrays = StoredArrays(store, "k")
    assert list(arrays) == ["W", "trace"]
    assert len(arrays) == 2
    np.testing.assert_array_equal(arrays["trace"], np.arange(4))
    assert arrays["trace"] is arrays["trace"]
    with pytest.raises(KeyError, match="has no array 'H'; it has W, trace"):
        arrays["H"]


def test_done_stays(store):
    """A finished record is never overwritten; a failed one is, with its arrays."""
    assert store.put(record(status="failed", error="boom"), {"partial": np.ones(1)})
    assert store.put(record(n_iter=1), {"W": np.ones(1)})
    assert not store.put(record(n_iter=2), {"V": np.ones(1)})
    assert not store.put(record(status="failed"))
    assert [r["n_iter"] for r in store.records()] == [1]
    assert list(store.arrays("k")) == ["W"]


def test_an_outdated_record_is_replaced_with_its_arrays(store):
    """With ``replace``, a finished record and all its arrays give way."""
    store.put(record(n_iter=1), {"W": np.ones(1), "V": np.ones(1)})
    assert store.put(record(n_iter=2), {"W": np.zeros(1)}, replace=True)
    assert [r["n_iter"] for r in store.records()] == [2]
    assert store.array_names("k") == ["W"]
    assert store.array("k", "W") == 0


def test_imported_records_keep_their_arrays_apart(store):
    """Pictures see published arrays; nothing that would start from them does."""
    trace = np.array([(0, 1.5)], dtype=[("iteration", "i8"), ("objective", "f8")])
    store.put(record("a", n_iter=1), {"W": np.ones(2)})
    store.put_imported([(record("a", n_iter=2), {"V": np.zeros(3)}), (record("b"), {"t": trace})])
    assert [(r["key"], r["n_iter"]) for r in store.records()] == [("a", 2), ("b", None)]
    assert store.imported(["a", "b", "c"]) == {"a", "b"}
    assert store.arrays("a") == {}
    assert store.arrays("b") == {}
    assert store.array_names("a") == ["V"]
    np.testing.assert_array_equal(store.array("b", "t"), trace)
    with pytest.raises(KeyError, match="was imported without its array 'W'"):
        store.array("a", "W")
    # Computed here since: no longer imported, and nothing is left of what was published.
    store.put(record("b", n_iter=3), {"W": np.ones(2)}, replace=True)
    assert store.imported(["a", "b"]) == {"a"}
    assert list(store.arrays("b")) == store.array_names("b") == ["W"]


def test_an_import_that_does_not_fit_writes_nothing(store):
    """All records of one import, or none."""
    with pytest.raises(StoreError, match="neither 'done' nor 'failed'"):
        store.put_imported([(record("a"), {}), (record("b", status="lost"), {})])
    assert store.records() == []
    assert store.imported(["a"]) == set()


def test_provenance(store):
    """Where records come from, without reading them whole; absent keys are left out."""
    origin = {
        "host": {"cpu": "x"},
        "versions": {"numpy": "2"},
        "elapsed": 1.5,
        "seconds": 0.5,
        "cpu_seconds": 1.25,
    }
    store.put(record("a", **origin))
    assert store.provenance(["b", "a"]) == {
        "a": origin | {"status": "done", "code": "c", "digest": digest(to_row(store.records()[0]))}
    }


def test_audits(store):
    """Audits are kept in their order, several of one record, too."""
    audit = dict.fromkeys(AUDIT, "x") | {"host": {"cores": 2}}
    store.put_audits([audit, audit | {"outcome": "different"}])
    store.put_audits([audit | {"key": "other"}])
    assert store.audits() == [audit, audit | {"outcome": "different"}, audit | {"key": "other"}]


def test_order_and_status(store):
    """Records come in the order of the given keys, however many, absent ones left out."""
    for i in range(1200):
        store.put(record(f"{i:04d}", status="failed" if i == 7 else "done"))
    keys = [f"{i:04d}" for i in reversed(range(1300))]
    assert [r["key"] for r in store.records(keys)] == keys[100:]
    assert [r["key"] for r in store.records()] == keys[:99:-1]
    status = store.status(keys)
    assert len(status) == 1200
    assert [key for key, value in status.items() if value == "failed"] == ["0007"]


def test_table(store):
    """The table has a column for each metric, NaN where a trial has none; empty ones too."""
    empty = store.table()
    assert set(empty.columns) == set(COLUMNS) - {"metrics"}
    assert len(empty) == 0
    store.put(record("a"))
    store.put(record("b", status="failed", metrics={}))
    store.put(record("c", metrics={"nmi": 1.0}))
    table = store.table()
    assert list(table.columns[-2:]) == ["accuracy", "nmi"]
    np.testing.assert_array_equal(table["accuracy"], [0.5, np.nan, np.nan])
    assert list(store.table(["b"]).columns) == list(empty.columns)
    assert table.columns.is_unique


@pytest.mark.parametrize(
    "fields",
    [
        {"finished": "9999-12-31T23:59:59+00:00"},
        {"versions": {"numpy": ["2"]}},
        {"host": {"cpu": {"name": "x"}}},
        {"elapsed": 1e300},
    ],
)
def test_what_an_earlier_nmfbench_took_is_damage(store, monkeypatch, fields):
    """A record that fits its digest, but that readers cannot show: the error names the remedy."""
    store.put(record("a"))
    with monkeypatch.context() as patch:
        patch.setattr(record_module, "_FLAT", {})
        patch.setattr(record_module, "_LONGEST", np.inf)
        patch.setattr(record_module, "_YEARS", range(1, 10_000))
        store.put(record("b", **fields))
    for read in (store.records, store.table, lambda: store.provenance(["b"])):
        with pytest.raises(DamagedError, match=f"'b' is damaged.*{next(iter(fields))}.*--repair"):
            read()
    assert [damage.key for damage in survey(store.folder).damaged] == ["b"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"metrics": {"accuracy": float("nan")}}, "accuracy is nan, not a finite number"),
        ({"metrics": {"": 1.0}}, "has no name"),
        ({"metrics": {"accuracy": "1"}}, "not a finite number"),
        ({"seconds": -1.0}, "seconds is -1.0, not from 0 to"),
        ({"objective": float("inf")}, "not a finite number"),
        ({"n_iter": -7}, "n_iter is -7, not between 0"),
        ({"n_iter": int("9" * 20)}, "not between 0 and 2"),
        ({"repeat": True}, "not a whole number"),
        ({"timed": 1}, "neither True nor False"),
        ({"first_objectives": [None, "1"]}, "not a finite number"),
        ({"versions": []}, "not a JSON object"),
        ({"solver": "\ud800"}, "no Unicode text"),
        ({"finished": "yesterday"}, "not a time"),
        ({"finished": "2026-01-01T00:00:00"}, "not a time"),
        ({"error": "boom"}, "finished trial has an error"),
        ({"params": {"a": np.ones(2)}}, "not JSON"),
        ({"metrics": {"seconds": 1.0}}, "cannot be called seconds"),
        ({"metrics": {"a": 10**400}}, "not a finite number"),
        ({"finished": "0001-01-01T00:00:00+00:00"}, "from 2000 to 2199"),
        ({"finished": "9999-12-31T23:59:59+00:00"}, "from 2000 to 2199"),
        (
            {"versions": {"numpy": ["2", "3"]}},
            r"versions has numpy = \['2', '3'\], which is not text",
        ),
        ({"versions": {"numpy": None}}, "which is not text"),
        ({"host": {"cpu": {"name": "x"}}}, "which is not text or a whole number"),
        ({"status": "running"}, "neither 'done' nor 'failed'"),
        ({"colour": "red"}, "unknown columns: colour"),
        ({"task": None}, "task is empty"),
    ],
)
def test_bad_record(store, fields, message):
    """A record that does not fit is refused with its reason, and nothing is written."""
    with pytest.raises(StoreError, match=message):
        store.put(record(**fields))
    lacking = record()
    del lacking["task"]
    with pytest.raises(StoreError, match="lacks task"):
        store.put(lacking)
    with pytest.raises(StoreError, match="objects"):
        store.put(record(), {"a": np.array([{}])})
    assert store.records() == []
    assert store.put(record())  # no transaction was left open


def test_reserved():
    """No metric can shadow a column of a record or of a labelled table."""
    assert set(COLUMNS) < RESERVED
    assert {"artefact", "method"} <= RESERVED


def test_no_store(tmp_path):
    """Reading where nothing was written says so, and leaves no file behind."""
    with pytest.raises(StoreError, match="there is no store in"):
        Store(tmp_path / "nothing", create=False)
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize(
    "content", [b"these are no records" * 100, b"SQLite format 3\0" + b"?" * 99]
)
def test_not_a_database(tmp_path, content):
    """A file that is something else is not touched, and the error says what to do."""
    path = tmp_path / "records.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="move it away, or name another folder"):
        Store(tmp_path)
    assert path.read_bytes() == content


def test_foreign_database(tmp_path):
    """Another program's database is refused."""
    db = sqlite3.connect(tmp_path / "records.sqlite")
    db.execute("CREATE TABLE records (a)")
    db.close()
    with pytest.raises(StoreError, match="not a store of nmfbench"):
        Store(tmp_path)


def test_newer_version(tmp_path):
    """A store of a later format is refused with the remedy."""
    with Store(tmp_path) as store:
        store._db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match=r"newer nmfbench \(format 99.*update"):
        Store(tmp_path)


def test_older_version(tmp_path):
    """A store whose keys were hashes of the source is refused with the remedy, and not touched."""
    with Store(tmp_path) as store:
        store.put(record())
        store._db.execute("PRAGMA user_version = 1")
    with pytest.raises(StoreError, match=r"older nmfbench \(format 1, now 2\).*move it away"):
        Store(tmp_path)
    db = sqlite3.connect(tmp_path / "records.sqlite")
    assert db.execute("SELECT key FROM records").fetchall() == [("k",)]
    db.close()


def test_damage(tmp_path):
    """A file damaged in the middle gives an error that names it, not a traceback of SQLite."""
    with Store(tmp_path) as store:
        for i in range(300):
            store.put(record(str(i)), {"a": np.zeros(100)})
    path = tmp_path / "records.sqlite"
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"records\.sqlite.*damaged"), Store(tmp_path) as store:
        store.table()


def test_file_in_the_way(tmp_path):
    """A folder that cannot be made gives the remedy."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="make the folder writable"):
        Store(tmp_path / "file" / "store")


@pytest.mark.parametrize("log", [False, True])
def test_read_only(tmp_path, log):
    """A store that cannot be written to can be read, also with the log of a run that was killed;
    a command that has to write fails before anything is computed."""
    with Store(tmp_path / "store") as writer:
        writer.put(record("a"), {"W": np.eye(2)})
        if log:
            shutil.copytree(tmp_path / "store", tmp_path / "killed")
    with only_readable(tmp_path / ("killed" if log else "store")) as folder:
        with Store(folder, create=False) as store:
            assert store.records() == [record("a")]
            np.testing.assert_array_equal(store.array("a", "W"), np.eye(2))
            assert store.read_only
            with pytest.raises(NoStoreError, match="can only be read"):
                store.check_writable()
            with pytest.raises(StoreError, match="make the folder writable"):
                store.put(record("b"))
        with pytest.raises(NoStoreError, match="make the folder writable"):
            Store(folder).put(record("b"))
    with Store(tmp_path / "store", create=False) as store:
        store.check_writable()


# -- damage -----------------------------------------------------------------------------------

DAMAGE = [
    ("UPDATE records SET metrics = '{}' WHERE key = 'a'", "it is not what was written"),
    ("UPDATE records SET metrics = '{\"accuracy\":NaN}' WHERE key = 'a'", "not what was written"),
    ("UPDATE records SET metrics = '{\"acc' WHERE key = 'a'", "not what was written"),
    ("UPDATE records SET seconds = 1 WHERE key = 'a'", "not what was written"),
    ("UPDATE records SET code = x'ff' WHERE key = 'a'", "'a' is damaged"),
    ("UPDATE records SET status = 'failed' WHERE key = 'a'", "not what was written"),
    ("UPDATE records SET key = 'c' WHERE key = 'a'", "not what was written"),
    ("UPDATE records SET digest = NULL WHERE key = 'a'", "the list of its arrays"),
    ("UPDATE records SET contents = '{}' WHERE key = 'a'", "the list of its arrays"),
    ("UPDATE records SET contents = '[' WHERE key = 'a'", "the list of its arrays"),
    ("UPDATE arrays SET npy = zeroblob(10) WHERE key = 'a'", "array 'W': it is not what"),
    ("UPDATE arrays SET npy = 'text' WHERE key = 'a'", "array 'W': it is not what"),
    ("UPDATE arrays SET name = 'V' WHERE key = 'a'", "does not have the arrays"),
    ("DELETE FROM arrays WHERE key = 'a'", "does not have the arrays"),
    ("INSERT INTO arrays VALUES ('a', 'V', x'00')", "does not have the arrays"),
    ("DELETE FROM imported", "whether it was imported"),
    ("INSERT INTO imported VALUES ('a')", "whether it was imported"),
    ("UPDATE published SET npy = zeroblob(10)", "array 'W': it is not what"),
    ("UPDATE audits SET outcome = 'same bits'", "an audit is damaged"),
    ("UPDATE audits SET host = '{'", "an audit is damaged"),
]


@pytest.mark.parametrize(("change", "message"), DAMAGE, ids=[change for change, _ in DAMAGE])
def test_what_is_not_what_was_written_is_not_given_out(tmp_path, change, message):
    """The error names the record and the command that repairs the store."""
    with Store(tmp_path) as store:
        store.put(record("a"), {"W": np.eye(2)})
        store.put_imported([(record("b"), {"W": np.eye(3)})])
        store.put_audits([dict.fromkeys(AUDIT, "x") | {"host": {"cores": 2}}])

        def read_all():
            keys = [row["key"] for row in store.records()]
            store.status(keys), store.provenance(keys), store.imported(keys), store.audits()
            return [(key, store.arrays(key), dict(StoredArrays(store, key))) for key in keys]

        read_all()
        store._db.execute(change)
        with pytest.raises(DamagedError, match=message) as caught:
            read_all()
    assert "nmfbench doctor --repair" in str(caught.value)


def forget_digests(folder):
    """Make a store one of before there were digests."""
    with Store(folder) as store:
        store._db.execute("DROP INDEX bare")
        for table, column in (("records", "digest"), ("records", "contents"), ("audits", "digest")):
            store._db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")


def test_a_store_that_no_process_finished_creating_is_empty(tmp_path):
    """A reader gets an error about the empty store, not about a writable folder."""
    with contextlib.closing(sqlite3.connect(tmp_path / "records.sqlite")) as db:
        db.execute("PRAGMA journal_mode = WAL")  # killed here
    with pytest.raises(EmptyStoreError, match="an empty store, which no process finished creating"):
        Store(tmp_path, create=False, as_it_is=True)
    with Store(tmp_path, create=False) as store:
        assert store.records() == []
    with Store(tmp_path, create=False, as_it_is=True) as store:
        assert store.records() == []


def test_a_store_without_digests_gets_them(tmp_path):
    """When it is next opened, with nothing lost; what is damaged before goes without."""
    audit = dict.fromkeys(AUDIT, "x") | {"host": {"cores": 2}}
    with Store(tmp_path) as store:
        for i in range(600):
            store.put(record(f"{i:03d}", seconds=0.1 * i), {"W": np.full(2, i)})
        store.put_imported([(record("b"), {"V": np.eye(3)})])
        store.put_audits([audit])
        expected = store.records()
    forget_digests(tmp_path)
    with Store(tmp_path, create=False, as_it_is=True) as store:  # such a one can be read, too
        assert store.records() == expected
        assert store.imported(["000", "b"]) == {"b"}
        np.testing.assert_array_equal(store.array("007", "W"), [7, 7])
        assert store.audits() == [audit]
        assert not has_digests(store._db)
    db = sqlite3.connect(tmp_path / "records.sqlite")
    db.execute("UPDATE records SET metrics = '{' WHERE key = '005'")
    db.execute("UPDATE arrays SET npy = x'00' WHERE key = '006'")
    db.commit()
    db.close()
    with Store(tmp_path, create=False) as store:
        whole = [row["key"] for row in expected if row["key"] not in ("005", "006")]
        assert store.records(whole) == [row for row in expected if row["key"] in whole]
        np.testing.assert_array_equal(store.array("b", "V"), np.eye(3))
        bare = store._db.execute("SELECT key FROM records WHERE digest IS NULL").fetchall()
        assert bare == [("005",), ("006",)]
        with pytest.raises(DamagedError, match="'005'"):
            store.records()
        with pytest.raises(DamagedError, match="array 'W': it cannot be read"):
            store.array("006", "W")


def test_an_earlier_nmfbench_can_go_on_writing(tmp_path):
    """Records that it writes, by its own statements, get their digests at the next opening."""
    with Store(tmp_path) as store:
        store.put(record("a"), {"W": np.eye(2)})
        row = store._db.execute(f"SELECT {', '.join(COLUMNS)} FROM records").fetchone()
        blob = store._db.execute("SELECT npy FROM arrays").fetchone()[0]
        marks = ", ".join("?" * len(COLUMNS))
        for key in ("a", "b"):  # one in place of another, and one more
            store._db.execute("DELETE FROM arrays WHERE key = ?", (key,))
            names = ", ".join(COLUMNS)
            store._db.execute(
                f"INSERT OR REPLACE INTO records ({names}) VALUES ({marks})", (key, *row[1:])
            )
            store._db.execute("INSERT INTO arrays VALUES (?, ?, ?)", (key, "V", blob))
        assert store.records() == [record("a"), record("b")]
        assert list(store.arrays("a")) == ["V"]
    with Store(tmp_path) as store:
        assert store.records() == [record("a"), record("b")]
        assert list(store.arrays("a")) == ["V"]
        count = "SELECT count(*) FROM records WHERE digest IS NULL"
        assert store._db.execute(count).fetchone() == (0,)


# -- what happens to the file -----------------------------------------------------------------


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
def test_a_store_that_is_gone_takes_no_record(tmp_path, how):
    """A write to a file that is not there any more is an error at once."""
    folder = tmp_path / "store"
    with Store(folder) as store:
        store.put(record("a"))
        if how == "deleted":
            shutil.rmtree(folder)
        else:
            folder.rename(tmp_path / "elsewhere")
        if how == "replaced":
            Store(folder).close()
        for act in (lambda: store.put(record("b")), lambda: store.status(["a"])):
            with pytest.raises(StoreError, match="moved, deleted or replaced") as caught:
                act()
            assert not isinstance(caught.value, NoStoreError)  # something was computed


@pytest.mark.parametrize("room", [0, 16_384, 40_960])
def test_a_full_disk(room):
    """However little is left, the error says what to do, and what was written stays."""
    with small_disk(2**20) as folder:
        with Store(folder / "store") as store:
            store.put(record("a"))
            (folder / "filler").write_bytes(b"x" * (shutil.disk_usage(folder).free - room))

            def fill():
                for i in range(100):
                    store.put(record(str(i)), {"W": np.zeros(1000)})

            with pytest.raises(StoreError, match="make room") as caught:
                fill()
            assert not isinstance(caught.value, NoStoreError)
            assert "a" in [row["key"] for row in store.records()]
        with Store(folder / "store", create=False) as store:  # a reader needs no room
            assert "a" in [row["key"] for row in store.records()]
        if room == 0:
            with pytest.raises(StoreError, match="make room"):
                Store(folder / "other")
        (folder / "filler").unlink()
        with Store(folder / "store") as store:
            assert store.put(record("new"))


class _Failing(sqlite3.OperationalError):
    def __init__(self, text, name):
        super().__init__(text)
        self.sqlite_errorname = name


@pytest.mark.parametrize(
    ("error", "free", "remedy"),
    [
        (_Failing("disk I/O error", "SQLITE_IOERR_WRITE"), 16_384, "make room"),
        (_Failing("disk I/O error", "SQLITE_IOERR_WRITE"), 10**9, "the disk fails"),
        (_Failing("unable to open database file", "SQLITE_CANTOPEN"), 16_384, "make room"),
        (_Failing("unable to open database file", "SQLITE_CANTOPEN"), 10**9, "writable"),
        (_Failing("database is locked", "SQLITE_BUSY"), 10**9, "another process"),
        (_Failing("malformed", "SQLITE_CORRUPT_VTAB"), 10**9, "doctor --repair"),
        (OSError(errno.ENOSPC, "No space left on device"), 10**9, "make room"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), 10**9, "make room"),
        (OSError(errno.EACCES, "Permission denied"), 10**9, "writable"),
    ],
)
def test_an_error_of_the_system_has_its_remedy(store, monkeypatch, error, free, remedy):
    """By what SQLite calls it, and by how much room there is."""

    def fail(*_, **__):
        raise error

    usage = shutil.disk_usage(store.folder)._replace(free=free)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda folder: usage)
    monkeypatch.setattr(store, "_put", fail)
    with pytest.raises(StoreError, match=remedy):
        store.put(record())


# -- processes and threads --------------------------------------------------------------------


def test_disk_full(store):
    """A full disk is an error that says so; what was written before stays, and so does order."""
    store.put(record("a"))
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="make room"):
        store.put(record("b"), {"big": np.zeros(10**6)})
    store._db.execute("PRAGMA max_page_count = 1000000")
    assert [r["key"] for r in store.records()] == ["a"]
    assert store.put(record("b"))


def test_readers_do_not_wait(tmp_path):
    """One process reads what another has written, in the midst of its next transaction."""
    with Store(tmp_path) as writer, Store(tmp_path, create=False) as reader:
        writer.put(record("a"))
        with writer._transaction():
            writer._db.execute("DELETE FROM records")
            assert [r["key"] for r in reader.records()] == ["a"]
        assert reader.records() == []


def test_threads(store):
    """Threads share a store: every record arrives once."""

    def write(offset):
        for i in range(50):
            store.put(record(str(offset + i)), {"a": np.full(3, i)})

    threads = [threading.Thread(target=write, args=(25 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.records()) == 125


def test_processes(tmp_path):
    """Processes that create one store at the same moment, and write the same keys, share it."""
    code = """
import os, sys, time
sys.path.insert(0, sys.argv[2])
from test_store import record
from nmfbench.records.store import Store
go = sys.argv[1] + "/go"
pids = [os.fork() for _ in range(2)]  # 4 processes
while not os.path.exists(go):
    time.sleep(0.001)
    if all(pids):
        open(go, "w").close()
with Store(sys.argv[1]) as store:
    written = sum(store.put(record(str(i))) for i in range(40))
with open(f"{sys.argv[1]}/written-{os.getpid()}", "w") as file:
    file.write(str(written))
for pid in pids:
    if pid:
        os.waitpid(pid, 0)
"""
    here = Path(__file__).parent
    python(code, tmp_path, str(here), path=[here.parent])
    counts = [int(path.read_text()) for path in tmp_path.glob("written-*")]
    assert len(counts) == 4
    assert sum(counts) == 40
    with Store(tmp_path) as store:
        assert len(store.records()) == 40
