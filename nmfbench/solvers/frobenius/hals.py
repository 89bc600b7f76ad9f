"""HALS: hierarchical alternating least squares, with repeated inner sweeps."""

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count
from nmfbench.optim.kernels.hals import hals_sweeps
from nmfbench.solvers.frobenius.base import BaseFrobenius


@register_solver(
    "hals",
    name="HALS",
    family="frobenius",
    reference="Cichocki & Phan 2009; Gillis & Glineur 2012",
    cost=("nmr",),
    monotone=True,
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class HALS(BaseFrobenius):
    r"""Exact block coordinate descent on :math:`\min_{W,H\ge0}\|X-WH\|_F^2`.

    One iteration makes ``sweeps`` passes over the columns of W, then over the rows of H:

    .. math:: W_{:k} \leftarrow \Big(W_{:k} +
              \frac{(XH^T)_{:k} - W (HH^T)_{:k}}{(HH^T)_{kk}}\Big)_+ .

    Parameters
    ----------
    sweeps : int, default=3
        Passes for each product of ``X`` with a factor; those products dominate the cost.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Notation
    --------
    Cichocki & Phan's Y, A, B are our X.T, Ht, W; Gillis & Glineur's M, U, V are our X, W, H.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, and ``sweeps`` times
    :math:`O((n+m)r^2)`.

    Notes
    -----
    The objective never rises, as every update minimises it over one column; limit points are
    stationary if no component dies.

    Departures
    ----------
    The number of inner sweeps is fixed, where Gillis & Glineur stop them by their progress. A
    component whose partner is zero is left as it is, instead of being kept above a small
    constant: the partner can then come back in the next half-step.

    References
    ----------
    Cichocki & Phan (2009), Fast local algorithms for large scale NMF, Algorithm 2.
    Gillis & Glineur (2012), Accelerated multiplicative updates and hierarchical ALS, Section 4.
    """

    sweeps: int = 3

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.sweeps, "sweeps")

    def _update(self, factor, cross, gram):
        hals_sweeps(factor, cross, gram, self.sweeps)
