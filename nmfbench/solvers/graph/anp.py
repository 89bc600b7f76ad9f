"""ANP: a representation on which linear regression has a small variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils import gen_batches

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_number
from nmfbench.optim.kernels.floored_ratio import FLOOR, power_ratio
from nmfbench.solvers.graph.base import LeastSquares, unit_components

__all__ = ["ANP"]


@register_solver(
    "anp",
    name="ANP",
    family="graph",
    paper="anp",
    reference="Liu, Yang, Wu & Li 2012",
    cost=("nmr", "nnr"),
    properties=("features",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class ANP(LeastSquares):
    r"""A-optimal non-negative projection: least squares and the variance of a ridge regression.

    .. math:: \min_{W,H\ge0} \|X-WH\|_F^2
              + \lambda_1\lambda_2 \operatorname{tr}(W^TW+\lambda_2 I)^{-1}

    The trace is proportional to the variance of the coefficients of a ridge regression on W. It
    is minimised through

    .. math:: \lambda_2 \operatorname{tr}(W^TW+\lambda_2 I)^{-1}
              = \min_Z \|I-W^TZ\|_F^2 + \lambda_2\|Z\|_F^2, \qquad
              Z = W(W^TW+\lambda_2 I)^{-1}.

    One iteration updates H, scales its rows to unit length, computes Z, and updates W, with
    :math:`M=ZZ^T` and the positive and negative parts of Z and M:

    .. math:: H \leftarrow H \odot \frac{W^T X}{W^T W H}, \qquad
              W \leftarrow W \odot \frac{XH^T + \lambda_1 (Z^+ + M^- W)}
              {WHH^T + \lambda_1 (Z^- + M^+ W)}.

    Parameters
    ----------
    lam1 : float, default=0.01
        :math:`\lambda_1`, the weight of the variance. With 0 this is NMF of the scaled data.
    lam2 : float, default=1
        :math:`\lambda_2`, the ridge.
    normalize : bool, default=True
        Scale components to unit length in every iteration. Without it scale moves from H to W,
        until the variance is next to nothing, whatever the shape of W.
    v_update : {"safe", "paper", "balanced", "root"}, default="safe"
        "paper" is the step above, "root" its square root, "balanced" has
        :math:`\lambda_1 M^-W` added to both parts, and "safe" is "paper" if that does not raise
        the objective, else "balanced".
    split : {"auto", "entries", "factors"}, default="auto"
        How M is split into a positive and a negative part: by the signs of its entries, or into
        :math:`Z^+Z^{+T}+Z^-Z^{-T}` and :math:`Z^+Z^{-T}+Z^-Z^{+T}`, which are larger and give
        shorter steps, but need no product of the cost :math:`O(n^2r)`. "auto" is "entries" for
        up to 3000 samples.
    n_components, random_state, scale, init, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`.

    Notation
    --------
    Their X, U, V, W are our :math:`X^T, H^T, W^T, Z^T`.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, :math:`O((n+m)r^2)`, and with "entries"
    :math:`4n^2r` operations for M, of which a megabyte is in memory at once.

    Notes
    -----
    Without ``normalize`` the objective never rises with "safe", "balanced" and "root"; with it a
    rescaling may raise the variance. The step of "balanced" is
    :math:`w-K^{-1}(Qw-b)` for a quadratic with the matrix Q, where the diagonal K has
    :math:`|M|w/w` for M, so that :math:`K\succeq Q`; "root" minimises a separable bound. "paper"
    has :math:`M^+w/w`, which need not bound M.

    Departures
    ----------
    Known to us are slides of the paper. Their problems with and without Z differ: the second,
    taken here, has :math:`\lambda_1\lambda_2` for the :math:`\lambda_1` of the first. Their
    denominator has :math:`ZZ^TW`, which may be negative, for :math:`M^+W`, and Z is written
    with an n x n inverse. They give no parameters and no scale. Denominators are at least 1e-10
    and factors at least 1e-12. ``transform`` is least squares, as a new sample has no variance
    of its own.

    References
    ----------
    Liu, Yang, Wu & Li (2012), A-optimal non-negative projection for image representation, as
    presented in slides by Wang: "A-Optimal Non-Negative Projection" and "Alternating algorithm".
    """

    lam1: float = 0.01
    lam2: float = 1.0
    normalize: bool = True
    v_update: str = "safe"
    split: str = "auto"

    accepts_sparse: ClassVar[bool] = True

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.lam1, "lam1", at_least=0)
        check_number(self.lam2, "lam2", above=0)
        check_choice(self.v_update, "v_update", _UPDATES)
        check_choice(self.split, "split", _SPLITS)

    def _improve_basis(self, s, cross, gram):
        super()._improve_basis(s, cross, gram)
        if self.normalize:
            unit_components(s.Ht.T, s.W)
            for factor in (s.W, s.Ht):
                np.maximum(factor, FLOOR, out=factor)

    def _improve_representation(self, s, cross, gram):
        W, weight = s.W, s.W.dtype.type(self.lam1)
        Z = (_wide(W) @ self._variance(W)).astype(W.dtype)
        plus, minus = self._products_of_parts(Z, W)
        numerator = cross + weight * (np.maximum(Z, 0) + minus)
        denominator = W @ gram + weight * (np.maximum(-Z, 0) + plus)

        def value(V):
            V = _wide(V)
            gap = V.T @ _wide(Z)
            gap[np.diag_indices_from(gap)] -= 1
            variance = self.lam1 * np.sum(gap**2)
            return np.vdot(gram, V.T @ V) - 2 * np.vdot(cross, V) + variance

        s.W = np.empty_like(W)
        if self.v_update != "balanced":
            power = 0.5 if self.v_update == "root" else 1.0
            power_ratio(s.W, W, numerator, denominator, power)
        if self.v_update == "safe":
            now = value(W)
            descends = value(s.W) <= now + 10 * np.finfo(W.dtype).eps * abs(now)
        if self.v_update == "balanced" or (self.v_update == "safe" and not descends):
            numerator += weight * minus
            denominator += weight * minus
            power_ratio(s.W, W, numerator, denominator, 1.0)

    def _variance(self, W):
        r"""The inverse of :math:`W^TW+\lambda_2I`, in float64."""
        wide = _wide(W)
        return np.linalg.inv(wide.T @ wide + self.lam2 * np.eye(W.shape[1]))

    def _products_of_parts(self, Z, W):
        """Products with W of two non-negative matrices whose difference is ``Z @ Z.T``."""
        if self.split == "factors" or (self.split == "auto" and len(Z) > _LARGE):
            up, down = np.maximum(Z, 0), np.maximum(-Z, 0)
            of_up, of_down = up.T @ W, down.T @ W
            return up @ of_up + down @ of_down, up @ of_down + down @ of_up
        rows = max(1, _BLOCK // len(Z))
        block, both = np.empty((rows, len(Z)), Z.dtype), np.empty_like(W)
        for some in gen_batches(len(Z), rows):
            M = np.matmul(Z[some], Z.T, out=block[: some.stop - some.start])
            np.matmul(np.abs(M, out=M), W, out=both[some])
        whole = Z @ (Z.T @ W)
        return [np.maximum(0.5 * part, 0) for part in (both + whole, both - whole)]

    def _penalty(self, s):
        return self.lam1 * self.lam2 * float(np.trace(self._variance(s.W)))


def _wide(W):
    return W.astype(np.float64, copy=False)


_UPDATES = ("safe", "paper", "balanced", "root")
_SPLITS = ("auto", "entries", "factors")
_LARGE = 3000  # samples, beyond which products of all pairs are too dear
_BLOCK = 1 << 17  # entries of M in memory at once
