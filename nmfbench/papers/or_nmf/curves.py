"""Costs against samples and CPU seconds: Figures 2 to 9."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import smaller
from nmfbench.artefacts.finding import Test, at_each_reading
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.artefacts.plots import Curves, Printed
from nmfbench.core.matters import Ratio
from nmfbench.papers.reported import reported
from nmfbench.stats.traces import lowest, raw_log_mean, raw_objective_at, time_to
from nmfbench.trials.trial import Trial

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
UPDATES = {n: Method(f"{ONMF}, {n} updates", "onmf", {"max_iter_inner": n}) for n in (20, 50)}
UPDATES |= {200: Method(ONMF, "onmf")}
"""ONMF by its multiplicative updates of a chunk, of which the paper gives no number."""
STEPS = {
    20: Method(f"{PRINTED}, 20 steps", "omf-da", {"safeguard": False, "max_iter_inner": 20}),
    100: Method(PRINTED, "omf-da", {"safeguard": False}),
}
"""OMF-DA as printed by its steps for a sample: it never rests, so that their number is ours."""
CHUNKS = (Method(WOR, "wor-nmf"), UPDATES[200], Method(OR, "or-nmf"))
"""Methods that take chunks, and one that does not, beside them: Figures 4, 5 and 7."""
RIVALS = (OMF, PRINTED, INMF)
"""Rivals in the paper, OMF-DA as it prints it."""
SAFEGUARDED = (OMF, OMF_DA, INMF)
"""The same, with an OMF-DA whose steps never raise the surrogate, for our questions."""

TOLERANCES = (1e-3, 1e-4)
"""Of all inner loops of a comparison: the paper's example for rule (9), and a tenth of it."""
IS = "OR-NMF-IS"
_RESET = ", M∗ of each step"
IS_RESET = IS + _RESET
_COUNTED = {ONMF: tuple(UPDATES.values()), PRINTED: tuple(STEPS.values())}
_AS_COUNTED = (*(m.label for ways in _COUNTED.values() for m in ways), OMF_DA, "ONMF-IS")
"""Methods that no tolerance ends: ONMF has a number of updates, and OMF-DA as printed, which never
rests, one of steps."""

STORED, BEST = "fₜ, coefficients as stored", "Fₙ, best coefficients"
MEASURES = (STORED, BEST)
STORED_COST, BEST_COST = "fₜ", "Fₙ"
"""Columns of the frame: geometric means of the two costs over an axis, or costs at a place."""
UNTIL, NEVER = "time until Fₙ is near its best", "never near"
SAME = "time to the same fₜ"
SAMPLES, SECONDS, END = "samples", "seconds", "two passes"
RAISING = "share of steps that raise the surrogate"
STORED_RISE, STORED_FALL = "rise of fₜ", "fall of fₜ"
LEARNED = "cost of the first bases over fₜ after two passes"
ALONE = {"pair": ""}
"""Place of the rows on one method, in the frame."""

_CLOCKS = {SAMPLES: "iteration", SECONDS: "cpu_seconds"}
_LEVEL = 1.05  # of the best cost that any method has reached
_TIMES = 60

MATTERS: dict[str, float | Ratio | None] = {
    STORED_COST: Ratio(0.02),
    BEST_COST: Ratio(0.02),
    UNTIL: Ratio(0.10),
    SAME: Ratio(0.10),
    LEARNED: Ratio(0.02),
    RAISING: 0.02,
    **dict.fromkeys(("rise", "fall", STORED_RISE, STORED_FALL), 0.02),
}
"""Smallest differences that matter: two per cent of a cost, and ten of a time; two points of the
steps; rises and falls are shares."""


