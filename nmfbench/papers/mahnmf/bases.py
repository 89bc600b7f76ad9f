"""Random bases of each method in each condition, and the noise in them: Figures 6 and 8."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.frames import reference, select_rows, with_columns
from nmfbench.artefacts.plots import image_grid
from nmfbench.artefacts.style import show_images
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import (
    FACTORIZATIONS,
    NAMES,
    READ_AT,
    at_another_level,
    at_other_levels,
)
from nmfbench.papers.mahnmf.faces_claims import lowest, slug
from nmfbench.problems.faces import CONDITIONS
from nmfbench.trials.trial import Trial

_CLEARED = ("occlusion", "Laplace", "salt & pepper")
ADDED = "added contamination"
MATTERS = {ADDED: 0.02}
"""Smallest difference that matters, two points of the components' energy."""
_SHOWN = 5
_COLUMNS = ("condition", "method", "component", "pixels", "contamination", "added", "splits")


def grid(dataset: str, profile: str) -> list[Trial]:
    """The bases of the first split, for the pictures, and the noise in the bases of all splits.

    Under Laplace noise at other levels, too, which are trials of Table 1.
    """
    bases = faces.trials_on_faces("factorization", dataset, profile, ranks=READ_AT[:1])
    noise = faces.trials_on_faces("reconstruction", dataset, profile, ranks=READ_AT)
    trials = [trial for trial in bases if trial.repeat == 0] + noise
    if profile == "paper":
        trials += at_other_levels(noise, "Laplace")
    return [trial for trial in trials if trial.solver != "pca"]


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Records with what noise has added to the contamination.

    That is the difference to the same method, rank and split without noise.
    """
    records = with_columns(records, ["contamination"])
    fit = ["n_components", "repeat", "method"]
    clean = reference(records, "contamination", {"condition": "no noise"}, fit)
    return records.assign(**{ADDED: records["contamination"] - clean})


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Five random bases by condition and method, each scaled to its largest entry.

    Columns: ``condition``, ``method``, ``component``, ``pixels`` (0 to 255); ``contamination``
    and ``added``, see :func:`frame`, means over ``splits``.
    """
    frame = select_rows(frame, n_components=frame["n_components"].min())
    fits = select_rows(frame, task="factorization", repeat=0).sort_values(["condition", "method"])
    noise = select_rows(frame, task="reconstruction").groupby(
        ["condition", "method"], observed=True
    )
    noise = noise.agg(
        contamination=("contamination", "mean"),
        added=(ADDED, "mean"),
        splits=("contamination", "count"),
    )
    rows = []
    for fit in fits.itertuples():
        components = fit.arrays["components"]
        # The same draw for every method and condition: they started alike.
        r = len(components)
        chosen = np.random.default_rng(0).choice(r, min(_SHOWN, r), replace=False)
        place = fit.condition, fit.method
        measured = noise.reindex([place]).iloc[0]
        rows += [(*place, int(k), _grey(components[k]), *measured) for k in chosen]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _grey(component):
    return np.rint(255 * component / (component.max() or 1)).astype(int).tolist()


def draw(table: pd.DataFrame):
    """A row a condition, five images a method; below them the contamination of all bases."""
    conditions = [c for c in CONDITIONS if (table["condition"] == c).any()]
    methods = [m.label for m in FACTORIZATIONS if (table["method"] == m.label).any()]

    def panel(axis, condition, method):
        cell = select_rows(table, condition=condition, method=method)
        show_images(axis, cell["pixels"].to_list() or [np.nan] * _SHOWN)
        axis.set_xlabel(_measured(cell), fontsize="small", labelpad=2)

    return image_grid(conditions, {name: name for name in methods}, panel, size=(3.4, 0.95))


def _measured(cell):
    if not cell["contamination"].notna().any():
        return ""
    condition, contamination, added = cell.iloc[0][["condition", "contamination", "added"]]
    text = f"contamination {100 * contamination:.1f} %"
    return text if condition == "no noise" or pd.isna(added) else f"{text} ({100 * added:+.1f})"


def free_of_noise(dataset: str, conditions: Sequence[str], source: str) -> list[Claim]:
    """Claims that MahNMF's bases are the least contaminated, for each of the conditions."""
    return [
        claim
        for condition in conditions
        for claim in lowest(
            slug(condition),
            f"{NAMES[dataset]}, {condition}: {{}} suppresses the noise, which adds less "
            "contamination to its bases than to the bases of EucNMF and KLNMF.",
            source,
            ADDED,
            at={"condition": condition},
            ranks=READ_AT,
            levels=condition == "Laplace",
        )
    ]


def figure(name: str, dataset: str, source: str, claims: Sequence[Claim], **parts: Any) -> Artefact:
    """The figure of one data set, with claims besides that its bases are free of noise.

    ``parts`` are the other fields of an artefact.
    """
    settings: dict[str, Any] = {"methods": FACTORIZATIONS, "grid": partial(grid, dataset)} | parts
    return register_artefact(
        Artefact(
            f"mahnmf/{name}",
            kind="figure",
            frame=frame,
            table=table,
            picture=draw,
            claims=[*free_of_noise(dataset, _CLEARED, source), *claims],
            matters=MATTERS,
            further=partial(at_another_level, ["Laplace"]),
            caption=CAPTION,
            **settings,
        )
    )


ASSUMED = faces.ASSUMED | {
    "rank": faces.RANK_LOST,
    "levels of noise": faces.OF_LAPLACE,
    "bases shown": "Five of the first split, drawn once and the same for all methods and "
    "conditions. Each is scaled to its own largest entry, which is white.",
    "contamination": "The paper shows pictures and has no number. Ours is the share of a basis "
    "(its squared norm) that lies outside the span of the clean training images, in the mean over "
    "all bases: a combination of corrupted images is one of clean images, inside, and of their "
    "noise, of which most is outside. Bases of clean images have a little, too, as they are not "
    "exact combinations, and which loss has more is no matter of noise. So the claims compare "
    "what is added: contamination minus that of the same method, split and rank without noise. "
    "The paper's suppressed, where others are contaminated, is read as less than theirs.",
}

CAPTION = (
    "Rows: what the training images suffered. Five bases a method, each scaled to its own largest "
    "entry (white). Below them the share of all bases that no combination of clean training "
    "images explains, mean over the splits of the method; in brackets what the noise added to it. "
    "A method that the grid does not hold has no column."
)
