"""Readings of what the text has lost of its segmentations: graph, start and rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nmfbench.artefacts.finding import Test, at_each_reading, with_evidence
from nmfbench.papers.mahnmf.segments import GRAPH, LOCAL, OF_K, RANK, SYM, UNIFORM

READINGS = {
    f"the {GRAPH} graph, r = 10": (SYM, GRAPH),
    f"the {LOCAL} graph": (SYM, LOCAL),
    "a uniform start": (UNIFORM, GRAPH),
    "r = k": (OF_K, GRAPH),
}
"""Method and graph of readings of what the text has lost.

The full graph is none: in it nothing far is suppressed, as the paper has it.
"""


def at_readings(
    test_of: Callable[[str, str], Test], readings: Mapping[str, tuple[str, str]] = READINGS
) -> Test:
    """A test that comes out alike at each reading.

    Parameters
    ----------
    test_of : callable
        Method and graph -> test.
    readings : mapping, optional
        Words -> method and graph.
    """
    tests = {words: test_of(*reading) for words, reading in readings.items()}
    return at_each_reading("graph, start and rank", tests)


def of_lost_settings(test: Test) -> Test:
    """``test`` with a sentence of evidence on the settings that it is about."""
    words = f"graph ({GRAPH}), rank ({RANK}) and start are ours, as the text has lost the paper's"
    return with_evidence(test, words)
