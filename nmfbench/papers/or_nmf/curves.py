"""Costs against samples and CPU seconds: Figures 2 to 9."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Claim, with_evidence, within
from nmfbench.artefacts.comparisons import always_best, at_least
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.artefacts.plots import Curves, Printed
from nmfbench.engine.trials import Trial
from nmfbench.papers.reported import reported

__all__ = [
    "ALONE",
    "ASSUMED",
    "CAPTION",
    "Panels",
    "faster",
    "frame_of",
    "lower_cost",
    "of_single",
    "picture",
    "printed_axis",
    "summarise",
]

OR, MOR, WOR, ONMF = "OR-NMF", "MOR-NMF", "WOR-NMF", "ONMF"
OMF, OMF_DA, INMF = "OMF", "OMF-DA", "INMF"
ONE_SWEEP, PRINTED, SMALL = "OMF, one sweep", "OMF-DA, as printed", "OR-NMF, θ₀ = 0.01"

SINGLE = (
    Method(OR, "or-nmf"),
    Method(MOR, "mor-nmf"),
    Method(OMF, "omf"),
    Method(OMF_DA, "omf-da"),
    Method(INMF, "inmf"),
    Method(ONE_SWEEP, "omf", {"n_sweeps": 1}),
    Method(PRINTED, "omf-da", {"safeguard": False}),
    Method(SMALL, "or-nmf", {"theta": 0.01}),
)
"""Methods that take one sample at a time: Figures 2, 3 and 6."""
CHUNKS = (Method(WOR, "wor-nmf"), Method(ONMF, "onmf"), Method(OR, "or-nmf"))
"""Methods that take chunks, and one that does not, beside them: Figures 4, 5 and 7."""
RIVALS = (OMF, OMF_DA, INMF)

STORED, BEST = "fₜ, coefficients as stored", "Fₙ, best coefficients"
MEASURES = (STORED, BEST)
UNTIL = "time until Fₙ is near its best"
SAMPLES, SECONDS, ONCE, TWICE = "samples", "seconds", "one pass", "two passes"
RAISING = "share of steps that raise the surrogate"
VALUE = "log₁₀ of cost or time"
ALONE = {"pair": ""}
"""Place of what is said of one method, in the frame."""

_LEVEL = 1.05  # of the best cost that any method has reached
_TIMES = 60


@dataclass(frozen=True)
class Panels:
    """Data of a figure, and its ranks by profile.

    Parameters
    ----------
    dataset : str
    n_samples : int or None
        Drawn anew in each repeat.
    every : mapping of int to int
        Samples between two records, by rank: a multiple of it, so that chunks end there.
    quick : (int, sequence of int)
        Repeats and ranks of the quick grid.
    options : mapping
        Further options of the task.
    """

    dataset: str
    n_samples: int | None
    every: Mapping[int, int]
    quick: tuple[int, Sequence[int]]
    options: Mapping[str, object] = ()

    @property
    def ranks(self) -> list[int]:
        return list(self.every)

    @property
    def names(self) -> list[str]:
        """Of the panels of the figure."""
        return [f"rank {rank}" for rank in self.ranks]

    def grid(self, chosen: Iterable[Method], profile: str) -> list[Trial]:
        """The trials of a profile; the smoke grid has digits."""
        repeats, ranks = (10, self.ranks) if profile == "paper" else self.quick
        options = {"n_samples": self.n_samples, **dict(self.options)}
        if profile == "smoke":
            repeats, every, options = 2, {4: 8}, {**options, "n_samples": 48}
        else:
            every = {rank: self.every[rank] for rank in ranks}
        sizes = [{"options": {"n_components": r, "record_every": k}} for r, k in every.items()]
        dataset = "digits" if profile == "smoke" else self.dataset
        base = Trial("online", dataset, solver="", options=options, timed=True)
        return cross(base, repeats, sizes, methods(chosen))


CBCL = Panels("cbcl", 500, {10: 20, 50: 50}, (3, [10]))
ORL = Panels("orl", None, {10: 20, 50: 50}, (2, [10]))
HUE = Panels("huebow", None, {50: 50, 80: 80}, (3, [50]))


# -- frame and table --------------------------------------------------------------------------


def frame_of(pairs: Sequence[tuple[str, str]]):
    """The frame of a figure that compares these pairs of methods.

    Rows with ``pair`` "" are the records, with ``rise`` and ``fall``, what the second pass adds to
    F_n and takes from it, as a share; ``RAISING``; and ``panel``, the rank and the floor of the
    divergence in words. The
    others have, for each pair, ``measure`` and ``axis``, the mean of the logarithm of the cost of
    either method: over the logarithm of samples or of CPU seconds, up to the end of the one that
    ends first; or after one pass or two. The measure ``UNTIL`` is the logarithm of the time when
    F_n came within five per cent of the best that any method has reached on the data of the
    repeat. A method that never did counts as if it had at the end of the longer of the two.
    """

    def frame(records):
        alone = records.assign(pair="", method=records["method"].astype(str))
        alone["panel"] = [panel_of(options) for options in records["options"]]
        alone["rise"] = alone["cost"] / alone["cost-once"] - 1
        alone["fall"] = -alone["rise"]
        if "n-rises" in alone:
            alone[RAISING] = alone["n-rises"] / alone["inner-iterations"]
        rows = []
        for (repeat, panel), group in alone.groupby(["repeat", "panel"]):
            curves = {row.method: _curves(row.arrays) for row in group.itertuples()}
            level = _LEVEL * min(curve[BEST].min() for curve in curves.values())
            for pair in (pair for pair in pairs if {*pair} <= {*curves}):
                place = {"repeat": repeat, "panel": panel, "pair": pair_name(*pair)}
                rows += [
                    place | {"measure": measure, "axis": axis, "method": method, VALUE: value}
                    for measure, axis, values in _compared([curves[m] for m in pair], level)
                    for method, value in zip(pair, values, strict=True)
                ]
        return pd.concat([alone, pd.DataFrame(rows)], ignore_index=True)

    return frame


def panel_of(options):
    """Rank and, if it is given, floor."""
    floor = options.get("floor")
    return f"rank {options['n_components']}" + (f", floor {floor:g}" if floor else "")


def pair_name(side, rival):
    return f"{side}, {rival}"


def _curves(arrays):
    """Both axes and both costs; f_t before the first sample is taken to be F_n."""
    trace, stored = arrays["trace"], np.array(arrays["stored"])
    stored[0] = trace["objective"][0]
    return {
        SAMPLES: trace["iteration"].astype(float),
        SECONDS: trace["cpu_seconds"],
        BEST: trace["objective"],
        STORED: stored,
    }


def _compared(both, level):
    """Logarithms of what two curves say, by measure and axis."""
    end = both[0][SAMPLES][-1]
    for axis in (SAMPLES, SECONDS):
        begin = min(curve[axis][1] for curve in both)
        times = np.geomspace(begin, min(curve[axis][-1] for curve in both), _TIMES)
        for measure in MEASURES:
            yield measure, axis, [_log(_at(curve, axis, measure, times)) for curve in both]
        never = max(curve[axis][-1] for curve in both)
        yield UNTIL, axis, [_log(_until(curve, axis, level, never)) for curve in both]
    for (name, samples), measure in product({ONCE: end / 2, TWICE: end}.items(), MEASURES):
        yield measure, name, [_log(_at(curve, SAMPLES, measure, samples)) for curve in both]


def _at(curve, axis, measure, times):
    """The cost at the last record at or before some times."""
    return curve[measure][np.searchsorted(curve[axis], times, side="right") - 1]


def _log(values):
    return float(np.mean(np.log10(values)))


def _until(curve, axis, level, never):
    reached = np.flatnonzero(curve[BEST] <= level)
    return max(curve[axis][reached[0]], curve[axis][1]) if len(reached) else never


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Geometric means of costs and 95 % intervals by panel, measure, axis and method.

    Against seconds, from where all repeats of a method have a record to where one of them ends.
    """
    parts = []
    alone = frame[frame["pair"] == ""]
    for (panel, method), rows in alone.groupby(["panel", "method"]):
        curves = [_curves(arrays) for arrays in rows["arrays"]]
        begin = max(curve[SECONDS][1] for curve in curves)
        end = min(curve[SECONDS][-1] for curve in curves)
        points = {
            SAMPLES: curves[0][SAMPLES][1:],
            SECONDS: np.geomspace(begin, end, _TIMES) if begin < end else np.array([]),
        }
        for measure, (axis, x) in product(MEASURES, points.items()):
            costs = [
                pd.DataFrame({"x": x, "log": np.log10(_at(c, axis, measure, x))}) for c in curves
            ]
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
        rows={(p, m): f"{p}\n{m}" for p, m in product(["rank 4", *panels], MEASURES)},
        column="axis",
        columns={SAMPLES: "", SECONDS: ""},
        xlabel={SAMPLES: "samples", SECONDS: "CPU seconds of the updates"},
        size=(4.6, 2.6),
        printed=printed,
        logx=[SECONDS],
        logy=True,
    )


