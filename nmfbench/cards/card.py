"""A card: facts, evidence from records, and exponents, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from nmfbench.artefacts.artefact import Artefact
from nmfbench.cards.evidence import Standing, failures, named_claims, standings, verdicts
from nmfbench.cards.facts import examined_by_class, facts
from nmfbench.cards.measured import read_measured
from nmfbench.cards.scaling import theoretical_exponents
from nmfbench.comparison.plan import Plan, make_plan
from nmfbench.core import registry
from nmfbench.guests import SolverSpec
from nmfbench.records.store import Store
from nmfbench.verdicts.evaluate import Evaluation, evaluate

__all__ = ["Evidence", "gather", "make_card", "of_the_field", "plan_of_the_field"]


@dataclass(frozen=True)
class Evidence:
    """Evidence in the records of an artefact, for the cards of all of its solvers.

    Attributes
    ----------
    name : str
        Of the artefact; or of the field, in which all solvers meet.
    profile : str
        Whose grid the records are of.
    evaluation : Evaluation or None
        With the verdicts on the artefact's claims.
    standings : list of Standing
    failures : dict of str to dict of str to int
        By solver the reasons of its failed trials, and how often.
    counts : dict of str to int
        Trials by solver.
    """

    name: str
    profile: str
    evaluation: Evaluation | None
    standings: list[Standing]
    failures: dict[str, dict[str, int]]
    counts: dict[str, int]

    @classmethod
    def of(cls, evaluation: Evaluation) -> Evidence | None:
        """From an evaluated artefact; None if it has no record."""
        artefact, records = evaluation.artefact, evaluation.records
        if records is None or not len(records):
            return None
        solvers = dict(zip(records["method"], records["solver"], strict=True))
        return cls._of(
            artefact.id, evaluation.profile, evaluation, records, solvers, evaluation.stand_ins
        )

    @classmethod
    def _of(cls, name, profile, evaluation, labelled, solvers, stand_ins=()):
        return cls(
            name,
            profile,
            evaluation,
            standings(name, labelled, solvers, stand_ins),
            failures=failures(labelled),
            counts={str(k): int(n) for k, n in labelled["solver"].value_counts().items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the evaluation, as JSON holds it."""
        return asdict(replace(self, evaluation=None))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], evaluation: Evaluation | None = None) -> Evidence:
        """Evidence as :meth:`to_dict` gave it, with its evaluation."""
        found = [Standing(**standing) for standing in values["standings"]]
        return cls(**{**values, "evaluation": evaluation, "standings": found})


def gather(
    artefacts: Sequence[Artefact],
    store: Store,
    *,
    profile: str | None = None,
    stand_in: bool = False,
    solvers: Sequence[str] | None = None,
) -> list[Evidence]:
    """Evidence of artefacts, and of the field of all solvers.

    Parameters
    ----------
    artefacts : sequence of Artefact
    store : Store
    profile : {"smoke", "quick", "paper"}, optional
        By default the largest grid of whole repeats of each artefact.
    stand_in : bool, default=False
    solvers : sequence of str, optional
        Only what their cards need: artefacts that have them, claims that name them.
    """
    found = []
    for artefact in artefacts:
        if solvers is not None and not {m.solver for m in artefact.methods} & set(solvers):
            continue
        claims = artefact.claims
        if solvers is not None:
            named = {claim.id for key in solvers for claim in named_claims(artefact, key)}
            claims = [claim for claim in claims if claim.id in named]
        # Neither table nor picture is wanted.
        bare = replace(artefact, claims=claims, table=lambda frame: None)
        found.append(Evidence.of(evaluate(bare, store, profile=profile, stand_in=stand_in)))
    return [evidence for evidence in [*found, of_the_field(store)] if evidence is not None]


FIELD = "all solvers, small problems"


def of_the_field(store: Store) -> Evidence | None:
    """How all solvers stand, if ``nmfbench compare KEY --against all --profile smoke`` was run."""
    plan = plan_of_the_field()
    # Speed is no question of who is the best alone: solvers minimise different losses.
    cells = [cell for cell in plan.cells if cell.problem.loss is None]
    records = store.table(cell.trial.key for cell in cells if cell.problem.ranked)
    if records["solver"].nunique() < len(plan.entrants) / 2:
        return None
    labelled = records.assign(method=records["solver"], setting="")
    return Evidence._of(FIELD, "smoke", None, labelled, {key: key for key in registry.solvers})


def plan_of_the_field(*, by_kind: bool = False) -> Plan:
    """The comparison of all solvers: on small problems, or on those with each kind of real data."""
    everyone = [examined_by_class(SolverSpec(key)) for key in registry.solvers]
    return make_plan(everyone, profile="quick" if by_kind else "smoke")


def make_card(
    spec: SolverSpec,
    evidence: Sequence[Evidence],
    store,
    *,
    profile: str | None = None,
    time_limit: float = 60.0,
) -> dict:
    """All that a card shows, as plain values.

    Parameters
    ----------
    spec : SolverSpec
    evidence : sequence of Evidence
    store : path-like
        Folder of the store, beside whose records measurements are kept.
    profile : str, optional
        Of the evidence; by default the largest grid of each artefact.
    time_limit : float
        Seconds for the look at an external class.

    Returns
    -------
    dict
        Texts keep the markup of docstrings; the problem is in LaTeX.
    """
    known = facts(spec, time_limit=time_limit)
    solver = spec.solver
    mine = [e for e in evidence if e.counts.get(solver)]
    declared = registry.solvers[solver].info.get("cost", ())  # none of an external class
    return known | {
        "params": spec.params,
        "scaling": {
            "theory": theoretical_exponents(declared),
            "measured": read_measured(store, solver, spec.params),
        },
        "records": {
            "profile": profile,
            "trials": {e.name: e.counts[solver] for e in mine},
            "profiles": {e.name: e.profile for e in mine},
            "standings": [s.to_dict() for e in mine for s in e.standings if s.solver == solver],
            "failures": {e.name: e.failures[solver] for e in mine if solver in e.failures},
            "claims": [
                v for e in mine if e.evaluation is not None for v in verdicts(e.evaluation, solver)
            ],
        },
    }
