"""Testable sentences of the paper on OR-NMF, in reading order, with the claims that test them."""

from nmfbench.artefacts.sentence import Sentence

SENTENCES = (
    # Abstract and introduction.
    Sentence(
        key="local-optimum",
        text="“We prove that OR-NMF almost surely converges to a local optimal solution.”",
        place="Abstract",
        tests=(
            "streams/local-optimum-cbcl-exact",
            "streams/local-optimum-orl-exact",
            "streams/local-optimum-huebow-exact",
        ),
    ),
    Sentence(
        key="constant-step",
        text="“By using a buffering strategy, we keep both the time and space complexities of one "
        "step of the OR-NMF constant”; the buffer “largely saves storages”.",
        place="Abstract, Sections II-C, V-A.2 and V-C.1",
        tests=("memory/mor-constant", "memory/mor-constant-memory"),
    ),
    Sentence(
        key="more-efficient",
        text="OR-NMF “outperforms the existing online NMF (ONMF) algorithms in terms of "
        "efficiency”; it “converges much faster”.",
        place="Abstract, Introduction, Section IV-F",
        tests=(
            "efficiency/faster-omf-samples",
            "efficiency/faster-omf-seconds",
            "efficiency/faster-omf-da-samples",
            "efficiency/faster-omf-da-seconds",
            "efficiency/faster-inmf-samples",
            "efficiency/faster-inmf-seconds",
            "efficiency/much-faster-omf",
            "efficiency/much-faster-omf-da",
            "efficiency/much-faster-inmf",
        ),
    ),
    Sentence(
        key="more-effective",
        text="“Experimental results of face recognition and image annotation on public datasets "
        "confirm the effectiveness of OR-NMF compared with the existing ONMF algorithms.”",
        place="Abstract, Introduction, Section VI",
        tests=("fig10/effective", "fig11/effective", "fig12/best-or"),
    ),
    Sentence(
        key="batch-iterations",
        text="Of batch methods “the time overheads are proportional to the product of the size of "
        "the dataset and number of iterations, and the number of iterations usually increases as "
        "the size of dataset increases”.",
        place="Introduction",
        tests=(
            "batch/iterations-mu",
            "batch/iterations-hals",
            "batch/iterations-nenmf",
            "costs/batch-seconds-mu",
            "costs/batch-seconds-hals",
            "costs/batch-seconds-nenmf",
        ),
    ),
    # Section II: algorithm and convergence.
    Sentence(
        key="inner-rate",
        text="“OR-NMF converges at the rate of O(1/√k) in each update of the bases”: the average "
        "solution converges almost surely to the optimal solution of (6).",
        place="Abstract, Section II-A",
        tests=("rates/rate",),
    ),
    Sentence(
        key="adaptive-m-star",
        text="“We adaptively update M∗ with the maxima of ‖∇G(W, v)‖ during the optimization "
        "procedure. The experimental results show that this strategy works well.”",
        place="Section II-A",
        asks="under one reading",
        tests=(
            "step-sizes/kept",
            "step-sizes/reset",
        ),
    ),
    Sentence(
        key="cosine-theta",
        text="“We adaptively set θᵗ = 0.1 cos((t − 1)π/2T), and the results show that this "
        "strategy performs well.”",
        place="Section II-A",
        tests=("step-sizes/cosine",),
    ),
    Sentence(
        key="update-dominates",
        text="“The main time cost of Algorithm 1 is spent on Statement 6, which updates the basis "
        "matrix with Algorithm 2.”",
        place="Section II-A",
        tests=("costs/update-dominates",),
    ),
    Sentence(
        key="constant-time",
        text="“The time complexity of Algorithm 2 is O(mrK)”; it “stays constant because it has no "
        "relation to the sample number t”.",
        place="Section II-A",
        tests=(
            "memory/or-constant-time",
            "costs/inner-step-m",
            "costs/inner-step-r",
        ),
    ),
    Sentence(
        key="theorem-1",
        text="“The objective function f(W) converges almost surely under Algorithm 1.”",
        place="Section II-B, Theorem 1",
        tests=(
            "streams/converges-cbcl-exact",
            "streams/converges-orl-exact",
            "streams/converges-huebow-exact",
        ),
    ),
    Sentence(
        key="theorem-1-buffer",
        text="“The modified OR-NMF with buffering strategy (see Algorithm 3) can be proved in a "
        "similar way” to converge: f(W) converges.",
        place="Section II-B",
        tests=(
            "streams/converges-cbcl-mor-constant",
            "streams/converges-orl-mor-constant",
            "streams/converges-huebow-mor-constant",
        ),
    ),
    Sentence(
        key="update-descends",
        text="“Wᵗ⁺¹ minimizes gₜ₊₁(W) on C, gₜ₊₁(Wᵗ⁺¹) ≤ gₜ₊₁(Wᵗ).”",
        place="Section II-B, Eqs. (13) and (18)",
        untestable="A minimiser cannot be higher. Whether updates that end by rule (9) rise is "
        "our question, in or-nmf/streams.",
    ),
    Sentence(
        key="bases-settle",
        text="“We prove that ‖Wᵗ⁺¹ − Wᵗ‖ = O(1/t).”",
        place="Section II-B, step 2",
        tests=(
            "streams/settles-cbcl-exact",
            "streams/settles-orl-exact",
            "streams/settles-huebow-exact",
        ),
    ),
    Sentence(
        key="surrogate-meets-cost",
        text="“gₜ(Wᵗ) − fₜ(Wᵗ) → 0 (t → ∞), a.s.”",
        place="Section II-B, step 3",
        tests=(
            "streams/meets-cbcl-exact",
            "streams/meets-orl-exact",
            "streams/meets-huebow-exact",
        ),
    ),
    Sentence(
        key="memory-grows",
        text="“The space complexity of Algorithm 1, i.e., O(mt + rt + mr), increases dramatically "
        "as t increases to infinity.”",
        place="Section II-C",
        tests=("memory/or-memory",),
    ),
    Sentence(
        key="mor-works",
        text="“Empirical experiments on real-world datasets show that Algorithm 3 converges and "
        "works well in various applications.”",
        place="Section II-C",
        tests=(
            "fig2/mor-converges",
            "fig3/mor-converges",
            "fig6/mor-converges",
            "fig2/mor-learns",
            "fig3/mor-learns",
            "fig6/mor-learns",
            "fig10/mor-works",
            "fig11/mor-works",
            "fig12/mor-works",
        ),
    ),
    Sentence(
        key="buffer-length",
        text="“The buffer length l is a critical parameter”: it “cannot be too large because it "
        "controls the space complexity” and “should be set large enough” for “sufficient samples”.",
        place="Section II-C",
        tests=(
            "settings/buffer-bytes",
            "settings/buffer-cost",
        ),
    ),
    Sentence(
        key="chunks-faster",
        text="“We can improve the convergence speed of the proposed Algorithm 1 by receiving a "
        "chunk of samples instead of a single one.”",
        place="Section II-D",
        asks="in some cases",  # "can"
        tests=(
            "fig4/wor-or-seconds-r10",
            "fig4/wor-or-seconds-r50",
            "fig5/wor-or-seconds-r10",
            "fig5/wor-or-seconds-r50",
            "fig7/wor-or-seconds-r50",
            "fig7/wor-or-seconds-r80",
            "chunk-lengths/chunks-2-seconds-r10",
            "chunk-lengths/chunks-5-seconds-r10",
            "chunk-lengths/chunks-25-seconds-r10",
            "chunk-lengths/chunks-50-seconds-r10",
        ),
    ),
    # Section III: extensions.
    Sentence(
        key="l1-sparse",
        text="The sparsity of NMF “is not explicitly guaranteed”; the l1-regularization on the "
        "coefficients gives it, and (28) “can be easily optimized by extending OR-NMF”.",
        place="Section III-A",
        tests=(
            "penalties/l1-sparse",
            "penalties/l1-near-0.001",
            "penalties/l1-near-0.01",
        ),
    ),
    Sentence(
        key="l2-smooth",
        text="The l2-regularization controls “the smoothness of the solution”, and (29) “can be "
        "solved by naturally extending OR-NMF”.",
        place="Section III-B",
        tests=(
            "penalties/l2-smooth",
            "penalties/l2-smooth-light",
            "penalties/l2-near-light",
        ),
    ),
    Sentence(
        key="box",
        text="OR-NMF “can be naturally extended to solve the box-constrained optimization problem” "
        "“by slightly modifying the projection operator”.",
        place="Section III-C",
        tests=("penalties/box-near",),
    ),
    Sentence(
        key="other-regularizations",
        text="“OR-NMF can also be extended to handle other regularizations, e.g., manifold "
        "regularization and regularizations for transfer learning.”",
        place="Section III-C",
        untestable="The paper states no objective and no algorithm for them: it postpones them to "
        "future publications.",
    ),
    Sentence(
        key="is-convex",
        text="“d_IS(v, Wh) is convex with respect to W.”",
        place="Section III-D",
        tests=("divergence-convexity/convex",),
    ),
    # Section IV: related works.
    Sentence(
        key="onmf-cheap",
        text="“Because the time overhead of (36) is much lower than that of (35), ONMF performs "
        "well in practice.”",
        place="Section IV-A",
        tests=(
            "costs/onmf-cheap",
            "batch/onmf-pays",
        ),
    ),
    Sentence(
        key="onmf-memory",
        text="“The space complexity of ONMF, O(mn + rn), increases dramatically as n increases. "
        "Thus it cannot be applied to large-scale or streaming datasets.”",
        place="Section IV-A",
        tests=(
            "memory/onmf-memory",
            "limit/onmf-dies",
        ),
    ),
    Sentence(
        key="inmf-memory",
        text="Of INMF “the space complexity of (40) stays constant”.",
        place="Section IV-C",
        tests=("memory/inmf-constant-memory",),
    ),
    Sentence(
        key="inmf-slow",
        text="“The multiplicative update rules (40) suffer from slow convergence, which makes (40) "
        "time consuming.”",
        place="Section IV-C",
        tests=(
            "inner/inmf-slow-cbcl",
            "inner/inmf-slow-orl",
            "inner/inmf-slow-huebow",
            "inner/inmf-slower-than-sweeps",
            "efficiency/inmf-time",
        ),
    ),
    Sentence(
        key="inmf-zero",
        text="INMF “may fail if some elements in the denominators become zero”.",
        place="Section IV-C",
        asks="in some cases",
        tests=(
            "inner/inmf-fails-cbcl",
            "inner/inmf-fails-orl",
            "inner/inmf-fails-huebow",
        ),
    ),
    Sentence(
        key="omf-memory",
        text="“OMF consumes constant memory and scales up gracefully to large-scale datasets.”",
        place="Section IV-E",
        tests=(
            "memory/omf-constant-memory",
            "memory/omf-constant-time",
        ),
    ),
    Sentence(
        key="omf-slow",
        text="“(45) converges slowly because the learning rates ignore most off-diagonal "
        "information.”",
        place="Section IV-E",
        tests=(
            "inner/omf-slow-cbcl",
            "inner/omf-slow-orl",
            "inner/omf-slow-huebow",
            "inner/omf-off-diagonal-half",
            "inner/omf-off-diagonal-quarter",
        ),
    ),
    Sentence(
        key="da-unstable",
        text="OMF-DA “ignores all of the off-diagonal information in the Hessian matrix, and thus "
        "suffers from numerical instability”.",
        place="Section IV-F",
        tests=(
            "fig2/omf-da-unstable",
            "fig3/omf-da-unstable",
            "fig6/omf-da-unstable",
        ),
    ),
    Sentence(
        key="da-unstable-on-sparse-data",
        text="OMF-DA suffers from it “especially when the dataset is sparse”.",
        place="Section IV-F",
        asks="under one reading",  # of instability, of which the paper has no measure
        tests=(
            "efficiency/omf-da-unstable-on-sparse-data",
            "efficiency/omf-da-unstable-on-sparse-data-difference",
        ),
    ),
    Sentence(
        key="cg-slow",
        text="“Although CG approximates the Hessian inverse, the conjugate gradient procedure is "
        "time consuming.”",
        place="Section IV-F",
        tests=("optimum/omf-cg-slow",),
    ),
    Sentence(
        key="overcomes-drawbacks",
        text="“The proposed OR-NMF overcomes the aforementioned drawbacks of ONMF, ONMF-IS, INMF, "
        "INMF-VC, OMF, and OMF-DA.”",
        place="Section IV-F",
        tests=(
            "memory/mor-constant-memory",
            "limit/mor-survives",
            "efficiency/less-time-omf",
            "efficiency/less-time-inmf",
            "efficiency/faster-omf-da-samples",
        ),
    ),
    # Section V-A: efficiency.
    Sentence(
        key="faster-cbcl",
        text="On CBCL “both OR-NMF and MOR-NMF reduce the objective function faster than other "
        "algorithms”.",
        place="Section V-A.1, Figure 2",
        tests=(
            "fig2/or-omf-samples-r10",
            "fig2/or-omf-samples-r50",
            "fig2/or-omf-seconds-r10",
            "fig2/or-omf-seconds-r50",
            "fig2/or-omf-da-samples-r10",
            "fig2/or-omf-da-samples-r50",
            "fig2/or-omf-da-seconds-r10",
            "fig2/or-omf-da-seconds-r50",
            "fig2/or-inmf-samples-r10",
            "fig2/or-inmf-samples-r50",
            "fig2/or-inmf-seconds-r10",
            "fig2/or-inmf-seconds-r50",
            "fig2/mor-omf-samples-r10",
            "fig2/mor-omf-samples-r50",
            "fig2/mor-omf-seconds-r10",
            "fig2/mor-omf-seconds-r50",
            "fig2/mor-omf-da-samples-r10",
            "fig2/mor-omf-da-samples-r50",
            "fig2/mor-omf-da-seconds-r10",
            "fig2/mor-omf-da-seconds-r50",
            "fig2/mor-inmf-samples-r10",
            "fig2/mor-inmf-samples-r50",
            "fig2/mor-inmf-seconds-r10",
            "fig2/mor-inmf-seconds-r50",
        ),
    ),
    Sentence(
        key="faster-orl",
        text="On ORL “both OR-NMF and MOR-NMF outperform OMF, OMF-DA, and INMF in terms of both "
        "objective values and CPU seconds”.",
        place="Section V-A.1, Figure 3",
        tests=(
            "fig3/or-omf-samples-r10",
            "fig3/or-omf-samples-r50",
            "fig3/or-omf-seconds-r10",
            "fig3/or-omf-seconds-r50",
            "fig3/or-omf-da-samples-r10",
            "fig3/or-omf-da-samples-r50",
            "fig3/or-omf-da-seconds-r10",
            "fig3/or-omf-da-seconds-r50",
            "fig3/or-inmf-samples-r10",
            "fig3/or-inmf-samples-r50",
            "fig3/or-inmf-seconds-r10",
            "fig3/or-inmf-seconds-r50",
            "fig3/mor-omf-samples-r10",
            "fig3/mor-omf-samples-r50",
            "fig3/mor-omf-seconds-r10",
            "fig3/mor-omf-seconds-r50",
            "fig3/mor-omf-da-samples-r10",
            "fig3/mor-omf-da-samples-r50",
            "fig3/mor-omf-da-seconds-r10",
            "fig3/mor-omf-da-seconds-r50",
            "fig3/mor-inmf-samples-r10",
            "fig3/mor-inmf-samples-r50",
            "fig3/mor-inmf-seconds-r10",
            "fig3/mor-inmf-seconds-r50",
        ),
    ),
    Sentence(
        key="chunks-dense",
        text="“WOR-NMF outperforms ONMF in terms of both objective values and CPU seconds on these "
        "dense datasets”, CBCL and ORL.",
        place="Section V-A.1, Figures 4 and 5",
        tests=(
            "fig4/wor-onmf-samples-r10",
            "fig4/wor-onmf-samples-r50",
            "fig4/wor-onmf-seconds-r10",
            "fig4/wor-onmf-seconds-r50",
            "fig4/wor-onmf-two-passes-r10",
            "fig4/wor-onmf-two-passes-r50",
            "fig5/wor-onmf-samples-r10",
            "fig5/wor-onmf-samples-r50",
            "fig5/wor-onmf-seconds-r10",
            "fig5/wor-onmf-seconds-r50",
            "fig5/wor-onmf-two-passes-r10",
            "fig5/wor-onmf-two-passes-r50",
        ),
    ),
    Sentence(
        key="sparser",
        text="“The IAPR TC12 dataset is much sparser than both the CBCL and ORL datasets.”",
        place="Section V-A.2, Table II",
        tests=("table2/sparser",),
    ),
    Sentence(
        key="faster-sparse",
        text="On IAPR TC12 “OR-NMF outperforms OMF, OMF-DA, and INMF in terms of both objective "
        "values and CPU seconds”.",
        place="Section V-A.2, Figure 6",
        tests=(
            "fig6/or-omf-samples-r50",
            "fig6/or-omf-samples-r80",
            "fig6/or-omf-seconds-r50",
            "fig6/or-omf-seconds-r80",
            "fig6/or-omf-da-samples-r50",
            "fig6/or-omf-da-samples-r80",
            "fig6/or-omf-da-seconds-r50",
            "fig6/or-omf-da-seconds-r80",
            "fig6/or-inmf-samples-r50",
            "fig6/or-inmf-samples-r80",
            "fig6/or-inmf-seconds-r50",
            "fig6/or-inmf-seconds-r80",
        ),
    ),
    Sentence(
        key="mor-low-rank",
        text="“MOR-NMF may get higher objective values when the reduced dimensionality is low”, "
        "as it “discards old samples in the buffer”.",
        place="Section V-A.2, Figure 6",
        asks="in some cases",
        tests=("fig6/mor-above-or-r50",),
    ),
    Sentence(
        key="chunks-sparse",
        text="On IAPR TC12 “WOR-NMF outperforms ONMF in terms of objective values”.",
        place="Section V-A.2, Figure 7",
        tests=(
            "fig7/wor-onmf-samples-r50",
            "fig7/wor-onmf-samples-r80",
            "fig7/wor-onmf-two-passes-r50",
            "fig7/wor-onmf-two-passes-r80",
        ),
    ),
    Sentence(
        key="onmf-cheaper",
        text="“ONMF sometimes costs less CPU seconds especially when the reduced dimensionality is "
        "relatively high.”",
        place="Section V-A.2, Figure 7",
        asks="in some cases",
        tests=("fig7/onmf-cheaper-r50", "fig7/onmf-cheaper-r80"),
    ),
    Sentence(
        key="onmf-cheaper-at-high-rank",
        text="ONMF is cheap “especially when the reduced dimensionality is relatively high”.",
        place="Section V-A.2, Figure 7",
        tests=("fig7/onmf-cheaper-at-high-rank",),
    ),
    Sentence(
        key="onmf-nonconvergent",
        text="ONMF “suffers from a serious nonconvergence problem”.",
        place="Section V-A.2, Figure 7",
        tests=("fig7/onmf-nonconvergent-r50", "fig7/onmf-nonconvergent-r80"),
    ),
    Sentence(
        key="wor-works-sparse",
        text="“WOR-NMF works well on this sparse dataset”, IAPR TC12.",
        place="Section V-A.2, Figure 7",
        tests=(
            "fig7/wor-converges-r50",
            "fig7/wor-converges-r80",
            "fig7/wor-learns-r50",
            "fig7/wor-learns-r80",
        ),
    ),
    Sentence(
        key="is-ill-posed",
        text="“The IS divergence is ill-posed on that dataset”, the sparse one.",
        place="Section V-A.3",
        tests=("table2/is-sparse", "table2/is-sparse-alone"),
    ),
    Sentence(
        key="is-faster",
        text="“OR-NMF-IS reduces the objective function more rapidly than ONMF-IS and it confirms "
        "that OR-NMF can be applied to incrementally optimizing IS-NMF.”",
        place="Sections III-D and V-A.3, Figures 8 and 9",
        tests=(
            "fig8/is-samples-r10",
            "fig8/is-samples-r50",
            "fig8/is-seconds-r10",
            "fig8/is-seconds-r50",
            "fig9/is-samples-r10",
            "fig9/is-samples-r50",
            "fig9/is-seconds-r10",
            "fig9/is-seconds-r50",
            "batch/is-applies-cbcl",
            "batch/is-applies-orl",
        ),
    ),
    # Section V-B: face recognition.
    Sentence(
        key="parts",
        text="“Both OR-NMF and MOR-NMF work well in learning parts-based representation on the "
        "CBCL and ORL datasets.”",
        place="Section V-B, Figure 1",
        tests=(
            "fig1/or-nmf-learns-parts-cbcl",
            "fig1/or-nmf-learns-parts-orl",
            "fig1/mor-nmf-learns-parts-cbcl",
            "fig1/mor-nmf-learns-parts-orl",
        ),
    ),
    Sentence(
        key="recognition-cbcl",
        text="On CBCL “both OR-NMF and MOR-NMF outperform the other algorithms”.",
        place="Section V-B.1, Figure 10",
        tests=(
            "fig10/best-or-nmf-3",
            "fig10/best-or-nmf-5",
            "fig10/best-or-nmf-7",
            "fig10/best-mor-nmf-3",
            "fig10/best-mor-nmf-5",
            "fig10/best-mor-nmf-7",
        ),
    ),
    Sentence(
        key="onmf-inmf-some-ranks",
        text="“ONMF and INMF perform well on some reduced dimensionalities.”",
        place="Section V-B.1, Figure 10",
        tests=(
            "fig10/some-ranks-onmf",
            "fig10/some-ranks-inmf",
            "fig10/some-ranks-trained-onmf",
            "fig10/some-ranks-trained-inmf",
        ),
    ),
    Sentence(
        key="onmf-inmf-decline",
        text="The accuracies of ONMF and INMF “decrease when the reduced dimensionality becomes "
        "high”.",
        place="Section V-B.1, Figure 10",
        tests=("fig10/decline-onmf", "fig10/decline-inmf"),
    ),
    Sentence(
        key="robust-to-rank",
        text="“OR-NMF, MOR-NMF, and WOR-NMF overcome this problem and perform robustly on all the "
        "reduced dimensionalities.”",
        place="Section V-B.1, Figure 10",
        tests=("fig10/robust-or-nmf", "fig10/robust-mor-nmf", "fig10/robust-wor-nmf"),
    ),
    Sentence(
        key="recognition-orl",
        text="Figure 11, on ORL, “gives the same observation as Fig. 10”.",
        place="Section V-B.2, Figure 11",
        tests=(
            "fig11/best-or-nmf-3",
            "fig11/best-or-nmf-5",
            "fig11/best-or-nmf-7",
            "fig11/best-mor-nmf-3",
            "fig11/best-mor-nmf-5",
            "fig11/best-mor-nmf-7",
            "fig11/some-ranks-onmf",
            "fig11/some-ranks-inmf",
            "fig11/decline-onmf",
            "fig11/decline-inmf",
            "fig11/robust-or-nmf",
            "fig11/robust-mor-nmf",
            "fig11/robust-wor-nmf",
            "fig11/some-ranks-trained-onmf",
            "fig11/some-ranks-trained-inmf",
        ),
    ),
    # Section V-C: image annotation.
    Sentence(
        key="annotation",
        text="“Both OR-NMF and WOR-NMF outperform the representative ONMF algorithms, especially "
        "when the reduced dimensionality is high.”",
        place="Section V-C.1, Figure 12",
        tests=("fig12/best-or", "fig12/high-r-or", "fig12/best-wor", "fig12/high-r-wor"),
    ),
    Sentence(
        key="all-keywords",
        text="Of example images, “all the keywords in these images were predicted”.",
        place="Section V-C.1, Table III",
        untestable="It is said of a few images that the authors chose and the text does not name, "
        "not of how often it happens.",
    ),
    Sentence(
        key="meaningful-keywords",
        text="“Some of the additionally annotated keywords have also semantic representation”: "
        "“man”, “adult” and “horizon” “are meaningful”.",
        place="Section V-C.1, Table III",
        untestable="Whether a keyword that nobody gave an image is meaningful is judged by eye, on "
        "images that the authors chose.",
    ),
    Sentence(
        key="annotation-buffer",
        text="“MOR-NMF is not as good as OR-NMF in terms of AC, RC, and NS because it discards old "
        "samples in the buffer.”",
        place="Section V-C.1, Figure 12",
        tests=("fig12/mor",),
    ),
)
