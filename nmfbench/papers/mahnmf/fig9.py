"""Figure 9: clean faces reconstructed from corrupted ones."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.style import show_images
from nmfbench.metrics import relative_error
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import CONDITIONS, trials_on_faces, with_condition
from nmfbench.papers.mahnmf.lowest import lowest

METHODS = tuple(method for method in faces.METHODS if method.label != faces.PCA)
RANK = 20
_CLEAN, _GIVEN = "clean", "given"
_IMAGES = {
    _CLEAN: _CLEAN,
    _GIVEN: _GIVEN,
    faces.EUC: faces.EUC,
    faces.KL: faces.KL,
    faces.MAH: faces.MAH,
    faces.HYBRID: "hybrid",
}
_VIEWS = {
    "mean-train": "mean of the training images",
    "mean-test": "mean of the test images",
    "example-train": "one training image",
    "example-test": "one test image",
}
_WHITE = {"mean-train": 0.6, "mean-test": 0.6, "example-train": 1.0, "example-test": 1.0}


def trials(profile):
    found = trials_on_faces("reconstruction", "yaleb", profile, ranks=(RANK,))
    solvers = {method.solver for method in METHODS}
    return [trial for trial in found if trial.solver in solvers]


def summarise(records):
    """Images of the first split, 0 to 255, by condition, view and image.

    Columns: ``condition``, ``view`` (a key of the arrays of the task), ``image`` ("clean",
    "given" or a method), ``pixels``, and ``error``, relative to the clean image.
    """
    records = with_condition(records[records["repeat"] == 0])
    records = records[records["n_components"] == records["n_components"].min()]
    rows = {}
    for record in records.sort_values(["condition", "method"]).to_dict("records"):
        for view in _VIEWS:
            three = record["arrays"][view]
            images = zip((_CLEAN, _GIVEN, record["method"]), three, strict=True)
            for name, image in images:  # clean and given are the same for all methods
                rows[record["condition"], view, name] = {
                    "pixels": np.rint(255 * np.clip(image, 0, 1)).astype(int).tolist(),
                    "error": relative_error(three[0], image),
                }
    names = ["condition", "view", "image"]
    found = [dict(zip(names, key, strict=True)) | row for key, row in rows.items()]
    return pd.DataFrame(found, columns=[*names, "pixels", "error"])


def draw(table):
    """A row a condition, a block a view: clean, given, and what each method makes of it."""
    conditions = [c for c in CONDITIONS if (table["condition"] == c).any()]
    names = [name for name in _IMAGES if (table["image"] == name).any()]
    figure, axes = plt.subplots(
        max(len(conditions), 1),
        len(_VIEWS),
        figsize=(16.5, 0.92 * len(conditions) + 0.6),
        squeeze=False,
    )
    for i, condition in enumerate(conditions):
        for axis, (view, title) in zip(axes[i], _VIEWS.items(), strict=True):
            cell = table[(table["condition"] == condition) & (table["view"] == view)]
            block = cell.set_index("image").reindex(names)
            below = block["error"].map("{:.2f}".format, na_action="ignore").fillna("")
            show_images(
                axis,
                block["pixels"],
                white=255 * _WHITE[view],
                above=[_IMAGES[name] for name in names] if i == 0 else None,
                below=["" if name == _CLEAN else below[name] for name in names],
            )
            if i == 0:
                axis.set_title(title, pad=16)
        axes[i, 0].set_ylabel(condition, fontsize="small")
    return figure


_SOURCE = "Section 5.2.2, Figure 9"

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig9",
        title="Faces reconstructed from corrupted ones, Yale B",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=summarise,
        picture=draw,
        claims=[
            *(
                claim
                for condition in CONDITIONS
                for claim in lowest(
                    f"mean-{faces.slug(condition)}",
                    f"Yale B, {condition}: the mean reconstruction of {{}} is nearer to the mean "
                    "of the clean images than those of EucNMF and KLNMF, training and test.",
                    _SOURCE,
                    ["mean-error-train", "mean-error-test"],
                    condition=condition,
                )
            ),
            *lowest(
                "edges",
                "Yale B, mean of all conditions: the edges in the reconstructions of {} are "
                "nearer to those of the clean images than with EucNMF and KLNMF, training and "
                "test.",
                _SOURCE,
                ["edge-error-train", "edge-error-test"],
            ),
        ],
        assumed=faces.ASSUMED
        | {
            "rank": f"Lost in the text; {RANK}.",
            "average reconstruction": "Read as the mean of the reconstructions of all images of a "
            "part. Noise averages out in it, and a veil over all images stays. So one image is "
            "shown, too: that of median brightness in its part, first split.",
            "clearer": "The paper has no number. Ours are the relative error of the mean image, "
            "for each condition, and, for single images, the relative error of the differences "
            "between neighbouring pixels: it counts noise and blur, not the brightness. The "
            "relative errors of single images are in Table 1.",
            "test images": "Corrupted like the training images, and coded on the learned bases "
            "with each method's own loss.",
            "PIE": "The paper shows it as well. Its images may not be passed on, so that there is "
            "no picture here; its errors are in Table 1.",
        },
        caption="Black is 0; white is 1 in single images and 0.6 in means. Given is what the "
        "methods saw. Numbers: relative error of the image above against the clean one.",
    )
)
