"""Tests of claims on MahNMF that read traces, and what they make of runs that differ in one way."""

import numpy as np
import pandas as pd
import pytest
from verdicts import verdict_of

from nmfbench.artefacts.region import Lead, Margin
from nmfbench.core import registry
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.papers.mahnmf import fig3, recognition, recognition_claims, speed_claims
from nmfbench.papers.mahnmf.matrices import ALGORITHM_1, OGM, SORT, TINY
from nmfbench.papers.mahnmf.studies import gap_stop

AT = {"problem": TINY.label}
CLAIMS = {claim.id: claim.test for claim in fig3.ARTEFACT.claims}


def run(objective, seconds=1.0):
    """A trace with these objectives, of equally long rounds."""
    trace = np.zeros(len(objective), dtype=TRACE_DTYPE)
    trace["iteration"] = np.arange(len(objective))
    trace["cpu_seconds"] = seconds * trace["iteration"]
    trace["objective"] = objective
    return trace


def frame(runs, problem=TINY.label, repeats=5):
    """Rows of the frame of Figure 3, the same runs in each repeat."""
    rows = [
        {"problem": problem, "method": method, "repeat": repeat, "arrays": {"trace": trace}}
        for method, trace in runs.items()
        for repeat in range(repeats)
    ]
    return pd.DataFrame(rows)


def shown(test, rows):
    """The one estimate of a test, as readers see it."""
    (found,) = test(rows).estimates
    return found.shown


@pytest.mark.parametrize("axis", ["rounds", "seconds"])
def test_a_run_that_stops_earlier_is_not_behind_for_it(axis):
    """Objectives are compared while both runs last, whatever the longer one reaches later."""
    runs = {ALGORITHM_1: run([9.0, 2.0, 2.0]), OGM: run([9.0, 4.0, 4.0, 4.0, 1.0, 1.0])}
    test = speed_claims.at_equal(ALGORITHM_1, OGM, axis, Lead(), at=AT)
    assert shown(test, frame(runs)) == pytest.approx(2.0)


def test_at_equal_seconds_the_run_of_longer_rounds_has_no_credit_for_its_start():
    """The comparison begins where both have ended a round."""
    runs = {ALGORITHM_1: run([9.0, 2.0, 2.0], seconds=3.0), OGM: run([9.0, *[1.0] * 8])}
    test = speed_claims.at_equal(ALGORITHM_1, OGM, "seconds", Margin(), at=AT)
    assert shown(test, frame(runs)) == pytest.approx(0.5)


def test_runs_that_share_no_second_are_not_compared():
    """A run may end before the first round of the other one does."""
    runs = {ALGORITHM_1: run([9.0, 2.0], seconds=5.0), OGM: run([9.0, 1.0, 1.0])}
    test = speed_claims.at_equal(ALGORITHM_1, OGM, "seconds", Lead(), at=AT)
    assert test(frame(runs)).outcome == "not run"


def test_the_exponent_is_that_of_the_ratio_of_seconds():
    """RRI takes as many times more as the matrix has entries, and OGM always the same.

    To the level that both reach, and for a round.
    """
    fall = [9.0, 1.0]
    rows = [
        frame({SORT: run(fall, seconds=size), OGM: run(fall)}, problem)
        for problem, size in fig3._ENTRIES.items()
    ]
    found = CLAIMS["scalable"](pd.concat(rows, ignore_index=True)).estimates
    assert [estimate.shown for estimate in found] == pytest.approx([1.0, 1.0])


def test_a_single_size_has_no_growth():
    """Nor have runs of one method alone."""
    rows = frame({SORT: run([9.0, 1.0]), OGM: run([9.0, 1.0])})
    assert CLAIMS["scalable"](rows).outcome == "not run"


def test_rounds_of_runs_that_had_not_stopped_are_named():
    """They count with the rounds that they made."""
    rows = frame({OGM: run([9.0, 1.0])}).assign(running=[True, False, False, False, False])
    rows = rows.assign(**{"rounds to stop": 20.0})
    found = CLAIMS["tiny-few-rounds"](rows)
    assert "1 of 5 had not stopped and count with their rounds" in found.notes


def test_the_gap_saves_a_share_of_what_checks_of_the_objective_cost():
    """Over equal steps, against the rule that costs nothing."""
    seconds = dict(zip(gap_stop._EQUAL.values(), (1.2, 1.1, 2.0, 1.0), strict=True))
    seconds |= dict.fromkeys(gap_stop._RULES, 1.0)
    runs = {method: run([9.0, 1.0], seconds=each) for method, each in seconds.items()}
    found = gap_stop.frame(frame(runs))
    saved = found.loc[found["method"] == gap_stop._EQUAL[gap_stop.GAP], gap_stop._SAVED]
    assert saved.tolist() == pytest.approx([0.8] * 5)
    assert found[gap_stop._SAVED].notna().sum() == 10
    assert set(gap_stop.summarise(found)["method"]) <= set(gap_stop._RULES)


@pytest.mark.parametrize(("fall", "verdict"), [(2.0, "refuted"), (8.0, "confirmed")])
def test_a_method_is_not_robust_if_it_loses_more_than_the_margin(fall, verdict):
    """Any method recognises a few images less under noise: less than four points tell nothing."""
    claim = recognition_claims.traditional_not_robust()[0]
    conditions = {"no noise": 60.0, **dict.fromkeys(("occlusion", "Laplace", "salt & pepper"), 0.0)}
    frame = pd.DataFrame(
        {
            "method": method,
            "condition": condition,
            "algorithm": "Algorithm 4",
            "n_components": 20,
            "repeat": repeat,
            "accuracy (%)": (base or 60.0 - fall) + 0.1 * repeat * (base > 0),
        }
        for method in ("EucNMF", "KLNMF")
        for condition, base in conditions.items()
        for repeat in range(6)
    )
    assert verdict_of(claim.test, frame, recognition.MATTERS.get).verdict == verdict


@pytest.mark.parametrize(("fall", "verdict"), [(2.0, "refuted"), (8.0, "confirmed")])
def test_the_pseudo_inverse_is_judged_by_what_outliers_take(fall, verdict):
    """Not by the other algorithm, which may recognise more of clean images, too."""
    claim = recognition_claims.of_pseudo_inverse("Section 5.2")[0]
    accuracies = {"Algorithm 4": 60.0, "Algorithm 4, corrupted test images": 60.0 - fall}
    frame = pd.DataFrame(
        {
            "method": method,
            "condition": condition,
            "algorithm": algorithm,
            "n_components": 20,
            "repeat": repeat,
            "accuracy (%)": accuracy + 0.1 * repeat * (accuracy == 60.0),
        }
        for method in ("EucNMF", "KLNMF")
        for condition in ("occlusion", "Laplace", "salt & pepper")
        for algorithm, accuracy in accuracies.items()
        for repeat in range(6)
    )
    assert verdict_of(claim.test, frame, recognition.MATTERS.get).verdict == verdict


def test_the_mean_is_no_rival_of_the_paper_where_the_light_changes():
    """Where the mean fails because of the light alone, leads over it are our questions."""
    claims = {c.id: c.origin for c in registry.artefacts["mahnmf/fig16"].target.claims}
    for test in ("detail", "ghosts"):
        assert claims[f"{test}-ibmtest2"] == "paper"
        assert claims[f"{test}-ibmtest2-switch"] == "ours"
    assert claims["rpca-ibmtest2-switch"] == "paper"
