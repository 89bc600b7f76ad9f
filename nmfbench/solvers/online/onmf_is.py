"""ONMF-IS: online NMF by majorisation, for the Itakura-Saito divergence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_count, check_number
from nmfbench.optim.kernels.itakura_saito import itakura_saito_codes
from nmfbench.solvers.online.divergence import BaseItakuraSaito

_START = 1e-3  # weight of the first bases in the sums
_TOL = 1e-4


@register_solver(
    "onmf-is",
    name="ONMF-IS",
    family="online",
    reference="Lefèvre, Bach & Févotte 2011",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class ONMFIS(BaseItakuraSaito):
    r"""Online NMF under the Itakura-Saito divergence, by majorisation with sums of the past.

    .. math:: \min_{W\ge0} E_v \min_{h\ge0} \sum_i \frac{v_i}{(Wh)_i}
              - \log \frac{v_i}{(Wh)_i} - 1

    .. math:: A \leftarrow A + \Big(\frac{v}{(Wh)^2} h^T\Big) \odot W^2, \quad
              B \leftarrow B + \frac{1}{Wh} h^T, \quad W = \sqrt{A / B}

    Parameters
    ----------
    forget : float, default=1.0
        Weight of the past in each step.
    max_iter_inner : int, default=200
        Updates of a sample's coefficients, at most.
    first_sums : {"bases", "random"}, default="bases"
        A and B before the first sample: those of the first bases, with a weight of 1e-3; or random
        numbers between 0 and 1, as Guan et al. draw them, which outweigh many samples.
    mm, floor
        See :class:`~nmfbench.solvers.online.divergence.BaseItakuraSaito`.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Notation
    --------
    Guan et al.'s W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: :math:`O(mr)` for each update of its coefficients.

    Departures
    ----------
    In the available text of Guan et al. the first sum lacks the outer product with :math:`h^T`.
    By default A and B start as W does, where they draw them at random.
    Columns of W are scaled to unit sum after each step, and A and B with them (Lefèvre et al.).

    References
    ----------
    Lefèvre, Bach & Févotte (2011), Online algorithms for NMF with the Itakura-Saito divergence.
    Guan et al. (2012), Online NMF with robust stochastic approximation, Eq. (38).
    """

    forget: float = 1.0
    max_iter_inner: int = 200
    first_sums: str = "bases"

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.forget, "forget", above=0, at_most=1)
        check_count(self.max_iter_inner, "max_iter_inner")
        check_choice(self.first_sums, "first_sums", ("bases", "random"))

    def _prepare(self, s):
        super()._prepare(s)
        if self.first_sums == "random":
            s.A, s.B = s.rng.random((2, *s.H.shape)) + np.finfo(float).tiny
        else:
            s.B = np.full(s.H.shape, _START)
            s.A = s.H**2 * s.B

    def _learn(self, V, s):
        if not (self._has_floor(V, s) and V.any()):
            return np.zeros((1, len(s.H)))
        (v,) = np.maximum(V, s.floor)
        h = np.full((1, len(s.H)), v.sum() / s.H.sum())
        power = 0.5 if self.mm else 1.0
        s.inner += itakura_saito_codes(h, V, s.H, s.floor, power, _TOL, self.max_iter_inner)
        model = np.maximum(h @ s.H, s.floor)
        s.A = self.forget * s.A + (h.T * (v / model**2)) * s.H**2
        s.B = self.forget * s.B + h.T / model
        s.H = np.sqrt(s.A / s.B)
        sums = s.H.sum(axis=1, keepdims=True)
        s.H, s.A, s.B = s.H / sums, s.A / sums, s.B * sums
        return h * sums.T
