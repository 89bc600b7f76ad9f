"""The record book: what is published, where it stands, and what an import gives back."""

import contextlib
import hashlib
import json
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from engine import on_digits, trial

from nmfbench import cli
from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import Finding
from nmfbench.artefacts.grids import Method
from nmfbench.core import registry
from nmfbench.core.registry import Registry
from nmfbench.engine import runner
from nmfbench.records.errors import StoreError
from nmfbench.records.exchange import FIRST, LAST, ExchangeError, read_exports, trial_of
from nmfbench.records.merge import import_records
from nmfbench.records.provenance import machine
from nmfbench.records.record import JSON, digest, to_row
from nmfbench.records.saved import as_saved
from nmfbench.records.store import Store
from nmfbench.records.vouchers import standing
from nmfbench.trials.trial import key_of
from nmfbench.verdicts import book as module
from nmfbench.verdicts.book import owners, publish
from nmfbench.verdicts.evaluate import claim_rows, evaluate

ELSEWHERE = {"platform": "other", "cpu": "other", "cores": 1, "machine": machine()}
SINGLE = np.linspace(0, 1, 4, dtype=np.float32)


def _total(records, name):
    return float(sum(np.sum(arrays[name]) for arrays in records["arrays"]))


def _drawn(records):
    """A table that reads an image and a curve of each trial, and asks for what not all have."""
    extra = [arrays.get("extra") is not None for arrays in records["arrays"]]
    totals = [_total(records, name) for name in ("image", "curve", "both")]
    return pd.DataFrame({"total": [sum(totals)], "extra": [sum(extra)]})


def _judged(records):
    return Finding.without("confirmed" if _total(records, "both") > 0 else "refuted", "")


def artefact(name, trials, summarise=len, claims=()):
    return Artefact(
        name,
        title=name,
        kind="table",
        methods=[Method(solver, solver) for solver in sorted({one.solver for one in trials})],
        grid=lambda profile: trials,
        table=summarise,
        picture=lambda table: table,
        claims=claims,
    )


DRAWN = [trial(solver, repeat=repeat) for solver in ("spa", "xray-l2") for repeat in range(2)]
FITS = [on_digits("recognition"), on_digits("recognition", "pca")]
SHARED = [on_digits("clustering"), DRAWN[0]]
OTHER = trial("smrs", repeat=9)
EVERYTHING = [*DRAWN, *FITS, *(one.base for one in FITS), SHARED[0], OTHER]
ARRAYS = {"image": SINGLE, "curve": np.arange(3.0), "both": SINGLE + 1, "unread": np.ones(5)}


@pytest.fixture(autouse=True)
def artefacts(monkeypatch):
    """Three small artefacts instead of the papers'."""
    claims = [Claim("sums", "It is positive.", "Section 1", _judged)]
    found = [
        artefact("alpha/drawn", DRAWN, _drawn, claims),
        artefact("beta/clusters", SHARED),
        artefact("gamma/fits", FITS),
    ]
    few = Registry("artefact", "json")  # any module that registers nothing
    for one in found:
        few.add(one.id, one)
    monkeypatch.setattr(registry, "artefacts", few)
    return found


def record_of(one, metric=0.25, **changes):
    answer = {"outcome": {"metrics": {"a": metric}, "fit": {"n_iter": 3, "objective": 0.1}}}
    record = runner.make_record(one, answer | {"elapsed": 0.5}, {})
    return record | {"finished": "2026-01-01T00:00:00+00:00"} | changes


def fill(store, trials=EVERYTHING, **changes):
    for one in trials:
        store.put(record_of(one, **changes), ARRAYS if one in DRAWN else {})


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def book(tmp_path):
    return tmp_path / "book"


def bytes_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files_of(folder)}


