"""Recognition by the nearest code, against loops over pairs, and the splits of its figures."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import nnls
from sklearn.utils import Bunch
from third_party import real
from verdicts import verdict_of

from nmfbench.core import registry
from nmfbench.engine.perform import perform
from nmfbench.papers.or_nmf.readings import one_by_one
from nmfbench.papers.or_nmf.recognition import SIZES, grid
from nmfbench.problems.codes import coded
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.nearest_code import nearest_code

CODINGS = ("nnls", "pinv", "nnls-simplex", "svd", "pixels")


def by_hand(seed=0, r=3):
    """A factorization that no solver made, of samples of three classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=40)
    data = Bunch(X=rng.random((3, 8))[y] + 0.4 * rng.random((40, 8)), y=y)
    arrays = {"train": np.arange(12), "test": np.arange(12, 40), "components": rng.random((r, 8))}
    return data, Outcome({}, {"seconds": 1.0}, arrays)


def accuracies(data, code):
    """Share of the test samples whose nearest training sample has their label, by loops."""
    codes = [code(x / np.sqrt(np.sum(x**2))) for x in data.X]
    nearest = [min(range(12), key=lambda i: np.sum((codes[j] - codes[i]) ** 2)) for j in range(40)]
    return np.mean([data.y[nearest[j]] == data.y[j] for j in range(12, 40)])


@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_code_by_loops_over_pairs(seed):
    """All accuracies by scipy's NNLS, least squares and eigenvectors, and a loop over pairs."""
    data, base = by_hand(seed)
    H = base.arrays["components"]
    unit = H / np.sqrt((H**2).sum(axis=1, keepdims=True))
    simplex = H / H.sum(axis=1, keepdims=True)
    X = data.X[:12] / np.sqrt((data.X[:12] ** 2).sum(axis=1, keepdims=True))
    leading = np.linalg.eigh(X.T @ X)[1][:, -3:]
    codings = {
        "nnls": lambda x: nnls(unit.T, x)[0],
        "pinv": lambda x: np.linalg.lstsq(unit.T, x, rcond=None)[0],
        "nnls-simplex": lambda x: nnls(simplex.T, x)[0],
        "svd": lambda x: x @ leading,
        "pixels": lambda x: x,
    }
    outcome = nearest_code(data, None, None, base)
    assert outcome.metrics == {
        f"accuracy-{name}": pytest.approx(accuracies(data, code)) for name, code in codings.items()
    }
    assert outcome.fit == {"seconds": 1.0}
    for name in ("nnls", "pinv"):
        right = np.mean(outcome.arrays[f"predicted-{name}"] == data.y[12:])
        assert right == outcome.metrics[f"accuracy-{name}"]


def test_neither_the_scale_of_bases_nor_that_of_samples_matters():
    """Bases and samples times positive numbers are recognised alike."""
    data, base = by_hand(5)
    scaled = base.arrays["components"] * np.array([[0.01], [7.0], [300.0]])
    longer = Bunch(X=data.X * np.linspace(0.1, 9, 40)[:, None], y=data.y)
    before = nearest_code(data, None, None, base).metrics
    changed = Outcome({}, {}, base.arrays | {"components": scaled})
    assert nearest_code(longer, None, None, changed).metrics == before


def test_unit_sum_is_another_gauge():
    """Codes on a basis that is spread over many features count for more with unit sum."""
    bases = np.array([np.eye(100)[0], np.r_[0, np.ones(99)]])
    angles = np.deg2rad([40.0, 86.0, 62.0])  # in the plane of the bases; the last is tested
    X = np.column_stack([np.cos(angles), np.sin(angles) / np.sqrt(99)]) @ bases
    arrays = {"train": np.array([0, 1]), "test": np.array([2]), "components": bases}
    data = Bunch(X=X, y=np.array([0, 1, 0]))
    found = nearest_code(data, None, None, Outcome({}, {}, arrays)).metrics
    assert (found["accuracy-nnls"], found["accuracy-nnls-simplex"]) == (1, 0)


