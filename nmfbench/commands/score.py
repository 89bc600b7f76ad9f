"""Factors made elsewhere, beside baselines."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from nmfbench.commands.answer import Answer, text_table
from nmfbench.commands.errors import UsageError
from nmfbench.commands.own_data import check_unused, read_matrix
from nmfbench.commands.progress import Note, Progress, silent
from nmfbench.commands.values import LOSSES, command, listed, one_of
from nmfbench.comparison.score import (
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
from nmfbench.own import is_own
from nmfbench.problems.baselines import GENERAL

__all__ = ["score"]

_UNITS_DIFFER = 2.0  # factor between the sums of X and of W H

_MEANING = """\
KKT residual: 0 at a stationary point, at most 1. Gap of W: share of the objective that the best W
for this H would save; gap of H likewise. None of them depends on how components are scaled."""
_INFINITE = "An objective is infinite where W H is zero and X is not."
_WITH_LABELS = """\
Recognition: the nearest other sample, by the cosine of rows of W, is of the same class. Clusters:
each sample's strongest component."""


@command
def score(
    *factors: str | PathLike[str],
    data: Any,
    labels: Any = None,
    transpose: bool = False,
    variable: str | None = None,
    image_side: int | None = None,
    loss: str | Sequence[str] | None = None,
    called: tuple[str, str] = ("W", "H"),
    transposed: bool | None = None,
    against: str | Sequence[str] | None = None,
    seed: int = 0,
    stand_in: bool = False,
    progress: Progress | None = None,
) -> Answer:
    """Judge W and H made elsewhere (R, Julia, MATLAB) beside baselines of the same rank.

    Parameters
    ----------
    *factors : path-like
        One .npz or .mat file with W (n_samples, r) and H (r, n_features), or two .csv files, W
        first. Pickled objects are never loaded.
    data : str, path-like, array, sparse matrix, DataFrame or AnnData
        Data set X, as :func:`~nmfbench.datasets.base.load_dataset` gives it: one row per sample. Or
        a matrix of your own, in memory or in a file that :func:`nmfbench.own.read` reads.
    labels, transpose, variable, image_side
        How to read a matrix of your own, see :func:`nmfbench.own.read`.
    loss : str or sequence of str, optional
        "frobenius", "manhattan", "kl" or "itakura-saito"; by default all that X has.
    called : (str, str), default=("W", "H")
        Names of the factors in the file.
    transposed : bool, optional
        Whether W H is X transposed, samples in columns; by default the shapes decide.
    against : str or sequence of str, optional
        Baselines, named as solvers; by default one of each of three losses.
    seed : int, default=0
        Seed of the baselines.
    stand_in : bool, default=False
        Judge on the labelled synthetic stand-in of X.
    progress : callable, optional
        Called with each event.

    Returns
    -------
    Answer
        ``table`` has one row for each factorization and loss: objective, KKT residual, gaps, and
        relative error, recognition and clustering, which do not depend on the loss.

    Raises
    ------
    UnknownNameError, DataError
        If there is no such data set or baseline, or its data are missing or cannot be read.
    GuestError, OSError
        If the factors cannot be read or do not fit X.
    UsageError
        If a loss is unknown, or undefined for X.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import nmfbench
    >>> X = nmfbench.load_dataset("digits").X
    >>> W = X.mean(axis=1, keepdims=True)
    >>> H = X.mean(axis=0, keepdims=True) / X.mean()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/factors.npz", W=W, H=H)
    ...     answer = nmfbench.score(
    ...         f"{folder}/factors.npz", data="digits", loss="kl", against="kl-mu"
    ...     )
    >>> len(answer.table), bool(answer.table["kkt_residual"][0] < 1e-9)
    (2, True)
    """
    tell, names = progress or silent, [str(path) for path in factors]
    for word in listed(loss):
        try:
            one_of(LOSSES)(word)
        except ValueError as error:
            raise UsageError(f"loss: {error}") from None
    baselines = (
        [parse_solver(text) for text in listed(against)]
        if against
        else [SolverSpec(name, dict(params)) for name, params in GENERAL]
    )
    reading = {"labels": labels, "transpose": transpose, "variable": variable}
    loaded = _load(data, reading | {"image_side": image_side}, tell, stand_in=stand_in)
    X = matrix_of(loaded)
    W, H, layout = read_factors(names, X.shape, names=called, transposed=transposed)
    defined = defined_losses(X)
    losses = list(dict.fromkeys(listed(loss) or defined))
    if undefined := [name for name in losses if name not in defined]:
        raise UsageError(f"{undefined[0]} is undefined at zero, and {loaded.name} has zeros.")
    ratio = sum_ratio(X, W, H)
    if not 1 / _UNITS_DIFFER < ratio < _UNITS_DIFFER:
        text = (
            f"the entries of W H sum to {ratio:.3g} times the sum of X: were other units "
            f"factorized than {_called(loaded)}, or is a diagonal between the factors, as "
            "RcppML has it, not multiplied into one of them?"
        )
        tell(Note(text))
    rows = [{"factors": " ".join(names)} | score_factors(X, W, H, loaded.y, losses=losses)]
    left_out = []
    for spec in baselines:
        tell(Note(f"fitting {spec}"))
        try:
            fitted_W, fitted_H = fit_baseline(spec, X, len(H), seed)
        except (TypeError, ValueError) as error:
            left_out.append({"solver": str(spec), "reason": str(error)})
            continue
        scores = score_factors(X, fitted_W, fitted_H, loaded.y, losses=losses)
        rows.append({"factors": str(spec)} | scores)
    found = {
        "data": loaded.name,
        "key": loaded.get("key"),
        "stand_in": bool(loaded.is_stand_in),
        "n_samples": X.shape[0],
        "n_features": X.shape[1],
        "n_components": len(H),
        "layout": layout,
        "sum_ratio": ratio,
        "seed": seed,
        "rows": rows,
        "left_out": left_out,
    }
    return Answer(found, _text(found, losses), rows=_flat(rows))


def _load(data, reading, tell, *, stand_in):
    """A registered data set, or the user's own matrix."""
    if is_own(data):
        if stand_in:
            raise UsageError("stand_in is for registered data sets: a matrix of your own has none.")
        return read_matrix(data, reading, tell).bunch()
    named = f", and {data!r} is a registered data set; a file of that name is given as ./{data}."
    check_unused(reading, named)
    return load_dataset(data, stand_in=stand_in)


def _called(loaded):
    if loaded.get("key"):
        return f"{loaded.name} has"
    return f"nmfbench.load_dataset({loaded.name!r}) gives"


def _flat(rows):
    """One row for each factorization and loss."""
    return [
        {"factors": row["factors"], "loss": loss}
        | scores
        | {name: value for name, value in row.items() if name not in ("factors", "losses")}
        for row in rows
        for loss, scores in row["losses"].items()
    ]


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
    """A table with one row for each factorization."""
    lines = [
        {first: row["factors"]} | {head: _number(key, row[key]) for head, key in columns.items()}
        for row in rows
    ]
    return text_table(lines, (first, *columns))


def _number(key, value):
    if value is None:
        return "infinite" if key == "objective" else ""
    return f"{value:.4g}"
