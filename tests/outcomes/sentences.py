"""Made-up records for sentences of the papers that have a table of their own."""

import numpy as np

from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.papers.anp import bias_variance
from nmfbench.papers.mahnmf import brightness, completion, costs, rounds, variants
from nmfbench.papers.rnmfd import growth as rnmfd_growth
from nmfbench.papers.rnmfd.studies import exponents
from nmfbench.papers.robust_xray import growth as xray_growth


def _bias_variance(holds):
    """ANP has less variance, more bias and a smaller trace than NMF, or the other way round."""

    def metrics(row, rng):
        up = 1.2 if holds else 1 / 1.2
        of_anp = row["method"] in (bias_variance.ANP, bias_variance.HEAVY)
        noise = np.exp(0.005 * rng.standard_normal(3))
        return {
            "prediction-variance": 0.1 * noise[0] / (up if of_anp else 1),
            "prediction-bias": 0.2 * noise[1] * (up if of_anp else 1),
            "coefficient-variance": 3.0 * noise[2] / (up if of_anp else 1),
        }

    return metrics


def _variants(holds):
    """Variants are as good as the methods that they are held against, or all are behind."""

    def metrics(row, rng):
        rival = row["method"] in (variants.EUC, variants.GNMF)
        if row["method"] == variants.RANDOM:
            score = 0.3 if holds else 0.8
        else:
            score = 0.7 if rival or holds else 0.5
        noise = 0.005 * rng.standard_normal(2)
        return {"accuracy-4": score + noise[0], "accuracy-5": score + noise[1]}

    return metrics


def _completion(holds):
    """RPCA and GoDec complete best and go below zero, or are worse than means and do not."""

    def metrics(row, rng):
        other = row["method"] != completion.MAH
        if holds:
            error, below = (0.1, 0.1) if other else (0.2, 0.0)
        else:
            error, below = (0.7, 0.0) if other else (0.6, 0.1)
        noise = np.exp(0.01 * rng.standard_normal())
        return {
            "hidden-error": error * noise,
            "hidden-error-means": 0.5,
            "negative-share": below * noise,
        }

    return metrics


def _rounds(holds):
    """Gap and excess fall with the round, and RRI needs few; or they grow, and it needs many."""

    def metrics(row, rng):
        noise = np.exp(0.01 * rng.standard_normal(9))
        if row["task"] == "median-sweeps":
            sweeps = 4.0 if holds else 100.0
            return {"sweeps-to-near": sweeps * noise[0], "sweeps": 200.0, "share-of-first": 0.8}
        if row["task"] == "convergence":
            stop = 14 if holds else 35
            trace = np.zeros(41, TRACE_DTYPE)
            trace["iteration"] = trace["cpu_seconds"] = np.arange(41)
            trace["objective"] = np.interp(np.arange(41), [0, stop - 1], [2.0, 1.0])
            return {"norm": 2.0, "arrays": {"trace": trace}}
        falls = ("decay" not in row["params"]) == holds
        found = {}
        for k, t in enumerate(rounds.ROUNDS):
            size = 0.1 / t if falls else 0.1 * t**0.1
            found |= {f"gap@{t}": size * noise[k], f"excess@{t}": size * noise[k + 4]}
        return found

    return metrics


def _contrast(holds):
    """Segments stand out more than those placed at random, or less."""

    def metrics(row, rng):
        noise = np.exp(0.01 * rng.standard_normal())
        found = {}
        for name in ("affinity", "product"):
            found[f"contrast-{name}"] = (8.0 if holds else 2.0) * noise
            found[f"contrast-{name}-placed"] = 4.0
            found[f"placed-above-{name}"] = 0.0 if holds else 1.0
        return found

    return metrics


def _shadowed(holds):
    """Faces in shadow are recognised less often than lit ones, or more often."""

    def metrics(row, rng):
        noise = 0.005 * rng.standard_normal(4)
        lit, shadow = (0.8, 0.3) if holds else (0.4, 0.6)
        return {
            "accuracy-lit": lit + noise[0],
            "accuracy-shadow": shadow + noise[1],
            "accuracy-images-lit": lit + noise[2],
            "accuracy-images-shadow": shadow + noise[3],
            "shadow-share": 0.4,
            "shadow-share-lit": 0.01,
        }

    return metrics


