"""The task of online learning against loops over single samples, and what it shows to solvers."""

import time

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize
from sklearn.utils import Bunch

from nmfbench import make_solver
from nmfbench.core.registry import solvers
from nmfbench.solvers.online.base import BaseOnline
from nmfbench.tasks import online as module
from nmfbench.tasks.online import online
from nmfbench.trials.trial import Trial

N, M, R = 26, 9, 3  # chunks of R samples: the last one of a pass is short
KEYS = [key for key in solvers if issubclass(solvers[key].target, BaseOnline)]


class Follower(BaseEstimator):
    """A class of the user's, whose bases move towards the mean of a block."""

    def __init__(self, n_components=R, busy=0.0, tells_codes=False):
        self.n_components = n_components
        self.busy = busy
        self.tells_codes = tells_codes

    def partial_fit(self, X, H=None):
        if H is not None:
            self.start_, self.blocks_ = H.copy(), []
            self.components_ = H
        spin(self.busy)
        self.blocks_.append(X)
        self.components_ *= 0.9  # in place, as scikit-learn's does
        self.components_ += 0.1 * X.mean(axis=0)
        if self.tells_codes:
            self.latest_codes_ = np.ones((len(X), self.n_components))
        return self


class InOrder:
    """A generator that gives the samples a certain order."""

    def __init__(self, order):
        self.order, self.rng = order, np.random.default_rng(0)

    def __getattr__(self, name):
        return getattr(self.rng, name)

    def permutation(self, n):
        assert n == len(self.order)
        return self.order


def spin(seconds):
    """Keep the processor busy."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def samples(n=N, seed=0):
    """Samples near the cone of three bases, in two classes, a third of their entries zero."""
    rng = np.random.default_rng(seed)
    X = rng.dirichlet(np.ones(R), n) @ rng.random((R, M)) + 0.1 * rng.random((n, M))
    return Bunch(X=X * (rng.random((n, M)) > 1 / 3), y=np.arange(n) % 2)


def run(solver, data=None, rng=0, **options):
    rng = np.random.default_rng(rng) if isinstance(rng, int) else rng
    return online(data or samples(), solver, rng, **{"n_components": R} | options)


def seen(data=None, rng=0, **options):
    """Rows of a pass in their order, and first bases, as a class of the user's is given them."""
    spy = Follower(tells_codes=True)
    run(spy, data, rng, **{"n_epochs": 1} | options)
    return np.concatenate(spy.blocks_), spy.start_


def make(key, **params):
    rank = {"n_components": M} if solvers[key].target.square else {}
    return make_solver(key, random_state=0, **rank, **params)


def rank(key):
    return M if solvers[key].target.square else R


def chunk(key):
    return make(key)._chunk_size(rank(key))


def prepared(key, H, n_steps, **params):
    """A solver that starts where the task starts it."""
    model = make(key, init=H, **params).set_params(n_components=len(H))
    return model.set_params(horizon=n_steps) if "horizon" in model.get_params() else model


def best(X, H):
    """Least-squares coefficients, sample by sample."""
    return np.array([nnls(H.T, v)[0] for v in X])


def cost(X, codes, H):
    return 0.5 * np.mean(np.sum((X - codes @ H) ** 2, axis=1))


def divergence(X, codes, H, floor):
    """Mean over the samples, by the formula."""
    V, Y = np.maximum(X, floor), np.maximum(codes @ H, floor)
    return np.mean(np.sum(V / Y - np.log(V / Y) - 1, axis=1))


