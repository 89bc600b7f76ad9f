"""``python -m benchmarks.tried``: variants of HALS that the literature proposes, against `hals`.

A variant is kept in the package if it comes within one per cent or one per mille of the optimum in
nine tenths of the time of `hals` on three problems and loses little on the others. None of these
does. More sweeps, fixed or adaptive, are worth it on videos only: .3 to .6 of the time, where
`hals-compressed` takes .2 to .3. All start from the same factors, in turns and on one thread, and
are timed as in :mod:`benchmarks.race`. A last table shows where runs of `hals` end that begin
elsewhere: is the basin a matter of the start?

- ``sweeps N``: fixed numbers of inner sweeps other than three. The best of them bounds what a rule
  may gain that chooses for a problem.
- ``adaptive``: sweeps until the last one moves the factor by less than a tenth of the first
  (Gillis & Glineur, 2012).
- ``greedy``: in each row the coefficient that lowers the loss most, until it would lower it by less
  than a thousandth of the best first step (Hsieh & Dhillon, 2011).
- ``settled``: rows that the last iteration moved by less than a thousandth are updated every fifth
  iteration only.
- ``exact first``: both factors exact in the first three iterations, as alternating non-negative
  least squares begins.

    python -m benchmarks.tried -k "BBC|video" --starts 2
"""

import argparse
import re
import sys
import time

import numpy as np
import scipy.sparse as sp
from numba import njit

from benchmarks.data import factors
from benchmarks.race import PROBLEMS as RACE
from benchmarks.race import Problem, in_turns, summary
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.datasets.base import DataMissingError
from nmfbench.optim.kernels.hals import hals_sweeps
from nmfbench.reports.race import ratio
from nmfbench.solvers.frobenius.base import error_from_products
from nmfbench.solvers.frobenius.hals import HALS
from nmfbench.stats.traces import lowest

PROBLEMS = (
    *(problem for problem in RACE if problem.loss == "frobenius"),
    Problem("video, caviar1", "video-caviar1", 10),
    Problem("video, highway", "video-highway", 10),
    Problem("video, humanbody2", "video-humanbody2", 10),
)
TARGETS = 1.01, 1.001
_SWEEPS = HALS().sweeps
_MOST_SWEEPS, _STILL = 12, 0.1
_GREEDY = 1e-3
_SETTLED, _EVERY = 1e-3, 5
_EXACT, _EXACT_FIRST = 100, 3


def adaptive(factor, cross, gram, seen):
    """Sweeps of HALS, as long as they move the factor."""
    first = None
    for _ in range(_MOST_SWEEPS):
        before = factor.copy()
        hals_sweeps(factor, cross, gram, 1)
        moved = np.linalg.norm(factor - before)
        first = moved if first is None else first
        if moved <= _STILL * first:
            break


def settled(factor, cross, gram, seen):
    """Sweeps of HALS over the rows that still move."""
    count, active = seen.get(len(factor), (0, np.ones(len(factor), dtype=bool)))
    rows = np.flatnonzero(active) if count % _EVERY else np.arange(len(factor))
    part = factor[rows]
    hals_sweeps(part, cross[rows], gram, _SWEEPS)
    moved = np.linalg.norm(part - factor[rows], axis=1)
    active = np.zeros(len(factor), dtype=bool)
    active[rows] = moved > _SETTLED * np.linalg.norm(part, axis=1)
    factor[rows] = part
    seen[len(factor)] = count + 1, active


def greedy(factor, cross, gram, seen):
    """The best coefficient of each row, again and again."""
    _greedy_rows(factor, cross, gram, _GREEDY)


@njit(cache=True, fastmath={"contract", "nsz"}, error_model="numpy")
def _greedy_rows(factor, cross, gram, least):
    n, r = factor.shape
    slope = np.empty((n, r))
    top = 0.0
    for i in range(n):
        for k in range(r):
            slope[i, k] = cross[i, k]
        for j in range(r):
            if factor[i, j] != 0:
                for k in range(r):
                    slope[i, k] -= factor[i, j] * gram[j, k]
        for k in range(r):
            top = max(top, _gain(factor[i, k], slope[i, k], gram[k, k])[0])
    for i in range(n):
        w, g = factor[i], slope[i]
        for _ in range(r * r):
            best, chosen, step = 0.0, 0, 0.0
            for k in range(r):
                gain, change = _gain(w[k], g[k], gram[k, k])
                if gain > best:
                    best, chosen, step = gain, k, change
            if best <= least * top:
                break
            w[chosen] += step
            for k in range(r):
                g[k] -= step * gram[chosen, k]


@njit(cache=True, error_model="numpy")
def _gain(value, slope, curvature):
    """By how much the best step in one coefficient lowers half the loss, and the step."""
    if curvature <= 0:
        return 0.0, 0.0
    step = max(slope / curvature, -value)
    return step * (slope - 0.5 * curvature * step), step


def exact_first(factor, cross, gram, seen):
    """Many sweeps in the first iterations."""
    count = seen.get(len(factor), 0)
    hals_sweeps(factor, cross, gram, _EXACT if count < _EXACT_FIRST else _SWEEPS)
    seen[len(factor)] = count + 1


