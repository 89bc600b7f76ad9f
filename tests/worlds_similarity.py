"""Made-up records for what RNMFD's paper says of data, properties and similarity of images."""

import numpy as np

from nmfbench.papers.rnmfd.fig1 import GRAPH, OWN
from nmfbench.papers.rnmfd.sets import SETS

_CLASSES = 4


def separate(mixed=0.0):
    """Three samples of each class: 1 in its column, and ``mixed`` everywhere."""
    return np.repeat(np.eye(_CLASSES), 3, axis=0) + mixed


def _sizes(holds):
    def metrics(row, rng):
        n, m, k = SETS[row["dataset"]].sizes.value
        classes = np.arange(n if holds else n + 1) % k
        return {"arrays": {"components": np.ones((k, m)), "classes": classes}}

    return metrics


def _properties(holds):
    def metrics(row, rng):
        label, noise = row["method"], np.exp(0.01 * rng.standard_normal())
        heavy_graph = label in ("GNMF, weight 1000", "DNMF, weight 1000")
        W, H = separate(), np.ones((_CLASSES, 5))
        if heavy_graph == holds:
            W = np.ones_like(W)
        if label.endswith("1000 iterations"):
            shrinks = 0.5 if holds else 2.0
            factor = shrinks if label.startswith("GNMF") or not holds else 1.0
            W, H = factor * noise * W, H / factor * noise
        if row["task"] == "factorization":
            arrays = {"W": W, "components": H}
            return {"arrays": arrays, "n-dead-components": 1.0, "orthogonality-gap": 2.0}
        similarity = 0.98 if heavy_graph == holds else 0.3
        return {"similarity-between": noise * similarity}

    return metrics


def _similarity(holds):
    def metrics(row, rng):
        if row["task"] == "factorization":
            return {"arrays": {"W": separate(0.4 if holds else 0.0)}}
        found = {"arrays": {"classes": np.repeat(np.arange(_CLASSES), 3)}}
        if row["method"] == GRAPH:  # a clusterer, without similarities
            return found
        if row["method"] == OWN:
            within, between = (0.8, 0.1) if holds else (0.4, 0.3)
        else:
            within, between = (0.97, 0.94) if holds else (0.9, 0.2)
        noise = 0.005 * rng.standard_normal(2)
        scores = {"similarity-within": within + noise[0], "similarity-between": between + noise[1]}
        return found | scores

    return metrics


WORLDS = {"rnmfd/table1": _properties, "rnmfd/table2": _sizes, "rnmfd/fig1": _similarity}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
