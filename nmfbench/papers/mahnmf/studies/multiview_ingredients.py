"""Benefit of groups, norm and loss for several views, and on views whose parts are known.

Nothing here is a claim of the paper, which has no method without groups.
"""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import better
from nmfbench.artefacts.frames import with_columns
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import deviation_texts
from nmfbench.papers.mahnmf import multiview
from nmfbench.papers.mahnmf.multiview import (
    ASSUMED,
    EUC,
    FLSS,
    HALS,
    MAH,
    PCA,
    PLAIN,
    RAW,
    SPLITS,
    UNGROUPED,
    VIEW,
)
from nmfbench.papers.mahnmf.multiview_sets import NAMES, STAND_INS, STANDS_FOR
from nmfbench.problems.multiview import SETS, params_of
from nmfbench.trials.trial import Trial

MAH_2, EUC_2 = f"{MAH}, p = 2", f"{EUC}, p = 2"
_PENALTY, _PENALTY_2 = f"{MAH}, penalty", f"{MAH}, penalty, p = 2"
_ROWS = [MAH, MAH_2, _PENALTY, _PENALTY_2, PLAIN, EUC, EUC_2, UNGROUPED, HALS, FLSS, RAW, VIEW]

_BOUNDS, _USUAL_BOUND = (0.1, 0.25, 0.5, 0.75), 0.5
_SHARES = (0.1, 0.5, 1.0, 5.0)  # of the usual weight of EucNMF-GS
_FLSS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)

_KNOWN = "shared-views"
_KNOWN_PARAMS = {
    "smoke": {"n_samples": 40, "widths": [8, 10, 12], "n_shared": 2, "n_private": 1},
}
_NOISES = {"gaussian": "known parts, Gaussian noise", "laplace": "known parts, Laplace noise"}
_DATA = NAMES | _NOISES
_REPEATS = {"smoke": 2, "quick": 5, "paper": 20}
_RANKS = {"smoke": (2,), "quick": (20,), "paper": (20, 60, 100)}

# -- grids ------------------------------------------------------------------------------------


def _compared(dataset: str) -> list[Method]:
    """All methods at all bounds and weights."""
    plain = params_of("mahnmf-gs", dataset)
    alpha = 3.0 if dataset == _KNOWN else params_of("eucnmf-gs", dataset)["alpha"]
    found = []
    for p, bounded, penalised, squared in (
        ({}, MAH, _PENALTY, EUC),
        ({"p": 2}, MAH_2, _PENALTY_2, EUC_2),
    ):
        found += [
            Method(bounded, "mahnmf-gs", plain | p | ({"bound": b} if b != _USUAL_BOUND else {}))
            for b in _BOUNDS
        ]
        weight = {"form": "penalty", "alpha": alpha}
        found.append(Method(penalised, "mahnmf-gs", plain | p | weight))
        found += [
            Method(squared, "eucnmf-gs", p | {"alpha": round(share * alpha, 6)})
            for share in _SHARES
        ]
    return [
        *found,
        Method(PLAIN, "mahnmf-ogm", plain),
        Method(UNGROUPED, "eucnmf-gs", {"alpha": 0.0}),
        Method(HALS, "hals"),
        *(Method(FLSS, "flss", {} if w == 1e-3 else {"lam": w, "gamma": w}) for w in _FLSS),
    ]


def _few(dataset: str) -> list[Method]:
    """Methods of small grids: on known parts two weights of each, on others the usual one."""
    every = _compared(dataset)
    if dataset == _KNOWN:
        spared = ({"bound": 0.1}, {"bound": 0.75}, {"alpha": 0.3}, {"alpha": 15.0})
        kept = (MAH, MAH_2, EUC, EUC_2, UNGROUPED, HALS)
        run = [m for m in every if m.label in kept]
        return [m for m in run if not any(s.items() <= dict(m.params).items() for s in spared)]
    usual = {MAH: "mahnmf-gs", EUC: "eucnmf-gs"}
    return [
        m
        for m in every
        if m.label in (PLAIN, UNGROUPED, HALS)
        or (m.label in usual and m.params == params_of(usual[m.label], dataset))
    ]


def trials(profile):
    """Classes of real views, and known parts; the quick grid has one set, and two weights."""
    chosen = _compared if profile == "paper" else _few
    found = []
    for base in multiview.bases(profile)[: 1 if profile == "quick" else None]:
        ranks = options("n_components", _RANKS[profile])
        found += cross(base, SPLITS[profile], ranks, methods(chosen(base.dataset)))
        found += multiview.references(base, profile)
    known = Trial("view-activity", _KNOWN, "", {}, _KNOWN_PARAMS.get(profile, {}))
    noises = [{"dataset_params": {"noise": noise}, "labels": {"parts": noise}} for noise in _NOISES]
    return found + cross(known, _REPEATS[profile], noises, methods(chosen(_KNOWN)))


# -- frame and table --------------------------------------------------------------------------

_SHOWN = {
    "map": ("mAP, %", 100, 1),
    "dimensions": ("rDim", 1, 0),
    "private": ("private, %", 100, 1),
    "activity-f": ("F of the parts, %", 100, 1),
    "cosine": ("cosine", 1, 3),
    "cpu_seconds": ("CPU seconds", 1, 2),
}
_ERRORS = "residuals of the views"


