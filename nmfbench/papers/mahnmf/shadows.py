"""Low-rank parts of the faces of one subject at a time: Figures 18 and 19."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import PROFILES
from nmfbench.artefacts.finding import Test, at_each_reading
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import Method, changed, cross, fields, methods, options
from nmfbench.artefacts.plots import image_grid
from nmfbench.artefacts.style import show_images
from nmfbench.problems.lighting import DATASET, RANK
from nmfbench.problems.separation import CARD
from nmfbench.trials.trial import Trial

IMAGES, MAH, RPCA, GODEC = "images", "MahNMF (RRI)", "RPCA", "GoDec"

METHODS = (
    Method(MAH, "mahnmf-rri"),
    Method(RPCA, "rpca-ialm"),
    Method(GODEC, "godec", {"card": CARD}),
)

OGM = "MahNMF (OGM)"
SMOOTHING = Method(OGM, "mahnmf-ogm", {"lipschitz": "spectral"}, drawn=False)
"""The paper's other algorithm, by which its claims have to come out alike."""

HALS, PCA = "HALS", "PCA"
SQUARED = (Method(HALS, "hals"), Method(PCA, "pca"))
"""Fits of the same rank by a squared loss, beside which shadows are removed or are not."""

NUMBERS = {
    "asymmetry": "asymmetry",
    "lift": "shadow lift",
    "shadow-error": "shadow error",
    "spread": "brightness spread",
    "detail": "detail",
}
"""Numbers of the task, and how they are read."""

SOURCE = "Section 5.4.2, Figures 18 and 19"
ASKED = ("spread", "detail", "lift")
"""Numbers that are our questions: the paper does not mention the first two, and in lift brighter is
always better, so that a white veil is the best; the shadow error asks for the same, and has a
goal."""

READ_AT = (1, RANK, 4)
"""Ranks at which claims have to come out alike, as the paper's is lost."""

_AS_THEY_ARE = {"asymmetry": 1.0, "lift": 1.0, "spread": 1.0}
_KEPT = ["task", "method", "n_components", "start", "arrays"]
_BELOW = {"asymmetry": "asymmetry", "lift": "lift", "spread": "spread", "detail": "detail"}


# -- grid and frame ---------------------------------------------------------------------------


def base(profile: str) -> Trial:
    """The fits of all subjects at the paper's rank; of a few of the stand-in in the smoke grid."""
    trial = Trial(task="lighting", dataset=DATASET, solver="", options={"n_components": RANK})
    if profile != "smoke":
        return trial
    return changed(trial, {"stand_in": True, "options": {"n_classes": 6}})


def starts(profile: str):
    """An axis of starts of the solvers."""
    return fields("start", range(dict(zip(PROFILES, (1, 2, 5), strict=True))[profile]))


def grid(profile: str, chosen: Sequence[Method] = METHODS) -> list[Trial]:
    """The methods of the paper, or others, at all ranks; RPCA, which finds its rank, once."""
    ranked = [method for method in chosen if method.label != RPCA]
    once = [method for method in chosen if method.label == RPCA]
    ranks = options("n_components", READ_AT[:2] if profile == "smoke" else READ_AT)
    shared = base(profile), 1
    return [
        *cross(*shared, ranks, starts(profile), methods(ranked)),
        *cross(*shared, starts(profile), methods(once)),
    ]


def by_rank(records: pd.DataFrame) -> pd.DataFrame:
    """As :func:`by_subject`, with the rows of RPCA at each rank of the others."""
    found = records["method"] == RPCA
    ranks = records.loc[~found, "n_components"].unique()
    own = [records[found].assign(n_components=rank) for rank in ranks]
    return by_subject(pd.concat([records[~found], *own], ignore_index=True))


def by_subject(records: pd.DataFrame) -> pd.DataFrame:
    """A row a trial and subject, with the numbers of the task; the subject is the ``repeat``.

    The images as they are stand there as a further method, beside each rank and start.
    """
    parts = []
    for record in records[_KEPT].to_dict("records"):
        numbers = pd.DataFrame(record["arrays"]["subjects"]).rename(columns={"subject": "repeat"})
        parts.append(numbers.assign(**{name: [record[name]] * len(numbers) for name in _KEPT}))
    rows = pd.concat(parts, ignore_index=True)
    rows["method"] = pd.Categorical(rows["method"], records["method"].cat.categories, ordered=True)
    measured = {name: rows[f"{name}-images"] for name in ("shadow-error", "detail", "identity")}
    return with_images(rows, _AS_THEY_ARE | measured)


def with_images(rows: pd.DataFrame, values: Mapping) -> pd.DataFrame:
    """Rows, and rows of the images as they are, whose numbers are ``values``."""
    images = rows.assign(**values).drop_duplicates(["task", "n_components", "start", "repeat"])
    names = [IMAGES] * len(images) + rows["method"].tolist()
    order = [IMAGES, *rows["method"].cat.categories]
    method = pd.Categorical(names, order, ordered=True)
    return pd.concat([images, rows], ignore_index=True).assign(method=method)


