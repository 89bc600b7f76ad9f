"""Accuracy of recognition against the rank, by training images a person: Figures 10 and 11."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import (
    always_best,
    better,
    comparable,
    per_repeat,
    rows_of,
)
from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import (
    NO_PAIR,
    Finding,
    Test,
    at_each_reading,
    together,
)
from nmfbench.artefacts.frames import mean_table, melt_metrics, select_rows
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plots import Curves, Printed
from nmfbench.artefacts.region import Bounds, Lead, Margin
from nmfbench.datasets.base import dataset_info
from nmfbench.papers.or_nmf.methods import INMF, MOR, OMF, OMF_DA, ONMF, OR, PRINTED, UPDATES, WOR
from nmfbench.papers.or_nmf.readings import against_onmf, further, one_by_one
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

_ONLINE = [OMF, INMF]
_RIVALS = [WOR, *_ONLINE]
"""Rivals in the paper but for ONMF, whose updates are not given, and OMF-DA, which is compared at
the ranks that it has."""
_PRINTED_AT = {"yaleb": (10, 50), "orl": (10, 50), "digits": (3,)}
"""Ranks of OMF-DA as printed: the paper's in Figures 2 and 3. At others fits take minutes."""
_READ_AT = {"yaleb": (10, 40, 80), "orl": (10, 50, 100), "digits": (3, 20)}
"""Ranks of fits to the smaller tolerance, which take several times as long, and with M∗ of each
step."""
_LARGEST = 20  # samples in a buffer
_REFERENCES = {"accuracy-svd": SVD, "accuracy-pixels": PIXELS}

_NNLS, _INVERSE, _SIMPLEX = "NNLS", "pseudo-inverse", "NNLS, unit sum"
_CODED = (_NNLS, _INVERSE)
"""Codes by which claims of the paper, which names none, have to come out alike."""
_CODES = {"accuracy-nnls": _NNLS, "accuracy-pinv": _INVERSE, "accuracy-nnls-simplex": _SIMPLEX}
_ACCURACY = "accuracy (%)"
MATTERS = {_ACCURACY: 2.0}
"""Smallest difference that matters, in per cent."""
_MARGIN = 4.0  # percentage points, twice the smallest difference that matters
_BY = ("train_per_class", "n_components")


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
    long = melt_metrics(records, _CODES, "codes", _ACCURACY, unit=100)
    # Every record has them, and they are alike for all methods.
    each = long.drop_duplicates(["codes", *_BY, "repeat"])
    references = [
        each.assign(method=label, **{_ACCURACY: 100 * each[metric]})
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
        frame[frame["method"].isin(shown)], _ACCURACY, ["codes", "method", *_BY], between=(0, 100)
    )


def curves(artefact: str) -> Curves:
    """Accuracy against the rank, with the range of the paper's axis."""
    axis = reported(artefact, "axis")
    return Curves(
        x="n_components",
        labels=[*dict.fromkeys(method.label for method in SHOWN), TWENTY, *_REFERENCES.values()],
        row="codes",
        rows={_NNLS: "NNLS codes\naccuracy (%)", _INVERSE: "pseudo-inverse codes\naccuracy (%)"},
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
    "decline": f"Accuracy at the largest rank is lower by more than {_MARGIN:g} percentage points "
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
    "its steps, so that it has ranks 10 and 50, those of Figures 2 and 3, alone, and is compared "
    "at these; with a safeguard it has all ranks, and claims against it are ours.",
    "buffer": "By the paper's rule, a tenth of the training images and 20 at most: 3, 5 and 7 "
    "samples in Figure 10, and 12, 20 and 20 in Figure 11. Claims on 20 samples everywhere are "
    "ours.",
}
"""Our choices where the paper says nothing of these experiments."""


# -- claims -----------------------------------------------------------------------------------


