"""Tally of audits: how many records of each task were computed again, and how they agreed.

It is kept beside records and goes into the record book, for readers: what an audit vouches for on
another machine, an audit there has to find.
"""

from __future__ import annotations

from collections import Counter

import pandas as pd

from nmfbench.records.agreement import OUTCOMES
from nmfbench.records.beside import KeptTable
from nmfbench.records.store import Store

__all__ = ["KEPT", "tally"]

KEPT = KeptTable(
    "audits.json",
    "audits",
    {"task": str, "records": int, **dict.fromkeys(OUTCOMES, int), "last": str},
    amount=lambda table: table["records"].sum(),
)
"""The tally in a folder; a copy replaces none of more records."""


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
    return pd.DataFrame(rows, columns=list(KEPT.columns))
