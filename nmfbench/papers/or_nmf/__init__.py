"""Guan, Tao, Luo & Yuan (2012), Online NMF with robust stochastic approximation."""

from nmfbench.papers.or_nmf.sentences import SENTENCES
from nmfbench.papers.paper import Headline, Paper

PAPER = Paper(
    authors="Guan, Tao, Luo & Yuan",
    year=2012,
    title="Online nonnegative matrix factorization with robust stochastic approximation",
    url="https://doi.org/10.1109/TNNLS.2012.2197827",
    claim="OR-NMF learns from a stream at a constant cost a sample, and lowers the objective "
    "faster than the other online methods do.",
    headlines=(
        Headline(
            claim="fig2/or-omf-samples-r10",
            holds="OR-NMF lowers the objective of faces (CBCL, rank 10) faster than OMF, sample by "
            "sample: OMF has {effect} its cost.",
            fails="OR-NMF does not lower the objective of faces (CBCL, rank 10) faster than OMF, "
            "sample by sample: it has {behind} the cost of OMF.",
            no_lead="OR-NMF lowers the objective of faces (CBCL, rank 10) no faster than OMF, "
            "sample by sample: OMF has {effect} its cost.",
            question="OR-NMF lowers the objective of faces (CBCL, rank 10) faster than OMF, sample "
            "by sample",
            unit="times",
        ),
        Headline(
            claim="fig2/or-omf-seconds-r10",
            holds="In seconds OR-NMF is faster than OMF on the same faces: after as much time OMF "
            "has {effect} its cost.",
            fails="In seconds OR-NMF is not faster than OMF on the same faces: after as much time "
            "it has {behind} the cost of OMF.",
            no_lead="In seconds OR-NMF is no faster than OMF on the same faces: after as much time "
            "OMF has {effect} its cost.",
            question="OR-NMF lowers the objective of faces (CBCL, rank 10) faster than OMF in "
            "seconds",
            unit="times",
        ),
        Headline(
            claim="fig10/best-or-nmf-5",
            holds="Bases that OR-NMF learns recognise faces better than bases of the other online "
            "methods: by {effect} on Yale B.",
            fails="Bases that OR-NMF learns recognise faces worse than bases of the best other "
            "online method: they are {behind} behind on Yale B.",
            no_lead="Bases that OR-NMF learns recognise faces no better than bases of the best "
            "other online method: they have {effect} more on Yale B.",
            question="bases that OR-NMF learns recognise faces of Yale B better than bases of the "
            "other online methods",
        ),
    ),
    figure="fig2",
    answers={"Which online NMF can follow a stream that changes?": "drift"},
    sentences=SENTENCES,
)
