"""Facts about residuals of held-out entries: how they grow, how heavy their tails are, outliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nmfbench.advice.folds import Prediction

__all__ = ["growth", "outliers"]

_BINS = 12
_FAR = 10.0  # robust standard deviations, from where on an entry counts as an outlier
_SHOWN = 2_000  # places of outliers, in a picture
_SIGMA = 1.4826  # standard deviation of a normal distribution over its median absolute deviation


def growth(predictions: Sequence[Prediction]) -> dict[str, Any]:
    r"""The exponent p of :math:`|x - y| \propto y^p`, by medians in bins of the prediction.

    Medians are blind to outliers. Gaussian and Laplace noise have p = 0, counts 1/2,
    multiplicative noise 1.

    Parameters
    ----------
    predictions : sequence of Prediction

    Returns
    -------
    dict
        ``exponent``, None where predictions hardly differ; ``bins``, a list of dict with
        ``prediction``, ``median`` and ``upper``, the 90 % quantile of the absolute residuals;
        ``tails``, the share of entries whose residual is beyond ten robust standard deviations
        of its bin.
    """
    x = np.concatenate([found.x for found in predictions])
    y = np.concatenate([found.y for found in predictions])
    residual = np.abs(x - y)
    edges = np.quantile(y, np.linspace(0, 1, _BINS + 1))
    of = np.clip(np.searchsorted(edges, y, side="right") - 1, 0, _BINS - 1)
    bins, far = [], 0
    for k in range(_BINS):
        own = residual[of == k]
        if len(own) < 10:
            continue
        middle = float(np.median(own))
        upper = float(np.quantile(own, 0.9))
        far += int(np.sum(own > _FAR * _SIGMA * max(middle, 1e-12)))
        bins.append({"prediction": float(np.median(y[of == k])), "median": middle, "upper": upper})
    usable = [b for b in bins if b["prediction"] > 0 and b["median"] > 0]
    exponent = None
    if len(usable) >= 4 and usable[-1]["prediction"] > 1.5 * usable[0]["prediction"]:
        log_y = np.log([b["prediction"] for b in usable])
        exponent = float(np.polyfit(log_y, np.log([b["median"] for b in usable]), 1)[0])
    return {"exponent": exponent, "bins": bins, "tails": far / max(len(x), 1), "entries": len(x)}


def outliers(X, fit, exponent, width: float = 0.0, most: int = 20) -> dict[str, Any]:
    """Entries far from a fit, as it was measured for entries of their size.

    Parameters
    ----------
    X, fit : ndarray of shape (n, m)
    exponent : float or None
        How residuals grow with the fit.
    width : float, default=0.0
        Of the cells that entries were rounded to: residuals of smaller fits are as large as of one
        of this size.
    most : int
        Entries to name.

    Returns
    -------
    dict
        ``share``; ``entries``, a list of dict with ``row``, ``column``, ``value``, ``fit``, the
        farthest first; ``rows`` and ``columns`` with the most of them, as (index, count);
        ``places``, rows and columns of the farthest, as an array.
    """
    p = float(np.clip(exponent or 0.0, 0.0, 1.0))
    residual = X - fit
    size = np.maximum(fit, max(1e-3 * float(fit.mean()), width, 1e-300)) ** p
    scaled = np.abs(residual) / size
    middle = float(np.median(scaled[scaled > 0])) if np.any(scaled > 0) else 0.0
    far = scaled > _FAR * _SIGMA * middle if middle > 0 else np.zeros(X.shape, bool)
    places = np.argwhere(far)
    farthest = np.argsort(-scaled[far], kind="stable")
    named = [
        {"row": int(i), "column": int(j), "value": float(X[i, j]), "fit": float(fit[i, j])}
        for i, j in places[farthest[:most]]
    ]

    def crowded(axis):
        counts = far.sum(axis=axis)
        top = np.argsort(-counts, kind="stable")[:5]
        return [(int(k), int(counts[k])) for k in top if counts[k] > 0]

    return {
        "share": float(far.mean()),
        "entries": named,
        "rows": crowded(1),
        "columns": crowded(0),
        "places": places[farthest][:_SHOWN],
    }
