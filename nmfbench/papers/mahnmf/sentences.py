"""Testable sentences of the paper, in reading order."""

from nmfbench.artefacts.sentence import Sentence

_NOISES = ("laplace", "salt-pepper")
_OUTLIERS = ("occlusion", *_NOISES)
_ALGORITHMS = (4, 5)
_SCORES = ("covering", "pri", "vi", "boundary-f")
_SETS = ("msrcv1", "landuse21")
_CLIPS = (
    *(("fig16", clip) for clip in ("hallandmonitor", "ibmtest2", "ibmtest2-switch")),
    *(("fig17", clip) for clip in ("humanbody2", "caviar1")),
)

SENTENCES = (
    Sentence(
        key="traditional-not-robust",
        text="Where noise is heavy tailed “traditional NMF does not perform well because it is not "
        "robust to outliers such as occlusions, Laplace noise, and salt & pepper noise.”",
        place="Abstract; Section 1",
        tests=tuple(
            f"{f}/traditional-not-robust-{n}" for f in ("fig5", "fig7") for n in _ALGORITHMS
        ),
    ),
    Sentence(
        key="recovers-low-rank-part",
        text="MahNMF “robustly estimates the low-rank part and the sparse part of a non-negative "
        "matrix”; traditional NMF cannot where there are outliers.",
        place="Abstract; Section 1",
        tests=(
            "decomposition/ahead",
            "decomposition/recovers",
            "decomposition/not-robust-eucnmf",
            "decomposition/not-robust-klnmf",
        ),
    ),
    Sentence(
        key="rri-not-flexible",
        text="RRI is not “flexible enough to optimize all MahNMF extensions.”",
        place="Abstract; Section 1",
        untestable="That an extension has no closed form for its variables is a matter of "
        "derivation: a computation can only show one that has.",
    ),
    # -- Section 2 --
    Sentence(
        key="closed-form",
        text="“Each variable in H can be updated in a closed form solution”: the point that first "
        "changes the sign of the slope minimises the loss, the other variables held fixed.",
        place="Section 2, Eqs. (6)-(7)",
        tests=("fig1/scalar",),
    ),
    Sentence(
        key="alternating-solves",
        text="Therefore problem (2) “can be optimized by using alternating optimization over each "
        "variable of H.”",
        place="Section 2, Algorithm 1",
        tests=("fig1/sub-problem",),
    ),
    Sentence(
        key="sorting-dominates",
        text="“The main time cost of Algorithm 1 is spent on sentence 6 that sorts the piecewise "
        "points.”",
        place="Section 2",
        tests=("costs/sorting",),
    ),
    Sentence(
        key="rri-converges-fast",
        text="“Since Algorithm 1 finds the closed form solution for each variable of H, it "
        "converges fast.”",
        place="Sections 2 and 6",
        tests=(
            "fig3/tiny-rri-few-rounds",
            "rounds/low-rank-rri-few-rounds",
            "rounds/tiny-few-sweeps",
            "rounds/small-few-sweeps",
            "rounds/low-rank-few-sweeps",
        ),
    ),
    # -- Section 3 --
    Sentence(
        key="ogm-iterations",
        text="Algorithm 2 finds an ε-solution of the non-smooth problem (9) in O(1/ε) iterations.",
        place="Section 3, after Eqs. (22) and (24)",
        tests=("fig2/iterations",),
    ),
    Sentence(
        key="theorem-1",
        text="For any positive smoothing parameter the smoothed loss is at most the loss, and "
        "falls short of it by no more than a bound in proportion to the parameter; it “gets "
        "infinitely close” as that goes to zero.",
        place="Section 3, Theorem 1",
        asks="in all cases",
        tests=("fig2/theorem-1",),
    ),
    Sentence(
        key="theorem-2",
        text="The sequence that Algorithm 3 generates decreases the objective of MahNMF in every "
        "round.",
        place="Section 3, Theorem 2",
        asks="in all cases",
        tests=("fig2/theorem-2-runs",),
    ),
    Sentence(
        key="theorem-2-proof",
        text="Its proof: within a round, the solution of the smoothed sub-problem for one factor "
        "does not raise the objective, “in a similar way” nor does that for the other. "
        "“Therefore” the round decreases it.",
        place="Section 3, proof of Theorem 2, after Eq. (26)",
        asks="in all cases",
        tests=("fig2/theorem-2",),
    ),
    Sentence(
        key="improves-iteratively",
        text="“By setting the smoothness parameter inversely proportional to the iteration number, "
        "the Nesterov smoothing method iteratively improves approximation accuracy and converges "
        "to an approximate solution of MahNMF.”",
        place="Abstract; Sections 3 and 6",
        tests=(
            *(
                f"rounds/{matrix}-{test}"
                for matrix in ("tiny", "low-rank")
                for test in ("excess-falls", "approximate", "not-with-fixed")
            ),
        ),
    ),
    Sentence(
        key="few-rounds",
        text="Empirically Algorithm 3 needs a small number of iterations, “and thus Algorithm 3 "
        "converges fast.”",
        place="Section 3",
        tests=("fig3/tiny-few-rounds", "fig3/small-few-rounds", "fig4/yaleb-few-rounds"),
    ),
    Sentence(
        key="comparable-on-small",
        text="“The performance of the proposed RRI algorithm and the smoothing-based algorithm is "
        "comparable for optimizing small scale MahNMF.”",
        place="Section 3",
        tests=("fig3/tiny-comparable", "fig3/small-comparable"),
    ),
    Sentence(
        key="more-scalable",
        text="“The smoothing method is much more scalable than RRI due to its lower time "
        "complexity.”",
        place="Sections 2, 3 and 5.1, Figure 3",
        tests=("fig3/scalable",),
    ),
    # -- Section 4 --
    Sentence(
        key="gap-cuts-time",
        text="In a box “Algorithm 2 becomes much more efficient”: checking convergence by the "
        "duality gap “greatly cuts down the time cost of Algorithm 2 because the calculation of "
        "objective function is withdrawn.”",
        place="Section 4.1, after Eq. (31)",
        tests=("gap-stop/cuts-time",),
    ),
    Sentence(
        key="theorem-3",
        text="The minimum of a weighted sum of distances plus a quadratic is unique, and is the "
        "closed form of Theorem 3, by which RRI optimises MahNMF-M.",
        place="Section 4.2, Theorem 3",
        asks="in all cases",
        tests=("theorem3/closed-form", "theorem3/unique", "theorem3/rri"),
    ),
    Sentence(
        key="manifold-rri-slow",
        text="RRI for MahNMF-M “is time-consuming because the variables must be updated one by "
        "one. We suggest the proposed Nesterov smoothing method for optimizing MahNMF-M.”",
        place="Section 4.2",
        tests=("costs/manifold-rri-slow",),
    ),
    Sentence(
        key="same-complexity",
        text="The smoothing method can be applied to MahNMF-GS and to MahNMF-EN “without "
        "increasing the time complexity.”",
        place="Sections 4.3 and 4.4",
        tests=("costs/round-gs", "costs/round-en"),
    ),
    Sentence(
        key="group-sparse-rate",
        text="With a penalty on groups, the modified Algorithm 2 converges at the same rate as "
        "without: the penalty “will not decrease the convergence rate.”",
        place="Section 4.3, after Eqs. (54) and (57)",
        tests=("group-rate/bound",),
    ),
    Sentence(
        key="group-sparse-rapid",
        text="“Empirical results show that the smoothing method for MahNMF-GS converges rapidly.”",
        place="Section 4.3",
        tests=("costs/gs-rapid-rounds",),
    ),
    Sentence(
        key="picks-one-of-group",
        text="“If there is a group of nonzero variables in the sparse part which are highly "
        "correlated, MahNMF tends to select only one variable from the group regardless which one "
        "is selected.”",
        place="Section 4.4",
        tests=("groups/one-ogm", "groups/one-rri"),
    ),
    Sentence(
        key="elastic-net-groups",
        text="MahNMF-EN expects “the highly correlated nonzero variables in the sparse part to be "
        "grouped”, and its trade-off parameter controls this effect.",
        place="Section 4.4",
        tests=("groups/net-together", "groups/net-controls"),
    ),
    Sentence(
        key="symmetric-closed-form",
        text="RRI successively updates each variable of MahNMF-SYM in a closed form solution, by "
        "Theorem 3, as the diagonal without the other components is assumed to be at most 0.",
        place="Section 4.5, Eqs. (60)-(61)",
        tests=("fig15/paper-rule",),
    ),
    Sentence(
        key="diagonal-condition",
        text="That condition on the diagonal “can be easily satisfied by normalizing.”",
        place="Section 4.5",
        tests=("fig15/diagonal-start", "fig15/diagonal-1", "fig15/diagonal-10"),
    ),
    Sentence(
        key="symmetric-fast",
        text="“RRI converges fast because the variables are updated in a closed form solution.”",
        place="Section 4.5",
        tests=("fig15/fast",),
    ),
    # -- Section 5.1 --
    Sentence(
        key="start-matters",
        text="“Since MahNMF is non-convex, the initial point has a high impact on the obtained "
        "solution.”",
        place="Section 5.1",
        tests=tuple(
            f"starts/impact-{key}-{data}"
            for key in ("ogm", "rri")
            for data in ("uniform", "low-rank")
        ),
    ),
    Sentence(
        key="rri-ahead-on-small",
        text="“RRI converges in fewer iteration rounds and CPU seconds than OGM on the small scale "
        "data matrix.”",
        place="Sections 3 and 5.1, Figure 3 (a), (b)",
        tests=tuple(
            f"fig3/{size}-{test}"
            for size in ("tiny", "small")
            for test in ("rounds", "seconds", "seconds-algorithm-1")
        ),
    ),
    Sentence(
        key="rounds-alike-on-small",
        text="“A single iteration of RRI and OGM has a comparable time cost on a small scale data "
        "matrix.”",
        place="Section 5.1, Figure 3 (a), (b)",
        tests=("fig3/tiny-seconds-a-round", "fig3/small-seconds-a-round"),
    ),
    Sentence(
        key="rri-lower-on-small",
        text="There RRI, which has a closed form for each variable (the text says OGM), “further "
        "reduces the objective function.”",
        place="Section 5.1, Figure 3 (a), (b)",
        tests=tuple(
            f"fig3/{size}-lower-at-equal-{axis}"
            for size in ("tiny", "small")
            for axis in ("rounds", "seconds")
        ),
    ),
    Sentence(
        key="ogm-ahead-on-large",
        text="“When the scale of the data matrix increases, OGM costs far fewer CPU seconds in "
        "each iteration round than RRI because it converges much more rapidly than RRI.”",
        place="Sections 3 and 5.1, Figure 3 (c), (d)",
        tests=tuple(
            f"{figure}/large-{test}"
            for figure in ("fig3", "inner-sweeps")
            for test in ("seconds-a-round", "seconds")
        ),
    ),
    Sentence(
        key="same-on-faces",
        text="On Yale B and PIE “we have the same observations as those obtained from Figure 3.”",
        place="Section 5.1, Figure 4",
        tests=(
            "fig4/yaleb-rounds",
            "fig4/yaleb-seconds",
            "fig4/yaleb-seconds-algorithm-1",
            "fig4/yaleb-seconds-a-round",
            "fig4/yaleb-lower-at-equal-rounds",
            "fig4/yaleb-lower-at-equal-seconds",
            "fig4/pie-seconds-a-round",
            "fig4/pie-seconds",
            "inner-sweeps/pie-seconds-a-round",
            "inner-sweeps/pie-seconds",
        ),
    ),
    # -- Section 5.2 --
    Sentence(
        key="pseudo-inverse",
        text="The pseudo-inverse of Algorithm 4 “may bring in negative elements and thus it is not "
        "robust to outliers”; Algorithm 5 overcomes this.",
        place="Section 5.2",
        tests=("fig5/pseudo-inverse", "fig5/pseudo-inverse-overcome"),
    ),
    Sentence(
        key="yaleb-clean",
        text="“MahNMF outperforms both EucNMF and KLNMF on the Yale B dataset.”",
        place="Section 5.2.1, Figure 5 (a), (g)",
        tests=tuple(f"fig5/clean-ahead-{n}" for n in _ALGORITHMS),
    ),
    Sentence(
        key="yaleb-heavy-tailed",
        text="“MahNMF significantly outperforms both EucNMF and KLNMF on the training set "
        "contaminated by Laplace noise and Salt & Pepper noise.”",
        place="Section 5.2.1, Figure 5 (c), (d), (i), (j)",
        tests=tuple(f"fig5/{noise}-ahead-{n}" for noise in _NOISES for n in _ALGORITHMS),
    ),
    Sentence(
        key="yaleb-gaussian",
        text="“MahNMF does not perform well when the training set is contaminated by Gaussian "
        "noise because it violates the assumption of MahNMF.”",
        place="Section 5.2.1, Figure 5 (e), (k)",
        tests=tuple(f"fig5/gaussian-behind-{n}" for n in _ALGORITHMS),
    ),
    Sentence(
        key="yaleb-poisson",
        text="“MahNMF is comparable to KLNMF when the training set is contaminated by Poisson "
        "noise.”",
        place="Section 5.2.1, Figure 5 (f), (l)",
        tests=tuple(f"fig5/poisson-as-kl-{n}" for n in _ALGORITHMS),
    ),
    Sentence(
        key="yaleb-occlusion",
        text="“MahNMF performs robustly in presence of occlusion because it successfully "
        "suppresses the outliers.”",
        place="Section 5.2.1, Figure 5 (b), (h)",
        tests=tuple(f"fig5/occlusion-robust-{n}" for n in _ALGORITHMS),
    ),
    Sentence(
        key="yaleb-bases",
        text="Its bases show that “MahNMF successfully supresses the occlusion, Laplace noise, and "
        "Salt & Pepper noise while both KLNMF and EucNMF representations are contaminated.”",
        place="Section 5.2.1, Figure 6",
        tests=tuple(f"fig6/{noise}" for noise in _OUTLIERS),
    ),
    Sentence(
        key="yaleb-bases-poisson",
        text="“MahNMF also suppresses the Poisson noise which confirms the observation in Figure "
        "5.”",
        place="Section 5.2.1, Figure 6",
        tests=("fig6/poisson",),
    ),
    Sentence(
        key="pie-clean",
        text="“MahNMF outperforms EucNMF and its performance is comparable to KLNMF on the PIE "
        "dataset.”",
        place="Section 5.2.2, Figure 7 (a), (g)",
        tests=tuple(f"fig7/clean-{test}-{n}" for test in ("ahead", "as-kl") for n in _ALGORITHMS),
    ),
    Sentence(
        key="pie-heavy-tailed",
        text="“MahNMF significantly outperforms both EucNMF and KLNMF when the training set is "
        "contaminated by occlusion, Laplace noise, and Salt & Pepper noise.”",
        place="Section 5.2.2, Figure 7 (b)-(d), (h)-(j)",
        tests=tuple(f"fig7/{noise}-ahead-{n}" for noise in _OUTLIERS for n in _ALGORITHMS),
    ),
    Sentence(
        key="pie-almost-perfect",
        text="“MahNMF performs almost perfectly on the PIE dataset even when both the training and "
        "test sets are seriously contaminated by Salt & Pepper noise.”",
        place="Section 5.2.2, Figure 7 (a), (d), (g), (j)",
        tests=tuple(
            f"fig7/{noise}-perfect-{n}" for noise in ("clean", "salt-pepper") for n in _ALGORITHMS
        ),
    ),
    Sentence(
        key="pie-light-tailed",
        text="“MahNMF outperforms both EucNMF and KLNMF even when the training set is contaminated "
        "by Gaussian and Poisson noises.”",
        place="Section 5.2.2, Figure 7 (e), (f), (k), (l)",
        tests=tuple(
            f"fig7/{noise}-ahead-{n}" for noise in ("gaussian", "poisson") for n in _ALGORITHMS
        ),
    ),
    Sentence(
        key="pie-bases",
        text="“MahNMF successfully suppresses occlusion, Laplace noise, Salt & Pepper noise, and "
        "the illumination in the training set.”",
        place="Section 5.2.2, Figure 8",
        tests=(*(f"fig8/{noise}" for noise in _OUTLIERS), "fig8/illumination"),
    ),
    Sentence(
        key="clearer-reconstruction",
        text="Of contaminated faces, in both the training and test sets of Yale B and PIE, “MahNMF "
        "obtains clearer reconstruction than EucNMF and KLNMF.”",
        place="Section 5.2.2, Figure 9",
        tests=(
            *(
                f"fig9/{test}{ending}"
                for ending in ("", "-pie")
                for test in (
                    *(f"mean-{noise}" for noise in _OUTLIERS),
                    "edges",
                )
            ),
            *(
                f"brightness/clearer-{noise}-{data}"
                for data in ("yaleb", "pie")
                for noise in ("gaussian", "poisson")
            ),
        ),
    ),
    Sentence(
        key="table-1",
        text="“MahNMF reconstructs the face images better in both the training and test sets when "
        "the training set is contaminated by Laplace and Salt & Pepper noises”; it is similar at "
        "other reduced dimensionalities.",
        place="Section 5.2.2, Table 1",
        tests=tuple(
            f"table1/{data}-{noise}-r{rank}"
            for data in ("yaleb", "pie")
            for noise in _NOISES
            for rank in (20, 50)
        ),
    ),
    # -- Section 5.3 --
    Sentence(
        key="clustering-outliers",
        text="“MahNMF outperforms both EucNMF and KLNMF on the Yale B and PIE datasets even though "
        "the test set is contaminated by occlusion, Laplace noise, and salt & pepper noise” (AC "
        "and MI of clusters).",
        place="Section 5.3.1, Figures 10 and 11",
        tests=tuple(
            f"{figure}-{noise}-mahnmf"
            for figure in ("fig10/yaleb", "fig11/pie")
            for noise in ("no-noise", *_OUTLIERS)
        ),
    ),
    Sentence(
        key="clustering-gaussian",
        text="“MahNMF performs better than EucNMF on the PIE dataset in the presence of Gaussian "
        "noise.”",
        place="Section 5.3.1, Figure 11 (e), (k)",
        tests=("fig11/pie-gaussian-mahnmf",),
    ),
    Sentence(
        key="separates-objects",
        text="“MahNMF-SYM+K-means successfully separates the objects in these example images.”",
        place="Section 5.3.2, Figures 12 to 14",
        tests=("fig12/objects",),
    ),
    Sentence(
        key="comparable-with-ncuts",
        text="“Its performance is mostly comparable with Ncuts.”",
        place="Section 5.3.2, Figures 12 to 14",
        tests=tuple(f"fig{n}/comparable-{score}" for n in (12, 13, 14) for score in _SCORES),
    ),
    Sentence(
        key="sometimes-beats-ncuts",
        text="“In some cases, e.g., the second rows in Figure 12, 13, and 14, MahNMF-SYM+K-means "
        "outperforms Ncuts.”",
        place="Section 5.3.2, Figures 12 to 14",
        asks="in some cases",
        tests=tuple(f"fig{n}/outperforms-{score}" for n in (12, 13, 14) for score in _SCORES),
    ),
    Sentence(
        key="distinguishes-classes",
        text="“MahNMF-SYM clearly distinguishes the three classes of correlations between pixels.”",
        place="Section 5.3.2, Figure 15 (a), (b)",
        tests=("contrast/distinguishes-affinity",),
    ),
    Sentence(
        key="finds-correlations",
        text="“MahNMF-SYM successfully finds the correlations between pixels” in its low-rank "
        "approximations of the similarities.",
        place="Section 5.3.2, Figure 15 (c), (d)",
        tests=("fig15/approximation",),
    ),
    Sentence(
        key="low-rank-helps",
        text="“Low-rank representation helps K-means to correctly segment these images.”",
        place="Section 5.3.2, Figure 15",
        tests=tuple(f"fig15/helps-rows-{score}" for score in _SCORES),
    ),
    # -- Section 5.4 --
    Sentence(
        key="separates-background",
        text="“MahNMF successfully separates the background and foreground without losing detail.”",
        place="Section 5.4.1, Figures 16 and 17",
        tests=tuple(
            f"{figure}/{test}-{clip}"
            for figure, clip in _CLIPS
            if clip != "ibmtest2-switch"  # where the mean, which these have as a rival, must fail
            for test in ("ghosts", "detail")
        ),
    ),
    Sentence(
        key="background-comparable",
        text="“The results obtained by MahNMF are comparable to those obtained by RPCA and GoDec.”",
        place="Sections 5.4.1 and 6, Figures 16 and 17",
        tests=tuple(
            f"{figure}/{rival}-{clip}" for figure, clip in _CLIPS for rival in ("rpca", "godec")
        ),
    ),
    Sentence(
        key="shadows-hurt-pca",
        text="“Both shadow and illumination pull down the image quality and thus reduce the "
        "accuracy of many methods such as principal component analysis.”",
        place="Section 5.4.2",
        tests=("shadowed/hurt-pca-yaleb", "shadowed/hurt-pca-pie"),
    ),
    Sentence(
        key="performs-well-in-shadow",
        text="“However, MahNMF performs well on both Yale B and PIE datasets which are seriously "
        "contaminated by shadow and illumination.”",
        place="Section 5.4.2, on Figures 5 and 7",
        tests=tuple(f"{f}/clean-above-pca-{n}" for f in ("fig5", "fig7") for n in _ALGORITHMS),
    ),
    Sentence(
        key="removes-shadows",
        text="“MahNMF successfully removes both shadow and illumination of these images.”",
        place="Section 5.4.2, Figures 18 and 19",
        tests=("fig18/removed-asymmetry", "fig18/removed-shadow-error"),
    ),
    Sentence(
        key="shadows-comparable",
        text="“The performance of MahNMF is comparable to RPCA and GoDec.”",
        place="Sections 5.4.2 and 6, Figures 18 and 19",
        tests=tuple(
            f"fig19/comparable-{rival}-{number}"
            for rival in ("rpca", "godec")
            for number in ("asymmetry", "shadow-error")
        ),
    ),
    # -- Section 5.5 --
    Sentence(
        key="gs-handles-heavy-tails",
        text="EucNMF-GS is not robust because it “fails to handle the heavy-tailed noise contained "
        "in some features such as SIFT”; MahNMF-GS “overcomes this problem and performs robustly "
        "in multi-view learning.”",
        place="Section 5.5",
        tests=tuple(f"multiview-noise/heavy-tails-{key}" for key in _SETS),
    ),
    Sentence(
        key="gs-ahead",
        text="“MahNMF-GS significantly outperforms EucNMF-GS on both datasets.”",
        place="Section 5.5, Figure 20 (a), (d), and Table 2",
        tests=tuple(
            f"{test}-{key}" for test in ("fig20/ahead", "table2/eucnmf-gs") for key in _SETS
        ),
    ),
    Sentence(
        key="gs-patterns",
        text="“The sparsity pattern of the basis learned by MahNMF-GS for each view is similar, "
        "while the sparsity patterns for different views are different from one another”; not so "
        "with EucNMF-GS.",
        place="Section 5.5, Figure 20 (b), (c), (e), (f)",
        tests=tuple(f"fig20/views-{how}-{key}" for how in ("apart", "by-groups") for key in _SETS),
    ),
    Sentence(
        key="gs-private",
        text="“MahNMF-GS successfully learns the private information for different views” while "
        "EucNMF-GS does not.",
        place="Section 5.5, Figure 20 (b), (c), (e), (f)",
        tests=tuple(f"fig20/private-{key}" for key in _SETS),
    ),
    Sentence(
        key="gs-beats-flss",
        text="“MahNMF-GS outperforms FLSS on both VOC Pascal 07 and Mir Flickr datasets because "
        "FLSS is not designed for classification.”",
        place="Section 5.5, Table 2",
        tests=tuple(f"table2/flss-{key}" for key in _SETS),
    ),
    # -- Section 6 --
    Sentence(
        key="completion-or-representation",
        text="“While RPCA and GoDec are suitable for matrix completion, MahNMF is well-suited for "
        "data representation with the non-negativity property of data kept.”",
        place="Section 6",
        tests=(
            "lighting/represents",
            "completion/suits-rpca",
            "completion/suits-godec",
            "completion/non-negative",
        ),
    ),
    Sentence(
        key="equivalent-to-ncuts",
        text="For MahNMF-SYM the paper “discussed its equivalence to normalized cuts (Ncuts).”",
        place="Sections 4.5 and 6",
        untestable="The paper states no theorem. Segments that agree or differ cannot decide "
        "whether problems are equivalent: they depend on how each is solved and rounded.",
    ),
    Sentence(
        key="variants-comparable",
        text="“Experimental results on several computer vision problems show that these MahNMF "
        "variants are comparable to traditional methods.”",
        place="Section 6",
        tests=("variants/bc-comparable", "variants/m-comparable", "variants/en-comparable"),
    ),
)
