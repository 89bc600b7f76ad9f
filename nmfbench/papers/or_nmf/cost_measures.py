"""Timed parts of a step, inner steps, chunks and batch iterations, and how they grow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.frames import drawn_rows, mean_table, melt_metrics
from nmfbench.artefacts.grids import Method, changed, cross, methods, options
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.growth import exponents
from nmfbench.papers.or_nmf.methods import BATCH, ONMF, OR
from nmfbench.papers.or_nmf.panels import at_lower_rank
from nmfbench.papers.or_nmf.readings import with_readings
from nmfbench.trials.trial import Trial

_STEPS = with_readings([Method(OR, "or-nmf")])
_CHUNKS = with_readings([Method(ONMF, "onmf")])
METHODS = (*_STEPS, *_CHUNKS, *BATCH)
_RANKS = {"cbcl": (10, 50), "orl": (10, 50), "huebow": (50, 80)}
_FEATURES, _COMPONENTS = (128, 256, 512, 1024, 2048), (8, 16, 32, 64, 128)
_SMALL_RANK, _SMALL_SIZE = 16, 256  # while the other one grows
_CLASSES = (50, 100, 200, 400)  # samples of each of ten
_ITERATIONS = 40
PART, SECONDS, EXPONENT = "share of Algorithm 2 in a step", "CPU seconds", "exponent of seconds"
CHUNK, ALL = "updates of the last chunk by (36)", "updates of all samples by (35)"
OF_M, OF_R = "inner step, by m", "inner step, by r"
OF_N = {method.label: f"iteration of {method.label}, by n" for method in BATCH}
_GROWING = {OF_M: OR, OF_R: OR} | {measure: label for label, measure in OF_N.items()}
LOWER, HIGHER = "lower ranks", "higher ranks"


def trials(profile):
    """Timed parts of steps, inner steps of growing sizes, last chunks, and batch iterations."""
    smoke = profile == "smoke"
    repeats = {"smoke": 2, "quick": 5, "paper": 10}[profile]
    grids: dict[str, dict[str, Any]] = {"smoke": {"digits": (4,)}, "quick": {"cbcl": (10,)}}
    ranks = grids.get(profile, _RANKS)
    found = []
    for name, chosen in ranks.items():
        n = at_lower_rank(profile)[name]["n_samples"]
        base = Trial("step-parts", name, "", options={"n_samples": n, "n_epochs": 1}, timed=True)
        found += cross(base, repeats, options("n_components", chosen), methods(_STEPS))
        size = {"n_samples": n, "rivals": False}
        chunks = Trial("refactoring", name, "", options=size, timed=True)
        found += cross(chunks, repeats, options("n_components", chosen), methods(_CHUNKS))
    inner = Trial("inner-step-cost", "uniform", "or-nmf", timed=True)
    inner = changed(inner, {"options": {"steps": 20}} if smoke else {})
    features, components = ((16, 32), (4, 8)) if smoke else (_FEATURES, _COMPONENTS)
    sizes = [(m, min(components[1], _SMALL_RANK)) for m in features]
    sizes += [(min(features[1], _SMALL_SIZE), r) for r in components]
    found += cross(
        inner,
        repeats,
        [
            {"dataset_params": {"n_features": m}, "options": {"n_components": r}}
            for m, r in dict.fromkeys(sizes)
        ],
    )
    size = {"n_components": 4 if smoke else 10, "max_iter": _ITERATIONS}
    whole = Trial("convergence", "digits" if smoke else "mnist", "", options=size, timed=True)
    classes = {"smoke": (5, 10), "quick": _CLASSES[:2], "paper": _CLASSES}[profile]
    return found + cross(whole, repeats, options("per_class", classes), methods(BATCH))


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Shares of Algorithm 2 by data set and rank; seconds of the last chunk by ``measure`` and
    ``ranks``, which are lower or higher ones of the data; and seconds by ``size``, of an inner step
    by m or r and of a batch iteration by n."""
    records = records.astype({"method": str, "dataset": str})
    parts = records[records["task"] == "step-parts"].rename(columns={"share-update": PART})
    chunks = records[records["task"] == "refactoring"]
    values = {"seconds-chunk": CHUNK, "seconds-all": ALL}
    chunks = melt_metrics(chunks, values, "measure", SECONDS).dropna(subset=SECONDS)
    lowest = chunks.groupby("dataset")["n_components"].transform("min")
    chunks["ranks"] = np.where(chunks["n_components"] == lowest, LOWER, HIGHER)
    inner = records[records["task"] == "inner-step-cost"]
    inner = inner.assign(m=[params.get("n_features") for params in inner["dataset_params"]])
    inner = inner.assign(**{SECONDS: inner.get("seconds-step", np.nan)})
    grown = [
        _of_size(inner, "m", "n_components", OF_M),
        _of_size(inner, "n_components", "m", OF_R),
    ]
    whole = records[records["task"] == "convergence"]
    whole = whole.assign(
        size=10 * whole["per_class"].astype(float),
        measure=whole["method"].map(OF_N),
        **{SECONDS: whole["cpu_seconds"] / whole["n_iter"]},
    )
    found = pd.concat([parts.assign(measure=PART), chunks, *grown, whole], ignore_index=True)
    return found.astype({"measure": str})


def _of_size(rows, grown, fixed, measure):
    """The rows at the value of ``fixed`` that most of them have, by the size that grows."""
    if rows.empty:
        return rows.assign(size=np.nan, measure=measure)
    kept = rows[rows[fixed] == rows[fixed].mode().iloc[0]]
    return kept.assign(size=kept[grown].astype(float), measure=measure)


def exponents_of(frame: pd.DataFrame, measure: str) -> pd.Series:
    """Exponent of the seconds of a measure in its size, by repeat."""
    return exponents(frame, _GROWING[measure], SECONDS, "size", {"measure": measure})


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean shares, geometric means of seconds, and exponents, with 95 % intervals."""
    place = ["measure", "where"]
    frame = drawn_rows(frame, METHODS)
    of_rank = frame[frame["measure"].isin([PART, CHUNK, ALL])]
    of_rank = of_rank.assign(where=of_rank["dataset"] + ", rank " + _text(of_rank["n_components"]))
    parts, chunks = (of_rank[(of_rank["measure"] == PART) == share] for share in (True, False))
    shares = mean_table(parts, PART, place, between=(0, 1))
    seconds = mean_table(chunks, SECONDS, place, geometric=True)
    grown = [
        mean_table(
            exponents_of(frame, measure)
            .rename("slope")
            .reset_index()
            .assign(measure=measure, where=EXPONENT),
            "slope",
            place,
        )
        for measure in _GROWING
        if (frame["measure"] == measure).any()
    ]
    return pd.concat([shares, seconds, *grown], ignore_index=True)


def _text(column):
    return column.astype(int).astype(str)


def draw(table: pd.DataFrame) -> pd.DataFrame:
    """One row for each measure and place, with its interval."""
    named = table.assign(what="mean")
    rows = {"measure": "measure", "where": "of"}
    return score_table(named, rows, ["mean"], _cell, column="what")


def _cell(cell):
    return f"{cell.mean:.3g} ({cell.low:.3g} to {cell.high:.3g})"
