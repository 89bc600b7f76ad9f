"""``python -m benchmarks.race``: CPU seconds to near the best objective, on hard problems.

Solvers of one loss start from the same factors on each problem, five times, in turns and on one
thread. A run is the objective after each iteration against CPU time, with the clock off while the
objective is evaluated. scikit-learn shows no objective on the way: fits of one iteration give
its objectives, and a fit of all iterations the time of each. Libraries of :mod:`benchmarks.outside`
take part where they are installed; what is missing is said.

Runs from one start may end in different minima. A run that has settled, whose last fifth of time
lowered its objective by less than 1e-5 of it, is timed against its own end; any other against the
lowest objective that a solver reached from that start. So a time says how soon a solver is done,
and the last column where: above the lowest objective, over starts. A run that does not reach a
target within its seconds counts as infinitely slow in the median.

    python -m benchmarks.race --list
    python -m benchmarks.race -k "BBC|ORL" --starts 3 --seconds 2 --output /tmp/race.json

Rows of a problem that is measured again replace its old ones. The report shows the file in the
package.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import sklearn

import nmfbench
from benchmarks.data import factors, low_rank
from benchmarks.outside import MOST, OUTSIDE, trace_of
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.datasets.base import DataMissingError, load_dataset
from nmfbench.records.provenance import host
from nmfbench.reports.boards import solver_name
from nmfbench.reports.race import (
    FILE,
    LEVELS,
    REFERENCE,
    TARGETS,
    judge,
    ratio,
    rows_of,
    seconds_to,
)
from nmfbench.solvers import make_solver
from nmfbench.stats import traces  # asv takes functions called time_... for benchmarks
from nmfbench.stats.traces import lowest, objective_at

RACERS = {
    "frobenius": ("hals", "hals-her", "hals-compressed", "nenmf", "sklearn-cd"),
    "kl": ("kl-mu", "kl-newton", "sklearn-mu"),
}
"""By loss."""

_PEERS = ("sklearn-cd", "sklearn-mu")  # no objective on the way
_PROBE = 3  # iterations
_SETTLED = 1e-5  # decrease in the last fifth of a run that has settled


@dataclass(frozen=True)
class Problem:
    """Data, a rank and a loss; ``dataset`` is None for a low rank with noise."""

    name: str
    dataset: str | None
    rank: int
    loss: str = "frobenius"

    @property
    def title(self):
        return f"{self.name}, r = {self.rank}"

    def __str__(self):
        return f"{self.loss}, {self.title}"

    def load(self):
        if self.dataset is None:
            return low_rank(2000, 1000, 40)
        X = load_dataset(self.dataset).X
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


def fitted(key, X, W, H, seconds):
    """A solver fitted from given factors, by as many iterations as take some CPU seconds."""
    solver = make_solver(key, n_components=len(H), tol=0, max_iter=_PROBE)
    for _ in range(2):  # the first one compiles
        solver.fit_transform(X, W=W, H=H)
    n_iter = _within(seconds, solver.trace_["cpu_seconds"][-1])
    solver.set_params(max_iter=n_iter).fit_transform(X, W=W, H=H)
    return solver


def run_of(key, X, W, H, seconds):
    """Trace of a solver from given factors over some CPU seconds."""
    solver = fitted(key, X, W, H, seconds)
    if key not in _PEERS:
        return solver.trace_
    trace, n_iter = solver.trace_, solver.max_iter
    steps = np.zeros(n_iter + 1, TRACE_DTYPE)
    steps["cpu_seconds"] = np.linspace(*trace["cpu_seconds"], n_iter + 1)
    steps["objective"][0] = trace["objective"][0]
    solver.set_params(max_iter=1)
    for i in range(1, n_iter + 1):
        W = solver.fit_transform(X, W=W, H=H)
        H, steps["objective"][i] = solver.components_, solver.objective_
    return steps


def _within(seconds, probed):
    return int(np.clip(_PROBE * seconds / max(probed, 1e-6), _PROBE, MOST))


def racers(X, loss):
    """Keys of ours and of the installed libraries that take the data."""
    there = (
        key
        for key, one in OUTSIDE.items()
        if one.loss == loss and (one.sparse or not sp.issparse(X)) and one.is_installed()
    )
    return (*RACERS[loss], *there)


def title_of(key):
    """Of a solver of another library its name and version; None of ours."""
    if key in OUTSIDE:
        return OUTSIDE[key].title
    return f"{solver_name(key)} ({sklearn.__version__})" if key in _PEERS else None


def race(X, problem, starts, seconds):
    """Runs of all racers from each start: key -> list of traces."""

    def run(key, W, H, seed):
        if key in OUTSIDE:
            return trace_of(OUTSIDE[key], X, W, H, seconds, seed)
        return run_of(key, X, W, H, seconds)

    return in_turns(racers(X, problem.loss), X, problem.rank, starts, run)


def in_turns(keys, X, rank, starts, run):
    """Runs ``(key, W, H, seed)`` of all from the same factors, each time another one first."""
    runs: dict[str, list[np.ndarray]] = {key: [] for key in keys}
    for start in range(starts):
        W, H = factors(*X.shape, rank, X.mean(), seed=1 + start)
        first = start % len(keys)
        for key in keys[first:] + keys[:first]:
            runs[key].append(run(key, W, H, 1 + start))
    return runs


def summary(runs):
    """For each solver its CPU seconds to each level from each start, and its ends over the best.

    Returns
    -------
    dict
        Key -> {"seconds": level -> list (starts,), "ends": list (starts,)}.
    """
    ends = {key: np.array([lowest(run) for run in found]) for key, found in runs.items()}
    best = np.min(list(ends.values()), axis=0)
    return {
        key: {
            "seconds": dict(zip(map("{:g}".format, LEVELS), times.tolist(), strict=True)),
            "ends": (ends[key] / best).tolist(),
        }
        for key, found in runs.items()
        for times in [np.transpose(list(map(_times, found, best)))]
    }


def _times(run, best):
    """Seconds to each level, of the run's own end if it has settled."""
    end, late = lowest(run), 0.8 * run["cpu_seconds"][-1]
    settled = objective_at(run, late) - end < _SETTLED * end
    lowered = end if settled else best
    return [traces.time_to(run, level * lowered) for level in LEVELS]


