"""What solvers are compared on: a few small problems a task, and who runs against them.

Where a paper's artefact has the same question, the options are its own, so that its records serve
here, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nmfbench.engine.trials import Trial

__all__ = [
    "ALPHA",
    "FIELDS",
    "QUESTIONS",
    "Problem",
    "Question",
    "problems_of",
    "repeats_to_decide",
]


@dataclass(frozen=True)
class Question:
    """What a task's trials are scored by.

    Attributes
    ----------
    task : str
    title : str
        What the page calls it.
    metric : str or None
        None: the time to 1.01 times the best objective, from the traces.
    score : str
        The metric in words.
    higher_is_better : bool
    center : {"mean", "median"}, default="mean"
        What stands for the repeats of a problem in tables and ranks. A mean of times would be
        infinite if one repeat of ten missed the target.
    """

    task: str
    title: str
    metric: str | None
    score: str
    higher_is_better: bool
    center: str = "mean"


QUESTIONS = {
    question.task: question
    for question in (
        Question(
            "reconstruction",
            "Reconstruction",
            "relative-error-test",
            "relative error against the clean test samples",
            higher_is_better=False,
        ),
        Question(
            "recognition",
            "Recognition",
            "accuracy-5",
            "accuracy of the nearest training sample by codes",
            higher_is_better=True,
        ),
        Question(
            "clustering",
            "Clustering",
            "clustering-accuracy",
            "clustering accuracy",
            higher_is_better=True,
        ),
        Question(
            "convergence",
            "Speed",
            None,
            "seconds to 1.01 times the best objective",
            higher_is_better=False,
            center="median",
        ),
        Question(
            "recovery",
            "Anchor recovery",
            "anchor-recovery",
            "share of the anchors recovered",
            higher_is_better=True,
        ),
        Question(
            "exemplars",
            "Exemplars",
            "accuracy@20",
            "accuracy of a classifier trained on 20 exemplars",
            higher_is_better=True,
        ),
    )
}
"""By task, in the order of the page."""


@dataclass(frozen=True)
class Problem:
    """One line of a comparison: the same data and question for all, drawn several times.

    Parameters
    ----------
    task : str
    label : str
        Short; one of a kind among the ranked ones of its task.
    dataset : str
    options, dataset_params : mapping
    corruption, level : str, float, optional
    repeats : int
        At least so many, see :func:`repeats_to_decide`.
    stand_in : bool, default=False
        On the synthetic stand-in of the data.
    timed : bool, default=False
        Its seconds are what is asked.
    loss : str, optional
        Only for solvers that minimise this loss; for all others it is no question.
    ranked : bool, default=True
        Counts in the ranks; otherwise it times the fits of the problem of the same label.
    """

    task: str
    label: str
    dataset: str
    options: Mapping[str, Any]
    dataset_params: Mapping[str, Any] = field(default_factory=dict)
    corruption: str | None = None
    level: float | None = None
    repeats: int = 1
    stand_in: bool = False
    timed: bool = False
    loss: str | None = None
    ranked: bool = True

    def trial(self, solver: str, params: Mapping[str, Any], repeat: int, *, start=True) -> Trial:
        """The trial of one solver and repeat.

        Parameters
        ----------
        start : bool, default=True
            The solver can start from given factors. Of one that cannot, a timed fit of its own
            tells when it ends, and where.
        """
        task, options = self.task, dict(self.options)
        if not self.ranked:
            task = "factorization"
            options.pop("rule", None)
        if task == "convergence":
            rounds = params.get("max_iter", _rounds(solver, self.loss))
            options["max_iter"] = max(1, round(rounds * options.pop("effort")))
            if not start:
                task, options = "factorization", {"n_components": options["n_components"]}
        return Trial(
            task=task,
            dataset=self.dataset,
            solver=solver,
            params=params,
            dataset_params=self.dataset_params,
            corruption=self.corruption,
            level=self.level,
            options=options,
            repeat=repeat,
            stand_in=self.stand_in,
            timed=self.timed,
        )


ALPHA = 0.05
"""Level of all tests."""


def repeats_to_decide(comparisons: int) -> int:
    r"""The number of repeats from which on a lead in all of them is a significant one.

    The smallest p-value of a signed-rank test of n differences is :math:`2^{1-n}`, and Holm's
    correction multiplies the smallest of all by the number of comparisons.

    Examples
    --------
    >>> repeats_to_decide(1), repeats_to_decide(24), repeats_to_decide(25)
    (6, 10, 10)
    """
    return math.floor(math.log2(comparisons / ALPHA)) + 2


# -- the field --------------------------------------------------------------------------------

# As the artefacts run them on faces, and in the tables of clustering.
_FACES = (
    ("nenmf", {"max_iter": 300}),
    ("kl-mu", {"max_iter": 300}),
    ("mahnmf-hybrid", {}),
)
_SEPARABLE = (("robust-xray", {}), ("xray-l2", {}), ("spa", {}))

FIELDS: dict[tuple[str, str | None], Sequence[tuple[str, dict[str, Any]]]] = {
    ("reconstruction", None): _FACES,
    ("recognition", None): _FACES,
    ("clustering", None): (*_FACES, ("gnmf", {})),
    ("convergence", "frobenius"): (("nenmf", {}), ("hals", {}), ("mu", {})),
    ("convergence", "kl"): (("kl-mu", {}), ("sklearn-mu", {})),
    ("convergence", "itakura-saito"): (("is-mu", {}),),
    ("convergence", "manhattan"): (
        ("mahnmf-hybrid", {}),
        ("mahnmf-rri", {}),
        ("mahnmf-ogm", {"lipschitz": "spectral"}),
    ),
    ("recovery", None): _SEPARABLE,
    ("exemplars", None): _SEPARABLE,
}
"""Baselines by task and loss, with their parameters: few, so that few repeats decide."""

_ROUNDS = {
    "nenmf": 100,
    "mu": 600,
    "kl-mu": 300,
    "sklearn-mu": 300,
    "mahnmf-hybrid": 80,
    "mahnmf-rri": 80,
    "mahnmf-ogm": 50,
}
"""Iterations that come to like times; of other solvers of ours,"""
_OTHER_ROUNDS = 200


def _rounds(solver, loss):
    """Iterations; of a class from outside as many as of the baseline that makes most of them."""
    if ":" in solver:
        return max(_rounds(key, loss) for key, _ in FIELDS["convergence", loss])
    return _ROUNDS.get(solver, _OTHER_ROUNDS)


_REPEATS = {"smoke": 6, "quick": 10, "paper": 10}
"""At least; more where many comparisons need them."""


# -- the grids --------------------------------------------------------------------------------


def problems_of(task: str, profile: str) -> list[Problem]:
    """The problems of a task.

    Parameters
    ----------
    task : str
        A key of :data:`QUESTIONS`.
    profile : {"smoke", "quick", "paper"}
    """
    return _GRIDS[task](profile)


def _with_levels(task, name, shared, levels, **rest):
    """A problem for each corruption and level, the first without any."""
    return [
        Problem(
            task,
            name if corruption is None else f"{name}, {_WORDS[corruption]} {level:g}",
            corruption=corruption,
            level=level,
            **shared,
            **rest,
        )
        for corruption, level in [(None, None), *levels]
    ]


_WORDS = {"salt-pepper": "salt & pepper"} | {
    name: name for name in ("occlusion", "laplace", "gaussian", "poisson")
}

_SMOKE_DIGITS = {"n_components": 10, "train_per_class": 10, "test_per_class": 10}
# The study of breakdown on faces: 15 people, 105 images train and 150 test.
_BREAKDOWN = {
    "n_components": 15,
    "n_classes": 15,
    "train_per_class": 7,
    "test_per_class": 10,
    "dtype": "float32",
}
_QUICK_LEVELS = [
    *(("salt-pepper", level) for level in (0.1, 0.25, 0.5)),
    *(("gaussian", level) for level in (0.1, 0.2, 0.4)),
    ("occlusion", 0.2),
]
# Table 1 and Figures 5 to 9 of MahNMF.
_TABLE_1 = [
    ("occlusion", 0.3),
    ("laplace", 0.2),
    ("salt-pepper", 0.2),
    ("gaussian", 0.2),
    ("poisson", 25.0),
]
_TABLE_1_OPTIONS = {"n_components": 20, "dtype": "float32", "train_per_class": 7}


def _faces(task, profile):
    if profile == "smoke":
        shared = {"dataset": "digits", "options": _SMOKE_DIGITS}
        levels = [("salt-pepper", 0.2), ("salt-pepper", 0.4)]
        found = _with_levels(task, "digits", shared, levels, repeats=_REPEATS[profile])
    else:
        shared = {"dataset": "yaleb", "options": _BREAKDOWN}
        found = _with_levels(task, "15 of Yale B", shared, _QUICK_LEVELS, repeats=_REPEATS[profile])
        if profile == "paper":
            for dataset, name in (("yaleb", "Yale B"), ("pie", "PIE")):
                shared = {"dataset": dataset, "options": _TABLE_1_OPTIONS}
                found += _with_levels(task, name, shared, _TABLE_1, repeats=_REPEATS[profile])
    if task == "reconstruction":
        found.append(_for_the_clock(found[1]))
    return found


def _for_the_clock(problem):
    """The fits of a few repeats once more, alone on the machine."""
    return replace(problem, repeats=3, timed=True, ranked=False)


def _clustering(profile):
    shared = {"unit_samples": True, "rule": "kmeans"}
    if profile == "smoke":
        digits = {"train_per_class": 15, "test_per_class": 1}
        found = [
            Problem(
                "clustering",
                f"{classes} digits",
                "digits",
                shared | digits | {"n_components": classes, "n_classes": classes},
                repeats=_REPEATS[profile],
            )
            for classes in (5, 10)
        ]
        return [*found, _for_the_clock(found[1])]
    # Tables 3 and 4 of RNMFD.
    sets = [
        ("YALE", "yale", 15, {}),
        ("UMIST", "umist", 20, {}),
        ("Semeion", "semeion", 10, {}),
        ("ORL", "orl", 40, {}),
        ("MNIST", "mnist", 10, {"samples_per_class": 100}),
    ]
    found = [
        Problem(
            "clustering",
            name,
            dataset,
            shared | {"n_components": classes},
            dataset_params=params,
            repeats=_REPEATS[profile],
        )
        for name, dataset, classes, params in sets
    ]
    return [*found, _for_the_clock(found[1])]


def _convergence(profile):
    smoke = profile == "smoke"
    low_rank = {"n_samples": 100, "n_features": 500, "n_components": 10}
    sets = [("low rank + noise", "noisy-low-rank", 10, low_rank), ("digits", "digits", 10, {})]
    if not smoke:
        sets += [("uniform", "uniform", 20, {}), ("faces (CBCL)", "cbcl", 25, {})]
    if profile == "paper":
        sets += [("ORL", "orl", 40, {}), ("Semeion", "semeion", 30, {})]
    # Itakura-Saito is undefined at zero, where one solver has a floor and another refuses.
    shapes = ((100, 500), (500, 100))
    positive = [
        (f"uniform {n} x {m}", "uniform", 10, {"n_samples": n, "n_features": m}) for n, m in shapes
    ]
    effort = {"frobenius": 0.5, "kl": 0.5, "itakura-saito": 0.5, "manhattan": 0.3}
    return [
        Problem(
            "convergence",
            f"{name}, r = {rank}, {loss}",
            dataset,
            {"n_components": rank, "effort": effort[loss] if smoke else 1.0},
            dataset_params=params,
            repeats=_REPEATS[profile],
            timed=True,
            loss=loss,
        )
        for loss in effort
        for name, dataset, rank, params in (positive if loss == "itakura-saito" else sets)
    ]


def _recovery(profile):
    # Figure 3 of Robust XRAY.
    levels = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3)
    small = {"n_samples": 40, "n_features": 30, "n_components": 4}
    smoke = profile == "smoke"
    return [
        Problem(
            "recovery",
            f"near-separable, noise {level:g}",
            "near-separable",
            {},
            dataset_params=small if smoke else {},
            corruption="sparse-laplace",
            level=level,
            repeats=_REPEATS[profile],
        )
        for level in (levels[:5:2] if smoke else levels)
    ]


def _exemplars(profile):
    # Figures 5 and 6 of Robust XRAY.
    smoke = profile == "smoke"
    sets = [("Reuters", "reuters", {"largest_classes": 10})]
    if profile == "paper":
        sets.append(("BBC", "bbc", {}))
    return [
        Problem(
            "exemplars",
            f"{name}, {weighting}",
            dataset,
            {"weighting": weighting} | ({"sizes": [10, 20]} if smoke else {}),
            dataset_params=params,
            repeats=_REPEATS[profile],
            stand_in=smoke,
        )
        for name, dataset, params in sets
        for weighting in ("counts", "tfidf")
    ]


_GRIDS = {
    "reconstruction": lambda profile: _faces("reconstruction", profile),
    "recognition": lambda profile: _faces("recognition", profile),
    "clustering": _clustering,
    "convergence": _convergence,
    "recovery": _recovery,
    "exemplars": _exemplars,
}
