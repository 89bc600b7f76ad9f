"""Fits with large weights, and fits that go on: methods and trials of Table 1, and its frame."""

from __future__ import annotations

from itertools import product

from nmfbench.artefacts.frames import reference, with_columns
from nmfbench.core import registry
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.protocols import COMPARED
from nmfbench.papers.rnmfd.sets import clusterings, method, shape_trial

_COMPARED = [c for c in COMPARED if not c.params]
SOLVERS = {c.label: c.solver for c in _COMPARED}
"""By the label of the method."""


def properties(label):
    """What a method is designed for, by the names of the registry."""
    return registry.solvers[SOLVERS[label]].info["properties"]


# -- trials -----------------------------------------------------------------------------------

LARGE = 1000.0
HEAVY = {
    "GNMF": {"alpha": LARGE},
    "DNMF": {"alpha": LARGE, "alpha_features": LARGE},
    "IGNMF": {"alpha": LARGE},
    "RNMFD": {"alpha": LARGE},
}
SHORT, LONG = 300, 1000  # iterations
SCALE = {"GNMF": {"normalize": False}, "IGNMF": {}, "RNMFD": {}}


def heavy(label):
    """Name of a method with the large weight."""
    return f"{label}, weight {LARGE:g}"


def iterated(label, n):
    """Name of a method after a number of iterations."""
    return f"{label}, {n} iterations"


# Only representations have cosines and columns to look at.
_DEFAULT = [c.default for c in _COMPARED if "features" in properties(c.label)]
_WITH_WEIGHT = [method(heavy(label), SOLVERS[label], **p) for label, p in HEAVY.items()]
_OF_LENGTH = [
    method(iterated(label, n), SOLVERS[label], **params, max_iter=n, tol=0.0)
    for label, params in SCALE.items()
    for n in (SHORT, LONG)
]
# RNMFD with the exponent as printed:
_READ, _READ_OF_LENGTH = map(sets.as_printed, ([*_DEFAULT, *_WITH_WEIGHT], _OF_LENGTH))
METHODS = (*_DEFAULT, *_WITH_WEIGHT, *_OF_LENGTH, *_READ, *_READ_OF_LENGTH)


def trials(profile):
    """Clusterings and the factors behind them; for the scale factors alone, in "quick" of YALE."""
    repeats, smoke = {"smoke": 2, "quick": 5, "paper": 20}[profile], profile == "smoke"
    found = clusterings(("orl", "yale"), [*_DEFAULT, *_WITH_WEIGHT, *_READ], repeats, smoke=smoke)
    places = ("orl", "yale") if profile == "paper" else ("yale",)
    scale = clusterings(places, [*_OF_LENGTH, *_READ_OF_LENGTH], repeats, smoke=smoke)
    return found + [shape_trial(trial) for trial in found + scale]


# -- frame ----------------------------------------------------------------------------------

BETWEEN, COLUMNS = "similarity-between", "columns-alike"
NORM_OF_W, NORM_OF_H = "norm-of-the-representation", "norm-of-the-components"
OF_SHORT_COLUMNS = "share-of-components-of-short-columns"
GROWTH_OF_W, GROWTH_OF_H = "growth-of-the-representation", "growth-of-the-components"
_GROWTH = {NORM_OF_W: GROWTH_OF_W, NORM_OF_H: GROWTH_OF_H}


def measured(records):
    """Records with what becomes of the norms when a fit goes on.

    In the rows of 1000 iterations ``growth-of-the-...`` are the norms over those after 300 of the
    same start. The metrics of :func:`~nmfbench.tasks.factor_shape.factor_shape` are there in any
    case, NaN if no trial so far has measured them.
    """
    records = with_columns(records, [COLUMNS, *_GROWTH, OF_SHORT_COLUMNS, *_GROWTH.values()])
    pairs = [(iterated(label, SHORT), iterated(label, LONG)) for label in SCALE]
    short, long = pairs[-1]
    pairs.append((sets.name_as_printed(short), sets.name_as_printed(long)))
    for (short, long), (norm, growth) in product(pairs, _GROWTH.items()):
        earlier = reference(records, norm, {"method": short}, ["dataset", "repeat"])
        later = records["method"] == long
        records.loc[later, growth] = (records[norm] / earlier)[later]
    return records
