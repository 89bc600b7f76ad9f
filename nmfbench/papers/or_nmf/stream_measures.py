"""Bases, surrogate and first-order gap along ten passes over data, and how fast they settle."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.artefacts.frames import mean_table, select_rows
from nmfbench.artefacts.grids import Method, changed, cross, methods, options
from nmfbench.artefacts.plots import Curves
from nmfbench.artefacts.tables import interval_cell, score_table
from nmfbench.papers.or_nmf.methods import MOR, OMF, OR
from nmfbench.papers.or_nmf.panels import NAMES, at_lower_rank
from nmfbench.papers.or_nmf.rates import binned, exponent
from nmfbench.papers.or_nmf.readings import with_readings
from nmfbench.trials.trial import Trial

KEPT = ", constant θ"
CONSTANT, MOR_CONSTANT = OR + KEPT, MOR + KEPT
EXACT = "OR-NMF with exact updates"
_MORE = [Method(OMF, "omf"), Method(EXACT, "omf", {"tol": 1e-6})]
_OR, *_MOR = with_readings([Method(OR, "or-nmf"), Method(MOR, "mor-nmf")], [MOR])
METHODS = (_OR, *_MOR, *_MORE)
_PASSES = 10
RISE = "largest relative rise of gₜ by an update"
CHANGE = "exponent of the change of W, last decade"
GAP, SHARE = "exponent of gₜ − fₜ, last decade", "gₜ − fₜ as a share of fₜ at the end"
SLOPE = "exponent of the first-order gap, last decade"
LATER = "change of f by the last pass over that by the second"
SWING = "range of f within the last pass over that within the second"
WITHIN = 8  # places in a pass at which f of MOR-NMF is measured
_CURVES = {
    "change": "‖Wᵗ − Wᵗ⁻¹‖_F",
    "gap": "(gₜ − fₜ) / fₜ",
    "slope": "first-order gap / f",
    "all": "f",
}


def trials(profile):
    """Ten passes of OR-NMF, with θₜ by the cosine, constant, and with exact updates; of MOR-NMF,
    constant; and of OMF."""
    repeats = 2 if profile == "smoke" else 5
    found = []
    for name, size in at_lower_rank(profile).items():
        base = Trial("surrogate-stream", name, "", options={**size, "n_epochs": _PASSES})
        found += cross(base, repeats, methods([_OR, *_MORE]))
        found += cross(base, repeats, options("cosine", [False]), methods([_OR]))
        swings = changed(base, {"options": {"cosine": False, "within": WITHIN}})
        found += cross(swings, repeats, methods(_MOR))
    return found


# -- frame, table and figure ------------------------------------------------------------------


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Records with what the theory speaks of; a method without the cosine is one of its own."""
    cosine = records.get("cosine", pd.Series(index=records.index, dtype=object)).fillna(True)
    method = records["method"].astype(str)
    method = method.where(cosine.astype(bool), method + KEPT)
    found = [_measured(arrays) for arrays in records["arrays"]]
    found = pd.DataFrame(found, index=records.index)
    own = {"method": method, RISE: records["largest-rise"]}
    return pd.concat([records.assign(**own), found], axis=1)


def _measured(arrays):
    at, best, change = arrays["at"], arrays["best"], arrays["change"]
    end = len(change)
    gap = arrays["surrogate"] - best
    late = (at >= end / 10) & (gap > 0)
    passes = end // _PASSES * np.arange(1, _PASSES + 1)
    steps = np.abs(np.diff(arrays["all"][np.searchsorted(at, passes)]))
    ranges = [
        np.ptp(arrays["all"][(start <= at) & (at <= stop)])
        for start, stop in (passes[:2], passes[-2:])
    ]
    return {
        CHANGE: exponent(*binned(change, end // 10)),
        GAP: exponent(at[late], gap[late]),
        SHARE: gap[-1] / best[-1],
        SLOPE: exponent(at[at >= end / 10], arrays["slope"][at >= end / 10]),
        LATER: steps[-1] / steps[0],
        SWING: ranges[1] / ranges[0],
    }


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Geometric means over repeats of the curves that are drawn, with 95 % intervals."""
    rows = []
    for row in select_rows(frame, method=draw.labels).to_dict("records"):
        arrays, place = row["arrays"], {"dataset": row["dataset"], "method": row["method"]}
        at, best = arrays["at"], arrays["best"]
        curves = {
            "change": binned(arrays["change"], row["n_components"]),
            "gap": (at, (arrays["surrogate"] - best) / best),
            "slope": (at, arrays["slope"] / arrays["all"]),
            "all": (at, arrays["all"]),
        }
        for quantity, (x, y) in curves.items():
            points = pd.DataFrame({"x": x, "y": np.maximum(y, 1e-300)})
            rows.append(points.assign(quantity=quantity, **place))
    by = ["quantity", "dataset", "method", "x"]
    return mean_table(pd.concat(rows), "y", by, geometric=True)


def last_costs(table: pd.DataFrame) -> pd.DataFrame:
    """Mean cost of all samples with the last bases, which the picture has no room for, as text."""
    last = select_rows(table, quantity="all").assign(cost="f at the end of the stream")
    last = last[last["x"] == last.groupby("dataset")["x"].transform("max")]
    last = last.assign(data=last["dataset"].map(NAMES))
    lines = {"cost": "cost", "data": "data"}
    return score_table(last, lines, draw.labels, interval_cell(3, significant=True))


draw = Curves(
    x="x",
    labels=[OR, CONSTANT, MOR_CONSTANT, EXACT, OMF],
    row="quantity",
    rows={name: words for name, words in _CURVES.items() if name != "all"},
    column="dataset",
    columns=NAMES,
    xlabel="samples t",
    size=(3.6, 2.3),
    logx=True,
    logy=True,
)
