"""Fits of clips, and what they make of backgrounds and foregrounds: Figures 16 and 17."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nmfbench.artefacts.frames import select_rows, with_columns
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.datasets import dataset_info
from nmfbench.papers.clips import Clip, longest, on_clips
from nmfbench.papers.roc_curves import pooled
from nmfbench.problems.separation import CARD, FRAMES
from nmfbench.trials.trial import Trial

MAH, OGM, RPCA, GODEC = "MahNMF (RRI)", "MahNMF (OGM)", "RPCA", "GoDec"
_MEDIAN, MEAN = "median", "temporal mean"
_SMOOTHED = {"lipschitz": "spectral", "stop": "objective"}
METHODS = (
    Method(MAH, "mahnmf-rri", {"n_components": 2}),
    Method(RPCA, "rpca-ialm"),
    Method(GODEC, "godec", {"n_components": 2, "card": CARD}),
    Method("MahNMF (RRI), from the median", "mahnmf-rri", {"n_components": 2, "init": "median"}),
    Method("MahNMF (RRI), r = 1", "mahnmf-rri", {"n_components": 1}),
    Method("GoDec, r = 1", "godec", {"n_components": 1, "card": CARD}),
    Method(_MEDIAN, "median", {"n_components": 1}),
    Method(OGM, "mahnmf-ogm", {"n_components": 2, **_SMOOTHED}),
    Method(f"{OGM}, r = 1", "mahnmf-ogm", {"n_components": 1, **_SMOOTHED}),
)
_SHOWN, _RANDOM = METHODS[:3], ("mahnmf-rri", "mahnmf-ogm", "godec")
_LABELS = [method.label for method in _SHOWN]
READINGS = {
    f"{own}, rank {rank}": {MAH: own + at, RPCA: RPCA, GODEC: GODEC + at}
    for own in (MAH, OGM)
    for rank, at in ((2, ""), (1, ", r = 1"))
}
"""Names of the methods by algorithm of MahNMF and by rank, of which RPCA finds its own."""
_N_SHOWN = 7
_IMAGES = ("backgrounds", "frames", "shown", "masks")  # the others once for all methods
_REPEATS = {"smoke": 2, "quick": 2, "paper": 5}
SMOKE = Clip("Moving square", "moving-square"), Clip("Switched", "moving-square", True)
PRINTED = {
    "auc": ("AUC", 3),
    "pauc@0.2": ("pAUC, FPR ≤ 0.2", 3),
    "f-honest": ("F, honest", 3),
    "age": ("AGE", 2),
    "age-fg": ("AGE under foreground", 2),
    "cpu_seconds": ("CPU seconds", 2),
}
"""Columns of the printed table, and their decimal places."""
ERRORS = {"age": "where it is seen", "age-fg": "under the foreground"}


def trials(own: Sequence[Clip], masked: Sequence[Clip], profile: str) -> list[Trial]:
    """Fits of the paper's clips, for pictures, and of those with masks, for numbers, too.

    What neither a random start nor a random light changes is computed once; so is a clip that has
    no more frames than few.
    """
    if profile == "smoke":
        own, masked = SMOKE[:1], SMOKE[1:]
    base = Trial("separation", "", "", options={"n_shown": _N_SHOWN})
    few, many = FRAMES["quick"], FRAMES["paper"]
    frames = options("n_frames", [few, many] if profile == "paper" else [few])
    found = [
        *cross(base, 1, on_clips(own), frames, methods(_SHOWN)),
        *cross(base, _REPEATS[profile], on_clips(masked), frames, methods(METHODS)),
    ]
    return [
        t
        for t in found
        if (not t.repeat or t.solver in _RANDOM or "light_switch" in t.options)
        and (t.options["n_frames"] == few or dataset_info(t.dataset)["n_samples"] > few)
    ]


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Records of each clip with the most frames used; where there are masks, areas and errors.

    ``images`` are the arrays of the like fit to the fewest frames, which is the one that is shown.
    """
    like = ["clip", "method", "repeat"]
    fewest = records.sort_values("n_frames").drop_duplicates(like)[[*like, "arrays"]]
    known = longest(records).merge(fewest.rename(columns={"arrays": "images"}), on=like)
    of_mean = [f"{name}-mean" for name in ERRORS]
    known = with_columns(known, [*PRINTED, *of_mean])
    named = {name for names in READINGS.values() for name in names.values()}
    scored = pooled(select_rows(known, method=sorted(named)))
    return pd.concat([scored, known.drop(scored.index)])


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a clip and method, with means and deviations over starts, and images.

    Columns: ``clip``, ``method``, ``fits``; of each number its mean and, ``-sd``, its deviation;
    ``backgrounds`` of the methods that are shown, and beside the first of them ``shown``, their
    rows in the clip, ``frames`` and, if there are any, ``masks``.
    """
    rows = []
    for clip, fits in frame.sort_values(["method", "repeat"]).groupby("clip", observed=True):
        wanted: tuple[str, ...] = _IMAGES
        for method, starts in fits.groupby("method", observed=True):
            row = {"clip": clip, "method": method} | _numbers(starts)
            if method in _LABELS:
                arrays = starts["images"].iloc[0]
                row |= {name: arrays[name].tolist() for name in wanted if name in arrays}
                wanted = _IMAGES[:1]
            rows.append(row)
        # Beside every fit stands the mean; the median is fitted once for each light.
        lights = select_rows(fits, method=_MEDIAN)
        of_mean = {name: lights.get(f"{name}-mean", np.nan) for name in PRINTED}
        rows.append({"clip": clip, "method": MEAN} | _numbers(lights.assign(**of_mean)))
    columns = dict.fromkeys(name for row in rows for name in [*row, *_IMAGES])
    return pd.DataFrame(rows, columns=list(columns))


def _numbers(fits):
    means, deviations = fits[list(PRINTED)].mean(), fits[list(PRINTED)].std()
    return {"fits": len(fits)} | dict(means) | dict(deviations.add_suffix("-sd"))
