"""MahNMF by rank-one residual iteration: weighted medians, one coordinate at a time."""

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.solvers.manhattan.rri import BaseRRI


@register_solver(
    "mahnmf-rri",
    name="MahNMF (RRI)",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    cost=("nmr",),
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFRRI(BaseRRI):
    r"""Rank-one residual iteration for :math:`\min_{W,H\ge0}\|X-WH\|_1`.

    Every entry in turn becomes the weighted median that minimises the loss over it,

    .. math:: W_{ik} \leftarrow \arg\min_{x\ge0}\sum_j H_{kj}\,\Big|\frac{Z_{ij}}{H_{kj}}-x\Big|,
              \qquad Z = X - \sum_{l\ne k} W_{:l}H_{l:},

    the left-most one where it is not unique; entries with :math:`H_{kj}=0` play no part.

    Parameters
    ----------
    inner_sweeps, inner_tol, median, revive
        See :class:`~nmfbench.solvers.manhattan.rri.BaseRRI`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.

    Notation
    --------
    The paper's V, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: :math:`O(nmr)` expected with ``median="select"``, and a factor :math:`\log n
    + \log m` more with ``"sort"``; memory for two residuals. On sparse data :math:`O(r\,
    \mathrm{nnz}(X) + (n+m)r)`, with a copy of ``X`` by columns and nothing else of its size.

    Notes
    -----
    The objective never rises. The fixed points are coordinate-wise optima, which need not solve
    the convex sub-problem over one factor, although the paper says so: kinks of the loss couple
    the coordinates. With H = [[3, 1, 0], [3, 0, 0.5]] and x = (6, 0, 1), w = (1, 1) is such a
    point, of loss 1.5; w = (0, 2) has loss 0. ``transform`` does solve the sub-problem.

    Where X is zero, the loss is linear, so all zeros of a row are one point of the median, at
    zero. If more than half of the weight of :math:`H_{k:}` lies on them, zero is the best value
    of the entry, whatever the others are: of very sparse data the solution may be zero. Iterates
    on sparse data are those on dense data to rounding, which decides ties, and may decide more:
    where every entry of a component comes out exactly zero, remainders of 1e-19 in dense residuals
    can let it grow again (``revive=True`` does that for both).

    Departures
    ----------
    One sweep over each factor an iteration, which is the fastest choice as a rule;
    ``inner_sweeps=None`` is the paper's. No shift is tried before the median is searched for,
    and the residual is updated in place instead of Z being formed. Sparse data have the linear
    part of Seraghiti et al. instead of their zeros.

    References
    ----------
    Guan et al. (2012), MahNMF, Algorithm 1, Eqs. (5)-(8).
    Seraghiti, Vandaele, Dubrulle & Gillis (2026), arXiv 2603.29715, for sparse data.
    """