def test_more_bases_than_training_samples_and_dead_ones():
    """The rank may exceed the training samples, and a basis that is zero takes no part."""
    data, base = by_hand(6, r=20)
    assert set(nearest_code(data, None, None, base).metrics) == {f"accuracy-{c}" for c in CODINGS}
    few = by_hand(6)[1]
    dead = few.arrays | {"components": np.vstack([few.arrays["components"], np.zeros(8)])}
    with_dead = nearest_code(data, None, None, Outcome({}, {}, dead)).metrics
    without = nearest_code(data, None, None, few).metrics
    for name in ("nnls", "pinv", "nnls-simplex", "pixels"):
        assert with_dead[f"accuracy-{name}"] == without[f"accuracy-{name}"]


def test_test_samples_are_needed():
    """Without a test part the error names the option to give."""
    data, base = by_hand()
    base.arrays["test"] = base.arrays["test"][:0]
    with pytest.raises(ValueError, match="train_per_class"):
        nearest_code(data, None, None, base)


@pytest.mark.parametrize(
    ("dataset", "people", "per_person", "pixels"), [("yaleb", 10, 50, 361), ("orl", 40, 10, 1024)]
)
@pytest.mark.parametrize("size", SIZES)
def test_splits_have_the_sizes_of_the_paper(dataset, people, per_person, pixels, size):
    """30, 50, 70 training and 470, 450, 430 test images of ten people; 120, 200, 280 and 280, 200,
    120 of ORL; other people in another split, the same for all methods and ranks."""
    problem = coded(dataset, train_per_class=size, n_components=2)
    y = real(dataset, **problem.dataset_params).y
    splits = []
    for solver, repeat in (("random-bases", 0), ("hals", 0), ("random-bases", 1)):
        arrays = perform(problem.trial(solver, {}, repeat).base).arrays
        train, test = arrays["train"], arrays["test"]
        assert (len(train), len(test)) == (people * size, people * (per_person - size))
        assert not set(train) & set(test)
        assert set(np.unique(y[train], return_counts=True)[1]) == {size}
        assert arrays["components"].shape == (2, pixels)
        splits.append(list(train))
    assert splits[0] == splits[1] != splits[2]


def test_batch_hals_runs_as_far_as_its_rank_allows():
    """Of HALS only ranks up to the number of training images are planned; of others all."""
    trials = grid("yaleb", 1, SIZES, range(10, 81, 10))
    largest = {(t.solver, t.options["train_per_class"]): t.options["n_components"] for t in trials}
    assert [largest["hals", size] for size in SIZES] == [30, 50, 70]
    assert [largest["or-nmf", size] for size in SIZES] == [80, 80, 80]


def falls(ranks):
    """Verdict on the decline of a method whose accuracy by rank is given, over six splits."""
    (claim,) = (
        c for c in registry.artefacts["or-nmf/fig10"].target.claims if c.id == "decline-inmf"
    )
    rows = [
        {
            "method": method,
            "codes": codes,
            "train_per_class": 5,
            "n_components": rank,
            "repeat": repeat,
            "accuracy (%)": value + 0.1 * repeat,
        }
        for codes in ("NNLS", "pseudo-inverse")
        for (method,) in one_by_one("INMF").values()
        for rank, value in ranks.items()
        for repeat in range(6)
    ]
    return verdict_of(claim.test, pd.DataFrame(rows))


def test_a_decline_is_from_the_best_rank_to_the_largest():
    """A fall of more than the margin confirms, a rise or a dip in between refutes."""
    found = falls({10: 40.0, 20: 60.0, 80: 50.0})
    assert found.verdict == "confirmed"
    assert found.effect == pytest.approx(10.0)
    assert "loses 10 (" in found.evidence
    assert falls({10: 60.0, 20: 40.0, 80: 61.0}).verdict == "refuted"
    assert falls({10: 60.0}).verdict == "inconclusive"
