"""Testable sentences of the slides on Liu, Yang, Wu & Li (2012), in reading order."""

from nmfbench.artefacts.sentence import Sentence

SENTENCES = (
    Sentence(
        key="better-than-nothing",
        text="Linear regression is “used mainly as a heuristic regularization term. Likely it's "
        "better than nothing”.",
        place="slide “Why regression?”",
        asks="under one reading",  # of the weights, which are not named
        tests=(
            "fig2/term-at-its-defaults",
            "fig2/term-at-its-best",
        ),
    ),
    Sentence(
        key="better-than-nothing-on-caltech",
        text="So it is, by the same sentence, on Caltech-101.",
        place="slide “Why regression?”",
        asks="under one reading",
        tests=(
            "fig3/term-at-its-defaults",
            "fig3/term-at-its-best",
        ),
    ),
    Sentence(
        key="trace-as-regression",
        text="“Inverse is troublesome”, so the trace of (VVᵀ + λ₂I)⁻¹ is replaced by a "
        "regression with W, which step 1 of the algorithm solves in closed form.",
        place="slides “A-Optimal Non-Negative Projection (ANP)” and “Alternating algorithm”",
        tests=(
            "lemmas/closed-form",
            "lemmas/trace-as-regression",
        ),
    ),
    Sentence(
        key="stationary-point",
        text="“The method is guaranteed to converge to a stationary point”, “but may take "
        "infinity number of iterations”.",
        place="slide “Here in this paper”",
        tests=("lemmas/stationary-point",),
    ),
    Sentence(
        key="fast-then-slow",
        text="“Empirically, such alternating methods” are “fast at beginning” and “slow to "
        "approach solution”.",
        place="slide “Here in this paper”",
        tests=("fig2/fast-then-slow",),
    ),
    Sentence(
        key="improves-on-caltech",
        text="On Caltech-101 “the improvement is good comparing to baseline algorithms”: K-means "
        "of the images, and of the representation by NMF.",
        place="Figure 3, slide “Summary”",
        asks="under one reading",  # of the weights, which are not named
        tests=("fig3/anp-at-its-defaults", "fig3/anp-at-its-best"),
    ),
    Sentence(
        key="improves-on-orl",
        text="On ORL “the improvement is good comparing to baseline algorithms”: K-means of the "
        "images, and of the representation by NMF.",
        place="Figure 2, slide “Summary”",
        asks="under one reading",  # of the weights, which are not named
        tests=("fig2/anp-at-its-defaults", "fig2/anp-at-its-best"),
    ),
    Sentence(
        key="many-local-optima",
        text="“There are many local optima.”",
        place="slide “Critiques and questions” (Shahzor)",
        tests=("lemmas/many-local-optima",),
    ),
    Sentence(
        key="variance-for-bias",
        text="Minimising the covariance of the parameters “can minimize the variance term, but "
        "only at a cost of increasing bias term”, and so not the expected prediction error.",
        place="slide “Critiques and questions” (Jiaming)",
        asks="under one reading",  # of the weight of the term, which is not named
        tests=("bias-variance/trade-default", "bias-variance/trade-heavy"),
    ),
    Sentence(
        key="not-monotone-in-classes",
        text="“In Fig. 2(a) … the accuracy is not monotonically decreasing according to the "
        "number of class.”",
        place="slide “Critiques and questions” (Jiaming), Figure 2(a)",
        tests=("fig2/not-monotone",),
    ),
    Sentence(
        key="rank-grows-with-classes",
        text="That accuracy does not fall monotonically “depends on the inner dimension of U, V. "
        "They increase r together with K.”",
        place="slide “Critiques and questions” (Jiaming)",
        tests=("fixed-rank/falls-at-fixed-rank", "fixed-rank/rises-as-rank-grows"),
    ),
    Sentence(
        key="behind-the-state-of-the-art",
        text="The improvement is “not good enough for a 2012 paper. The state-of-the-art is much "
        "better?”",
        place="slide “Summary”",
        tests=("fig2/gnmf-at-its-best", "fig3/gnmf-at-its-best"),
    ),
)
