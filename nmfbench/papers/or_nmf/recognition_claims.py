"""Claims of Figures 10 and 11: which bases recognise more, and whose accuracy falls."""

from __future__ import annotations

from functools import partial
from itertools import product

import pandas as pd

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, better, comparable, per_repeat, rows_of
from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import NO_PAIR, Finding, Test, at_each_reading, together
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.region import Bounds, Lead, Margin
from nmfbench.papers.or_nmf.methods import INMF, MOR, OMF, OMF_DA, ONMF, OR, PRINTED, WOR
from nmfbench.papers.or_nmf.readings import against_onmf, one_by_one
from nmfbench.papers.or_nmf.recognition import (
    ACCURACY,
    BY,
    CODED,
    MARGIN,
    NNLS,
    PIXELS,
    SIMPLEX,
    SIZES,
    TWENTY,
    UNTRAINED,
)

_ONLINE = [OMF, INMF]
_RIVALS = [WOR, *_ONLINE]
"""Rivals in the paper but for ONMF, whose updates are not given, and OMF-DA, which is compared at
the ranks that it has."""


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
    at = {"codes": NNLS}
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
                lambda codes, mor: better(mor, UNTRAINED, ACCURACY, BY, at={"codes": codes}), MOR
            ),
        )
    )
    for name, statement, test_of, rivals in (
        (
            "some-ranks-{}",
            f"At one rank at least {{}} recognises no fewer than {OR}, within {MARGIN:g} "
            "percentage points.",
            partial(_at_some_rank, region=Margin(MARGIN, both=False)),
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
            f"at a smaller one by more than {MARGIN:g} percentage points.",
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
            f"smaller one by more than {MARGIN:g} percentage points.",
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
            better(OR, rival, ACCURACY, BY, at=at),
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
            better(method, OMF_DA, ACCURACY, BY, at=at),
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
            always_best(TWENTY, [*_RIVALS, ONMF, OMF_DA], ACCURACY, BY, at=at),
            origin="ours",
        )
    )
    gauges = [{"method": OR, "codes": codes} for codes in (NNLS, SIMPLEX)]
    statement = (
        f"Whether the bases of {OR} have unit length or unit sum makes less than {MARGIN:g} "
        "percentage points of difference."
    )
    test = comparable(gauges, ACCURACY, MARGIN, BY)
    return [*found, Claim("gauge", statement, ours, test, origin="ours")]


_OPEN = "codes, tolerance and M∗"
"""Settings that the paper leaves open, in words."""


def _ways(*labels):
    """Reading in words -> codes, and what the methods are called."""
    named = one_by_one(*labels)
    return {
        f"{codes}, {words}" if len(named) > 1 else codes: (codes, names)
        for codes, (words, names) in product(CODED, named.items())
    }


def _ahead(names, at, onmf) -> Test:
    """The first is ahead of the others, of ONMF, and of OMF-DA as printed at the ranks it has."""
    method, *rivals = names
    sides = [*rivals, onmf], [PRINTED]
    return together(*(always_best(method, them, ACCURACY, BY, at=at) for them in sides))


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
            method, [rival], ACCURACY, ["train_per_class"], region=region, each=each, rule="some"
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
            f"{method} loses {{}} percentage points (margin {MARGIN:g}) from its best smaller "
            f"rank ({best}) to {last}"
        )
        return Finding(text, [of_units(lost, ACCURACY)], Bounds(MARGIN))

    return test


def _robust(codes, method) -> Test:
    """Accuracy at no rank is lower than at the best smaller one by more than the margin."""

    def test(frame):
        losses = _losses(select_rows(frame, codes=codes), method)
        if not losses:
            return _too_few(method)
        text = f"most that {method} loses: {{}} percentage points (margin {MARGIN:g}), {{name}}"
        found = [
            of_units(lost, name=f"from its best smaller rank ({best}) to {rank}")
            for rank, (lost, best) in losses.items()
        ]
        return Finding(text, found, Bounds(high=MARGIN))

    return test


def _too_few(method):
    return Finding.without("inconclusive", f"{method} has fewer than two ranks so far")


def _losses(frame, method):
    """By rank but the smallest: what a split loses from the best smaller rank, and which that is.

    The best rank is that of the highest mean, for each size of the training set; a split's loss is
    the mean over these sizes.
    """
    scores = per_repeat(frame, method, ACCURACY, BY)
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
