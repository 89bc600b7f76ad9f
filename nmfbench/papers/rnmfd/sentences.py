"""Testable sentences of Guo, Ding & Zhou (2014), in reading order."""

from nmfbench.artefacts.sentence import Sentence


def _in_tables(*claims: str) -> tuple[str, ...]:
    """The claims of accuracy and of mutual information, at the parameters of the paper."""
    return tuple(f"{table}/{claim}-best" for table in ("table3", "table4") for claim in claims)


_FIVE_SETS = ("orl", "yale", "umist", "mnist", "semeion")

SENTENCES = (
    Sentence(
        key="superior",
        text="“The results demonstrate the superiority of our RNMFD in comparison with several "
        "state-of-the-art methods.”",
        place="Abstract, Sections 1 and 5",
        tests=_in_tables("average"),
    ),
    Sentence(
        key="noise-dominates",
        text="“Squared loss is sensitive to noises and outliers …, such that a few noisy entries "
        "may dominate the factorization because of their large reconstruction error.”",
        place="Sections 1 and 3.1",
        asks="in some cases",
        tests=tuple(
            f"reconstruction/dominated-{kind}-{percent}"
            for kind in ("salt-pepper", "occlusion")
            for percent in (2, 10)
        ),
    ),
    Sentence(
        key="large-weight-makes-samples-alike",
        text="“When the weight of graph regularization is large, the learned representations of "
        "all entries tend to be quite similar”; the graph “may lead to trivial solution”.",
        place="Sections 1 and 4.2",
        tests=(
            "table1/graph-makes-samples-alike",
            "table1/graph-makes-samples-more-alike-gnmf",
            "table1/graph-makes-samples-more-alike-dnmf",
        ),
    ),
    Sentence(
        key="robust-to-noise",
        text="RNMFD is “robust to data noise”: “With S, our method shows robustness to noise in "
        "image data.”",
        place="Sections 1, 3.1 and 5",
        tests=(
            "ingredients/gross-kept-without-s",
            "ingredients/gross-kept-gnmf",
            "ingredients/gross-kept-nmf",
        ),
    ),
    Sentence(
        key="ticks-of-table-1",
        text="LNMF is robust and avoids the trivial solution, and has neither locality nor "
        "discriminability; NSDR learns features, has locality and discriminability, avoids the "
        "trivial solution and is not robust.",
        place="Table 1",
        tests=tuple(
            f"ticks/{name}"
            for name in (
                "lnmf-robust",
                "nsdr-not-robust",
                "nsdr-locality",
                "lnmf-no-locality",
                "nsdr-discriminability",
                "lnmf-no-discriminability",
                "nontrivial",
            )
        ),
    ),
    Sentence(
        key="columns-become-proportional",
        text="“If α is too large, the graph regularization will dominate”: under GNMF all "
        "columns of V become proportional, “which is obviously meaningless for image "
        "representation”.",
        place="Section 2.1",
        tests=("table1/graph-makes-columns-alike-gnmf",),
    ),
    Sentence(
        key="scale-transfer",
        text="Under GNMF (ρU, V/ρ) “leads to smaller objective function value. Thus the final "
        "solution should be U → ∞ and V → 0.”",
        place="Section 2.1",
        tests=("table1/gnmf-representation-shrinks", "table1/gnmf-components-grow"),
    ),
    Sentence(
        key="cleaner-reconstruction",
        text="With a sparse error matrix “the low-rank reconstruction can be cleaner which can "
        "better capture the intrinsic information of data”.",
        place="Section 3.1",
        tests=("reconstruction/cleaner-salt-pepper", "reconstruction/cleaner-occlusion"),
    ),
    Sentence(
        key="representation-near-the-indicator",
        text="“By incorporating the approximate orthogonal constraints into the objective "
        "function, V … can characterize the discriminative structure of data”: it should be close "
        "to the scaled indicator matrix of the groups.",
        place="Section 3.1",
        tests=("structure/near-the-indicator",),
    ),
    Sentence(
        key="beta-makes-orthogonal",
        text="“A properly large β can make ‖VᵀV − I‖² ≤ ε … satisfied for any ε.”",
        place="Section 3.1",
        asks="in all cases",
        tests=("fig2/beta-makes-orthogonal",),
    ),
    Sentence(
        key="avoids-the-trivial-solution",
        text="“The approximate orthogonal constraints can also address the trivial solution and "
        "scale transfer problems”: “each column should be as different as possible to each other. "
        "Hence solution is obviously nontrivial.”",
        place="Sections 1, 3.1 and 5",
        tests=(
            "table1/rnmfd-avoids-it-default",
            "table1/rnmfd-avoids-it-large",
            "table1/rnmfd-less-alike",
            "ingredients/clean-nontrivial",
        ),
    ),
    Sentence(
        key="no-scale-transfer",
        text="With β large enough V/ρ “may lead to larger objective function value …. "
        "Consequently, the scale transfer problem can be addressed at the same time, too.”",
        place="Sections 1, 3.1 and 5",
        tests=("table1/rnmfd-representation-stays", "table1/rnmfd-components-stay"),
    ),
    Sentence(
        key="huber",
        text="The solution of Eq. (18) is Eq. (19), and so “RNMFD can self-adaptively apply l2 "
        "loss to small-error entries … and l1 loss to large-error entries”.",
        place="Section 3.2, Eqs. (19) and (20)",
        tests=("lemmas/sparse-part", "lemmas/huber"),
    ),
    Sentence(
        key="local-minimum",
        text="“By applying Eq. (12), Eq. (17) and Eq. (19) iteratively, the objective function "
        "can converge to a local minima.”",
        place="Section 3.2",
        tests=("lemmas/converges",),
    ),
    Sentence(
        key="theorem-1",
        text="“The function value in Eq. (11) is nonincreasing under the updating rules in Eq. "
        "(12), Eq. (17) and Eq. (19).”",
        place="Section 3.3, Theorem 1",
        tests=("theorem1/theorem-1",),
    ),
    Sentence(
        key="lemma-2",
        text="The function G of Eq. (22) “is an auxiliary function” for the part of the objective "
        "that depends on one entry of V: it is nowhere below it.",
        place="Section 3.3, Lemma 2",
        tests=("lemmas/lemma-2",),
    ),
    Sentence(
        key="linear-cost",
        text="The cost of RNMFD is “linear to the number of images and dimension when "
        "high-dimensional visual data is given, which is the same as GNMF. Thus it is quite "
        "efficient for high-dimensional data.”",
        place="Sections 1 and 3.4",
        tests=(
            "growth/linear-in-images",
            "growth/linear-in-dimensions",
            "growth/as-gnmf-in-images",
            "growth/as-gnmf-in-dimensions",
        ),
    ),
    Sentence(
        key="outperforms-everywhere",
        text="“RNMFD can significantly outperform all baseline methods regardless of the "
        "datasets.”",
        place="Section 4.2, Tables 3 and 4",
        asks="in all cases",
        tests=_in_tables(*_FIVE_SETS),
    ),
    Sentence(
        key="locality-helps",
        text="“Methods considering the locality, like GNMF and RNMFD, achieves better performance "
        "than NMF, highlighting the importance of preserving locality.”",
        place="Section 4.2, first point",
        tests=(
            *_in_tables("gnmf-over-nmf", "rnmfd-over-nmf"),
            "ingredients/clean-nmf",
        ),
    ),
    Sentence(
        key="noise-considered",
        text="“By explicitly considering the unexpected noise in data, RCC and RNMFD can "
        "outperform GNMF and DNMF who are affected by the noise.”",
        place="Section 4.2, second point",
        tests=_in_tables("rcc-over-gnmf-dnmf", "rnmfd-over-gnmf-dnmf"),
    ),
    Sentence(
        key="removing-noise-helps",
        text="“The real-world dataset may contain noises to some extent. Removing the noises from "
        "data can indeed result in better performance.”",
        place="Section 4.2, second point",
        tests=("ingredients/clean-s",),
    ),
    Sentence(
        key="ignmf-avoids-the-trivial-solution",
        text="“IGNMF and RNMFD can avoid trivial solution and scale transfer.”",
        place="Section 4.2, third point",
        tests=(
            "table1/ignmf-avoids-it-default",
            "table1/ignmf-avoids-it-large",
            "table1/rnmfd-avoids-it-default",
            "table1/rnmfd-avoids-it-large",
            "table1/rnmfd-representation-stays",
            "table1/rnmfd-components-stay",
            "table1/ignmf-representation-stays",
            "table1/ignmf-components-stay",
        ),
    ),
    Sentence(
        key="nontrivial-is-better",
        text="Compared to GNMF and DNMF, avoiding the trivial solution and scale transfer “leads "
        "to better result” of IGNMF and RNMFD.",
        place="Section 4.2, third point",
        tests=_in_tables("ignmf-over-gnmf-dnmf", "rnmfd-over-gnmf-dnmf"),
    ),
    Sentence(
        key="stable-along-alpha",
        text="“IGNMF and RNMFD can achieve stable performance under a wide range of value for α "
        "while GNMF shows unstable performance when changing α.”",
        place="Section 4.2, third point, Figure 2(b)",
        tests=(
            "fig2/stable-ignmf",
            "fig2/stable-alpha",
            "fig2/unstable-gnmf",
            "fig2/steadier-alpha",
            "fig2/steadier-ignmf",
        ),
    ),
    Sentence(
        key="discriminative-methods-are-best",
        text="“Among all methods, NSDR and RNMFD achieve best performance.”",
        place="Section 4.2, fourth point",
        tests=_in_tables("nsdr-over-baselines", "rnmfd-over-baselines"),
    ),
    Sentence(
        key="only-two-discriminate",
        text="NSDR and RNMFD “are the only two methods exploiting the discriminative information”.",
        place="Section 4.2, fourth point",
        untestable="It is about the reasons for which objectives were chosen: IGNMF also asks for "
        "orthogonal non-negative columns, and whether this counts is a matter of definition.",
    ),
    Sentence(
        key="discrimination-helps",
        text="“Besides the locality of data, the discriminative information is also essential for "
        "effective image representation.”",
        place="Section 4.2, fourth point",
        tests=("ingredients/clean-orthogonality",),
    ),
    Sentence(
        key="all-properties-matter",
        text="“Locality preserving, discriminability, robustness to noise and the ability to "
        "avoid trivial solution, are important for image representation”; RNMFD “satisfies all "
        "properties hence achieves best performance”.",
        place="Section 4.2",
        tests=(
            *_in_tables("gnmf-over-nmf"),
            "ingredients/clean-orthogonality",
            "ingredients/clean-s",
            *_in_tables("average"),
        ),
    ),
    Sentence(
        key="gnmf-mixes-classes",
        text="“The inter-class similarity of GNMF is very large.”",
        place="Section 4.2, Figure 1(a)",
        asks="under one reading",  # of the weight of GNMF, which is not named
        tests=("fig1/gnmf-between-large", "fig1/gnmf-between-large-light"),
    ),
    Sentence(
        key="rnmfd-separates-classes",
        text="“But for RNMFD, intra-class similarity is large while inter-class similarity is "
        "very small, which is a desired property for effective image representation.”",
        place="Section 4.2, Figure 1",
        tests=(
            "fig1/rnmfd-within-large",
            "fig1/rnmfd-between-small",
            "fig1/rnmfd-between-smaller",
            "fig1/rnmfd-contrast",
        ),
    ),
    Sentence(
        key="p-too-small",
        text="“If p is too small, the local structure can't be fully utilized.”",
        place="Section 4.2, Figure 2(a)",
        tests=("fig2/p-too-small",),
    ),
    Sentence(
        key="p-too-large",
        text="“If p is too large, the nearest neighbor graph may connect two dissimilar samples.”",
        place="Section 4.2, Figure 2(a)",
        asks="in some cases",
        tests=("fig2/p-too-large", "structure/edges-between-classes"),
    ),
    Sentence(
        key="ahead-for-p-in-range",
        text="“RNMFD can outperform the best baseline method on all five datasets when "
        "p ∈ [3, 7].”",
        place="Section 4.2, Figure 2(a)",
        tests=("fig2/ahead-p",),
    ),
    Sentence(
        key="alpha-too-small",
        text="“A small α may cause a weak regularization such that the locality of data can't be "
        "effectively preserved.”",
        place="Section 4.2, Figure 2(b)",
        asks="in some cases",
        tests=("fig2/alpha-too-small", "structure/edges-within-clusters"),
    ),
    Sentence(
        key="superior-for-alpha-in-range",
        text="“RNMFD can achieve stable performance even with quite large value, e.g., "
        "α = 5000”; it “shows superior and stable performance when α ∈ [10, 10⁴]”.",
        place="Sections 4.1 and 4.2, Figure 2(b)",
        tests=("fig2/ahead-alpha", "fig2/stable-alpha"),
    ),
    Sentence(
        key="wider-range-of-alpha",
        text="That range of α “is much wider than methods such as GNMF and DNMF”.",
        place="Section 4.2, Figure 2(b)",
        tests=("fig2/wider-alpha",),
    ),
    Sentence(
        key="beta-too-small",
        text="“When β is too small, RNMFD may be ill-defined and prone to trivial solution and "
        "the discriminative information can't be exploited.”",
        place="Section 4.2, Figure 2(c)",
        asks="in some cases",
        tests=tuple(f"fig2/beta-too-small-{dataset}" for dataset in _FIVE_SETS),
    ),
    Sentence(
        key="beta-too-large",
        text="“When β is too large, the orthogonal constraints can be so heavy that the learned "
        "representation may be too sparse, which is also undesired in real world.”",
        place="Section 4.2, Figure 2(c)",
        asks="in some cases",
        tests=tuple(f"fig2/beta-too-large-{dataset}" for dataset in _FIVE_SETS),
    ),
    Sentence(
        key="satisfactory-for-beta-in-range",
        text="“Our RNMFD is able to achieve satisfactory performance when β ∈ [50, 10⁴].”",
        place="Section 4.2, Figure 2(c)",
        tests=("fig2/satisfactory-beta",),
    ),
    Sentence(
        key="converges-fast",
        text="“The updating rules for RNMFD converge very fast, usually within 100 iterations.”",
        place="Sections 1 and 4.2, Figure 2(d)",
        tests=("fig2/converges",),
    ),
)
