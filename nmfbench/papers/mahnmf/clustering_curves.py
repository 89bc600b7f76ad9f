"""What Figures 10 and 11 share: clusters of the faces of a few people, by number of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.style import method_styles, plot_band
from nmfbench.engine.trials import Trial
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import CONDITIONS, EUC, HYBRID, KL, MAH, PCA
from nmfbench.stats.intervals import mean_and_interval

__all__ = [
    "ASSUMED",
    "METHODS",
    "OUTLIERS",
    "SCORES",
    "SMOKE",
    "Part",
    "claim",
    "draw_curves",
    "grid",
    "outlier_claims",
    "summarise_curves",
]

METHODS: tuple[Method, ...] = tuple(m for m in faces.METHODS if m.label != PCA)
_OF = {method.label: method for method in METHODS}

SCORES = {"clustering-accuracy": "AC", "nmi-max": "normalised MI"}
"""Scores by name, with the labels of their axes; a row of panels each."""

OUTLIERS = ("no noise", "occlusion", "Laplace", "salt & pepper")
"""Conditions under which the paper sees MahNMF ahead of both others."""

_SHUFFLED = "shuffled"
_BITS = "mutual-information"


@dataclass(frozen=True)
class Part:
    """A part of a grid: some methods on some conditions, for numbers of people, in trials."""

    people: Sequence[int] = tuple(range(2, 11))
    trials: int = 20
    methods: Sequence[str] = tuple(_OF)
    conditions: Sequence[str] = tuple(CONDITIONS)


SMOKE = (Part((2, 3), 2, conditions=("no noise", "salt & pepper")),)


def grid(dataset: str, parts: Sequence[Part], *, stand_in: bool = False) -> list[Trial]:
    """Trials on the faces of people drawn at random, a cluster for each."""
    trials = [
        faces.corrupted(
            Trial(
                task="clustering",
                dataset=dataset,
                solver=_OF[label].solver,
                params=_OF[label].params,
                options={
                    "n_components": people,
                    "n_classes": people,
                    "reweight": True,
                    "dtype": faces.DTYPE,
                },
                repeat=repeat,
                stand_in=stand_in,
            ),
            condition,
        )
        for part in parts
        for repeat in range(part.trials)
        for condition in part.conditions
        for people in part.people
        for label in part.methods
    ]
    return list(dict.fromkeys(trials))


# -- summary ----------------------------------------------------------------------------------


def summarise_curves(records):
    """Means and 95 % intervals over trials of each score, in long form.

    Rows with ``method`` "shuffled" hold what clusters of the same sizes score by chance, of all
    methods together.
    """
    records = faces.with_condition(records)
    by = ["dataset", "condition", "people"]
    records = records.rename(columns={"n_components": "people"})
    parts = []
    for score in (*SCORES, _BITS):
        groups = records.groupby([*by, "method"], observed=True)[score]
        parts.append(mean_and_interval(groups).assign(score=score))
    for score in SCORES:
        chance = records.groupby([*by, "repeat"], observed=True)[f"{score}-shuffled"].mean()
        table = mean_and_interval(chance.groupby(by, observed=True))
        parts.append(table.assign(score=score, method=_SHUFFLED))
    columns = [*by, "score", "method", "mean", "low", "high", "count"]
    table = pd.concat([part.astype({"method": str}) for part in parts], ignore_index=True)
    return table[columns].astype({"condition": str})


# -- figure -----------------------------------------------------------------------------------


def draw_curves(table, titles):
    """For each data set of ``titles`` two rows of panels, (a) to (f) and (g) to (l)."""
    shown = [dataset for dataset in titles if dataset in set(table["dataset"])]
    conditions = [c for c in CONDITIONS if c in set(table["condition"])]
    figure = plt.figure(figsize=(2.45 * len(conditions) + 1, 4.9 * len(shown) + 0.4))
    blocks = figure.subfigures(len(shown), squeeze=False, hspace=0.04)[:, 0]
    styles = method_styles([method.label for method in faces.METHODS])  # as in other figures
    handles = {}
    for block, dataset in zip(blocks, shown, strict=True):
        if len(shown) > 1:
            block.suptitle(titles[dataset], fontweight="bold")
        axes = block.subplots(2, len(conditions), sharex=True, sharey="row", squeeze=False)
        for i, (score, name) in enumerate(SCORES.items()):
            for j, condition in enumerate(conditions):
                axis = axes[i, j]
                place = {"dataset": dataset, "condition": condition, "score": score}
                _draw_panel(axis, _rows(table, **place), styles)
                letter = "abcdefghijkl"[i * len(CONDITIONS) + list(CONDITIONS).index(condition)]
                axis.set_title(f"({letter}) {condition}")
                axis.set_xlabel("people")
                handles |= dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
            axes[i, 0].set_ylabel(name)
            # So that what lies at chance level does not look like more.
            axes[i, 0].set_ylim(0, max(0.5, axes[i, 0].get_ylim()[1]))
    order = [label for label in [*styles, _CHANCE] if label in handles]
    figure.legend(
        [handles[label] for label in order],
        order,
        loc="outside lower center",
        ncols=len(order),
        frameon=False,
    )
    return figure


_CHANCE = "by chance"
_FEW = 3  # numbers of people, up to which points stand side by side


def _draw_panel(axis, rows, styles):
    people = sorted(set(rows["people"]))
    few = len(people) <= _FEW
    chance = _rows(rows, method=_SHUFFLED).sort_values("people")
    ends = [-0.4, 0.4] if len(people) == 1 else [0]
    x = np.add.outer(chance["people"].to_numpy(float), ends).ravel()
    y = np.repeat(chance["mean"], len(ends))
    axis.plot(x, y, color="0.3", linestyle=":", label=_CHANCE)
    for k, (label, style) in enumerate(styles.items()):
        curve = _rows(rows, method=label).sort_values("people")
        if curve.empty:
            continue
        if few:
            x = curve["people"] + 0.12 * (k - (len(styles) - 1) / 2)
            error = [curve["mean"] - curve["low"], curve["high"] - curve["mean"]]
            axis.errorbar(x, curve["mean"], error, label=label, elinewidth=1, **style)
        else:
            plot_band(axis, curve["people"], curve, label, style)
    axis.set_xticks(people if few else people[::2])
    axis.set_xlim(people[0] - 0.5, people[-1] + 0.5)


def _rows(table, **place):
    for column, value in place.items():
        table = table[table[column] == value]
    return table


# -- claims -----------------------------------------------------------------------------------


def claim(dataset: str, condition: str, method: str, rivals: Sequence[str]) -> Claim:
    """``method`` is ahead of ``rivals`` in both scores, over all numbers of people."""
    whole, figure = _NAMES[dataset]
    noise = "without noise" if condition == "no noise" else f"under {_NOISE[condition]}"
    who, source = method, f"Section 5.3.1, {figure}"
    if method == HYBRID:
        who, source = f"{HYBRID}, the same loss minimised further,", f"ours, after {source}"
    best = always_best(method, rivals, list(SCORES), by=["n_components"])

    def test(records):
        rows = _rows(faces.with_condition(records), dataset=dataset, condition=condition)
        verdict = best(rows)
        if verdict.effect is None:
            return verdict
        scores = _rows(rows, method=method)
        text = " and ".join(
            f"{scores[score].mean():.3g} in {score} ({scores[f'{score}-shuffled'].mean():.3g} by "
            "chance)"
            for score in SCORES
        )
        return replace(verdict, evidence=f"{verdict.evidence}; {method} has {text}")

    return Claim(
        f"{dataset}-{faces.slug(condition)}-{'hybrid' if method == HYBRID else 'mahnmf'}",
        f"{who} is ahead of {' and '.join(rivals)} in AC and in MI on {whole} {noise}.",
        source,
        test,
        origin="ours" if method == HYBRID else "paper",
    )


_NAMES = {
    "yaleb": ("Yale B", "Figure 10"),
    "pie": ("PIE", "Figure 11"),
    "orl": ("ORL", "Figure 11"),
}
_NOISE = {
    "occlusion": "occlusion",
    "Laplace": "Laplace noise",
    "salt & pepper": "salt and pepper",
    "Gaussian": "Gaussian noise",
}


def outlier_claims(dataset: str) -> list[Claim]:
    """MahNMF, and the hybrid, ahead of both others without noise and under three kinds of it."""
    return [
        claim(dataset, condition, method, [EUC, KL])
        for condition in OUTLIERS
        for method in (MAH, HYBRID)
    ]


ASSUMED = {name: text for name, text in faces.ASSUMED.items() if name != "ranks and splits"} | {
    "people and trials": "Lost in the text. Two to ten people, drawn at random twenty times, all "
    "images of each; as many components as people.",
    "weights": "Those of Xu et al. (2003), computed from the images as they are given, corrupted. "
    "A common factor brings the sum of all pixels back to what it was, which no clustering by "
    "least squares depends on; the smoothing of MahNMF does.",
    "clusters": "An image belongs to its largest coefficient, components being scaled to unit sum.",
    "mutual information": "The figures show it divided by the larger of the two entropies, as Xu "
    "et al. do; the text does not say. The table of results has it in bits, too.",
    "verdicts": "A trial is one observation: the mean of a score over its numbers of people. A "
    "claim holds if both scores are ahead of each rival (paired t tests), and is refuted if any is "
    "behind (after Holm's correction).",
    "PCA": "Not shown: a principal component is no cluster.",
}
"""What the paper does not say of these experiments, and what we chose."""
