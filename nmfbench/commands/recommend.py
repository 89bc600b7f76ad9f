"""Rank, loss and solver for a matrix of one's own."""

from __future__ import annotations

import math
import os
import shlex
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.advice.advise import Advice, advise, largest_rank
from nmfbench.advice.evidence import Budget
from nmfbench.advice.kernels import Kernels
from nmfbench.advice.model import describe
from nmfbench.advice.noise import NOISES
from nmfbench.commands.answer import Answer, text_table
from nmfbench.commands.errors import UsageError
from nmfbench.commands.own_data import read_matrix
from nmfbench.commands.progress import Note, Progress, silent
from nmfbench.commands.values import command
from nmfbench.metrics.clustering import clustering_accuracy, nmi_max
from nmfbench.own import OwnData
from nmfbench.recommendation.page import AGAIN, write_page
from nmfbench.tasks.clustering import strongest_component

__all__ = ["recommend"]

_SHOWN = 5  # features of a component


@command
def recommend(
    data: Any,
    *,
    labels: Any = None,
    transpose: bool = False,
    variable: str | None = None,
    image_side: int | None = None,
    rank: int | None = None,
    budget: float | str = 300.0,
    seed: int = 0,
    output: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Choose rank, loss and solver for a matrix, by held-out entries.

    Ctrl-C ends it with what is done.

    Parameters
    ----------
    data : path-like, array, sparse matrix, DataFrame or AnnData
        A matrix that :func:`nmfbench.own.read` reads; rows are samples.
    labels, transpose, variable, image_side
        How to read it, see there. Labels are compared with components; they choose nothing.
    rank : int, optional
        For which to choose loss and solver, and to fit; by default held-out entries choose it.
    budget : float or str, default=300
        Seconds, or a time such as ``"5m"``, from the reading of the data on. Kernels that this
        machine has not compiled yet are compiled within it; what is not ready in time is left out
        and named.
    seed : int, default=0
        Seed of all that is random.
    output : path-like, optional
        Folder for the page, ``index.html``, with its tables and figures; for ``model.npz``, the
        factors ``W`` and ``H`` of the choice, which are in ``W.csv`` and ``H.csv``, too; and, of a
        file, for ``refit.py``, which computes these again. Made if it is missing.
    progress : callable, optional
        Called with each event.

    Returns
    -------
    Answer
        ``data`` has the choices, the evidence for each, and the questions that these data leave
        open; ``table`` has one row per solver of the race.

    Raises
    ------
    OwnDataError
        If the data cannot be read or factorized.
    UsageError
        If a value is not valid.

    Examples
    --------
    >>> import numpy as np
    >>> import nmfbench
    >>> found = nmfbench.recommend(np.eye(5), budget=5)
    >>> found.data["rank"] is None, len(found.data["undecided"])
    (True, 1)
    """
    tell = progress or silent
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError(f"seed: needs a whole number of at least 0, got {seed!r}")
    folder = None if output is None else _made(Path(output))
    reading = {"labels": labels, "transpose": transpose, "variable": variable}
    reading |= {"image_side": image_side}
    clock = Budget(float(budget))
    with Kernels() as kernels:
        own = read_matrix(data, reading, tell)
        _check_rank(rank, own.X.shape)
        found = advise(
            own.X,
            rank=rank,
            seed=int(seed),
            budget=clock,
            kernels=kernels,
            progress=lambda text: tell(Note(text)),
        )
    document = _plain(_document(found, own))
    if folder is not None:
        _write(folder, document, found, own, data, reading)
    rows = document["solver"]["race"] if document["solver"] else []
    return Answer(document, _text(document), failed=bool(found.stopped), rows=rows)


def _check_rank(rank, shape):
    """A rank is small enough for held-out entries to say something about it."""
    n, m = shape
    if rank is not None and rank > largest_rank(shape):
        raise UsageError(
            f"rank: at most {largest_rank(shape)} of a matrix of {n} x {m}, got {rank}"
        )


def _made(folder):
    """A folder, made if it is missing before anything is computed for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"output: {folder} cannot be made: {error.strerror}.") from None
    return folder


