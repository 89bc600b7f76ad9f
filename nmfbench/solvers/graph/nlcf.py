"""NLCF: samples are made of the components that lie near them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils.extmath import row_norms

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_number
from nmfbench.optim.kernels.floored_ratio import power_ratio
from nmfbench.optim.projections.frobenius import cross_products
from nmfbench.solvers.graph.base import LeastSquares

__all__ = ["NLCF"]


@register_solver(
    "nlcf",
    name="NLCF",
    family="graph",
    reference="Chen, Zhang, Cai, Liu & He 2013",
    cost=("nmr",),
    monotone=True,
    properties=("features", "locality"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class NLCF(LeastSquares):
    r"""Multiplicative updates for least squares with local coordinates.

    .. math:: \min_{W,H\ge0} \|X-WH\|_F^2 + \mu \sum_{ik} w_{ik} \|h_k - x_i\|^2

    A sample pays for the use of a component by its distance, so components come to lie among the
    samples, and each sample uses few. One iteration updates H, then W with the new H:

    .. math:: H \leftarrow H \odot
              \frac{(1+\mu)\, W^T X}{W^T W H + \mu \operatorname{diag}(W^T 1) H}, \qquad
              w_{ik} \leftarrow w_{ik}
              \frac{2(1+\mu) (XH^T)_{ik}}{2(WHH^T)_{ik} + \mu(\|x_i\|^2 + \|h_k\|^2)}.

    Parameters
    ----------
    mu : float, default=0.1
        Weight of the penalty. With 0 this is NMF of the scaled data. A large weight empties W but
        for samples that are components, as using none costs no more than the squares of a sample.
    n_components, random_state, scale, init, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`.

    Notation
    --------
    Their X, U, V are our :math:`X^T`, :math:`H^T` and :math:`W^T`.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, and :math:`O((n+m)r^2)`. In single
    precision the objective needs a third one, in double.

    Notes
    -----
    The objective never rises: in each factor it is a quadratic whose linear part and whose
    penalty have non-negative coefficients, and those in the denominator only shorten the step.

    Departures
    ----------
    Denominators are at least 1e-10 and factors at least 1e-12, so that no entry is locked at
    zero; what is left at that floor is returned as zero. Samples are scaled to unit length.
    ``transform`` is least squares, without the penalty.

    References
    ----------
    Chen, Zhang, Cai, Liu & He (2013), Nonnegative local coordinate factorization for image
    representation. Guo, Ding & Zhou (2014), Section 4, who compare with it.
    """

    mu: float = 0.1

    accepts_sparse: ClassVar[bool] = True
    fixes_scale: ClassVar[bool] = True
    unlike_transform: ClassVar[str | None] = (
        "fit_transform weighs in what the use of a component costs, transform only the fit"
    )

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.mu, "mu", at_least=0)

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.squares = row_norms(s.X.astype(np.float64, copy=False), squared=True)
        return s

    def _improve_basis(self, s, cross, gram):
        H, sums = s.Ht.T, s.W.sum(axis=0)
        cross *= 1 + self.mu
        power_ratio(H, H, cross, gram @ H + self.mu * sums[:, None] * H, 1.0)

    def _improve_representation(self, s, cross, gram):
        price = 0.5 * self.mu * (s.squares[:, None] + np.diagonal(gram)).astype(s.W.dtype)
        power_ratio(s.W, s.W, (1 + self.mu) * cross, s.W @ gram + price, 1.0)

    def _penalty(self, s):
        X, W, H = s.X, s.W.astype(np.float64), s.Ht.T.astype(np.float64)
        cross = s.cross if X.dtype == np.float64 else cross_products(X, H)
        paid = s.squares @ W.sum(axis=1) + row_norms(H, squared=True) @ W.sum(axis=0)
        value = paid - 2 * np.einsum("ik,ik->", cross, W)
        if value < _CANCELLED * paid and isinstance(X, np.ndarray):
            value = sum(W[:, k] @ row_norms(X - H[k], squared=True) for k in range(len(H)))
        return self.mu * max(float(value), 0.0)


_CANCELLED = 1e-6  # share of the terms of a sum below which too few digits are left
