"""MOR-NMF: OR-NMF whose buffer holds the latest samples only."""

from __future__ import annotations

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.solvers.online.buffered import BasePenalized


@register_solver(
    "mor-nmf",
    name="MOR-NMF",
    family="online",
    reference="Guan et al. 2012",
    cost=("nmrr",),
    paper="or-nmf",
)
@dataclass(eq=False, repr=False, kw_only=True)
class MORNMF(BasePenalized):
    r"""Online NMF: averaged stochastic gradients over a buffer of the latest samples.

    .. math:: \min_{W\ge0,\ \|w_j\|_1=1} E_v \min_{h\ge0} \tfrac12 \|v - Wh\|^2

    As :class:`~nmfbench.solvers.online.or_nmf.ORNMF`, with a sample replacing the oldest one once
    the buffer is full: :math:`\min_W \frac{1}{l} \sum_{i=t-l+1}^{t} \frac12 \|v_i - W h_i\|^2`
    over the simplex.

    Parameters
    ----------
    buffer : int, default=20
        Samples that are kept; the paper takes a tenth of all, at most 20.
    penalty, lam, alpha, beta, bounds, theta, horizon, tol, max_iter_inner, keep_max
        See :class:`~nmfbench.solvers.online.buffered.BasePenalized`.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Notation
    --------
    Its W, V are our ``components_.T``, ``X.T``; its l is ``buffer``.

    Cost
    ----
    A sample: that of OR-NMF. Memory and time do not grow with the samples seen.

    Notes
    -----
    Information from older samples survives in W alone, and the first steps, the longest, move W.

    References
    ----------
    Guan, Tao, Luo & Yuan (2012), Online NMF with robust stochastic approximation, Algorithm 3.
    """

    buffer: int | None = 20  # type: ignore[misc]  # of the base a constant
