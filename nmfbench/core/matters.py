"""Smallest differences that matter: what of a number its users would notice.

Whoever makes a number declares how much of it matters, one value a name, the same wherever it is
compared: a task of its metrics (``register_task(matters={...})``), an artefact of the columns that
it derives from them, and :data:`COMMON` of what every fit has. A plain number is in the unit of the
metric, a :class:`Ratio` compares sizes, and None marks a diagnostic, by which no claim compares
methods. None of them depends on what any trial gave.

A margin, within which two methods count as alike or one as not worse, follows from it by one rule:
:func:`margin`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType

__all__ = ["COMMON", "Matters", "Ratio", "check_matters", "margin", "smallest_difference"]


@dataclass(frozen=True)
class Ratio:
    """A difference between two sizes as a share of the smaller one.

    Parameters
    ----------
    share : float
        Above 0: ``Ratio(0.02)`` is by 2 %.

    Examples
    --------
    >>> str(Ratio(0.02))
    '2 %'
    """

    share: float

    def __post_init__(self):
        if not self.share > 0:
            raise ValueError(f"a ratio that matters is by more than 0, got {self.share!r}.")

    def __str__(self):
        return f"{100 * self.share:g} %"


Matters = Mapping[str, float | Ratio | None]
"""By name or pattern of a number, its smallest difference that matters; None of a diagnostic."""

COMMON: Mapping[str, Ratio] = MappingProxyType(
    {
        "objective": Ratio(0.02),
        "seconds": Ratio(0.10),
        "cpu_seconds": Ratio(0.10),
        "elapsed": Ratio(0.10),
        "n_iter": Ratio(0.10),
        "peak_memory": Ratio(0.10),
    }
)
"""Of what every fit has. Two per cent of an objective are seen in a reconstruction; times and
numbers of iterations differ by a tenth from one machine, or one stopping rule, to another."""


def smallest_difference(name: str, *declared: Matters) -> float | Ratio | None:
    """The smallest difference of a number that matters, by the first declaration that names it.

    Parameters
    ----------
    name : str
        Of a metric or a column.
    *declared : mapping
        From the nearest owner to the farthest; :data:`COMMON` comes last. In each of them the first
        pattern counts that fits.

    Returns
    -------
    float, Ratio or None
        None of a diagnostic.

    Raises
    ------
    KeyError
        If nobody declares it.

    Examples
    --------
    >>> smallest_difference("accuracy-5", {"accuracy-*": 0.02})
    0.02
    >>> smallest_difference("cpu_seconds", {"accuracy-*": 0.02})
    Ratio(share=0.1)
    """
    for matters in (*declared, COMMON):
        for pattern, smallest in matters.items():
            if fnmatchcase(name, pattern):
                return smallest
    raise KeyError(
        f"nobody says which difference of {name!r} matters: declare it with matters={{...}} where "
        "it is made, as None if no claim compares it."
    )


def margin(smallest: float | Ratio) -> float | Ratio:
    """How much two methods may differ that count as alike, or one fall behind that is not worse.

    Twice the smallest difference that matters: where papers say comparable, alike or equivalent,
    they give no number.

    Examples
    --------
    >>> margin(0.02)
    0.04
    >>> margin(Ratio(0.02)).share
    0.04
    """
    return Ratio(2 * smallest.share) if isinstance(smallest, Ratio) else 2 * smallest


def check_matters(owner: str, matters: Matters) -> dict[str, float | Ratio | None]:
    """The declaration of an owner as a dictionary.

    Raises
    ------
    ValueError
        If a difference is neither above 0, nor a :class:`Ratio`, nor None.
    """
    for name, smallest in matters.items():
        if smallest is None or isinstance(smallest, Ratio):
            continue
        if not (isinstance(smallest, int | float) and smallest > 0):
            raise ValueError(
                f"{owner} says that a difference of {smallest!r} in {name!r} matters; give a "
                "number above 0, a Ratio, or None for a diagnostic."
            )
    return dict(matters)
