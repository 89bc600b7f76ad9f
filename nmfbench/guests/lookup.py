"""The registry's answer for the key of a guest."""

from __future__ import annotations

from dataclasses import dataclass

from nmfbench.core.registry import Entry
from nmfbench.guests.errors import GuestError
from nmfbench.guests.load import load
from nmfbench.guests.place import short_name
from nmfbench.guests.version import origins
from nmfbench.records.saved import is_saved
from nmfbench.trials.fingerprint import code_version

__all__ = ["GuestClass", "SavedClass", "entry"]


def entry(key: str) -> Entry:
    """Registry entry of a guest, whose key is its place, such as ``"/home/me/mine.py:MyNMF"``.

    The key of the entry lacks the folder, on which no result depends, and the version, if only
    records are requested.
    """
    place, _, attribute = key.rpartition(":")
    target: GuestClass | SavedClass = GuestClass(place, attribute)
    version = None
    if is_saved(key):
        attribute, _, version = attribute.partition("@")
        target = SavedClass(short_name(place, attribute), version)
    info = {
        "name": attribute,
        "family": "guest",
        "reference": target.name,
        "paper": None,
        "monotone": False,
        "nested": False,
        "version": version,
    }
    return Entry(target.name, target, info)


@dataclass(frozen=True)
class GuestClass:
    """A class in a file or a module, imported when it is called.

    Attributes
    ----------
    place : str
        Path of a file that ends in ``.py``, or the dotted name of a module.
    attribute : str
        Name of the class.
    """

    place: str
    attribute: str

    @property
    def name(self) -> str:
        """Place without the folder, and class."""
        return short_name(self.place, self.attribute)

    def fingerprint(self) -> str:
        """Its version: a hash of its own files, the releases of what they import, and ours."""
        return code_version([self], with_ours=False)

    def origins(self) -> list[tuple[str, str]]:
        """For :func:`~nmfbench.trials.fingerprint.code_version`: pairs of module and text."""
        return origins(self.place, self.attribute)

    def load(self) -> type:
        """Import the class.

        Raises
        ------
        GuestError
            If importing fails, there is no such class, or it has not the methods or parameters
            that a solver needs.
        """
        return load(self.place, self.attribute)

    def __call__(self):
        """An unfitted estimator that the tasks can use."""
        from nmfbench.guests.adapter import Guest
        from nmfbench.solvers.bases.loop import BaseNMF

        kind = self.load()
        return kind() if issubclass(kind, BaseNMF) else Guest(kind)


@dataclass(frozen=True)
class SavedClass:
    """A class of which there are records, made elsewhere; its code is neither read nor run.

    Attributes
    ----------
    name : str
        File or module, and class.
    version : str
        Hash of its source.
    """

    name: str
    version: str

    def origins(self) -> list[tuple[str, str]]:
        """For :func:`~nmfbench.trials.fingerprint.code_version`: pairs of module and text."""
        return [("", f"{self.name} {self.version}")]

    def __call__(self):
        raise GuestError(
            f"{self.name}@{self.version} stands for records made elsewhere, and is not run; name "
            f"the file of the class, as in path/to/{self.name}."
        )
