"""Made-up records for RNMFD's reconstructions and structure: its claims hold, or do not."""

import numpy as np

from nmfbench.papers.rnmfd import reconstruction, structure, ticks
from nmfbench.papers.rnmfd.sets import name_as_printed


def _reconstruction(holds):
    """S cleans and NMF suffers, or the other way round."""

    def metrics(row, rng):
        label = row["method"].removesuffix(name_as_printed(""))
        helped = label in (reconstruction.ALL, reconstruction.MORE_S, reconstruction.S_ALONE)
        helped = helped or row["options"].get("fit_clean", False)
        size = 0.2 if helped == holds else 0.3
        noise = np.exp(0.005 * rng.standard_normal())
        return {
            "error-all": size * noise,
            "error-untouched": 0.9 * size * noise,
            "loss-corrupted": (0.8 if holds else 0.2) * noise,
        }

    return metrics


def _structure(holds):
    """Orthogonality, a light graph and many neighbours do what the paper says, or the opposite."""

    def metrics(row, rng):
        noise = 0.005 * rng.standard_normal()
        if row["task"] == "neighbour-graph":
            slope = 0.02 if holds else -0.02
            return {"edges-between-classes": 0.4 + slope * row["params"].get("n_neighbors", 5)}
        own = row["method"] in (structure.ALL, name_as_printed(structure.ALL))
        near = own == holds
        over = (0.6 if near else 0.4) + noise
        return {
            "indicator-distance": (0.4 if near else 0.7) + noise,
            "indicator-distance-unscaled": 1.0,
            "edges-within-clusters": over + 0.1,
            "pairs-within-clusters": 0.1,
            "edges-over-chance": over,
        }

    return metrics


def _ticks(holds):
    """Each of the two has the marks of Table 1, or just the others."""

    def metrics(row, rng):
        own, noise = row["method"].partition(",")[0], 0.003 * rng.standard_normal()
        # What LNMF and NSDR have more than NMF, or less.
        robust = {ticks.LNMF: 1, ticks.NSDR: 0} if holds else {ticks.LNMF: -1, ticks.NSDR: 1}
        near = {ticks.LNMF: 0, ticks.NSDR: 1} if holds else {ticks.LNMF: 1, ticks.NSDR: -1}
        clean = row["corruption"] not in ("salt-pepper", "occlusion", "broken-samples")
        kept = 1.0 if clean else 0.7 + 0.1 * robust.get(own, 0)
        more = 0.15 * near.get(own, 0) + noise
        found = {
            "clustering": {
                "clustering-accuracy": 0.1 + (0.6 + noise) * kept,
                "clustering-accuracy-shuffled": 0.1,
            },
            "factor-shape": {"columns-alike": 0.1 if holds else 0.9},
            "graph-structure": {"edges-over-chance": 0.5 + more, "indicator-distance": 0.5 - more},
        }
        return found[row["task"]]

    return metrics


OUTCOMES = {
    "rnmfd/reconstruction": _reconstruction,
    "rnmfd/structure": _structure,
    "rnmfd/ticks": _ticks,
}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
