"""Methods of Tables 3 and 4 with the parameters they are tried with, and three ways to choose.

The paper gives every baseline the parameters that are best by *test* accuracy, and its own method
fixed ones but for an unknown weight of the sparse part. Beside that protocol stand two that look
at no label: fixed defaults, and the most stable of four candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.protocols import best
from nmfbench.metrics.clustering import nmi_geometric
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd.sets import SETS, clusterings, method, name_as_printed
from nmfbench.trials.trial import Trial, canonical

AC, NMI = "clustering-accuracy", "nmi-geometric"
PRINTED = name_as_printed("RNMFD")
"""RNMFD with the exponent of Eq. (17) as printed, which may raise the objective."""

Tried = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Compared:
    """A method of the tables.

    Parameters
    ----------
    label : str
    solver : str
    weights : sequence of mapping, default=()
        Parameters of four candidates in the order of their weights, among which a choice without
        labels is made.
    grid : sequence of mapping, default=()
        Parameters of the search by test accuracy.
    ours : bool, default=False
        Not in the paper's tables.
    params : mapping, optional
        That all of them share.
    """

    label: str
    solver: str
    weights: Tried = ()
    grid: Tried = ()
    ours: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def default(self) -> Method:
        return self._with({})

    @cached_property
    def candidates(self) -> list[Method]:
        """One for each weight; the default, if there is none."""
        return [self._with(params) for params in self.weights or [{}]]

    @cached_property
    def searched(self) -> list[Method]:
        """The grid of the search by test accuracy; without one, the candidates."""
        return [self._with(params) for params in self.grid] or self.candidates

    def _with(self, params):
        return method(self.label, self.solver, **self.params, **params)


def printed(artefact: str, name: str) -> dict[str, float]:
    """The paper's numbers in a row of Table 3 or 4, by method.

    Examples
    --------
    >>> printed("rnmfd/table3", "orl")["RNMFD"]
    0.6525
    """
    in_paper = [c.label for c in COMPARED if not c.ours]  # in the order of the printed columns
    return dict(zip(in_paper, reported(artefact, name).value, strict=True))


def _each(values: Sequence[Any], *names: str) -> Tried:
    """Values that several parameters share."""
    return [dict.fromkeys(names, value) for value in values]


def _with_neighbors(weights: Tried) -> Tried:
    return [{**params, "n_neighbors": p} for p in range(1, 10) for params in weights]


_FOUR = (0.1, 1.0, 10.0, 100.0)
_GRAPH = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0, 500.0, 1000.0)
_DECADES = [10.0**k for k in range(-2, 7)]
_RULES = ("q95", "mad", "none")  # for the weight of RNMFD's sparse part
_ONE, _BOTH = ("alpha",), ("alpha", "alpha_features")
_GRID_OF_ONE, _GRID_OF_BOTH = (_with_neighbors(_each(_GRAPH, *names)) for names in (_ONE, _BOTH))

COMPARED = (
    Compared("K-means", "kmeans"),
    Compared("NMF", "mu"),
    Compared("LNMF", "lnmf"),
    Compared("GNMF", "gnmf", _each(_FOUR, *_ONE), _GRID_OF_ONE),
    Compared("DNMF", "dnmf", _each(_FOUR, *_BOTH), _GRID_OF_BOTH),
    Compared("NLCF", "nlcf", _each((0.01, 0.1, 1.0, 10.0), "mu"), _each(_DECADES, "mu")),
    Compared("RCC", "rcc", _each(_FOUR, *_BOTH), _GRID_OF_BOTH),
    Compared("IGNMF", "ignmf", _each(_FOUR, *_ONE), _GRID_OF_ONE),
    Compared("NSDR", "nsdr", _each(_FOUR, "lam"), _with_neighbors(_each(_DECADES, "lam"))),
    Compared("RNMFD", "rnmfd", _each((1.0, 10.0, 100.0, 1000.0), *_ONE), _each(_RULES, "lam")),
    Compared(PRINTED, "rnmfd", grid=_each(_RULES, "lam"), ours=True, params={"v_update": "paper"}),
    Compared("Ncuts", "ncuts", _each((3, 5, 7, 9), "n_neighbors"), ours=True),
    Compared("DRCC", "drcc", _each(_FOUR, *_BOTH), ours=True),
    Compared("ANP", "anp", _each((0.001, 0.01, 0.1, 1.0), "lam1"), ours=True),
)
"""In the order of the paper's columns, then what it does not have."""

AS_PRINTED = (
    "K-means, of images and of representations, is the best of ten starts, and samples have unit "
    "length: the paper says neither, and baselines that are stronger than the printed ones make "
    "its leads smaller. The evidence has both numbers."
)
"""How the baselines compare with the printed ones, for the assumptions of each artefact."""

BASELINES = tuple(c.label for c in COMPARED if not c.ours and c.solver != "rnmfd")

