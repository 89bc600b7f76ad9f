"""OMF: online matrix factorization by exact updates of one basis after the other."""

from __future__ import annotations

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count, check_number
from nmfbench.optim.kernels.simplex import row_sweeps
from nmfbench.solvers.online.surrogate import BaseSurrogate


@register_solver(
    "omf",
    name="OMF",
    family="online",
    reference="Mairal et al. 2010",
    cost=("nmrr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class OMF(BaseSurrogate):
    r"""Online matrix factorization: block coordinate descent on a surrogate of the past.

    .. math:: \min_{W\ge0,\ \|w_j\|_1=1} E_v \min_{h\ge0} \tfrac12 \|v - Wh\|^2

    A sample v gets its coefficients :math:`h = \arg\min_{h\ge0}\frac12\|v - Wh\|^2`, which enter
    :math:`A = \sum hh^T` and :math:`B = \sum vh^T`; then the columns of W are improved in turn:

    .. math:: w_j \leftarrow \Pi\Big(w_j - \frac{1}{A_{jj}} (W a_j - b_j)\Big),

    the projection being that on the simplex, until a sweep moves W by less than ``tol``.

    Parameters
    ----------
    n_sweeps : int, optional
        Sweeps of a step; by default as many as ``tol`` asks for, at most 100. Mairal et al. make
        a single one.
    tol : float, default=1e-3
        Stop when a sweep moves W by no more than this share of its norm.
    forget, n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.surrogate.BaseSurrogate`.

    Notation
    --------
    Guan et al.'s W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: :math:`O(mr^2)` for its coefficients and for each sweep, whatever went before.

    Notes
    -----
    The surrogate never rises: its Hessian in one column is a multiple of the identity, so that the
    projected minimiser is the constrained one.

    References
    ----------
    Mairal, Bach, Ponce & Sapiro (2010), Online learning for matrix factorization, Algorithm 2.
    Guan et al. (2012), Online NMF with robust stochastic approximation, Eqs. (43)-(45).
    """

    n_sweeps: int | None = None
    tol: float = 1e-3

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.n_sweeps, "n_sweeps", optional=True)
        check_number(self.tol, "tol", at_least=0)

    def _improve(self, s):
        if self.n_sweeps is None:
            return row_sweeps(s.H, s.A, s.B, 100, self.tol)
        return row_sweeps(s.H, s.A, s.B, self.n_sweeps, 0.0)
