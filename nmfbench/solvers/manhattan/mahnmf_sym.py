"""MahNMF-SYM: a symmetric matrix of similarities as ``H H^T``, in the l1 norm."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice
from nmfbench.optim.init import symmetric_frobenius, symmetric_uniform
from nmfbench.optim.kernels.symmetric_median import symmetric_sweep
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.manhattan.base import BaseManhattan


@register_solver(
    "mahnmf-sym",
    name="MahNMF-SYM",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    cost=("nnr",),
    monotone=True,
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFSym(BaseManhattan):
    r"""Symmetric factorization, :math:`\min_{H\ge0}\|X-HH^T\|_1`, one entry of H after the other.

    Parameters
    ----------
    diagonal : {"exact", "paper"}, default="exact"
        What an update makes of the diagonal term :math:`|Z_{ii}-x^2|`: the minimum, or the
        paper's rule, which takes :math:`Z_{ii}\le0` for granted.
    init : {"symmetric", "uniform"}, default="symmetric"
        Start, unless ``fit`` is given factors ``W`` and ``H = W.T``: symmetric NMF in the
        Frobenius norm, or uniform numbers, from which the paper's rule kills most components if
        most similarities are near zero.
    n_components, random_state, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.

    Notation
    --------
    The paper's V, H are our X and ``fit_transform(X)``.

    Cost
    ----
    Per iteration, a sweep over all entries of H, one after the other: r times the number of
    non-zero entries of X, at most :math:`O(rn^2)`.

    Notes
    -----
    ``X`` is a non-negative symmetric matrix (n_samples, n_samples). ``fit_transform`` returns the
    H of the formula, of shape (n_samples, r), and ``components_`` is its transpose. ``transform``
    takes similarities of new samples to the samples of the fit, of shape (n_new, n_samples), and
    represents them on the components in the l1 norm; of the samples of the fit it makes another
    representation than ``fit_transform``, as only one of two factors is fitted then.

    With ``diagonal="exact"`` the objective never rises. A fixed point is optimal in each entry,
    and in no wider sense.

    Departures
    ----------
    :math:`Z_{ii}\le0` holds for no scale of H if r = 1, and need not hold otherwise: for X =
    (1), r = 1 and H = (1), which is exact, the paper's rule goes to H = (0). Its rule also
    leaves a zero column zero for ever, where the exact one revives it if its residual has a
    positive diagonal. The order of the updates is not given; here they go row by row, as row i
    of the residual serves all entries of row i of H, and begin with the sample of most
    similarity, so that nothing depends on the order of the samples.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.5, Eqs. (59)-(61).
    """

    diagonal: str = "exact"
    init: str = "symmetric"

    accepts_sparse: ClassVar[bool] = True
    symmetric: ClassVar[bool] = True
    rescaled: ClassVar[bool] = False
    inits: ClassVar[dict] = {
        "symmetric": symmetric_frobenius,
        "uniform": symmetric_uniform,
    }
    unlike_transform: ClassVar[str | None] = (
        "the fit changes both factors, which are one, and transform only one of the two"
    )

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.diagonal, "diagonal", ("exact", "paper"))

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params, X @ X.T

    def _start(self, X, r, rng, factors):
        W, Ht = self.inits[self.init](X, r, rng) if factors is None else factors
        if not np.array_equal(W, Ht):
            raise ValueError("The initial factors must be one: pass W and H=W.T.")
        H = np.ascontiguousarray(W.T)
        similarity = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
        order = np.argsort(-similarity, kind="stable")
        V = sp.csr_array(X)
        return State(H=H, W=H.T, Ht=H.T, V=V, order=order)

    def _step(self, X, s):
        V = s.V
        symmetric_sweep(s.H, V.indptr, V.indices, V.data, s.order, self.diagonal == "exact")

    def _finish(self, X, s):
        s.W = s.Ht = np.ascontiguousarray(s.H.T)
        super()._finish(X, s)

    def _certify(self, X):
        return super()._certify(dense(X))

    def _project(self, X):
        return super()._project(dense(X))


def dense(X):
    """The array of a matrix that may be sparse."""
    return X.toarray() if sp.issparse(X) else X
