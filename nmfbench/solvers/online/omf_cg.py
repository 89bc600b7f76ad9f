"""OMF-CG: online matrix factorization by projected Newton steps from conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.solvers.online.omf_da import BaseProjectedStep

_RIDGE = 1e-10
_TOL = 1e-3


def conjugate_gradients(A, G, tol, max_iter):
    """Solve ``A Q = G`` for all columns of ``G`` at once, from zero.

    Parameters
    ----------
    A : ndarray of shape (r, r), symmetric and positive definite
    G : ndarray of shape (r, m)
    tol : float
        Stop when the residual is no larger than this share of ``G``.
    max_iter : int

    Returns
    -------
    Q : ndarray of shape (r, m)
    """
    power = np.frexp(np.abs(G).max(initial=0.0))[1]  # squares of large data could overflow
    G = np.ldexp(G, -power)
    Q = np.zeros_like(G)
    residual, along = G.copy(), G.copy()
    squares = np.sum(residual * residual, axis=0)
    enough = (tol * np.linalg.norm(G)) ** 2
    for _ in range(max_iter):
        if squares.sum() <= enough:
            break
        image = A @ along
        curvature = np.sum(along * image, axis=0)
        step = np.divide(squares, curvature, out=np.zeros_like(squares), where=curvature > 0)
        Q += step * along
        residual -= step * image
        new = np.sum(residual * residual, axis=0)
        ratio = np.divide(new, squares, out=np.zeros_like(new), where=squares > 0)
        along = residual + ratio * along
        squares = new
    return np.ldexp(Q, power)


@register_solver(
    "omf-cg",
    name="OMF-CG",
    family="online",
    reference="Wang, Li & König 2011",
    cost=("nmrrr",),
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class OMFCG(BaseProjectedStep):
    r"""Online matrix factorization: Newton's step on the surrogate, by conjugate gradients.

    .. math:: \min_{W\ge0,\ \|w_j\|_1=1} E_v \min_{h\ge0} \tfrac12 \|v - Wh\|^2

    Samples enter the sums A and B as in :class:`~nmfbench.solvers.online.omf.OMF`; then

    .. math:: W \leftarrow \Pi(W - sQ), \quad QA = WA - B,

    Q from at most r steps of conjugate gradients.

    Parameters
    ----------
    tol, max_iter_inner, safeguard
        See :class:`~nmfbench.solvers.online.omf_da.BaseProjectedStep`.
    forget, n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.surrogate.BaseSurrogate`.

    Notation
    --------
    Guan et al.'s W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: :math:`O(mr^2)` for its coefficients and for each step of the conjugate
    gradients, of which an inner step takes up to r.

    Departures
    ----------
    A gets a ridge of 1e-10 of its mean diagonal. After Newton's direction the
    projection in the Euclidean metric need not descend for any step: by default an exact sweep
    of OMF is made then, and counted.

    References
    ----------
    Wang, Li & König (2011), Efficient document clustering via online NMF.
    Guan et al. (2012), Online NMF with robust stochastic approximation, Section IV-F.
    """

    def _direction(self, s, gradient):
        r = len(s.A)
        A = s.A + _RIDGE * np.trace(s.A) / r * np.eye(r)
        return conjugate_gradients(A, gradient, _TOL, r)