def _write(folder, document, found, own, data, reading):
    """Page, model and script into a folder; the document then names them."""
    factors = None
    if found.model is not None:
        factors = found.model.W, found.model.H
        np.savez(folder / "model.npz", W=factors[0], H=factors[1])
        _write_csv(folder, *factors, own)
        document["model"]["file"] = str(folder / "model.npz")
        if isinstance(data, str | PathLike):
            script = folder / "refit.py"
            script.write_text(_script(found, data, reading, folder), encoding="utf-8")
            document["model"]["refit"] = shlex.join(["python", str(script)])
    outliers = None
    if found.outliers is not None:
        places = found.outliers["places"]
        rows, columns = found.part.rows[places[:, 0]], found.part.columns[places[:, 1]]
        outliers = np.column_stack([rows, columns])
    page = write_page(
        document,
        folder,
        factors=factors,
        image_shape=own.image_shape,
        outliers=outliers,
        noise_names=NOISES,
        command=_command_line(document, data, reading, folder),
    )
    document["output"] = str(page)


def _write_csv(folder, W, H, own):
    """Factors as tables with names, for other programs."""
    parts = [f"component {k + 1}" for k in range(len(H))]
    n, m = len(W), H.shape[1]
    rows = own.sample_names or [f"row {i}" for i in range(n)]
    columns = own.feature_names or [f"column {j}" for j in range(m)]
    for name, factor, index, head in (("W", W, rows, parts), ("H", H, parts, columns)):
        table = pd.DataFrame(factor, index=index, columns=head)
        table.to_csv(folder / f"{name}.csv", lineterminator="\n")


def _command_line(document, data, reading, folder):
    name = os.fspath(data) if isinstance(data, str | PathLike) else "DATA"
    words = ["nmfbench", "recommend", name]
    for option, value in reading.items():
        flag = "--" + option.replace("_", "-")
        words += [flag] if value is True else [flag, str(value)] if _is_given(value) else []
    if document["rank"] and document["rank"]["asked"]:
        words += ["--rank", str(document["rank"]["n_components"])]
    words += ["--budget", f"{document['budget']:g}s", "--seed", str(document["seed"])]
    return shlex.join([*words, "--output", str(folder)])


def _is_given(value):
    return isinstance(value, str | int | PathLike) and value is not False


def _script(found, data, reading, folder):
    """Program that computes the factors again, to the last bit on the same machine.

    It finds the data from where it lies itself, so that folders may be moved together.
    """
    try:
        place = os.path.relpath(data, folder)
    except ValueError:  # another drive
        place = os.path.abspath(data)
    given = {name: value for name, value in reading.items() if _is_given(value)}
    given = {k: os.fspath(v) if isinstance(v, PathLike) else v for k, v in given.items()}
    options = "".join(f", {name}={value!r}" for name, value in given.items())
    model = found.model
    return f'''"""Factorization that nmfbench recommend chose; writes model.npz beside this file."""

from pathlib import Path

import numpy as np

from nmfbench.advice.model import fit_model
from nmfbench.own import read

HERE = Path(__file__).resolve().parent

X = read(HERE / {place!r}{options}).checked().X
model = fit_model(
    X,
    {found.race.solver!r},
    {found.loss.loss!r},
    n_components={len(model.H)},
    seed={model.seed},
    max_iter={model.max_iter},
)
np.savez(HERE / "model.npz", W=model.W, H=model.H)
'''


def _document(found: Advice, own: OwnData) -> dict[str, Any]:
    n, m = found.shape
    return {
        "data": {"name": own.name, "key": own.key, "n_samples": n, "n_features": m}
        | {"facts": own.lines()},
        "seed": found.seed,
        "budget": found.budget,
        "seconds": found.seconds,
        "stopped": found.stopped or None,
        "rank": _rank(found),
        "loss": _loss(found, own),
        "solver": _solver(found),
        "model": _model(found, own),
        "notes": found.notes,
        "output": None,
        "undecided": [*found.undecided, *_undecided(found)],
        "untried": found.untried,
    }