def files_of(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def keys_of(path):
    return {record["key"] for record, _ in read_exports([path])}


# -- out and in -------------------------------------------------------------------------------


def test_an_import_gives_the_records_back(store, book, tmp_path, artefacts):
    """Equal records, the arrays that pictures and claims read, and the same verdicts."""
    fill(store)
    found = publish(store, book)
    assert (found.records, found.written, found.outdated) == (len(EVERYTHING), found.files, 0)
    assert found.merge.new == len(EVERYTHING)
    assert found.size == sum(path.stat().st_size for path in files_of(book))
    with Store(tmp_path / "other") as other:
        import_records(read_exports([book]), other)
        assert other.records() == list(map(as_saved, store.records()))
        for one in EVERYTHING:
            names = ["both", "curve", "image"] if one in DRAWN else []
            assert other.array_names(one.key) == names
            assert other.arrays(one.key) == {}
        for one in artefacts:
            here, there = evaluate(one, store), evaluate(one, other)
            assert claim_rows(here) == claim_rows(there)
            assert "computed by today's code" in here.notes[0]
            assert "elsewhere, not audited" in there.notes[0]
            assert (here.foreign, there.foreign) == (False, True)
            same = {"notes": [], "foreign": None}
            assert here.to_dict() | same == there.to_dict() | same
        assert evaluate(artefacts[0], other).verdicts[0][1].verdict == "confirmed"


def test_an_array_that_stayed_behind_is_asked_for_by_name(store, book, tmp_path, artefacts):
    """Whoever looks at more than the book's report shows learns what to do, and gets no verdict."""
    fill(store)
    publish(store, book)
    claims = [Claim("sums", "It is.", "Section 1", lambda frame: frame["arrays"].iloc[0]["unread"])]
    more = artefact("alpha/more", DRAWN, len, claims)
    with Store(tmp_path / "other") as other:
        import_records(read_exports([book]), other)
        evaluation = evaluate(more, other)
        assert [verdict.verdict for _, verdict in evaluation.verdicts] == ["not run"]
        (note,) = [text for text in evaluation.notes if "(unread)" in text]
        assert "nmfbench run alpha/more" in note
        with pytest.raises(StoreError, match=r"without its array 'unread'.*'nmfbench run'"):
            other.array(DRAWN[0].key, "unread")


def test_what_claims_read_is_exact_and_what_is_only_drawn_is_light(store, book):
    """Images in single precision become half; curves, and what claims read, stay."""
    fill(store)
    publish(store, book)
    arrays = {record["key"]: arrays for record, arrays in read_exports([book])}
    for one in DRAWN:
        found = arrays[one.key]
        assert {name: array.dtype.str for name, array in found.items()} == {
            "image": "<f2",
            "curve": "<f8",
            "both": "<f4",
        }
        assert found["both"].tobytes() == ARRAYS["both"].tobytes()
        np.testing.assert_allclose(found["image"], SINGLE, rtol=1e-3)


def test_images_that_are_only_drawn_are_light_whatever_their_precision(store, book):
    """Also images in double precision, once they are published again."""
    image = np.linspace(0, 1, 6).reshape(2, 3)
    store.put(record_of(DRAWN[0]), ARRAYS | {"image": image})
    publish(store, book)
    ((_, arrays),) = read_exports([book])
    assert arrays["image"].dtype == np.float16
    np.testing.assert_allclose(arrays["image"], image, atol=1e-3)
    assert publish(store, book).written == 0


def test_an_image_that_half_precision_cannot_hold_stays(store, book):
    """Too large numbers would become infinite."""
    fill(store, DRAWN)
    store.put(record_of(DRAWN[0]), ARRAYS | {"image": SINGLE * 1e6}, replace=True)
    publish(store, book)
    arrays = {record["key"]: found for record, found in read_exports([book])}
    assert arrays[DRAWN[0].key]["image"].dtype == np.float32
    assert arrays[DRAWN[1].key]["image"].dtype == np.float16


def test_verdicts_of_a_real_artefact_come_back(store, book, tmp_path, monkeypatch):
    """Of the speeds of optimal gradient methods, which are read off curves."""
    monkeypatch.undo()
    real = registry.artefacts["mahnmf/fig3"].target
    few = Registry("artefact", "json")
    few.add(real.id, real)
    monkeypatch.setattr(registry, "artefacts", few)
    runner.run(real.plan("smoke"), store)
    publish(store, book)
    with Store(tmp_path / "other") as other:
        import_records(read_exports([book]), other)
        here, there = evaluate(real, store), evaluate(real, other)
    assert here.done == len(set(real.plan("smoke")))
    assert claim_rows(here) == claim_rows(there)
    pd.testing.assert_frame_equal(here.table, there.table)


# -- where a row stands -----------------------------------------------------------------------


def test_a_row_stands_in_the_file_of_the_first_artefact_that_asks_for_it(store, book):
    """So does a fit with what starts from it; the rest is in files by task."""
    fill(store)
    publish(store, book)
    assert {path.relative_to(book).as_posix() for path in files_of(book)} == {
        *("alpha/drawn.parquet", "beta/clusters.parquet", "gamma/fits.parquet"),
        f"compare/{OTHER.task}.parquet",
    }
    assert keys_of(book / "alpha" / "drawn.parquet") == {one.key for one in DRAWN}
    fit, other = (one.base for one in FITS)
    assert fit == SHARED[0].base
    assert keys_of(book / "beta" / "clusters.parquet") == {SHARED[0].key, fit.key}
    assert keys_of(book / "gamma" / "fits.parquet") == {*(one.key for one in FITS), other.key}
    assert keys_of(book / "compare" / f"{OTHER.task}.parquet") == {OTHER.key}


def test_every_artefact_that_asks_for_a_trial_is_named(store, artefacts):
    """In order; also where the trial is on a substitute of the data."""
    orl = trial("spa", task="exemplars", dataset="orl", dataset_params={})
    artefacts = [*artefacts, artefact("delta/faces", [orl])]
    stand_in = type(orl)(**orl.to_dict() | {"stand_in": True})
    variant = type(orl)(**orl.to_dict() | {"dataset_params": {"variant": True}})
    asked = [DRAWN[0], SHARED[0], orl, stand_in, variant, OTHER]
    found = owners(artefacts, [record_of(one) for one in asked])
    assert found[DRAWN[0].key] == ["alpha/drawn", "beta/clusters"]
    assert found[SHARED[0].key] == ["beta/clusters"]
    for one in (orl, stand_in, variant):
        assert found[one.key] == ["delta/faces"]
    assert OTHER.key not in found


# -- once more --------------------------------------------------------------------------------


def test_publishing_again_writes_nothing(store, book):
    """A file whose records have not changed is left alone, to the time it was written."""
    fill(store)
    publish(store, book)
    before = {path: path.stat().st_mtime_ns for path in files_of(book)}
    found = publish(store, book)
    assert (found.written, found.merge.new, found.merge.held) == (0, 0, len(EVERYTHING))
    assert {path: path.stat().st_mtime_ns for path in files_of(book)} == before


def test_equal_records_give_equal_bytes(store, book, tmp_path):
    """Whatever the order in which they were stored, or published."""
    fill(store)
    publish(store, book)
    with Store(tmp_path / "other") as other:
        fill(other, EVERYTHING[:3])
        parts = tmp_path / "parts"
        publish(other, parts)
        fill(other, EVERYTHING[:2:-1])
        publish(other, parts)
    assert bytes_of(parts) == bytes_of(book)
    with Store(tmp_path / "third") as third:
        for some in (EVERYTHING[5:], EVERYTHING[::-1]):
            for record in store.records(one.key for one in some):
                third.put(record, store.arrays(record["key"]))
            publish(third, tmp_path / "third-book")
    assert bytes_of(tmp_path / "third-book") == bytes_of(book)


def test_only_files_with_new_records_are_written(store, book):
    """New repeats of one artefact change its file, and no other."""
    fill(store, [one for one in EVERYTHING if one is not OTHER])
    publish(store, book)
    before = bytes_of(book)
    fill(store, [OTHER])
    found = publish(store, book)
    assert found.written == 1
    assert before.items() < bytes_of(book).items()


def test_new_records_go_into_a_further_file(store, book, monkeypatch):
    """A file of records that did not change stays as it is, to the bytes; a small one grows."""
    monkeypatch.setattr(module, "_SMALL", 0)
    fill(store, DRAWN[:3])
    publish(store, book)
    before = bytes_of(book)
    fill(store, DRAWN[3:])
    found = publish(store, book)
    assert (found.written, found.files, found.records) == (1, 2, 4)
    after = bytes_of(book)
    assert before.items() < after.items()
    assert keys_of(book / "alpha" / "drawn-2.parquet") == {DRAWN[3].key}
    assert publish(store, book).written == 0
    monkeypatch.setattr(module, "_SMALL", 10**6)
    fill(store, [OTHER])
    publish(store, book)
    assert found.files + 1 == len(files_of(book))


def test_a_book_can_be_made_compact(store, book, tmp_path, monkeypatch):
    """Then equal records give equal files, however they came to it."""
    with Store(tmp_path / "other") as other:
        fill(other)
        publish(other, tmp_path / "at-once")
    monkeypatch.setattr(module, "_SMALL", 0)
    for one in EVERYTHING:
        fill(store, [one])
        publish(store, book)
    assert len(files_of(book)) > len(files_of(tmp_path / "at-once"))
    found = publish(store, book, compact=True)
    assert bytes_of(book) == bytes_of(tmp_path / "at-once")
    assert found.records == len(EVERYTHING)


def test_no_file_is_too_large(store, book, monkeypatch):
    """More records than fit into one stand in several, and come back; one that was too large
    before is written again."""
    fill(store)
    publish(store, book)
    whole = keys_of(book)
    smallest = max(path.stat().st_size for path in files_of(book)) - 1
    monkeypatch.setattr(module, "_LARGEST", smallest)
    found = publish(store, book)
    assert found.written == 2
    assert max(path.stat().st_size for path in files_of(book)) <= smallest
    assert keys_of(book) == whole
    assert publish(store, book).written == 0


def test_a_changed_record_changes_its_own_file(store, book, monkeypatch):
    """Of the files of an artefact, the one that it stands in."""
    monkeypatch.setattr(module, "_SMALL", 0)
    for one in DRAWN:
        fill(store, [one], status="failed", metrics={}, error="ValueError: no")
        publish(store, book)
    before = bytes_of(book)
    assert len(before) == len(DRAWN)
    fill(store, DRAWN[1:2])
    assert publish(store, book).written == 1
    changed = [name for name, data in bytes_of(book).items() if data != before[name]]
    assert changed == ["alpha/drawn-2.parquet"]


def test_the_book_s_record_stays_and_a_difference_is_reported(store, book, tmp_path):
    """Equal keys: whoever publishes later changes nothing."""
    fill(store)
    publish(store, book)
    before = bytes_of(book)
    with Store(tmp_path / "other") as other:
        fill(other, DRAWN[:1], metric=0.5, finished="2030-01-01T00:00:00+00:00")
        found = publish(other, book)
        assert found.merge.different == [DRAWN[0].key]
    assert bytes_of(book) == before


# -- what stays out ---------------------------------------------------------------------------


def test_time_outs_deaths_and_classes_from_outside_stay_out(store, book, tmp_path):
    """They say something of a host, or of a file that nobody else has; a failure is a result."""
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def __init__(self, n_components=2): pass\n    def fit(self, X): pass\n"
    )
    guest = trial(f"{tmp_path}/mine.py:Mine")
    fill(store, [guest, DRAWN[0]])
    errors = [
        "TimeoutError: 3 s\n  File ...",
        "WorkerDied: signal 9",
        "ValueError: no TimeoutError",
    ]
    for one, error in zip(DRAWN[1:], [*errors[:2], "Traceback\nValueError: no"], strict=True):
        store.put(record_of(one, status="failed", metrics={}, error=error))
    fit, evaluation = FITS[0].base, FITS[0]
    store.put(record_of(fit, status="failed", metrics={}, error=errors[0]))
    base_failed = f"BaseFailed: trial {fit.key}, factorization, failed: TimeoutError: 3 s"
    store.put(record_of(evaluation, status="failed", metrics={}, error=base_failed))
    publish(store, book)
    assert keys_of(book) == {DRAWN[0].key, DRAWN[3].key}


