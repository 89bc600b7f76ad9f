"""Page on the regret of ``nmfbench recommend`` and on the ranks that it chooses.

``benchmarks/recommend.py`` and ``benchmarks/ranks.py`` measured them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nmfbench.pages.environment import render_page

__all__ = [
    "FILE",
    "GOAL_BUDGET",
    "GOAL_REFERENCE",
    "MOST_ITERATIONS",
    "RANKS_FILE",
    "rank_facts",
    "rows_of",
    "write_regret",
]

FILE = Path(__file__).with_name("regret.json")
"""Results of the benchmark."""

RANKS_FILE = FILE.with_name("ranks.json")
"""Results of ``benchmarks/ranks.py``."""

GOAL_BUDGET, GOAL_REFERENCE = 300.0, 120.0
"""Seconds of ``recommend``, and of each other solver, that the goals are for."""

MOST_ITERATIONS = 5_000
"""Of the other solvers."""

_HELD_BACK = 16  # problems


def rows_of(file: Path = FILE) -> list[dict[str, Any]]:
    """One row for each problem measured so far."""
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []


def write_regret(
    rows: list[dict[str, Any]], output: Path, ranks: Sequence[dict[str, Any]] = ()
) -> Path:
    """Write ``regret.html``; its path.

    Parameters
    ----------
    rows : list of dict
        Of the regret, at least one.
    ranks : sequence of dict
        One for each matrix of known rank; without any the page has no section on ranks.
    output : Path
        Folder of the report.
    """
    regrets = [row["error_regret"] for row in rows]
    ranked = [row for row in rows if row["rank_known"] is not None]
    worse = [row["problem"] for row in rows if row["ratio_to_defaults"] > 1.02]
    budgets, references = ({row[name] for row in rows} for name in ("budget", "reference"))
    facts = {
        "measured": len(rows),
        "problems": _HELD_BACK,
        "median": 100 * float(np.median(regrets)),
        "worst": 100 * max(regrets),
        "within": sum(regret <= 0.01 for regret in regrets),
        "worse": len(worse),
        "worse_names": worse,
        "worse_than_known": sum(row["ratio_to_known_rank"] > 1.02 for row in rows),
        "losses": sum(row["loss"] == row["loss_known"] for row in rows if row["loss_known"]),
        "losses_known": sum(bool(row["loss_known"]) for row in rows),
        "ranks": sum(row["rank"] == row["rank_known"] for row in ranked),
        "ranks_within": sum(
            row["rank_low"] <= row["rank_known"] <= row["rank_high"] for row in ranked
        ),
        "ranks_known": len(ranked),
        "budgets": sorted(budgets),
        "references": sorted(references),
        "shortened": min(budgets) < GOAL_BUDGET or min(references) < GOAL_REFERENCE,
        "most_iterations": MOST_ITERATIONS,
        "share": float(np.median([row["seconds"] / row["reference_seconds"] for row in rows])),
    }
    return render_page("regret.html", output, rows=rows, facts=facts, ranks=rank_facts(ranks))


def rank_facts(ranks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """How often rules choose the known rank, by noise; None without measurements.

    Returns
    -------
    dict or None
        ``count`` of all matrices, ``known`` ranks and ``shape``; ``within``, how often the range
        that ``recommend`` gives has the rank; ``rules``, for each the ``name``, how often it is
        ``exact``, ``near`` (off by one at most), the mean ``error``, and ``cells``, by noise the
        ranks chosen in the order of the known ones.
    """
    if not ranks:
        return None
    noises = list(dict.fromkeys(row["noise"] for row in ranks))
    rules = []
    for name in ranks[0]["chosen"]:
        errors = [
            abs(row["chosen"][name] - row["rank"])
            for row in ranks
            if row["chosen"][name] is not None
        ]
        cells = [
            [row["chosen"][name] for row in ranks if row["noise"] == noise] for noise in noises
        ]
        rules.append(
            {
                "name": name,
                "exact": sum(error == 0 for error in errors),
                "near": sum(error <= 1 for error in errors),
                "error": float(np.mean(errors)) if errors else None,
                "cells": cells,
            }
        )
    return {
        "count": len(ranks),
        "known": sorted({row["rank"] for row in ranks}),
        "shape": ranks[0]["shape"],
        "within": sum(row["low"] <= row["rank"] <= row["high"] for row in ranks),
        "noises": noises,
        "rules": rules,
    }
