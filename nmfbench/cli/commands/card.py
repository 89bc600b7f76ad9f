"""``nmfbench card``: facts and evidence on a solver, from registry and records."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "card",
        "card:card",
        "what is known of a solver, from registry and records",
        "Problem, cost, parameters, departures from the paper, tests, exponents of time, and "
        "where it wins and fails in the artefacts of the papers. --json prints a list, but for one "
        "KEY that is not 'all'.",
    )
    options.judged_profile(sub)
    options.store(sub)
    options.print_json(sub)
    options.solvers(
        sub,
        "names",
        nargs="+",
        metavar="KEY",
        help=f"{options.SOLVER}; or 'all' that are registered",
    )
    sub.add_argument(
        "--measure",
        action="store_true",
        help="first measure how the time of an iteration grows, and keep it beside the records; "
        "of several solvers only the ones not measured here with the present code",
    )
    sub.add_argument(
        "--time-limit",
        type=options.positive(float),
        default=60.0,
        metavar="SECONDS",
        help="for a fit that is measured, and for the look at an external class (60)",
    )
