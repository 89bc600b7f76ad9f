"""Streams larger than memory: what each method holds, and how long a sample takes."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least, at_most
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.frames import mean_table, melt_metrics, select_rows
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.names import name_curves
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.style import method_styles
from nmfbench.trials.trial import Trial

OR, MOR, OMF, INMF, ONMF, BATCH = "OR-NMF", "MOR-NMF", "OMF", "INMF", "ONMF", "HALS, whole array"
METHODS = (
    Method(OR, "or-nmf"),
    Method(MOR, "mor-nmf"),
    Method("WOR-NMF, 20 chunks", "wor-nmf", {"buffer": 20}),
    Method(OMF, "omf"),
    Method(INMF, "inmf"),
    Method(ONMF, "onmf"),
    Method("ONMF without codes", "onmf", {"keep_codes": False}),
    Method("scikit-learn mini-batch", "sklearn-minibatch", {"init": "random", "batch_size": 10}),
    Method("scikit-learn dictionary", "sklearn-minibatch-dl"),
    Method(BATCH, "hals", {"max_iter": 20}),
)
_GROWING = (OR, ONMF)
_QUICK = (OR, MOR, OMF, INMF, ONMF, BATCH)
_SMOKE = (MOR, BATCH)
_LIMIT = 600  # megabytes
_MEASURES = {
    "bytes": "bytes of the pickled solver",
    "anonymous": "peak of allocated bytes",
    "seconds": "CPU seconds a sample",
}
BYTES, SECONDS = "exponent of bytes", "exponent of seconds"
_SUMMARISED = (BYTES, SECONDS, "visited-share", "held-out")


def trials(profile):
    """All methods on streams of three lengths; methods of constant memory on a long one, too."""
    smoke, quick = profile == "smoke", profile == "quick"
    wanted = {"smoke": _SMOKE, "quick": _QUICK}.get(profile, [m.label for m in METHODS])
    shown = [method for method in METHODS if method.label in wanted]
    fixed = {"n_components": 10, "limit": _LIMIT} | ({"patch": 8} if smoke else {})
    base = Trial("memory", "sample-images" if smoke else "bsds", "", options=fixed, timed=True)
    lengths = [300] if smoke else [1000] if quick else [10**3, 10**4, 10**5]
    found = cross(base, 1 if smoke or quick else 5, options("n_samples", lengths), methods(shown))
    if profile == "paper":
        constant = [method for method in METHODS if method.label not in _GROWING]
        found += cross(base, 1, options("n_samples", [10**6]), methods(constant))
    return found


def frame(records):
    """Trials with the exponents of bytes and of seconds in the number of samples seen.

    They are slopes over the tenths of a stream, from the second on, of the logarithms. A stream
    that did not fit into memory has none.
    """
    slopes = {
        exponent: [
            np.nan if gone else _slope(arrays, measure)
            for arrays, gone in zip(records["arrays"], _out_of_memory(records), strict=True)
        ]
        for exponent, measure in ((BYTES, "bytes"), (SECONDS, "seconds"))
    }
    return records.assign(**slopes)


def _out_of_memory(records):
    """Whose trials have no arrays, here and wherever their records are imported."""
    return records["out-of-memory"] == 1


def _slope(arrays, measure):
    samples = arrays.get("samples", ())
    if len(samples) < 3:
        return np.nan
    return np.polyfit(np.log(samples[1:]), np.log(arrays[measure][1:]), 1)[0]


def summarise(frame):
    """Each measure at the tenths of streams, and means of the exponents with their intervals.

    Beside them stands the ``visited-share`` of the buffer, without which the time of a step says
    little: it is constant as long as a step ends before it has looked at all samples.
    """
    parts = []
    for row, gone in zip(frame.itertuples(), _out_of_memory(frame), strict=True):
        if gone:
            parts.append(pd.DataFrame({"samples": [row.n_samples], "value": [1e6 * _LIMIT]}))
            parts[-1] = parts[-1].assign(measure="out of memory", method=row.method)
            continue
        for measure in _MEASURES:
            points = {"samples": row.arrays["samples"], "value": row.arrays[measure]}
            parts.append(pd.DataFrame(points).assign(measure=measure, method=row.method))
    points = pd.concat(parts).astype({"method": str})
    curves = points.groupby(["measure", "method", "samples"])["value"].mean().reset_index()
    found = melt_metrics(frame, {name: name for name in _SUMMARISED}, "measure", "value")
    means = mean_table(found.dropna(subset="value"), "value", ["measure", "method"])
    return pd.concat([curves, means.astype({"measure": str, "method": str})], ignore_index=True)


def draw(table):
    """A panel for each measure, against the samples seen."""
    figure, axes = plt.subplots(1, len(_MEASURES), figsize=(5.2 * len(_MEASURES), 4.2))
    labels = [method.label for method in METHODS]
    styles = method_styles(labels)
    for axis, (measure, title) in zip(axes, _MEASURES.items(), strict=True):
        for label in labels:
            rows = select_rows(table, measure=measure, method=label)
            if len(rows):
                axis.plot(rows["samples"], rows["value"], label=label, **styles[label])
            failed = select_rows(table, measure="out of memory", method=label)
            if measure == "anonymous" and len(failed):
                look = {"color": styles[label]["color"], "marker": "x", "linestyle": ""}
                axis.plot(failed["samples"], failed["value"], label="out of memory", **look)
        axis.set(ylabel=title, xlabel="samples seen", xscale="log", yscale="log")
        axis.set_title(_found(table, measure))
        name_curves(axis, 3.2, ["out of memory"])
    handles = [line for line in axes[1].lines if line.get_label() == "out of memory"][:1]
    if handles:
        figure.legend(handles=handles, loc="outside lower center", frameon=False)
    return figure


def _found(table, measure):
    """Result as a title: growth exponents of OR-NMF and MOR-NMF in the number of samples."""
    name = {"bytes": BYTES, "seconds": SECONDS}.get(measure)
    rows = select_rows(table, measure=name, method=[OR, MOR]) if name else table.head(0)
    return "; ".join(f"{row.method}: like n^{row.mean:.2f}" for row in rows.itertuples())


# -- claims -----------------------------------------------------------------------------------


def no_growth(method, exponent):
    """The exponent of a method is below the smallest one that matters."""
    return at_most(method, exponent, 0.05)


def _growth(method, exponent):
    return at_least(method, exponent, 0.5)


_CLAIMS = [
    ("mor-constant", MOR, "time of a step", "does not grow", SECONDS, no_growth, "II-C"),
    ("mor-constant-memory", MOR, "memory", "does not grow", BYTES, no_growth, "II-C"),
    ("or-constant-time", OR, "time of a step", "does not grow", SECONDS, no_growth, "II-A"),
    ("or-memory", OR, "memory", "grows", BYTES, _growth, "II-C"),
    ("onmf-memory", ONMF, "memory", "grows", BYTES, _growth, "IV-A"),
    ("inmf-constant-memory", INMF, "memory", "does not grow", BYTES, no_growth, "IV-C"),
    ("omf-constant-time", OMF, "time of a step", "does not grow", SECONDS, no_growth, "IV-E"),
    ("omf-constant-memory", OMF, "memory", "does not grow", BYTES, no_growth, "IV-E"),
]

ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/memory",
        title="Streams larger than memory: bytes and seconds as they go on",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        claims=[
            Claim(
                name,
                f"The {what} of {method} {verb} with the number of samples seen.",
                f"Section {section}",
                test(method, exponent),
            )
            for name, method, what, verb, exponent, test, section in _CLAIMS
        ],
        planned=Plan(5, "As in the paper's grid: a repeat takes 7 minutes of CPU time."),
        matters={BYTES: 0.05, SECONDS: 0.05},
        assumed={
            "stream": "Random patches of 19 x 19 pixels, in single precision, from a memory-mapped "
            "file in blocks of at most 1000; one pass, in a fresh process whose data segment is "
            "limited to 600 MB.",
            "rank": "10.",
            "updates": "Each update of the bases ends by rule (9) with a τ of 0.001, after at most "
            "1000 inner steps, of OMF after at most 100 sweeps; M∗ is kept, and θ constant, as the "
            "length of the stream is not known. Other settings change how many inner steps a "
            "sample takes. Of OR-NMF these read samples from a buffer that outgrows the caches, "
            "which counts against a time that stays constant.",
            "growth": "An exponent in the number of samples seen, over the last nine tenths of a "
            "stream: at least 0.5 grows, below 0.05 does not.",
        },
        caption="State of each method (pickled), the peak of what its process allocated beyond "
        "its start, without pages of the file, and CPU seconds a sample, at the tenths of "
        "streams; means over repeats. A cross marks a stream that a method did not survive. The "
        "quick grid has a short stream and the methods of the claims.",
    )
)
