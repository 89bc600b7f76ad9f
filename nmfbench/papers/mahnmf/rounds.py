"""Inside of both algorithms: rounds of smoothing, sweeps of a sub-problem, rounds of RRI."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_most
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import estimate, paired, per_repeat, smaller
from nmfbench.artefacts.finding import NO_PAIR, Finding, at_each_reading, within
from nmfbench.artefacts.frames import drawn_rows, mean_table, melt_metrics, select_rows
from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Curves
from nmfbench.artefacts.region import Lead
from nmfbench.papers.mahnmf import speed, speed_claims
from nmfbench.papers.mahnmf.matrices import ALGORITHM_1, LOW_RANK, SELECT, SMALL, SMOKE, TINY

INVERSE, FIXED = "MahNMF (OGM), μ = 1/t", "MahNMF (OGM), μ = 1"
_INNER = {"inner_tol": 1e-3}
_SMOOTHING = (
    Method(INVERSE, "mahnmf-ogm", _INNER),
    Method(FIXED, "mahnmf-ogm", _INNER | {"decay": 0.0}),
)
_FROM_A_TENTH = {INVERSE: "MahNMF (OGM), μ = 0.1/t", FIXED: "MahNMF (OGM), μ = 0.1"}
_SMALLER = tuple(
    Method(_FROM_A_TENTH[m.label], m.solver, {**m.params, "mu0": 0.1}, drawn=False)
    for m in _SMOOTHING
)
_BY_GRADIENT = (*_SMOOTHING, *_SMALLER)
_BY_PAPER = {m.label: f"{m.label}, Eq. (22)" for m in _BY_GRADIENT}
_OF_SMOOTHING = _BY_GRADIENT + tuple(
    Method(_BY_PAPER[m.label], m.solver, {**m.params, "stop": "objective"}, drawn=False)
    for m in _BY_GRADIENT
)
_SWEEPING = Method(SELECT, "mahnmf-rri")
_WHOLE = Method(ALGORITHM_1, "mahnmf-rri", {"inner_sweeps": None})
METHODS = (*_OF_SMOOTHING, _SWEEPING, _WHOLE)

ROUNDS = (1, 4, 16, 64)
_SMOKE_ROUNDS = (1, 4)
_SMOOTHED = {"tiny": TINY, "low-rank": LOW_RANK}
_SWEPT = {"tiny": TINY, "small": SMALL, "low-rank": LOW_RANK}
_RUN = 40  # rounds of Algorithm 1
_FEW = 10.0  # sweeps
_NAMES = {"gap": "gap of smoothing, share of the loss", "excess": "excess over the exact optima"}
_SOURCE = "Abstract; Sections 3 and 6"


def trials(profile):
    """Rounds of smoothing, a sub-problem of RRI, and a run of Algorithm 1, on some matrices."""
    smoke = profile == "smoke"
    repeats = {"smoke": 2, "quick": 5, "paper": 20}[profile]
    small, found = [SMOKE], []
    for matrix in small if smoke else _SMOOTHED.values():
        base = matrix.other("smoothed-rounds", "problem", rounds=_SMOKE_ROUNDS if smoke else ROUNDS)
        found += cross(base, repeats, methods(_OF_SMOOTHING))
    for matrix in small if smoke else _SWEPT.values():
        found += cross(matrix.other("median-sweeps", "problem"), repeats, methods([_SWEEPING]))
    matrix, rounds = (SMOKE, 12) if smoke else (LOW_RANK, _RUN)
    whole = matrix.other("convergence", "problem", max_iter=rounds)
    return found + cross(whole, repeats, methods([_WHOLE]))


def frame(records):
    """Records, of runs with what their traces say."""
    runs = records["task"] == "convergence"
    if not runs.any():
        return records
    parts = [records[~runs], speed.with_traces(records[runs])]
    return pd.concat(parts, ignore_index=True)


def _rounds_of(frame):
    """Rounds that the frame has looked at."""
    found = (name.partition("@")[2] for name in frame.columns if name.startswith("gap@"))
    return sorted(map(int, found))


def table(frame):
    """Means of gap and excess with 95 % intervals by round, and of sweeps."""
    frame = drawn_rows(frame, METHODS)
    metrics = {t: {f"{name}@{t}": name for name in _NAMES} for t in _rounds_of(frame)}
    if "sweeps" in frame:
        metrics[0] = {"sweeps-to-near": "sweeps to 2 %", "sweeps": "sweeps in all"}
    parts = []
    for t, named in metrics.items():
        shown = select_rows(frame, task="smoothed-rounds" if t else "median-sweeps")
        long = melt_metrics(shown, named, "number", "value")
        parts.append(long.assign(round=t).astype({"number": str}))
    rows = pd.concat(parts, ignore_index=True).astype({"method": str})
    return mean_table(rows, "value", ["problem", "number", "method", "round"])


_LABELS = [method.label for method in _SMOOTHING]
_CURVES = Curves(
    x="round",
    labels=_LABELS,
    row="number",
    rows=_NAMES,
    column="problem",
    columns={m.label: m.label for m in (*_SMOOTHED.values(), SMOKE)},
    xlabel="round t",
    size=(3.6, 2.8),
    logx=True,
    logy=True,
)


def draw(table):
    """Gap and excess against the round, a column of panels for each matrix."""
    return _CURVES(select_rows(table, method=_LABELS))


def scores(table):
    """Sweeps of the first sub-problem of RRI, by matrix."""
    rows = select_rows(table, method=SELECT)
    cells = rows["mean"].map("{:.3g}".format) + " (" + rows["count"].astype(str) + ")"
    return rows.assign(cell=cells).pivot(index="problem", columns="number", values="cell")


def _at_each_end(test_of, *labels):
    """A test of smoothing that comes out alike by both ends of a sub-problem and from both μ."""
    firsts = {"1": labels, "0.1": [_FROM_A_TENTH[label] for label in labels]}
    tests = {}
    for first, names in firsts.items():
        tests[f"the gradient, first μ = {first}"] = test_of(*names)
        tests[f"Eq. (22), first μ = {first}"] = test_of(*(_BY_PAPER[name] for name in names))
    return at_each_reading("what ends a sub-problem, and the first μ", tests)


def _falls(name, method):
    """Of smoothing in proportion to 1/t a number falls from each round looked at to the next."""

    def test(frame):
        rows = select_rows(frame, method=method)
        looked = _rounds_of(rows)
        scores = paired({t: per_repeat(rows, method, f"{name}@{t}", ratio=True) for t in looked})
        if scores.empty or len(looked) < 2:
            return Finding.without("not run", NO_PAIR)
        falls = [
            estimate(scores[a] - scores[b], f"{name}@{b}", f"from round {a} to {b}", ratio=True)
            for a, b in pairwise(looked)
        ]
        return Finding(f"smallest fall of the {name}: {{}} times, {{name}}", falls, Lead())

    return test


def _of_smoothing():
    last = ROUNDS[-1]
    for key, matrix in _SMOOTHED.items():
        at, label = {"problem": matrix.label}, matrix.label
        improves = (
            f"{label}: with a smoothing parameter inversely proportional to the round Algorithm 3 "
            f"improves its accuracy: {{}}, from round {' to '.join(map(str, ROUNDS))}."
        )
        yield Claim(
            f"{key}-gap-falls",
            improves.format("the smoothed loss comes nearer to the loss"),
            test=within(at, _falls("gap", INVERSE)),
            **said_at(f"{_SOURCE}; by Theorem 1 any point has it", ours=True),
        )
        yield Claim(
            f"{key}-excess-falls",
            improves.format("both sub-problems come nearer to their exact optima"),
            _SOURCE,
            within(at, _at_each_end(partial(_falls, "excess"), INVERSE)),
        )
        yield Claim(
            f"{key}-approximate",
            f"{label}: Algorithm 3 converges to an approximate solution: after {last} rounds both "
            "sub-problems are within 2 % of their exact optima.",
            _SOURCE,
            _at_each_end(
                partial(at_most, value=f"excess@{last}", bound=0.02, ratio=True, at=at), INVERSE
            ),
        )
        yield Claim(
            f"{key}-not-with-fixed",
            f"{label}: it is the falling parameter that does this: after {last} rounds both "
            "sub-problems are nearer to their exact optima than with the first parameter kept.",
            _SOURCE,
            _at_each_end(partial(smaller, value=f"excess@{last}", at=at), INVERSE, FIXED),
        )


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/rounds",
        title="Rounds of the smoothing method, and sweeps of RRI",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        scores=scores,
        claims=[
            *_of_smoothing(),
            *(
                Claim(
                    f"{key}-few-sweeps",
                    f"{matrix.label}: Algorithm 1 converges fast: of its first sub-problem the "
                    f"loss is within 2 % of where it stops after {_FEW:g} sweeps at most.",
                    "Sections 2 and 6",
                    at_most(
                        SELECT, "sweeps-to-near", _FEW, ratio=True, at={"problem": matrix.label}
                    ),
                )
                for key, matrix in _SWEPT.items()
            ),
            speed_claims.few_rounds(
                LOW_RANK,
                "low-rank-rri-few-rounds",
                ALGORITHM_1,
                "RRI (Algorithm 1)",
                "Sections 2 and 6",
            ),
        ],
        planned=Plan(20, "A repeat takes some two minutes of CPU time."),
        matters=speed.MATTERS,
        assumed={
            "smoothing": "In round t both sub-problems are smoothed with μ = 1/t, as in Algorithm "
            "3, or with μ = 1 throughout, which is drawn, or with a tenth of both, as the paper's "
            "first value is lost. With a large one that is kept most residuals have a squared "
            "loss, which makes it easy to be ahead. Each ends when its gradient has fallen to a "
            "thousandth, which is drawn, or by Eq. (22) of the paper, whose number is lost: 0.001 "
            "here, as in rule (4). Claims of the paper are decided where both, from both first "
            "values, come out alike. Of the gap a smaller parameter is enough, by Theorem 1: "
            "claims on it are ours.",
            "accuracy": "The loss less the smoothed loss as a share of the loss; and the loss over "
            "that of the exact solution, by linear programming, of the sub-problem for one factor "
            "as the other one is: means over both factors.",
            "approximate solution": "Within 2 % of both exact optima, the smallest difference of "
            "losses that matters; ours.",
            "sweeps": f"Until no sweep lowers the loss, which is longer than Algorithm 1 goes on. "
            f"{_FEW:g} are the fewest that it makes; the paper has no number for fast.",
            "rounds of RRI": speed_claims.ASSUMED["few rounds"]
            + " On a low-rank matrix with noise, beside the uniform one of Figure 3.",
        },
        caption="Means over repeats with 95 % intervals, of runs from the usual start. Table: "
        "sweeps of the first sub-problem of RRI until its loss is within 2 % of the last, and "
        "until none lowers it, with the number of repeats.",
    )
)
