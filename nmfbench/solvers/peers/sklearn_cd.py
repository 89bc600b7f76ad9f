"""scikit-learn's coordinate descent, under our contract."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from nmfbench import losses
from nmfbench.registry import register_solver
from nmfbench.solvers.alternating import BaseAlternating


@register_solver(
    "sklearn-cd",
    name="scikit-learn CD",
    family="peers",
    reference="Pedregosa et al. 2011; Cichocki & Phan 2009",
)
@dataclass(eq=False, repr=False, kw_only=True)
class SklearnCD(BaseAlternating):
    r""":class:`sklearn.decomposition.NMF` with ``solver="cd"``, from our initial factors.

    It minimises :math:`\|X-WH\|_F^2` by cyclic coordinate descent.

    Parameters
    ----------
    tol : float, default=1e-4
        scikit-learn's own rule: stop when the violation of the optimality conditions has fallen
        to this share of its first value. It is not the rule of our own solvers.
    n_components, random_state, init, max_iter
        See :class:`~nmfbench.solvers.alternating.BaseAlternating`.

    Notes
    -----
    *Paper notation:* as ours.

    Cost per iteration: two products of ``X`` with r vectors, and :math:`O((n+m)r^2)`.

    The objective never rises. The trace has the start and the end only, because scikit-learn
    runs all iterations in one call; ``n_iter_`` is its count.
    """

    loss: ClassVar[str | None] = "frobenius"

    def _step(self, X, s):
        model = NMF(
            n_components=s.W.shape[1],
            init="custom",
            solver="cd",
            tol=self.tol,
            max_iter=self.max_iter,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # stop_reason_ says it
            s.W = model.fit_transform(X, W=s.W, H=np.ascontiguousarray(s.Ht.T))
        s.Ht = np.ascontiguousarray(model.components_.T)
        s.n_iter = model.n_iter_

    def _objective(self, X, s):
        return losses.frobenius_sq(X, s.W, s.Ht)

    def _converged(self, s, trace):
        return s.n_iter < self.max_iter

    def _n_steps(self, r):
        return 1

    def _fit(self, X, W, H):
        X, s = super()._fit(X, W, H)
        self.n_iter_ = s.n_iter
        self.trace_["iteration"][-1] = s.n_iter
        return X, s
