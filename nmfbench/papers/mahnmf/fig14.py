"""Figure 14: ten images in five segments."""

from nmfbench.papers.mahnmf import segments

ARTEFACT = segments.figure(14, 5)
