"""Base of solvers that improve W and H in turn from initial factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.validation import check_choice, check_count, check_number
from nmfbench.optim.init import INITS
from nmfbench.optim.stopping import relative_decrease
from nmfbench.solvers.bases.loop import BaseNMF, State

__all__ = ["BaseAlternating"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseAlternating(BaseNMF):
    """Base of iterative solvers whose state is ``W`` and ``Ht``.

    Parameters
    ----------
    init : {"nndsvda", "nndsvd", "random", "uniform", "median"}, default="nndsvda"
        Start, unless ``fit`` is given factors; see :mod:`nmfbench.optim.init`.
    max_iter : int, default=200
        Most iterations.
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this share of it.
    """

    init: str = "nndsvda"
    max_iter: int = 200
    tol: float = 1e-4

    any_rank: ClassVar[bool] = True
    inits: ClassVar[dict] = INITS
    """Names to starts ``(X, r, rng) -> (W, Ht)``."""

    def _validate_params_of_solver(self):
        check_choice(self.init, "init", self.inits)
        check_count(self.max_iter, "max_iter")
        check_number(self.tol, "tol", at_least=0)

    def _start(self, X, r, rng, factors):
        W, Ht = self.inits[self.init](X, r, rng) if factors is None else factors
        return State(W=W, Ht=Ht)

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"max_iter": 2}, X

    def _converged(self, s, trace):
        return relative_decrease(trace, self.tol)

    def _n_steps(self, r):
        return self.max_iter

    def _finish(self, X, s):
        self.components_ = np.ascontiguousarray(s.Ht.T)

    def _representation(self, X, s):
        return s.W
