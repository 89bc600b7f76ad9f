"""The page of leaderboards: groups of solvers, and quality against time.

Boards on real data come first, then those on small problems, which all solvers have done.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt

from nmfbench.artefacts.style import save_picture
from nmfbench.comparison.criteria import Criterion
from nmfbench.comparison.figures import draw_quality_time
from nmfbench.comparison.leaderboards import STANDINGS, Leaderboard
from nmfbench.core import registry
from nmfbench.pages.environment import render_page
from nmfbench.reports.numbers import interval, number
from nmfbench.reports.outcomes import is_baseline

__all__ = ["score_of", "solver_name", "standing_of", "write_leaderboards"]

_LETTERS = 40  # of a label beside an axis
_NAMES = 14  # beside the points of a picture, at most


def solver_name(key: str) -> str:
    """Name of a registered solver; of another one its label."""
    return registry.solvers[key].info["name"] if key in registry.solvers else key


def standing_of(board: Leaderboard) -> str:
    """Who is ahead on a leaderboard, in a sentence or two; no winner where halves disagree."""
    first, n, rank = solver_name(board.first), len(board.table), board.table["mean_rank"].iloc[0]
    behind = int((board.table["standing"] == "behind").sum())
    if board.open:
        text = f"No winner: {board.repeats} repeats are too few to tell {n} solvers apart."
    elif not board.stable:
        one, other = map(solver_name, board.first_of_halves)
        halves = f"{one} is first in one half of {board.repeats} repeats, {other} in the other"
        text = f"No winner: {halves}{f'; {behind} of {n} are behind {first}' if behind else ''}."
    elif not behind:
        text = (
            f"No winner: none of {n} solvers is clearly behind the first on {board.repeats} "
            "repeats."
        )
    else:
        others = (
            f"{behind}, indistinguishable from {len(board.level)}" if board.level else "all others"
        )
        text = (
            f"{first} has the best mean rank, {rank:.1f} of {n}, in both halves of "
            f"{board.repeats} repeats: ahead of {others}."
        )
    trivial = [solver_name(key) for key in board.level if is_baseline(key)]
    if is_baseline(board.first):
        text += f" Nothing is ahead of {first}, a trivial baseline."
    elif trivial:
        text += f" {first} is indistinguishable from {trivial[0]}, a trivial baseline."
    return text


def score_of(board: Leaderboard, key: str, problem: str) -> str:
    """Score of a solver on a problem, with its interval."""
    rows = board.scores.query("problem == @problem and method == @key")
    row = rows.iloc[0]
    if not math.isfinite(row["center"]):
        return "not reached"
    return f"{number(row['center'])} {interval(row['low'], row['high'])}"


def write_leaderboards(
    boards: Sequence[Leaderboard],
    lacking: Sequence[Criterion],
    origins: Mapping[str, str],
    output: Path,
) -> list[Path]:
    """Write ``leaderboards.html`` and a picture for each board; their paths, the page first.

    Parameters
    ----------
    boards, lacking
        Of :func:`~nmfbench.comparison.leaderboards.leaderboards`.
    origins : mapping of str to str
        By their labels, where the records of external classes come from.
    output : Path
    """
    pictures = {board.key: _draw(board, output) for board in boards if not board.criterion.race}
    page = render_page(
        "leaderboards.html",
        output,
        groups={
            "On real data": [board for board in boards if board.kind is not None],
            "On small problems": [board for board in boards if board.kind is None],
        },
        lacking=lacking,
        origins=origins,
        pictures=pictures,
        standings=STANDINGS,
        standing_of=standing_of,
        score_of=score_of,
        name=solver_name,
        is_baseline=is_baseline,
    )
    return [page, *(output / picture for picture in pictures.values())]


def _draw(board, output):
    """Quality against time, as a picture in the folder of the report; its path there."""
    costs = board.costs()
    if not len(costs):
        return None
    marked = {key: f"{solver_name(key)} (trivial)" for key in costs["method"] if is_baseline(key)}
    labels = {key: marked.get(key, solver_name(key)) for key in costs["method"]}
    telling = [*costs.loc[costs["front"], "method"], *marked, *board.table["method"]]
    shown = costs.assign(method=costs["method"].map(labels))
    figure = draw_quality_time(
        shown,
        named={labels[key] for key in list(dict.fromkeys(telling))[:_NAMES] if key in labels},
        cut_above=not board.criterion.higher_is_better,
        xlabel="CPU seconds of a fit",
        ylabel=textwrap.fill(board.criterion.score, _LETTERS),
    )
    name = f"figures/board-{board.key}.webp"
    (output / "figures").mkdir(exist_ok=True)
    save_picture(figure, output / name)
    plt.close(figure)
    return name
