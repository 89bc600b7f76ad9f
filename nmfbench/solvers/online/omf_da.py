"""OMF-DA: online matrix factorization by projected steps scaled by a diagonal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count, check_number
from nmfbench.optim.kernels.simplex import project_rows, row_sweeps
from nmfbench.solvers.online.surrogate import BaseSurrogate, surrogate

_HALVINGS = 20


@dataclass(eq=False, repr=False, kw_only=True)
class BaseProjectedStep(BaseSurrogate):
    """Base of solvers that move all bases at once, along a scaled gradient, and project.

    A solver gives ``_direction(s, gradient)``.

    Parameters
    ----------
    tol : float, default=1e-3
        Stop when a step moves W by no more than this share of its norm.
    max_iter_inner : int, default=100
        Inner iterations of a step, at most.
    safeguard : bool, default=True
        Halve the step until the surrogate does not rise; where none of 20 halvings helps, make
        an exact sweep of :class:`~nmfbench.solvers.online.omf.OMF` instead. False is the printed
        step, which may diverge.
    forget, n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.surrogate.BaseSurrogate`.

    Attributes
    ----------
    n_rises_ : int
        Whole steps that would have raised the surrogate, or did.
    n_sweeps_ : int
        Exact sweeps made in place of a step.
    """

    tol: float = 1e-3
    max_iter_inner: int = 100
    safeguard: bool = True

    def _direction(self, s, gradient):
        raise NotImplementedError

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.tol, "tol", at_least=0)
        check_count(self.max_iter_inner, "max_iter_inner")

    def _prepare(self, s):
        super()._prepare(s)
        s.rises = s.sweeps = 0

    def _improve(self, s):
        product = s.A @ s.H
        for step in range(1, self.max_iter_inner + 1):
            old = s.H
            s.H, product = self._moved(s, self._direction(s, product - s.B), product)
            if np.linalg.norm(s.H - old) <= self.tol * np.linalg.norm(s.H):
                return step
        return self.max_iter_inner

    def _moved(self, s, direction, product):
        """Next bases, and their product with ``s.A``."""
        before = surrogate(s.H, product, s.B)
        for k in range(_HALVINGS + 1):
            H = s.H - 0.5**k * direction
            project_rows(H, 0.0, 0.0)
            product = s.A @ H
            rises = surrogate(H, product, s.B) > before
            s.rises += rises and k == 0
            if not (rises and self.safeguard):
                return H, product
        s.sweeps += 1
        H = s.H.copy()
        row_sweeps(H, s.A, s.B, 1, 0.0)
        return H, s.A @ H

    def _expose(self, X, s):
        super()._expose(X, s)
        self.n_rises_, self.n_sweeps_ = s.rises, s.sweeps


@register_solver(
    "omf-da",
    name="OMF-DA",
    family="online",
    reference="Wang, Li & König 2011",
    cost=("nmrr",),
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class OMFDA(BaseProjectedStep):
    r"""Online matrix factorization: the Hessian of the surrogate taken as diagonal.

    .. math:: \min_{W\ge0,\ \|w_j\|_1=1} E_v \min_{h\ge0} \tfrac12 \|v - Wh\|^2

    Samples enter the sums A and B as in :class:`~nmfbench.solvers.online.omf.OMF`; then all columns
    of W move at once:

    .. math:: W \leftarrow \Pi\big(W - s (WA - B)\,\mathrm{diag}(A)^{-1}\big).

    Parameters
    ----------
    tol, max_iter_inner, safeguard
        See :class:`BaseProjectedStep`.
    forget, n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.surrogate.BaseSurrogate`.

    Notation
    --------
    Guan et al.'s W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: :math:`O(mr^2)` for its coefficients and for each inner step.

    Departures
    ----------
    With s = 1, as printed, the step diverges where coefficients are correlated; by
    default it is halved until the surrogate does not rise.

    References
    ----------
    Wang, Li & König (2011), Efficient document clustering via online NMF.
    Guan et al. (2012), Online NMF with robust stochastic approximation, Section IV-F.
    """

    def _direction(self, s, gradient):
        diagonal = np.diag(s.A)[:, None]
        return np.divide(gradient, diagonal, out=np.zeros_like(gradient), where=diagonal > 0)
