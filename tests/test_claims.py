"""Verdicts on made-up records whose truth is known."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from nmfbench.artefacts import bounds, comparisons
from nmfbench.artefacts.claim import (
    Claim,
    Threshold,
    Verdict,
    around,
    corrected,
    judge,
    with_evidence,
    within,
)


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
    verdict = comparisons.better("a", "b", "score")(table)
    assert verdict.verdict == "confirmed"
    assert verdict.effect == pytest.approx(0.3, abs=0.02)
    assert verdict.interval[0] < verdict.effect < verdict.interval[1]
    assert verdict.n == 8
    assert comparisons.better("b", "a", "score")(table).verdict == "refuted"


def test_a_repeat_is_one_observation_however_many_levels_it_has():
    """Levels of one repeat share its data: more of them do not make a verdict of few repeats."""
    table = records({"a": lambda x: 0.8, "b": lambda x: 0.5}, repeats=3, levels=range(50))
    verdict = comparisons.better("a", "b", "score")(table)
    assert verdict.verdict == "inconclusive"
    assert "too few" in verdict.evidence


def test_equal_scores_are_inconclusive():
    """Without any difference there is no verdict, and no division by zero."""
    table = records({"a": lambda x: 0.5}).assign(score=0.5)
    table = pd.concat([table, table.assign(method="b")])
    assert comparisons.better("a", "b", "score")(table).verdict == "inconclusive"


@pytest.mark.parametrize("margin", [None, 0.02])
def test_noise_is_seldom_called_a_difference(margin):
    """Without a difference about 5 % of the tests say that there is one, both sides together."""
    if margin is None:
        wrong, test = {"confirmed", "refuted"}, comparisons.better("a", "b", "score")
        far = 0.5
    else:  # at the margin itself either answer is wrong
        wrong, test = {"confirmed", "refuted"}, comparisons.comparable(["a", "b"], "score", margin)
        far = 0.5 + margin
    verdicts = [
        test(records({"a": lambda x: 0.5, "b": lambda x: far}, seed=seed)).verdict
        for seed in range(400)
    ]
    errors = sum(verdict in wrong for verdict in verdicts)
    assert stats.binomtest(errors, 400, 0.05).pvalue > 1e-3


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "test",
    [
        comparisons.better("a", "b", "score"),
        comparisons.always_best("a", ["b"], "score"),
        comparisons.comparable(["a", "b"], "score", 0.015),
        comparisons.at_least("a", "score", 0.5),
        bounds.near("a", "score", 0.5, 0.015),
        bounds.slower("a", "b", "score", 1.01),
        bounds.within_factor("a", "b", "score", 1.02),
    ],
)
def test_interval_and_p_value_say_the_same(test, seed):
    """Decided claims have intervals on one side and p-values below 5 %; others neither."""
    table = records({"a": lambda x: 0.51, "b": lambda x: 0.5}, repeats=6, seed=seed)
    found = test(table)
    decided = found.verdict != "inconclusive"
    assert decided == (found.p_value < 0.05)
    if found.interval is not None and getattr(test, "threshold", None) is None:
        assert decided == (found.interval[0] > 0 or found.interval[1] < 0)


def test_near_is_on_both_sides_of_a_printed_number():
    """A score is near from below and from above, and far on either side of the margin."""
    for mean, verdict in ((0.48, "confirmed"), (0.52, "confirmed"), (0.4, "refuted")):
        table = records({"a": lambda x, mean=mean: mean})
        assert bounds.near("a", "score", 0.5, 0.05)(table).verdict == verdict
    found = bounds.near("a", "score", 0.5, 0.05)(records({"a": lambda x: 0.57}))
    assert found.verdict == "refuted"
    assert found.sensitivity == {"half": "refuted", "twice": "confirmed"}
    assert bounds.near("b", "score", 0.5, 0.05)(table).verdict == "not run"


def test_claims_of_an_artefact_are_corrected_together():
    """Holm's correction over those that have a p-value; what it undoes keeps its effect."""
    made = [
        Verdict("confirmed", "sure", 1.0, (0.5, 1.5), 0.001, 8),
        Verdict("refuted", "hardly", -1.0, (-1.9, -0.1), 0.03, 8),
        Verdict("inconclusive", "open", 0.1, (-1.0, 1.0), 0.6, 8),
        Verdict("confirmed", "without exception", 0.0, None, None, 8),
        Verdict("not run", "nothing"),
    ]
    found = corrected(made)
    assert [v.verdict for v in found] == [
        "confirmed",
        "inconclusive",
        "inconclusive",
        "confirmed",
        "not run",
    ]
    assert [v.p_adjusted for v in found] == [0.003, 0.06, 0.6, None, None]
    assert found[1].evidence == "hardly; p = 0.06 after the correction for 3 claims"
    assert (found[1].effect, found[1].interval, found[1].p_value) == (-1.0, (-1.9, -0.1), 0.03)
    assert [v.undone for v in found] == [False, True, False, False, False]
    assert corrected([made[1]])[0].verdict == "refuted"
    assert corrected([]) == []


