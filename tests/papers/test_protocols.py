"""Tables 3 and 4 of RNMFD: how parameters are chosen, and what the tables show."""

import numpy as np
import pandas as pd
import pytest
from verdicts import verdict_of

from nmfbench.artefacts.artefact import label_records
from nmfbench.core import registry
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd.protocols import AC, COMPARED, METHODS, NMI, chosen, grid
from nmfbench.papers.rnmfd.sets import SETS, clustering_trial, method

GNMF = next(c for c in COMPARED if c.label == "GNMF")
TABLE = registry.artefacts["rnmfd/table3"].target


def records(rows):
    """Labelled records of (dataset, Method, repeat, score, labels)."""
    made = [
        clustering_trial(SETS[dataset], m, repeat).to_dict()
        | {AC: score, NMI: score, "arrays": {"labels": labels}, "status": "done"}
        for dataset, m, repeat, score, labels in rows
    ]
    return label_records(pd.DataFrame(made), METHODS)


def weights(found):
    """The chosen weight of GNMF, by data set."""
    return {
        d: params.get("alpha", 100.0)
        for d, params in zip(found["dataset"], found["params"], strict=True)
    }


SAME, OTHER = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])


def gnmf(*values):
    """Records of GNMF on ORL: for each weight the scores and the labels of its runs."""
    return records(
        ("orl", method("GNMF", "gnmf", alpha=alpha), repeat, score, labels)
        for alpha, scores, runs in values
        for repeat, (score, labels) in enumerate(zip(scores, runs, strict=True))
    )


def test_the_best_on_the_test_has_the_highest_mean_accuracy():
    """By the mean over runs, not by a single one."""
    found = gnmf((0.1, [0.9, 0.1], [SAME] * 2), (10.0, [0.6, 0.6], [SAME] * 2))
    assert weights(chosen(found, "best")) == {"orl": 10.0}


def test_parameters_are_compared_on_the_same_runs():
    """A run that others lack decides nothing, and parameters with too few runs are left out."""
    found = gnmf(
        (0.1, [0.5, 0.5, 0.9], [SAME] * 3), (1.0, [0.6, 0.6], [SAME] * 2), (10.0, [0.9], [SAME])
    )
    found.loc[found.index[-1], "repeat"] = 7
    best = chosen(found, "best")
    assert weights(best) == {"orl": 1.0}
    assert list(best["repeat"]) == [0, 1]


def test_the_most_stable_agrees_with_itself():
    """Labels alone decide; among equals the smaller weight."""
    changing, steady = [SAME, OTHER, SAME], [SAME, 1 - SAME, SAME]
    found = gnmf((0.1, [0.9] * 3, changing), (1.0, [0.1] * 3, steady), (10.0, [0.5] * 3, steady))
    assert weights(chosen(found, "stable")) == {"orl": 1.0}


def test_weights_that_are_no_candidates_are_not_chosen_for_stability():
    """The search by test accuracy has more values than the four candidates."""
    assert {"alpha": 0.5} not in GNMF.weights
    steady, changing = [SAME, SAME], [SAME, OTHER]
    found = gnmf((0.5, [0.9] * 2, steady), (1.0, [0.1] * 2, changing))
    assert weights(chosen(found, "stable")) == {"orl": 1.0}
    assert weights(chosen(found, "best")) == {"orl": 0.5}


def test_defaults_are_the_defaults():
    """Whatever else was tried, and on each data set by itself."""
    found = records(
        (dataset, m, 0, score, SAME)
        for dataset in ("orl", "yale")
        for m, score in ((GNMF.default, 0.1), (method("GNMF", "gnmf", alpha=1.0), 0.9))
    )
    assert weights(chosen(found, "default")) == {"orl": 100.0, "yale": 100.0}


def test_the_papers_own_method_is_searched_as_in_the_paper():
    """RNMFD keeps p, alpha and beta; its search is among rules for the sparse part."""
    found = records(
        ("orl", method("RNMFD", "rnmfd", **params), 0, score, SAME)
        for params, score in (({"alpha": 1.0}, 0.9), ({"lam": "mad"}, 0.6), ({}, 0.5))
    )
    assert list(chosen(found, "best")["params"]) == [{"lam": "mad"}]
    assert list(chosen(found, "stable")["params"]) == [{"alpha": 1.0}]


def test_every_method_has_four_candidates_or_none():
    """The choice without labels is among as many for all methods that have a weight."""
    for compared in COMPARED:
        assert len(compared.candidates) == (4 if compared.weights else 1)
        assert len({str(m.params) for m in compared.candidates}) == len(compared.candidates)


