"""Tiny odd fits of every solver: a draw of shape, rank, type, layout, magnitude, density and kind.

Each ends in a fit that keeps its promises, or in an error of ours that says what is wrong. Run as a
script, it makes many, in guarded children, and prints what did not end so and a summary:

    python tests/odd_fits.py 20000
    python tests/odd_fits.py 5000 --first 20000 --jobs 2

A case is drawn from its number alone, which repeats it.
"""

from __future__ import annotations

import argparse
import collections
import sys
import threading
import traceback
import warnings
from multiprocessing.pool import ThreadPool
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
import sklearn
from sklearn.exceptions import ConvergenceWarning

import nmfbench
from nmfbench.core.registry import solvers
from nmfbench.core.validation import MAGNITUDES
from nmfbench.engine.worker import Worker, WorkerDied

SHAPES = [(1, 1), (1, 6), (6, 1), (2, 2), (2, 9), (9, 2), (5, 5), (13, 7), (7, 13), (40, 25)]
DTYPES = ("float64", "float32", ">f8", "float16", "longdouble", "int64", "uint8", "bool")
DENSE = ("C", "F", "spaced", "backwards", "read-only", "frame")
SPARSE = ("csr", "csc", "coo", "csr_array", "pieces", "explicit zeros")
KINDS = (
    *("plain", "repeated rows", "zero row", "zero column", "constant", "ties", "one entry"),
    *("rank one", "one huge entry", "one tiny entry", "blocks"),
)
DENSITIES = (1.0, 1.0, 0.5, 0.1, 0.0)
INFINITE = {"sklearn-mu"}
"""scikit-learn sets factors below 2e-16 to zero: the divergence may be infinite then."""
OF_A_GRAPH = {"nsdr"}
"""The terms of its objective are of order 1, whatever the unit of the data."""
_FLOOR = 1e-12
"""Of factors that are kept off zero: what it adds to the objective of data that are all zero."""
_SKLEARN = Path(sklearn.__file__).parent
_PROMISES = (nmfbench.__path__[0], str(_SKLEARN / "utils"))
_PEERS = str(_SKLEARN / "decomposition")
"""It takes the root of a difference that rounding may turn negative."""


def case(number):
    """What is drawn: a dict that JSON can hold."""
    rng = np.random.default_rng([2026, number])
    key = sorted(solvers)[number % len(solvers)]
    shape = SHAPES[rng.integers(len(SHAPES))]
    layout = str(rng.choice([*DENSE, *SPARSE] if solvers[key].target.accepts_sparse else DENSE))
    dtype = str(rng.choice(DTYPES if layout in DENSE else DTYPES[:2]))
    most = MAGNITUDES["float32" if dtype == "float32" else "float64"]
    exponents = (0, 0, 0, 10, -10, most, -most, most + 3, -most - 3)
    fits = dtype in ("float64", "float32", ">f8", "longdouble")
    return {
        "number": number,
        "solver": key,
        "shape": list(shape),
        "rank": int(rng.integers(1, min(shape) + 3)),
        "layout": layout,
        "dtype": dtype,
        "exponent": int(rng.choice(exponents)) if fits else 0,
        "density": float(rng.choice(DENSITIES)),
        "kind": str(rng.choice(KINDS)),
    }


def data(case):
    """The matrix of a case, in its type and layout."""
    rng = np.random.default_rng([2027, case["number"]])
    n, m = case["shape"]
    X = rng.random((n, m)) * (rng.random((n, m)) < case["density"])
    X = _of_kind(case["kind"], X, rng)
    target = solvers[case["solver"]].target
    if target.symmetric:
        X = X @ X.T
    elif target.square:
        X = X[:, : case["rank"]]
    if case["exponent"] and X.max() > 0:
        X = X / X.max() * 2.0 ** case["exponent"]
    if case["dtype"] in ("int64", "uint8"):
        X = np.minimum(np.ceil(9 * X), 255)
    if case["dtype"] == "float16":
        X = np.minimum(X, np.finfo("float16").max)
    return _laid(X.astype(case["dtype"]), case["layout"])


