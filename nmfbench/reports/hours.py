"""Page on the hours behind the verdicts: what was decided after how many of them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from nmfbench.artefacts.style import figure_style
from nmfbench.pages.environment import render_page

__all__ = ["write_hours"]


def write_hours(found: pd.DataFrame, artefacts: Collection[str], output: Path) -> list[Path]:
    """Write ``hours.html`` and its picture; their paths.

    Parameters
    ----------
    found : DataFrame
        As :func:`~nmfbench.verdicts.course.course` gives it.
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
    return [render_page("hours.html", output, rows=rows, total=total), picture]
