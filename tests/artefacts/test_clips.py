"""Curves, choices and comparisons of artefacts on clips."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from verdicts import verdict_of

from nmfbench.artefacts.grids import cross, labels_of
from nmfbench.metrics.detection import counts_by_group
from nmfbench.papers.clips import Clip, longest, on_clips
from nmfbench.papers.roc_areas import ahead, alike, as_good
from nmfbench.papers.roc_curves import BEST, FALSE_ALARMS, HONEST, batches, chosen, pooled
from nmfbench.trials.trial import Trial

CLIPS = (Clip("Hall", "video-hallandmonitor"), Clip("Lobby", "video-ibmtest2", True, limit=0.15))
FRAMES, PIXELS = 10, 300


def arrays_of(strengths, seed=0):
    """Counts of frames in which what is to be found scores higher by a strength, frame by frame."""
    rng = np.random.default_rng(seed)
    truth = rng.random((FRAMES, PIXELS)) < 0.2
    scores = rng.random((FRAMES, PIXELS)) + truth * np.asarray(strengths)[:, None]
    groups = np.repeat(np.arange(FRAMES), PIXELS)
    thresholds = np.unique(scores)[::-1]
    alarms, hits = counts_by_group(truth.ravel(), scores.ravel(), groups, thresholds)
    return {"alarms": alarms, "hits": hits}, truth.ravel(), scores.ravel()


def record(method, strengths, *, rank=2, repeat=0, objective=1.0, clip=CLIPS[0], **more):
    """A record with arrays, and the areas of halves that choices look at."""
    arrays, *_ = arrays_of(strengths)
    halves = {"odd": np.mean(strengths[::2]), "even": np.mean(strengths[1::2])}
    areas = {"pauc": np.mean(strengths)} | {f"pauc-{half}": s for half, s in halves.items()}
    metrics = {f"{name}@{limit}": s for name, s in areas.items() for limit in (0.2, 0.15)}
    (place,) = on_clips([clip])
    return {
        "method": method,
        "repeat": repeat,
        "objective": objective,
        "n_components": rank,
        "arrays": arrays,
        **place["labels"],
        **metrics,
        **more,
    }


def rank_of(row):
    """The rank in words."""
    return f"r = {row['n_components']}"


def frame_of(*records):
    """A frame of records on the clips."""
    return pd.DataFrame(records)


def test_trials_on_a_clip_have_its_label():
    """An axis of clips plans their data, with the light switch, and gives label and limit."""
    trials = cross(Trial("separation", "", "median"), 1, on_clips(CLIPS))
    assert [(trial.dataset, trial.options) for trial in trials] == [
        ("video-hallandmonitor", {}),
        ("video-ibmtest2", {"light_switch": True}),
    ]
    assert labels_of(trials).values.tolist() == [["Hall", 0.2], ["Lobby", 0.15]]


def test_fits_of_the_most_frames_count():
    """Clips with fewer frames than requested keep all of them."""
    sizes = {0: 100, 1: 200}
    rows = [record("A", [0.1] * FRAMES, repeat=k, n_frames=n) for k, n in sizes.items()]
    other = record("A", [0.1] * FRAMES, clip=CLIPS[1], n_frames=100)
    assert longest(frame_of(*rows, other))["n_frames"].tolist() == [200, 100]


def test_pooled_curves_are_those_of_all_pixels():
    """With all thresholds, rates and areas are scikit-learn's."""
    strengths = np.linspace(0, 0.9, FRAMES)
    found = pooled(frame_of(record("A", strengths))).iloc[0]
    _, truth, scores = arrays_of(strengths)
    # scikit-learn's partial area is McClish's: put it back on the scale of a mean rate.
    standard = roc_auc_score(truth, scores, max_fpr=0.2)
    low, high = 0.5 * 0.2**2, 0.2
    assert found["pauc"] == pytest.approx((low + (2 * standard - 1) * (high - low)) / 0.2, rel=1e-9)
    threshold = np.quantile(scores[~truth], 0.9)
    assert np.interp(0.1, FALSE_ALARMS, found["rates"]) == pytest.approx(
        np.mean(scores[truth] >= threshold), abs=0.01
    )
    assert len(found["areas"]) == len(batches(FRAMES))
    assert found["frames"] == FRAMES


