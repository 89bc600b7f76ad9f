"""Regret of ``nmfbench recommend`` on the problems that were held back while it was built.

A quarter of the rows and of the columns is held out; ``recommend`` sees the rest. Its factors,
the factors of the other solvers of the loss it chose at its rank, of scikit-learn's NMF with
defaults, and of its coordinate descent at the rank known (or chosen) predict the block that was
held out, by its rows and columns with the others.

    python -m benchmarks.recommend --budget 5m --reference 2m
    python -m benchmarks.recommend --problems "Gaussian, rank 4" --output /tmp/regret.json

Results are kept one by one, so that the same command resumes. The report shows the file in the
package. Nothing of ``recommend`` may be tuned on these problems.
"""

import argparse
import json
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import NMF

import nmfbench
from nmfbench.advice.advise import advise
from nmfbench.advice.folds import lifted, start_of
from nmfbench.advice.kernels import Kernels
from nmfbench.advice.noise import deviance
from nmfbench.advice.race import entrants
from nmfbench.commands.values import seconds
from nmfbench.metrics.factors import relative_error
from nmfbench.optim.losses import LOSSES
from nmfbench.optim.projections import PROJECTIONS
from nmfbench.reports.regret import (
    FILE,
    GOAL_BUDGET,
    GOAL_REFERENCE,
    MOST_ITERATIONS,
    rows_of,
)
from nmfbench.solvers import make_solver
from nmfbench.tasks.held_out import predict_block, split_at

SPLIT = Path(__file__).with_name("recommend_split.json")
HELD_OUT = 0.25  # of rows and of columns
_PROBE = 5  # iterations
_MEAN = 5.0  # of generated data
LOSS_OF = {
    "gaussian": "frobenius", "poisson": "kl", "small-counts": "kl", "gamma": "itakura-saito",
    "laplace": "manhattan", "outliers": "manhattan",
}  # fmt: skip


def problem_named(name):
    """Data of a held-back problem."""
    problems = json.loads(SPLIT.read_text(encoding="utf-8"))["held_back"]
    for number, problem in enumerate(problems):
        if problem["name"] == name:
            rng = np.random.default_rng(problem.get("seed", 7100 + number))
            make = generated if "generated" in problem else transformed
            return problem, make(problem, rng)
    raise SystemExit(f"no held-back problem is called {name!r}; there are: {names()}")


def names():
    problems = json.loads(SPLIT.read_text(encoding="utf-8"))["held_back"]
    return [problem["name"] for problem in problems]


def generated(problem, rng):
    (n, m), r, kind = problem["shape"], problem["rank"], problem["generated"]
    Y = rng.gamma(0.7, 1, (n, r)) @ rng.gamma(0.7, 1, (r, m))
    Y *= _MEAN / Y.mean()
    if kind in ("gaussian", "outliers"):
        X = np.abs(Y + rng.normal(0, 0.5, Y.shape))
        if kind == "outliers":
            wild = rng.random(Y.shape) < 0.08
            X[wild] = rng.uniform(0, 4 * X.max(), wild.sum())
        return X
    if kind == "laplace":
        return np.abs(Y + rng.laplace(0, 0.5, Y.shape))
    if kind == "gamma":
        return Y * rng.gamma(10, 0.1, Y.shape)
    return rng.poisson(4 * Y if kind == "poisson" else Y / 4).astype(float)


def transformed(problem, rng):
    """Some rows of a real data set, and of texts the most frequent words."""
    X = nmfbench.load_dataset(problem["data"]).X
    X = X[np.sort(rng.choice(X.shape[0], problem["rows"], replace=False))]
    X = np.asarray(X.todense() if sp.issparse(X) else X, dtype=np.float64)
    if "columns" in problem:
        X = X[:, np.sort(np.argsort(-(X > 0).sum(axis=0), kind="stable")[: problem["columns"]])]
    level = problem.get("level")
    match problem["transform"]:
        case "square":
            X = X**2
        case "root":
            X = np.sqrt(X)
        case "poisson":
            X = rng.poisson(level * X / X.mean()).astype(float)
        case "gamma":
            X = X * rng.gamma(level, 1 / level, X.shape)
        case "laplace":
            X = np.abs(X + rng.laplace(0, level * X.max(), X.shape))
    return X[X.any(axis=1)][:, X.any(axis=0)]


class Split:
    """A matrix with a block held out."""

    def __init__(self, X, rng):
        rows, columns = (
            np.sort(rng.choice(size, int(HELD_OUT * size), replace=False)) for size in X.shape
        )
        self.x, self.B, self.C, self.D = map(np.ascontiguousarray, split_at(X, rows, columns))

    def predict(self, W, H, loss):
        def project(X, H):
            return PROJECTIONS[loss](np.ascontiguousarray(X), np.ascontiguousarray(H))

        return predict_block(W, H, self.B, self.C, project=project)

    def error(self, y, judge):
        floor = float(self.x[self.x > 0].min())
        return float(np.mean(deviance(judge, self.x, y, floor)))


