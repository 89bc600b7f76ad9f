"""Classes in the representation, and the graph's edges within clusters and between classes."""

from __future__ import annotations

from dataclasses import replace

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, better
from nmfbench.artefacts.finding import with_evidence
from nmfbench.artefacts.frames import melt_metrics, select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import mean_and_deviation, score_table
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.sets import (
    SETS,
    as_printed,
    at_each_exponent,
    clusterings,
    method,
)
from nmfbench.problems.clustering import whole_set
from nmfbench.trials.trial import Trial

ALL, NO_ORTHOGONALITY, LIGHT = "RNMFD", "RNMFD without orthogonality", "RNMFD, α = 1"
_NEIGHBORS = (1, 3, 5, 7, 9)  # the paper's range
_USUAL, _MANY = 5, 9


def _with_neighbors(p):
    return ALL if p == _USUAL else f"{ALL}, p = {p}"


_FITTED = (
    method(ALL, "rnmfd"),
    method(NO_ORTHOGONALITY, "rnmfd", beta=0.0),
    method(LIGHT, "rnmfd", alpha=1.0),
)
_GRAPHS = tuple(method(_with_neighbors(p), "rnmfd", n_neighbors=p) for p in _NEIGHBORS)
_ALL_FITTED = (*_FITTED, *as_printed(_FITTED))
METHODS = (*_ALL_FITTED, *(m for m in _GRAPHS if m.label != ALL))

# -- trials and table -------------------------------------------------------------------------


def trials(profile):
    """Fits to all of each set, and graphs of half of its classes."""
    repeats, small = {"smoke": 2, "quick": 5, "paper": 20}[profile], profile == "smoke"
    shown = ("yale", "semeion") if small else SETS
    fits = clusterings(shown, _ALL_FITTED, repeats, smoke=small)
    graphs = [
        _graph(SETS[name], m, repeat, small)
        for name in shown
        for m in _GRAPHS
        for repeat in range(repeats)
    ]
    return [*(replace(trial.fit, task="graph-structure") for trial in fits), *graphs]


