"""Performance profiles of the race: how often a solver is among the first, over many levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.style import save_picture
from nmfbench.comparison.figures import draw_profile
from nmfbench.comparison.leaderboards import LOSSES
from nmfbench.reports.race import LEVELS, seconds_to, titled
from nmfbench.stats.profiles import performance_profile

__all__ = ["FACTORS", "costs_by_kind", "shares", "write_profiles"]

FACTORS = (1.0, 2.0)
"""Multiples of the fastest solver's time within which the table counts."""

_DRAWS = 2000  # of starts, for intervals


def costs_by_kind(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, pd.DataFrame]]:
    """For each loss and kind of data CPU seconds by problem, start and level, a solver a column.

    Solvers that did not run on all problems of a kind are left out.

    Parameters
    ----------
    rows : list of dict
        As :func:`nmfbench.reports.race.rows_of` gives them.
    """
    for loss, text in dict.fromkeys((row["loss"], row["text"]) for row in rows):
        found = pd.DataFrame(
            [
                (row["problem"], start, level, titled(row)["name"], seconds)
                for row in rows
                if (row["loss"], row["text"]) == (loss, text)
                for level in LEVELS
                for start, seconds in enumerate(seconds_to(row, level))
            ],
            columns=["problem", "start", "level", "method", "seconds"],
        )
        costs = found.pivot(
            index=["problem", "start", "level"], columns="method", values="seconds"
        ).dropna(axis="columns")
        yield f"{LOSSES[loss]}, {'text' if text else 'dense data'}", costs


def shares(costs: pd.DataFrame) -> list[dict[str, Any]]:
    """How often each solver takes at most a multiple of the time of the fastest.

    Parameters
    ----------
    costs : DataFrame
        Of :func:`costs_by_kind`.

    Returns
    -------
    list of dict
        By solver, the one that is within the last of :data:`FACTORS` most often first: ``name``,
        and ``shares``, for each factor the share of cases, a mean of problems, and its 95 %
        interval by draws of each problem's starts with replacement.
    """
    rng = np.random.default_rng(0)
    ratios = costs.div(costs.min(axis=1), axis=0)
    by_factor = []
    for factor in FACTORS:
        of_starts = (ratios <= factor).groupby(["problem", "start"]).mean()
        problems = [group.to_numpy() for _, group in of_starts.groupby("problem")]
        drawn = [
            starts[rng.integers(len(starts), size=(_DRAWS, len(starts)))].mean(axis=1)
            for starts in problems
        ]
        middle = np.mean([starts.mean(axis=0) for starts in problems], axis=0)
        by_factor.append([middle, *np.quantile(np.mean(drawn, axis=0), [0.025, 0.975], axis=0)])
    found = np.array(by_factor)  # (factors, share and interval, solvers)
    order = sorted(range(costs.shape[1]), key=lambda i: -found[-1, 0, i])
    return [{"name": costs.columns[i], "shares": found[:, :, i].tolist()} for i in order]


def write_profiles(rows: Sequence[dict[str, Any]], output: Path) -> dict[str, Any]:
    """Draw the profiles of all kinds; the picture's path in the report, and a table of each kind.

    Parameters
    ----------
    rows : list of dict
        Of the race.
    output : Path
        Folder of the report.
    """
    panels, tables = [], []
    for title, costs in costs_by_kind(rows):
        panels.append(performance_profile(costs, largest=_LARGEST).assign(panel=title))
        problems, starts = (costs.index.unique(name).size for name in ("problem", "start"))
        tables.append(
            {"title": title, "rows": shares(costs), "problems": problems, "starts": starts}
        )
    figure = draw_profile(
        pd.concat(panels, ignore_index=True),
        _leaders(tables),
        by="panel",
        xlabel="CPU seconds, as a multiple of the fastest solver's",
    )
    (output / "figures").mkdir(exist_ok=True)
    save_picture(figure, output / "figures" / "race.webp")
    plt.close(figure)
    return {"picture": "figures/race.webp", "tables": tables}


_LARGEST = 30.0  # multiple of the fastest solver's time at which curves end


def _leaders(tables):
    """The first of each kind, which stand out in colour."""
    return list(dict.fromkeys(table["rows"][0]["name"] for table in tables))
