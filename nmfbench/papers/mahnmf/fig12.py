"""Figure 12: ten images in three segments."""

from nmfbench.papers.mahnmf import ten_images, ten_images_claims

ARTEFACT = ten_images.figure(12, 3, [ten_images_claims.OBJECTS])
