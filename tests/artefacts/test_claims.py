"""Verdicts on made-up records whose truth is known."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from verdicts import DIFFERENCE, RATIO, alone, verdict_of

from nmfbench.artefacts import bounds, comparisons
from nmfbench.artefacts.estimate import Estimate, of_blocks, of_left_out, of_units
from nmfbench.artefacts.finding import Finding, at_each_reading, with_evidence
from nmfbench.artefacts.region import Bounds, Lead, Margin
from nmfbench.verdicts.verdict import Look, decide


def records(scores, repeats=8, levels=(0.0, 1.0), seed=0):
    """Records with a small noise around ``scores[method](level)``."""
    rng = np.random.default_rng(seed)
    rows = [
        {"method": m, "repeat": i, "level": x, "score": score(x) + 0.01 * rng.standard_normal()}
        for m, score in scores.items()
        for i in range(repeats)
        for x in levels
    ]
    return pd.DataFrame(rows)


def constant(scores):
    """Records of methods that score about the same at all levels."""
    return records({m: lambda x, score=score: score for m, score in scores.items()})


def test_better_follows_the_difference():
    """A clear lead confirms, a clear lag refutes, and the effect is the mean difference."""
    table = records({"a": lambda x: 0.8, "b": lambda x: 0.5})
    verdict = verdict_of(comparisons.better("a", "b", "score"), table)
    assert verdict.verdict == "confirmed"
    assert verdict.effect == pytest.approx(0.3, abs=0.02)
    assert verdict.interval[0] < verdict.effect < verdict.interval[1]
    assert verdict.n == 8
    assert verdict_of(comparisons.better("b", "a", "score"), table).verdict == "refuted"


def test_a_repeat_is_one_observation_however_many_levels_it_has():
    """Levels of one repeat share its data: more of them do not make a verdict of few repeats."""
    table = records({"a": lambda x: 0.8, "b": lambda x: 0.5}, repeats=3, levels=range(50))
    verdict = verdict_of(comparisons.better("a", "b", "score"), table)
    assert verdict.verdict == "inconclusive"
    assert "too few" in verdict.evidence


def test_margin_grows():
    """The slope of the lead decides, not its size."""
    table = records(
        {"a": lambda x: 0.9 - 0.1 * x, "b": lambda x: 0.9 - 0.4 * x, "c": lambda x: 0.2 + 0.2 * x}
    )
    verdict = verdict_of(comparisons.margin_grows("a", "b", "score"), table)
    assert verdict.verdict == "confirmed"
    assert verdict.effect == pytest.approx(0.3, abs=0.02)
    assert verdict_of(comparisons.margin_grows("a", "c", "score"), table).verdict == "refuted"


def test_comparable():
    """Methods are comparable if the intervals of all differences are within the margin."""
    table = records({"a": lambda x: 0.5, "b": lambda x: 0.52, "c": lambda x: 0.7})
    assert (
        verdict_of(comparisons.comparable(["a", "b"], "score", 0.1), table).verdict == "confirmed"
    )
    verdict = verdict_of(comparisons.comparable(["a", "b", "c"], "score", 0.1), table)
    assert verdict.verdict == "refuted"
    assert verdict.effect == pytest.approx(0.2, abs=0.02)


def test_always_best_needs_every_comparison():
    """One lost comparison refutes, whatever the others say."""
    table = records({"a": lambda x: 0.8, "b": lambda x: 0.5}).assign(
        second=lambda t: np.where(t["method"] == "a", 0.2, 0.6) + t["score"] / 100
    )
    assert verdict_of(comparisons.always_best("a", ["b"], ["score"]), table).verdict == "confirmed"
    verdict = verdict_of(comparisons.always_best("a", ["b"], ["score", "second"]), table)
    assert verdict.verdict == "refuted"
    assert "in second" in verdict.evidence


def test_an_absent_rival_can_not_be_beaten():
    """A claim over all rivals is not confirmed without one of them, but can be refuted."""
    table = records({"a": lambda x: 0.8, "b": lambda x: 0.5})
    verdict = verdict_of(comparisons.always_best("a", ["b", "c"], ["score"]), table)
    assert verdict.verdict == "inconclusive"
    assert "c not run" in verdict.evidence
    assert (
        verdict_of(comparisons.always_best("b", ["a", "c"], ["score"]), table).verdict == "refuted"
    )


def unequal(repeats=8, lead=0.1, seed=0):
    """Scores that grow with the rank; ``a`` leads, but has only run at the small rank."""
    rng = np.random.default_rng(seed)
    rows = [
        {"method": m, "repeat": i, "rank": r, "score": base + r / 50 + 0.01 * rng.standard_normal()}
        for m, ranks, base in (("a", [10], lead), ("b", [10, 40], 0.0), ("c", [10, 40], 0.01))
        for i in range(repeats)
        for r in ranks
    ]
    return pd.DataFrame(rows)


def test_cells_of_a_repeat_are_one_observation():
    """More cells do not make a verdict of few repeats."""
    table = unequal(repeats=3)
    for test in (
        comparisons.better("b", "c", "score", by=["rank"]),
        comparisons.always_best("b", ["c"], ["score"], by=["rank"]),
        comparisons.comparable(["b", "c"], "score", 0.1, by=["rank"]),
    ):
        verdict = verdict_of(test, table)
        assert verdict.verdict == "inconclusive"
        assert "3 repeats are too few" in verdict.evidence
        assert verdict.n == 3


def test_a_repeat_with_more_cells_is_no_outlier():
    """Cells that only some repeats have are left out; without any difference all cells count."""
    table = unequal()
    cell = table["rank"] == 40
    lead_at_40 = np.where(cell & (table["method"] == "b"), 5.0, 0.0)
    table = table.assign(score=table["score"] + lead_at_40)
    test = comparisons.better("b", "c", "score", by=["rank"])
    assert verdict_of(test, table).effect == pytest.approx(2.5, abs=0.1)
    verdict = verdict_of(test, table[~cell | (table["repeat"] == 0)])
    assert verdict.effect == pytest.approx(-0.01, abs=0.02)
    assert verdict.n == 8


def test_one_repeat_still_says_what_was_measured():
    """Too few repeats give no verdict, but the difference that they show."""
    table = unequal(repeats=1)
    for test in (
        comparisons.better("a", "b", "score", by=["rank"]),
        comparisons.always_best("a", ["b"], ["score"], by=["rank"]),
        comparisons.comparable(["a", "b"], "score", 0.01, by=["rank"]),
    ):
        verdict = verdict_of(test, table)
        assert verdict.verdict == "inconclusive"
        assert "1 repeat is too few" in verdict.evidence
        assert verdict.effect == pytest.approx(0.1, abs=0.03)
        assert verdict_of(test, table[table["rank"] == 40]).verdict == "not run"


def test_at_least():
    """A bound is tested against the mean over repeats."""
    table = records({"a": lambda x: 0.75})
    assert verdict_of(bounds.at_least("a", "score", 0.7), table).verdict == "confirmed"
    assert verdict_of(bounds.at_least("a", "score", 0.8), table).verdict == "refuted"


def test_a_place_narrows_the_rows():
    """A test ``at`` a place sees only the rows there, of one value or of several."""
    good = records({"a": lambda x: 0.8, "b": lambda x: 0.5}).assign(kind="x")
    bad = records({"a": lambda x: 0.1, "b": lambda x: 0.5}).assign(kind="y")
    table = pd.concat([good, bad])
    test = partial(comparisons.better, "a", "b", "score")
    assert verdict_of(test(at={"kind": "x"}), table).verdict == "confirmed"
    assert verdict_of(test(at={"kind": ["y"]}), table).verdict == "refuted"
    with pytest.raises(KeyError, match="no column 'knid'"):
        test(at={"knid": "x"})(table)


def test_sides_are_more_than_methods():
    """A side of a comparison may be any rows, and every value of ``each`` is a comparison."""
    table = constant({"a": 0.8, "b": 0.5, "c": 0.2})
    table = pd.concat([table.assign(kind="x"), table.assign(kind="y", score=1 - table["score"])])
    best, worst = {"method": "a", "kind": "x"}, {"method": "a", "kind": "y"}
    verdict = verdict_of(comparisons.better(best, worst, "score"), table)
    assert verdict.verdict == "confirmed"
    assert "a, kind x minus a, kind y" in verdict.evidence
    ahead = partial(comparisons.always_best, "a", ["b", "c"], "score")
    assert verdict_of(ahead(at={"kind": "x"}), table).verdict == "confirmed"
    assert verdict_of(ahead(each={"kind": ["x", "y"]}), table).verdict == "refuted"
    assert verdict_of(ahead(each={"kind": ["x"]}, lower=True), table).verdict == "refuted"
    assert verdict_of(ahead(at={"kind": "y"}, lower=True), table).verdict == "confirmed"


def test_a_missing_side_is_not_run():
    """A comparison with a method that has no records gives no verdict, and says so."""
    table = records({"a": lambda x: 0.8})
    assert verdict_of(comparisons.better("a", "b", "score"), table).verdict == "not run"
    assert verdict_of(bounds.slower("a", "b", "score", 2.0), table).verdict == "not run"


def test_a_theorem_falls_by_one_exception():
    """One trial outside the bounds refutes; none confirms, but not with a handful of repeats."""
    table = records({"a": lambda x: 0.5, "b": lambda x: 5.0})
    assert verdict_of(bounds.without_exception("a", "score", high=1), table).verdict == "confirmed"
    assert verdict_of(bounds.without_exception("a", "score", low=0), table).verdict == "confirmed"
    assert (
        verdict_of(bounds.without_exception(["a", "b"], "score", high=1), table).verdict
        == "refuted"
    )
    one = table.copy()
    one.loc[one.index[3], "score"] = 1.5
    verdict = verdict_of(bounds.without_exception("a", "score", low=0, high=1), one)
    assert verdict.verdict == "refuted"
    assert "outside in 1 of 16 trials" in verdict.evidence
    few = table[table["repeat"] < 4]
    assert verdict_of(bounds.without_exception("a", "score", high=1), few).verdict == "inconclusive"
    assert verdict_of(bounds.without_exception("c", "score", high=1), table).verdict == "not run"
    assert verdict_of(bounds.without_exception("a", "other", high=1), table).verdict == "not run"


# -- no lead ------------------------------------------------------------------------------------


def test_equal_scores_have_no_lead():
    """Where no repeat differs, whatever they are, neither is ahead."""
    table = records({"a": lambda x: 0.5}).assign(score=0.5)
    table = pd.concat([table, table.assign(method="b")])
    assert verdict_of(comparisons.better("a", "b", "score"), table).verdict == "no lead"
    few = table[table["repeat"] < 4]
    assert verdict_of(comparisons.better("a", "b", "score"), few).verdict == "inconclusive"


def effect(mean, error=0.004, n=10, **more):
    """A finding about one lead."""
    return Finding("lead {}", [Estimate(mean, error, n - 1, n, "score", **more)], Lead())


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [(0.05, "confirmed"), (0.0, "no lead"), (-0.05, "refuted"), (0.012, "confirmed")],
)
def test_a_lead_is_ahead_behind_or_none(mean, verdict):
    """By an interval that excludes 0, or ends below the smallest difference that matters."""
    found = alone(effect(mean, 0.003))
    assert found.verdict == verdict
    low, high = found.interval
    assert {"confirmed": low > 0, "refuted": high < 0, "no lead": high < 0.02}[verdict]
    assert ("by less than the 0.02" in found.evidence) == (mean == 0.012)
    assert ("less than the 0.02 that matter" in found.evidence) == (mean in (0.0, 0.012))
    assert found.delta == 0.02


def test_behind_is_more_than_no_lead():
    """A method that is behind has no lead either, and is called behind."""
    assert alone(effect(-0.05)).verdict == "refuted"


def test_an_uncertain_lead_is_inconclusive():
    """An interval with 0 and with the smallest difference in it says nothing."""
    found = alone(effect(0.015, 0.01))
    assert found.verdict == "inconclusive"
    assert found.interval[0] < 0 < 0.02 < found.interval[1]


def test_half_and_twice_of_the_smallest_difference_stand_beside():
    """A verdict of no lead says whether it hangs on what matters."""
    found = alone(effect(0.0, 0.005))
    assert found.verdict == "no lead"
    assert found.sensitivity == {"half": "inconclusive", "twice": "no lead"}
    assert found.neighbours == (0.01, 0.04)
    text = "A lead of 0.02 matters: inconclusive at 0.01, no lead at 0.04."
    assert found.sensitivity_text == text


def test_what_has_no_smallest_difference_has_no_such_outcome():
    """A slope, or a diagnostic, is ahead, behind, or open."""
    assert alone(Finding("{}", [of_units([0.0] * 8)], Lead())).verdict == "inconclusive"


def test_sizes_are_compared_by_ratios():
    """A difference that is declared as a share asks for logarithms, and the other way round."""
    with pytest.raises(TypeError, match="'score' is to be compared as sizes, by ratios"):
        alone(effect(0.0), RATIO)
    with pytest.raises(TypeError, match="'score' is to be compared as scores, by differences"):
        alone(effect(0.0, ratio=True), DIFFERENCE)


# -- many claims --------------------------------------------------------------------------------


def test_claims_of_an_artefact_are_corrected_together():
    """Benjamini and Hochberg twice: one run for the sides, one for no lead."""
    errors = [0.004, 0.0022, 0.01]
    made = [effect(mean, error) for mean, error in zip([0.05, 0.0055, 0.0], errors, strict=True)]
    made += [effect(0.0, 0.001), Finding.without("not run", "nothing")]
    found = decide(made, lambda name: 0.02)
    p = [min(v.p_value, 1) for v in found[:3]]
    assert p[1] < 0.05  # alone it would be decided
    assert [v.verdict for v in found] == [
        *("confirmed", "no lead", "inconclusive", "no lead", "not run")
    ]
    ahead, no_lead = found[0], found[3]
    assert ahead.level == pytest.approx(1 - 0.05 / 4)
    assert no_lead.level == pytest.approx(1 - 0.05 * 2 / 4)
    assert decide([], lambda name: 0.02) == []


@pytest.mark.parametrize("seed", range(40))
def test_no_interval_contradicts_its_verdict(seed):
    """Decided or not, final or interim, with one comparison or several."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(12):
        cells = [
            of_units(rng.normal(0.02 * rng.choice([-1, 0, 1]), 0.02, 8), "score", f"c{k}")
            for k in range(rng.integers(1, 4))
        ]
        made.append(Finding("{} over {name}", cells, Lead(), rng.choice(["every", "some"])))
        made.append(Finding("{}", cells, Margin(), rng.choice(["every", "some"])))
        made.append(Finding("{}", cells[:1], Bounds(rng.choice([-0.02, 0.0, 0.02]))))
        readings = [
            replace(cell, mean=cell.mean + shift, reading=name)
            for name, shift in zip("ab", rng.choice([-0.02, 0.0, 0.02], 2), strict=True)
            for cell in cells
        ]
        for region in (Lead(), Margin()):
            rule = rng.choice(["every", "some"])
            made.append(Finding("{}", readings, region, rule, readings=("a", "b")))
    for look in (Look(8, 8, final=True), Look(8, 20)):
        for finding, found in zip(made, decide(made, lambda name: 0.02, look), strict=True):
            low, high = found.interval
            region = finding.region
            start = 0.0 if isinstance(region, Lead) else getattr(region, "low", -0.04)
            end = np.inf if not isinstance(region, Margin) else 0.04
            inside, outside = start < low and high < end, high < start or low > end
            short = isinstance(region, Lead) and high < 0.02
            assert inside == (found.verdict == "confirmed")
            assert outside == (found.verdict == "refuted")
            assert short == (found.verdict == "no lead") or found.verdict in (
                "confirmed",
                "refuted",
            )


