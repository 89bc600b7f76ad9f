"""Claims on low-rank approximations of similarities: what they keep, help and cost."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from nmfbench.artefacts.bounds import at_least, at_most, without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.finding import at_each_reading
from nmfbench.papers.mahnmf.segment_readings import at_readings, of_lost_settings
from nmfbench.papers.mahnmf.segments import GRAPH, ROWS, SCORES, SYM, VECTORS
from nmfbench.papers.mahnmf.similarities import (
    AFFINITY,
    EUC_TIMED,
    EXACT,
    PAPER_RULE,
    PRODUCT,
    SEGMENTS,
    SYM_TIMED,
)
from nmfbench.papers.mahnmf.speed_claims import FEW

_CORRELATION, _SATISFIED = 0.5, 0.95
_AT = {"graph": GRAPH, "segments": list(SEGMENTS), "details": False}
_SOURCE, _MODEL = "Section 5.3.2, Figure 15", "Section 4.5"
_OURS = f"ours, after {_SOURCE}"
_NO_RIVAL = f"ours, after {_MODEL}, which names no rival"
_STARTS: dict[str, Any] = {"unit": "seed", "blocks": "image"}


def _helps(rival, score, method=SYM, graph=GRAPH):
    at = _AT | {"graph": graph}
    return always_best(method, [rival], score, ["segments"], lower=score == "vi", at=at, **_STARTS)


def _approximates(method, graph):
    at = _AT | {"graph": graph}
    return at_least(method, "correlation", _CORRELATION, measured_from=1.0, at=at)


def _fewer(value):
    """MahNMF-SYM takes less of ``value`` to the same relative change than symmetric EucNMF."""
    return always_best(SYM_TIMED, [EUC_TIMED], value, lower=True, ratio=True, **_STARTS)


def _satisfied(label, value):
    """By one way of normalising or another, alike at both ranks."""

    def test(rank):
        sides = [{"method": label, "normalised": what} for what in ("graph", "rows of H")]
        at = {"rank": rank}
        both = at_least(sides, value, _SATISFIED, measured_from=1.0, at=at)
        return lambda frame: replace(both(frame), rule="some")

    return at_each_reading("the rank", {f"{rank}": test(rank) for rank in (3, 10)})


CLAIMS = [
    *(
        Claim(
            f"kept-{k}",
            f"HHᵀ distinguishes the {k} classes, the segments of MahNMF-SYM, more clearly than V "
            "does.",
            _OURS,
            always_best(PRODUCT, [AFFINITY], "contrast", at={"segments": k}, ratio=True, **_STARTS),
            origin="ours",
        )
        for k in SEGMENTS
    ),
    Claim(
        "approximation",
        f"HHᵀ is an approximation of V: off the diagonal their correlation is {_CORRELATION:g} at "
        "least.",
        _SOURCE,
        at_readings(_approximates),
    ),
    *(
        Claim(
            f"helps-rows-{score}",
            f"The low-rank representation helps K-means: {label} of its segments is better than "
            "with the rows of V, at 3 and 5 segments.",
            _SOURCE,
            at_readings(partial(_helps, ROWS, score)),
        )
        for score, label in SCORES.items()
    ),
    *(
        Claim(
            f"helps-vectors-{score}",
            f"K-means segments better with the low-rank representation than with as many "
            f"eigenvectors: in {label}, at 3 and 5 segments.",
            _OURS,
            of_lost_settings(_helps(VECTORS, score)),
            origin="ours",
        )
        for score, label in SCORES.items()
    ),
    *(
        Claim(
            f"diagonal-{slug}",
            "The diagonal of V without the other components is at most 0, which is easily "
            f"satisfied by normalising: {words}, for {100 * _SATISFIED:g} % of the entries of H, "
            "with the graph normalised or with rows of H of unit length.",
            _MODEL,
            _satisfied(label, name),
        )
        for slug, words, label, name in (
            ("start", "at the start", EXACT[1], "bound-diagonal-start"),
            ("1", "after one sweep", EXACT[1], "bound-diagonal"),
            ("10", "after ten sweeps", EXACT[10], "bound-diagonal"),
        )
    ),
    Claim(
        "paper-rule",
        "The update that takes this for granted lowers the objective: after ten sweeps it is not "
        "above that of the start.",
        _MODEL,
        without_exception(PAPER_RULE, "growth", high=1.0, whose="paper"),
    ),
    Claim(
        "fast",
        f"RRI for MahNMF-SYM converges fast: to a relative change of 0.001 in {FEW} sweeps at "
        "most.",
        _MODEL,
        at_most(SYM_TIMED, "n_iter", FEW, ratio=True),
    ),
    Claim(
        "fast-sweeps",
        "To a relative change of 0.001 MahNMF-SYM takes fewer sweeps than symmetric EucNMF takes "
        "steps.",
        _NO_RIVAL,
        _fewer("n_iter"),
        origin="ours",
    ),
    Claim(
        "fast-seconds",
        "To a relative change of 0.001 MahNMF-SYM takes fewer CPU seconds than symmetric EucNMF.",
        _NO_RIVAL,
        _fewer("cpu_seconds"),
        origin="ours",
    ),
]
