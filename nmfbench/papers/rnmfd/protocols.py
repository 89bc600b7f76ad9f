"""Methods of Tables 3 and 4 with the parameters they are tried with, and three ways to choose.

The paper gives every baseline the parameters that are best by *test* accuracy, and its own method
fixed ones but for an unknown weight of the sparse part. Beside that protocol stand two that look
at no label: fixed defaults, and the most stable of four candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np
import pandas as pd

from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.remember import once_per_table
from nmfbench.engine.trials import Trial, canonical
from nmfbench.metrics import nmi_geometric
from nmfbench.papers.rnmfd.sets import SETS, ImageSet, clustering_trial, method

__all__ = [
    "AC",
    "BASELINES",
    "COMPARED",
    "METHODS",
    "NMI",
    "PROTOCOLS",
    "Compared",
    "chosen",
    "grid",
    "in_words",
]

AC, NMI = "clustering-accuracy", "nmi-geometric"

_GRAPH = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0, 500.0, 1000.0)
_DECADES = tuple(10.0**k for k in range(-2, 7))
_NEIGHBORS = tuple(range(1, 10))


@dataclass(frozen=True)
class Compared:
    """A method of the tables.

    Parameters
    ----------
    label : str
    solver : str
        Run with its defaults, unless tried with others.
    weights : sequence of str, default=()
        Parameters that share one value: the weight that candidates differ in.
    candidates : sequence, default=()
        Four of its values, among which a choice without labels is made.
    searched : sequence of dict, default=()
        Parameters of the search by test accuracy, in full.
    ours : bool, default=False
        Not in the paper's tables.
    """

    label: str
    solver: str
    weights: Sequence[str] = ()
    candidates: Sequence = ()
    searched: Sequence[dict] = ()
    ours: bool = False

    @property
    def default(self) -> Method:
        return method(self.label, self.solver)

    def choices(self) -> list[Method]:
        """The candidates, in the order of their weights; the default, if there is no weight."""
        return _choices(self.label)

    def search(self) -> list[Method]:
        """The grid of the search by test accuracy; without one, the choices."""
        return _search(self.label)


def _searched(names, values, neighbors=_NEIGHBORS):
    return [
        dict.fromkeys(names, value) | {"n_neighbors": p} for p, value in product(neighbors, values)
    ]


_BOTH = ("alpha", "alpha_features")
_FOUR = (0.1, 1.0, 10.0, 100.0)

COMPARED = (
    Compared("Kmeans", "kmeans"),
    Compared("NMF", "mu"),
    Compared("LNMF", "lnmf"),
    Compared("GNMF", "gnmf", ("alpha",), _FOUR, _searched(("alpha",), _GRAPH)),
    Compared("DNMF", "dnmf", _BOTH, _FOUR, _searched(_BOTH, _GRAPH)),
    Compared("NLCF", "nlcf", ("mu",), (0.01, 0.1, 1.0, 10.0), [{"mu": mu} for mu in _DECADES]),
    Compared("RCC", "rcc", _BOTH, _FOUR, _searched(_BOTH, _GRAPH)),
    Compared("IGNMF", "ignmf", ("alpha",), _FOUR, _searched(("alpha",), _GRAPH)),
    Compared("NSDR", "nsdr", ("lam",), _FOUR, _searched(("lam",), _DECADES)),
    Compared(
        "RNMFD",
        "rnmfd",
        ("alpha",),
        (1.0, 10.0, 100.0, 1000.0),
        [{"lam": lam} for lam in ("q95", "mad", "none")],
    ),
    Compared("Ncuts", "ncuts", ("n_neighbors",), (3, 5, 7, 9), ours=True),
    Compared("DRCC", "drcc", _BOTH, _FOUR, ours=True),
    Compared("ANP", "anp", ("lam1",), (0.001, 0.01, 0.1, 1.0), ours=True),
)
"""In the order of the paper's columns, then those that it does not have."""

BASELINES = tuple(c.label for c in COMPARED if not c.ours and c.label != "RNMFD")
_OF = {c.label: c for c in COMPARED}


@cache
def _choices(label):
    c = _OF[label]
    params = [dict.fromkeys(c.weights, value) for value in c.candidates]
    return [method(label, c.solver, **p) for p in params or [{}]]


@cache
def _search(label):
    c = _OF[label]
    return [method(label, c.solver, **params) for params in c.searched] or _choices(label)


def _everything():
    found = {}
    for c in COMPARED:
        for m in (c.default, *c.choices(), *c.search()):
            found.setdefault((m.solver, canonical(m.params)), m)
    return tuple(found.values())


METHODS: tuple[Method, ...] = _everything()
"""Every method at all of its parameters, under its label."""


# -- grids ------------------------------------------------------------------------------------

_QUICK_RUNS, _QUICK_TRIED = 5, 3  # with defaults, and with each candidate
_RUNS, _SEARCHED = 10, 5  # the same of the paper's grids; its search takes the first five


