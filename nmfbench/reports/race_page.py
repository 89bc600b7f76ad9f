"""Page of the race on hard problems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nmfbench.comparison.leaderboards import LOSSES
from nmfbench.pages.environment import render_page
from nmfbench.reports.boards import solver_name
from nmfbench.reports.growth import tables as growth_tables
from nmfbench.reports.profiles import FACTORS, write_profiles
from nmfbench.reports.race import (
    LEVELS,
    REFERENCE,
    TARGETS,
    Ratio,
    by_solver,
    judge,
    mean_ratio,
    median_to,
    ratio,
    seconds_to,
    soonest,
    titled,
    words_of,
)

__all__ = ["write_race"]


def write_race(
    rows: Sequence[dict[str, Any]], growth: Sequence[dict[str, Any]], output: Path
) -> list[Path]:
    """Write ``race.html`` and a picture; their paths, the page first.

    Parameters
    ----------
    rows : list of dict
        Of the race, at least one.
    growth : list of dict
        Of :mod:`nmfbench.reports.growth`.
    output : Path
        Folder of the report.
    """
    problems: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        problems.setdefault((row["loss"], row["problem"]), []).append(row)
    tables = []
    for (loss, problem), found in problems.items():
        reference = next(row for row in found if row["solver"] == REFERENCE[loss])
        tables.append(
            {
                "title": f"{problem}, {LOSSES[loss]}",
                "shape": found[0]["shape"],
                "starts": len(found[0]["ends"]),
                "rows": [
                    {
                        **titled(row),
                        "cells": [_cell(row, reference, target) for target in TARGETS],
                        "ends": [100 * (x - 1) for x in np.quantile(row["ends"], [0.5, 0, 1])],
                    }
                    for row in found
                ],
            }
        )
    limits = sorted({row["limit"] for row in rows})
    dates = sorted({row["date"] for row in rows})
    drawn = write_profiles(rows, output)
    page = render_page(
        "race.html",
        output,
        over=list(_over_problems(rows)),
        tables=tables,
        goals=[(str(goal), measured, met) for goal, measured, met in judge(rows)],
        targets=TARGETS,
        limits=limits,
        dates=dates,
        processors=sorted({row["processor"] for row in rows}),
        load=max(row["load"] for row in rows),
        levels=LEVELS,
        factors=FACTORS,
        found=soonest(rows),
        profiles=drawn,
        growth=growth_tables(growth),
    )
    return [page, output / drawn["picture"]]


def _over_problems(rows):
    """For each loss a table of means over problems, the fastest to the first target first."""
    for loss in dict.fromkeys(row["loss"] for row in rows):
        runs, references = by_solver(rows, loss)
        shown = []
        for own in runs.values():
            means = [mean_ratio(own, references, target) for target in TARGETS]
            cells = [
                _texts(mean)
                | {"reached": sum(np.isfinite(median_to(row, target)) for row in own)}
                | {"of": len(own)}
                for mean, target in zip(means, TARGETS, strict=True)
            ]
            first = np.inf if means[0] is None else means[0].value
            shown.append((first, {**titled(own[0]), "cells": cells}))
        yield {
            "loss": loss,
            "title": LOSSES[loss],
            "reference": solver_name(REFERENCE[loss]),
            "rows": [row for _, row in sorted(shown, key=lambda pair: pair[0])],
        }


def _cell(row, reference, target):
    seconds = seconds_to(row, target)
    found = None if row is reference else ratio(row, reference, target)
    return {
        "median": float(np.median(seconds)),
        "reached": int(np.isfinite(seconds).sum()),
    } | _texts(found)


def _texts(found: Ratio | None) -> dict[str, str]:
    if found is None:
        return {"ratio": "", "range": ""}
    return {"ratio": str(found), "range": f"{words_of(found.low)} to {words_of(found.high)}"}