def test_margin_grows():
    """The slope of the lead decides, not its size."""
    table = records(
        {"a": lambda x: 0.9 - 0.1 * x, "b": lambda x: 0.9 - 0.4 * x, "c": lambda x: 0.2 + 0.2 * x}
    )
    verdict = comparisons.margin_grows("a", "b", "score")(table)
    assert verdict.verdict == "confirmed"
    assert verdict.effect == pytest.approx(0.3, abs=0.02)
    assert comparisons.margin_grows("a", "c", "score")(table).verdict == "refuted"


def test_flat():
    """A curve is flat if its range within a repeat stays below the margin."""
    table = records({"a": lambda x: 0.5, "b": lambda x: 0.5 + 0.3 * x})
    assert comparisons.flat("a", "score", 0.1)(table).verdict == "confirmed"
    assert comparisons.flat("b", "score", 0.1)(table).verdict == "refuted"


def test_comparable():
    """Methods are comparable if the intervals of all differences are within the margin."""
    table = records({"a": lambda x: 0.5, "b": lambda x: 0.52, "c": lambda x: 0.7})
    assert comparisons.comparable(["a", "b"], "score", 0.1)(table).verdict == "confirmed"
    verdict = comparisons.comparable(["a", "b", "c"], "score", 0.1)(table)
    assert verdict.verdict == "refuted"
    assert verdict.effect == pytest.approx(0.2, abs=0.02)


def test_always_best_needs_every_comparison():
    """One lost comparison refutes, whatever the others say."""
    table = records({"a": lambda x: 0.8, "b": lambda x: 0.5}).assign(
        second=lambda t: np.where(t["method"] == "a", 0.2, 0.6) + t["score"] / 100
    )
    assert comparisons.always_best("a", ["b"], ["score"])(table).verdict == "confirmed"
    verdict = comparisons.always_best("a", ["b"], ["score", "second"])(table)
    assert verdict.verdict == "refuted"
    assert "in second" in verdict.evidence


def test_an_absent_rival_can_not_be_beaten():
    """A claim over all rivals is not confirmed without one of them, but can be refuted."""
    table = records({"a": lambda x: 0.8, "b": lambda x: 0.5})
    verdict = comparisons.always_best("a", ["b", "c"], ["score"])(table)
    assert verdict.verdict == "inconclusive"
    assert "c not run" in verdict.evidence
    assert comparisons.always_best("b", ["a", "c"], ["score"])(table).verdict == "refuted"


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


def test_methods_are_paired_where_their_grids_differ():
    """With ``by`` only cells that both sides have count; averages over the grid would mislead."""
    table = unequal()
    for test in (
        comparisons.better("a", "b", "score", by=["rank"]),
        comparisons.always_best("a", ["b", "c"], ["score"], by=["rank"]),
    ):
        verdict = test(table)
        assert verdict.verdict == "confirmed"
        assert verdict.effect == pytest.approx(0.1, abs=0.02)
        assert verdict.n == 8
    assert comparisons.better("a", "b", "score")(table).verdict == "refuted"
    assert comparisons.always_best("a", ["b"], ["score"])(table).verdict == "refuted"
    near = unequal(lead=0.01)
    assert (
        comparisons.comparable(["a", "b"], "score", 0.1, by=["rank"])(near).verdict == "confirmed"
    )
    assert comparisons.comparable(["a", "b"], "score", 0.1)(near).verdict == "refuted"


