"""Of the figures of how MahNMF converges."""

import numpy as np

from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.papers.mahnmf import fig1 as rri
from nmfbench.papers.mahnmf import fig2 as smoothing
from nmfbench.papers.mahnmf import matrices


def _fig1(lead):
    def metrics(row, rng):
        failing = 0.0 if lead else 0.05 * rng.uniform()
        return {"excess": failing if row["method"] == rri.RRI else 0.0, "single-move": failing}

    return metrics


def _fig2(lead):
    def metrics(row, rng):
        if row["task"] == "convergence":
            return {"largest-rise": 0.0 if lead else 0.01}
        if row["method"] == smoothing.RATE:
            fall = row["params"]["inner_max_iter"] ** (-1.0 if lead else 0.5)
            return {"excess": fall * np.exp(0.02 * rng.standard_normal())}
        return {"rise": 0.0 if lead else 0.01, "smoothing-gap": 0.9 if lead else 1.1}

    return metrics


def _run(stop, seconds, end, rng, start=2):
    """A run that falls evenly from ``start`` to ``end`` in ``stop`` rounds, then stands still."""
    trace = np.zeros(stop + 6, dtype=TRACE_DTYPE)
    trace["iteration"] = np.arange(stop + 6)
    noise = np.exp(0.005 * rng.standard_normal(2))
    trace["cpu_seconds"] = trace["seconds"] = seconds * noise[0] * trace["iteration"]
    trace["objective"] = np.interp(trace["iteration"], [0, stop], [start, end * noise[1]])
    return {"norm": 2.0, "arrays": {"trace": trace}}


# Rounds to the stop, seconds a round, and objective at the end, by method.
_SMALL = {
    True: {"rri": (12, 1.0, 0.98), "ogm": (20, 1.2, 1.0)},
    False: {"rri": (40, 5.0, 1.2), "ogm": (30, 1.2, 1.0)},
}
_LARGE = {
    True: {"rri": (20, 5.0, 1.2), "ogm": (20, 1.0, 1.0)},
    False: {"rri": (20, 0.5, 0.8), "ogm": (20, 1.0, 1.0)},
}


def _speed_claims(*large):
    def made(lead):
        def metrics(row, rng):
            sizes = row["dataset"], row["dataset_params"].get("n_features")
            runs = (_LARGE if large == sizes else _SMALL)[lead]
            # On small data the two are comparable in the paper's world: the whole fall is small.
            start = 1.04 if lead and large != sizes else 2
            return _run(*runs["rri" if row["solver"] == "mahnmf-rri" else "ogm"], rng, start)

        return metrics

    return made


def _crossover(lead):
    runs = {
        True: {
            matrices.SORT: (20, 2.0, 1.1),
            matrices.SELECT: (20, 0.2, 1.1),
            matrices.OGM: (20, 5.0, 1.05),
            matrices.SPECTRAL: (20, 1.0, 1.0),
            matrices.HYBRID: (20, 0.1, 0.9),
        },
        False: {
            matrices.SORT: (20, 1.0, 1.1),
            matrices.SELECT: (20, 10.0, 1.0),
            matrices.OGM: (20, 1.0, 1.05),
            matrices.SPECTRAL: (20, 20.0, 1.2),
            matrices.HYBRID: (20, 20.0, 1.3),
        },
    }[lead]

    def metrics(row, rng):
        return _run(*runs.get(row["method"], (20, 30.0, 1.3)), rng)

    return metrics


OUTCOMES = {
    "mahnmf/fig1": _fig1,
    "mahnmf/fig2": _fig2,
    "mahnmf/fig3": _speed_claims("uniform", 5000),
    "mahnmf/fig4": _speed_claims("pie", None),
    "mahnmf/crossover": _crossover,
}
