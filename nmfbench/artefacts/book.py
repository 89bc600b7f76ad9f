"""The record book: the published results, in small files beside the report.

A parquet file an artefact, with the rows of ``nmfbench export`` and with the arrays that its
pictures and claims read; a row stands in the file of the first artefact that asks for it, or that
asks for what starts from it. Baselines of comparisons are in a file for each task. Equal records
give equal files, and a file whose records have not changed is not written again.

Git keeps a hash of each file. In a file itself each row has the digest of its record, and each page
a checksum, which is of its arrays, too; a publication writes files without these again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from nmfbench.artefacts.artefact import PROFILES, Artefact
from nmfbench.artefacts.evaluate import Reads, evaluate
from nmfbench.core import registry
from nmfbench.engine.arrays import pack
from nmfbench.engine.audit import vouched_for
from nmfbench.engine.exchange import current_trial, export_records, read_exports, trial_of
from nmfbench.engine.merge import Merge, import_records, merge
from nmfbench.engine.provenance import computed_here
from nmfbench.engine.rounding import Spreads
from nmfbench.engine.saved import as_saved, is_saved
from nmfbench.engine.store import Store
from nmfbench.engine.trials import canonical

__all__ = ["Published", "owners", "publish"]

OTHERS = "compare"
"""Folder of the records that no artefact asks for: baselines of comparisons."""

_NOT_RESULTS = ("TimeoutError", "WorkerDied")


@dataclass(frozen=True)
class Published:
    """Result of a publication.

    Attributes
    ----------
    merge : Merge
        What of the store went into the book.
    records, files, written : int
        Records and files of the book, and files that were written.
    outdated : int
        Records that left the book, as versions were raised since.
    unaudited : int
        Records of the store that were not offered, as they were computed elsewhere and no audit of
        the store vouches for them.
    size : int
        Bytes of the book.
    """

    merge: Merge
    records: int
    files: int
    written: int
    outdated: int
    unaudited: int
    size: int


def owners(
    artefacts: Iterable[Artefact], records: Iterable[Mapping], profiles: Sequence[str] = PROFILES
) -> dict[str, list[str]]:
    """Artefacts by the keys of their trials, those on substitutes of the data included.

    Only of trials like one of the records, as keys of all grids take long.
    """
    held = {_outline(record) for record in records}
    wanted: dict[str, list[str]] = {}
    for artefact in artefacts:
        trials = dict.fromkeys(
            trial for p in profiles for trial in artefact.grid(p) if _outline(vars(trial)) in held
        )
        for key in dict.fromkeys(t.key for trial in trials for t in _versions(trial)):
            wanted.setdefault(key, []).append(artefact.id)
    return wanted


def _outline(values: Mapping) -> tuple:
    """Fields that tell most trials apart, and are had sooner than a key."""
    return tuple(values[name] for name in ("task", "dataset", "solver", "level", "repeat"))


def _versions(trial):
    yield trial
    if registry.datasets[trial.dataset].info.get("file") is not None:
        yield replace(trial, stand_in=True)
        yield replace(trial, dataset_params={**trial.dataset_params, "variant": True})


def publish(store: Store, folder, also: Iterable[tuple[str, str]] = ()) -> Published:
    """Merge the records of a store into the book.

    The book's records are first merged into the store, so that all artefacts can be evaluated on
    both together: what their pictures and claims then read of the arrays is published, too. Arrays
    that claims read are kept as they are; images in single precision that are only drawn, in half.
    Time-outs and deaths are not published, nor are records of external classes by their place.

    The book takes records that this machine computed, and others that an audit on this machine
    vouches for (:func:`~nmfbench.engine.audit.vouched_for`) and of which no array is read; what it
    holds stays. This machine's are those that were not imported and bear its random name
    (:func:`~nmfbench.engine.provenance.computed_here`): neither a file nor a whole store of
    another machine can pass for its own.

    Parameters
    ----------
    store : Store
    folder : path-like
        Of the book; made if there is none.
    also : iterable of (str, str)
        Keys and names of arrays in the store that are published although no artefact reads them.
    """
    folder = Path(folder)
    there = any(folder.rglob("*.parquet"))
    written = read_exports([folder], bare=lambda path: True) if there else []
    book = {r["key"]: (r, arrays) for r, arrays in written if _is_current(r)}
    import_records(book.values(), store)
    reads = _reads(store)
    read: dict[str, list[str]] = {}
    for key, name in sorted(reads.all.union(also)):
        read.setdefault(key, []).append(name)
    results = {r["key"]: r for r in store.records() if _is_result(r)}
    imported = store.imported(results)
    imported |= {key for key, record in results.items() if not computed_here(record)}
    # An audit compares no arrays: where some are read, only a computation here will do.
    bare = (trial_of(results[key]) for key in imported - read.keys())
    foreign = imported - vouched_for(store, bare)
    published = {key: record for key, (record, _) in book.items()}
    offered = {
        k: r for k, r in results.items() if k not in foreign or as_saved(r) == published.get(k)
    }
    found = merge(
        published,
        offered.values(),
        larger_wins=True,
        spreads=Spreads(store.folder),
    )
    records = published | {key: as_saved(offered[key]) for key in found.taken}

    def arrays(key):
        held = book[key][1] if records[key] == published.get(key) else {}
        if key in imported:
            return held
        rough = {n for n, a in held.items() if a.dtype == np.float16}
        kept = {n: a for n, a in held.items() if n not in rough or (key, n) not in reads.claims}
        # Arrays that are read, or read by a claim, only since the record was published.
        new = {n: store.array(key, n) for n in read.get(key, ()) if n not in kept}
        return kept | {n: _light(a, drawn=(key, n) not in reads.claims) for n, a in new.items()}

    owned = owners((entry.target for entry in registry.artefacts.entries()), records.values())
    files = _by_file(records, owned)
    return _write(
        folder, files, owned, arrays, found, len(written) - len(book), len(results) - len(offered)
    )


def _is_current(record) -> bool:
    ours = ":" not in record["solver"] or is_saved(record["solver"])
    return ours and current_trial(record) is not None


def _is_result(record) -> bool:
    error = record["error"] or ""
    return _is_current(record) and not any(word in error.split("\n")[0] for word in _NOT_RESULTS)


def _reads(store) -> Reads:
    """Which arrays the tables, pictures and claims of all artefacts read."""
    reads = Reads()
    for entry in registry.artefacts.entries():
        for profile in (None, "quick", "smoke"):
            evaluate(entry.target, store, profile=profile, reads=reads)
    return reads


def _light(array, *, drawn):
    """In half precision if it is only drawn, and was in single precision."""
    if not (drawn and array.dtype == np.float32):
        return array
    with np.errstate(over="ignore"):
        half = array.astype(np.float16)
    return half if np.isfinite(half).all() else array


def _by_file(records, owned) -> dict[str, list[dict]]:
    """Records by the name of their file, each in an order in which like stands by like."""
    first = {key: names[0] for key, names in owned.items()}
    for key, record in records.items():  # a fit stands with what starts from it
        base = trial_of(record).base
        if key in first and base is not None:
            first[base.key] = min(first.get(base.key, first[key]), first[key])
    files: dict[str, list[dict]] = {}
    for key, record in records.items():
        files.setdefault(first.get(key, f"{OTHERS}/{record['task']}"), []).append(record)
    return {name: sorted(rows, key=_order) for name, rows in sorted(files.items())}


def _order(record):
    return canonical(trial_of(record).to_dict())


def _write(folder, files, owned, arrays, found, outdated, unaudited) -> Published:
    written = size = 0
    for name, rows in files.items():
        path = folder / f"{name}.parquet"
        pairs = [(row, arrays(row["key"])) for row in rows]
        if not _holds(path, pairs):
            of_key = {row["key"]: kept for row, kept in pairs}
            export_records(rows, path, format="parquet", artefacts=owned, arrays=of_key.__getitem__)
            written += 1
        size += path.stat().st_size
    kept = {folder / f"{name}.parquet" for name in files}
    for path in set(folder.rglob("*.parquet")) - kept:
        path.unlink()
    count = sum(map(len, files.values()))
    return Published(found, count, len(files), written, outdated, unaudited, size)


def _holds(path, pairs) -> bool:
    """Whether a file has just these records and arrays, with digests."""
    if not path.exists():
        return False
    bare = []
    held = read_exports([path], bare=lambda path: bare.append(path) or True)
    return not bare and [(r, _packed(a)) for r, a in held] == [(r, _packed(a)) for r, a in pairs]


def _packed(arrays):
    return {name: pack(array) for name, array in arrays.items()}
