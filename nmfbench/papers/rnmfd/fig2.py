"""Figure 2: RNMFD along its parameters, and how fast its objective falls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import Test, at_each_reading
from nmfbench.artefacts.frames import mean_table, melt_metrics, select_rows, with_columns
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd import protocols, sets
from nmfbench.papers.rnmfd.panels import (
    COLUMNS,
    GAP,
    LOST,
    METHODS,
    PANELS,
    PRINTED_PANELS,
    SPARSE,
    by_panel,
    panel_trials,
)
from nmfbench.papers.rnmfd.protocols import AC, AS_PRINTED, BASELINES, NMI
from nmfbench.papers.rnmfd.sensitivity import (
    MATTERS,
    ahead_of_baselines,
    as_good_as_extended,
    better_than_at,
    higher_and_worse,
    orthogonal,
    panels_at_each_exponent,
    spread_below,
    steadier,
    wider,
)
from nmfbench.papers.rnmfd.sensitivity_figure import draw, unscaled
from nmfbench.papers.rnmfd.sets import SETS, clusterings
from nmfbench.papers.rnmfd.settling import (
    CONVERGED,
    ITERATIONS,
    LAST,
    LONG,
    NEAR,
    OBJECTIVE,
    PRINTED,
    SETTLED,
    SHORT,
    SHOWN,
    curve_of,
    fits_of,
    usually_converges,
    usually_settles,
)

_BASELINES = [m for m in protocols.METHODS if m.label in BASELINES]
_SOLVERS = {m.solver for m in _BASELINES}


def trials(profile):
    """Panels, fits that go on, clusterings after few and many iterations, and the baselines."""
    small, runs = profile == "smoke", 10 if profile == "paper" else 1
    shown = ["yale", "semeion"] if small else SETS
    ends = clusterings(shown, [LONG, SHORT], runs, smoke=small)
    fits = clusterings(shown, [LONG, PRINTED], runs, smoke=small)
    baselines = [trial for trial in protocols.grid(profile) if trial.solver in _SOLVERS]
    found = [*panel_trials(profile), *ends, *(trial.base for trial in fits), *baselines]
    return list(dict.fromkeys(found))  # a run at the defaults is in three panels


# -- frame and table --------------------------------------------------------------------------


def frame(records):
    """The runs of all panels; those of the panel "objective" are the fits that go on."""
    records = with_columns(records, [AC, NMI, "n-dead-components", "orthogonality-gap"])
    return pd.concat([by_panel(records), fits_of(records)], ignore_index=True)


def summarise(frame):
    """Means over runs with 95 % intervals, in long form.

    Columns: ``panel``, ``dataset``, ``x``, ``score`` (AC, NMI, and of RNMFD the share of the
    columns that vanished, the orthogonality gap over √k, and along β the sparseness of codes),
    ``method``, ``mean``, ``low``, ``high``, ``count``. In panel "objective" ``x`` is the
    iteration, and the score the objective over the samples.
    """
    frame = frame[~frame["panel"].isin(PRINTED_PANELS.values())]
    by = ["panel", "dataset", "x", "score", "method"]
    names = (AC, NMI, LOST, GAP, SPARSE)
    scores = melt_metrics(frame, {name: name for name in names}, "score", "value")
    falls = [curve_of(fit) for fit in select_rows(frame, panel=OBJECTIVE).to_dict("records")]
    long = pd.concat([scores.dropna(subset=["value"]), *falls])
    table = mean_table(long.astype({"method": str, "score": str}), "value", by)
    return table.replace({"x": {np.inf: np.nan}})


# -- claims -----------------------------------------------------------------------------------


_RANGE = "the range of α"


def _over_ranges(test_of: Callable[..., Test]) -> dict[str, Test]:
    """A test over the range of the paper, and over all values that were run."""
    return {"10 to 10⁴": test_of(), "0.1 to 10⁴": test_of(whole=True)}


_ID, _WHERE = "rnmfd/fig2", "Section 4.2, Figure 2"
_HUGE = PANELS["orthogonal"].values[0]


CLAIMS = [
    *(
        Claim(
            f"ahead-{name}",
            "RNMFD has a higher AC than the best baseline of Table 3 on all five data sets for "
            f"{symbol} from {PANELS[name].between[0]:g} to {PANELS[name].between[1]:g}.",
            f"{_WHERE}({letter}){note}",
            panels_at_each_exponent(ahead_of_baselines(name)),
            reported(_ID, name).text,
            origin="ours" if note else "paper",
        )
        for letter, name, symbol, note in (
            ("a", "p", "p", ""),
            ("b", "alpha", "α", ""),
            ("c", "beta", "β", ", which says “satisfactory performance”; the baselines are ours"),
        )
    ),
    Claim(
        "stable-alpha",
        "RNMFD is stable for α from 10 to 10⁴.",
        f"{_WHERE}(b)",
        panels_at_each_exponent(spread_below("alpha")),
        reported(_ID, "alpha").text,
    ),
    Claim(
        "stable-ignmf",
        "IGNMF is stable over a wide range of α (tested from 10 to 10⁴).",
        _WHERE,
        spread_below("ignmf"),
    ),
    Claim(
        "unstable-gnmf",
        "GNMF is not stable, over α from 10 to 10⁴ and from 0.1 on.",
        _WHERE,
        at_each_reading(_RANGE, _over_ranges(partial(spread_below, "gnmf", stable=False))),
    ),
    Claim(
        "steadier-alpha",
        "The AC of RNMFD varies less with α than that of GNMF, over α from 10 to 10⁴ and from 0.1 "
        "on.",
        _WHERE,
        panels_at_each_exponent(_over_ranges(partial(steadier, "alpha", "gnmf")), _RANGE),
    ),
    Claim(
        "steadier-ignmf",
        "The AC of IGNMF varies less with α than that of GNMF, over α from 10 to 10⁴ and from 0.1 "
        "on.",
        _WHERE,
        at_each_reading(_RANGE, _over_ranges(partial(steadier, "ignmf", "gnmf"))),
    ),
    Claim(
        "wider-alpha",
        "The range of α over which RNMFD does well (within five points of its best AC) is much "
        "wider than the ranges of GNMF and DNMF: more than twice as wide on the logarithmic axis.",
        f"{_WHERE}(b)",
        panels_at_each_exponent(wider("alpha", ["gnmf", "dnmf"], 2.0)),
    ),
    Claim(
        "p-too-small",
        "If p is too small the local structure cannot be fully used: AC at p = 1 is below that "
        "for p from 3 to 7.",
        f"{_WHERE}(a)",
        panels_at_each_exponent(better_than_at("p", 1)),
    ),
    Claim(
        "p-too-large",
        "If p is too large the graph may connect dissimilar samples: on one of the data sets at "
        "least AC at p = 9, the largest, is below that for p from 3 to 7.",
        f"{_WHERE}(a)",
        panels_at_each_exponent(better_than_at("p", 9, somewhere=True)),
    ),
    Claim(
        "alpha-too-small",
        "If α is small the locality of data may not be preserved effectively: on one of the data "
        "sets at least AC at α = 1 is below that for α from 10 to 10⁴.",
        f"{_WHERE}(b)",
        panels_at_each_exponent(better_than_at("alpha", 1, somewhere=True)),
    ),
    *(
        Claim(
            f"beta-too-small-{dataset}",
            f"If β is too small RNMFD is prone to the trivial solution: on {images.label} more "
            "columns of the representation are alike at β = 1 than at 100, and AC is lower.",
            f"{_WHERE}(c)",
            panels_at_each_exponent(higher_and_worse(COLUMNS, "beta", 1.0, dataset)),
        )
        for dataset, images in SETS.items()
    ),
    *(
        Claim(
            f"beta-too-large-{dataset}",
            f"If β is too large codes may be too sparse, which is not desired: on {images.label} "
            "they are sparser at β = 10⁶ than at 100, and AC is lower.",
            f"{_WHERE}(c)",
            panels_at_each_exponent(higher_and_worse(SPARSE, "beta", 1e6, dataset)),
        )
        for dataset, images in SETS.items()
    ),
    Claim(
        "satisfactory-beta",
        "RNMFD does satisfactorily for β from 50 to 10⁴: its AC is not below that of GNMF at its "
        "best parameters, the method that it extends, by more than the margin, on all five data "
        "sets.",
        f"{_WHERE}(c)",
        panels_at_each_exponent(as_good_as_extended("beta")),
        reported(_ID, "beta").text,
    ),
    Claim(
        "beta-makes-orthogonal",
        "A properly large β makes the representation orthogonal: with β = 10⁸ ‖VᵀV − I‖² is at "
        "most a thousandth of k on the five data sets.",
        "Section 3.1",
        panels_at_each_exponent(orthogonal(1e-3)),
    ),
    Claim(
        "stable-raw",
        "With pixels from 0 to 255, not scaled, RNMFD is stable for α from 10 to 10⁴ on ORL and "
        "YALE: the penalties weigh too little.",
        "ours; the paper gives no scale",
        spread_below("raw"),
        origin="ours",
    ),
    Claim(
        "converges",
        "The updating rules as printed, Eqs. (12), (17) and (19), usually converge within 100 "
        f"iterations: from then on to iteration {SHOWN} the objective is within "
        f"{100 * NEAR:g} % of its last value in more than half of the runs.",
        f"{_WHERE}(d)",
        usually_converges("paper"),
        reported(_ID, "iterations").text,
    ),
    Claim(
        "converges-safe",
        "By the default rule, whose objective never rises, RNMFD usually converges within 100 "
        f"iterations: from then on to iteration {LAST} the objective is within {100 * NEAR:g} % "
        "of its last value in more than half of the runs.",
        f"ours, after {_WHERE}(d)",
        usually_converges("safe"),
        reported(_ID, "iterations").text,
        origin="ours",
    ),
    Claim(
        "settles",
        "RNMFD usually settles within 100 iterations: no later iteration changes the objective by "
        "1e-4 of it, and AC is within a point of that after 2000 iterations.",
        f"ours, after {_WHERE}(d), which speaks of the objective",
        usually_settles(),
        reported(_ID, "iterations").text,
        origin="ours",
    ),
]


def _further(trial):
    """The panels with the exponent as printed, and the smallest weight of the graph."""
    panel = trial.task != "factorization"
    printed, lightest = trial.params.get("v_update") == "paper", trial.params.get("alpha") == 0.1
    return trial.solver == "rnmfd" and panel and (printed or lightest)


ARTEFACT = register_artefact(
    Artefact(
        _ID,
        title="Sensitivity to parameters, and convergence",
        kind="figure",
        methods=(*METHODS, LONG, SHORT, PRINTED, *_BASELINES),
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        scores=unscaled,
        claims=CLAIMS,
        printed=[ITERATIONS],
        planned=Plan(10, "As in the paper's grid: a repeat takes 25 minutes of CPU time."),
        further=_further,
        matters=MATTERS | {CONVERGED: 0.02, SETTLED: 0.02},
        assumed={
            "score": "The paper's panels name neither AC nor NMI: drawn is AC, the table has both.",
            "best baseline": "The highest mean accuracy of Table 3, of its own best parameters "
            "on the test.",
            "verdicts": "The deviation from run to run is pooled over the values of a range on a "
            "data set. The data sets are taken as they are: runs are the observations.",
            "stable": "The mean AC of no two values of the range differs by four points or more, "
            "twice the smallest difference that matters, on any data set.",
            "much wider": "More than twice the decades, of those from 0.1 to 10⁴ that were tried. "
            "A stretch counts around the best value, so that a method that is low all over has "
            "none for being flat.",
            "baselines": AS_PRINTED,
            "λ": "The default rule at all values and on all sets. The paper sets λ for each data "
            "set, and Table 3 has the best of three rules: so this asks more of RNMFD.",
            "exponent": "Along p, α and β RNMFD is run with the safe exponent, which is drawn, and "
            "as printed: the paper's claims are decided where both come out alike.",
            "range of GNMF": "The paper gives none over which it varies: from 10 to 10⁴, as for "
            "RNMFD, and from 0.1 on, as GNMF may have collapsed at 10 already.",
            "too small, too large": "Not said; p = 1 and 9, α = 1 and β = 1, the ends of the axes, "
            "and β a hundred times the end of the range that the paper finds satisfactory. Where "
            "the paper says “may”, one data set is enough. Columns are alike if they are zero or "
            "have a cosine above 0.99 with another one.",
            "satisfactory": "The paper compares with nothing along β; the best parameters of the "
            "method that it extends are the least that would satisfy.",
            "orthogonal": "A bound for any ε is tested by one, a thousandth of k, at one β, "
            f"{_HUGE:.0e}.",
            "converges": f"Within {100 * NEAR:g} % of the last objective, the smallest difference "
            "that matters; usually is in more than half of the runs. The rules are as printed in "
            "the paper's claim. That labels have settled, too, is our claim.",
            "pixels 0 to 255": "Computed with pixels from 0 to 1 and both weights divided by 255², "
            "which is the same from the same start of the representation.",
        }
        | sets.ASSUMED,
        stands_for=sets.STANDS_FOR,
        caption="(a) to (d), the paper's panels: accuracy of RNMFD along p, α and β, other "
        "parameters at their defaults, and its objective, by the default rule and by Eq. (17) as "
        "printed. Dashed: the best baseline of Table 3, as we run it, in the colour of the data "
        "set; hatched: where the paper claims an advantage, and in (d) that it has settled; "
        "hollow: the accuracy that its Table 3 prints for p = 5, α = 100 and β = 100. (e) Mean "
        "sparseness of the codes along β, 1 for a single entry. (f) to (i), ours: three baselines "
        "along α; the distance of the representation from orthogonality, 1 where all its columns "
        "vanish. In the table, RNMFD without scaling the data, where its penalties weigh next to "
        "nothing. Means over runs with 95 % intervals, side by side.",
    )
)
