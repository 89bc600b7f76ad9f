"""How often is the rank right that ``nmfbench recommend`` chooses, beside rules of the literature?

Matrices of known rank: noise of four kinds around a product of random factors, and exact products
whose samples contain a multiple of each component: their rank is the non-negative rank, too. The
rules: held-out entries at random (Wold, 1978), which ``recommend`` shows beside its
choice; the hard threshold of singular values of Gavish & Donoho (2014); the evidence of Minka
(2000); and the highest cophenetic correlation of five starts (Brunet et al., 2004).

    python -m benchmarks.ranks
    python -m benchmarks.ranks --noise gamma --budget 2m --output /tmp/ranks.json

Results are kept one by one, so that the same command resumes. The report shows the file in the
package.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA

from benchmarks.recommend import generated
from nmfbench.advice.advise import advise
from nmfbench.advice.choose import most_components
from nmfbench.advice.kernels import Kernels
from nmfbench.advice.model import fit_model, stability_of
from nmfbench.commands.values import seconds
from nmfbench.reports.regret import RANKS_FILE, rows_of

SHAPE = 200, 120
RANKS = 3, 6, 12, 24
NOISES = "gaussian", "poisson", "gamma", "laplace", "none"
SEED = 8000  # those that recommend was built on are below 1000
_STARTS = 5


def matrix(noise, rank):
    """A matrix of a rank, with noise of a kind."""
    rng = np.random.default_rng([SEED, NOISES.index(noise), rank])
    if noise != "none":
        return generated({"shape": SHAPE, "rank": rank, "generated": noise}, rng)
    n, m = SHAPE
    mixtures = rng.dirichlet(np.ones(rank), n - rank)
    W = np.vstack([np.diag(rng.uniform(0.5, 2, rank)), mixtures])
    return rng.permutation(W) @ rng.gamma(0.7, 1, (rank, m))


def hard_threshold(X):
    """Number of singular values above the optimal threshold, the size of the noise unknown."""
    values = np.linalg.svd(X, compute_uv=False)
    b = min(X.shape) / max(X.shape)
    omega = 0.56 * b**3 - 0.95 * b**2 + 1.82 * b + 1.43  # Gavish & Donoho, Eq. (5)
    return int((values > omega * np.median(values)).sum())


def evidence(X):
    """The number of principal components of the largest evidence."""
    return int(PCA(n_components="mle", svd_solver="full").fit(X).n_components_)


def most_consistent(X):
    """The rank of the highest cophenetic correlation, the smallest of equals, up to rounding."""
    found = []
    ranks = range(2, most_components(X.shape) + 1)
    for rank in ranks:
        models = [fit_model(X, "hals", "frobenius", rank, seed) for seed in range(_STARTS)]
        found.append(round(stability_of(models).cophenetic, 9))
    return ranks[int(np.argmax(found))]


def measure(noise, rank, budget):
    """One row of the table."""
    X = matrix(noise, rank)
    with Kernels() as kernels:
        found = advise(X, budget=budget, kernels=kernels)
    cells = found.rank_by_cells
    return {
        "noise": noise,
        "rank": rank,
        "shape": list(SHAPE),
        "loss": found.loss.loss,
        "budget": budget,
        "seconds": found.seconds,
        "low": found.rank.low,
        "high": found.rank.high,
        "chosen": {
            "recommend": found.rank.rank,
            "entries at random": cells and cells.rank,
            "hard threshold": hard_threshold(X),
            "evidence": evidence(X),
            "cophenetic correlation": most_consistent(X),
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--noise", nargs="+", default=NOISES, choices=NOISES)
    parser.add_argument("--budget", type=seconds, default=60.0, help="of recommend (1m)")
    parser.add_argument("--output", type=Path, default=RANKS_FILE, metavar="FILE")
    given = parser.parse_args()
    rows = {(row["noise"], row["rank"]): row for row in rows_of(given.output)}
    for noise in given.noise:
        for rank in RANKS:
            if rows.get((noise, rank), {}).get("budget") == given.budget:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows[noise, rank] = row = measure(noise, rank, given.budget)
            print(f"{noise}, rank {rank}: {row['chosen']}, {row['low']} to {row['high']}")
            ordered = [rows[key] for key in sorted(rows, key=lambda k: (NOISES.index(k[0]), k[1]))]
            given.output.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
