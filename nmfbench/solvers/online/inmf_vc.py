"""INMF-VC: incremental NMF with a volume constraint, for square mixtures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.solvers.online.base import BaseOnline

_FLOOR = 1e-12
_UPDATES = 200  # of a sample's coefficients
_HALVINGS = 30


def volume_gradient(H, A, B, mu):
    r"""Gradient of :math:`\frac12 tr(WAW^T) - tr(W^TB) + \mu\ln|\det W|` over ``H = W^T``.

    Parameters
    ----------
    H, A, B : ndarray of shape (r, r)
        ``B`` is that of the paper, transposed.
    mu : float
    """
    return A @ H - B + mu * np.linalg.inv(H).T


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

    .. math:: \min_{W\ge0} \frac12 tr(WAW^T) - tr(W^TB) + \mu_t \ln|\det W|,
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
        See :class:`~nmfbench.solvers.online.base.BaseOnline`. As many components as features.

    Notation
    --------
    Guan et al.'s W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: :math:`O(r^2)` for each update of its coefficients, and :math:`O(r^3)`.

    Notes
    -----
    The step may raise the objective, which has no lower bound while the volume has a weight.

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

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        for name in ("delta", "tau"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}.")
        if self.amnesia < 1:
            raise ValueError(f"amnesia must be at least 1, got {self.amnesia}.")

    def _rank(self, X):
        m = X.shape[1]
        if self.n_components not in (None, m):
            raise ValueError(
                f"n_components={self.n_components}, but INMF-VC needs a square W: as many "
                f"components as features, {m}."
            )
        return m

    def _prepare(self, s):
        r = len(s.H)
        s.A, s.B = np.zeros((r, r)), np.zeros((r, r))
        s.volume = abs(np.linalg.det(s.H))

    def _learn(self, V, s):
        (v,) = V
        if not v.any():
            return
        h = np.full(len(s.H), v.sum() / max(s.H.sum(), _FLOOR))
        gram, cross = s.H @ s.H.T, s.H @ v
        for _ in range(_UPDATES):
            h *= cross / np.maximum(gram @ h, _FLOOR)
        s.inner += _UPDATES
        t = s.n_steps + 1
        share = (self.amnesia if t > self.amnesia else 1) / t
        s.A = (1 - share) * s.A + share * np.outer(h, h)
        s.B = (1 - share) * s.B + share * np.outer(h, v)
        inverse = np.linalg.inv(s.H).T
        mu = self.delta * np.exp(-self.tau * t)
        up, down = np.maximum(-inverse, 0), np.maximum(inverse, 0)
        H = s.H * (s.B + mu * up) / np.maximum(s.A @ s.H + mu * down, _FLOOR)
        for k in range(_HALVINGS):
            moved = s.H + 0.5**k * (H - s.H)
            if abs(np.linalg.det(moved)) > _FLOOR * s.volume:
                s.H = moved
                return

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"n_components": X.shape[1]}, X
