"""Tests of partial areas under ROC curves: batches of frames are the observations."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.artefacts.comparisons import At, Side, name_of, rows_of
from nmfbench.artefacts.estimate import Estimate, of_left_out
from nmfbench.artefacts.finding import NO_PAIR, Finding, Test, within
from nmfbench.artefacts.region import Lead, Margin, Region
from nmfbench.papers.roc_curves import BEST, HONEST

MARGIN = 0.04
"""Areas that differ by less are alike: twice the smallest difference that matters."""

UNCERTAINTY = (
    "Scored frames are a series: neighbours are alike. They are cut into batches of consecutive "
    "frames, five to eight, the same ones for all methods, and each batch is left out in turn; "
    "seeds are averaged first. Batches are the observations of a t interval, which errs in 6 % of "
    "cases instead of 5 where neighbours correlate by 0.3 in twenty frames, and in 10 % where they "
    "do by 0.6. Two methods are alike if the interval lies within "
    f"±{MARGIN:g}, twice the smallest difference that matters; one is as good, if it lies above "
    f"-{MARGIN:g}. Bands in pictures come from batches drawn with replacement."
)
"""How the claims decide, for ``assumed``."""


def ahead(side: Side, rival: Side, *, at: At = None) -> Test:
    """``side`` has the larger partial area than ``rival``.

    Where there are protocols, the paper's decides, which chooses parameters on the scored frames
    themselves, and the evidence has the held-out one, too.
    """
    return _judged(side, rival, Lead(), at)


def alike(side: Side, rival: Side, *, at: At = None) -> Test:
    """Partial areas of the two differ by less than the margin, see :func:`ahead`."""
    return _judged(side, rival, Margin(), at)


def as_good(side: Side, rival: Side, *, at: At = None) -> Test:
    """The partial area of ``side`` is larger, or smaller by less than the margin."""
    return _judged(side, rival, Margin(both=False), at)


def _judged(side, rival, region: Region, at):
    def test(frame):
        if "protocol" not in frame:
            return _difference(frame, side, rival, region)
        found = {
            name: _difference(frame[frame["protocol"] == name], side, rival, region)
            for name in (BEST, HONEST)
        }
        paper, held_out = found[BEST], found[HONEST]
        if not paper.estimates or not held_out.estimates:
            return paper
        (other,) = held_out.estimates
        low, high = other.interval(0.95)
        return paper.noted(
            f"with parameters chosen on other frames {other.mean:.3g} (95 % interval {low:.3g} to "
            f"{high:.3g})"
        )

    return within(at, test)


def _difference(frame, side, rival, region):
    sides = [rows_of(frame, one) for one in (side, rival)]
    if not all(len(rows) for rows in sides) or "areas" not in frame:
        return Finding.without("not run", NO_PAIR)
    limit = sides[0]["limit"].iloc[0]
    text = (
        f"{name_of(side)} minus {name_of(rival)}: {{}} in partial area at false-alarm rates up to "
        f"{limit:g}"
    )
    return Finding(text, [lead_in_area(*sides)], region, unit="frames", grows=False)


def lead_in_area(ours: pd.DataFrame, theirs: pd.DataFrame, name: str = "") -> Estimate:
    """Difference of two mean partial areas, by leaving out batches of frames in turn.

    Parameters
    ----------
    ours, theirs : DataFrame
        Of :func:`~nmfbench.papers.roc_curves.pooled` or :func:`~nmfbench.papers.roc_curves.chosen`.
    name : str, optional
    """
    effect = float(ours["pauc"].mean() - theirs["pauc"].mean())
    without = [np.mean(np.stack(list(rows["areas"])), axis=0) for rows in (ours, theirs)]
    frames = int(ours["frames"].iloc[0])
    return of_left_out(effect, without[0] - without[1], "pauc", name, n=frames)
