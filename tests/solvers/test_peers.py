"""The wrappers of scikit-learn's solvers: they change nothing, and report how it went."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import NMF, MiniBatchNMF

from nmfbench.solvers.peers.sklearn_cd import SklearnCD
from nmfbench.solvers.peers.sklearn_minibatch import SklearnMiniBatch
from nmfbench.solvers.peers.sklearn_mu import SklearnMU

THEIRS = {
    SklearnCD: lambda **params: NMF(solver="cd", **params),
    SklearnMU: lambda **params: NMF(solver="mu", beta_loss="kullback-leibler", **params),
    SklearnMiniBatch: lambda **params: MiniBatchNMF(batch_size=8, **params),
}
OPTIONS = {SklearnMiniBatch: {"batch_size": 8}}


def noisy(n=30, m=20, r=4, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) @ rng.random((r, m)) + noise * rng.random((n, m))


def factors(n, m, r, seed=1):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) + 0.1, rng.random((r, m)) + 0.1


@pytest.mark.against(
    ("sklearn-cd", "sklearn-minibatch", "sklearn-mu"), "the estimator of scikit-learn itself"
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # theirs
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("cls", THEIRS)
def test_a_peer_is_what_it_wraps(cls, sparse):
    """Factors and iterations equal the estimator's own, from the same start."""
    X = sp.csr_matrix(noisy()) if sparse else noisy()
    W, H = factors(30, 20, 4)
    settings = {"n_components": 4, "max_iter": 25, "tol": 1e-3}
    ours = cls(**settings, **OPTIONS.get(cls, {}))
    theirs = THEIRS[cls](init="custom", **settings)
    found = ours.fit_transform(X, W=W, H=H)
    np.testing.assert_array_equal(found, theirs.fit_transform(X, W=W.copy(), H=H.copy()))
    np.testing.assert_array_equal(ours.components_, theirs.components_)
    assert ours.n_iter_ == theirs.n_iter_ == ours.trace_["iteration"][-1]
    assert len(ours.trace_) == 2


@pytest.mark.parametrize("cls", THEIRS)
def test_a_peer_reports_how_it_stopped(cls):
    """scikit-learn's own count of iterations is kept, and its warning is a stop reason."""
    X = noisy()
    short = cls(n_components=4, max_iter=3, random_state=0).fit(X)
    assert (short.n_iter_, short.stop_reason_) == (3, "max_iter")
    long = cls(n_components=4, max_iter=5000, random_state=0).fit(X)
    assert long.stop_reason_ == "converged"
    assert long.n_iter_ == long.trace_["iteration"][-1] < 5000
    assert long.objective_ < short.objective_


@pytest.mark.parametrize(("name", "value"), [("batch_size", 0), ("forget_factor", 1.5)])
def test_settings_of_mini_batches_out_of_range_are_named(name, value):
    """A parameter that makes no sense is refused by name, before scikit-learn sees it."""
    with pytest.raises(ValueError, match=name):
        SklearnMiniBatch(n_components=2, **{name: value}).fit(np.ones((4, 3)))


@pytest.mark.against("sklearn-minibatch", "partial_fit of scikit-learn's own", part="streams")
@pytest.mark.parametrize("sparse", [False, True])
def test_a_stream_is_scikit_learns(sparse):
    """Blocks of any size are given batch by batch, and a fit before them leaves no trace."""
    X = sp.csr_matrix(noisy()) if sparse else noisy()
    _, H = factors(30, 20, 4)
    theirs = MiniBatchNMF(4, init="custom", batch_size=8, forget_factor=0.9)
    for start, stop in ((0, 8), (8, 16), (16, 17), (17, 25), (25, 30)):
        given = {"W": np.ones((8, 4)), "H": H.copy()} if start == 0 else {}
        theirs.partial_fit(X[start:stop], **given)
    ours = SklearnMiniBatch(n_components=4, batch_size=8, forget_factor=0.9)
    for _ in range(2):
        ours.fit(X).partial_fit(X[:17], H=H).partial_fit(X[17:])
        np.testing.assert_array_equal(ours.components_, theirs.components_)
    assert ours.transform(X).shape == (30, 4)


def test_a_stream_starts_from_its_first_block():
    """Without given components ``init`` makes some of the first block, however small it is."""
    X = noisy()
    ours = SklearnMiniBatch(n_components=4, random_state=0, batch_size=8).partial_fit(X)
    assert np.isfinite(ours.components_).all()
    assert ours.components_.shape == (4, 20)
    assert SklearnMiniBatch(n_components=4).partial_fit(X[:3]).components_.shape == (4, 20)
    with pytest.raises(ValueError, match="features"):
        ours.partial_fit(X[:, :5])


def test_an_empty_first_block_is_named():
    """A stream that begins with zeros, and without components, is refused in words about X."""
    with pytest.raises(ValueError, match="X is all zero"):
        SklearnMiniBatch(n_components=2).partial_fit(np.zeros((5, 4)))


@pytest.mark.parametrize("cls", THEIRS)
def test_sparse_data_of_single_precision_may_have_any_unit(cls):
    """They are scaled for the estimator, and stay in single precision."""
    X = sp.csr_matrix(noisy().astype(np.float32))
    plain = cls(n_components=4, max_iter=5, tol=0, random_state=0)
    wanted = plain.fit_transform(X) @ plain.components_
    scaled = cls(n_components=4, max_iter=5, tol=0, random_state=0)
    found = scaled.fit_transform(X * np.float32(2.0**24)) @ scaled.components_
    assert scaled.components_.dtype == np.float32
    np.testing.assert_allclose(found * 2.0**-24, wanted, rtol=0.1)


def test_zeros_can_be_fitted_from_given_factors():
    """Data of zeros are no obstacle to scikit-learn where the start is not zero."""
    W, H = factors(30, 20, 4)
    for kind in (SklearnCD, SklearnMU):
        model = kind(n_components=4)
        found = model.fit_transform(np.zeros((30, 20)), W=W, H=H) @ model.components_
        np.testing.assert_allclose(found, 0, atol=1e-6)
