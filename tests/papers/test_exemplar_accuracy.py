"""Accuracy with few exemplars, against the answer of the largest class."""

import numpy as np
import pandas as pd
import pytest
from third_party import real
from verdicts import verdict_of

from nmfbench.papers.robust_xray import lemmas
from nmfbench.papers.robust_xray.exemplar_accuracy import (
    LARGEST_CLASS,
    WEIGHTED,
    WEIGHTINGS,
    with_weighting,
)
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


def test_counts_are_the_weighting_where_none_is_set():
    """The trials of all weightings come back with their names."""
    records = pd.DataFrame([change.get("options", {}) for change in WEIGHTED])
    assert with_weighting(records)["weighting"].tolist() == list(WEIGHTINGS)
    assert with_weighting(records[[]])["weighting"].eq("counts").all()


@pytest.mark.parametrize(
    ("largest", "mean", "verdict"),
    [
        ({}, 0.01, "confirmed"),
        ({"tfidf": 0.9}, 0.9, "inconclusive"),
        (dict.fromkeys(WEIGHTINGS, 0.9), 0.9, "refuted"),
        ({"l1": 0.9}, 0.05, "inconclusive"),  # it may be that of the first selection
    ],
)
def test_few_zeros_under_each_weighting(largest, mean, verdict):
    """Residuals of texts have few zeros only if they have under all weightings of words."""
    rows = [
        {
            "task": "residual-zeros",
            "method": lemmas.ROBUST,
            "view": "texts",
            "repeat": repeat,
            "weighting": weighting,
            "largest-share-of-zeros": largest.get(weighting, 0.02),
            "mean-share-of-zeros": mean if weighting in largest else 0.01,
            "selections": 20,
            "lemma-failures": 0,
            "lp-calls": 0,
        }
        for weighting in WEIGHTINGS
        for repeat in range(5)
    ]
    (fact,) = (f for f in lemmas.FACTS if f.key == "few-zeros-texts")
    found = verdict_of(lemmas._few_zeros(fact), lemmas.frame(pd.DataFrame(rows)))
    assert found.verdict == verdict, found.evidence