def claims(figure: str, source: str) -> list[Claim]:
    """Claims of the paper on a figure, and our questions.

    Parameters
    ----------
    figure : str
        Such as ``"Figure 10"``.
    source : str
        Section that describes it.
    """
    source, ours = f"{source}, {figure}", f"ours, after {figure}"
    at = {"codes": _NNLS}
    updates = f"updates of a chunk by {ONMF}"
    found = [
        claim
        for method in (OR, MOR)
        for size in SIZES
        for claim in against_onmf(
            f"best-{method.lower()}-{size}",
            f"{method} is ahead of {', '.join(_RIVALS)}, {ONMF} and OMF-DA as printed with {size} "
            "training images a person.",
            source,
            {
                words + others: partial(_ahead, names, {"codes": codes, "train_per_class": size})
                for others, rivals in (("", _RIVALS), (f", without {WOR}", _ONLINE))
                for words, (codes, names) in _ways(method, *rivals).items()
            },
            setting=f"{updates}, {_OPEN} and whether {WOR} is among the others",
        )
    ]
    found += against_onmf(
        "effective",
        f"{OR} is ahead of {', '.join(_ONLINE)}, {ONMF} and OMF-DA as printed, on average over "
        "the sizes of the training set.",
        f"abstract; {source}",
        {
            words: partial(_ahead, names, {"codes": codes})
            for words, (codes, names) in _ways(OR, *_ONLINE).items()
        },
        setting=f"{updates} and {_OPEN}",
    )
    found.append(
        Claim(
            "mor-works",
            f"Codes on the bases of {MOR} recognise more than codes on the random bases that it "
            "starts from.",
            f"Section II-C; {source}",
            _however(
                lambda codes, mor: better(mor, UNTRAINED, _ACCURACY, _BY, at={"codes": codes}), MOR
            ),
        )
    )
    for name, statement, test_of, rivals in (
        (
            "some-ranks-{}",
            f"At one rank at least {{}} recognises no fewer than {OR}, within {_MARGIN:g} "
            "percentage points.",
            partial(_at_some_rank, region=Margin(_MARGIN, both=False)),
            [OR],
        ),
        (
            "some-ranks-trained-{}",
            "At one rank at least {} recognises more than the random bases that the online "
            "methods start from.",
            partial(_at_some_rank, region=Lead()),
            [UNTRAINED],
        ),
        (
            "decline-{}",
            "The accuracy of {} falls where the rank is high: at the largest one it is lower than "
            f"at a smaller one by more than {_MARGIN:g} percentage points.",
            _falls,
            [],
        ),
    ):
        ids = {method: name.format(method.lower()) for method in (ONMF, INMF)}
        found += against_onmf(
            ids[ONMF],
            statement.format(ONMF),
            source,
            {
                words: partial(_of_onmf, test_of, codes, names)
                for words, (codes, names) in _ways(*rivals).items()
            },
            setting=f"{updates} and {_OPEN}",
        )
        of_inmf = _however(test_of, INMF, *rivals)
        found.append(Claim(ids[INMF], statement.format(INMF), source, of_inmf))
    found += [
        Claim(
            f"robust-{method.lower()}",
            f"The accuracy of {method} is robust on all ranks: at none is it lower than at a "
            f"smaller one by more than {_MARGIN:g} percentage points.",
            source,
            _however(_robust, method),
        )
        for method in (OR, MOR, WOR)
    ]
    found += [
        Claim(
            f"above-{name}",
            f"Codes on the bases of {OR} recognise more than {words}.",
            ours,
            better(OR, rival, _ACCURACY, _BY, at=at),
            origin="ours",
        )
        for name, words, rival in (
            ("untrained", "codes on the random bases that it starts from", UNTRAINED),
            ("pixels", "the images themselves", PIXELS),
        )
    ]
    found += [
        Claim(
            f"safeguarded-{method.lower()}",
            f"{method} is ahead of OMF-DA with a safeguard, on average over the sizes of the "
            "training set.",
            f"{ours}, whose OMF-DA has no safeguard",
            better(method, OMF_DA, _ACCURACY, _BY, at=at),
            origin="ours",
        )
        for method in (OR, MOR)
    ]
    found.append(
        Claim(
            "twenty-samples",
            f"{MOR} with a buffer of 20 samples is ahead of {', '.join(_RIVALS)}, {ONMF} with 200 "
            "updates of a chunk and OMF-DA with a safeguard, on average over the sizes of the "
            "training set.",
            f"{ours}, whose buffer holds a tenth of the training images",
            always_best(TWENTY, [*_RIVALS, ONMF, OMF_DA], _ACCURACY, _BY, at=at),
            origin="ours",
        )
    )
    gauges = [{"method": OR, "codes": codes} for codes in (_NNLS, _SIMPLEX)]
    statement = (
        f"Whether the bases of {OR} have unit length or unit sum makes less than {_MARGIN:g} "
        "percentage points of difference."
    )
    test = comparable(gauges, _ACCURACY, _MARGIN, _BY)
    return [*found, Claim("gauge", statement, ours, test, origin="ours")]


