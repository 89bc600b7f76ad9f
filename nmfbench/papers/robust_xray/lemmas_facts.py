"""Facts that the lemmas and remarks of Kumar & Sindhwani state of every instance, with bounds."""

from __future__ import annotations

from functools import partial

from nmfbench.papers.facts import Fact

ROBUST, L2, MEDIAN = "RobustXRAY", "XRAY-l2", "median"
KL, KL_RAND = "XRAY-KL", "XRAY-KL (rand)"
IS, IS_RAND = "XRAY-IS", "XRAY-IS (rand)"
NEW = (ROBUST, IS, KL)  # the paper's methods

ZEROS = "largest-share-of-zeros"
_MUCH_LESS = 0.1  # of all entries

_of_robust = partial(Fact, methods=[ROBUST])
_of_median = partial(
    Fact, methods=[MEDIAN], at={"task": "median-background"}, high=1e-9, whose="ours"
)
_of_new = partial(Fact, source="Abstract, Section 1", methods=NEW, at={"task": "nested-anchors"})

FEW_ZEROS = tuple(
    _of_robust(
        key=f"few-zeros-{slug}",
        statement=f"{where} the residual of the exterior point of largest residual has zeros in "
        "less than a tenth of its entries, at every selection but the first, which takes no "
        "subgradient.",
        source="Section 3, Remark 1",
        metric=ZEROS,
        short=f"Remark 1: largest share of zeros in a chosen residual, {words}",
        at={"task": "residual-zeros", **at},
        high=_MUCH_LESS,
        whose="ours",
    )
    for slug, where, words, at in (
        ("noise", "On the data of Figure 3", "data of Figure 3", {"dataset": "near-separable"}),
        ("texts", "On texts of Reuters and BBC", "texts", {"view": "texts"}),
        ("clips", "On three clips", "clips", {"view": "pixels"}),
    )
)

FACTS = (
    _of_robust(
        key="subgradient-exists",
        statement="For every point outside the cone of the anchors so far there is a subgradient "
        "whose product with no anchor is positive, while that with the point is.",
        source="Section 3, Lemmas 3.1 and 3.2",
        metric="without-subgradient",
        short="Lemmas 3.1, 3.2: exterior points without such a subgradient",
        at={"task": "cone-subgradients"},
        high=0,
    ),
    _of_robust(
        key="admm-reaches-the-optimum",
        statement="The objective of Eq. (3.4) after ADMM, stopped at the tolerance 1e-8, is within "
        "1e-6 of the optimum of a linear program.",
        source="Section 3, Projection step",
        metric="excess-8",
        short="ADMM: objective above the optimum, as a share of it, at the tolerance 1e-8",
        at={"task": "admm-projection"},
        high=1e-6,
        whose="ours",
    ),
    _of_robust(
        key="two-tied",
        statement="If the maximum of Eq. (3.3) occurs at exactly two points, both are anchors that "
        "were not selected before.",
        source="Section 3, Remark 2",
        metric="wrong-ties",
        short="Remark 2: ties of two points that are not both new anchors",
        at={"task": "tied-anchors", "on_edges": False},
        high=0,
    ),
    _of_robust(
        key="more-tied",
        statement="If the maximum of Eq. (3.3) occurs at more than two points, Algorithm 1 called "
        "on these alone returns the new anchors among them and no others.",
        source="Section 3, Remark 2",
        metric="wrong-ties",
        short="Remark 2: ties of more points that a recursive call resolves wrongly",
        at={"task": "tied-anchors", "on_edges": True},
        high=0,
    ),
    *FEW_ZEROS,
    _of_robust(
        key="minus-one-keeps-lemma-3-1",
        statement="With u = −1 the subgradient has no positive product with an anchor selected "
        "before: above 1e-6 for an anchor of unit sum never.",
        source="Section 3, Remark 1",
        metric="largest-product",
        short="Remark 1: largest product of a D with u = −1 and an anchor of unit sum",
        at={"task": "residual-zeros"},
        high=1e-6,
        whose="ours",
    ),
    Fact(
        key="square-gives-xray",
        statement="With φ(x) = x² the criterion of Eq. (4.5) selects the anchors of XRAY-l2, in "
        "the same order.",
        source="Section 4",
        methods=[L2],
        metric="same-anchors",
        short="φ(x) = x²: share of selections that XRAY-l2 makes, too",
        at={"task": "square-divergence"},
        low=1,
    ),
    *(
        Fact(
            key=f"swapped-{slug}",
            statement=f"Without noise the criterion for swapped arguments of the {words} "
            "divergence finds all anchors, whichever exterior point is taken.",
            source="Section 4, last paragraph",
            methods=labels,
            metric="anchor-recovery",
            short=f"swapped {words} divergence: share of the anchors found",
            at={"task": "swapped-divergence"},
            low=1,
        )
        for slug, words, labels in (
            ("kl", "Kullback-Leibler", [KL, KL_RAND]),
            ("is", "Itakura-Saito", [IS, IS_RAND]),
        )
    ),
    _of_median(
        key="median-is-best",
        statement="Where all weights of a background of rank 1 are equal, the pixel-wise median "
        "has the least l1 distance from the frames.",
        source="Section 5.3",
        metric="excess",
        short="equal weights: l1 distance of the median above the least one, as a share",
    ),
    _of_median(
        key="best-is-the-median",
        statement="With the weights of rank 1 fixed to a constant c, the solution times c is the "
        "pixel-wise median of an odd number of frames.",
        source="Section 5.3",
        metric="distance",
        short="equal weights: largest difference of the solution and the median (grey levels)",
    ),
    _of_new(
        key="at-most-r-selections",
        statement="RobustXRAY, XRAY-IS and XRAY-KL make at most r selections. (True by "
        "construction: each adds an anchor or more, and a fit ends at r.)",
        metric="selections-per-anchor",
        short="selections of a fit over its rank",
        high=1,
    ),
    _of_new(
        key="lower-ranks-contained",
        statement="A fit of RobustXRAY, XRAY-IS or XRAY-KL contains the fits of all lower ranks, "
        "so that one fit serves the selection of a rank. (True by construction: anchors are added "
        "one after the other and never taken back.)",
        metric="lower-ranks-contained",
        short="share of lower ranks whose anchors are the first ones of the fit",
        low=1,
    ),
)