ODD = {"a": 0.8, "x": 0.5, "y": 0.8005, "z": 0.9}


@pytest.mark.parametrize(
    ("rivals", "verdict", "words"),
    [
        ("xx", "confirmed", "alike at 20 and 50 (updates)"),
        ("zz", "refuted", "alike at 20 and 50 (updates)"),
        ("yy", "no lead", "alike at 20 and 50 (updates)"),
        ("yz", "no lead", "hangs on updates: no lead at 20, refuted at 50"),
        ("xy", "inconclusive", "hangs on updates: confirmed at 20, no lead at 50"),
        ("zx", "inconclusive", "hangs on updates: refuted at 20, confirmed at 50"),
        ("x?", "inconclusive", "hangs on updates: confirmed at 20, not run at 50"),
        ("?z", "inconclusive", "hangs on updates: not run at 20, refuted at 50"),
        ("??", "not run", "both sides"),
    ],
)
def test_a_setting_that_the_paper_leaves_open_decides_nothing(rivals, verdict, words):
    """Alike at every reading, or inconclusive; a reading that was not run leaves it open."""
    each = {
        n: comparisons.better("a", rival, "score")
        for n, rival in zip(("20", "50"), rivals, strict=True)
    }
    found = verdict_of(at_each_reading("updates", each), constant(ODD))
    assert found.verdict == verdict
    assert words in found.evidence