def test_the_grids_of_the_paper_are_searched_in_full():
    """Nine numbers of neighbours times eleven weights for GNMF, as Section 4.1 has it."""
    trials = [t for t in grid("paper") if t.solver == "gnmf" and t.dataset == "orl"]
    tried = {(t.params.get("n_neighbors", 5), t.params.get("alpha", 100.0)) for t in trials}
    assert len(tried) == 9 * 11
    for trial in grid("paper"):
        assert trial.repeat < 10


def test_printed_averages_are_those_of_the_printed_numbers():
    """The last row of each table is the mean of the others, but for a last digit."""
    for artefact in ("rnmfd/table3", "rnmfd/table4"):
        rows = np.array([reported(artefact, dataset).value for dataset in SETS])
        np.testing.assert_allclose(
            rows.mean(axis=0), reported(artefact, "average").value, atol=1.5e-4
        )


def world(scores, runs=10, sets=("orl", "yale")):
    """The frame of defaults with a score of each method and a little noise, some of it shared."""
    rng = np.random.default_rng(1)
    noise = 0.002 * rng.standard_normal(runs)
    own = {label: 0.001 * rng.standard_normal(runs) for label in scores}
    methods = {c.label: c.default for c in COMPARED}
    return TABLE.frame(
        records(
            (dataset, methods[label], repeat, score + noise[repeat] + own[label][repeat], SAME)
            for dataset in sets
            for label, score in scores.items()
            for repeat in range(runs)
        )
    )


def test_marks_are_significant_differences_from_rnmfd():
    """Above, below, or neither; and the highest of a row has an asterisk."""
    found = world({"RNMFD": 0.6, "Ncuts": 0.7, "NMF": 0.5, "NSDR": 0.6})
    table = TABLE.table(found)
    rows = table[(table["protocol"] == "default") & (table["dataset"] == "orl")]
    marks = dict(zip(rows["method"], rows["mark"], strict=True))
    assert marks == {"RNMFD": "", "Ncuts": "above", "NMF": "below", "NSDR": ""}
    printed = TABLE.picture(table)
    row = printed[printed["parameters"] == "defaults"].iloc[0]
    assert row["Ncuts"].startswith("70.")
    assert "▲ *" in row["Ncuts"]
    assert "▽" in row["NMF"]
    assert "*" not in row["NMF"]
    assert row["GNMF"] == ""


def test_few_runs_have_no_marks():
    """Of three runs no signed-rank test can say anything."""
    table = TABLE.table(world({"RNMFD": 0.6, "NMF": 0.1}, runs=3))
    assert set(table["mark"]) == {""}


def test_averages_are_over_sets_that_a_method_has():
    """A method that lacks a set has no average; ranks count the highest score as 1."""
    found = pd.concat(
        [world({"RNMFD": 0.6, "NMF": 0.5}), world({"LNMF": 0.9}, sets=("orl",))], ignore_index=True
    )
    table = TABLE.table(found)
    rows = table[table["protocol"] == "default"].set_index(["dataset", "method"])["mean"]
    sets_mean = np.mean([rows["orl", "RNMFD"], rows["yale", "RNMFD"]])
    assert rows["average", "RNMFD"] == pytest.approx(sets_mean)
    assert ("average", "LNMF") not in rows.index
    assert rows["mean rank", "RNMFD"] == 1.0
    assert rows["mean rank", "NMF"] == 2.0


def test_the_papers_numbers_stand_in_the_table():
    """Row by row as printed, in per cent, none for methods that the paper does not have."""
    printed = TABLE.picture(TABLE.table(world({"RNMFD": 0.6})))
    first = printed.iloc[0]
    assert first[""] == "ORL"
    assert first["parameters"] == "the paper's"
    assert first["RNMFD"] == "65.25 *"
    assert first["NSDR"] == "57.75"
    assert first["Ncuts"] == ""


def test_a_refuted_claim_says_what_stands_behind_it():
    """Scores of the graph alone, and columns near zero, stand in the evidence."""
    found = world({"RNMFD": 0.5, "GNMF": 0.6, "Ncuts": 0.7}, sets=("orl",))
    found["n-dead-components"], found["orthogonality-gap"] = 2.0, 3.0
    by_id = {claim.id: claim for claim in TABLE.claims}
    verdict = verdict_of(by_id["orl-default"].test, found)
    assert verdict.verdict == "refuted"
    assert "Ncuts 70." in verdict.evidence
    assert "printed in the paper: RNMFD 65.2, NSDR 57.8" in verdict.evidence
    assert "2.0 columns of RNMFD are near zero" in verdict.evidence
    alone = verdict_of(by_id["orl-graph-alone"].test, found)
    assert alone.verdict == "refuted"
    assert "printed" not in alone.evidence
    assert "65.25" in by_id["orl-default"].reported


def test_claims_have_names_of_their_own():
    """In the registry each id occurs once."""
    for name in ("rnmfd/table3", "rnmfd/table4"):
        ids = [claim.id for claim in registry.artefacts[name].target.claims]
        assert len(set(ids)) == len(ids)
