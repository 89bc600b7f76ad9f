"""The record book: the published results, in small files beside the report.

A parquet file an artefact, with the rows of ``nmfbench export`` and with the arrays that its
pictures and claims read; a row stands in the file of the first artefact that asks for it, or that
asks for what starts from it. Baselines of comparisons are in a file for each task. A file whose
records have not changed is not written again, so that the history of a repository stays small:
records that come to an artefact go into a further file, ``fig2-2.parquet`` after ``fig2.parquet``,
unless its last one is small. Compact files are written on request; then equal records give equal
files. No file is larger than a web site shows without asking.

Git keeps a hash of each file. In a file itself each row has the digest of its record, and each page
a checksum, which is of its arrays, too; a publication writes files without these again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path

import numpy as np

from nmfbench.artefacts.artefact import PROFILES, Artefact
from nmfbench.core import registry
from nmfbench.own.data import OWN
from nmfbench.records.arrays import pack
from nmfbench.records.exchange import current_trial, export_records, read_export, trial_of
from nmfbench.records.merge import Merge, import_records, merge
from nmfbench.records.provenance import computed_here
from nmfbench.records.rounding import Spreads
from nmfbench.records.saved import as_saved, is_saved
from nmfbench.records.store import Store
from nmfbench.records.vouchers import vouched_for
from nmfbench.trials.trial import canonical
from nmfbench.verdicts.evaluate import judge, reads_of
from nmfbench.verdicts.reads import Reads

__all__ = ["Published", "owners", "publish"]

OTHERS = "compare"
"""Folder of the records that no artefact asks for: baselines of comparisons."""

_LARGEST = 2_500_000  # bytes of a file
_SMALL = 200_000  # bytes of a file that further records are added to

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
    withheld : int
        Records on matrices of the user's own that were not named.
    size : int
        Bytes of the book.
    """

    merge: Merge
    records: int
    files: int
    written: int
    outdated: int
    unaudited: int
    withheld: int
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
        trials = dict.fromkeys(trial for profile in profiles for trial in artefact.plan(profile))
        likely = (one for one in _with_substitutes(trials) if _outline(vars(one)) in held)
        for key in dict.fromkeys(trial.key for trial in likely):
            wanted.setdefault(key, []).append(artefact.id)
    return wanted


def _outline(values: Mapping) -> tuple:
    """Fields that tell most trials apart, and are had sooner than a key."""
    names = ("task", "dataset", "solver", "level", "repeat", "stand_in")
    return *(values[name] for name in names), bool(values["dataset_params"].get("variant"))


def _with_substitutes(trials):
    """The trials, and each on the substitutes of its data."""
    substitutes: dict[int, list] = {}  # of prototypes, which keep what all their repeats share
    for trial in trials:
        yield trial
        first = trial.prototype
        if registry.datasets[first.dataset].info.get("file") is None:
            continue
        if id(first) not in substitutes:
            substitutes[id(first)] = [
                replace(first, stand_in=True),
                replace(first, dataset_params={**first.dataset_params, "variant": True}),
            ]
        for other in substitutes[id(first)]:
            yield other.in_repeat(trial.repeat)


def publish(
    store: Store,
    folder,
    also: Iterable[tuple[str, str]] = (),
    *,
    compact: bool = False,
    own_data: Collection[str] = (),
) -> Published:
    """Merge the records of a store into the book.

    The book's records are first merged into the store, so that all artefacts can be evaluated on
    both together: what their pictures and claims then read of the arrays is published, too, and
    what they would read of planned grids that are not complete so far. Arrays that claims read are
    kept as they are; images that are only drawn, in half precision. What nothing reads any longer
    is dropped.
    Time-outs and deaths are not published, nor are records of external classes by their place.

    The book takes records that this machine computed, and others that an audit on this machine
    vouches for (:func:`~nmfbench.audits.audit.vouched_for`) and of which no array is read; its
    present records stay. A record counts as this machine's if it was not imported and has the
    machine's random name (:func:`~nmfbench.records.provenance.computed_here`): neither a file nor a
    whole store of another machine can pass for its own.

    Parameters
    ----------
    store : Store
    folder : path-like
        Of the book; made if there is none.
    also : iterable of (str, str)
        Keys and names of arrays in the store that are published although no artefact reads them.
    compact : bool, default=False
        Put all records of an artefact into as few files as there can be.
    own_data : collection of str
        Keys of matrices of the user's own whose records are published, too.
    """
    folder = Path(folder)
    there = {path: _File.read(path) for path in sorted(folder.rglob("*.parquet"))}
    written = [pair for file in there.values() for pair in file.pairs.values()]
    book = {r["key"]: (r, arrays) for r, arrays in written if _is_current(r)}
    import_records(book.values(), store)
    reads = _reads(store)
    read: dict[str, list[str]] = {}
    for key, name in sorted(reads.all.union(also)):
        read.setdefault(key, []).append(name)
    results = {r["key"]: r for r in store.records() if _is_result(r, book)}
    withheld = {k for k, r in results.items() if _is_withheld(r, own_data)} - book.keys()
    results = {key: record for key, record in results.items() if key not in withheld}
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

    # The store's trace of another run would not be of the seconds that the book has; and what is
    # read of a record that the store could not take, beside its own timings, it cannot tell.
    kept_apart = {
        key
        for key, record in records.items()
        if key not in results or (record["timed"] and as_saved(results[key]) != record)
    }

    def arrays(key):
        held = book[key][1] if records[key] == published.get(key) else {}
        if key in kept_apart:
            return held
        still = [n for n in held if n in read.get(key, ())]
        held = {n: _light(held[n], drawn=(key, n) not in reads.claims) for n in still}
        if key in imported:
            return held
        rough = {n for n, a in held.items() if a.dtype == np.float16}
        kept = {n: a for n, a in held.items() if n not in rough or (key, n) not in reads.claims}
        # Arrays that are read, or read by a claim, only since the record was published.
        new = {n: store.array(key, n) for n in read.get(key, ()) if n not in kept}
        return kept | {n: _light(a, drawn=(key, n) not in reads.claims) for n, a in new.items()}

    owned = owners((entry.target for entry in registry.artefacts.entries()), records.values())
    files = _by_file(records, owned)
    size, count, new = _write(folder, files, there, owned, arrays, compact=compact)
    return Published(
        found,
        *(len(records), count, new, len(written) - len(book), len(results) - len(offered)),
        *(len(withheld), size),
    )


