"""Random bases, which never learn: the start of the online solvers, as a baseline for them."""

from __future__ import annotations

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.solvers.online.base import BaseOnline, exact_codes


@register_solver(
    "random-bases",
    name="untrained bases",
    family="online",
    reference="baseline",
    monotone=True,
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class RandomBases(BaseOnline):
    r"""Uniform random numbers, scaled to unit sum, whatever the samples.

    .. math:: W_{ij} = U_{ij} / \sum_i U_{ij}, \quad U_{ij} \sim \mathrm{Uniform}(0, 1)

    From one seed all online solvers with bases on the simplex start here, so that the difference of
    their scores to this one's is due to learning. ``transform`` solves the non-negative
    least-squares problem on these bases.

    Parameters
    ----------
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Notation
    --------
    Guan et al.'s :math:`W^0` is our ``components_.T``.

    Cost
    ----
    Coefficients of the samples, which change nothing.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Algorithm 1, statement 1.
    """

    def _chunk_size(self, r):
        return r

    def _learn(self, V, s):
        return exact_codes(V, s.H)
