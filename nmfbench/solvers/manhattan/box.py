"""Base of the box-constrained MahNMF solvers: the bound, the transform, the certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.validation import check_number
from nmfbench.optim.projections.manhattan_box import certify_manhattan_box, project_manhattan_box
from nmfbench.solvers.manhattan.base import BaseManhattan

__all__ = ["BaseBoxed"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseBoxed(BaseManhattan):
    """Base of solvers whose factors have entries between 0 and ``upper``.

    Parameters
    ----------
    upper : float, default=1.0
        Positive. The default suits data in [0, 1].
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`. Starts are clipped.
    """

    upper: float = 1.0

    rescaled: ClassVar[bool] = False

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.upper, "upper", above=0, finite=False)

    def _project(self, X):
        return project_manhattan_box(X, self._basis(X), self.upper)

    def _certify(self, X):
        if not np.isfinite(self.upper):
            return super()._certify(X)
        return certify_manhattan_box(X, self.components_, self.upper)
