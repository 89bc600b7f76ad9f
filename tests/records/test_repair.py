"""Repair: every damage is noticed, what is whole is kept, and the rest is named."""

import random
import sqlite3

import numpy as np
import pytest
from test_store import forget_digests, record

from nmfbench.records.errors import DamagedError, NoStoreError, StoreError
from nmfbench.records.repair import repair, survey
from nmfbench.records.schema import AUDIT, DRAW
from nmfbench.records.store import Store

FLIPS = 120
AUDITS = [dict.fromkeys(AUDIT, "x") | {"key": f"{i}", "host": {"cores": i}} for i in range(4)]

DRAWS = [
    dict.fromkeys(DRAW, "x") | {"draw": f"{i}", "audited": i, "records": {"a": "b"}, "host": {}}
    for i in range(4)
]


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """A store with records computed here and elsewhere, and audits; as bytes, and its content."""
    folder = tmp_path_factory.mktemp("given")
    rng = np.random.default_rng(0)
    with Store(folder) as store:
        for i in range(40):
            given = record(f"{i * 7919:08x}", seconds=rng.random(), n_iter=i)
            given["metrics"] = {"accuracy": rng.random(), "nmi": rng.random()}
            store.put(given, {"W": rng.random((8, 5)), "trace": rng.random(30)} if i % 2 else {})
        store.put(record("f", status="failed", error="boom", metrics={}))
        elsewhere = [record(f"i{i}", metrics={"nmi": rng.random()}) for i in range(8)]
        store.put_imported((one, {"curve": rng.random(7)}) for one in elsewhere)
        store.put_audits(AUDITS)
        store.put_draws(DRAWS)
    return (folder / "records.sqlite").read_bytes(), content(folder)


def content(folder):
    """All that a store gives out."""
    with Store(folder, create=False) as store:
        records = {one["key"]: one for one in store.records()}
        arrays = {
            key: [{n: store.array(key, n).tobytes() for n in store.array_names(key)}]
            + [{n: array.tobytes() for n, array in store.arrays(key).items()}]
            for key in records
        }
        audits = [*store.audits(), *store.draws()]
        return records, arrays, store.imported(records), store.status(records), audits


def lay(folder, data):
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / "records.sqlite").write_bytes(data)


def assert_part_of(found, whole):
    """Nothing but what was written, though perhaps not all of it."""
    for some, all_of_it in zip(found[:2], whole[:2], strict=True):
        assert some.items() <= all_of_it.items()
    assert found[2] == whole[2].intersection(found[0])
    assert found[3].items() <= whole[3].items()
    assert all(audit in whole[4] for audit in found[4])


def test_a_flipped_bit_is_noticed_or_changes_nothing(given, tmp_path):
    """Wherever it is in the file: reading gives what was written or an error that says what to do,
    the survey finds what reading finds, and after a repair all is whole."""
    data, whole = given
    rng, noticed, repaired = random.Random(0), 0, 0
    for _ in range(FLIPS):
        bit = rng.randrange(8 * len(data))
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        lay(tmp_path / "store", flipped)
        try:
            assert content(tmp_path / "store") == whole, bit
            error = None
        except StoreError as caught:
            noticed, error = noticed + 1, caught
        lay(tmp_path / "store", flipped)
        try:
            found = survey(tmp_path / "store")
        except StoreError:  # of the first page, without which nothing can be found
            assert error is not None
            assert bit < 8 * 4096
            continue
        if error is not None:
            assert not found.is_whole, (bit, error)
        if not found.is_whole:
            after = repair(tmp_path / "store")
            assert after.aside.read_bytes()[100:] == flipped[100:]
            assert survey(tmp_path / "store").is_whole
            left = content(tmp_path / "store")
            assert_part_of(left, whole)
            assert len(left[0]) == after.records >= len(whole[0]) - 3
            repaired += 1
    assert noticed > FLIPS // 3  # the others are of free space
    assert repaired > FLIPS // 3