def _brightness(holds):
    """MahNMF has the smallest errors at equal brightness, or the largest."""

    def metrics(row, rng):
        better = (row["method"] == brightness.MAH) == holds
        noise = np.exp(0.005 * rng.standard_normal())
        error = (0.1 if better else 0.12) * noise
        names = (f"scaled-{kind}-error-{part}" for kind in ("mean", "image") for part in _PARTS)
        return dict.fromkeys(names, error) | {"brightness-test": 0.9}

    return metrics


_PARTS = ("train", "test")


def _exponents(holds):
    """The exponent of RNMFD makes no difference, or a large one."""

    def metrics(row, rng):
        behind = 0.0 if holds or row["method"] != exponents.PRINTED else 0.2
        noise = 0.003 * rng.standard_normal(2)
        return {
            "clustering-accuracy": 0.6 - behind + noise[0],
            "nmi-geometric": 0.7 - behind + noise[1],
        }

    return metrics


def _clock(rounds, seconds, objective, rng):
    """Trace of a run that takes the same seconds for each round."""
    trace = np.zeros(rounds + 1, TRACE_DTYPE)
    trace["iteration"] = np.arange(rounds + 1)
    noise = np.exp(0.01 * rng.standard_normal())
    trace["cpu_seconds"] = trace["seconds"] = seconds * noise * trace["iteration"]
    trace["objective"] = objective
    return {"norm": 2.0, "arrays": {"trace": trace}}


def _sizes(row):
    return row["dataset_params"]["n_samples"], row["dataset_params"]["n_features"]


def _growth_of_rnmfd(holds):
    """Iterations cost in proportion to both sizes; or, for RNMFD, to their squares."""

    def metrics(row, rng):
        n, d = _sizes(row)
        power = 1 if holds or row["method"] == rnmfd_growth.GNMF else 2
        return _clock(30, 1e-9 * (n * d) ** power, 1.0, rng)

    return metrics


def _growth_of_xray(holds):
    """The new methods grow as XRAY-l2 does with every size, or faster."""

    def metrics(row, rng):
        n, d = _sizes(row)
        cells = n * d * row["dataset_params"]["n_components"]
        power = 1 if holds or row["method"] == xray_growth.L2 else 1.5
        return {"cpu_seconds": 1e-6 * cells**power * np.exp(0.01 * rng.standard_normal())}

    return metrics


def _costs(holds):
    """Sorts take most of a sweep, extensions cost as much, smoothing wins; or the opposite."""

    def metrics(row, rng):
        method = row["method"]
        if row["task"] == "sorting-share":
            return {"sorting-share": (0.8 if holds else 0.2) + 0.01 * rng.standard_normal()}
        if row["dataset"] == "yaleb":
            slow = (method == costs.M_RRI) == holds
            return _clock(40, 2.0 if slow else 0.5, np.linspace(2, 1, 41), rng)
        if method in (costs.OGM, costs.GS) or row["n_groups"] > 1:
            last = 10 if method == costs.OGM or holds else 30
            objective = np.maximum(2 - np.arange(41) / last, 1.0)
            return _clock(40, 1.0, objective, rng)
        n, d = _sizes(row)
        power = 1 if holds or method == costs.OGM_TEN else 1.5
        return _clock(12, 1e-9 * (n * d) ** power, 1.0, rng)

    return metrics


def _speed_on_reuters(holds):
    """SMRS takes five times as long as the others, or half as long."""

    def metrics(row, rng):
        times = (5.0 if holds else 0.5) if row["solver"] == "smrs" else 1.0
        return {"cpu_seconds": times * np.exp(0.02 * rng.standard_normal())}

    return metrics


def _inner_sweeps(holds):
    """Both stop after as many rounds, each of which takes RRI five times as long, or a fifth."""

    def metrics(row, rng):
        slow = (row["solver"] == "mahnmf-rri") == holds
        objective = np.interp(np.arange(17), [0, 11], [2.0, 1.0])
        return _clock(16, 5.0 if slow else 1.0, objective, rng)

    return metrics


OUTCOMES = {
    "anp/bias-variance": _bias_variance,
    "mahnmf/variants": _variants,
    "mahnmf/completion": _completion,
    "mahnmf/rounds": _rounds,
    "mahnmf/contrast": _contrast,
    "mahnmf/shadowed": _shadowed,
    "mahnmf/brightness": _brightness,
    "mahnmf/costs": _costs,
    "mahnmf/inner-sweeps": _inner_sweeps,
    "rnmfd/exponents": _exponents,
    "rnmfd/growth": _growth_of_rnmfd,
    "robust-xray/growth": _growth_of_xray,
    "robust-xray/speed-reuters": _speed_on_reuters,
}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
