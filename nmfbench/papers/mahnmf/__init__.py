"""Guan, Tao, Luo and Shawe-Taylor (2012), MahNMF: Manhattan Non-negative Matrix Factorization."""

from nmfbench.papers.paper import Paper

PAPER = Paper(
    authors="Guan, Tao, Luo & Shawe-Taylor",
    year=2012,
    title="MahNMF: Manhattan non-negative matrix factorization",
    url="https://arxiv.org/abs/1207.3438",
    claim="Fitted by the Manhattan distance, NMF withstands outliers: trained on occluded or noisy "
    "faces, it recognises people better than NMF by Euclidean distance or KL divergence.",
    decided_by=("fig[57]/occlusion-*", "fig[57]/laplace-*", "fig[57]/salt-pepper-ahead-*"),
    figure="fig5",
    answers={"Which NMF for faces with salt-and-pepper noise?": "paired"},
)
