"""``nmfbench score``: factors made elsewhere, judged beside the baselines."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.commands.values import LOSSES


def add(commands):
    sub = options.add_command(
        commands,
        "score",
        "score:score",
        "W and H made elsewhere (R, Julia, MATLAB) beside the baselines",
        "X has a row for each sample, and is what nmfbench.load_dataset gives. Baselines are "
        "fitted at the same rank. Pickled objects are never loaded.",
    )
    sub.add_argument(
        "names",
        nargs="+",
        metavar="FACTORS",
        help="one .npz or .mat file with W and H, or two .csv files, W first",
    )
    options.data(sub, "the data set X", required=True)
    options.choose(
        sub,
        "--loss",
        LOSSES,
        action="append",
        metavar="LOSS",
        help=f"{', '.join(LOSSES)}; may be repeated; by default all that X has",
    )
    sub.add_argument(
        "--names",
        dest="called",
        nargs=2,
        default=("W", "H"),
        metavar=("W", "H"),
        help="what the file calls the factors (W H)",
    )
    sub.add_argument(
        "--transposed",
        type=options.yes_or_no,
        metavar="yes|no",
        help="whether W H is X transposed, samples in columns; by default the shapes tell",
    )
    options.solvers(
        sub,
        "--against",
        action="append",
        metavar="KEY",
        help="a baseline, named as SOLVER; may be repeated; by default one of each of three losses",
    )
    sub.add_argument("--seed", type=int, default=0, metavar="N", help="of the baselines (0)")
    sub.add_argument(
        "--stand-in", action="store_true", help="judge on the labelled synthetic stand-in of X"
    )
    options.print_json(sub)
