"""Page on records that audits computed again."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from nmfbench.pages.environment import render_page
from nmfbench.records.agreement import OUTCOMES

__all__ = ["write_audits"]


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
