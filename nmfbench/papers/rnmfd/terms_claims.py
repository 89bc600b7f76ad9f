"""Claims on what each term of RNMFD buys."""

from __future__ import annotations

from functools import partial
from itertools import starmap

from nmfbench.artefacts.bounds import seldom
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, better, margin_grows
from nmfbench.artefacts.finding import at_each_reading, with_evidence, within
from nmfbench.artefacts.grids import CLEAN
from nmfbench.papers.rnmfd.sets import EXPONENTS, SETS, at_each_exponent
from nmfbench.papers.rnmfd.terms import (
    ALL,
    BOUNDED,
    DEAD,
    GNMF,
    GROSS,
    KEPT,
    LIGHT,
    MORE_S,
    NCUTS,
    NMF,
    NO_GRAPH,
    NO_ORTHOGONALITY,
    NO_S,
    PLACE,
    POINTS,
    S_ALONE,
    SIMILAR,
    TITLES,
)
from nmfbench.papers.rnmfd.terms_evidence import both_means, explained


def _ahead(winner, loser, *beside, value=POINTS):
    """A method is ahead of another; the evidence names the accuracies of those ``beside``, too."""
    test = explained(better(winner, loser, value, by=PLACE), winner, loser, *beside)
    if value == POINTS:
        return test
    return with_evidence(test, partial(both_means, value, winner, loser))


def _cleaned(own, more, without):
    """RNMFD is ahead by one of two rules for λ on one data set at least."""
    each = {"dataset": list(SETS)}
    found = always_best([own, more], [without], POINTS, PLACE[1:], each=each, rule="some")
    return explained(found, own, more, without, NCUTS)


def _keeps_more(own, more, rival):
    """RNMFD by one of two rules for λ keeps more above chance than a rival."""
    return explained(always_best([own, more], [rival], KEPT, PLACE, rule="some"), own, more, rival)


def _keeps_more_than_gnmf():
    tests = {
        f"{weight}, exponent {exponent}": _keeps_more(named(ALL), named(MORE_S), rival)
        for weight, rival in (("100", GNMF), ("0.1", LIGHT.label))
        for exponent, named in EXPONENTS.items()
    }
    return at_each_reading("the weight of GNMF and the exponent of Eq. (17)", tests)


_CLEAN, _NOISY = {"noise": CLEAN}, {"noise": list(TITLES)}
_OURS, _NOISE = "ours; the paper tests no noise", "averaged over sets, noises and levels"

_CLEAN_AND_NOISY = (
    (
        "graph",
        "The graph helps: RNMFD is ahead of RNMFD without it",
        "ours, after Section 4.2, which has NMF without locality",
        _ahead,
        (ALL, NO_GRAPH, NMF, NCUTS),
    ),
    (
        "nmf",
        "RNMFD, with a graph, is ahead of NMF",
        "Section 4.2",
        lambda own: _ahead(own, NMF, NO_GRAPH, NCUTS),
        (ALL,),
    ),
    (
        "orthogonality",
        "Orthogonality makes the representation discriminate: RNMFD is ahead of RNMFD without it",
        "Section 4.2",
        lambda own, without: _ahead(own, without, NCUTS),
        (ALL, NO_ORTHOGONALITY),
    ),
    (
        "nontrivial",
        "Orthogonality avoids the trivial solution: images of different classes are less similar "
        "in the representation (mean cosine) than without it",
        "Section 3.1",
        partial(_ahead, value=SIMILAR),
        (NO_ORTHOGONALITY, ALL),
    ),
    (
        "columns-live",
        "Columns of the representation seldom die (norm below 0.3; below 5 %)",
        "ours, after Section 3.1",
        lambda own: explained(seldom(own, DEAD, "n_components", 0.05)),
        (ALL,),
    ),
    (
        "normalised-graph",
        "With a normalised Laplacian, under which no column can vanish at these weights, RNMFD is "
        "better",
        "ours",
        _ahead,
        (BOUNDED, ALL, NCUTS),
    ),
    (
        "ncuts",
        "RNMFD adds to its graph: it is ahead of Ncuts on the same graph",
        "ours",
        _ahead,
        (ALL, NCUTS),
    ),
)
"""Claims on clean images, and the same under noise, which are ours: tests of which methods."""