def test_the_evidence_names_what_is_compared_at_the_reading_that_it_shows():
    """Of one that decides, the worst; not of the first one."""
    each = {rival: comparisons.better("a", rival, "score") for rival in "yx"}
    evidence = verdict_of(at_each_reading("rival", each), constant(ODD)).evidence
    assert evidence.startswith("a minus y: ")


@pytest.mark.parametrize(
    ("rivals", "words"),
    [
        ("xxxx", "alike at all 4 readings of it"),
        ("xzxx", "hangs on it: refuted at (1), confirmed at the other 3"),
        ("yzxx", "hangs on it: no lead at (0), refuted at (1), confirmed at the other 2"),
        ("zxzxxx", "hangs on it: refuted at (0) and (2), confirmed at the other 4"),
        (
            "yyzzzxxxx",
            "hangs on it: of 9 readings, no lead at 2 such as (0), refuted at 3 such as (2), "
            "confirmed at the other 4",
        ),
    ],
)
def test_many_readings_are_counted(rivals, words):
    """Readings with the most frequent outcome are not listed, nor are others if they are many."""
    each = {str(k): comparisons.better("a", rival, "score") for k, rival in enumerate(rivals)}
    assert words in verdict_of(at_each_reading("it", each), constant(ODD)).evidence


@pytest.mark.parametrize(
    ("rivals", "setting"), [("xz", "it"), ("xyz", "it"), ("xx", ""), ("xx?", ""), ("z?", "")]
)
def test_a_claim_hangs_on_a_setting_if_readings_decide_differently(rivals, setting):
    """Not if one of them is open, or was not run."""
    each = {str(k): comparisons.better("a", rival, "score") for k, rival in enumerate(rivals)}
    assert verdict_of(at_each_reading("it", each), constant(ODD)).hangs_on == setting


