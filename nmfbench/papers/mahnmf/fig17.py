"""Figure 17: backgrounds and foregrounds of the clips Bootstrap and Shopping Mall."""

from nmfbench.papers.clips import Clip
from nmfbench.papers.mahnmf import videos_figure
from nmfbench.problems.separation import CLIPS

ARTEFACT = videos_figure.figure(
    "fig17",
    "Backgrounds and foregrounds of Bootstrap and Shopping Mall",
    own=[
        Clip("Escalator", "video-escalator"),
        Clip("Shopping Mall", "video-shoppingmall"),
    ],
    masked=[
        Clip(CLIPS["humanbody2"], "video-humanbody2"),
        Clip(CLIPS["caviar1"], "video-caviar1"),
    ],
    assumed={
        "clips": "Bootstrap is not to be had; the pictures are of Escalator, from the same "
        "source, and of 50 frames of Shopping Mall. The numbers are of others, which have masks: "
        "Human body 2 for Bootstrap, Caviar 1 for Shopping Mall."
    },
)
