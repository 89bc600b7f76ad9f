"""Verdicts on single findings, for tests."""

from nmfbench.core.matters import Ratio
from nmfbench.verdicts.verdict import decide

__all__ = ["DIFFERENCE", "RATIO", "alone", "verdict_of"]

DIFFERENCE, RATIO = 0.02, Ratio(0.02)


def alone(finding, smallest=None):
    """Verdict on a finding, as if it were the only one of its artefact and its grid complete.

    By default two points, or two per cent, matter.
    """
    if smallest is None:
        smallest = RATIO if any(e.ratio for e in finding.estimates) else DIFFERENCE
    (verdict,) = decide([finding], smallest if callable(smallest) else lambda name: smallest)
    return verdict


def verdict_of(test, frame, smallest=None):
    """Verdict of a test of a frame, alone."""
    return alone(test(frame), smallest)
