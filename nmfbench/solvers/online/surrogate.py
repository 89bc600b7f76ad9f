"""Base of the solvers that keep sums of the past: a quadratic surrogate of the objective."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nmfbench.core.validation import check_number
from nmfbench.optim.kernels.pair_sums import add_pair
from nmfbench.solvers.online.base import BaseOnline, exact_codes

__all__ = ["BaseSurrogate"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseSurrogate(BaseOnline):
    r"""Base of solvers of :math:`\min_W \frac12 tr(W A_t W^T) - tr(W^T B_t)`, W on the simplex.

    The sums :math:`A_t = \sum h h^T` and :math:`B_t = \sum v h^T` stand for all samples so far,
    with the coefficients that each had when it came. A solver gives ``_improve(s)``, which lowers
    the surrogate over ``s.H``, given ``s.A`` and ``s.B`` (of shape (r, m)), and returns how many
    inner iterations that took.

    Parameters
    ----------
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.
    forget : float, default=1.0
        Weight of the past in each step: below 1 old samples fade (Mairal et al., Section 3.4.3).
    """

    forget: float = 1.0

    def _improve(self, s) -> int:
        raise NotImplementedError

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.forget, "forget", above=0, at_most=1)

    def _prepare(self, s):
        r, m = s.H.shape
        s.A, s.B = np.zeros((r, r)), np.zeros((r, m))

    def _learn(self, V, s):
        codes = exact_codes(V, s.H)
        if not codes.any():  # a zero sample leaves the sums as they are
            return codes
        if self.forget < 1:
            s.A *= self.forget
            s.B *= self.forget
        (h,), (v,) = codes, V
        add_pair(s.A, s.B, h, v)
        s.inner += self._improve(s)
        return codes


def surrogate(H, product, B):
    """The surrogate at ``H``, up to a constant.

    Parameters
    ----------
    H, B : ndarray of shape (r, m)
    product : ndarray of shape (r, m)
        ``A @ H``.
    """
    return 0.5 * np.vdot(product, H) - np.vdot(H, B)