@pytest.mark.parametrize(
    ("uncertain", "verdict"), [(0.001, "no lead"), (0.5, "inconclusive")], ids=["level", "open"]
)
def test_a_conjunction_has_no_lead_by_a_cell_that_is_not_ahead(uncertain, verdict):
    """Not by one that is ahead, if by less than matters; nor is that one shown."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal(20)
    leads = {"little": 0.002 + 1e-4 * noise, "none": uncertain * (noise - noise.mean())}
    estimates = [
        of_units(pd.Series(values, range(20)), "score", name) for name, values in leads.items()
    ]
    found = Finding("smallest lead {}, over {name}", estimates, Lead())
    (decided,) = decide([found], lambda value: 0.02)
    assert decided.verdict == verdict
    assert "over none" in decided.evidence
    assert decided.interval[0] < 0 < decided.interval[1]


def test_a_conjunction_is_decided_within_each_reading():
    """Another cell refutes at each of two readings, and some readings alone lack a rival."""
    each = {
        n: comparisons.always_best("a", rivals, "score")
        for n, rivals in {"20": ["x", "z"], "50": ["z", "y"]}.items()
    }
    found = verdict_of(at_each_reading("updates", each), constant(ODD))
    assert found.verdict == "refuted"
    assert found.effect == pytest.approx(-0.1, abs=0.02)
    each["50"] = comparisons.always_best("a", ["x", "?"], "score")
    found = verdict_of(at_each_reading("updates", each), constant(ODD))
    assert (found.verdict, found.interval) == ("inconclusive", None)


def test_the_interval_of_readings_covers_that_of_each():
    """From the lowest end to the highest one: it has 0 in it where readings disagree."""
    each = {n: comparisons.better("a", n, "score") for n in "xz"}
    alone = [verdict_of(test, constant(ODD)).interval for test in each.values()]
    low, high = verdict_of(at_each_reading("rival", each), constant(ODD)).interval
    assert low == pytest.approx(min(a for a, _ in alone))
    assert high == pytest.approx(max(b for _, b in alone))
    assert low < 0 < high


def test_a_fact_at_two_readings():
    """Without a sample, too: alike, or undecided."""
    each = {n: bounds.without_exception(n, "score", low=0.7) for n in ("a", "x", "z")}
    for names, verdict in (("az", "confirmed"), ("ax", "inconclusive"), ("x", "refuted")):
        test = at_each_reading("method", {n: each[n] for n in names})
        assert verdict_of(test, constant(ODD)).verdict == verdict


def test_an_early_look_needs_overwhelming_evidence():
    """Before the planned repeats p-values count fifty times, and intervals are as much wider."""
    finding = effect(0.05, 0.015)
    final, early = (
        decide([finding], lambda name: 0.02, look)[0]
        for look in (Look(10, 10, final=True), Look(10, 20))
    )
    assert (final.verdict, early.verdict) == ("confirmed", "inconclusive")
    assert early.level == pytest.approx(1 - 0.05 / 50)
    assert early.interval[0] < 0
    sure = decide([effect(0.05, 0.004)], lambda name: 0.02, Look(10, 20))[0]
    assert sure.verdict == "confirmed"
    assert sure.p_adjusted == pytest.approx(50 * sure.p_value)


# -- regions ------------------------------------------------------------------------------------


def test_near_is_on_both_sides_of_a_printed_number():
    """A score is near from below and from above, and far on either side of the margin."""
    for mean, verdict in ((0.48, "confirmed"), (0.52, "confirmed"), (0.4, "refuted")):
        table = records({"a": lambda x, mean=mean: mean})
        assert verdict_of(bounds.near("a", "score", 0.5), table).verdict == verdict
    found = verdict_of(bounds.near("a", "score", 0.5, 0.05), records({"a": lambda x: 0.57}))
    assert found.verdict == "refuted"
    assert found.sensitivity == {"half": "refuted", "twice": "confirmed"}
    assert verdict_of(bounds.near("b", "score", 0.5), table).verdict == "not run"


def test_a_margin_is_twice_what_matters():
    """Unless the paper prints one; alike is two-sided, and not worse is not."""
    table = constant({"a": 0.5, "b": 0.53, "c": 0.6})
    alike, far = (comparisons.comparable(["a", other], "score") for other in "bc")
    assert verdict_of(alike, table, 0.05).verdict == "confirmed"
    assert verdict_of(alike, table, 0.005).verdict == "refuted"
    found = verdict_of(far, table)
    assert (found.verdict, found.threshold, found.whose) == ("refuted", 0.04, "ours")
    printed = comparisons.comparable(["a", "c"], "score", 0.2, whose="paper")
    found = verdict_of(printed, table)
    assert (found.verdict, found.whose, found.sensitivity) == ("confirmed", "paper", None)
    better, worse = (comparisons.not_worse(*s, "score") for s in (("c", ["a"]), ("a", ["c"])))
    assert verdict_of(better, table).verdict == "confirmed"
    assert verdict_of(worse, table).verdict == "refuted"


def test_flat():
    """A curve is flat if the means of no two levels are apart; noise alone does not bend it."""
    table = records({"a": lambda x: 0.5, "b": lambda x: 0.5 + 0.3 * x}, levels=range(6))
    assert verdict_of(comparisons.flat("a", "score"), table).verdict == "confirmed"
    assert verdict_of(comparisons.flat("b", "score"), table).verdict == "refuted"
    noisy = table.assign(
        score=table["score"] + np.random.default_rng(1).normal(0, 0.05, len(table))
    )
    assert verdict_of(comparisons.flat("a", "score"), noisy).verdict != "refuted"


def test_methods_are_paired_where_their_grids_differ():
    """With ``by`` only cells that both sides have count; averages over the grid would mislead."""
    table = unequal()
    for test in (
        comparisons.better("a", "b", "score", by=["rank"]),
        comparisons.always_best("a", ["b", "c"], ["score"], by=["rank"]),
    ):
        verdict = verdict_of(test, table)
        assert verdict.verdict == "confirmed"
        assert verdict.effect == pytest.approx(0.1, abs=0.02)
        assert verdict.n == 8
    assert verdict_of(comparisons.better("a", "b", "score"), table).verdict == "refuted"
    near = unequal(lead=0.01)
    alike = comparisons.comparable(["a", "b"], "score", 0.1, by=["rank"])
    assert verdict_of(alike, near).verdict == "confirmed"
    assert verdict_of(comparisons.comparable(["a", "b"], "score", 0.1), near).verdict == "refuted"


@pytest.mark.parametrize(
    ("factor", "verdict"), [(50, "confirmed"), (10, "inconclusive"), (5, "refuted")]
)
def test_slower(factor, verdict):
    """At least a factor is confirmed above it, however far."""
    table = records({"slow": lambda x: 2.0 * factor, "fast": lambda x: 2.0})
    found = verdict_of(bounds.slower("slow", "fast", "score", 10), table, RATIO)
    assert found.verdict == verdict
    assert found.effect == pytest.approx(factor, rel=0.02)
    assert "our bound: at least 10" in found.evidence


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(50, "refuted"), (14, "confirmed"), (10, "inconclusive"), (5, "refuted")],
)
def test_slower_by_a_printed_range(factor, verdict):
    """A factor far above a printed range is not within it."""
    table = records({"slow": lambda x: 2.0 * factor, "fast": lambda x: 2.0})
    test = bounds.slower("slow", "fast", "score", 10, most=20, whose="paper")
    found = verdict_of(test, table, RATIO)
    assert found.verdict == verdict
    assert "the paper's bounds: 10 to 20" in found.evidence


def counted(events, chances, repeats=8):
    """Events by repeat."""
    events = np.broadcast_to(events, repeats)
    return pd.DataFrame({"method": "a", "repeat": range(repeats), "e": events, "n": chances})


@pytest.mark.parametrize(
    ("events", "chances", "verdict"),
    [
        (1, 100, "confirmed"),
        (50, 100, "refuted"),
        ([5, 4, 6, 5, 5, 4, 6, 5], 100, "inconclusive"),
        (0, 4, "inconclusive"),  # no event, but few chances
        ([0] * 7 + [40], 100, "inconclusive"),  # events of one repeat depend on each other
    ],
)
def test_seldom(events, chances, verdict):
    """A repeat is one observation."""
    test = bounds.seldom("a", "e", "n", 0.05)
    assert verdict_of(test, counted(events, chances)).verdict == verdict


@pytest.mark.parametrize(
    ("test", "verdict", "half", "twice"),
    [
        (bounds.at_least("a", "score", 0.5), "confirmed", "confirmed", "refuted"),
        # Half of the distance from 1: 0.8; twice of it: 0.2.
        (bounds.at_least("a", "score", 0.6, measured_from=1), "confirmed", "refuted", "confirmed"),
        (comparisons.flat("c", "score", 0.15), "confirmed", "refuted", "confirmed"),
        (bounds.without_exception("a", "score", high=0.5), "refuted", "refuted", "confirmed"),
        (bounds.without_exception("a", "score", low=0.5), "confirmed", "confirmed", "refuted"),
        (bounds.stays("a", "score", 0.2), "refuted", "refuted", "confirmed"),
        (comparisons.comparable(["a", "b"], "score", 0.1), "confirmed", "refuted", "confirmed"),
        (bounds.within_factor("b", "a", "score", 1.1), "confirmed", "refuted", "confirmed"),
        (bounds.slower("b", "a", "score", 1.0), "confirmed", "confirmed", "refuted"),
    ],
)
def test_a_threshold_of_ours_has_two_neighbours(test, verdict, half, twice):
    """Beside the verdict stand those at half and at twice of a number that we chose."""
    levels = {"a": lambda x: 0.75, "b": lambda x: 0.8125, "c": lambda x: 0.5 + 0.1 * x}
    found = verdict_of(test, records(levels, repeats=12))
    assert found.whose == "ours"
    assert (found.verdict, found.sensitivity) == (verdict, {"half": half, "twice": twice})


def test_a_threshold_of_the_paper_stands_alone():
    """A printed number is tested as it is."""
    table = records({"a": lambda x: 0.75})
    found = verdict_of(bounds.at_least("a", "score", 0.7, whose="paper"), table)
    assert (found.verdict, found.threshold, found.whose) == ("confirmed", 0.7, "paper")
    assert found.sensitivity is None
    assert found.sensitivity_text == ""


def test_neighbours_are_said_in_a_sentence():
    """It names the number, and where the verdict would be another."""
    table = records({"a": lambda x: 0.75})
    text = "The threshold 0.5 is ours: confirmed at 0.25, refuted at 1."
    assert verdict_of(bounds.at_least("a", "score", 0.5), table).sensitivity_text == text
    text = "The threshold 0.3 is ours: the same at 0.15 and at 0.6."
    assert verdict_of(bounds.at_least("a", "score", 0.3), table).sensitivity_text == text


def test_evidence_is_added_where_there_is_an_effect():
    """The explanation of a verdict is made of the rows that were tested."""
    table = constant({"a": 0.8, "b": 0.5})
    test = with_evidence(comparisons.better("a", "b", "score"), lambda rows: f"{len(rows)} rows")
    assert f"; {len(table)} rows; p = " in verdict_of(test, table).evidence
    assert "rows" not in verdict_of(test, table[table["method"] == "a"]).evidence


def test_some_needs_one_comparison():
    """One lead is enough, at Holm's level among all; none of them decides against it."""
    table = constant({"a": 0.5, "b": 0.3, "c": 0.7})
    some = comparisons.always_best("a", ["b", "c"], "score", rule="some")
    assert verdict_of(some, table).verdict == "confirmed"
    none = comparisons.always_best("b", ["a", "c"], "score", rule="some")
    assert verdict_of(none, table).verdict == "refuted"


