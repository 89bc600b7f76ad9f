"""The frame and the table of robust-xray/separation, from made-up records."""

import numpy as np
import pandas as pd
import pytest
from outcomes.separation import counts

from nmfbench.papers.robust_xray.studies import separation as study

NAMES = [clip.dataset for clip in study.STEADY[:4]]


def record(dataset, method, area, *, rank=np.nan, repeat=0, n_frames=200, rng=None, **more):
    """A record of a clip without a light switch."""
    rng = rng or np.random.default_rng(0)
    return {
        "dataset": dataset,
        "clip": next(clip.label for clip in study.STEADY if clip.dataset == dataset),
        "limit": 0.2,
        "method": method,
        "n_components": rank,
        "repeat": repeat,
        "n_frames": n_frames,
        "cpu_seconds": 1.0,
        "objective": 1.0,
        "pauc@0.2": area,
        "f-rule": area,
        "f-rule-mean": 0.4,
        "arrays": counts(area, rng),
        **more,
    }


def table_of(*records):
    """The table of records."""
    return study.summarise(study.frame(pd.DataFrame(records)))


def test_the_most_frames_count():
    """Fits of fewer frames of a clip are left out, on this clip only."""
    some = [record(NAMES[0], study.MEDIAN, 0.9, n_frames=n) for n in (100, 200)]
    frame = study.frame(pd.DataFrame([*some, record(NAMES[1], study.MEDIAN, 0.9, n_frames=100)]))
    assert frame["n_frames"].tolist() == [200, 100]


def test_ranks_are_methods_and_seeds_are_averaged():
    """A row a clip, method and rank; the interval of the mean of seeds encloses it."""
    rng = np.random.default_rng(1)
    made = [record(NAMES[0], study.RRI, 0.6 + 0.2 * k, rank=2, repeat=k, rng=rng) for k in (0, 1)]
    table = table_of(*made, record(NAMES[0], study.RRI, 0.9, rank=1))
    rows = table[table["part"] == "clip"].set_index("method")
    assert rows.index.tolist() == ["MahNMF (RRI), r = 2", "MahNMF (RRI), r = 1", study.MEAN]
    two = rows.loc["MahNMF (RRI), r = 2"]
    assert two["pauc@0.2"] == pytest.approx(0.7)
    assert two["low"] < 0.7 < two["high"]
    assert two["count"] == 2
    assert rows.loc[study.MEAN, "f-rule"] == pytest.approx(0.4)


def test_intervals_of_areas_are_those_of_the_mean_of_their_frames():
    """Of frames that are as good as they are by chance, 95 % cover the area of all such frames."""
    covered, runs = 0, 60
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        frames = [counts(area, rng) for area in rng.normal(0.7, 0.1, 5).clip(0.4, 1)]
        arrays = frames[0] | {
            name: np.concatenate([frame[name][::4] for frame in frames])
            for name in ("alarms", "hits")
        }
        row = table_of(record(NAMES[0], study.MEDIAN, 0.7, arrays=arrays)).iloc[0]
        covered += row["low"] <= 0.7 <= row["high"]
    assert 0.85 * runs <= covered


def test_filtered_scores_are_rows_of_their_own():
    """The variant is listed, and enters neither marks nor ranks."""
    table = table_of(
        record(NAMES[0], study.MEDIAN, 0.9), record(NAMES[0], study.MEDIAN, 0.2, post="median3")
    )
    clips = table[(table["part"] == "clip") & (table["method"] == study.MEDIAN)]
    assert dict(zip(clips["filtered"], clips["pauc@0.2"], strict=True)) == {False: 0.9, True: 0.2}
    marks = table[(table["part"] == "method") & (table["method"] == study.MEDIAN)]
    assert marks["f-rule"].tolist() == [0.9]


def test_mean_ranks_are_over_blocks_of_several_clips():
    """Five blocks a clip make the tasks; of two clips alone there is no diagram."""
    rng = np.random.default_rng(2)

    areas = {study.MEDIAN: 0.9, study.RPCA: 0.7, study.RRI: 0.5}

    def made(names):
        return [record(n, m, area, rng=rng) for n in names for m, area in areas.items()]

    ranks = table_of(*made(NAMES))
    ranks = ranks[ranks["part"] == "rank"]
    assert ranks["method"].str.split(",").str[0].tolist() == list(areas)
    assert ranks["mean_rank"].tolist() == [1.0, 2.0, 3.0]
    assert ranks["n_tasks"].tolist() == [20, 20, 20]
    assert "rank" not in set(table_of(*made(NAMES[:2]))["part"])


def test_blocks_without_foreground_are_no_tasks():
    """A block of frames that show only background has no curve; the others have the usual one."""
    arrays = counts(0.8, np.random.default_rng(3))
    arrays["hits"][4:8] = 0
    blocks = study._blocks(arrays)
    assert np.isnan(blocks).tolist() == [False, True, False, False, False]
    assert blocks[0] == pytest.approx(0.8, abs=0.02)
