"""Page on the tests of the papers that are not decided, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from nmfbench.core import registry
from nmfbench.core.text import counted
from nmfbench.pages.environment import render_page
from nmfbench.verdicts.evaluate import ClaimRow

__all__ = ["REASONS", "write_open"]

REASONS = {
    "settings": ("hangs on settings", "hang on settings"),
    "precision": ("lacks precision", "lack precision"),
    "repeats": ("lacks repeats", "lack repeats"),
    "not run": ("not run", "not run"),
}
"""Why a test is open -> what is said of one such test, and of several."""


def write_open(rows: Sequence[ClaimRow], output: Path) -> Path:
    """Write ``open.html``; its path.

    Parameters
    ----------
    rows : sequence of ClaimRow
        All claims of the report.
    output : Path
        Folder of the report.
    """
    papers = pd.DataFrame(rows, columns=list(ClaimRow.__annotations__))
    papers = papers[papers["origin"] == "paper"]
    still = papers[papers["open"].notna()]
    counts = still.groupby("artefact")["open"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=list(REASONS), fill_value=0)
    return render_page(
        "open.html",
        output,
        n_tests=len(papers),
        n_open=len(still),
        totals=counts.sum().to_dict(),
        artefacts=[_artefact(still, name, found) for name, found in counts.iterrows()],
        settings=_settings(still[still["open"] == "settings"]),
    )


def _artefact(still: pd.DataFrame, name: Any, counts: pd.Series) -> dict[str, Any]:
    row = still[still["artefact"] == name].iloc[0]
    plan = registry.artefacts[name].target.planned
    if row["look"] == "final":
        progress = f"All {counted(row['planned'], 'planned repeat')}."
    elif row["profile"] == "paper":
        progress = f"{row['whole_repeats']} of {counted(row['planned'], 'repeat')}."
    else:
        repeats = counted(row["whole_repeats"], "repeat") if row["whole_repeats"] else "No repeat"
        progress = f"{repeats} of the {row['profile']} grid."
    if plan is not None and row["look"] != "final":
        progress += f" {plan.why}"
    why = ", ".join(f"{n} {REASONS[reason][int(n > 1)]}" for reason, n in counts.items() if n)
    return {"id": name, "why": why, "progress": progress}


def _settings(hanging: pd.DataFrame) -> list[tuple[str, int, list[str]]]:
    """Settings, how many tests hang on them, and in which artefacts; the most frequent first."""
    found = [
        (str(setting), len(rows), sorted(set(rows["artefact"])))
        for setting, rows in hanging.groupby("hangs_on")
    ]
    return sorted(found, key=lambda row: -row[1])
