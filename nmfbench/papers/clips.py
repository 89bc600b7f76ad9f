"""Clips as panels and blocks of rows: the axis of their trials, and which records count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from nmfbench.artefacts.grids import Axis


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
    """An axis of clips, with the labels ``clip`` and ``limit``."""
    return [
        {
            "dataset": clip.dataset,
            "options": {"light_switch": True} if clip.light_switch else {},
            "labels": {"clip": clip.label, "limit": clip.limit},
        }
        for clip in clips
    ]


def longest(records: pd.DataFrame) -> pd.DataFrame:
    """Of trials :func:`on_clips`, the records of each clip with the most frames used."""
    most = records.groupby("clip", observed=True)["n_frames"].transform("max")
    return records[records["n_frames"] == most]
