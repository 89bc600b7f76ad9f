"""Claims of Figures 2 and 3: who is ahead, and whether accuracy falls with every class."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, comparable
from nmfbench.artefacts.finding import Finding, with_evidence, within
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.region import Bounds
from nmfbench.papers.anp.curves import (
    AC,
    ANP,
    BEST,
    EACH,
    GNMF,
    GNMF_BEST,
    GNMF_EACH,
    KMEANS,
    NAMES,
    NCUTS,
    NMF,
    NO_TERM,
    SCORES,
)

_MUCH = Bounds(low=0.1)
"""A lead that is much: ten points, five times the smallest difference that matters."""


def claims(figure: str, whole: str) -> list[Claim]:
    """Claims of the slides in a figure, and our questions.

    Parameters
    ----------
    figure : str
        Such as ``"Figure 2"``.
    whole : str
        Name of the data.
    """
    scores, by = list(SCORES), ["classes"]
    ours = f"ours, after {figure}"
    improves = f"{figure}; Summary: “The improvement is good comparing to baseline algorithms”"
    return [
        Claim(
            "anp-at-its-defaults",
            f"ANP, with the same weights everywhere, is ahead of K-means and of NMF in AC and in "
            f"MI on {whole}.",
            improves,
            with_evidence(always_best(ANP, [KMEANS, NMF], scores, by), _weights_of(ANP)),
        ),
        Claim(
            "anp-at-its-best",
            f"ANP, with the weights that score best on the test, is ahead of K-means and of NMF in "
            f"AC and in MI on {whole}.",
            improves,
            with_evidence(always_best(BEST, [KMEANS, NMF], scores, by), _weights_of(BEST)),
        ),
        *(
            Claim(
                f"term-at-its-{slug}",
                f"The regression term of ANP is better than nothing: with {words} ANP is ahead of "
                f"the same updates without it in AC and in MI on {whole}.",
                f"slide “Why regression?”, on {figure}",
                with_evidence(always_best(label, [NO_TERM], scores, by), _weights_of(label)),
            )
            for slug, label, words in (
                ("defaults", ANP, "the same weights everywhere"),
                ("best", BEST, "the weights that score best on the test"),
            )
        ),
        Claim(
            "gnmf-at-its-best",
            f"The state of the art is much better: GNMF, of 2011, with the weight that scores best "
            f"on the test is ahead of ANP with its own best weights by ten points or more, in AC "
            f"and in MI on {whole}.",
            f"slide “Summary”, on {figure}: “Not good enough for a 2012 paper. The "
            "state-of-the-art is much better?”",
            with_evidence(
                always_best(GNMF_BEST, [BEST], scores, by, region=_MUCH),
                _both(_graph_weight, _weights_of(BEST)),
            ),
        ),
        Claim(
            "gnmf-above-anp",
            f"GNMF, of 2011, with its default weight is ahead of ANP with the weights that score "
            f"best on the test, in AC and in MI on {whole}.",
            ours,
            with_evidence(always_best(GNMF, [BEST], scores, by), _weights_of(BEST)),
            origin="ours",
        ),
        Claim(
            "anp-is-nmf",
            "With its default weights ANP scores as NMF does.",
            ours,
            with_evidence(comparable([ANP, NMF], scores, by=by), _weights_of(ANP)),
            origin="ours",
        ),
        Claim(
            "anp-above-ncuts",
            f"ANP, with the weights that score best on the test, is ahead of normalised cuts of a "
            f"neighbour graph on {whole}.",
            ours,
            with_evidence(always_best(BEST, [NCUTS], scores, by), _weights_of(BEST)),
            origin="ours",
        ),
    ]


def _weights_of(method):
    """Sentence on the weights of ANP, and on the share of its new term in the objective."""

    def describe(frame):
        rows = select_rows(frame, method=method)
        lam1, lam2 = rows[NAMES].iloc[0]
        text = f"λ₁ = {lam1:g}, λ₂ = {lam2:g}"
        if method == BEST:
            tried = select_rows(frame, method=EACH)[NAMES].drop_duplicates()
            text += f", the best of {len(tried)} pairs"
        if "objective" in rows:
            # The trace is at most the number of components over the ridge.
            share = (lam1 * rows["n_components"] / rows["objective"]).max()
            text += f"; the new term is at most {100 * share:.2g} % of the objective"
        return text

    return describe


def _both(*descriptions):
    """Two sentences of evidence, one after the other."""
    return lambda frame: "; ".join(describe(frame) for describe in descriptions)


def _graph_weight(frame):
    """Sentence on the weight of GNMF."""
    best = select_rows(frame, method=GNMF_BEST)["alpha"].iloc[0]
    tried = select_rows(frame, method=GNMF_EACH)["alpha"].nunique()
    return f"GNMF: weight {best:g}, the best of {tried}; ANP"


def at_some_step(frame):
    """Accuracy with more classes is ahead of that with fewer, at one step along them at least."""
    return _compared_at_steps(frame, "more classes", "fewer classes", "some")


def at_every_step(frame):
    """Accuracy with fewer classes is ahead of that with more, at every step along them."""
    return _compared_at_steps(frame, "fewer classes", "more classes", "every")


def _compared_at_steps(rows, side, rival, rule):
    classes = sorted(set(rows["classes"]))
    steps = {f"from {few} to {many} classes": (few, many) for few, many in pairwise(classes)}
    if not steps:
        return Finding.without("not run", "there is no step in this grid")
    ends = [
        select_rows(rows, classes=end).assign(step=step, method=name)
        for step, ends in steps.items()
        for name, end in zip(("fewer classes", "more classes"), ends, strict=True)
    ]
    return always_best(side, [rival], AC, each={"step": list(steps)}, rule=rule)(pd.concat(ends))


def _resampled(frame):
    """How often means fall at every step when the draws are drawn again, with replacement."""
    cells = select_rows(frame, method=ANP).groupby(["repeat", "classes"])[AC].mean().unstack()
    cells = cells.dropna().to_numpy()
    draws = np.random.default_rng(0).integers(len(cells), size=(2000, len(cells)))
    falls = (np.diff(cells[draws].mean(axis=1), axis=1) < 0).all(axis=1).mean()
    return f"of means over as many draws, resampled, {100 * falls:.0f} % fall at every step"


NOT_MONOTONE = Claim(
    "not-monotone",
    "The accuracy of ANP does not fall monotonically with the number of classes: at one step at "
    "least it is higher for more classes.",
    "slide “Critiques and questions” (Jiaming), on Figure 2(a)",
    with_evidence(within({"method": ANP}, at_some_step), _resampled),
)
"""Statements of the slides on Figure 2 alone."""
