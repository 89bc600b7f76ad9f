"""ANP as the slides print it, for many iterations: claims and a question on its convergence."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from nmfbench.artefacts.bounds import stays
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import smaller
from nmfbench.artefacts.frames import reference, select_rows
from nmfbench.artefacts.grids import cross, methods
from nmfbench.core.matters import Ratio
from nmfbench.papers.anp.curves import DEFAULTS, TRIED, on_classes
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.sets import shape_trial
from nmfbench.stats.traces import time_to
from nmfbench.trials.trial import Trial

_FEW, _MANY = 200, 2000  # iterations
SHORT, LONG = (f"ANP as on the slides, {n} iterations" for n in (_FEW, _MANY))


def _as_printed(label, n, weights):
    """Without a scale of the components, which the slides do not fix, and a step for descent."""
    return sets.method(
        label, "anp", **weights, normalize=False, v_update="paper", tol=0.0, max_iter=n
    )


_WEIGHTS = [dict(zip(DEFAULTS, pair, strict=True)) for pair in TRIED]
METHODS = tuple(
    _as_printed(label, n, weights)
    for (label, n), weights in product(((SHORT, _FEW), (LONG, _MANY)), _WEIGHTS)
)
_TRACED = _as_printed(LONG, _MANY, DEFAULTS)


def grid(dataset: str, n_classes: int, draws: int, *, smoke: bool = False) -> list[Trial]:
    """The norms of the factors for all weights, and the traces of long fits at the defaults."""
    base = on_classes(dataset, n_classes, smoke=smoke)
    chosen = METHODS[:: len(_WEIGHTS)] if smoke else METHODS  # at the first weights
    shapes = [shape_trial(trial) for trial in cross(base, draws, methods(chosen))]
    return shapes + [trial.fit for trial in cross(base, draws, methods([_TRACED]))]


_FIRST, _THIRD = "the first tenfold fall of the gap", "the third"
_NORM, _GROWTH = "norm-of-the-representation", "growth-of-the-representation"
MATTERS = {_GROWTH: Ratio(0.05), "iterations": Ratio(0.10)}
"""Of what is derived here, the smallest differences that matter."""


def with_convergence(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the growth of representations, and rows for two falls of the gap.

    The growth is the norm after many iterations over that after few, from the same start. The gap
    is that of the objective to its last value; ``iterations`` is how many a fall takes.
    """
    weights = [params.get("lam1", DEFAULTS["lam1"]) for params in frame["params"]]
    frame = frame.assign(weight=weights)
    earlier = reference(frame, _NORM, {"method": SHORT}, ["weight", "repeat"])
    norms = frame.get(_NORM, pd.Series(np.nan, frame.index))
    frame[_GROWTH] = (norms / earlier).where(frame["method"] == LONG)
    falls = [
        {"method": name, "repeat": fit.repeat, "iterations": iterations}
        for fit in select_rows(frame, method=LONG, task="factorization").itertuples()
        for name, iterations in _falls(fit.arrays["trace"]).items()
    ]
    return pd.concat([frame, pd.DataFrame(falls)], ignore_index=True)


def _falls(trace):
    """Iterations of the first and of the third fall of the gap to a tenth."""
    start, end = trace["objective"][[0, -1]]
    levels = [end + share * (start - end) for share in (0.1, 0.01, 0.001)]
    first, second, third = (time_to(trace, level, "iteration") for level in levels)
    return {_FIRST: max(first, 1.0), _THIRD: max(third - second, 1.0)}


_SLIDE = "slide “Here in this paper”"

CLAIMS = [
    Claim(
        "fast-then-slow",
        "The method is fast at the beginning and slow to approach the solution: the first tenfold "
        "fall of the gap to the last objective takes fewer iterations than the third.",
        _SLIDE,
        smaller(_FIRST, _THIRD, "iterations"),
    ),
    Claim(
        "converges",
        f"The representation stops growing: from {_FEW} to {_MANY} iterations its norm changes by "
        "less than a tenth, whatever the weight.",
        f"ours, after the {_SLIDE}, which says “may take infinity number of iterations”",
        stays(LONG, _GROWTH, 0.1),
        origin="ours",
    ),
]

ASSUMED = {
    "convergence": "The formulas of the slides, with the denominator split into its parts, without "
    f"a scale of the components and without a stopping rule: {_FEW} and {_MANY} iterations from "
    "the same start, at the three weights λ₁ of the quick grid, ten classes. The gap is to the "
    "objective after the last iteration, at λ₁ = 0.01. The problem has no stationary point but "
    "V = 0, as a larger V and a smaller U always lower the trace: converging takes that the "
    "representation stops growing.",
}
