"""Claims of Figures 10 and 11: which bases recognise more, and whose accuracy falls."""

from __future__ import annotations

from functools import partial
from itertools import product

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, better, comparable
from nmfbench.artefacts.finding import Test, at_each_reading, together
from nmfbench.artefacts.region import Lead, Margin
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
from nmfbench.papers.or_nmf.recognition_ranks import at_some_rank, falls, robust

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
            partial(at_some_rank, region=Margin(MARGIN, both=False)),
            [OR],
        ),
        (
            "some-ranks-trained-{}",
            "At one rank at least {} recognises more than the random bases that the online "
            "methods start from.",
            partial(at_some_rank, region=Lead()),
            [UNTRAINED],
        ),
        (
            "decline-{}",
            "The accuracy of {} falls where the rank is high: at the largest one it is lower than "
            f"at a smaller one by more than {MARGIN:g} percentage points.",
            falls,
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
            _however(robust, method),
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
