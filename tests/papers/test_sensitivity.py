"""RNMFD along its parameters, and whether its objective rises: summaries and claims."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from outcomes.sensitivity import OUTCOMES, trace_of
from verdicts import verdict_of

from nmfbench.artefacts.artefact import label_records
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.style import figure_style
from nmfbench.optim.init import INITS
from nmfbench.papers.rnmfd import fig2, settling
from nmfbench.papers.rnmfd.panels import BEST, GAP, LOST, PANELS
from nmfbench.papers.rnmfd.protocols import AC, NMI
from nmfbench.papers.rnmfd.sensitivity import (
    ahead_of_baselines,
    as_good_as_extended,
    better_than_at,
    spread_below,
    steadier,
    wider,
)
from nmfbench.papers.rnmfd.sets import SETS, method
from nmfbench.papers.rnmfd.studies import theorem1
from nmfbench.papers.rnmfd.studies.theorem1 import rises
from nmfbench.solvers import make_solver

ALPHA, GNMF = PANELS["alpha"], PANELS["gnmf"]


def frame(cells):
    """Frame of records from ``(dataset, method, scores by run)``."""
    rows = [
        {
            "task": "clustering",
            "dataset": dataset,
            "solver": m.solver,
            "params": dict(m.params),
            "options": {"n_components": 10},
            "repeat": repeat,
            AC: score,
            NMI: score / 2,
            "n-dead-components": 1.0,
            "orthogonality-gap": 0.5,
            "arrays": {},
        }
        for dataset, m, scores in cells
        for repeat, score in enumerate(scores)
    ]
    return fig2.frame(label_records(pd.DataFrame(rows), fig2.ARTEFACT.methods))


def noisy(mean, seed, runs=5):
    return mean + 0.01 * np.random.default_rng((1, seed)).standard_normal(runs)


def world(ours, theirs, runs=5, sets=SETS):
    """RNMFD with ``ours(alpha)`` and one baseline with ``theirs`` on each set."""
    cells = [(d, ALPHA.at(a), ours(d, a)) for d in sets for a in ALPHA.values[1:]]
    cells += [(d, method("NSDR", "nsdr"), theirs) for d in sets]
    return frame([(d, m, noisy(s, k, runs)) for k, (d, m, s) in enumerate(cells)])


def test_rises_are_relative_and_ignore_rounding():
    """A rise counts relative to the value before it, and next to zero it is one of rounding."""
    found = rises(trace_of([8.0, 4.0, 6.0, 1e-25, 2e-25]))
    np.testing.assert_allclose(found, [0, 0.5, 0, 0], atol=1e-12)


def test_a_curve_has_the_records_that_differ_in_its_parameter_only():
    """A fit that differs in two parameters is on no curve; the default is on each of three."""
    rows = frame(
        [
            ("orl", method("RNMFD", "rnmfd"), [0.5]),
            ("orl", method("RNMFD", "rnmfd", alpha=10.0), [0.6]),
            ("orl", method("RNMFD", "rnmfd", lam="mad"), [0.7]),
        ]
    )
    assert select_rows(rows, panel="alpha")["x"].tolist() == [100, 10]
    assert select_rows(rows, panel="p")["x"].tolist() == [5]
    assert select_rows(rows, panel="beta")["x"].tolist() == [100]


def test_pixels_with_smaller_weights_are_larger_pixels():
    """Dividing both weights by 255 squared is the same as multiplying the data by 255."""
    X = np.random.default_rng(0).uniform(0.1, 1, (30, 12))
    W, Ht = INITS["uniform"](X, 3, np.random.default_rng(1))
    common = {"n_components": 3, "max_iter": 30, "tol": 0.0, "scale": "none"}
    small = make_solver("rnmfd", **common | PANELS["raw"].params(1000.0))
    large = make_solver("rnmfd", **common | {"alpha": 1000.0})
    expected = large.fit_transform(255 * X, W=W.copy(), H=255 * Ht.T)
    np.testing.assert_allclose(small.fit_transform(X, W=W, H=Ht.T.copy()), expected, rtol=1e-6)


def test_the_best_baseline_is_the_best_at_its_best():
    """Of each data set the baseline and the parameters with the highest mean."""
    rows = frame(
        [
            ("orl", method("GNMF", "gnmf"), [0.4, 0.4]),
            ("orl", method("GNMF", "gnmf", alpha=0.1), [0.6, 0.7]),
            ("orl", method("NSDR", "nsdr"), [0.6, 0.6]),
            ("yale", method("GNMF", "gnmf"), [0.4, 0.4]),
            ("yale", method("NSDR", "nsdr"), [0.5, 0.5]),
            ("yale", method("RNMFD", "rnmfd"), [0.9, 0.9]),
        ]
    )
    means = select_rows(rows, panel=BEST).groupby(["dataset", "method"], observed=True)[AC].mean()
    assert means.to_dict() == pytest.approx({("orl", "GNMF"): 0.65, ("yale", "NSDR"): 0.5})


def test_ahead_needs_every_value_and_every_data_set():
    """One cell behind refutes, a data set that was not run leaves the question open."""
    test = ahead_of_baselines("alpha")
    assert verdict_of(test, world(lambda d, a: 0.7, 0.5)).verdict == "confirmed"
    low = world(lambda d, a: 0.1 if a == 1 else 0.7, 0.5)
    assert verdict_of(test, low).verdict == "confirmed"
    behind = world(lambda d, a: 0.4 if (d, a) == ("umist", 1e4) else 0.7, 0.5)
    verdict = verdict_of(test, behind)
    assert verdict.verdict == "refuted"
    assert "1 refuted" in verdict.evidence
    assert "UMIST -" in verdict.evidence
    assert "least at 10000 on UMIST, where 1 of 10 columns have vanished" in verdict.evidence
    one = verdict_of(test, world(lambda d, a: 0.7, 0.5, sets=["orl"]))
    assert (one.verdict, one.interval) == ("inconclusive", None)
    assert verdict_of(test, world(lambda d, a: 0.5, 0.5)).verdict in ("inconclusive", "no lead")


def test_a_few_runs_decide_no_lead():
    """However many values a range has, fewer than five runs say too little."""
    for runs in (1, 3):
        verdict = verdict_of(ahead_of_baselines("alpha"), world(lambda d, a: 0.7, 0.5, runs=runs))
        assert verdict.verdict == "inconclusive"
        assert "too few" in verdict.evidence


def test_a_lead_that_never_varies_is_certain():
    """Without any deviation the sign of a lead decides, and no lead is none."""
    cells = [(d, ALPHA.at(a), [0.7] * 5) for d in SETS for a in ALPHA.values]
    for score, expected in ((0.5, "confirmed"), (0.9, "refuted"), (0.7, "no lead")):
        rivals = [(d, method("NSDR", "nsdr"), [score] * 5) for d in SETS]
        verdict = verdict_of(ahead_of_baselines("alpha"), frame(cells + rivals))
        assert verdict.verdict == expected


def test_stable_is_within_the_margin_on_every_set():
    """One data set that varies more refutes stability, and confirms its opposite."""
    stable, bent = spread_below("alpha"), spread_below("alpha", stable=False)
    flat = world(lambda d, a: 0.5, 0.5, runs=10)
    assert [verdict_of(t, flat).verdict for t in (stable, bent)] == ["confirmed", "refuted"]
    one = world(lambda d, a: 0.3 if (d, a) == ("yale", 1000) else 0.5, 0.5, runs=10)
    assert [verdict_of(t, one).verdict for t in (stable, bent)] == ["refuted", "confirmed"]
    assert "YALE 2" in verdict_of(stable, one).evidence
    few = world(lambda d, a: 0.5, 0.5, runs=1)
    assert verdict_of(stable, few).verdict == "inconclusive"


def test_steadier_compares_the_values_that_both_have():
    """A value that only one method was run with does not count against it."""
    cells = []
    for k, dataset in enumerate(SETS):
        for alpha in ALPHA.values:
            ours = 0.1 if alpha == 5000 else 0.5 + 0.001 * k * np.log10(alpha)
            cells.append((dataset, ALPHA.at(alpha), noisy(ours, len(cells))))
            if alpha != 5000:
                theirs = 0.6 - 0.05 * np.log10(alpha)
                cells.append((dataset, GNMF.at(alpha), noisy(theirs, len(cells))))
    verdict = verdict_of(steadier("alpha", "gnmf"), frame(cells))
    assert verdict.verdict == "confirmed"
    assert verdict.effect == pytest.approx(0.15, abs=0.03)
    assert verdict.n == 5


def test_wider_counts_the_decades_around_the_best_value():
    """A curve that comes back up, far from its best value, is not wider for that."""
    cells = []
    for k, dataset in enumerate(SETS):
        for alpha in (1.0, 10.0, 100.0, 1000.0, 10000.0):
            cells.append((dataset, ALPHA.at(alpha), [0.5 + 0.001 * k * np.log10(alpha)] * 5))
            far = 0.2 if alpha == 100 else 0.6 - 0.001 * alpha * (alpha < 100)
            cells.append((dataset, GNMF.at(alpha), [far - 0.04 * (alpha > 100 and k == 0)] * 5))
    verdict = verdict_of(wider("alpha", ["gnmf"], 2.0), frame(cells))
    assert verdict.verdict == "confirmed"
    assert "decades of RNMFD: ORL 4, YALE 4" in verdict.evidence
    assert "GNMF: ORL 1, YALE 1" in verdict.evidence
    assert verdict_of(wider("alpha", ["gnmf"], 8.0), frame(cells)).verdict == "refuted"


def test_settling_asks_for_the_objective_and_for_the_labels():
    """A run whose labels still change after 100 iterations has not settled."""
    rows = pd.DataFrame([t.to_dict() for t in fig2.trials("quick")])
    rng, made = np.random.default_rng(0), OUTCOMES["rnmfd/fig2"](True)
    rows = label_records(rows, fig2.ARTEFACT.methods)
    rows = pd.concat([rows, pd.DataFrame([made(r, rng) for r in rows.to_dict("records")])], axis=1)
    settles = next(claim.test for claim in fig2.CLAIMS if claim.id == "settles")
    assert verdict_of(settles, fig2.frame(rows)).effect == 1.0
    short = (rows["method"] == settling.SHORT.label) & (rows["dataset"] == "orl")
    rows.loc[short, AC] -= 0.02
    verdict = verdict_of(settles, fig2.frame(rows))
    assert verdict.effect == pytest.approx(0.8)
    assert "of 5 runs 5 in the objective and 4 in AC" in verdict.evidence


def test_the_summary_has_both_scores_and_the_collapse():
    """AC and NMI of each panel, columns that vanished and the gap as shares, the best baseline."""
    found = fig2.summarise(world(lambda d, a: 0.7, 0.5))
    alpha = found[(found["panel"] == "alpha") & (found["dataset"] == "orl")]
    assert set(alpha["score"]) == {AC, NMI, LOST, GAP}
    assert alpha.loc[alpha["score"] == LOST, "mean"].round(9).eq(0.1).all()
    gaps = alpha.loc[alpha["score"] == GAP, "mean"]
    assert gaps.to_numpy() == pytest.approx(0.5 / np.sqrt(10))
    best = found[found["panel"] == BEST]
    assert set(best["method"]) == {"NSDR"}
    assert len(best) == 2 * len(SETS)


def test_leads_stand_beside_the_printed_ones():
    """The evidence has AC here and in Table 3, of RNMFD at the paper's weights and of the rival."""
    evidence = verdict_of(ahead_of_baselines("alpha"), world(lambda d, a: 0.7, 0.6)).evidence
    assert "ORL RNMFD 70." in evidence
    assert "(65.2), NSDR 60." in evidence
    assert "(57.8);" in evidence