def test_a_raised_version_drops_its_rows(store, book, tmp_path, monkeypatch):
    """They leave the book with the next publication, and a file without any is removed."""
    fill(store)
    publish(store, book)
    monkeypatch.setitem(registry.solvers["smrs"].info, "version", 2)
    monkeypatch.setitem(registry.solvers["spa"].info, "version", 2)
    with Store(tmp_path / "empty") as empty:
        found = publish(empty, book)
    assert found.outdated == 3
    assert found.records == len(EVERYTHING) - 3
    assert not (book / "compare.parquet").exists()
    assert keys_of(book / "alpha" / "drawn.parquet") == {one.key for one in DRAWN[2:]}
    assert publish(store, book).merge.new == 0


def test_rows_of_what_is_gone_leave_the_book(store, book, tmp_path, monkeypatch):
    """A solver that is not registered any more is an error neither in the store nor in the book."""
    fill(store)
    publish(store, book)
    monkeypatch.delitem(registry.solvers._entries, "smrs")
    found = publish(store, book)
    assert (found.outdated, found.records) == (1, len(EVERYTHING) - 1)
    assert OTHER.key not in keys_of(book)


# -- records of others ------------------------------------------------------------------------


def forge(store, trials):
    """Import records with a metric of 0.99, as a file of a stranger would bring them."""
    pairs = ((record_of(one, metric=0.99), ARRAYS if one in DRAWN else {}) for one in trials)
    import_records(pairs, store)


