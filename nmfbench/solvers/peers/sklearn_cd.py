"""scikit-learn's coordinate descent, under our contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sklearn.decomposition import NMF

from nmfbench.core.registry import register_solver
from nmfbench.solvers.peers.base import BasePeer


@register_solver(
    "sklearn-cd",
    name="scikit-learn CD",
    family="peers",
    reference="Pedregosa et al. 2011; Cichocki & Phan 2009",
    cost=("nmr",),
    wraps="scikit-learn",
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class SklearnCD(BasePeer):
    r""":class:`sklearn.decomposition.NMF` with ``solver="cd"``, from our initial factors.

    It minimises :math:`\|X-WH\|_F^2` by cyclic coordinate descent.

    Parameters
    ----------
    tol : float, default=1e-4
        scikit-learn's own rule: stop when the violation of the optimality conditions has fallen
        to this share of its first value. It is not the rule of our own solvers.
    n_components, random_state, init, max_iter
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Notation
    --------
    As ours.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, and :math:`O((n+m)r^2)`.

    Notes
    -----
    The objective never rises. The trace has the start and the end only, because scikit-learn
    runs all iterations in one call; ``n_iter_`` is its count.
    """

    loss: ClassVar[str] = "frobenius"

    def _peer(self, r):
        return NMF(n_components=r, init="custom", solver="cd", tol=self.tol, max_iter=self.max_iter)
