"""scikit-learn's multiplicative updates for Kullback-Leibler, under our contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sklearn.decomposition import NMF

from nmfbench.core.registry import register_solver
from nmfbench.solvers.bases.loop import UNFINISHED
from nmfbench.solvers.peers.base import BasePeer


@register_solver(
    "sklearn-mu",
    name="scikit-learn MU",
    family="peers",
    reference="Pedregosa et al. 2011; Lee & Seung 2001",
    cost=("nmr",),
    wraps="scikit-learn",
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class SklearnMU(BasePeer):
    r""":class:`sklearn.decomposition.NMF` with ``solver="mu"``, from our initial factors.

    It minimises the generalised Kullback-Leibler divergence of ``X`` from :math:`WH`, and
    updates W, then H with the new W.

    Parameters
    ----------
    tol : float, default=1e-4
        scikit-learn's own rule: stop when ten iterations lowered the square root of twice the
        divergence by less than this share of its first value. It is not the rule of our own
        solvers.
    n_components, random_state, init, max_iter
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Notation
    --------
    As ours.

    Cost
    ----
    Per iteration: four products of the size of ``X H^T`` and several arrays of the size of
    ``X``; :math:`O(r\,\mathrm{nnz}(X))` on sparse data.

    Notes
    -----
    The objective never rises. The trace has the start and the end only, because scikit-learn
    runs all iterations in one call; ``n_iter_`` is its count.
    """

    loss: ClassVar[str] = "kl"
    unlike_transform: ClassVar[str | None] = UNFINISHED

    def _peer(self, r):
        return NMF(
            n_components=r,
            init="custom",
            solver="mu",
            beta_loss="kullback-leibler",
            tol=self.tol,
            max_iter=self.max_iter,
        )
