"""Whether headlines of a paper travel: one test on several data sets.

A :class:`Sentence` has one test for each data set. Of the same tests are made a claim for each of
them, one that asks for all at once, and a forest plot: a row for each data set, and the paper's own
above them for reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pandas as pd

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import NO_PAIR, Finding, Test, with_evidence
from nmfbench.artefacts.region import Lead
from nmfbench.core import registry
from nmfbench.core.matters import Matters, Ratio, smallest_difference
from nmfbench.papers.forest import draw

CAPTION = (
    "One row for each data set: the lead over each rival that the headline names, as a mean with "
    "its 95 % interval. Shaded: the data on which the headline is tested in the paper's own "
    "figure, for reference. Full vertical line: where the claim begins to hold; dotted: the "
    "smallest lead that matters."
)
ASSUMED = {
    "travels": "A headline travels if its test is confirmed on every one of the four data sets. A "
    "mean over them could be made by one, and four data sets say next to nothing of others.",
    "data sets": "Four that the paper does not have, chosen before any of their trials was run, "
    "of different kinds where there are such; everything else is that of the headline's own test.",
}


@dataclass(frozen=True)
class Sentence:
    """A headline of a paper, and its test on a data set.

    Parameters
    ----------
    slug : str
        Begins the ids of its claims.
    title : str
        Of its panel.
    statement : str
        The headline without its data, as a sentence.
    source : str
        Where the paper says it, and of which data.
    test : callable
        Key of a data set -> test of it.
    """

    slug: str
    title: str
    statement: str
    source: str
    test: Callable[[Any], Test]


@dataclass(frozen=True)
class Study:
    """Sentences on several data sets.

    Parameters
    ----------
    sentences : sequence of Sentence
    sets : mapping
        Slug of a data set that the paper does not have -> its name and its key, which the tests
        take.
    own : mapping
        Name -> key of the data that are the paper's own, or stand for them, for reference.
    task : str
        That declares the smallest differences that matter.
    xlabel : str
    unit : float, default=100
        Factor on leads other than ratios, such as 100 for points.
    matters : mapping
        Smallest differences of columns that the frame derives.
    average : mapping
        Name -> key of all of the sets together, where the headline is about a mean of several.
    smoke : mapping
        Name -> key of the data of the smoke grid, where those are others.
    """

    sentences: Sequence[Sentence]
    sets: Mapping[str, tuple[str, Any]]
    own: Mapping[str, Any]
    task: str
    xlabel: str
    unit: float = 100.0
    matters: Matters = field(default_factory=dict)
    average: Mapping[str, Any] = field(default_factory=dict)
    smoke: Mapping[str, Any] = field(default_factory=dict)

    def claims(self) -> list[Claim]:
        """Claims of each sentence: one for each data set, and one that asks for all of them."""
        return [claim for sentence in self.sentences for claim in self._claims(sentence)]

    def _claims(self, sentence):
        source = f"ours, after {sentence.source}"
        tests = {name: sentence.test(key) for name, key in self.sets.values()}
        for slug, (name, _) in self.sets.items():
            statement = f"On {name}, too: {sentence.statement}"
            yield Claim(f"{sentence.slug}-{slug}", statement, source, tests[name], origin="ours")
        yield Claim(
            f"{sentence.slug}-travels",
            f"It travels, on every one of {', '.join(tests)}: {sentence.statement}",
            source,
            every(tests),
            origin="ours",
        )
        for name, key in self.average.items():
            yield Claim(
                f"{sentence.slug}-average",
                f"In the {name}: {sentence.statement}",
                source,
                sentence.test(key),
                origin="ours",
            )

    def table(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Leads as the tests estimate them, with 95 % intervals.

        Columns: ``panel``, the title of the sentence; ``place``, the name of the data set; ``own``,
        whether it is there for reference; ``over``, the rival and the score; ``mean``, ``low``,
        ``high``, ``count``; ``border``, where the claim begins to hold, and ``matters``, the
        smallest lead that matters; ``ratio``.
        """
        sets = [(name, key, False) for name, key in self.sets.values()]
        own = [(name, key, True) for name, key in self.own.items()]
        further = [(name, key, False) for name, key in {**self.average, **self.smoke}.items()]
        rows = [
            {"panel": sentence.title, "place": name, "own": reference} | row
            for sentence in self.sentences
            for name, key, reference in (*own, *sets, *further)
            for row in self._rows(sentence.test(key)(frame))
        ]
        return pd.DataFrame(rows, columns=_COLUMNS)

    def _rows(self, finding):
        for estimate in finding.estimates:
            border = self._border(finding.region, estimate)
            matters = finding.region.delta(estimate, self._smallest)
            share = isinstance(matters, Ratio)
            unit = 1.0 if estimate.ratio else self.unit
            low, high = estimate.interval(0.95)
            yield {
                "over": estimate.name,
                "mean": unit * estimate.shown,
                "low": unit * low,
                "high": unit * high,
                "count": estimate.n,
                "border": unit * border,
                "matters": 1 + matters.share if share else unit * matters,
                "ratio": estimate.ratio,
            }

    def _border(self, region, estimate):
        if isinstance(region, Lead):
            return 1.0 if estimate.ratio else 0.0
        return -region.number(estimate, self._smallest)  # not worse by more than a margin

    def _smallest(self, name):
        return smallest_difference(name, self.matters, *registry.matters_in(self.task))

    @property
    def picture(self) -> Callable[[pd.DataFrame], Any]:
        """A forest plot of the table."""
        return partial(draw, xlabel=self.xlabel)


_COLUMNS = ["panel", "place", "own", "over", "mean", "low", "high", "count"]
_COLUMNS += ["border", "matters", "ratio"]


def every(tests: Mapping[str, Test]) -> Test:
    """All of ``tests`` are confirmed, on the data set that is the name of each.

    They have one region. One data set decides against it, after Holm's correction over all of
    them; if some were not run, it can be refuted, but not confirmed.
    """

    def test(frame):
        found = {name: one(frame) for name, one in tests.items()}
        run = {name: finding for name, finding in found.items() if finding.estimates}
        if not run:
            return Finding.without("not run", NO_PAIR)
        estimates = [
            replace(estimate, name=f"{name}, {estimate.name}" if estimate.name else name)
            for name, finding in run.items()
            for estimate in finding.estimates
        ]
        first = next(iter(run.values()))
        absent = [name for name in found if name not in run]
        return replace(
            first,
            text="smallest lead of all data sets {}, on {name}",
            estimates=estimates,
            complete=not absent and all(finding.complete for finding in run.values()),
            notes=[f"not run on {', '.join(absent)}"] if absent else [],
        )

    return with_evidence(test, lambda frame: _means(tests, frame))


def _means(tests, frame):
    """The smallest lead on each data set."""
    found = {name: test(frame).estimates for name, test in tests.items()}
    least = {name: min(e.shown for e in leads) for name, leads in found.items() if leads}
    return "smallest means: " + ", ".join(f"{name} {mean:.3g}" for name, mean in least.items())