def _graph(images, method, repeat, small):
    problem = whole_set(images, smoke=small)
    return Trial(
        "neighbour-graph",
        problem.dataset,
        method.solver,
        dataset_params=problem.dataset_params,
        params=method.params,
        options={"n_classes": (problem.options["n_components"] + 1) // 2},
        repeat=repeat,
        stand_in=small,
    )


_DISTANCE, _LITERAL = "indicator-distance", "indicator-distance-unscaled"
_WITHIN, _CHANCE, _OVER = "edges-within-clusters", "pairs-within-clusters", "edges-over-chance"
_BETWEEN = "edges-between-classes"
_OF_FIT = {
    _DISTANCE: "distance from the indicators, columns of unit length",
    _LITERAL: "distance from the indicators, columns as they are",
    _WITHIN: "edges within clusters",
    _CHANCE: "pairs within clusters",
}
_QUANTITIES = _OF_FIT | {_BETWEEN: "edges between classes, of half of the classes"}


def summarise(frame):
    """Means and standard deviations over repeats, by ``quantity``, ``method`` and ``dataset``."""
    long = melt_metrics(frame, _QUANTITIES, "quantity", "value").dropna(subset="value")
    groups = long.groupby(["quantity", "method", "dataset"], observed=True)["value"]
    rows = groups.agg(["mean", "std", "count"]).reset_index()
    return rows.astype({"quantity": str, "method": str})


def draw(table):
    """A line for each quantity of a method, a column for each set."""
    named = table.assign(dataset=[SETS[name].label for name in table["dataset"]])
    of_graph = named["quantity"] == _QUANTITIES[_BETWEEN]
    named.loc[of_graph, "method"] = [
        f"p = {name.partition('p = ')[2] or _USUAL}" for name in named.loc[of_graph, "method"]
    ]
    labels = [images.label for images in SETS.values()]
    order = list(_QUANTITIES.values())
    lines = named.assign(
        place=[order.index(quantity) for quantity in named["quantity"]],
        graph=[name if name.startswith("p = ") else "" for name in named["method"]],
    ).sort_values(["place", "graph"], kind="stable")
    return score_table(
        lines, {"quantity": "", "method": "method or graph"}, labels, _cell, column="dataset"
    )


def _cell(cell):
    return mean_and_deviation(cell.mean, cell.std, cell.count, 3)


# -- claims -----------------------------------------------------------------------------------


def _as_they_are(frame):
    """The distances without scaling the columns, beside."""
    rows = select_rows(frame, method=[ALL, NO_ORTHOGONALITY])
    if _LITERAL not in rows:
        return ""
    means = rows.groupby("method", observed=True)[_LITERAL].mean().dropna()
    each = ", ".join(f"{name} {value:.3g}" for name, value in means.items())
    return f"‖V − F‖ / √k of columns as they are: {each}"


CLAIMS = [
    Claim(
        "near-the-indicator",
        "Orthogonality brings V near to the scaled indicator matrix of the true classes: with "
        "columns of unit length and matched, it is nearer than without orthogonality.",
        "Section 3.1",
        with_evidence(
            at_each_exponent(
                lambda own, without: better(own, without, _DISTANCE, lower=True, blocks="dataset"),
                ALL,
                NO_ORTHOGONALITY,
            ),
            _as_they_are,
        ),
    ),
    Claim(
        "edges-between-classes",
        f"If p is too large the graph may connect dissimilar samples: on one of the data sets at "
        f"least the share of edges that join images of different classes is larger at p = {_MANY} "
        f"than at p = {_USUAL}.",
        "Section 4.2, Figure 2(a)",
        always_best(
            _with_neighbors(_MANY),
            [_with_neighbors(_USUAL)],
            _BETWEEN,
            each={"dataset": list(SETS)},
            rule="some",
        ),
    ),
    Claim(
        "edges-within-clusters",
        "If α is small the locality of data may not be preserved effectively: on one of the data "
        "sets at least fewer edges of the graph join images of one cluster at α = 1 than at "
        "α = 100, beyond what clusters of their sizes have by chance.",
        "Section 4.2, Figure 2(b)",
        at_each_exponent(
            lambda own, light: always_best(
                own, [light], _OVER, each={"dataset": list(SETS)}, rule="some"
            ),
            ALL,
            LIGHT,
        ),
    ),
]


ARTEFACT = register_artefact(
    Artefact(
        "rnmfd/structure",
        title="Classes in the representation, and edges within clusters",
        kind="table",
        methods=METHODS,
        grid=trials,
        table=summarise,
        picture=draw,
        claims=CLAIMS,
        planned=Plan(20, "A repeat takes 12 s of CPU time."),
        assumed={
            "distance": "V has no scale where β = 0, and as it is V = 0 is nearer to F than any V "
            "with columns of unit length whose cosines with those of F are below a half. So "
            "columns have unit length: ‖V − F‖ / √(2k), 0 of the indicators and 1 of columns at "
            "right angles to all of them. Columns are matched so that it is smallest. The table "
            "has ‖V − F‖ / √k of columns as they are, too.",
            "edges within clusters": "Of the graph of five neighbours, by K-means of V. If all "
            "images are in one cluster all edges are within it: the share of all pairs that are "
            "within clusters is taken off.",
            "α": "1 against the paper's 100. The text says “may”: one data set is enough.",
            "edges between classes": "The graph of all images of half of the classes, which each "
            "repeat draws: the whole set has one graph only. The share is larger with all classes. "
            f"p = {_MANY} is the largest of the paper's.",
        }
        | {name: text for name, text in sets.ASSUMED.items() if name != "clusters"},
        stands_for=sets.STANDS_FOR,
        caption="Above, fits to all images of a set: the distance of V from the scaled indicators "
        "of the classes, and the shares of edges and of all pairs of images that are within one "
        "cluster. Below, the share of edges that join images of different classes, by the number "
        "of neighbours. Mean ± standard deviation over starts, or over draws of classes.",
    )
)
