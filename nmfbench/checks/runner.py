"""Checks run one by one in a child process, and their findings.

A class that hangs, crashes or eats the memory so fails one check and harms nothing.
"""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import asdict, dataclass
from typing import Any

from nmfbench.checks import hygiene
from nmfbench.checks.case import (
    CHECKS,
    N_FEATURES,
    N_SAMPLES,
    Case,
    CheckFailed,
    NotApplicable,
    in_a_line,
)
from nmfbench.core import registry
from nmfbench.engine.worker import MemoryExceeded, Worker, WorkerDied
from nmfbench.guests import GuestFault, SolverSpec
from nmfbench.guests.examine import Examined, examine, printable
from nmfbench.records.results import reason

__all__ = ["Finding", "as_data", "check_solver", "perform_check"]

_TOO_MUCH = "it needs more than --memory-limit on tiny data: look for what grows"


@dataclass(frozen=True)
class Finding:
    """Outcome of one check.

    Attributes
    ----------
    name, statement : str
        Of the check; the statement says what holds of a good solver.
    status : {"passed", "failed", "note", "skipped"}
    problem, fix, input : str
        Problem, how to fix it, and the code that shows it; empty if it passed. Of a
        skipped check ``problem`` is why.
    """

    name: str
    statement: str
    status: str
    problem: str = ""
    fix: str = ""
    input: str = ""


def perform_check(solver: str, params: dict[str, Any], name: str) -> dict[str, str]:
    """Run one check here, in this process.

    Returns
    -------
    dict
        ``status``, ``problem``, ``fix``, ``input``, as of :class:`Finding`.
    """
    found, case = CHECKS[name], None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case = Case(solver, params)
            found.function(case)
    except NotApplicable as why:
        return {"status": "skipped", "problem": str(why)}
    except (CheckFailed, GuestFault) as failed:
        status = "note" if found.note else "failed"
        return {
            "status": status,
            "problem": failed.problem,
            "fix": failed.fix,
            "input": case.input if case else "",
        }
    except MemoryError:
        raise
    except Exception as error:
        if case is None:
            raise
        return {
            "status": "failed",
            "problem": f"what the fit gives cannot be looked at: {in_a_line(error)}",
            "fix": "see the place named; the input below shows it",
            "input": case.input,
        }
    return {"status": "passed"}


def check_solver(
    spec: SolverSpec,
    *,
    time_limit: float | None = 60.0,
    memory_limit: int | None = None,
    worker: Worker | None = None,
) -> tuple[Examined, list[Finding]]:
    """Run all checks on a solver, each contained in a child process.

    Parameters
    ----------
    spec : SolverSpec
        As :func:`~nmfbench.guests.parse_solver` gives it.
    time_limit : float, optional
        Seconds for each check.
    memory_limit : int, optional
        Bytes.
    worker : Worker, optional
        The child process, with a limit of its own; by default one for this call.

    Returns
    -------
    examined : Examined
    findings : list of Finding
        If the first one fails, the others are skipped.

    Raises
    ------
    GuestError
        If it is no class that can be a solver at all.
    """
    findings: list[Any] = []
    with contextlib.ExitStack() as stack:
        if worker is None:
            worker = stack.enter_context(contextlib.closing(Worker(memory_limit)))
        worker.call(f"{hygiene.__name__}:untouched", {})
        examined = examine(spec, time_limit=time_limit, worker=worker)
        for name, check in CHECKS.items():
            if findings and findings[0].status == "failed":
                result = {"status": "skipped", "problem": "a fit of easy data fails"}
            else:
                result = _contained(worker, spec, name, time_limit)
            findings.append(Finding(name, check.statement, **result))
    return examined, findings


def _contained(worker, spec, name, time_limit):
    request = {"solver": spec.solver, "params": spec.params, "name": name}
    try:
        return worker.call(f"{__name__}:perform_check", request, time_limit, spec.solver)
    except TimeoutError:
        size = (
            f"{10 * N_SAMPLES} samples of {10 * N_FEATURES}"
            if name == "larger"
            else f"{N_SAMPLES} samples of {N_FEATURES}"
        )
        problem = f"it takes longer than {time_limit:g} s on {size} features"
        fix = "see that the iteration ends (max_iter), or allow more time with --time-limit"
        if CHECKS[name].note:  # which may make many fits
            problem = f"it could not be found out within {time_limit:g} s"
            return {
                "status": "note",
                "problem": problem,
                "fix": fix,
                "input": f"the check {name!r}",
            }
    except MemoryExceeded as error:
        problem, fix = printable(reason(str(error))), _TOO_MUCH
    except WorkerDied as error:
        problem, fix = printable(reason(str(error))), "nothing in fit may end the process"
    except RuntimeError as error:
        problem = printable(reason(str(error)))
        fix = "see the exception"
        if "MemoryError" in problem:
            fix = _TOO_MUCH
    return {"status": "failed", "problem": problem, "fix": fix, "input": f"the check {name!r}"}


def as_data(examined: Examined, findings: list[Finding]) -> dict[str, Any]:
    """All that came out, as plain values."""
    tasks = {task: examined.cannot(task) for task in registry.tasks}
    return {
        "solver": str(examined.spec),
        "parameters": examined.parameters,
        "abilities": examined.abilities,
        "tasks": [task for task, why in tasks.items() if why is None],
        "cannot": {task: why for task, why in tasks.items() if why is not None},
        "checks": [asdict(finding) for finding in findings],
    }