def test_cells_of_a_repeat_are_one_observation():
    """More cells do not make a verdict of few repeats."""
    table = unequal(repeats=3)
    for test in (
        comparisons.better("b", "c", "score", by=["rank"]),
        comparisons.always_best("b", ["c"], ["score"], by=["rank"]),
        comparisons.comparable(["b", "c"], "score", 0.1, by=["rank"]),
    ):
        verdict = test(table)
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
    assert test(table).effect == pytest.approx(2.5, abs=0.1)
    verdict = test(table[~cell | (table["repeat"] == 0)])
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
        verdict = test(table)
        assert verdict.verdict == "inconclusive"
        assert "1 repeat is too few" in verdict.evidence
        assert verdict.effect == pytest.approx(0.1, abs=0.03)
        assert test(table[table["rank"] == 40]).verdict == "not run"


def test_at_least():
    """A bound is tested against the mean over repeats."""
    table = records({"a": lambda x: 0.75})
    assert comparisons.at_least("a", "score", 0.7)(table).verdict == "confirmed"
    assert comparisons.at_least("a", "score", 0.8)(table).verdict == "refuted"


@pytest.mark.parametrize(
    ("events", "verdict"), [(0, "confirmed"), (50, "refuted"), (5, "inconclusive")]
)
def test_seldom(events, verdict):
    """A rate is judged by its binomial interval."""
    table = pd.DataFrame({"method": ["a"], "repeat": [0], "calls": [events], "chances": [100]})
    assert bounds.seldom("a", "calls", "chances", 0.05)(table).verdict == verdict


@pytest.mark.parametrize(
    ("factor", "verdict"), [(50, "confirmed"), (10, "inconclusive"), (5, "refuted")]
)
def test_slower(factor, verdict):
    """At least a factor is confirmed above it, however far, and says so in words."""
    table = records({"slow": lambda x: 2.0 * factor, "fast": lambda x: 2.0})
    found = bounds.slower("slow", "fast", "score", 10)(table)
    assert found.verdict == verdict
    assert found.effect == pytest.approx(factor, rel=0.02)
    assert "our bound: at least 10" in found.evidence
    exceeding = bounds.slower("slow", "fast", "score", 10, most=20, whose="paper")(table)
    assert exceeding.verdict == verdict
    assert "the paper's bound: at least 10" in exceeding.evidence
    assert ("exceeds 10 to 20" in exceeding.evidence) == (factor == 50)


def test_a_place_narrows_the_rows():
    """A test ``at`` a place sees only the rows there, of one value or of several."""
    good = records({"a": lambda x: 0.8, "b": lambda x: 0.5}).assign(kind="x")
    bad = records({"a": lambda x: 0.1, "b": lambda x: 0.5}).assign(kind="y")
    table = pd.concat([good, bad])
    test = partial(comparisons.better, "a", "b", "score")
    assert test(at={"kind": "x"})(table).verdict == "confirmed"
    assert test(at={"kind": ["y"]})(table).verdict == "refuted"
    with pytest.raises(KeyError, match="no column 'knid'"):
        test(at={"knid": "x"})(table)


def test_sides_are_more_than_methods():
    """A side of a comparison may be any rows, and every value of ``each`` is a comparison."""
    table = constant({"a": 0.8, "b": 0.5, "c": 0.2})
    table = pd.concat([table.assign(kind="x"), table.assign(kind="y", score=1 - table["score"])])
    best, worst = {"method": "a", "kind": "x"}, {"method": "a", "kind": "y"}
    verdict = comparisons.better(best, worst, "score")(table)
    assert verdict.verdict == "confirmed"
    assert "a, kind x minus a, kind y" in verdict.evidence
    ahead = partial(comparisons.always_best, "a", ["b", "c"], "score")
    assert ahead(at={"kind": "x"})(table).verdict == "confirmed"
    assert ahead(each={"kind": ["x", "y"]})(table).verdict == "refuted"
    assert ahead(each={"kind": ["x"]}, lower=True)(table).verdict == "refuted"
    assert ahead(at={"kind": "y"}, lower=True)(table).verdict == "confirmed"


def test_a_share_of_the_rivals_is_to_be_beaten():
    """With a share of ours, the verdicts at half and at twice of it stand beside."""
    table = constant({"a": 0.3, "b": 0.8, "c": 0.9})
    half = comparisons.always_best("a", ["b", "c"], "score", lower=True, share=Threshold(0.5))
    verdict = half(table)
    assert (verdict.verdict, verdict.sensitivity["half"]) == ("confirmed", "refuted")
    assert half.threshold == Threshold(0.5)