def _rank(found):
    if found.rank is None:
        return None
    by_cells = found.rank_by_cells
    return {
        "n_components": found.n_components,
        "asked": found.asked is not None,
        "by_blocks": found.rank.rank,
        "low": found.rank.low,
        "high": found.rank.high,
        "high_is_open": found.rank.open,
        "best": found.rank.best,
        "curve": found.rank.curve,
        "by_cells": None
        if by_cells is None
        else {"n_components": by_cells.rank, "low": by_cells.low, "high": by_cells.high}
        | {"curve": by_cells.curve},
        "stability": [
            {"n_components": rank, "starts": s.starts, "similarity": s.similarity}
            | {"by_component": s.by_component}
            | {"cophenetic": s.cophenetic, "objective_spread": s.spread}
            for rank, s in sorted(found.stability.items())
        ],
    }


def _loss(found, own):
    if found.loss is None:
        return None
    chosen = found.loss
    return {
        "noise": chosen.noise,
        "loss": chosen.loss,
        "distinct": chosen.distinct,
        "noises": chosen.noises,
        "losses": chosen.losses,
        "left_out": found.losses_left_out,
        "residuals": found.residuals,
        "outliers": _placed(found, own),
    }


def _placed(found, own):
    """Outliers, with their places in the whole matrix."""
    if found.outliers is None:
        return None
    rows, columns = found.part.rows, found.part.columns
    entries = []
    for entry in found.outliers["entries"]:
        i, j = int(rows[entry["row"]]), int(columns[entry["column"]])
        names = {
            "row_name": own.sample_names[i] if own.sample_names else None,
            "column_name": own.feature_names[j] if own.feature_names else None,
        }
        entries.append(entry | {"row": i, "column": j} | names)

    def named(crowded, places, names):
        return [(names[places[k]] if names else int(places[k]), count) for k, count in crowded]

    return {
        "share": found.outliers["share"],
        "entries": entries,
        "rows": named(found.outliers["rows"], rows, own.sample_names),
        "columns": named(found.outliers["columns"], columns, own.feature_names),
    }


def _solver(found):
    if found.race is None:
        return None
    race = found.race
    return {
        "key": race.solver,
        "level": race.level,
        "rounds": race.rounds,
        "race": race.rows,
        "left_out": found.solvers_left_out,
    }


def _model(found, own):
    if found.model is None:
        return None
    W, H, r = found.model.W, found.model.H, len(found.model.H)
    own_labels = None
    if own.y is not None:
        clusters = strongest_component(W, H)
        own_labels = {
            "clustering_accuracy": clustering_accuracy(own.y, clusters),
            "nmi_max": nmi_max(own.y, clusters),
        }
    components = describe(found.model, own.feature_names, own.sample_names)
    stability = found.model_stability
    for k, row in enumerate(components):
        row["similarity"] = stability.by_component[k] if stability else None
    return {
        "objective": found.model.objective,
        "certificate": found.proof,
        "components": components,
        "labels": own_labels,
        "python": (
            "import nmfbench\n"
            f'model = nmfbench.make_solver("{found.race.solver}", n_components={r})\n'
            "W = model.fit_transform(X)\n"
            "H = model.components_"
        ),
        "file": None,
        "refit": None,
    }


def _undecided(found):
    if found.loss is None:
        return []
    undecided = []
    if not found.loss.distinct:
        names = [
            NOISES[row["noise"]]
            for row in found.loss.noises
            if row["noise"] == found.loss.noise or row["low"] is None or row["low"] <= 0
        ]
        undecided.append(f"which noise it is: {'; or '.join(names)}")
    if found.rank is not None and found.rank.open:
        undecided.append(
            f"whether more than {found.rank.high} components would do as well or better"
        )
    by_cells = found.rank_by_cells
    if by_cells and found.rank and not by_cells.low <= found.rank.rank <= by_cells.high:
        undecided.append(
            f"the rank for certain: blocks of entries say {found.rank.rank}, entries at random "
            f"{by_cells.rank}"
        )
    if found.model is not None and not (found.model.W.any() and found.model.H.any()):
        undecided.append(
            "whether they have any components: the best fit that was found is zero, which predicts "
            "held-out entries as well as any other"
        )
    return undecided


