"""Projections on a cone: given data and a basis, the best non-negative representation.

For each loss, ``project_*(X, H, ...)`` minimises ``loss(X, W @ H)`` over ``W >= 0`` with
``H`` (r, n_features) fixed. The problems are convex (but for Itakura-Saito) and separate over
the rows of ``X``.
"""

from collections.abc import Callable
from typing import Any

from nmfbench.optim.projections.bregman import certify_kl, project_itakura_saito, project_kl
from nmfbench.optim.projections.frobenius import certify_frobenius, project_frobenius
from nmfbench.optim.projections.manhattan import certify_manhattan, project_manhattan

__all__ = [
    "CERTIFICATES",
    "PROJECTIONS",
    "project_frobenius",
    "project_itakura_saito",
    "project_kl",
    "project_manhattan",
]

PROJECTIONS: dict[str, Callable[..., Any]] = {
    "frobenius": project_frobenius,
    "manhattan": project_manhattan,
    "kl": project_kl,
    "itakura-saito": project_itakura_saito,
}

CERTIFICATES: dict[str, Callable[..., Any]] = {
    "frobenius": certify_frobenius,
    "manhattan": certify_manhattan,
    "kl": certify_kl,
}
"""Convex losses: ``certify_*(X, H)`` proves how near ``project_*(X, H)`` is to the optimum."""
