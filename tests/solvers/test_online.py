"""Online solvers against optimality conditions, quadratic programmes, finite differences."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize, nnls
from scipy.stats import kstest
from sklearn.base import clone
from sklearn.decomposition import MiniBatchDictionaryLearning

from nmfbench import make_solver
from nmfbench.core.registry import solvers
from nmfbench.optim.kernels.averaged_gradient import averaged_gradient
from nmfbench.optim.kernels.incremental import incremental_updates
from nmfbench.optim.kernels.itakura_saito import itakura_saito_codes, itakura_saito_cost
from nmfbench.optim.kernels.pair_sums import add_pair
from nmfbench.optim.kernels.simplex import project_row, row_sweeps
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.online.base import BaseOnline, feed
from nmfbench.solvers.online.inmf_vc import INMFVC, gradient_parts
from nmfbench.solvers.online.omf_cg import conjugate_gradients
from nmfbench.solvers.online.surrogate import surrogate

KEYS = [key for key in solvers if issubclass(solvers[key].target, BaseOnline)]
N, M, R = 24, 10, 3


def stream(seed=0, n=N):
    """Samples near the cone of three bases."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(R), n) @ rng.random((R, M)) + 0.05 * rng.random((n, M))


def rank(key):
    """Components of a small instance: of a square one as many as features."""
    return M if solvers[key].target.square else R


def make(key, **params):
    """A small instance."""
    return make_solver(key, n_components=rank(key), random_state=0, **params)


def sums(seed=0, n=30):
    """Sums A and B of random coefficients and samples, and bases on the simplex."""
    rng = np.random.default_rng(seed)
    codes, V = rng.random((n, R)), rng.random((n, M))
    return codes.T @ codes, codes.T @ V, rng.dirichlet(np.ones(M), R)


