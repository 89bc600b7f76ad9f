"""PCA: principal components, scikit-learn's under our contract."""

from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA as SklearnPCA

from nmfbench.core.registry import register_solver
from nmfbench.optim.projections.frobenius import certify_frobenius
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.lowrank_sparse.base import BaseLowRankSparse


@register_solver(
    "pca",
    name="PCA",
    family="lowrank_sparse",
    reference="Hotelling 1933; Pedregosa et al. 2011",
    monotone=True,
    wraps="scikit-learn",
)
@dataclass(eq=False, repr=False, kw_only=True)
class PCA(BaseLowRankSparse):
    r"""The best fit of rank r around the mean in the Frobenius norm.

    .. math:: \min_{W,H}\|X-\mathbf 1\bar x^T-WH\|_F^2

    Parameters
    ----------
    svd_solver : str, default="full"
        Of :class:`sklearn.decomposition.PCA`; "randomized" is faster and not exact.
    n_components, random_state
        See :class:`~nmfbench.solvers.bases.loop.BaseNMF`.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        Of the samples of the fit. ``inverse_transform`` adds it.
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, by decreasing variance explained.
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        The reconstruction, mean included, and what is left. Nothing makes that sparse.

    Notation
    --------
    Guan et al. (2012) hold samples in columns; their basis is our ``components_.T``.

    Cost
    ----
    One singular value decomposition of ``X``. The trace has the fit by the mean alone and the
    end.
    """

    svd_solver: str = "full"

    def _start(self, X, r, rng, factors):
        mean = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        seed = int(rng.integers(2**31))
        return State(r=r, seed=seed, mean=mean, low_rank=np.broadcast_to(mean, X.shape))

    def _step(self, X, s):
        model = SklearnPCA(s.r, svd_solver=self.svd_solver, random_state=s.seed)
        # Shares of the variance, which we do not use, are 0 / 0 where there is none.
        with np.errstate(divide="ignore", invalid="ignore"):
            s.W = model.fit_transform(X)
        s.mean, s.components = model.mean_, model.components_
        s.low_rank = s.W @ s.components
        s.low_rank += s.mean

    def _objective(self, X, s):
        return float(np.sum((X - s.low_rank) ** 2, dtype=np.float64))

    def _converged(self, s, trace):
        return True

    def _n_steps(self, r):
        return 1

    def _finish(self, X, s):
        self.mean_, self.components_, self.low_rank_ = s.mean, s.components, s.low_rank
        self.sparse_ = X - s.low_rank

    def _project(self, X):
        return (X - self.mean_.astype(X.dtype, copy=False)) @ self._basis(X).T

    def _certify(self, X):
        W = self._project(X)
        return certify_frobenius(X - self.mean_, self.components_, W, signed=True)

    def inverse_transform(self, W):
        """Reconstruct data from a representation: ``W @ components_ + mean_``."""
        return super().inverse_transform(W) + self.mean_
