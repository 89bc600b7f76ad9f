"""Figure 16: backgrounds and foregrounds of the clips Hall and Lobby."""

from nmfbench.papers.clips import Clip
from nmfbench.papers.mahnmf import videos_figure
from nmfbench.problems.separation import CLIPS

ARTEFACT = videos_figure.figure(
    "fig16",
    "Backgrounds and foregrounds of Hall and Lobby",
    own=[Clip("Hall", "video-hall"), Clip("Lobby", "video-lobby")],
    masked=[
        Clip(CLIPS["hallandmonitor"], "video-hallandmonitor"),
        Clip(CLIPS["ibmtest2"], "video-ibmtest2"),
        Clip(f"{CLIPS['ibmtest2']} with a simulated light switch", "video-ibmtest2", True),
    ],
    assumed={
        "clips": "The pictures are of the paper's clips, as far as they are to be had: 100 frames "
        "of Hall, and of Lobby 30 around a light switch, in which nobody is clearly seen. The "
        "numbers are of others, which have masks: Hall & monitor for Hall, IBM test 2 for Lobby, "
        "with and without a simulated light switch."
    },
)
