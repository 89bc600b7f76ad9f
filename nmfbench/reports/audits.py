"""What readers are told of records that audits computed again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from nmfbench.artefacts.artefact import Artefact
from nmfbench.pages.environment import render_page
from nmfbench.records.agreement import OUTCOMES

__all__ = ["audited_of", "write_audits"]


def audited_of(artefacts: Iterable[Artefact], found: pd.DataFrame | None) -> pd.Series | None:
    """Numbers of ``records`` of the artefacts' tasks that audits computed again, and ``different``.

    Parameters
    ----------
    artefacts : iterable of Artefact
    found : DataFrame or None
        As :func:`~nmfbench.records.tally.tally` gives it; without it there is no answer.
    """
    if found is None:
        return None
    tasks = {task for artefact in artefacts for task in artefact.names("task")}
    return found.loc[found["task"].isin(tasks), ["records", "different"]].sum()


def write_audits(found: pd.DataFrame, output: Path) -> Path:
    """Write ``audits.html``; its path.

    Parameters
    ----------
    found : DataFrame
        As :func:`~nmfbench.records.tally.tally` gives it.
    output : Path
        Folder of the report.
    """
    sums = found[["records", *OUTCOMES]].sum()
    return render_page(
        "audits.html", output, rows=found.to_dict("records"), sums=sums, outcomes=OUTCOMES
    )