def test_evidence_is_added_where_there_is_an_effect():
    """The explanation of a verdict is made of the rows that were tested."""
    table = constant({"a": 0.8, "b": 0.5})
    test = with_evidence(comparisons.better("a", "b", "score"), lambda rows: f"{len(rows)} rows")
    assert test(table).evidence.endswith(f"; {len(table)} rows")
    assert "rows" not in test(table[table["method"] == "a"]).evidence
    worse, sides = comparisons.better("b", "a", "score"), ("refuted", "confirmed")
    refuted, confirmed = (with_evidence(worse, lambda rows: "why", of=[of]) for of in sides)
    assert refuted(table).evidence.endswith("; why")
    assert "why" not in confirmed(table).evidence


def test_a_partial_grid_is_labelled():
    """A verdict on less than the paper's grid says so; without any trial there is none."""
    claim = Claim("c", "a beats b", "here", comparisons.better("a", "b", "score"))
    table = records({"a": lambda x: 0.8, "b": lambda x: 0.5})
    grid = {"total": 32, "paper_total": 40, "data": "own"}
    verdict = judge(claim, table, done=32, **grid)
    assert verdict.partial
    assert verdict.evidence.endswith("(32 of the paper grid's 40 trials)")
    whole = judge(claim, table, done=40, **grid | {"total": 40})
    assert not whole.partial
    assert "grid" not in whole.evidence
    assert judge(claim, table.iloc[:0], done=0, **grid).verdict == "not run"


LEVEL = {"a": lambda x: 0.75}


@pytest.mark.parametrize(
    ("test", "verdict", "half", "twice"),
    [
        (comparisons.at_least("a", "score", 0.5), "confirmed", "confirmed", "refuted"),
        # Half of the distance from 1: 0.8; twice of it: 0.2.
        (
            comparisons.at_least("a", "score", 0.6, measured_from=1),
            "confirmed",
            "refuted",
            "confirmed",
        ),
        (comparisons.flat("c", "score", 0.15), "confirmed", "refuted", "confirmed"),
        (bounds.without_exception("a", "score", high=0.5), "refuted", "refuted", "confirmed"),
        (bounds.without_exception("a", "score", low=0.5), "confirmed", "confirmed", "refuted"),
        (bounds.stays("a", "score", 0.2), "refuted", "refuted", "confirmed"),
        (comparisons.comparable(["a", "b"], "score", 0.1), "confirmed", "refuted", "confirmed"),
        (bounds.seldom("a", "one", "four", 0.1), "refuted", "refuted", "inconclusive"),
        (bounds.within_factor("b", "a", "score", 1.1), "confirmed", "refuted", "confirmed"),
        (bounds.slower("b", "a", "score", 1.0), "confirmed", "confirmed", "refuted"),
    ],
)
def test_a_threshold_of_ours_has_two_neighbours(test, verdict, half, twice):
    """Beside the verdict stand those at half and at twice of a number that we chose."""
    levels = {"a": lambda x: 0.75, "b": lambda x: 0.8125, "c": lambda x: 0.5 + 0.1 * x}
    table = records(levels, repeats=12).assign(one=1, four=4)
    found = test(table)
    assert test.threshold.whose == "ours"
    assert (found.verdict, found.sensitivity) == (verdict, {"half": half, "twice": twice})


def test_a_threshold_of_the_paper_stands_alone():
    """A printed number is tested as it is."""
    table = records({"a": lambda x: 0.75})
    test = comparisons.at_least("a", "score", 0.7, whose="paper")
    assert test.threshold.whose == "paper"
    assert test(table).verdict == "confirmed"
    assert test(table).sensitivity is None
    assert Claim("c", "a is high", "here", test).sensitivity_in_words(test(table)) == ""


def test_a_sign_has_no_threshold():
    """Neither a paired test nor a function of one's own names a number."""
    for test in (comparisons.better("a", "b", "score"), lambda records: Verdict("refuted")):
        assert Claim("c", "a beats b", "here", test).threshold is None


def test_a_test_around_another_keeps_its_threshold():
    """A wrapper that prepares records or explains a verdict keeps number and neighbours."""
    inner = comparisons.at_least("a", "score", 0.5)
    table = records(LEVEL).assign(kind="x")
    for outer in (
        within({"kind": "x"}, inner),
        around(inner, lambda test, records: test(records[records["kind"] == "x"])),
    ):
        assert outer.threshold == inner.threshold
        assert outer(table) == inner(table)
    plain = around(comparisons.better("a", "b", "score"), lambda test, records: test(records))
    assert Claim("c", "a beats b", "here", plain).threshold is None