def rows_for(problem, starts, seconds):
    """A row for each solver, as the page takes them."""
    X = problem.load()
    found = summary(race(X, problem, starts, seconds))
    facts = {
        "problem": problem.title,
        "loss": problem.loss,
        "text": sp.issparse(X),
        "shape": list(X.shape),
        "limit": seconds,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": nmfbench.__version__,
        "processor": host()["cpu"],
        # Of the last five minutes: programs that compete slow each other's memory.
        "load": os.getloadavg()[1] / host()["cores"],
    }
    return [
        {**facts, "solver": key, "name": title_of(key), **result} for key, result in found.items()
    ]


def table(rows):
    """Medians over starts, ratios to the reference, and where runs ended, as text."""
    reference = next(row for row in rows if row["solver"] == REFERENCE[row["loss"]])
    starts = len(reference["ends"])
    heads = "".join(f"{f'to {target:g}':>22}" for target in TARGETS)
    lines = [f"  {'':14}{heads}{'ends at':>20}"]
    for row in rows:
        cells = ""
        for target in TARGETS:
            seconds = seconds_to(row, target)
            median, reached = np.median(seconds), int(np.isfinite(seconds).sum())
            text = f"{median:.3g} s" if np.isfinite(median) else "never"
            against = str(ratio(row, reference, target) or "")
            cells += f"{text:>9} {reached}/{starts} {against:>8}"
        low, middle, high = np.quantile(row["ends"], [0, 0.5, 1])
        lines.append(f"  {row['solver']:14}{cells}   {middle:.5f} [{low:.5f}, {high:.5f}]")
    return "\n".join(lines)


def main(argv=None) -> int:
    """Race, print tables and goals, keep the rows, and return 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("-k", metavar="PATTERN", default="", help="only problems that match")
    parser.add_argument("--starts", type=int, default=5, help="of each problem (5)")
    parser.add_argument("--seconds", type=float, default=4.0, help="of CPU time of a run (4)")
    parser.add_argument("--list", action="store_true", help="print the problems and stop")
    parser.add_argument("--output", type=Path, default=FILE, metavar="FILE", help="of the rows")
    args = parser.parse_args(argv)
    chosen = [problem for problem in PROBLEMS if re.search(args.k, str(problem))]
    if not chosen:
        parser.error(f"no problem matches {args.k!r}; --list shows them.")
    if args.list:
        print("\n".join(map(str, chosen)))
        return 0
    for one in OUTSIDE.values():
        if not one.is_installed():
            print(f"left out: {one.name} is not on this machine", file=sys.stderr)
    for problem in chosen:
        print(problem, flush=True)
        try:
            rows = rows_for(problem, args.starts, args.seconds)
        except DataMissingError:
            print("  left out: the data are not on this machine", file=sys.stderr)
            continue
        print(table(rows), end="\n\n", flush=True)
        keep(rows, args.output)
    print(goals(args.output))
    return 0


def goals(file=FILE):
    """Each goal of the race with what was measured, a line each."""
    words = {True: "met", False: "NOT MET", None: "open"}
    found = judge(rows_of(file))
    return "\n".join(f"  {words[met]:8} {goal}: {measured}" for goal, measured, met in found)


def keep(rows, file):
    """Put rows into a file, replacing rows of the same problem, in the problems' order."""
    here = {(row["loss"], row["problem"]) for row in rows}
    kept = [row for row in rows_of(file) if (row["loss"], row["problem"]) not in here]
    order = {(problem.loss, problem.title): number for number, problem in enumerate(PROBLEMS)}
    kept = sorted(kept + rows, key=lambda row: order.get((row["loss"], row["problem"]), len(order)))
    for row in kept:  # JSON knows no infinity
        row["seconds"] = {
            level: [s if np.isfinite(s) else None for s in starts]
            for level, starts in row["seconds"].items()
        }
    file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
