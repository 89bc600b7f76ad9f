"""Five sets of images, and trials of methods that cluster them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from typing import Any

from nmfbench.artefacts.finding import Test, at_each_reading
from nmfbench.artefacts.grids import Method
from nmfbench.problems.clustering import SETS, ImageSet, whole_set
from nmfbench.solvers import make_solver
from nmfbench.trials.trial import Trial

_STOPPING = {"max_iter": 300, "tol": 1e-6}  # as all but plain NMF have it by default


def method(label: str, solver: str, **params: Any) -> Method:
    """A method without those parameters that are its defaults: one fit has one description.

    All stop by the same rule, unless told otherwise.
    """
    defaults = make_solver(solver).get_params()
    params = _STOPPING | params
    return Method(label, solver, {k: v for k, v in params.items() if defaults[k] != v})


def name_as_printed(label: str) -> str:
    """Name of a method with the exponent of Eq. (17) as printed, which may raise the objective."""
    return f"{label}, exponent 1"


EXPONENTS: dict[str, Callable[[str], str]] = {"safe": str, "1, as printed": name_as_printed}
"""Readings of Eq. (17), with what a label of RNMFD becomes under each."""


def as_printed(chosen: Iterable[Method]) -> list[Method]:
    """The variants of RNMFD among the methods, with the exponent as printed."""
    return [
        replace(
            method(name_as_printed(m.label), m.solver, v_update="paper", **m.params), drawn=False
        )
        for m in chosen
        if m.solver == "rnmfd"
    ]


def at_each_exponent(test_of: Callable[..., Test], *labels: str) -> Test:
    """A test of RNMFD that comes out alike with the safe exponent and with the printed one.

    Parameters
    ----------
    test_of : callable
        Labels of RNMFD, which the grid also has by :func:`as_printed` -> test.
    *labels : str
    """
    by_exponent = {name: test_of(*map(named, labels)) for name, named in EXPONENTS.items()}
    return at_each_reading("the exponent of Eq. (17)", by_exponent)


def clustering_trial(
    images: ImageSet, method: Method, repeat: int, *, smoke: bool = False
) -> Trial:
    """A method on all of a set, as many components as classes, samples scaled to unit length.

    Parameters
    ----------
    images : ImageSet
    method : Method
        As :func:`method` makes it.
    repeat : int
        The same start, and seeds of K-means, for every method.
    smoke : bool, default=False
        Three classes of a synthetic stand-in, the same in every repeat.
    """
    return whole_set(images, smoke=smoke).trial(method.solver, method.params, repeat)


def clusterings(
    sets: Iterable[str], methods: Iterable[Method], repeats: int, *, smoke: bool = False
) -> list[Trial]:
    """Each method on each set, by name, in the first ``repeats``: see :func:`clustering_trial`."""
    return [
        clustering_trial(SETS[dataset], tried, repeat, smoke=smoke)
        for dataset, tried, repeat in product(sets, methods, range(repeats))
    ]


def shape_trial(clustering: Trial) -> Trial:
    """Trial of the shape of the factors behind a trial of clustering."""
    return replace(clustering.fit, task="factor-shape")


def sparseness_trial(clustering: Trial) -> Trial:
    """Trial of the sparseness of the codes behind a trial of clustering."""
    return replace(clustering.fit, task="code-sparseness")


def by_set(describe: Callable[[str], str], sets: Iterable[str]) -> str:
    """Words on each of some data sets, in the order of the tables."""
    return ", ".join(f"{SETS[name].label} {describe(name)}" for name in SETS if name in set(sets))


ASSUMED = {
    "scale": "The penalties are weighed against squared errors, so a weight means nothing without "
    "a scale; the paper gives none. Samples are scaled to unit length, as Cai et al. (2011) do.",
    "start": "The paper says random. Uniform numbers and one multiplicative step, which fixes "
    "their scale; the same for all methods that take a start. A run is a start and a seed of "
    "K-means.",
    "update": "RNMFD runs with the largest of the exponents 1, 1/2 and 1/4 on the ratio of Eq. "
    "(17) that does not raise the objective, unless the rule is named. As printed, with the "
    "exponent 1, an iteration may raise it; rnmfd/theorem1 compares the rules. In Tables 1, 3 and "
    "4, Figure 1 and where the text speaks of structure, terms, reconstruction and cost, claims of "
    "the paper on RNMFD are decided where they come out alike with both.",
    "stopping": "At most 300 iterations, or when one changes the objective by 1e-6 of it.",
    "clusters": "K-means of the rows of the representation (the best of ten starts), as Cai et "
    "al. do; components have unit length where the objective leaves the scale free, so not for "
    "IGNMF, NLCF and RNMFD. RCC, NSDR, DRCC, Ncuts and K-means of the images cluster by "
    "themselves.",
    "UMIST": "The prepared set has 575 images, of which the paper's 398 are an unknown part: all "
    "575.",
    "MNIST": "Which 1000 digits the paper takes is not said: 100 of each from the test set, drawn "
    "once.",
}
"""Our choices where the paper does not say, for the assumptions of each artefact."""

STANDS_FOR = {"umist": "all 575 images of UMIST for an unknown 398 of them"}
"""Data that are not quite the paper's."""
