"""Outcomes of the testable sentences of a paper, by the verdicts on their tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nmfbench.artefacts.sentence import Sentence
from nmfbench.stats.corrections import holm
from nmfbench.verdicts.verdict import DECIDED

__all__ = ["OUTCOMES", "outcome", "sentence_rows"]

OUTCOMES = ("holds", "in part", "no lead", "fails", "open")


_ALPHA = 0.05


def outcome(asks: str, verdicts: Sequence[Mapping]) -> str:
    """Outcome of a sentence by the verdicts on its tests.

    Parameters
    ----------
    asks : {"all", "in all cases", "in some cases", "under one reading"}
        See :class:`Sentence`.
    verdicts : sequence of mapping
        ``verdict`` and ``p_value`` of each test.

    Returns
    -------
    {"holds", "in part", "no lead", "fails", "open"}
        Without a quantifier, or with "all": it *holds* if every test is confirmed; it *fails* if
        one is refuted, none is confirmed and none is open, and where it says "in all cases" as soon
        as one is refuted; it holds *in part* if some are confirmed and some refuted or without a
        lead; *no lead* if all are decided, none confirmed and none refuted. "In some cases" and
        "under one reading" it holds if one is confirmed at Holm's level among its tests, and fails
        if all are decided and none is confirmed; under readings none of which is refuted there is
        *no lead*. Otherwise, and without a test, it is *open*.

    Examples
    --------
    >>> better, worse = ({"verdict": v, "p_value": 0.001} for v in ("confirmed", "refuted"))
    >>> [outcome(asks, [better, worse]) for asks in ("all", "in all cases", "in some cases")]
    ['in part', 'fails', 'holds']
    """
    words = [v["verdict"] for v in verdicts]
    confirmed, refuted = (words.count(word) for word in ("confirmed", "refuted"))
    every_decided = bool(words) and set(words) <= set(DECIDED)
    if asks in ("in some cases", "under one reading"):
        if _one_confirmed(verdicts):
            return "holds"
        if not every_decided or confirmed:
            return "open"
        return "fails" if refuted or asks == "in some cases" else "no lead"
    if asks == "in all cases" and refuted:
        return "fails"
    if words and confirmed == len(words):
        return "holds"
    if confirmed and (refuted or "no lead" in words):
        return "in part"
    if not every_decided:
        return "open"
    return "fails" if refuted else "no lead"


def sentence_rows(
    paper: str, sentences: Iterable[Sentence], claims: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """One row for each sentence, as ``nmfbench claims --sentences --json`` prints it.

    Parameters
    ----------
    paper : str
        Key of the paper.
    sentences : iterable of Sentence
    claims : iterable of dict
        Rows of :func:`~nmfbench.verdicts.evaluate.claim_rows`. Of sentences whose tests are in
        several artefacts all of these should be judged; a test that is not counts as not run.
    """
    judged = {row["id"]: row for row in claims}
    rows = []
    for s in sentences:
        ids = [f"{paper}/{test}" for test in s.tests]
        missing = {"verdict": "not run", "p_value": None, "data": "own"}
        found = [judged.get(name, missing) for name in ids]
        words = [row["verdict"] for row in found]
        rows.append(
            {
                "id": f"{paper}/{s.key}",
                "paper": paper,
                "text": s.text,
                "place": s.place,
                "asks": s.asks,
                "outcome": None if s.untestable else outcome(s.asks, found),
                "tests": [{"id": n, "verdict": w} for n, w in zip(ids, words, strict=True)],
                "decided": sum(word in DECIDED for word in words),
                "stand_ins": sum(row["data"] != "own" for row in found),
                "pending": s.pending or None,
                "untestable": s.untestable or None,
            }
        )
    return rows


def _one_confirmed(verdicts) -> bool:
    """Whether a test is confirmed at Holm's level among all; what has no p-value needs none."""
    known = [v["p_value"] for v in verdicts if v["p_value"] is not None]
    adjusted = iter(holm(known)) if known else iter(())
    for v in verdicts:
        p_value = 0.0 if v["p_value"] is None else next(adjusted)
        if v["verdict"] == "confirmed" and p_value < _ALPHA:
            return True
    return False
