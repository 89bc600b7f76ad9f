"""A card: facts, evidence from records, and exponents, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nmfbench import registry
from nmfbench.artefacts import Artefact, label_records
from nmfbench.cards.evidence import Standing, failures, named_claims, standings, verdicts
from nmfbench.cards.facts import examined_by_class, facts
from nmfbench.cards.scaling import read_measured, theoretical_exponents
from nmfbench.compare.plan import make_plan
from nmfbench.engine.store import Store
from nmfbench.guests import SolverSpec
from nmfbench.report.evaluate import Evaluation, evaluate

__all__ = ["Evidence", "gather", "make_card"]


@dataclass(frozen=True)
class Evidence:
    """What the records of an artefact say, for the cards of all of its solvers.

    Attributes
    ----------
    name : str
        Of the artefact; or of the field, in which all solvers meet.
    evaluation : Evaluation or None
        With the verdicts on the artefact's claims.
    standings : list of Standing
    failed : list of dict
        Records of trials that failed.
    counts : dict of str to int
        Trials by solver.
    """

    name: str
    evaluation: Evaluation | None
    standings: list[Standing]
    failed: list[dict]
    counts: dict[str, int]

    @classmethod
    def of(cls, name, evaluation, records, labelled, solvers, stand_ins=()):
        """From records, as they are and with the names of methods."""
        return cls(
            name,
            evaluation,
            standings(name, labelled, solvers, stand_ins),
            failed=records[records["status"] == "failed"].to_dict("records"),
            counts={str(k): int(n) for k, n in records["solver"].value_counts().items()},
        )


def gather(
    artefacts: Sequence[Artefact],
    store: Store,
    *,
    profile: str = "quick",
    stand_in: bool = False,
    solvers: Sequence[str] | None = None,
    evaluations: Sequence[Evaluation] = (),
) -> list[Evidence]:
    """Evidence of artefacts.

    Parameters
    ----------
    artefacts : sequence of Artefact
    store : Store
    profile : {"smoke", "quick", "paper"}
    stand_in : bool, default=False
    solvers : sequence of str, optional
        Only what their cards need: artefacts that have them, claims that name them.
    evaluations : sequence of Evaluation
        Those that are there already.
    """
    known = {evaluation.artefact.id: evaluation for evaluation in evaluations}
    found = []
    for artefact in artefacts:
        if solvers is not None and not {m.solver for m in artefact.methods} & set(solvers):
            continue
        options = {"profile": profile, "stand_in": stand_in}
        plan = list(dict.fromkeys(artefact.plan(**options)))
        records = store.table(trial.key for trial in plan)
        if not len(records):
            continue
        evaluation = known.get(artefact.id)
        if evaluation is None:
            claims = artefact.claims
            if solvers is not None:
                named = {claim.id for key in solvers for claim in named_claims(artefact, key)}
                claims = [claim for claim in claims if claim.id in named]
            # Neither table nor picture is wanted.
            bare = replace(artefact, claims=claims, summarise=lambda records: None)
            evaluation = evaluate(bare, store, **options)
        labelled = label_records(records, artefact.methods)
        solvers_of = {method.label: method.solver for method in artefact.methods}
        stand_ins = sorted(artefact.substitutes(plan).values())
        found.append(Evidence.of(artefact.id, evaluation, records, labelled, solvers_of, stand_ins))
    return [*found, *_of_the_field(store)]


FIELD = "all solvers, small problems"


def _of_the_field(store):
    """How all solvers stand, if ``nmfbench compare KEY --against all --profile smoke`` was run."""
    everyone = [examined_by_class(SolverSpec(key)) for key in registry.solvers]
    plan = make_plan(everyone, profile="smoke")
    # Speed is no question of who is the best alone: solvers minimise different losses.
    cells = [cell for cell in plan.cells if cell.problem.task != "convergence"]
    records = store.table(cell.trial.key for cell in cells if cell.problem.ranked)
    if records["solver"].nunique() < len(everyone) / 2:
        return []
    labelled = records.assign(method=records["solver"], setting="")
    return [Evidence.of(FIELD, None, records, labelled, {key: key for key in registry.solvers})]


def make_card(
    spec: SolverSpec,
    evidence: Sequence[Evidence],
    store,
    *,
    profile: str = "quick",
    time_limit: float = 60.0,
) -> dict:
    """All that a card shows, as plain values.

    Parameters
    ----------
    spec : SolverSpec
    evidence : sequence of Evidence
    store : path-like
        Folder of the store, beside whose records measurements are kept.
    profile : str
        Of the evidence.
    time_limit : float
        Seconds for the look at a class from outside.

    Returns
    -------
    dict
        Texts keep the markup of docstrings; the problem is in LaTeX.
    """
    known = facts(spec, time_limit=time_limit)
    solver = spec.solver
    mine = [e for e in evidence if e.counts.get(solver)]
    theory = theoretical_exponents(known["cost"])
    return known | {
        "params": spec.params,
        "scaling": {
            "theory": theory,
            "measured": read_measured(store, solver, spec.params),
        },
        "records": {
            "profile": profile,
            "trials": {e.name: e.counts[solver] for e in mine},
            "standings": [s.to_dict() for e in mine for s in e.standings if s.solver == solver],
            "failures": {e.name: found for e in mine if (found := failures(e.failed, solver))},
            "claims": [
                v for e in mine if e.evaluation is not None for v in verdicts(e.evaluation, solver)
            ],
        },
    }
