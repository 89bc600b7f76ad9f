"""Claims of Sections 2, 3 and 5.1 on RRI and OGM: who is ahead, and how fast each converges."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.artefacts.bounds import at_most, within_factor
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import At, always_best, smaller
from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import (
    NO_PAIR,
    Finding,
    Test,
    at_each_reading,
    with_evidence,
    within,
)
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.region import Bounds, Lead, Margin, Region
from nmfbench.papers.mahnmf.matrices import ALGORITHM_1, OGM, SELECT, SORT, Matrix
from nmfbench.stats.traces import raw_log_mean

_COMPARABLE = 2.0  # times
FEW = 25
"""Rounds of what converges fast."""
MUCH = Bounds(2.0, measured_from=1.0)
"""Far fewer seconds: half of them."""
_EQUAL = {"rounds": "objective at equal rounds", "seconds": "objective at equal seconds"}

ASSUMED = {
    "further, comparable": "Objectives are compared at equal rounds or equal CPU seconds, from the "
    "end of the first round of the slower run to the end of the shorter one, in the mean over this "
    "stretch on a linear axis. Comparable: within four per cent, twice the smallest difference "
    "that matters.",
    "few rounds": f"The paper's number is lost; {FEW}, ours, by rule (4), which looks from the "
    "tenth round on.",
}


# -- tests of traces --------------------------------------------------------------------------


def paired_traces(frame, side, rival):
    """For each repeat that has both methods their traces."""
    traces = {
        name: dict(zip(rows["repeat"], (arrays["trace"] for arrays in rows["arrays"]), strict=True))
        for name, rows in ((m, select_rows(frame, method=m)) for m in (side, rival))
    }
    return {r: (traces[side][r], traces[rival][r]) for r in traces[side] if r in traces[rival]}


def _lead_at_equal(axis, ours, theirs):
    """Mean logarithm of the ratio of two objectives, while both runs last; NaN if they never do.

    The axis is linear, from the end of the first round of the slower run on. Objectives are the
    lowest so far, as drawn.
    """
    clock = {"rounds": "iteration", "seconds": "cpu_seconds"}[axis]
    begin = max(trace[clock][1] for trace in (ours, theirs))
    end = min(trace[clock][-1] for trace in (ours, theirs))
    if begin >= end:
        return np.nan
    means = []
    for trace in (ours, theirs):
        so_far = trace.copy()
        so_far["objective"] = np.minimum.accumulate(trace["objective"])
        means.append(raw_log_mean(so_far, begin, end, clock))
    return means[1] - means[0]


def at_equal(side: str, rival: str, axis: str, region: Region, *, at: At) -> Test:
    """The objective of ``side`` is in a region below that of ``rival``, on average over the run.

    Parameters
    ----------
    side, rival : str
    axis : {"rounds", "seconds"}
        At equal rounds, or at equal CPU seconds.
    region : Lead, Margin or Bounds
        Of the ratio of the objective of the rival to that of the side.
    at : mapping
    """

    def test(frame):
        pairs = paired_traces(frame, side, rival)
        leads = pd.Series(
            {r: _lead_at_equal(axis, *both) for r, both in pairs.items()}, dtype=float
        )
        leads = leads.dropna()
        if leads.empty:
            return Finding.without("not run", NO_PAIR)
        found = of_units(leads, _EQUAL[axis], ratio=True)
        text = f"{rival} has {{}} times the {_EQUAL[axis]} of {side}, mean over the run"
        return Finding(text, [found], region)

    return within(at, test)


def _by_selection(test: Test) -> Test:
    """``test`` on seconds of Algorithm 1, which is not timed as the paper has it."""
    words = (
        "medians of Algorithm 1 by selection, in linear time, where the paper sorts, which favours "
        "RRI"
    )
    return with_evidence(test, words)


def _at_equal_seconds(region: Region, at: At) -> Test:
    """RRI against OGM at equal seconds: no form of it has both the paper's sweeps and its sort."""
    forms = {"Algorithm 1, by selection": ALGORITHM_1, "one sweep a round, by sorting": SORT}
    tests = {words: at_equal(rri, OGM, "seconds", region, at=at) for words, rri in forms.items()}
    return at_each_reading("the form of RRI", tests)


