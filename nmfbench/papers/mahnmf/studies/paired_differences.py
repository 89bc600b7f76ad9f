"""Paired differences of methods on corrupted faces, with their signed-rank tests."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from nmfbench.artefacts.frames import melt_metrics
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, KL, MAH, PCA
from nmfbench.stats.corrections import holm
from nmfbench.stats.intervals import mean_and_interval

OURS, RIVALS = (MAH, HYBRID), (EUC, KL, PCA)
DATASETS = ("yaleb", "pie")
ACCURACIES = {"accuracy-4": "Algorithm 4", "accuracy-5": "Algorithm 5"}
_ERRORS = ["relative-error-train", "relative-error-test"]


def compare(records):
    """Paired differences of MahNMF and the hybrid from each rival, with their tests.

    Two methods are paired within a split and a rank; differences are averaged over the ranks of a
    split at which both were run, so that a split is one observation. ``p`` is that of the
    two-sided Wilcoxon signed-rank test over splits, ``adjusted`` after Holm's correction within
    a family: the comparisons of one method, on one data set and by one metric, with every rival
    in every condition.

    Returns
    -------
    DataFrame
        ``dataset``, ``metric``, ``method``, ``rival``, ``condition``; ``mean``, ``low``, ``high``
        of the difference in percentage points, above 0 where the method is the better, with a
        95 % t interval; ``count`` of splits; ``error``, the standard error of the mean; ``p``,
        ``adjusted``; ``family``, its size; ``smallest``, the adjusted p-value of a method that
        is ahead in every split.
    """
    metrics = {metric: metric for metric in (*ACCURACIES, *_ERRORS)}
    long = melt_metrics(records, metrics, "metric", "points", unit=100)
    long["points"] *= np.where(long["metric"].isin(_ERRORS), -1, 1)
    panel = ["dataset", "metric", "condition"]
    cells = [*panel, "n_components", "repeat"]
    wide = long.pivot_table("points", cells, "method", observed=True)
    parts = []
    for method, rival in product(OURS, RIVALS):
        if {method, rival} <= set(wide):
            lead = (wide[method] - wide[rival]).dropna()
            splits = lead.groupby([*panel, "repeat"], observed=True).mean()
            groups = splits.groupby(panel, observed=True)
            found = mean_and_interval(groups).assign(method=method, rival=rival)
            tests = {"p": groups.agg(_signed_rank), "error": groups.sem().fillna(0)}
            parts.append(found.assign(**{name: v.to_numpy(float) for name, v in tests.items()}))
    table = pd.concat(parts or [pd.DataFrame(columns=_COLUMNS)], ignore_index=True)
    families = table.groupby(["dataset", "metric", "method"], observed=True)["p"]
    return table.assign(
        adjusted=families.transform(holm),
        family=families.transform("size"),
        smallest=lambda t: np.minimum(1, t["family"] * 2.0 ** (1 - t["count"])),
    )[_COLUMNS]


_COLUMNS = ["dataset", "metric", "method", "rival", "condition", "mean", "low", "high", "count"]
_COLUMNS += ["error", "p", "adjusted", "family", "smallest"]


def _signed_rank(d):
    d = np.round(d, 9)  # equal scores, up to rounding, are ties
    return stats.wilcoxon(d).pvalue if d.any() else 1.0
