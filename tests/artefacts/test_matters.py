"""Smallest differences that matter: declared by whoever makes a number, for every number."""

import contextlib
import dataclasses
import functools
import types
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest
from pyarrow.parquet import read_schema

from nmfbench.core import registry
from nmfbench.core.matters import COMMON, Ratio, margin, smallest_difference
from nmfbench.records.record import COLUMNS, RESERVED

BOOK = Path(__file__).parents[2] / "reports" / "records"
ARTEFACTS = [entry.target for entry in registry.artefacts.entries()]


def of_task(task, name):
    return smallest_difference(name, *registry.matters_in(task))


# -- the rule ---------------------------------------------------------------------------------


def test_the_nearest_owner_and_its_first_pattern_count():
    """An artefact overrules a task, a task what every fit has, and no later pattern an earlier."""
    near, far = {"cost": 1.0}, {"cost": 2.0, "cost-*": 3.0, "*": 4.0}
    assert smallest_difference("cost", near, far) == 1.0
    assert smallest_difference("cost-once", near, far) == 3.0
    assert smallest_difference("seconds", near, far) == 4.0
    assert smallest_difference("seconds", near) == COMMON["seconds"]


def test_a_number_that_nobody_declares_is_named():
    """The message says where to declare it."""
    with pytest.raises(KeyError, match="difference of 'beauty' matters: declare it with matters="):
        smallest_difference("beauty", {"accuracy": 0.02})


@pytest.mark.parametrize("wrong", [0, -0.1, float("nan"), "2 %"])
def test_a_difference_that_matters_is_above_zero(wrong):
    """Of a task and of an artefact."""
    with pytest.raises(ValueError, match="give a number above 0, a Ratio, or None"):
        registry.register_task("wrong", summary="none", matters={"score": wrong})
    with pytest.raises(ValueError, match="give a number above 0, a Ratio, or None"):
        dataclasses.replace(ARTEFACTS[0], matters={"score": wrong})
    assert "wrong" not in registry.tasks


@pytest.mark.parametrize("share", [0, -0.1, float("nan")])
def test_a_ratio_is_by_more_than_nothing(share):
    """Zero would make everything matter."""
    with pytest.raises(ValueError, match="by more than 0"):
        Ratio(share)


def test_a_margin_is_twice_what_matters():
    """One rule for all claims that methods are alike, or one not worse."""
    assert margin(0.02) == 0.04
    assert margin(Ratio(0.02)) == Ratio(0.04)


# -- what is declared -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "name", "smallest"),
    [
        ("clustering", "clustering-accuracy", 0.02),
        ("clustering", "nmi-max", 0.02),
        ("clustering", "mutual-information", 0.05),
        ("recognition", "accuracy-5", 0.02),
        ("annotation", "rc", 0.02),
        ("multiview", "map", 0.02),
        ("separation", "pauc@0.2", 0.02),
        ("separation", "age-fg", 0.5),
        ("separation", "peps", 0.005),
        ("segmentation", "covering@4", 0.02),
        ("segmentation", "boundary-f@4", 0.02),
        ("segmentation", "vi@4", 0.1),
        ("reconstruction", "relative-error-test", Ratio(0.02)),
        ("online", "cost", Ratio(0.02)),
        ("online", "cpu_seconds", Ratio(0.10)),
        ("convergence", "objective", Ratio(0.02)),
        ("convergence", "n_iter", Ratio(0.10)),
        ("memory", "anonymous", Ratio(0.10)),
        ("recovery", "anchor-recovery", 0.02),
        ("unmixing", "spectral-angle", 1.0),
        ("code-sparseness", "code-sparseness", 0.02),
        ("lighting", "spread", Ratio(0.05)),
    ],
)
def test_a_metric_has_the_difference_that_was_fixed(task, name, smallest):
    """Fixed before the grids grew: whoever changes one of these says so in the changelog."""
    assert of_task(task, name) == smallest


def test_a_metric_means_the_same_in_every_task():
    """No two tasks differ in what matters of metrics of one name, as far as both compare them."""
    found = defaultdict(set)
    for task in registry.tasks:
        for name in registry.tasks[task].info["matters"]:
            if (smallest := of_task(task, name)) is not None:
                found[name].add(smallest)
    assert {name: values for name, values in found.items() if len(values) > 1} == {}


def test_the_score_of_every_task_matters():
    """Methods are ranked by it."""
    for task in registry.tasks:
        if (score := registry.tasks[task].info["score"]) is not None:
            assert of_task(task, score) is not None, task


def test_what_every_fit_has_is_declared_once():
    """In no task, and of columns of records only."""
    assert set(COMMON) <= set(COLUMNS)
    for task in registry.tasks:
        assert not COMMON.keys() & registry.tasks[task].info["matters"].keys(), task


def test_every_metric_of_the_book_is_declared():
    """As one that matters, or as a mere diagnostic."""
    found = set()
    for file in BOOK.rglob("*.parquet"):
        names = [name for name in read_schema(file).names if name not in RESERVED]
        records = pd.read_parquet(file, columns=["task", *names]).set_index("task")
        known = records.notna().groupby(level="task").any().stack()
        found |= set(known[known].index)
    undeclared = []
    for task, name in sorted(found):
        try:
            of_task(task, name)
        except KeyError:
            undeclared.append((task, name))
    assert found
    assert undeclared == []


# -- what claims compare ----------------------------------------------------------------------

_NAMED = ("value", "values")  # parameters of the tests of claims, and of what papers make of them


def compared(thing, seen):
    """Names of the values that a test compares, out of the functions that it is made of."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, functools.partial):
        yield from _named(thing.keywords, seen)
        yield from compared([thing.func, *thing.args], seen)
    elif isinstance(thing, types.FunctionType):
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        yield from _named(dict(zip(thing.__code__.co_freevars, cells, strict=True)), seen)
    elif dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        yield from _named(vars(thing), seen)
    elif isinstance(thing, list | tuple | dict):
        for each in thing.values() if isinstance(thing, dict) else thing:
            yield from compared(each, seen)


def _named(parts, seen):
    for name, part in parts.items():
        if name in _NAMED:
            several = part if isinstance(part, list | tuple) else [part]
            yield from (each for each in several if isinstance(each, str))
        yield from compared(part, seen)


@pytest.mark.parametrize("artefact", ARTEFACTS, ids=lambda artefact: artefact.id)
def test_every_value_that_claims_compare_matters(artefact):
    """Metrics and columns that the artefact derives; no claim compares a diagnostic."""
    names = {name for claim in artefact.claims for name in compared(claim.test, set())}
    assert {name for name in names if artefact.smallest_difference(name) is None} == set()


def test_most_claims_name_what_they_compare():
    """So that the test above looks at them."""
    claims = [claim for artefact in ARTEFACTS for claim in artefact.claims]
    named = sum(any(compared(claim.test, set())) for claim in claims)
    assert named > 0.6 * len(claims)


@pytest.mark.parametrize("artefact", ARTEFACTS, ids=lambda artefact: artefact.id)
def test_an_artefact_declares_its_own_columns_only(artefact):
    """A task declares the differences that matter in its own metrics."""
    for name, smallest in artefact.matters.items():
        for task in artefact.names("task"):
            with contextlib.suppress(KeyError):
                assert of_task(task, name) == smallest, (task, name)
