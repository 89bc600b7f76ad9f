"""Made-up records for the study of RNMFD's terms, where its claims hold or do not."""

from nmfbench.papers.rnmfd import sets, terms
from nmfbench.problems.noise import NOISES

# Accuracy on clean images, and what a unit of the dose takes from it.
_HOLDS = {
    terms.ALL: (0.6, 0.2),
    terms.NO_S: (0.5, 0.8),
    terms.MORE_S: (0.58, 0.2),
    terms.BOUNDED: (0.66, 0.2),
    terms.S_ALONE: (0.45, 0.2),
}
_FAILS = {
    terms.ALL: (0.4, 0.8),
    terms.NO_S: (0.45, 0.2),
    terms.MORE_S: (0.38, 0.8),
    terms.BOUNDED: (0.3, 0.8),
    terms.S_ALONE: (0.4, 0.8),
}
_OTHERS = {True: (0.4, 0.8), False: (0.5, 0.2)}


def _ingredients(holds):
    accuracies = _HOLDS if holds else _FAILS

    def metrics(row, rng):
        method = row["method"].removesuffix(sets.name_as_printed(""))
        clean, slope = accuracies.get(method, _OTHERS[holds])
        noise = NOISES.get(row["corruption"])
        dose = 0.0 if noise is None else noise.dose(row["level"])
        # Some runs are harder for all methods.
        accuracy = clean - slope * dose - 0.01 * (row["repeat"] % 3)
        found = {
            "clustering-accuracy": accuracy + 0.003 * rng.standard_normal(),
            "clustering-accuracy-shuffled": 0.1,
        }
        if row["solver"] != "rnmfd":
            return found
        trivial = (method == terms.NO_ORTHOGONALITY) == holds
        return found | {
            "similarity-between": (0.9 if trivial else 0.2) + 0.01 * rng.standard_normal(),
            "outlier-share": 0.05,
            "orthogonality-gap": 1.0,
            "n-dead-components": 0.0 if holds else row["n_components"] // 2,
        }

    return metrics


OUTCOMES = {"rnmfd/ingredients": _ingredients}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
