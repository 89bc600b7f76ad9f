"""Sym-MU: a symmetric matrix of similarities as ``H H^T``, in the Frobenius norm."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.optim.init import symmetric_uniform
from nmfbench.optim.kernels.multiplicative import halfway_update
from nmfbench.solvers.frobenius.base import BaseFrobenius


@register_solver(
    "sym-mu",
    name="Sym-MU",
    family="frobenius",
    reference="Ding, He & Simon 2005",
    cost=("nnr",),
    properties=("discriminability", "nontrivial"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class SymMU(BaseFrobenius):
    r"""Multiplicative updates for a symmetric factorization, :math:`\min_{H\ge0}\|X-HH^T\|_F^2`.

    One iteration goes half the way of the multiplicative step:

    .. math:: H \leftarrow H \odot \left(\tfrac12 + \tfrac12 \frac{X H}{H H^T H}\right).

    Of a normalised affinity this is spectral clustering with non-negative in place of orthonormal
    columns. It is the twin of :class:`~nmfbench.solvers.manhattan.mahnmf_sym.MahNMFSym`, whose
    default start is that of this solver after 300 iterations.

    Parameters
    ----------
    init : {"uniform"}, default="uniform"
        Start, unless ``fit`` is given factors ``W`` and ``H = W.T``: uniform numbers, scaled so
        that the product fits best.
    max_iter : int, default=300
        Most iterations.
    tol : float, default=1e-4
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.
    n_components, random_state
        See :class:`~nmfbench.solvers.bases.loop.BaseNMF`.

    Notation
    --------
    Their W, H are our X and ``fit_transform(X)``.

    Cost
    ----
    Per iteration: one product of ``X``, dense or sparse, with r vectors, and :math:`O(nr^2)`.

    Notes
    -----
    ``X`` is a non-negative symmetric matrix (n_samples, n_samples). ``fit_transform`` returns the
    H of the formula, of shape (n_samples, r), and ``components_`` is its transpose. ``transform``
    takes similarities of new samples to the samples of the fit, and represents them on the
    components by least squares, in which only one of two factors is fitted.

    A limit without zeros is stationary. The objective may rise: from a start far too small the
    first step overshoots, of X = (1) from H = (0.1) to H = (5.05), and now and then a later one
    does. An entry that is zero stays zero.

    Departures
    ----------
    Denominators are raised to the smallest normal number; there is no other constant.

    References
    ----------
    Ding, He & Simon (2005), On the equivalence of nonnegative matrix factorization and spectral
    clustering; quoted in Guan et al. (2012), MahNMF, Section 5.3.2.
    """

    init: str = "uniform"
    max_iter: int = 300

    symmetric: ClassVar[bool] = True
    inits: ClassVar[dict] = {"uniform": symmetric_uniform}
    unlike_transform: ClassVar[str | None] = (
        "the fit changes both factors, which are one, and transform only one of the two"
    )

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params, X @ X.T

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        if not np.array_equal(s.W, s.Ht):
            raise ValueError("The initial factors must be one: pass W and H=W.T.")
        s.latest = s.Ht = s.W
        return s

    def _step(self, X, s):
        halfway_update(s.W, s.cross, s.W @ s.gram)
        s.cross, s.gram = X @ s.W, s.W.T @ s.W
