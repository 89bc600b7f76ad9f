"""Reconstruction: how near do the factors of corrupted samples come to the clean ones?"""

from __future__ import annotations

from nmfbench.metrics import relative_error
from nmfbench.registry import register_task
from nmfbench.tasks.base import Outcome

__all__ = ["reconstruct", "reconstruction"]


@register_task(
    "reconstruction",
    summary="relative error of reconstructions against the clean samples, training and test",
    based_on="factorization",
)
def reconstruction(data, solver, rng, base):
    r"""Relative error :math:`\|X - W H\|_F / \|X\|_F` with ``X`` the *clean* samples.

    The factors are those of the corrupted samples: ``W`` of the fit for the training part, the
    codes on the fitted components for the test part.

    Parameters
    ----------
    data : Bunch
        With ``X``, and ``clean`` where ``X`` is corrupted.
    solver, rng : ignored
    base : Outcome
        Of the task ``factorization``.

    Returns
    -------
    Outcome
        Metrics ``relative-error-train`` and, if there is a test part, ``relative-error-test``.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2, Table 1.
    """
    clean = data.get("clean", data.X)
    metrics = {}
    for part in ("train", "test"):
        rows = base.arrays[part]
        if len(rows):
            error = relative_error(clean[rows], reconstruct(base.arrays, part))
            metrics[f"relative-error-{part}"] = error
    return Outcome(metrics, base.fit)


def reconstruct(arrays, part):
    """Samples as a factorization gives them back.

    Parameters
    ----------
    arrays : mapping
        Of the task ``factorization``.
    part : {"train", "test"}

    Returns
    -------
    ndarray of shape (n_samples, n_features)
    """
    codes = arrays["W" if part == "train" else "codes"]
    X = codes.astype(float) @ arrays["components"].astype(float)
    return X + arrays["mean"] if "mean" in arrays else X
