"""The page of a comparison, with its tables as CSV and its figures as PDF and PNG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

import nmfbench
from nmfbench.checks import Finding
from nmfbench.comparison.criteria import ALPHA, FACTORS, Criterion, criterion_of
from nmfbench.comparison.evaluate import Findings, Speed
from nmfbench.comparison.figures import (
    draw_anytime,
    draw_critical_difference,
    draw_profile,
    draw_quality_time,
    draw_robustness,
)
from nmfbench.comparison.plan import Plan
from nmfbench.comparison.run import Todo
from nmfbench.core import registry
from nmfbench.pages.environment import environment
from nmfbench.pages.pictures import Picture, asset, save, write_tables
from nmfbench.records.provenance import public_host

__all__ = ["as_data", "draw_pictures", "write_page"]

PAGE = "index.html"


def write_page(
    plan: Plan,
    todo: Todo,
    findings: Findings,
    output,
    *,
    checked: Mapping[str, Sequence[Finding]],
    command: str,
) -> Path:
    """Write page, tables and figures into a folder.

    Parameters
    ----------
    plan : Plan
    todo : Todo
    findings : Findings
    output : path-like
        Made if it is missing; files of the same names are written over.
    checked : mapping of str to sequence of Finding
        Of each external class the common checks that failed or have a note.
    command : str
        What gives this page, for its provenance.

    Returns
    -------
    Path
        The page, which needs none of the other files.
    """
    output = Path(output)
    (output / "figures").mkdir(parents=True, exist_ok=True)
    write_tables(_tables(findings), output)
    highlight = [entrant.label for entrant in plan.new]
    compared = set(findings.outcomes["task"])
    titles = {task: criterion_of(task).title for task in plan.tasks if task in compared}
    shown = []
    for picture in _pictures(plan, findings, highlight):
        shown.append({"picture": picture} | save(picture, output / "figures"))
    page = (
        environment()
        .get_template("compare.html")
        .render(
            plan=plan,
            todo=todo,
            headlines=headlines(findings.summary),
            summary=findings.summary.to_dict("records"),
            titles=titles,
            rivals=_rivals(findings, titles),
            outcomes=_by_problem(findings),
            data=_data(plan),
            pictures=shown,
            left_out=findings.left_out.to_dict("records"),
            failures=findings.failures.to_dict("records"),
            checked=checked,
            provenance=_provenance(findings.records, todo),
            breakdowns=_breakdowns(findings, highlight),
            tables=sorted(_tables(findings)),
            command=command,
            alpha=ALPHA,
            factors=FACTORS,
            version=nmfbench.__version__,
            written=datetime.now(UTC).strftime("%Y-%m-%d"),
            number=_number,
            name=_name,
            asset=asset,
        )
    )
    (output / PAGE).write_text(page, encoding="utf-8")
    return output / PAGE


def _tables(findings):
    unseen = ["arrays", "new", "host", "versions", "group", "kind", "cpu_seconds", "error"]
    records = findings.records.drop(columns=unseen)
    tables = {
        "summary": findings.summary,
        "scores": findings.scores,
        "outcomes": findings.outcomes,
        "trials": records,
        "quality-time": findings.quality_time,
        "robustness": findings.robustness,
        "breakdown-levels": findings.breakdowns,
        "failures": findings.failures,
        "not-run": findings.left_out,
    }
    for title, table in findings.differences.items():
        tables[f"critical-difference-{_slug(title)}"] = table
    for loss, speed in findings.speed.items():
        tables[f"times-to-target-{loss}"] = speed.times
        tables[f"performance-profile-{loss}"] = speed.profile
        tables[f"data-profile-{loss}"] = speed.budgets
        tables[f"anytime-{loss}"] = speed.curves
    return {name: table for name, table in tables.items() if len(table)}


def _slug(text):
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


# -- pictures ---------------------------------------------------------------------------------


def _pictures(plan: Plan, findings: Findings, highlight) -> Iterator[Picture]:
    for title, table in findings.differences.items():
        yield Picture(
            f"critical-difference-{_slug(title)}",
            f"Mean ranks: {title.lower()}",
            "Demšar's diagram; its tasks are our problems, of which repeats are averaged. Problems "
            "on the same data are no independent evidence of how a method does on other data.",
            lambda table=table: draw_critical_difference(table, highlight),
        )
    for loss, speed in findings.speed.items():
        yield from _of_speed(loss, speed, plan, highlight)
    if len(findings.quality_time):
        for task, table in findings.quality_time.groupby("task", sort=False):
            yield _of_quality(criterion_of(task), table, highlight)
    for task, table in findings.robustness.groupby("task", sort=False):
        broken = findings.breakdowns[findings.breakdowns["task"] == task]
        yield _of_robustness(criterion_of(task), table, broken, highlight)


def _of_speed(loss, speed: Speed, plan: Plan, highlight) -> Iterator[Picture]:
    if len(speed.profile):
        external = any(":" in entrant.solver for entrant in plan.new)
        yield Picture(
            f"performance-profile-{loss}",
            f"Performance profiles ({loss})",
            "Dolan and Moré: share of the runs in which a method reached the target in at most "
            "this multiple of the seconds of the fastest. The best objective is that of any "
            "method on the same matrix. A target not reached by the last iteration counts as "
            f"not reached. Iterations: {_iterations(plan, loss)}; for others give max_iter."
            + (_COARSE if external else ""),
            lambda: draw_profile(speed.profile, highlight, by="panel"),
        )
        yield Picture(
            f"data-profile-{loss}",
            f"Data profiles ({loss})",
            "Share of the runs in which a method reached the target within a budget.",
            lambda: draw_profile(speed.budgets, highlight, by="panel"),
        )
    if len(speed.curves):
        yield Picture(
            f"anytime-{loss}",
            f"Anytime curves ({loss})",
            "The best objective so far above the best known of the same matrix: medians over "
            "repeats, bands between quartiles. A method that keeps no curve is a point, or "
            "begins where it ends.",
            lambda: draw_anytime(speed.curves, highlight, by="problem"),
        )


def _of_quality(criterion: Criterion, table, highlight) -> Picture:
    return Picture(
        f"quality-time-{criterion.task}",
        f"Quality against time: {criterion.title.lower()}",
        "Medians over repeats of fits timed one at a time, each to its own stop rule; the "
        "grey line joins the methods that none beats in both (Pareto front)."
        + ("" if criterion.higher_is_better else " An arrow: far above the axis."),
        lambda: draw_quality_time(
            table,
            highlight,
            by="panel",
            cut_above=not criterion.higher_is_better,
            ylabel=criterion.score,
        ),
    )


def _of_robustness(criterion: Criterion, table, broken, highlight) -> Picture:
    ends = (
        "half of its score there left."
        if criterion.higher_is_better
        else "twice its error there. Methods far above the rest leave the picture."
    )
    return Picture(
        f"robustness-{criterion.task}",
        f"Robustness: {criterion.title.lower()}",
        "Means over repeats with 95 % intervals; level 0 is the clean data. A triangle marks "
        f"where a method has {ends}",
        lambda: draw_robustness(
            table,
            highlight,
            by="panel",
            breakdown=broken,
            cut_above=not criterion.higher_is_better,
            xlabel="level of the corruption",
            ylabel=criterion.score,
        ),
    )


def draw_pictures(plan: Plan, findings: Findings) -> dict[str, Figure]:
    """Figures of the page by name."""
    highlight = [entrant.label for entrant in plan.new]
    return {picture.name: picture.draw() for picture in _pictures(plan, findings, highlight)}


_COARSE = (
    " Of an external class that keeps no trace_, and of a solver that wraps another package, "
    "only fits of 1/2, 1/4, ... of the iterations and the last are known: its time to a target may "
    "be up to twice too long."
)


def _iterations(plan, loss):
    """Number of iterations that each solver makes to be timed."""
    made = {
        cell.entrant.label: cell.trial.options.get("max_iter", "to its own stop rule")
        for cell in plan.cells
        if cell.problem.loss == loss
    }
    return ", ".join(f"{label} {rounds}" for label, rounds in made.items())


# -- tables of the page -----------------------------------------------------------------------


def headlines(summary: pd.DataFrame) -> list[str]:
    """Of each new solver how many comparisons it won, tied and lost, and on how many tasks.

    Examples
    --------
    >>> names = ("solver", "wins", "ties", "losses")
    >>> rows = [("A", 2, 1, 0), ("A", 1, 0, 3), ("A", 0, 4, 0)]
    >>> (text,) = headlines(pd.DataFrame(rows, columns=names))
    >>> text.partition(". ")[0]
    'Of 11 comparisons with rivals A won 3, tied 5 and lost 3'
    >>> text.partition(". ")[2]
    'On 1 of 3 tasks it is ahead of rivals alone, on 0 behind alone, on 1 both.'
    """
    found = []
    for solver, own in summary.groupby("solver", sort=False) if len(summary) else ():
        won, tied, lost = (int(own[name].sum()) for name in ("wins", "ties", "losses"))
        ahead, behind = own["wins"] > 0, own["losses"] > 0
        alone, back, both = (
            (ahead & ~behind).sum(),
            (behind & ~ahead).sum(),
            (ahead & behind).sum(),
        )
        found.append(
            f"Of {won + tied + lost} comparisons with rivals {solver} won {won}, tied {tied} and "
            f"lost {lost}. On {alone} of {len(own)} tasks it is ahead of rivals alone, on {back} "
            f"behind alone, on {both} both."
        )
    return found


def _name(label):
    """Title of a registered solver."""
    return registry.solvers[label].info["name"] if label in registry.solvers else label


def _rivals(findings, titles):
    """Each new solver against each rival: for each task the outcomes, with how many problems."""
    rows = []
    for (solver, rival), own in findings.outcomes.groupby(["solver", "rival"], sort=False):
        cells = []
        for task in titles:
            counts = own[own["task"] == task]["outcome"].value_counts()
            cells.append([(word, text, counts[word]) for word, text in _OUTCOMES if word in counts])
        rows.append({"solver": solver, "rival": rival, "cells": cells})
    return rows


_OUTCOMES = (
    ("win", "won"),
    ("tie", "tied"),
    ("loss", "lost"),
    ("too few", "undecided: too few repeats"),
    ("not run", "not run"),
)


def _tip(row):
    """What an outcome rests on; empty without a test."""
    if not math.isfinite(row.difference) or not math.isfinite(row.p_adjusted):
        return ""
    return f"difference {row.difference:.3g}, p = {row.p_adjusted:.2g}, {row.n} repeats"


def _by_problem(findings):
    """Scores by problem and method, with the outcome against each rival: a block a task.

    Of many methods each has a row, in the order of mean ranks, else each problem.
    """
    blocks = []
    marks = {
        (row.task, row.problem, row.solver, row.rival): (row.outcome, _tip(row))
        for row in findings.outcomes.itertuples()
    }
    new = list(dict.fromkeys(findings.outcomes["solver"]))
    for task, own in findings.scores.groupby("task", sort=False):
        problems = list(dict.fromkeys(own["problem"]))
        methods = list(dict.fromkeys(own["method"]))
        cells = {(row.problem, row.method): row for row in own.itertuples()}

        def cell(problem, method, task=task, cells=cells):
            found = (marks.get((task, problem, solver, method)) for solver in new)
            return {
                "text": _score(cells.get((problem, method))),
                "new": method in new,
                "marks": [mark for mark in found if mark is not None],
            }

        turned = len(methods) > _WIDE
        if turned:
            centers = own.pivot(index="problem", columns="method", values="center")
            ranks = centers.rank(axis=1, ascending=not criterion_of(task).higher_is_better).mean()
            methods.sort(key=ranks.get)
            columns = [{"text": problem, "new": False} for problem in problems]
            rows = [(name, [cell(problem, name) for problem in problems]) for name in methods]
        else:
            columns = [{"text": method, "new": method in new} for method in methods]
            rows = [
                (problem, [cell(problem, method) for method in methods]) for problem in problems
            ]
        blocks.append(
            {
                "criterion": criterion_of(task),
                "corner": "Method" if turned else "Problem",
                "columns": columns,
                "rows": [{"head": head, "new": head in new, "cells": row} for head, row in rows],
            }
        )
    return blocks


_WIDE = 8  # methods, of which more do not fit side by side


def _score(cell):
    """The mean or median, and in how many repeats there was none, unless the text includes it."""
    if cell is None:
        return ""
    if math.isnan(cell.center):
        return "not run"
    if math.isinf(cell.center):
        return f"{cell.failed} failed" if cell.failed else f"not reached ({_reached(cell)})"
    return _number(cell.center) + (f" ({_reached(cell)})" if cell.finite < cell.count else "")


def _reached(cell):
    return f"{cell.finite} of {cell.count}"


def _number(value):
    """Three significant digits, without an exponent where there is room.

    Examples
    --------
    >>> _number(0.98765), _number(12.3456), _number(0.00001234)
    ('0.988', '12.3', '1.23e-05')
    """
    return f"{value:.3g}"


def _data(plan):
    """The data sets of a plan: what they are, whose, and the problems they are used in."""
    rows: dict[tuple[str, bool], dict[str, Any]] = {}
    for cell in plan.cells:
        problem = cell.problem
        if problem.ranked:
            row = rows.setdefault((problem.dataset, problem.stand_in), _data_set(problem))
            row["problems"].setdefault(criterion_of(problem.task).title, {})[problem.label] = None
    return list(rows.values())


def _data_set(problem):
    info = registry.datasets[problem.dataset].info
    if problem.stand_in:
        what = "generated, in place of the real data"
    elif not info.get("generated"):
        what = "real"
    else:
        what = "generated" if info.get("file") is None else "generated from real data"
    source = "a stand-in of the suite" if problem.stand_in else info.get("source")
    title = info.get("title", problem.dataset)
    return {"title": title, "what": what, "source": source, "problems": {}}


def _breakdowns(findings, highlight):
    """Levels at which the new solvers break down, by panel, with the best of the others."""
    rows = []
    for panel, own in findings.breakdowns.groupby("panel", sort=False):
        levels = own.set_index("method")["level"]
        others = levels[~levels.index.isin(highlight)].dropna()
        latest = others.index[others == others.max()]
        names = ", ".join(latest) if len(latest) <= 3 else f"{len(latest)} of {len(others)}"
        rows.append(
            {
                "panel": panel,
                "new": [(name, _level(levels[name])) for name in highlight if name in levels],
                "best": (names, _level(others.max())) if len(others) else None,
            }
        )
    return rows


def _level(level):
    return (
        "none of the levels"
        if math.isinf(level)
        else "unknown"
        if math.isnan(level)
        else _number(level)
    )


def _provenance(records, todo):
    missing = records["status"] == "missing"
    done = records[records["status"] != "missing"]
    finished = [text for text in done["finished"] if isinstance(text, str)]
    return {
        "done": int((records["status"] == "done").sum()),
        "failed": int((records["status"] == "failed").sum()),
        "missing": int(missing.sum()),
        "own": todo.own - int((missing & records["new"]).sum()),
        "code": sorted({code for code in done["code"] if isinstance(code, str)}),
        "hosts": _distinct(done["host"]),
        "versions": _distinct(done["versions"]),
        "from": min(finished, default=""),
        "to": max(finished, default=""),
    }


def _distinct(dicts):
    found = {tuple(public_host(d).items()) for d in dicts if isinstance(d, dict)}
    return [dict(items) for items in sorted(found)]


def as_data(findings: Findings) -> dict:
    """The summary, failures and what was not run, as JSON can hold them."""

    def rows(table):
        plain = table.astype(object).where(pd.notna(table), None)
        return [
            {k: v.item() if hasattr(v, "item") else v for k, v in row.items()}
            for row in plain.to_dict("records")
        ]

    def finite(row):
        return {
            k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()
        }

    return {
        "summary": [finite(row) for row in rows(findings.summary)],
        "outcomes": [finite(row) for row in rows(findings.outcomes)],
        "failures": rows(findings.failures),
        "not_run": rows(findings.left_out),
    }