def test_a_damaged_page_hides_no_more_than_what_is_on_it(given, tmp_path):
    """Several pages lost, the others are read; what is set aside is named as far as it is known."""
    data, whole = given
    lay(tmp_path, data)
    with sqlite3.connect(tmp_path / "records.sqlite") as db:
        roots = {n for (n,) in db.execute("SELECT rootpage FROM sqlite_master")} | {1}
    db.close()
    rotten = bytearray(data)
    for page in sorted(set(range(1, len(data) // 4096 + 1)) - roots)[3::8]:
        rotten[4096 * (page - 1) : 4096 * page] = b"\xa5" * 4096
    lay(tmp_path, rotten)
    with pytest.raises(DamagedError, match=r"doctor --repair"):
        content(tmp_path)
    found = repair(tmp_path)
    assert 0 < found.records < len(whole[0])
    left = content(tmp_path)
    assert_part_of(left, whole)
    assert survey(tmp_path).is_whole


def test_what_is_set_aside_is_named(given, tmp_path):
    """With its key, its trial and what is wrong with it; the file as it was stays beside."""
    data, whole = given
    lay(tmp_path, data)
    keys = sorted(whole[0])
    with sqlite3.connect(tmp_path / "records.sqlite") as db:
        db.execute("UPDATE records SET metrics = '{}' WHERE key = ?", (keys[0],))
        db.execute("UPDATE records SET metrics = x'ff00' WHERE key = ?", (keys[1],))
        db.execute("UPDATE arrays SET npy = x'00' WHERE key = ? AND name = 'W'", (keys[3],))
        db.execute("UPDATE audits SET outcome = '?' WHERE key = '2'")
    db.close()
    before = (tmp_path / "records.sqlite").read_bytes()
    found = survey(tmp_path)
    assert (tmp_path / "records.sqlite").read_bytes() == before
    assert [damage.key for damage in found.damaged] == [keys[0], keys[1], keys[3]]
    assert found.damaged[2].what == "array 'W': it is not what was written"
    assert found.damaged[0].trial["solver"] == "spa"
    assert (found.records, found.audits, found.aside) == (len(keys) - 3, 1, None)
    repaired = repair(tmp_path)
    assert repaired.damaged == found.damaged
    assert repaired.aside.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "records.sqlite",
        "records.sqlite.damaged-1",
    ]
    left = content(tmp_path)
    assert left[0].keys() == whole[0].keys() - {keys[0], keys[1], keys[3]}
    assert left[4] == [audit for audit in AUDITS if audit["key"] != "2"] + DRAWS
    assert_part_of(left, whole)


def test_a_whole_store_stays_as_it_is(given, tmp_path):
    """Not a byte is written; records without a digest are counted."""
    data, whole = given
    lay(tmp_path, data)
    found = repair(tmp_path)
    assert found.is_whole
    assert (found.records, found.failed, found.imported, found.bare) == (len(whole[0]), 1, 8, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["records.sqlite"]
    assert (tmp_path / "records.sqlite").read_bytes() == data
    forget_digests(tmp_path)
    assert survey(tmp_path).bare == len(whole[0])
    with sqlite3.connect(tmp_path / "records.sqlite") as db:
        db.execute("UPDATE records SET metrics = '{' WHERE key = 'f'")
    db.close()
    repair(tmp_path)
    assert survey(tmp_path).bare == 0
    assert content(tmp_path)[1] == {key: a for key, a in whole[1].items() if key != "f"}


def test_a_store_in_use_is_not_repaired(given, tmp_path):
    """A store that another process has open is not repaired."""
    data, _ = given
    lay(tmp_path, data)
    with Store(tmp_path) as store:
        store._db.execute("UPDATE records SET error = 'bang' WHERE key = 'f'")
        with pytest.raises(StoreError, match="end all other processes"):
            repair(tmp_path)
        assert store.put(record("new"))
    assert [damage.key for damage in repair(tmp_path).damaged] == ["f"]
    with Store(tmp_path) as store:
        assert store.status(["new"]) == {"new": "done"}


def test_what_cannot_be_repaired_is_said(tmp_path):
    """No store, another program's database, and a file of which nothing can be read."""
    with pytest.raises(NoStoreError, match="there is no store"):
        repair(tmp_path / "nothing")
    (tmp_path / "records.sqlite").write_bytes(b"x" * 5000)
    with pytest.raises(NoStoreError, match="move it away"):
        repair(tmp_path)
