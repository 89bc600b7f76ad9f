"""The page of all claims: a table that can be searched, filtered and sorted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import observations
from nmfbench.pages.environment import render_page
from nmfbench.reports.numbers import measured, number, share
from nmfbench.verdicts.evaluate import Evaluation
from nmfbench.verdicts.verdict import POLICY, Verdict

__all__ = ["claim_cells", "write_claims"]


def claim_cells(evaluation: Evaluation, claim: Claim, verdict: Verdict) -> dict[str, str]:
    """The row of a claim in the table, as text."""
    return {
        "id": f"{evaluation.artefact.id}/{claim.id}",
        "paper": evaluation.artefact.paper,
        "artefact": evaluation.artefact.id,
        "statement": claim.statement,
        "by": "paper" if claim.origin == "paper" else "us",
        "verdict": verdict.verdict,
        "look": "" if verdict.verdict == "not run" else evaluation.look_text or "final",
        "reported": claim.reported,
        "effect": measured(verdict.effect, verdict.interval, verdict.level),
        "p": "" if verdict.p_adjusted is None else number(verdict.p_adjusted, 2),
        "n": observations(verdict.n, verdict.unit) if verdict.n else "",
        "grid": share(verdict.done, verdict.paper_total),
        "data": verdict.data,
        "evidence": verdict.evidence,
    }


def write_claims(evaluations: Sequence[Evaluation], output: Path) -> Path:
    """Write ``claims.html``; its path.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        In the order of the notebooks.
    output : Path
        Folder of the report.
    """
    claims = [claim_cells(e, *pair) for e in evaluations for pair in e.verdicts]
    papers = list(dict.fromkeys(claim["paper"] for claim in claims))
    return render_page("claims.html", output, claims=claims, papers=papers, policy=POLICY)
