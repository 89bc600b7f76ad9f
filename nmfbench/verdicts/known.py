"""Answers that were worked out before, kept beside the store that they are of.

Tests of all artefacts take minutes to evaluate, and most of their records are the same from one
command to the next. An answer is looked up by all that it can depend on: the source of this
package that it can be reached by, the releases of others, the arguments, and the digests of the
records and of their arrays. So after a run only artefacts with other records are evaluated, and
after an edit in the folder of a paper only artefacts of this paper. Artefacts of other packages are
evaluated every time. Verdicts are never looked up here.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import nmfbench
from nmfbench.artefacts.artefact import Artefact
from nmfbench.core.files import atomic_write
from nmfbench.records.provenance import host, versions
from nmfbench.records.store import Store
from nmfbench.trials.trial import canonical

__all__ = ["FILE_NAME", "Known", "hash_of", "is_ours"]

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
        """The answer to a question about the tests of an artefact, known or worked out now.

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
        seals = self._store.seals(keys)
        return self._of([artefact], [_source(artefact.paper)], question, seals, answer)

    def of_store(
        self, artefacts: Sequence[Artefact], question: Any, answer: Callable[[], Any]
    ) -> Any:
        """The answer to a question on which any record, any source and this machine may bear.

        Parameters as in :meth:`of`.
        """
        seals = self._store.seals()
        return self._of(artefacts, [_source(), host()], question, seals, answer)

    def _of(self, artefacts, surroundings, question, seals, answer):
        if not all(map(is_ours, artefacts)):
            return answer()
        if any(seal is None for seal, _ in seals.values()):  # of an earlier nmfbench
            return answer()
        depends = canonical([surroundings, versions(), question, sorted(seals.items())])
        name = " ".join([*(artefact.id for artefact in artefacts), canonical(question)])
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


def is_ours(artefact: Artefact) -> bool:
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


# Rooms from which neither tests nor what they look at imports anything.
_ABOVE = (
    *("advice", "audits", "guests", "checks", "pages", "comparison", "recommendation"),
    *("cards", "reports", "commands", "cli"),
)


@functools.cache
def _source(paper: str | None = None) -> str:
    """Hash of the source of this package, or of the part that tests of a paper can depend on."""
    return hash_of(_files(paper))


def hash_of(paths: Iterable[Path]) -> str:
    """Hash of the names and contents of files of this package."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(_ROOT)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


_ROOT = Path(nmfbench.__file__).parent


def _files(paper):
    """All source files, or all but the rooms above and other papers."""
    left_out = {_ROOT / name for name in _ABOVE} | (_papers() - _papers(paper))
    return [
        path
        for path in sorted(_ROOT.rglob("*.py"))
        if paper is None or left_out.isdisjoint(path.parents)
    ]


def _papers(paper=None):
    """Folders of all papers, or of one and the papers that it imports from."""
    every = {path for path in (_ROOT / "papers").iterdir() if path.is_dir()}
    if paper is None:
        return every
    found, todo = set(), {_ROOT / "papers" / paper.replace("-", "_")}
    while todo:
        found |= todo
        text = "".join(p.read_text("utf-8") for folder in todo for p in folder.rglob("*.py"))
        named = re.findall(rf"\b{nmfbench.__name__}\.papers\.(\w+)", text)
        todo = {_ROOT / "papers" / name for name in named} & every - found
    return found