def at_readings(test_of: Callable[..., Test], *, ours: bool) -> Test:
    """A test of MahNMF that comes out alike by both algorithms at all ranks.

    Of our questions, by the algorithm and at the rank that are shown.
    """
    if ours:
        return test_of(MAH, at={"n_components": RANK})
    tests = {
        f"{name}, rank {rank}": test_of(name, at={"n_components": rank})
        for name in (MAH, OGM)
        for rank in READ_AT
    }
    return at_each_reading("the algorithm and the rank", tests)


# -- picture ----------------------------------------------------------------------------------


def pictures(frame: pd.DataFrame, subjects: Sequence[int]) -> pd.DataFrame:
    """Six images of each of some subjects, what is left of them, and what was taken away.

    Parameters
    ----------
    frame : DataFrame
        Of :func:`by_subject`.
    subjects : sequence of int
        Places of the subjects among all that the task shows.

    Returns
    -------
    DataFrame
        ``subject``, ``view`` ("image", "L" or "|X − L|"), ``method``, ``images``: six lists of
        pixels, 0 to 255; and numbers of the subject.
    """
    rows = []
    for method in (IMAGES, MAH, RPCA, GODEC):
        fits = select_rows(frame, method=method, start=0, n_components=RANK)
        arrays = fits["arrays"].iloc[0]
        labels = arrays["shown"][list(subjects)]
        for place, label in zip(subjects, labels, strict=True):
            numbers = fits.loc[fits["repeat"] == label, list(_BELOW)].iloc[0]
            parts = {"L": "low-rank", "|X − L|": "residuals"}
            for view, name in ({"image": "images"} if method == IMAGES else parts).items():
                images = arrays[name][place].tolist()
                rows.append([int(label), view, method, images, *numbers])
    table = pd.DataFrame(rows, columns=["subject", "view", "method", "images", *_BELOW])
    order = {"image": 0, "L": 1, "|X − L|": 2}
    return table.sort_values("view", key=lambda view: view.map(order), kind="stable")


def draw(table: pd.DataFrame):
    """A column a subject: the images, then L of each method, then the residuals."""
    residuals = select_rows(table, view="|X − L|")["images"]
    white = np.quantile(np.concatenate([np.ravel(images) for images in residuals]), 0.995)
    of_methods = table["method"] + "\n" + table["view"]
    table = table.assign(row=of_methods.where(table["view"] != "image", "image"))

    def panel(axis, row, subject):
        cell = select_rows(table, row=row, subject=subject).iloc[0]
        show_images(axis, cell["images"], white=white if cell["view"] == "|X − L|" else 255)
        if cell["view"] == "L":
            text = ", ".join(f"{name} {cell[key]:.2f}" for key, name in _BELOW.items())
            axis.set_xlabel(text, fontsize="small", labelpad=2)

    columns = {subject: f"subject {subject}" for subject in table["subject"].unique()}
    return image_grid(table["row"].unique().tolist(), columns, panel, size=(4.2, 0.85))


ASSUMED = {
    "images": "Faces of 32 x 32 pixels, 59 to 64 of a subject, in [0, 1]; the paper's size is "
    "lost. It shows four subjects, and does not say which: here the first four.",
    "rank": f"Lost in the text. Shown, and in our claims, is {RANK}, as in the demo of GoDec's "
    "authors; the paper's claims are decided where they come out alike at 1, 2 and 4.",
    "GoDec, RPCA": f"GoDec with a sparse part of {100 * CARD:.3g} % of the entries, the share in "
    "its authors' demo on a video, where the paper says that it takes the settings of its videos; "
    "RPCA with λ = 1/√max(n, m) and a tolerance of 10⁻⁷, its authors' defaults.",
    "MahNMF": "The paper has two algorithms, and does not say which one it used here. Shown, and "
    "in our claims, is the rank-one residual iteration, from its own random start; the paper's "
    "claims are decided where they come out alike by smoothing, too, with the Lipschitz constant "
    "itself for the paper's bound, and sub-problems that end when their gradient has fallen to a "
    "hundredth, instead of by Eq. (22), whose number is lost. Both stop by rule (4) at 0.001, "
    "ours.",
    "removed": "The paper shows pictures and has no number. Ours need no angle of the light. "
    "Asymmetry, lift and error are about what it says is removed; claims on spread and detail, of "
    "which it says nothing, are ours, and so are those on lift, of which a white veil has the "
    "most. "
    "Asymmetry: the distance of images from their mirror images, of L against X. Shadow lift: the "
    "mean of L against that of X on pixels that are darker than a quarter of the subject's median "
    "image; shadow error: the mean distance there from the median image, in grey levels. "
    "Brightness spread: the deviation of the mean brightness over the images of a subject, of L "
    "against X. Detail: the correlation with the median image after means over 5 x 5 pixels are "
    "taken off. A single picture of a subject, such as the median image, is the best by all but "
    "the first of them, and near its floor by that.",
    "one observation": "A subject, of 38; starts of the solvers are averaged first.",
}
"""Our choices where the paper says nothing."""

CAPTION = (
    "Six images of a subject, from the darkest to the brightest at even steps of rank; below them "
    "the low-rank part L that each method found of all images of the subject, clipped to black and "
    "white, with the subject's own numbers; and |X − L|, on one grey scale for all methods (white "
    "is the 99.5 % quantile)."
)
