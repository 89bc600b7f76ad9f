"""Marks of Table 1 for LNMF and NSDR, each as a measurement against NMF."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_most
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import better, not_worse
from nmfbench.artefacts.finding import at_each_reading, with_evidence
from nmfbench.artefacts.frames import drawn_rows, melt_metrics, select_rows
from nmfbench.artefacts.grids import CLEAN, changed, corrupted
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import mean_and_deviation, score_table
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.protocols import AC
from nmfbench.papers.rnmfd.sets import SETS, clusterings, method, shape_trial
from nmfbench.papers.rnmfd.terms import KEPT, kept_above_chance
from nmfbench.solvers import make_solver

NMF, LNMF, NSDR = "NMF", "LNMF", "NSDR"
_DRAWN = (method(NMF, "mu"), method(LNMF, "lnmf"), method(NSDR, "nsdr"))
_WEIGHTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)  # decades of the paper's grid for graphs


def _with_graph(weight):
    return NSDR if weight == 1 else f"{NSDR}, graph times {weight:g}"


def _times(weight):
    """NSDR whose graph weighs more: the weights of its other terms divided by as much."""
    others = {name: make_solver("nsdr").get_params()[name] / weight for name in ("lam", "xi")}
    return replace(method(_with_graph(weight), "nsdr", **others), drawn=False)


_HEAVY = replace(method("GNMF, weight 1000", "gnmf", alpha=1000.0), drawn=False)
_OF_TRIVIAL = (*(_times(weight) for weight in _WEIGHTS if weight != 1), _HEAVY)
METHODS = (*_DRAWN, *_OF_TRIVIAL)
_IMAGES = ("yale", "umist")
_ENTRIES = (("salt-pepper", 0.1), ("occlusion", 0.32))
_SAMPLES = (("broken-samples", 0.1),)
_GROSS = (*_ENTRIES, *_SAMPLES)  # each replaces a tenth of the entries


def trials(profile):
    """Clusterings of clean and of corrupted images, and the factors behind the clean ones.

    Of the latter also at other weights of a graph.
    """
    repeats, small = {"smoke": 2, "quick": 5, "paper": 20}[profile], profile == "smoke"
    clean = clusterings(_IMAGES, _DRAWN, repeats, smoke=small)
    weighed = clusterings(_IMAGES, _OF_TRIVIAL, repeats, smoke=small)
    return [
        *(changed(trial, place) for place in corrupted([(None, None), *_GROSS]) for trial in clean),
        *(shape_trial(trial) for trial in clean + weighed),
        *(replace(trial.fit, task="graph-structure") for trial in clean + weighed),
    ]


_COLUMNS, _OVER, _DISTANCE = "columns-alike", "edges-over-chance", "indicator-distance"
_SHOWN = {
    KEPT: "robustness: accuracy above chance kept under gross errors (%)",
    _OVER: "locality: edges within clusters over chance",
    _DISTANCE: "discriminability: distance from the indicators",
    _COLUMNS: "trivial solution: columns alike",
}


def frame(records):
    """Records with what is kept of the clean accuracy above chance under gross errors, in per
    cent."""
    kept = kept_above_chance(records, AC, f"{AC}-shuffled", ["dataset", "noise"])
    return records.assign(**{KEPT: kept.where(records["noise"] != CLEAN)})


def summarise(frame):
    """Means and standard deviations over repeats, by ``quantity``, ``dataset`` and ``method``."""
    drawn = drawn_rows(frame, METHODS)
    long = melt_metrics(drawn, _SHOWN, "quantity", "value").dropna(subset="value")
    runs = long.groupby(["quantity", "dataset", "method", "repeat"], observed=True)["value"].mean()
    groups = runs.groupby(["quantity", "dataset", "method"], observed=True)
    rows = groups.agg(["mean", "std", "count"]).reset_index()
    return rows.astype({"quantity": str, "method": str})


def draw(table):
    """A line for each mark and set, a column for each method."""
    named = table.assign(dataset=[SETS[name].label for name in table["dataset"]])
    lines = {"quantity": "mark", "dataset": "images"}
    return score_table(named, lines, [m.label for m in _DRAWN], _cell)


def _cell(cell):
    places = 1 if cell.quantity == _SHOWN[KEPT] else 2
    return mean_and_deviation(cell.mean, cell.std, cell.count, places)


# -- claims -----------------------------------------------------------------------------------

_MOST = 0.5
_POOLED: dict[str, Any] = {"blocks": "dataset"}


def _wherever(test_of, side, rivals):
    """A test of the accuracy kept that comes out alike wherever the errors are."""
    places = {"every image": _ENTRIES, "a tenth of the images": _SAMPLES}
    tests = {
        words: test_of(
            side, rivals, KEPT, ["noise"], at={"corruption": [n for n, _ in noises]}, **_POOLED
        )
        for words, noises in places.items()
    }
    return at_each_reading("where the errors are", tests)


def _at_each_graph(test_of):
    """A test of NSDR that comes out alike however much its graph weighs."""
    tests = {f"{weight:g}": test_of(_with_graph(weight)) for weight in _WEIGHTS}
    return at_each_reading("the weight of the graph of NSDR", tests)


def _beside(test, value, words):
    """``test``, and beside it a method that has no such tick: GNMF with a heavy graph."""

    def describe(frame):
        found = select_rows(frame, method=_HEAVY.label).reindex(columns=[value])[value].dropna()
        if found.empty:
            return ""
        return f"{_HEAVY.label}, without this tick: {words.format(found.mean())}"

    return with_evidence(test, describe)


CLAIMS = [
    Claim(
        "lnmf-robust",
        "LNMF is robust: under gross errors it keeps more of its clean accuracy above chance than "
        "NMF.",
        "Table 1",
        _wherever(better, LNMF, NMF),
    ),
    Claim(
        "nsdr-not-robust",
        "NSDR is not robust: under gross errors it keeps no more of its clean accuracy above "
        "chance than NMF.",
        "Table 1",
        _wherever(not_worse, NMF, [NSDR]),
    ),
    Claim(
        "nsdr-locality",
        "NSDR preserves locality: more edges of the neighbour graph are within clusters, beyond "
        "what clusters of their sizes have by chance, than under NMF.",
        "Table 1",
        _at_each_graph(lambda nsdr: better(nsdr, NMF, _OVER, **_POOLED)),
    ),
    Claim(
        "lnmf-no-locality",
        "LNMF does not preserve locality: no more edges are within clusters, beyond chance, than "
        "under NMF.",
        "Table 1",
        not_worse(NMF, [LNMF], _OVER, **_POOLED),
    ),
    Claim(
        "nsdr-discriminability",
        "NSDR discriminates: its representation is nearer to the scaled indicators of the true "
        "classes than that of NMF.",
        "Table 1",
        _beside(
            _at_each_graph(lambda nsdr: better(nsdr, NMF, _DISTANCE, lower=True, **_POOLED)),
            _DISTANCE,
            "distance {:.2f}",
        ),
    ),
    Claim(
        "lnmf-no-discriminability",
        "LNMF does not discriminate: its representation is no nearer to the scaled indicators of "
        "the true classes than that of NMF.",
        "Table 1",
        not_worse(NMF, [LNMF], _DISTANCE, lower=True, **_POOLED),
    ),
    Claim(
        "nontrivial",
        "LNMF and NSDR avoid the trivial solution, whatever the graph of NSDR weighs: less than "
        "half of the columns of the representation are zero, or have a cosine above 0.99 with "
        "another one. (By the paper a graph that weighs too much makes a solution trivial; LNMF "
        "has none.)",
        "Table 1",
        _beside(
            _at_each_graph(lambda nsdr: at_most([LNMF, nsdr], _COLUMNS, _MOST)),
            _COLUMNS,
            "{:.0%} of columns alike",
        ),
    ),
]


ARTEFACT = register_artefact(
    Artefact(
        "rnmfd/ticks",
        title="Marks of LNMF and NSDR in Table 1",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        claims=CLAIMS,
        planned=Plan(20, "A repeat takes 10 s of CPU time."),
        matters={KEPT: 2.0},
        assumed={
            "marks": "A tick: ahead of NMF, which has feature learning alone. No tick: not ahead "
            "of NMF by more than twice the smallest difference that matters. Feature learning of "
            "NSDR is a matter of definition: it returns groups and no components.",
            "robustness": "The paper does not say to what, nor test it. Salt and pepper and "
            "occlusion, each on a tenth of the entries of every image, as noise is sparse in its "
            "Section 3.1; and a tenth of the images wrong as a whole, which the norm of LNMF is "
            "made for. The marks are decided where both come out alike. What is kept is of the "
            "accuracy above chance, that of the same clusters with shuffled labels.",
            "locality": "The graph of five neighbours, on images of unit length; clusters are "
            "those that a method returns, or by K-means.",
            "discriminability": "‖V − F‖ / √(2k) with F the scaled indicators of the true classes, "
            "Eq. (7), columns of unit length and matched: the paper's Section 3.1 calls a "
            "representation near to F discriminative.",
            "weights of NSDR": "Not given, and its graph has none of its own: it is weighed by "
            "0.01 to 1000 times against the other terms, the range of the paper's grid for graphs, "
            "and marks of NSDR on clean images are decided where all decades come out alike.",
            "trivial solution": "LNMF avoids by design what only a graph brings about. GNMF with "
            "the weight 1000 shows what the test tells apart.",
            "images": "YALE and UMIST, all methods at their default parameters but for that.",
        }
        | {name: sets.ASSUMED[name] for name in ("scale", "start", "stopping", "clusters")},
        stands_for={"umist": sets.STANDS_FOR["umist"]},
        caption="Mean ± standard deviation over starts and draws of the errors. NMF stands beside "
        "for what a method has without the property.",
    )
)
