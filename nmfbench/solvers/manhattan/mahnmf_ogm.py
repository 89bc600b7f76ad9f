"""MahNMF by Nesterov's smoothing and his optimal gradient method."""

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.solvers.manhattan.smoothed import BaseSmoothed


@register_solver(
    "mahnmf-ogm",
    name="MahNMF (OGM)",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFOGM(BaseSmoothed):
    r"""Smoothing method for :math:`\min_{W,H\ge0}\|X-WH\|_1`.

    Parameters
    ----------
    mu0, decay, lipschitz, stop, inner_max_iter, inner_tol, monotone, restart, safeguard
        See :class:`~nmfbench.solvers.manhattan.smoothed.BaseSmoothed`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.

    Notation
    --------
    The paper's V, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: two products of ``X`` 's size with r vectors for each inner gradient.

    Notes
    -----
    The objective may rise; the best factors met are kept.

    Departures
    ----------
    A sub-problem ends when its projected gradient has fallen enough, and not by the change of
    the smoothed objective of Eq. (22), which ``stop="objective"`` has. The first smoothing
    parameter suits data and starts of order one.

    References
    ----------
    Guan et al. (2012), MahNMF, Algorithm 3, Eqs. (9)-(26).
    """