def _few(method: str, at: At) -> Test:
    """The paper's rule stops ``method`` after few rounds."""

    def still_running(frame):
        rows = select_rows(frame, method=method)
        running = int(rows["running"].astype(bool).sum())
        return f"{running} of {len(rows)} had not stopped and count with their rounds" * (
            running > 0
        )

    test = at_most(method, "rounds to stop", FEW, ratio=True)
    return within(at, with_evidence(test, still_running))


# -- claims -----------------------------------------------------------------------------------


def small(matrix: Matrix, slug: str, source: str) -> list[Claim]:
    """The claims on small data."""
    at = {"problem": matrix.label}
    found = {
        "rounds": (
            "RRI (Algorithm 1) converges in fewer rounds than OGM.",
            smaller(ALGORITHM_1, OGM, "rounds to stop", "running", at=at),
        ),
        "seconds": (
            "RRI by sorting, one sweep a round, converges in fewer CPU seconds than OGM.",
            smaller(SORT, OGM, "seconds to stop", "running", at=at),
        ),
        "seconds-algorithm-1": (
            "RRI as Algorithm 1, with medians by selection, converges in fewer CPU seconds than "
            "OGM.",
            _by_selection(smaller(ALGORITHM_1, OGM, "seconds to stop", "running", at=at)),
        ),
        "seconds-a-round": (
            "A round of RRI (Algorithm 1, with medians by selection) and one of OGM take "
            f"comparable time (within a factor of {_COMPARABLE:g}).",
            _by_selection(within_factor(ALGORITHM_1, OGM, "seconds a round", _COMPARABLE, at=at)),
        ),
        "lower-at-equal-rounds": (
            "RRI (Algorithm 1) reduces the objective further than OGM in as many rounds.",
            at_equal(ALGORITHM_1, OGM, "rounds", Lead(), at=at),
        ),
        "lower-at-equal-seconds": (
            "RRI (Algorithm 1 with medians by selection, and one sweep a round by sorting) reduces "
            "the objective further than OGM in as many CPU seconds.",
            _at_equal_seconds(Lead(), at),
        ),
    }
    return [
        *(
            Claim(f"{slug}-{name}", f"{matrix.label}: {statement}", source, test)
            for name, (statement, test) in found.items()
        ),
        few_rounds(matrix, f"{slug}-few-rounds", OGM, "OGM (Algorithm 3)", "Section 3"),
    ]


def few_rounds(matrix: Matrix, slug: str, method: str, who: str, source: str) -> Claim:
    """A claim that a method converges fast, counted in rounds."""
    statement = (
        f"{matrix.label}: {who} converges fast, by rule (4) at 0.001 in {FEW} rounds at most."
    )
    return Claim(slug, statement, source, _few(method, {"problem": matrix.label}))


def comparable(matrix: Matrix, slug: str) -> Claim:
    """The claim that both are comparable on small data."""
    return Claim(
        f"{slug}-comparable",
        f"{matrix.label}: the performance of RRI (Algorithm 1 with medians by selection, and one "
        "sweep a round by sorting) and OGM is comparable: in as many CPU seconds they reduce the "
        "objective alike.",
        "Section 3",
        _at_equal_seconds(Margin(), {"problem": matrix.label}),
    )


def large(matrix: Matrix, slug: str, source: str) -> list[Claim]:
    """The claims on large data; and, ours, RRI by selection, and where the two end."""
    at = {"problem": matrix.label}
    found = {
        "seconds-a-round": (
            "A round of OGM takes far less time than one of RRI by sorting: half of it at most.",
            always_best(OGM, [SORT], "seconds a round", at=at, lower=True, ratio=True, region=MUCH),
        ),
        "seconds": (
            "OGM converges in fewer CPU seconds than RRI by sorting.",
            smaller(OGM, SORT, "seconds to stop", "running", at=at),
        ),
    }
    return [
        *(
            Claim(f"{slug}-{name}", f"{matrix.label}: {statement}", source, test)
            for name, (statement, test) in found.items()
        ),
        Claim(
            f"{slug}-seconds-selection",
            f"{matrix.label}: OGM converges in fewer CPU seconds than RRI by selection.",
            f"ours, after {source}; the paper's RRI sorts",
            smaller(OGM, SELECT, "seconds to stop", "running", at=at),
            origin="ours",
        ),
        Claim(
            f"{slug}-end",
            f"{matrix.label}: OGM ends lower than RRI does. (The end point, apart from the speed.)",
            "ours; the paper compares the speed only",
            smaller(OGM, SELECT, "objective at end", at=at),
            origin="ours",
        ),
    ]
