"""Made-up records for shadows in faces, where low-rank parts lose them, and where not."""

import numpy as np

from nmfbench.papers.mahnmf.shadows import GODEC, HALS, MAH, OGM, PCA, RPCA

_IMAGES = {"shadow-error-images": 60.0, "detail-images": 0.4, "identity-images": 0.4}
_PLAIN = {"asymmetry": 1.0, "lift": 1.0, "spread": 1.0, "shadow-error": 60.0, "detail": 0.4}
_CLEARED = {"asymmetry": 0.5, "lift": 3.0, "spread": 0.5, "shadow-error": 20.0, "detail": 0.8}
_WORSE = {"asymmetry": 1.5, "lift": 0.5, "spread": 1.5, "shadow-error": 90.0, "detail": 0.2}


def _subjects(numbers, rng, n=38):
    """Numbers of all subjects, about those given, as the task leaves them."""
    numbers = numbers | _IMAGES
    found = np.zeros(n, dtype=[("subject", int), *((name, float) for name in numbers)])
    found["subject"] = np.arange(1, n + 1)
    for name, value in numbers.items():
        found[name] = value * np.exp(0.01 * rng.standard_normal(n))
    return {"arrays": {"subjects": found}}


def _removed(holds):
    def metrics(row, rng):
        if row["method"] in (HALS, PCA):
            return _subjects(_PLAIN, rng)
        return _subjects(_CLEARED if holds else _WORSE, rng)

    return metrics


def _comparable(holds):
    def metrics(row, rng):
        return _subjects(_CLEARED if holds or row["method"] not in (MAH, OGM) else _PLAIN, rng)

    return metrics


def _by_rank(holds):
    """Shadow stays at high ranks, more of it with a squared loss; MahNMF's are recognised."""
    levels = {MAH: 10, RPCA: 12, GODEC: 12, HALS: 30, PCA: 30} if holds else {MAH: 60}

    def metrics(row, rng):
        if row["task"] == "identity":
            known = 0.6 if (row["method"] in (MAH, OGM)) == holds else 0.3
            noise = 0.01 * rng.standard_normal(2)
            return {"accuracy": known + noise[0], "accuracy-images": 0.45 + noise[1]}
        if row["task"] == "recognition":
            known = 0.6 if (row["method"] in (MAH, OGM)) == holds else 0.3
            noise = 0.01 * rng.standard_normal(2)
            return {"accuracy-4": known + noise[0], "accuracy-5": known + noise[1]}
        rank = row["n_components"] if holds else 10 - row["n_components"]
        error = levels.get(row["method"], 20) + rank
        return _subjects(_CLEARED | {"shadow-error": error}, rng)

    return metrics


OUTCOMES = {
    "mahnmf/fig18": _removed,
    "mahnmf/fig19": _comparable,
    "mahnmf/lighting": _by_rank,
}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
