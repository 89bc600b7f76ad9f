"""ONMF: online NMF that refactors its bases together with each new chunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count
from nmfbench.solvers.online.base import BaseOnline, exact_codes

_FLOOR = 1e-12
_SMALL = 1e-2  # added where multiplicative updates start, since zeros would stay


def factorize(X, C, H, n_iter):
    """Lower ``|X - C H|^2`` by multiplicative updates of both factors, in place."""
    for _ in range(n_iter):
        C *= (X @ H.T) / np.maximum(C @ (H @ H.T), _FLOOR)
        H *= (C.T @ X) / np.maximum((C.T @ C) @ H, _FLOOR)


@register_solver(
    "onmf",
    name="ONMF",
    family="online",
    reference="Cao et al. 2007",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class ONMF(BaseOnline):
    r"""Online NMF: the old bases, weighted by their use, stand for the old samples.

    .. math:: \min_{W\ge0} E_v \min_{h\ge0} \tfrac12 \|v - Wh\|^2

    A chunk U of new samples is factored together with the bases,

    .. math:: [W_{old}\Lambda,\; U] \approx W [H_1, H_2], \quad \lambda_j = \|h^j_{old}\|_2,

    :math:`h^j` being the j-th row of the coefficients of all samples so far, which become
    :math:`[H_1 \Lambda^{-1} H_{old},\; H_2]`.

    Parameters
    ----------
    chunk : int, optional
        Samples of a step; by default ``n_components``.
    max_iter_inner : int, default=200
        Multiplicative updates of a step.
    keep_codes : bool, default=True
        Keep the coefficients of all samples, in ``codes_``. The bases need only their products
        with each other, and are the same without.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples_seen, n_components)
        With ``keep_codes``.

    Notation
    --------
    Guan et al.'s W, V, H are our ``components_.T``, ``X.T``, ``codes_.T``.

    Cost
    ----
    A chunk of r samples: :math:`O(mr^2)` for each update.

    Departures
    ----------
    Guan et al. take the norms of the columns of H, of which there are not r: rows.
    Updates start at the old bases and their unit coefficients, plus 0.01, since zeros stay.

    References
    ----------
    Cao et al. (2007), Detect and track latent factors with online NMF.
    Guan et al. (2012), Online NMF with robust stochastic approximation, Eqs. (35)-(37).
    """

    chunk: int | None = None
    max_iter_inner: int = 200
    keep_codes: bool = True

    on_simplex: ClassVar[bool] = False

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.chunk, "chunk", optional=True)
        check_count(self.max_iter_inner, "max_iter_inner")

    def _chunk_size(self, r):
        return self.chunk or r

    def _prepare(self, s):
        s.G = np.zeros((len(s.H), len(s.H)))  # products of the coefficients of all samples
        s.codes = np.empty((0, len(s.H)))

    def _learn(self, V, s):
        r = len(s.H)
        weights = np.sqrt(np.diag(s.G))
        used = np.maximum(weights, _FLOOR) if s.G.any() else np.ones(r)
        H = used[:, None] * s.H
        new = exact_codes(V, H)
        new += _SMALL * (new.mean() or 1.0)
        new[~V.any(axis=1)] = 0  # zero samples stay without coefficients
        rows = [V] if not s.G.any() else [H, V]
        old = [] if not s.G.any() else [np.eye(r) + _SMALL]
        C = np.concatenate([*old, new])
        if V.any():
            factorize(np.concatenate(rows), C, H, self.max_iter_inner)
            s.inner += self.max_iter_inner
            s.H = H
        new = C[-len(V) :]
        carry = C[: -len(V)].T / used if old else np.zeros((r, r))  # H1 / Lambda of the paper
        s.G = carry @ s.G @ carry.T + new.T @ new
        if self.keep_codes:
            s.codes = np.concatenate([s.codes @ carry.T, new])
        return new

    def _expose(self, X, s):
        super()._expose(X, s)
        if self.keep_codes:
            self.codes_ = s.codes.astype(X.dtype)
