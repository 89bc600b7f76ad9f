"""What Figures 6 and 8 share: random bases of each method in each condition, and their noise."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Threshold
from nmfbench.artefacts.style import show_images
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import CONDITIONS, trials_on_faces, with_condition
from nmfbench.papers.mahnmf.lowest import lowest

__all__ = ["ASSUMED", "CAPTION", "METHODS", "RANK", "draw", "free_of_noise", "grid", "summarise"]

METHODS = tuple(method for method in faces.METHODS if method.label != faces.PCA)
RANK = 20
_SHOWN = 5
_COLUMNS = ("condition", "method", "component", "pixels", "contamination", "added", "splits")
_SUPPRESSED = "added contamination (halved of EucNMF and KLNMF)"
_SHARE = Threshold(0.5)


def grid(dataset, profile):
    """The bases of the first split, for the pictures, and the noise in those of all splits."""
    bases = trials_on_faces("factorization", dataset, profile, ranks=(RANK,))
    noise = trials_on_faces("reconstruction", dataset, profile, ranks=(RANK,))
    solvers = {method.solver for method in METHODS}
    trials = [trial for trial in bases if trial.repeat == 0] + noise
    return [trial for trial in trials if trial.solver in solvers]


def summarise(records):
    """Five random bases by condition and method, each scaled to its largest entry.

    Columns: ``condition``, ``method``, ``component``, ``pixels`` (0 to 255); ``contamination``
    and ``added``, see :func:`added_by_noise`, means over ``splits``.
    """
    records = added_by_noise(records)
    records = records[records["n_components"] == records["n_components"].min()]
    fits = records[(records["task"] == "factorization") & (records["repeat"] == 0)]
    noise = records[records["task"] == "reconstruction"]
    noise = noise.groupby(["condition", "method"], observed=True).agg(
        contamination=("contamination", "mean"),
        added=("added", "mean"),
        splits=("contamination", "count"),
    )
    rows = []
    for fit in fits.sort_values(["condition", "method"]).to_dict("records"):
        components = fit["arrays"]["components"]
        # The same draw for every method and condition: they started alike.
        r = len(components)
        chosen = np.random.default_rng(0).choice(r, min(_SHOWN, r), replace=False)
        measured = noise.reindex([(fit["condition"], fit["method"])]).iloc[0]
        rows += [
            {
                "condition": fit["condition"],
                "method": fit["method"],
                "component": int(k),
                "pixels": _grey(components[k]),
                **measured,
            }
            for k in chosen
        ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _grey(component):
    return np.rint(255 * component / (component.max() or 1)).astype(int).tolist()


def added_by_noise(records, share=_SHARE.value):
    """Records with ``condition``, and with what noise has added to the contamination.

    The column ``added`` is the difference to the same method, rank and split without noise. For
    the claims it stands in another one, times ``share``, a half, for the rivals of MahNMF.
    """
    records = with_condition(records)
    fit = ["dataset", "n_components", "repeat", "method"]
    if "contamination" not in records:  # no trial so far has measured it
        records = records.assign(contamination=np.nan)
    clean = records[records["condition"] == "no noise"]
    clean = clean.groupby(fit, observed=True)["contamination"].mean().rename("_clean")
    joined = records.join(clean, on=fit)
    joined["added"] = joined["contamination"] - joined.pop("_clean")
    rivals = joined["method"].isin([faces.EUC, faces.KL])
    joined[_SUPPRESSED] = joined["added"].where(~rivals, share * joined["added"])
    return joined


def draw(table):
    """A row a condition, five images a method; below them the contamination of all bases."""
    conditions = [c for c in CONDITIONS if (table["condition"] == c).any()]
    methods = [m.label for m in METHODS if (table["method"] == m.label).any()]
    figure, axes = plt.subplots(
        max(len(conditions), 1),
        max(len(methods), 1),
        figsize=(3.4 * len(methods) + 0.4, 0.95 * len(conditions) + 0.3),
        squeeze=False,
    )
    for i, condition in enumerate(conditions):
        for j, method in enumerate(methods):
            axis = axes[i, j]
            cell = table[(table["condition"] == condition) & (table["method"] == method)]
            show_images(axis, cell["pixels"].to_list() or [np.nan] * _SHOWN)
            if i == 0:
                axis.set_title(method)
            if j == 0:
                axis.set_ylabel(condition, fontsize="small")
            if cell["contamination"].notna().any():
                text = f"contamination {100 * cell['contamination'].iloc[0]:.1f} %"
                if condition != "no noise" and cell["added"].notna().any():
                    text += f" ({100 * cell['added'].iloc[0]:+.1f})"
                axis.set_xlabel(text, fontsize="small", labelpad=2)
    return figure


def free_of_noise(dataset, data, conditions, source):
    """Claims that MahNMF's bases are the least contaminated, for each of the conditions."""
    return [
        claim
        for condition in conditions
        for claim in lowest(
            faces.slug(condition),
            f"{data}, {condition}: the bases of {{}} suppress the noise; it adds at most half the "
            "contamination that it adds to those of EucNMF and of KLNMF.",
            source,
            [_SUPPRESSED],
            condition=condition,
            prepare=added_by_noise,
            threshold=_SHARE,
            dataset=dataset,
        )
    ]


ASSUMED = faces.ASSUMED | {
    "rank": f"Lost in the text; {RANK}.",
    "bases shown": "Five of the first split, drawn once and the same for all methods and "
    "conditions. Each is scaled to its own largest entry, which is white.",
    "contamination": "The paper shows pictures and has no number. Ours is the share of a basis "
    "(its squared norm) that lies outside the span of the clean training images, in the mean over "
    "all bases: a combination of corrupted images is one of clean images, inside, and of their "
    "noise, of which most is outside. Bases of clean images have a little, too, as they are not "
    "exact combinations, and which loss has more is no matter of noise. So the claims compare "
    "what is added: contamination minus that of the same method, split and rank without noise. "
    "The paper's suppressed, where others are contaminated, is read as at most half of theirs.",
}

CAPTION = (
    "Rows: what the training images suffered. Five bases a method, each scaled to its own largest "
    "entry (white). Below them the share of all bases that no combination of clean training "
    "images explains, mean over the splits of the method; in brackets what the noise added to it. "
    "A method that the grid does not hold has no column."
)
