"""Plan of a comparison: its trials, and what is left out and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nmfbench.comparison.criteria import repeats_to_decide, why_no_criterion
from nmfbench.core import registry
from nmfbench.datasets.base import dataset_available, dataset_info
from nmfbench.guests.examine import Examined
from nmfbench.guests.spec import SolverSpec
from nmfbench.problems.own import LABELLED, UNLABELLED, OwnMatrix
from nmfbench.problems.problem import Problem, problems_of
from nmfbench.trials.trial import Trial, canonical

__all__ = ["Cell", "CompareError", "Entrant", "Plan", "check_tasks", "labels_of", "make_plan"]


class CompareError(ValueError):
    """A comparison that cannot be made; the message says why, in a line."""


@dataclass(frozen=True)
class Entrant:
    """A solver in a comparison.

    Attributes
    ----------
    label : str
        One of a kind.
    solver, params
        As a :class:`~nmfbench.trials.trial.Trial` takes them. A registered solver that was named
        without parameters has on each problem those that the problem sets it.
    new : bool
        Named by the user, rather than a baseline.
    loss : str or None
        What it minimises, if that is a loss alone.
    starts : bool
        It can start from given factors.
    sparse : bool
        It keeps sparse data sparse.
    origin : str
        Of one of which only records are here, whether these were audited; else empty.
    """

    label: str
    solver: str
    params: dict[str, Any]
    new: bool
    loss: str | None
    starts: bool = True
    sparse: bool = True
    origin: str = ""

    def trial(self, problem: Problem, repeat: int) -> Trial:
        """Its trial of a problem."""
        usual = not self.params and ":" not in self.solver
        params = problem.params_of(self.solver) if usual else self.params
        return problem.trial(self.solver, params, repeat, starts=self.starts)


@dataclass(frozen=True)
class Cell:
    """One trial in its place."""

    problem: Problem
    entrant: Entrant
    repeat: int
    trial: Trial


@dataclass
class Plan:
    """The trials of a comparison.

    Attributes
    ----------
    profile : str
    entrants : list of Entrant
        The new ones first.
    cells : list of Cell
    left_out : list of dict
        ``solver``, ``task``, ``problem`` and ``why``, of what is not run.
    """

    profile: str
    entrants: list[Entrant]
    cells: list[Cell] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)

    @property
    def new(self) -> list[Entrant]:
        return [entrant for entrant in self.entrants if entrant.new]

    @property
    def tasks(self) -> list[str]:
        """Those with a trial, in the order of their keys."""
        return sorted({cell.problem.task for cell in self.cells})

    def leave_out(self, why: str, *, solver="all", task: str, problem="all") -> None:
        """Say what is not run, and why."""
        self.left_out.append({"solver": solver, "task": task, "problem": problem, "why": why})


def labels_of(specs: Sequence[SolverSpec]) -> list[str]:
    """Short names, with the file or module where two would be alike, or one like a built-in key.

    Examples
    --------
    >>> labels_of([SolverSpec("mu"), SolverSpec("mu", {"max_iter": 50})])
    ['mu', 'mu(max_iter=50)']
    >>> labels_of([SolverSpec("/a/one.py:Mine"), SolverSpec("/a/two.py:Mine")])
    ['one.py:Mine', 'two.py:Mine']
    """
    short = [spec.label for spec in specs]
    longer = [registry.solvers[spec.solver].key for spec in specs]
    full = [
        place + spec.label.removeprefix(place.rpartition(":")[2])
        for spec, place in zip(specs, longer, strict=True)
    ]
    alike = [
        short.count(spec.label) > 1 or (spec.is_guest and spec.label in registry.solvers)
        for spec in specs
    ]
    found = [long if a else name for a, name, long in zip(alike, short, full, strict=True)]
    # Two files of one name: only their folders tell them apart, which a page does not show.
    return [
        name if found.count(name) == 1 else f"{name} #{found[: i + 1].count(name)}"
        for i, name in enumerate(found)
    ]


def make_plan(
    solvers: Sequence[Examined],
    *,
    tasks: Sequence[str] = (),
    against: Sequence[Examined] = (),
    profile: str = "quick",
    own: OwnMatrix | None = None,
) -> Plan:
    """The trials that answer how solvers stand against baselines.

    Parameters
    ----------
    solvers : sequence of Examined
        The new ones.
    tasks : sequence of str
        By default all that one of the solvers can do.
    against : sequence of Examined
        Baselines; by default a few for each problem, which it names.
    profile : {"smoke", "quick", "paper"}
    own : OwnMatrix, optional
        Set all tasks on this matrix, instead of the registered problems.

    Raises
    ------
    CompareError
        If no solver can do a requested task, or any at all.
    UnknownNameError
        If there is no such task.
    """
    check_tasks(tasks, own)
    everyone = _distinct([*solvers, *against])
    n_new = len(_distinct(solvers))
    names = labels_of([examined.spec for examined in everyone])
    entrants = [
        (_entrant(examined, name, new=i < n_new), examined)
        for i, (examined, name) in enumerate(zip(everyone, names, strict=True))
    ]
    plan = Plan(profile, [entrant for entrant, _ in entrants])
    usual_tasks = list(registry.problems) if own is None else [*UNLABELLED, *LABELLED]
    for task in dict.fromkeys(tasks or usual_tasks):
        why = why_no_criterion(task) if own is None else own.why_not(task)
        if why is not None:
            plan.leave_out(why, task=task)
            continue
        race, able, unable = registry.tasks[task].info["race"], [], []
        for entrant, examined in entrants:
            why = _cannot(examined, task)
            if why is None:
                able.append(entrant)
                if race and not entrant.starts:
                    plan.leave_out(_NO_CURVE, solver=entrant.label, task=task, problem="curves")
            else:
                plan.leave_out(why, solver=entrant.label, task=task)
                unable += [f"{entrant.label} cannot do the task {task}: {why}."] * entrant.new
        if tasks and len(unable) == n_new:
            raise CompareError("\n".join(unable))
        if any(entrant.new for entrant in able):
            problems = problems_of(task, profile) if own is None else own.problems(task, profile)
            _plan_task(plan, task, problems, able, usual=not against)
    if not plan.cells:
        reasons = {row["why"]: row["task"] for row in plan.left_out}
        listed = "; ".join(f"{task}: {why}" for why, task in reasons.items())
        raise CompareError(f"there is nothing to compare: {listed} (see nmfbench check).")
    plan.entrants.sort(key=lambda entrant: not entrant.new)
    return plan


def check_tasks(tasks: Sequence[str], own: OwnMatrix | None = None) -> None:
    """Raise a CompareError, or an UnknownNameError, for what is no task of a comparison."""
    for task in tasks:
        registry.tasks[task]  # an unknown one ends here, with its near misses
        if own is not None:
            if (why := own.why_not(task)) is not None:
                raise CompareError(f"{task} cannot be set on {own.name}: {why}.")
            continue
        why = why_no_criterion(task)
        if why is not None:
            known = ", ".join(task for task in registry.problems if why_no_criterion(task) is None)
            raise CompareError(
                f"nothing is compared on the task {task}, since {why}; choose from {known}."
            )


def _distinct(found):
    return list({(e.spec.solver, canonical(e.spec.params)): e for e in found}.values())


def _entrant(examined, label, *, new):
    spec = examined.spec
    starts = bool(examined.abilities.get("start"))
    sparse = bool(examined.abilities.get("sparse"))
    return Entrant(label, spec.solver, dict(spec.params), new, examined.loss, starts, sparse)


_NO_CURVE = (
    "no initial factors and number of iterations can be given, so the end of a fit from a start of "
    "its own stands for a curve"
)


def _cannot(examined, task):
    """Why it cannot do a task. Of races a fit from a start of its own can tell the end, too."""
    race = registry.tasks[task].info["race"]
    if not race or examined.error is not None or examined.abilities["symmetric"]:
        return examined.cannot(task)
    if examined.loss is None:
        return "it minimises no loss alone that others minimise"
    if examined.abilities["signed"]:
        return "its factors may be negative, so that no other can reach its objective"
    return None


_SPARE = 2  # timed repeats besides, since one that misses the target on both sides is a tie


def _plan_task(plan, task, problems, able, *, usual):
    new, meetings = [entrant for entrant in able if entrant.new], []
    for problem in problems:
        takes_part = [
            e for e in able if problem.loss in (None, e.loss) and (e.sparse or not problem.sparse)
        ]
        if not any(entrant in new for entrant in takes_part):
            continue
        if not (problem.stand_in or dataset_available(problem.dataset)):
            plan.leave_out(_missing(problem.dataset), task=task, problem=problem.label)
            continue
        if usual:
            takes_part += _usual(plan, problem, takes_part)
        if len(takes_part) < 2:
            plan.leave_out("there is no other to compare it with", task=task, problem=problem.label)
            continue
        meetings.append((problem, takes_part))
    # Of the new solver that has most of them: its tests are corrected together.
    comparisons = max(
        (sum(len(there) - 1 for p, there in meetings if p.ranked and e in there) for e in new),
        default=0,
    )
    for problem, takes_part in meetings:
        least = repeats_to_decide(comparisons) if problem.ranked else 0
        if problem.timed and problem.ranked:
            least += _SPARE
        for repeat in range(max(problem.repeats, least)):
            for e in takes_part:
                plan.cells.append(Cell(problem, e, repeat, e.trial(problem, repeat)))
    if not any(cell.problem.task == task for cell in plan.cells) and not any(
        row["task"] == task for row in plan.left_out
    ):
        plan.leave_out("no problem is for what it minimises", task=task)


def _usual(plan, problem, there):
    """Baselines of a problem that do not take part anyway, each one entrant throughout."""
    taken = {entrant.solver for entrant in there if not entrant.params}
    found = []
    for key, _ in problem.baselines:
        if key in taken:
            continue
        known = [e for e in plan.entrants if e.solver == key and not e.params]
        if not known:
            # Labelled by its key alone, so that each problem chooses the parameters.
            target = registry.solvers[key].target
            known = [Entrant(key, key, {}, False, getattr(target, "loss", None))]
            plan.entrants += known
        found += known
    return found


def _missing(dataset):
    public = dataset_info(dataset)["public_home"]
    way = f"nmfbench data fetch {dataset}" if public else "its file, in the folder NMFBENCH_DATA"
    return f"the data {dataset} are not available (what gets them: {way})"