@dataclass(frozen=True)
class Panels:
    """Data of a figure, and its ranks by profile.

    Parameters
    ----------
    dataset : str
    n_samples : int or None
        Drawn again in each repeat.
    every : mapping of int to int
        Samples between two records, by rank: a multiple of it, so that chunks end there, and no
        record is of fewer samples than bases, which fit them nearly without error.
    quick : (int, sequence of int)
        Repeats and ranks of the quick grid.
    options : mapping
        Further options of the task.
    """

    dataset: str
    n_samples: int | None
    every: Mapping[int, int]
    quick: tuple[int, Sequence[int]]
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def ranks(self) -> list[int]:
        return list(self.every)

    @property
    def names(self) -> list[str]:
        """Of the panels of the figure."""
        return [f"rank {rank}" for rank in self.ranks]

    def grid(self, chosen: Iterable[Method], profile: str, *, repeats: int = 10) -> list[Trial]:
        """The trials of a profile, in the paper's with ``repeats``; the smoke grid has digits."""
        repeats, ranks = (repeats, self.ranks) if profile == "paper" else self.quick
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


# -- readings of settings that the paper leaves open ------------------------------------------


def _named(label, tol):
    """Name of a method whose inner loops end at a tolerance: its own, where that is its default."""
    return label if label in _AS_COUNTED or tol == _tolerance(label) else f"{label}{_TOL}{tol:g}"


_TOL = ", tolerance "


def _tolerance(label):
    return 1e-4 if label == INMF else 1e-3


def _has_maximum(label):
    """Whether step sizes of a method depend on M∗."""
    return label.partition(",")[0] in (OR, MOR, WOR, IS)


def _reset(label):
    """Name of a method which finds M∗ again in each step."""
    return label + _RESET if _has_maximum(label) else label


def _renamed(names, label):
    return names.get(label, label)


def _read_at(method, tol, *, reset=False):
    """A method at a reading."""
    params = {**method.params}
    if tol != _tolerance(method.label):
        params["tol"] = tol
    if reset:
        params["keep_max"] = False
    label = _reset(method.label) if reset else method.label
    return Method(_named(label, tol), method.solver, params, drawn=False)


def with_readings(
    chosen: Sequence[Method], of: Collection[str] | None = None
) -> tuple[Method, ...]:
    """Methods, and those named in ``of``, by default all, at all readings of their settings."""
    of = [method.label for method in chosen] if of is None else of
    others = []
    for method, tol in product(chosen, TOLERANCES):
        if method.label in of and method.label not in _AS_COUNTED:
            others.append(_read_at(method, tol))
            if _has_maximum(method.label):
                others.append(_read_at(method, tol, reset=True))
    others += [replace(m, drawn=False) for label in of for m in _COUNTED.get(label, ())]
    found = {method.label: method for method in chosen}
    for method in others:
        found.setdefault(method.label, method)
    return tuple(found.values())


def readings(*labels: str) -> dict[str, tuple[str, ...]]:
    """Reading in words -> what the methods are called at it.

    Examples
    --------
    >>> readings("INMF", "OMF")["tolerance 0.001"]
    ('INMF, tolerance 0.001', 'OMF')
    >>> readings("OR-NMF", "OMF")["tolerance 0.0001, M∗ of each step"]
    ('OR-NMF, M∗ of each step, tolerance 0.0001', 'OMF, tolerance 0.0001')
    """
    return _readings(*labels)[0]


def _readings(*labels):
    """The readings, and the names of the settings that they are of."""
    axes: dict[str, dict[str, Callable[[str], str]]] = {}
    if any(label not in _AS_COUNTED for label in labels):
        axes["the tolerance of inner loops"] = {
            f"tolerance {tol:g}": partial(_named, tol=tol) for tol in TOLERANCES
        }
    if ONMF in labels:
        axes[f"the updates of a chunk by {ONMF}"] = {
            f"{n} updates": partial(_renamed, {ONMF: UPDATES[n].label}) for n in sorted(UPDATES)
        }
    if PRINTED in labels:
        axes[f"the steps of {PRINTED}"] = {
            f"{n} steps": partial(_renamed, {PRINTED: STEPS[n].label}) for n in sorted(STEPS)
        }
    if any(map(_has_maximum, labels)):
        axes["whether M∗ is kept"] = {"M∗ kept": str, "M∗ of each step": _reset}
    found = {}
    for ways in product(*(axis.items() for axis in axes.values())):
        names = labels
        for _, rename in reversed(ways):  # a tolerance is the last part of a name
            names = tuple(map(rename, names))
        found[", ".join(words for words, _ in ways)] = names
    return found, " and ".join(", ".join(axes).rsplit(", ", 1))


