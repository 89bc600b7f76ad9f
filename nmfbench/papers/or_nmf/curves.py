"""Curves of costs against samples and CPU seconds: table, picture and words of Figures 2 to 9."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.plots import Curves, Printed
from nmfbench.papers.or_nmf.descent import BEST, CLOCKS, SAMPLES, SECONDS, STORED, cost_traces
from nmfbench.papers.or_nmf.methods import PRINTED
from nmfbench.papers.reported import reported
from nmfbench.stats.traces import raw_objective_at

_MEASURES = (STORED, BEST)
_TIMES = 60

ASSUMED = {
    "fₜ and Fₙ": "Of two definitions of fₜ the figures show that of Section V-A, which introduces "
    "them: the mean cost of the samples so far, with the coefficients that each had when it came. "
    "With the best coefficients, as in Section II-B, a sample of unit norm costs ½ at most, and "
    "the axis of Figure 7 reaches 2. It favours methods that leave W alone, and methods that "
    "have seen few samples. Fₙ, the mean cost of all samples with their best coefficients, is what "
    "learning is for; the paper does not show it, and claims on it are ours.",
    "faster": "The geometric mean of the cost is lower over the axis of the paper, linear in "
    "samples or seconds, from where both methods have a record up to the end of the one that ends "
    "first. Where one ends before the other has a record, the costs at that record count. No "
    "record is of fewer samples than bases: these fit so few nearly without error, so that a slow "
    "method would have the lowest fₜ at any time before.",
    "scale": "Samples of unit 2-norm: the paper's axes, between 1 and 0.001, fit no other.",
    "passes": "Two, in one random order that all methods of a repeat share, from the same bases; "
    "the paper's panels of the larger rank reach further, unexplained.",
    "OMF": "Sweeps over the columns until W rests, at most 100 a sample, as the paper has it; "
    "dashed, the single sweep of Mairal et al.",
    "OMF-DA": "With a step that is halved until the surrogate does not rise; dashed, as printed, "
    "which is the rival of the paper's claims. Claims against the other are ours. As printed it "
    "never rests, though it is to go on until convergence: claims are decided where they come out "
    "alike with 20 steps for a sample and with 100, which is drawn.",
    "tolerance": "The paper says of the τ of rule (9) that it is “usually set to a small value, "
    "e.g.”, 0.001, and of OMF and INMF that they go on until convergence. A smaller tolerance "
    "takes more seconds for a lower fₜ. So all inner loops of a comparison end where W moves by no "
    "more than 0.001 of its norm, or all by no more than 0.0001, and the paper's claims are "
    "decided where they come out alike; or-nmf/settings has 0.00001 beside them.",
    "inner steps": "Of OR-NMF, MOR-NMF and WOR-NMF at most 1000 in an update of W, a limit of "
    "ours beside rule (9). With a tolerance of 0.001 an update takes 10 to 110 on average, and the "
    "limit hardly matters; with 0.0001 it takes 60 to 780, and the limit ends some.",
    "INMF": "At most 200 updates for a sample. Drawn, and in our claims, with the tolerance "
    "0.0001; the others with 0.001.",
    "θ₀": "0.1 as printed; a tenth of it dashed, ours.",
    "T": "Of the cosine: the samples, or chunks, of both passes, as the paper does not say.",
    "M∗": "The paper updates it with the largest norm of a gradient, and does not say whether it "
    "is kept from sample to sample; it is no input of Algorithm 2. Claims of the paper are decided "
    "where they come out alike with M∗ kept, which is drawn, and found again in each step.",
    "coefficients": "By compiled non-negative least squares in place of MATLAB's lsqnonneg, the "
    "same for OR-NMF, OMF and OMF-DA, so that all seconds are far fewer than the paper's.",
    "compiled loops": "All updates of W are compiled. In MATLAB sweeps of OMF, a loop over "
    "columns, and steps of OR-NMF, a loop over samples, are slow beside INMF and ONMF, whose "
    "updates are products of matrices: an order in seconds may turn either way.",
    "seconds": "CPU seconds of the updates on one thread, without compilation and evaluation. "
    "Costs at equal times are those of the last record before.",
}

CAPTION = (
    "Geometric means of costs over repeats with 95 % intervals, against samples and against CPU "
    "seconds of the updates; cut where they leave the range of the means. Rows: rank, and which "
    "cost. The paper shows the first cost only, as Section V-A defines it, and has linear axes of "
    "seconds; grey: as far as its axis reaches."
)


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Geometric means of costs and 95 % intervals by panel, measure, axis and method.

    Against seconds, from where all repeats of a method have a record to where one of them ends.
    """
    parts = []
    alone = frame[frame["pair"] == ""]
    for (panel, method), rows in alone.groupby(["panel", "method"]):
        curves = [cost_traces(arrays) for arrays in rows["arrays"]]
        seconds = [curve[BEST]["cpu_seconds"] for curve in curves]
        begin, end = max(times[1] for times in seconds), min(times[-1] for times in seconds)
        points = {
            SAMPLES: curves[0][BEST]["iteration"][1:].astype(float),
            SECONDS: np.geomspace(begin, end, _TIMES) if begin < end else np.array([]),
        }
        for measure, (axis, x) in product(_MEASURES, points.items()):
            traces = [curve[measure] for curve in curves]
            logs = [np.log10(raw_objective_at(trace, x, CLOCKS[axis])) for trace in traces]
            costs = [pd.DataFrame({"x": x, "log": log}) for log in logs]
            place = {"panel": panel, "method": method, "measure": measure, "axis": axis}
            parts.append(mean_table(pd.concat(costs), "log", ["x"]).assign(**place))
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    return table.assign(**{name: 10 ** table[name] for name in ("mean", "low", "high")})


def printed_axis(artefact: str, name: str = "axis", **at) -> Printed:
    """The range of the paper's axis of fₜ, the cost that it shows."""
    axis = reported(artefact, name)
    return Printed(f"the paper's {axis.text}", tuple(axis.value), at={"measure": STORED, **at})


def picture(chosen: Sequence[Method], panels: Sequence[str], *printed: Printed) -> Curves:
    """A row of panels for each place and measure, against samples and against CPU seconds."""
    return Curves(
        x="x",
        labels=[method.label for method in chosen],
        row=("panel", "measure"),
        rows={(p, m): f"{p}\n{m}" for p, m in product(["rank 4", *panels], _MEASURES)},
        column="axis",
        columns={SAMPLES: "", SECONDS: ""},
        xlabel={SAMPLES: "samples", SECONDS: "CPU seconds of the updates"},
        size=(4.6, 2.6),
        printed=printed,
        logx=[SECONDS],
        logy=True,
        named=SAMPLES,
        cut=[PRINTED],
    )