METHODS = tuple(m for c in COMPARED for m in (c.default, *c.candidates, *c.searched))
"""Every method at all of its parameters, under its label."""


def grid(profile: str) -> list[Trial]:
    """All trials of Tables 3 and 4.

    "quick" tries the candidates only, and has DRCC and ANP, which are not in the paper's tables and
    slow, in few runs with defaults. "paper" searches the paper's grids.
    """
    plan = []
    for c in COMPARED:
        if profile == "smoke":
            plan += [(2, [c.default, *c.candidates[:2]])]
        elif profile == "paper":
            plan += [(10, [c.default, *c.candidates]), (5, c.searched)]
        elif c.label in ("DRCC", "ANP"):
            plan += [(3, [c.default])]
        else:
            plan += [(5, [c.default]), (3, c.candidates)]
            # The paper's own method is searched in the same way as in the paper.
            plan += [(3, c.searched)] if c.solver == "rnmfd" else []
    smoke = profile == "smoke"
    sets = ("yale", "semeion") if smoke else SETS
    trials = [t for runs, tried in plan for t in clusterings(sets, tried, runs, smoke=smoke)]
    return list(dict.fromkeys(trials))  # a default may be a candidate and searched, too


# -- choices ----------------------------------------------------------------------------------

PROTOCOLS = {
    "best": "best on the test",
    "default": "defaults",
    "stable": "most stable",
}
"""How parameters are chosen, in words: the paper's protocol, and two without labels."""

_STABLE_RUNS = 5
_CELL = ["dataset", "method"]
_WAY = [*_CELL, "_place"]


def chosen(records: pd.DataFrame, protocol: str) -> pd.DataFrame:
    """Records of the one set of parameters that a protocol gives a method on a data set.

    Parameters
    ----------
    records : DataFrame
        Labelled.
    protocol : {"best", "default", "stable"}
        "best": of the search (of the candidates, where a method is not searched or the search
        was not run), the ones of the highest mean accuracy. "stable": of the candidates, the ones
        whose labels agree most from run to run, by the mean geometric NMI of pairs of the first
        five runs; ties go to the smaller weight.

    Returns
    -------
    DataFrame
        Of "best" and "stable" only the runs that all parameters in question have.
    """
    order = _order(protocol)
    places = [order.get(way, -1) for way in zip(records["method"], records["setting"], strict=True)]
    rows = records.assign(_place=places)
    rows = rows[rows["_place"] >= 0]
    if protocol != "default":
        rows = _shared_runs(rows)
        score = _stability(rows) if protocol == "stable" else AC
        rows = best(rows, score, _CELL, ["_place"])
    return rows.drop(columns="_place")


@cache
def _order(protocol):
    """Places of the parameters that a protocol looks at, by method and setting."""
    order: dict[Any, Any] = {}
    for c in COMPARED:
        # The paper's own method has fixed parameters but for what it is searched in.
        searched = c.searched if c.solver == "rnmfd" else [*c.candidates, *c.searched]
        tried = {"best": searched, "default": [c.default], "stable": c.candidates}[protocol]
        for place, m in enumerate(tried):
            order.setdefault((c.label, canonical(m.params)), place)
    return order


def _shared_runs(rows):
    """The runs that most parameters have, of the parameters that have all of them."""
    for counted, by in (("_place", [*_CELL, "repeat"]), ("repeat", _WAY)):
        n = rows.groupby(by, observed=True)[counted].transform("nunique")
        most = n.groupby([rows[column] for column in _CELL], observed=True).transform("max")
        rows = rows[n == most]
    return rows


def _stability(rows):
    rows = rows[rows["repeat"] < _STABLE_RUNS].sort_values([*_WAY, "repeat"])
    values = {}
    for way, of_way in rows.groupby(_WAY, observed=True):
        pairs = combinations([arrays["labels"] for arrays in of_way["arrays"]], 2)
        # Rounded, so that a tie is one.
        values[way] = round(float(np.mean([nmi_geometric(a, b) for a, b in pairs] or [1.0])), 9)
    return pd.Series(values, index=pd.MultiIndex.from_tuples(values, names=_WAY), dtype=float)


_SYMBOLS = {"alpha": "α", "mu": "μ", "lam": "λ", "lam1": "λ₁", "n_neighbors": "p"}


def in_words(params: Mapping[str, Any]) -> str:
    """Parameters that are not the defaults, for a cell of a table.

    Examples
    --------
    >>> in_words({"lam": "mad", "n_neighbors": 3, "max_iter": 300})
    'λ mad, p 3'
    """
    shown = {_SYMBOLS[name]: value for name, value in params.items() if name in _SYMBOLS}
    return ", ".join(f"{k} {v if isinstance(v, str) else format(v, 'g')}" for k, v in shown.items())
