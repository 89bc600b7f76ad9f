"""Base of the wrappers of scikit-learn's solvers: one call makes all iterations."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from nmfbench.optim.losses import LOSSES
from nmfbench.optim.projections import CERTIFICATES, PROJECTIONS
from nmfbench.solvers.bases.alternating import BaseAlternating

__all__ = ["BasePeer", "check_not_zero"]


def check_not_zero(X):
    """Refuse to start from data without an entry, as scikit-learn refuses the zeros that follow."""
    if X.max() == 0:
        raise ValueError(
            "X is all zero: scikit-learn starts from no factors that are. Leave such data out, or "
            "give factors W and H that are not zero."
        )


def _unit(X):
    """A power of two, exact to divide by, whose square brings ``X`` near 1 if it is far from that.

    scikit-learn takes numbers below 2e-16 for zeros, whatever the unit of the data.
    """
    _, exponent = np.frexp(float(X.max()))
    return X.dtype.type(2.0 ** (exponent // 2) if abs(exponent) > _FAR[X.dtype.name] else 1)


_FAR = {"float64": 40, "float32": 20}


@dataclass(eq=False, repr=False, kw_only=True)
class BasePeer(BaseAlternating):
    """Base of scikit-learn's factorizations under our contract.

    A wrapper gives ``_peer(r)``, the unfitted estimator with ``init="custom"``, and ``loss``. The
    trace has the start and the end only; ``n_iter_`` is scikit-learn's count.

    Parameters
    ----------
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.
    """

    loss: ClassVar[str]

    def _peer(self, r):
        raise NotImplementedError

    def _start(self, X, r, rng, factors):
        if factors is None:
            check_not_zero(X)
        return super()._start(X, r, rng, factors)

    def _step(self, X, s):
        model, unit = self._peer(s.W.shape[1]), _unit(X)
        data = X if unit == 1 else (X / unit**2).astype(X.dtype, copy=False)  # sparse: float64
        H = np.ascontiguousarray(s.Ht.T) / unit
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # stop_reason_ says it
            s.W = model.fit_transform(data, W=s.W / unit, H=H) * unit
        s.Ht = np.ascontiguousarray(model.components_.T) * unit
        s.n_iter = model.n_iter_

    def _objective(self, X, s):
        return LOSSES[self.loss](X, s.W, s.Ht)

    def _project(self, X):
        return PROJECTIONS[self.loss](X, self._basis(X))

    def _certify(self, X):
        return CERTIFICATES[self.loss](X, self.components_)

    def _converged(self, s, trace):
        return s.n_iter < self.max_iter

    def _n_steps(self, r):
        return 1

    def _fit(self, X, W, H):
        X, s = super()._fit(X, W, H)
        self.n_iter_ = s.n_iter
        self.trace_["iteration"][-1] = s.n_iter
        return X, s