def test_smaller_is_a_ratio():
    """The rival's value is three times as large; the other way round it is a third."""
    table = records({"a": lambda x: 1.0, "b": lambda x: 3.0})
    verdict = verdict_of(comparisons.smaller("a", "b", "score"), table, RATIO)
    assert verdict.verdict == "confirmed"
    assert verdict.effect == pytest.approx(3, rel=0.02)
    assert verdict.interval[0] < verdict.effect < verdict.interval[1]
    opposite = verdict_of(comparisons.smaller("b", "a", "score"), table, RATIO)
    assert opposite.verdict == "refuted"
    assert opposite.effect == pytest.approx(1 / 3, rel=0.02)
    with pytest.raises(ValueError, match="is not positive"):
        comparisons.smaller("a", "b", "score")(table.assign(score=0.0))


def test_a_lower_bound_decides_only_where_it_can():
    """A run that was ended early counts against its method if it was already the longer one."""
    table = records({"a": lambda x: 1.0, "b": lambda x: 3.0}).assign(open=False)
    test = comparisons.smaller("a", "b", "score", lower_bound="open")
    verdict = verdict_of(test, table.assign(open=table["method"] == "b"), RATIO)
    assert verdict.verdict == "confirmed"
    assert "in 8 of 8 repeats one run had not stopped" in verdict.evidence
    verdict = verdict_of(test, table.assign(open=table["method"] == "a"), RATIO)
    assert verdict.verdict == "inconclusive"
    assert verdict.n == 0


