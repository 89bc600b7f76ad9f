"""Verdicts: what all findings of an artefact decide together.

Within an artefact Benjamini and Hochberg's procedure at 5 % runs twice over the tests: once for
*confirmed and refuted*, once for *no lead*. Among what a figure confirms or refutes one in twenty
may be expected to be wrong, and likewise among what it finds without a lead. The interval of a
verdict has the level that decided it (Benjamini and Yekutieli, *JASA* 100, 2005), so that it
excludes 0, or ends below the smallest difference that matters, where the test is decided, and
neither where it is not.

Before an artefact has its planned repeats only overwhelming evidence decides: p-values count fifty
times (Haybittle 1971, Peto 1976).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from nmfbench.artefacts.finding import ALPHA, MIN_UNITS, Finding
from nmfbench.artefacts.region import Lead, Place, Smallest
from nmfbench.core.matters import Ratio
from nmfbench.stats.corrections import benjamini_hochberg

__all__ = [
    "DECIDED",
    "INTERIM",
    "POLICY",
    "VERDICTS",
    "Look",
    "Verdict",
    "decide",
    "percent",
]

INTERIM = 50
"""Factor on the p-values of a look before the planned repeats are complete."""

Word = Literal["confirmed", "no lead", "refuted", "inconclusive", "not run"]
"""Verdict on a claim, in a word."""

VERDICTS: tuple[Word, ...] = ("confirmed", "no lead", "refuted", "inconclusive", "not run")
DECIDED = ("confirmed", "no lead", "refuted")

POLICY = (
    "A claim is confirmed where the interval of its effect lies wholly on the side that it names, "
    "and refuted where it lies wholly on the other. Where neither is known, but the interval ends "
    "below the smallest difference that matters, there is no lead. Two methods are alike where the "
    "interval lies within the margin, and one is not worse where it does not reach below it. "
    "Estimates are means over repeats (or over runs within data sets, or scored frames) with t "
    "intervals; sizes are compared as ratios. In a figure or table one in twenty of the confirmed "
    "and refuted claims may be expected to be wrong, and one in twenty of those without a lead "
    "(Benjamini and Hochberg); intervals have the level that decided. Before the planned repeats "
    "are complete p-values count fifty times. Theorems have no p-value: a single exception refutes "
    "them."
)
"""How claims are decided, for readers."""


@dataclass(frozen=True)
class Look:
    """How far an artefact has come.

    Parameters
    ----------
    repeats, planned : int
        Complete repeats, and those after which verdicts are final.
    final : bool, default=False
        Whether the planned trials are complete.
    """

    repeats: int = 0
    planned: int = 0
    final: bool = False

    @property
    def factor(self) -> int:
        """Factor on p-values."""
        return 1 if self.final else INTERIM


@dataclass(frozen=True)
class Verdict:
    """Verdict on a claim, with its evidence.

    Attributes
    ----------
    verdict : {"confirmed", "no lead", "refuted", "inconclusive", "not run"}
    evidence : str
        In sentences, with figures.
    effect : float, optional
        Size of the effect, in the unit that ``evidence`` names.
    interval : tuple of float, optional
        Confidence interval of the effect.
    level : float, optional
        Confidence level of the interval, the one that decided.
    p_value : float, optional
        Two-sided; of *no lead*, that of a lead as small as that.
    p_adjusted : float, optional
        After the correction for all claims of the artefact, and for an early look.
    n : int
        Independent observations behind it.
    unit : str
        Of these, in the plural.
    threshold : float or tuple of float, optional
        Number that decides it, such as a margin or a bound; of sizes a share. None if the sign of
        an effect does.
    whose : {"paper", "ours"}
        Whose number it is.
    delta : float, optional
        Smallest difference that matters.
    ratio : bool
        Whether ``delta``, and a margin, are shares of sizes.
    sensitivity : dict, optional
        Verdicts at "half" and at "twice" of the threshold, or of the smallest difference that
        matters, where these are ours.
    neighbours : tuple, optional
        Half and twice of the number.
    hangs_on : str
        Settings that a paper leaves open, where readings of them decide differently; else empty.
    done, total : int
        Trials with a record, and trials of the profile's grid.
    paper_total : int
        Trials of the paper's grid. Fewer done than these is a partial verdict.
    data : {"own", "stand-in"}
        Whether the data were the paper's own (or generated as it says).
    """

    verdict: Word
    evidence: str = ""
    effect: float | None = None
    interval: tuple[float, float] | None = None
    level: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    n: int = 0
    unit: str = "repeats"
    threshold: float | tuple[float, ...] | None = None
    whose: str = "ours"
    delta: float | None = None
    ratio: bool = False
    sensitivity: Mapping[str, str] | None = None
    neighbours: tuple[Any, Any] | None = None
    hangs_on: str = ""
    done: int = 0
    total: int = 0
    paper_total: int = 0
    data: str = "own"

    @property
    def partial(self) -> bool:
        return self.done < self.paper_total

    @property
    def sensitivity_text(self) -> str:
        """Sentence on the verdicts at half and at twice of our number; empty without one."""
        if self.sensitivity is None or self.verdict == "not run":
            return ""
        unit = " %" if self.ratio and self.threshold is None else ""
        half, twice = (_plain(number, unit) for number in self.neighbours or ())
        others = self.sensitivity
        if set(others.values()) == {self.verdict}:
            then = f"the same at {half} and at {twice}"
        else:
            then = f"{others['half']} at {half}, {others['twice']} at {twice}"
        if self.threshold is None:
            return f"A lead of {_plain(self.delta, unit)} matters: {then}."
        return f"The threshold {_plain(self.threshold)} is ours: {then}."


def _plain(value, unit=""):
    values = value if isinstance(value, tuple) else (value,)
    return " with ".join(f"{100 * v:g} %" if unit else f"{v:g}" for v in values)


@dataclass(frozen=True)
class _Levels:
    """Largest uncorrected p-values that decide; the last one gives the level of open intervals."""

    sides: float
    no_lead: float
    undecided: float

    def decide(self, place: Place) -> Word:
        """Verdict on a claim by its p-values."""
        if min(place.inside, place.outside) <= self.sides:
            return "confirmed" if place.inside <= place.outside else "refuted"
        return "no lead" if place.no_lead <= self.no_lead else "inconclusive"


def decide(
    findings: Sequence[Finding], smallest: Smallest, look: Look | None = None
) -> list[Verdict]:
    """Verdicts on all claims of an artefact.

    Parameters
    ----------
    findings : sequence of Finding
        What the test of each claim found.
    smallest : callable
        Metric -> smallest difference that matters, or None.
    look : Look, optional
        By default the last one.

    Returns
    -------
    list of Verdict
        In the order of the findings.
    """
    look = look or Look(final=True)
    places = [finding.place(smallest) if finding.testable else None for finding in findings]
    tested = [place for place in places if place is not None]
    sides = [min(1.0, look.factor * min(p.inside, p.outside)) for p in tested]
    leads = [min(1.0, look.factor * p.no_lead) for p in tested]
    adjusted = [benjamini_hochberg(p) for p in (sides, leads)]
    counts = [int((p <= ALPHA).sum()) for p in adjusted]
    step = ALPHA / max(len(tested), 1) / look.factor
    levels = _Levels(counts[0] * step, counts[1] * step, max(1, min(counts)) * step)
    after = iter(zip(*adjusted, strict=True))
    return [
        _untested(finding, smallest)
        if place is None
        else _verdict(finding, place, next(after), smallest, levels)
        for finding, place in zip(findings, places, strict=True)
    ]


def _verdict(finding, place, adjusted, smallest, levels):
    verdict = _word(finding, place, smallest, levels)
    shown, interval, alpha = _shown(finding, verdict, smallest, levels)
    lead = verdict == "no lead"
    p_value = place.no_lead if lead else min(place.inside, place.outside)
    if verdict == "inconclusive" and not finding.whole:
        interval = None  # it would say more than the comparisons that were made
    number = f"{shown.shown:.3g}"
    if interval is not None:
        all_of = finding.readings and verdict not in _ON_A_SIDE
        of = "intervals of all readings" if all_of else "interval"
        which = f", least clear at {shown.reading}" if finding.readings and not all_of else ""
        number += f" ({percent(1 - alpha)} {of} {interval[0]:.3g} to {interval[1]:.3g}{which})"
    words = _words_at_readings(finding, smallest, levels)
    notes = [
        _at_readings(finding, words) if words else _one_by_one(finding, smallest, levels),
        _by_how_little(finding, verdict, shown, interval, smallest),
        *finding.notes,
        f"p = {p_value:.2g}, n = {finding.n} {finding.unit}",
    ]
    return Verdict(
        verdict,
        _evidence(finding, number, shown, notes),
        effect=shown.shown,
        interval=interval,
        level=None if interval is None else 1 - alpha,
        p_value=float(p_value),
        p_adjusted=float(adjusted[1] if lead else adjusted[0]),
        n=finding.n,
        unit=finding.unit,
        hangs_on=_hangs_on(finding, words),
        **_numbers(finding, shown, smallest, _decided_by(smallest, levels)),
    )


def _word(finding, place, smallest, levels):
    """Verdict on a claim; a conjunction has no lead by a cell that is not ahead."""
    verdict = levels.decide(place)
    if verdict != "no lead" or finding.rule != "every" or finding.readings:
        return verdict
    return verdict if _without_lead(finding.places(smallest), levels) else "inconclusive"


def _without_lead(places, levels):
    """Cells that decide that a conjunction has no lead (Holm): of those not ahead by themselves."""
    most = levels.no_lead / len(places)
    ahead = max(levels.sides, most)
    rest = [k for k, place in enumerate(places) if place.inside > ahead] or range(len(places))
    return [k for k in rest if places[k].no_lead <= most]


def _decided_by(smallest, levels):
    """Verdicts on findings at these levels."""
    return lambda finding: _word(finding, finding.place(smallest), smallest, levels)


_LISTED = 3  # readings, one by one
_NAMED = 4  # readings that differ from most


def _words_at_readings(finding, smallest, levels):
    """Outcome at each reading; where no test of the artefact is decided, as the first would be."""
    least = levels.undecided
    first = _Levels(max(levels.sides, least), max(levels.no_lead, least), least)
    return _words(finding, _decided_by(smallest, first))


def _words(finding, decide):
    run = {e.reading for e in finding.estimates}
    return {
        name: decide(finding.at(name)) if name in run else "not run" for name in finding.readings
    }


def _hangs_on(finding, words):
    """The settings of which two readings decide, and not alike."""
    return finding.setting if len({*words.values()}.intersection(DECIDED)) > 1 else ""


def _one_by_one(finding, smallest, levels):
    """Note on what comes out of each comparison by itself."""
    alone = [levels.decide(p) for p in finding.places(smallest)]
    counts = ", ".join(f"{alone.count(v)} {v}" for v in VERDICTS if v in alone)
    return f"of {len(alone)} comparisons each by itself {counts}" if len(alone) > 1 else ""


def _at_readings(finding, words):
    """Note on what comes out at each reading."""
    if len(set(words.values())) == 1:
        if len(words) > _LISTED:
            return f"alike at all {len(words)} readings of {finding.setting}"
        return f"alike at {_listed(words)} ({finding.setting})"
    return f"hangs on {finding.setting}: {_by_word(words)}"


def _by_word(words):
    """Outcomes with the readings that have them; of many readings the most frequent one last.

    Where many readings differ from that one, with their number and the first.
    """
    if len(words) <= _LISTED:
        return ", ".join(f"{word} at {name}" for name, word in words.items())
    names: dict[str, list[str]] = {}
    for name, word in words.items():
        names.setdefault(word, []).append(f"({name})")
    usual = max(names, key=lambda word: len(names[word]))
    others = f"{usual} at the other {len(names.pop(usual))}"
    if sum(map(len, names.values())) <= _NAMED:
        return ", ".join([*(f"{word} at {_listed(at)}" for word, at in names.items()), others])
    some = [f"{word} at {len(at)} such as {at[0]}" for word, at in names.items()]
    return f"of {len(words)} readings, {', '.join([*some, others])}"


def _listed(words):
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


_ON_A_SIDE = ("confirmed", "refuted")


def _shown(finding, verdict, smallest, levels):
    """The estimate that decides, or the worst one, its interval, and one minus the level of it.

    Of several readings the one that decides, which is the least clear; where it is on no side
    of the region, with the range of the intervals of all.
    """
    if finding.readings:
        each = [finding.at(reading) for reading in finding.readings]
        each = [one for one in each if one.estimates]
        shown = [_shown(one, verdict, smallest, levels) for one in each]
        name = _DECIDES.get(verdict, "inside")
        last = int(np.argmax([getattr(one.place(smallest), name) for one in each]))
        estimate, interval, alpha = shown[last]
        if verdict not in _ON_A_SIDE:
            lows, highs = zip(*(interval for _, interval, _ in shown), strict=True)
            interval = min(lows), max(highs)
        return estimate, interval, alpha
    estimate, alpha = _one(finding, verdict, finding.places(smallest), levels)
    return estimate, estimate.interval(1 - alpha), alpha


_DECIDES = {"confirmed": "inside", "refuted": "outside", "no lead": "no_lead"}
"""p-value that decides for a verdict."""


def _one(finding, verdict, places, levels):
    """The estimate that decides, or the worst one, and one minus the level of its interval."""
    k, every = len(places), finding.rule == "every"
    if verdict == "inconclusive":
        open_ = [p.inside if every else (p.no_lead, p.outside) for p in places]
        return finding.estimates[open_.index(max(open_))], levels.undecided / k
    if verdict == "no lead" and every:
        cells = _without_lead(places, levels) or range(len(places))
        clearest = min(cells, key=lambda k: places[k].no_lead)
        return finding.estimates[clearest], levels.no_lead / len(places)
    p_values = [getattr(place, _DECIDES[verdict]) for place in places]
    largest = (verdict == "confirmed") == every  # of all p-values decides
    chosen = finding.estimates[int(np.argmax(p_values) if largest else np.argmin(p_values))]
    alpha = levels.no_lead if verdict == "no lead" else levels.sides
    return chosen, alpha if largest else alpha / k


def _by_how_little(finding, verdict, shown, interval, smallest):
    """Note on a lead that is smaller than matters."""
    delta = finding.region.delta(shown, smallest)
    if delta is None or not isinstance(finding.region, Lead):
        return ""
    if verdict == "no lead":
        return f"less than the {_size(delta)} that matter"
    if verdict != "confirmed" or interval is None:
        return ""
    end = interval[1] - 1 if shown.ratio else interval[1]
    less = end < (delta.share if shown.ratio else delta)
    return f"by less than the {_size(delta)} that matter" if less else ""


def _untested(finding, smallest):
    """Of facts, of what was not run, and of what has too few observations."""
    if finding.outcome or not finding.estimates:
        text = "; ".join([finding.text, *finding.notes])
        return Verdict(finding.outcome or "not run", text)
    places, notes = finding.places(smallest), list(finding.notes)
    by_place = _of_fact if finding.exact else _undecided

    def decide(one):
        return by_place(one.place(smallest))

    words = _words(finding, decide) if finding.exact else {}
    if words:
        notes.insert(0, _at_readings(finding, words))
    verdict = decide(finding)
    if verdict != "refuted" and finding.n < MIN_UNITS:
        verdict = "inconclusive"
        are = "is" if finding.n == 1 else "are"
        notes.append(f"{finding.observations} {are} too few for a verdict")
    if finding.exact:
        shown = finding.estimates[int(np.argmax([place.inside for place in places]))]
    else:
        worst = min if finding.rule == "every" else max
        shown = worst(finding.estimates, key=lambda estimate: estimate.mean)
    return Verdict(
        verdict,
        _evidence(finding, f"{shown.shown:.3g}", shown, notes),
        effect=shown.shown,
        n=finding.n,
        unit=finding.unit,
        hangs_on=_hangs_on(finding, words),
        **_numbers(finding, shown, smallest, decide),
    )


def _of_fact(place: Place) -> Word:
    if not place.inside:
        return "confirmed"
    return "inconclusive" if place.outside else "refuted"


def _undecided(place: Place) -> Word:
    return "inconclusive"


def _numbers(finding, shown, smallest, decide):
    """Threshold, smallest difference that matters, and verdicts at half and twice of them."""
    region = finding.region
    number, delta = region.number(shown, smallest), region.delta(shown, smallest)
    found = {
        "threshold": _number(number),
        "whose": region.whose,
        "delta": _number(delta),
        "ratio": shown.ratio,
    }
    if region.whose != "ours" or (number is None and delta is None):
        return found
    near = {"half": region.scaled(0.5), "twice": region.scaled(2.0)}
    of = "delta" if number is None else "number"
    found["neighbours"] = tuple(_number(getattr(r, of)(shown, smallest)) for r in near.values())
    found["sensitivity"] = {name: decide(replace(finding, region=r)) for name, r in near.items()}
    return found


def _number(value):
    return value.share if isinstance(value, Ratio) else value


def _size(delta):
    return str(delta) if isinstance(delta, Ratio) else f"{delta:g}"


def percent(level: float) -> str:
    """A confidence level as text, with as many digits as tell it from 100 %.

    Examples
    --------
    >>> percent(0.95), percent(0.9875), percent(0.99998)
    ('95 %', '98.8 %', '99.998 %')
    """
    digits = max(1, math.ceil(-math.log10(max(1 - level, 1e-12))) - 1)
    return f"{100 * level:.{digits}f}".rstrip("0").rstrip(".") + " %"


def _evidence(finding, number, shown, notes):
    text = finding.texts.get(shown.reading, finding.text)
    text = text.replace("{}", number).replace("{name}", shown.name)
    return "; ".join([text, *(note for note in notes if note)])
