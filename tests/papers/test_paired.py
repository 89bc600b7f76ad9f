"""Paired differences of methods on corrupted faces, on scores whose answers are known."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from verdicts import verdict_of

from nmfbench.papers.mahnmf.studies import paired, paired_figure
from nmfbench.problems.faces import CONDITIONS


def _scores(splits, lead=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "dataset": "yaleb",
            "method": method,
            "corruption": corruption,
            "condition": condition,
            "n_components": rank,
            "repeat": split,
            "accuracy-5": 0.01 * rank
            + lead * (method == "MahNMF (OGM)")
            + 0.01 * rng.standard_normal(),
        }
        for split in range(splits)
        for condition, (corruption, _) in CONDITIONS.items()
        for method in ("PCA", "EucNMF", "KLNMF", "MahNMF (OGM)")
        for rank in (10, 20)
        if (method, rank) != ("MahNMF (OGM)", 20) or split > 1
    )


def test_differences_are_paired_by_split_and_rank():
    """Where a method lacks a rank, its rivals' scores at that rank do not count."""
    table = paired.compare(_scores(10))
    assert len(table) == 18
    assert table["mean"].between(8, 12).all()
    assert (table["count"] == 10).all()
    assert (table["family"] == 18).all()


def test_ten_splits_are_significant_by_ranks_and_nine_are_not():
    """After Holm's correction, as the picture has it; claims are by t tests, with the p-values."""
    ten, nine = paired.compare(_scores(10)), paired.compare(_scores(9))
    assert (ten["adjusted"] < 0.05).all()
    assert ten["smallest"].iloc[0] == pytest.approx(18 * 2 / 2**10)
    assert not (nine["adjusted"] < 0.05).any()
    claim = next(c for c in paired.ARTEFACT.claims if c.id == "yaleb-laplace-5")
    assert verdict_of(claim.test, ten).verdict == "confirmed"
    found = verdict_of(claim.test, nine)
    assert (found.verdict, found.n, found.unit) == ("confirmed", 9, "splits")
    assert "Wilcoxon signed-rank tests: EucNMF p = 0.0039" in found.evidence


def test_p_values_are_those_of_scipy():
    """The p-value of a comparison is the signed-rank test's on the differences by split."""
    records = _scores(12, lead=0.005)
    row = paired.compare(records).query("rival == 'PCA' and condition == 'Laplace'").iloc[0]
    cells = records[records["corruption"] == "laplace"].pivot(
        index=["repeat", "n_components"], columns="method", values="accuracy-5"
    )
    d = (cells["MahNMF (OGM)"] - cells["PCA"]).dropna().groupby("repeat").mean()
    assert row["p"] == pytest.approx(stats.wilcoxon(d).pvalue)
    assert row["mean"] == pytest.approx(100 * d.mean())


def test_without_scores_there_is_no_comparison():
    """A grid of which only one side is done gives an empty table, and claims say so."""
    records = _scores(2).query("method == 'PCA'")
    table = paired.compare(records)
    assert table.empty
    assert {verdict_of(claim.test, table).verdict for claim in paired.ARTEFACT.claims} == {
        "not run"
    }


def test_the_picture_has_two_panels_and_the_table_has_all():
    """Each difference over EucNMF and KLNMF is drawn where its line says; PCA is in the table."""
    table = paired.compare(_scores(10))
    figure = paired.draw(table)
    accuracy, error = figure.axes
    assert [axis.get_title() for axis in (accuracy, error)] == list(paired_figure.FORESTS.values())
    lines = [text.get_text() for text in accuracy.get_yticklabels()]
    assert lines[0].startswith("Yale B, ")
    shown = table.query("metric == 'accuracy-5' and rival != 'PCA'")
    points = sorted(
        float(line.get_xdata()[0]) for line in accuracy.lines if line.get_marker() in ("s", "^")
    )
    assert points == pytest.approx(sorted(shown["mean"]))
    plt.close(figure)
    scores = paired.scores(table)
    assert len(scores) == len(table.groupby(["dataset", "metric", "method", "rival"]))
    assert "PCA" in set(scores["rival"])
    one = shown.iloc[0]
    cell = scores.query(
        f"metric == 'Algorithm 5' and method == '{one['method']}' and rival == '{one['rival']}'"
    )[one["condition"]].iloc[0]
    assert cell.startswith(f"{one['mean']:.1f} [")
