"""Claims on ten images in some number of segments: as good as by Ncuts, and the objects."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import per_repeat
from nmfbench.artefacts.estimate import of_blocks, of_units
from nmfbench.artefacts.finding import NO_PAIR, Finding, Test, within
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.region import Bounds, Lead, Margin
from nmfbench.papers.mahnmf.segment_readings import at_readings, of_lost_settings
from nmfbench.papers.mahnmf.segments import (
    GRAPH,
    HUMANS,
    LOCAL,
    NCUTS,
    OF_K,
    SCORES,
    START,
    STRIPES,
    SYM,
    UNIFORM,
)

_OBJECT, _MOST, _ALIKE = 0.5, 0.75, 0.8

_FITS = {
    "start by EucNMF": SYM,
    "uniform start": UNIFORM,
    "rank of as many as segments": OF_K,
}
_READINGS = {
    f"{graph} graph, {words}": (label, graph)
    for graph in (GRAPH, LOCAL)
    for words, label in _FITS.items()
    if graph == GRAPH or label != OF_K
}
"""Graph, start and rank, which the text has lost, as they are run -> label and graph.

The full graph is no reading: in it nothing far is suppressed, as the paper has it.
"""


def _leads(frame, score, method=SYM, rivals=(NCUTS,)):
    """Leads of a method over the best rival by image: a start is an observation of the method."""
    sign = -1 if score == "vi" else 1
    theirs = pd.DataFrame({rival: sign * per_repeat(frame, rival, score) for rival in rivals})
    theirs = theirs.dropna().max(axis=1)
    ours = select_rows(frame, method=method).dropna(subset=score)
    ours = ours[ours["repeat"].isin(theirs.index)]
    return {
        image: sign * rows.groupby("seed")[score].mean() - theirs[image]
        for image, rows in ours.groupby("repeat", sort=False)
    }


def _not_worse(score: str, method: str, at: Mapping[str, Any]) -> Test:
    """Segments are as good as by Ncuts in the mean over these images, or better."""

    def test(frame):
        leads = _leads(frame, score, method)
        if not leads:
            return Finding.without("not run", NO_PAIR)
        text = f"{method} is better than {NCUTS} by {{}} in {SCORES[score]}, of {len(leads)} images"
        found = of_blocks(list(leads.values()), score)
        return Finding(text, [found], Margin(both=False), unit="starts within images")

    return within(at, test)


def _comparable(score: str, k: int) -> Test:
    """As good as Ncuts, alike on both graphs, from every start, and at both ranks."""

    def at(method, graph):
        return _not_worse(score, method, {"graph": graph, "segments": k})

    return at_readings(at, _READINGS)


def _better_somewhere(score: str, at: Mapping[str, Any]) -> Test:
    """Segments are better than with Ncuts in some image, in which they are better than stripes."""

    def test(frame):
        leads = _leads(frame, score, rivals=(NCUTS, STRIPES))
        if not leads:
            return Finding.without("not run", NO_PAIR)
        found = [of_units(lead, score, str(image)) for image, lead in leads.items()]
        over = f"the better of {NCUTS} and {STRIPES}"
        text = f"largest sure lead of {SYM} over {over}: {{}} in {SCORES[score]}, image {{name}}"
        return Finding(text, found, Lead(), "some", unit="starts")

    return within(at, test)


def _agrees(frame):
    """Mean agreement with Ncuts; starts within images are the observations."""
    rows = select_rows(frame, method=SYM).dropna(subset="agreement")
    if rows.empty:
        return Finding.without("not run", NO_PAIR)
    groups = [image.groupby("seed")["agreement"].mean() for _, image in rows.groupby("repeat")]
    text = f"adjusted Rand index of {SYM} and {NCUTS}: {{}} (our bound: at least {_ALIKE:g})"
    region = Bounds(_ALIKE, measured_from=1.0)
    return Finding(text, [of_blocks(groups)], region, unit="starts within images")


def _objects(method, frame):
    """Share of these images in which some number of segments has the object, over starts."""
    counts = {name: _separated(frame, name) for name in (method, NCUTS, START, STRIPES, HUMANS)}
    shares = counts.pop(method)
    if shares.empty:
        return Finding.without("not run", NO_PAIR)
    others = ", ".join(f"{name} {hits.mean():.2g}" for name, hits in counts.items() if len(hits))
    text = f"share of images whose object is separated: {{}} (our bound: at least {_MOST:g})"
    region = Bounds(_MOST, measured_from=1.0)
    return Finding(text, [of_units(shares)], region, unit="starts", notes=[others])


def _separated(frame, method):
    """Share of the images whose object is one of the segments, by start."""
    overlap = per_repeat(frame, method, "object-iou", ["segments", "seed"])
    hits = overlap.groupby(level=["repeat", "seed"]).max() > _OBJECT
    return hits.groupby(level="seed").mean()


OBJECTS = Claim(
    "objects",
    "MahNMF-SYM + K-means separates the objects: at 3, 4 or 5 segments, one of them overlaps the "
    f"object that humans drew by more than {_OBJECT:g}, in more than three of four images.",
    "Section 5.3.2",
    at_readings(
        lambda method, graph: within({"graph": graph}, partial(_objects, method)), _READINGS
    ),
)


def claims_on(k: int, figure: int) -> list[Claim]:
    """The claims of the figure that has ``k`` segments."""
    source, at = f"Section 5.3.2, Figure {figure}", {"graph": GRAPH, "segments": k}
    return [
        *(
            Claim(
                f"comparable-{score}",
                f"With {k} segments, MahNMF-SYM + K-means is comparable with Ncuts or better, by "
                f"{label}.",
                source,
                _comparable(score, k),
            )
            for score, label in SCORES.items()
        ),
        *(
            Claim(
                f"outperforms-{score}",
                f"With {k} segments, it outperforms Ncuts in some images, by {label}, and is ahead "
                "of stripes of equal width there.",
                source,
                of_lost_settings(_better_somewhere(score, at)),
            )
            for score, label in SCORES.items()
        ),
        Claim(
            "equivalent",
            f"With {k} segments, those of MahNMF-SYM + K-means and of Ncuts agree: their adjusted "
            f"Rand index is {_ALIKE:g} at least.",
            "ours, after Sections 4.5 and 6, which say “equivalence”",
            within(at, _agrees),
            origin="ours",
        ),
    ]
