"""``python -m benchmarks.race``: CPU seconds to near the best objective, on hard problems.

Solvers of one loss start from the same factors on each problem, five times, in turns and on one
thread. A run is the objective after each iteration against CPU time, with the clock off while the
objective is evaluated. scikit-learn shows no objective on the way: fits of one iteration give
its objectives, and a fit of all iterations the time of each.

Runs from one start may end in different minima. A run that has settled, whose last fifth of time
lowered its objective by less than 1e-5 of it, is timed against its own end; any other against the
lowest objective that a solver reached from that start. So a time says how soon a solver is done,
and the last column where: above the lowest objective, over starts. A run that does not reach a
target within its seconds counts as infinitely slow in the median.

    python -m benchmarks.race --list
    python -m benchmarks.race -k "BBC|ORL" --starts 3 --seconds 2 --json race.json
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from benchmarks import module
from benchmarks.data import factors, low_rank
from benchmarks.registered import make

TARGETS = (1.01, 1.001, 1.0001)
"""Multiples of the objective at which a run ends, or should."""

RACERS = {
    "frobenius": ("hals", "hals-her", "nenmf", "sklearn-cd"),
    "kl": ("kl-mu", "kl-newton", "sklearn-mu"),
}
"""By loss, with the reference first."""

_PEERS = ("sklearn-cd", "sklearn-mu")  # no objective on the way
_PROBE, _MOST = 3, 20_000  # iterations
_SETTLED = 1e-5  # decrease in the last fifth of a run that has settled


@dataclass(frozen=True)
class Problem:
    """Data, a rank and a loss; ``dataset`` is None for a low rank with noise."""

    name: str
    dataset: str | None
    rank: int
    loss: str = "frobenius"

    def __str__(self):
        return f"{self.loss}, {self.name}, r = {self.rank}"

    def load(self):
        if self.dataset is None:
            return low_rank(2000, 1000, 40)
        X = module("datasets", "base").load_dataset(self.dataset).X
        return X.astype(np.float64) if sp.issparse(X) else np.ascontiguousarray(X, np.float64)


PROBLEMS = (
    Problem("Yale B", "yaleb", 30),
    Problem("Yale B", "yaleb", 50),
    Problem("PIE", "pie", 40),
    Problem("ORL", "orl", 40),
    Problem("BBC", "bbc", 20),
    Problem("TDT2", "tdt2", 20),
    Problem("Reuters", "reuters", 20),
    Problem("MNIST", "mnist", 40),
    Problem("low rank + noise", None, 40),
    Problem("BBC", "bbc", 20, "kl"),
    Problem("TDT2", "tdt2", 20, "kl"),
    Problem("Reuters", "reuters", 20, "kl"),
    Problem("ORL", "orl", 40, "kl"),
)


@dataclass(frozen=True)
class Goal:
    """A largest ratio of a solver's time to a peer's: the mean over problems, or on each."""

    solver: str
    peer: str
    target: float
    most: float
    each: bool = False
    sparse: bool = False

    def __str__(self):
        where = "on every problem" if self.each else "as the geometric mean over problems"
        texts = " of text" if self.sparse else ""
        return (
            f"{self.solver}: to {self.target:g} of the best in at most {self.most:g} of "
            f"{self.peer}'s time {where}{texts}"
        )


GOALS = (
    Goal("hals-her", "sklearn-cd", 1.01, 0.35),
    *(Goal("hals-her", "hals", target, 1.05, each=True) for target in TARGETS),
    *(Goal("hals-her", peer, 1.001, 1.0, each=True) for peer in ("nenmf", "sklearn-cd")),
    Goal("kl-newton", "kl-mu", 1.01, 0.4, each=True, sparse=True),
    Goal("kl-newton", "kl-mu", 1.001, 0.1, each=True, sparse=True),
)
"""That 1.001 takes a tenth of the time is met, too, where the peer does not come so near."""


def run_of(key, X, W, H, seconds):
    """Trace of a solver from given factors over some CPU seconds."""
    solver = make(key, n_components=len(H), tol=0)

    def fit(iterations):
        solver.set_params(max_iter=iterations)
        begun = time.process_time()
        codes = solver.fit_transform(X, W=W, H=H)
        return codes, time.process_time() - begun

    fit(_PROBE)  # compiles
    if key not in _PEERS:
        fit(_PROBE)
        solver.set_params(max_iter=_within(seconds, solver.trace_["cpu_seconds"][-1]))
        return solver.fit(X, W=W, H=H).trace_
    _, probed = fit(_PROBE)
    n_iter = _within(seconds, probed)
    _, taken = fit(n_iter)
    trace = np.zeros(n_iter + 1, module("core", "trace").TRACE_DTYPE)
    trace["iteration"] = np.arange(n_iter + 1)
    trace["cpu_seconds"] = np.linspace(0, taken, n_iter + 1)
    objective = module("optim", "losses").LOSSES[solver.loss]
    for i in range(n_iter + 1):
        if i > 0:
            W, _ = fit(1)
            H = solver.components_
        trace["objective"][i] = objective(X, W, np.ascontiguousarray(H.T))
    return trace


def _within(seconds, probed):
    return int(np.clip(_PROBE * seconds / max(probed, 1e-6), _PROBE, _MOST))


def race(problem, starts, seconds):
    """Runs of all racers from each start: key -> list of traces."""
    X = problem.load()
    keys = RACERS[problem.loss]
    runs: dict[str, list[np.ndarray]] = {key: [] for key in keys}
    for start in range(starts):
        W, H = factors(*X.shape, problem.rank, X.mean(), seed=1 + start)
        first = start % len(keys)
        for key in keys[first:] + keys[:first]:
            runs[key].append(run_of(key, X, W, H, seconds))
    return runs


def summary(runs):
    """For each solver its CPU seconds from each start to each target, and its ends over the best.

    Returns
    -------
    dict
        Key -> {"seconds": array (targets, starts), "ends": array (starts,)}.
    """
    traces = module("stats", "traces")
    ends = {key: np.array([traces.lowest(run) for run in found]) for key, found in runs.items()}
    best = np.min(list(ends.values()), axis=0)

    def times(run, lowest):
        end, begin = traces.lowest(run), 0.8 * run["cpu_seconds"][-1]
        settled = traces.objective_at(run, begin) - end < _SETTLED * end
        level = end if settled else lowest
        return [traces.time_to(run, target * level, clock="cpu_seconds") for target in TARGETS]

    return {
        key: {
            "seconds": np.transpose([times(*pair) for pair in zip(found, best, strict=True)]),
            "ends": ends[key] / best,
        }
        for key, found in runs.items()
    }


def ratio(result, solver, peer, target):
    """Ratio of the medians over starts; 0 or infinite where one alone gets there, or None."""
    ours, theirs = (
        float(np.median(result[key]["seconds"][TARGETS.index(target)])) for key in (solver, peer)
    )
    if np.isinf(ours) and np.isinf(theirs):
        return None
    return 0.0 if np.isinf(theirs) else ours / theirs


def judge(results):
    """(goal, what was measured, whether it is met) of the goals that the results can decide."""
    for goal in GOALS:
        ratios = {}
        for problem, result in results.items():
            texts = problem.dataset in ("bbc", "tdt2", "reuters")
            if {goal.solver, goal.peer} <= set(result) and (texts or not goal.sparse):
                found = ratio(result, goal.solver, goal.peer, goal.target)
                if found is not None:
                    ratios[problem] = found
        if not ratios:
            continue
        if goal.each:
            worst = max(ratios, key=lambda problem: ratios[problem])
            measured = f"{_ratio_text(ratios[worst])} on {worst}"
            yield goal, measured, ratios[worst] <= goal.most
            continue
        values = list(ratios.values())
        both = [value for value in values if 0 < value < np.inf]
        mean = float(np.exp(np.mean(np.log(both)))) if both else 0.0
        alone, never = values.count(0.0), values.count(np.inf)
        measured = f"{mean:.2f} x on {len(both)}, alone on {alone}, never on {never}"
        yield goal, measured, mean <= goal.most and not never


def _ratio_text(value):
    if value is None:
        return ""
    return "alone" if value == 0 else "never" if np.isinf(value) else f"{value:.2f} x"


def _or_none(seconds):
    """Seconds for JSON, which knows no infinity: None where the target was not reached."""
    return float(seconds) if np.isfinite(seconds) else None


def table(problem, result):
    """Medians over starts, ratios to the reference, and where runs ended, as text."""
    reference = RACERS[problem.loss][0]
    starts = len(result[reference]["ends"])
    lines = [f"{problem}  ({starts} starts)"]
    heads = "".join(f"{f'to {target:g}':>22}" for target in TARGETS)
    lines.append(f"  {'':12}{heads}{'ends at':>20}")
    for key, found in result.items():
        cells = ""
        for target, seconds in zip(TARGETS, found["seconds"], strict=True):
            median, reached = np.median(seconds), int(np.isfinite(seconds).sum())
            text = f"{median:.3g} s" if np.isfinite(median) else "never"
            against = _ratio_text(ratio(result, key, reference, target))
            cells += f"{text:>9} {reached}/{starts} {against:>8}"
        low, middle, high = np.quantile(found["ends"], [0, 0.5, 1])
        lines.append(f"  {key:12}{cells}   {middle:.5f} [{low:.5f}, {high:.5f}]")
    return "\n".join(lines)


def main(argv=None) -> int:
    """Race, print tables and goals, and return 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("-k", metavar="PATTERN", default="", help="only problems that match")
    parser.add_argument("--starts", type=int, default=5, help="of each problem (5)")
    parser.add_argument("--seconds", type=float, default=4.0, help="of CPU time of a run (4)")
    parser.add_argument("--list", action="store_true", help="print the problems and stop")
    parser.add_argument("--json", metavar="FILE", help="write the samples, too")
    args = parser.parse_args(argv)
    chosen = [problem for problem in PROBLEMS if re.search(args.k, str(problem))]
    if not chosen:
        parser.error(f"no problem matches {args.k!r}; --list shows them.")
    if args.list:
        print("\n".join(map(str, chosen)))
        return 0
    results = {}
    missing = module("datasets", "base").DataMissingError
    for problem in chosen:
        try:
            results[problem] = summary(race(problem, args.starts, args.seconds))
        except missing:
            print(f"{problem}: left out, the data are not here", file=sys.stderr)
            continue
        print(table(problem, results[problem]), end="\n\n", flush=True)
    for goal, measured, met in judge(results):
        print(f"  {'met' if met else 'NOT MET':8} {goal}: {measured}")
    if args.json:
        rows = [
            {
                "problem": str(problem),
                "solver": key,
                "targets": TARGETS,
                "seconds": [[_or_none(value) for value in row] for row in found["seconds"]],
                "ends": found["ends"].tolist(),
            }
            for problem, result in results.items()
            for key, found in result.items()
        ]
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"limit": args.seconds, "runs": rows}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
