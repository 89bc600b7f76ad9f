"""Error rates of verdicts, by simulation."""

import numpy as np
import pytest
from scipy import stats

from nmfbench.artefacts.estimate import of_blocks, of_left_out, of_units
from nmfbench.artefacts.finding import ALPHA, Finding
from nmfbench.artefacts.region import Bounds, Lead, Margin
from nmfbench.papers.roc_curves import batches
from nmfbench.verdicts.verdict import Look, decide

DELTA = 0.02
SMALLEST = {"score": DELTA}.get
RUNS = 3000


def places(region, estimates):
    """p-values of many estimates, each alone: inside, outside, no lead."""
    return np.array([region.place(estimate, SMALLEST) for estimate in estimates]).T


def rejected(p_values):
    """Share of the p-values below the level."""
    return float(np.mean(p_values < ALPHA))


def at_most(share, level):
    """Whether a share of ``n`` simulations may come of a level, by three standard errors."""
    return share <= level + 3 * np.sqrt(level * (1 - level) / RUNS)


REGIONS = {
    "ahead": (Lead(), 0.0),
    "no lead": (Lead(), DELTA),
    "not worse": (Margin(both=False), -2 * DELTA),
    "alike, above": (Margin(), 2 * DELTA),
    "alike, below": (Margin(), -2 * DELTA),
    "at least": (Bounds(0.3), 0.3),
    "at most": (Bounds(high=0.3), 0.3),
}


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("region", REGIONS)
def test_a_region_holds_its_level_at_its_border(region, n):
    """Either side at half of the level, both at the level; no lead likewise.

    Logarithms of sizes that are lognormal are such draws, too.
    """
    place, border = REGIONS[region]
    rng = np.random.default_rng(1)
    made = [of_units(border + 0.01 * x, "score") for x in rng.standard_normal((RUNS, n))]
    inside, outside, no_lead = places(place, made)
    against = no_lead if region == "no lead" else outside
    assert at_most(rejected(against), ALPHA / 2)
    assert rejected(against) > 0.6 * ALPHA / 2
    if region != "no lead":
        assert at_most(rejected(inside), ALPHA / 2)
    if region == "ahead":
        assert at_most(rejected(np.minimum(inside, outside)), ALPHA)


@pytest.mark.parametrize("n", [5, 10, 20])
def test_shares_near_one_hold_twelve_per_cent(n):
    """As the docstring of the estimate says, of scores that crowd at the end of their scale."""
    rng = np.random.default_rng(2)
    draws = rng.beta(19.0, 1.0, (RUNS, n))
    inside, outside, _ = places(Bounds(0.95), [of_units(x) for x in draws])
    assert at_most(rejected(np.minimum(inside, outside)), 0.12)


@pytest.mark.parametrize("sizes", [(5, 5, 5, 5, 5), (20, 5, 5), (3, 10)])
def test_blocks_hold_their_level_with_unequal_groups(sizes):
    """Also where runs differ more in one data set than in the others."""
    rng = np.random.default_rng(3)
    made = [
        of_blocks([1 + k + (1 + 2 * k) * rng.standard_normal(n) for k, n in enumerate(sizes)])
        for _ in range(RUNS)
    ]
    middle = float(np.mean(1 + np.arange(len(sizes))))
    inside, outside, _ = places(Bounds(middle), made)
    assert at_most(rejected(np.minimum(inside, outside)), 0.06)


@pytest.mark.parametrize(
    ("n", "correlation", "level"),
    [
        *[(n, 0.0, 0.05) for n in (20, 40, 80)],
        *[(20, 0.3, 0.07), (40, 0.3, 0.06), (80, 0.3, 0.06)],
        *[(20, 0.6, 0.11), (40, 0.6, 0.08), (80, 0.6, 0.07), (200, 0.6, 0.06)],
    ],
)
def test_frames_are_a_series(n, correlation, level):
    """Means of batches hold their level where neighbours correlate; frames alone would not."""
    rng = np.random.default_rng(4)
    steps = rng.standard_normal((RUNS, n + 50))
    series = np.zeros_like(steps)
    for t in range(1, n + 50):
        series[:, t] = correlation * series[:, t - 1] + steps[:, t]
    made = []
    for frames in series[:, 50:]:
        parts = batches(n)
        left_out = [np.delete(frames, part).mean() for part in parts]
        made.append(of_left_out(float(frames.mean()), left_out, n=n))
    inside, outside, _ = places(Lead(), made)
    found = rejected(np.minimum(inside, outside))
    assert at_most(found, level)
    if correlation == 0.6:
        alone = stats.ttest_1samp(series[:, 50:], 0, axis=1).pvalue
        assert rejected(alone) > 0.2 > found


