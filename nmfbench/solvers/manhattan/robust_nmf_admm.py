"""Robust NMF: local search for the l1 norm."""

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count
from nmfbench.optim.kernels.hals import hals_sweeps
from nmfbench.solvers.bases.l1_admm import BaseL1ADMM
from nmfbench.solvers.manhattan.base import BaseManhattan


@register_solver(
    "robust-nmf-admm",
    name="robust NMF (ADMM)",
    family="manhattan",
    reference="Kumar & Sindhwani 2015",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class RobustNMFADMM(BaseL1ADMM, BaseManhattan):
    r"""Local search for :math:`\min_{W,H\ge0}\|X-WH\|_1`.

    One iteration fits the target :math:`T=X-Z-U` by coordinate descent for non-negative least
    squares: sweeps over W, then over H.

    Parameters
    ----------
    sweeps : int, default=4
        Passes over each factor; the products with the target dominate the cost.
    init : {"uniform", "random", "median", "nndsvda", "nndsvd"}, default="uniform"
        Start, unless ``fit`` is given factors; see :mod:`nmfbench.optim.init`. The last two follow
        the outliers, and often end in a poorer local minimum.
    rho, max_iter : default 0.7 and 500
    n_components, random_state, n_init, tol
        See :class:`~nmfbench.solvers.bases.l1_admm.BaseL1ADMM`.

    Attributes
    ----------
    n_dead_components_ : int
        Components that are zero in either factor.

    Notation
    --------
    Kumar & Sindhwani hold samples in columns, X = W H; their X, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: three products of X's size with r vectors, and ``sweeps`` times
    :math:`O((n+m)r^2)`; memory for X and two arrays of its size.

    Notes
    -----
    The objective may rise; the best factors met are returned. ``fit_transform`` returns the W of
    the search, ``transform`` the exact l1 projection.

    Departures
    ----------
    The paper says "local search" and no more; the penalty that follows the residual is ours.
    Several starts are had by ``n_init=5``, say.

    References
    ----------
    Kumar & Sindhwani (2015), Near-separable non-negative matrix factorization with l1 and
    Bregman loss functions, Section 5.3.
    """

    sweeps: int = 4
    init: str = "uniform"
    rho: float = 0.7
    max_iter: int = 500
    tol: float = 1e-4

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.sweeps, "sweeps")

    def _update(self, s):
        hals_sweeps(s.W, s.target @ s.Ht, s.Ht.T @ s.Ht, self.sweeps)
        hals_sweeps(s.Ht, s.target.T @ s.W, s.W.T @ s.W, self.sweeps)
