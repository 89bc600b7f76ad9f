"""Made-up scores and bases of latent spaces of several views: claims that hold or do not."""

import numpy as np

from nmfbench.papers.mahnmf.multiview import EUC, FLSS, MAH, PLAIN, UNGROUPED
from nmfbench.papers.mahnmf.studies.multiview_ingredients import EUC_2, MAH_2

_WIDTHS = np.array([12, 12])
_ALIKE = np.tile(np.geomspace(0.1, 0.8, 12), 2)  # of which nothing lies between the views
_APART = np.repeat([0.2, 0.8], 12)


def _references(row):
    if row["references"] is not True:
        return {}
    return {f"map{k}{v}": 0.6 for k in ("", "-11", "-inner") for v in ("-raw", "-view")}


def _spaces(holds):
    """MahNMF-GS leads, by more with more dimensions, and knows the views; or it is all reverse."""
    level = {MAH: 0.8, EUC: 0.6, FLSS: 0.4} if holds else {MAH: 0.4, EUC: 0.6, FLSS: 0.8}
    slope = {MAH: 0.0005, EUC: -0.0005} if holds else {MAH: -0.0005, EUC: 0.0005}

    def metrics(row, rng):
        method, r = row["method"], row["n_components"]
        knows = (method == MAH) == holds
        score = level.get(method, 0.5) + slope.get(method, 0) * r + 0.001 * rng.standard_normal()
        pattern = _APART if knows else _ALIKE
        return _references(row) | {
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


def _ingredients(holds):
    """Groups help, as does the largest entry as norm, and each loss under its noise; or not."""
    ahead, behind = (0.8, 0.6) if holds else (0.6, 0.8)
    level = dict.fromkeys((MAH, EUC), ahead) | dict.fromkeys((PLAIN, UNGROUPED), behind)
    level |= dict.fromkeys((MAH_2, EUC_2), 0.5 if holds else 0.95)
    best = {"laplace": MAH, "gaussian": EUC}

    def metrics(row, rng):
        method, noise = row["method"], 0.005 * rng.standard_normal()
        if row["task"] == "view-activity":
            leads = (best[row["dataset_params"]["noise"]] == method) == holds
            f = level.get(method, 0.6) + (0.1 if leads else 0.0) + noise
            return {"activity-f": f, "cosine": 0.9, "off": 0.4}
        score = level.get(method, 0.5) + noise
        return _references(row) | {
            "map": score,
            "map-11": score,
            "map-inner": score,
            "map-pinv": score,
            "rank": row["n_components"],
            "off": 0.1,
            "arrays": {"residuals": np.array([0.2, 0.3])},
        }

    return metrics


def _noise(holds):
    """MahNMF-GS loses little of its precision in a bad view, EucNMF-GS much; or the reverse."""
    loss = {MAH: 0.1, EUC: 0.3} if holds else {MAH: 0.3, EUC: 0.1}

    def metrics(row, rng):
        share = np.nan_to_num(row["level"])
        score = 0.8 - loss.get(row["method"], 0.2) * share + 0.001 * rng.standard_normal()
        found = {"map": score, "map-11": score, "map-inner": score, "rank": 20, "off": 0.1}
        return _references(row) | found

    return metrics


OUTCOMES = {
    "mahnmf/fig20": _spaces,
    "mahnmf/table2": _spaces,
    "mahnmf/multiview-ingredients": _ingredients,
    "mahnmf/multiview-noise": _noise,
}
