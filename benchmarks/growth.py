"""``python -m benchmarks.growth``: how the cost of an iteration grows, of the solvers of the race.

CPU seconds of an iteration on random data of a known rank, on one thread, as samples, features,
components, and the non-zeros of sparse data are doubled three times, the other sizes fixed; an
exponent is the slope of their logarithm against that of the size. Then the largest problems on one
thread and on two, in seconds of the clock on the wall, of solvers of the registry.

    python -m benchmarks.growth -k "hals|nenmf" --seconds 0.2 --output /tmp/growth.json

Rows of a solver that is measured again replace its old ones. The report shows the file in the
package.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from benchmarks.data import factors, low_rank
from benchmarks.outside import OUTSIDE
from benchmarks.race import RACERS, fitted, title_of
from nmfbench.cards.scaling import slope
from nmfbench.records.provenance import host
from nmfbench.reports.growth import AXES, FILE, THREADS, rows_of

_DOUBLED = (1, 2, 4, 8)
SIZES = {
    "n": [(1000 * k, 500, 20, 1.0) for k in _DOUBLED],
    "m": [(1000, 500 * k, 20, 1.0) for k in _DOUBLED],
    "r": [(2000, 1000, 10 * k, 1.0) for k in _DOUBLED],
    "nnz": [(5000, 5000, 20, 0.01 * k) for k in _DOUBLED],
}
"""Samples, features, components and the share of entries that are not zero, by what grows."""


def data(n, m, r, share):
    """Dense data of a known rank, or CSR data with a share of entries and rows of ``r`` kinds."""
    if share == 1:
        return low_rank(n, m, r)
    rng = np.random.default_rng(5)
    kinds = rng.exponential(size=(r, m))
    X = sp.random_array((n, m), density=share, format="coo", rng=rng)
    rows, columns = X.coords
    X.data = kinds[rng.integers(r, size=n)[rows], columns] * rng.uniform(0.5, 1.5, X.nnz)
    return X.tocsr()


def pace(key, X, r, seconds, clock="cpu_seconds"):
    """Seconds of an iteration from a random start, over some CPU seconds."""
    W, H = factors(*X.shape, r, X.mean(), seed=1)
    if key in OUTSIDE:
        runs = [(n_iter, took) for n_iter, took, *_ in OUTSIDE[key].fits(X, W, H, seconds, 1)]
        return float(np.polyfit(*zip(*runs, strict=True), 1)[0])
    solver = fitted(key, X, W, H, seconds)
    return float(solver.trace_[clock][-1] / solver.n_iter_)


def row_of(key, loss, seconds):
    """What the page shows of one solver."""
    sizes = {}
    for axis, chosen in SIZES.items():
        if axis == "nnz" and key in OUTSIDE and not OUTSIDE[key].sparse:
            continue
        sizes[axis] = []
        for n, m, r, share in chosen:
            X = data(n, m, r, share)
            entries = X.nnz if sp.issparse(X) else X.size
            sizes[axis].append([n, m, r, entries, pace(key, X, r, seconds)])
    on_threads = {}
    for axis in () if key in OUTSIDE else ("r", "nnz"):
        *size, share = SIZES[axis][-1]
        X, on_threads[axis] = data(*size, share), []
        for threads in THREADS:
            with threadpool_limits(threads):
                on_threads[axis].append(pace(key, X, size[2], seconds, "seconds"))
    return {
        "solver": key,
        "name": title_of(key),
        "loss": loss,
        "sizes": sizes,
        "exponents": {
            axis: slope([(row[AXES.index(axis)], row[-1]) for row in rows])
            for axis, rows in sizes.items()
        },
        "on_threads": on_threads,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "processor": host()["cpu"],
    }


def line(row):
    """Exponents, and two threads over one, as text."""
    exponents = "".join(f"{axis:>5} {row['exponents'].get(axis, np.nan):5.2f}" for axis in AXES)
    gains = "".join(f"{two / one:7.2f}" for one, two in row["on_threads"].values())
    return f"  {row['solver']:14}{exponents}" + (f"   two threads over one{gains}" if gains else "")


def main(argv=None) -> int:
    """Measure, print exponents, keep the rows, and return 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("-k", metavar="PATTERN", default="", help="only solvers that match")
    parser.add_argument("--seconds", type=float, default=1.0, help="of CPU time of a run (1)")
    parser.add_argument("--output", type=Path, default=FILE, metavar="FILE", help="of the rows")
    args = parser.parse_args(argv)
    outside = [(key, one.loss) for key, one in OUTSIDE.items() if one.is_installed()]
    known = [(key, loss) for loss, keys in RACERS.items() for key in keys] + outside
    chosen = [(key, loss) for key, loss in known if re.search(args.k, key)]
    if not chosen:
        parser.error(f"no solver matches {args.k!r}; there are: {', '.join(dict(known))}.")
    for key, loss in chosen:
        row = row_of(key, loss, args.seconds)
        print(line(row), flush=True)
        kept = {old["solver"]: old for old in rows_of(args.output)} | {key: row}
        args.output.write_text(json.dumps(list(kept.values()), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
