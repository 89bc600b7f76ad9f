"""The study of RNMFD's terms: pairing, doses and evidence, on scores whose answers are known."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from verdicts import verdict_of

from nmfbench.artefacts.grids import CLEAN
from nmfbench.corruptions import corrupt
from nmfbench.datasets.base import load_dataset
from nmfbench.papers.rnmfd import sets, terms, terms_claims, terms_figure
from nmfbench.problems.noise import NOISES

CELLS = [(None, np.nan), ("occlusion", 0.05), ("occlusion", 0.1), ("occlusion", 0.2)]


def _records(accuracy, cells=CELLS, runs=6, datasets=("umist",)):
    """Records of methods whose accuracy is ``accuracy[method](dataset, dose, run)``."""
    rows = [
        {
            "method": label,
            "dataset": dataset,
            "corruption": corruption,
            "level": level,
            "noise": corruption or CLEAN,
            "dose": NOISES[corruption].dose(level) if corruption else 0.0,
            "repeat": run,
            "n_components": 20,
            "clustering-accuracy": score(dataset, np.nan_to_num(level), run),
            "clustering-accuracy-shuffled": 0.1,
            "outlier-share": 0.05,
            "n-dead-components": 2.0,
        }
        for label, score in accuracy.items()
        for dataset in datasets
        for corruption, level in cells
        for run in range(runs)
    ]
    order = [label for label in terms.METHODS if label.label in accuracy]
    table = pd.DataFrame(rows)
    labels = [m.label for m in order]
    return terms.frame(table.assign(method=pd.Categorical(table["method"], labels, ordered=True)))


def _verdict(name, records):
    test = next(claim.test for claim in terms_claims.CLAIMS if claim.id == name)
    return verdict_of(test, terms.frame(records))


def _table(records):
    return terms.summarise(terms.frame(records))


def test_a_variant_lacks_its_own_term_and_nothing_else():
    """Parameters of a variant are the defaults of RNMFD but for the term it leaves out."""
    params = {m.label: m.params for m in terms.METHODS if m.solver == "rnmfd" and m.drawn}
    assert params == {
        terms.ALL: {},
        terms.NO_S: {"lam": "none"},
        terms.NO_GRAPH: {"alpha": 0.0},
        terms.NO_ORTHOGONALITY: {"beta": 0.0},
        terms.MORE_S: {"lam": "mad"},
        terms.BOUNDED: {"laplacian": "sym"},
        terms.S_ALONE: {"alpha": 0.0, "beta": 0.0, "lam": "mad"},
    }


@pytest.mark.parametrize("noise", terms.LEVELS)
def test_a_larger_dose_is_more_noise_on_every_set(noise):
    """Three levels, in the order of their doses, and images farther from the clean ones at each."""
    doses = [NOISES[noise].dose(level) for level in terms.LEVELS[noise]]
    assert len(doses) == 3
    assert 0 < doses[0] < doses[1] < doses[2]
    for dataset in sets.SETS:
        data = load_dataset(dataset, stand_in=True)
        moved = [
            np.abs(corrupt(data, noise, level, np.random.default_rng(0)).X - data.X)
            for level in terms.LEVELS[noise]
        ]
        assert 0 < moved[0].mean() < moved[1].mean() < moved[2].mean()


def test_effects_are_paired_by_run_and_dose():
    """A difference to RNMFD is the mean over runs of those at the doses that all runs have."""
    rng = np.random.default_rng(0)
    luck = rng.uniform(0, 0.3, 6)
    gain = rng.uniform(0, 0.1, (3, 6))
    at = {0.0: 0, 0.05: 0, 0.1: 1, 0.2: 2}
    records = _records(
        {
            terms.ALL: lambda _, dose, run: 0.3 + luck[run],
            terms.NO_S: lambda _, dose, run: 0.3 + luck[run] - gain[at[dose], run],
        }
    )
    lacks = (records["method"] == terms.NO_S) & (records["level"] == 0.2) & (records["repeat"] < 3)
    table = _table(records[~lacks])
    row = table[(table["part"] == "effect") & (table["noise"] == "occlusion")].iloc[0]
    # The dose that only three runs have does not count.
    expected = -100 * gain[:2].mean(axis=0)
    assert row["mean"] == pytest.approx(expected.mean())
    assert row["count"] == 6
    assert row["low"] < row["mean"] < row["high"]
    levels = table[table["part"] == "level"]
    assert set(levels.loc[levels["method"] == terms.ALL, "dose"]) == {0.0, 0.05, 0.1, 0.2}
    assert (levels.loc[levels["method"] == "by chance", "mean"] == 10).all()


def test_share_kept_is_above_chance_and_relative_to_the_clean_mean_on_the_same_set():
    """A method that keeps two thirds everywhere is ahead of one that keeps half, if lower; and one
    that falls to chance keeps nothing."""
    clean = {"umist": 0.6, "yale": 0.3}

    def keeping(share, level):
        return lambda dataset, dose, run: (
            0.1 + level * clean[dataset] * (share if dose else 1) + 0.01 * run
        )

    accuracy = {
        terms.ALL: keeping(2 / 3, 0.5),
        terms.GNMF: keeping(1 / 2, 1.0),
        terms.NMF: lambda dataset, dose, run: 0.1 if dose else clean[dataset],
    }
    records = _records(accuracy, datasets=("umist", "yale"))
    frame = terms.frame(records)
    kept = _verdict("kept-gnmf", records)
    assert kept.verdict == "confirmed"
    assert 0 < kept.effect < 100 / 6 + 5
    lost = frame[(frame["method"] == terms.NMF) & (frame["noise"] != CLEAN)]
    np.testing.assert_allclose(lost["per cent of the clean AC above chance"], 0, atol=1e-9)
    assert _verdict("noise-gnmf", records).verdict == "refuted"


def test_growth_of_the_lead_looks_at_noises_with_all_levels():
    """A noise that was run at one level does not bend the line through the levels of others."""
    lead = {terms.ALL: lambda _, dose, run: 0.5 + 0.5 * dose, terms.NO_S: lambda *_: 0.5}
    whole = _records(lead)
    one = _records(
        {terms.ALL: lambda *_: 0.9, terms.NO_S: lambda *_: 0.1}, cells=[("gaussian", 0.1)]
    )
    for records in (whole, pd.concat([whole, one], ignore_index=True)):
        # Fifty points for one unit of the dose, over doses from 0 to 0.2.
        assert _verdict("s-lead-grows", records).effect == pytest.approx(10)


def test_a_claim_on_one_noise_ignores_the_others():
    """S may help under occlusion and harm under salt and pepper, and each verdict says its own."""
    cells = [("occlusion", 0.1), ("salt-pepper", 0.1)]
    rows = _records({terms.ALL: lambda *_: 0.5, terms.NO_S: lambda *_: 0.5}, cells)
    own = (rows["method"] == terms.ALL).to_numpy()
    change = np.where(rows["corruption"] == "occlusion", 0.1, -0.1)
    rows["clustering-accuracy"] += np.where(own, change, 0) + 0.002 * rows["repeat"] * own
    assert _verdict("occlusion-s", rows).verdict == "confirmed"
    refuted = _verdict("salt-pepper-s", rows)
    assert refuted.verdict == "refuted"
    assert "RNMFD 40.5, RNMFD without S 50, 10 by chance" in refuted.evidence
    assert "S of RNMFD holds 5 % of the entries" in refuted.evidence
    assert "10 % of its columns" in refuted.evidence
    assert _verdict("gaussian-s", rows).verdict == "not run"


def test_the_picture_shows_what_was_run():
    """Curves of sets under noise only; a number for each method and set in each condition."""
    accuracy = {
        terms.ALL: lambda *_: 0.5,
        terms.NO_S: lambda *_: 0.4,
        terms.NCUTS: lambda *_: 0.55,
    }
    clean = _records(accuracy, CELLS[:1], datasets=("orl", "yale"))
    table = _table(pd.concat([clean, _records(accuracy)]))
    figure = terms_figure.draw(table)
    curves = [axis for axis in figure.axes if axis.lines]
    assert [axis.get_title() for axis in curves] == ["occlusion"]
    matrices = [axis for axis in figure.axes if axis.images]
    assert [axis.get_title() for axis in matrices] == ["clean", "occlusion"]
    assert [len(axis.texts) for axis in matrices] == [6, 2]
    assert {text.get_text() for text in matrices[0].texts} == {"\N{MINUS SIGN}10", "+5"}
    plt.close(figure)
    only_clean = terms_figure.draw(_table(clean))
    assert not any(axis.lines for axis in only_clean.axes)
    plt.close(only_clean)
