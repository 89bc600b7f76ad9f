"""Classes of images in several views, by latent space: shared by Figure 20 and Table 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import Finding, Test
from nmfbench.artefacts.frames import select_rows, with_columns
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.protocols import best
from nmfbench.papers.mahnmf.multiview_sets import PAPER, STANDS_FOR, VIEWS, used_sets
from nmfbench.problems.multiview import SMOKE, params_of
from nmfbench.trials.trial import Trial

MAH, EUC, FLSS = "MahNMF-GS", "EucNMF-GS", "FLSS"
UNCAPPED, PLAIN = "MahNMF-GS, no cap", "MahNMF (OGM)"
UNGROUPED, HALS, PCA = "EucNMF-GS, α = 0", "HALS", "PCA"
RAW, VIEW = "raw views", "best view"

_FAST = (MAH, EUC, FLSS, HALS)  # methods of small grids

LABELS = [MAH, EUC, FLSS, UNCAPPED, PLAIN, UNGROUPED, HALS, PCA, RAW, VIEW]

_RANKS = {"smoke": (2, 3), "quick": (10, 20), "paper": range(10, 101, 10)}
_OTHERS = {
    ("quick", "mv-landuse21"): (20,),
    ("paper", "mv-mfeat"): range(20, 201, 20),
    **{("quick", own): (20,) for own in PAPER},
    **{("paper", own): (20, *range(100, 1001, 100)) for own in PAPER},
}
SPLITS = {"smoke": 2, "quick": 3, "paper": 10}

BOUNDS, WEIGHTS = (0.5, 0.25, 0.75), (1.0, 0.1, 5.0)
"""Bounds of MahNMF-GS, and weights of EucNMF-GS in terms of the usual one, which are first."""

_USED = used_sets()  # once for grids and claims, so that they agree
_EASY = 0.95
_ENDLESS = 1e6  # infinity, which no key of a trial can hold


def shown(dataset: str) -> list[Method]:
    """Methods with their parameters on a set, as the figure shows them."""
    solvers = {
        MAH: "mahnmf-gs",
        EUC: "eucnmf-gs",
        FLSS: "flss",
        PLAIN: "mahnmf-ogm",
        HALS: "hals",
        PCA: "pca",
    }
    return [Method(label, key, params_of(key, dataset)) for label, key in solvers.items()]


def elsewhere(dataset: str) -> list[Method]:
    """MahNMF-GS at other bounds and EucNMF-GS at other weights, at which the figure is read."""
    bounded = params_of("mahnmf-gs", dataset)
    alpha = params_of("eucnmf-gs", dataset)["alpha"]
    return [
        *(Method(MAH, "mahnmf-gs", bounded | {"bound": share}) for share in BOUNDS[1:]),
        *(Method(EUC, "eucnmf-gs", {"alpha": round(share * alpha, 6)}) for share in WEIGHTS[1:]),
    ]


def tried(dataset: str) -> list[Method]:
    """These, with the other bounds and weights that the table chooses from, and without groups."""
    bounded = params_of("mahnmf-gs", dataset)
    return [
        *shown(dataset),
        *elsewhere(dataset),
        Method(MAH, "mahnmf-gs", bounded | {"bound": 0.1}),
        Method(UNCAPPED, "mahnmf-gs", bounded | {"upper": _ENDLESS}),
        Method(UNGROUPED, "eucnmf-gs", {"alpha": 0.0}),
        *(Method(FLSS, "flss", {"lam": w, "gamma": w}) for w in (1e-4, 3e-4, 3e-3, 1e-2)),
    ]


METHODS = tuple(method for dataset in _USED for method in tried(dataset))


def grid(profile: str, chosen: Callable[[str], list[Method]]) -> list[Trial]:
    """Trials of the methods that ``chosen`` gives for a set, and of references beside PCA.

    Small grids have few methods, FLSS from the most dimensions alone.
    """
    found = []
    for base in bases(profile, _USED):
        dataset = base.dataset
        ranks = _OTHERS.get((profile, dataset), _RANKS[profile])
        if profile == "paper":
            run = chosen(dataset)
        else:
            run = [method for method in shown(dataset) if method.label in _FAST]
        fits = cross(base, SPLITS[profile], options("n_components", ranks), methods(run))
        if profile != "paper":
            most = max(ranks)
            fits = [t for t in fits if t.solver != "flss" or t.options["n_components"] == most]
        found += fits + references(base, profile)
    return found


def bases(profile: str, sets: Mapping[str, dict] = VIEWS) -> list[Trial]:
    """A trial of each set of a grid, without solver and dimensions; of a quick one, of two."""
    if profile == "smoke":
        key, views, faster = SMOKE
        return [Trial("multiview", key, "", {}, views, options=faster, stand_in=True)]
    kept = list(sets)[: 2 if profile == "quick" else None]
    return [Trial("multiview", key, "", {}, sets[key]) for key in kept]


def references(base: Trial, profile: str, *places) -> list[Trial]:
    """Trials of PCA that also classify without a latent space, at each of some ``places``.

    A quick grid has the first split alone, as to classify all views side by side takes longer than
    most fits.
    """
    beside = {"n_components": min(_RANKS[profile]), "references": True}
    splits = 1 if profile == "quick" else SPLITS[profile]
    return cross(base, splits, *places, [{"solver": "pca", "options": beside}])


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Records with the ``dimensions`` of their latent space, and what it keeps to itself.

    ``dimensions`` of FLSS are what it has left; ``private`` is the share of pairs of a view
    and a live component where the view does without. Raw views, and the best of them, are rows of
    their own.
    """
    records = records.astype({"method": str})
    records = with_columns(records, ["references", *_MEASURED])
    is_reference = records["references"].eq(True)
    asked = records["n_components"].astype(float)
    live = records["rank"].where(records["rank"] > 0)
    records = records.assign(
        dimensions=records["rank"].where(records["method"] == FLSS, asked),
        private=((records["off"] * asked - asked + live) / live).clip(lower=0),
    )
    beside = records[is_reference]
    references = [
        beside.assign(
            method=label,
            **dict.fromkeys(_OF_SPACES, np.nan),
            **{name: beside[f"{name}{ending}"] for name in _SCORES},
        )
        for label, ending in ((RAW, "-raw"), (VIEW, "-view"))
    ]
    return pd.concat([records[~is_reference], *references], ignore_index=True)


