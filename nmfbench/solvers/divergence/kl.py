"""Base of the solvers of the Kullback-Leibler divergence: objective, transform, certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nmfbench.optim import losses
from nmfbench.optim.projections.bregman import certify_kl, project_kl
from nmfbench.solvers.divergence.base import BaseDivergence

__all__ = ["BaseKL"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseKL(BaseDivergence):
    """Base of solvers that minimise the generalised Kullback-Leibler divergence.

    Parameters
    ----------
    stop, patience
        See :class:`~nmfbench.solvers.divergence.base.BaseDivergence`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.
    """

    loss: ClassVar[str | None] = "kl"

    def _objective(self, X, s):
        return losses.kl(X, s.W, s.Ht)

    def _project(self, X):
        return project_kl(X, self._basis(X))

    def _certify(self, X):
        return certify_kl(X, self.components_)
