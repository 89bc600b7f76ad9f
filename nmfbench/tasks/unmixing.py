"""Unmixing: which spectra, in which abundances, do the pixels of an image mix?"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment, nnls

from nmfbench.core.registry import register_task
from nmfbench.metrics.factors import spectral_angle, spectral_angles
from nmfbench.tasks.base import Outcome

__all__ = ["abundances", "unmixing"]


@register_task(
    "unmixing",
    summary="angle of the components to the spectra that were mixed, and error of the abundances",
    title="Spectral unmixing",
    score="spectral-angle",
    score_name="mean angle to the mixed spectra, in degrees",
    higher_is_better=False,
    based_on="factorization",
    # Zero up to the single precision in which factors are kept: anchors that are pure pixels.
    tolerances={"spectral-angle*": 1e-3, "abundance-error": 1e-5},
    # A degree; two points of a pixel.
    matters={"spectral-angle*": 1.0, "abundance-error": 0.02},
)
def unmixing(data, solver, rng, base):
    """Compare the factors of pixels with the spectra and abundances that they were mixed from.

    Components and spectra are matched so that the mean angle is smallest. The angle depends on no
    scale; that of the abundances is found without the true ones, see :func:`abundances`.

    Parameters
    ----------
    data : Bunch
        With ``components``, the spectra, and ``weights``, the abundances, of its mixtures.
    solver, rng : ignored
    base : Outcome
        Of the task ``factorization``, with as many components as there are spectra.

    Returns
    -------
    Outcome
        Metrics ``spectral-angle``, the mean over the spectra, and ``spectral-angle-worst``, in
        degrees; ``abundance-error``, the root of the mean square over pixels and spectra. A
        spectrum without a component, or whose component is zero, is at a right angle, with
        abundance zero. Then the metrics of the factorization.

    References
    ----------
    Miao & Qi (2007), Endmember extraction from highly mixed data using minimum volume constrained
    NMF; Bioucas-Dias et al. (2012), Hyperspectral unmixing overview.
    """
    arrays = base.arrays
    true = data.components
    angles = spectral_angles(true, arrays["components"])
    spectra, matches = linear_sum_assignment(angles)
    found = np.zeros((len(arrays["train"]), len(true)))
    found[:, spectra] = abundances(arrays["W"])[:, matches]
    metrics = {
        "spectral-angle": spectral_angle(true, arrays["components"]),
        "spectral-angle-worst": angles[spectra, matches].max() if len(spectra) == len(true) else 90,
        "abundance-error": np.sqrt(np.mean((found - data.weights[arrays["train"]]) ** 2)),
    }
    return Outcome(metrics | base.metrics, base.fit)


def abundances(W):
    r"""Scale the columns of W so that its rows sum to one, as nearly as can be.

    Abundances do, but a factorization leaves the scale of each component open. The scales are
    :math:`\arg\min_{s \ge 0} \|W s - 1\|^2`, so that ``W`` of any scale gives the same, and they
    are the right ones if some scales make it exact and the columns are linearly independent.

    Parameters
    ----------
    W : ndarray of shape (n_samples, r), non-negative

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> abundances(np.array([[2.0, 0.0], [1.0, 5.0], [0.0, 10.0]])).round(6)
    array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 1. ]])
    """
    W = np.asarray(W, dtype=np.float64)
    lengths = np.linalg.norm(W, axis=0)
    unit = W / np.where(lengths > 0, lengths, 1)
    return unit * nnls(unit, np.ones(len(W)))[0]
