"""EucNMF-GS: group-sparse NMF under the squared loss."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_count, check_number
from nmfbench.optim import losses
from nmfbench.optim.fista import monotone_fista
from nmfbench.optim.kernels.hals import hals_sweeps
from nmfbench.optim.projections.frobenius import certify_frobenius, project_frobenius
from nmfbench.optim.proximal import GroupPenalty, group_norms
from nmfbench.solvers.bases.loop import UNFINISHED
from nmfbench.solvers.multiview.base import BaseMultiview


@register_solver(
    "eucnmf-gs",
    name="EucNMF-GS",
    family="multiview",
    reference="Kim, Monteiro & Park 2012",
    cost=("nmr",),
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class EucNMFGS(BaseMultiview):
    r"""Group sparsity under the squared loss: each group of features uses few components.

    With :math:`\Omega_p(H_g) = \sum_k \|H_{k,g}\|_p` for the group g of features, minimise over
    :math:`W, H \ge 0`

    .. math:: \tfrac12\|X-WH\|_F^2 + \alpha\sum_g\Omega_p(H_g) + \tfrac\beta2\|W\|_F^2.

    One iteration improves W, then H, and then divides the scale of each component between them in
    the best way.

    Parameters
    ----------
    p : {2, "inf"}, default="inf"
        Which norm; ``float("inf")`` will do too.
    alpha : float, default=1.0
        Weight of the group norms, not negative. The loss and :math:`\beta\|W\|_F^2` are sums over
        samples, so that the same weight means less for more samples.
    beta : float, default=1e-3
        Weight that keeps W from taking all of the scale, not negative.
    method : {"bcd", "gradient"}, default="bcd"
        Exact minimisation over one component of one factor after the other, or accelerated
        proximal gradient steps on a whole factor.
    inner_max_iter : int, default=5
        Passes over the components, or gradient steps, for each factor in an iteration.
    init : {"uniform", "random", "nndsvda", "nndsvd", "median"}, default="uniform"
        Start, unless ``fit`` is given factors; see :mod:`nmfbench.optim.init`.
    groups
        See :class:`~nmfbench.solvers.multiview.base.BaseMultiview`.
    n_components, random_state, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Attributes
    ----------
    group_norms_ : ndarray of shape (n_groups, n_components)
        :math:`\|H_{k,g}\|_p`; zero where a group does without a component.

    Notation
    --------
    Guan et al. (2012) hold samples in columns; their V, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, and :math:`O((n+m)r^2)` for each inner
    iteration.

    Notes
    -----
    The objective never rises. The loss fixes only the product of the two parts of a component: for
    :math:`H_{k:} \leftarrow c H_{k:}, W_{:k} \leftarrow W_{:k}/c` the penalties are least at
    :math:`c^3 = \beta\|W_{:k}\|^2 / (\alpha\sum_g\|H_{k,g}\|_p)`, where the first term equals twice
    the second. So at a stationary point
    :math:`\alpha\sum_g\|H_{k,g}\|_p = \beta\|W_{:k}\|^2` for each component. ``transform`` is
    exact: non-negative least squares with the penalty :math:`\beta`.

    Departures
    ----------
    Guan et al. name the model and the method of block proximal gradients. Which norm, the weights
    and the number of steps are lost. The division of the scale in closed form is ours.

    References
    ----------
    Kim, Monteiro & Park (2012), Group sparsity in nonnegative matrix factorization; "EucNMF-GS" in
    Guan et al. (2012), MahNMF, Eq. (64).
    """

    p: int | float | str = "inf"
    alpha: float = 1.0
    beta: float = 1e-3
    method: str = "bcd"
    inner_max_iter: int = 5
    init: str = "uniform"

    unlike_transform: ClassVar[str | None] = UNFINISHED

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        if self.p not in (2, "inf", np.inf):
            raise ValueError(f"p must be 2 or 'inf', got {self.p!r}.")
        for name in ("alpha", "beta"):
            check_number(getattr(self, name), name, at_least=0)
        check_choice(self.method, "method", ("bcd", "gradient"))
        check_count(self.inner_max_iter, "inner_max_iter")

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"alpha": 1e-3, "beta": 1e-3}, X

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        whole = [np.arange(len(X))]
        s.proxes = {
            "W": GroupPenalty(whole, float(self.p), 0.0),
            "H": GroupPenalty(s.groups, float(self.p), self.alpha),
        }
        self._balance(s)
        return s

    def _step(self, X, s):
        ridge = self.beta * np.eye(s.W.shape[1])
        s.W = self._improve(s.W, s.X @ s.Ht, s.Ht.T @ s.Ht + ridge, s.proxes["W"])
        s.Ht = self._improve(s.Ht, s.X.T @ s.W, s.W.T @ s.W, s.proxes["H"])
        self._balance(s)

    def _improve(self, factor, cross, gram, prox):
        if self.method == "gradient":
            steps = self.inner_max_iter
            return monotone_fista(factor, cross, gram, prox, prox.value, max_iter=steps)
        if prox.weight == 0:
            hals_sweeps(factor, np.ascontiguousarray(cross), gram, self.inner_max_iter)
        else:
            group_sweeps(factor, cross, gram, prox, self.inner_max_iter)
        return factor

    def _balance(self, s):
        ridge = self.beta * np.einsum("ik,ik->k", s.W, s.W)
        norms = self.alpha * group_norms(s.Ht, s.groups, float(self.p)).sum(axis=0)
        free = (ridge > 0) & (norms > 0)
        scale = np.cbrt(np.divide(ridge, norms, where=free, out=np.ones_like(norms)))
        s.Ht *= scale
        s.W /= scale

    def _objective(self, X, s):
        loss = losses.frobenius_sq(s.X, s.W, s.Ht)
        return 0.5 * (loss + self.beta * np.vdot(s.W, s.W)) + s.proxes["H"].value(s.Ht)

    def _finish(self, X, s):
        super()._finish(X, s)
        self.group_norms_ = group_norms(s.Ht, s.groups, float(self.p))

    def _project(self, X):
        # The ridge is the misfit of r more features, at which the data are zero.
        r = len(self.components_)
        extended = np.hstack([self.components_, np.sqrt(self.beta) * np.eye(r)])
        return project_frobenius(np.hstack([X, np.zeros((len(X), r), X.dtype)]), extended)

    def _certify(self, X):
        return certify_frobenius(X, self.components_, self._project(X), ridge=self.beta)


def group_sweeps(factor, cross, gram, prox, n_sweeps):
    r"""Exact minimisation over one penalised component after the other, in place.

    The problem is :func:`~nmfbench.optim.fista.monotone_fista`'s. For a column of the factor it is
    the proximal operator of the penalty, at its unpenalised minimiser.

    Parameters
    ----------
    factor : ndarray of shape (n, r)
    cross : ndarray of shape (n, r)
    gram : ndarray of shape (r, r)
        A component with a zero on its diagonal does not change the loss, and becomes zero.
    prox : callable
    n_sweeps : int
    """
    tiny = np.finfo(factor.dtype).tiny
    columns = np.ascontiguousarray(gram.T)[:, :, None]
    column = np.empty((len(factor), 1), factor.dtype)
    for _ in range(n_sweeps):
        for k, curvature in enumerate(np.diagonal(gram)):
            place = factor[:, k : k + 1]
            if curvature < tiny:
                place[:] = 0
                continue
            np.matmul(factor, columns[k], out=column)
            np.subtract(cross[:, k : k + 1], column, out=column)
            column /= curvature
            column += place
            prox(column, 1 / curvature)
            place[:] = column
