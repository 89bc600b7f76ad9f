"""Table 2: the five sets of images, as loaded and as printed."""

from __future__ import annotations

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import Finding
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.printed import PrintedNumber
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd.protocols import COMPARED
from nmfbench.papers.rnmfd.sets import ASSUMED, SETS, STANDS_FOR, clusterings, shape_trial

_ID = "rnmfd/table2"
_METHOD = next(c.default for c in COMPARED if c.solver == "kmeans")
_PRINTED = ["samples", "features", "classes"]
_SIZES = dict(zip(["n-samples", "n-features", "n-classes"], _PRINTED, strict=True)) | {
    "smallest-class": "smallest class",
    "largest-class": "largest class",
}


def trials(profile):
    """Sizes in the fits of K-means to the images: what these trials saw is what was loaded."""
    repeats = {"smoke": 1, "quick": 5, "paper": 10}[profile]
    found = clusterings(SETS, [_METHOD], repeats, smoke=profile == "smoke")
    return [shape_trial(trial) for trial in found]


def sizes_seen(records):
    """The sizes that trials saw, a row for all that saw the same."""
    rows = records.reindex(columns=["dataset", "stand_in", *_SIZES]).dropna().drop_duplicates()
    return rows.astype(dict.fromkeys(_SIZES, int)).rename(columns=_SIZES)


def summarise(frame):
    """A row for each data set and ``size``: ``loaded``, and ``printed`` or NaN."""
    first = frame.drop_duplicates("dataset").sort_values("dataset", key=lambda c: c.map(_place))
    table = first.melt("dataset", list(_SIZES.values()), "size", "loaded")
    printed = {d: dict(zip(_PRINTED, reported(_ID, d).value, strict=True)) for d in SETS}
    places = zip(table["dataset"], table["size"], strict=True)
    return table.assign(printed=[printed[dataset].get(size) for dataset, size in places])


_place = list(SETS).index


def draw(table):
    """As in the paper, one row per data set; its number in brackets where ours differs."""
    printed = score_table(table, {"dataset": "data set"}, [*_SIZES.values()], _cell, column="size")
    low, high = printed.pop("smallest class"), printed.pop("largest class")
    labels = [SETS[dataset].label for dataset in printed["data set"]]
    texts = low.where(low == high, low + " to " + high)
    return printed.assign(**{"data set": labels, "samples of a class": texts})


def _cell(cell):
    differs = cell.size in _PRINTED and cell.loaded != cell.printed
    return f"{cell.loaded}" + (f" ({cell.printed:.0f})" if differs else "")


def _as_printed(dataset):
    sizes = list(reported(_ID, dataset).value)

    def test(frame):
        found = select_rows(frame, dataset=dataset, stand_in=False)[_PRINTED]
        if found.empty:
            return Finding.without("not run", "no trial of this grid saw the paper's data")
        same = (found == sizes).all(axis=None)
        texts = [", ".join(f"{n} {name}" for name, n in row.items()) for _, row in found.iterrows()]
        return Finding.without("confirmed" if same else "refuted", f"loaded: {'; '.join(texts)}")

    return test


def _numbers(dataset):
    number = reported(_ID, dataset)
    for size, value in zip(_PRINTED, number.value, strict=True):
        yield PrintedNumber(
            key=f"{dataset}-{size}",
            what=f"{SETS[dataset].label}: {size}",
            value=value,
            place=number.source,
            metric=None,
            ours=partial(_loaded, dataset, size),
            data=(dataset,),
        )


def _loaded(dataset, size, frame):
    return select_rows(frame, dataset=dataset)[size]


ARTEFACT = register_artefact(
    Artefact(
        _ID,
        title="Sets of images",
        kind="table",
        methods=(_METHOD,),
        grid=trials,
        frame=sizes_seen,
        table=summarise,
        picture=draw,
        claims=[
            Claim(
                f"{dataset}-sizes",
                f"{images.label}, as loaded, has {reported(_ID, dataset).text}.",
                "ours, after Section 4.1, Table 2",
                _as_printed(dataset),
                reported(_ID, dataset).text,
                origin="ours",
            )
            for dataset, images in SETS.items()
        ],
        printed=[number for dataset in SETS for number in _numbers(dataset)],
        planned=Plan(10, "Sizes are facts, of which no sample is drawn."),
        assumed={name: ASSUMED[name] for name in ("scale", "UMIST", "MNIST")},
        stands_for=STANDS_FOR,
        caption="As loaded, counted in the trials of K-means; in brackets the paper's number "
        "where ours differs.",
    )
)
