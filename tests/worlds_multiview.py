"""Made-up scores and bases of latent spaces of several views: claims that hold or do not."""

import numpy as np

from nmfbench.papers.mahnmf.multiview import EUC, FLSS, MAH

_WIDTHS = np.array([12, 12])
_ALIKE = np.tile(np.geomspace(0.1, 0.8, 12), 2)  # of which nothing lies between the views
_APART = np.repeat([0.2, 0.8], 12)


def _spaces(holds):
    """MahNMF-GS leads, by more with more dimensions, and knows the views; or it is all reverse."""
    level = {MAH: 0.8, EUC: 0.6, FLSS: 0.4} if holds else {MAH: 0.4, EUC: 0.6, FLSS: 0.8}
    slope = {MAH: 0.0005, EUC: -0.0005} if holds else {MAH: -0.0005, EUC: 0.0005}

    def metrics(row, rng):
        method, r = row["method"], row["n_components"]
        knows = (method == MAH) == holds
        score = level.get(method, 0.5) + slope.get(method, 0) * r + 0.001 * rng.standard_normal()
        references = {}
        if row["references"] is True:
            references = {
                f"map{k}{v}": 0.6 for k in ("", "-11", "-inner") for v in ("-raw", "-view")
            }
        pattern = _APART if knows else _ALIKE
        return references | {
            "map": score,
            "map-11": score,
            "map-inner": score,
            "map-pinv": score,
            "rank": r,
            "off": (0.3 if knows else 0.1) + 0.01 * rng.random(),
            "arrays": {
                "widths": _WIDTHS,
                "sparseness": pattern + 0.002 * rng.random(_WIDTHS.sum()),
                "unused": np.zeros(_WIDTHS.sum(), dtype=bool),
            },
        }

    return metrics


WORLDS = {"mahnmf/fig20": _spaces, "mahnmf/table2": _spaces}
