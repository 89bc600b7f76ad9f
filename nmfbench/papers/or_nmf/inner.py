"""Inner iterations of INMF, OMF and OMF-DA: are they many, and is the reason the paper's?"""

from __future__ import annotations

from functools import partial

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.estimate import Estimate
from nmfbench.artefacts.finding import Finding, within
from nmfbench.artefacts.frames import drawn_rows, mean_table, melt_metrics
from nmfbench.artefacts.grids import Method, changed, cross, fields, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import present
from nmfbench.artefacts.region import Bounds
from nmfbench.artefacts.tables import score_table
from nmfbench.core.matters import Ratio
from nmfbench.papers.or_nmf.methods import INMF, OMF, OR, PRINTED
from nmfbench.papers.or_nmf.panels import LOWER_RANK, NAMES, at_lower_rank
from nmfbench.papers.or_nmf.readings import alike, with_readings
from nmfbench.trials.trial import Trial

_RAISING = with_readings([Method(OR, "or-nmf"), Method(PRINTED, "omf-da", {"safeguard": False})])
_INCREMENTAL = with_readings([Method(INMF, "inmf")])
_SWEEPING = with_readings([Method(OMF, "omf")])
METHODS = (*_RAISING, *_SWEEPING, *_INCREMENTAL)
_PARTS = (0.0, 0.25, 0.5, 0.75, 1.0)
_MANY = 10
COUNT, SHARE = "iterations", "share"
UPDATES, SWEEPS = "updates of INMF for a sample", "exact sweeps on the same problem"
FAILED, RISES = "INMF without a floor fails", "updates that raise gₜ, share"
_OF_OMF = {part: f"sweeps of OMF, off-diagonal entries times {part:g}" for part in _PARTS}
_COUNTS = {"updates": UPDATES, "sweeps": SWEEPS}
_COUNTS |= {f"sweeps-{part:g}": words for part, words in _OF_OMF.items()}
_RATES = {"failed": FAILED, "share-of-rises": RISES}


def trials(profile):
    """Steps of INMF and OMF along two passes over the data of Figures 2, 3 and 6, lower rank."""
    repeats = {"smoke": 2, "quick": 5, "paper": 10}[profile]
    found = []
    for name, size in at_lower_rank(profile).items():
        base = Trial("", name, "", options=size)
        steps = fields("task", ["incremental-steps", "zero-denominators"])
        found += cross(base, repeats, steps, methods(_INCREMENTAL))
        sweeps = changed(base, {"task": "off-diagonal-sweeps"})
        found += cross(sweeps, repeats, options("shares", [_PARTS]), methods(_SWEEPING))
        rises = changed(base, {"task": "surrogate-stream", "options": {"only_end": True}})
        found += cross(rises, repeats, methods(_RAISING))
    return found


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Counts of iterations and shares, by ``measure``."""
    found = records.astype({"method": str})
    parts = [
        melt_metrics(found, values, "measure", column)
        .dropna(subset=column)
        .astype({"measure": str})
        for values, column in ((_COUNTS, COUNT), (_RATES, SHARE))
    ]
    return pd.concat(parts, ignore_index=True)


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Means by data set, measure and method that is drawn; of counts geometric ones."""
    frame = drawn_rows(frame, METHODS)
    place = ["dataset", "measure", "method"]
    counts = mean_table(frame.dropna(subset=COUNT), COUNT, place, geometric=True)
    shares = mean_table(frame.dropna(subset=SHARE), SHARE, place, between=(0, 1))
    return pd.concat([counts, shares], ignore_index=True)


def draw(table: pd.DataFrame) -> pd.DataFrame:
    """One row for each measure and method, one column for each data set."""
    named = table.assign(data=table["dataset"].map(NAMES))
    order = {name: k for k, name in enumerate([*_COUNTS.values(), *_RATES.values()])}
    named = named.sort_values("measure", key=lambda column: column.map(order), kind="stable")
    columns = present(named, "data", NAMES.values())
    rows = {"measure": "measure", "method": "method"}
    return score_table(named, rows, columns, _cell, column="data")


def _cell(cell):
    return f"{cell.mean:.2f}" if cell.measure in _RATES.values() else f"{cell.mean:.3g}"


# -- claims -----------------------------------------------------------------------------------


def _more_sweeps(name, words, most, fewer):
    def test(omf):
        more, less = ({"method": omf, "measure": _OF_OMF[part]} for part in (most, fewer))
        return always_best(more, [less], COUNT, ratio=True, blocks="dataset")

    return Claim(
        f"omf-off-diagonal-{name}",
        "OMF takes more sweeps the larger the off-diagonal entries of the Hessian are, which its "
        f"learning rates ignore: more with {words}.",
        "Section IV-E",
        alike(test, OMF),
    )


def _fewer_rises(side, rival):
    return always_best(side, [rival], SHARE, at={"measure": RISES}, lower=True, blocks="dataset")


