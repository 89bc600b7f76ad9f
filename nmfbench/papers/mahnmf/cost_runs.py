"""Runs of which costs are read: sorts, rounds of the extensions, and MahNMF-M by two methods."""

from __future__ import annotations

from itertools import product
from typing import Any

import pandas as pd

from nmfbench.artefacts.frames import select_rows, with_columns
from nmfbench.artefacts.grids import Method, changed, cross, methods
from nmfbench.papers.mahnmf.matrices import SORT
from nmfbench.papers.mahnmf.speed import STOP
from nmfbench.stats.traces import lowest, stop_index, time_to
from nmfbench.trials.trial import Trial

OGM_TEN, GS_TEN, EN_TEN = (
    f"{name}, 10 gradients" for name in ("MahNMF (OGM)", "MahNMF-GS", "MahNMF-EN")
)
OGM, GS = "MahNMF (OGM, paper's step)", "MahNMF-GS"
M_RRI, M_OGM = "MahNMF-M (RRI)", "MahNMF-M (OGM)"
M_PRINTED = "MahNMF-M (OGM, paper's step)"
_TEN = {"inner_max_iter": 10}
_SORTING = (Method(SORT, "mahnmf-rri", {"median": "sort"}),)
_ROUND = (
    Method(OGM_TEN, "mahnmf-ogm", _TEN),
    Method(GS_TEN, "mahnmf-gs", _TEN),
    Method(EN_TEN, "mahnmf-en", _TEN),
)
_RAPID = (Method(OGM, "mahnmf-ogm"), Method(GS, "mahnmf-gs"))
GROUPS, WEIGHT = 4, 20.0  # as in group-rate: a fifth for each of the hundred samples
_FORMS: dict[str, dict[str, Any]] = {
    "norms bounded": {},
    "norms penalised": {"form": "penalty", "alpha": WEIGHT},
}
OF_GROUPS = {
    f"{words}, p = {name}": Method(
        f"{GS}, {words}, p = {name}", "mahnmf-gs", {**form, **p}, drawn=False
    )
    for (words, form), (name, p) in product(_FORMS.items(), {"∞": {}, "2": {"p": 2}}.items())
    if form or p
}
_MANIFOLD = (
    (Method(M_RRI, "mahnmf-m-rri"), 60),
    (Method(M_OGM, "mahnmf-m-ogm", {"lipschitz": "spectral"}), 15),
    (Method(M_PRINTED, "mahnmf-m-ogm"), 15),
)
METHODS = (*_SORTING, *_ROUND, *_RAPID, *OF_GROUPS.values(), *(method for method, _ in _MANIFOLD))

LENGTHS = (50, 200, 1000, 5000)  # of what is sorted
_SIZES = ((200, 50), (400, 100), (800, 200), (1600, 400))  # features, samples
_NEAR = 1.02
SECONDS, SHARE = "seconds a round", "sorting-share"
TO_NEAR = {"rounds": "rounds to 2 %", "cpu_seconds": "seconds to 2 %"}
TO_LEVEL = "seconds to the same objective"
TO_LEVEL_PRINTED = "seconds to the same objective as by the paper's step"
TO_STOP = "rounds to stop"


def trials(profile):
    """Sweeps and rounds on uniform matrices of several sizes, and runs on faces."""
    smoke = profile == "smoke"
    repeats = {"smoke": 2, "quick": 3, "paper": 5}[profile]
    lengths, sizes = ((10, 20), ((20, 10), (40, 12))) if smoke else (LENGTHS, _SIZES)
    rank = 3 if smoke else 20

    def on(task, features, samples, **more):
        size = {"n_samples": samples, "n_features": features}
        options = {"n_components": rank} | more
        return Trial(task, "uniform", "", dataset_params=size, options=options, timed=True)

    found = []
    for length in lengths:
        base = on("sorting-share", length, 10 if smoke else 50)
        found += cross(base, repeats, methods(_SORTING))
    for features, samples in sizes:
        base = on("convergence", features, samples, max_iter=6 if smoke else 12)
        found += cross(base, repeats, methods(_ROUND))
    whole = on("convergence", *sizes[1], max_iter=6 if smoke else 40)
    found += cross(whole, repeats, methods(_RAPID))
    grouped = changed(whole, {"timed": False, "options": {"n_groups": GROUPS}})
    found += cross(grouped, repeats, methods([_RAPID[1], *OF_GROUPS.values()]))
    people = {"n_components": rank, "per_class": 2 if smoke else 3}
    for method, rounds in _MANIFOLD:
        options = people | {"max_iter": 6 if smoke else rounds}
        base = Trial("convergence", "yaleb", "", options=options, stand_in=smoke, timed=True)
        found += cross(base, repeats, methods([method]))
    return found


def frame(records):
    """Records with their sizes, and what the traces of runs say.

    ``features`` and ``entries`` are sizes of the matrix; seconds and rounds are those of
    :data:`SECONDS`, :data:`TO_NEAR`, :data:`TO_LEVEL` and :data:`TO_STOP`, which is the end of a
    run that the paper's rule (4) has not stopped, each for its own methods.
    """
    runs = records["task"] == "convergence"
    records = with_columns(records, ["n_groups"])
    params = pd.DataFrame(list(records["dataset_params"]), index=records.index)
    params = params.reindex(columns=["n_samples", "n_features"]).astype(float)
    frame = records.astype({"method": str}).assign(
        features=params["n_features"],
        entries=params["n_features"] * params["n_samples"],
        n_groups=records["n_groups"].fillna(1),
    )
    traces = {k: arrays["trace"] for k, arrays in frame.loc[runs, "arrays"].items()}
    numbers: dict[str, dict[Any, float]] = {
        name: {} for name in (SECONDS, *TO_NEAR.values(), TO_LEVEL, TO_LEVEL_PRINTED, TO_STOP)
    }
    for k, trace in traces.items():
        method = frame.at[k, "method"]
        clock = trace["cpu_seconds"]
        if method in (OGM_TEN, GS_TEN, EN_TEN):
            numbers[SECONDS][k] = max((clock[-1] - clock[1]) / (len(clock) - 2), 1e-9)
        elif method in (OGM, GS) or frame.at[k, "n_groups"] > 1:
            stop = stop_index(trace, STOP)
            numbers[TO_STOP][k] = float(len(trace) - 1 if stop is None else stop)
            if frame.at[k, "timed"]:
                near = _NEAR * lowest(trace)
                numbers[TO_NEAR["rounds"]][k] = max(time_to(trace, near, "iteration"), 1.0)
                numbers[TO_NEAR["cpu_seconds"]][k] = max(time_to(trace, near), 1e-9)
    for name, ogm in ((TO_LEVEL, M_OGM), (TO_LEVEL_PRINTED, M_PRINTED)):
        for _, rows in select_rows(frame.loc[runs], method=[M_RRI, ogm]).groupby("repeat"):
            level = max(lowest(traces[k]) for k in rows.index)
            for k in rows.index:
                numbers[name][k] = max(time_to(traces[k], level), 1e-9)
    return frame.assign(**{name: pd.Series(found, dtype=float) for name, found in numbers.items()})
