"""Figure 7: ROC curves of foreground detection on three clips."""

from __future__ import annotations

from functools import partial
from itertools import combinations, product

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.finding import at_each_reading
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.robust_xray.foreground import (
    HALL,
    HIGHER,
    L2,
    L2_PRINTED,
    LIT,
    LOBBY,
    LOCAL,
    LOW_RANK,
    MEDIAN,
    METHODS,
    RANDOM_STARTS,
    RESTAURANT,
    ROBUST,
    RPCA,
    STARTS,
    SVD_START,
    best_of_each,
    curves,
    trials,
)
from nmfbench.papers.robust_xray.foreground_figure import chosen_parameters, draw
from nmfbench.papers.roc_areas import UNCERTAINTY, ahead, alike, as_good

_SLUGS = {
    ROBUST: "robust-xray",
    LOCAL: "robust-nmf",
    LOW_RANK: "low-rank",
    RPCA: "rpca",
    L2: "xray-l2",
    L2_PRINTED: "xray-l2-l1",
    RANDOM_STARTS: "low-rank-random",
    SVD_START: "low-rank-svd",
}
_PLACES = {RESTAURANT: "restaurant", HALL: "hall", LIT: "lobby-switch", LOBBY: "lobby"}
_SECTION = "Section 5.3, Figure 7"


def _claim(clip, name, statement, source, kind, one, other, ours=False):
    """A claim on two methods; ours, too, where there is no light switch, which Figure 7 is about.

    Claims of the paper come out alike with each start of the local searches.
    """
    ours, test = ours or clip == LOBBY, partial(kind, at={"clip": clip})
    return Claim(
        f"{_PLACES[clip]}-{name}",
        f"{clip}: {statement}",
        test=test(one, other) if ours else _at_each_start(test, one, other),
        **said_at(source, ours=ours),
    )


def _at_each_start(test, *labels):
    found: dict[tuple[str, ...], str] = {}
    for words, names in STARTS.items():
        found.setdefault(tuple(names.get(label, label) for label in labels), words)
    if len(found) == 1:
        return test(*labels)
    tests = {words: test(*names) for names, words in found.items()}
    return at_each_reading("the start of the local searches", tests)


def _alike(clip, one, other):
    return _claim(
        clip,
        f"alike-{_SLUGS[one]}-{_SLUGS[other]}",
        f"{one} and {other} perform alike.",
        _SECTION,
        alike,
        one,
        other,
    )


def _ahead(clip, one, other, source=_SECTION):
    """The paper refits XRAY-l2 by the l1 loss: with l2 refits it is our question.

    So is a lead of XRAY-l2 over the low rank from its best start, as the paper puts that lead down
    to a bad one.
    """
    return _claim(
        clip,
        f"{_SLUGS[one]}-above-{_SLUGS[other]}",
        f"{one} is better than {other}.",
        source,
        ahead,
        one,
        other,
        ours=L2 in (one, other) or (one, other) == (L2_PRINTED, LOW_RANK),
    )


def _claims():
    implied = "Section 5.3, where the paper says why XRAY-l2 is shown"
    found = [_alike(RESTAURANT, *pair) for pair in combinations((ROBUST, LOCAL, LOW_RANK, RPCA), 2)]
    found.append(_alike(HALL, ROBUST, LOCAL))
    found += [_ahead(HALL, *p) for p in product((ROBUST, LOCAL), (LOW_RANK, RPCA, L2))]
    found += [_ahead(HALL, one, LOW_RANK) for one in (L2, L2_PRINTED)]
    found += [_ahead(HALL, L2_PRINTED, start) for start in (RANDOM_STARTS, SVD_START)]
    found.append(
        _claim(
            HALL,
            "initialization",
            "the local search for a low rank is better from an SVD start than from "
            "random ones. (The paper: its curve might be due to bad initialization.)",
            _SECTION,
            ahead,
            SVD_START,
            RANDOM_STARTS,
        )
    )
    three = LOW_RANK, RPCA, ROBUST
    for clip in (LIT, LOBBY):
        found += [_alike(clip, *pair) for pair in combinations(three, 2)]
        found += [_ahead(clip, one, LOCAL) for one in three]
    for clip in _PLACES:
        if clip == HALL:  # where the robust NMF is claimed to be ahead of the others, too
            found.append(_ahead(clip, LOCAL, L2_PRINTED))
        rivals = [L2_PRINTED] if clip == HALL else [L2, L2_PRINTED]
        found += [_ahead(clip, ROBUST, rival, implied) for rival in rivals]
        found += [
            _claim(
                clip,
                "matches-rpca",
                f"{ROBUST} matches the performance of {RPCA}.",
                "Abstract, Section 1",
                as_good,
                ROBUST,
                RPCA,
            ),
            _claim(
                clip,
                "ranks-above-1",
                f"with some rank above 1 {LOCAL} models more of the background than the median "
                "does.",
                "Section 5.3",
                ahead,
                HIGHER,
                MEDIAN,
            ),
        ]
    return found


ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/fig7",
        title="Foreground detection on three clips",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=best_of_each,
        table=curves,
        picture=draw,
        scores=chosen_parameters,
        claims=_claims(),
        planned=Plan(5, "Complete when plans were made; a repeat takes 14 minutes of CPU time."),
        assumed={
            "clips": "Masks of the paper's sequences are not available. Clips of the same kind "
            "stand for them: Human body 2 for Restaurant, Hall & monitor for Airport Hall, IBM "
            "test 2 for Lobby. The last has no light switch: one is simulated, by a smooth gain "
            "between 0.5 and 0.8 in the middle third (several of them, drawn at random), and the "
            "clip as it is stands beside.",
            "frames": "Not given: 200, evenly spaced (100 in the quick grid), of which 20 are "
            "scored, their pixels pooled.",
            "parameters": "The paper reports the best of a grid, which it does not print. Ours: "
            "ranks 1 to 10 and 1 or 2 refits, or λ of RPCA from 0.25 to 4 over the root of "
            "the number p of pixels. Its protocol chooses by the curve that it shows, and decides "
            "its claims. The honest one, in the evidence, chooses on every second scored frame "
            "for the others. "
            "In the quick grid nothing is chosen: r = 2, one refit, λ = 1/√p.",
            "starts": "The paper does not say how the local searches start. Drawn is that of the "
            "lowest l1 objective, of five; for a low rank of these and the SVD. The paper may have "
            "one: its claims are decided where they come out alike with a single random start, by "
            "means over five and parameters chosen for the mean, and with the SVD of a low rank. "
            "The lead of XRAY-l2 over it, which the paper puts down to a bad start, is tested from "
            "either kind. The separable methods depend on a random vector p: means over five "
            "seeds.",
            "XRAY-l2": "The paper prints l1 refits for it as well, though it is shown for its l2 "
            "loss. Both are run; claims on l2 refits are ours.",
            "claims": f"{UNCERTAINTY} The paper's “match” is read as: as good.",
            "axes": "False-alarm rates as printed, and hit rates as printed or, where curves would "
            "not fit, beyond.",
        },
        caption="Hit rate against false-alarm rate of thresholds on |X - L|. Full lines with 95 % "
        "bands: parameters chosen on other frames. Dashed: the best of the grid by the very "
        "curve, as in the paper. Thin grey: the temporal median; shaded: the paper's axis."
        " The table has the mean hit rates "
        "up to the end of the axis, and the parameters chosen; two, if the two halves of the "
        "frames chose differently.",
    )
)
