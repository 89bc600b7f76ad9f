"""The sentences of Section 5.1 on RRI and OGM, speed and end point apart."""

from __future__ import annotations

from nmfbench.artefacts.bounds import within_factor
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import smaller
from nmfbench.papers.mahnmf.curves import ALGORITHM_1, OGM, SELECT, SORT, on_problem

__all__ = ["ASSUMED", "large", "small"]

_COMPARABLE = 2.0  # times

ASSUMED = {
    "sizes and ranks": "Lost in the text; ours.",
    "rule (4)": "Runs go on for a fixed number of rounds; where the paper's rule would have "
    "stopped each is read off its trace (dots), at a precision of 0.001, ours. A run that had not "
    "stopped counts where that decides the comparison.",
    "rounds": "A round updates both factors once. It is one sweep of weighted medians (RRI, one "
    "sweep), 10 to 1000 sweeps over each factor (Algorithm 1), or 10 to 1000 gradients for each "
    "(OGM): rounds of different methods are different units of work.",
    "closed form": "Section 5.1 explains the figure by OGM having a closed form for each "
    "variable. It is RRI that has one; the claim is read so.",
    "RRI": "By sorting, as the paper finds the median, one sweep a round; by selection, in linear "
    "time; and Algorithm 1 with its inner stop rule, by selection, which takes the same steps as "
    "by sorting.",
    "OGM": "First μ = 1, then 1/t, and the paper's bound on the Lipschitz constant; the spectral "
    "step uses the constant itself. The number for μ is lost; data are in [0, 1].",
    "start": "Uniform, small, scaled by one multiplicative step; the same for all methods of a "
    "repeat. Each repeat draws data and start.",
}


def small(problem, problems, slug, source):
    """The claims on small data."""

    def claim(name, statement, test):
        return Claim(
            f"{slug}-{name}",
            f"{problem.label}: {statement}",
            source,
            on_problem(problem.label, problems, test),
        )

    return [
        claim(
            "rounds",
            "RRI (Algorithm 1) converges in fewer rounds than OGM.",
            smaller(ALGORITHM_1, OGM, "rounds-to-stop", "running"),
        ),
        claim(
            "seconds",
            "RRI by sorting, one sweep a round, converges in fewer CPU seconds than OGM.",
            smaller(SORT, OGM, "seconds-to-stop", "running"),
        ),
        claim(
            "seconds-algorithm-1",
            "RRI as Algorithm 1 converges in fewer CPU seconds than OGM.",
            smaller(ALGORITHM_1, OGM, "seconds-to-stop", "running"),
        ),
        claim(
            "seconds-a-round",
            "A round of RRI (Algorithm 1) and one of OGM take comparable time (within a factor "
            f"of {_COMPARABLE:g}).",
            within_factor(ALGORITHM_1, OGM, "seconds-a-round", _COMPARABLE),
        ),
        claim(
            "end",
            "RRI (Algorithm 1) reduces the objective further than OGM, where each stops.",
            smaller(ALGORITHM_1, OGM, "objective-at-stop"),
        ),
        claim(
            "end-one-sweep",
            "RRI with one sweep a round reduces the objective further than OGM, where each stops.",
            smaller(SELECT, OGM, "objective-at-stop"),
        ),
    ]


def large(problem, problems, slug, source):
    """The claims on large data, and where the two end, of which the paper says nothing."""

    def claim(name, statement, test, where=source, origin="paper"):
        return Claim(
            f"{slug}-{name}",
            f"{problem.label}: {statement}",
            where,
            on_problem(problem.label, problems, test),
            origin=origin,
        )

    return [
        claim(
            "seconds-a-round",
            "A round of OGM takes less time than one of RRI by sorting.",
            smaller(OGM, SORT, "seconds-a-round"),
        ),
        claim(
            "seconds",
            "OGM converges in fewer CPU seconds than RRI by sorting.",
            smaller(OGM, SORT, "seconds-to-stop", "running"),
        ),
        claim(
            "seconds-selection",
            "OGM converges in fewer CPU seconds than RRI by selection.",
            smaller(OGM, SELECT, "seconds-to-stop", "running"),
        ),
        claim(
            "end",
            "OGM ends lower than RRI does. (The end point, apart from the speed.)",
            smaller(OGM, SELECT, "objective-at-end"),
            "ours; the paper compares the speed only",
            "ours",
        ),
    ]
