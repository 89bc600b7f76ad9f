"""Facts of a solver that need no record: from the registry, its class and its docstring."""

from __future__ import annotations

from dataclasses import asdict

from nmfbench.cards import docstring
from nmfbench.cards.checked import checked_by
from nmfbench.core import registry
from nmfbench.engine.worker import Worker, WorkerDied
from nmfbench.guests import GuestError, SolverSpec
from nmfbench.guests.examine import Examined, examine
from nmfbench.records.results import reason

__all__ = ["abilities_of", "examined_by_class", "facts"]

_SECTIONS = ("Notation", "Cost", "Notes", "Departures", "References")


def facts(spec: SolverSpec, *, time_limit: float = 60.0) -> dict:
    """All that registry, class and docstring say of a solver.

    Texts keep the markup of docstrings, the problem is in LaTeX.

    Parameters
    ----------
    spec : SolverSpec
        A registered solver, or one outside: that one is imported and fitted to tiny data in a
        child process.
    time_limit : float
        Seconds for that.

    Returns
    -------
    dict

    Raises
    ------
    GuestError
        If a class outside cannot be imported, or is no solver.
    """
    entry = registry.solvers[spec.solver]
    info = entry.info
    if spec.is_guest:
        examined, described = _of_guest(spec, time_limit)
        checked = None
    else:
        described = describe(entry.target)
        examined = examined_by_class(spec)
        checked = checked_by(entry.key)
    tasks = {task: examined.cannot(task) for task in registry.tasks}
    return {
        "key": entry.key,
        "guest": spec.is_guest,
        **{name: info[name] for name in ("name", "family", "reference", "paper")},
        "monotone": info["monotone"],
        "nested": info["nested"],
        "properties": {name: registry.PROPERTIES[name] for name in info.get("properties", ())},
        **described,
        "abilities": examined.abilities,
        "error": examined.error,
        "tasks": [task for task, why in tasks.items() if why is None],
        "cannot": {task: why for task, why in tasks.items() if why is not None},
        "checked_by": checked and [asdict(test) for test in checked],
    }


def describe(kind: type) -> dict:
    """Facts from a class and its docstring: problem, cost, parameters and more."""
    loss = getattr(kind, "loss", None)
    meanings = docstring.parameters(kind)
    given = _defaults(kind)
    return {
        "class": f"{kind.__module__}:{kind.__qualname__}",
        "summary": docstring.summary(kind),
        "problem": docstring.problem(kind, loss if isinstance(loss, str) else None),
        "loss": loss if isinstance(loss, str) else None,
        "certificate": hasattr(kind, "certificate") and getattr(kind, "convex", True),
        **{name.lower(): docstring.section(kind, name) for name in _SECTIONS},
        "parameters": [
            {"name": name, "default": default, "meaning": meanings.get(name)}
            for name, default in given.items()
        ],
    }


def _defaults(kind):
    """Names of the parameters and the texts of their defaults; None where there is none."""
    from nmfbench.guests.signature import parameters_of
    from nmfbench.solvers.bases.loop import BaseNMF

    if issubclass(kind, BaseNMF):
        return {name: repr(value) for name, value in kind().get_params().items()}
    return {name: repr(value) for name, value in parameters_of(kind)[0].items()}


def examined_by_class(spec: SolverSpec) -> Examined:
    """Result of :func:`~nmfbench.guests.examine.examine` for a registered solver, without a fit."""
    kind = registry.solvers[spec.solver].target
    known = list(kind().get_params())
    return Examined(spec, known, abilities_of(kind, known), None, getattr(kind, "loss", None))


def abilities_of(kind: type, parameters: list[str]) -> dict[str, bool]:
    """Abilities that :func:`~nmfbench.guests.examine.examine` finds by a fit, from the class."""
    attributes = docstring.attributes(kind)
    return {
        "anchors": "anchor_indices_" in attributes,
        "labels": "labels_" in attributes or hasattr(kind, "fit_predict"),
        "start": bool(getattr(kind, "takes_factors", False)) and "max_iter" in parameters,
        "represents": callable(getattr(kind, "represent", None)),
        "partial_fit": callable(getattr(kind, "partial_fit", None)),
        "sparse": bool(getattr(kind, "accepts_sparse", False)),
        "trace": True,
        "signed": bool(getattr(kind, "signed", False)),
        "symmetric": bool(getattr(kind, "symmetric", False)),
        "square": bool(getattr(kind, "square", False)),
    }


def _of_guest(spec, time_limit):
    worker = Worker()
    try:
        examined = examine(spec, time_limit=time_limit, worker=worker)
        request = {"solver": spec.solver}
        described = worker.call(f"{__name__}:describe_here", request, time_limit, spec.solver)
    except (TimeoutError, WorkerDied, RuntimeError) as error:
        raise GuestError(f"{spec} cannot be described: {reason(str(error))}") from None
    finally:
        worker.close()
    return examined, described


def describe_here(solver):
    """In the child: facts from the class and its docstring."""
    return describe(registry.solvers[solver].target.load())