def fit_for(key, loss, D, r, limit):
    """Factors of a solver within some CPU seconds, its objective, and the seconds it took."""
    start = start_of(D, r, np.random.default_rng(0))
    start = start if loss == "frobenius" else lifted(**start, X=D)

    def fit(iterations):
        solver = make_solver(key, n_components=r, max_iter=iterations)
        given = {"tol": 0.0, "random_state": 0}
        solver.set_params(**{k: v for k, v in given.items() if k in solver.get_params()})
        begun = time.process_time()
        W = solver.fit_transform(D, **start)
        return W, solver.components_, time.process_time() - begun

    fit(_PROBE)  # compiles
    *_, probed = fit(_PROBE)
    W, H, taken = fit(int(np.clip(limit / max(probed / _PROBE, 1e-6), _PROBE, MOST_ITERATIONS)))
    return W, H, float(LOSSES[loss](D, W, np.ascontiguousarray(H.T))), taken


def sklearn_fit(D, r):
    begun = time.process_time()
    solver = NMF(random_state=0) if r is None else NMF(n_components=r, random_state=0)
    W = solver.fit_transform(D)
    return W, solver.components_, time.process_time() - begun


def measure(name, budget, reference):
    """One row of the table."""
    problem, X = problem_named(name)
    split = Split(X, np.random.default_rng(0))
    begun = time.monotonic()
    with Kernels() as kernels:
        found = advise(split.D, budget=budget, kernels=kernels, progress=print)
    wall = time.monotonic() - begun
    loss, r, W, H = found.loss.loss, found.rank.rank, found.model.W, found.model.H
    judge = LOSS_OF.get(problem.get("generated") or problem["transform"], loss)
    own = split.error(split.predict(W, H, loss), loss)
    objective = float(LOSSES[loss](split.D, W, np.ascontiguousarray(H.T)))
    rivals, spent = {}, 0.0
    for key in entrants(loss, split.D)[0]:
        try:
            W2, H2, value, taken = fit_for(key, loss, split.D, r, reference)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            print(f"  {key}: {error}")
            continue
        spent += taken
        error = split.error(split.predict(W2, H2, loss), loss)
        rivals[key] = {"objective": value, "error": error, "seconds": taken}
        print(f"  {key}: held-out error {error:.6g}, objective {value:.6g}, {taken:.1f} s")
    defaults, known = sklearn_fit(split.D, None), sklearn_fit(split.D, problem.get("rank", r))
    y = {"recommended": split.predict(W, H, loss)}
    y |= {k: split.predict(*v[:2], "frobenius") for k, v in (("d", defaults), ("k", known))}
    judged = {k: split.error(v, judge) for k, v in y.items()}
    squared = {k: relative_error(split.x, v) for k, v in y.items()}
    best = min(row["error"] for row in rivals.values())
    lowest = min(row["objective"] for row in rivals.values())
    return {
        "problem": name,
        "shape": list(split.D.shape),
        "rank_known": problem.get("rank"),
        "rank": r,
        "rank_low": found.rank.low,
        "rank_high": found.rank.high,
        "loss": loss,
        "loss_known": LOSS_OF.get(problem.get("generated") or problem["transform"]),
        "solver": found.race.solver,
        "error_regret": own / best - 1,
        "objective_regret": objective / lowest - 1,
        "judge": judge,
        "ratio_to_defaults": judged["recommended"] / judged["d"],
        "ratio_to_known_rank": judged["recommended"] / judged["k"],
        "squared_ratio_to_defaults": squared["recommended"] / squared["d"],
        "squared_ratio_to_known_rank": squared["recommended"] / squared["k"],
        "seconds": wall,
        "reference_seconds": spent,
        "budget": budget,
        "reference": reference,
        "solvers": rivals,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": nmfbench.__version__,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="+", default=names(), metavar="NAME")
    parser.add_argument("--budget", type=seconds, default=GOAL_BUDGET, help="of recommend (5m)")
    parser.add_argument(
        "--reference", type=seconds, default=GOAL_REFERENCE, help="of a solver (2m)"
    )
    parser.add_argument("--output", type=Path, default=FILE, metavar="FILE")
    given = parser.parse_args()
    rows = {row["problem"]: row for row in rows_of(given.output)}
    for name in given.problems:
        known = rows.get(name, {})
        if (known.get("budget"), known.get("reference")) == (given.budget, given.reference):
            continue
        print(f"{name}: recommend within {given.budget:g} s")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows[name] = measure(name, given.budget, given.reference)
        row = rows[name]
        print(
            f"  {row['solver']} at rank {row['rank']}: regret {100 * row['error_regret']:.2f} % in "
            f"held-out error, {row['ratio_to_defaults']:.3f} of the error of defaults"
        )
        ordered = [rows[n] for n in names() if n in rows]
        given.output.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
