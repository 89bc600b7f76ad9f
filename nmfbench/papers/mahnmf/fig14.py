"""Figure 14: ten images in five segments."""

from nmfbench.papers.mahnmf import ten_images

ARTEFACT = ten_images.figure(14, 5)
