"""Accuracy of recognition against the rank, by training images a person: Figures 10 and 11."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import pandas as pd

from nmfbench.artefacts.frames import mean_table, melt_metrics
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plots import Curves, Printed
from nmfbench.datasets.base import dataset_info
from nmfbench.papers.or_nmf.methods import INMF, MOR, OMF, OMF_DA, OR, PRINTED, UPDATES, WOR
from nmfbench.papers.or_nmf.readings import further
from nmfbench.papers.reported import reported
from nmfbench.problems.codes import coded

TWENTY = "MOR-NMF, 20 samples"
BATCH, UNTRAINED, SVD, PIXELS = "HALS", "untrained bases", "SVD", "raw pixels"

SHOWN = (
    Method(OR, "or-nmf"),
    *(Method(MOR, "mor-nmf", {"buffer": n}) for n in (2, 3, 5, 7, 12)),
    Method(MOR, "mor-nmf"),
    Method(WOR, "wor-nmf"),
    Method(OMF, "omf"),
    Method(OMF_DA, "omf-da"),
    Method(PRINTED, "omf-da", {"safeguard": False}),
    Method(INMF, "inmf"),
    *UPDATES.values(),
    Method(BATCH, "hals"),
    Method(UNTRAINED, "random-bases"),
)
METHODS = (*SHOWN, *(other for method in SHOWN for other in further(method)))
"""Those drawn, and those at other readings of settings that the paper leaves open."""
FAST = tuple(
    method
    for method in SHOWN
    if method in UPDATES.values() or method.label in (WOR, BATCH, UNTRAINED)
)
"""Methods whose fits take seconds at any rank."""

SIZES = (3, 5, 7)
"""Training images a person, by panel."""

_PRINTED_AT = {"yaleb": (10, 50), "orl": (10, 50), "digits": (3,)}
"""Ranks of OMF-DA as printed: the paper's in Figures 2 and 3. At others fits take minutes."""
_READ_AT = {"yaleb": (10, 40, 80), "orl": (10, 50, 100), "digits": (3, 20)}
"""Ranks of fits to the smaller tolerance, which take several times as long, and with M∗ of each
step."""
_LARGEST = 20  # samples in a buffer
_REFERENCES = {"accuracy-svd": SVD, "accuracy-pixels": PIXELS}

NNLS, _INVERSE, SIMPLEX = "NNLS", "pseudo-inverse", "NNLS, unit sum"
CODED = (NNLS, _INVERSE)
"""Codes by which claims of the paper, which names none, have to come out alike."""
_CODES = {"accuracy-nnls": NNLS, "accuracy-pinv": _INVERSE, "accuracy-nnls-simplex": SIMPLEX}
ACCURACY = "accuracy (%)"
MATTERS = {ACCURACY: 2.0}
"""Smallest difference that matters, in per cent."""
MARGIN = 4.0  # percentage points, twice the smallest difference that matters
BY = ("train_per_class", "n_components")


# -- grid, table and figure -------------------------------------------------------------------


def grid(dataset: str, splits: int, sizes: Iterable[int], ranks: Iterable[int], chosen=METHODS):
    """Trials of all sizes of the training set and ranks; of HALS up to its number of images."""
    base = coded(dataset).trial("", {}, 0)
    found = []
    for size, method in product(sizes, chosen):
        wanted = [r for r in ranks if _fits(method, dataset, base, size, r)]
        axes = options("train_per_class", [size]), options("n_components", wanted)
        found += cross(base, splits, *axes, methods([method]))
    return found


def _fits(method, dataset, base, size, rank):
    """Whether a method has a fit of this size of the training set and this rank."""
    n = size * base.options.get("n_classes", dataset_info(dataset)["n_classes"])
    if method.solver == "hals":
        return rank <= n
    if method.label == PRINTED:
        return rank in _PRINTED_AT[dataset]
    drawn = method in SHOWN
    if not drawn and method.solver != "inmf" and rank not in _READ_AT[dataset]:
        return False  # INMF is fast at the larger tolerance, which is not its own
    buffers = {_buffer(n), _LARGEST} if drawn else {_buffer(n)}
    return method.solver != "mor-nmf" or method.params.get("buffer", _LARGEST) in buffers


