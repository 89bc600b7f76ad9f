"""Claims on corrupted faces, of MahNMF and of the hybrid, at each level and rank that is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Literal

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import At, always_best
from nmfbench.artefacts.finding import Test, at_each_reading
from nmfbench.artefacts.region import Region
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, KL, LEVEL, MAH, OTHER_LEVELS


def slug(condition: str) -> str:
    """A condition as ids of claims have it.

    Examples
    --------
    >>> slug("salt & pepper")
    'salt-pepper'
    """
    return condition.lower().replace(" & ", "-").replace(" ", "-")


def origin(method: str) -> Literal["paper", "ours"]:
    """Who asserts a claim on a method: what the paper says of its own is asked of the hybrid too.

    Examples
    --------
    >>> origin(MAH), origin(HYBRID)
    ('paper', 'ours')
    """
    return "ours" if method == HYBRID else "paper"


def claim_on(method: str, id: str, statement: str, source: str, test: Test) -> Claim:
    """A claim on MahNMF; or the same on the hybrid, which is ours."""
    if method == HYBRID:
        id, source = f"{id}-hybrid", f"{source}; the hybrid is ours"
    return Claim(id, statement, source, test, origin=origin(method))


def at_ranks(
    test_of: Callable[[Mapping[str, Any]], Test], ranks: Sequence[int], at: At = None
) -> Test:
    """A test that comes out alike at each of some ranks, where that of the paper is lost.

    Parameters
    ----------
    test_of : callable
        What ``at`` is at a rank -> test.
    ranks : sequence of int
    at : mapping, optional
    """
    places = {f"rank {rank}": {**(at or {}), "n_components": rank} for rank in ranks}
    return at_each_reading("the rank", {name: test_of(place) for name, place in places.items()})


def at_levels(condition: str, test_of: Callable[[str], Test]) -> Test:
    """A test that comes out alike at each level of a noise, where that of the paper is lost.

    Parameters
    ----------
    condition : str
    test_of : callable
        Condition, at the usual level or at another one -> test.
    """
    places = _levels_of(condition)
    return at_each_reading(
        "the level of the noise", {words: test_of(place) for words, place in places.items()}
    )


def at_levels_and_ranks(
    condition: str, test_of: Callable[[Mapping[str, Any]], Test], ranks: Sequence[int]
) -> Test:
    """A test that comes out alike at each level of a noise, and at each of some ranks.

    Parameters
    ----------
    condition : str
    test_of : callable
        Condition and rank, as columns -> test.
    ranks : sequence of int
    """
    tests = {
        f"{words}, rank {rank}": test_of({"condition": place, "n_components": rank})
        for (words, place), rank in product(_levels_of(condition).items(), ranks)
    }
    return at_each_reading("the level of the noise and the rank", tests)


def _levels_of(condition):
    """The usual level and the other ones, in words -> the condition at each."""
    return {LEVEL[condition]: condition} | {words: words for words in OTHER_LEVELS[condition]}


def lowest(
    slug: str,
    statement: str,
    source: str,
    values: str | Sequence[str],
    *,
    at: Mapping[str, Any] | None = None,
    each: Mapping[str, Sequence[Any]] | None = None,
    ratio: bool = False,
    region: Region | None = None,
    ours: bool = False,
    ranks: Sequence[int] = (),
    levels: bool = False,
) -> list[Claim]:
    """Two claims: MahNMF, and the hybrid, have lower values than EucNMF and KLNMF.

    Parameters
    ----------
    slug : str
        Their id; that of the hybrid ends on ``-hybrid``.
    statement : str
        With ``{}`` where the method is named.
    source : str
        Where the paper says it of MahNMF.
    values, at, each, ratio, region
        Those of :func:`~nmfbench.artefacts.comparisons.always_best`.
    ours : bool, default=False
        Both are our questions: the paper does not state it for MahNMF either.
    ranks : sequence of int, optional
        At each of which it has to come out alike.
    levels : bool, default=False
        So it has at each level of the noise.
    """

    def ahead(method, place):
        return always_best(
            method, [EUC, KL], values, at=place, each=each, lower=True, ratio=ratio, region=region
        )

    def test_of(method):
        usual = dict(at or {})

        def there(place):
            return ahead(method, usual | place)

        if levels and ranks:
            return at_levels_and_ranks(usual["condition"], there, ranks)
        if levels:
            return at_levels(usual["condition"], lambda name: there({"condition": name}))
        return at_ranks(there, ranks) if ranks else ahead(method, at)

    hybrid = f"{source}, of MahNMF; of the hybrid, which minimises the same loss further, ours"
    if ours:
        source = hybrid = f"ours, after {source}"
    named = ("", "MahNMF", source, MAH), ("-hybrid", "the hybrid", hybrid, HYBRID)
    return [
        Claim(
            slug + ending,
            statement.format(name),
            words,
            test_of(method),
            origin="ours" if ours else origin(method),
        )
        for ending, name, words, method in named
    ]
