"""Methods of Figures 1 and 7 on clips, their parameters, and the choice among these."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.artefacts.estimate import of_left_out
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import Method, cross, fields, methods, options
from nmfbench.datasets.base import dataset_info
from nmfbench.papers.clips import Clip, longest, on_clips
from nmfbench.papers.roc_curves import FALSE_ALARMS, chosen
from nmfbench.problems.separation import FRAMES
from nmfbench.stats.intervals import small_sample_factor
from nmfbench.trials.trial import Trial

RESTAURANT, HALL = "Human body 2, for Restaurant", "Hall & monitor, for Airport Hall"
LIT, LOBBY = (
    f"IBM test 2, {light}, for Lobby" for light in ("simulated light switch", "no light switch")
)
CLIPS = (
    Clip(RESTAURANT, "video-humanbody2", limit=0.15),
    Clip(HALL, "video-hallandmonitor"),
    Clip(LIT, "video-ibmtest2", light_switch=True),
    Clip(LOBBY, "video-ibmtest2"),
)
_GENERATED = (Clip("square", "moving-square"), Clip("square, lit", "moving-square", True))

ROBUST = "RobustXRAY"
LOCAL = "robust NMF"
LOW_RANK = "robust low rank, best start"
RPCA = "RPCA"
L2, L2_PRINTED = "XRAY-l2", "XRAY-l2, l1 refits"
MEDIAN = "median"
SVD_START, RANDOM_STARTS = "robust low rank", "robust low rank, random starts"
HIGHER = "robust NMF, r above 1"
LOCAL_ALONE, RANDOM_ALONE, HIGHER_ALONE = (
    f"{name}, each start" for name in (LOCAL, RANDOM_STARTS, HIGHER)
)
_ALONE = {LOCAL: LOCAL_ALONE, RANDOM_STARTS: RANDOM_ALONE, HIGHER: HIGHER_ALONE}
STARTS: dict[str, dict[str, str]] = {
    "the best of several": {},
    "one at random": {**_ALONE, LOW_RANK: RANDOM_ALONE},
    "one, by the SVD for a low rank": {**_ALONE, LOW_RANK: SVD_START},
}
"""Starts of the local searches, which the paper leaves open -> names of the methods with them."""
RANKS, REFITS = tuple(range(1, 11)), (1, 2)
_FACTORS = (0.25, 0.5, 1, 2, 4)
_SEEDS = {"smoke": 2, "quick": 2, "paper": 5}


def separable(label: str, solver: str, refits=REFITS, **params) -> list[Method]:
    """A separable method with each number of refits."""
    return [Method(label, solver, {"refits": n, **params}) for n in refits]


def _separable(refits=REFITS):
    return [
        *separable(ROBUST, "robust-xray", refits),
        *separable(L2, "xray-l2", refits),
        *separable(L2_PRINTED, "xray-l2", refits, refit_loss="manhattan"),
    ]


def _rpca(clip, factors=_FACTORS):
    n_pixels = dataset_info(clip.dataset)["n_features"]
    return [Method(RPCA, "rpca-ialm", {"lam": factor / n_pixels**0.5}) for factor in factors]


_RESTARTED = [
    Method(LOCAL, "robust-nmf-admm"),
    Method(RANDOM_STARTS, "robust-lowrank-admm", {"init": "random"}),
]
_ONE_START = [Method(SVD_START, "robust-lowrank-admm")]
_REFERENCE = Method(MEDIAN, "median")
METHODS = (
    *_separable(),
    *_RESTARTED,
    *_ONE_START,
    *(method for clip in (*CLIPS, *_GENERATED) for method in _rpca(clip)),
    _REFERENCE,
)


def trials(profile):
    """All parameters of all methods; fixed ones, and fewer frames, in the quick grid."""
    seeds = _SEEDS[profile]
    if profile == "paper":
        full = _grid(CLIPS, FRAMES["paper"], seeds, RANKS, REFITS, _FACTORS)
        return full + trials("quick")
    clips = _GENERATED if profile == "smoke" else CLIPS
    return _grid(clips, FRAMES["quick"], seeds, [2], [1], [1])


def _grid(clips, n_frames, seeds, ranks, refits, factors):
    """Separable methods with several seeds of p, searches with several starts; several lights."""
    base = Trial(task="separation", dataset="", solver="", options={"n_frames": n_frames})
    ranks, starts = options("n_components", ranks), fields("start", range(seeds))
    found = []
    for clip in clips:
        here, lights = on_clips([clip]), seeds if clip.light_switch else 1
        found += [
            *cross(base, seeds, here, ranks, methods(_separable(refits))),
            *cross(base, lights, here, ranks, starts, methods(_RESTARTED)),
            *cross(base, lights, here, ranks, methods(_ONE_START)),
            *cross(base, lights, here, methods([*_rpca(clip, factors), _REFERENCE])),
        ]
    return found


def best_of_each(records: pd.DataFrame) -> pd.DataFrame:
    """Methods with the parameters chosen by both protocols, see :func:`chosen`.

    The search for a low rank is that from both kinds of starts. Searches named as of each start
    take single random ones: each counts as a repeat, so that their mean is what one start gives.
    """
    records = longest(records.astype({"method": str}))
    low_rank = select_rows(records, method=[SVD_START, RANDOM_STARTS])
    higher = records[(records["method"] == LOCAL) & (records["n_components"] > 1)]
    sides = [records, low_rank.assign(method=LOW_RANK), higher.assign(method=HIGHER)]
    several = pd.concat(sides, ignore_index=True)
    alone = several[several["method"].isin(_ALONE)]
    alone = alone.assign(
        method=alone["method"].map(_ALONE), repeat=alone.groupby(["repeat", "start"]).ngroup()
    )
    return pd.concat([chosen(several, in_words), chosen(alone, in_words)], ignore_index=True)


def in_words(row) -> str:
    """Parameters of a fit, as Figure 7 chooses among them."""
    params = row["params"]
    if "lam" in params:
        factor = params["lam"] * dataset_info(row["dataset"])["n_features"] ** 0.5
        return f"λ = {factor:.3g}/√p"
    if row["method"] == MEDIAN:
        return "r = 1"
    refits = params.get("refits")
    words = "" if refits is None else f", {refits} refit{'s' if refits > 1 else ''}"
    return f"r = {row['n_components']:.0f}{words}"


def curves(frame):
    """Hit rates by false-alarm rate, with the area and the parameters, of methods and protocols.

    Means over seeds and lights. Intervals of the area are as in the claims, by leaving out
    batches of frames; bands of the curve are of a bootstrap over these, which are few: see
    :func:`~nmfbench.stats.intervals.small_sample_factor`.
    """
    parts = []
    for place, fits in frame.groupby(["clip", "method", "protocol"], observed=True):
        rates = np.mean(np.stack(list(fits["rates"])), axis=0)
        drawn = np.mean(np.stack(list(fits["drawn"])), axis=0)
        areas = np.mean(np.stack(list(fits["areas"])), axis=0)
        away = (drawn - rates) * (small_sample_factor(len(areas)) if len(areas) > 1 else 1.0)
        low, high = np.clip(rates + np.quantile(away, [0.025, 0.975], axis=0), 0, 1)
        pauc = fits["pauc"].mean()
        pauc_low, pauc_high = of_left_out(pauc, areas).interval(0.95)
        part = {
            **dict(zip(("clip", "method", "protocol"), place, strict=True)),
            "setting": fits["setting"].iloc[0],
            "fits": len(fits),
            "limit": fits["limit"].iloc[0],
            "pauc": pauc,
            "pauc_low": pauc_low,
            "pauc_high": pauc_high,
            "false_alarms": FALSE_ALARMS,
            "hits": rates,
            "low": low,
            "high": high,
        }
        parts.append(pd.DataFrame(part).round(4))
    return pd.concat(parts, ignore_index=True) if parts else frame
