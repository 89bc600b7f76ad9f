"""Base of OR-NMF and its variants: pairs of samples and coefficients, kept in a buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.validation import check_count, check_number
from nmfbench.optim.kernels.averaged_gradient import averaged_gradient
from nmfbench.optim.projections.frobenius import certify_frobenius, project_frobenius
from nmfbench.solvers.online.base import BaseOnline, exact_codes

__all__ = ["BaseBuffered", "BasePenalized", "step_size"]

_FIRST = 64  # pairs that a buffer without a limit has room for at first


def step_size(t: int, theta: float, horizon: int | None) -> float:
    r"""Factor :math:`\theta_t` on the steps of the t-th sample or chunk, from 1 on.

    :math:`\theta \cos\frac{(t-1)\pi}{2T}` up to the horizon T, its last value after it, and
    :math:`\theta` where no horizon is known.

    Examples
    --------
    >>> [round(step_size(t, 0.1, 2), 4) for t in (1, 2, 3)]
    [0.1, 0.0707, 0.0707]
    """
    if horizon is None:
        return theta
    return float(theta * np.cos((min(t, horizon) - 1) * np.pi / (2 * horizon)))


@dataclass(eq=False, repr=False, kw_only=True)
class BaseBuffered(BaseOnline):
    """Base of online NMF by robust stochastic approximation.

    Parameters
    ----------
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.
    theta : float, default=0.1
        Factor on the steps. The paper's; on faces smaller ones end lower.
    horizon : int, optional
        Steps that are to come in all. By default ``fit`` counts them, and a stream has none, so
        that the factor stays at ``theta``.
    tol : float, default=1e-3
        An inner loop ends when the average moves by no more than this share of its norm.
    max_iter_inner : int, default=1000
        Inner iterations of a step, at most.
    keep_max : bool, default=True
        Keep the largest norm of a gradient from step to step; otherwise each step finds its own.

    Attributes
    ----------
    visited_share_ : float
        Share of the buffer that the last inner loop has looked at.
    """

    theta: float = 0.1
    horizon: int | None = None
    tol: float = 1e-3
    max_iter_inner: int = 1000
    keep_max: bool = True

    buffer: ClassVar[int | None] = None
    """Steps whose pairs are kept; None keeps all."""

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.tol, "tol", at_least=0)
        check_number(self.theta, "theta", above=0)
        check_count(self.max_iter_inner, "max_iter_inner")
        for name in ("buffer", "horizon"):
            check_count(getattr(self, name), name, optional=True)

    def _prepare(self, s):
        r, m = s.H.shape
        room = _FIRST if self.buffer is None else self.buffer * self._chunk_size(r)
        s.V, s.C, s.visits = np.empty((room, m)), np.empty((room, r)), np.arange(0)
        s.held = s.next = 0
        s.largest, s.visited = 0.0, 0.0
        if self.horizon is not None:
            s.horizon = self.horizon

    def _learn(self, V, s):
        codes = self._codes(V, s)
        self._keep(V, codes, s)
        r, m = s.H.shape
        low, high = self._bounds()
        diameter = np.sqrt(2.0 * r) if low >= high else (high - low) * np.sqrt(r * m)
        size = step_size(s.n_steps + 1, self.theta, s.horizon) * diameter
        steps, largest = averaged_gradient(
            s.H,
            s.V[: s.held],
            s.C[: s.held],
            s.visits,
            s.rng.random(self.max_iter_inner),
            size,
            s.largest if self.keep_max else 0.0,
            self._ridge(),
            low,
            high,
            self.tol,
            *self._divergence(s),
        )
        s.largest, s.visited = largest, min(1.0, steps / s.held)
        s.inner += steps
        return codes

    def _codes(self, V, s):
        """Coefficients of new samples."""
        return exact_codes(V, s.H)

    def _ridge(self) -> float:
        """Weight of half the squared norm of the bases."""
        return 0.0

    def _divergence(self, s) -> tuple[float, float]:
        """Floor of the Itakura-Saito divergence (0: the squared error), and cap of the norms."""
        return 0.0, np.inf

    def _keep(self, V, codes, s):
        """Put pairs into the buffer, in place of the oldest ones where it is full."""
        if self.buffer is None and s.held + len(V) > len(s.V):
            room = max(2 * len(s.V), s.held + len(V))
            s.V, s.C = (_longer(old, room) for old in (s.V, s.C))
        for v, h in zip(V, codes, strict=True):
            s.V[s.next], s.C[s.next] = v, h
            if s.held < len(s.V):
                s.held += 1
            s.next = (s.next + 1) % len(s.V) if self.buffer is not None else s.next + 1
        if len(s.visits) < s.held:
            s.visits = np.concatenate([s.visits, np.arange(len(s.visits), s.held)])

    def _expose(self, X, s):
        super()._expose(X, s)
        self.visited_share_ = s.visited


@dataclass(eq=False, repr=False, kw_only=True)
class BasePenalized(BaseBuffered):
    """Base of the variants for the squared error, with penalties or bounds.

    Parameters
    ----------
    penalty : {None, "l1", "l2"}, default=None
        Of the coefficients: ``lam`` times their sum, or ``beta / 2`` times their square; the
        latter comes with ``alpha / 2`` times the square of the bases.
    lam, alpha, beta : float, default=0.01
        Weights of the penalties.
    bounds : (float, float), optional
        Bounds of the entries of the bases, in place of the simplex.
    theta, horizon, tol, max_iter_inner, keep_max
        See :class:`BaseBuffered`.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.
    """

    penalty: str | None = None
    lam: float = 0.01
    alpha: float = 0.01
    beta: float = 0.01
    bounds: tuple[float, float] | None = None

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        if self.penalty not in (None, "l1", "l2"):
            raise ValueError(f"penalty must be None, 'l1' or 'l2', got {self.penalty!r}.")
        if self.penalty == "l1" and self.bounds is not None:
            raise ValueError(
                "penalty='l1' needs bases of unit sum, as otherwise they grow and coefficients "
                "shrink: leave bounds out."
            )
        for name in ("lam", "alpha", "beta"):
            check_number(getattr(self, name), name, at_least=0)
        if self.bounds is not None:
            low, high = self.bounds
            if not 0 <= low < high < np.inf:
                raise ValueError(f"bounds must be finite with 0 <= low < high, got {self.bounds}.")

    def _bounds(self):
        return (0.0, 0.0) if self.bounds is None else tuple(map(float, self.bounds))

    def _ridge(self):
        return self.alpha if self.penalty == "l2" else 0.0

    def _codes(self, V, s):
        return self._penalized(V, s.H)

    def _penalized(self, V, H):
        return exact_codes(V, H, **self._weights)

    @property
    def _weights(self):
        """Weights of the penalties of the coefficients."""
        lam = self.lam if self.penalty == "l1" else 0.0
        beta = self.beta if self.penalty == "l2" else 0.0
        return {"lam": lam, "beta": beta}

    def _project(self, X):
        if self.penalty is None:
            return project_frobenius(X, self._basis(X))
        dense = X.toarray() if hasattr(X, "toarray") else X
        codes = self._penalized(dense.astype(np.float64), self.components_.astype(np.float64))
        return codes.astype(X.dtype)

    def _certify(self, X):
        lam, beta = self._weights.values()
        W = self._project(X)
        return certify_frobenius(X, self.components_, W, ridge=beta, price=2 * lam)


def _longer(array, size):
    longer = np.empty((size, array.shape[1]))
    longer[: len(array)] = array
    return longer
