"""Levels of breakdown and paired tests, on curves and scores whose answers are known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from nmfbench.papers.mahnmf import breakdown, paired
from nmfbench.problems.faces import CONDITIONS
from nmfbench.problems.noise import NOISES
from nmfbench.stats.intervals import first_below, holm, longest_lead

LAPLACE = NOISES["laplace"]
EXPONENTIAL = NOISES["exponential"]


def _scan(x, y, found):
    """Points of a fine grid at which the curve through points satisfies ``found``."""
    fine = np.linspace(x[0], x[-1], 200_001)
    return fine[found(np.interp(fine, x, y))]


def test_first_below_is_where_a_fine_scan_of_the_curve_finds_it():
    """The level agrees with a search over the interpolated curve, and is infinite without one."""
    rng = np.random.default_rng(0)
    x = np.r_[0.0, np.cumsum(rng.uniform(0.1, 1, 6))]
    curves = rng.uniform(0, 1, (40, 7))
    levels = first_below(x, curves, np.full(40, 0.25))
    assert np.isinf(levels).any()
    assert (levels == 0).any()
    for y, level in zip(curves, levels, strict=True):
        below = _scan(x, y, lambda v: v < 0.25)
        expected = below[0] if len(below) else np.inf
        assert level == pytest.approx(expected, abs=1e-4)


def test_longest_lead_is_the_run_of_the_largest_area():
    """Of the runs above zero of a finely scanned curve the one with the largest sum is found."""
    rng = np.random.default_rng(1)
    x = np.r_[0.0, np.cumsum(rng.uniform(0.1, 1, 6))]
    fine = np.linspace(x[0], x[-1], 200_001)
    for y in rng.standard_normal((30, 7)):
        values = np.interp(fine, x, y)
        runs = np.split(np.arange(len(fine)), np.flatnonzero(np.diff(values > 0)) + 1)
        best = max(runs, key=lambda run: np.maximum(values[run], 0).sum())
        begin, end = longest_lead(x, y)
        assert begin == pytest.approx(fine[best[0]], abs=1e-4)
        assert end == pytest.approx(fine[best[-1]] if best[-1] < 200_000 else np.inf, abs=1e-4)


def test_no_lead_has_no_ends():
    """A curve that only touches zero leads nowhere."""
    assert np.isnan(longest_lead([0, 1, 2], [-1.0, 0.0, -1.0])).all()


def test_holm_follows_the_definition():
    """An adjusted p-value is the largest of (n - rank) p over those not above it, at most 1."""
    p = np.array([0.04, 0.001, 0.5, 0.013, 0.9])
    ordered = np.sort(p)
    expected = [min(1, max((5 - k) * q for k, q in enumerate(ordered) if q <= one)) for one in p]
    assert holm(p) == pytest.approx(expected)


def _records(accuracy, noise=LAPLACE, splits=6, clean=0.8):
    """Records of methods whose accuracy is ``accuracy[method](level, split)``."""
    cells = [(None, np.nan), *((noise.corruption, level) for level in noise.levels)]
    return pd.DataFrame(
        {
            "method": method,
            "repeat": split,
            "corruption": corruption,
            "level": level,
            "n_classes": 10,
            "accuracy-5": score(level, split) if corruption else clean,
        }
        for method, score in accuracy.items()
        for split in range(splits)
        for corruption, level in cells
    )


def test_breakdown_of_a_straight_line():
    """An accuracy that falls from 0.8 at slope s is halved at the level 0.4 / s, in each split."""
    records = _records({"EucNMF": lambda level, split: 0.8 - (0.6 + 0.1 * split) * level})
    wide, clean = breakdown.curves(records, LAPLACE, "accuracy-5")
    levels = breakdown.breakdown_levels(wide, clean)
    assert levels.to_numpy() == pytest.approx([0.4 / (0.6 + 0.1 * s) for s in range(6)])


def test_table_of_breakdown_and_lead():
    """The table holds the level of the mean curve, its interval, what never breaks, and leads."""
    slopes = 0.6 + 0.1 * np.arange(6)
    records = _records(
        {
            "EucNMF": lambda level, split: 0.8 - slopes[split] * level,
            "KLNMF": lambda level, split: 0.8 - 0.1 * level,
            "PCA": lambda level, split: 0.5 - 0.1 * level,
        }
    )
    table = breakdown.summarise(records)
    row = {
        (one["part"], one["method"]): one
        for one in table[table["part"] != "curve"].to_dict("records")
    }
    found = row["breakdown", "EucNMF"]
    assert found["dose"] == pytest.approx(0.4 / slopes.mean())
    assert 0.4 / slopes.max() < found["low"] < found["dose"] < found["high"] < 0.4 / slopes.min()
    assert found["beyond"] == 0
    assert row["breakdown", "KLNMF"]["beyond"] == 1
    assert row["breakdown", "KLNMF"]["dose"] == 1
    assert row["from", "KLNMF"]["dose"] == 0
    assert row["to", "KLNMF"]["beyond"] == 1
    # PCA drops by 0.3 at once, and then is ahead from where lines cross.
    wide, _ = breakdown.curves(records, LAPLACE, "accuracy-5")
    gap = (wide.loc["PCA"] - wide.loc["EucNMF"]).mean()
    crossing = longest_lead(gap.index, gap)[0]
    assert row["from", "PCA"]["dose"] == pytest.approx(crossing)
    assert crossing == pytest.approx(0.3 / (slopes.mean() - 0.1))


def test_clean_data_are_no_point_of_the_exponential_curve():
    """Where every entry is drawn anew the curve begins at the lowest level, not at clean data."""
    records = _records({"EucNMF": lambda level, split: 0.1}, noise=EXPONENTIAL)
    wide, clean = breakdown.curves(records, EXPONENTIAL, "accuracy-5")
    assert wide.columns[0] == 0.25
    assert (clean == 80).all()
    assert (breakdown.breakdown_levels(wide, clean) == 0.25).all()


def _scores(splits, lead=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "dataset": "yaleb",
            "method": method,
            "corruption": corruption,
            "n_components": rank,
            "repeat": split,
            "accuracy-5": 0.01 * rank + lead * (method == "MahNMF") + 0.01 * rng.standard_normal(),
        }
        for split in range(splits)
        for corruption, _ in CONDITIONS.values()
        for method in ("PCA", "EucNMF", "KLNMF", "MahNMF")
        for rank in (10, 20)
        if (method, rank) != ("MahNMF", 20) or split > 1
    )


def test_differences_are_paired_by_split_and_rank():
    """Where a method lacks a rank, its rivals' scores at that rank do not count."""
    table = paired.compare(_scores(10))
    assert len(table) == 18
    assert table["mean"].between(8, 12).all()
    assert (table["count"] == 10).all()
    assert (table["family"] == 18).all()


