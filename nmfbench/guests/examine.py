"""Examination of a solver in a child process: what it is, and which tasks it can do."""

from __future__ import annotations

import contextlib
import re
import warnings
from dataclasses import dataclass, field

import numpy as np

from nmfbench.core import registry
from nmfbench.engine.worker import Worker, WorkerDied, WorkerError
from nmfbench.guests.errors import GuestError
from nmfbench.guests.signature import check_parameters, parameters_of
from nmfbench.guests.spec import SolverSpec
from nmfbench.records.results import reason

__all__ = ["Examined", "examine"]


@dataclass(frozen=True)
class Examined:
    """Parameters, abilities and loss of a solver, as one tiny fit shows them.

    Attributes
    ----------
    spec : SolverSpec
    parameters : list of str
        Names of its parameters.
    abilities : dict of str to bool
        See :data:`nmfbench.core.registry.ABILITIES`.
    error : str or None
        Why the tiny fit failed, if it did. Then ``abilities`` is empty.
    loss : str or None
        Key of the loss that it minimises, if that is all that it minimises.
    """

    spec: SolverSpec
    parameters: list[str]
    abilities: dict[str, bool] = field(default_factory=dict)
    error: str | None = None
    loss: str | None = None

    def cannot(self, task: str) -> str | None:
        """Why it cannot do a task, as far as is known; None if it can.

        Parameters
        ----------
        task : str
            Key of the task.
        """
        facts = registry.tasks[task].info
        if self.error is not None:
            return f"a small fit fails: {self.error}"
        if self.abilities["symmetric"] and not facts["takes_similarities"]:
            return "it takes similarities of the samples, and the task has data of another shape"
        if self.abilities["square"]:
            return "it has as many components as features, and the task asks for another number"
        # The data of an external class are made dense where they have to be.
        able = self.abilities | ({"sparse": True} if self.spec.is_guest else {})
        return next((why for need, why in facts["needs"].items() if not able[need]), None)


def examine(
    spec: SolverSpec, *, time_limit: float | None = 60.0, worker: Worker | None = None
) -> Examined:
    """Import a solver and fit it to tiny data, in a child process.

    Parameters
    ----------
    spec : SolverSpec
        As :func:`~nmfbench.guests.parse_solver` gives it.
    time_limit : float, optional
        Seconds for the import, and for the fit.
    worker : Worker, optional
        The child process; by default one for this call.

    Raises
    ------
    GuestError
        If it cannot be imported, is no class that can be a solver, or has no such parameter.
    """
    with contextlib.ExitStack() as stack:
        if worker is None:
            worker = stack.enter_context(contextlib.closing(Worker()))
        return _examine(worker, spec, time_limit)


def _examine(worker, spec, time_limit):
    request = {"solver": spec.solver, "params": spec.params}
    name = registry.solvers[spec.solver].key
    try:
        described = worker.call(f"{__name__}:describe_here", request, time_limit, spec.solver)
    except TimeoutError:
        raise GuestError(f"importing {name} takes longer than {time_limit:g} s.") from None
    except WorkerDied as error:
        raise GuestError(f"importing {name} ends the process: {_line(error)}") from None
    except WorkerError:
        raise
    except RuntimeError as error:  # of the class itself, as by a metaclass
        raise GuestError(f"{name} cannot be looked at: {_line(error)}") from None
    if described["error"] is not None:
        raise GuestError(described["error"])
    try:
        found = worker.call(f"{__name__}:try_here", request, time_limit, spec.solver)
    except TimeoutError:
        found = {"error": f"it takes longer than {time_limit:g} s"}
    except (WorkerDied, RuntimeError) as error:
        found = {"error": _line(error)}
    return Examined(spec, described["parameters"], **found)


def _line(error):
    """The line that names the exception, without its module; a fault of the contract unnamed."""
    text = re.sub(r"^(?:\w+\.)+(?=\w)", "", reason(str(error)))
    return printable(text.removeprefix("GuestFault: ").rstrip("."))


def printable(text):
    """Text without what a terminal or file may choke on."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def describe_here(solver, params):
    """In the child: import the class and look at its parameters, and at those given."""
    from nmfbench.guests.adapter import Guest

    entry = registry.solvers[solver]
    try:
        model = entry.target()
        known = list(model.get_params())
        if not (isinstance(model, Guest) and parameters_of(model.kind)[1]):
            check_parameters(entry.key, params, known)
    except GuestError as error:
        return {"error": str(error), "parameters": []}
    return {"error": None, "parameters": known}


def try_here(solver, params):
    """In the child: fit tiny data, and see what the fit leaves."""
    from nmfbench.solvers import make_solver

    X = np.random.default_rng(0).random((12, 8))
    model = make_solver(solver, **params).set_params(n_components=2)
    known = model.get_params()
    for name, value in (("random_state", 0), ("max_iter", 5)):
        if name in known:
            model.set_params(**{name: value})
    if getattr(model, "symmetric", False):
        X = X @ X.T
    if getattr(model, "square", False):
        X = X[:, :2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    kind = getattr(model, "kind", type(model))
    own = getattr(model, "model_", model)
    abilities = {
        "anchors": hasattr(model, "anchor_indices_"),
        "labels": hasattr(model, "labels_"),
        "start": bool(getattr(model, "takes_factors", False)) and "max_iter" in known,
        "represents": callable(getattr(type(model), "represent", None)),
        "partial_fit": callable(getattr(kind, "partial_fit", None)),
        "sparse": bool(getattr(model, "accepts_sparse", False)),
        "trace": hasattr(own, "trace_"),
        "signed": bool(getattr(model, "signed", False)),
        "symmetric": bool(getattr(model, "symmetric", False)),
        "square": bool(getattr(model, "square", False)),
    }
    return {"abilities": abilities, "loss": getattr(model, "loss", None)}