def vouch(monkeypatch, *trials):
    keys = {one.key for one in trials}
    monkeypatch.setattr(module, "vouched_for", lambda store, asked: keys)


def test_records_of_others_stay_out_until_an_audit_vouches_for_them(store, book, monkeypatch):
    """Also records of the suite's own solvers; the command counts them."""
    fill(store, DRAWN)
    forge(store, FITS)
    found = publish(store, book)
    assert (found.unaudited, found.merge.new) == (2, 4)
    assert keys_of(book) == {one.key for one in DRAWN}
    vouch(monkeypatch, FITS[0])
    found = publish(store, book)
    assert (found.unaudited, found.merge.new) == (1, 1)
    assert keys_of(book) == {one.key for one in (*DRAWN, FITS[0])}


def test_a_store_of_another_machine_is_not_taken_for_ones_own(store, book, monkeypatch):
    """Its records stay out until this machine audits them, whatever audits they come with."""
    foreign = record_of(FITS[0])["host"] | {"machine": "0" * 32}
    fill(store, DRAWN)
    fill(store, FITS, host=foreign)
    draw = {"draw": "0", "task": FITS[0].task, "solver": FITS[0].solver, "dataset": "digits"}
    draw |= {"record_code": FITS[0].code, "code": FITS[0].code, "audited": 1}
    draw |= {"records": {one.key: digest(to_row(record_of(one, host=foreign))) for one in FITS}}
    draw["finished"] = "2026-01-01T00:00:00+00:00"
    store.put_draws([draw | {"host": foreign}])
    assert standing(store, FITS)["elsewhere"] == len(FITS)
    found = publish(store, book)
    assert (found.unaudited, found.merge.new) == (2, len(DRAWN))
    store.put_draws([draw | {"host": record_of(FITS[0])["host"]}])
    assert standing(store, FITS)["audited"] == 1  # the other is of another solver
    found = publish(store, book)
    assert (found.unaudited, found.merge.new) == (1, 1)


