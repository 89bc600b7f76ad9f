"""Facts and evidence on solvers, from registry and records."""

from __future__ import annotations

import contextlib
from os import PathLike

from nmfbench.cards import card_text, gather, make_card
from nmfbench.cards.measured import is_current, write_measured
from nmfbench.cards.scaling import measure_exponents
from nmfbench.commands.answer import Answer
from nmfbench.commands.progress import Note, Progress, silent
from nmfbench.commands.reading import reading
from nmfbench.commands.values import command
from nmfbench.core import registry
from nmfbench.engine.worker import Worker
from nmfbench.guests import parse_solver
from nmfbench.trials.target import NATIVE

__all__ = ["card"]


@command
def card(
    *solvers: str,
    profile: str | None = None,
    stand_in: bool = False,
    store: str | PathLike[str] = "results",
    measure: bool = False,
    time_limit: float = 60.0,
    progress: Progress | None = None,
) -> Answer:
    """Gather what is known of solvers: problem, cost, parameters, tests, and their evidence.

    Parameters
    ----------
    *solvers : str
        Named as in :func:`~nmfbench.commands.compare.compare`, or ``"all"`` that are registered.
    profile, stand_in, store
        As of :func:`~nmfbench.commands.claims.claims`.
    measure : bool, default=False
        First measure how the time of an iteration grows, and keep it beside the records; of several
        solvers only the ones not measured here with the present code.
    time_limit : float, default=60
        Seconds for a fit that is measured, and for the look at an external class.
    progress : callable, optional
        Called with each event.

    Returns
    -------
    Answer
        ``data`` is a dict of one solver, and a list of several or of ``"all"``.

    Raises
    ------
    UnknownNameError, GuestError
        If there is no such solver.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as store:
    ...     card("spaa", store=store)
    Traceback (most recent call last):
    nmfbench.core.registry.UnknownNameError: no solver is called 'spaa'; did you mean 'spa'...
    """
    tell = progress or silent
    alone = len(solvers) == 1 and solvers != ("all",)
    names = [key for name in solvers for key in (registry.solvers if name == "all" else [name])]
    specs = list({str(spec): spec for spec in map(parse_solver, names)}.values())
    if measure:
        _measure(specs, store, time_limit, tell, again=alone)
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    with reading(store, tell) as opened:
        evidence = gather(
            artefacts,
            opened,
            profile=profile,
            stand_in=stand_in,
            solvers=[spec.solver for spec in specs],
        )
    found = [
        make_card(spec, evidence, store, profile=profile, time_limit=time_limit) for spec in specs
    ]
    text = f"\n\n{'=' * 100}\n\n".join(map(card_text, found))
    return Answer(found[0] if alone else found, text)


def _measure(specs, store, time_limit, tell, *, again):
    """Measure exponents of time, and keep each as it comes; ``again``: also what is current."""
    todo = [s for s in specs if again or not is_current(store, s.solver, s.params)]
    if len(specs) > len(todo):
        current = len(specs) - len(todo)
        tell(Note(f"{current} of {len(specs)} solvers have been measured already"))
    done = 0
    with contextlib.closing(Worker(target=NATIVE)) as worker:
        try:
            for spec in todo:
                tell(Note(f"measuring {spec} ({done + 1} of {len(todo)})"))
                limits = {"time_limit": time_limit, "worker": worker}
                measured = measure_exponents(spec.solver, spec.params, **limits)
                write_measured(store, spec.solver, spec.params, measured)
                done += 1
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped. {done} of {len(todo)} solvers were measured, and are kept in "
                f"{store}; the same command resumes."
            ) from None
