"""Rate of Algorithm 2 on the smoothed sub-problem, with a penalty on groups and without."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least, without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import not_worse
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Curves
from nmfbench.tasks.group_rate import PENALTIES
from nmfbench.trials.trial import Trial

GS = "MahNMF-GS"
METHODS = (Method(GS, "mahnmf-gs"),)
_NONE, *_NORMS = PENALTIES
_IN_WORDS = {"2": "2", "infinity": "∞"}
_LABELS = {_NONE: "no penalty"} | {p: f"groups, p = {text}" for p, text in _IN_WORDS.items()}
_STEPS = (10, 20, 40, 80, 160, 320, 640)
_SAME = 0.05  # smallest difference of exponents that matters
_ROUNDING = 1e-6
_SOURCE = "Section 4.3, after Eqs. (54) and (57)"


def trials(profile):
    """One sub-problem of each repeat under each penalty, with dense and with sparse bases."""
    repeats, n = {"smoke": (2, 15), "quick": (6, 40), "paper": (20, 40)}[profile]
    base = Trial(
        "group-rate",
        "uniform",
        "",
        dataset_params={"n_samples": n, "n_features": n},
        options={"n_components": 5, "steps": _STEPS[:4] if profile == "smoke" else _STEPS},
    )
    shares = options("zeros", (0.0, 0.5))
    return cross(base, repeats, options("penalty", PENALTIES), shares, methods(METHODS))


def table(frame):
    """Geometric means of the excess with 95 % intervals, by penalty and iterations."""
    curves = pd.DataFrame(
        {
            "penalty": frame["penalty"].map(_LABELS),
            "repeat": frame["repeat"],
            "steps": [arrays["steps"] for arrays in frame["arrays"]],
            "excess": [arrays["excess"] for arrays in frame["arrays"]],
        }
    )
    rows = curves.explode(["steps", "excess"]).astype({"steps": float, "excess": float})
    rows = rows[rows["excess"] > 0]
    return mean_table(rows, "excess", ["penalty", "steps"], over=["repeat"], geometric=True)


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/group-rate",
        title="Algorithm 2 with a penalty on groups",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=table,
        picture=Curves(
            x="steps",
            labels=list(_LABELS.values()),
            curve="penalty",
            xlabel="iterations",
            ylabel="excess, as a share of that at the start",
            size=(6.0, 3.8),
            logx=True,
            logy=True,
        ),
        claims=[
            Claim(
                "bound",
                "With a penalty on groups the excess of the smoothed sub-problem stays below the "
                "bound of the optimal gradient method, which falls as the square of the "
                "iterations. (The excess as a share of the bound.)",
                _SOURCE,
                without_exception(
                    GS, "bound-share", high=1 + _ROUNDING, at={"penalty": list(_NORMS)}
                ),
            ),
            *(
                Claim(
                    f"quadratic-{p}",
                    f"With groups in the norm of p = {_IN_WORDS[p]} the excess falls at least as "
                    "the square of the iterations: its exponent is at least 2, within 0.05.",
                    f"ours, after {_SOURCE}",
                    at_least(
                        {"method": GS, "penalty": p}, "exponent", 2 - _SAME, measured_from=2.0
                    ),
                    origin="ours",
                )
                for p in _NORMS
            ),
            *(
                Claim(
                    id,
                    "The excess falls no more slowly with groups in the norm of "
                    f"p = {_IN_WORDS[p]} than without a penalty: its exponent is not smaller.",
                    f"ours, after {_SOURCE}",
                    not_worse(
                        {"method": GS, "penalty": p},
                        [{"method": GS, "penalty": _NONE}],
                        "exponent",
                    ),
                    origin="ours",
                )
                for id, p in zip(("not-slower", "not-slower-infinity"), _NORMS, strict=True)
            ),
        ],
        planned=Plan(20, "A repeat takes some five seconds of CPU time."),
        assumed={
            "rate": "The order is lost in the text; Algorithm 2 without penalty has that of the "
            "optimal gradient method at a fixed smoothing parameter, 1/k², which the excess of "
            "the smoothed objective with the penalty is compared with.",
            "sub-problem": "40 uniform samples of 40 features, W uniform or half of it zero, 5 "
            "components, 4 groups of features, μ = 0.1, the penalty of weight 0.2 times the "
            "number of samples, from a uniform H; no stop rule.",
            "exponent": "Minus the slope of a line through the logarithms of the excess after 10 "
            "to 640 iterations, where it is not rounding. A rate is an upper bound, so that the "
            "paper's claim is on the bound alone. That the exponent is at least 2, and not smaller "
            "than without a penalty, are our questions: where the curvature at the solution is "
            "positive, any gradient method has a larger one in the end.",
            "solution": "The best point of all runs and of 5000 iterations with restarts.",
        },
        caption="Excess of the smoothed sub-problem over its minimum as a share of that at the "
        "start, after k iterations of Algorithm 2; geometric means over repeats with 95 % "
        "intervals.",
    )
)