def _on_clean_images(name, statement, source, test_of, compared):
    ours = source.startswith("ours")
    test = test_of(*compared) if ours else at_each_exponent(test_of, *compared)
    return Claim(
        f"clean-{name}",
        f"{statement}, on the images as they are.",
        source,
        within(_CLEAN, test),
        origin="ours" if ours else "paper",
    )


CLAIMS = [
    Claim(
        "clean-s",
        "Real images hold noise, and removing it can give better clusters: on one of the data sets "
        "at least, as they are, RNMFD by one of two rules for λ is ahead of RNMFD without S.",
        "Section 4.2",
        within(_CLEAN, at_each_exponent(_cleaned, ALL, MORE_S, NO_S)),
    ),
    *(
        Claim(
            f"{corruption}-s",
            f"S makes it robust: under {title} RNMFD is ahead of RNMFD without S.",
            "Sections 1 and 3.1, tested on noise of ours",
            within({"noise": corruption}, _ahead(ALL, NO_S, NMF, NCUTS)),
            origin="ours",
        )
        for corruption, title in TITLES.items()
    ),
    Claim(
        "s-lead-grows",
        "The more noise, the larger the lead of RNMFD over RNMFD without S.",
        "ours, after Section 3.1",
        within({"whole": True}, explained(margin_grows(ALL, NO_S, POINTS, along="dose"), NO_S)),
        origin="ours",
    ),
    Claim(
        "larger-s",
        "It is not the rule for λ: with a smaller λ, from the median of the errors, RNMFD is "
        f"ahead of RNMFD without S under noise, {_NOISE}.",
        _OURS,
        within(_NOISY, _ahead(MORE_S, NO_S, NMF, NCUTS)),
        origin="ours",
    ),
    Claim(
        "s-alone",
        "S by itself, without graph and orthogonality and with λ from the median of the errors, "
        f"is ahead of NMF under noise, {_NOISE}.",
        "ours, after Section 3.1",
        within(_NOISY, _ahead(S_ALONE, NMF, NO_S)),
        origin="ours",
    ),
    *starmap(_on_clean_images, _CLEAN_AND_NOISY),
    *(
        Claim(
            f"noise-{name}",
            f"{statement}, under noise, {_NOISE}.",
            source if source.startswith("ours") else f"after {source}; {_OURS}",
            within(_NOISY, test_of(*compared)),
            origin="ours",
        )
        for name, statement, source, test_of, compared in _CLEAN_AND_NOISY
    ),
    Claim(
        "noise-gnmf",
        f"RNMFD is ahead of GNMF of the same weight under noise, {_NOISE}.",
        f"after Table 1 and Section 1; {_OURS}",
        within(_NOISY, _ahead(ALL, GNMF, NO_S, NCUTS)),
        origin="ours",
    ),
    *(
        Claim(
            f"gross-kept-{slug}",
            "RNMFD is robust to noise: under gross errors in a part of the entries (occlusion, "
            "salt and pepper) it keeps more of its clean accuracy above chance, by one of two "
            f"rules for λ, than {rival}, averaged over sets and levels.",
            "Sections 1, 3.1 and 5",
            within({"noise": list(GROSS)}, test),
        )
        for slug, rival, test in (
            ("without-s", NO_S, at_each_exponent(_keeps_more, ALL, MORE_S, NO_S)),
            ("gnmf", f"{GNMF}, with a weight of 100 or 0.1", _keeps_more_than_gnmf()),
            (
                "nmf",
                NMF,
                at_each_exponent(lambda own, more: _keeps_more(own, more, NMF), ALL, MORE_S),
            ),
        )
    ),
    *(
        Claim(
            f"kept-{rival.lower()}",
            f"RNMFD keeps more of its clean accuracy above chance under noise than {rival}, "
            f"{_NOISE}.",
            f"after Table 1 and Section 1; {_OURS}",
            within(_NOISY, _ahead(ALL, rival, value=KEPT)),
            origin="ours",
        )
        for rival in (GNMF, NMF)
    ),
]
