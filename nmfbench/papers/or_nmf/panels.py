"""Data and ranks of Figures 2 to 9, and the names of data sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.trials.trial import Trial


@dataclass(frozen=True)
class Panels:
    """Data of a figure, and its ranks by profile.

    Parameters
    ----------
    dataset : str
    n_samples : int or None
        Drawn again in each repeat.
    every : mapping of int to int
        Samples between two records, by rank: a multiple of it, so that chunks end there, and no
        record is of fewer samples than bases, which fit them nearly without error.
    quick : (int, sequence of int)
        Repeats and ranks of the quick grid.
    options : mapping
        Further options of the task.
    """

    dataset: str
    n_samples: int | None
    every: Mapping[int, int]
    quick: tuple[int, Sequence[int]]
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def ranks(self) -> list[int]:
        return list(self.every)

    @property
    def names(self) -> list[str]:
        """Of the panels of the figure."""
        return [f"rank {rank}" for rank in self.ranks]

    def grid(self, chosen: Iterable[Method], profile: str, *, repeats: int = 10) -> list[Trial]:
        """The trials of a profile, in the paper's with ``repeats``; the smoke grid has digits."""
        repeats, ranks = (repeats, self.ranks) if profile == "paper" else self.quick
        options = {"n_samples": self.n_samples, **dict(self.options)}
        if profile == "smoke":
            repeats, every, options = 2, {4: 8}, {**options, "n_samples": 48}
        else:
            every = {rank: self.every[rank] for rank in ranks}
        sizes = [{"options": {"n_components": r, "record_every": k}} for r, k in every.items()]
        dataset = "digits" if profile == "smoke" else self.dataset
        base = Trial("online", dataset, solver="", options=options, timed=True)
        return cross(base, repeats, sizes, methods(chosen))


CBCL = Panels("cbcl", 500, {10: 20, 50: 50}, (3, [10]))
ORL = Panels("orl", None, {10: 20, 50: 50}, (2, [10]))
HUE = Panels("huebow", None, {50: 50, 80: 80}, (3, [50]))

LOWER_RANK: dict[str, dict[str, int | None]] = {
    panels.dataset: {"n_components": panels.ranks[0], "n_samples": panels.n_samples}
    for panels in (CBCL, ORL, HUE)
}
"""Sizes of the data of Figures 2, 3 and 6 at the lower rank, as options of a task."""

NAMES = {"cbcl": "CBCL", "orl": "ORL", "mnist": "MNIST", "huebow": "hue words", "digits": "digits"}
"""Data sets as readers know them."""


def at_lower_rank(profile: str) -> dict[str, dict[str, int | None]]:
    """Data sets of the grid of a profile, with their sizes there as options of a task."""
    if profile == "smoke":
        return {"digits": {"n_components": 4, "n_samples": 30}}
    return {"cbcl": LOWER_RANK["cbcl"]} if profile == "quick" else LOWER_RANK
