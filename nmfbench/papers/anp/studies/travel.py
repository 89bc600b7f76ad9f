"""Does ANP's lead travel? Clusters of four sets of images that the slides do not have.

Both headlines are tested as in Figure 2, with the weights of ANP that score best on the test, on
two further sets of faces (UMIST and Yale) and on two of digits (MNIST and Semeion). The slides have
ORL and Caltech-101; COIL-20 stands for the latter in Figure 3, so that it is none of the four. Half
of the classes of a set, drawn at random, and all.
"""

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.grids import changed, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.papers import travel
from nmfbench.papers.anp import curves
from nmfbench.papers.anp.curves import AC, ANP, BEST, KMEANS, NMF, NMI, NO_TERM
from nmfbench.papers.travel import Sentence, Study
from nmfbench.problems.clustering import SETS, whole_set

METHODS = [m for m in curves.METHODS if m.label in (KMEANS, NMF, ANP, NO_TERM)]
_OTHERS = {"umist": (10, 20), "yale": (8, 15), "mnist": (5, 10), "semeion": (5, 10)}
_OWN, _OWN_CLASSES = "orl", (20, 40)


def trials(profile):
    """Twenty draws of two numbers of classes of each set, and Figure 2, for reference."""
    if profile == "smoke":
        few = [_on_classes(name, 2, smoke=True) for name in (_OWN, "yale")]
        return [trial for place in few for trial in cross(place, 2, methods(METHODS))]
    draws = 20 if profile == "paper" else 5
    names = list(_OTHERS) if profile == "paper" else ["umist", "yale"]
    places = [(_OWN, n) for n in _OWN_CLASSES]
    places += [(name, n) for name in names for n in _OTHERS[name]]
    return [t for place in places for t in cross(_on_classes(*place), draws, methods(METHODS))]


def _on_classes(name, n, *, smoke=False):
    """Trial without a method: ``n`` classes drawn at random, or all; a component for each."""
    images = SETS[name]
    drawn = {} if n == images.classes else {"n_classes": n}
    base = whole_set(images, smoke=smoke).trial("", {}, 0)
    return changed(base, {"options": {"n_components": n} | drawn})


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """The frame of Figure 2 of each set: ANP has the weights that are best on this set."""
    parts = [curves.told_apart(rows) for _, rows in records.groupby("dataset")]
    return pd.concat(parts, ignore_index=True)


def _over(*rivals):
    def on(dataset):
        return always_best(BEST, rivals, [AC, NMI], ["classes"], at={"dataset": dataset})

    return on


_SOURCE = "Figure 2, on ORL"
STUDY = Study(
    sentences=[
        Sentence(
            "anp-at-its-best",
            "ANP over K-means and NMF",
            "ANP, with the weights that score best on the test, is ahead of K-means and of NMF in "
            "accuracy and in mutual information.",
            _SOURCE,
            _over(KMEANS, NMF),
        ),
        Sentence(
            "term-at-its-best",
            "ANP over ANP without its term",
            "With the weights that score best on the test ANP is ahead of the same updates without "
            "its regression term in accuracy and in mutual information.",
            f"slide “Why regression?”, on {_SOURCE}",
            _over(NO_TERM),
        ),
    ],
    sets={
        "umist": ("UMIST", "umist"),
        "yale": ("Yale", "yale"),
        "mnist": ("MNIST", "mnist"),
        "semeion": ("Semeion", "semeion"),
    },
    own={"ORL": _OWN},
    task="clustering",
    xlabel="lead (points)",
)

ARTEFACT = register_artefact(
    Artefact(
        "anp/travel",
        title="Clusters of images that the slides do not have",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=STUDY.table,
        picture=STUDY.picture,
        claims=STUDY.claims(),
        planned=Plan(20, "A repeat takes about a minute of CPU time."),
        assumed={
            name: curves.ASSUMED[name]
            for name in (
                "weights",
                "scale",
                "without the term",
                "start",
                "stopping",
                "clusters",
                "mutual information",
                "verdicts",
            )
        }
        | travel.ASSUMED
        | {
            "classes": "Half of the classes of a set and all: 10 and 20 people of UMIST, 8 and 15 "
            "of Yale, 5 and 10 digits; 20 and 40 people of ORL. Of MNIST 100 images of each "
            "digit, drawn once.",
        },
        caption=f"{travel.CAPTION} Filled: accuracy; hollow: normalised mutual information.",
    )
)