def _of_kind(kind, X, rng):
    n, m = X.shape
    i, j = rng.integers(n), rng.integers(m)
    if kind == "repeated rows":
        return X[rng.integers(max(n // 3, 1), size=n)]
    if kind == "constant":
        return np.ones_like(X)
    if kind == "ties":
        return np.floor(3 * X)
    if kind == "rank one":
        return np.outer(X[:, 0], X[0])
    if kind == "blocks":
        return (np.arange(n)[:, None] * 3 // n == np.arange(m) * 3 // m).astype(float)
    if kind == "one entry":
        X = np.zeros_like(X)
    changed = {
        "zero row": (i, slice(None), 0.0),
        "zero column": (slice(None), j, 0.0),
        "one entry": (i, j, 1.0),
        "one huge entry": (i, j, 2.0**25),
        "one tiny entry": (i, j, 2.0**-140),
    }
    if kind in changed:
        rows, columns, value = changed[kind]
        X[rows, columns] = value
    return X


def _laid(X, layout):
    n, m = X.shape
    if layout == "F":
        return np.asfortranarray(X)
    if layout == "spaced":
        wide = np.zeros((3 * n, 2 * m), X.dtype)
        wide[::3, ::2] = X
        return wide[::3, ::2]
    if layout == "backwards":
        return X[::-1, ::-1].copy()[::-1, ::-1]
    if layout == "read-only":
        X.flags.writeable = False
    if layout == "frame":
        return pd.DataFrame(X, columns=[f"feature {j}" for j in range(m)])
    if layout == "pieces":
        rows, columns = np.nonzero(X)
        values = X[rows, columns]
        places = np.r_[rows, rows], np.r_[columns, columns]
        whole = sp.coo_matrix((np.r_[values / 4, 3 * values / 4], places), X.shape)
        order = np.lexsort((-whole.col, whole.row))
        starts = np.r_[0, np.bincount(whole.row, minlength=n).cumsum()]
        return sp.csr_matrix((whole.data[order], whole.col[order], starts), shape=X.shape)
    if layout == "explicit zeros":
        full = sp.csr_matrix(np.ones_like(X))
        full.data = X.ravel().copy()
        return full
    if layout in SPARSE:
        return {"csr_array": sp.csr_array}.get(layout, getattr(sp, f"{layout}_matrix", None))(X)
    return X


def fit(number):
    """Make one fit: how it ended, in a word, and what is wrong with that, if anything is."""
    chosen = case(number)
    X = data(chosen)
    before = X.copy()
    model = solvers[chosen["solver"]].target()
    wanted = {"n_components": chosen["rank"], "random_state": 0, "max_iter": 4}
    model.set_params(**{k: v for k, v in wanted.items() if k in model.get_params()})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            W = model.fit_transform(X)
            again = model.transform(X)
        except (ValueError, TypeError) as error:
            return {"end": "refused", "wrong": _foreign(error)}
        except Exception as error:  # of whatever kind, it is a fault
            return {"end": "failed", "wrong": traceback.format_exc(limit=-3) or repr(error)}
    wrong = [
        f"{w.category.__name__}: {w.message} ({w.filename}:{w.lineno})"
        for w in caught
        if w.category not in (UserWarning, ConvergenceWarning)  # our words
        and not w.filename.startswith(_PEERS)
    ]
    wrong += broken(chosen, model, X, W, again)
    if not _same(before, X):
        wrong.append("X has changed")
    return {"end": "fitted", "wrong": "; ".join(wrong)}


def _foreign(error):
    """Where an error was raised, unless by our checks or scikit-learn's; what it says, too."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, np.linalg.LinAlgError) or not frames[-1].filename.startswith(_PROMISES):
        place = f"{frames[-1].filename}:{frames[-1].lineno}"
        return f"{type(error).__name__} of {place}: {str(error)[:200]}"
    return ""


def broken(chosen, model, X, W, again):
    """The promises that a fit has not kept."""
    n, m = X.shape
    H = model.components_
    found = {"W": W, "components_": H, "transform": again}
    wrong = [
        f"{name} has {array[~np.isfinite(array)][0]}"
        for name, array in found.items()
        if not np.isfinite(array).all()
    ]
    if not model.signed:
        wrong += [f"{name} has {a.min()}" for name, a in found.items() if a.size and a.min() < 0]
    precision = np.dtype("float32" if chosen["dtype"] == "float32" else "float64")
    wrong += [f"{name} is {a.dtype}" for name, a in found.items() if a.dtype != precision]
    if W.shape != (n, len(H)) or again.shape != W.shape or H.shape[1] != m:
        wrong.append(f"shapes are {W.shape}, {H.shape} and {again.shape}")
    objectives = model.trace_["objective"]
    if not np.isfinite([model.objective_, *objectives]).all():
        if chosen["solver"] not in INFINITE:
            wrong.append(f"objectives are {objectives.tolist()}, and {model.objective_}")
    elif solvers[chosen["solver"]].info["monotone"]:
        values = (X.data if sp.issparse(X) else np.asarray(X)).astype(float)
        of_data = values.sum() if model.loss in ("kl", "manhattan") else (values**2).sum()
        of_data = 1.0 if chosen["solver"] in OF_A_GRAPH else of_data
        slack = 1e3 * np.finfo(precision).eps * max(np.abs(objectives).max(), of_data)
        slack = max(slack, _FLOOR**2 if of_data == 0 else 0)
        if (np.diff(objectives) > slack).any():
            wrong.append(f"the objective rises: {objectives.tolist()}")
    return wrong


def _same(X, other):
    if sp.issparse(X):
        return all(np.array_equal(getattr(X, a), getattr(other, a)) for a in ("data", "nnz"))
    return np.array_equal(X, other)


def main(argv=None) -> int:
    """Make fits, print the faults and a summary, and return 0, or 1 if there is a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("fits", type=int)
    parser.add_argument("--first", type=int, default=0, help="number of the first case (0)")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args(argv)
    sys.path.insert(0, str(Path(__file__).parent))  # also of the children
    own = threading.local()

    def guarded(number):
        if not hasattr(own, "worker"):
            own.worker = Worker()
        try:
            return number, own.worker.call("odd_fits:fit", {"number": number}, 60, "mu")
        except TimeoutError:
            return number, {"end": "hung", "wrong": "it takes longer than 60 s"}
        except (WorkerDied, RuntimeError) as error:
            return number, {"end": "crashed", "wrong": str(error)[-500:]}

    ends, faults = collections.Counter(), 0
    with ThreadPool(args.jobs) as pool:
        numbers = range(args.first, args.first + args.fits)
        for number, found in pool.imap_unordered(guarded, numbers):
            ends[found["end"]] += 1
            if found["wrong"]:
                faults += 1
                print(f"{found['end']} {case(number)}\n    {found['wrong']}", flush=True)
    summary = ", ".join(f"{count} {end}" for end, count in ends.most_common())
    print(f"{args.fits} fits: {summary}; {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
