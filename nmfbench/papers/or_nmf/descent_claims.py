"""Claims of Figures 2 to 9: which of two methods lowers a cost faster, and how one behaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, smaller
from nmfbench.artefacts.finding import Test
from nmfbench.artefacts.region import Bounds
from nmfbench.papers.or_nmf.descent import (
    ALONE,
    BEST_COST,
    END,
    LEARNED,
    NEVER,
    RAISING,
    SAMPLES,
    SECONDS,
    STORED_COST,
    UNTIL,
    pair_name,
)
from nmfbench.papers.or_nmf.methods import MOR, OMF_DA, OR, PRINTED
from nmfbench.papers.or_nmf.panels import Panels
from nmfbench.papers.or_nmf.readings import alike

_SAID = {PRINTED: "OMF-DA as printed", OMF_DA: "OMF-DA with a safeguard"}


def faster(
    side: str,
    rival: str,
    axis: str,
    rank: int,
    words: str,
    source: str,
    *,
    name: str = "",
    ours: bool = False,
    test: Test | None = None,
) -> Claim:
    """``side`` lowers the cost that the paper shows, f_t, faster than ``rival``.

    Claims of the paper are decided where they come out alike at all readings of the settings.

    Parameters
    ----------
    side, rival : str
    axis : {"samples", "seconds"}
    rank : int
    words : str
        Such as "on CBCL", for the statement.
    source : str
    name : str, optional
        By default that of the two methods.
    ours : bool, default=False
    test : Test, optional
        By default :func:`lower`, of the paper alike at all readings of the methods.
    """
    if test is None:
        at = partial(lower, axis, f"rank {rank}")
        test = at(side, rival) if ours else alike(at, side, rival)
    return Claim(
        f"{name or _name(side, rival)}-{axis}-r{rank}",
        f"{side} lowers the objective faster than {_SAID.get(rival, rival)} {words}, rank {rank}: "
        f"its cost fₜ is lower on average over {axis}.",
        source,
        test,
        origin="ours" if ours else "paper",
    )


def faster_than_safeguarded(
    sides: Sequence[str], panels: Panels, words: str, figure: str
) -> list[Claim]:
    """Our claims on f_t against OMF-DA with a safeguard, which the paper's has not."""
    source = f"ours, after {figure}, whose OMF-DA has no safeguard"
    return [
        faster(
            side,
            OMF_DA,
            axis,
            rank,
            words,
            source,
            name=f"safeguarded-{_name(side, OMF_DA)}",
            ours=True,
        )
        for side, axis, rank in product(sides, (SAMPLES, SECONDS), panels.ranks)
    ]


def lower_at_the_end(side: str, rival: str, rank: int, words: str, source: str) -> Claim:
    """``side`` has a lower cost f_t than ``rival`` after two passes."""
    return Claim(
        f"{_name(side, rival)}-two-passes-r{rank}",
        f"{side} has a lower cost fₜ than {rival} after two passes {words}, rank {rank}.",
        source,
        alike(partial(lower, END, f"rank {rank}"), side, rival),
    )


def lower(axis: str, panel: str, side: str, rival: str) -> Test:
    """``side`` has the lower f_t in a panel."""
    return smaller(side, rival, STORED_COST, at=_place(side, rival, axis, [panel]))


def at_the_end(side: str, rival: str, rank: int) -> dict:
    """Place of the costs of two methods after two passes, in the frame."""
    return _place(side, rival, END, [f"rank {rank}"])


def of_the_true_cost(
    side: str, rival: str, panels: Panels, words: str, figure: str, *, stored: bool = True
) -> list[Claim]:
    """Our claims on two methods, over all ranks: F_n on both axes, the time, and the end.

    Parameters
    ----------
    side, rival : str
    panels : Panels
    words : str
        Such as "on CBCL", for the statements.
    figure : str
    stored : bool, default=True
        Whether f_t after two passes is among them, as of figures of which the paper says nothing
        of the end.
    """
    name, where = _name(side, rival), f"{words}, on average over the ranks"

    def claim(ending, statement, value, axis, lower_bound=None):
        test = smaller(side, rival, value, lower_bound, at=_place(side, rival, axis, panels.names))
        text = f"{side} {statement} than {rival} {where}."
        return Claim(ending, text, f"ours, after {figure}, which shows fₜ", test, origin="ours")

    near = "takes fewer CPU seconds until Fₙ is within 5 % of the best that any method reaches"
    claims = [
        claim(f"best-{name}-{axis}", f"has a lower mean Fₙ over {axis}", BEST_COST, axis)
        for axis in (SAMPLES, SECONDS)
    ]
    claims.append(claim(f"until-{name}-seconds", near, UNTIL, SECONDS, NEVER))
    last = "has a lower cost {} after two passes"
    claims.append(claim(f"end-best-{name}", last.format("Fₙ"), BEST_COST, END))
    if stored:
        claims.append(claim(f"end-{name}", last.format("fₜ"), STORED_COST, END))
    return claims


def _place(side, rival, axis, panels):
    return {"pair": pair_name(side, rival), "axis": axis, "panel": list(panels)}


def _name(side, rival):
    return f"{_slug(side)}-{_slug(rival)}"


def _slug(method):
    return method.lower().removesuffix(", as printed").removesuffix("-nmf")


def learns(at: Mapping[str, Any] = ALONE) -> Callable[[str], Test]:
    """A method ends at half of the cost of the first bases at most: these would not rise, too."""
    return partial(at_least, value=LEARNED, bound=2.0, measured_from=1.0, ratio=True, at=at)


def _harmed(printed):
    """The printed steps cost more than twice the smallest ratio that matters."""
    region = Bounds(1.04, measured_from=1.0)
    return always_best(printed, [OMF_DA], "stored", at=ALONE, ratio=True, region=region)


def of_single(words: str, source: str) -> list[Claim]:
    """Claims on two of the methods that take one sample at a time.

    Parameters
    ----------
    words : str
        Such as "on CBCL".
    source : str
        Figure.
    """
    converges = partial(at_least, value="fall", bound=-0.01, at=ALONE)

    def in_the_second_pass(method):
        return f"{method} converges {words}: in the second pass Fₙ rises by no more than 1 %."

    return [
        Claim(
            "or-converges",
            in_the_second_pass(OR),
            f"ours, after Theorem 1, {source}",
            converges(OR),  # by the cosine θ ends near zero, which brings any method to rest
            origin="ours",
        ),
        Claim(
            "mor-converges",
            in_the_second_pass(MOR),
            f"Section II-C, {source}",
            alike(converges, MOR),
        ),
        Claim(
            "mor-learns",
            f"{MOR} works well {words}: after two passes its cost fₜ is at most half of that of "
            "the bases that it starts from.",
            f"Section II-C, {source}",
            alike(learns(), MOR),
        ),
        Claim(
            "omf-da-unstable",
            f"OMF-DA as printed is unstable {words}: its cost fₜ after two passes is higher, "
            "on average over the ranks, than with steps that are halved where they raise what they "
            "are to lower, by more than 4 %.",
            f"Section IV-F, {source}",
            alike(_harmed, PRINTED),
        ),
        Claim(
            "omf-da-rises",
            f"At least 1 % of steps of OMF-DA as printed raise what they are to lower {words}, "
            "be it by rounding.",
            f"ours, after Section IV-F, {source}",
            at_least(PRINTED, RAISING, 0.01, at=ALONE),
            origin="ours",
        ),
    ]
