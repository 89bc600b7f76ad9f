"""Figure 3: RRI against OGM on small and on large dense matrices, and how both scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import Finding, Test, at_each_reading
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.region import Bounds
from nmfbench.papers.mahnmf import speed, speed_claims
from nmfbench.papers.mahnmf.matrices import (
    ALGORITHM_1,
    LARGE,
    OGM,
    SMALL,
    SMOKE,
    SORT,
    TINY,
)
from nmfbench.papers.mahnmf.speed_claims import paired_traces
from nmfbench.stats.traces import lowest, time_to

_ENTRIES = {TINY.label: 200 * 50, SMALL.label: 500 * 100, LARGE.label: 5000 * 1000}
_MUCH_MORE = 0.25  # of exponents, five times the smallest difference that matters
_GROWTH = "exponent of growth"


def _to_level(*both):
    """Seconds until each run is as low as the higher of the two ends."""
    level = max(map(lowest, both))
    return [time_to(trace, level) for trace in both]


def _of_a_round(*both):
    return [trace["cpu_seconds"][-1] / (len(trace) - 1) for trace in both]


def _growth(what: str, seconds_of: Callable) -> Test:
    """CPU seconds of RRI by sorting grow faster with the size of the data than with OGM."""

    def test(frame):
        logs: dict[str, Any] = {}
        for problem, size in _ENTRIES.items():
            rows = select_rows(frame, problem=problem)
            for repeat, both in paired_traces(rows, SORT, OGM).items():
                sort, ogm = seconds_of(*both)
                logs.setdefault(repeat, {})[size] = np.log(sort / ogm)
        most = max(map(len, logs.values()), default=0)
        if most < 2:
            return Finding.without(
                "not run", "no repeat of this grid has both methods at two sizes"
            )
        slopes = [
            np.polyfit(np.log(list(found)), list(found.values()), 1)[0]
            for found in logs.values()
            if len(found) == most
        ]
        text = (
            f"exponent by which the ratio of {what}, {SORT} to {OGM}, grows with the number of "
            f"entries: {{}}, {most} sizes"
        )
        return Finding(text, [of_units(slopes, _GROWTH)], Bounds(_MUCH_MORE))

    return test


_TIMED = {"seconds to an objective that both reach": _to_level, "seconds a round": _of_a_round}

_SCALABLE = Claim(
    "scalable",
    "OGM is much more scalable than RRI: with the size of the matrix the CPU seconds that RRI "
    "by sorting takes to an objective that both reach, and for a round, grow faster than those "
    f"of OGM, by {_MUCH_MORE:g} or more in the exponent.",
    "Sections 3 and 5.1, Figure 3",
    at_each_reading(
        "what is timed",
        {words: _growth(words, seconds_of) for words, seconds_of in _TIMED.items()},
    ),
)

ARTEFACT = speed.figure(
    "fig3",
    (TINY, SMALL, LARGE, SMOKE),
    title="RRI and OGM on dense uniform matrices",
    claims=[
        *speed_claims.small(TINY, "tiny", "Section 5.1, Figure 3 (a), (b)"),
        *speed_claims.small(SMALL, "small", "Section 5.1, Figure 3 (a), (b)"),
        *speed_claims.large(LARGE, "large", "Section 5.1, Figure 3 (c), (d)"),
        speed_claims.comparable(TINY, "tiny"),
        speed_claims.comparable(SMALL, "small"),
        speed_claims.few_rounds(
            TINY, "tiny-rri-few-rounds", ALGORITHM_1, "RRI (Algorithm 1)", "Sections 2 and 6"
        ),
        _SCALABLE,
    ],
    planned=Plan(10, "The paper's ten; the large matrix, which takes hours, has five."),
    matters=speed.MATTERS | {_GROWTH: 0.05},
    assumed=speed_claims.ASSUMED
    | {
        "scalable": "CPU seconds until each run is as low as the higher of the two ends, and "
        "those of a round (RRI by one sweep): decided where both come out alike. Lengths of "
        "runs, and so that level, are ours. The exponent is that of the ratio over the numbers "
        "of entries, 10 000 to 5 000 000. The rank grows with them, as in the paper.",
        "few rounds of RRI": "On the smallest matrix alone: on others Algorithm 1 runs for "
        "fewer rounds than the number asked for.",
        "repeats": "Ten, as in the paper; five on the large matrix, which takes hours.",
    },
)
