"""scikit-learn's online dictionary learning, made non-negative, under our contract."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import MiniBatchDictionaryLearning
from sklearn.exceptions import ConvergenceWarning

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count
from nmfbench.solvers.online.base import BaseOnline


@register_solver(
    "sklearn-minibatch-dl",
    name="scikit-learn dictionary",
    family="peers",
    reference="Pedregosa et al. 2011; Mairal et al. 2010",
    cost=("nmrr",),
    wraps="scikit-learn",
)
@dataclass(eq=False, repr=False, kw_only=True)
class SklearnMiniBatchDL(BaseOnline):
    r""":class:`sklearn.decomposition.MiniBatchDictionaryLearning`, non-negative and not sparse.

    .. math:: \min_{W\ge0,\ \|w_j\|_2\le1} E_v \min_{h\ge0} \tfrac12 \|v - Wh\|^2

    The method of :class:`~nmfbench.solvers.online.omf.OMF` with one sweep a batch, on the ball of
    the 2-norm in place of the simplex, codes by coordinate descent.

    Parameters
    ----------
    batch_size : int, default=1
        Samples of a step.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Notation
    --------
    Guan et al.'s W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: :math:`O(mr^2)`.

    Notes
    -----
    scikit-learn's ``partial_fit`` gives early samples less weight. Codes are computed without a
    penalty, as ours are, by scikit-learn's coordinate descent.

    References
    ----------
    Mairal, Bach, Ponce & Sapiro (2010), Online learning for matrix factorization.
    """

    batch_size: int = 1

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.batch_size, "batch_size")

    def _chunk_size(self, r):
        return self.batch_size

    def _prepare(self, s):
        s.model = MiniBatchDictionaryLearning(
            n_components=len(s.H),
            alpha=0.0,
            fit_algorithm="cd",
            positive_code=True,
            positive_dict=True,
            batch_size=self.batch_size,
            dict_init=s.H / np.maximum(np.linalg.norm(s.H, axis=1, keepdims=True), 1e-300),
            random_state=int(s.rng.integers(2**31)),
        )

    def _learn(self, V, s):
        drawn = np.random.get_state()  # noqa: NPY002  scikit-learn draws from numpy's own generator
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", message=".*alpha=0.*")
            warnings.filterwarnings("ignore", message=".*Coordinate descent.*")
            s.model.partial_fit(V)
        np.random.set_state(drawn)  # noqa: NPY002
        s.H = s.model.components_
        return np.full((len(V), len(s.H)), np.nan)  # which scikit-learn keeps to itself