def _plain(value):
    """Values that JSON has: numbers of Python, None where a number is not finite."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _text(found):
    facts, untried = found["data"], found["untried"]
    parts = [
        f"{facts['name']}, {facts['n_samples']} x {facts['n_features']}, seed {found['seed']}, "
        f"{found['seconds']:.0f} of {found['budget']:g} seconds"
    ]
    if found["stopped"]:
        parts.append(f"Stopped at the stage '{found['stopped']}': the rest is what was done.")
    for name, as_text in _CHOICES:
        mark = " (provisional)" if name in untried else ""
        parts.append(
            as_text(found[name], mark) if found[name] else f"{name.capitalize()}: not chosen"
        )
    if found["model"]:
        parts.append(_model_text(found["model"]))
    if untried:
        lines = [f"  {name}: {what}" for name, what in untried.items()]
        parts.append("\n".join(["Provisional, as the budget had no time for", *lines, AGAIN]))
    if found["undecided"]:
        parts.append("\n".join(f"These data do not tell {line}." for line in found["undecided"]))
    parts += [f"Note: {line}." for line in found["notes"]]
    parts += [found["output"]] if found["output"] else []
    return "\n\n".join(parts)


def _rank_text(rank, provisional):
    high = f"{rank['high']} or more" if rank["high_is_open"] else str(rank["high"])
    level = (
        f"{rank['low']} to {high} cannot be distinguished" if rank["low"] != rank["high"] else ""
    )
    lines = [
        {"rank": row["rank"]}
        | {"log density": f"{row['score']:.4f}", "behind the best": _between(row)}
        for row in rank["curve"]
    ]
    head = f"Rank: {rank['n_components']}{provisional}"
    head += f" (asked for); held-out entries say {rank['by_blocks']}" if rank["asked"] else ""
    head += f"; {level}" if level else ""
    return f"{head}\n{text_table(lines, ('rank', 'log density', 'behind the best'))}"


def _between(row):
    if row["low"] is None:
        return ""
    return f"{row['behind']:.4f} ({row['low']:.4f} to {row['high']:.4f})"


def _loss_text(loss, provisional):
    lines = [
        {"noise model": NOISES[row["noise"]], "best fit": row["loss"]}
        | {"log density": f"{row['score']:.4f}", "behind": _between(row)}
        for row in loss["noises"]
    ]
    head = f"Loss: {loss['loss']}{provisional}; noise: {NOISES[loss['noise']]}"
    head += "" if loss["distinct"] else " (not certain)"
    if loss["loss"] != loss["noise"] and loss["noise"] not in loss["left_out"]:
        head += f"; even so the {loss['loss']} loss predicts best"
    residuals = loss["residuals"] or {}
    if residuals.get("exponent") is not None:
        head += f"; residuals grow as the prediction to the power {residuals['exponent']:.2f}"
    table = text_table(lines, ("noise model", "best fit", "log density", "behind"))
    return f"{head}\n{table}"


def _solver_text(solver, provisional):
    lines = [
        {"solver": row["solver"]}
        | {"seconds": "not reached" if row["seconds"] is None else f"{row['seconds']:.3g}"}
        | {"error": f"{row['error']:.4f} ({row['low']:.4f} to {row['high']:.4f})"}
        for row in solver["race"]
    ]
    table = text_table(lines, ("solver", "seconds", "error"))
    more = "Seconds to within 1 % of the best held-out error; errors are ratios to that."
    return f"Solver: {solver['key']}{provisional}\n{table}\n{more}"


def _model_text(model):
    lines = [
        f"{row['component']}  {100 * row['share']:.1f} %  "
        + ", ".join(name for name, _ in row["features"][:_SHOWN])
        for row in model["components"]
    ]
    text = "Components, with their shares and largest features\n" + "\n".join(lines)
    if model["certificate"]:
        gaps = model["certificate"]
        text += (
            f"\nProven: another W for this H would save at most {100 * gaps['gap_w']:.2g} % of the "
            f"objective, another H for this W {100 * gaps['gap_h']:.2g} %"
        )
    return f"{text}\n\n{model['python']}"


_CHOICES = (("rank", _rank_text), ("loss", _loss_text), ("solver", _solver_text))
