"""Common parts of the online solvers for the Itakura-Saito divergence: floor, codes, cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.validation import check_number
from nmfbench.optim.kernels.itakura_saito import itakura_saito_codes, itakura_saito_cost
from nmfbench.solvers.online.base import BaseOnline

__all__ = ["BaseItakuraSaito", "best_codes", "mean_divergence"]

_FLOOR = 1e-9  # share of the mean of the first chunk
_TOL, _UPDATES = 1e-4, 200  # of the coefficients
_BLOCK = 1000  # rows made dense at once


def mean_divergence(X, H, floor, *, mm=True):
    """Mean divergence of the rows of ``X`` from their best models by the rows of ``H``.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, m)
    H : ndarray of shape (r, m)
    floor : float
        Data and models are taken to be no smaller.
    mm : bool, default=True
        See :class:`BaseItakuraSaito`.
    """
    total = 0.0
    for V in _blocks(X):
        total += itakura_saito_cost(V, best_codes(V, H, floor, mm), H, floor)
    return total / X.shape[0]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseItakuraSaito(BaseOnline):
    r"""Base of online solvers of :math:`\sum_i v_i/y_i - \log(v_i/y_i) - 1` with :math:`y = Wh`.

    Parameters
    ----------
    mm : bool, default=False
        Take the square root of the factors of multiplicative updates of coefficients: then the
        divergence never rises. The papers print them without.
    floor : float, optional
        Data and models are taken to be no smaller, since the divergence has no bound at zero. By
        default 1e-9 of the mean of the first samples that are not zero.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Attributes
    ----------
    floor_ : float
        Values of the divergence depend on it.
    """

    mm: bool = False
    floor: float | None = None

    convex: ClassVar[bool] = False

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.floor, "floor", above=0, optional=True)

    def _prepare(self, s):
        super()._prepare(s)
        s.floor = self.floor

    def _has_floor(self, V, s) -> bool:
        """Set the floor by the first chunk that is not zero; there is none before."""
        if s.floor is None and V.any():
            s.floor = _FLOOR * V.mean()
        return s.floor is not None

    def _codes(self, V, s):
        return best_codes(V, s.H, s.floor, self.mm)

    def _floor_of(self, s):
        return s.floor or _FLOOR  # of zeros alone there is no mean

    def _objective(self, X, s):
        rows = X if len(s.judged) == X.shape[0] else X[s.judged]
        return mean_divergence(rows, s.H, self._floor_of(s), mm=self.mm)

    def _project(self, X):
        H = self.components_.astype(np.float64)
        found = [best_codes(V, H, self.floor_, self.mm) for V in _blocks(X)]
        return np.concatenate(found).astype(X.dtype)

    def _expose(self, X, s):
        super()._expose(X, s)
        self.floor_ = self._floor_of(s)


def best_codes(V, H, floor, mm):
    """Coefficients from a flat start of the right size."""
    sums = np.maximum(V, floor).sum(axis=1) / max(H.sum(), np.finfo(float).tiny)
    codes = np.repeat(sums[:, None], len(H), axis=1)
    itakura_saito_codes(codes, V, H, floor, 0.5 if mm else 1.0, _TOL, _UPDATES)
    codes[~V.any(axis=1)] = 0
    return codes


def _blocks(X):
    """Dense blocks of rows in double precision."""
    for start in range(0, X.shape[0], _BLOCK):
        V = X[start : start + _BLOCK]
        V = V.toarray() if hasattr(V, "toarray") else V
        yield np.ascontiguousarray(V, dtype=np.float64)