def test_the_book_stays_publishable_from_a_store_that_imported_it(store, book, tmp_path):
    """Without an audit, and with what the store computed besides."""
    fill(store, DRAWN)
    publish(store, book)
    before = bytes_of(book)
    with Store(tmp_path / "other") as other:
        import_records(read_exports([book]), other)
        found = publish(other, book)
        assert (found.unaudited, found.merge.held, found.written) == (0, len(DRAWN), 0)
        assert bytes_of(book) == before
        fill(other, [OTHER])
        assert publish(other, book).records == len(DRAWN) + 1


def test_a_record_of_others_never_takes_the_place_of_the_book_s(store, book, tmp_path):
    """Not even one that says it was computed under the reference target."""
    fill(store, DRAWN[:1], versions={"numpy": "2.0"})
    publish(store, book)
    before = bytes_of(book)
    with Store(tmp_path / "other") as other:
        forge(other, DRAWN[:1])
        (record,) = other.records()
        claimed = {"blas": "openblas Haswell x1", "numba-target": "x86-64-v3 0"}
        claimed |= {"numpy-simd": "X86_V3", "libc": "glibc"}
        other.put_imported([(record | {"versions": claimed}, ARRAYS)])
        assert publish(other, book).unaudited == 1
    assert bytes_of(book) == before


def test_arrays_of_others_are_not_published(store, book, tmp_path, monkeypatch):
    """An audit does not compare them: a record of which some are read stays out, and more of them
    for a record of the book do."""
    fill(store, DRAWN[:1])
    publish(store, book)
    with Store(tmp_path / "other") as other:
        (pair,) = read_exports([book])
        import_records([(pair[0], pair[1] | {"extra": np.ones(3)})], other)
        forge(other, DRAWN[1:2])
        assert other.array_names(DRAWN[0].key) == ["both", "curve", "extra", "image"]
        monkeypatch.setattr(module, "vouched_for", lambda store, trials: {t.key for t in trials})
        assert publish(other, book).unaudited == 1
    arrays = {record["key"]: set(found) for record, found in read_exports([book])}
    assert arrays == {DRAWN[0].key: {"both", "curve", "image"}}


@pytest.mark.parametrize("wrong", [np.array(["x"]), np.array(["2026-01-01"], "M8[D]")])
def test_arrays_of_others_end_neither_claims_nor_pages(store, artefacts, wrong):
    """Where no table can be made of a complete grid, a note says so, and it counts as failed."""
    import_records(((record_of(one), ARRAYS | {"image": wrong}) for one in DRAWN), store)
    found = evaluate(artefacts[0], store)
    assert (found.done, found.total, found.table) == (len(DRAWN), len(DRAWN), None)
    assert "No table can be made of 4 of 4 trials" in found.notes[-1]
    assert [text.partition(":")[0] for text in found.broken] == ["alpha/drawn, table"]
    assert len(claim_rows(found)) == 1
    for one in DRAWN:
        store.put(record_of(one), ARRAYS | {"image": wrong}, replace=True)
    with pytest.raises(TypeError):  # computed here, it is an error of the suite
        evaluate(artefacts[0], store)


