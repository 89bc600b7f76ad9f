"""Starts of MahNMF: how much the solution depends on them."""

from __future__ import annotations

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.grids import Method, changed, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import NumberTable
from nmfbench.papers.mahnmf.faces import EUC
from nmfbench.papers.mahnmf.matrices import LOW_RANK, OGM, SELECT, SMOKE, TINY
from nmfbench.trials.trial import Trial

METHODS = (
    Method(OGM, "mahnmf-ogm"),
    Method(SELECT, "mahnmf-rri"),
    Method(EUC, "nenmf", {"max_iter": 300}),
)
_UNIFORM, _LOW_RANK = "uniform", "noisy-low-rank"
_NUMBERS = {
    "objective-spread": "ratio of objectives",
    "product-distance": "distance of the products",
}
_TABLE = NumberTable(_NUMBERS, {"data": "data", "method": "method"})
_MATTERS = 1.02


def trials(profile):
    """Five starts on each matrix, by each method."""
    if profile == "smoke":
        return cross(_on(SMOKE), 2, methods(METHODS))
    repeats = {"quick": 6, "paper": 20}[profile]
    return [t for m in (TINY, LOW_RANK) for t in cross(_on(m), repeats, methods(METHODS))]


def _on(matrix):
    base = Trial("starts", matrix.dataset, "", options=dict(matrix.options))
    return changed(
        base, {"dataset_params": matrix.dataset_params, "labels": {"data": matrix.label}}
    )


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/starts",
        title="What the start of MahNMF decides",
        kind="table",
        methods=METHODS,
        grid=trials,
        table=_TABLE.means,
        picture=_TABLE.draw,
        claims=[
            Claim(
                f"impact-{key}-{slug}",
                f"The initial point has a high impact on the solution of {method} on {name}: the "
                "objectives at the end of two starts on one matrix differ by at least 2 %.",
                "Section 5.1",
                at_least(
                    method,
                    "objective-spread",
                    _MATTERS,
                    measured_from=1.0,
                    ratio=True,
                    at={"dataset": dataset},
                ),
            )
            for key, method in (("ogm", OGM), ("rri", SELECT))
            for slug, dataset, name in (
                ("uniform", _UNIFORM, "a uniform matrix, which the paper has"),
                ("low-rank", _LOW_RANK, "a low-rank matrix with noise"),
            )
        ],
        planned=Plan(20, "A repeat takes some ten seconds of CPU time."),
        assumed={
            "impact": "Of two starts on one matrix the larger objective over the smaller, the "
            "geometric mean over the ten pairs of five starts. A difference of 2 % is the smallest "
            "that matters wherever objectives are compared here.",
            "fits": "Uniform starts, each method with its own stop rule, as in the paper's text; "
            "EucNMF, which is not convex either, stands beside.",
        },
        caption="Means ± half of the 95 % interval over matrices, of two starts on one matrix: the "
        "larger objective at the end over the smaller, and the Manhattan distance of the two "
        "products WH as a share of the mean residual.",
    )
)
