"""The greedy conical-hull loop that the XRAY family shares."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from nmfbench.core.validation import check_choice
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.separable.base import BaseSeparable

__all__ = ["BaseXRAY", "dense_row", "draw_p"]

_SAME = 1e-12  # scores, and normalised points, this close (relative) count as equal


def draw_p(p, n_features, rng):
    """The vector ``p`` given, checked, or a random one: ``1 + U(0, 1e-5)`` (Remark 3).

    Raises
    ------
    ValueError
        If ``p`` has another shape, or an entry that is not finite and positive.
    """
    if p is None:
        return 1 + rng.uniform(0, 1e-5, n_features)
    p = np.asarray(p, dtype=np.float64)
    if p.shape != (n_features,):
        raise ValueError(f"p has shape {p.shape}, but X has {n_features} features.")
    if not (np.isfinite(p).all() and (p > 0).all()):
        raise ValueError(f"p must be finite and positive, but its smallest entry is {p.min()}.")
    return p


def dense_row(X, i):
    """Row ``i`` of a dense or CSR matrix as a vector."""
    return X[[i]].toarray().ravel() if sp.issparse(X) else X[i]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseXRAY(BaseSeparable):
    """Grow a cone: look outside it, take the extreme point found there, project, repeat.

    A solver gives ``_start_projection``, ``_numerators`` (the scores of all rows, not yet
    divided by their heights ``p^T x_j``), ``_project_on_anchors`` and ``_objective``.

    Parameters
    ----------
    selection : str, default="max"
        How to choose the exterior point: one of ``selections``.
    p : array-like of shape (n_features,), optional
        Positive vector whose products with the rows are their heights; ``1 + U(0, 1e-5)`` by
        default. The first anchor depends on it.

    Notes
    -----
    A zero row is never an anchor. Rows whose scores are equal lie on one face of the cone; the
    longest of them, after division by its height, is an extreme point, and the first index
    stands for rows that are equal then.
    """

    selection: str = "max"
    p: Any = None

    selections: ClassVar[tuple[str, ...]] = ("max", "rand")

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.selection, "selection", self.selections)

    def _warm_up(self, X):
        if self.p is None:
            super()._warm_up(X)
        else:  # it has the wrong length for the tiny fit
            clone(self).set_params(p=None)._warm_up(X)

    def _start(self, X, r, rng, factors):
        self._require_a_nonzero_row(X)
        data = X.astype(np.float64, copy=False)
        heights = data @ draw_p(self.p, X.shape[1], rng)
        squares = data.multiply(data) if sp.issparse(X) else data * data
        squares = np.asarray(squares.sum(axis=1)).ravel()
        s = State(
            data=data,
            rng=rng,
            anchors=[],
            basis=np.empty((r, X.shape[1])),  # the anchors, as far as chosen
            W=np.zeros((X.shape[0], 0)),
            squares=squares,
            heights=heights,
            lengths=np.sqrt(squares) / np.where(heights > 0, heights, 1),
            available=heights > 0,
            eps=np.finfo(X.dtype).eps,
            exhausted=False,
        )
        self._start_projection(s)
        return s

    def _step(self, X, s):
        j = self._best_anchor(s, self._numerators(s))
        s.basis[len(s.anchors)] = dense_row(s.data, j)
        s.anchors.append(j)
        s.W = np.column_stack([s.W, np.zeros(X.shape[0])])
        self._project_on_anchors(s)
        s.exhausted = s.exhausted or not s.available.any()

    def _best_anchor(self, s, numerators):
        """The extreme point with the largest score; it and its copies are used up."""
        candidates = np.flatnonzero(s.available)
        scores = numerators[candidates] / s.heights[candidates]
        tied = candidates[scores >= scores.max() - _SAME * np.abs(scores).max()]
        lengths = s.lengths[tied]
        tied = tied[lengths >= lengths.max() * (1 - _SAME)]
        j = int(tied[0])
        point = dense_row(s.data, j) / s.heights[j]
        for k in tied:
            other = dense_row(s.data, k) / s.heights[k]
            if np.abs(other - point).max() <= _SAME * point.max():
                s.available[k] = False
        return j

    def _exterior(self, s, badness, threshold):
        """A row outside the cone: the worst fitted, or any whose badness exceeds a threshold."""
        badness = np.where(s.heights > 0, badness, 0.0)
        badness[s.anchors] = 0.0
        if self.selection == "rand":
            outside = np.flatnonzero(badness > threshold)
            if outside.size:
                return int(s.rng.choice(outside))
        return int(np.argmax(badness))

    def _first_weights(self, X, H, s):
        return self._fit_factor(X, H, s.W)

    def _start_projection(self, s):
        """Add to ``s`` what the projection keeps; there is no anchor yet."""
        raise NotImplementedError

    def _numerators(self, s):
        """Scores of all rows as candidates, before division by their heights."""
        raise NotImplementedError

    def _project_on_anchors(self, s):
        """Update ``s.W`` after an anchor (and a zero column of ``s.W``) was added."""
        raise NotImplementedError
