"""``nmfbench import``: merge exported records; equal keys are not doubled."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "import",
        "import_records:import_records",
        "merge exported records; equal keys are not doubled",
        "Nothing is written unless all rows are whole. Records from files count as computed "
        "elsewhere until 'nmfbench audit' has recomputed some of them. Of classes from "
        "outside no code is looked for, read or run. A record book also holds measured exponents "
        "of time, which come along.",
    )
    options.store(sub)
    options.print_json(sub)
    sub.add_argument(
        "--without-digests",
        action="store_true",
        help="also read records without digests, of which damage goes unnoticed, from files whose "
        "sums no SHA256SUMS beside or above them has",
    )
    sub.add_argument(
        "names",
        nargs="*",
        metavar="FILE",
        help="or a folder: all parquet files below it; without one, the published records that "
        "come with the suite: all in a checkout, those of the rivals of 'compare' in a wheel",
    )