def test_ten_splits_decide_and_nine_do_not():
    """A lead in every split is significant after Holm's correction from ten splits on."""
    ten, nine = paired.compare(_scores(10)), paired.compare(_scores(9))
    assert (ten["adjusted"] < 0.05).all()
    assert ten["smallest"].iloc[0] == pytest.approx(18 * 2 / 2**10)
    assert not (nine["adjusted"] < 0.05).any()
    claim = next(c for c in paired.ARTEFACT.claims if c.id == "yaleb-laplace-5")
    assert claim.test(_scores(10)).verdict == "confirmed"
    found = claim.test(_scores(9))
    assert found.verdict == "inconclusive"
    assert "too few splits" in found.evidence


def test_p_values_are_those_of_scipy():
    """The p-value of a comparison is the signed-rank test's on the differences by split."""
    records = _scores(12, lead=0.005)
    row = paired.compare(records).query("rival == 'PCA' and condition == 'Laplace'").iloc[0]
    cells = records[records["corruption"] == "laplace"].pivot(
        index=["repeat", "n_components"], columns="method", values="accuracy-5"
    )
    d = (cells["MahNMF"] - cells["PCA"]).dropna().groupby("repeat").mean()
    assert row["p"] == pytest.approx(stats.wilcoxon(d).pvalue)
    assert row["mean"] == pytest.approx(100 * d.mean())
