"""Projections on a cone: given data and a basis, the best non-negative representation.

For each loss, ``project_*(X, H, ...)`` minimises ``loss(X, W @ H)`` over ``W >= 0`` with
``H`` (r, n_features) fixed. The problems are convex (but for Itakura-Saito) and separate over
the rows of ``X``.
"""

from nmfbench.optim.projections.bregman import project_itakura_saito, project_kl
from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.optim.projections.manhattan import project_manhattan

__all__ = [
    "PROJECTIONS",
    "project_frobenius",
    "project_itakura_saito",
    "project_kl",
    "project_manhattan",
]

PROJECTIONS = {
    "frobenius": project_frobenius,
    "manhattan": project_manhattan,
    "kl": project_kl,
    "itakura-saito": project_itakura_saito,
}
