"""NMF-MU: multiplicative updates for the Frobenius norm."""

from dataclasses import dataclass
from typing import ClassVar

from nmfbench.core.registry import register_solver
from nmfbench.optim.kernels.multiplicative import ratio_update
from nmfbench.solvers.bases.loop import UNFINISHED
from nmfbench.solvers.frobenius.base import BaseFrobenius


@register_solver(
    "mu",
    name="NMF-MU",
    family="frobenius",
    reference="Lee & Seung 2001",
    cost=("nmr",),
    monotone=True,
    properties=("features", "nontrivial"),
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class MU(BaseFrobenius):
    r"""Multiplicative updates for :math:`\min_{W,H\ge0}\|X-WH\|_F^2`.

    One iteration updates W, then H with the new W:

    .. math:: W \leftarrow W \odot \frac{X H^T}{W H H^T}, \qquad
              H \leftarrow H \odot \frac{W^T X}{W^T W H}.

    Parameters
    ----------
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Notation
    --------
    Their V, W, H are our X, W, H.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, and :math:`O((n+m)r^2)`.

    Notes
    -----
    The objective never rises. Limits need not be stationary: an entry that is zero stays zero,
    which is why "nndsvd" is a poor start here.

    Departures
    ----------
    Denominators are formed from Gram matrices. Where one is zero the entry stays, which leaves
    the objective as it is; no constant is added, so the descent is kept exactly.

    References
    ----------
    Lee & Seung (2001), Algorithms for non-negative matrix factorization, Eq. (4).
    """

    unlike_transform: ClassVar[str | None] = UNFINISHED

    def _update(self, factor, cross, gram):
        ratio_update(factor, cross, factor @ gram)
