"""Outlooks that were worked out before, kept beside the store that they are of.

Tests of all artefacts take many seconds to evaluate, and most of their records are the same from
one command to the next. An outlook is looked up by all that it can depend on: the source of this
package, the releases of others, the arguments, and the digests of the records and of their arrays.
Artefacts of other packages are evaluated every time. Verdicts are never looked up.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import nmfbench
from nmfbench.artefacts.artefact import Artefact
from nmfbench.core.files import atomic_write
from nmfbench.records.provenance import versions
from nmfbench.records.store import Store
from nmfbench.trials.trial import canonical

__all__ = ["FILE_NAME", "Known"]

FILE_NAME = "outlooks.json"


class Known:
    """What is known of the artefacts of a store.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store):
        self._store, self._path, self._changed = store, store.folder / FILE_NAME, False
        self._held: dict[str, dict[str, Any]] = {}
        # A file that cannot be read is as good as none.
        with contextlib.suppress(OSError, ValueError):
            held = json.loads(self._path.read_text(encoding="utf-8"))
            self._held = held if isinstance(held, dict) else {}

    def of(
        self, artefact: Artefact, question: Any, keys: Iterable[str], answer: Callable[[], Any]
    ) -> Any:
        """The answer to a question about an artefact, known or worked out now.

        Parameters
        ----------
        artefact : Artefact
        question : object
            As JSON holds it.
        keys : iterable of str
            Of all trials whose records the answer may depend on.
        answer : callable
            Gives it, as JSON holds it.
        """
        if not _is_ours(artefact):
            return answer()
        seals = sorted(self._store.seals(keys).items())
        if any(seal is None for _, (seal, _) in seals):  # of an earlier nmfbench
            return answer()
        depends = canonical([_source(), versions(), question, seals])
        name = f"{artefact.id} {canonical(question)}"
        of = hashlib.sha256(depends.encode()).hexdigest()
        known = self._held.get(name)
        if not (isinstance(known, dict) and known.keys() == {"of", "answer"} and known["of"] == of):
            known = self._held[name] = {"of": of, "answer": answer()}
            self._changed = True
        return known["answer"]

    def keep(self) -> None:
        """Write what is new, where the folder lets us."""
        if not self._changed or self._store.read_only:
            return
        with contextlib.suppress(OSError), atomic_write(self._path) as part:
            part.write_text(json.dumps(self._held), encoding="utf-8")
        self._changed = False


def _is_ours(artefact: Artefact) -> bool:
    """Whether all that it consists of is source of this package."""
    parts = [artefact.grid, artefact.frame, artefact.table]
    modules = [_module(part) for part in (*parts, *(claim.test for claim in artefact.claims))]
    ours = nmfbench.__name__
    # What this package makes for others is made of the same functions as its own artefacts.
    papers = any(module.startswith(f"{ours}.papers.") for module in modules)
    return papers and all(module.partition(".")[0] == ours for module in modules)


def _module(function) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__module__", None) or ""


@functools.cache
def _source() -> str:
    """Hash of the source of this package."""
    digest = hashlib.sha256()
    root = Path(nmfbench.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