def best_fits(rows: pd.DataFrame, *, score: str, data: str = "dataset") -> pd.DataFrame:
    """Of each method and split the fit of the highest score, of equal ones the smallest."""
    return best(rows, score, [data, "method", "repeat"], ["n_components", "setting"])


_SCORES = ("map", "map-11", "map-inner")
_OF_SPACES = ("dimensions", "rank", "off", "private", "map-pinv", "at-cap", "cpu_seconds")
_MEASURED = (
    *(f"{score}{ending}" for score in _SCORES for ending in ("", "-raw", "-view")),
    "map-pinv",
    "chance",
    "rank",
    "off",
    "at-cap",
)


def unless_easy(dataset: str, test: Test) -> Test:
    """``test`` on a set, unless raw views classify it so well that latent spaces cannot tell."""

    def judged(frame):
        rows = select_rows(frame, dataset=dataset)
        found = test(rows)
        clean = rows["corruption"].isna()
        raw = select_rows(rows[clean], method=RAW)["map"].mean()
        if not found.estimates or np.isnan(raw):
            return found
        if raw < _EASY:
            return found.noted(f"raw views reach {raw:.3f}")
        text = f"raw views reach {raw:.3f}, at least {_EASY:g}: the set decides nothing"
        return Finding.without("inconclusive", text)

    return judged


def artefact(
    name: str,
    *,
    chosen: Callable[[str], list[Method]],
    claims: Callable[[str], list[Claim]],
    assumed: dict[str, str],
    **parts,
) -> Artefact:
    """The artefact ``name`` of the methods chosen for each set, with claims on each.

    ``assumed`` are choices of its own; ``parts`` are the other fields of an artefact.
    """
    return register_artefact(
        Artefact(
            f"mahnmf/{name}",
            methods=METHODS,
            grid=partial(grid, chosen=chosen),
            claims=[claim for dataset in _USED for claim in claims(dataset)],
            assumed=ASSUMED | {"supplied data": _SUPPLIED} | assumed,
            stands_for=STANDS_FOR,
            **parts,
        )
    )


ASSUMED = {
    "data": "VOC 2007 and MIR Flickr are not to be had with these features. MSRC-v1 (two views of "
    "gradients and one of colour) stands in for the first, LandUse-21 for the second; Scene-15 and "
    "Multiple Features stand beside them in the paper grid. All of them have one class a sample, "
    "the paper's sets several.",
    "easy sets": "Where raw views reach a mean average precision of 0.95, scores of latent spaces "
    "decide nothing.",
    "scaling": "Lost. Each view is divided by the mean length of its training samples.",
    "dimensions": "Lost, but for the best of each method: 10 to 100, as 105 samples of MSRC-v1 "
    "train, and of Multiple Features 20 to 200. FLSS starts from each of these numbers and is "
    "shown at the one it has left.",
    "bound": "Lost: the share of the norms at the start that MahNMF-GS may keep is 0.5; the table "
    "chooses from 0.1, 0.25, 0.5 and 0.75. Codes are at most 1, or without a cap. Sub-problems "
    "take 100 gradients at most, as 1000 take longer to the same objective; EucNMF-GS makes five "
    "passes over the components of a factor.",
    "weights": "Lost: α is 1 for each hundred training samples, β is 0.001, of FLSS λ = γ = 0.001. "
    "The table chooses α from a tenth of it to five times, and λ from 0.0001 to 0.01.",
    "codes": "Samples of both halves are coded by the method's own rule. The pseudo-inverse of the "
    "basis stands beside it in the table.",
    "classifiers": "The paper says linear SVM. Dimensions are standardised by the training half, "
    "and the cost is chosen there, by three folds.",
    "average precision": "The area below the curve of precision over recall; that at eleven "
    "points, as of the VOC challenge, beside it in the table.",
    "splits": "Half of each class trains; the paper says half of the images, and not how often.",
}
"""Our choices where the paper says nothing."""

_SUPPLIED = (
    "Files of VOC 2007 and MIR Flickr that a user supplies take the places of their stand-ins, and "
    "both together the places of the stand-ins of all sets. Half of their images train, in 20 to "
    "1000 dimensions."
)
