"""OR-NMF-IS: online NMF by robust stochastic approximation, for the Itakura-Saito divergence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_number
from nmfbench.solvers.online.buffered import BaseBuffered
from nmfbench.solvers.online.divergence import BaseItakuraSaito


@register_solver(
    "or-nmf-is",
    name="OR-NMF-IS",
    family="online",
    reference="Guan et al. 2012",
    cost=("nmr",),
    paper="or-nmf",
)
@dataclass(eq=False, repr=False, kw_only=True)
class ORNMFIS(BaseItakuraSaito, BaseBuffered):
    r"""Online NMF under the Itakura-Saito divergence, by averaged stochastic gradients.

    .. math:: \min_{W\ge0} E_v \min_{h\ge0} \sum_i \frac{v_i}{(Wh)_i}
              - \log \frac{v_i}{(Wh)_i} - 1

    :class:`~nmfbench.solvers.online.or_nmf.ORNMF` with coefficients by multiplicative updates,
    and the gradient :math:`\frac{Wh - v}{(Wh)^2} h^T`.

    Parameters
    ----------
    buffer : int, optional
        Samples that are kept; by default all.
    cap : float, optional
        Between 0 and 1: the largest norm of a gradient :math:`M_*` grows by no sample beyond this
        quantile of the norms of new samples, such as 0.99. One sample with a model near zero can
        otherwise stop all progress.
    mm, floor
        See :class:`~nmfbench.solvers.online.divergence.BaseItakuraSaito`.
    theta, horizon, tol, max_iter_inner, keep_max
        See :class:`~nmfbench.solvers.online.buffered.BaseBuffered`.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Notation
    --------
    Its W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: up to 200 updates of its coefficients and as many inner steps as
    ``inner_iterations_`` says, each :math:`O(mr)`.

    Departures
    ----------
    Data and models are floored. The paper says that the divergence is convex in W; it
    is not, as its term in :math:`\log y` is concave, and no limit is promised.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Eqs. (31)-(34).
    """

    buffer: int | None = None  # type: ignore[misc]  # of the base a constant
    cap: float | None = None

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.cap, "cap", above=0, below=1, optional=True)

    def _prepare(self, s):
        super()._prepare(s)
        s.norms = []

    def _learn(self, V, s):
        if not self._has_floor(V, s):
            return np.zeros((len(V), len(s.H)))
        return super()._learn(V, s)

    def _codes(self, V, s):
        codes = super()._codes(V, s)
        if self.cap is not None:
            model = np.maximum(codes @ s.H, s.floor)
            residual = (model - np.maximum(V, s.floor)) / model**2
            s.norms += (np.linalg.norm(residual, axis=1) * np.linalg.norm(codes, axis=1)).tolist()
        return codes

    def _divergence(self, s):
        cap = np.inf if self.cap is None else float(np.quantile(s.norms, self.cap))
        return s.floor, cap