# -- costs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["or-nmf", "mor-nmf", "omf", "omf-da"])
def test_costs_are_those_of_a_loop_over_samples(key):
    """F_n is the cost at least-squares coefficients; f_t at the bases before each sample."""
    X, H = seen()
    outcome = run(make(key), record_every=4)
    model, codes, costs, stored = prepared(key, H, 2 * N), [], [cost(X, best(X, H), H)], []
    ends = [4, 8, 12, 16, 20, 24, 26, 30, 34, 38, 42, 46, 50, 52]
    for t in range(2 * N):
        before = model.components_ if t else H
        codes.append(nnls(before.T, X[t % N])[0])
        model.partial_fit(X[[t % N]])
        if t + 1 in ends:
            rows = X[np.arange(t + 1) % N]
            costs.append(cost(X, best(X, model.components_), model.components_))
            stored.append(cost(rows, np.array(codes), model.components_))
    trace = outcome.arrays["trace"]
    assert trace["iteration"].tolist() == [0, *ends]
    np.testing.assert_allclose(trace["objective"], costs, rtol=1e-9)
    np.testing.assert_allclose(outcome.arrays["stored"], [np.nan, *stored], rtol=1e-9)
    np.testing.assert_array_equal(outcome.arrays["components"], model.components_)
    found = outcome.metrics
    assert (found["initial"], found["cost"]) == pytest.approx((costs[0], costs[-1]))
    assert (found["cost-once"], found["stored-once"]) == pytest.approx((costs[7], stored[6]))
    assert found["inner-iterations"] == model.inner_iterations_


def test_codes_that_a_solver_rewrites_are_the_stored_ones():
    """ONMF changes the coefficients of old samples: f_t takes them as they are now."""
    X, H = seen()
    outcome = run(make("onmf"), record_every=6)
    model, stored, t = prepared("onmf", H, 0), [], 0
    for _ in range(2):
        for start in range(0, N, R):
            model.partial_fit(X[start : start + R])
            t += len(X[start : start + R])
            if (start + R) % 6 == 0 or start + R >= N:
                rows = X[np.arange(t) % N]
                stored.append(cost(rows, model.codes_, model.components_))
    np.testing.assert_allclose(outcome.arrays["stored"][1:], stored, rtol=1e-9)


def test_a_class_that_tells_no_codes_has_the_best_ones_before_each_block():
    """Coefficients of a block are those on the bases before it; of the first, those after it."""
    X, _ = seen()
    spy = Follower()
    outcome = run(spy, record_every=5)
    H, codes, stored = spy.start_.copy(), [], []
    for block in spy.blocks_:
        after = 0.9 * H + 0.1 * block.mean(axis=0)
        codes += [*best(block, H if codes else after)]
        H = after
        stored.append(cost(X[np.arange(len(codes)) % N], np.array(codes), H))
    np.testing.assert_allclose(outcome.arrays["stored"][1:], stored, rtol=1e-9)
    np.testing.assert_allclose(spy.components_, H)


def test_a_class_that_writes_into_its_bases_starts_where_all_do():
    """Compilation before the clock starts leaves first bases and samples alone."""
    spy, X = Follower(), normalize(samples().X)
    outcome = run(spy, record_every=N, n_epochs=1)
    assert outcome.metrics["initial"] == pytest.approx(cost(X, best(X, spy.start_), spy.start_))
    np.testing.assert_allclose(spy.start_.sum(axis=1), 1)


@pytest.mark.parametrize("key", ["or-nmf-is", "onmf-is"])
def test_divergences_follow_the_formula(key):
    """The Itakura-Saito costs follow the formula with the floor, at the codes as they came.

    F_n is at most one per cent above many updates of all coefficients.
    """
    X, H = seen(loss="itakura-saito", floor=1e-3, rng=1)
    floor, codes = 1e-3 * X.mean(), []
    outcome = run(make(key), rng=1, record_every=N, loss="itakura-saito", floor=1e-3)
    model = prepared(key, H, 2 * N, floor=floor)
    for t in range(2 * N):
        model.partial_fit(X[[t % N]])
        codes += [*model.latest_codes_]
    expected = divergence(np.tile(X, (2, 1)), np.array(codes), model.components_, floor)
    assert outcome.metrics["stored"] == pytest.approx(expected)
    for start, bases in (("initial", H), ("cost", model.components_)):
        C = np.repeat(X.sum(axis=1, keepdims=True) / bases.sum(), R, axis=1)
        for _ in range(3000):
            Y = np.maximum(C @ bases, floor)
            C = C * np.sqrt(((np.maximum(X, floor) / Y**2) @ bases.T) / ((1 / Y) @ bases.T))
        lowest = divergence(X, C, bases, floor)
        assert lowest * (1 - 1e-9) <= outcome.metrics[start] <= 1.01 * lowest