def _is_current(record) -> bool:
    ours = ":" not in record["solver"] or is_saved(record["solver"])
    return ours and current_trial(record) is not None


def _is_result(record, current) -> bool:
    """Whether a record is a result under today's key; ``current`` keys are not computed again."""
    error = (record["error"] or "").split("\n")[0]
    known = record["key"] in current or _is_current(record)
    return known and not any(word in error for word in _NOT_RESULTS)


def _is_withheld(record, own_data):
    """Whether a record is on data of the user's own that are not to be published."""
    return record["dataset"].startswith(OWN) and record["dataset"] not in own_data


def _reads(store) -> Reads:
    """Which arrays the tables, pictures and claims of all artefacts read, or will when their
    planned grids are complete."""
    reads = Reads()
    for artefact in (entry.target for entry in registry.artefacts.entries()):
        largest = judge(artefact, store, reads=reads)
        for profile in ("quick", "smoke"):
            judge(artefact, store, profile=profile, reads=reads)
        planned = {trial.key: trial for trial in artefact.planned_trials}
        if not store.status(planned).keys() <= set(largest.found.records["key"]):
            reads.add(reads_of(artefact, store, planned.values()))
    return reads


def _light(array, *, drawn):
    """In half precision if it is only drawn: images, and what is in single precision."""
    image = array.dtype == np.float64 and array.ndim > 1
    if not (drawn and (image or array.dtype == np.float32)):
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


@dataclass(frozen=True)
class _File:
    """Records of a file and their arrays, by key; its size, and whether its rows lack digests."""

    pairs: dict[str, tuple[dict, dict]]
    size: int
    bare: bool

    @classmethod
    def read(cls, path):
        bare: list[Path] = []

        def note(path: Path) -> bool:
            bare.append(path)
            return True

        pairs = read_export(path, bare=note)
        return cls({r["key"]: (r, arrays) for r, arrays in pairs}, path.stat().st_size, bool(bare))

    def is_as(self, pairs) -> bool:
        """Whether it has just these records and arrays, and need not be written again."""
        fits = self.size <= _LARGEST or len(self.pairs) == 1
        same = not self.bare and fits and self.pairs.keys() == pairs.keys()
        return same and all(_plain(pairs[key]) == _plain(self.pairs[key]) for key in pairs)


def _plain(pair):
    record, arrays = pair
    return record, {name: pack(array) for name, array in arrays.items()}


def _write(folder, files, there, owned, arrays, *, compact) -> tuple[int, int, int]:
    """Bytes and number of all files, and number of files written."""
    kept: set[Path] = set()
    written: set[Path] = set()

    def export(path, pairs, further):
        found = {record["key"]: of for record, of in pairs}
        rows = [record for record, _ in pairs]
        export_records(rows, path, format="parquet", artefacts=owned, arrays=found.__getitem__)
        if path.stat().st_size > _LARGEST and len(pairs) > 1:
            export(path, pairs[: len(pairs) // 2], further)
            export(next(further), pairs[len(pairs) // 2 :], further)
        written.add(path)

    for name, rows in files.items():
        pairs = {row["key"]: (row, arrays(row["key"])) for row in rows}
        held = {path: there[path].pairs for path in _files_of(name, folder, there, files)}
        sizes = {path: there[path].size for path in held}
        groups = _groups(folder / f"{name}.parquet", pairs, held, sizes, compact=compact)
        further = (path for path in _further(folder / f"{name}.parquet") if path not in groups)
        for path, keys in groups.items():
            chosen = {key: pair for key, pair in pairs.items() if key in keys}
            if path not in there or not there[path].is_as(chosen):
                export(path, list(chosen.values()), further)
        kept.update(groups)
    kept |= written
    for path in there.keys() - kept:
        path.unlink()
    return sum(path.stat().st_size for path in kept), len(kept), len(written)


def _files_of(name, folder, there, files) -> list[Path]:
    """Files of an artefact that are there, in the order of their numbers."""
    found = {}
    for path in there:
        of = path.relative_to(folder).with_suffix("").as_posix()
        stem, _, number = of.rpartition("-")
        if of == name:
            found[path] = 1
        elif of not in files and stem == name and number.isdecimal():
            found[path] = int(number)
    return sorted(found, key=found.__getitem__)


def _further(path) -> Iterator[Path]:
    return (path.with_stem(f"{path.stem}-{number}") for number in count(2))


def _groups(path, pairs, held, sizes, *, compact) -> dict[Path, set[str]]:
    """Keys by the file that they go into; a record that has a file stays in it."""
    if compact:
        return {path: set(pairs)}
    groups, new = {}, set(pairs)
    for of, records in held.items():
        if keys := new & records.keys():
            groups[of] = keys
            new -= keys
    if new:
        *_, last = groups or [None]
        if last is not None and sizes[last] <= _SMALL:
            groups[last] |= new
        else:
            paths = chain([path], _further(path))
            groups[next(of for of in paths if of not in groups)] = new
    return groups