def sweeps(number):
    """HALS with as many sweeps."""
    return lambda factor, cross, gram, seen: hals_sweeps(factor, cross, gram, number)


VARIANTS = {
    "hals": sweeps(_SWEEPS),
    **{f"sweeps {number}": sweeps(number) for number in (1, 2, 5, 10)},
    "adaptive": adaptive,
    "greedy": greedy,
    "settled": settled,
    "exact first": exact_first,
}
"""Name -> the update of a factor from the products with the other one."""


def run_of(variant, X, W, H, seconds):
    """Trace of a variant from given factors, the clock off while the objective is evaluated."""
    update = VARIANTS[variant]
    W, Ht, seen, rows = W.copy(), np.ascontiguousarray(H.T), {}, []
    values = X.data if sp.issparse(X) else X.ravel()
    norm_sq, used = np.dot(values, values), 0.0
    while True:
        objective = error_from_products(norm_sq, Ht, _left(X, W), W.T @ W)
        rows.append((len(rows), used, used, objective))
        if used >= seconds:
            return np.array(rows, dtype=TRACE_DTYPE)
        begin = time.process_time()
        update(W, X @ Ht, Ht.T @ Ht, seen)
        update(Ht, _left(X, W), W.T @ W, seen)
        used += time.process_time() - begin


def _left(X, W):
    return np.ascontiguousarray((W.T @ X).T)


def race(X, rank, variants, starts, seconds):
    """Runs of the variants from each start: name -> list of traces."""
    few = factors(min(50, X.shape[0]), X.shape[1], rank, X.mean())
    for name in variants:
        run_of(name, X[:50], *few, 0.01)  # compiles
    return in_turns(
        variants, X, rank, starts, lambda name, W, H, seed: run_of(name, X, W, H, seconds)
    )


def beginnings(shape, rank, mean, seed):
    """Initial factors by the law that their entries are drawn from, all of the same mean."""
    n, m = shape
    scale = np.sqrt(mean / rank)
    laws = {
        "uniform on (.5, 1.5)": lambda rng, size: rng.uniform(0.5, 1.5, size),
        "uniform on (0, 2)": lambda rng, size: rng.uniform(0, 2, size),
        "exponential": lambda rng, size: rng.exponential(size=size),
    }
    return {
        name: tuple(scale * law(rng, size) for size in ((n, rank), (rank, m)))
        for name, law in laws.items()
        for rng in [np.random.default_rng(seed)]
    }


def ends(X, rank, starts, seconds):
    """Lowest objectives of `hals` from each beginning: law -> array (starts,)."""
    found = {}
    for start in range(starts):
        for law, (W, H) in beginnings(X.shape, rank, X.mean(), 1 + start).items():
            found.setdefault(law, []).append(lowest(run_of("hals", X, W, H, seconds)))
    return {law: np.array(values) for law, values in found.items()}


def show_race(runs):
    """Print times to the targets over those of `hals`, and ends above the lowest."""
    rows = summary(runs)
    heads = "".join(f"{f'to {target:g}':>24}" for target in TARGETS)
    print(f"  {'':22}{heads}{'ends above the best':>30}")
    for name, row in rows.items():
        cells = ""
        for target in TARGETS:
            found = ratio(row, rows["hals"], target)
            cells += f"{f'{found} [{found.low:.2f}, {found.high:.2f}]' if found else 'never':>24}"
        low, middle, high = 100 * (np.quantile(row["ends"], [0, 0.5, 1]) - 1)
        print(f"  {name:22}{cells}{f'{middle:.3f} % [{low:.3f}, {high:.3f}]':>30}", flush=True)


def show_ends(found):
    """Print where runs end by their beginnings, with standard errors."""
    reference = next(iter(found.values())).mean()
    for law, values in found.items():
        above = 100 * (values / reference - 1)
        error = above.std(ddof=1) / np.sqrt(len(above))
        print(
            f"  {law:22}{above.mean():+8.3f} % +- {error:.3f}, best {above.min():+.3f}", flush=True
        )


def main(argv=None) -> int:
    """Race the variants, print tables, and return 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tried", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("-k", metavar="PATTERN", default="", help="only problems that match")
    parser.add_argument("--variants", metavar="PATTERN", default="", help="only these, and hals")
    parser.add_argument("--starts", type=int, default=3, help="of each problem (3)")
    parser.add_argument("--ends", type=int, default=10, help="starts of the last table (10)")
    parser.add_argument("--seconds", type=float, default=4.0, help="of CPU time of a run (4)")
    args = parser.parse_args(argv)
    chosen = [problem for problem in PROBLEMS if re.search(args.k, str(problem))]
    variants = tuple(name for name in VARIANTS if name == "hals" or re.search(args.variants, name))
    if not chosen:
        parser.error(f"no problem matches {args.k!r}.")
    for problem in chosen:
        try:
            X = problem.load()
        except DataMissingError:
            print(f"{problem}: the data are not on this machine", file=sys.stderr)
            continue
        print(problem, flush=True)
        show_race(race(X, problem.rank, variants, args.starts, args.seconds))
        if args.ends > 1:
            show_ends(ends(X, problem.rank, args.ends, args.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
