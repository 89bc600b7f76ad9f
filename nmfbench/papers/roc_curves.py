"""ROC curves of moving objects in clips, with and without batches of frames, and choices by them.

The frames in which a method is scored are a series. Batches of consecutive ones are the
observations, the same for all methods.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from nmfbench.metrics.detection import partial_area, pooled_rates, resampled_rates

HONEST, BEST = "honest", "the paper's"
"""Protocols: parameters are chosen on every second scored frame for the others; or on all."""

FALSE_ALARMS = np.linspace(0, 0.2, 81)
"""False-alarm rates at which curves are known."""


def pooled(records: pd.DataFrame) -> pd.DataFrame:
    """Records that have a score, with their curves.

    Parameters
    ----------
    records : DataFrame
        Of trials :func:`~nmfbench.papers.clips.on_clips`.

    Returns
    -------
    DataFrame
        The records and ``pauc``, the partial area up to ``limit`` over all scored frames;
        ``areas``, those without each batch of frames in turn; ``rates``, hit rates at
        :data:`FALSE_ALARMS`, and ``drawn``, of draws of batches; ``frames``, how many are
        scored.
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
        Of trials :func:`~nmfbench.papers.clips.on_clips`.
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
    """Area under the curve of some scored frames, hit rates on it, and both without batches."""
    alarms, hits = arrays["alarms"][frames], arrays["hits"][frames]
    rates = pooled_rates(alarms, hits)
    parts = batches(len(hits))
    sums = [_sums(counts, parts) for counts in (alarms, hits)]
    draws = resampled_rates(sums[0], sums[1], np.random.default_rng(0), _DRAWS)
    some = zip(*draws, strict=True)
    return {
        "pauc": float(partial_area(rates[0], rates[1], limit)),
        "areas": np.array([_without(alarms, hits, part, limit) for part in parts]),
        "rates": np.interp(FALSE_ALARMS, *rates),
        "drawn": np.array([np.interp(FALSE_ALARMS, *curve) for curve in some], np.float32),
        "frames": len(hits),
    }


_DRAWS = 200  # of batches, for bands


def batches(n: int) -> list[np.ndarray]:
    """Places of ``n`` consecutive frames in five to eight batches, each of ten frames if it can.

    Means of batches are nearly independent although neighbouring frames are not.

    Examples
    --------
    >>> [len(part) for part in batches(12)], len(batches(500))
    ([3, 3, 2, 2, 2], 8)
    """
    return np.array_split(np.arange(n), min(max(n // 10, 5), 8, n))


def _sums(counts, parts):
    return np.stack([counts[part].sum(axis=0) for part in parts])


def _without(alarms, hits, part, limit):
    """The partial area of all frames but a batch; of a single batch NaN."""
    left = np.delete(np.arange(len(hits)), part)
    if not len(left) or not hits[left, -1].any() or not alarms[left, -1].any():
        return np.nan
    fpr, tpr = pooled_rates(alarms[left], hits[left])
    return float(partial_area(fpr, tpr, limit))
