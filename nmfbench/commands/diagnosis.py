"""Installed packages, available data, and how to get what is missing."""

from __future__ import annotations

import sys
import warnings
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

import threadpoolctl
from packaging.requirements import Requirement

from nmfbench.core import registry
from nmfbench.core.guard import SHARE, default_memory_limit
from nmfbench.core.shipped import shipped, shipped_folder
from nmfbench.core.text import counted
from nmfbench.datasets.base import dataset_info, dataset_variant
from nmfbench.datasets.errors import DataError
from nmfbench.datasets.files import cache_folder, prepared_folders
from nmfbench.optim import kernels
from nmfbench.records.errors import EmptyStoreError, StoreError
from nmfbench.records.provenance import host
from nmfbench.records.repair import Survey, survey
from nmfbench.records.schema import FILE_NAME

__all__ = ["Finding", "damage_text", "diagnose", "diagnose_data"]

_NAMED = 20  # damaged records, at most

_USES = {
    "distributed": "to compute on a cluster (--scheduler)",
    "asv": "to track the speed of solvers (asv continuous)",
    "h5py": "to read single cells (nmfbench data fetch pbmc)",
}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    topic : str
    state : {"ok", "missing", "broken"}
        "missing" limits what can be done; "broken" means that the suite cannot be used.
    detail : str
    remedy : str
    """

    topic: str
    state: Literal["ok", "missing", "broken"]
    detail: str
    remedy: str = ""

    def to_dict(self) -> dict:
        return asdict(self)


def diagnose(store) -> list[Finding]:
    """Look at everything but the data sets; nothing is changed, installed or downloaded.

    Parameters
    ----------
    store : path-like
        Folder of the records.
    """
    return [
        *_machine(),
        *_packages(),
        *_extras(),
        *_registries(),
        _threads(),
        _memory(),
        _compiled(),
        _store(Path(store)),
        _folders(),
        _guides(),
    ]


def _machine():
    here = host()
    yield Finding("python", "ok", sys.version.split()[0])
    yield Finding("machine", "ok", f"{here['platform']}, {here['cpu']}, {here['cores']} cores")


def _packages():
    """Required packages, against the required versions."""
    yield Finding("nmfbench", "ok", version("nmfbench"))
    for requirement in _required():
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield _package(requirement, "broken", f"pip install '{requirement}'")


def _extras():
    found = {requirement.name: requirement for requirement in _required()}
    for name, use in _USES.items():
        remedy = f"pip install '{name}{found[name].specifier}' {use}"
        yield _package(found[name], "missing", remedy)


def _required():
    return map(Requirement, requires("nmfbench") or ())


def _package(requirement, state, remedy):
    name, wanted = requirement.name, requirement.specifier
    try:
        found = version(name)
    except PackageNotFoundError:
        return Finding(name, state, "not installed", remedy)
    if not wanted.contains(found, prereleases=True):
        return Finding(name, state, f"{found}, but {wanted} is needed", remedy)
    return Finding(name, "ok", found)


def _registries():
    """Everything that is registered can be imported, plug-ins too."""
    for kind in ("solvers", "datasets", "tasks", "artefacts"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            count = len(getattr(registry, kind))
        yield Finding(kind, "ok", str(count))
        for warning in caught:
            yield Finding("plug-in", "missing", str(warning.message), "mend or uninstall it")


def _guides():
    """Where the documents are; wheels have them, too."""
    folder = shipped_folder()
    if shipped("docs/readers.md") is None:
        return Finding("guides", "missing", f"not in {folder}")
    return Finding("guides", "ok", f"{folder / 'docs'}, beside CITATION.cff and CONTRIBUTING.md")


def _threads():
    pools = [
        f"{pool['internal_api']} {pool.get('version') or ''} ({pool['num_threads']} threads)"
        for pool in threadpoolctl.threadpool_info()
    ]
    text = ", ".join(pools) or "no thread pool found"
    return Finding("threads", "ok", f"{text}; every trial runs on one thread")


def _memory():
    text = f"{default_memory_limit() / 1e9:.1f} GB, {SHARE:.0%} of what is available, shared by"
    return Finding("memory", "ok", f"{text} the jobs of a run, unless --memory-limit is given")


def _compiled():
    """Whether numba can keep what it compiles, so that no command compiles it once more."""
    if kernels.KEEPS_COMPILED:
        return Finding("numba cache", "ok", "writable")
    return Finding(
        "numba cache",
        "missing",
        "neither the package nor the cache of the user is writable: each command compiles all "
        "kernels again, which takes minutes",
        "name a folder of yours in NUMBA_CACHE_DIR",
    )


def _store(folder):
    try:
        found = survey(folder)
    except EmptyStoreError:
        return Finding("store", "ok", f"an empty one in {folder}; 'nmfbench run' completes it")
    except StoreError as error:
        if (folder / FILE_NAME).exists() or (folder.exists() and not folder.is_dir()):
            return Finding("store", "broken", str(error), "name another folder with --store")
        return Finding("store", "ok", f"none in {folder} yet; 'nmfbench run' makes it")
    if not found.is_whole:
        remedy = f"nmfbench doctor --repair --store {folder}"
        return Finding("store", "broken", f"{folder} is damaged: {damage_text(found)}", remedy)
    text = f"{counted(found.records, 'trial')} in {folder}, {found.failed} failed"
    if found.imported:
        text += f", {found.imported} computed elsewhere"
    if found.bare:
        text += f"; {found.bare} get a digest when the store is next opened for writing"
    return Finding("store", "ok", text, "nmfbench run --retry-failed" if found.failed else "")


def damage_text(found: Survey) -> str:
    """Damage of a store in a line."""
    parts = []
    if found.damaged:
        named = [f"{damage.key} ({damage.what})" for damage in found.damaged[:_NAMED]]
        more = len(found.damaged) - len(named)
        named += [f"{more} more"] if more else []
        whole = len(found.damaged) + found.records
        parts.append(f"{len(found.damaged)} of {whole} records: {', '.join(named)}")
    if found.audits:
        parts.append(counted(found.audits, "audit"))
    return "; ".join([*parts, *found.file])


def _folders():
    folders = [*map(str, prepared_folders()), str(cache_folder())]
    return Finding("data folders", "ok", ", then ".join(folders))


def diagnose_data() -> list[Finding]:
    """For each data set, its name as topic: whether it is here, and else how to get it."""
    return [_data(dataset_info(name)) for name in registry.datasets]


def _data(info):
    name = info["name"]
    if info["available"]:
        return Finding(name, "ok", info["file"] or "comes with the suite")
    place = f"put {info['file']} into a folder and name it in NMFBENCH_DATA"
    if info["layout"]:
        place += f"; it holds the arrays {info['layout']}"
    remedy = f"nmfbench data fetch {name}, or {place}" if info["public_home"] else place
    try:
        variant = dataset_variant(name)
    except DataError as error:
        return Finding(name, "missing", str(error), remedy)
    detail = "not here" if variant is None else f"only a variant is here: {variant}"
    return Finding(name, "missing", detail, remedy)