def one_by_one(*labels: str) -> dict[str, tuple[str, ...]]:
    """Readings of one setting at a time, for experiments whose fits are dear: both tolerances,
    and M∗ of each step at the larger one. Only those that make a difference.

    Examples
    --------
    >>> one_by_one("OR-NMF", "OMF")["M∗ of each step"]
    ('OR-NMF, M∗ of each step', 'OMF')
    >>> [*one_by_one("INMF", "untrained bases")]
    ['tolerance 0.001', 'tolerance 0.0001']
    """
    found: dict[tuple[str, ...], str] = {}
    for words, rename in _ONE_BY_ONE.items():
        found.setdefault(tuple(rename(x) if x in _TOLERANT else x for x in labels), words)
    return {words: names for names, words in found.items()}


_TOLERANT = (OR, MOR, WOR, OMF, INMF)
_ONE_BY_ONE: dict[str, Callable[[str], str]] = {
    **{f"tolerance {tol:g}": partial(_named, tol=tol) for tol in TOLERANCES},
    "M∗ of each step": lambda label: _named(_reset(label), TOLERANCES[0]),
}


def further(method: Method) -> list[Method]:
    """A method at those readings of :func:`one_by_one` which are not its defaults."""
    if method.label not in _TOLERANT:
        return []
    others = [_read_at(method, tol) for tol in TOLERANCES if tol != _tolerance(method.label)]
    if _has_maximum(method.label):
        others.append(_read_at(method, TOLERANCES[0], reset=True))
    return others


def alike(test_of: Callable[..., Test], *labels: str) -> Test:
    """A test of methods that comes out alike at each reading of the settings that they have.

    Parameters
    ----------
    test_of : callable
        What the methods are called at a reading -> test.
    *labels : str
    """
    found, setting = _readings(*labels)
    return at_each_reading(setting, {words: test_of(*names) for words, names in found.items()})


