"""Outcomes of a figure or table in a few sentences, what surprises first.

Nothing here is typed for one figure: sentences come from verdicts, ranks and printed numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nmfbench.artefacts.claim import Claim
from nmfbench.cards.card import Evidence
from nmfbench.core import registry
from nmfbench.papers.paper import headlines_of
from nmfbench.reports.findings import scoped, sentence
from nmfbench.reports.printed import as_printed, our_number
from nmfbench.verdicts.evaluate import Evaluation, claim_rows
from nmfbench.verdicts.verdict import DECIDED, Verdict

__all__ = ["Outcome", "baseline_first", "is_baseline", "outcomes", "printed_apart"]


@dataclass(frozen=True)
class Outcome:
    """One sentence on a figure or table.

    Attributes
    ----------
    text : str
    verdict : str
        Of the claim behind it; empty if it rests on ranks or printed numbers.
    claim : str
        Id of that claim, or empty.
    """

    text: str
    verdict: str = ""
    claim: str = ""


def is_baseline(solver: str) -> bool:
    """Whether a solver is there only to be beaten: a random choice, a median.

    Examples
    --------
    >>> is_baseline("random-rows"), is_baseline("spa")
    (True, False)
    """
    return solver in registry.solvers and registry.solvers[solver].info["reference"] == "baseline"


def outcomes(
    evaluation: Evaluation, evidence: Evidence | None, numbers: Sequence[Mapping[str, Any]] = ()
) -> list[Outcome]:
    """Sentences on what came out, at most one of each kind, in this order.

    A trivial baseline that no method outranks; the claim of the paper that is refuted most
    clearly; the printed number that differs most; the finding that the paper's headline declares,
    or else the claim that is confirmed most clearly; of claims that find no lead the first; our
    question that is decided most clearly.

    Parameters
    ----------
    evaluation : Evaluation
    evidence : Evidence or None
        Of the same artefact.
    numbers : sequence of dict
        That the paper prints in it, as :func:`~nmfbench.verdicts.numbers.number_rows` gives them.
    """
    of_paper = [pair for pair in evaluation.verdicts if pair[0].origin == "paper"]
    ours = [pair for pair in evaluation.verdicts if pair[0].origin == "ours"]
    headlines = _headlines(evaluation)
    shown = {one.claim for one in headlines}
    found = [
        *baseline_first(evidence),
        *_clearest(evaluation, of_paper, ("refuted",), shown),
        *printed_apart(numbers),
        *(headlines or _clearest(evaluation, of_paper, ("confirmed",), shown)),
        *_clearest(evaluation, of_paper, ("no lead",), shown),
        *_clearest(evaluation, ours, DECIDED, shown),
    ]
    return found


def baseline_first(evidence: Evidence | None) -> list[Outcome]:
    """Trivial baselines that have the best mean rank on a score, alone or with others."""
    scores: dict[tuple, list] = {}
    for standing in evidence.standings if evidence else ():
        scores.setdefault((standing.task, standing.metric), []).append(standing)
    found = []
    for (task, _), standings in scores.items():
        best = min(standing.rank for standing in standings)
        score = registry.tasks[task].info["score_name"]
        for standing in standings:
            if standing.rank == best and is_baseline(standing.solver) and len(standings) > 1:
                text = (
                    f"Nothing ranks above the trivial baseline “{standing.method}” in {score}: its "
                    f"mean rank is {standing.rank:.2g} among {standing.methods} methods on "
                    f"{standing.problems} problem{'s' * (standing.problems > 1)}."
                )
                found.append(Outcome(text))
    return found[:1]


def printed_apart(numbers: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """The printed number from which ours differs most, with how many agree and differ.

    Examples
    --------
    >>> row = {"what": "Accuracy of A", "printed": 0.4, "spread": None, "per_cent": True}
    >>> row |= {"ours": 0.7, "interval": [0.6, 0.8], "unit": "repeat", "outcome": "differs"}
    >>> how_many, most = printed_apart([row, row | {"outcome": "agrees"}])[0].text.split("; ")
    >>> how_many
    '1 of 2 comparable printed numbers differs'
    >>> most
    'the most: Accuracy of A, printed 40 %, here 70 [60, 80] %.'
    >>> printed_apart([row | {"outcome": "agrees"}])
    []
    """
    known = [row for row in numbers if row["outcome"] in ("agrees", "differs")]
    differ = [
        row
        for row in known
        if row["outcome"] == "differs" and not isinstance(row["printed"], list) and row["printed"]
    ]
    if not differ:
        return []
    most = max(differ, key=lambda row: abs(row["ours"] / row["printed"] - 1))
    n = sum(row["outcome"] == "differs" for row in known)
    text = (
        f"{n} of {len(known)} comparable printed numbers {'differ' if n > 1 else 'differs'}; the "
        f"most: {most['what']}, printed {as_printed(most)}, here {our_number(most)}."
    )
    return [Outcome(text)]


def _headlines(evaluation):
    """Findings that the paper's headlines declare for this artefact, of decided claims."""
    artefact = evaluation.artefact
    rows = {row["id"]: row for row in claim_rows(evaluation)}
    found = []
    for headline in headlines_of(artefact.paper):
        row = rows.get(f"{artefact.paper}/{headline.claim}")
        if row is not None and row["verdict"] in DECIDED:
            text = scoped(sentence(headline, row), row)
            found.append(Outcome(text, row["verdict"], row["id"]))
    return found


def _clearest(evaluation, pairs: Sequence[tuple[Claim, Verdict]], words, shown) -> list[Outcome]:
    """The claim with the smallest p-value among those with one of some verdicts."""
    decided = [
        (claim, verdict)
        for claim, verdict in pairs
        if verdict.verdict in words and f"{evaluation.artefact.id}/{claim.id}" not in shown
    ]
    if not decided:
        return []
    claim, verdict = min(decided, key=lambda pair: pair[1].p_adjusted or 0.0)
    measured = verdict.evidence.partition(";")[0]
    return [
        Outcome(
            f"{claim.statement} {measured[:1].upper()}{measured[1:]}.",
            verdict.verdict,
            f"{evaluation.artefact.id}/{claim.id}",
        )
    ]
