"""The page, with its tables as CSV and its figures as PDF and PNG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import nmfbench
from nmfbench.pages.environment import environment
from nmfbench.pages.pictures import Picture, save, write_tables
from nmfbench.recommendation.figures import (
    draw_codes,
    draw_components,
    draw_elbow,
    draw_outliers,
    draw_race,
    draw_ranks,
    draw_residuals,
)

__all__ = ["AGAIN", "PAGE", "write_page"]

PAGE = "index.html"
AGAIN = (
    "A larger budget has the time; and kernels, which a machine compiles once, may be there "
    "already when the same command runs again."
)
"""What to do about provisional answers."""

_SHOWN = 600  # samples in the picture of codes


def write_page(
    document: Mapping[str, Any],
    output: Path,
    *,
    factors: tuple[np.ndarray, np.ndarray] | None = None,
    image_shape: tuple[int, int] | None = None,
    outliers: np.ndarray | None = None,
    noise_names: Mapping[str, str],
    command: str,
) -> Path:
    """Write page, tables and figures into a folder.

    Parameters
    ----------
    document : mapping
        Choices with their evidence, as ``nmfbench recommend --json`` prints them.
    output : Path
        An existing folder; files of the same names are written over.
    factors : (W, H), optional
        Of the fit to all of the data.
    image_shape : (int, int), optional
        Where samples are pictures.
    outliers : ndarray of shape (n, 2), optional
        Rows and columns of entries far from the fit.
    noise_names : mapping of str to str
        Titles of noise models.
    command : str
        What gives this page, for its provenance.

    Returns
    -------
    Path
        The page, which needs none of the other files.
    """
    (output / "figures").mkdir(exist_ok=True)
    tables = _tables(document)
    write_tables(tables, output)
    shown = {
        picture.name: {"picture": picture} | save(picture, output / "figures")
        for picture in _pictures(document, factors, image_shape, outliers)
    }
    page = (
        environment()
        .get_template("recommend.html")
        .render(
            found=document,
            pictures=shown,
            tables=sorted(tables),
            noise_names=noise_names,
            again=AGAIN,
            command=command,
            number=_number,
            version=nmfbench.__version__,
            written=datetime.now(UTC).strftime("%Y-%m-%d"),
        )
    )
    (output / PAGE).write_text(page, encoding="utf-8")
    return output / PAGE


def _pictures(document, factors, image_shape, outliers) -> Iterator[Picture]:
    rank, loss, solver = document["rank"], document["loss"], document["solver"]
    if rank:
        yield Picture(
            "ranks",
            "Held-out entries by rank",
            "Higher is better: log density of held-out entries, mean over folds, as a difference "
            "from the best rank, with 95 % intervals. Ranks whose interval reaches 0 cannot be "
            "distinguished from the best. A part of the rows and columns is held out together "
            "(blocks), or single entries are (at random).",
            lambda: draw_ranks(rank),
        )
        yield Picture(
            "elbow",
            "The elbow",
            "Residuals of the entries that were fitted, corrected for degrees of freedom. They "
            "fall with the rank whether or not there is anything left to find: for the eye only.",
            lambda: draw_elbow(rank),
        )
    bins = ((loss or {}).get("residuals") or {}).get("bins", [])
    if sum(row["prediction"] > 0 and row["median"] > 0 for row in bins) >= 2:
        yield Picture(
            "residuals",
            "How residuals grow",
            "Absolute residuals of held-out entries in bins of equal numbers of entries by their "
            "prediction. Grey: what noise of one size, of counts, and of a share of the entry "
            "would look like.",
            lambda: draw_residuals(loss["residuals"]),
        )
    if outliers is not None and len(outliers):
        data = document["data"]
        yield Picture(
            "outliers",
            "Where outliers are",
            "Entries of the part that was looked at, beyond ten robust standard deviations of the "
            f"fit; the farthest {len(outliers)}.",
            lambda: draw_outliers(outliers, (data["n_samples"], data["n_features"])),
        )
    if solver:
        yield Picture(
            "race",
            "Quality against seconds",
            "Held-out error after each round, as a ratio to the lowest, with 95 % intervals over "
            "folds; dotted: 1 % above. Coloured: not distinguishable from the best.",
            lambda: draw_race(solver["race"], solver["level"]),
        )
    if factors is not None:
        W, H = factors
        if image_shape is not None:
            yield Picture(
                "components",
                "Components as pictures",
                "Each on a scale of its own: white is its largest entry.",
                lambda: draw_components(H, image_shape),
            )
        codes = W * H.sum(axis=1)
        codes = codes / np.maximum(codes.sum(axis=1, keepdims=True), 1e-300)
        some = np.linspace(0, len(codes) - 1, min(len(codes), _SHOWN)).astype(int)
        yield Picture(
            "samples",
            "Samples by component",
            "Share of each component in a sample"
            + (f"; {_SHOWN} of {len(codes)} samples." if len(codes) > _SHOWN else "."),
            lambda: draw_codes(codes[some]),
        )


def _tables(document):
    rank, loss, solver, model = (document[name] for name in ("rank", "loss", "solver", "model"))
    tables = {}
    if rank:
        tables["ranks"] = pd.DataFrame(rank["curve"])
        tables["ranks-by-entries"] = pd.DataFrame((rank["by_cells"] or {}).get("curve", []))
        tables["stability"] = pd.DataFrame(rank["stability"]).drop(
            columns="by_component", errors="ignore"
        )
    if loss:
        tables["noise-models"] = pd.DataFrame(loss["noises"])
        tables["losses"] = pd.DataFrame(loss["losses"])
        tables["outliers"] = pd.DataFrame((loss["outliers"] or {}).get("entries", []))
    if solver:
        rounds = [
            {"solver": row["solver"]} | point for row in solver["race"] for point in row["curve"]
        ]
        tables["solvers"] = pd.DataFrame(solver["race"]).drop(columns="curve")
        tables["solver-rounds"] = pd.DataFrame(rounds)
    if model:
        tables["components"] = pd.DataFrame(
            {"component": row["component"], "kind": kind, "name": name, "weight": weight}
            for row in model["components"]
            for kind in ("features", "samples")
            for name, weight in row[kind]
        )
    return {name: table for name, table in tables.items() if len(table)}


def _number(value):
    return "" if value is None else f"{value:.3g}"
