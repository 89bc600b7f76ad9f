"""``nmfbench compare``: solvers against the baselines, on one page."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "compare",
        "compare:compare",
        "solvers against the baselines: one page",
        "What the store lacks of the baselines is most of the work. What a class needs: pydoc "
        "nmfbench.guests. Exit code 1 if a trial failed.",
    )
    options.jobs(
        sub,
        default=None,
        help="trials at a time (as many as there are cores); timed ones run one at a time",
    )
    options.retry_failed(sub)
    options.renew(sub)
    options.limits(sub, 300.0)
    options.print_json(sub)
    options.solvers(sub, "names", nargs="+", metavar="SOLVER", help=options.SOLVER)
    sub.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="TASK",
        help="may be repeated; by default all tasks that the solvers can do",
    )
    options.solvers(
        sub,
        "--against",
        action="append",
        default=[],
        metavar="KEY",
        help="a baseline, named as SOLVER; may be repeated; 'all' is every solver of the suite; by "
        "default a few for each task; file.py:Class@version stands for imported records",
    )
    minutes = "smoke: a minute, if rivals have records; quick (default): ten; paper: its problems"
    options.choose(sub, "--profile", options.PROFILES, default="quick", metavar="P", help=minutes)
    options.own_data(sub, "set the tasks on this matrix")
    rank = options.positive(int)
    sub.add_argument("--rank", type=rank, metavar="R", help="of --data (classes, else 10)")
    options.output(sub, "comparison", "folder of the page")
    sub.add_argument(
        "--save",
        metavar="FILE",
        help="write the records of SOLVER, without times, for 'nmfbench import' on other machines; "
        "as CSV if its name says so, else as parquet",
    )
    options.store(sub)
