"""Figure 7: ROC curves of foreground detection on three clips."""

from __future__ import annotations

from functools import partial
from itertools import combinations, product

import matplotlib.pyplot as plt
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.finding import at_each_reading
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Printed, legend_of
from nmfbench.artefacts.style import method_styles
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.clips import BEST, HONEST, UNCERTAINTY, ahead, alike, as_good
from nmfbench.papers.reported import reported
from nmfbench.papers.robust_xray.foreground import (
    HALL,
    HIGHER,
    HIGHER_ALONE,
    L2,
    L2_PRINTED,
    LIT,
    LOBBY,
    LOCAL,
    LOCAL_ALONE,
    LOW_RANK,
    MEDIAN,
    METHODS,
    RANDOM_ALONE,
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

_CURVES = (ROBUST, LOCAL, LOW_RANK, RPCA, L2, L2_PRINTED)
_LISTED = (
    *(*_CURVES, MEDIAN, SVD_START, RANDOM_STARTS, HIGHER),
    *(LOCAL_ALONE, RANDOM_ALONE, HIGHER_ALONE),
)
_PANELS = {RESTAURANT: "restaurant", HALL: "hall", LIT: "lobby", LOBBY: "lobby"}
_PRINTED = {clip: reported("robust-xray/fig7", name) for clip, name in _PANELS.items()}
_LINES = {HONEST: "-", BEST: "--"}

# -- figure -----------------------------------------------------------------------------------


def draw(table):
    """A panel a clip: full curves where parameters are chosen honestly, dashed the paper's."""
    clips = list(dict.fromkeys(table["clip"]))
    columns = min(2, len(clips))
    rows = -(-len(clips) // columns)
    figure, axes = plt.subplots(
        rows, columns, squeeze=False, figsize=(5.2 * columns, 3.8 * rows + 0.9)
    )
    for axis, clip in zip(axes.flat, clips, strict=False):
        _draw_curves(axis, select_rows(table, clip=clip), clip)
    for protocol, line in _LINES.items():
        axes.flat[0].plot([], [], line, color="0.2", label=f"parameters: {protocol}")
    legend_of(figure, axes, [*_CURVES, MEDIAN])
    return figure


def _draw_curves(axis, panel, clip):
    styles = method_styles(_CURVES) | {MEDIAN: {"color": "0.55", "linewidth": 0.8}}
    limit = panel["limit"].iloc[0]
    inside = panel[(panel["false_alarms"] <= limit) & panel["method"].isin(styles)]
    for (method, style), (protocol, line) in product(styles.items(), _LINES.items()):
        curve = select_rows(inside, method=method, protocol=protocol)
        honest = protocol == HONEST
        look = {"color": style["color"], "linewidth": style["linewidth"]}
        look["label"] = method if honest else None
        (drawn,) = axis.plot(curve["false_alarms"], curve["hits"], line, **look)
        if len(curve):
            name, band = (method, "band") if honest else (f"{method} ({protocol} parameters)", "")
            attach_data(drawn, curve["false_alarms"], curve.assign(mean=curve["hits"]), name, band)
        if honest and method != MEDIAN:
            area = {"color": look["color"], "alpha": 0.12, "linewidth": 0}
            axis.fill_between(curve["false_alarms"], curve["low"], curve["high"], **area)
    low, high = _PRINTED[clip].value[2:] if clip in _PRINTED else (0, 1)
    ends = inside.loc[inside["false_alarms"] == inside["false_alarms"].max(), "hits"]
    axis.set(xlim=(0, limit), ylim=(min(low, ends.min() - 0.1), max(high, ends.max() + 0.01)))
    if clip in _PRINTED:
        Printed("the paper's axis", (low, high)).draw(axis)
    axis.set(xlabel="false-alarm rate", ylabel="hit rate", title=clip)


def chosen_parameters(table):
    """Mean hit rates up to the end of the axis, and the parameters that gave them."""
    cells = table.drop_duplicates(["clip", "method", "protocol"])
    cells = cells.assign(
        text=[f"{cell.pauc:.3f} ({cell.setting})" for cell in cells.itertuples()],
        clip=pd.Categorical(cells["clip"], cells["clip"].unique()),
        method=pd.Categorical(cells["method"], _LISTED),
    ).sort_values(["clip", "method"])
    lines = {"clip": "clip", "method": "method"}
    return score_table(cells, lines, [HONEST, BEST], lambda cell: cell.text, column="protocol")


# -- claims -----------------------------------------------------------------------------------

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
