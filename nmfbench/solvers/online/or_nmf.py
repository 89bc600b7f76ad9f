"""OR-NMF: online NMF by robust stochastic approximation over all samples so far."""

from __future__ import annotations

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.solvers.online.buffered import BasePenalized


@register_solver(
    "or-nmf",
    name="OR-NMF",
    family="online",
    reference="Guan et al. 2012",
    cost=("nmrr",),
    paper="or-nmf",
)
@dataclass(eq=False, repr=False, kw_only=True)
class ORNMF(BasePenalized):
    r"""Online NMF: averaged stochastic gradients over a buffer of all samples so far.

    .. math:: \min_{W\ge0,\ \|w_j\|_1=1} E_v \min_{h\ge0} \tfrac12 \|v - Wh\|^2

    A sample v gets its coefficients :math:`h = \arg\min_{h\ge0}\frac12\|v-Wh\|^2` and joins the
    buffer B; then W becomes the average of steps

    .. math:: W_{k+1} = \Pi\big(W_k - r_k (W_k h_k - v_k) h_k^T\big), \quad
              r_k = \frac{\theta_t \sqrt{2r}}{M_* \sqrt k}, \quad
              W \leftarrow \frac{\sum_k r_k W_k}{\sum_k r_k}

    over pairs :math:`(v_k, h_k)` of B in random order, on the simplex: columns of W have unit sum.

    Parameters
    ----------
    penalty, lam, alpha, beta, bounds, theta, horizon, tol, max_iter_inner, keep_max
        See :class:`~nmfbench.solvers.online.buffered.BasePenalized`.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Notation
    --------
    Its W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: its coefficients, :math:`O(mr^2)`, and :math:`O(mr)` for each inner step.
    Memory grows with the samples seen, by m + r numbers each.

    Notes
    -----
    It minimises the same surrogate as :class:`~nmfbench.solvers.online.omf.OMF`, less exactly: rule
    (9) looks at how far the average moves, which small steps make small, converged or not.
    ``inner_iterations_`` and ``visited_share_`` say how much of the buffer was looked at.

    Departures
    ----------
    :math:`M_*` is kept from sample to sample (``keep_max``), and pairs are permuted again in each
    pass over the buffer: the paper does not say. Rule (9) is tested from the second average on,
    because the first is the start itself.

    References
    ----------
    Guan, Tao, Luo & Yuan (2012), Online NMF with robust stochastic approximation, Algorithms 1, 2.
    """
