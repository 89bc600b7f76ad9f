"""Made-up records for what RNMFD's paper says of data, properties and similarity of images."""

import numpy as np

from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd.fig1 import GRAPH, OWN
from nmfbench.papers.rnmfd.sets import name_as_printed


def _sizes(holds):
    def metrics(row, rng):
        n, m, k = reported("rnmfd/table2", row["dataset"]).value
        n = n if holds else n + 1
        sizes = {"smallest-class": n // k, "largest-class": -(-n // k)}
        return {"n-samples": n, "n-features": m, "n-classes": k} | sizes

    return metrics


def _properties(holds):
    def metrics(row, rng):
        label = row["method"].removesuffix(name_as_printed(""))
        noise = np.exp(0.005 * rng.standard_normal())
        heavy_graph = label in ("GNMF, weight 1000", "DNMF, weight 1000")
        W, H = 3.0, 5.0  # norms
        if label.endswith("1000 iterations"):
            stays = 1.0 if holds else 2.0
            factor = 0.5 if label.startswith("GNMF") == holds else stays
            W, H = factor * noise * W, H / factor * noise
        if row["task"] == "factor-shape":
            norms = {"norm-of-the-representation": W, "norm-of-the-components": H}
            collapse = {"n-dead-components": 1.0, "orthogonality-gap": 2.0}
            share = {"share-of-components-of-short-columns": 0.2}
            return {"columns-alike": float(heavy_graph == holds)} | norms | share | collapse
        similarity = 0.98 if heavy_graph == holds else 0.3
        return {"similarity-between": noise * similarity}

    return metrics


def _similarity(holds):
    def metrics(row, rng):
        if row["task"] == "factor-shape":
            within, between = (1.0, 0.7) if holds else (1.0, 0.0)
            return {"cosine-within": within, "cosine-between": between}
        if row["task"] == "factorization" or row["method"] == GRAPH:  # without similarities
            return {"arrays": {}}
        if row["method"] in (OWN, name_as_printed(OWN)):
            within, between = (0.8, 0.1) if holds else (0.4, 0.3)
        else:
            within, between = (0.97, 0.94) if holds else (0.9, 0.2)
        noise = 0.005 * rng.standard_normal(2)
        return {"similarity-within": within + noise[0], "similarity-between": between + noise[1]}

    return metrics


OUTCOMES = {"rnmfd/table1": _properties, "rnmfd/table2": _sizes, "rnmfd/fig1": _similarity}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