def pairs_at_readings(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of methods, each followed by what the two are called at the readings."""
    found = ((pair, *readings(*pair).values()) for pair in pairs)
    return [(side, rival) for side, rival in dict.fromkeys(chain.from_iterable(found))]


# -- frame and table --------------------------------------------------------------------------


def frame_of(pairs: Sequence[tuple[str, str]]):
    """The frame of a figure that compares these pairs of methods.

    Rows with ``pair`` "" are the records, with ``panel``, the rank and the floor of the divergence
    in words; ``rise`` and ``fall``, what the second pass adds to F_n and takes from it, as a share;
    ``STORED_RISE`` and ``STORED_FALL``, likewise of f_t; ``LEARNED``, and ``RAISING``.

    The others have, for each pair and ``axis``, a row for either method. Over samples or CPU
    seconds ``STORED_COST`` and ``BEST_COST`` are the geometric means of the costs on the linear
    axis, from where both methods have a record up to the end of the one that ends first; where
    that one ends before the other has a record, they are the costs at that record. ``UNTIL`` is
    the time when F_n came within five per cent of the best that any method has reached on the data
    of the repeat, or, with ``NEVER``, the end of the run. In rows with the axis ``END`` costs are
    those after two passes.
    """

    def frame(records):
        alone = records.assign(pair="", method=records["method"].astype(str))
        alone["panel"] = [panel_of(options) for options in records["options"]]
        for cost, rise, fall in (("cost", "rise", "fall"), ("stored", STORED_RISE, STORED_FALL)):
            alone[rise] = alone[cost] / alone[f"{cost}-once"] - 1
            alone[fall] = -alone[rise]
        alone[LEARNED] = alone["initial"] / alone["stored"]
        if "n-rises" in alone:
            alone[RAISING] = alone["n-rises"] / alone["inner-iterations"]
        rows = []
        for (repeat, panel), group in alone.groupby(["repeat", "panel"]):
            curves = {row.method: _curves(row.arrays) for row in group.itertuples()}
            shown = [name for name in curves if not _is_reading(name)] or [*curves]
            level = _LEVEL * min(lowest(curves[name][BEST]) for name in shown)
            for pair in (pair for pair in pairs if {*pair} <= {*curves}):
                place = {"repeat": repeat, "panel": panel, "pair": pair_name(*pair)}
                both = {method: curves[method] for method in pair}
                rows += [place | row for row in _compared(both, level)]
        return pd.concat([alone, pd.DataFrame(rows)], ignore_index=True)

    return frame


def _is_reading(name):
    """Whether a method is there for claims of the paper alone, at a reading that is not drawn."""
    reset = name.endswith(_RESET) and name != IS_RESET
    return _TOL in name or reset or name == STEPS[20].label


def panel_of(options):
    """Rank and, if it is given, floor."""
    floor = options.get("floor")
    return f"rank {options['n_components']}" + (f", floor {floor:g}" if floor else "")


def pair_name(side, rival):
    return f"{side}, {rival}"


def _curves(arrays):
    """Traces of both costs; f_t before the first sample is taken to be F_n."""
    trace = arrays["trace"]
    stored = trace.copy()
    stored["objective"][1:] = arrays["stored"][1:]
    return {STORED: stored, BEST: trace}


def _compared(both, level):
    """Rows of two methods, by axis."""
    for axis, clock in _CLOCKS.items():
        clocks = [curve[BEST][clock] for curve in both.values()]
        begin, end = max(times[1] for times in clocks), min(times[-1] for times in clocks)
        both_reach = max(curve[STORED]["objective"][-1] for curve in both.values())
        for method, curve in both.items():
            reached = time_to(curve[BEST][1:], level, clock)
            never = bool(np.isinf(reached))
            yield {
                "axis": axis,
                "method": method,
                STORED_COST: np.exp(raw_log_mean(curve[STORED], begin, end, clock)),
                BEST_COST: np.exp(raw_log_mean(curve[BEST], begin, end, clock)),
                UNTIL: curve[BEST][clock][-1] if never else reached,
                NEVER: never,
                SAME: _stays_below(curve[STORED], both_reach, clock),
            }
    for method, curve in both.items():
        last = {STORED_COST: curve[STORED], BEST_COST: curve[BEST]}
        costs = {name: trace["objective"][-1] for name, trace in last.items()}
        yield {"axis": END, "method": method} | costs


def _stays_below(trace, level, clock):
    """When the cost came down to a level for good: its last value is no higher."""
    above = np.flatnonzero(trace["objective"][1:] > level)
    return trace[clock][1 + (above[-1] + 1 if len(above) else 0)]


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Geometric means of costs and 95 % intervals by panel, measure, axis and method.

    Against seconds, from where all repeats of a method have a record to where one of them ends.
    """
    parts = []
    alone = frame[frame["pair"] == ""]
    for (panel, method), rows in alone.groupby(["panel", "method"]):
        curves = [_curves(arrays) for arrays in rows["arrays"]]
        seconds = [curve[BEST]["cpu_seconds"] for curve in curves]
        begin, end = max(times[1] for times in seconds), min(times[-1] for times in seconds)
        points = {
            SAMPLES: curves[0][BEST]["iteration"][1:].astype(float),
            SECONDS: np.geomspace(begin, end, _TIMES) if begin < end else np.array([]),
        }
        for measure, (axis, x) in product(MEASURES, points.items()):
            traces = [curve[measure] for curve in curves]
            logs = [np.log10(raw_objective_at(trace, x, _CLOCKS[axis])) for trace in traces]
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
        rows={(p, m): f"{p}\n{m}" for p, m in product(["rank 4", *panels], MEASURES)},
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


# -- claims -----------------------------------------------------------------------------------


def faster(
    side: str,
    rival: str,
    axis: str,
    rank: int,
    words: str,
    source: str,
    *,
    name: str = "",
    ours: bool = False,
) -> Claim:
    """``side`` lowers the cost that the paper shows, f_t, faster than ``rival``.

    Claims of the paper are decided where they come out alike at all readings of the settings.

    Parameters
    ----------
    side, rival : str
    axis : {"samples", "seconds"}
    rank : int
    words : str
        Such as "on CBCL", for the statement.
    source : str
    name : str, optional
        By default that of the two methods.
    ours : bool, default=False
    """
    test = partial(_lower, axis, rank)
    return Claim(
        f"{name or _name(side, rival)}-{axis}-r{rank}",
        f"{side} lowers the objective faster than {_SAID.get(rival, rival)} {words}, rank {rank}: "
        f"its cost fₜ is lower on average over {axis}.",
        source,
        test(side, rival) if ours else alike(test, side, rival),
        origin="ours" if ours else "paper",
    )


def faster_than_safeguarded(
    sides: Sequence[str], panels: Panels, words: str, figure: str
) -> list[Claim]:
    """Our claims on f_t against OMF-DA with a safeguard, which the paper's has not."""
    source = f"ours, after {figure}, whose OMF-DA has no safeguard"
    return [
        faster(
            side,
            OMF_DA,
            axis,
            rank,
            words,
            source,
            name=f"safeguarded-{_name(side, OMF_DA)}",
            ours=True,
        )
        for side, axis, rank in product(sides, (SAMPLES, SECONDS), panels.ranks)
    ]


def against_onmf(
    id: str,
    statement: str,
    source: str,
    test_of: Callable[[str], Test] | Mapping[str, Callable[[str], Test]],
    *,
    setting: str = f"updates of a chunk by {ONMF}",
    **more,
) -> list[Claim]:
    """A claim that depends on ONMF, alike at each number of its updates; and ours at each.

    Parameters
    ----------
    id, statement, source : str
        Of the claim; the statement ends with a full stop.
    test_of : callable, or mapping of str to callable
        Label of ONMF with some number of updates -> test; of another setting, too, each reading of
        it by its name -> such a function, of which the first one is for our claims.
    setting : str, optional
        Names of both settings.
    **more
        Further fields of the paper's claim.
    """
    ways = test_of if isinstance(test_of, Mapping) else {"": test_of}
    alike = {
        f"{n}, {words}" if words else str(n): way(method.label)
        for words, way in ways.items()
        for n, method in sorted(UPDATES.items())
    }
    first = next(iter(ways.values()))
    tests = {n: first(method.label) for n, method in sorted(UPDATES.items())}
    return [
        Claim(id, statement, source, at_each_reading(setting, alike), **more),
        *(
            Claim(
                f"{id}-{n}-updates",
                f"{statement.removesuffix('.')} (with {n} updates of a chunk by {ONMF}).",
                f"ours, after {source}",
                test,
                origin="ours",
            )
            for n, test in tests.items()
        ),
    ]


def lower_at_the_end(side: str, rival: str, rank: int, words: str, source: str) -> Claim:
    """``side`` has a lower cost f_t than ``rival`` after two passes."""
    return Claim(
        f"{_name(side, rival)}-two-passes-r{rank}",
        f"{side} has a lower cost fₜ than {rival} after two passes {words}, rank {rank}.",
        source,
        alike(partial(_lower, END, rank), side, rival),
    )


def _lower(axis, rank, side, rival):
    """``side`` has the lower f_t."""
    at = _place(side, rival, axis, [f"rank {rank}"])
    return smaller(side, rival, STORED_COST, at=at)


def at_the_end(side: str, rival: str, rank: int) -> dict:
    """Place of the costs of two methods after two passes, in the frame."""
    return _place(side, rival, END, [f"rank {rank}"])


def of_the_true_cost(
    side: str, rival: str, panels: Panels, words: str, figure: str, *, stored: bool = True
) -> list[Claim]:
    """Our claims on two methods, over all ranks: F_n on both axes, the time, and the end.

    Parameters
    ----------
    side, rival : str
    panels : Panels
    words : str
        Such as "on CBCL", for the statements.
    figure : str
    stored : bool, default=True
        Whether f_t after two passes is among them, as of figures of which the paper says nothing
        of the end.
    """
    name, where = _name(side, rival), f"{words}, on average over the ranks"

    def claim(ending, statement, value, axis, lower_bound=None):
        test = smaller(side, rival, value, lower_bound, at=_place(side, rival, axis, panels.names))
        text = f"{side} {statement} than {rival} {where}."
        return Claim(ending, text, f"ours, after {figure}, which shows fₜ", test, origin="ours")

    return [
        *(
            claim(f"best-{name}-{axis}", f"has a lower mean Fₙ over {axis}", BEST_COST, axis)
            for axis in (SAMPLES, SECONDS)
        ),
        claim(
            f"until-{name}-seconds",
            "takes fewer CPU seconds until Fₙ is within 5 % of the best that any method reaches",
            UNTIL,
            SECONDS,
            NEVER,
        ),
        claim(f"end-best-{name}", "has a lower cost Fₙ after two passes", BEST_COST, END),
        *(
            [claim(f"end-{name}", "has a lower cost fₜ after two passes", STORED_COST, END)]
            if stored
            else []
        ),
    ]


def _place(side, rival, axis, panels):
    return {"pair": pair_name(side, rival), "axis": axis, "panel": list(panels)}


def _name(side, rival):
    return f"{_slug(side)}-{_slug(rival)}"


def _slug(method):
    return method.lower().removesuffix(", as printed").removesuffix("-nmf")


def learns(at: Mapping[str, Any] = ALONE) -> Callable[[str], Test]:
    """A method ends at half of the cost of the first bases at most: these would not rise, too."""
    return partial(at_least, value=LEARNED, bound=2.0, measured_from=1.0, ratio=True, at=at)


_SAID = {PRINTED: "OMF-DA as printed", OMF_DA: "OMF-DA with a safeguard"}


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
        *(
            Claim(
                f"{_slug(method)}-converges",
                f"{method} converges {words}: in the second pass Fₙ rises by no more than 1 %.",
                section,
                at_least(method, "fall", -0.01, at=ALONE)
                if section.startswith("ours")
                else alike(partial(at_least, value="fall", bound=-0.01, at=ALONE), method),
                origin="ours" if section.startswith("ours") else "paper",
            )
            for method, section in (
                # By the cosine θ ends near zero, which brings any method to rest.
                (OR, f"ours, after Theorem 1, {source}"),
                (MOR, f"Section II-C, {source}"),
            )
        ),
        Claim(
            "mor-learns",
            f"{MOR} works well {words}: after two passes its cost fₜ is at most half of that of "
            "the bases that it starts from.",
            f"Section II-C, {source}",
            alike(learns(), MOR),
        ),
        Claim(
            "omf-da-unstable",
            f"OMF-DA as printed is unstable {words}: its cost fₜ after two passes is higher than "
            "with steps that are halved where they raise what they are to lower.",
            f"Section IV-F, {source}",
            alike(lambda printed: smaller(OMF_DA, printed, "stored", at=ALONE), PRINTED),
        ),
        Claim(
            "omf-da-rises",
            f"At least 1 % of steps of OMF-DA as printed raise what they are to lower {words}, "
            "be it by rounding.",
            f"ours, after Section IV-F, {source}",
            at_least(PRINTED, RAISING, 0.01, at=ALONE),
            origin="ours",
        ),
    ]