# -- the contract of the family ---------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("key", KEYS)
def test_fit_is_a_sequence_of_partial_fits(key, dtype):
    """The same order, seed and horizon give the same bits, in one call or in several."""
    X = stream().astype(dtype)
    whole = make(key).fit(X)
    order = whole.order_
    horizon = {"horizon": 2 * whole.n_steps_ // 2} if "horizon" in whole.get_params() else {}
    parts = make(key, **horizon)
    for _ in range(2):
        for half in (order[: N // 2], order[N // 2 :]):  # a multiple of the chunks
            parts.partial_fit(X[half])
    np.testing.assert_array_equal(whole.components_, parts.components_)
    assert whole.n_samples_seen_ == parts.n_samples_seen_ == 2 * N
    assert whole.n_steps_ == parts.n_steps_
    assert whole.inner_iterations_ == parts.inner_iterations_


@pytest.mark.parametrize("key", KEYS)
def test_a_pickled_stream_goes_on(key):
    """A solver pickled between two blocks continues to the same bits."""
    X = stream()
    model = make(key).partial_fit(X[:12])
    copy = pickle.loads(pickle.dumps(model))
    for one in (model, copy):
        one.partial_fit(X[12:])
    np.testing.assert_array_equal(model.components_, copy.components_)


@pytest.mark.parametrize("key", KEYS)
def test_sparse_rows_are_dense_rows(key):
    """CSR rows give the bits of dense ones."""
    X = stream() * (np.random.default_rng(1).random((N, M)) < 0.7)
    found = [make(key).partial_fit(data).components_ for data in (X, sp.csr_matrix(X))]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("key", KEYS)
def test_a_memory_mapped_file_is_a_stream(key, tmp_path):
    """Blocks of a memory-mapped file give the bits of the array."""
    X = stream()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    blocks = feed(make(key), (mapped[i : i + 6] for i in range(0, N, 6)))
    plain = feed(make(key), (X[i : i + 6] for i in range(0, N, 6)))
    np.testing.assert_array_equal(blocks.components_, plain.components_)


@pytest.mark.parametrize("key", [key for key in KEYS if not solvers[key].target.square])
def test_rank_may_exceed_the_data(key):
    """More components than samples or features are allowed."""
    model = make_solver(key, n_components=12, random_state=0).fit(stream(n=5))
    assert model.components_.shape == (12, M)
    assert np.isfinite(model.components_).all()


@pytest.mark.parametrize("key", [key for key in KEYS if solvers[key].target.on_simplex])
def test_bases_have_unit_sum(key):
    """The scale of samples goes to their coefficients."""
    model = make(key).fit(stream())
    if key == "sklearn-minibatch-dl":
        assert (np.linalg.norm(model.components_, axis=1) <= 1 + 1e-9).all()
    else:
        np.testing.assert_allclose(model.components_.sum(axis=1), 1)


@pytest.mark.parametrize("key", [key for key in KEYS if key != "sklearn-minibatch-dl"])
def test_a_zero_sample_is_a_step_that_changes_nothing_remembered(key):
    """Zero samples count, and leave bases and sums finite; after them learning goes on."""
    X = stream()
    model = make(key).partial_fit(np.zeros((3, M)))
    assert model.n_samples_seen_ == 3
    model.partial_fit(X).partial_fit(np.zeros((2, M)))
    assert np.isfinite(model.components_).all()
    assert model.transform(np.zeros((1, M))).max() < 1e-6


@pytest.mark.parametrize("key", KEYS)
def test_given_bases_are_the_start(key):
    """``init`` may be an array, which is refused by name if it does not fit."""
    H = np.random.default_rng(3).random((rank(key), M)) + 0.1
    seeds = [make(key, init=H).set_params(random_state=s).partial_fit(stream()) for s in (0, 1)]
    if key not in ("or-nmf", "mor-nmf", "wor-nmf", "or-nmf-is", "sklearn-minibatch-dl"):
        np.testing.assert_array_equal(*(model.components_ for model in seeds))
    with pytest.raises(ValueError, match="init has shape"):
        make(key, init=H[:, :4]).fit(stream())
    with pytest.raises(ValueError, match="init must be 'uniform' or an array"):
        make(key, init="nndsvd").fit(stream())
    assert clone(make(key, init=H)).init is not None


@pytest.mark.parametrize("key", KEYS)
def test_a_stream_ends_below_its_start(key):
    """Two passes lower the mean cost of the samples."""
    X = stream(n=60)
    params = {"penalty": None} if key == "or-nmf" else {}
    objective = make(key, **params).fit(X).trace_["objective"]
    assert objective[-1] < objective[0] or key in ("or-nmf-is", "random-bases")


@pytest.mark.parametrize("key", ["or-nmf", "mor-nmf", "omf", "omf-da", "omf-cg"])
def test_the_latest_codes_are_the_best_on_the_bases_before(key):
    """Each sample has the coefficients of least squares on the bases that it met."""
    X = stream()
    model = make(key).partial_fit(X[:5])
    for v in X[5:10, None]:
        before = model.components_.copy()
        model.partial_fit(v)
        np.testing.assert_allclose(model.latest_codes_[0], nnls(before.T, v[0])[0], atol=1e-8)


@pytest.mark.parametrize("key", sorted({*KEYS} - {"inmf-vc", "sklearn-minibatch-dl"}))
def test_the_latest_codes_go_with_the_latest_bases(key):
    """They reconstruct a chunk well below its norm, a row each; a zero sample has none."""
    X = np.vstack([stream(), np.zeros((1, M))])
    model = make(key).partial_fit(X)
    assert model.latest_codes_.shape == (N + 1, rank(key))
    assert model.latest_codes_.min() >= 0
    assert not model.latest_codes_[-1].any()
    late = slice(N // 2, N)
    residual = X[late] - model.latest_codes_[late] @ model.components_
    assert np.linalg.norm(residual) < 0.5 * np.linalg.norm(X[late])


# -- projections and surrogate ----------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e12])
def test_the_projection_on_the_simplex_is_optimal(scale):
    """It is feasible, idempotent, and no feasible point lies at an acute angle beyond it."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        x = scale * rng.standard_normal(rng.integers(1, 40))
        w = x.copy()
        project_row(w)
        assert w.min() >= 0
        assert w.sum() == pytest.approx(1, rel=1e-9)
        again = w.copy()
        project_row(again)
        np.testing.assert_allclose(again, w, atol=1e-12)
        corners = np.eye(len(x)) - w
        assert (corners @ (x - w)).max() <= 1e-9 * max(1, abs(x).max())


def test_the_projection_of_equal_entries_is_flat():
    """Ties share what there is, and adding a number to all entries changes nothing."""
    for value in (0.0, -7.0, 1e9):
        x = np.full(8, value)
        project_row(x)
        np.testing.assert_allclose(x, 1 / 8)


@pytest.mark.against("omf", "scipy.optimize.minimize (SLSQP)")
def test_sweeps_reach_the_minimum_of_the_surrogate():
    """Sweeps never raise the surrogate, and end where a general solver ends."""
    A, B, H = sums()
    values = [surrogate(H, A @ H, B)]
    for _ in range(400):
        row_sweeps(H, A, B, 1, 0.0)
        values.append(surrogate(H, A @ H, B))
    assert (np.diff(values) <= 1e-12 * abs(values[0])).all()
    found = minimize(
        lambda x: surrogate(x.reshape(R, M), A @ x.reshape(R, M), B),
        np.full(R * M, 1 / M),
        jac=lambda x: (A @ x.reshape(R, M) - B).ravel(),
        bounds=[(0, 1)] * (R * M),
        constraints=[
            {"type": "eq", "fun": lambda x, k=k: x.reshape(R, M)[k].sum() - 1} for k in range(R)
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert values[-1] == pytest.approx(found.fun, rel=1e-8)


def test_sums_of_the_past_are_outer_products():
    """A pair adds its products in place, also where coefficients are zero."""
    rng = np.random.default_rng(0)
    (A, B, _), h, v = sums(), np.array([0.3, 0.0, 2.0]), rng.random(M)
    expected = A + np.outer(h, h), B + np.outer(h, v)
    add_pair(A, B, h, v)
    np.testing.assert_allclose(A, expected[0])
    np.testing.assert_allclose(B, expected[1])


def test_sweeps_of_many_rows_are_those_of_one_after_the_other():
    """Products taken for several rows together see the rows that have just changed."""
    rng = np.random.default_rng(0)
    r, codes = 21, rng.random((50, 21))
    A, B, H = codes.T @ codes, codes.T @ rng.random((50, M)), rng.dirichlet(np.ones(M), r)
    slow = H.copy()
    for k in range(r):
        slow[k] -= (A[k] @ slow - B[k]) / A[k, k]
        project_row(slow[k])
    row_sweeps(H, A, B, 1, 0.0)
    np.testing.assert_allclose(H, slow, atol=1e-12)


def test_a_row_update_is_exact():
    """No feasible nudge of the row just updated improves the surrogate."""
    A, B, H = sums(1)
    only = A.copy()
    only[1:, 1:] = np.diag(np.zeros(R - 1))  # rows with a zero diagonal stay
    row_sweeps(H, only, B, 1, 0.0)
    best = surrogate(H, A @ H, B)
    rng = np.random.default_rng(0)
    for _ in range(200):
        near = H.copy()
        near[0] += 1e-4 * rng.standard_normal(M)
        project_row(near[0])
        assert surrogate(near, A @ near, B) >= best - 1e-12


@pytest.mark.against("omf-cg", "numpy.linalg.solve", part="the direction")
def test_conjugate_gradients_without_projection_reach_the_minimiser():
    """One exact Newton step from anywhere ends at B / A."""
    A, B, H = sums(2)
    Q = conjugate_gradients(A, A @ H - B, 1e-14, 10 * R)
    np.testing.assert_allclose(H - Q, np.linalg.solve(A, B), atol=1e-9)


@pytest.mark.against(("omf-da", "omf-cg"), "exact sweeps of the surrogate")
@pytest.mark.parametrize("key", ["omf-da", "omf-cg"])
def test_guarded_steps_end_at_the_surrogates_minimum(key):
    """With a small tolerance they stop where exact sweeps stop, and never raise the surrogate."""
    A, B, H = sums(3)
    exact = H.copy()
    row_sweeps(exact, A, B, 5000, 1e-14)
    model = make(key, tol=1e-12, max_iter_inner=3000)
    state = State(H=H, A=A, B=B, rises=0, sweeps=0)
    values = [surrogate(state.H, A @ state.H, B)]
    for _ in range(3):
        model._improve(state)
        values.append(surrogate(state.H, A @ state.H, B))
    assert (np.diff(values) <= 1e-12 * abs(values[0])).all()
    assert values[-1] == pytest.approx(surrogate(exact, A @ exact, B), rel=1e-6)


# -- robust stochastic approximation -----------------------------------------------------------


def gradient_of_kernel(H, v, h, *, ridge=0.0, floor=0.0):
    """The gradient by which the kernel's first step moves ``H``, free of any constraint."""
    length, largest = 1e-3, 1e6
    moved = H.copy()
    averaged_gradient(
        moved,
        v[None],
        h[None],
        np.arange(1),
        np.zeros(2),
        length * largest,
        largest,
        ridge,
        -1e9,
        1e9,
        0.0,
        floor,
        np.inf,
    )
    second = length / np.sqrt(2)
    iterate = (moved * (length + second) - length * H) / second
    return (H - iterate) / length


@pytest.mark.against(("or-nmf", "mor-nmf", "wor-nmf"), "finite differences", part="the gradient")
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_the_gradient_is_that_of_the_squared_error(ridge):
    """Finite differences of the cost of one sample, with the penalty of the bases."""
    rng = np.random.default_rng(0)
    H, v, h = rng.random((R, M)), rng.random(M), rng.random(R)

    def cost(x):
        return 0.5 * np.sum((v - h @ x) ** 2) + 0.5 * ridge * np.sum(x**2)

    found = gradient_of_kernel(H, v, h, ridge=ridge)
    np.testing.assert_allclose(found, differences(cost, H), rtol=1e-5, atol=1e-7)


@pytest.mark.against("or-nmf-is", "finite differences")
def test_the_gradient_is_that_of_the_divergence():
    """Finite differences of the Itakura-Saito divergence of one sample."""
    rng = np.random.default_rng(0)
    H, v, h = rng.random((R, M)) + 0.1, rng.random(M) + 0.1, rng.random(R) + 0.1

    def cost(x):
        ratio = v / (h @ x)
        return np.sum(ratio - np.log(ratio) - 1)

    found = gradient_of_kernel(H, v, h, floor=1e-9)
    np.testing.assert_allclose(found, differences(cost, H), rtol=1e-4, atol=1e-6)
    codes = h[None]
    assert itakura_saito_cost(v[None], codes, H, 1e-9) == pytest.approx(cost(H))


def differences(cost, H, step=1e-6):
    """Central differences of a function of a matrix."""
    found = np.zeros_like(H)
    for place in np.ndindex(H.shape):
        nudge = np.zeros_like(H)
        nudge[place] = step
        found[place] = (cost(H + nudge) - cost(H - nudge)) / (2 * step)
    return found


@pytest.mark.against("or-nmf", "exact sweeps of the surrogate")
def test_many_steps_approach_the_minimum_of_the_surrogate():
    """The gap to OMF's minimum falls with the number of steps: both minimise one function."""
    rng = np.random.default_rng(0)
    codes, V = rng.random((20, R)), rng.random((20, M))
    A, B, start = codes.T @ codes, codes.T @ V, rng.dirichlet(np.ones(M), R)
    exact = start.copy()
    row_sweeps(exact, A, B, 5000, 1e-14)
    gaps = []
    for steps in (100, 3000, 100_000):
        H = start.copy()
        draws = rng.random(steps)
        size = 0.1 * np.sqrt(2 * R)
        order = np.arange(20)
        averaged_gradient(H, V, codes, order, draws, size, 0.0, 0.0, 0, 0, 0.0, 0.0, np.inf)
        gaps.append(surrogate(H, A @ H, B) - surrogate(exact, A @ exact, B))
    assert gaps[0] > gaps[1] > gaps[2] >= -1e-9
    assert gaps[2] < 0.05 * gaps[0]


@pytest.mark.against("wor-nmf", "or-nmf on chunks of one sample")
def test_one_sample_a_chunk_is_or_nmf():
    """WOR-NMF with chunks of one sample gives OR-NMF's bits."""
    X = stream()
    found = [make("or-nmf").fit(X), make("wor-nmf", chunk=1).fit(X)]
    np.testing.assert_array_equal(*(model.components_ for model in found))


@pytest.mark.against("mor-nmf", "or-nmf with the same buffer")
def test_a_ring_that_holds_all_is_or_nmf():
    """MOR-NMF whose buffer is never full gives OR-NMF's bits; a full one forgets."""
    X = stream()
    whole = make("or-nmf").partial_fit(X)
    np.testing.assert_array_equal(
        whole.components_, make("mor-nmf", buffer=N).partial_fit(X).components_
    )
    short = make("mor-nmf", buffer=5).partial_fit(X)
    assert np.abs(short.components_ - whole.components_).max() > 1e-6
    assert len(pickle.dumps(short)) < len(pickle.dumps(whole))


def test_a_buffer_holds_the_latest_samples():
    """The ring replaces the oldest sample."""
    X = stream()
    state = make("mor-nmf", buffer=5).partial_fit(X)._state
    kept = {tuple(v) for v in state.V}
    assert kept == {tuple(x) for x in X[-5:]}


def test_bounds_replace_the_simplex():
    """Entries stay within the bounds, and the l1 penalty refuses them."""
    model = make("or-nmf", bounds=(0.05, 0.6)).fit(stream())
    assert model.components_.min() >= 0.05
    assert model.components_.max() <= 0.6
    with pytest.raises(ValueError, match="unit sum"):
        make("or-nmf", penalty="l1", bounds=(0, 1)).fit(stream())


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_penalised_codes_are_optimal(penalty):
    """Coefficients solve the penalised problem: conditions of optimality hold."""
    model = make("or-nmf", penalty=penalty, lam=0.05, beta=0.05).fit(stream())
    H, V = model.components_, stream(1, 8)
    codes = model.transform(V)
    gradient = codes @ H @ H.T - V @ H.T
    gradient += 0.05 if penalty == "l1" else 0.05 * codes
    assert (gradient >= -1e-9).all()
    np.testing.assert_allclose(gradient[codes > 0], 0, atol=1e-9)
    plain = make("or-nmf").fit(stream()).transform(V)
    assert codes.sum() < plain.sum()
    found = model.certificate(V)
    penalty_of_codes = 0.1 * codes.sum() if penalty == "l1" else 0.05 * np.sum(codes**2)
    expected = np.sum((V - codes @ H) ** 2) + penalty_of_codes
    assert found["primal"] == pytest.approx(expected, rel=1e-12)
    assert 0 <= found["gap"] < 1e-12


# -- the others --------------------------------------------------------------------------------


@pytest.mark.against("inmf", "the batch updates in numpy")
def test_incremental_updates_on_one_sample_are_the_batch_updates():
    """Without a past, INMF is alternating multiplicative updates of one sample."""
    rng = np.random.default_rng(0)
    H, v, h = rng.random((R, M)), rng.random(M), rng.random(R)
    W, c = H.copy(), h.copy()
    for _ in range(3):
        c *= (W @ v) / (W @ (W.T @ c))
        W *= np.outer(c, v) / np.outer(c, c @ W)
    zeros = np.zeros((R, R)), np.zeros((R, M))
    steps, floored = incremental_updates(H, h, v, *zeros, 1.0, 1.0, 0.0, 3, 1e-12)
    assert (steps, floored) == (3, 0)
    np.testing.assert_allclose(h, c)
    np.testing.assert_allclose(H, W)


def test_inmf_counts_the_denominators_that_vanish():
    """A feature that no basis has makes zero denominators, which are floored and counted."""
    H = np.random.default_rng(0).random((R, M))
    H[:, 0] = 0
    model = make("inmf", init=H).partial_fit(stream())
    assert model.floored_denominators_ > 0
    assert (model.components_[:, 0] == 0).all()


@pytest.mark.against("inmf-vc", "finite differences", part="the gradient")
def test_the_gradient_has_the_volume():
    """Finite differences of the means' surrogate with the logarithm of the determinant."""
    rng = np.random.default_rng(0)
    A, B, H = np.cov(rng.random((R, 9))), rng.random((R, R)), rng.random((R, R)) + np.eye(R)

    def cost(x):
        return surrogate(x, A @ x, B) + 0.3 * np.linalg.slogdet(x)[1]

    up, down = gradient_parts(H, A, B, 0.3)
    assert min(up.min(), down.min()) >= 0
    np.testing.assert_allclose(down - up, differences(cost, H), rtol=1e-5, atol=1e-7)


@pytest.mark.against("inmf-vc", "inmf, without the volume")
def test_a_step_without_the_volume_is_that_of_inmf():
    """With delta 0 and plain means, bases move as INMF's do."""
    rng = np.random.default_rng(0)
    H, h = rng.random((R, R)), rng.random(R)
    v, codes = h @ H, rng.random((9, R))  # h is the best code of v, so that INMF leaves it alone
    A, B = codes.T @ codes, codes.T @ rng.random((9, R))
    state = State(H=H, A=(A + np.outer(h, h)) / 10, B=(B + np.outer(h, v)) / 10, least_volume=-99.0)
    INMFVC(delta=0.0, amnesia=1)._improve(state, 0.0)
    incremental_updates(H := H.copy(), h, v, A, B, 1.0, 1.0, 0.0, 1, 1e-12)
    np.testing.assert_allclose(state.H, H)


@pytest.mark.against("inmf-vc", "the mixing matrix of known sources", part="three sources")
@pytest.mark.parametrize("seed", range(3))
def test_sparse_sources_are_separated(seed):
    """Up to order and scale, bases come nearer to the mixing than the start was."""
    rng = np.random.default_rng(seed)
    sources = rng.exponential(size=(2000, 3)) * (rng.random((2000, 3)) < 0.4)
    mixing, start = rng.random((3, 3)), rng.random((3, 3))
    model = make_solver("inmf-vc", init=start).partial_fit(sources @ mixing)
    assert amari_index(mixing, model.components_) < amari_index(mixing, start)


def amari_index(mixing, H):
    """How far ``H`` is from the mixing, scaled and permuted: 0 where it is that, 1 at most."""
    P = np.abs(mixing @ np.linalg.inv(H))
    rest = (
        (P.sum(axis=1) / P.max(axis=1)).sum() + (P.sum(axis=0) / P.max(axis=0)).sum() - 2 * len(P)
    )
    return rest / (2 * len(P) * (len(P) - 1))


def test_a_mixture_must_be_square_and_regular():
    """Another number of components, and a start without an inverse, are refused."""
    with pytest.raises(ValueError, match="as many components as features, 10"):
        make_solver("inmf-vc", n_components=3).fit(stream())
    with pytest.raises(ValueError, match="determinant is zero"):
        make("inmf-vc", init=np.ones((M, M))).fit(stream())


@pytest.mark.against("onmf", "the products of the codes it keeps")
def test_onmf_needs_no_codes_of_the_past():
    """Bases are the same with and without them; with them they explain all samples."""
    X = stream(n=40)
    kept, without = make("onmf").fit(X), make("onmf", keep_codes=False).fit(X)
    np.testing.assert_array_equal(kept.components_, without.components_)
    assert not hasattr(without, "codes_")
    assert kept.codes_.shape == (80, R)
    seen = X[np.r_[kept.order_, kept.order_]]
    error = np.linalg.norm(seen - kept.codes_ @ kept.components_) / np.linalg.norm(seen)
    assert error < 0.2
    np.testing.assert_allclose(kept._state.G, kept._state.codes.T @ kept._state.codes)


def test_square_roots_make_the_divergence_fall():
    """With exponent 1/2 no update of coefficients raises the divergence."""
    rng = np.random.default_rng(0)
    V, H = rng.random((6, M)) + 0.01, rng.random((R, M))
    codes, values = rng.random((6, R)), []
    for _ in range(40):
        itakura_saito_codes(codes, V, H, 1e-9, 0.5, 0.0, 1)
        values.append(itakura_saito_cost(V, codes, H, 1e-9))
    assert (np.diff(values) <= 1e-12).all()


@pytest.mark.against("onmf-is", "descent of the majorised divergence")
def test_onmf_is_majorises():
    """On one sample, shown again and again, the divergence never rises."""
    v = np.random.default_rng(0).random((1, M)) + 0.05
    model, values = make("onmf-is", mm=True), []
    for _ in range(15):
        model.partial_fit(v)
        codes = model.transform(v)
        values.append(itakura_saito_cost(v, codes, model.components_, 1e-9))
    assert (np.diff(values) <= 1e-9 * values[0]).all()


def test_onmf_is_may_begin_with_random_sums():
    """After a sample v, with A and B uniform: W = sqrt((A + v/y^2 h' * W^2) / (B + h' / y))."""
    v = np.random.default_rng(0).random((1, M)) + 0.05
    model = make("onmf-is", first_sums="random").partial_fit(v)
    W = make("random-bases").partial_fit(v).components_
    A, B = np.random.default_rng(0).spawn(3)[2].random((2, R, M))
    h = np.full((1, R), v.sum() / R)
    itakura_saito_codes(h, v, W, 1e-9, 1.0, 1e-4, 200)
    y = h @ W
    new = np.sqrt((A + h.T * (v / y**2) * W**2) / (B + h.T / y))
    np.testing.assert_allclose(model.components_, new / new.sum(axis=1, keepdims=True))
    with pytest.raises(ValueError, match="first_sums must be one of 'bases', 'random'"):
        make("onmf-is", first_sums="zeros").fit(v)


@pytest.mark.against("sklearn-minibatch-dl", "sklearn.decomposition.MiniBatchDictionaryLearning")
def test_the_peer_is_scikit_learns():
    """The wrapper gives what scikit-learn gives from the same bases, batch by batch."""
    X, H = stream(), np.random.default_rng(3).dirichlet(np.ones(M), R)
    model = make("sklearn-minibatch-dl", init=H, batch_size=4).partial_fit(X)
    peer = MiniBatchDictionaryLearning(
        R,
        alpha=0.0,
        fit_algorithm="cd",
        positive_code=True,
        positive_dict=True,
        batch_size=4,
        dict_init=H / np.linalg.norm(H, axis=1, keepdims=True),
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start in range(0, N, 4):
            peer.partial_fit(X[start : start + 4])
    np.testing.assert_allclose(model.components_, peer.components_)


@pytest.mark.against("random-bases", "the uniform distribution, by scipy.stats.kstest")
def test_untrained_bases_are_uniform_and_the_start_of_all():
    """Nothing is learned: bases are uniform draws scaled to unit sum, as in the start of OMF.

    Ratios of uniform numbers have the distribution function x / 2 below 1, 1 - 1 / (2 x) above.
    """
    X = stream()
    found = make("random-bases").fit(X).components_
    np.testing.assert_array_equal(found, make("omf").partial_fit(np.zeros((1, M))).components_)
    np.testing.assert_array_equal(found, make("random-bases").fit(10 * X[::-1]).components_)
    many = make_solver("random-bases", n_components=2000, random_state=1).fit(X).components_
    ratios = many[:, 0] / many[:, 1]
    law = kstest(ratios, lambda x: np.where(x < 1, x / 2, 1 - 1 / (2 * np.maximum(x, 1))))
    assert law.pvalue > 0.01


# -- slips of the paper, as its notebook shows them -------------------------------------------


def test_the_first_average_is_the_start():
    """Rule (9), tested on it as printed, ends a step in which nothing has moved; from the second
    average on even the loosest rule leaves a step."""
    model = make("or-nmf", tol=1e9).partial_fit(stream()[:1])
    start = make("random-bases").fit(stream()[:1]).components_
    assert model.inner_iterations_ > 1
    assert np.abs(model.components_ - start).max() > 1e-3


def test_the_divergence_is_not_convex_in_the_bases():
    """Between bases of three and nine times the sample it lies above the chord."""
    v = h = np.ones((1, 1))
    left, middle, right = (itakura_saito_cost(v, h, np.full((1, 1), w), 1e-9) for w in (3, 6, 9))
    assert middle > (left + right) / 2 + 0.05


def test_the_sum_of_onmf_is_needs_the_coefficients():
    """With them one update lowers the divergence of its sample, and without them it rises."""
    rng = np.random.default_rng(0)
    H, h = rng.random((10, 361)), rng.random(10)
    model = h @ H
    v = model * rng.uniform(0.5, 1.5, 361)
    A, B = v / model**2 * H**2, np.outer(h, 1 / model)
    sums = {"before": B * H**2, "with": h[:, None] * A, "without": A}
    costs = {
        name: itakura_saito_cost(v[None], h[None], np.sqrt(first / B), 1e-9)
        for name, first in sums.items()
    }
    assert costs["with"] < costs["before"] < costs["without"]


def test_equal_weights_of_inmf_cancel():
    """Weights of one, as in the experiments, are weights of a half, whose sum is one."""
    fits = [make("inmf", weights=weights).fit(stream()) for weights in ((1, 1), (0.5, 0.5))]
    np.testing.assert_allclose(*[fit.components_ for fit in fits], rtol=1e-9)
