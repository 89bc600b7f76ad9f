"""Table II: the data, as loaded and as printed."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.or_nmf.curves import CBCL, HUE, ONE_SWEEP, ORL, SINGLE
from nmfbench.papers.reported import reported

_ID = "or-nmf/table2"
_METHODS = tuple(method for method in SINGLE if method.label == ONE_SWEEP)
_SPARSENESS = "sparseness of the data"
_FACTS = {"features": "features m", "samples": "samples n", _SPARSENESS: "sparseness (Hoyer)"}
_NAMES = {"cbcl": "CBCL", "orl": "ORL", "huebow": "hue words", "digits": "digits"}
_PRINTED = ("huebow", "cbcl", "orl")


def trials(profile):
    """Fits of Figures 2, 3 and 6 at the smaller rank: what these saw is what was loaded."""
    found = [trial for panels in (CBCL, ORL, HUE) for trial in panels.grid(_METHODS, profile)]
    ranks = {"digits": 4, "cbcl": CBCL.ranks[0], "orl": ORL.ranks[0], "huebow": HUE.ranks[0]}
    return [t for t in dict.fromkeys(found) if t.options["n_components"] == ranks[t.dataset]]


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Records with the sparseness in words, for the evidence."""
    return records.rename(columns={"data-sparseness": _SPARSENESS})


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each data set and fact: ``loaded``, mean over repeats, and ``printed`` or NaN."""
    means = frame.groupby("dataset")[[*_FACTS]].mean().rename(columns=_FACTS).reset_index()
    rows = means.melt("dataset", var_name="fact", value_name="loaded")
    printed = {d: reported(_ID, d).value for d in _PRINTED}
    order = list(_FACTS.values())
    places = zip(rows["dataset"], rows["fact"], strict=True)
    rows["printed"] = [
        printed[data][order.index(fact)] if data in printed else None for data, fact in places
    ]
    return rows.sort_values("dataset", key=lambda column: column.map([*_NAMES].index))


def draw(table: pd.DataFrame) -> pd.DataFrame:
    """A row a data set, the paper's number in brackets."""
    table = table.assign(data=table["dataset"].map(_NAMES))
    return score_table(table, {"data": "data"}, list(_FACTS.values()), _cell, column="fact")


def _cell(cell):
    whole = cell.fact != _FACTS[_SPARSENESS]
    texts = [
        f"{v:.0f}" if whole else f"{v:.3f}" for v in (cell.loaded, cell.printed) if pd.notna(v)
    ]
    return texts[0] + (f" ({texts[1]})" if len(texts) > 1 else "")


ARTEFACT = register_artefact(
    Artefact(
        _ID,
        title="Data of the experiments",
        kind="table",
        methods=_METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=[
            Claim(
                "sparser",
                "The hue features are much sparser than both sets of faces.",
                "Section V-A.2, Table II",
                always_best(
                    {"dataset": "huebow"}, [{"dataset": "cbcl"}, {"dataset": "orl"}], _SPARSENESS
                ),
                "; ".join(f"{_NAMES[d]} {reported(_ID, d).value[2]:g}" for d in _PRINTED),
            )
        ],
        assumed={
            "CBCL": "The printed sparseness is not that of raw grey levels, .063; clipping at mean "
            "and variance, as Hoyer (2004) does, gives .23.",
            "recognition and annotation": "Their sizes are those of Figures 10 to 12.",
        },
        caption="As loaded, mean over repeats; in brackets the paper's number, for hue words that "
        "of IAPR TC12.",
    )
)
