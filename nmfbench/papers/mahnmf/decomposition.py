"""Low-rank and sparse parts of matrices that are made of both: who recovers them?"""

from __future__ import annotations

from functools import partial

import numpy as np

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least, at_most
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, per_repeat
from nmfbench.artefacts.finding import at_each_reading, with_evidence
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method, corrupted, cross, labelled, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Curves
from nmfbench.papers.mahnmf.faces import EUC, KL, MAH
from nmfbench.papers.mahnmf.faces import METHODS as ON_FACES
from nmfbench.papers.mahnmf.shadows import GODEC, RPCA
from nmfbench.papers.mahnmf.shadows import MAH as RRI
from nmfbench.problems.separation import CARD
from nmfbench.trials.trial import Trial

ERROR = "relative-error-train"
_COMPARED = [method for method in ON_FACES if method.label in (EUC, KL, MAH)]
METHODS = (
    *_COMPARED,
    Method(RRI, "mahnmf-rri"),
    Method(RPCA, "rpca-ialm"),
    Method(GODEC, "godec", {"card": CARD}),
)
SHARES = (0.05, 0.1, 0.2)
_SIZES = {"n_samples": 100, "n_features": 200, "n_components": 10, "noise": 0.0}
_SMALL = {"n_samples": 20, "n_features": 30, "n_components": 3, "noise": 0.0}
_TENTH = 0.1  # of the norm of the low-rank part
_SOURCE = "Abstract; Section 1"


def trials(profile):
    """All methods on exactly low-rank matrices, of which a share of the entries is replaced."""
    repeats = {"smoke": 2, "quick": 6, "paper": 20}[profile]
    sizes = _SMALL if profile == "smoke" else _SIZES
    base = Trial(
        "reconstruction",
        "noisy-low-rank",
        "",
        dataset_params=sizes,
        options={"n_components": sizes["n_components"]},
    )
    places = [(None, None), *(("salt-pepper", share) for share in SHARES)]
    noise = labelled("share", (0.0, *SHARES), corrupted(places))
    return cross(base, repeats, noise, methods(METHODS))


def table(frame):
    """Mean errors of the low-rank part, by method and share of replaced entries."""
    return mean_table(frame, ERROR, ["method", "share"], between=(0, np.inf))


def _by_both(test_of):
    """A test of MahNMF that comes out alike by smoothing and by RRI."""
    return at_each_reading("the algorithm", {"OGM": test_of(MAH), "RRI": test_of(RRI)})


def _recovers(method):
    """The error with a tenth of the entries replaced, and that on the same matrices as they are."""
    test = at_most({"method": method, "share": _TENTH}, ERROR, _TENTH)
    return with_evidence(test, partial(_without_any, method))


def _without_any(method, frame):
    errors = per_repeat(frame, {"method": method, "share": 0.0}, ERROR)
    found = per_repeat(frame, {"method": method, "share": _TENTH}, ERROR)
    above = int((found > _TENTH).sum())
    return (
        f"without outliers {errors.mean():.3g}; with them above a tenth in {above} of {len(found)} "
        f"repeats, median {found.median():.3g}"
    )


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/decomposition",
        title="Low-rank parts of matrices with sparse outliers",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=table,
        picture=Curves(
            x="share",
            labels=[method.label for method in METHODS],
            xlabel="share of entries replaced",
            ylabel="relative error of the low-rank part",
            size=(6.0, 3.8),
            ylim=(0, None),
        ),
        claims=[
            Claim(
                "ahead",
                "Where entries are replaced, the low-rank part and the sparse part that MahNMF "
                "estimates are nearer to the true ones than those of EucNMF and KLNMF, at every "
                "share of entries.",
                _SOURCE,
                _by_both(
                    lambda method: always_best(
                        method, [EUC, KL], ERROR, each={"share": SHARES}, lower=True, ratio=True
                    )
                ),
            ),
            Claim(
                "recovers",
                "MahNMF estimates the low-rank part robustly: with a tenth of the entries "
                "replaced its relative error is below a tenth.",
                _SOURCE,
                _by_both(_recovers),
            ),
            *(
                Claim(
                    f"not-robust-{key}",
                    f"{rival} cannot robustly estimate the low-rank part: with a tenth of the "
                    "entries replaced its relative error is above a tenth.",
                    "Section 1",
                    with_evidence(
                        at_least(rival, ERROR, _TENTH, at={"share": _TENTH}),
                        partial(_without_any, rival),
                    ),
                )
                for key, rival in (("eucnmf", EUC), ("klnmf", KL))
            ),
        ],
        planned=Plan(20, "A repeat takes a few seconds of CPU time."),
        assumed={
            "low-rank part": "A product of non-negative factors of rank 10, half of whose entries "
            "are zero and the others exponential, of 100 samples with 200 features; its largest "
            "entry is 1. All methods but RPCA, which finds its rank, know the rank.",
            "sparse part": "Entries at random become 0 or 1, half and half: what the corrupted "
            "matrix has beyond the low-rank part. Its estimate is the residual, so that its error "
            "is that of the low-rank part with the opposite sign: one ratio compares both.",
            "robustly": "A relative error below a tenth where a tenth of the entries is replaced; "
            "the bound is ours. The paper prints no such experiment.",
            "algorithm": "The paper has two. Claims are decided where MahNMF by smoothing (OGM) "
            "and by RRI come out alike.",
            "GoDec": "Its sparse part has 7.45 % of the entries, as for the videos: fewer than are "
            "replaced at the higher shares.",
            "fits": "From uniform factors that all share, with the stop rules of the figures on "
            "faces.",
        },
        caption="Error of the estimated low-rank part in the Frobenius norm, relative to the norm "
        "of the true one, against the share of entries replaced; means with 95 % intervals. RPCA "
        "and GoDec, to which the paper likens MahNMF, stand beside.",
    )
)
