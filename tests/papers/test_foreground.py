"""Choices behind Figures 1 and 7 of Kumar & Sindhwani."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from verdicts import verdict_of

from nmfbench.papers.robust_xray import fig1, fig7
from nmfbench.papers.robust_xray.foreground import (
    HALL,
    HIGHER,
    HIGHER_ALONE,
    LOCAL,
    LOCAL_ALONE,
    LOW_RANK,
    MEDIAN,
    RANDOM_ALONE,
    RANDOM_STARTS,
    ROBUST,
    RPCA,
    SVD_START,
    best_of_each,
    curves,
    in_words,
)
from nmfbench.papers.roc_areas import ahead
from nmfbench.papers.roc_curves import BEST, HONEST


def record(method, area, *, rank=2, objective=1.0, params=None, n_frames=200, **more):
    """A record on the corridor, with curves of ten frames that are alike."""
    alarms = np.arange(11)
    hits = np.rint(100 * (alarms / 10) ** (1 - area)).astype(int)
    parts = "pauc", "pauc-odd", "pauc-even"
    return {
        "dataset": "video-hallandmonitor",
        "clip": HALL,
        "limit": 0.2,
        "method": method,
        "repeat": 0,
        "start": 0,
        "params": params or {},
        "n_components": rank,
        "n_frames": n_frames,
        "objective": objective,
        "arrays": {"alarms": np.tile(alarms, (10, 1)), "hits": np.tile(hits, (10, 1))},
        **{f"{part}@{limit}": area for part in parts for limit in (0.2, 0.15)},
        **more,
    }


def test_the_low_rank_is_that_of_the_lowest_objective():
    """Of SVD and random starts the lower l1 objective counts, not the better curve."""
    frame = best_of_each(
        pd.DataFrame(
            [
                record(SVD_START, 0.9, objective=2.0),
                record(RANDOM_STARTS, 0.8, objective=1.0),
                record(RANDOM_STARTS, 0.95, start=1, objective=3.0),
            ]
        )
    )
    assert set(frame["protocol"]) == {HONEST, BEST}
    assert frame.groupby("method")["pauc@0.2"].unique().map(list).to_dict() == {
        LOW_RANK: [0.8],
        RANDOM_STARTS: [0.8],
        SVD_START: [0.9],
        RANDOM_ALONE: [0.8, 0.95],
    }


def test_single_starts_are_averaged():
    """Of each rank every start counts, and the rank is the one that is best in the mean."""
    areas = {1: (0.9, 0.5), 2: (0.6, 0.85)}
    records = [
        record(LOCAL, area, rank=rank, start=start, objective=1.0 + start)
        for rank, both in areas.items()
        for start, area in enumerate(both)
    ]
    frame = best_of_each(pd.DataFrame(records))
    chosen = frame[frame["protocol"] == BEST].groupby("method")
    assert chosen["setting"].unique().to_dict() == {
        LOCAL: ["r = 1"],
        LOCAL_ALONE: ["r = 2"],
        HIGHER: ["r = 2"],
        HIGHER_ALONE: ["r = 2"],
    }
    assert chosen["pauc@0.2"].mean()[[LOCAL, LOCAL_ALONE]].tolist() == pytest.approx([0.9, 0.725])


@pytest.mark.parametrize(
    ("alone", "verdict"), [(0.5, "confirmed"), (0.95, "inconclusive")], ids=["alike", "open"]
)
def test_a_lead_over_local_searches_is_one_with_each_start(alone, verdict):
    """A rival whose single starts are better than that of the lowest objective leaves it open."""
    records = [
        record(method, area, start=start, objective=1.0 + start)
        for method, areas in {RPCA: [0.8], LOCAL: [0.6, alone, alone]}.items()
        for start, area in enumerate(areas)
    ]
    test = fig7._at_each_start(partial(ahead, at={"clip": HALL}), RPCA, LOCAL)
    found = verdict_of(test, best_of_each(pd.DataFrame(records)), lambda _: 0.02)
    assert found.verdict == verdict, found.evidence


def test_ranks_above_one_are_a_choice_of_their_own():
    """Where rank 1 is the best, that above 1 is the best of the others."""
    ranks = {1: 0.9, 2: 0.7, 3: 0.8}
    frame = best_of_each(pd.DataFrame([record(LOCAL, a, rank=r) for r, a in ranks.items()]))
    found = frame.groupby("method")["setting"].unique().to_dict()
    assert {name: found[name] for name in (LOCAL, HIGHER)} == {LOCAL: ["r = 1"], HIGHER: ["r = 3"]}


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (record(RPCA, 0.5, params={"lam": 0.25 / 21120**0.5}), "λ = 0.25/√p"),
        (record(ROBUST, 0.5, params={"refits": 1}), "r = 2, 1 refit"),
        (record(ROBUST, 0.5, params={"refits": 2}, rank=10.0), "r = 10, 2 refits"),
        (record(MEDIAN, 0.5, rank=np.nan), "r = 1"),
    ],
)
def test_parameters_in_words(made, words):
    """They are the candidates of the choice."""
    assert in_words(made) == words


def test_chosen_parameters_are_listed_by_protocol():
    """A line a method, with area and parameters by both protocols."""
    records = pd.DataFrame([record(MEDIAN, 0.5), record(LOCAL, 0.9)])
    listed = fig7.chosen_parameters(curves(best_of_each(records)))
    assert listed["method"].tolist() == [LOCAL, MEDIAN, HIGHER, LOCAL_ALONE, HIGHER_ALONE]
    assert listed[HONEST].str.contains(r"^0\.\d{3} \(r = [12]\)$").all()


def images_record(method, area, size, **more):
    """A record with images, the second of which has most above its threshold."""
    frames = np.zeros((3, 4, 5), dtype=np.uint8)
    scores = frames.copy()
    scores[0, 0, 0] = 255
    scores[1, :2] = size
    arrays = {"frames": frames, "backgrounds": frames, "scores": scores, "shown": np.arange(3)}
    errors = {"age": 1.0, "age-fg": 2.0, "age-fg-mean": 8.0, "threshold-rule": 0.1}
    return record(method, area, **more) | errors | {"arrays": arrays}


def test_figure_1_shows_the_choice_in_the_busiest_frame():
    """Odd frames choose the parameters, and the median the frame."""
    one, two = {"refits": 1}, {"refits": 2}
    records = pd.DataFrame(
        [
            images_record(MEDIAN, 0.99, 50, rank=np.nan),
            images_record(ROBUST, 0.7, 10, params=one),
            images_record(ROBUST, 0.9, 10, params=two) | {"pauc-odd@0.2": 0.6},
        ]
    )
    frame = fig1.with_the_choice(records)
    assert frame.groupby("method")["setting"].unique().to_dict() == {
        MEDIAN: ["r = 1"],
        ROBUST: ["r = 2, 1 refit"],
        fig1.MEAN: ["r = 2, 1 refit"],
    }
    table = fig1.images(frame)
    assert table["number"].tolist() == [2, 2]
    assert np.shape(table["foreground"].to_list()) == (2, 4, 5)
    assert table["mask"].isna().all()


def test_references_of_figure_1_have_the_seeds_of_the_fits():
    """The temporal mean comes with each fit, and the median, fitted once, is there for each."""
    errors = {"age-mean": 4.0, "age-fg-mean": 20.0}
    rows = [
        record(ROBUST, 0.9, age=3.0, **{"age-fg": 15.0 + k}, **errors) | {"repeat": k}
        for k in range(3)
    ]
    rows.append(record(MEDIAN, 0.9, rank=None, age=2.0, **{"age-fg": 12.0}, **errors))
    found = fig1.with_the_choice(pd.DataFrame(rows)).set_index(["method", "repeat"])
    assert found.loc[ROBUST, "age-fg"].tolist() == [15, 16, 17]
    assert found.loc[MEDIAN, "age-fg"].tolist() == [12, 12, 12]
    assert found.loc[fig1.MEAN, "age-fg"].tolist() == [20, 20, 20]
    assert found.loc[fig1.MEAN, "age"].tolist() == [4, 4, 4]
