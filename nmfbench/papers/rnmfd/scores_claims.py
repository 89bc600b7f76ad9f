"""Claims of Tables 3 and 4: RNMFD, and what its ingredients buy, by one score."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import always_best, better
from nmfbench.artefacts.finding import with_evidence, within
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.protocols import BASELINES, PRINTED, PROTOCOLS, printed
from nmfbench.papers.rnmfd.sets import SETS

OURS, GRAPH_ALONE, AVERAGE = "RNMFD", "Ncuts", "average"
OF_PAPER = "best"
"""The protocol of the paper."""
_UNDER = {
    "best": "each baseline at its best parameters by test accuracy",
    "default": "all at fixed defaults",
    "stable": "all at the most stable of their candidates, chosen without labels",
}
_BUT_NSDR = [m for m in BASELINES if m != "NSDR"]
_POINTS = (
    ("first point", "Locality helps", "GNMF", ["NMF"]),
    ("first point", "Locality helps", OURS, ["NMF"]),
    ("second point", "A sparse part for noise helps", "RCC", ["GNMF", "DNMF"]),
    ("second point", "A sparse part for noise helps", OURS, ["GNMF", "DNMF"]),
    ("third point", "No trivial solution helps", "IGNMF", ["GNMF", "DNMF"]),
    ("fourth point", "Discriminative information helps", "NSDR", _BUT_NSDR),
    ("fourth point", "Discriminative information helps", OURS, _BUT_NSDR),
)


def claims_on(artefact: str, score: str, name: str) -> Iterator[Claim]:
    """Claims of Section 4.2, and our questions, on one score, which they call ``name``.

    The paper searches the parameters of its baselines: at others than the best a claim is ours.
    """
    table = f"Table {artefact[-1]}"

    def ahead(winner, rivals, **at):
        def of(name):
            test = always_best(name, rivals, score, ["dataset"])
            return _explained(test, [name, *rivals], artefact, score, at)

        if winner != OURS or at["protocol"] != OF_PAPER:
            return of(winner)
        return sets.at_each_exponent(of, OURS)

    for dataset, images in SETS.items():
        for protocol in ("best", "default"):
            yield Claim(
                f"{dataset}-{protocol}",
                f"{images.label}: RNMFD has a higher {name} than each of the nine other methods of "
                f"the paper, {_UNDER[protocol]}.",
                test=ahead(OURS, BASELINES, dataset=dataset, protocol=protocol),
                reported=reported(artefact, dataset).text,
                **said_at(f"Section 4.2, {table}", ours=protocol != OF_PAPER),
            )
    for protocol in PROTOCOLS:
        yield Claim(
            f"average-{protocol}",
            f"On average over the five sets RNMFD has a higher {name} than each of the nine "
            f"others, {_UNDER[protocol]}.",
            test=ahead(OURS, BASELINES, protocol=protocol),
            reported=reported(artefact, AVERAGE).text,
            **said_at(f"Section 4.2, {table}", ours=protocol != OF_PAPER),
        )
    for point, why, winner, rivals in _POINTS:
        few = len(rivals) <= 2
        slug = "-".join(rivals).lower() if few else "baselines"
        all_others = "all other baselines" if winner == "NSDR" else "all baselines but NSDR"
        others = " and ".join(rivals) if few else all_others
        for protocol in ("best", "default"):
            yield Claim(
                f"{winner.lower()}-over-{slug}-{protocol}",
                f"{why}: on average over the sets {winner} has a higher {name} than {others}, "
                f"{_UNDER[protocol]}.",
                test=ahead(winner, rivals, protocol=protocol),
                **said_at(f"Section 4.2, {point}, {table}", ours=protocol != OF_PAPER),
            )
    over_the_graph = better(OURS, GRAPH_ALONE, score, ["dataset"])
    places = {name: (images.label, {"dataset": name}) for name, images in SETS.items()}
    for slug, (where, at) in {**places, "average": ("On average over the five sets", {})}.items():
        yield Claim(
            f"{slug}-graph-alone",
            f"{where}: RNMFD has a higher {name} than normalised cuts of the graph it is given, "
            f"{_UNDER['default']}.",
            "ours",
            _explained(over_the_graph, [OURS], artefact, score, {"protocol": "default", **at}),
            origin="ours",
        )


def _explained(test, methods, artefact, score, at):
    """``test`` at a place, with the scores behind it; the first method is claimed to be ahead."""
    return within(at, with_evidence(test, partial(_explanation, methods, artefact, score)))


def _explanation(compared, artefact, score, rows):
    """Scores of the best methods and of the graph alone, printed ones, and columns RNMFD lost."""
    methods = [*compared, GRAPH_ALONE]
    winner, rows = methods[0], rows[rows["method"].isin(methods)]
    means = 100 * rows.groupby(["method", "dataset"], observed=True)[score].mean().unstack()
    means = means.dropna().mean(axis=1).sort_values(ascending=False)
    listed = [*means.index[:3], *(m for m in (winner, GRAPH_ALONE) if m in means.index[3:])]
    text = "per cent: " + ", ".join(f"{label} {means[label]:.1f}" for label in listed)
    text += f" ({GRAPH_ALONE} is the graph alone)"
    text += _beside_printed(compared, artefact, set(rows["dataset"]))
    own = rows[rows["method"] == winner]
    if winner in (OURS, PRINTED) and "orthogonality-gap" in own:
        dead, gap = own["n-dead-components"].mean(), own["orthogonality-gap"].mean()
        text += f"; {dead:.1f} columns of RNMFD are near zero, and ‖WᵀW − I‖ is {gap:.1f}"
    return text


def _beside_printed(methods, artefact, sets):
    """The paper's number of the first method, and of the best of the others."""
    places = [*sets] if len(sets) == 1 else [AVERAGE] * (sets == set(SETS))
    if len(methods) == 1 or not places:
        return ""
    values = printed(artefact, places[0])
    winner, *rivals = (OURS if name == PRINTED else name for name in methods)
    best = max(rivals, key=values.__getitem__)
    shown = ", ".join(f"{name} {100 * values[name]:.1f}" for name in (winner, best))
    return f"; printed in the paper: {shown}"
