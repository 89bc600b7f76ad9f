"""Shape of the factors: sizes, norms, and how alike columns and rows of the representation are."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.clustering import cosine_similarities

__all__ = ["columns_alike", "factor_shape"]

_ALIKE = 0.99
_SHORT = 0.3


@register_task(
    "factor-shape",
    summary="sizes and norms of the factors, and how alike their columns and samples are",
    based_on="factorization",
    tolerances={"cosine-*": 1e-6},  # differences of sums over pairs of rows, in single precision
    # Two points of cosines and shares; norms by as much as sizes of light; sizes of data are facts.
    matters={
        "columns-alike": 0.02,
        "cosine-*": 0.02,
        "share-of-components-of-short-columns": 0.02,
        "norm-of-the-*": Ratio(0.05),
        "n-*": None,
        "*-class": None,
    },
)
def factor_shape(data, solver, rng, base):
    """Describe the factors of a factorization in numbers, so that nobody else needs the factors.

    Parameters
    ----------
    data : Bunch
        Its labels ``y``, if it has any, serve the metrics of classes.
    solver, rng : ignored
    base : Outcome
        Of the task ``factorization``.

    Returns
    -------
    Outcome
        Metrics ``n-samples`` and ``n-features`` of the fit; ``columns-alike``, see
        :func:`columns_alike`; ``norm-of-the-representation`` and ``norm-of-the-components``,
        Frobenius norms; ``share-of-components-of-short-columns``, what of the squared norm of the
        components H belongs to columns of W whose norm is below 0.3, 0 if H is zero. Of labelled
        data also ``n-classes``, the sizes ``smallest-class`` and ``largest-class``, and
        ``cosine-within`` and ``cosine-between``, see
        :func:`~nmfbench.tasks.clustering.cosine_similarities`, of the rows of W as they are. Then
        the metrics of the factorization. All are computed in the precision in which it keeps the
        factors.
    """
    W, H = base.arrays["W"], base.arrays["components"]
    squares = np.sum(H**2, axis=1)
    short = np.linalg.norm(W, axis=0) < _SHORT
    metrics = {
        "n-samples": float(len(W)),
        "n-features": float(H.shape[1]),
        "columns-alike": columns_alike(W),
        "norm-of-the-representation": np.linalg.norm(W),
        "norm-of-the-components": np.linalg.norm(H),
        "share-of-components-of-short-columns": (
            squares[short].sum() / squares.sum() if squares.any() else 0.0
        ),
    }
    if data.get("y") is not None:
        y = np.asarray(data.y)[base.arrays["train"]]
        counts = np.unique(y, return_counts=True)[1]
        metrics |= {
            "n-classes": float(len(counts)),
            "smallest-class": float(counts.min()),
            "largest-class": float(counts.max()),
        }
        pairs = zip(("within", "between"), cosine_similarities(W, y), strict=True)
        metrics |= {f"cosine-{name}": value for name, value in pairs}
    return Outcome(metrics | base.metrics, base.fit)


def columns_alike(W) -> float:
    """Share of the columns that are zero, or have a cosine above 0.99 with another column.

    Examples
    --------
    >>> columns_alike(np.array([[1.0, 2.0, 0.0, 0.0], [1.0, 2.0, 0.0, 3.0]]))
    0.75
    """
    columns = normalize(np.asarray(W, dtype=np.float64).T)
    cosines = columns @ columns.T
    np.fill_diagonal(cosines, 0)
    return float(np.mean((cosines > _ALIKE).any(axis=1) | ~columns.any(axis=1)))
