"""Accuracy with few exemplars, against the answer of the largest class."""

import numpy as np
import pytest
from third_party import real

from nmfbench.papers.robust_xray.exemplar_accuracy import LARGEST_CLASS
from nmfbench.problems.exemplars import TEXTS
from nmfbench.tasks.exemplars import halve_each_class


@pytest.mark.parametrize("dataset", LARGEST_CLASS)
def test_the_largest_class_has_as_many_documents_in_every_split(dataset):
    """The bound of the claim is that of the collection."""
    y = np.asarray(real(dataset, **TEXTS[dataset]).y)
    for seed in range(2):
        _, test = halve_each_class(y, np.random.default_rng(seed))
        counts = np.unique(y[test], return_counts=True)[1]
        assert (counts.max(), len(test)) == LARGEST_CLASS[dataset]
