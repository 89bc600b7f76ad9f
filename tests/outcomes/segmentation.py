"""Made-up records of segmentations, where MahNMF-SYM is as good as cuts, and where not."""

import numpy as np

from nmfbench.papers.mahnmf.segments import IMAGES

_SHAPE = (6, 8)
_STEPS = {"covering": 0.03, "pri": 0.03, "vi": 0.15, "boundary-f": 0.03}


def _scores(row, better, noise, endings=("",)):
    """Scores at each number of segments, better than others by a number of steps."""
    found = {}
    for k in row["options"]["segments"]:
        for name, step in _STEPS.items():
            sign = -1 if name == "vi" else 1
            for ending in endings:
                level = 2.0 if name == "vi" else 0.5
                found[f"{name}{ending}@{k}"] = level + sign * (better + 0.1 * noise) * step
    return found


def _labels(row, rng):
    shape = (len(row["options"]["segments"]), *_SHAPE)
    return rng.integers(3, size=shape), np.broadcast_to(np.arange(_SHAPE[1]) // 3, shape)


def _figures(holds):
    """Segments equal the cuts', but for three better ones; or they differ, and all are worse."""

    def metrics(row, rng):
        random, alike = _labels(row, rng)
        better = 0.0
        if row["solver"] == "mahnmf-sym":
            ahead = row["options"]["image"] in IMAGES[:3]
            better = (1.6 if ahead else -0.7) if holds else -6.0
        overlap = 0.8 if holds else 0.2
        found = {f"object-iou@{k}": overlap for k in row["options"]["segments"]}
        noise = rng.standard_normal()
        found |= _scores(row, better, noise) | _scores(row, 0.0, noise, ["-stripes"])
        return found | {"arrays": {"labels": alike if holds else random}}

    return metrics


def _matrices(holds):
    """Classes are seen in both matrices, more so in the product, which helps; or they are not."""

    def metrics(row, rng):
        is_sym = row["solver"] == "mahnmf-sym"
        noise = rng.standard_normal()
        numbers = {
            "contrast-affinity": 5.0 if holds else 1.2,
            "contrast-product": 10.0 if holds else 1.1,
            "correlation": 0.9 if holds else 0.1,
            "bound-diagonal": 0.99 if holds else 0.1,
            "bound-diagonal-start": 0.99 if holds else 0.1,
            "residual-ratio": 0.5 if holds else 0.9,
            "residual-ratio-start": 0.7,
        }
        spread = np.exp(0.01 * noise)
        found = {
            f"{name}@{k}": value if "diagonal" in name else value * spread
            for name, value in numbers.items()
            for k in row["options"]["segments"]
        }
        slow = 10.0 if is_sym != holds else 1.0
        found |= {"n_iter": 20 * slow, "cpu_seconds": slow * np.exp(0.01 * noise)}
        return found | _scores(row, 3.0 if is_sym == holds else 0.0, noise)

    return metrics


def _study(holds):
    """The l1 loss, and any graph, make segments better; or both make them worse."""

    def metrics(row, rng):
        level = {"mahnmf-sym": 4.0, "sym-mu": 2.0, "ncuts": 2.0, "kmeans": 0.0}[row["solver"]]
        noise = rng.standard_normal()
        found = _scores(row, level if holds else -level, noise)
        return found | _scores(row, 0.0, noise, ["-start", "-stripes"])

    return metrics


def _wrong(holds):
    """Wrong entries harm MahNMF-SYM least, or most."""

    def metrics(row, rng):
        harmed = 1.0 if (row["solver"] == "mahnmf-sym") == holds else 5.0
        wrong = row["options"].get("corrupted", 0.0) > 0
        return _scores(row, -harmed * wrong, rng.standard_normal())

    return metrics


OUTCOMES = {
    "mahnmf/fig12": _figures,
    "mahnmf/fig13": _figures,
    "mahnmf/fig14": _figures,
    "mahnmf/fig15": _matrices,
    "mahnmf/segmentation": _study,
    "mahnmf/affinity": _wrong,
}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
