"""Curves of ANP: which weights are the best, what the table holds, and whose data are shown."""

import numpy as np
import pandas as pd
import pytest
from verdicts import verdict_of

from nmfbench.artefacts.artefact import label_records
from nmfbench.core import registry
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.papers.anp import fig2, fig3
from nmfbench.papers.anp.convergence import LONG, SHORT, with_convergence
from nmfbench.papers.anp.curves import (
    AC,
    ANP,
    BEST,
    EACH,
    KMEANS,
    METHODS,
    NMF,
    NMI,
    draw,
    summarise,
    told_apart,
)
from nmfbench.papers.anp.curves_claims import NOT_MONOTONE, claims
from nmfbench.papers.rnmfd.sets import SETS, clustering_trial, method

STRONG = {"lam1": 1.0}  # beside the default ridge


def records(scores):
    """Finished records from rows (solver, params, classes, repeat, AC)."""
    rows = [
        {
            "solver": solver,
            "params": method("any", solver, **params).params,
            "options": {"n_components": classes},
            "repeat": repeat,
            AC: score,
            NMI: score - 0.1,
        }
        for solver, params, classes, repeat, score in scores
    ]
    return label_records(pd.DataFrame(rows), METHODS)


def both(default, strong, nmf=(0.5, 0.5), classes=5):
    """NMF and two weights of ANP at one number of classes, in several draws."""
    sides = [("mu", {}, nmf), ("anp", {}, default), ("anp", STRONG, strong)]
    return [(s, p, classes, k, score) for s, p, made in sides for k, score in enumerate(made)]


@pytest.mark.parametrize(("strong", "best"), [((0.7, 0.5), 1.0), ((0.6, 0.5), 0.01)])
def test_the_best_weights_have_the_highest_mean_accuracy(strong, best):
    """ANP stands in the records at its defaults, and again at the best weights."""
    apart = told_apart(records(both((0.6, 0.55), strong)))
    assert set(apart["method"]) == {NMF, ANP, BEST, EACH}
    assert set(apart.loc[apart["method"] == EACH, "lam1"]) == {0.01, 1.0}
    assert set(apart.loc[apart["method"] == BEST, "lam1"]) == {best}
    assert set(apart.loc[apart["method"] == ANP, "lam1"]) == {0.01}
    assert apart.loc[apart["method"] == NMF, "lam1"].isna().all()


def test_weights_are_compared_on_the_same_cells():
    """A number of classes that was run with some weights only does not speak for them."""
    rows = both((0.6, 0.6), (0.5, 0.5)) + [("anp", STRONG, 2, 0, 1.0), ("mu", {}, 2, 0, 0.9)]
    apart = told_apart(records(rows))
    assert set(apart.loc[apart["method"] == BEST, "lam1"]) == {0.01}


def test_leads_are_over_the_same_draws():
    """The effect of weights is ANP less NMF within a draw, averaged over numbers of classes."""
    rows = both((0.6, 0.8), (0.5, 0.7), nmf=(0.5, 0.6))
    rows += both((0.4, 0.4), (0.4, 0.2), nmf=(0.4, 0.3), classes=9)
    table = summarise(told_apart(records(rows)))
    leads = table[table["part"] == "weights"].set_index("lam1")
    np.testing.assert_allclose(leads.loc[[0.01, 1.0], "mean"], [0.1, 0.0], atol=1e-12)
    assert (leads["count"] == 2).all()
    curves = table[(table["part"] == "curves") & (table["score"] == "normalised MI")]
    found = curves.set_index(["method", "classes"])["mean"]
    np.testing.assert_allclose([found[ANP, 5], found[NMF, 9]], [0.6, 0.25])


def test_a_grid_without_anp_can_be_drawn():
    """K-means alone gives a curve, and claims that nothing was run for."""
    frame = told_apart(records([("kmeans", {}, 5, k, 0.5) for k in range(5)]))
    drawn = draw(summarise(frame))
    assert drawn.axes[0].get_legend_handles_labels()[1] == [KMEANS]
    verdicts = {verdict_of(claim.test, frame).verdict for claim in claims("Figure 2", "ORL")}
    assert verdicts <= {"not run", "inconclusive"}


@pytest.mark.parametrize(("last", "expected"), [(0.7, "confirmed"), (0.5, "refuted")])
def test_one_rise_is_no_fall_at_every_step(last, expected):
    """Accuracy that falls from the fewest classes to the most need not fall in between."""
    noise = np.random.default_rng(0).normal(0, 0.001, size=(3, 6))
    means = {5: 0.9, 10: 0.6, 15: last}
    rows = [
        ("anp", {}, classes, k, mean + noise[i, k])
        for i, (classes, mean) in enumerate(means.items())
        for k in range(6)
    ]
    verdict = verdict_of(NOT_MONOTONE.test, told_apart(records(rows)))
    assert verdict.verdict == expected
    assert "from 10 to 15 classes" in verdict.evidence
    assert f"{0 if last > 0.6 else 100} % fall" in verdict.evidence


def test_all_classes_are_the_trials_of_the_tables():
    """With all 40 people a trial is that of RNMFD's tables, so that it is computed once."""
    shared = {
        clustering_trial(SETS["orl"], method("any", solver), repeat)
        for solver in ("kmeans", "mu", "anp", "ncuts")
        for repeat in range(5)
    }
    assert shared <= set(fig2.trials("quick"))


def test_the_stand_in_for_caltech_is_named():
    """COIL-20 counts as the paper's data nowhere in Figure 3, and ORL is its own in Figure 2."""
    for profile in ("quick", "paper"):
        assert "Caltech-101" in fig3.ARTEFACT.substitutes(fig3.trials(profile))["coil20"]
        assert fig2.ARTEFACT.substitutes(fig2.trials(profile)) == {}
    assert "COIL-20" in fig3.ARTEFACT.title
    assert registry.datasets["coil20"].info.get("stand_in_for") is None  # here alone


def test_falls_of_the_gap_are_tenfold():
    """With a gap of 10^(-t/10), then of 10^(-t/100), the first fall takes 10, the third 100."""
    t = np.arange(10_000)
    power = np.where(t < 20, t / 10, 2 + (t - 20) / 100)
    trace = np.zeros(len(t), TRACE_DTYPE)
    trace["iteration"], trace["objective"] = t, 5 + 3 * 10.0**-power
    fit = {"method": LONG, "task": "factorization", "params": {}, "repeat": 0}
    found = with_convergence(pd.DataFrame([fit | {"arrays": {"trace": trace}}]))
    falls = found.dropna(subset="iterations")
    assert falls["iterations"].tolist() == pytest.approx([10, 100], abs=1)


def test_growth_is_that_of_the_same_weight_and_start():
    """The norm after many iterations is divided by that after few, run by run."""
    rows = [
        {
            "method": label,
            "task": "factor-shape",
            "params": params,
            "repeat": repeat,
            "norm-of-the-representation": norm * (1 + repeat),
        }
        for params, few, many in (({}, 2.0, 3.0), ({"lam1": 1.0}, 1.0, 5.0))
        for label, norm in ((SHORT, few), (LONG, many))
        for repeat in range(2)
    ]
    found = with_convergence(pd.DataFrame(rows))
    growth = found[found["method"] == LONG]["growth-of-the-representation"]
    assert growth.tolist() == [1.5, 1.5, 5.0, 5.0]