def test_the_honest_choice_is_seen_on_the_other_half():
    """A rank that is good on odd frames only is chosen there and judged on the even ones."""
    odd_only, fair = np.tile([0.9, 0.0], FRAMES // 2), np.full(FRAMES, 0.3)
    frame = chosen(frame_of(record("A", odd_only, rank=1), record("A", fair, rank=2)), rank_of)
    rows = frame.set_index("protocol")
    assert rows["setting"].to_dict() == {HONEST: "r = 1 / r = 2", BEST: "r = 1"}
    alone = pooled(frame_of(record("A", odd_only)))["pauc"].item()
    assert rows.loc[BEST, "pauc"] == pytest.approx(alone)
    # Rank 1 is seen on even frames, where it finds nothing, and rank 2 on odd ones.
    assert 0.1 < rows.loc[HONEST, "pauc"] < rows.loc[BEST, "pauc"]
    assert rows["frames"].tolist() == [FRAMES, FRAMES]


def test_the_start_with_the_lowest_objective_counts():
    """A better curve of a start with a higher objective is not taken."""
    good, poor = np.full(FRAMES, 0.8), np.full(FRAMES, 0.1)
    starts = [record("A", good, objective=2.0, start=0), record("A", poor, objective=1.0, start=1)]
    frame = chosen(frame_of(*starts), rank_of)
    assert frame["start"].tolist() == [1, 1]


def test_repeats_without_the_choice_are_left_out():
    """Choices are means over repeats; one that lacks the chosen rank has no curve."""
    good, poor = np.full(FRAMES, 0.8), np.full(FRAMES, 0.1)
    frame = chosen(
        frame_of(
            record("A", good, rank=1),
            record("A", poor, rank=2),
            record("A", poor, rank=2, repeat=1),
        ),
        rank_of,
    )
    assert frame["repeat"].tolist() == [0, 0]


@pytest.mark.parametrize("made", [pooled, lambda frame: chosen(frame, rank_of)])
def test_verdicts_follow_the_areas(made):
    """A clear lead is confirmed and its reverse refuted, and equal curves are alike."""
    good, poor = np.full(FRAMES, 0.5), np.full(FRAMES, 0.1)
    frame = made(frame_of(record("A", good), record("B", poor), record("C", good)))
    there = {"clip": "Hall"}
    assert verdict_of(ahead("A", "B", at=there), frame).verdict == "confirmed"
    assert verdict_of(ahead("B", "A", at=there), frame).verdict == "refuted"
    assert verdict_of(ahead("A", "C", at=there), frame).verdict == "no lead"
    same = verdict_of(alike("A", "C", at=there), frame)
    assert (same.verdict, same.effect, same.n) == ("confirmed", 0, FRAMES)
    assert verdict_of(alike("A", "B", at=there), frame).verdict == "refuted"
    verdicts = {
        pair: verdict_of(as_good(*pair, at=there), frame).verdict for pair in ("AC", "AB", "BA")
    }
    assert verdicts == {"AC": "confirmed", "AB": "confirmed", "BA": "refuted"}
    assert verdict_of(ahead("A", "D", at=there), frame).verdict == "not run"
    assert verdict_of(ahead("A", "B", at={"clip": "Lobby"}), frame).verdict == "not run"


def test_nothing_scored_gives_no_rows():
    """Clips without masks have records, and no curves."""
    bare = record("A", np.full(FRAMES, 0.5))
    bare = {name: value for name, value in bare.items() if not name.startswith("pauc")}
    frame = frame_of(bare)
    assert pooled(frame).empty
    assert chosen(frame, rank_of).empty
    assert verdict_of(ahead("A", "B"), chosen(frame, rank_of)).verdict == "not run"


def test_one_scored_frame_has_no_honest_choice():
    """Without halves the paper's protocol is the only one."""
    lone = record("A", np.full(FRAMES, 0.5))
    lone = {name: value for name, value in lone.items() if "odd" not in name and "even" not in name}
    assert chosen(frame_of(lone), rank_of)["protocol"].tolist() == [BEST]
