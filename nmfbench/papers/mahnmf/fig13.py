"""Figure 13: ten images in four segments."""

from nmfbench.papers.mahnmf import ten_images

ARTEFACT = ten_images.figure(13, 4)