# -- claims -----------------------------------------------------------------------------------


def faster(
    side: str, rival: str, axis: str, rank: int, words: str, source: str, *, name: str = "", **more
) -> Claim:
    """``side`` lowers the objective faster than ``rival``, by both costs and by the time it takes.

    Parameters
    ----------
    side, rival : str
    axis : {"samples", "seconds"}
    rank : int
    words : str
        Such as "on CBCL", for the statement.
    source : str
    name : str, optional
        By default those of the two methods.
    **more
        Further fields of the claim.
    """
    name = name or f"{_slug(side)}-{_slug(rival)}"
    return Claim(
        f"{name}-{axis}-r{rank}",
        f"{side} lowers the objective faster than {rival} {words}, rank {rank}: its costs fₜ and "
        f"Fₙ are lower on average over {axis}, and Fₙ is sooner near its best.",
        source,
        _ahead(side, rival, axis, rank, (*MEASURES, UNTIL)),
        **more,
    )


def lower_cost(side: str, rival: str, at: str, rank: int, words: str, source: str) -> Claim:
    """``side`` has both costs below those of ``rival`` after one pass or two."""
    return Claim(
        f"{_slug(side)}-{_slug(rival)}-{at.replace(' ', '-')}-r{rank}",
        f"{side} has lower costs fₜ and Fₙ than {rival} after {at} {words}, rank {rank}.",
        source,
        _ahead(side, rival, at, rank, MEASURES),
    )