def test_the_floor_is_common():
    """Costs of all solvers have one floor, which the solvers take over; it decides their size."""
    started = {}
    for floor in (1e-9, 1e-3):
        for key in ("or-nmf-is", "onmf-is"):
            model = make(key)
            found = run(model, loss="itakura-saito", floor=floor, n_epochs=1)
            started.setdefault(floor, []).append(found.metrics["initial"])
            assert model.floor_ == pytest.approx(floor * samples().X.mean())
    assert started[1e-9][0] == started[1e-9][1] > 2 * started[1e-3][0]


# -- streams ----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_a_stream_with_records_is_a_fit(key):
    """The order, start and horizon of a fit give its bits, however often the costs are looked at.

    Records stand at multiples of the chunk, and at the ends of passes, whose last chunk is short.
    """
    _, H = seen(n_components=rank(key))
    X = normalize(samples().X)
    whole = make(key, init=H).set_params(n_components=len(H)).fit(X)
    for blocks in (1, 2, 5, N):
        model = make(key)
        every = blocks * chunk(key)
        found = run(model, rng=InOrder(whole.order_), n_components=rank(key), record_every=every)
        np.testing.assert_array_equal(found.arrays["components"], whole.components_)
        assert (model.n_steps_, model.n_samples_seen_) == (whole.n_steps_, 2 * N)
    found = run(make(key), rng=InOrder(whole.order_), n_components=rank(key), passes=[2])
    np.testing.assert_array_equal(found.arrays["components"], whole.components_)


def test_records_stand_at_the_ends_of_passes_alone_if_asked():
    """``passes`` are the only records, agree with records of each pass; the last is the end."""
    every = run(make("omf"), record_every=N, n_epochs=5)
    some = run(make("omf"), passes=[2, 5], n_epochs=1)
    trace = some.arrays["trace"]
    assert trace["iteration"].tolist() == [0, 2 * N, 5 * N]
    np.testing.assert_array_equal(trace["objective"], every.arrays["trace"]["objective"][[0, 2, 5]])
    np.testing.assert_allclose(some.arrays["stored"][1:], every.arrays["stored"][[2, 5]])
    assert some.fit["n_iter"] == 5
    assert "cost-once" not in some.metrics


def test_the_seconds_are_those_of_learning(monkeypatch):
    """The clock stands still while costs are computed, and runs while a solver learns."""
    plain = module.mean_cost

    def slow(X, H):
        spin(0.03)
        return plain(X, H)

    monkeypatch.setattr(module, "mean_cost", slow)
    fit = run(make("omf"), record_every=5).fit
    assert max(fit["seconds"], fit["cpu_seconds"]) < 0.5 * 13 * 0.03
    trace = run(Follower(busy=0.02), n_epochs=1, record_every=9).arrays["trace"]
    assert (np.diff(trace["cpu_seconds"]) >= 0.02).all()


def test_the_area_is_a_mean_over_the_logarithm_of_samples():
    """Costs that fall as a power of the samples have the cost half-way between the ends."""
    t = np.geomspace(10, 1000, 7)
    values = 5 * t**-0.5
    assert module._area(np.r_[0, t], np.r_[9, values]) == pytest.approx(np.log10(5 * 100**-0.5))
    assert module._area(np.array([0, 10]), np.array([9.0, 0.1])) == pytest.approx(-1)


# -- samples, start and order -----------------------------------------------------------------


def test_solvers_of_one_repeat_see_one_stream():
    """Samples, order and first bases come from the repeat, whatever the solver."""
    streams = {}
    for repeat in (0, 1):
        for key in ("omf", "inmf"):
            options = {"n_components": 4, "n_samples": 30}
            trial = Trial("online", "digits", key, repeat=repeat, options=options)
            X, H = seen(samples(60), trial.rng("split"), **options)
            streams.setdefault(repeat, []).append((X, H))
    for (X, H), (Y, G) in streams.values():
        np.testing.assert_array_equal(X, Y)
        np.testing.assert_array_equal(H, G)
    (X, H), (Y, G) = streams[0][0], streams[1][0]
    assert not np.array_equal(H, G)
    assert not np.array_equal(X, Y)
    assert {*map(tuple, X)} != {*map(tuple, Y)}


