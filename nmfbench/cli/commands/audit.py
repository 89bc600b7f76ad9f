"""``nmfbench audit``: recompute a sample of the records, and compare."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "audit",
        "audit:audit",
        "compute a sample of the records again, and compare",
        "A row of the answer is a task, a solver and a data set. Exit code 1 if a record comes "
        "out different.",
    )
    options.targets(sub)
    options.store(sub)
    options.print_json(sub)
    sub.add_argument(
        "--sample",
        type=options.positive(int),
        default=1,
        metavar="N",
        help="records of each row (1)",
    )
    sub.add_argument(
        "--draw",
        metavar="TEXT",
        help="draw the sample that an earlier audit showed as this text, to repeat it (by default "
        "it is random; only a random sample vouches for records of others)",
    )
    options.switch(sub, "--changed", "only records that other source computed")
    options.switch(sub, "--accept", "raise the versions of what came out different, in the source")
    kinds = sub.add_mutually_exclusive_group()
    options.switch(
        kinds,
        "--sensitivity",
        "measure instead what rounding does to the sample, from data changed in the last "
        "place, and keep it beside the store",
    )
    options.switch(
        kinds,
        "--renew",
        "compute imported records of another numerical target again instead, and keep the new ones",
    )
    options.solvers(
        sub,
        "--solver",
        metavar="SOLVER",
        help="only records of this one; of records that were imported, name the file of the class, "
        "path/to/file.py:Class, which is run",
    )
    options.budget(sub)
    options.jobs(sub)
    options.limits(sub)
    options.target(sub)