def test_satisfactory_is_as_good_as_the_method_that_it_extends():
    """A better baseline than GNMF does not count, and neither do worse parameters of it."""
    beta = PANELS["beta"]
    for score, expected in ((0.5, "confirmed"), (0.4, "refuted")):
        cells = [(d, beta.at(x), noisy(score, k)) for k, d in enumerate(SETS) for x in beta.range]
        cells += [(d, method("NSDR", "nsdr"), noisy(0.9, 10)) for d in SETS]
        cells += [(d, method("GNMF", "gnmf", alpha=0.1), noisy(0.5, 11)) for d in SETS]
        cells += [(d, method("GNMF", "gnmf", alpha=1.0), noisy(0.1, 12)) for d in SETS]
        assert verdict_of(as_good_as_extended("beta"), frame(cells)).verdict == expected


def test_what_may_be_is_shown_by_one_data_set():
    """A single set on which AC is lower at a value is enough, where the paper says "may"."""
    one = world(lambda d, a: 0.3 if (d, a) == ("yale", 1.0) else 0.5, 0.5, runs=10)
    found = verdict_of(better_than_at("alpha", 1, somewhere=True), one)
    assert found.verdict == "confirmed"
    assert "surest lead" in found.evidence
    assert "YALE" in found.evidence
    none = world(lambda d, a: 0.6 if a == 1.0 else 0.5, 0.5, runs=10)
    assert verdict_of(better_than_at("alpha", 1, somewhere=True), none).verdict == "refuted"