def test_a_published_record_does_not_name_its_machine(store, book):
    """The store's does, by a random name."""
    fill(store, DRAWN)
    publish(store, book)
    assert all(record["host"]["machine"] for record in store.records())
    assert all("machine" not in record["host"] for record, _ in read_exports([book]))
    assert publish(store, book).written == 0


# -- merging into the book --------------------------------------------------------------------


def test_timings_of_the_larger_set_take_the_place_of_the_book_s(store, book, tmp_path):
    """All rivals of a problem from one host: the one that timed more of them."""
    timed = [trial(solver, timed=True) for solver in ("spa", "xray-l2", "smrs")]
    fill(store, timed[:2], host=ELSEWHERE)
    publish(store, book)
    with Store(tmp_path / "here") as here:
        fill(here, timed[:1])
        found = publish(here, book)
        assert (found.merge.new, found.merge.replaced) == (0, 0)
        fill(here, timed)
        found = publish(here, book)
        assert (found.merge.new, found.merge.replaced) == (1, 2)
    records = [record for record, _ in read_exports([book])]
    assert len(records) == 3
    assert len({record["host"]["cpu"] for record in records} - {"other"}) == 1


def test_timings_that_were_all_taken_later_take_the_place_of_the_book_s(store, book, tmp_path):
    """As many rivals of a problem from one host; not if one of them stayed behind."""
    timed = [trial(solver, timed=True) for solver in ("spa", "xray-l2")]
    fill(store, timed, host=ELSEWHERE)
    publish(store, book)
    with Store(tmp_path / "here") as here:
        import_records(read_exports([book]), here)
        later = {"finished": "2026-01-02T00:00:00+00:00"}
        here.put(record_of(timed[0], **later), replace=True)
        found = publish(here, book)
        assert (found.merge.new, found.merge.replaced) == (0, 0)
        here.put(record_of(timed[1], **later), replace=True)
        found = publish(here, book)
        assert (found.merge.new, found.merge.replaced) == (0, 2)
    assert all(record["host"]["cpu"] != "other" for record, _ in read_exports([book]))


def test_arrays_of_what_a_store_could_not_take_stay_in_the_book(store, book, tmp_path, monkeypatch):
    """It has timings of its own of some rivals on a problem, and so none of the others."""
    timed = [trial(solver, timed=True) for solver in ("spa", "xray-l2", "smrs")]
    entry = registry.Entry("delta/timed", artefact("delta/timed", timed, _drawn))
    monkeypatch.setitem(registry.artefacts._entries, "delta/timed", entry)
    for one in timed:
        store.put(record_of(one, host=ELSEWHERE), ARRAYS)
    publish(store, book)
    with Store(tmp_path / "here") as here:
        here.put(record_of(timed[0]), ARRAYS)
        publish(here, book)
        assert here.status([one.key for one in timed[1:]]) == {}
    found = {record["host"]["cpu"]: set(arrays) for record, arrays in read_exports([book])}
    assert found == {"other": {"image", "curve", "both"}}


def test_a_timing_of_the_book_gets_no_trace_of_another_run(store, book, tmp_path):
    """Its seconds are those of the run that the book has; an untimed trial gives the same again."""
    timed, untimed = trial("spa", timed=True), trial("spa")
    store.put(record_of(timed, host=ELSEWHERE), {})
    store.put(record_of(untimed, host=ELSEWHERE), {})
    publish(store, book)
    also = [(one.key, "curve") for one in (timed, untimed)]
    with Store(tmp_path / "here") as here:
        for one in (timed, untimed):
            here.put(record_of(one), ARRAYS)
        publish(here, book, also)
    found = {
        record["key"]: (record["host"], set(arrays)) for record, arrays in read_exports([book])
    }
    assert found[timed.key][0]["cpu"] == found[untimed.key][0]["cpu"] == "other"
    assert ["curve" in found[one.key][1] for one in (timed, untimed)] == [False, True]


