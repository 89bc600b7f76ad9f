"""Recognition: the label of the nearest training sample, in the space of the codes."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import pairwise_distances_argmin

from nmfbench.core.registry import register_task
from nmfbench.metrics.clustering import accuracy
from nmfbench.tasks.base import Outcome, split_of

__all__ = ["by_pseudo_inverse", "nearest_cosine", "recognition"]


@register_task(
    "recognition",
    summary="accuracy of the nearest neighbour on codes, of clean and of corrupted test samples",
    score="accuracy-5",
    score_name="accuracy of the nearest training sample by codes",
    higher_is_better=True,
    based_on="factorization",
    # A near tie between two neighbours: one sample of the smoke grids' 60.
    tolerances={"accuracy-*": 0.02, "zero-codes": 1},
    matters={"accuracy-*": 0.02, "zero-codes": None},
)
def recognition(data, solver, rng, base, *, clean_test=True):
    r"""Classify the test samples of a factorization by their nearest training sample.

    Algorithm 4 codes the *clean* test samples by the pseudo-inverse of the components,
    :math:`W = X H^\dagger`, and takes the nearest training code in Euclidean distance. Algorithm
    5 codes the *corrupted* ones under the solver's own loss and non-negativity, and takes the
    nearest by cosine. Components are scaled to unit length first: distances depend on it.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``, and ``clean`` where ``X`` is corrupted.
    solver, rng : ignored
    base : Outcome
        Of the task ``factorization``, with training and test samples.
    clean_test : bool, default=True
        Algorithm 4 sees the test samples without corruption, as in the paper; otherwise those
        that Algorithm 5 sees.

    Returns
    -------
    Outcome
        Metrics ``accuracy-4`` and ``accuracy-5``, by algorithm; ``accuracy-4-recoded``, where the
        training samples too are coded by the pseudo-inverse instead of by the fit;
        ``zero-codes``, how many test samples have the code zero, which counts as an error of
        Algorithm 5. Arrays ``predicted-4`` and ``predicted-5``, labels of the test samples.

    References
    ----------
    Guan et al. (2012), MahNMF, Algorithms 4 and 5, Figures 5 and 7.
    """
    arrays = base.arrays
    train, test = split_of(base)
    y = np.asarray(data.y)
    seen = data.get("clean", data.X) if clean_test else data.X
    lengths = np.linalg.norm(arrays["components"].astype(float), axis=1)
    codes, test_codes = arrays["W"] * lengths, arrays["codes"] * lengths
    projected, recoded = by_pseudo_inverse(arrays, seen[test], data.X[train])
    found = y[train][pairwise_distances_argmin(projected, codes)]
    found_recoded = y[train][pairwise_distances_argmin(projected, recoded)]
    nearest = nearest_cosine(test_codes, codes)
    zero = ~test_codes.any(axis=1)
    found_cosine = y[train][nearest]
    metrics = {
        "accuracy-4": accuracy(y[test], found),
        "accuracy-4-recoded": accuracy(y[test], found_recoded),
        "accuracy-5": np.mean((found_cosine == y[test]) & ~zero),
        "zero-codes": float(zero.sum()),
    }
    return Outcome(metrics, base.fit, {"predicted-4": found, "predicted-5": found_cosine})


def by_pseudo_inverse(arrays, *samples):
    """Coefficients of samples by the pseudo-inverse of the components of a fit, of unit length.

    Parameters
    ----------
    arrays : mapping
        Of the task ``factorization``: ``components``, and ``mean`` where the fit takes one off.
    *samples : ndarray of shape (n, m)

    Returns
    -------
    list of ndarray of shape (n, r)

    Examples
    --------
    >>> by_pseudo_inverse({"components": np.array([[3.0, 4.0]])}, np.array([[6.0, 8.0]]))
    [array([[10.]])]
    """
    H = arrays["components"]
    lengths = np.linalg.norm(H.astype(float), axis=1)
    H = H / np.where(lengths > 0, lengths, 1)[:, None]
    mean, inverse = arrays.get("mean", np.zeros(H.shape[1])), np.linalg.pinv(H)
    return [(X - mean) @ inverse for X in samples]


def nearest_cosine(A, B):
    """For each row of ``A`` the row of ``B`` with the largest cosine; zero rows have cosine 0.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> nearest_cosine(np.array([[2.0, 2.0], [0.0, 5.0]]), np.eye(2) + 0.1)
    array([0, 1])
    """
    lengths = np.linalg.norm(B, axis=1)
    return (A @ (B / np.where(lengths > 0, lengths, 1)[:, None]).T).argmax(axis=1)
