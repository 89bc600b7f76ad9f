"""How far the grid of an artefact will be computed, fixed before anyone has seen what it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from nmfbench.trials.trial import Trial

__all__ = ["LOOKS", "Plan"]

LOOKS = (5, 10, 20, 30)
"""Repeats after which verdicts are looked at, before the last one of a plan."""


@dataclass(frozen=True)
class Plan:
    """Repeats after which the verdicts of an artefact are final.

    They are the paper's where the grid was complete when plans were first made, or where a repeat
    takes more than three minutes of CPU time; where it takes less, the paper's or twenty, whichever
    is more. Of a grid that is beyond all means a part is planned, by what its claims are about.
    Costs and completeness decide, and at most a variance; effects and verdicts never do. A plan may
    be raised once.

    Parameters
    ----------
    repeats : int
    why : str
        A sentence with the cost of a repeat.
    part : str
        Description of the planned part of the paper's grid; by default all of it is planned.
    chosen : callable, optional
        Trial -> whether it belongs to that part.
    unit : {"repeat", "start"}
        What is repeated: the draw of the data, or that of the solver's start alone.

    Raises
    ------
    ValueError
        If there are no repeats, or a part has no words, or words have no part.

    Examples
    --------
    >>> Plan(20, "A repeat takes 50 s.").looks
    (5, 10, 20)
    """

    repeats: int
    why: str
    part: str = ""
    chosen: Callable[[Trial], bool] | None = None
    unit: Literal["repeat", "start"] = "repeat"

    def __post_init__(self):
        if self.repeats < 1:
            raise ValueError(f"a plan has 1 repeat or more, got {self.repeats}.")
        if bool(self.part) != (self.chosen is not None):
            raise ValueError("a part of a grid needs both words and a choice of its trials.")

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of complete repeats after which verdicts are drawn; the last is final."""
        return (*(n for n in LOOKS if n < self.repeats), self.repeats)

    def trials(self, grid: Sequence[Trial]) -> list[Trial]:
        """The trials of the paper's grid that are planned."""
        return [t for t in grid if self.chosen is None or self.chosen(t)]