def judged(rng, truths, repeats, look, drawn=None):
    """Verdicts on leads of methods in common: differences from one of them."""
    noise = rng.normal(0, 0.02, (repeats, len(truths)))
    own = rng.normal(0, 0.02, (repeats, 1))  # of the method that all are compared with
    drawn = truths + noise + own if drawn is None else drawn
    findings = [Finding("{}", [of_units(x, "score")], Lead()) for x in drawn.T]
    return [v.verdict for v in decide(findings, SMALLEST, look)], drawn


def wrong_shares(decided, truths):
    """Shares of wrong ones among the confirmed and refuted, and among those without a lead."""
    sides = [
        (v == "confirmed" and t <= 0) or (v == "refuted" and t >= 0)
        for v, t in zip(decided, truths, strict=True)
        if v in ("confirmed", "refuted")
    ]
    leads = [t >= DELTA for v, t in zip(decided, truths, strict=True) if v == "no lead"]
    return [np.mean(found) if found else 0.0 for found in (sides, leads)]


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [False, True], ids=["as planned", "what looks best first"])
def test_looks_and_many_tests_err_seldom(chosen):
    """Twenty tests of methods in common, half of them null; looks at 5, 10 and 20, final 30.

    What is decided at a look stays decided. Among the verdicts that a reader sees in the end, one
    in twenty is wrong at most. Where what looks best is run first, artefacts that look undecided
    are left at the look that they have reached.
    """
    rng = np.random.default_rng(5)
    shares = []
    for _ in range(400):
        truths = np.where(np.arange(20) < 10, 0.0, rng.choice([-0.03, 0.015, 0.03], 20))
        if rng.random() < 0.5:
            truths = np.where(np.arange(20) < 10, DELTA, rng.choice([0.0, 0.01, 0.05], 20))
        seen, drawn = None, None
        for n in (5, 10, 20, 30):
            new = rng.normal(0, 0.02, (n, 20)) + rng.normal(0, 0.02, (n, 1)) + truths
            drawn = new if drawn is None else np.vstack([drawn, new[len(drawn) :]])
            verdicts, _ = judged(rng, truths, n, Look(n, 30, final=n == 30), drawn)
            seen = [
                old if old in ("confirmed", "refuted", "no lead") and n < 30 else v
                for old, v in zip(seen or verdicts, verdicts, strict=True)
            ]
            if chosen and n < 30 and verdicts.count("inconclusive") > 16:
                break
        shares.append(wrong_shares(seen, truths))
    assert (np.mean(shares, axis=0) <= 0.055).all()


@pytest.mark.slow
def test_no_lead_comes_at_the_rate_of_theory():
    """Without an effect it ends so; at half of what matters so, or as a lead of less than that."""
    rng = np.random.default_rng(6)
    n, spread = 30, 0.02
    for truth in (0.0, DELTA / 2):
        found = []
        for _ in range(1500):
            finding = Finding("{}", [of_units(rng.normal(truth, spread, n), "score")], Lead())
            found.append(decide([finding], SMALLEST)[0])
        power = stats.nct.sf(
            stats.t.ppf(1 - ALPHA / 2, n - 1), n - 1, (DELTA - truth) / spread * np.sqrt(n)
        )
        ahead = stats.nct.sf(stats.t.ppf(1 - ALPHA / 2, n - 1), n - 1, truth / spread * np.sqrt(n))
        short = [v for v in found if v.interval[1] < DELTA]
        assert np.mean([v.interval[1] < DELTA for v in found]) == pytest.approx(power, abs=0.04)
        assert {v.verdict for v in short} <= {"no lead", "confirmed", "refuted"}
        share = np.mean([v.verdict == "confirmed" for v in found])
        assert share == pytest.approx(ahead, abs=0.04)
