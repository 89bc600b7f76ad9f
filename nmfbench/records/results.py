"""Records of artefacts as tidy tables."""

from __future__ import annotations

import re

import pandas as pd

from nmfbench.core import registry
from nmfbench.records.store import Store

__all__ = ["reason", "results"]

_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(: |$)")  # an exception's name, not indented


def results(artefact, *, store="results", profile="quick", stand_in=False) -> pd.DataFrame:
    """Records of one artefact: a row per trial, a column per metric.

    Parameters
    ----------
    artefact : str
        Such as ``"robust-xray/fig3"``.
    store : path-like or Store, default="results"
        Folder that ``nmfbench run --store`` filled.
    profile : {"smoke", "quick", "paper"}, default="quick"
        Whose grid. Trials of the grid without a record are left out.
    stand_in : bool, default=False
        Include records on synthetic stand-ins where the real data are missing.

    Returns
    -------
    DataFrame

    Raises
    ------
    UnknownNameError
        If there is no such artefact.
    StoreError
        If there is no store, or it cannot be read.
    """
    plan = registry.artefacts[artefact].target.plan(profile, stand_in=stand_in)
    if isinstance(store, Store):
        table = store.table(trial.key for trial in plan)
    else:
        with Store(store, create=False) as opened:
            table = opened.table(trial.key for trial in plan)
    table.insert(1, "artefact", artefact)
    return table


def reason(error: str | None, width: int = 200) -> str:
    """The line of an error's text that names the exception.

    Examples
    --------
    >>> reason("Traceback (most recent call last):\\n  ...\\nValueError: no such rank")
    'ValueError: no such rank'
    >>> reason("TimeoutError: over its limit of 2 s\\nCurrent thread:\\n  File ...")
    'TimeoutError: over its limit of 2 s'
    """
    lines = [line.rstrip() for line in (error or "").splitlines() if line.strip()]
    names = [line for line in lines if _EXCEPTION.match(line)]
    if names:
        text = lines[0] if names[0] == lines[0] else names[-1]
    else:
        text = lines[-1].strip() if lines else "no reason was recorded"
    return text if len(text) <= width else text[: width - 3] + "..."
