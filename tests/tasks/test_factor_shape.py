"""Factors in numbers: sizes, norms and likeness, against loops over the factors themselves."""

import math

import numpy as np
import pytest
from sklearn.utils import Bunch

from nmfbench.engine.perform import perform
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.factor_shape import factor_shape
from nmfbench.tasks.sparseness import code_sparseness
from nmfbench.trials.trial import Trial

OPTIONS = {"n_components": 4, "train_per_class": 3}


def shape(W, H, y=None):
    """Metrics of given factors, of samples with the labels ``y``."""
    arrays = {"W": np.asarray(W, dtype=np.float32), "components": np.asarray(H, dtype=np.float32)}
    arrays["train"] = np.arange(len(W))
    data = Bunch() if y is None else Bunch(y=np.asarray(y))
    return factor_shape(data, None, None, Outcome({"dead-components": 0.0}, {}, arrays)).metrics


def _norm(rows):
    return math.sqrt(sum(float(value) ** 2 for row in rows for value in row))


def _cosine(a, b):
    lengths = math.hypot(*map(float, a)) * math.hypot(*map(float, b))
    return sum(float(x) * float(y) for x, y in zip(a, b, strict=True)) / lengths if lengths else 0


@pytest.mark.parametrize("solver", ["mu", "gnmf", "kmeans"])
def test_numbers_are_those_of_the_fit(solver):
    """Loops over the factors of a fit find what the task says of them."""
    trial = Trial("factor-shape", "digits", solver, options=OPTIONS)
    base = perform(trial.base)
    found = perform(trial, base).metrics
    W, H = base.arrays["W"], base.arrays["components"]
    assert (found["n-samples"], found["n-features"]) == (30, 64)
    assert [found[f"{which}-class"] for which in ("smallest", "largest")] == [3, 3]
    assert found["n-classes"] == 10
    assert found["norm-of-the-representation"] == pytest.approx(_norm(W), rel=1e-6)
    assert found["norm-of-the-components"] == pytest.approx(_norm(H), rel=1e-6)
    columns = list(W.T)
    alike = [
        not a.any() or any(_cosine(a, b) > 0.99 for j, b in enumerate(columns) if j != i)
        for i, a in enumerate(columns)
    ]
    assert found["columns-alike"] == pytest.approx(sum(alike) / len(alike))
    short = [_norm([column]) < 0.3 for column in columns]
    squares = [_norm([row]) ** 2 for row in H]
    share = sum(s for s, is_short in zip(squares, short, strict=True) if is_short) / sum(squares)
    assert found["share-of-components-of-short-columns"] == pytest.approx(share, rel=1e-5)
    assert base.metrics.items() <= found.items()


def test_a_base_from_anywhere_gives_the_same_bits():
    """Numbers from a base that was stored are those from one computed on the way."""
    trial = Trial("factor-shape", "digits", "gnmf", options=OPTIONS)
    assert perform(trial, perform(trial.base)).metrics == perform(trial).metrics


def test_short_columns_own_what_of_the_components():
    """The share of components that belong to short columns of W is that of squared norms."""
    found = shape(np.diag([1.0, 0.2]), [[3.0, 0.0], [0.0, 4.0]])
    assert found["share-of-components-of-short-columns"] == pytest.approx(16 / 25)


def test_components_that_are_zero_have_no_share():
    """Without any component the share is 0, not a division by zero."""
    found = shape(np.eye(2), np.zeros((2, 3)))
    assert found["share-of-components-of-short-columns"] == 0
    assert found["norm-of-the-components"] == 0


def test_classes_are_those_of_the_samples():
    """Sizes of classes and cosines within and between them are pairs counted by hand."""
    W, y = [[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]], ["b", "b", "a"]
    found = shape(W, np.ones((2, 5)), y)
    sizes = [found[name] for name in ("n-classes", "smallest-class", "largest-class")]
    assert sizes == [2, 1, 2]
    assert found["cosine-within"] == pytest.approx(_cosine(W[0], W[1]))
    between = (_cosine(W[0], W[2]) + _cosine(W[1], W[2])) / 2
    assert found["cosine-between"] == pytest.approx(between)


def test_without_labels_nothing_is_said_of_classes():
    """Data without labels have sizes and norms, and no classes."""
    found = shape(np.eye(3), np.ones((3, 2)))
    assert found["n-samples"] == 3
    assert not [name for name in found if "class" in name or "cosine" in name]


def test_sparseness_is_the_mean_over_codes():
    """One entry counts 1, equal entries 0, (3, 4) between, and a code of zeros is sparse, too."""
    codes = {(5.0, 0.0): 1.0, (2.0, 2.0): 0.0, (0.0, 0.0): 1.0}
    codes[3.0, 4.0] = (math.sqrt(2) - 7 / 5) / (math.sqrt(2) - 1)
    base = Outcome({}, {"seconds": 1.0}, {"W": np.array(list(codes), dtype=np.float32)})
    found = code_sparseness(None, None, None, base)
    assert found.metrics["code-sparseness"] == pytest.approx(sum(codes.values()) / 4, rel=1e-6)
    assert found.fit == {"seconds": 1.0}