def grid(profile: str, sets: Sequence[ImageSet] = tuple(SETS.values())) -> list[Trial]:
    """All trials of Tables 3 and 4.

    Parameters
    ----------
    profile : {"smoke", "quick", "paper"}
        "quick" tries the candidates only, and has DRCC and ANP, which are not in the paper's
        tables and slow, in few runs with defaults. "paper" searches the paper's grids.
    sets : sequence of ImageSet
    """
    if profile == "smoke":
        small = [SETS["yale"], SETS["semeion"]]
        plan = [(m, 2) for c in COMPARED for m in (c.default, *c.choices()[:2])]
        return _unique(small, plan, smoke=True)
    plan = []
    for c in COMPARED:
        if profile == "paper":
            plan += [(m, _RUNS) for m in (c.default, *c.choices())]
            plan += [(m, _SEARCHED) for m in c.search()]
        else:
            tried = c.label == "Ncuts" or not c.ours
            plan.append((c.default, _QUICK_RUNS if tried else _QUICK_TRIED))
            plan += [(m, _QUICK_TRIED) for m in c.choices() if tried]
            # The paper's own method is searched in the same way as in the paper.
            plan += [(m, _QUICK_TRIED) for m in c.search() if c.label == "RNMFD"]
    return _unique(sets, plan)


def _unique(sets, plan, **options):
    trials = [
        clustering_trial(images, m, repeat, **options)
        for images in sets
        for m, runs in plan
        for repeat in range(runs)
    ]
    return list(dict.fromkeys(trials))


# -- choices ----------------------------------------------------------------------------------

PROTOCOLS = {
    "best": "best on the test",
    "default": "defaults",
    "stable": "most stable",
}
"""How parameters are chosen, in words: the paper's protocol, and two without labels."""

_STABLE_RUNS = 5


@once_per_table
def chosen(records: pd.DataFrame, protocol: str) -> pd.DataFrame:
    """Records of the one set of parameters that a protocol gives a method on a data set.

    Parameters
    ----------
    records : DataFrame
        Labelled.
    protocol : {"best", "default", "stable"}
        "best": of the search (of the candidates, where a method is not searched or the search
        was not run), those of the highest mean accuracy. "stable": of the candidates, those whose
        labels agree most from run to run: the mean geometric NMI of pairs of the first five runs;
        ties go to the smaller weight.

    Returns
    -------
    DataFrame
        Of "best" and "stable" only the runs that all parameters in question have.
    """
    records = records[records["method"].notna()]
    order = _order(protocol)
    places = [order.get(way, -1) for way in zip(records["method"], records["setting"], strict=True)]
    rows = records.assign(_place=places)
    rows = rows[rows["_place"] >= 0]
    if protocol != "default":
        rows = _shared_runs(rows)
        value = (
            _stability(rows)
            if protocol == "stable"
            else rows.groupby(_WAY, observed=True)[AC].mean()
        )
        best = value.groupby(_CELL, observed=True).idxmax()  # the first of equals
        rows = rows[pd.MultiIndex.from_frame(rows[_WAY]).isin(best)]
    return rows.drop(columns="_place")


_CELL = ["dataset", "method"]
_WAY = [*_CELL, "_place"]


@cache
def _order(protocol):
    """The parameters that a protocol looks at, by method, in their order."""
    order = {}
    for c in COMPARED:
        ways = c.choices()
        if protocol == "default":
            ways = [c.default]
        elif protocol == "best":
            ways = c.search() if c.label == "RNMFD" else ways + c.search()
        for place, m in enumerate(ways):
            order.setdefault((c.label, canonical(m.params)), place)
    return order


def _shared_runs(rows):
    """The runs that most parameters have, of the parameters that have all of them."""
    tried = rows.groupby([*_CELL, "repeat"], observed=True)["_place"].transform("nunique")
    rows = rows[tried == tried.groupby([rows[c] for c in _CELL], observed=True).transform("max")]
    runs = rows.groupby(_WAY, observed=True)["repeat"].transform("nunique")
    return rows[runs == runs.groupby([rows[c] for c in _CELL], observed=True).transform("max")]


def _stability(rows):
    rows = rows[rows["repeat"] < _STABLE_RUNS].sort_values([*_WAY, "repeat"])
    values = {}
    for way, of_way in rows.groupby(_WAY, observed=True):
        pairs = combinations([arrays["labels"] for arrays in of_way["arrays"]], 2)
        # Rounded, so that a tie is one.
        values[way] = round(float(np.mean([nmi_geometric(a, b) for a, b in pairs] or [1.0])), 9)
    return pd.Series(values, index=pd.MultiIndex.from_tuples(values, names=_WAY), dtype=float)


def in_words(params) -> str:
    """Parameters that are not the defaults, for a cell of a table."""
    return ", ".join(
        f"{_SYMBOLS[name]} {_short(value)}" for name, value in params.items() if name in _SYMBOLS
    )


_SYMBOLS = {"alpha": "α", "mu": "μ", "lam": "λ", "lam1": "λ₁", "n_neighbors": "p"}


def _short(value):
    return value if isinstance(value, str) else f"{value:g}"