def frame(records):
    """For each of ``data``, method and repeat the fit whose dimensions and weights are best.

    Of classes that is by cross-validation in the training half, and of known parts by their
    recovery itself. ``residuals`` are the relative errors of the views, in words.
    """
    rows = records.assign(data=records["parts"].astype(object).fillna(records["dataset"]))
    rows = multiview.frame(with_columns(rows, _SHOWN))
    choice = rows["activity-f"].where(rows["task"] == "view-activity", rows["map-inner"])
    return multiview.best_fits(rows.assign(choice=choice), score="choice", data="data")


def table(frame):
    """Means and deviations of each number over repeats, by ``data`` and ``method``.

    ``residuals``: mean relative error of each view.
    """
    keys = ["data", "method"]
    frame = frame.assign(
        **{name: unit * frame[name].astype(float) for name, (_, unit, _) in _SHOWN.items()}
    )
    groups = frame.groupby(keys)[list(_SHOWN)]
    found = groups.mean().join(groups.std().add_suffix("-sd"))
    found = found.join(groups.size().rename("repeats")).reset_index()
    found["residuals"] = [
        _residuals(frame[(frame["data"] == data) & (frame["method"] == method)])
        for data, method in zip(found["data"], found["method"], strict=True)
    ]
    rank = {name: k for order in (_DATA, _ROWS) for k, name in enumerate(order)}
    return found.sort_values(keys, key=lambda column: column.map(rank), ignore_index=True)


def _residuals(rows):
    if rows["task"].iloc[0] != "multiview" or rows["method"].iloc[0] in (RAW, VIEW):
        return ""
    means = sum(row.arrays["residuals"] for row in rows.itertuples()) / len(rows)
    return ", ".join(f"{error:.2f}" for error in means)


def draw(table):
    """A line for each method on each set, with what it was measured for there."""
    again = table["data"].duplicated()
    shown = {"data": table["data"].map(_DATA).mask(again, ""), "method": table["method"]}
    for name, (title, _, places) in _SHOWN.items():
        shown[title] = deviation_texts(table, name, "repeats", places)
    return pd.DataFrame(shown | {_ERRORS: table["residuals"]})


# -- claims -----------------------------------------------------------------------------------

_QUESTION = "Section 5.5 (a question of ours)"


def _ours(id, statement, test):
    return Claim(id, statement, _QUESTION, test, origin="ours")


def _claims():
    for dataset in SETS:
        for loss, ours, rival in (("l1", MAH, PLAIN), ("l2", EUC, UNGROUPED)):
            yield _ours(
                f"groups-{loss}-{dataset.removeprefix('mv-')}",
                f"{NAMES[dataset]}: {ours} has a higher mean average precision than {rival}, "
                "which has the same loss and no groups.",
                multiview.unless_easy(dataset, better(ours, rival, "map")),
            )
    known = {"data": list(_NOISES)}
    for loss, ours, rival in (("l1", MAH, MAH_2), ("l2", EUC, EUC_2)):
        yield _ours(
            f"norm-{loss}",
            f"The largest entry as the norm of a group tells better which view has which part than "
            f"the Euclidean norm: {ours} is ahead of {rival}, on average over both noises.",
            better(ours, rival, "activity-f", ["data"], at=known),
        )
    for noise, ours, rival in (("laplace", MAH, EUC), ("gaussian", EUC, MAH)):
        yield _ours(
            f"loss-{noise}",
            f"Under {noise.title()} noise {ours} tells better than {rival} which view has which "
            "part.",
            better(ours, rival, "activity-f", at={"data": noise}),
        )


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/multiview-ingredients",
        title="Benefit of groups of features in several views",
        kind="table",
        methods=[Method(PCA, "pca"), *(m for key in (*SETS, _KNOWN) for m in _compared(key))],
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=list(_claims()),
        stands_for=STANDS_FOR,
        planned=Plan(
            20,
            "Twenty draws of known parts, of 10 s; ten splits of real views, of 23 minutes.",
            **STAND_INS,
        ),
        assumed={name: ASSUMED[name] for name in ("data", "easy sets", "scaling", "classifiers")}
        | {
            "dimensions": "20, 60 or 100, and of known parts as many as there are.",
            "bounds and weights": "The norms may keep 0.1, 0.25, 0.5 or 0.75 of those at the "
            "start. α of EucNMF-GS is 0.1, 0.5, 1 or 5 for each hundred training samples, that of "
            "the penalty form 1; λ = γ of FLSS is 0.0001 to 0.01.",
            "choice": "Cross-validation in the training half chooses dimensions, bounds and "
            "weights. With known parts each method has the bound or weight at which it recovers "
            "them best.",
            "known parts": "Three views of 40, 60 and 80 features, on scales 1, 5 and 25, of 300 "
            "samples, have 4 components in common and 2 each of their own, with exponential "
            "weights. The deviation of the noise is a tenth of the mean entry of its view.",
            "which view has which part": "A view has a component whose length there is more than a "
            "millionth of the largest. Components are matched with the known ones by cosine.",
            "seconds": "Of the fits, which run beside others.",
        },
        caption="Means ± standard deviations over splits or repeats; without ±, a single one. "
        "private: pairs of a view and a live component where the view does without. F of the "
        "parts: F-measure of the pairs of view and known component; 75 % if every view has all. "
        "Residuals: relative error of the training half, view after view.",
    )
)