def _ahead(side, rival, axis, rank, measures):
    test = always_best(side, [rival], VALUE, each={"measure": list(measures)}, lower=True)
    at = {"pair": pair_name(side, rival), "axis": axis, "panel": f"rank {rank}"}

    def describe(frame):
        """By which factors the two differ, so that a reader sees where the measures disagree."""
        means = frame.pivot_table(VALUE, "measure", "method")
        factors = 10 ** (means[rival] - means[side])
        told = ", ".join(f"{factors[measure]:.3g} in {measure}" for measure in measures)
        split = factors.max() > 1 > factors.min()
        words = f"{rival} over {side} (geometric means): {told}"
        return f"{words}; the measures disagree" if split else words

    return within(at, with_evidence(test, describe))


def _slug(method):
    return method.lower().removesuffix("-nmf")


def of_single(words: str, source: str) -> list[Claim]:
    """Claims on two of the methods that take one sample at a time.

    Parameters
    ----------
    words : str
        Such as "on CBCL".
    source : str
        Figure.
    """
    return [
        Claim(
            "mor-converges",
            f"MOR-NMF converges {words}: in the second pass Fₙ rises by no more than 1 %.",
            f"Section II-C, {source}",
            at_least(MOR, "fall", -0.01, at=ALONE),
        ),
        Claim(
            "omf-da-unstable",
            f"OMF-DA as printed is unstable {words}: more than 1 % of its steps raise what they "
            "are to lower.",
            f"Section IV-F, {source}",
            at_least(PRINTED, RAISING, 0.01, at=ALONE),
        ),
    ]


ASSUMED = {
    "fₜ and Fₙ": "The paper plots fₜ, the mean cost of the samples so far with the coefficients "
    "that each had when it came. That favours methods which leave W alone. Fₙ, the mean cost of "
    "all samples with their best coefficients, is what learning is for. A claim of faster descent "
    "needs both, averaged over the logarithm of samples or seconds, and needs Fₙ to be sooner "
    "within 5 % of the best that any method has reached.",
    "scale": "Samples of unit 2-norm: the paper's axes, between 1 and 0.001, fit no other.",
    "passes": "Two, in one random order that all methods of a repeat share, from the same bases; "
    "the paper's panels of the larger rank reach further, unexplained.",
    "OMF": "Sweeps over the columns until W rests, at most 100 a sample, as the paper has it; "
    "dashed, the single sweep of Mairal et al.",
    "OMF-DA": "With a step that is halved until the surrogate does not rise; dashed, as printed.",
    "θ₀": "0.1 as printed; a tenth of it dashed, ours.",
    "seconds": "CPU seconds of the updates on one thread, without compilation and evaluation. "
    "Costs at equal times are those of the last record before.",
}

CAPTION = (
    "Geometric means of costs over repeats with 95 % intervals, against samples and against CPU "
    "seconds of the updates; cut where they leave the range of the means. Rows: rank, and which "
    "cost. The paper shows the first cost only; grey: as far as its axis reaches."
)
