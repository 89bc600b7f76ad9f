"""Made-up records for the studies."""

import numpy as np

from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.papers.mahnmf.studies import gap_stop, loitering
from nmfbench.problems.noise import NOISES

# The dose at which accuracy is half of the clean one, of MahNMF and of the others; as a share of
# the largest dose of the grid.
_LIGHT_TAILED = ("gaussian", "poisson")


def _breakdown(holds):
    def metrics(row, rng):
        noise, share = NOISES.get(row["corruption"]), 0.0
        if noise is not None:
            share = noise.dose(row["level"]) / max(map(noise.dose, noise.levels))
        bears_more = row["solver"].startswith("mahnmf")
        if (row["corruption"] in _LIGHT_TAILED) == holds:
            bears_more = not bears_more
        half = 0.6 if bears_more else 0.3
        noise = 1 + 0.02 * rng.standard_normal(2)
        error = 0.2 + share / half
        accuracy = 0.8 / (1 + (share / half) ** 2) * noise[0]
        return {
            "accuracy-5": accuracy,
            "accuracy-4": accuracy,
            "relative-error-test": error * noise[1],
            "relative-error-train": error * noise[1],
        }

    return metrics


def _paired(holds):
    def metrics(row, rng):
        # Harder at low ranks and in some splits, for all methods alike.
        level = 0.4 + 0.003 * row["n_components"] - 0.02 * (row["repeat"] % 3)
        lead = 0.1 * (row["solver"].startswith("mahnmf") == holds)
        accuracy = level + lead + 0.01 * rng.standard_normal()
        error = 0.5 - lead + 0.01 * rng.standard_normal()
        names = "accuracy-4", "accuracy-5", "relative-error-train", "relative-error-test"
        return dict(zip(names, np.array([accuracy, accuracy, error, error]), strict=True))

    return metrics


def _drift(holds):
    def metrics(row, rng):
        n = 1440 if row["dataset"] == "coil20" else 4000
        change, forgets = n // 2, row["params"].get("forget", 1.0) < 1
        short = row["params"].get("buffer") == 20
        level = 0.1 + 0.05 * (forgets == holds) + 0.01 * rng.random(n)
        if row["solver"] == "hals":
            level = 0.05 + 0.01 * rng.random(n)
        elif row["dataset_params"].get("kind") == "abrupt":
            level[change : change + (100 if short == holds else 900)] += 1
        return {"mean-cost": level.mean(), "arrays": {"cost": level, "segments": [0, change]}}

    return metrics


def _stream_memory(holds):
    def metrics(row, rng):
        if row["options"]["n_samples"] > 10**5 and row["solver"] == "hals":
            return {"out-of-memory": 1.0, "arrays": {}}
        samples = row["options"]["n_samples"] * np.arange(1, 11) / 10
        grows = row["solver"] in ("or-nmf", "onmf")
        size = samples ** (0.9 * (grows == holds) + 0.01 * rng.random())
        seconds = samples ** (0.5 * (not holds) + 0.01 * rng.random())
        arrays = {"samples": samples, "bytes": size, "anonymous": size, "seconds": seconds}
        return {"out-of-memory": 0.0, "visited-share": 0.5, "held-out": 1.0, "arrays": arrays}

    return metrics


def _loitering(holds):
    """Rank 1 breaks down at one half; rank 2, and robust PCA with a large λ, earlier, or later."""
    first, second = (0.55, 0.25) if holds else (0.25, 0.55)

    def metrics(row, rng):
        later = row["n_components"] == 2 or row["method"] == loitering.RPCA[2]
        score = 0.9 * (row["share"] < (second if later else first)) + 0.01 * rng.random()
        if row["method"] == loitering.MEDIAN:
            score = 0.9
        names = loitering.F, loitering.LEFT
        return {loitering.F: score, loitering.LEFT: 1.0} | {f"{name}-mean": 0.5 for name in names}

    return metrics


def _gap_stop(holds):
    """One objective for all rules; a round takes five times as long, or not even twice.

    Over equal steps the gap costs a tenth of what checks of the objective do, or nine tenths.
    """
    gap = 1.1 if holds else 1.9
    equal = {gap_stop.GRADIENT: 1.0, gap_stop.SELDOM: gap - 0.08, gap_stop.GAP: gap}
    equal[gap_stop.OBJECTIVE] = 2.0

    def metrics(row, rng):
        trace = np.zeros(41, dtype=TRACE_DTYPE)
        trace["objective"] = np.linspace(2, 1, 41)
        slow = (5.0 if holds else 1.2) if row["method"] == gap_stop.OBJECTIVE else 1.0
        if "inner_max_iter" in row["params"]:
            slow = next(v for rule, v in equal.items() if row["method"].startswith(rule))
        trace["cpu_seconds"] = np.arange(41) * slow * np.exp(0.02 * rng.standard_normal())
        return {"arrays": {"trace": trace}}

    return metrics


def _duplicates(holds):
    def metrics(row, rng):
        twice = (row["solver"] == "smrs") == holds
        share = (0.2 if twice else 0.01) + 0.001 * rng.random()
        return {"near-duplicates": share, "near-duplicates-at-random": 0.03}

    return metrics


def _theorem3(holds):
    def metrics(row, rng):
        wrong = 0.0 if holds else 0.1
        return {
            "excess": wrong,
            "kernel-excess": wrong,
            "convexity": 1.5 - 6 * wrong,
            "single-move": wrong,
        }

    return metrics


def _decomposition(holds):
    def metrics(row, rng):
        robust = row["solver"].startswith("mahnmf") == holds
        return {"relative-error-train": (0.02 if robust else 0.5) * np.exp(0.01 * rng.random())}

    return metrics


def _groups(holds):
    """MahNMF leaves one entry of a group and the net more, the more its weight; or not."""

    def metrics(row, rng):
        weight = np.log10(row["params"].get("lam", 0.01)) + 2  # 0 of plain MahNMF
        share = 0.2 + 0.1 * (weight if holds else -weight) + 0.005 * rng.random()
        one = (0.9 if holds else 0.1) + 0.005 * rng.random()
        return {"one-of-group": one, "share-of-group": share, "unlikeness": 1.0 - share}

    return metrics


def _starts(holds):
    def metrics(row, rng):
        spread = (1.1 if holds else 1.001) + 0.0001 * rng.random()
        return {
            "objective-spread": spread,
            "product-distance": (0.5 if holds else 0.01) + 0.001 * rng.random(),
        }

    return metrics


def _group_rate(holds):
    """The excess falls as fast with a penalty as without, or hardly at all."""

    def metrics(row, rng):
        as_fast = holds or row["options"]["penalty"] == "none"
        power = (2.5 if as_fast else 1.0) + 0.01 * rng.random()
        steps = np.array(row["options"]["steps"], float)
        return {
            "bound-share": 0.1 if holds else 2.0,
            "exponent": power,
            "arrays": {"steps": steps, "excess": steps**-power},
        }

    return metrics


OUTCOMES = {
    "mahnmf/breakdown": _breakdown,
    "mahnmf/decomposition": _decomposition,
    "mahnmf/gap-stop": _gap_stop,
    "mahnmf/group-rate": _group_rate,
    "mahnmf/groups": _groups,
    "mahnmf/loitering": _loitering,
    "mahnmf/paired": _paired,
    "mahnmf/starts": _starts,
    "mahnmf/theorem3": _theorem3,
    "or-nmf/drift": _drift,
    "or-nmf/memory": _stream_memory,
    "robust-xray/duplicates": _duplicates,
}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