def _buffer(n):
    """Samples that MOR-NMF keeps of ``n``, by the paper's rule: a tenth, and no more than 20."""
    return min(-(-n // 10), _LARGEST)


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Accuracies in per cent by ``codes``; SVD and raw pixels are methods like others.

    Where the paper's rule gives 20 samples for the buffer of MOR-NMF, its rows stand for both.
    """
    records = _by_buffer(records.astype({"method": str}))
    long = melt_metrics(records, _CODES, "codes", ACCURACY, unit=100)
    # Every record has them, and they are alike for all methods.
    each = long.drop_duplicates(["codes", *BY, "repeat"])
    references = [
        each.assign(method=label, **{ACCURACY: 100 * each[metric]})
        for metric, label in _REFERENCES.items()
    ]
    return pd.concat([long, *references], ignore_index=True)


def _by_buffer(records):
    """Name MOR-NMF by its buffer; a row of 20 samples stands for both where the rule gives them."""
    is_mor = records["method"] == MOR
    rows = records[is_mor]
    lengths = np.array([params.get("buffer", _LARGEST) for params in rows["params"]], dtype=int)
    people = [
        options.get("n_classes", dataset_info(dataset)["n_classes"])
        for options, dataset in zip(rows["options"], rows["dataset"], strict=True)
    ]
    by_rule = [
        _buffer(n * size)
        for n, size in zip(people, rows["train_per_class"].astype(int), strict=True)
    ]
    ruled = rows[lengths == np.array(by_rule, dtype=int)]
    twenty = rows[lengths == _LARGEST].assign(method=TWENTY)
    return pd.concat([records[~is_mor], ruled, twenty], ignore_index=True)


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracies and their 95 % t intervals over splits, of the methods that are drawn."""
    shown = {method.label for method in SHOWN} | {TWENTY, *_REFERENCES.values()}
    return mean_table(
        frame[frame["method"].isin(shown)], ACCURACY, ["codes", "method", *BY], between=(0, 100)
    )


def curves(artefact: str) -> Curves:
    """Accuracy against the rank, with the range of the paper's axis."""
    axis = reported(artefact, "axis")
    return Curves(
        x="n_components",
        labels=[*dict.fromkeys(method.label for method in SHOWN), TWENTY, *_REFERENCES.values()],
        row="codes",
        rows={NNLS: "NNLS codes\naccuracy (%)", _INVERSE: "pseudo-inverse codes\naccuracy (%)"},
        column="train_per_class",
        columns={size: f"{size} training images a person" for size in SIZES},
        xlabel="rank",
        printed=[Printed(f"the paper's {axis.text}", tuple(100 * end for end in axis.value))],
        letters="abcdef",
        size=(3.6, 3.2),
    )


CAPTION = (
    "Accuracy of the nearest training image by codes, in Euclidean distance. Means over splits "
    "with 95 % intervals; hollow: a single split. Upper row: non-negative codes; lower row: codes "
    "by the pseudo-inverse of the bases. Not in the paper: HALS, a batch method, as far as the "
    "rank does not exceed the number of training images; the bases that the online methods start "
    "from; projections on the leading singular vectors of the training images; the images "
    "themselves."
)

ASSUMED = {
    "codes": "The paper does not say. Non-negative least squares, and, in the lower row, the "
    "pseudo-inverse, as in its annotation of images: its claims are decided where both come out "
    "alike, and ours are on the former. Training and test images are coded alike, on bases scaled "
    "to unit length, because distances depend on their scale. A claim of ours asks whether unit "
    "sum makes a difference.",
    "the other algorithms": f"Those of others, or {WOR} among them, which the paper proposes as "
    "well: decided where both come out alike.",
    "distance": "Euclidean, as the nearest-neighbour rule of the paper names none.",
    "samples": "Images are scaled to unit length.",
    "averages": "A claim compares methods at equal rank and split, and averages over the ranks "
    "that all have.",
    "decline": f"Accuracy at the largest rank is lower by more than {MARGIN:g} percentage points "
    "than at the smaller rank of the highest mean, which is chosen on the same splits. A method "
    "is robust if at no rank it is lower than at a smaller one by more than that. A split is one "
    "observation, averaged over the sizes of the training set.",
    "start": "All methods of a split share people, images, the order of samples and the start, but "
    "for HALS, which starts from uniform numbers of its own scale.",
    "parameters": "Two passes, both of which T of the cosine counts; θ₀ = 0.1 as printed; chunks "
    "of r samples for WOR-NMF and ONMF. An update of W by OR-NMF, MOR-NMF or WOR-NMF makes at most "
    "1000 inner steps. "
    "Drawn are inner loops that end at 0.001, the example that the paper gives for τ, of INMF at "
    "0.0001 and after 200 updates at most, and M∗ kept from sample to sample.",
    "tolerance and M∗": "The paper does not say at which tolerance it learned bases, nor whether "
    "M∗ is kept. Its claims are decided where they come out alike with all inner loops ending at "
    "0.001, all at 0.0001, and with M∗ found again in each step at 0.001. The latter two have "
    "ranks 10, 40 and 80 in Figure 10, and 10, 50 and 100 in Figure 11, as fits to a smaller "
    "tolerance take several times as long: methods are compared at these.",
    "ONMF": "The paper gives no number of updates of a chunk. Its claims that depend on ONMF are "
    "decided where they come out alike with 20, 50 and 200; our own claims, one for each number, "
    "stand beside them.",
    "OMF-DA": "The paper's claims are against OMF-DA as printed. Where it diverges it takes all of "
    "its steps, so that it has ranks 10 and 50, as in Figures 2 and 3, alone, and is compared "
    "at these; with a safeguard it has all ranks, and claims against it are ours.",
    "buffer": "By the paper's rule, a tenth of the training images and 20 at most: 3, 5 and 7 "
    "samples in Figure 10, and 12, 20 and 20 in Figure 11. Claims on 20 samples everywhere are "
    "ours.",
}
"""Our choices where the paper says nothing of these experiments."""
