"""Random rows: the choice that every other choice of anchors should beat."""

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.separable.base import BaseSeparable


@register_solver(
    "random-rows",
    name="random choice",
    family="separable",
    reference="baseline",
    nested=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class RandomRows(BaseSeparable):
    r"""Take rows that are not zero, uniformly at random and without replacement.

    The objective recorded is the number of rows still to be taken. ``transform`` solves the
    non-negative least-squares problem on those taken.

    Notation
    --------
    None; no paper compares with it.

    Cost
    ----
    Reading the data once.
    """

    def _start(self, X, r, rng, factors):
        self._require_a_nonzero_row(X)
        order = rng.permutation(np.flatnonzero(np.asarray(abs(X).sum(axis=1)).ravel()))
        return State(order=order[:r], anchors=[], exhausted=False)

    def _step(self, X, s):
        s.anchors.append(int(s.order[len(s.anchors)]))
        s.exhausted = len(s.anchors) == len(s.order)

    def _objective(self, X, s):
        return float(len(s.order) - len(s.anchors))