def test_records_of_a_set_that_grows_keep_their_arrays(store, book, tmp_path, monkeypatch):
    """The book's stand in the larger set as they were imported."""
    timed = [trial(solver, timed=True) for solver in ("spa", "xray-l2", "smrs")]
    entry = registry.Entry("delta/timed", artefact("delta/timed", timed, _drawn))
    monkeypatch.setitem(registry.artefacts._entries, "delta/timed", entry)
    for one in timed[:2]:
        store.put(record_of(one, host=ELSEWHERE), ARRAYS)
    publish(store, book)
    with Store(tmp_path / "here") as here:
        import_records(read_exports([book]), here)
        here.put(record_of(timed[2]), ARRAYS)
        publish(here, book)
    assert [set(arrays) for _, arrays in read_exports([book])] == [{"image", "curve", "both"}] * 3


def test_an_array_that_a_picture_begins_to_read_is_published_later(store, book, monkeypatch):
    """The rows stay, and what they lack is added to them."""
    fill(store)
    publish(store, book)
    entry = registry.artefacts["alpha/drawn"]

    def summarise(records):
        _total(records, "unread")
        return _drawn(records)

    changed = artefact("alpha/drawn", DRAWN, summarise, entry.target.claims)
    monkeypatch.setitem(
        registry.artefacts._entries, "alpha/drawn", registry.Entry("alpha/drawn", changed)
    )
    found = publish(store, book)
    assert found.written == 1
    arrays = [arrays for _, arrays in read_exports([book / "alpha" / "drawn.parquet"])]
    assert all(set(found) == {"image", "curve", "both", "unread"} for found in arrays)


def test_an_array_that_nothing_reads_any_longer_leaves_the_book(store, book):
    """Leaderboards name theirs, which no artefact reads."""
    fill(store)
    key = DRAWN[0].key
    publish(store, book, also=[(key, "unread")])
    before = {r["key"]: set(arrays) for r, arrays in read_exports([book])}
    assert before[key] == {"image", "curve", "both", "unread"}
    assert publish(store, book).written == 1
    after = {r["key"]: set(arrays) for r, arrays in read_exports([book])}
    assert after == before | {key: {"image", "curve", "both"}}


# -- damage -----------------------------------------------------------------------------------


