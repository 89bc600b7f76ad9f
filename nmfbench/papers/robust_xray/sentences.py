"""Testable sentences of Kumar & Sindhwani (2015), in reading order."""

from nmfbench.artefacts.sentence import Sentence
from nmfbench.papers.robust_xray.exemplar_accuracy import WEIGHTINGS

SENTENCES = (
    Sentence(
        key="inherits-xray",
        text="“Our methods inherit all the advantages of (Kumar et al., 2013) including "
        "scalability”: XRAY “requires no more than r iterations each of which is parallelizable” "
        "and “admits efficient model selection”.",
        place="Abstract, Section 1",
        tests=(
            "lemmas/at-most-r-selections",
            "lemmas/lower-ranks-contained",
            *(
                f"growth/{method}-{size}"
                for method in ("robust-xray", "xray-is")
                for size in ("rows", "columns", "rank")
            ),
        ),
    ),
    Sentence(
        key="matches-rpca",
        text="On foreground-background separation “robust near-separable NMFs match the "
        "performance of Robust PCA, considered state of the art on these problems”; they “are "
        "competitive with RPCA”.",
        place="Abstract, Section 1",
        tests=(
            "fig7/restaurant-matches-rpca",
            "fig7/hall-matches-rpca",
            "fig7/lobby-switch-matches-rpca",
        ),
    ),
    Sentence(
        key="ten-times-faster-than-rpca",
        text="Separation takes “an order of magnitude faster training time” than Robust PCA: “Our "
        "MATLAB implementation was at least 10 times faster than the inexact Augmented Lagrange "
        "Multiplier (i-ALM) implementation of Lin et al.”",
        place="Abstract, Sections 1 and 5.3",
        tests=(
            "speed/humanbody2-ialm-lanczos-tight",
            "speed/humanbody2-ialm-full-tight",
            "speed/hallandmonitor-ialm-lanczos-tight",
            "speed/hallandmonitor-ialm-full-tight",
            "speed/ibmtest2-ialm-lanczos-tight",
            "speed/ibmtest2-ialm-full-tight",
        ),
    ),
    Sentence(
        key="no-normalisation",
        text="XRAY “does not require normalizations or preprocessing needed in other methods”, "
        "and the new methods inherit all of its advantages.",
        place="Abstract, Section 1",
        tests=("tolerance/any-scale", "tolerance/spa-needs-normalisation"),
    ),
    Sentence(
        key="loss-must-suit-noise",
        text="“In the presence of outliers or different noise characteristics, the use of "
        "Frobenius norm approximations is not optimal”; Figure 3 “highlights the importance of "
        "using the right loss function in the projection step that is suitable for the noise "
        "model”.",
        place="Sections 1, 2 and 5.1",
        tests=("fig3/beats-xray-l2", "fig4/is-beats-xray-l2"),
    ),
    Sentence(
        key="separates",
        text="RobustXRAY separates “a near-stationary background from the foreground of moving "
        "objects”.",
        place="Section 1, Figure 1",
        tests=("fig1/less-foreground-than-the-mean", "fig1/keeps-the-background"),
    ),
    Sentence(
        key="robust-to-noise",
        text="The methods inherit the “noise-tolerance” of XRAY and “are empirically shown to be "
        "robust to noise (deviations from the pure separability assumption)”.",
        place="Abstract, Section 1",
        tests=(
            "fig3/outgrows-xray-l2",
            "fig3/outgrows-spa",
            "fig3/outgrows-hottopixx",
        ),
    ),
    Sentence(
        key="outperforms-smrs",
        text="In the selection of exemplars, with classification accuracy as a performance "
        "metric, the proposed algorithms “outperform the recently proposed method of Elhamifar "
        "et al. (2012)”.",
        place="Section 1",
        asks="under one reading",  # of terms, whose weighting is not named
        tests=("fig5/above-smrs-counts", "fig5/above-smrs-l1", "fig5/above-smrs-tfidf"),
    ),
    Sentence(
        key="l2-is-exact",
        text="If X satisfies separability exactly, “the l2 projection and corresponding residual "
        "vector of any single exterior point can be used to expand the cone and all r anchors "
        "will be recovered correctly”.",
        place="Section 2",
        tests=("fig3/l2-exact-without-noise",),
    ),
    Sentence(
        key="largest-residual",
        text="“Taking the point with maximum residual l1 norm to be the exterior point turns out "
        "to be far more robust to noise than randomly choosing the exterior point.”",
        place="Section 3",
        tests=("fig3/max-beats-rand",),
    ),
    Sentence(
        key="admm-reaches-the-optimum",
        text="“The ADMM procedure converges to the global optimum since the problem is convex.”",
        place="Section 3, Projection step",
        tests=("lemmas/admm-reaches-the-optimum",),
    ),
    Sentence(
        key="subgradient-exists",
        text="For any point exterior to the current cone there is at least one D in the "
        "subdifferential with DᵀX_A ≤ 0 and DᵀXᵢ > 0.",
        place="Section 3, Lemmas 3.1 and 3.2",
        tests=("lemmas/subgradient-exists",),
    ),
    Sentence(
        key="theorem-3-1",
        text="“If the maximizer in Eq. 3.3 is unique, the data point added at each iteration … is "
        "an anchor that has not been selected in one of the previous iterations”, and “any "
        "exterior point can be used in the selection criterion”.",
        place="Section 3, Theorem 3.1",
        tests=("fig3/exact-without-noise",),
    ),
    Sentence(
        key="few-zero-residuals",
        text="“In practice, we always have the number of zeros in Rᵢ much less than m since we "
        "always pick the exterior point with maximum l1 norm.”",
        place="Section 3, Remark 1",
        asks="in all cases",
        tests=("lemmas/few-zeros-noise", "lemmas/few-zeros-texts", "lemmas/few-zeros-clips"),
    ),
    Sentence(
        key="program-seldom-needed",
        text="“We simply set u = −1 which, in practice, almost always satisfies Lemma 3.1 and "
        "Lemma 3.2. The LP is called whenever Lemma 3.2 is violated which happens rarely (note "
        "that Lemma 3.1 will never violate with this setting of u).”",
        place="Section 3, Remark 1",
        tests=(
            "fig3/lp-seldom",
            "lemmas/lp-seldom-texts",
            "lemmas/lp-seldom-clips",
            "lemmas/minus-one-keeps-lemma-3-1",
        ),
    ),
    Sentence(
        key="ties",
        text="If the maximum of Eq. (3.3) occurs at exactly two points, both are anchors; if at "
        "more, some are anchors and the others conic combinations of them, and “we can identify "
        "the anchors of this subset of points by calling Algorithm 1 recursively”.",
        place="Section 3, Remark 2",
        tests=("lemmas/two-tied", "lemmas/more-tied"),
    ),
    Sentence(
        key="theorem-4-1",
        text="With the criterion of Eq. (4.5), “if the maximizer … is unique, the data point "
        "added at each iteration in the Selection step, is an anchor that has not been selected "
        "in one of the previous iterations”. “Again, any exterior point i can be chosen.”",
        place="Section 4, Theorem 4.1",
        tests=("fig3/kl-exact-without-noise", "fig3/is-exact-without-noise"),
    ),
    Sentence(
        key="largest-divergence",
        text="“Taking exterior point to be i = arg max D(X_k, X_A H_k) gives much better "
        "performance under noise than randomly choosing the exterior point.”",
        place="Section 4",
        tests=("fig4/max-beats-rand",),
    ),
    Sentence(
        key="square-gives-xray",
        text="“For the Bregman divergence induced by function φ(x) = x², the selection criteria "
        "of Eq. 4.5 reduces to the selection criteria of XRAY.”",
        place="Section 4",
        tests=("lemmas/square-gives-xray",),
    ),
    Sentence(
        key="swapped-divergence",
        text="“It is also possible to have the projection step as H = arg min D(X_A B, X). In "
        "this case, the selection criteria will change to” (φ′(Xᵢ) − φ′(X_A Hᵢ))ᵀXⱼ / pᵀXⱼ.",
        place="Section 4",
        tests=("lemmas/swapped-kl", "lemmas/swapped-is"),
    ),
    Sentence(
        key="sparse-noise",
        text="RobustXRAY “outperforms all other methods including XRAY-l2 by a huge margin as "
        "the noise level increases”.",
        place="Section 5.1, Figure 3",
        tests=(
            "fig3/beats-xray-l2",
            "fig3/beats-spa",
            "fig3/beats-hottopixx",
            "fig3/outgrows-xray-l2",
            "fig3/outgrows-spa",
            "fig3/outgrows-hottopixx",
            "fig3/huge-xray-l2",
            "fig3/huge-spa",
            "fig3/huge-hottopixx",
        ),
    ),
    Sentence(
        key="poisson-grows",
        text="On Poisson data “anchor recovery gets better with increasing λ (perfect recovery "
        "after certain value)”.",
        place="Section 5.1",
        tests=("fig4/poisson-grows", "fig4/poisson-perfect"),
    ),
    Sentence(
        key="poisson-alike",
        text="On Poisson data “almost all algorithms perform as well as XRAY-KL for the full λ "
        "range”.",
        place="Section 5.1",
        tests=(
            "fig4/poisson-xray-l2-as-well",
            "fig4/poisson-spa-as-well",
            "fig4/poisson-hottopixx-as-well",
        ),
    ),
    Sentence(
        key="exponential-noise",
        text="“The XRAY-IS algorithm significantly outperforms other methods including XRAY-l2 "
        "in correctly recovering the anchor column indices.”",
        place="Section 5.1, Figure 4",
        tests=(
            "fig4/is-beats-xray-l2",
            "fig4/is-beats-spa",
            "fig4/is-beats-hottopixx",
        ),
    ),
    Sentence(
        key="exponential-flat",
        text="“The recovery rate does not change much with increasing λ.”",
        place="Section 5.1, Figure 4",
        tests=("fig4/is-flat",),
    ),
    Sentence(
        key="reuters",
        text="“For Reuters data, the proposed RobustXRAY algorithm outperforms other methods by a "
        "significant margin for the whole range of selected anchors.”",
        place="Section 5.2, Figure 5",
        asks="under one reading",
        tests=("fig5/best-counts", "fig5/best-l1", "fig5/best-tfidf"),
    ),
    Sentence(
        key="bbc",
        text="“All methods seem to perform comparably on BBC data.”",
        place="Section 5.2, Figure 6",
        asks="under one reading",
        tests=("fig6/comparable-counts", "fig6/comparable-l1", "fig6/comparable-tfidf"),
    ),
    Sentence(
        key="no-cleaning",
        text="“An advantage of SPA and XRAY family of methods is that there is no need for a "
        "cleaning step to remove near-duplicate exemplars.”",
        place="Section 5.2",
        tests=(
            "duplicates/no-cleaning-spa",
            "duplicates/no-cleaning-xray-l2",
            "duplicates/no-cleaning-robust-xray",
        ),
    ),
    Sentence(
        key="smrs-needs-cleaning",
        text="A cleaning step to remove near-duplicate exemplars is “needed in SMRS”.",
        place="Section 5.2",
        tests=("duplicates/smrs-needs-cleaning",),
    ),
    Sentence(
        key="faster-than-smrs",
        text="“Another advantage” of SPA and XRAY methods “is of computational speed”: “in all our "
        "experiments” they are faster than SMRS.",
        place="Section 5.2",
        asks="in all cases",
        tests=tuple(
            test
            for method in ("spa", "xray-l2", "robust-xray")
            for test in (f"speed/{method}-faster-bbc", f"speed-reuters/{method}-faster")
        ),
    ),
    Sentence(
        key="three-to-ten-times-faster",
        text="“In all our experiments, SPA and XRAY methods are about 3–10 times faster than "
        "SMRS.”",
        place="Section 5.2",
        asks="in all cases",
        tests=tuple(
            test
            for method in ("spa", "xray-l2", "robust-xray")
            for test in (f"speed/{method}-bbc", f"speed-reuters/{method}-times")
        ),
    ),
    Sentence(
        key="few-exemplars",
        text="“It is remarkable that even a low number of selected exemplars give reasonable "
        "classification accuracy for all methods – SMRS gives 50% accuracy for Reuters data using "
        "10 exemplars.”",
        place="Section 5.2",
        asks="under one reading",  # of terms, whose weighting is not named
        tests=tuple(f"fig5/few-{w}" for w in WEIGHTINGS),
    ),
    Sentence(
        key="few-exemplars-of-bbc",
        text="“Even a low number of selected exemplars give reasonable classification accuracy "
        "for all methods”, on BBC.",
        place="Section 5.2",
        asks="under one reading",
        tests=tuple(f"fig6/few-{w}" for w in WEIGHTINGS),
    ),
    Sentence(
        key="smrs-with-ten",
        text="“SMRS gives 50% accuracy for Reuters data using 10 exemplars.”",
        place="Section 5.2",
        asks="under one reading",
        tests=tuple(f"fig5/smrs-at-10-{w}" for w in WEIGHTINGS),
    ),
    Sentence(
        key="robust-xray-with-ten",
        text="With 10 exemplars of Reuters “RobustXRAY gives more than 70%”.",
        place="Section 5.2",
        asks="under one reading",
        tests=("fig5/at-10-counts", "fig5/at-10-l1", "fig5/at-10-tfidf"),
    ),
    Sentence(
        key="median-filtering",
        text="“If we constrain the vector w to be all ones, the solution … is nothing but the "
        "element-wise median of all rows of X”; with wᵢ = c it is “a scaled version of the "
        "element-wise median vector”.",
        place="Sections 1 and 5.3",
        tests=("lemmas/median-is-best", "lemmas/best-is-the-median"),
    ),
    Sentence(
        key="higher-ranks",
        text="“Allowing for higher inner-dimension in the factorization can help in modeling more "
        "variations in the background.”",
        place="Section 5.3",
        asks="in some cases",
        tests=(
            "fig7/restaurant-ranks-above-1",
            "fig7/hall-ranks-above-1",
            "fig7/lobby-switch-ranks-above-1",
        ),
    ),
    Sentence(
        key="l1-matters-for-video",
        text="Results with XRAY-l2 “highlight the importance of having near-separable NMFs with "
        "l1 loss for this problem”.",
        place="Section 5.3",
        tests=(
            "fig7/restaurant-robust-xray-above-xray-l2-l1",
            "fig7/hall-robust-xray-above-xray-l2-l1",
            "fig7/lobby-switch-robust-xray-above-xray-l2-l1",
        ),
    ),
    Sentence(
        key="restaurant",
        text="“For Restaurant data, all robust methods (those with l1 penalty on the foreground) "
        "perform almost similarly.”",
        place="Section 5.3, Figure 7",
        tests=(
            "fig7/restaurant-alike-robust-xray-robust-nmf",
            "fig7/restaurant-alike-robust-xray-low-rank",
            "fig7/restaurant-alike-robust-xray-rpca",
            "fig7/restaurant-alike-robust-nmf-low-rank",
            "fig7/restaurant-alike-robust-nmf-rpca",
            "fig7/restaurant-alike-low-rank-rpca",
        ),
    ),
    Sentence(
        key="airport-hall",
        text="“For Airport Hall data, RobustXRAY is tied with local-search based Robust NMF and "
        "these two are better than other methods.”",
        place="Section 5.3, Figure 7",
        tests=(
            "fig7/hall-alike-robust-xray-robust-nmf",
            "fig7/hall-robust-xray-above-low-rank",
            "fig7/hall-robust-xray-above-rpca",
            "fig7/hall-robust-xray-above-xray-l2-l1",
            "fig7/hall-robust-nmf-above-low-rank",
            "fig7/hall-robust-nmf-above-rpca",
            "fig7/hall-robust-nmf-above-xray-l2-l1",
        ),
    ),
    Sentence(
        key="xray-l2-above-low-rank",
        text="On Airport Hall, “surprisingly, XRAY-l2 performs better than local-search based "
        "Robust Low-rank”.",
        place="Section 5.3, Figure 7",
        asks="under one reading",  # of the start of Robust Low-rank, which is not named
        tests=(
            "fig7/hall-xray-l2-l1-above-low-rank-random",
            "fig7/hall-xray-l2-l1-above-low-rank-svd",
        ),
    ),
    Sentence(
        key="bad-initialization",
        text="That Robust Low-rank is behind on Airport Hall “might be due to bad initialization”.",
        place="Section 5.3, Figure 7",
        asks="in some cases",
        tests=("fig7/hall-initialization",),
    ),
    Sentence(
        key="lobby",
        text="“For Lobby data, local-search based Robust low-rank, Robust PCA and RobustXRAY "
        "perform almost similarly, and are better than local-search based Robust NMF.”",
        place="Section 5.3, Figure 7",
        tests=(
            "fig7/lobby-switch-alike-low-rank-rpca",
            "fig7/lobby-switch-alike-low-rank-robust-xray",
            "fig7/lobby-switch-alike-rpca-robust-xray",
            "fig7/lobby-switch-low-rank-above-robust-nmf",
            "fig7/lobby-switch-rpca-above-robust-nmf",
            "fig7/lobby-switch-robust-xray-above-robust-nmf",
        ),
    ),
)
