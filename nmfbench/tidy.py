"""Records of artefacts as tidy tables."""

from __future__ import annotations

import pandas as pd

from nmfbench import registry
from nmfbench.store import Store

__all__ = ["results"]


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