def test_unclear_repeats_can_undo_a_verdict():
    """They count against what the others say: one of them may, not four; nor is there no lead."""
    table = records({"a": lambda x: 1.0, "b": lambda x: 3.0}).assign(open=False)
    test = comparisons.smaller("a", "b", "score", lower_bound="open")
    for unclear, expected in ((1, "confirmed"), (4, "inconclusive")):
        mixed = table.assign(open=(table["method"] == "a") & (table["repeat"] < unclear))
        verdict = verdict_of(test, mixed, RATIO)
        assert verdict.verdict == expected
        assert f"{unclear} repeats that are not clear" in verdict.evidence


# -- units --------------------------------------------------------------------------------------


def test_runs_within_data_sets():
    """Data sets are blocks: the estimate is for these, and varies as their runs do."""
    rng = np.random.default_rng(0)
    rows = [
        {"method": m, "dataset": d, "repeat": k, "score": lead * (m == "a") + rng.normal(0, 0.01)}
        for d, lead in (("x", 0.1), ("y", 0.5), ("z", 0.9))
        for k in range(4)
        for m in "ab"
    ]
    table = pd.DataFrame(rows)
    found = verdict_of(comparisons.better("a", "b", "score", blocks="dataset"), table)
    assert (found.verdict, found.n, found.unit) == ("confirmed", 12, "runs within data sets")
    assert found.interval[1] - found.interval[0] < 0.1
    over_sets = verdict_of(comparisons.better("a", "b", "score", unit="dataset"), table)
    assert (over_sets.verdict, over_sets.n) == ("inconclusive", 3)


def test_blocks_of_one_run_decide_nothing():
    """A block without a second run has no deviation."""
    found = of_blocks([[1.0, 2.0], [3.0]])
    assert found.n == 1
    assert of_blocks([]).n == 0
    assert alone(Finding("{}", [found], Lead())).verdict == "inconclusive"


def test_the_jackknife_needs_every_part():
    """A statistic that is not defined without one of them has no estimate."""
    left_out = of_left_out(1.0, [1.0, np.nan, 1.1, 0.9, 1.0], "score")
    assert alone(Finding("{}", [left_out], Lead())).verdict == "inconclusive"
