"""Guan, Tao, Luo and Shawe-Taylor (2012), MahNMF: Manhattan Non-negative Matrix Factorization."""

from nmfbench.papers.mahnmf.sentences import SENTENCES
from nmfbench.papers.paper import Headline, Paper

PAPER = Paper(
    authors="Guan, Tao, Luo & Shawe-Taylor",
    year=2012,
    title="MahNMF: Manhattan non-negative matrix factorization",
    url="https://arxiv.org/abs/1207.3438",
    claim="Fitted by the Manhattan distance, NMF withstands outliers: trained on occluded or noisy "
    "faces, it recognises people better than NMF by Euclidean distance or KL divergence.",
    headlines=(
        Headline(
            claim="fig5/salt-pepper-ahead-5",
            holds="Trained on faces with salt-and-pepper noise, MahNMF recognises people better "
            "than Euclidean and KL NMF do: by {effect} on Yale B.",
            fails="Trained on faces with salt-and-pepper noise, MahNMF recognises people worse "
            "than the better of Euclidean and KL NMF does: it is {behind} behind on Yale B.",
            no_lead="Trained on faces with salt-and-pepper noise, MahNMF recognises people no "
            "better than the better of Euclidean and KL NMF does: it has {effect} more on Yale B.",
            question="MahNMF recognises people of Yale B better than Euclidean and KL NMF do when "
            "it is trained on faces with salt-and-pepper noise",
        ),
        Headline(
            claim="fig5/laplace-ahead-5",
            holds="Under Laplace noise MahNMF recognises people better than Euclidean and KL NMF "
            "do: by {effect} on Yale B.",
            fails="Under Laplace noise MahNMF recognises people worse than the better of Euclidean "
            "and KL NMF does: it is {behind} behind on Yale B.",
            no_lead="Under Laplace noise MahNMF recognises people no better than the better of "
            "Euclidean and KL NMF does: it has {effect} more on Yale B.",
            question="MahNMF recognises people of Yale B better than Euclidean and KL NMF do under "
            "Laplace noise",
        ),
    ),
    figure="fig5",
    answers={"Which NMF for faces with salt-and-pepper noise?": "paired"},
    sentences=SENTENCES,
)
