"""WOR-NMF: OR-NMF on chunks of samples."""

from __future__ import annotations

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count
from nmfbench.solvers.online.buffered import BasePenalized


@register_solver(
    "wor-nmf",
    name="WOR-NMF",
    family="online",
    reference="Guan et al. 2012",
    cost=("nmr",),
    paper="or-nmf",
)
@dataclass(eq=False, repr=False, kw_only=True)
class WORNMF(BasePenalized):
    r"""Online NMF: averaged stochastic gradients, after chunks of samples.

    .. math:: \min_{W\ge0,\ \|w_j\|_1=1} E_v \min_{h\ge0} \tfrac12 \|v - Wh\|^2

    As :class:`~nmfbench.solvers.online.or_nmf.ORNMF`, with the coefficients of j samples at a time,
    :math:`\min_{H\ge0}\frac12\|V-WH\|_F^2`, all of which join the buffer before W is improved.

    Parameters
    ----------
    chunk : int, optional
        Samples of a step; by default ``n_components``. With 1 this is OR-NMF, to the bit.
    buffer : int, optional
        Chunks that are kept; by default all.
    penalty, lam, alpha, beta, bounds, theta, horizon, tol, max_iter_inner, keep_max
        See :class:`~nmfbench.solvers.online.buffered.BasePenalized`.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Notation
    --------
    Its W, V are our ``components_.T``, ``X.T``; its j is ``chunk``.

    Cost
    ----
    A chunk: coefficients of j samples, and :math:`O(mr)` for each inner step.

    Departures
    ----------
    The size of a chunk is not given; r, as the paper has it for ONMF.

    References
    ----------
    Guan, Tao, Luo & Yuan (2012), Online NMF with robust stochastic approximation, Eq. (27).
    """

    chunk: int | None = None
    buffer: int | None = None  # type: ignore[misc]  # of the base a constant

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.chunk, "chunk", optional=True)

    def _chunk_size(self, r):
        return self.chunk or r