def test_passes_have_one_order_that_is_drawn():
    """The second pass repeats the first, which is a permutation of the samples of unit norm."""
    spy = Follower()
    run(spy, record_every=7)
    rows = np.concatenate(spy.blocks_)
    assert [len(block) for block in spy.blocks_] == [7, 7, 7, 5] * 2
    np.testing.assert_array_equal(rows[:N], rows[N:])
    X = normalize(samples().X)
    assert not np.array_equal(rows[:N], X)
    assert sorted(map(tuple, rows[:N])) == sorted(map(tuple, X))


def test_test_samples_are_never_learned_from(monkeypatch):
    """They are of each class alike, none of them is in a block, and their cost is F of the end."""
    n, judged = 40, []
    data = Bunch(X=np.eye(n) + 0.01, y=np.arange(n) % 4)  # the largest entry names a sample
    plain = module.mean_cost
    monkeypatch.setattr(module, "mean_cost", lambda X, H: judged.append(X) or plain(X, H))
    spy = Follower()
    outcome = run(spy, data, n_test=12, n_samples=20, n_components=5)
    learned = {int(v.argmax()) for block in spy.blocks_ for v in block}
    sets = {len(X): {int(v.argmax()) for v in X} for X in judged}
    assert sets[20] == learned
    assert len(sets[12]) == 12
    assert not sets[12] & learned
    assert np.bincount(data.y[list(sets[12])]).tolist() == [3, 3, 3, 3]
    T = normalize(data.X[list(sets[12])])
    expected = cost(T, best(T, spy.components_), spy.components_)
    assert outcome.metrics["test-cost"] == pytest.approx(expected)
    assert len(outcome.arrays["test"]) == len(outcome.arrays["trace"])
    assert outcome.metrics["samples"] == 20


# -- batch solvers ----------------------------------------------------------------------------


def test_a_batch_solver_makes_an_iteration_a_pass():
    """Each record of HALS is what one fit has after as many iterations, and none is higher."""
    passes = [1, 2, 4, 8]
    X, H = seen()
    model = make("hals")
    outcome = run(model, passes=passes)
    long = make_solver("hals", n_components=R, max_iter=8, tol=0.0).fit(X, W=best(X, H), H=H)
    trace, stored = outcome.arrays["trace"], outcome.arrays["stored"]
    assert trace["iteration"].tolist() == [0, *(N * k for k in passes)]
    np.testing.assert_allclose(stored[1:], long.trace_["objective"][passes] / (2 * N), rtol=1e-6)
    assert (np.diff(stored[1:]) < 0).all()
    assert (trace["objective"][1:] <= stored[1:] * (1 + 1e-9)).all()
    assert trace["objective"][0] == pytest.approx(cost(X, best(X, H), H))
    assert (model.n_iter_, outcome.fit["n_iter"]) == (8, 8)
    assert (trace["seconds"][1:] > 0).all()


# -- errors and edges -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "options", "message"),
    [
        ("omf", {"n_samples": N + 1}, "n_samples is 27, but there are 26 samples"),
        ("omf", {"n_samples": N, "n_test": 4}, "n_samples is 26, but there are 22 samples"),
        ("omf", {"loss": "kl"}, "loss must be one of 'frobenius', 'itakura-saito', got 'kl'"),
        ("hals", {"record_every": 5}, "a batch solver makes whole passes: give passes"),
    ],
)
def test_what_cannot_be_is_refused(key, options, message):
    """Too many samples, an unknown loss, and options that a solver cannot have are named."""
    with pytest.raises(ValueError, match=message):
        run(make_solver(key), **options)


@pytest.mark.parametrize("key", [*KEYS, "sklearn-minibatch"])
def test_zero_samples_and_few_samples_are_streams(key):
    """Rows of zeros, and fewer samples than components, give finite costs."""
    data = samples()
    data.X[::3] = 0
    options = {"n_components": rank(key)}
    assert np.isfinite(list(run(make(key), data, **options).metrics.values())).all()
    few = run(make(key), samples(4), n_components=M)
    assert few.arrays["trace"]["iteration"].tolist() == [0, 4, 8]
    assert np.isfinite(list(few.metrics.values())).all()
