"""Findings: what a test makes of a frame, before the artefact's other tests are considered.

A test is a function from the frame of an artefact (its labelled records, or what the artefact makes
of them once for its table, its picture and all of its claims) to a :class:`Finding`: estimates in a
region. :func:`nmfbench.verdicts.verdict.decide` makes verdicts of all findings of an artefact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from nmfbench.artefacts.estimate import Estimate
from nmfbench.artefacts.frames import rows_at
from nmfbench.artefacts.region import Place, Region, Smallest
from nmfbench.core.text import counted

__all__ = [
    "ALPHA",
    "MIN_UNITS",
    "NO_PAIR",
    "Finding",
    "Test",
    "at_each_reading",
    "observations",
    "together",
    "with_evidence",
    "within",
]

ALPHA = 0.05
"""Share of wrong ones that may be expected among the confirmed and refuted claims of an artefact,
and among those without a lead."""

MIN_UNITS = 5
"""Fewer independent observations say too little of how they differ."""

NO_PAIR = "no repeat of this grid has both sides of the comparison"
"""Evidence of a comparison that has not been run."""


Outcome = Literal["", "not run", "inconclusive", "confirmed", "refuted"]
"""Verdict of a finding that is not tested; empty if it is."""


@dataclass(frozen=True)
class Finding:
    """Estimates in a region, or why there are none.

    Parameters
    ----------
    text : str
        Evidence. "{}" stands for the effect with its interval, "{name}" for the name of the
        estimate that is shown: the one that decides, or the worst one.
    estimates : sequence of Estimate
    region : Lead, Margin or Bounds, optional
    rule : {"every", "some"}
        Whether every estimate has to lie in the region, or one of them is enough. One decides for
        the claim by the largest p-value of all, so that none needs a correction, and against it by
        the smallest one after Holm's; "some" the other way round.
    complete : bool, default=True
        Whether all comparisons were made: some of them can refute "every", but not confirm it.
    unit : str, default="repeats"
        Independent observations, in the plural.
    notes : sequence of str
        Further sentences of the evidence.
    outcome : {"", "not run", "inconclusive", "confirmed", "refuted"}
        Of what is not tested: nothing to test, or a fact.
    readings : sequence of str
        Of a setting that the paper leaves open: the claim is decided where it comes out alike at
        each of them, by the estimates of this reading.
    setting : str, optional
        That setting, such as "updates of a chunk by ONMF".
    texts : mapping of str to str
        Evidence at each reading, which names what is compared there.
    grows : bool, default=True
        Whether further repeats add observations. Frames of a clip do not become more.
    """

    text: str
    estimates: Sequence[Estimate] = ()
    region: Region | None = None
    rule: Literal["every", "some"] = "every"
    complete: bool = True
    unit: str = "repeats"
    notes: Sequence[str] = ()
    outcome: Outcome = ""
    readings: Sequence[str] = ()
    setting: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    grows: bool = True

    @classmethod
    def without(cls, outcome: Outcome, text: str) -> Finding:
        """A finding that rests on no estimate."""
        return cls(text, outcome=outcome)

    @property
    def n(self) -> int:
        """Independent observations behind the estimate that has the fewest."""
        return min((estimate.n for estimate in self.estimates), default=0)

    @property
    def observations(self) -> str:
        """How many independent observations there are, in words."""
        return observations(self.n, self.unit)

    @property
    def whole(self) -> bool:
        """Whether all comparisons were made, at all readings."""
        return self.complete and set(self.readings) <= {e.reading for e in self.estimates}

    @property
    def exact(self) -> bool:
        """Whether it is about numbers without a sample behind them."""
        return bool(self.estimates) and all(estimate.exact for estimate in self.estimates)

    @property
    def testable(self) -> bool:
        """Whether it has a p-value."""
        enough = self.n >= MIN_UNITS and all(e.freedom > 0 for e in self.estimates)
        return not self.outcome and not self.exact and enough

    def places(self, smallest: Smallest) -> list[Place]:
        """p-values of each estimate."""
        if self.region is None:
            raise ValueError("a finding that has estimates needs a region.")
        return [self.region.place(estimate, smallest) for estimate in self.estimates]

    def at(self, reading: str) -> Finding:
        """The finding at one reading, which may have no estimate."""
        chosen = [estimate for estimate in self.estimates if estimate.reading == reading]
        return replace(self, estimates=chosen, readings=())

    def place(self, smallest: Smallest) -> Place:
        """p-values of all estimates together, by the rule; of readings the largest of each."""
        if self.readings:
            places = [self.at(reading).place(smallest) for reading in self.readings]
            columns = (np.broadcast_arrays(*column) for column in zip(*places, strict=True))
            return Place(*(np.max(column, axis=0) for column in columns))
        places, k = self.places(smallest), len(self.estimates)
        if not places:
            return Place(1.0, 1.0)
        if self.rule == "some":
            inside = np.minimum(1.0, k * np.min([place.inside for place in places], axis=0))
            outside, no_lead = (
                np.max([getattr(p, name) for p in places], axis=0) for name in _AGAINST
            )
            return Place(inside, *((outside, no_lead) if self.complete else (1.0, 1.0)))
        inside = np.max([place.inside for place in places], axis=0) if self.complete else 1.0
        against = (
            np.minimum(1.0, k * np.min([getattr(p, name) for p in places], axis=0))
            for name in _AGAINST
        )
        return Place(inside, *against)

    def noted(self, *notes: str) -> Finding:
        """With further sentences of evidence; empty ones are left out."""
        return replace(self, notes=(*self.notes, *(note for note in notes if note)))


def observations(count: int, unit: str) -> str:
    """A number of observations, of which the unit is given in the plural.

    Examples
    --------
    >>> observations(1, "runs within data sets"), observations(12, "repeats")
    ('1 run within data sets', '12 repeats')
    """
    noun, *blocks = unit.split(" within ")
    return " within ".join([counted(count, noun.removesuffix("s")), *blocks])


_AGAINST = ("outside", "no_lead")

Test = Callable[[pd.DataFrame], Finding]


def within(at: Mapping[str, Any] | None, test: Test) -> Test:
    """``test`` on the rows where each column of ``at`` is its value, or one of its values."""
    if not at:
        return test
    return lambda frame: test(rows_at(frame, at))


def together(*tests: Test) -> Test:
    """All of several tests whose estimates have one region, such as against rivals in cells apart.

    It is complete if every one of them is; the text of its evidence is that of the first.
    """

    def test(frame):
        findings = [test(frame) for test in tests]
        first = findings[0]
        if not first.estimates:
            return first
        return replace(
            first,
            estimates=[e for finding in findings for e in finding.estimates],
            complete=all(finding.complete and finding.estimates for finding in findings),
            notes=[note for finding in findings for note in finding.notes],
        )

    return test


def at_each_reading(setting: str, tests: Mapping[str, Test]) -> Test:
    """A test at each reading of a setting that the paper leaves open, alike at all or undecided.

    A verdict on the paper's sentence must not depend on what we chose where the paper says nothing.
    So it is confirmed where it is confirmed at every reading, refuted where it is refuted at every
    one, and without a lead where no reading has a lead that matters: each time the largest p-value
    of all readings decides, which needs no correction. Otherwise it is inconclusive, and the
    evidence has the outcome at each reading. A reading that was not run leaves it open.

    Parameters
    ----------
    setting : str
        Such as "updates of a chunk by ONMF".
    tests : mapping of str to Test
        Reading, such as "50" -> its test. Their estimates have one region.
    """

    def test(frame):
        findings = {reading: test(frame) for reading, test in tests.items()}
        run = {reading: finding for reading, finding in findings.items() if finding.estimates}
        if not run:
            return next(iter(findings.values()))
        notes = {note for finding in run.values() for note in finding.notes}
        first = next(iter(run.values()))
        return replace(
            first,
            estimates=[replace(e, reading=name) for name, f in run.items() for e in f.estimates],
            complete=all(f.complete for f in run.values()),
            readings=tuple(tests),
            setting=setting,
            texts={name: f.text for name, f in run.items()},
            notes=[note for note in first.notes if all(note in f.notes for f in run.values())]
            if len(notes) == len(first.notes)
            else [f"at {name}: {note}" for name, f in run.items() for note in f.notes],
        )

    return test


def with_evidence(test: Test, describe: str | Callable[[pd.DataFrame], str]) -> Test:
    """``test`` with a sentence added to the evidence, where there is an effect to explain.

    Parameters
    ----------
    test : callable
    describe : str or callable
        What to add; or the frame that ``test`` sees -> it. Nothing is added, if empty.
    """

    def explained(frame):
        finding = test(frame)
        if not finding.estimates:
            return finding
        return finding.noted(describe if isinstance(describe, str) else describe(frame))

    return explained
