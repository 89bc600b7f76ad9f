"""Figure 13: ten images in four segments."""

from nmfbench.papers.mahnmf import segments

ARTEFACT = segments.figure(13, 4)