def test_convergence_is_judged_by_the_printed_rules():
    """An objective that swings on after iteration 100 has not converged; AC does not count."""
    rows = pd.DataFrame([t.to_dict() for t in fig2.trials("quick")])
    rng, made = np.random.default_rng(0), OUTCOMES["rnmfd/fig2"](True)
    rows = label_records(rows, fig2.ARTEFACT.methods)
    rows = pd.concat([rows, pd.DataFrame([made(r, rng) for r in rows.to_dict("records")])], axis=1)
    tests = {claim.id: claim.test for claim in fig2.CLAIMS}
    assert tests["converges"](fig2.frame(rows)).estimates[0].mean == 1.0
    swings = 1 + 0.03 * (np.arange(301) % 2)
    printed = (rows["method"] == settling.PRINTED.label) & (rows["task"] == "factorization")
    for place in rows.index[printed & (rows["dataset"] == "orl")]:
        rows.at[place, "arrays"] = {"trace": trace_of(swings), "train": np.arange(20)}
    assert tests["converges"](fig2.frame(rows)).estimates[0].mean == pytest.approx(0.8)
    assert tests["converges-safe"](fig2.frame(rows)).estimates[0].mean == 1.0


def test_one_sample_alternates_under_the_printed_rule():
    """With one sample and one component Eq. (17) raises the objective, the other rules do not."""
    X = np.random.default_rng(3).uniform(0.1, 1, (1, 8))
    largest = {}
    for rule in ("paper", "root", "safe"):
        solver = make_solver("rnmfd", n_components=1, v_update=rule, tol=0.0, max_iter=50)
        W, Ht = INITS["uniform"](X, 1, np.random.default_rng(0))
        solver.fit(X, W=W, H=np.ascontiguousarray(Ht.T))
        largest[rule] = rises(solver.trace_).max()
    assert largest["paper"] > 1
    assert max(largest["root"], largest["safe"]) < 1e-9


