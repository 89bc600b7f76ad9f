"""Fits online and by batch methods: iterations by size, costs of ONMF, gains in the divergence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.frames import mean_table, melt_metrics
from nmfbench.artefacts.grids import Method, changed, cross, methods, options
from nmfbench.artefacts.plots import present
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.or_nmf.methods import BATCH, IS, ONMF_IS, UPDATES
from nmfbench.papers.or_nmf.panels import CBCL, HUE, NAMES, ORL, at_lower_rank
from nmfbench.papers.or_nmf.readings import with_readings
from nmfbench.trials.trial import Trial

BATCH_IS = "IS-MU"
_ONLINE_IS = with_readings([Method(IS, "or-nmf-is"), Method(ONMF_IS, "onmf-is")], [IS])
_WHOLE_IS = Method(BATCH_IS, "is-mu")
METHODS = (*BATCH, *UPDATES.values(), *_ONLINE_IS, _WHOLE_IS)

_SIZES = {"cbcl": (100, 200, 400, 800), "orl": (50, 100, 200, 400), "mnist": (100, 200, 400, 800)}
TOLERANCES = (1e-3, 1e-4, 1e-5)  # shares of the squared error
_LIMIT = 30_000  # iterations, at the smallest
_ROUNDS = 200  # of the batch method for the divergence
ITERATIONS, SLOPE = "iterations", "exponent of iterations in n"
COST, GAINED = "Fₙ", "share of the batch method's gain"
_COSTS = {
    "cost": "ONMF, (36)",
    "cost-all": "(35), as many updates",
    "cost-equal": "(35), as many multiplications",
}
CHUNK, ALL, EQUAL = _COSTS.values()
_HIGHER = {panels.dataset: max(panels.ranks) for panels in (CBCL, ORL, HUE)}
LOWER_RANK, HIGHER_RANK = "lower ranks", "higher ranks"
_AFTER = {method.label: f"; {n} updates" for n, method in UPDATES.items()}
_RULES = [{"tol": 1e-3}, {}, {"tol": 1e-5, "limit": _LIMIT}]  # 1e-4 and 3000 by default


def trials(profile):
    """Batch fits of growing data; ONMF beside (35); and the divergence, online and batch."""
    smoke = profile == "smoke"
    repeats = {"smoke": 2, "quick": 5, "paper": 10}[profile]
    sizes: dict[str, dict[str, Any]] = {
        "smoke": {"digits": (20, 40)},
        "quick": {"orl": _SIZES["orl"]},
        "paper": _SIZES,
    }
    found = []
    for name, numbers in sizes[profile].items():
        base = Trial("iterations-needed", name, "", options={"n_components": 4 if smoke else 10})
        axes = [{"options": rule} for rule in _RULES], options("n_samples", numbers)
        found += cross(base, repeats, *axes, methods(BATCH))
    for name, size in at_lower_rank(profile).items():
        r = size["n_components"]
        ranks = [r, _HIGHER[name]] if profile == "paper" else [r]
        chunks = Trial("refactoring", name, "onmf", options=size)
        found += cross(chunks, repeats, options("n_components", ranks), methods(UPDATES.values()))
        if name != "huebow":  # on which the divergence is not defined without its floor
            stream = {**size, "loss": "itakura-saito", "passes": [1, 2]}
            base = Trial("online", name, "", options=stream)
            found += cross(base, repeats, methods(_ONLINE_IS))
            rounds = 4 if smoke else _ROUNDS
            whole = changed(base, {"options": {"passes": [rounds]}})
            found += cross(whole, repeats, methods([_WHOLE_IS]))
    return found


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Three kinds of rows: ``iterations`` by ``n_samples`` and ``tolerance``; costs F_n of ONMF and
    of (35), by ``method``; and of the divergence the share of what the batch method gains, by
    ``method``."""
    records = records.astype({"method": str})
    grown = records[records["task"] == "iterations-needed"].assign(kind="iterations")
    rules = [options.get("tol", 1e-4) for options in grown["options"]]
    grown = grown.assign(tolerance=pd.Series(rules, grown.index, dtype=float))
    chunks = records[records["task"] == "refactoring"].rename(columns={"method": "onmf"})
    costs = melt_metrics(chunks, _COSTS, "method", COST)
    costs = costs.dropna(subset=COST).astype({"method": str}).assign(kind="chunks")
    higher = costs["n_components"] == costs["dataset"].map(_HIGHER)
    costs["ranks"] = np.where(higher, HIGHER_RANK, LOWER_RANK)
    streams = records[records["task"] == "online"].assign(kind="divergence")
    place = ["dataset", "repeat"]
    whole = streams[streams["method"] == BATCH_IS].set_index(place)["cost"].rename("whole")
    streams = streams.join(whole, on=place)
    streams[GAINED] = (streams["initial"] - streams["cost"]) / (
        streams["initial"] - streams["whole"]
    )
    return pd.concat([grown, costs, streams], ignore_index=True)


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Geometric means of iterations and costs, means of shares, by data set, method and size."""
    parts = []
    for kind, name, ratio in (
        ("iterations", ITERATIONS, True),
        ("chunks", COST, True),
        ("divergence", GAINED, False),
    ):
        rows = frame[frame["kind"] == kind].dropna(subset=name)
        if kind == "chunks":
            more = np.where(rows["ranks"] == HIGHER_RANK, ", higher rank", "")
            rows = rows.assign(method=rows["method"] + rows["onmf"].map(_AFTER) + more)
        if kind == "iterations":
            rules = "; to " + rows["tolerance"].map("{:g}".format)
            rows = rows.assign(method=rows["method"] + rules)
        rows = rows.assign(size=rows["n_samples"].fillna(0).astype(int))
        table = mean_table(rows, name, ["dataset", "method", "size"], geometric=ratio)
        parts.append(table.assign(measure=name))
    return pd.concat(parts, ignore_index=True)


def draw(table: pd.DataFrame) -> pd.DataFrame:
    """One row for each measure, method and number of samples; one column for each data set.

    Numbers of samples are in columns' order: the smallest first, up to the largest.
    """
    rank = table.groupby(["measure", "dataset"])["size"].rank(method="dense").astype(int)
    words = np.where(table["measure"] == ITERATIONS, "size " + rank.astype(str), "")
    named = table.assign(data=table["dataset"].map(NAMES), samples=words)
    named = named.sort_values(["measure", "method", "samples"], kind="stable")
    columns = present(named, "data", NAMES.values())
    rows = {"measure": "measure", "method": "method", "samples": "samples"}
    return score_table(named, rows, columns, lambda cell: f"{cell.mean:.3g}", column="data")
