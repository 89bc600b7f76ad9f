"""Faces reconstructed under Gaussian and Poisson noise, at the brightness of the clean ones."""

from __future__ import annotations

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.finding import with_evidence
from nmfbench.artefacts.frames import mean_table, melt_metrics, select_rows
from nmfbench.artefacts.grids import Method, changed, cross, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import plus_minus_cell, score_table
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import (
    EUC,
    KL,
    LEVEL,
    MAH,
    NAMES,
    OTHER_LEVELS,
    READ_AT,
    at_another_level,
    at_other_levels,
    conditions,
)
from nmfbench.papers.mahnmf.faces_claims import at_levels_and_ranks, slug
from nmfbench.problems.faces import DTYPE, SPLIT
from nmfbench.trials.trial import Trial

METHODS = tuple(
    Method(m.label, m.solver, m.params) for m in faces.METHODS if m.label in (EUC, KL, MAH)
)
_CONDITIONS = ("Gaussian", "Poisson")
_MEANS = ("scaled-mean-error-train", "scaled-mean-error-test")
_IMAGES = ("scaled-image-error-train", "scaled-image-error-test")
_SHOWN = {
    _MEANS[0]: "mean, training",
    _MEANS[1]: "mean, test",
    _IMAGES[0]: "single, training",
    _IMAGES[1]: "single, test",
}
_SOURCE = "Section 5.2.2, Figure 9"


def trials(profile):
    """Fits of Figure 9 under both kinds of noise; a few stand-ins in the smoke grid."""
    found = []
    for dataset in NAMES:
        if dataset == "orl":
            continue
        base = Trial(
            "equal-brightness",
            dataset,
            "",
            options={"dtype": DTYPE} | SPLIT,
        )
        ranks: tuple[int, ...] = READ_AT
        if profile == "smoke":
            few = {"train_per_class": 2, "test_per_class": 3}
            base, ranks = changed(base, {"stand_in": True, "options": few}), (3,)
        repeats = {"smoke": 2, "quick": 5, "paper": 10}[profile]
        axes = conditions(_CONDITIONS), options("n_components", ranks), methods(METHODS)
        fits = cross(base, repeats, *axes)
        found += fits
        if profile == "paper":
            for condition in _CONDITIONS:
                found += at_other_levels(fits, condition, [EUC, KL, MAH])
    return found


def table(frame):
    """Mean errors with 95 % intervals over splits."""
    frame = select_rows(frame, condition=list(_CONDITIONS))
    long = melt_metrics(frame, _SHOWN, "images", "value")
    by = ["dataset", "n_components", "condition", "images", "method"]
    return mean_table(long, "value", by).astype({"images": str, "method": str})


def draw(table):
    """One line for each set, rank, noise and kind of image, a column for each method."""
    return score_table(
        table.assign(dataset=table["dataset"].map(NAMES)),
        {"dataset": "faces", "n_components": "rank", "condition": "noise", "images": "images"},
        [method.label for method in METHODS],
        plus_minus_cell(3),
    )


def _brightness(frame):
    """How bright the reconstructions of the test images are."""
    rows = select_rows(frame, method=[method.label for method in METHODS]).astype({"method": str})
    means = rows.groupby("method")["brightness-test"].mean()
    return "brightness of test images: " + ", ".join(f"{k} {v:.3g}" for k, v in means.items())


def _lower(values, place):
    """At both ranks and at each level of the noise."""

    def nearer(at):
        return always_best(MAH, [EUC, KL], list(values), at=place | at, lower=True, ratio=True)

    return with_evidence(
        at_levels_and_ranks(place["condition"], nearer, READ_AT),
        lambda frame: _brightness(select_rows(frame, place)),
    )


def _claims():
    for dataset, condition in (
        (dataset, condition) for dataset in ("yaleb", "pie") for condition in _CONDITIONS
    ):
        place = {"dataset": dataset, "condition": condition}
        where = f"{NAMES[dataset]}, {condition} noise ({LEVEL[condition]})"
        yield Claim(
            f"clearer-{slug(condition)}-{dataset}",
            f"{where}: at the brightness of the clean images the mean reconstruction of MahNMF is "
            "nearer to their mean than with EucNMF and KLNMF, training and test.",
            _SOURCE,
            _lower(_MEANS, place),
        )
        yield Claim(
            f"single-{slug(condition)}-{dataset}",
            f"{where}: so are single images.",
            f"ours, after {_SOURCE}, which shows means",
            _lower(_IMAGES, place),
            origin="ours",
        )


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/brightness",
        title="Reconstructions under Gaussian and Poisson noise at equal brightness",
        kind="table",
        methods=METHODS,
        grid=trials,
        table=table,
        picture=draw,
        claims=list(_claims()),
        further=partial(at_another_level, _CONDITIONS),
        planned=Plan(10, "The splits of Figure 9; a repeat takes four minutes of CPU time."),
        assumed=faces.ASSUMED
        | {
            "rank": faces.RANK_LOST,
            "levels of noise": "With little of such noise MahNMF may be nearer, as without it, and "
            "with much of it farther: claims are decided where they come out alike at "
            f"{', '.join([LEVEL['Gaussian'], *OTHER_LEVELS['Gaussian']])}, or at "
            f"{', '.join([LEVEL['Poisson'], *OTHER_LEVELS['Poisson']])}. The first is shown.",
            "brightness": "Clipped noise makes images brighter or darker, and in a mean it leaves "
            "nothing else. Pictures are shown at any brightness, so that each reconstruction is "
            "first given the sum of the clean image. What is left are errors of shape.",
            "clearer": "The relative error of the mean image, which the figure shows; that of "
            "single images is our question.",
        },
        caption="Relative errors of reconstructions that are scaled to the brightness of the clean "
        "images: mean ± half of the 95 % interval over splits.",
    )
)
