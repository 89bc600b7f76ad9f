"""Prospects: which open tests of an artefact a later look may be expected to decide.

The prediction is Bayesian: a mean of n observations with standard error s will, after n' of them,
be normal around the present one with variance s^2 (1 - n / n'); where a wider grid begins with
fewer, with s^2 (n / n' - 1). Of many draws of all estimates of an artefact the share counts in
which a test is decided, by the procedure and at the level of that look. Estimates of one comparison
at several readings rest on the same repeats and move together; others are drawn independently.
Readings that have not run come out like the others in four of five draws. It decides which trials
are computed next, and no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import stats

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import ALPHA, MIN_UNITS, Finding
from nmfbench.artefacts.region import Smallest
from nmfbench.records.store import Store
from nmfbench.stats.corrections import benjamini_hochberg
from nmfbench.trials.trial import Trial
from nmfbench.verdicts.evaluate import behind, judge, look_of
from nmfbench.verdicts.known import Known
from nmfbench.verdicts.reads import Reads
from nmfbench.verdicts.verdict import DECIDED, Look, decide

__all__ = ["PRIOR", "WEIGHTS", "Expected", "Outlook", "Prospects", "outlook_of", "prospects_of"]

WEIGHTS = {"paper": 1.0, "ours": 0.3}
"""Value of a decided test, by who asserts what it tests."""

PRIOR = {"interim": 0.65, "final": 0.9}
"""Probability that a look decides a test without an estimate so far. In the record book of November
2026 the first look decided 467 of 731 tests (61 artefacts with five complete repeats), the last one
693 of 767 (58 artefacts with all planned repeats)."""

ALIKE = 0.8
"""Probability that readings which have not run come out like those that have. Of 384 tests in the
record book of November 2026 that are clear at their first reading, 297 are alike at all others, and
so are 1193 of these 1488 readings."""

_DRAWS = 200
_NORMAL = stats.norm.ppf((np.arange(_DRAWS) + 0.5) / _DRAWS)


@dataclass(frozen=True)
class Expected:
    """Open tests that a look is expected to decide: their weighted sum, and how many."""

    value: float = 0.0
    verdicts: float = 0.0


@dataclass(frozen=True)
class Prospects:
    """Tests of an artefact as they stand.

    Parameters
    ----------
    claims : sequence of Claim
    findings : sequence of Finding
    smallest : callable
        Metric -> smallest difference that matters.
    look : Look
        The present one.
    behind : set of str
        Keys of imported records that have to be computed again for the looks ahead, as arrays that
        are read of them stayed behind.
    """

    claims: Sequence[Claim]
    findings: Sequence[Finding]
    smallest: Smallest
    look: Look
    behind: Set[str] = frozenset()

    def outlook(self, looks: Sequence[Look]) -> Outlook:
        """What some looks ahead are expected to decide."""
        ahead = {look: self.expected(look) for look in looks}
        return Outlook(self.claims, self.open, self.look, self.behind, ahead)

    @cached_property
    def open(self) -> list[Claim]:
        """Claims without a decision so far."""
        settled = decide(self.findings, self.smallest, self.look)
        return [
            claim
            for claim, verdict in zip(self.claims, settled, strict=True)
            if verdict.verdict not in DECIDED
        ]

    def expected(self, look: Look) -> Expected:
        """Open tests that a later look is expected to decide."""
        open_ = {claim.id for claim in self.open}
        if not open_ or look.repeats < MIN_UNITS:
            return Expected()
        chances = {
            claim.id: (WEIGHTS[claim.origin], chance)
            for claim, chance in zip(self.claims, self.chances(look), strict=True)
            if claim.id in open_
        }
        return Expected(
            float(sum(weight * chance for weight, chance in chances.values())),
            float(sum(chance for _, chance in chances.values())),
        )

    def chances(self, look: Look) -> list[float]:
        """Probability for each test that a look of at least five repeats decides it."""
        rng = np.random.default_rng(0)
        growth = look.repeats / max(self.look.repeats, 1)
        chances, places, tested = [], [], []
        for i, finding in enumerate(self.findings):
            chances.append(float(finding.exact))  # of a fact, which takes five observations
            if finding.testable:
                drawn = _drawn(finding, growth if finding.grows else 1.0, rng)
                place = drawn.place(self.smallest)
                found = [np.minimum(place.inside, place.outside), place.no_lead]
                if len(drawn.readings) < len(finding.readings):
                    unlike = _in_some_draws(1 - ALIKE, rng)
                    found = [np.where(unlike, 1.0, p) for p in found]
            elif not finding.exact and self.look.repeats < MIN_UNITS:
                prior = PRIOR["final" if look.final else "interim"]
                found = [_in_some_draws(1 - prior, rng).astype(float), 1.0]
            else:
                continue  # complete repeats have not given it an estimate
            tested.append(i)
            places.append([np.broadcast_to(p, _DRAWS) for p in found])
        if tested:
            p_values = np.minimum(1.0, look.factor * np.nan_to_num(np.array(places), nan=1.0))
            adjusted = [benjamini_hochberg(p_values[:, run]) for run in (0, 1)]
            decided = (adjusted[0] <= ALPHA) | (adjusted[1] <= ALPHA)
            for i, share in zip(tested, decided.mean(axis=1), strict=True):
                chances[i] = float(share)
        return chances


@dataclass(frozen=True)
class Outlook:
    """Open tests of an artefact, and what the looks of its plan are expected to decide.

    Attributes as in :class:`Prospects`; ``ahead`` has the expectation for each look.
    """

    claims: Sequence[Claim]
    open: list[Claim]
    look: Look
    behind: Set[str]
    ahead: Mapping[Look, Expected]

    def expected(self, look: Look) -> Expected:
        """Open tests that a look of the plan is expected to decide."""
        return self.ahead[look]

    def to_dict(self) -> dict[str, Any]:
        """All that the records decide, as JSON holds it."""
        return {
            "open": [claim.id for claim in self.open],
            "look": asdict(self.look),
            "behind": sorted(self.behind),
            "ahead": [[asdict(look), asdict(found)] for look, found in self.ahead.items()],
        }

    @classmethod
    def from_dict(cls, claims: Sequence[Claim], values: Mapping[str, Any]) -> Outlook:
        """The outlook that :meth:`to_dict` gave."""
        ahead = {Look(**look): Expected(**found) for look, found in values["ahead"]}
        open_ = [claim for claim in claims if claim.id in values["open"]]
        return cls(claims, open_, Look(**values["look"]), frozenset(values["behind"]), ahead)


def _in_some_draws(share: float, rng) -> np.ndarray:
    """Which draws are among a share of them."""
    return rng.permutation(np.arange(_DRAWS) >= (1 - share) * _DRAWS)


def _drawn(finding: Finding, growth: float, rng) -> Finding:
    """A finding after ``growth`` times as many observations, in many draws, at the readings that
    have run."""
    draws: list[np.ndarray] = []  # of the comparisons, which each reading has in the same order
    places: Counter[str] = Counter()
    estimates = []
    for e in finding.estimates:
        place = places[e.reading]
        places[e.reading] += 1
        if place == len(draws):
            draws.append(rng.permutation(_NORMAL))
        spread = e.error * np.sqrt(abs(1 - 1 / growth))
        estimates.append(
            replace(
                e,
                mean=e.mean + spread * draws[place],
                error=e.error / np.sqrt(growth),
                freedom=max(1.0, e.freedom * (growth * e.n - 1) / (e.n - 1)),
            )
        )
    known = {e.reading for e in estimates}
    run = [reading for reading in finding.readings if reading in known]
    return replace(finding, estimates=estimates, readings=run)


def prospects_of(
    artefact: Artefact,
    store: Store,
    trials: Sequence[Trial] = (),
    *,
    profile: str = "paper",
    stand_in: bool = False,
) -> Prospects:
    """Tests of an artefact by the records that are there.

    For the paper's profile by its largest grid of complete repeats, as verdicts are; of the smoke
    grid no estimate is taken.

    Parameters
    ----------
    artefact : Artefact
    store : Store
    trials : sequence of Trial
        Trials of the looks ahead.
    profile : {"smoke", "quick", "paper"}, default="paper"
    stand_in : bool, default=False
        Where real data are missing, look at the records on their stand-ins.
    """
    reads = Reads()
    judged = judge(
        artefact,
        store,
        profile=None if profile == "paper" else profile,
        stand_in=stand_in,
        reads=reads,
    )
    look, findings = look_of(artefact, judged.grid), judged.found.findings
    if judged.grid.profile == "smoke" and profile == "paper":
        missing = Finding.without("not run", "no repeat of a larger grid is complete")
        findings, look = [missing] * len(artefact.claims), replace(look, repeats=0)
    again = _behind(artefact, store, trials, judged, {name for _, name in reads.all})
    return Prospects(artefact.claims, findings, artefact.smallest_difference, look, again)


def _behind(artefact, store, trials, judged, names) -> set[str]:
    """As :func:`~nmfbench.verdicts.evaluate.behind`, called only where it may find any."""
    keys = {trial.key for trial in trials} - {trial.key for trial in judged.grid.trials}
    held = store.names_of_arrays(imported := store.imported(keys))
    known = (judged.found.records["status"] == "done").any()
    if known and not judged.behind and all(names <= held.get(key, set()) for key in imported):
        return set()
    return behind(artefact, store, trials)


def outlook_of(
    artefact: Artefact,
    store: Store,
    known: Known,
    trials: Sequence[Trial],
    looks: Sequence[Look],
    *,
    profile: str = "paper",
    stand_in: bool = False,
) -> Outlook:
    """Prospects of an artefact at some looks, looked up where nothing changed since.

    Parameters as in :func:`prospects_of`, and what is known of the store.
    """
    profiles = ("paper", "quick", "smoke") if profile == "paper" else (profile,)
    plans = [artefact.plan(p, stand_in=s) for p in profiles for s in {False, stand_in}]
    keys = dict.fromkeys(trial.key for plan in (trials, *plans) for trial in plan)
    asked = {
        "profile": profile,
        "stand_in": stand_in,
        "looks": [asdict(look) for look in looks],
        "timed": sorted({trial.timed for trial in trials}),
    }

    def work_out():
        found = prospects_of(artefact, store, trials, profile=profile, stand_in=stand_in)
        return found.outlook(looks).to_dict()

    return Outlook.from_dict(artefact.claims, known.of(artefact, asked, keys, work_out))
