"""MahNMF-BC, MahNMF-M and MahNMF-EN in recognition, beside methods with the Euclidean loss."""

from __future__ import annotations

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, not_worse
from nmfbench.artefacts.finding import with_evidence
from nmfbench.artefacts.frames import mean_table, melt_metrics, select_rows
from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.protocols import best
from nmfbench.artefacts.region import Bounds
from nmfbench.artefacts.tables import plus_minus_cell, score_table
from nmfbench.papers.mahnmf.faces import EUC, NAMES, UNIT_LENGTH, conditions
from nmfbench.papers.mahnmf.faces import METHODS as ON_FACES
from nmfbench.problems.faces import DTYPE, SPLIT, few_people
from nmfbench.trials.trial import Trial

BC, M, EN = "MahNMF-BC", "MahNMF-M", "MahNMF-EN"
GNMF, RANDOM = "GNMF", "untrained bases"
_STEP = {"lipschitz": "spectral"}
METHODS = (
    next(method for method in ON_FACES if method.label == EUC),
    *(Method(GNMF, "gnmf", {"alpha": alpha}) for alpha in (0.01, 0.1, 1.0, 10.0)),
    Method(GNMF, "gnmf"),  # at 100
    Method(BC, "mahnmf-bc-ogm", _STEP),
    *(Method(M, "mahnmf-m-ogm", {"beta": beta} | _STEP) for beta in (1e-4, 1e-2, 1e-1)),
    Method(M, "mahnmf-m-ogm", _STEP),  # at 1e-3
    *(Method(EN, "mahnmf-en", {"lam": lam} | _STEP) for lam in (1.0, 10.0)),
    Method(EN, "mahnmf-en", _STEP),  # at 0.1
    Method(RANDOM, "random-bases"),
)
_SCORES = {"accuracy-4": "Algorithm 4", "accuracy-5": "Algorithm 5"}
_SETS = ("yaleb", "orl")
_CONDITIONS = ("no noise", "salt & pepper")
_PLACES = {"dataset": _SETS, "condition": _CONDITIONS}
_OF_SET = {
    "yaleb": few_people(),
    "orl": {"n_components": 20, "dtype": DTYPE} | SPLIT,
}
_SMOKE = {"n_components": 3, "n_classes": 4, "train_per_class": 3, "test_per_class": 3}


def trials(profile):
    """Two sets of faces, clean and with outliers; a few people of stand-ins in the smoke grid."""
    smoke = profile == "smoke"
    repeats = {"smoke": 1, "quick": 5, "paper": 20}[profile]
    found = []
    for dataset, options in _OF_SET.items():
        own = _SMOKE | {"dtype": DTYPE} if smoke else options
        base = Trial("recognition", dataset, "", options=own, stand_in=smoke)
        found += cross(base, repeats, conditions(_CONDITIONS), methods(METHODS))
    return found


def frame(records):
    """Records by condition: of each method those at its best weight on a data set.

    The best weight has the highest mean of both accuracies over conditions and splits.
    """
    both = records.assign(both=records[list(_SCORES)].mean(axis=1))
    keys = ["dataset", "method", "setting"]
    means = both.groupby(keys, observed=True)["both"].mean()
    return best(records.astype(dict.fromkeys(keys, str)), means, keys[:2], keys[2:])


def table(frame):
    """Mean accuracies with 95 % intervals over splits."""
    long = melt_metrics(frame, _SCORES, "algorithm", "value", unit=100)
    return mean_table(
        long, "value", ["dataset", "condition", "algorithm", "method"], between=(0, 100)
    ).astype({"condition": str, "algorithm": str, "method": str})


def draw(table):
    """One line for each set, condition and algorithm, a column for each method."""
    return score_table(
        table.assign(dataset=table["dataset"].map(NAMES)),
        {"dataset": "faces", "condition": "condition", "algorithm": "algorithm"},
        list(dict.fromkeys(method.label for method in METHODS)),
        plus_minus_cell(1),
    )


def _weights_of(*labels):
    """Sentence on the weights that were chosen."""

    def describe(frame):
        rows = select_rows(frame, method=list(labels)).astype({"method": str})
        found = rows.drop_duplicates(["dataset", "method"])[["dataset", "method", "setting"]]
        return "chosen on the test: " + ", ".join(
            f"{NAMES[row.dataset]} {row.method} {row.setting}" for row in found.itertuples()
        )

    return describe


_SOURCE = "Section 6"

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/variants",
        title="Recognition by variants of MahNMF, and by methods with the Euclidean loss",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=[
            *(
                Claim(
                    f"{key}-comparable",
                    f"{method} is comparable to {words}: its accuracy is not worse by more than "
                    "the margin, by both algorithms, mean over Yale B and ORL, clean and with salt "
                    "& pepper noise.",
                    _SOURCE,
                    with_evidence(
                        not_worse(method, [rival], list(_SCORES), list(_PLACES)),
                        _weights_of(method, rival),
                    ),
                )
                for key, method, rival, words in (
                    ("bc", BC, EUC, "EucNMF"),
                    ("m", M, GNMF, "GNMF, the Euclidean method with such a graph"),
                    ("en", EN, EUC, "EucNMF, its limit for a large trade-off parameter"),
                )
            ),
            Claim(
                "not-any-bases",
                "The comparison tells methods apart: untrained bases are behind EucNMF by more "
                "than the margin, everywhere.",
                "ours, after Section 6",
                always_best(EUC, [RANDOM], list(_SCORES), each=_PLACES, region=Bounds(low=0.04)),
                origin="ours",
            ),
        ],
        planned=Plan(20, "A repeat takes some two minutes of CPU time."),
        assumed={
            "experiments": "The paper has none with these three variants. Recognition as in its "
            "Figures 5 and 7: 15 people of Yale B, drawn at random, seven images each for "
            "training and ten for the test, rank 15; all of ORL, seven for training, rank 20; "
            "salt and pepper on 20 % of the pixels.",
            "traditional methods": "Not named. The method with the same regularisation and the "
            "Euclidean loss: GNMF for MahNMF-M; EucNMF for MahNMF-EN, whose second term is the "
            "Euclidean loss; EucNMF for MahNMF-BC too, as data in [0, 1] hardly touch the box "
            "of 1, and no Euclidean method here has one.",
            "weights": "Lost in the text. Of GNMF five, of MahNMF-M four, of MahNMF-EN three: the "
            "best on the test by the mean of both accuracies on a data set, for each of them.",
            "comparable": "Not worse by more than four points, twice the smallest difference that "
            "matters, in the mean over both sets and both conditions of a split: the sentence is "
            "about experience in general, not about each case.",
            "lengths of components": UNIT_LENGTH,
            "fits": "The smoothing method with the Lipschitz constant itself, and the stop rules "
            "of Figures 5 and 7.",
        },
        caption="Accuracy in per cent, mean ± half of the 95 % interval over splits, each method "
        "at its best weight. Untrained bases are random numbers: what codes on any bases give.",
    )
)
