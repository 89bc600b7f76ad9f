"""Page on the hours behind the verdicts: what was decided after how many of them, and on how many
cores they take how long."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from nmfbench.artefacts.style import figure_style
from nmfbench.pages.environment import render_page

__all__ = ["write_hours"]


def write_hours(
    found: pd.DataFrame, cores: pd.DataFrame | None, artefacts: Collection[str], output: Path
) -> list[Path]:
    """Write ``hours.html`` and its picture; their paths.

    Parameters
    ----------
    found : DataFrame
        As :func:`~nmfbench.verdicts.course.course` gives it.
    cores : DataFrame or None
        As :func:`~nmfbench.verdicts.cores.on_cores` gives it.
    artefacts : collection of str
        Ids of the artefacts in the report; others are not linked.
    output : Path
        Folder of the report.
    """
    picture = output / "hours.png"
    with figure_style():
        figure, axis = plt.subplots(figsize=(7, 3.6))
        axis.step([0.0, *found["hours"]], [0, *found["all_decided"]], where="post", color="0.2")
        axis.set(
            xlabel="CPU hours of all records until then", ylabel="decided tests", ylim=(0, None)
        )
        figure.savefig(picture)
        plt.close(figure)
    last = found.groupby("artefact", sort=True).last().reset_index()
    rows = last.assign(linked=last["artefact"].isin(list(artefacts))).to_dict("records")
    total = found.iloc[-1] if len(found) else None
    on_cores = [] if cores is None else _with_shares(cores).to_dict("records")
    return [render_page("hours.html", output, rows=rows, total=total, on_cores=on_cores), picture]


def _with_shares(cores: pd.DataFrame) -> pd.DataFrame:
    """With the share of its time that a core computes."""
    alone = cores["hours"].iloc[0] * cores["cores"].iloc[0]
    return cores.assign(busy=alone / (cores["hours"] * cores["cores"]))
