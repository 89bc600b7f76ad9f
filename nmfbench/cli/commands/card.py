"""``nmfbench card``: facts and evidence on a solver, from registry and records."""

from __future__ import annotations

import contextlib

from nmfbench.cli import options
from nmfbench.cli.output import Result, notice, reading


def add(commands):
    sub = options.add_command(
        commands,
        "card",
        run,
        "what is known of a solver, from registry and records",
        "Problem, cost, parameters, departures from the paper, tests, exponents of time, and "
        "where it wins and fails in the artefacts of the papers. --json prints a list, but for one "
        "KEY that is not 'all'.",
    )
    options.judged_profile(sub)
    options.store(sub)
    options.print_json(sub)
    sub.add_argument(
        "names", nargs="+", metavar="KEY", help=f"{options.SOLVER}; or 'all' that are registered"
    )
    sub.add_argument(
        "--measure",
        action="store_true",
        help="first measure how the time of an iteration grows, and keep it beside the records; "
        "of several solvers those that have not been measured here, with the present code",
    )
    sub.add_argument(
        "--time-limit",
        type=options.positive(float),
        default=60.0,
        metavar="SECONDS",
        help="for a fit that is measured, and for the look at an external class (60)",
    )


def run(args) -> Result:
    from nmfbench.cards import card_text, gather, make_card
    from nmfbench.core import registry
    from nmfbench.guests import parse_solver

    alone = len(args.names) == 1 and args.names != ["all"]
    names = [key for name in args.names for key in (registry.solvers if name == "all" else [name])]
    specs = list({str(spec): spec for spec in map(parse_solver, names)}.values())
    if args.measure:
        _measure(specs, args, again=alone)
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    with reading(args.store) as store:
        evidence = gather(
            artefacts,
            store,
            profile=args.profile,
            stand_in=args.stand_in,
            solvers=[spec.solver for spec in specs],
        )
    found = [
        make_card(spec, evidence, args.store, profile=args.profile, time_limit=args.time_limit)
        for spec in specs
    ]
    text = f"\n\n{'=' * 100}\n\n".join(map(card_text, found))
    return Result(found[0] if alone else found, text)


def _measure(specs, args, *, again):
    """Measure exponents of time, and keep each as it comes; ``again``: also what is current."""
    from nmfbench.cards.measured import is_current, write_measured
    from nmfbench.cards.scaling import measure_exponents
    from nmfbench.engine.worker import Worker
    from nmfbench.trials.target import NATIVE

    todo = [s for s in specs if again or not is_current(args.store, s.solver, s.params)]
    if len(specs) > len(todo):
        notice(f"{len(specs) - len(todo)} of {len(specs)} solvers have been measured already")
    done = 0
    with contextlib.closing(Worker(target=NATIVE)) as worker:
        try:
            for spec in todo:
                notice(f"measuring {spec} ({done + 1} of {len(todo)})")
                limits = {"time_limit": args.time_limit, "worker": worker}
                measured = measure_exponents(spec.solver, spec.params, **limits)
                write_measured(args.store, spec.solver, spec.params, measured)
                done += 1
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped. {done} of {len(todo)} solvers were measured, and are kept in "
                f"{args.store}; the same command resumes."
            ) from None
