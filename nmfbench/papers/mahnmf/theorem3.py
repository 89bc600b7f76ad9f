"""Theorem 3 of MahNMF on random and degenerate functions, and where sweeps by it end."""

from __future__ import annotations

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.frames import with_columns
from nmfbench.artefacts.grids import Method, cross, labelled, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.mahnmf.fig1 import EXACT
from nmfbench.tasks.ridge_minimum import KINDS
from nmfbench.trials.trial import Trial

RRI = "MahNMF-M (RRI)"
METHODS = tuple(
    Method(RRI, "mahnmf-m-rri", {"beta": beta, "n_neighbors": 5}) for beta in (1e-3, 0.1, 10.0)
)
_SPARSE = 0.5
_ROUNDING = 1e-9
_NUMBERS = {
    "excess": "closed form: excess over the search",
    "kernel-excess": "selection: excess over the search",
    "convexity": "least rise over that of the quadratic",
    "single-move": "fall by a change of one weight",
}
_WORST = {"excess": "max", "kernel-excess": "max", "convexity": "min", "single-move": "max"}
_SWEEPS = "sweeps over W"


def trials(profile):
    """Functions of every kind, and sub-problems of MahNMF-M with dense and with sparse bases."""
    repeats, n = {"smoke": (2, 5), "quick": (6, 100), "paper": (20, 100)}[profile]
    functions = Trial(
        "ridge-minimum", "uniform", "", dataset_params={"n_samples": n, "n_features": 31}
    )
    sweeps = Trial(
        "manifold-moves",
        "uniform",
        "",
        dataset_params={"n_samples": 10 if n == 5 else 40, "n_features": 20},
        options={"n_components": 4},
    )
    found = cross(functions, repeats, _named(KINDS, options("kind", KINDS)), methods(METHODS[:1]))
    for zeros, words in ((0.0, ""), (_SPARSE, ", half of the basis zero")):
        labels = [f"{_SWEEPS}, β = {method.params['beta']:g}{words}" for method in METHODS]
        found += cross(sweeps, repeats, options("zeros", [zeros]), _named(labels, methods(METHODS)))
    return found


_named = partial(labelled, "functions")  # their kind, or the basis and the weight of the graph


def summarise(frame):
    """The worst of each number in all trials of a kind."""
    frame = with_columns(frame, _NUMBERS)
    worst = frame.groupby("functions", sort=False).agg(_WORST)
    long = worst.melt(ignore_index=False, var_name="number", value_name="worst").dropna()
    count = frame.groupby("functions").size().rename("trials")
    return long.join(count).reset_index().replace({"number": _NUMBERS})


def draw(table):
    """One line for each kind."""
    return score_table(
        table,
        {"functions": "functions", "trials": "trials"},
        list(_NUMBERS.values()),
        lambda cell: f"{cell.worst:.2g}",
        column="number",
    )


_SOURCE = "Section 4.2, Theorem 3"

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/theorem3",
        title="Theorem 3: distances plus a quadratic, minimised in closed form",
        kind="table",
        methods=METHODS,
        grid=trials,
        table=summarise,
        picture=draw,
        claims=[
            Claim(
                "closed-form",
                "The closed form is the minimum: no point that a search finds has a smaller value, "
                "by more than rounding.",
                _SOURCE,
                without_exception(RRI, "excess", high=_ROUNDING),
            ),
            Claim(
                "unique",
                "The minimum is unique, by strong convexity: away from it the function rises at "
                "least as its quadratic does.",
                _SOURCE,
                without_exception(RRI, "convexity", low=1 - 1e-6, whose="paper", measured_from=1.0),
            ),
            Claim(
                "rri",
                "RRI optimises each variable of MahNMF-M by it: where sweeps over W end, no "
                "change of a single weight lowers the objective.",
                "Section 4.2, Eqs. (36)-(37)",
                without_exception(RRI, "single-move", high=EXACT),
            ),
            Claim(
                "selection",
                "Selection in linear time, which the solvers have, finds the same minimum over "
                "the non-negative numbers.",
                "ours, after Section 4.2, Theorem 3",
                without_exception(RRI, "kernel-excess", high=_ROUNDING),
                origin="ours",
            ),
        ],
        planned=Plan(20, "A repeat takes 5 s of CPU time."),
        assumed={
            "theorem": "Its formula is lost in the text. By the proof the minimum is on the point "
            "whose slopes to the left and to the right differ in sign, or where the slope vanishes "
            "before the first point, after the last, or between two.",
            "search": "120 golden sections between the smallest and the largest of the points and "
            "the centre of the quadratic; it knows neither slopes nor points.",
            "functions": "Up to 30 points, uniform on [0, 1], 100 functions in a trial. Degenerate "
            "kinds: points that coincide, points at zero, a quadratic so weak that the minimum is "
            "on a point, equal weights whose slopes cancel between two points, a quadratic so "
            "strong that it is outside of all points, a single point, weights over twelve orders "
            "of magnitude.",
            "RRI": "40 samples of 20 uniform features on 4 random components that stay as they "
            "are, five neighbours, sweeps over W until none lowers the objective. It is optimal "
            "in every weight, which is not to say in all together: the kinks of the loss couple "
            "them, as Figure 1 shows for plain MahNMF.",
        },
        caption="Worst of all trials of a kind: the value at the closed form (sorting, and "
        "selection over non-negative numbers) less that of the best point of a search, as a share; "
        "the least rise of the function over that of its quadratic part, 1 or more for a unique "
        "minimum; and the share of the objective by which a change of one weight could lower it "
        "where sweeps end.",
    )
)
