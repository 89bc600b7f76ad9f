"""External classes of which only records are here: made elsewhere, imported, never run."""

from __future__ import annotations

from collections.abc import Sequence

from nmfbench.comparison.plan import Cell, Entrant, Plan
from nmfbench.guests.spec import SolverSpec
from nmfbench.records.exchange import export_records
from nmfbench.records.results import reason
from nmfbench.records.saved import as_saved, is_saved
from nmfbench.records.store import Store
from nmfbench.records.vouchers import audited

__all__ = ["add_saved", "save_records", "saved_solvers"]

_TIMES = "its times were taken on another machine"
_NO_RECORD = "the store has no record of it, and it is not run here"
_ORIGINS = {
    True: "records from elsewhere, audited here",
    None: "records from elsewhere, not audited here",
    False: "records from elsewhere; audited here, and some came out different",
}


def save_records(plan: Plan, store: Store, path, *, format: str) -> list[str]:
    """Write the records of the new solvers of a comparison to a file that others import.

    Times are left out, as each machine takes its own; so are arrays, and of the text of an error
    all but the line that says why.

    Parameters
    ----------
    plan : Plan
    store : Store
    path : path-like
        Written over if it exists.
    format : {"parquet", "csv"}

    Returns
    -------
    list of str
        Names of the solvers, a row each: a key or, of an external class, its file and version.
    """
    trials = [cell.trial for cell in plan.cells if cell.entrant.new and not cell.trial.timed]
    keys = {trial.key for trial in trials} | {trial.base.key for trial in trials if trial.base}
    records = [
        as_saved(record) | {"error": record["error"] and reason(record["error"])}
        for record in store.records(sorted(keys))
    ]
    export_records(records, path, format=format, artefacts={})
    return [record["solver"] for record in records]


def saved_solvers(store: Store) -> list[SolverSpec]:
    """All classes of a store of which only records are here."""
    return [SolverSpec(name, params) for name, params in store.solvers() if is_saved(name)]


def add_saved(plan: Plan, solvers: Sequence[SolverSpec], store: Store) -> None:
    """Let saved classes take part in a comparison, on the problems of which they have records.

    It is for after the computation of the others, as nothing of them can be computed.

    Parameters
    ----------
    plan : Plan
    solvers : sequence of SolverSpec
    store : Store
    """
    places = {(id(cell.problem), cell.repeat): cell for cell in plan.cells}.values()
    for spec in solvers:
        trials = {
            (id(cell.problem), cell.repeat): cell.problem.trial(
                spec.solver, spec.params, cell.repeat
            )
            for cell in places
            if not cell.problem.timed
        }
        held = store.status(trial.key for trial in trials.values())
        entrant = Entrant(
            spec.label,
            spec.solver,
            dict(spec.params),
            new=False,
            loss=None,
            origin=_ORIGINS[audited(store, list(trials.values()))],
        )
        plan.entrants.append(entrant)
        there = {problem for (problem, _), trial in trials.items() if trial.key in held}
        lacking = set()
        for cell in places:
            if id(cell.problem) in there:
                trial = trials[id(cell.problem), cell.repeat]
                plan.cells.append(Cell(cell.problem, entrant, cell.repeat, trial))
            elif (cell.problem.task, cell.problem.label) not in lacking:
                lacking.add((cell.problem.task, cell.problem.label))
                why = _TIMES if cell.problem.timed else _NO_RECORD
                plan.leave_out(
                    why, solver=spec.label, task=cell.problem.task, problem=cell.problem.label
                )
