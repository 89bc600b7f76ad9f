"""Table 1: properties that methods are designed for, and what a large weight leaves of them."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least, at_most
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import always_best, better
from nmfbench.artefacts.frames import melt_metrics, reference, select_rows, with_columns
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.region import Bounds
from nmfbench.artefacts.tables import mean_and_deviation, score_table
from nmfbench.core import registry
from nmfbench.core.matters import Ratio
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.protocols import COMPARED
from nmfbench.papers.rnmfd.sets import SETS, clusterings, method, shape_trial

_ID = "rnmfd/table1"
PROPERTIES = {
    "features": "feature learning",
    "locality": "locality",
    "discriminability": "discriminability",
    "robustness": "robustness",
    "nontrivial": "no trivial solution",
}
IN_PAPER = ("LNMF", "GNMF", "IGNMF", "NSDR", "RNMFD")  # its columns, in order
_METHODS = [c for c in COMPARED if not c.params]
_SOLVERS = {c.label: c.solver for c in _METHODS}
_ORDER = (*IN_PAPER, *(label for label in _SOLVERS if label not in IN_PAPER))


def _properties(label):
    return registry.solvers[_SOLVERS[label]].info["properties"]


# -- trials -----------------------------------------------------------------------------------

_LARGE = 1000.0
_HEAVY = {
    "GNMF": {"alpha": _LARGE},
    "DNMF": {"alpha": _LARGE, "alpha_features": _LARGE},
    "IGNMF": {"alpha": _LARGE},
    "RNMFD": {"alpha": _LARGE},
}
_SHORT, _LONG = 300, 1000  # iterations
_SCALE = {"GNMF": {"normalize": False}, "IGNMF": {}, "RNMFD": {}}


def _heavy(label):
    return f"{label}, weight {_LARGE:g}"


def _iterated(label, n):
    return f"{label}, {n} iterations"


# Only representations have cosines and columns to look at.
_DEFAULT = [c.default for c in _METHODS if "features" in _properties(c.label)]
_WITH_WEIGHT = [method(_heavy(label), _SOLVERS[label], **p) for label, p in _HEAVY.items()]
_OF_LENGTH = [
    method(_iterated(label, n), _SOLVERS[label], **params, max_iter=n, tol=0.0)
    for label, params in _SCALE.items()
    for n in (_SHORT, _LONG)
]


_READ, _READ_OF_LENGTH = (
    sets.as_printed(found) for found in ([*_DEFAULT, *_WITH_WEIGHT], _OF_LENGTH)
)
"""RNMFD with the exponent as printed."""


def trials(profile):
    """Clusterings and the factors behind them; for the scale factors alone, in "quick" of YALE."""
    repeats, smoke = {"smoke": 2, "quick": 5, "paper": 20}[profile], profile == "smoke"
    found = clusterings(("orl", "yale"), [*_DEFAULT, *_WITH_WEIGHT, *_READ], repeats, smoke=smoke)
    places = ("orl", "yale") if profile == "paper" else ("yale",)
    scale = clusterings(places, [*_OF_LENGTH, *_READ_OF_LENGTH], repeats, smoke=smoke)
    return found + [shape_trial(trial) for trial in found + scale]


# -- table ------------------------------------------------------------------------------------

_BETWEEN, _COLUMNS = "similarity-between", "columns-alike"
_W, _H = "norm-of-the-representation", "norm-of-the-components"
_OF_SHORT, _DEAD = "share-of-components-of-short-columns", 0.3
_OF_W, _OF_H = "growth-of-the-representation", "growth-of-the-components"
_GROWTH = {
    _OF_W: f"‖W‖ after {_LONG} iterations / after {_SHORT}",
    _OF_H: f"‖H‖ after {_LONG} iterations / after {_SHORT}",
}
_MEASURED = {_BETWEEN: "cosine between classes", _COLUMNS: "columns alike"} | _GROWTH


def measured(records):
    """Records with what becomes of the norms when a fit goes on.

    In the rows of 1000 iterations ``growth-of-the-...`` are the norms over those after 300 of the
    same start. The metrics of :func:`~nmfbench.tasks.factor_shape.factor_shape` are there in any
    case, NaN if no trial so far has measured them.
    """
    records = with_columns(records, [_COLUMNS, _W, _H, _OF_SHORT, _OF_W, _OF_H])
    pairs = [(_iterated(label, _SHORT), _iterated(label, _LONG)) for label in _SCALE]
    short, long = pairs[-1]
    pairs.append((sets.name_as_printed(short), sets.name_as_printed(long)))
    for (short, long), (norm, growth) in product(pairs, {_W: _OF_W, _H: _OF_H}.items()):
        earlier = reference(records, norm, {"method": short}, ["dataset", "repeat"])
        later = records["method"] == long
        records.loc[later, growth] = (records[norm] / earlier)[later]
    return records


def summarise(frame):
    """Rows of one property of one method, and of one measured quantity.

    Columns: ``quantity`` in words; ``method``; ``mean`` and ``std`` over ``count`` repeats, by
    ``dataset`` and ``weight`` ("default" or "large"). Of a property ``mean`` is 1 or 0, and
    ``printed`` is the same in the paper.
    """
    properties = pd.DataFrame(
        {
            "quantity": words,
            "method": label,
            "mean": float(name in _properties(label)),
            "printed": dict(zip(IN_PAPER, reported(_ID, name).value, strict=True)).get(label),
        }
        for name, words in PROPERTIES.items()
        for label in _ORDER
    )
    read = [method.label for method in (*_READ, *_READ_OF_LENGTH)]
    drawn = frame[~frame["method"].isin(read)]
    long = melt_metrics(drawn, _MEASURED, "quantity", "value").dropna(subset="value")
    continued = long["method"].isin([m.label for m in _OF_LENGTH])
    long = long[continued == long["quantity"].isin(_GROWTH.values())]
    shown = {_heavy(label): (label, "large") for label in _HEAVY}
    shown |= {_iterated(label, _LONG): (label, "default") for label in _SCALE}
    places = [shown.get(label, (label, "default")) for label in long["method"]]
    long = long.assign(method=[m for m, _ in places], weight=[weight for _, weight in places])
    groups = long.groupby(["quantity", "dataset", "weight", "method"], observed=True)["value"]
    rows = groups.agg(["mean", "std", "count"]).reset_index().astype({"quantity": str})
    return pd.concat([properties, rows], ignore_index=True)


def draw(table):
    """As the paper has it, a row a property, and below a row a measured quantity."""
    table = table.assign(line=[_line(cell) for cell in table.itertuples()])
    return score_table(table, {"line": ""}, _ORDER, _cell)


def _line(cell):
    if cell.quantity in PROPERTIES.values():
        return cell.quantity
    weight = f", weight {_LARGE:g}" if cell.weight == "large" else ""
    return f"{cell.quantity}, {SETS[cell.dataset].label}{weight}"


def _cell(cell):
    if cell.quantity in PROPERTIES.values():
        differs = pd.notna(cell.printed) and cell.printed != cell.mean
        return ("✓" if cell.mean else "–") + (" †" if differs else "")
    if cell.quantity == _MEASURED[_COLUMNS]:
        return f"{100 * cell.mean:.0f} %"
    return mean_and_deviation(cell.mean, cell.std, cell.count, 2)


# -- claims -----------------------------------------------------------------------------------

_OWN = "RNMFD"


def _explained(test, label):
    """``test``, and if its bound is not met the short columns behind it, and why there are some."""

    def explained(frame):
        finding = test(frame)
        missed = finding.region is not None and any(
            place.inside > 0.5 for place in finding.places(lambda _: None)
        )
        return finding.noted(_short_columns(label, frame)) if missed else finding

    return explained


def _short_columns(label, frame):
    rows = select_rows(frame, method=label, task="factor-shape")
    if rows.empty or "n-dead-components" not in rows:
        return ""
    dead, gap = rows["n-dead-components"].mean(), rows["orthogonality-gap"].mean()
    if np.isnan(dead):  # a method that does not count them
        return ""
    return (
        f"on average {dead:.1f} columns of W have a norm below {_DEAD:g}, and theirs are "
        f"{100 * rows[_OF_SHORT].mean():.0f} % of the squared norm of H; ‖WᵀW − I‖ is {gap:.1f}. "
        f"{_WHY}"
    )


_WHY = (
    "If ρ edges a sample leave a group, the graph charges its column αρ and orthogonality pays 2β, "
    "times the squared norm: from ρ = 2β/α on the column shrinks, and those that shrink turn to "
    "one direction. That is 2 at the paper's weights, and 0.2 with α = 1000"
)


def _of(test_of, label, name):
    """A test that is explained; of RNMFD alike with both exponents."""

    def explained(name):
        return _explained(test_of(name), name)

    return sets.at_each_exponent(explained, name) if label == _OWN else explained(name)


_TRIVIAL = "Sections 1 and 2.1"
_SIMILAR = 0.9
_MOST = 0.5
_TENTH = 0.1
_TRANSFER: dict[str, Any] = {
    "lower": True,
    "ratio": True,
    "region": Bounds(1 + _TENTH, measured_from=1.0),
}
"""A norm changes by more than what is no transfer in other methods."""
_AS_NORMS: dict[str, Any] = {"ratio": True, "measured_from": 1.0}
_IN_WORDS = "zero, or with a cosine above 0.99 with another column"

CLAIMS = [
    Claim(
        "graph-makes-samples-alike",
        "With a large weight of the graph (1000) samples of different classes become alike under "
        f"GNMF and DNMF: their mean cosine is {_SIMILAR:g} or more, on average over ORL and YALE.",
        _TRIVIAL,
        at_least([_heavy("GNMF"), _heavy("DNMF")], _BETWEEN, _SIMILAR, measured_from=1.0),
    ),
    *(
        Claim(
            f"graph-makes-samples-more-alike-{label.lower()}",
            f"With a large weight of the graph (1000) samples of different classes are more alike "
            f"under {label} than without a graph, under NMF.",
            _TRIVIAL,
            better(_heavy(label), "NMF", _BETWEEN),
        )
        for label in ("GNMF", "DNMF")
    ),
    *(
        Claim(
            f"graph-makes-columns-alike-{label.lower()}",
            "With a large weight (1000) columns of the representation become proportional under "
            f"{label}: most are alike ({_IN_WORDS}).",
            test=at_least(_heavy(label), _COLUMNS, _MOST),
            **said_at("Section 2.1", ours=label != "GNMF"),
        )
        for label in ("GNMF", "DNMF")
    ),
    Claim(
        "rnmfd-less-alike",
        "With the same large weight (1000) samples of different classes are less alike under "
        "RNMFD than under GNMF.",
        "Sections 3.1 and 4.2",
        sets.at_each_exponent(
            lambda own: better(own, _heavy("GNMF"), _BETWEEN, lower=True), _heavy(_OWN)
        ),
    ),
    *(
        Claim(
            f"{label.lower()}-avoids-it-{name}",
            f"{label} avoids the trivial solution with {words}: less than half of the columns are "
            f"alike ({_IN_WORDS}), on average over ORL and YALE.",
            source,
            _of(lambda name: at_most(name, _COLUMNS, _MOST), label, found),
        )
        for label, source in (("IGNMF", "Section 4.2, third point"), (_OWN, "Sections 3.1 and 4.2"))
        for name, words, found in (
            ("default", "the weight 100", label),
            ("large", "the weight 1000", _heavy(label)),
        )
    ),
    Claim(
        "gnmf-representation-shrinks",
        "Scale transfer: under GNMF the representation goes on shrinking, from "
        f"{_SHORT} to {_LONG} iterations by more than a tenth.",
        "Section 2.1",
        always_best(_iterated("GNMF", _LONG), [_iterated("GNMF", _SHORT)], _W, **_TRANSFER),
    ),
    Claim(
        "gnmf-components-grow",
        "Scale transfer: under GNMF the components go on growing, from "
        f"{_SHORT} to {_LONG} iterations by more than a tenth.",
        "Section 2.1",
        always_best(_iterated("GNMF", _SHORT), [_iterated("GNMF", _LONG)], _H, **_TRANSFER),
    ),
    *(
        Claim(
            f"{label.lower()}-{name}",
            f"{label} has no scale transfer: from {_SHORT} to {_LONG} iterations its {words} by "
            "less than a tenth.",
            source,
            _of(test_of, label, _iterated(label, _LONG)),
        )
        for label, source in ((_OWN, "Section 3.1"), ("IGNMF", "Section 4.2, third point"))
        for name, words, test_of in (
            (
                "representation-stays",
                "representation shrinks",
                partial(at_least, value=_OF_W, bound=1 / (1 + _TENTH), **_AS_NORMS),
            ),
            (
                "components-stay",
                "components grow",
                partial(at_most, value=_OF_H, bound=1 + _TENTH, **_AS_NORMS),
            ),
        )
    ),
]


ARTEFACT = register_artefact(
    Artefact(
        _ID,
        title="Properties of the methods",
        kind="table",
        methods=(*_DEFAULT, *_WITH_WEIGHT, *_OF_LENGTH, *_READ, *_READ_OF_LENGTH),
        grid=trials,
        frame=measured,
        table=summarise,
        picture=draw,
        claims=CLAIMS,
        planned=Plan(20, "A repeat takes 20 s of CPU time."),
        matters={"growth-of-*": Ratio(0.05)},
        assumed={name: sets.ASSUMED[name] for name in ("scale", "start", "update", "stopping")}
        | {
            "properties": " ".join(
                f"{PROPERTIES[name].capitalize()}: {text[0].lower()}{text[1:]}"
                for name, text in registry.PROPERTIES.items()
            ),
            "NSDR": "The paper ticks feature learning for NSDR, of which Section 4.1 says that it "
            "clusters directly; it returns groups and no components, so it has no tick here.",
            "IGNMF": "The paper's argument for discriminability, in Section 3.1, is that "
            "non-negative columns that are orthogonal are indicators of groups. IGNMF asks for "
            "just that, with samples weighted by their degrees, so it has a tick here.",
            "trivial solution": "GNMF, DNMF, RCC and DRCC penalise differences of neighbours and "
            "have no term against equal columns (normalising them stops the change of scale "
            "alone); under NLCF a large weight drives the representation to zero; ANP's "
            "penalty is lowered by a mere change of scale.",
            "scale transfer": "Of the mean over starts: a representation that shrinks, or "
            "components that grow, by more than a tenth are transferred, by less are not: one "
            "bound for GNMF and for the methods that avoid it.",
            "samples alike": "“Quite similar” is a mean cosine of 0.9 or more: our bound, as for a "
            "“very large” similarity in Figure 1.",
            "columns alike": "Those that are zero, or have a cosine above 0.99 with another one.",
            "iterations": f"{_SHORT} and {_LONG} from the same start, without a stopping rule and "
            "without scaling the components, at the paper's weight 100.",
        },
        caption="Above, what the methods are designed for; † marks where the paper's tick is "
        "different, and the methods from K-means on are not in the paper's table. Below, what is "
        "measured of those that learn a representation: the mean cosine of samples of different "
        "classes, the share of columns that are alike, with the default parameters (100, where "
        "there is a graph) and with the weight 1000; and what becomes of the norms of the "
        "representation W and of the components H when a fit goes on. Mean ± standard deviation "
        "over starts.",
    )
)
