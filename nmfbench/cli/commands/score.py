"""``nmfbench score``: factors made elsewhere, judged beside the baselines."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result, UsageError, notice, table

_LOSSES = ("frobenius", "manhattan", "kl", "itakura-saito")
_UNITS_DIFFER = 2.0  # factor between the sums of X and of W H

_MEANING = """\
KKT residual: 0 at a stationary point, at most 1. Gap of W: share of the objective that the best W
for this H would save; gap of H likewise. None of them depends on how components are scaled."""
_INFINITE = "An objective is infinite where W H is zero and X is not."
_WITH_LABELS = """\
Recognition: the nearest other sample, by the cosine of rows of W, is of the same class. Clusters:
each sample's strongest component."""


def add(commands):
    sub = options.add_command(
        commands,
        "score",
        run,
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
    sub.add_argument("--data", required=True, metavar="NAME", help="the data set X")
    sub.add_argument(
        "--loss",
        action="append",
        type=options.one_of(_LOSSES),
        metavar="LOSS",
        help=f"{', '.join(_LOSSES)}; may be repeated; by default all that X has",
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
        type=options.one_of(("yes", "no")),
        metavar="yes|no",
        help="whether W H is X transposed, samples in columns; by default the shapes tell",
    )
    sub.add_argument(
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


def run(args) -> Result:
    from nmfbench.compare.score import (
        defined_losses,
        fit_baseline,
        matrix_of,
        score_factors,
        sum_ratio,
    )
    from nmfbench.datasets.base import load_dataset
    from nmfbench.guests import parse_solver
    from nmfbench.guests.factors import read_factors
    from nmfbench.guests.spec import SolverSpec
    from nmfbench.problems.baselines import GENERAL

    if args.against:
        baselines = [parse_solver(text) for text in args.against]
    else:
        baselines = [SolverSpec(*solver) for solver in GENERAL]
    data = load_dataset(args.data, stand_in=args.stand_in)
    X = matrix_of(data)
    transposed = None if args.transposed is None else args.transposed == "yes"
    W, H, layout = read_factors(args.names, X.shape, names=args.called, transposed=transposed)
    defined = defined_losses(X)
    losses = list(dict.fromkeys(args.loss or defined))
    if undefined := [name for name in losses if name not in defined]:
        raise UsageError(f"{undefined[0]} is undefined at zero, and {args.data} has zeros.")

    ratio = sum_ratio(X, W, H)
    if not 1 / _UNITS_DIFFER < ratio < _UNITS_DIFFER:
        notice(
            f"the entries of W H sum to {ratio:.3g} times those of X: were other units factorized "
            f"than nmfbench.load_dataset({args.data!r}) gives, or is a diagonal between the "
            "factors, as RcppML has it, not multiplied into one of them?"
        )
    own = " ".join(args.names)
    rows = [{"factors": own} | score_factors(X, W, H, data.y, losses=losses)]
    left_out = []
    for spec in baselines:
        notice(f"fitting {spec}")
        try:
            fitted = fit_baseline(spec, X, len(H), args.seed)
        except (TypeError, ValueError) as error:
            left_out.append({"solver": str(spec), "reason": str(error)})
            continue
        rows.append({"factors": str(spec)} | score_factors(X, *fitted, data.y, losses=losses))
    found = {
        "data": args.data,
        "stand_in": bool(data.is_stand_in),
        "n_samples": X.shape[0],
        "n_features": X.shape[1],
        "n_components": len(H),
        "layout": layout,
        "sum_ratio": ratio,
        "seed": args.seed,
        "rows": rows,
        "left_out": left_out,
    }
    return Result(found, _text(found, losses))


def _text(found, losses):
    name = f"stand-in of {found['data']}" if found["stand_in"] else found["data"]
    head = f"{name}, {found['n_samples']} x {found['n_features']}, rank {found['n_components']}"
    parts = [f"{head}; {found['layout']}"]
    for loss in losses:
        rows = [row["losses"][loss] | {"factors": row["factors"]} for row in found["rows"]]
        parts.append(_numbers(rows, loss, _LOSS_COLUMNS))
    parts.append(_numbers(found["rows"], "use", _USE_COLUMNS))
    parts += [f"{item['solver']} is left out: {item['reason']}" for item in found["left_out"]]
    meaning = [_MEANING]
    if found["rows"][0]["recognition"] is not None:
        meaning.append(_WITH_LABELS)
    if "infinite" in "".join(parts):
        meaning.append(_INFINITE)
    parts.append("\n".join(meaning))
    return "\n\n".join(parts)


_LOSS_COLUMNS = {
    "objective": "objective",
    "KKT residual": "kkt_residual",
    "gap of W": "gap_w",
    "gap of H": "gap_h",
}
_USE_COLUMNS = {
    "relative error": "relative_error",
    "recognition": "recognition",
    "clustering accuracy": "clustering_accuracy",
    "NMI (max)": "nmi_max",
}


def _numbers(rows, first, columns):
    """A table with a row for each factorization."""
    lines = [
        {first: row["factors"]} | {head: _number(key, row[key]) for head, key in columns.items()}
        for row in rows
    ]
    return table(lines, (first, *columns))


def _number(key, value):
    if value is None:
        return "infinite" if key == "objective" else ""
    return f"{value:.4g}"
