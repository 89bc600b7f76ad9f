"""Bases of the clusterers: labels, and K-means, which some are and others start from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
import sklearn.cluster
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController

from nmfbench.core.validation import check_count, check_number
from nmfbench.solvers.graph.base import BaseGraph, BaseScaled, feature_affinity

__all__ = [
    "Clusterer",
    "ClusteringByKMeans",
    "CoClusterer",
    "indicator",
    "kmeans",
    "kmeans_start",
    "soft_indicator",
    "strongest",
    "unset",
]


class Clusterer(ClusterMixin):
    """Solvers with ``labels_`` and ``fit_predict``, which make their own start from clusters.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), of int
        From 0 to ``n_components - 1``. Not all need occur.
    """

    takes_factors: ClassVar[bool] = False
    any_rank: ClassVar[bool] = False  # there are no more clusters than samples
    unlike_transform: ClassVar[str | None] = (
        "fit_transform tells clusters apart, transform combines their components"
    )

    def _finish(self, X, s):
        super()._finish(X, s)
        self.labels_ = s.labels if "labels" in vars(s) else strongest(s.W)


def unset(X, r, rng):
    """Zeros, where the start is made of something else than the data alone."""
    return np.zeros((X.shape[0], r), dtype=X.dtype), np.zeros((X.shape[1], r), dtype=X.dtype)


@dataclass(eq=False, repr=False, kw_only=True)
class ClusteringByKMeans(Clusterer, BaseScaled):
    """Base of clusterers that are one call of scikit-learn's K-means.

    The trace has the start, all samples in one cluster, and the end; ``n_iter_`` is
    scikit-learn's count, of the best start.

    Parameters
    ----------
    n_init : int, default=10
        Starts of K-means, of which the best counts.
    init : {"k-means++", "random"}, default="k-means++"
        What these starts are.
    max_iter : int, default=300
        Most iterations.
    tol : float, default=1e-6
        scikit-learn's own rule: K-means stops when the centres move by less than this share of
        the variance.
    n_components : int, optional
        Clusters; as many as samples by default.
    random_state, scale
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`.
    """

    n_init: int = 10
    init: str = "k-means++"

    accepts_sparse: ClassVar[bool] = True
    inits: ClassVar[dict] = {"k-means++": unset, "random": unset}

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.n_init, "n_init")

    def _rank_bound(self, X):
        return X.shape[0], "n_samples"

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.rng, s.labels, s.n_iter = rng, np.zeros(X.shape[0], dtype=np.int32), 0
        return s

    def _cluster(self, points, s):
        """Assign the samples to clusters by K-means of ``points``."""
        r = s.W.shape[1]
        params = {"n_init": self.n_init, "max_iter": self.max_iter, "tol": self.tol}
        model = kmeans(points, r, s.rng, init=self.init, **params)
        s.n_iter = model.n_iter_
        self._assign(model.labels_, s)

    def _assign(self, labels, s):
        """Keep labels, their indicator, and the means of the scaled samples."""
        s.labels = labels
        s.W = indicator(labels, s.W.shape[1], s.X.dtype)
        # Not the centres: where clusters are empty, scikit-learn's need not fit the labels.
        sums = np.ascontiguousarray(s.X.T @ s.W)
        s.Ht = sums / np.maximum(s.W.sum(axis=0), 1)

    def _n_steps(self, r):
        return 1

    def _converged(self, s, trace):
        return s.n_iter < self.max_iter

    def _fit(self, X, W, H):
        X, s = super()._fit(X, W, H)
        self.n_iter_ = s.n_iter
        self.trace_["iteration"][-1] = s.n_iter
        return X, s


def kmeans(X, k, rng, **params):
    """scikit-learn's K-means, fitted, for its labels; ``X`` has ``k`` samples or more.

    Fewer distinct samples than clusters leave clusters empty, without a warning; centres and
    inertia may be stale then. It uses one thread, as several add up in any order.
    """
    model = sklearn.cluster.KMeans(k, random_state=int(rng.integers(2**31)), **params)
    with warnings.catch_warnings(), _pools().limit(limits=1, user_api="openmp"):
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


@cache
def _pools():
    """Libraries with threads. To look for them takes as long as K-means of a few samples."""
    return ThreadpoolController()


def indicator(labels, k, dtype):
    """A row for each label: 1 in its column, 0 elsewhere, of shape (len(labels), k)."""
    W = np.zeros((len(labels), k), dtype=dtype)
    W[np.arange(len(labels)), labels] = 1
    return W


def soft_indicator(labels, k, dtype):
    """:func:`indicator` plus 0.2 everywhere: a start that multiplicative steps can leave."""
    return indicator(labels, k, dtype) + dtype.type(0.2)


def kmeans_start(X, r, rng):
    """Soft indicators of clusters of the samples and of the features, by one K-means each.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    r : int
        Clusters of either. With fewer features than that, columns are left over and 0.2.
    rng : Generator

    Returns
    -------
    W, Ht : ndarray of shape (n_samples, r) and (n_features, r)
    """
    labels = (
        kmeans(points, min(r, len(points)), rng, n_init=1).labels_
        for points in (X, np.ascontiguousarray(X.T))
    )
    W, Ht = (soft_indicator(found, r, X.dtype) for found in labels)
    return W, Ht


@dataclass(eq=False, repr=False, kw_only=True)
class CoClusterer(Clusterer, BaseGraph):
    """Base of clusterers of samples and features, by three factors ``W @ B @ G.T``.

    ``_start`` gives ``s.G``, and the graph of the features, ``s.feature_affinity``.

    Parameters
    ----------
    alpha : float, default=1
        Weight of the graph of the samples.
    alpha_features : float, default=1
        Weight of the graph of the features.
    normalize : bool, default=True
        Give the columns of W and G unit norm before each iteration, and their norms to B. The
        objective may rise then. Without, scale leaves W and G for B, which is not penalised.
    n_neighbors : int, default=5
        Of both graphs; see :func:`nmfbench.optim.graphs.knn_affinity`. Features are compared by
        their values in the scaled samples; features that are always zero are left out.
    affinity
        Of the samples; see :class:`~nmfbench.solvers.graph.base.BaseGraph`.
    init : {"kmeans"}, default="kmeans"
        K-means, from one start each, of the samples and of the features: 1.2 in the cluster, 0.2
        elsewhere.
    n_components, random_state, scale, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`. Samples and features have as many
        clusters.
    """

    alpha: float = 1.0
    alpha_features: float = 1.0
    normalize: bool = True
    init: str = "kmeans"

    inits: ClassVar[dict] = {"kmeans": kmeans_start}
    unlike_transform: ClassVar[str | None] = BaseGraph.unlike_transform

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.alpha, "alpha", at_least=0)
        check_number(self.alpha_features, "alpha_features", at_least=0)

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.feature_affinity = feature_affinity(s.X, self.n_neighbors)
        s.G = s.Ht
        return s

    def _unit_columns(self, s):
        """If ``normalize`` is set, move the norms of the columns of W and G to B, in place."""
        for factor, side in ((s.W, s.B), (s.G, s.B.T)) if self.normalize else ():
            norms = np.linalg.norm(factor, axis=0)
            factor /= norms
            side *= norms[:, None]


def strongest(F):
    """Index of the largest entry of each row of ``F``, once its columns have unit norm."""
    norms = np.linalg.norm(F, axis=0)
    return (F / np.where(norms > 0, norms, 1)).argmax(axis=1)