@pytest.mark.parametrize("flips", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_commands_name_the_damage_of_a_store(store, tmp_path, capsys, flips):
    """Wherever a bit is flipped, reading commands end by themselves, without a traceback."""
    fill(store)
    store.close()
    data, place = store.path.read_bytes(), tmp_path / "flipped"
    place.mkdir()
    rng, noticed = random.Random(1), 0
    words = ["--store", str(place)]
    output = ["--output", str(tmp_path / "records.csv"), "--format", "csv"]
    for flip in range(flips):
        bit = rng.randrange(8 * len(data))
        for path in place.iterdir():
            path.unlink()
        (place / store.path.name).write_bytes(with_flipped(data, bit))
        codes = [
            cli.main(["status", *words]),
            cli.main(["claims", *words]),
            cli.main(["export", *words, *output]),
            cli.main(["status", "--open", *words]),
            cli.main(["doctor", *words]),
        ]
        if flip % 50 == 49:  # these take longest
            codes.append(cli.main(["card", "spa", *words]))
            codes.append(cli.main(["report", *words, "--output", str(tmp_path / "report")]))
        assert set(codes) <= {0, 1, 2}, bit
        assert "Traceback" not in capsys.readouterr().err, bit
        noticed += max(codes) > 0
    assert noticed >= flips // 20


@pytest.mark.parametrize("flips", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_commands_name_the_damage_of_a_book(store, book, tmp_path, capsys, flips):
    """A file with a flipped bit is refused and named, or its records are as before."""
    fill(store)
    publish(store, book)
    wanted = {record["key"]: record for record, _ in read_exports([book])}
    parquet = [path for path in files_of(book) if path.suffix == ".parquet"]
    rng, noticed = random.Random(2), 0
    for flip in range(flips):
        path = rng.choice(parquet)
        whole = path.read_bytes()
        bit = rng.randrange(8 * len(whole))
        path.write_bytes(with_flipped(whole, bit))
        here = tmp_path / f"store-{flip}"
        code = cli.main(["import", str(book), "--store", str(here)])
        path.write_bytes(whole)
        message = capsys.readouterr().err
        assert "Traceback" not in message, bit
        noticed += code > 0
        if code:
            assert (code, path.name in message) == (2, True), (bit, message)
            assert not (here / "records.sqlite").exists(), bit
            continue
        with Store(here) as imported:
            assert {record["key"]: record for record in imported.records()} == wanted, bit
    assert noticed > flips // 4  # of small files a large part describes what nobody reads


def with_flipped(data, bit):
    """Bytes with one bit changed."""
    flipped = bytearray(data)
    flipped[bit // 8] ^= 1 << bit % 8
    return flipped


PUBLISHED = sorted((Path(__file__).parents[2] / "reports" / "records").rglob("*.parquet"))


def content_of(path):
    """A hash of all that a published file gives: records, and arrays to the bit."""
    found = hashlib.sha256()
    for record, arrays in read_exports([path]):
        found.update(repr(sorted(record.items())).encode())
        for name in sorted(arrays):
            array = arrays[name]
            found.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return found.hexdigest()


@pytest.mark.skipif(not PUBLISHED, reason="the record book is missing")
@pytest.mark.parametrize("flips", [10, pytest.param(800, marks=pytest.mark.slow)])
def test_damage_of_the_published_records_is_named(tmp_path, flips):
    """Each flipped bit of the record book itself is named, or changes nothing."""
    rng, named, known = random.Random(3), 0, {}
    sizes = [path.stat().st_size for path in PUBLISHED]
    for _ in range(flips):
        (path,) = rng.choices(PUBLISHED, sizes)
        whole = path.read_bytes()
        bit = rng.randrange(8 * len(whole))
        damaged = tmp_path / path.name
        damaged.write_bytes(with_flipped(whole, bit))
        try:
            found = content_of(damaged)
        except ExchangeError as error:
            found = str(error)
        if str(damaged) in found:
            named += 1
            continue
        if path not in known:
            known[path] = content_of(path)
        assert found == known[path], (path, bit)
    assert named > flips // 2


# -- forgery ----------------------------------------------------------------------------------

HOSTILE = (
    *(None, "", 0, -1, 1.5, 1e308, 2**70, True, "\x00", "ü" * 300, "[" * 3000, "x" * 10**5),
    *([], {}, [[]], {"": 1}, {"a": {"b": [1]}}, {"a": "<script>"}, "../../etc/passwd", "mu\nspa"),
    *("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", "2026-02-30T00:00:00+00:00"),
)


def forged_row(rng, one):
    """Columns of a record in which a stranger has changed something, with a digest that fits."""
    record = record_of(one, metric=round(rng.random(), 3))
    name = rng.choice([*record, *["metric"] * 10, "host entry", "version entry"])
    value = rng.choice(HOSTILE)
    if name == "metric":
        record["metrics"] = {"a": rng.random()}
    elif name.endswith(" entry"):
        record[{"host entry": "host", "version entry": "versions"}[name]]["cpu"] = value
    else:
        record[name] = value
    with contextlib.suppress(Exception):  # where there is one
        record["key"] = key_of(trial_of(record), record["declared"])
    row = {k: json.dumps(v) if k in JSON else v for k, v in record.items() if k != "metrics"}
    row |= record["metrics"] if isinstance(record["metrics"], dict) else {"a": record["metrics"]}
    row["artefact"], row["digest"] = None, "0" * 16
    with contextlib.suppress(Exception):
        row["digest"] = digest(to_row(record))
    return row


@pytest.mark.parametrize("forgeries", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_forged_imports_are_refused_or_stay_apart(store, book, tmp_path, capsys, forgeries):
    """Whatever a file of a stranger says, commands end in a line, and none of it is published."""
    fill(store, DRAWN)
    publish(store, book)
    before, rng, refused = bytes_of(book), random.Random(4), 0
    for number in range(forgeries):
        row = forged_row(rng, rng.choice([*FITS, SHARED[0], OTHER]))
        path, here = tmp_path / f"{number}.csv", str(tmp_path / f"forged-{number}")
        pd.DataFrame([dict.fromkeys([*FIRST, *LAST]) | row]).to_csv(path, index=False)
        words = ["--store", here]
        code = cli.main(["import", str(path), *words])
        output = ["--output", str(tmp_path / "out.csv"), "--format", "csv"]
        refused += code == 2
        if code == 0:
            assert cli.main(["status", *words]) == cli.main(["claims", *words]) == 0
            assert cli.main(["export", *words, *output]) == 0
            with Store(here) as forged:
                keys = [record["key"] for record in forged.records()]
                assert forged.imported(keys) == set(keys)
                assert publish(forged, book).merge.new == 0
        message = capsys.readouterr().err
        assert "Traceback" not in message
        assert code == 0 or (code == 2 and len(message.splitlines()) == 1), message
        assert bytes_of(book) == before
    assert forgeries // 4 < refused < forgeries
