"""Figures 16 and 17 of MahNMF: what is computed, what pictures and table show."""

import numpy as np
import pandas as pd
import pytest

from nmfbench.core import registry
from nmfbench.papers.mahnmf import videos, videos_figure

FIG16, FIG17 = (registry.artefacts[f"mahnmf/fig{k}"].target for k in (16, 17))
SHAPE = 12, 10


def fit(clip, method, background, *, masked, repeat=0, **metrics):
    """A row of the frame: a clip of seven frames that get brighter, and a flat background."""
    images = np.arange(7, dtype=np.uint8)[:, None, None] * np.ones(SHAPE, np.uint8)
    images[:, 3:6, 2:5] = 250
    foreground = np.where(images == 250, 255, 50).astype(np.uint8)
    return {
        "clip": clip,
        "method": method,
        "repeat": repeat,
        **{name: metrics.get(name, np.nan) for name in videos.PRINTED},
        **{f"{name}-mean": 0.5 for name in ("auc", "age") if masked},
        "images": {
            "shown": np.arange(0, 70, 10),
            "frames": images,
            "backgrounds": np.full_like(images, background),
        }
        | ({"masks": foreground} if masked else {}),
    }


def table_of(*rows):
    frame = pd.DataFrame(rows)
    order = [method.label for method in videos.METHODS]
    return videos.table(frame.assign(method=pd.Categorical(frame["method"], order, ordered=True)))


@pytest.fixture
def table():
    return table_of(
        fit("Hall", "RPCA", 0, masked=False),
        fit("Hall", "MahNMF (RRI)", 200, masked=False),
        fit("With masks", "MahNMF (RRI)", 4, masked=True, auc=0.9, age=2.0),
        fit("With masks", "MahNMF (RRI)", 9, masked=True, repeat=1, auc=0.8, age=2.0),
        fit("With masks", "median", 9, masked=True, auc=0.7),
    )


def test_one_scale_of_grey_for_the_foregrounds_of_a_clip(table):
    """Equal distances of frame and background are equally bright; none is brighter than white."""
    hall, masked = videos_figure.strips(table)
    assert list(hall.columns) == ["", "MahNMF (RRI)", "RPCA"]
    away = {"MahNMF (RRI)": [200, 50], "RPCA": [0, 250]}  # of a pixel beside the square, and in it
    for method, distances in away.items():
        seen = hall.columns[method]["foreground"][0]
        assert seen[[0, 4], [0, 3]].tolist() == pytest.approx(
            np.divide(distances, 250 / 255), abs=1
        )
    assert hall.frames[:3] == ["frame 1", "frame 11", "frame 21"]
    assert hall.columns[""]["frame"].shape == (7, *SHAPE)
    assert (hall.columns["RPCA"]["background"] == 0).all()
    assert list(masked.columns) == ["", "MahNMF (RRI)"]
    assert (masked.columns["MahNMF (RRI)"]["background"] == 4).all()  # of the first start


def test_masks_are_outlined_but_not_on_backgrounds(table):
    """Frame and foreground have a line where the mask begins; on the background it would hide what
    is left of the foreground."""
    _, masked = videos_figure.strips(table)
    for image in (masked.columns[""]["frame"], masked.columns["MahNMF (RRI)"]["foreground"]):
        coloured = (image != image[..., :1]).any(axis=-1)
        assert coloured.sum(axis=(1, 2)).tolist() == [25 - 9] * 7
    assert masked.columns["MahNMF (RRI)"]["background"].ndim == 3


def test_the_picture_has_two_frames_of_each_of_the_papers_clips(table):
    """Frames at one and two thirds of the clips without masks."""
    figure = FIG16.picture(table)
    labels = [axis.get_ylabel() for axis in figure.axes if axis.get_ylabel()]
    assert labels == ["Hall\nframe 21", "Hall\nframe 41"]
    assert len(figure.axes) == 2 * 5


def test_the_scores_are_of_clips_with_masks(table):
    """Means and deviations over starts, and the temporal mean for comparison."""
    printed = FIG16.scores(table).set_index("method")
    assert printed["clip"].tolist() == ["With masks", "", ""]
    assert printed["AUC"].to_dict() == {
        "MahNMF (RRI)": "0.850 ± 0.071",
        "median": "0.700",
        "temporal mean": "0.500",
    }
    assert printed.loc["temporal mean", "CPU seconds"] == ""


def test_nothing_is_computed_twice_that_no_chance_changes():
    """RPCA and the median are repeated only where the light is random."""
    trials = FIG16.grid("paper")
    again = [t for t in trials if t.repeat and t.solver in ("rpca-ialm", "median")]
    assert again
    assert all(t.options["light_switch"] for t in again)
    for solver in ("godec", "mahnmf-ogm"):
        assert {t.repeat for t in trials if t.solver == solver} == set(range(5))
    assert {t.solver for t in trials if t.dataset == "video-hall"} == {
        "mahnmf-rri",
        "rpca-ialm",
        "godec",
    }


def test_a_clip_of_which_nothing_is_shown_has_no_strip():
    """Of a clip where all methods failed but the median there are numbers only."""
    table = table_of(fit("With masks", "median", 9, masked=True, auc=0.7))
    assert videos_figure.strips(table) == []
    assert len(FIG16.scores(table)) == 2


def test_the_most_frames_are_judged_and_the_fewest_shown():
    """A clip that has no more than few frames is fitted once, and both judged and shown."""
    labels = {m.solver: m.label for m in videos.METHODS[:3]}
    for profile, most in (("quick", 100), ("paper", 200)):
        rows = [t.to_dict() | t.options | t.labels for t in FIG17.grid(profile)]
        records = pd.DataFrame(rows)
        records = records.assign(arrays=records["n_frames"], method=records["solver"].map(labels))
        known = FIG17.frame(records).groupby("clip", observed=True)
        assert set(known["images"].unique().explode()) == {100}
        frames = known["n_frames"].unique().explode()
        assert frames.pop("Shopping Mall") == 100
        assert set(frames) == {most}
