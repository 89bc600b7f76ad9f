"""Fits of RNMFD that go on: how fast the objective falls, and whether labels have settled."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.finding import Test, with_evidence, within
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.printed import PrintedNumber
from nmfbench.core.matters import COMMON
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.descent import RULES, by_rule
from nmfbench.papers.rnmfd.protocols import AC
from nmfbench.papers.rnmfd.sets import SETS, by_set, method
from nmfbench.stats.traces import raw_objective_at

EARLY, LAST, SHOWN = 100, 2000, 300
"""Iterations within which runs converge, of long fits, and of those by the printed rule."""
NEAR = COMMON["objective"].share
_SETTLED_AT = 1e-4, 0.01  # changes of the objective, relative, and of AC
CONVERGED, SETTLED = (
    f"share of runs whose objective from iteration {EARLY} on is near its last value",
    "share of runs that have settled",
)
OBJECTIVE = "objective"
"""Panel of the fits."""

LONG = method(f"RNMFD, {LAST} iterations", "rnmfd", tol=0.0, max_iter=LAST)
SHORT = method(f"RNMFD, {EARLY} iterations", "rnmfd", tol=0.0, max_iter=EARLY)
PRINTED = by_rule("paper", tol=0.0, max_iter=SHOWN)
_FALLS = {LONG.label: RULES["safe"], PRINTED.label: RULES["paper"]}
_STEPS = np.unique(np.r_[0:20, np.rint(np.geomspace(20, SHOWN, 60)).astype(int)])


def fits_of(records: pd.DataFrame) -> pd.DataFrame:
    """The fits, by rule in ``method``, as rows of the panel ``OBJECTIVE``.

    ``distance`` is the largest one of the objective after 100 iterations and more from its last
    value, relative to this; of fits of 2000 iterations there are ``change``, the largest relative
    one of the objective in an iteration after 100, and ``moved``, by which AC after 100 differs
    from that after 2000.
    """
    place = ["dataset", "repeat"]
    after, finally_ = (
        select_rows(records, task="clustering", method=m.label).set_index(place)[AC]
        for m in (SHORT, LONG)
    )
    fits = select_rows(records, task="factorization", method=list(_FALLS))
    fits = fits.join((after - finally_).rename("moved"), on=place)
    long = fits["method"] == LONG.label
    fits["moved"] = fits["moved"].where(long)
    fits["change"] = [
        _late(a) if yes else np.nan for a, yes in zip(fits["arrays"], long, strict=True)
    ]
    fits["distance"] = [_distance(arrays) for arrays in fits["arrays"]]
    fits[CONVERGED] = (fits["distance"] <= NEAR).astype(float)
    settled = (fits["change"] < _SETTLED_AT[0]) & (fits["moved"].abs() <= _SETTLED_AT[1])
    fits[SETTLED] = settled.astype(float).where(fits["moved"].notna())
    return fits.assign(method=fits["method"].map(_FALLS), panel=OBJECTIVE)


def _late(arrays):
    values = arrays["trace"]["objective"]
    return float(np.abs(np.diff(values) / values[:-1])[EARLY:].max(initial=0.0))


def _distance(arrays):
    values = arrays["trace"]["objective"]
    return float(np.abs(values[EARLY:] / values[-1] - 1).max(initial=0.0))


def curve_of(fit: dict) -> pd.DataFrame:
    """The objective over the samples along the iterations that are drawn."""
    trace, n = fit["arrays"]["trace"], len(fit["arrays"]["train"])
    steps = [step for step in _STEPS if step <= trace["iteration"][-1]]
    curve = pd.DataFrame({"x": steps, "value": raw_objective_at(trace, steps, "iteration") / n})
    place = {name: fit[name] for name in ("panel", "dataset", "method")}
    return curve.assign(score="O/n", **place)


# -- tests ------------------------------------------------------------------------------------


def usually_settles() -> Test:
    """Most runs have settled after 100 iterations."""
    return _usually("safe", SETTLED, _settling)


def usually_converges(rule: str) -> Test:
    """In most runs by a rule the objective after 100 iterations is near its last value."""

    def distances(frame):
        worst = 100 * select_rows(frame, method=RULES[rule]).groupby("dataset")["distance"].max()
        each = by_set(lambda d: f"{worst[d]:.2g}", worst.index)
        return f"largest distance from the last objective, in per cent: {each}"

    return _usually(rule, CONVERGED, distances)


def _usually(rule, share, describe: Callable[[pd.DataFrame], str]) -> Test:
    test = at_least(RULES[rule], share, 0.5)
    return within({"panel": OBJECTIVE}, with_evidence(test, describe))


def _settling(frame):
    runs, (change, moved) = frame.dropna(subset=["moved"]), _SETTLED_AT
    falls, stays = runs["change"] < change, runs["moved"].abs() <= moved
    means = runs[["change", "moved"]].abs().groupby(runs["dataset"]).mean()
    each = by_set(
        lambda d: f"{means['change'][d]:.1e} and {100 * means['moved'][d]:.2g}", means.index
    )
    return (
        f"of {len(runs)} runs {falls.sum()} in the objective and {stays.sum()} in AC; largest "
        f"later change of an iteration, and points by which AC differs from that after {LAST}: "
        f"{each}"
    )


# -- number of the paper ----------------------------------------------------------------------

_OWN = [name for name in SETS if name not in sets.STANDS_FOR]


def _iterations(frame):
    """Iterations until the objective is near its end, by repeat: geometric means over sets."""
    fits = select_rows(frame, panel=OBJECTIVE, method=RULES["safe"], dataset=_OWN)
    traces = [arrays["trace"] for arrays in fits["arrays"]]
    near = [trace["objective"] <= (1 + NEAR) * trace["objective"][-1] for trace in traces]
    first = [
        float(trace["iteration"][np.argmax(yes)]) for trace, yes in zip(traces, near, strict=True)
    ]
    logs = fits.assign(log=np.log(first)).pivot(index="repeat", columns="dataset", values="log")
    return np.exp(logs.reindex(columns=_OWN).mean(axis=1, skipna=False).dropna())


ITERATIONS = PrintedNumber(
    key="iterations",
    what=f"Iterations until the objective of RNMFD is within {NEAR:.0%} of that after {LAST}, "
    "geometric mean of ORL, YALE, MNIST and Semeion",
    value=(-math.inf, reported("rnmfd/fig2", "iterations").value),
    place=reported("rnmfd/fig2", "iterations").source,
    metric="n_iter",
    ours=_iterations,
    data=tuple(_OWN),
)
