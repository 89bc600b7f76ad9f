"""Recognition by the nearest code, on bases learned without labels."""

from __future__ import annotations

import numpy as np
from scipy.linalg import pinv
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import normalize

from nmfbench.core.registry import register_task
from nmfbench.metrics.clustering import accuracy
from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.tasks.base import Outcome, split_of

__all__ = ["nearest_code"]

_RTOL = 1e-10  # of the singular values of the bases that count


@register_task(
    "nearest-code",
    title="Recognition by the nearest code",
    summary="accuracy of the nearest training sample by codes, training and test coded alike",
    score="accuracy-nnls",
    score_name="accuracy of the nearest training sample by NNLS codes",
    higher_is_better=True,
    based_on="factorization",
    # A near tie between two neighbours: one sample of the smoke grids' 50.
    tolerances={"accuracy-*": 0.02},
    matters={"accuracy-*": 0.02},
)
def nearest_code(data, solver, rng, base):
    r"""Classify the test samples of a factorization by the Euclidean distance of codes.

    Samples have unit length here, and training and test samples are coded alike on the learned
    bases: by non-negative least squares, :math:`\arg\min_{h\ge0}\|v-Wh\|^2`, whatever the solver's
    own loss is, and by the pseudo-inverse, :math:`W^\dagger v`, signs included. The rank may exceed
    the number of training samples.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``.
    solver, rng : ignored
    base : Outcome
        Of the task ``factorization``, with training and test samples.

    Returns
    -------
    Outcome
        Metrics ``accuracy-nnls`` and ``accuracy-pinv``, on bases scaled to unit length, since
        distances depend on it; ``accuracy-nnls-simplex``, on bases scaled to unit sum. As
        references, ``accuracy-pixels``, by the samples themselves, and ``accuracy-svd``, by their
        projections on as many leading singular vectors of the training samples as there are bases,
        or all of them. Arrays ``predicted-nnls`` and ``predicted-pinv``, labels of the test
        samples.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Section V-B, Figures 10
    and 11; the references are ours.
    """
    train, test = split_of(base)
    y = np.asarray(data.y)
    known, unseen = (normalize(data.X[rows]) for rows in (train, test))
    H = base.arrays["components"].astype(float)
    unit, simplex = normalize(H), normalize(H, norm="l1")
    inverse = pinv(unit, rtol=_RTOL)
    singular = np.linalg.svd(known, full_matrices=False)[2][: len(H)]
    codings = {
        "nnls": lambda X: project_frobenius(X, unit),
        "pinv": lambda X: X @ inverse,
        "nnls-simplex": lambda X: project_frobenius(X, simplex),
        "svd": lambda X: X @ singular.T,
        "pixels": lambda X: X,
    }
    found = {
        name: y[train][pairwise_distances_argmin(code(unseen), code(known))]
        for name, code in codings.items()
    }
    metrics = {f"accuracy-{name}": accuracy(y[test], labels) for name, labels in found.items()}
    arrays = {f"predicted-{name}": found[name] for name in ("nnls", "pinv")}
    return Outcome(metrics, base.fit, arrays)
