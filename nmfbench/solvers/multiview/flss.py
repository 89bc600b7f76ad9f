"""FLSS: factorized latent spaces with structured sparsity."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count, check_number
from nmfbench.optim import losses
from nmfbench.optim.fista import monotone_fista
from nmfbench.optim.projections.frobenius import certify_frobenius
from nmfbench.optim.proximal import GroupPenalty, group_norms
from nmfbench.solvers.multiview.base import BaseMultiview


def _truncated_svd(X, r, rng):
    """Leading singular vectors of the data, the values on the side of the samples."""
    U, sigma, Vt = np.linalg.svd(X.astype(np.float64), full_matrices=False)
    return U[:, :r] * sigma[:r], np.ascontiguousarray(Vt[:r].T)


def _gaussian(X, r, rng):
    """Gaussian components, and the least-squares weights."""
    H = rng.standard_normal((r, X.shape[1]))
    return np.linalg.lstsq(H.T, X.T.astype(np.float64))[0].T.copy(), np.ascontiguousarray(H.T)


@register_solver(
    "flss",
    name="FLSS",
    family="multiview",
    reference="Jia, Salzmann & Darrell 2010",
    cost=("nmr",),
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class FLSS(BaseMultiview):
    r"""A latent space, each of whose dimensions is shared by some views and private to others.

    With :math:`H_{k,g}` the part of component k in the group g of features, such as a view, and
    factors of any sign

    .. math:: \min_{W,H} \tfrac1n\|X-WH\|_F^2 + \lambda\sum_g\sum_k\|H_{k,g}\|_\infty
              + \gamma\sum_k\|W_{:k}\|_\infty.

    One iteration improves W, then H, divides the scale of each component between them in the best
    way, and drops the components that have become zero.

    Parameters
    ----------
    n_components : int, optional
        Number of components to start from, by default as many as the data allow. How many are left
        is found out: ``n_components_``.
    lam, gamma : float, default=1e-3
        Weights on the components and on the representation, positive. Their product matters at a
        solution, not each alone.
    inner_max_iter : int, default=100
        Most accelerated proximal gradient steps for a factor in an iteration.
    inner_tol : float, default=1e-4
        Stop these when one changes the factor by no more than this share of it.
    init : {"svd", "random"}, default="svd"
        Start, unless ``fit`` is given factors: the truncated singular value decomposition, or
        Gaussian components and their least-squares weights.
    tol : float, default=1e-5
        Stop when an iteration lowers the objective by less than this share of it.
    groups
        See :class:`~nmfbench.solvers.multiview.base.BaseMultiview`.
    random_state, max_iter
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Attributes
    ----------
    n_components_ : int
        Components that are left. If none is, ``components_`` is a row of zeros.
    shared_ : ndarray of bool of shape (n_groups, len(components_))
        Whether a component is in use in a group. One with a single True is private to that group.

    Notation
    --------
    The authors' B and A are our H.T and W.T, and V is X.T. They write the first penalty as a mixed
    norm of the transposed dictionary.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, and :math:`O((n+m)r^2)` for each inner
    iteration.

    Notes
    -----
    The objective never rises. At a solution, and from the first iteration on,
    :math:`\lambda\sum_g\|H_{k,g}\|_\infty = \gamma\|W_{:k}\|_\infty` for each component: under
    :math:`H_{k:} \leftarrow c H_{k:}, W_{:k} \leftarrow W_{:k}/c` the loss stays, and the penalties
    are least there. With heavy weights no component is left, and the fit is zero.

    ``transform`` is least squares with a slight ridge, of a millionth of the mean squared length
    of the components: the representation of a sample does not depend on the others then, as it
    does in the fit by the maximum over samples.

    Departures
    ----------
    The scale is divided in closed form; alternating alone gets there slowly. The weights are lost
    in Guan et al. (2012), who refer to Jia et al.

    References
    ----------
    Jia, Salzmann & Darrell (2010), Factorized latent spaces with structured sparsity; "FLSS" in
    Guan et al. (2012), MahNMF, Eq. (63).
    """

    lam: float = 1e-3
    gamma: float = 1e-3
    inner_max_iter: int = 100
    inner_tol: float = 1e-4
    init: str = "svd"
    tol: float = 1e-5

    signed: ClassVar[bool] = True
    inits: ClassVar[dict] = {"svd": _truncated_svd, "random": _gaussian}
    unlike_transform: ClassVar[str | None] = (
        "fit_transform weighs in the largest weights of a component, transform only the fit"
    )

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        for name in ("lam", "gamma"):
            check_number(getattr(self, name), name, above=0)
        check_count(self.inner_max_iter, "inner_max_iter")
        check_number(self.inner_tol, "inner_tol", at_least=0)

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        whole = [np.arange(len(X))]
        s.proxes = {
            "W": GroupPenalty(whole, np.inf, self.gamma, signed=True),
            "H": GroupPenalty(s.groups, np.inf, self.lam, signed=True),
        }
        self._balance(s)
        return s

    def _step(self, X, s):
        c = 2 / len(X)
        s.W = self._improve(s.W, c * (s.X @ s.Ht), c * (s.Ht.T @ s.Ht), s.proxes["W"])
        s.Ht = self._improve(s.Ht, c * (s.X.T @ s.W), c * (s.W.T @ s.W), s.proxes["H"])
        self._balance(s)
        alive = s.W.any(axis=0) & s.Ht.any(axis=0)
        if alive.any():
            s.W, s.Ht = (np.ascontiguousarray(factor[:, alive]) for factor in (s.W, s.Ht))
        else:
            s.W, s.Ht = (np.zeros((len(factor), 1)) for factor in (s.W, s.Ht))

    def _improve(self, factor, cross, gram, prox):
        steps, tol = self.inner_max_iter, self.inner_tol
        return monotone_fista(factor, cross, gram, prox, prox.value, max_iter=steps, tol=tol)

    def _balance(self, s):
        whole = s.proxes["W"].groups
        of_samples = self.gamma * group_norms(s.W, whole, np.inf).sum(axis=0)
        of_features = self.lam * group_norms(s.Ht, s.groups, np.inf).sum(axis=0)
        both = (of_samples > 0) & (of_features > 0)
        ratio = np.divide(of_samples, of_features, where=both, out=np.ones_like(of_samples))
        s.Ht *= np.sqrt(ratio)
        s.W /= np.sqrt(ratio)

    def _objective(self, X, s):
        loss = losses.frobenius_sq(s.X, s.W, s.Ht) / len(X)
        return loss + s.proxes["W"].value(s.W) + s.proxes["H"].value(s.Ht)

    def _finish(self, X, s):
        super()._finish(X, s)
        self.n_components_ = int(s.Ht.any(axis=0).sum())
        self.shared_ = group_norms(s.Ht, s.groups, np.inf) > 0

    def _project(self, X):
        H = self.components_.astype(np.float64)
        gram = H @ H.T
        r = len(gram)
        if not gram.any():
            return np.zeros((len(X), r), X.dtype)
        ridge = _ridge(gram) * np.eye(r)
        return np.linalg.solve(gram + ridge, H @ X.T.astype(np.float64)).T.astype(X.dtype)

    def _certify(self, X):
        H = self.components_.astype(np.float64)
        return certify_frobenius(X, H, self._project(X), ridge=_ridge(H @ H.T), signed=True)


def _ridge(gram):
    """Weight of the ridge of ``transform``, given the Gram matrix of the components."""
    return _RIDGE * np.trace(gram) / len(gram)


_RIDGE = 1e-6