def _more_updates(inmf):
    """More updates than sweeps, on problems of one stream."""
    updates, sweeps = ({"method": inmf, "measure": measure} for measure in (UPDATES, SWEEPS))
    return always_best(updates, [sweeps], COUNT, ratio=True, blocks="dataset")


def _ever_fails(dataset, inmf):
    """A single stream that fails shows that INMF may."""

    def test(frame):
        failed = frame.dropna(subset=SHARE)
        if failed.empty:
            return Finding.without("not run", "no trial of this grid measures it")
        count, n = int(failed[SHARE].sum()), failed["repeat"].nunique()
        estimate = Estimate(count, 0.0, 0, n, exact=True)
        text = f"{count} of {len(failed)} streams fail"
        return Finding(text, [estimate], Bounds(low=1.0, whose="paper"))

    return within({"method": inmf, "measure": FAILED, "dataset": dataset}, test)


def _slow(label, what, measure, section):
    """A method takes many iterations, on each data set."""
    return [
        Claim(
            f"{label.lower()}-slow-{name}",
            f"On {NAMES[name]} {label} takes more than {_MANY} {what}, until 99 % of what they can "
            "gain is gained.",
            section,
            alike(
                partial(
                    at_least,
                    value=COUNT,
                    bound=_MANY,
                    ratio=True,
                    at={"measure": measure, "dataset": name},
                ),
                label,
            ),
        )
        for name in LOWER_RANK
    ]


_CLAIMS = [
    *_slow(INMF, "multiplicative updates for a sample", UPDATES, "Section IV-C"),
    Claim(
        "inmf-slower-than-sweeps",
        "INMF takes more multiplicative updates for a sample than exact sweeps over the bases "
        "take on the same problem, from the same start and at a like cost each.",
        "Section IV-C",
        alike(_more_updates, INMF),
    ),
    *(
        Claim(
            f"inmf-fails-{name}",
            f"INMF without a floor for its denominators may fail on {NAMES[name]}: in one stream "
            "at least bases or coefficients are not finite.",
            "Section IV-C",
            alike(partial(_ever_fails, name), INMF),
        )
        for name in LOWER_RANK
    ),
    *_slow(OMF, "sweeps over the bases", _OF_OMF[1.0], "Section IV-E"),
    _more_sweeps("half", "all of them than with half", 1.0, 0.5),
    _more_sweeps("quarter", "half of them than with a quarter", 0.5, 0.25),
    Claim(
        "fewer-rises",
        "A smaller share of the updates of W raises the surrogate in OR-NMF than in OMF-DA as "
        "printed.",
        "ours, after Section IV-F: a rise counts, however small",
        alike(_fewer_rises, OR, PRINTED),
        origin="ours",
    ),
]

ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/inner",
        title="Inner iterations of INMF, OMF and OMF-DA",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        claims=_CLAIMS,
        planned=Plan(10, "A repeat takes two minutes of CPU time."),
        matters={COUNT: Ratio(0.10), SHARE: 0.02},
        assumed={
            "data": "Those of Figures 2, 3 and 6 at the lower rank, two passes; at twenty samples "
            "of a stream the problem of the step is solved. Updates of the stream itself go on "
            "until convergence, by the paper, here at most 200 for a sample by INMF and 100 sweeps "
            "by OMF: claims are decided where they come out alike with "
            "tolerances of 0.001 and 0.0001, of which the table has the latter for INMF, the "
            "former for OMF.",
            "slow": "The paper gives no number. More than ten iterations for 99 % of what they can "
            "gain; and, of INMF, more than exact sweeps take, the rule of OMF without the simplex, "
            "each after the best coefficients. An update and a sweep both "
            "cost O(mr²).",
            "gain": "Of INMF from the start of a step to the lowest value that updates or sweeps "
            "reach in 2000 iterations; runs that do not come that near count as 2000. Of OMF from "
            "the first bases of the stream, so that all shares of the off-diagonal entries have "
            "one start.",
            "off-diagonal entries": "Those of A_t, times 0, 1/4, 1/2, 3/4 and 1. With none of them "
            "a single sweep is exact.",
            "zero denominators": "INMF has a floor of 1e-12 in all other artefacts; here 0/0 is "
            "what it is. That it may fail, if some are zero, is shown by one stream in which it "
            "does; where none of these streams has such a denominator, it fails in none of them.",
            "rises": "Of gₜ by the t-th update of W, by more than 1e-9 of its value. Decided where "
            "it comes out alike with updates of OR-NMF that end by a τ of 0.001 and of 0.0001, "
            "with M∗ kept and found again in each step, and with 20 and 100 steps of OMF-DA, which "
            "as printed never rests; the table has the first two and 100 steps. An update of "
            "OR-NMF makes at most 1000 inner steps.",
        },
        caption="Geometric means of iterations and means of shares over repeats.",
    )
)
