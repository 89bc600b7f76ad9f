"""scikit-learn's NMF by mini-batches, under our contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.decomposition import MiniBatchNMF
from sklearn.utils import gen_batches

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count, check_data, check_number, check_rng
from nmfbench.solvers.bases.loop import UNFINISHED
from nmfbench.solvers.peers.base import BasePeer, check_not_zero


@register_solver(
    "sklearn-minibatch",
    name="scikit-learn mini-batch",
    family="peers",
    reference="Pedregosa et al. 2011; Lefèvre et al. 2011",
    cost=("nmr",),
    wraps="scikit-learn",
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class SklearnMiniBatch(BasePeer):
    r""":class:`sklearn.decomposition.MiniBatchNMF`, from our initial factors.

    It lowers :math:`\|X-WH\|_F^2` by multiplicative updates on batches of rows in turn, with
    statistics of H that forget.

    Parameters
    ----------
    batch_size : int, default=1024
        Rows of a batch.
    forget_factor : float, default=0.7
        Weight of the statistics of one pass in the next; in a stream, which has no passes, of one
        batch.
    max_iter : int, default=200
        Passes over the data.
    tol : float, default=1e-4
        scikit-learn's own rules: stop when a batch moves H by less than this share of its norm,
        or when ten batches in a row have not lowered the smoothed cost.
    n_components, random_state, init
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Notation
    --------
    As ours.

    Cost
    ----
    Of a pass: two products of ``X`` with r vectors, one of them to follow the cost, and
    :math:`O((n+mb)r^2)` with b the number of batches.

    Notes
    -----
    The objective may rise. The trace has the start and the end only, because scikit-learn makes
    all passes in one call; ``n_iter_`` is its count. A stream by ``partial_fit`` begins with its
    first call, whatever was fitted before.
    """

    batch_size: int = 1024
    forget_factor: float = 0.7

    loss: ClassVar[str] = "frobenius"
    unlike_transform: ClassVar[str | None] = UNFINISHED

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.batch_size, "batch_size")
        check_number(self.forget_factor, "forget_factor", at_least=0, at_most=1)

    def _peer(self, r):
        return MiniBatchNMF(
            n_components=r,
            init="custom",
            batch_size=self.batch_size,
            forget_factor=self.forget_factor,
            tol=self.tol,
            max_iter=self.max_iter,
        )

    def partial_fit(self, X, y=None, *, H=None):
        """Improve the components by the rows of ``X``, batch by batch in the order given.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            At least one row. A batch does not reach from one call into the next.
        y : ignored
        H : array-like of shape (n_components, n_features), optional
            Components that the first call starts from; by default computed by ``init`` from ``X``.
        """
        model = getattr(self, "_stream", None)
        X = check_data(self, X, reset=model is None, accept_sparse=self.accepts_sparse)
        start = {}
        if model is None:
            self._validate_params_of_solver()
            if H is None:
                check_not_zero(X)
                rng = check_rng(self.random_state)
                H = self.inits[self.init](X, self._rank(X), rng)[1].T
            H = np.array(H, dtype=X.dtype, order="C")
            self._stream = model = self._peer(self.n_components or len(H))
            # scikit-learn asks for W, too, and computes its own.
            start = {"W": np.ones((min(self.batch_size, X.shape[0]), len(H)), X.dtype), "H": H}
        for batch in gen_batches(X.shape[0], self.batch_size):
            model.partial_fit(X[batch], **start)
            start = {}
        self.components_ = model.components_.copy()
        return self

    def _finish(self, X, s):
        super()._finish(X, s)
        self._stream = None
