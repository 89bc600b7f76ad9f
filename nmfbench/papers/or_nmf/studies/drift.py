"""Streams whose law changes: who recovers soonest, and what does forgetting cost?"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import larger, smaller
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import Method, cross, labelled, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import legend_of
from nmfbench.artefacts.style import method_styles
from nmfbench.core.matters import Ratio
from nmfbench.datasets.streams import KINDS
from nmfbench.problems.stream import RANK, SMALL
from nmfbench.trials.trial import Trial

OR, COSINE, MOR, MOR_LONG = "OR-NMF", "OR-NMF (length known)", "MOR-NMF", "MOR-NMF, 100 samples"
OMF, OMF_99, OMF_90 = "OMF", "OMF, forget 0.99", "OMF, forget 0.9"
FROZEN, HINDSIGHT = "HALS, frozen after a tenth", "HALS, each segment in hindsight"
_LENGTHS = (4000, 1440, 300)
_BATCHES = {"init": "random", "batch_size": RANK}
_COSINES = {n: Method(COSINE, "or-nmf", {"horizon": n}) for n in _LENGTHS}
METHODS = (
    Method(OR, "or-nmf"),
    *_COSINES.values(),
    Method(MOR, "mor-nmf", {"buffer": 20}),
    Method(MOR_LONG, "mor-nmf", {"buffer": 100}),
    Method("WOR-NMF", "wor-nmf"),
    Method(OMF, "omf"),
    Method(OMF_99, "omf", {"forget": 0.99}),
    Method(OMF_90, "omf", {"forget": 0.9}),
    Method("ONMF without codes", "onmf", {"keep_codes": False}),
    Method("INMF", "inmf"),
    Method("scikit-learn mini-batch", "sklearn-minibatch", _BATCHES),
    Method(
        "scikit-learn mini-batch, no forgetting",
        "sklearn-minibatch",
        _BATCHES | {"forget_factor": 1.0},
    ),
    Method(HINDSIGHT, "hals", {"max_iter": 100}),
    Method(FROZEN, "hals", {"max_iter": 200}),
)
_QUICK = {
    "stationary": (MOR, OMF, OMF_99, OMF_90, HINDSIGHT),
    "abrupt": (OR, MOR, OMF, OMF_90, HINDSIGHT),
}
_NAMES = {kind: f"synthetic, {kind}" for kind in KINDS} | {
    "mnist": "MNIST, digits 0-4, then 5-9",
    "coil20": "COIL-20, object after object",
    "digits": "digits 0-4, then 5-9",
}
_WINDOW, _NEAR = 50, 1.1  # samples of a mean cost, and how near it is to that before a change


# -- grid and frame ---------------------------------------------------------------------------


def trials(profile):
    """Every method on every stream; in the quick grid the methods of the claims, on two streams."""
    kinds, repeats = (KINDS, 20) if profile == "paper" else (_QUICK, 5)
    small = SMALL if profile == "smoke" else {}
    real: dict[str, dict[str, Any]] = {
        "paper": {"mnist": (5, 2000), "coil20": (1, None)},
        "smoke": {"digits": (5, 150)},
    }
    if profile == "smoke":
        repeats = 1
    synthetic: dict[str, Any] = {kind: ("drifting", {"kind": kind, **small}, {}) for kind in kinds}
    turns: dict[str, Any] = {
        name: (name, {}, {"classes_per_part": k, "per_part": n, "unit_samples": True})
        for name, (k, n) in real.get(profile, {}).items()
    }
    found = []
    for name, (dataset, params, options) in (synthetic | turns).items():
        shown = [m for m in METHODS if profile != "quick" or m.label in _QUICK[name]]
        length = 300 if profile == "smoke" else 1440 if name == "coil20" else 4000
        for method in shown:
            if method.label == COSINE and method != _COSINES[length]:
                continue
            head = {"head": 0.1} if method.label == FROZEN else {}
            options_of = {"n_components": RANK, **options, **head}
            base = Trial("stream", dataset, "", dataset_params=params, options=options_of)
            found += cross(base, repeats, labelled("stream", [name], methods([method])))
    return found


def frame(records):
    """Trials with ``regret`` against hindsight, and ``recovery`` after changes.

    ``unrecovered`` says that ``recovery``, in samples and the mean over the changes of a stream,
    is a lower bound.
    """
    hindsight = select_rows(records, method=HINDSIGHT)
    keys = zip(hindsight["stream"], hindsight["repeat"], strict=True)
    best = {key: a["cost"] for key, a in zip(keys, hindsight["arrays"], strict=True)}
    regret = [
        np.nansum(a["cost"] - best[key]) if (key := (stream, repeat)) in best else np.nan
        for stream, repeat, a in records[["stream", "repeat", "arrays"]].itertuples(index=False)
    ]
    found = [recovery(a["cost"], a["segments"]) for a in records["arrays"]]
    times, missed = zip(*found, strict=True)
    return records.assign(regret=regret, recovery=times, unrecovered=missed)


def smooth(cost):
    """Means over the next 50 samples from each."""
    return np.convolve(cost, np.full(_WINDOW, 1 / _WINDOW), mode="valid")


def recovery(cost, segments):
    """Samples until the next 50 cost at most 1.1 times the last 50 before a change.

    Returns
    -------
    samples : float
        Mean over the changes; NaN if there is none. A change from which nothing recovers counts
        with all samples until the next one.
    missed : bool
        Whether there is such a change.
    """
    samples, missed = [], False
    for start, end in pairwise([*segments[1:], len(cost)]):
        near = smooth(cost[start:end]) <= _NEAR * cost[start - _WINDOW : start].mean()
        missed |= not near.any()
        samples.append(1 + near.argmax() if near.any() else end - start)
    return (np.mean(samples) if samples else np.nan), missed


# -- table and figure -------------------------------------------------------------------------


def summarise(frame):
    """Smoothed cost at every 50th sample, mean over repeats, and the scores of whole streams."""
    keys, parts = ["stream", "method"], []
    for (stream, method), rows in frame.groupby(keys, observed=True):
        smoothed = np.mean([smooth(a["cost"]) for a in rows["arrays"]], axis=0)
        curve = pd.DataFrame({"sample": np.arange(len(smoothed)) + _WINDOW, "cost": smoothed})
        parts.append(curve[::_WINDOW].dropna().assign(part="curve", stream=stream, method=method))
    scores = frame.groupby(keys, observed=True).agg(
        regret=("regret", "mean"),
        recovery=("recovery", "median"),
        unrecovered=("unrecovered", "mean"),
        count=("repeat", "size"),
    )
    parts.append(scores.reset_index().assign(part="score"))
    return pd.concat(parts, ignore_index=True).astype({"method": str})


def draw(table):
    """A panel of curves for each stream."""
    shown = [name for name in _NAMES if name in set(table["stream"])]
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    size = (4.6 * columns, 3.4 * rows + 1)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
    labels = list(dict.fromkeys(method.label for method in METHODS))
    styles = {label: style | {"marker": ""} for label, style in method_styles(labels).items()}
    for axis, stream in zip(axes.ravel(), shown, strict=False):
        for label in labels:
            curve = select_rows(table, part="curve", stream=stream, method=label)
            if len(curve):
                axis.plot(curve["sample"], curve["cost"], label=label, **styles[label])
        axis.set(title=_NAMES[stream], xlabel="samples", yscale="log")
    for axis in axes.ravel()[len(shown) :]:
        axis.remove()
    for line in axes:
        line[0].set_ylabel("cost before learning")
    legend_of(figure, axes.ravel()[: len(shown)], labels)
    return figure


# -- claims -----------------------------------------------------------------------------------

ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/drift",
        title="Streams whose law changes: cost of samples before they are learned",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        claims=[
            Claim(
                "recovery",
                "After an abrupt change MOR-NMF (20 samples) recovers in fewer samples than "
                "OR-NMF.",
                "ours; Section II-C for the buffer",
                smaller(MOR, OR, "recovery", "unrecovered", at={"stream": "abrupt"}),
                origin="ours",
            ),
            *(
                Claim(
                    f"forgetting-{name}",
                    f"Without a change {side} has more regret than OMF that forgets nothing.",
                    "ours; Mairal et al. 2010, Section 3.4.3",
                    larger(side, OMF, "regret", at={"stream": "stationary"}),
                    origin="ours",
                )
                for name, side in (("0.99", OMF_99), ("0.9", OMF_90))
            ),
            Claim(
                "short-buffer",
                "Over a stream with one abrupt change MOR-NMF (20 samples) has less regret than "
                "OR-NMF.",
                "ours; Section II-C for the buffer",
                larger(OR, MOR, "regret", at={"stream": "abrupt"}),
                origin="ours",
            ),
        ],
        planned=Plan(20, "A repeat takes 90 s of CPU time."),
        matters={"regret": Ratio(0.02), "recovery": Ratio(0.10)},
        assumed={
            "cost": "Half the squared distance of a sample from the cone of the bases learned "
            "before its block of 10 samples, which are as many as the chunk of the methods that "
            "have chunks.",
            "rank": "10, for all streams.",
            "horizon": "Unknown, as in a stream, except where it says so.",
            "regret": "Cost in excess of bases fitted to each segment by HALS in hindsight, summed "
            "over the stream; the segments of the gradual stream are its quarters.",
            "recovery": "Samples after a change until the next 50 cost at most 1.1 times the 50 "
            "before it: near its own level, not near the best.",
        },
        caption="Cost of each sample on the bases learned before it, mean over the latest 50 "
        "samples and over repeats. The quick grid has the methods of the claims, and two streams.",
    )
)