ASSUMED = {
    "fₜ and Fₙ": "Of two definitions of fₜ the figures show that of Section V-A, which introduces "
    "them: the mean cost of the samples so far, with the coefficients that each had when it came. "
    "With the best coefficients, as in Section II-B, a sample of unit norm costs ½ at most, and "
    "the axis of Figure 7 reaches 2. It favours methods that leave W alone, and those that "
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
    "INMF": "At most 200 updates for a sample. Drawn, and in our claims, with the tolerance "
    "0.0001; the others with 0.001.",
    "θ₀": "0.1 as printed; a tenth of it dashed, ours.",
    "M∗": "The paper updates it with the largest norm of a gradient, and does not say whether it "
    "is kept from sample to sample; it is no input of Algorithm 2. Claims of the paper are decided "
    "where they come out alike with M∗ kept, which is drawn, and found again in each step.",
    "coefficients": "By compiled non-negative least squares in place of MATLAB's lsqnonneg, the "
    "same for OR-NMF, OMF and OMF-DA, so that all seconds are far fewer than the paper's.",
    "seconds": "CPU seconds of the updates on one thread, without compilation and evaluation. "
    "Costs at equal times are those of the last record before.",
}

CAPTION = (
    "Geometric means of costs over repeats with 95 % intervals, against samples and against CPU "
    "seconds of the updates; cut where they leave the range of the means. Rows: rank, and which "
    "cost. The paper shows the first cost only, as Section V-A defines it, and has linear axes of "
    "seconds; grey: as far as its axis reaches."
)
