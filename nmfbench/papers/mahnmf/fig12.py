"""Figure 12: ten images in three segments."""

from nmfbench.papers.mahnmf import segments

ARTEFACT = segments.figure(12, 3, [segments.OBJECTS])
