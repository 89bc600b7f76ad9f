"""What the experiments on corrupted faces share: methods, conditions, and one grid of fits.

Figures 5 to 9, Table 1 and the paired study ask different questions of the same fits; so each
takes its trials from :func:`trials_on_faces`, and a fit is computed once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from nmfbench.artefacts.grids import Method
from nmfbench.engine.trials import Trial
from nmfbench.problems.faces import CONDITIONS, DTYPE, SPLIT

__all__ = [
    "ASSUMED",
    "CONDITIONS",
    "DTYPE",
    "EUC",
    "HYBRID",
    "KL",
    "MAH",
    "METHODS",
    "PCA",
    "RANKS",
    "corrupted",
    "slug",
    "trials_on_faces",
    "with_condition",
]

PCA, EUC, KL, MAH, HYBRID = "PCA", "EucNMF", "KLNMF", "MahNMF", "MahNMF (hybrid)"

METHODS = (
    Method(PCA, "pca"),
    Method(EUC, "nenmf", {"max_iter": 300}),
    Method(KL, "kl-mu", {"max_iter": 300}),
    Method(MAH, "mahnmf-ogm", {"lipschitz": "spectral"}),
    Method(HYBRID, "mahnmf-hybrid"),
)
_OF = {method.label: method for method in METHODS}
_FAST = (PCA, EUC, KL, HYBRID)
_ALL = (PCA, EUC, KL, MAH, HYBRID)

RANKS = tuple(range(10, 101, 10))


@dataclass(frozen=True)
class _Part:
    """A part of a grid: every method at every rank on the first splits."""

    ranks: Sequence[int]
    splits: int
    methods: Sequence[str]


_GRIDS = {
    ("yaleb", "quick"): (
        _Part((20,), 5, _ALL),
        _Part((50,), 1, _FAST),
        _Part((10,), 1, _ALL),
    ),
    ("pie", "quick"): (_Part((10, 20), 1, _FAST),),
    ("yaleb", "paper"): (_Part(RANKS, 10, _ALL),),
    ("pie", "paper"): (_Part(RANKS, 10, _ALL),),
}
_SMOKE = (_Part((3, 5), 2, _ALL),)


def trials_on_faces(
    task: str, dataset: str, profile: str, *, ranks: Sequence[int] | None = None
) -> list[Trial]:
    """The grid of a profile, for one task: all conditions, methods, ranks and splits.

    Parameters
    ----------
    task : {"recognition", "reconstruction", "factorization"}
    dataset : {"yaleb", "pie"}
    profile : {"smoke", "quick", "paper"}
    ranks : sequence of int, optional
        Of those in the grid, by default all.
    """
    smoke = profile == "smoke"
    parts = _SMOKE if smoke else _GRIDS[dataset, profile]
    options = {"train_per_class": 2, "test_per_class": 3} if smoke else SPLIT
    conditions = ("no noise", "salt & pepper") if smoke else CONDITIONS
    return [
        corrupted(
            Trial(
                task=task,
                dataset=dataset,
                solver=_OF[label].solver,
                params=_OF[label].params,
                options={"n_components": rank, "dtype": DTYPE, **options},
                repeat=split,
                stand_in=smoke,
            ),
            condition,
        )
        for part in parts
        for split in range(part.splits)
        for condition in conditions
        for rank in part.ranks
        if ranks is None or smoke or rank in ranks
        for label in part.methods
    ]


def corrupted(trial: Trial, condition: str) -> Trial:
    """The trial on data in one of :data:`CONDITIONS`."""
    corruption, level = CONDITIONS[condition]
    return replace(trial, corruption=corruption, level=level)


def slug(condition: str) -> str:
    """A condition as ids of claims have it.

    Examples
    --------
    >>> slug("salt & pepper")
    'salt-pepper'
    """
    return condition.lower().replace(" & ", "-").replace(" ", "-")


def with_condition(records: pd.DataFrame) -> pd.DataFrame:
    """Records with a categorical column ``condition``, in the order of the paper's panels."""
    labels = {corruption: label for label, (corruption, _) in CONDITIONS.items()}
    found = [labels[None if pd.isna(c) else c] for c in records["corruption"]]
    condition = pd.Categorical(found, categories=list(CONDITIONS), ordered=True)
    return records.assign(condition=condition)


ASSUMED = {
    "levels": "Lost in the text. Occlusion: a white square of 0.3 of the image's side at a random "
    "place; Laplace noise of scale 0.2; salt and pepper on 20 % of the pixels; Gaussian noise of "
    "deviation 0.2; Poisson noise at 25 counts for a white pixel. All clipped to [0, 1].",
    "ranks and splits": "Ranks are lost; 10 to 100. Seven random images of a person train, the "
    "rest test, ten times (as the paper says).",
    "MahNMF": "The paper's smoothing method (OGM), with the Lipschitz constant itself in place of "
    "the paper's bound: the same sub-problems in fewer seconds. The hybrid minimises the same "
    "loss, and further. Both stop by the paper's rule (4) at 0.001, ours.",
    "EucNMF, KLNMF": "NeNMF, and multiplicative updates: 300 iterations, or a change of the "
    "objective below 0.01 %.",
    "precision": "Fits in single precision: twice as fast, with the same iterations and, to six "
    "digits, the same objectives. Codes of test images in double precision.",
    "start": "Uniform, small, scaled by one multiplicative step; the same for all methods of a "
    "split.",
}
"""What the paper does not say of these experiments, and what we chose."""
