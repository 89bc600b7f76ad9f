"""Table 1: properties that methods are designed for, and what a large weight leaves of them."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.frames import drawn_rows, melt_metrics
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import mean_and_deviation, score_table
from nmfbench.core import registry
from nmfbench.core.matters import Ratio
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.sets import SETS
from nmfbench.papers.rnmfd.table1_claims import CLAIMS
from nmfbench.papers.rnmfd.table1_fits import (
    BETWEEN,
    COLUMNS,
    GROWTH_OF_H,
    GROWTH_OF_W,
    HEAVY,
    LARGE,
    LONG,
    METHODS,
    SCALE,
    SHORT,
    SOLVERS,
    heavy,
    iterated,
    measured,
    properties,
    trials,
)

_ID = "rnmfd/table1"
PROPERTIES = {
    "features": "feature learning",
    "locality": "locality",
    "discriminability": "discriminability",
    "robustness": "robustness",
    "nontrivial": "no trivial solution",
}
IN_PAPER = ("LNMF", "GNMF", "IGNMF", "NSDR", "RNMFD")  # its columns, in order
_ORDER = (*IN_PAPER, *(label for label in SOLVERS if label not in IN_PAPER))
_GROWTH = {
    GROWTH_OF_W: f"‖W‖ after {LONG} iterations / after {SHORT}",
    GROWTH_OF_H: f"‖H‖ after {LONG} iterations / after {SHORT}",
}
_MEASURED = {BETWEEN: "cosine between classes", COLUMNS: "columns alike"} | _GROWTH


def summarise(frame):
    """Rows of one property of one method, and of one measured quantity.

    Columns: ``quantity`` in words; ``method``; ``mean`` and ``std`` over ``count`` repeats, by
    ``dataset`` and ``weight`` ("default" or "large"). Of a property ``mean`` is 1 or 0, and
    ``printed`` is the same in the paper.
    """
    ticks = pd.DataFrame(
        {
            "quantity": words,
            "method": label,
            "mean": float(name in properties(label)),
            "printed": dict(zip(IN_PAPER, reported(_ID, name).value, strict=True)).get(label),
        }
        for name, words in PROPERTIES.items()
        for label in _ORDER
    )
    drawn = drawn_rows(frame, METHODS)
    long = melt_metrics(drawn, _MEASURED, "quantity", "value").dropna(subset="value")
    continued = long["method"].isin([iterated(label, n) for label in SCALE for n in (SHORT, LONG)])
    long = long[continued == long["quantity"].isin(_GROWTH.values())]
    shown = {heavy(label): (label, "large") for label in HEAVY}
    shown |= {iterated(label, LONG): (label, "default") for label in SCALE}
    places = [shown.get(label, (label, "default")) for label in long["method"]]
    long = long.assign(method=[m for m, _ in places], weight=[weight for _, weight in places])
    groups = long.groupby(["quantity", "dataset", "weight", "method"], observed=True)["value"]
    rows = groups.agg(["mean", "std", "count"]).reset_index().astype({"quantity": str})
    return pd.concat([ticks, rows], ignore_index=True)


def draw(table):
    """As in the paper, one row per property, and below one row per measured quantity."""
    table = table.assign(line=[_line(cell) for cell in table.itertuples()])
    return score_table(table, {"line": ""}, _ORDER, _cell)


def _line(cell):
    if cell.quantity in PROPERTIES.values():
        return cell.quantity
    weight = f", weight {LARGE:g}" if cell.weight == "large" else ""
    return f"{cell.quantity}, {SETS[cell.dataset].label}{weight}"


def _cell(cell):
    if cell.quantity in PROPERTIES.values():
        differs = pd.notna(cell.printed) and cell.printed != cell.mean
        return ("✓" if cell.mean else "–") + (" †" if differs else "")
    if cell.quantity == _MEASURED[COLUMNS]:
        return f"{100 * cell.mean:.0f} %"
    return mean_and_deviation(cell.mean, cell.std, cell.count, 2)


ARTEFACT = register_artefact(
    Artefact(
        _ID,
        title="Properties of the methods",
        kind="table",
        methods=METHODS,
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
            "iterations": f"{SHORT} and {LONG} from the same start, without a stopping rule and "
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
