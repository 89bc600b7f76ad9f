"""Made-up records for the figures of ANP, where its curves are above the others or below."""

import numpy as np

from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.papers.anp.convergence import LONG
from nmfbench.papers.anp.curves import AC, ANP, GNMF, NMI


def _curves(holds):
    def metrics(row, rng):
        if row["task"] == "factorization":
            t = np.arange(2001) * np.exp(0.05 * rng.standard_normal())
            trace = np.zeros(len(t), TRACE_DTYPE)
            trace["iteration"] = np.arange(len(t))
            trace["objective"] = 1 / (1 + t) if holds else np.exp(-((t / 100) ** 3))
            return {"arrays": {"trace": trace}}
        if row["task"] == "factor-shape":
            return {
                "norm-of-the-representation": 2.0 if row["method"] == LONG and not holds else 1.0
            }
        # Ahead by less than a point, so that ANP counts as equal to NMF all the same; or behind.
        lead = (0.005 if holds else -0.05) * (row["method"] == ANP)
        lead += (0.15 if holds else -0.1) * (row["method"] == GNMF)
        # Accuracy falls with every class, or once it does not.
        rise = 0.1 * (holds and row["n_components"] > 15)
        score = 0.8 + lead + rise - 0.01 * row["n_components"] + 0.0005 * rng.standard_normal()
        return {AC: score, NMI: score, "objective": 100.0}

    return metrics


def _fixed_rank(holds):
    """Accuracy falls with every class at a fixed rank and rises once else; or the other way."""

    def metrics(row, rng):
        fixed = row["n_clusters"] == row["n_clusters"]
        classes = row["n_clusters"] if fixed else row["n_components"]
        falls = -0.01 * classes
        score = (falls if fixed == holds else 0.2 * (classes > 15) + falls / 10) + 0.6
        return {AC: score + 0.0005 * rng.standard_normal()}

    return metrics


OUTCOMES = {"anp/fig2": _curves, "anp/fig3": _curves, "anp/fixed-rank": _fixed_rank}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
