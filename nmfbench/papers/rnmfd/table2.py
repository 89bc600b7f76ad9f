"""Table 2: the five sets of images, as loaded and as printed."""

from __future__ import annotations

from functools import partial

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim, Threshold, Verdict, decided_by
from nmfbench.papers.rnmfd.protocols import COMPARED
from nmfbench.papers.rnmfd.sets import ASSUMED, SETS, clustering_trial, shape_trial, sizes_of

_METHOD = next(c.default for c in COMPARED if c.solver == "kmeans")
_SIZES = ("samples", "features", "classes")
_PER_CLASS = ("smallest class", "largest class")
_METRICS = dict(
    zip(
        (*_SIZES, *_PER_CLASS),
        ("n-samples", "n-features", "n-classes", "smallest-class", "largest-class"),
        strict=True,
    )
)
_REPEATS = {"smoke": 1, "quick": 5, "paper": 10}


def trials(profile):
    """Sizes in the fits of K-means to the images: what these trials saw is what was loaded."""
    return [
        shape_trial(clustering_trial(images, _METHOD, repeat, smoke=profile == "smoke"))
        for images in SETS.values()
        for repeat in range(_REPEATS[profile])
    ]


def summarise(records):
    """Numbers of samples, features and classes, and of samples in a class, by data set.

    A row for each size: ``dataset``, ``size``, ``loaded``, ``printed`` (NaN where the paper does
    not say).
    """
    rows = []
    for dataset, images in SETS.items():
        printed = dict(zip(_SIZES, sizes_of(images).value, strict=True))
        for loaded in _loaded(records[records["dataset"] == dataset])[:1]:
            rows += [
                {"dataset": dataset, "size": size, "loaded": n, "printed": printed.get(size)}
                for size, n in loaded.items()
            ]
    return pd.DataFrame(rows, columns=["dataset", "size", "loaded", "printed"])


def _loaded(records):
    """The sizes that trials of one data set saw, without repetitions."""
    rows = records.reindex(columns=list(_METRICS.values())).dropna().drop_duplicates()
    return [dict(zip(_METRICS, map(int, row), strict=True)) for row in rows.to_numpy()]


def draw(table):
    """As the paper has it, a row a data set; its number in brackets where ours differs."""
    rows = []
    for dataset, of_set in table.groupby("dataset", sort=False):
        cells = of_set.set_index("size")
        row = {"data set": SETS[dataset].label}
        row |= {size: _printed(cells.loc[size]) for size in _SIZES}
        rows.append(row | {"samples of a class": _range(cells)})
    return pd.DataFrame(rows)


def _printed(cell):
    same = cell["loaded"] == cell["printed"]
    return f"{cell['loaded']:.0f}" + ("" if same else f" ({cell['printed']:.0f})")


def _range(cells):
    low, high = (f"{cells.loc[size, 'loaded']:.0f}" for size in _PER_CLASS)
    return low if low == high else f"{low} to {high}"


def _claim(images):
    printed = sizes_of(images)

    def test(sizes, records):
        own = records[(records["dataset"] == images.dataset) & ~records["stand_in"].astype(bool)]
        found = _loaded(own)
        if not found:
            return Verdict("not run", "no trial of this grid saw the paper's data")
        texts = [", ".join(f"{loaded[size]} {size}" for size in _SIZES) for loaded in found]
        same = all(tuple(loaded[size] for size in _SIZES) == sizes for loaded in found)
        evidence = f"loaded: {'; '.join(texts)}"
        return Verdict("confirmed" if same else "refuted", evidence, n=len(found))

    return Claim(
        f"{images.dataset}-sizes",
        f"{images.label} has {printed.text}.",
        "Section 4.1, Table 2",
        decided_by(Threshold(tuple(printed.value), "paper"), lambda sizes: partial(test, sizes)),
        printed.text,
    )


ARTEFACT = register_artefact(
    Artefact(
        "rnmfd/table2",
        title="Sets of images",
        kind="table",
        methods=(_METHOD,),
        grid=trials,
        table=summarise,
        picture=draw,
        claims=[_claim(images) for images in SETS.values()],
        assumed={name: ASSUMED[name] for name in ("scale", "UMIST", "MNIST")},
        caption="As loaded, counted in the trials of K-means; in brackets the paper's number "
        "where ours differs.",
    )
)
