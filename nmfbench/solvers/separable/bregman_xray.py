"""XRAY under a Bregman divergence: what the Kullback-Leibler and Itakura-Saito forms share."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.validation import check_choice, check_count, check_number
from nmfbench.optim.projections.bregman import Generator
from nmfbench.solvers.separable.xray import BaseXRAY, dense_row

_OUTSIDE = 1e-6  # `rand` ignores divergences below this share of the largest one
_EXHAUSTED = 1e-12  # divergences below this share of their row's scale are rounding


@dataclass(eq=False, repr=False, kw_only=True)
class BaseBregmanXRAY(BaseXRAY):
    r"""XRAY with :math:`D_\phi(X, W X_A)` in place of the squared norm.

    A solver gives its ``generator``, ``_fit_rows`` (the projection, with the divergence of each
    row) and ``_row_scale``.

    Parameters
    ----------
    selection : {"max", "rand"}, default="max"
        The exterior row: the one with the largest divergence, or any outside the cone.
    p : array-like of shape (n_features,), optional
        Positive vector; ``1 + U(0, 1e-5)`` by default.
    first : {"l2", "mean"}, default="l2"
        How to choose the first anchor, of which the paper says nothing (without anchors the
        reconstruction is zero and the weights are infinite): as XRAY-l2 does; or with the mean
        row as the reconstruction of every row.
    floor : float, default=1e-9
        Reconstructions below this share of the mean of ``X`` are raised to it.
    tol : float, default=1e-5
        When to stop the projection of a row, relative to its divergence: under Kullback-Leibler
        at a duality gap, under Itakura-Saito at a decrease in one step.
    max_sweeps : int, default=60
        Most steps of Newton's method for a row in one projection.

    Attributes
    ----------
    floor_ : float
        The floor in the units of ``X``.
    """

    first: str = "l2"
    floor: float = 1e-9
    tol: float = 1e-5
    max_sweeps: int = 60

    generator: ClassVar[Generator]

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.first, "first", ("l2", "mean"))
        check_number(self.floor, "floor", above=0, below=1)
        check_number(self.tol, "tol", at_least=0)
        check_count(self.max_sweeps, "max_sweeps")

    def _start_projection(self, s):
        s.floor = self.floor * s.data.mean()
        s.scale = self._row_scale(s)
        s.W, s.divergence = self._fit_rows(s.data, s.basis[:0], s.W)

    def _numerators(self, s):
        if s.anchors:
            i = self._exterior(s, s.divergence, _OUTSIDE * s.divergence.max())
            reconstruction = s.W[i] @ s.basis[: len(s.anchors)]
        elif self.first == "mean":
            reconstruction = np.asarray(s.data.mean(axis=0)).ravel()
            i = self._exterior(s, self._divergence_from(s, reconstruction), 0.0)
        else:
            # Weights 1: the step that XRAY-l2 makes.
            return s.data @ dense_row(s.data, self._exterior(s, s.squares, 0.0))
        # Kumar & Sindhwani (2015), Eq. (4.5).
        x = np.maximum(dense_row(s.data, i), self._data_floor(s))
        y = np.maximum(reconstruction, s.floor)
        return s.data @ self.generator.weighted_residual(x, y)

    def _divergence_from(self, s, point):
        """The divergence of each row from one point."""
        y = np.maximum(point, s.floor)
        total = np.empty(s.data.shape[0])
        for i in range(total.size):
            x = np.maximum(dense_row(s.data, i), self._data_floor(s))
            total[i] = self.generator.divergence(x, y).sum()
        return total

    def _data_floor(self, s):
        """Floor of the data: nothing, where zero is allowed."""
        return 0.0

    def _project_on_anchors(self, s):
        s.W, s.divergence = self._fit_rows(s.data, s.basis[: len(s.anchors)], s.W)
        s.exhausted = bool((s.divergence <= _EXHAUSTED * s.scale).all())

    def _finish(self, X, s):
        super()._finish(X, s)
        self.floor_ = float(s.floor)

    def _objective(self, X, s):
        return s.divergence.sum()

    def _fit_factor(self, X, H, W0):
        W, divergence = self._fit_rows(X.astype(np.float64, copy=False), H, W0)
        return W, divergence.sum()

    def _fit_rows(self, X, H, W0):
        """Project ``X`` on the cone of ``H`` from ``W0``: ``W`` and the divergence of each row."""
        raise NotImplementedError

    def _row_scale(self, s):
        """For each row, the size of a divergence that is not small."""
        raise NotImplementedError

    @property
    def _projection_settings(self):
        return {"tol": self.tol, "max_iter": self.max_sweeps, "floor": self.floor}
