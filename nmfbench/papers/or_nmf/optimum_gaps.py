"""Gaps of online methods to the optimum of a batch solver: methods, trials, frame and table."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method, changed, cross, methods
from nmfbench.papers.or_nmf.methods import INMF, MOR, OMF, OMF_DA, ONE_SWEEP, ONMF, OR, SMALL, WOR
from nmfbench.papers.or_nmf.panels import NAMES
from nmfbench.stats.traces import time_to
from nmfbench.trials.trial import Trial

BATCH = "HALS"
_PASSES = (1, 2, 5, 10, 20)
_LATER = (50, 100, 200)  # of HALS, whose passes are cheap
_LONG = 1000  # iterations of the reference
_NEAR = 1.01  # times its cost
_ONLINE = (
    Method(OR, "or-nmf"),
    Method(SMALL, "or-nmf", {"theta": 0.01}),
    Method(MOR, "mor-nmf"),
    Method(WOR, "wor-nmf"),
    Method(OMF, "omf"),
    Method(ONE_SWEEP, "omf", {"n_sweeps": 1}),
    Method(OMF_DA, "omf-da"),
    Method("OMF-CG", "omf-cg"),
    Method(INMF, "inmf"),
    Method(ONMF, "onmf"),
    Method("scikit-learn dictionary", "sklearn-minibatch-dl"),
)
_CHUNKED, _MU = "scikit-learn dictionary, chunks", "scikit-learn mini-batch"
_RANKS = (4, 10, 40)
METHODS = (
    *_ONLINE,
    *(Method(_CHUNKED, "sklearn-minibatch-dl", {"batch_size": r}) for r in _RANKS),
    *(Method(_MU, "sklearn-minibatch", {"batch_size": r}) for r in _RANKS),
    *(
        Method(
            f"{_MU}, no forgetting", "sklearn-minibatch", {"batch_size": r, "forget_factor": 1.0}
        )
        for r in _RANKS
    ),
    Method(BATCH, "hals"),
)
LABELS = list(dict.fromkeys(method.label for method in METHODS))
_CHEAP = [OMF, ONE_SWEEP, WOR, SMALL, _CHUNKED, _MU]
_SETS = {"cbcl": (None, 429), "orl": (None, 80), "huebow": (None, 100), "mnist": (4000, 1000)}
"""Samples to learn from (None: all others) and samples never seen."""

_TRAINING, _UNSEEN, _CLOCK = "training samples", "unseen samples", "training, by time"
VIEWS = {_TRAINING: "passes", _UNSEEN: "passes", _CLOCK: "CPU seconds of the updates"}
_GAP, _TEST = "gap to the optimum, training (%)", "gap to the optimum, unseen samples (%)"
STEP = "CPU seconds of an inner step"


def trials(profile):
    """All sets and two ranks; hue words at the lower one by the methods that are cheap; digits."""
    grids: dict[str, tuple[int, dict[str, Any], tuple[int, ...], Any]] = {
        "smoke": (2, {"digits": (60, 30)}, (4,), (1, 2)),
        "quick": (5, {"huebow": _SETS["huebow"]}, (10,), _PASSES),
        "paper": (5, _SETS, (10, 40), _PASSES),
    }
    repeats, sets, ranks, passes = grids[profile]
    found = []
    for (dataset, (n, n_test)), r in product(sets.items(), ranks):
        options = {"n_components": r, "n_samples": n, "n_test": n_test, "passes": passes}
        base = Trial("online", dataset, solver="", options=options, timed=True)
        chosen = [m for m in METHODS if m.params.get("batch_size", r) == r and m.label != BATCH]
        if profile == "quick":
            chosen = [method for method in chosen if method.label in _CHEAP]
        found += cross(base, repeats, methods(chosen))
        batch = changed(base, {"solver": "hals", "options": {"passes": (*passes, *_LATER)}})
        found += cross(batch, repeats)
        best = changed(batch, {"options": {"passes": (_LONG,)}})
        found += cross(best, repeats, [{}, {"options": {"init": "nndsvd"}}])
    return found


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """A row for each record of a curve: ``passes``, ``seconds``, ``STEP``, and gaps to the
    reference.

    The reference of a repeat is the lower of two long runs of HALS, from the bases that all share
    and from NNDSVD. Besides, for each repeat and panel, rows of "online" and of HALS with the
    seconds to a gap of one per cent, or, if ``never``, to the end of the longest run; and rows of
    "all" with ``tau``, how alike the methods rank by the two gaps after the last pass.
    """
    rows = []
    records = records.assign(inner=records["inner-iterations"])
    for (dataset, rank, repeat), fits in records.groupby(["dataset", "n_components", "repeat"]):
        place = {"dataset": dataset, "n_components": rank, "repeat": repeat}
        best = fits[fits["n_iter"] == _LONG]
        if len(best):
            curves, reference = fits.drop(best.index), best.loc[best["cost"].idxmin()]
            found = _records_of(curves, reference)
            found += _summary(found, _times_to(curves, _NEAR * reference["cost"]))
            rows += [place | row for row in found]
    return pd.DataFrame(rows)


def _records_of(fits, best):
    """A row for each record of a curve."""
    rows = []
    for fit in fits.itertuples():
        trace, test = fit.arrays["trace"], fit.arrays["test"]
        for record, unseen in zip(trace[1:], test[1:], strict=True):
            ratio = record["objective"] / best["cost"]
            rows.append(
                {
                    "method": str(fit.method),
                    "passes": record["iteration"] / fit.samples,
                    "seconds": record["cpu_seconds"],
                    "cost ratio": ratio,
                    STEP: trace["cpu_seconds"][-1] / (fit.inner or np.nan),
                    _GAP: 100 * (ratio - 1),
                    _TEST: 100 * (unseen / best["test-cost"] - 1),
                }
            )
    return rows


def _times_to(fits, cost):
    """Seconds of each fit to a cost, after at least one pass."""
    return {str(fit.method): time_to(fit.arrays["trace"][1:], cost) for fit in fits.itertuples()}


def _summary(rows, times):
    """Who came first within one per cent, and how alike the two rankings are."""
    here = pd.DataFrame(rows, columns=["method", "passes", "seconds", _GAP, _TEST])
    if (here["method"] == BATCH).all():
        return []
    online = here[here["method"] != BATCH]
    end = online.loc[online.groupby("method")["passes"].idxmax()]
    found = [{"method": "all", "tau": kendalltau(end[_GAP], end[_TEST]).statistic}]
    longest = here["seconds"].max()
    groups = {"online": times.keys() - {BATCH}, BATCH: times.keys() & {BATCH}}
    for name, group in groups.items():
        first = min((times[method] for method in group), default=np.inf)
        never = bool(np.isinf(first))
        seconds = longest if never else first
        found.append({"method": f"{name}, first", "to 1 %": seconds, "never": never})
    return found


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean gaps with 95 % intervals by panel, method, passes and view.

    ``x`` is the number of passes, or the median of the CPU seconds that they took.
    """
    by = ["dataset", "n_components", "method", "passes"]
    curves = frame[frame["method"].isin(LABELS)]
    seconds = curves.groupby(by)["seconds"].median().rename("seconds")
    gaps = {_TRAINING: _GAP, _UNSEEN: _TEST, _CLOCK: _GAP}
    parts = [mean_table(curves, gap, by).assign(view=view) for view, gap in gaps.items()]
    shown = pd.concat(parts, ignore_index=True).join(seconds, on=by)
    data, rank = shown["dataset"].map(NAMES), shown["n_components"].astype(str)
    x = shown["passes"].where(shown["view"] != _CLOCK, shown["seconds"])
    return shown.assign(panel=data + ", rank " + rank, x=x)