def test_neighbours_are_said_in_words():
    """A phrase names the number, and where the verdict would be another."""
    table = records(LEVEL)
    grid = {"done": 16, "total": 16, "paper_total": 16, "data": "own"}
    claim = Claim("c", "a is high", "here", comparisons.at_least("a", "score", 0.5), origin="ours")
    verdict = judge(claim, table, **grid)
    text = "The threshold 0.5 is ours: confirmed at 0.25, refuted at 1."
    assert claim.sensitivity_in_words(verdict) == text
    claim = Claim("c", "a is high", "here", comparisons.at_least("a", "score", 0.3))
    text = "The threshold 0.3 is ours: the same at 0.15 and at 0.6."
    assert claim.sensitivity_in_words(judge(claim, table, **grid)) == text
    nothing = judge(claim, table.iloc[:0], **grid | {"done": 0})
    assert nothing.sensitivity == {"half": "not run", "twice": "not run"}
    assert claim.sensitivity_in_words(nothing) == ""


def test_a_missing_side_is_not_run():
    """A comparison with a method that has no records gives no verdict, and says so."""
    table = records({"a": lambda x: 0.8})
    assert comparisons.better("a", "b", "score")(table).verdict == "not run"
    assert bounds.slower("a", "b", "score", 2.0)(table).verdict == "not run"


def test_smaller_is_a_ratio():
    """A third of the rival's value confirms with that ratio; the other way round it refutes."""
    table = records({"a": lambda x: 1.0, "b": lambda x: 3.0})
    verdict = comparisons.smaller("a", "b", "score")(table)
    assert verdict.verdict == "confirmed"
    assert verdict.effect == pytest.approx(1 / 3, rel=0.02)
    assert verdict.interval[0] < verdict.effect < verdict.interval[1]
    opposite = comparisons.smaller("b", "a", "score")(table)
    assert opposite.verdict == "refuted"
    assert opposite.effect == pytest.approx(3, rel=0.02)


def test_a_lower_bound_decides_only_where_it_can():
    """A run that was ended early counts against its method if it was already the longer one."""
    table = records({"a": lambda x: 1.0, "b": lambda x: 3.0}).assign(open=False)
    longer = table.assign(open=table["method"] == "b")
    verdict = comparisons.smaller("a", "b", "score", lower_bound="open")(longer)
    assert verdict.verdict == "confirmed"
    assert "in 8 of 8 repeats one run had not stopped" in verdict.evidence
    shorter = table.assign(open=table["method"] == "a")
    verdict = comparisons.smaller("a", "b", "score", lower_bound="open")(shorter)
    assert verdict.verdict == "inconclusive"
    assert verdict.n == 0


def test_unclear_repeats_can_undo_a_verdict():
    """Repeats left out as unclear count against what the others say: one of them may, not four."""
    table = records({"a": lambda x: 1.0, "b": lambda x: 3.0}).assign(open=False)
    for unclear, expected in ((1, "confirmed"), (4, "inconclusive")):
        mixed = table.assign(open=(table["method"] == "a") & (table["repeat"] < unclear))
        verdict = comparisons.smaller("a", "b", "score", lower_bound="open")(mixed)
        assert verdict.verdict == expected
        assert verdict.n == (8 - unclear if unclear < 4 else 4)


def test_a_theorem_falls_by_one_exception():
    """One trial outside the bounds refutes; none confirms, but not with a handful of repeats."""
    table = records({"a": lambda x: 0.5, "b": lambda x: 5.0})
    assert bounds.without_exception("a", "score", high=1)(table).verdict == "confirmed"
    assert bounds.without_exception("a", "score", low=0)(table).verdict == "confirmed"
    assert bounds.without_exception(["a", "b"], "score", high=1)(table).verdict == "refuted"
    one = table.copy()
    one.loc[one.index[3], "score"] = 1.5
    verdict = bounds.without_exception("a", "score", low=0, high=1)(one)
    assert verdict.verdict == "refuted"
    assert "outside in 1 of 16 trials" in verdict.evidence
    few = table[table["repeat"] < 4]
    assert bounds.without_exception("a", "score", high=1)(few).verdict == "inconclusive"
    assert bounds.without_exception("c", "score", high=1)(table).verdict == "not run"
    assert bounds.without_exception("a", "other", high=1)(table).verdict == "not run"
