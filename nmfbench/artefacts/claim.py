"""Claims as tests over frames: rows in, a verdict with its evidence out.

A claim has an ``origin``: a sentence of a paper, or a question of ours. A test is a function from
the frame of an artefact (its labelled records, or what the artefact makes of them once for its
table, its picture and all of its claims) to a :class:`Verdict`. The usual tests are built in
:mod:`~nmfbench.artefacts.comparisons` and :mod:`~nmfbench.artefacts.bounds`.

Where a number decides, such as a margin or a bound, the test is a :class:`ThresholdTest`, which
says whose the number is. If it is ours, the verdict has beside it those at half and at twice of it.
Tests that the sign of a difference decides are plain functions. A test that calls another one keeps
its threshold by :func:`around`:

>>> from nmfbench.artefacts.comparisons import flat
>>> test = around(flat("SPA", "seconds", margin=0.1), lambda test, frame: test(frame.head()))
>>> test.threshold
Threshold(value=0.1, whose='ours', measured_from=0.0)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from nmfbench.artefacts.frames import narrow

__all__ = [
    "ALPHA",
    "MIN_REPEATS",
    "NO_PAIR",
    "Claim",
    "Threshold",
    "ThresholdTest",
    "Verdict",
    "around",
    "decided_by",
    "judge",
    "thresholded",
    "whose_number",
    "with_evidence",
    "within",
]

ALPHA = 0.05
"""Level of every test, one-sided: a p-value below it decides, either way."""

MIN_REPEATS = 5
"""With fewer, no signed-rank test can reach that level."""

NO_PAIR = "no repeat of this grid has both sides of the comparison"
"""Evidence of a comparison that has not been run."""

Test = Callable[[pd.DataFrame], "Verdict"]


@dataclass(frozen=True)
class Verdict:
    """Verdict on a claim, with its evidence.

    Attributes
    ----------
    verdict : {"confirmed", "refuted", "inconclusive", "not run"}
    evidence : str
        In words, with figures.
    effect : float, optional
        Size of the effect, in the unit that ``evidence`` names.
    interval : tuple of float, optional
        95 % confidence interval of the effect.
    p_value : float, optional
        One-sided, against the side that the verdict is on.
    n : int
        Independent observations (repeats) behind it.
    done, total : int
        Trials with a record, and trials of the profile's grid.
    paper_total : int
        Trials of the paper's grid. Fewer done than these is a partial verdict.
    data : {"own", "stand-in"}
        Whether the data were the paper's own (or generated as it says).
    sensitivity : dict, optional
        Verdicts at "half" and at "twice" of a threshold of ours.
    """

    verdict: Literal["confirmed", "refuted", "inconclusive", "not run"]
    evidence: str = ""
    effect: float | None = None
    interval: tuple[float, float] | None = None
    p_value: float | None = None
    n: int = 0
    done: int = 0
    total: int = 0
    paper_total: int = 0
    data: str = "own"
    sensitivity: Mapping[str, str] | None = None

    @property
    def partial(self) -> bool:
        return self.done < self.paper_total


@dataclass(frozen=True)
class Threshold:
    """A number that decides a claim, such as a margin, a bound or a tolerance.

    Parameters
    ----------
    value : float or tuple of float
        Several numbers, such as the ends of a range, are scaled together.
    whose : {"paper", "ours"}
        "paper" if it is printed there or follows from a theorem, "ours" if we chose it.
    measured_from : float, default=0
        Where the scale begins on which halves are taken: 1 for a share that should be near 1.

    Examples
    --------
    >>> Threshold(0.95, measured_from=1.0).scaled(0.5)
    0.975
    """

    value: float | tuple[float, ...]
    whose: Literal["paper", "ours"] = "ours"
    measured_from: float = 0.0

    def scaled(self, factor: float) -> float | tuple[float, ...]:
        """The number, or numbers, at ``factor`` times the distance from ``measured_from``."""
        if isinstance(self.value, tuple):
            return tuple(replace(self, value=value).scaled(factor) for value in self.value)
        return self.measured_from + factor * (self.value - self.measured_from)


@dataclass(frozen=True)
class ThresholdTest:
    """A test, frame -> Verdict, with the threshold that decides it. See :func:`decided_by`."""

    run: Callable[[pd.DataFrame], Verdict]
    threshold: Threshold

    def __call__(self, records: pd.DataFrame) -> Verdict:
        return self.run(records)


def decided_by(threshold: Threshold, build: Callable) -> ThresholdTest:
    """The test that ``build`` makes of a number.

    Parameters
    ----------
    threshold : Threshold
    build : callable
        The number -> a test. If the number is ours, the verdicts of the tests at half and at twice
        of it become the ``sensitivity`` of the verdict.
    """

    def run(records):
        verdict = build(threshold.value)(records)
        if threshold.whose != "ours":
            return verdict
        others = {
            name: build(threshold.scaled(factor))(records).verdict
            for name, factor in (("half", 0.5), ("twice", 2.0))
        }
        return replace(verdict, sensitivity=others)

    return ThresholdTest(run, threshold)


def around(test: Callable, judged: Callable) -> Callable:
    """A test that calls another one, and has its threshold, if it has one.

    Parameters
    ----------
    test : callable
    judged : callable
        (test, frame) -> Verdict. It may prepare the records and add to the evidence; what the
        verdict is, and its ``sensitivity``, it leaves to ``test``.
    """

    def run(records):
        return judged(test, records)

    threshold = getattr(test, "threshold", None)
    return run if threshold is None else ThresholdTest(run, threshold)


@dataclass(frozen=True)
class Claim:
    """Assertion of a paper, in our words, or a question of ours, with its test.

    Parameters
    ----------
    id : str
        Unique within its artefact; ``<artefact>/<id>`` is its public name.
    statement : str
    source : str
        Section or figure of the paper.
    test : callable
        Frame of the artefact -> Verdict.
    reported : str
        The paper's own number, where it prints one, as the report shows it.
    origin : {"paper", "ours"}
        Who asserts it: a sentence of the paper, or we, as of a method or a question of ours.
    """

    id: str
    statement: str
    source: str
    test: Callable[[pd.DataFrame], Verdict]
    reported: str = ""
    origin: Literal["paper", "ours"] = "paper"

    @property
    def threshold(self) -> Threshold | None:
        """The number that decides it; None if the sign of a difference does."""
        return getattr(self.test, "threshold", None)

    def sensitivity_in_words(self, verdict: Verdict) -> str:
        """Verdicts at half and at twice of a threshold of ours; empty without one."""
        threshold, others = self.threshold, verdict.sensitivity
        if threshold is None or others is None or verdict.verdict == "not run":
            return ""
        half, twice = (_plain(threshold.scaled(factor)) for factor in (0.5, 2.0))
        if set(others.values()) == {verdict.verdict}:
            then = f"the same at {half} and at {twice}"
        else:
            then = f"{others['half']} at {half}, {others['twice']} at {twice}"
        return f"The threshold {_plain(threshold.value)} is ours: {then}."


def judge(
    claim: Claim, records: pd.DataFrame, *, done: int, total: int, paper_total: int, data: str
) -> Verdict:
    """Test a claim and note how much of the grid the verdict rests on.

    Parameters
    ----------
    records : DataFrame
        Frame of the finished trials.
    done, total : int
        Trials of the profile's grid with a finished record, and all.
    paper_total : int
        Trials of the paper's grid.
    data : {"own", "stand-in"}
    """
    rests_on = {"done": done, "total": total, "paper_total": paper_total, "data": data}
    if done == 0:
        ours = claim.threshold is not None and claim.threshold.whose == "ours"
        others = dict.fromkeys(("half", "twice"), "not run") if ours else None
        text = "no trial of this grid has finished"
        return Verdict("not run", text, sensitivity=others, **rests_on)
    verdict = replace(claim.test(records), **rests_on)
    if verdict.partial:
        note = f"{done} of the paper grid's {paper_total} trials"
        verdict = replace(verdict, evidence=f"{verdict.evidence} ({note})")
    return verdict


def _plain(value):
    values = value if isinstance(value, tuple) else (value,)
    return " with ".join(f"{v:g}" for v in values)


def within(at: Mapping[str, Any] | None, test: Test) -> Test:
    """``test`` on the rows where each column of ``at`` is its value, or one of its values."""
    if not at:
        return test
    return around(test, lambda test, frame: test(narrow(frame, at)))


def with_evidence(
    test: Test,
    describe: Callable[[pd.DataFrame], str],
    *,
    of: Collection[str] = ("confirmed", "refuted", "inconclusive"),
) -> Test:
    """``test`` with a sentence added to the evidence, where there is an effect to explain.

    Parameters
    ----------
    test : callable
    describe : callable
        The frame that ``test`` sees -> what to add; nothing, if empty.
    of : collection of str, optional
        Verdicts that are explained, such as ``["refuted"]``.
    """

    def explained(test, frame):
        verdict = test(frame)
        if verdict.effect is None or verdict.verdict not in of:
            return verdict
        text = describe(frame)
        return replace(verdict, evidence=f"{verdict.evidence}; {text}") if text else verdict

    return around(test, explained)


def thresholded(threshold: Threshold, test: Callable[[Any, pd.DataFrame], Verdict]):
    """:func:`decided_by` of a function of the number and the frame."""
    return decided_by(threshold, lambda number: functools.partial(test, number))


def whose_number(whose: Literal["paper", "ours"]) -> str:
    """Words before a number that decides, in the evidence."""
    return "the paper's bound" if whose == "paper" else "our bound"
