"""The version of a guest: its own files, the releases of what they import, and the adapter's."""

from __future__ import annotations

import functools
import json
import sys
from importlib import metadata
from pathlib import Path

from nmfbench import __version__
from nmfbench.guests.place import find_in_working_directory, local_sources

__all__ = ["origins"]

_OWN = "nmfbench"
# Their releases do not count, as they do not for our own solvers: they stand in the record.
_COMMON = {"numpy", "scipy", _OWN}


def origins(place: str, attribute: str) -> list[tuple[str, str]]:
    """Pairs of module and text, as :func:`~nmfbench.trials.fingerprint.code_version` hashes them.

    Parameters
    ----------
    place : str
        Path of a file that ends in ``.py``, or the dotted name of a module.
    attribute : str
        Name of the class.
    """
    from nmfbench.guests import adapter

    pairs = [(f"{_OWN}.guests.adapter", f"adapter {adapter.VERSION}")]
    if place.endswith(".py"):
        texts, imported = local_sources(Path(place), attribute=attribute)
        tops = {name.partition(".")[0] for name in imported}
        if _OWN in tops:
            pairs += [(name, __version__) for name in imported if name.startswith(_OWN)]
        pairs += [("", text) for text in texts]
        releases = (_release(top) for top in sorted(tops - _COMMON))
        return pairs + [("", release) for release in releases if release]
    release = _release(place.partition(".")[0])
    if release is None:  # not installed, or installed to be edited
        find_in_working_directory(place)
        return [*pairs, (place, "")]
    return [*pairs, ("", release)]


def _release(top) -> str | None:
    """Name and version of the distribution that has a module; None if its source can change."""
    if top == _OWN or top in sys.stdlib_module_names:
        return None
    found = []
    for name in sorted(set(_distributions().get(top, ()))):
        about = metadata.distribution(name)
        direct = json.loads(about.read_text("direct_url.json") or "{}")
        if direct.get("dir_info", {}).get("editable"):
            return None
        found.append(f"{name}=={about.version}")
    return " ".join(found) or None


@functools.cache
def _distributions():
    return metadata.packages_distributions()
