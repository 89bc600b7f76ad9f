"""Figure 9: clean faces reconstructed from corrupted ones."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import image_grid
from nmfbench.artefacts.style import show_images
from nmfbench.metrics.factors import relative_error
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import (
    FACTORIZATIONS,
    NAMES,
    NOISY,
    READ_AT,
    at_another_level,
    at_other_levels,
    trials_on_faces,
)
from nmfbench.papers.mahnmf.faces_claims import lowest, slug
from nmfbench.problems.faces import CONDITIONS

_YALEB, _PIE = "yaleb", "pie"
_CLEAN, _GIVEN = "clean", "given"
_IMAGES = {_CLEAN: _CLEAN, _GIVEN: _GIVEN} | {m.label: m.label for m in FACTORIZATIONS}
_IMAGES = {name: text.replace(" ", "\n") for name, text in _IMAGES.items()}
_VIEWS = {
    "mean-train": "mean of the training images",
    "mean-test": "mean of the test images",
    "example-train": "one training image",
    "example-test": "one test image",
}
_WHITE = {"mean-train": 0.6, "mean-test": 0.6, "example-train": 1.0, "example-test": 1.0}


def trials(profile):
    """Reconstructions of both sets: pictures are of Yale B, of PIE there are the errors alone.

    Under Laplace noise at other levels, too, which are trials of Table 1.
    """
    found = [
        trial
        for dataset in (_YALEB, _PIE)
        for trial in trials_on_faces("reconstruction", dataset, profile, ranks=READ_AT)
        if trial.solver != "pca"
    ]
    if profile == "paper":
        return found + at_other_levels(found, "Laplace")
    return found


def images(frame):
    """Images of the first split of Yale B, 0 to 255, by condition, view and image.

    Columns: ``condition``, ``view`` (a key of the arrays of the task), ``image`` ("clean",
    "given" or a method), ``pixels``, and ``error``, relative to the clean image.
    """
    rank = frame["n_components"].min()
    frame = select_rows(
        frame, dataset=_YALEB, repeat=0, n_components=rank, condition=list(CONDITIONS)
    )
    rows = {}
    for fit in frame.sort_values(["condition", "method"]).itertuples():
        for view in _VIEWS:
            clean, *_ = three = fit.arrays[view]
            # Clean and given are the same for all methods.
            for name, image in zip((_CLEAN, _GIVEN, fit.method), three, strict=True):
                pixels = np.rint(255 * np.clip(image, 0, 1)).astype(int).tolist()
                rows[fit.condition, view, name] = pixels, relative_error(clean, image)
    columns = ["condition", "view", "image", "pixels", "error"]
    return pd.DataFrame([(*key, *row) for key, row in rows.items()], columns=columns)


def draw(table):
    """Rows of conditions and kinds of images: clean, given, and what each method makes of it."""
    conditions = [c for c in CONDITIONS if (table["condition"] == c).any()]
    names = [name for name in _IMAGES if (table["image"] == name).any()]
    rows = {f"{c},\n{words}": (c, kind) for kind, words in _KINDS.items() for c in conditions}

    def panel(axis, row, part):
        condition, kind = rows[row]
        view = f"{kind}-{part}"
        block = select_rows(table, condition=condition, view=view).set_index("image").reindex(names)
        below = block["error"].map("{:.2f}".format, na_action="ignore").fillna("")
        show_images(
            axis,
            block["pixels"],
            white=255 * _WHITE[view],
            above=[_IMAGES[name] for name in names] if row == next(iter(rows)) else None,
            below=["" if name == _CLEAN else below[name] for name in names],
        )

    return image_grid([*rows], _PARTS, panel, size=(4.4, 1.05), pad=24)


_KINDS = {"mean": "mean", "example": "one image"}
_PARTS = {"train": "training images", "test": "test images"}

_SOURCE = "Section 5.2.2, Figure 9"
_CLEAN_ONES = "no noise"
_OURS = {
    _CLEAN_ONES: f"{_SOURCE}, on contaminated images",
    **dict.fromkeys(
        ("Gaussian", "Poisson"),
        f"{_SOURCE}; of errors the paper claims a lead under Laplace and salt & pepper noise",
    ),
}
"""Conditions in which claims on the mean image are our questions, and the paper's words."""
_ENDINGS = {_YALEB: "", _PIE: "-pie"}  # of ids of claims

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig9",
        title="Faces reconstructed from corrupted ones, Yale B",
        kind="figure",
        methods=FACTORIZATIONS,
        grid=trials,
        table=images,
        picture=draw,
        claims=[
            *(
                claim
                for dataset, ending in _ENDINGS.items()
                for condition in CONDITIONS
                for claim in lowest(
                    f"mean-{slug(condition)}{ending}",
                    f"{NAMES[dataset]}, {condition}: the mean reconstruction of {{}} is nearer to "
                    "the mean of the clean images than with EucNMF and KLNMF, training and test.",
                    _OURS.get(condition, _SOURCE),
                    ["mean-error-train", "mean-error-test"],
                    at={"dataset": dataset, "condition": condition},
                    ratio=True,
                    ours=condition in _OURS,
                    ranks=READ_AT,
                    levels=condition == "Laplace",
                )
            ),
            *(
                claim
                for dataset, ending in _ENDINGS.items()
                for claim in lowest(
                    f"edges{ending}",
                    f"{NAMES[dataset]}, mean of all kinds of noise: the edges in the "
                    "reconstructions of {} are nearer to the edges of the clean images than with "
                    "EucNMF and KLNMF, training and test.",
                    _SOURCE,
                    ["edge-error-train", "edge-error-test"],
                    at={"dataset": dataset, "condition": NOISY},
                    ratio=True,
                    ranks=READ_AT,
                )
            ),
        ],
        further=partial(at_another_level, ["Laplace"]),
        planned=Plan(10, "As in the paper's grid: the fits of Table 1."),
        assumed=faces.ASSUMED
        | {
            "rank": faces.RANK_LOST,
            "levels of noise": faces.OF_LAPLACE,
            "average reconstruction": "Read as the mean of the reconstructions of all images of a "
            "part. Noise averages out in it, and a veil over all images stays. So one image is "
            "shown, too: that of median brightness in its part, first split. Of Gaussian and "
            "Poisson noise the mean has no more than a bias of the brightness, which says nothing "
            "of clearness: claims on it are ours.",
            "clearer": "The paper has no number. Ours are the relative error of the mean image, "
            "for each condition, and, for single images, the relative error of the differences "
            "between neighbouring pixels, mean over the five kinds of noise: it counts noise and "
            "blur, not the brightness. The relative errors of single images are in Table 1.",
            "test images": "Corrupted like the training images, and coded on the learned bases "
            "with each method's own loss.",
            "PIE": "The paper shows it as well. Its images may not be passed on, so that there is "
            "no picture here; claims are about both sets, and its errors are in Table 1.",
        },
        caption="Black is 0; white is 1 in single images and 0.6 in means. Given is what the "
        "methods saw. Numbers: relative error of the image above against the clean one.",
    )
)
