"""The trials behind an artefact, as a page of the report: one row per cell of its grid.

Trials that differ in their repeat only are one cell. What all trials share stands above the table,
so that its columns are what varies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.core import registry
from nmfbench.pages.environment import environment
from nmfbench.records.record import COLUMNS
from nmfbench.reports.numbers import number
from nmfbench.trials.trial import canonical
from nmfbench.verdicts.evaluate import Evaluation

__all__ = ["cells_of", "write_trials"]

_KEY = 10  # digits of a key, by which ``nmfbench replay`` finds it
_KEYS = 3  # that stand in a row, to replay or to look up; an export has all
_MOST = 40  # choices of a field that filters
_SETTINGS = {"dataset_params": "data made with", "params": "parameters", "options": "options"}


def write_trials(evaluation: Evaluation, output) -> str | None:
    """Write the page of an artefact's trials; its path in the report, None without a record."""
    if evaluation.records is None or evaluation.records.empty:
        return None
    artefact = evaluation.artefact
    name = f"trials/{artefact.paper}-{artefact.name}.html"
    shared, table, fields = cells_of(evaluation.records, _named(evaluation))
    page = (
        environment()
        .get_template("trials.html")
        .render(e=evaluation, shared=shared, table=table, fields=fields)
    )
    path = Path(output) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return name


def _named(evaluation) -> list[str]:
    """Metrics that the table or a verdict of an artefact names, and the scores of its tasks."""
    records, table = evaluation.records, evaluation.table
    scores = {registry.tasks[task].info["score"] for task in set(records["task"])}
    texts = [verdict.evidence for _, verdict in evaluation.verdicts]
    if table is not None:
        texts += map(str, table.columns)
        texts += {cell for name in table for cell in set(map(str, table[name]))}
    words = set(re.findall(r"[\w@.-]*\w", " ".join(texts)))
    return [name for name in _metrics(records) if name in words | scores | {"n_iter", "seconds"}]


def cells_of(
    records: pd.DataFrame, metrics: Sequence[str]
) -> tuple[dict[str, str], pd.DataFrame, list[str]]:
    """Summarise trials by the cells of their grid.

    Parameters
    ----------
    records : DataFrame
        Labelled records of an artefact.
    metrics : sequence of str
        Columns to summarise.

    Returns
    -------
    shared : dict of str to str
        What is the same in all trials.
    table : DataFrame of str
        A row a cell: what tells it from others; finished trials; means of their metrics with
        standard deviations; how the first of their keys begin.
    fields : list of str
        Columns to filter by.
    """
    facts = _facts(records)
    shared = {name: text[0] for name, text in facts.items() if text.nunique() == 1}
    facts = facts.drop(columns=list(shared))
    measured = _metrics(records)[metrics]
    done = records["status"] == "done"
    once = [name for name in measured if measured.loc[done, name].nunique(dropna=False) == 1]
    shared |= {name: number(measured.loc[done, name].iloc[0], 4) for name in once}
    measured = measured.drop(columns=once).dropna(axis=1, how="all")
    texts, numbers = facts.to_numpy(), measured.to_numpy()
    ended, keys = done.to_numpy(), list(records["key"])
    places = facts.groupby(list(facts), sort=False).indices if len(facts.columns) else {}
    rows = []
    for place in places.values() or [np.arange(len(records))]:
        finished = place[ended[place]]
        row = dict(zip(facts, texts[place[0]], strict=True)) | {"trials": str(len(finished))}
        if not ended.all():
            row["failed"] = str(len(place) - len(finished))
        row |= dict(zip(measured, map(_spread, numbers[finished].T), strict=True))
        some = " ".join(keys[k][:_KEY] for k in place[:_KEYS])
        row["keys"] = some + " …" * (len(place) > _KEYS)
        rows.append(row)
    fields = [name for name, texts in facts.items() if texts.nunique() <= _MOST]
    return {k: v for k, v in shared.items() if v}, pd.DataFrame(rows), fields


def _facts(records):
    """The parts of a cell that differ between cells, as text."""
    facts = {
        "task": records["task"],
        "data": records["dataset"].where(
            ~records["stand_in"].astype(bool), records["dataset"] + " (stand-in)"
        ),
        "corruption": records["corruption"].fillna(""),
        "level": records["level"].map(lambda level: f"{level:g}" if pd.notna(level) else ""),
        "method": records["method"].astype(object).fillna(""),
        "solver": records["solver"],
    }
    for column, name in _SETTINGS.items():
        facts |= _settings(records[column], name)
    return pd.DataFrame(facts, index=records.index, dtype=object).reset_index(drop=True)


def _settings(column, name) -> dict[str, list[str]]:
    """A column of settings: what is the same in all trials, and the others."""
    dicts: list[Mapping[str, Any]] = list(column)
    texts = [{key: canonical(value).strip('"') for key, value in held.items()} for held in dicts]
    keys = dict.fromkeys(key for held in texts for key in held)
    same = {key for key in keys if len({held.get(key) for held in texts}) == 1}
    return {
        f"{name} (all)": [_joined(texts[0], same)] * len(texts),
        name: [_joined(held, keys.keys() - same) for held in texts],
    }


def _joined(held, keys):
    return ", ".join(f"{key} = {value}" for key, value in held.items() if key in keys)


def _metrics(records):
    """Columns of the metrics of trials, with their rounds and seconds."""
    options = {key for held in records["options"] for key in held}
    known = {*COLUMNS, *options, "method", "setting", "arrays", *records.attrs.get("labels", ())}
    names = [name for name in records if name not in known]
    return records[[*names, "n_iter", "seconds"]].astype(float).reset_index(drop=True)


def _spread(values):
    """Mean, and standard deviation unless all are the same, as text."""
    values = values[~np.isnan(values)]
    if not values.size:
        return ""
    mean = number(values.mean())
    same = (values == values[0]).all()
    return mean if same else f"{mean} ± {number(values.std(ddof=1), 1)}"