def test_theorem_counts_rises_by_setting():
    """The summary counts rises, and the verdict names the worst run of each setting."""
    rows = pd.DataFrame([t.to_dict() | t.labels for t in theorem1.trials("quick")])
    rows = label_records(rows, theorem1.ARTEFACT.methods)
    falling, rising = trace_of([4.0, 2.0, 1.0]), trace_of([4.0, 2.0, 3.0, 1.0, 3.0])
    bad = [
        m == theorem1.PRINTED and p.get("beta") == 1e4
        for m, p in zip(rows["method"], rows["params"], strict=True)
    ]
    rows["arrays"] = [{"trace": rising if b else falling} for b in bad]
    rows = theorem1.with_rises(rows)
    found = theorem1.summarise(rows)
    heavy = "α = 100, β = 10⁴"
    counts = found[found["part"] == "rises"].set_index(["weights", "method"])
    assert (counts.loc[(heavy, theorem1.PRINTED), "rises"] == 2).all()
    assert (counts.loc[(heavy, theorem1.PRINTED), "largest"] == 2).all()
    assert (counts.loc[("α = β = 100, the paper's", theorem1.PRINTED), "rises"] == 0).all()
    claims = {claim.id: verdict_of(claim.test, rows) for claim in theorem1.ARTEFACT.claims}
    verdicts = {name: verdict.verdict for name, verdict in claims.items()}
    assert verdicts == {
        "theorem-1": "refuted",
        "own-setting": "confirmed",
        "root": "confirmed",
        "safe": "confirmed",
    }
    assert "β = 10⁴: 4 of 4 runs rise, 2 times and up to 3-fold" in claims["theorem-1"].evidence
    with figure_style():
        plt.close(theorem1.draw(found))
