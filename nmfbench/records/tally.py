"""Tally of audits: how many records of each task were computed again, and how they agreed.

It is kept beside records and goes into the record book, for readers: what an audit vouches for on
another machine, an audit there has to find.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pandas as pd

from nmfbench.core.files import atomic_write
from nmfbench.records.agreement import OUTCOMES
from nmfbench.records.exchange import read_rows_beside
from nmfbench.records.store import Store

__all__ = ["FILE_NAME", "merge_tally", "read_tally", "tally", "write_tally"]

FILE_NAME = "audits.json"
_COMMAND = "publish"
_COLUMNS = ["task", "records", *OUTCOMES, "last"]


def tally(store: Store) -> pd.DataFrame:
    """The last audit of each record, by task.

    Returns
    -------
    DataFrame
        Columns ``task``, ``records``, one for each of
        :data:`~nmfbench.records.agreement.OUTCOMES`, and ``last``, when the last audit was made
        (UTC).
    """
    last = {audit["key"]: audit for audit in store.audits()}
    rows = []
    for task in sorted({audit["task"] for audit in last.values()}):
        audits = [audit for audit in last.values() if audit["task"] == task]
        counts = Counter(audit["outcome"] for audit in audits)
        finished = max(audit["finished"] for audit in audits)
        rows.append([task, len(audits), *(counts[name] for name in OUTCOMES), finished])
    return pd.DataFrame(rows, columns=_COLUMNS)


def write_tally(found: pd.DataFrame, folder) -> None:
    """Keep a tally in the folder of a store or a record book."""
    rows = found[_COLUMNS].to_numpy(dtype=object).tolist()
    with atomic_write(Path(folder) / FILE_NAME) as part:
        part.write_text(json.dumps({"audits": rows}, default=int) + "\n", encoding="utf-8")


def read_tally(folder) -> pd.DataFrame | None:
    """The tally of a store or a record book; None if there is none.

    Raises
    ------
    ExchangeError
        If the file holds something else.
    """
    kinds = (str, int, *(int for _ in OUTCOMES), str)
    rows = read_rows_beside(Path(folder) / FILE_NAME, _COMMAND, "audits", kinds)
    return None if rows is None else pd.DataFrame(rows, columns=_COLUMNS)


def merge_tally(source, target) -> None:
    """Copy the tally from one folder to another, where that has none, or one of fewer records."""
    offered, held = read_tally(source), read_tally(target)
    if offered is not None and (held is None or offered["records"].sum() > held["records"].sum()):
        write_tally(offered, target)
