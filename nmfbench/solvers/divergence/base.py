"""Base of the multiplicative updates of a divergence: start, floor, blocks of rows, stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils import gen_batches

from nmfbench.core.validation import check_choice, check_count
from nmfbench.solvers.bases.alternating import BaseAlternating
from nmfbench.solvers.bases.loop import UNFINISHED

__all__ = ["BaseDivergence"]

_BLOCK = 1 << 20  # bytes of the reconstruction in memory at once: it stays in the cache
_FLOOR = 1e-12


@dataclass(eq=False, repr=False, kw_only=True)
class BaseDivergence(BaseAlternating):
    """Base of multiplicative updates that need the reconstruction itself, not Gram products.

    Of dense data, a block of rows at a time is reconstructed: it serves the update of these
    rows of W, and with the new ones their share in the update of H.

    Parameters
    ----------
    stop : {"objective", "labels"}, default="objective"
        "objective" is the rule of ``tol``. "labels" stops when no sample has changed its
        largest component for ``patience`` iterations, components being scaled to unit sum; the
        authors allow 2000 iterations then, so set ``max_iter``.
    patience : int, default=40
        Iterations without a change that end a fit with "labels".
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.
    """

    stop: str = "objective"
    patience: int = 40

    unlike_transform: ClassVar[str | None] = UNFINISHED

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.stop, "stop", ("objective", "labels"))
        check_count(self.patience, "patience")

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        mean = float(X.mean(dtype=np.float64)) or 1.0
        s.smallest = X.dtype.type(_FLOOR * np.sqrt(mean / r))
        for factor in (s.W, s.Ht):
            np.maximum(factor, s.smallest, out=factor)
        s.labels, s.unchanged = None, 0
        return s

    def _blocks(self, X):
        """Slices of rows that are reconstructed together."""
        rows = max(1, _BLOCK // (X.shape[1] * X.itemsize))
        return list(gen_batches(X.shape[0], rows))

    def _converged(self, s, trace):
        if self.stop == "objective":
            return super()._converged(s, trace)
        labels = np.argmax(s.W * s.Ht.sum(axis=0), axis=1)
        same = s.labels is not None and np.array_equal(labels, s.labels)
        s.labels, s.unchanged = labels, s.unchanged + 1 if same else 0
        return s.unchanged >= self.patience


def multiply(factor, ratio, smallest):
    """``factor *= ratio``, kept at or above ``smallest``, in place."""
    factor *= ratio
    np.maximum(factor, smallest, out=factor)
