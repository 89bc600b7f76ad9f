"""Moving objects in clips: ROC curves, choices of parameters, and what the scored frames can tell.

The frames in which a method is scored are the observations: they are drawn with replacement, the
same ones for all methods, and seeds and lights are averaged first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from nmfbench.artefacts.claim import ALPHA, NO_PAIR, Threshold, Verdict, settle, thresholded, within
from nmfbench.artefacts.comparisons import At, Side, name_of, rows_of
from nmfbench.artefacts.grids import Axis
from nmfbench.stats.detection import (
    partial_area,
    partial_areas,
    pooled_rates,
    resampled_rates,
)
from nmfbench.stats.intervals import p_of_place

__all__ = [
    "BACKGROUND_ERROR",
    "BEST",
    "FALSE_ALARMS",
    "FOREGROUND_LEFT",
    "HONEST",
    "MARGIN",
    "UNCERTAINTY",
    "Clip",
    "ahead",
    "alike",
    "as_good",
    "chosen",
    "longest",
    "on_clips",
    "pooled",
    "with_clip",
    "with_errors",
]

HONEST, BEST = "honest", "the paper's"
"""Protocols: parameters are chosen on every second scored frame for the others; or on all."""

FALSE_ALARMS = np.linspace(0, 0.2, 81)
"""False-alarm rates at which curves are known."""

BACKGROUND_ERROR, FOREGROUND_LEFT = "background-error", "foreground-left"
"""Columns of :func:`with_errors`."""

MARGIN = 0.02
"""Areas that differ by less are alike."""

UNCERTAINTY = (
    "Scored frames are drawn with replacement, a thousand times, the same ones for all methods; "
    "seeds are averaged first. The deviation of the draws is the standard error of a difference in "
    "partial area, with one degree of freedom less than frames. A method is better if the 95 % "
    f"interval is above 0, and alike if it lies within ±{MARGIN:g}, which is our margin; as good, "
    f"if it lies above -{MARGIN:g}."
)
"""How the claims decide, for ``assumed``."""


@dataclass(frozen=True)
class Clip:
    """A clip as a panel or a block of rows shows it.

    Parameters
    ----------
    label : str
    dataset : str
    light_switch : bool, default=False
        With the simulated one, see :func:`~nmfbench.tasks.separation.separation`.
    limit : {0.2, 0.15}, default=0.2
        False-alarm rate up to which areas count.
    """

    label: str
    dataset: str
    light_switch: bool = False
    limit: float = 0.2


def on_clips(clips: Sequence[Clip]) -> Axis:
    """An axis of clips."""
    return [
        {"dataset": clip.dataset, "options": {"light_switch": True} if clip.light_switch else {}}
        for clip in clips
    ]


def with_clip(records: pd.DataFrame, clips: Sequence[Clip]) -> pd.DataFrame:
    """Records of these clips with the columns ``clip``, their label, and ``limit``."""
    switched = records.get("light_switch", pd.Series(False, index=records.index)) == True  # noqa: E712
    keys = list(zip(records["dataset"], switched, strict=True))
    known = {(clip.dataset, clip.light_switch): clip for clip in clips}
    found = [known.get(key) for key in keys]
    names = pd.Categorical(
        [clip and clip.label for clip in found], [clip.label for clip in clips], ordered=True
    )
    limits = [np.nan if clip is None else clip.limit for clip in found]
    return records.assign(clip=names, limit=limits).dropna(subset="clip")


def longest(records: pd.DataFrame) -> pd.DataFrame:
    """Of :func:`with_clip`, the records of each clip with the most frames used."""
    most = records.groupby("clip", observed=True)["n_frames"].transform("max")
    return records[records["n_frames"] == most]


def with_errors(records: pd.DataFrame) -> pd.DataFrame:
    """Records with the errors of backgrounds, where there are masks.

    ``background-error`` is that where the background is seen, in grey levels;
    ``foreground-left`` that under the foreground, as a share of the temporal mean's.
    """
    errors = records.reindex(columns=["age", "age-fg", "age-fg-mean"])
    left = errors["age-fg"] / errors["age-fg-mean"]
    return records.assign(**{BACKGROUND_ERROR: errors["age"], FOREGROUND_LEFT: left})


def pooled(records: pd.DataFrame) -> pd.DataFrame:
    """Records that have a score, with their curves.

    Parameters
    ----------
    records : DataFrame
        Of :func:`with_clip`.

    Returns
    -------
    DataFrame
        The records and ``pauc``, the partial area up to ``limit`` over all scored frames;
        ``areas``, those of the draws of frames; ``rates``, hit rates at :data:`FALSE_ALARMS`, and
        ``drawn``, those of some of the draws; ``frames``, how many are scored.
    """
    scored = _scored(records)
    found = [_curve(row.arrays, row.limit) for row in scored.itertuples()]
    return _joined(scored, found)


def chosen(records: pd.DataFrame, tried: Callable[[pd.Series], str]) -> pd.DataFrame:
    """Methods with the parameters chosen for them, by both protocols.

    A choice is that of the largest partial area, in the mean over repeats. The honest one is made
    on every second scored frame for the others, and the reverse, and what it gives is the mean of
    the two. Of several starts the one with the lowest objective counts, before any choice.

    Parameters
    ----------
    records : DataFrame
        Of :func:`with_clip`.
    tried : callable
        A row -> its parameters in words, such as ``"r = 2"``: what the choice is among.

    Returns
    -------
    DataFrame
        A row a clip, method, ``protocol`` and repeat; the columns of :func:`pooled`, and
        ``setting``, the parameters chosen.
    """
    scored = _scored(records)
    scored = scored.assign(setting=[tried(row) for _, row in scored.iterrows()])
    fit = ["clip", "method", "setting", "repeat"]
    scored = scored.sort_values("objective", kind="stable").drop_duplicates(fit)
    parts = [
        _chosen(rows, protocol)
        for _, rows in scored.groupby(["clip", "method"], observed=True)
        for protocol in (HONEST, BEST)
    ]
    return pd.concat(parts, ignore_index=True) if parts else scored.assign(protocol=None)


def _scored(records):
    """Those with a score; of methods that left none there are no curves."""
    return records[records["pauc@0.2"].notna()] if "pauc@0.2" in records else records.head(0)


_EVERY = slice(None)
_HALVES = {"even": slice(1, None, 2), "odd": slice(0, None, 2)}  # the first frame is number one


def _chosen(rows, protocol):
    """Rows of the best setting; or of the best settings of each half, each seen on the other."""
    limit = rows["limit"].iloc[0]
    if protocol == BEST:
        parts = {f"pauc@{limit:g}": _EVERY}
    else:
        parts = {
            f"pauc-{half}@{limit:g}": _HALVES[other]
            for half, other in (("odd", "even"), ("even", "odd"))
        }
    if not all(name in rows and rows[name].notna().any() for name in parts):
        return rows.head(0)  # one mask, say, has no halves
    settings = [rows.groupby("setting")[name].mean().idxmax() for name in parts]
    kept, found = [], []
    for _, fits in rows.groupby("repeat"):
        if set(settings) <= set(fits["setting"]):
            kept.append(fits[fits["setting"] == settings[0]])
            arrays = dict(zip(fits["setting"], fits["arrays"], strict=True))
            pairs = zip(settings, parts.values(), strict=True)
            found.append(_mean([_curve(arrays[setting], limit, part) for setting, part in pairs]))
    kept = pd.concat(kept) if kept else rows.head(0)
    words = " / ".join(dict.fromkeys(settings))
    return _joined(kept, found).assign(protocol=protocol, setting=words)


def _mean(curves):
    """Mean of several curves, of different frames, and how many frames they have together."""
    means = {name: np.mean([one[name] for one in curves], axis=0) for name in curves[0]}
    return means | {"frames": sum(one["frames"] for one in curves)}


def _joined(rows, found):
    kinds = {"pauc": float, "areas": object, "rates": object, "drawn": object, "frames": int}
    return rows.assign(
        **{
            name: pd.Series([one[name] for one in found], index=rows.index, dtype=kind)
            for name, kind in kinds.items()
        }
    )


def _curve(arrays, limit, frames=_EVERY):
    """Area under the curve of some scored frames, hit rates on it, and both of draws of them."""
    alarms, hits = arrays["alarms"][frames], arrays["hits"][frames]
    rates = pooled_rates(alarms, hits)
    draws = resampled_rates(alarms, hits, np.random.default_rng(0))
    some = zip(*(rate[::_THINNED] for rate in draws), strict=True)
    return {
        "pauc": float(partial_area(*rates, limit)),
        "areas": partial_areas(*draws, limit),
        "rates": np.interp(FALSE_ALARMS, *rates),
        "drawn": np.array([np.interp(FALSE_ALARMS, *curve) for curve in some], np.float32),
        "frames": len(hits),
    }


_THINNED = 5  # one of so many draws leaves a whole curve, which is for bands


def ahead(side: Side, rival: Side, *, at: At = None):
    """``side`` has the larger partial area than ``rival``.

    Where there are protocols, the honest one decides, and the evidence has the other, too.
    """

    def test(frame):
        return _judged(frame, side, rival, (0.0, np.inf))

    return within(at, test)


def alike(side: Side, rival: Side, *, at: At = None):
    """Partial areas of the two differ by less than :data:`MARGIN`, see :func:`ahead`."""

    def test(margin, frame):
        return _judged(frame, side, rival, (-margin, margin))

    return within(at, thresholded(Threshold(MARGIN), test))


def as_good(side: Side, rival: Side, *, at: At = None):
    """The partial area of ``side`` is larger, or smaller by less than :data:`MARGIN`.

    See :func:`ahead`.
    """

    def test(margin, frame):
        return _judged(frame, side, rival, (-margin, np.inf))

    return within(at, thresholded(Threshold(MARGIN), test))


def _judged(frame, side, rival, bounds):
    if "protocol" not in frame:
        return _difference(frame, side, rival, bounds)
    found = {name: frame[frame["protocol"] == name] for name in (HONEST, BEST)}
    honest = _difference(found[HONEST], side, rival, bounds)
    best = _difference(found[BEST], side, rival, bounds)
    if honest.effect is None or best.effect is None:
        return honest
    text = f"; by the paper's protocol {best.effect:.3g}, which would be {best.verdict}"
    return replace(honest, evidence=honest.evidence + text)


def _difference(frame, side, rival, bounds):
    sides = [rows_of(frame, one) for one in (side, rival)]
    if not all(len(rows) for rows in sides) or "areas" not in frame:
        return Verdict("not run", NO_PAIR)
    ours, theirs = (np.mean(np.stack(list(rows["areas"])), axis=0) for rows in sides)
    effect = float(sides[0]["pauc"].mean() - sides[1]["pauc"].mean())
    error = float(np.std(ours - theirs, ddof=1))
    n, limit = int(sides[0]["frames"].iloc[0]), sides[0]["limit"].iloc[0]
    half = stats.t.ppf(1 - ALPHA / 2, n - 1) * error
    interval = (effect - half, effect + half)
    verdict, p = settle(*p_of_place(effect, error, n - 1, *bounds))
    text = (
        f"{name_of(side)} minus {name_of(rival)}: {effect:.3g} (95 % interval {interval[0]:.3g} to "
        f"{interval[1]:.3g}) in partial area at false-alarm rates up to {limit:g}, n = {n} frames"
    )
    return Verdict(verdict, text, effect, interval, p, n)
