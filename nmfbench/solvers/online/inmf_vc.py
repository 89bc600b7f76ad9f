"""INMF-VC: incremental NMF with a volume constraint, for square mixtures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_number
from nmfbench.optim.kernels.incremental import multiplicative_code
from nmfbench.solvers.online.base import BaseOnline

_FLOOR = 1e-12
_UPDATES = 200  # of a sample's coefficients
_HALVINGS = 30


def gradient_parts(H, A, B, mu):
    r"""Split the gradient of :math:`\frac12 tr(WAW^T) - tr(W^TB) + \mu\ln|\mathrm{det}\,W|`.

    Parameters
    ----------
    H, A, B : ndarray of shape (r, r)
        H and B of the paper, transposed.
    mu : float

    Returns
    -------
    up, down : ndarray of shape (r, r), non-negative
        The gradient over H is ``down - up``.
    """
    inverse = np.linalg.inv(H).T
    return B + mu * np.maximum(-inverse, 0), A @ H + mu * np.maximum(inverse, 0)


@register_solver(
    "inmf-vc",
    name="INMF-VC",
    family="online",
    reference="Zhou, Yang & Xie 2011",
    cost=("nrrr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class INMFVC(BaseOnline):
    r"""Incremental NMF of a square W whose volume is kept small: blind source separation.

    .. math:: \min_{W\ge0} \frac12 tr(WAW^T) - tr(W^TB) + \mu_t \ln|\mathrm{det}\,W|,
              \quad \mu_t = \delta e^{-\tau t}

    by a multiplicative step for each sample, A and B being means of the past that forget:
    :math:`A \leftarrow (1 - L/t) A + (L/t) hh^T`.

    Parameters
    ----------
    delta, tau : float, default=1.0 and 0.05
        Weight of the volume at the start, and how fast it falls.
    amnesia : int, default=2
        L of the paper; 1 gives plain means.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`. There are as many components as
        features, and an ``init`` has an inverse.

    Notation
    --------
    Guan et al.'s W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: :math:`O(r^2)` for each update of its coefficients, and :math:`O(r^3)`.

    Notes
    -----
    The step may raise the objective, which has no lower bound while the volume has a weight: where
    that is large against the squares of the data, a basis may all but vanish before it has faded.

    Departures
    ----------
    A step goes back towards the old W while it would make W singular.

    References
    ----------
    Zhou, Yang & Xie (2011), Online blind source separation using incremental NMF with volume
    constraint.
    Guan et al. (2012), Online NMF with robust stochastic approximation, Eqs. (41), (42).
    """

    delta: float = 1.0
    tau: float = 0.05
    amnesia: int = 2

    on_simplex: ClassVar[bool] = False
    square: ClassVar[bool] = True

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        for name in ("delta", "tau"):
            check_number(getattr(self, name), name, at_least=0)
        check_number(self.amnesia, "amnesia", at_least=1)

    def _prepare(self, s):
        r = len(s.H)
        s.A, s.B = np.zeros((r, r)), np.zeros((r, r))
        sign, volume = np.linalg.slogdet(s.H)
        if sign == 0:
            raise ValueError("init must have an inverse, but its determinant is zero.")
        s.least_volume = volume + np.log(_FLOOR)

    def _learn(self, V, s):
        (v,) = V
        h = np.zeros(len(s.H))
        if v.any():
            h += v.sum() / max(s.H.sum(), _FLOOR)
            multiplicative_code(h, s.H @ s.H.T, s.H @ v, _UPDATES, _FLOOR)
            s.inner += _UPDATES
            t = s.n_steps + 1
            share = (self.amnesia if t > self.amnesia else 1) / t
            s.A = (1 - share) * s.A + share * np.outer(h, h)
            s.B = (1 - share) * s.B + share * np.outer(h, v)
            self._improve(s, self.delta * np.exp(-self.tau * t))
        return h[None]

    def _improve(self, s, mu):
        """Make a multiplicative step, or as much of it as leaves the bases a volume."""
        up, down = gradient_parts(s.H, s.A, s.B, mu)
        step = s.H * (up / np.maximum(down, _FLOOR) - 1)
        for k in range(_HALVINGS):
            H = s.H + 0.5**k * step
            if np.linalg.slogdet(H)[1] > s.least_volume:
                s.H = H
                return

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params, X[:, : params["n_components"]]
