"""Two rates that the convergence theory of OR-NMF claims, measured."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import per_repeat
from nmfbench.artefacts.finding import with_evidence
from nmfbench.artefacts.frames import mean_table, select_rows
from nmfbench.artefacts.grids import Method, cross, fields, methods
from nmfbench.artefacts.names import name_curves
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.style import method_styles, plot_band
from nmfbench.artefacts.tables import interval_cell
from nmfbench.papers.or_nmf.methods import MOR, OMF, OR, SMALL
from nmfbench.trials.trial import Trial

METHODS = (
    Method(OR, "or-nmf"),
    Method(SMALL, "or-nmf", {"theta": 0.01}),
    Method(OMF, "omf"),
    Method(MOR, "mor-nmf"),
)
GAP, LATE = "exponent of the gap", "exponent of the gap, last decade"
FIRST, BOTH = "exponent of the change, one pass", "exponent of the change, two passes"
_SAME = 0.05  # smallest difference of exponents that matters
_BINS = 8  # a decade
_SETS = ["cbcl", "orl", "huebow"]
"""Data of the buffers; all else is measured and drawn on the first."""


def trials(profile):
    """Runs of Algorithm 2 on one buffer, of OR-NMF also on other data; streams of two passes."""
    smoke = profile == "smoke"
    repeats = {"smoke": 1, "quick": 5, "paper": 20}[profile]
    dataset, rank = ("digits", 4) if smoke else ("cbcl", 10)
    steps = [round(10 ** (1 + k / 4)) for k in range(5 if smoke else 13)]
    buffer = {"n_components": rank, "n_samples": 50 if smoke else 200, "steps": steps}
    stream = {"n_components": rank, "n_samples": 60 if smoke else 500}
    inner = Trial("inner-rate", dataset, "", options=buffer)
    outer = Trial("step-change", dataset, "", options=stream)
    found = [
        *cross(inner, repeats, methods(METHODS[:2])),
        *cross(outer, repeats, methods(METHODS)),
    ]
    if profile == "paper":
        found += cross(inner, repeats, fields("dataset", _SETS[1:]), methods(METHODS[:1]))
    return found


# -- exponents --------------------------------------------------------------------------------


def exponent(x, y):
    """The power of 1/x as which y falls: minus the slope of a line through the logarithms."""
    return -np.polyfit(np.log(x), np.log(y), 1)[0]


def binned(change, first):
    """Mean changes over bins of equal width in log t, from step ``first`` on, with their places.

    So that no stretch of a stream counts for more than another; a mean, since one change may be
    zero.
    """
    t = np.arange(first, len(change) + 1)
    count = round(_BINS * np.log10(len(change) / first))
    bins = np.digitize(t, np.geomspace(first, len(change) + 1, count + 1)[:-1])
    points = pd.DataFrame({"x": np.log(t), "y": change[first - 1 :]}).groupby(bins).mean()
    points = points[points["y"] > 0]
    return np.exp(points["x"].to_numpy()), points["y"].to_numpy()


def frame(records):
    """Trials with their exponents, NaN where a trial does not measure them, and their curves."""
    found = [_measured(row) for row in records.to_dict("records")]
    return pd.concat([records, pd.DataFrame(found, index=records.index)], axis=1)


def _measured(row):
    arrays = row["arrays"]
    if row["task"] == "inner-rate":
        x, y = arrays["steps"], arrays["gap"]
        late = x >= x[-1] / 10
        return {"x": x, "y": y, GAP: exponent(x, y), LATE: exponent(x[late], y[late])}
    change, first = arrays["change"], row["n_components"]
    x, y = binned(change, first)
    half = exponent(*binned(change[: len(change) // 2], first))
    return {"x": x, "y": y, FIRST: half, BOTH: exponent(x, y)}


# -- table and figure -------------------------------------------------------------------------


def summarise(frame):
    """Geometric means of gaps and changes, and means of the exponents, with 95 % intervals."""
    frame = frame[~frame["dataset"].isin(_SETS[1:])]
    rows = frame[["task", "method", "x", "y"]].explode(["x", "y"]).astype({"x": float})
    curves = mean_table(rows, "y", ["task", "method", "x"], geometric=True)
    parts = [
        mean_table(frame.dropna(subset=name), name, ["task", "method"]).assign(exponent=name)
        for name in (GAP, LATE, FIRST, BOTH)
    ]
    return pd.concat([curves.assign(exponent=""), *parts], ignore_index=True).astype(
        {"task": str, "method": str}
    )


_PANELS = {
    "inner-rate": ("Algorithm 2 on a fixed buffer", "inner steps k", "share of the first gap", 0.5),
    "step-change": ("Bases along a stream", "samples t", "‖Wᵗ − Wᵗ⁻¹‖_F", 1.0),
}
_REFERENCES = {0.5: "slope −1/2", 1.0: "slope −1"}


def draw(table):
    """A panel for each rate, with a line of the slope that the theory has."""
    figure, axes = plt.subplots(1, len(_PANELS), figsize=(12, 4.6))
    labels = [method.label for method in METHODS]
    styles = method_styles(labels)
    for axis, (task, (title, xlabel, ylabel, power)) in zip(axes, _PANELS.items(), strict=True):
        panel = select_rows(table, task=task, exponent="")
        for label in labels:
            rows = select_rows(panel, method=label)
            if len(rows):
                plot_band(axis, rows["x"], rows, label, styles[label])
        x, top = np.array([panel["x"].min(), panel["x"].max()]), panel["mean"].max()
        look = {"color": "0.3", "linestyle": ":"}
        axis.plot(x, 1.5 * top * (x / x[0]) ** -power, label=_REFERENCES[power], **look)
        axis.set(xlabel=xlabel, ylabel=ylabel, xscale="log", yscale="log")
        axis.set_title("\n".join(filter(None, [title, _found(table, task, power)])))
        name_curves(axis, 3.2)
    return figure


def _found(table, task, power):
    """Result as a title: the measured exponent of OR-NMF beside the theoretical one."""
    name = LATE if task == "inner-rate" else BOTH
    rows = select_rows(table, task=task, exponent=name, method=OR)
    if rows.empty:
        return ""
    found = next(rows.itertuples())
    words = "last decade" if name == LATE else "two passes"
    return f"OR-NMF, {words}: exponent {interval_cell(2)(found)}; theory {power:g}"


# -- claims -----------------------------------------------------------------------------------


def _falls(method, name, bound, theory):
    """The exponent of a method is at least ``bound``; the evidence has other exponents, too."""

    def describe(frame):
        others = {m.label: (m.label, name) for m in METHODS if m.label != method}
        if name == LATE:
            others = {"over all steps": (method, GAP)} | others
        means = {words: per_repeat(frame, *other).mean() for words, other in others.items()}
        return "beside it " + ", ".join(f"{k} {v:.3g}" for k, v in means.items() if v == v)

    sides: Any = method
    if name == LATE and method == OR:
        sides = [{"method": method, "dataset": dataset} for dataset in _SETS]
    return with_evidence(at_least(sides, name, bound, measured_from=theory), describe)


_FIRST_PASS = "step-1-over-t-first-pass"
_RATES = {
    "rate": (
        "On a fixed buffer the gap of {} to the minimum is O(1/√k) in the inner steps k: over the "
        "last decade of them its exponent is at least 1/2, within 0.05.",
        "abstract, Section II-A",
        (LATE, 0.5 - _SAME, 0.5),
    ),
    "step-1-over-t": (
        "Over two passes the distance by which a sample moves the bases of {} falls like 1/t: its "
        "exponent is at least 0.8.",
        "Section II-B, step 2, which speaks of the limit",
        (BOTH, 0.8, 1.0),
    ),
    _FIRST_PASS: (
        "In the first pass the distance by which a sample moves the bases of {} falls like 1/t: "
        "its exponent is at least 0.8.",
        "Section II-B, step 2",
        (FIRST, 0.8, 1.0),
    ),
}


def _claim(name, method, ending="", *, ours):
    text, source, numbers = _RATES[name]
    return Claim(
        name + ending,
        text.format(method) + ("" if ours else " So it is on CBCL, ORL and hue words."),
        f"ours; {source}" if ours else source,
        _falls(method, *numbers),
        origin="ours" if ours else "paper",
    )


ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/rates",
        title="Rates of convergence: inner steps on a fixed buffer, and the bases along a stream",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        claims=[
            *(_claim(name, OR, ours=name != "rate") for name in _RATES),
            *(_claim(name, SMALL, "-small", ours=True) for name in _RATES),
        ],
        planned=Plan(20, "A repeat takes 2 s of CPU time."),
        matters=dict.fromkeys((GAP, LATE, FIRST, BOTH), _SAME),
        assumed={
            "buffer": "200 samples of CBCL, and for the paper's claim of ORL and of hue words, of "
            "unit 2-norm with their least-squares coefficients on random bases, from which the "
            "steps start; rank 10, 10 to 10⁴ steps without the stop rule. The minimum is that of "
            "exact sweeps over the bases, as in OMF, to 1e-12.",
            "average": "Over all steps from the first on, as Statement 6 has it. Nemirovski et al. "
            "prove the rate 1/√k for an average over the last steps; over all of them a factor "
            "log k is left.",
            "stream": "500 samples of CBCL in one order, two passes, rank 10, θₜ by the cosine, "
            "which ends near zero.",
            "exponent": "Minus the slope of a line through the logarithms: of the gaps at numbers "
            "of steps that are even on that scale; of the mean changes in bins that are, eight a "
            "decade, from as many samples on as there are bases.",
            "theory": "The theorem bounds the gap from above, for many steps: a gap far below the "
            "bound may fall more slowly at first, so that the last decade of steps decides. The "
            "proof of 1/t takes each W for the minimiser of its surrogate, which rule (9) does not "
            "ask for.",
        },
        caption="Left: gap to the minimum of the surrogate of a fixed buffer as a share of the gap "
        "at the start, against inner steps. Right: distance by which a sample moves the bases. "
        "Geometric means over repeats with 95 % intervals; dotted, the slope claimed.",
    )
)