_OPEN = "codes, tolerance and M∗"
"""Settings that the paper leaves open, in words."""


def _ways(*labels):
    """Reading in words -> codes, and what the methods are called."""
    named = one_by_one(*labels)
    return {
        f"{codes}, {words}" if len(named) > 1 else codes: (codes, names)
        for codes, (words, names) in product(_CODED, named.items())
    }


def _ahead(names, at, onmf) -> Test:
    """The first is ahead of the others, of ONMF, and of OMF-DA as printed at the ranks it has."""
    method, *rivals = names
    sides = [*rivals, onmf], [PRINTED]
    return together(*(always_best(method, them, _ACCURACY, _BY, at=at) for them in sides))


def _however(test_of, *labels) -> Test:
    """A test of codes and methods that comes out alike at each reading."""
    ways = _ways(*labels).items()
    return at_each_reading(_OPEN, {words: test_of(codes, *names) for words, (codes, names) in ways})


def _of_onmf(test_of, codes, names, onmf) -> Test:
    return test_of(codes, onmf, *names)


def _at_some_rank(codes, method, rival, *, region) -> Test:
    """The lead of ``method`` lies in a region, at one of the ranks that both methods have."""

    def test(frame):
        rows = select_rows(frame, codes=codes)
        own, best = (set(rows_of(rows, name)["n_components"]) for name in (method, rival))
        if not own & best:
            return Finding.without("not run", NO_PAIR)
        each = {"n_components": sorted(own & best)}
        return always_best(
            method, [rival], _ACCURACY, ["train_per_class"], region=region, each=each, rule="some"
        )(rows)

    return test


def _falls(codes, method) -> Test:
    """Accuracy at the largest rank is lower than at the best smaller one by over the margin."""

    def test(frame):
        losses = _losses(select_rows(frame, codes=codes), method)
        if not losses:
            return _too_few(method)
        last, (lost, best) = losses.popitem()
        text = (
            f"{method} loses {{}} percentage points (margin {_MARGIN:g}) from its best smaller "
            f"rank ({best}) to {last}"
        )
        return Finding(text, [of_units(lost, _ACCURACY)], Bounds(_MARGIN))

    return test


def _robust(codes, method) -> Test:
    """Accuracy at no rank is lower than at the best smaller one by more than the margin."""

    def test(frame):
        losses = _losses(select_rows(frame, codes=codes), method)
        if not losses:
            return _too_few(method)
        text = f"most that {method} loses: {{}} percentage points (margin {_MARGIN:g}), {{name}}"
        found = [
            of_units(lost, name=f"from its best smaller rank ({best}) to {rank}")
            for rank, (lost, best) in losses.items()
        ]
        return Finding(text, found, Bounds(high=_MARGIN))

    return test


def _too_few(method):
    return Finding.without("inconclusive", f"{method} has fewer than two ranks so far")


def _losses(frame, method):
    """By rank but the smallest: what a split loses from the best smaller rank, and which that is.

    The best rank is that of the highest mean, for each size of the training set; a split's loss is
    the mean over these sizes.
    """
    scores = per_repeat(frame, method, _ACCURACY, _BY)
    wide = scores.unstack("n_components").dropna()
    found = {}
    for rank in wide.columns[1:]:
        best = wide.loc[:, wide.columns < rank].groupby("train_per_class").mean().idxmax(axis=1)
        lost = [
            (rows[best[size]] - rows[rank]).droplevel("train_per_class")
            for size, rows in wide.groupby("train_per_class")
        ]
        words = ", ".join(f"{smaller} with {size}" for size, smaller in best.items())
        found[rank] = pd.concat(lost).groupby("repeat").mean(), f"{words} training images a person"
    return found
