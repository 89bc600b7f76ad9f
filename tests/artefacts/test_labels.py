"""Labels of trials, from the axes of a grid to the rows of a frame; choices of parameters."""

import numpy as np
import pandas as pd
import pytest
from verdicts import verdict_of

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.grids import (
    CLEAN,
    Method,
    changed,
    corrupted,
    cross,
    labelled,
    labels_of,
    methods,
    options,
)
from nmfbench.artefacts.protocols import best, by_protocol
from nmfbench.engine.runner import run
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial
from nmfbench.verdicts.evaluate import evaluate

BASE = Trial("recovery", "near-separable", "", dataset_params={"n_samples": 20, "n_features": 10})
SPA = Method("SPA", "spa")


def test_a_label_is_no_part_of_a_trial():
    """A trial with a label has the key of the trial without, and is equal to it."""
    size, spa = options("n_components", [3]), methods([SPA])
    (plain,) = cross(BASE, 1, size, spa)
    (named,) = cross(BASE, 1, labelled("panel", ["(a)"], size), spa)
    assert dict(named.labels) == {"panel": "(a)"}
    assert (named.key, named.to_dict()) == (plain.key, plain.to_dict())
    assert named == plain
    assert plain.labels == {}


def test_a_changed_trial_keeps_its_labels():
    """Later changes add to the labels of a trial, and changes along an axis add to each other."""
    places = labelled("share", [0.1], corrupted([("sparse-laplace", 0.5)]))
    (trial,) = cross(changed(BASE, {"labels": {"data": "small"}}), 1, places)
    assert changed(trial, {"stand_in": True, "labels": {"share": 0.2}}).labels == {
        "data": "small",
        "noise": "sparse-laplace",
        "share": 0.2,
    }


def test_labels_are_in_the_order_of_the_grid():
    """Texts are categories as the grid has them first, numbers are numbers, a gap is NaN."""
    noise = corrupted([(None, None), ("sparse-laplace", 0.5)])
    found = labels_of([*cross(BASE, 2, noise), changed(BASE, {"labels": {"x": 1.5}})])
    assert list(found["noise"].cat.categories) == [CLEAN, "sparse-laplace"]
    assert found["noise"].isna().tolist() == [False] * 4 + [True]
    assert found["x"].dropna().tolist() == [1.5]
    assert labels_of([]).empty


def test_the_frame_of_an_artefact_has_the_labels(tmp_path):
    """Labels meet their records by key, whatever the order, and one may name the method."""
    two, three = ([{"dataset_params": {"n_components": k}}] for k in (2, 3))
    grid = [
        *cross(BASE, 2, labelled("size", ["three"], three), methods([SPA])),
        *cross(BASE, 2, methods([SPA]), labelled("method", ["SPA of two"], two)),
    ]
    artefact = Artefact(
        "robust-xray/labels",
        title="Labels",
        kind="table",
        methods=[SPA],
        grid=lambda profile: grid,
        table=lambda frame: frame.assign(of=[p["n_components"] for p in frame["dataset_params"]]),
        picture=lambda table: table,
    )
    with Store(tmp_path) as store:
        run(artefact.plan("smoke")[::-1], store, jobs=1)
        table = evaluate(artefact, store, profile="smoke").table
    assert set(zip(table["method"], table["of"], strict=True)) == {("SPA", 3), ("SPA of two", 2)}
    assert table["size"].dropna().tolist() == ["three", "three"]
    assert table["size"].isna().tolist() == (table["of"] == 2).tolist()


@pytest.mark.parametrize("sizes", [[2.0, 3.0, 5.0], [np.nan]], ids=["known", "missing"])
def test_the_best_parameters_are_those_of_a_loop(sizes):
    """In each cell the highest mean counts, of equal ones the first, also where a column is NaN."""
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(
        {"method": m, "size": size, "weight": w, "repeat": k, "score": rng.integers(4)}
        for m in "ab"
        for size in sizes
        for w in (0.1, 1.0)
        for k in range(4)
    )
    found = best(rows, "score", ["method"], ["size", "weight"])
    for method, of_method in rows.groupby("method"):
        means = {
            way: cells["score"].mean()
            for way, cells in of_method.groupby(["size", "weight"], dropna=False)
        }
        way = max(means, key=means.get)
        expected = of_method[
            of_method["weight"].eq(way[1])
            & (of_method["size"].eq(way[0]) | of_method["size"].isna())
        ]
        pd.testing.assert_frame_equal(found[found["method"] == method], expected)


def test_protocols_stand_below_each_other():
    """Each protocol chooses from all rows, and unknown scores choose nothing."""
    rows = pd.DataFrame({"method": "a", "p": [1, 2], "test": [0.5, 0.6], "inner": [0.9, np.nan]})
    ways = {
        name: lambda rows, name=name: best(rows, name, ["method"], ["p"])
        for name in ("test", "inner")
    }
    assert by_protocol(rows, ways)[["protocol", "p"]].values.tolist() == [["test", 2], ["inner", 1]]


def _frame(lead):
    """Two methods at three levels, one ahead by a lead that changes sign with the level."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"method": m, "level": level, "repeat": k, "accuracy": 0.5 + (m == "a") * gap + noise}
        for level, gap in zip((0.0, 0.5, 1.0), lead, strict=True)
        for k in range(10)
        for m in "ab"
        for noise in [0.001 * rng.standard_normal()]
    )


@pytest.mark.parametrize(
    ("lead", "verdict"), [((0.1, 0.1, 0.1), "confirmed"), ((0.1, 0.1, -0.1), "refuted")]
)
def test_every_level_there_is_can_be_asked_for(lead, verdict):
    """``...`` stands for all values that the sides have."""
    frame = pd.concat([_frame(lead), pd.DataFrame({"method": ["c"], "level": [2.0]})])
    found, listed = (
        verdict_of(always_best("a", ["b"], "accuracy", each={"level": values}), frame)
        for values in (..., [0.0, 0.5, 1.0])
    )
    assert found == listed
    assert found.verdict == verdict


def test_no_level_at_all_is_not_run():
    """Where the sides have no value there is nothing to ask for."""
    test = always_best("a", ["b"], "accuracy", each={"level": ...})
    frame = _frame((0.1, 0.1, 0.1))
    assert verdict_of(test, frame.assign(level=np.nan)).verdict == "not run"
    assert verdict_of(test, frame.iloc[:0]).verdict == "not run"


def test_a_bound_on_several_sides_is_for_each_of_them():
    """One side below the bound refutes it, and one that has not been run leaves it open."""
    frame = _frame((0.1, 0.1, 0.1))
    assert verdict_of(at_least(["a", "b"], "accuracy", 0.45), frame).verdict == "confirmed"
    assert verdict_of(at_least(["a", "b"], "accuracy", 0.55), frame).verdict == "refuted"
    assert verdict_of(at_least(["a", "c"], "accuracy", 0.45), frame).verdict == "inconclusive"


@pytest.mark.parametrize(("rule", "verdict"), [("some", "confirmed"), ("every", "refuted")])
def test_several_sides_may_be_ahead_of_one_rival(rule, verdict):
    """Of several sides each is compared with the rival: one is ahead here, and one behind."""
    frame = _frame((0.1, 0.1, 0.1))
    worse = frame[frame["method"] == "b"].assign(method="c")
    frame = pd.concat([frame, worse.assign(accuracy=worse["accuracy"] - 0.1)])
    found = verdict_of(always_best(["a", "c"], ["b"], "accuracy", rule=rule), frame)
    assert found.verdict == verdict
    assert f"of {'a' if rule == 'some' else 'c'} over b in accuracy" in found.evidence
