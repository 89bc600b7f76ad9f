"""The two rates of OR-NMF: tasks against plain loops, exponents of known powers."""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls
from sklearn.preprocessing import normalize
from sklearn.utils import Bunch

from nmfbench import make_solver
from nmfbench.papers.or_nmf.rates import binned, exponent
from nmfbench.tasks.online import draw_samples, first_bases
from nmfbench.tasks.rates import inner_rate, step_change

N, M, R = 12, 4, 2
DATA = Bunch(X=np.random.default_rng(5).random((20, M)))


def inner(steps, theta=0.1):
    solver, rng = make_solver("or-nmf", theta=theta), np.random.default_rng(0)
    return inner_rate(DATA, solver, rng, n_components=R, n_samples=N, steps=steps)


def beginning(seed=0):
    """Samples and first bases of a trial, and the generator after them."""
    rng = np.random.default_rng(seed)
    X = normalize(draw_samples(DATA, rng, N)[0])
    return X, first_bases(X, R, rng), rng


def on_simplex(v):
    """Projection by sorting."""
    u = np.sort(v)[::-1]
    excess = (np.cumsum(u) - 1) / np.arange(1, len(v) + 1)
    return np.maximum(v - excess[np.flatnonzero(u > excess)[-1]], 0)


def test_the_gap_is_that_of_algorithm_2_to_the_minimum():
    """A plain loop over its statements, and a minimum by SLSQP, give the gaps."""
    X, H, rng = beginning()
    codes = np.array([nnls(H.T, v)[0] for v in X])
    draws, order = rng.random(40), np.arange(N)

    def value(W):
        return 0.5 * np.mean(np.sum((X - codes @ W) ** 2, axis=1))

    W, total, weights, largest, means = H.copy(), 0.0, 0.0, 0.0, {}
    for k in range(40):
        place = k % N
        other = place + int(draws[k] * (N - place))
        order[place], order[other] = order[other], order[place]
        v, h = X[order[place]], codes[order[place]]
        gradient = np.outer(h, h @ W - v)
        largest = max(largest, np.linalg.norm(gradient))
        length = 0.1 * np.sqrt(2 * R) / (largest * np.sqrt(k + 1))
        total, weights = total + length * W, weights + length
        means[k + 1] = total / weights
        W = np.array([on_simplex(row) for row in W - length * gradient])
    found = minimize(
        lambda w: value(w.reshape(R, M)),
        H.ravel(),
        method="SLSQP",
        bounds=[(0, 1)] * (R * M),
        constraints=[
            {"type": "eq", "fun": lambda w, k=k: w.reshape(R, M)[k].sum() - 1} for k in range(R)
        ],
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    expected = [(value(means[k]) - found.fun) / (value(H) - found.fun) for k in (1, 7, 40)]
    outcome = inner([1, 7, 40])
    np.testing.assert_allclose(outcome.arrays["gap"], expected, rtol=1e-5)
    assert outcome.metrics["gap"] == outcome.arrays["gap"][-1]
    assert expected[0] == 1  # the first average is the start
    assert 0 <= outcome.metrics["slack"] < 1e-8


def test_runs_share_their_draws():
    """A run after some steps does not depend on the other runs, and falls in the end."""
    several, one = inner([10, 300, 20_000]), inner([300, 20_000])
    np.testing.assert_array_equal(several.arrays["gap"][1:], one.arrays["gap"])
    assert several.arrays["gap"][-1] < 0.1
    assert several.fit["n_iter"] == 20_310
    assert inner([300], theta=0.01).metrics["gap"] != inner([300]).metrics["gap"]


@pytest.mark.parametrize("key", ["or-nmf", "mor-nmf", "omf"])
def test_changes_are_those_of_a_loop_over_samples(key):
    """Both passes have the order drawn, the first bases, and a horizon of all steps."""
    X, H, rng = beginning()
    order = rng.permutation(N)
    solver = make_solver(key, random_state=0)
    rng = np.random.default_rng(0)
    outcome = step_change(DATA, solver, rng, n_components=R, n_samples=N)
    plain = make_solver(key, random_state=0, n_components=R, init=H)
    if key != "omf":
        plain.set_params(horizon=2 * N)
    changes, last = [], H
    for row in (*order, *order):
        now = plain.partial_fit(X[[row]]).components_
        changes.append(np.sqrt(np.sum((now - last) ** 2)))
        last = now
    np.testing.assert_allclose(outcome.arrays["change"], changes, rtol=1e-12)
    assert outcome.metrics["last-change"] == pytest.approx(changes[-1])
    assert solver.n_samples_seen_ == outcome.fit["n_iter"] == 2 * N


def test_exponents_are_those_of_known_powers():
    """A power of 1/x has its own exponent, in bins nearly so, wherever they begin."""
    t = np.arange(1, 1001.0)
    assert exponent(t, 3 * t**-0.7) == pytest.approx(0.7)
    assert exponent(t, t) == pytest.approx(-1)
    for power in (0.0, 0.5, 1.0):
        assert exponent(*binned(2 * t**-power, 10)) == pytest.approx(power, abs=0.01)


def test_bins_are_even_and_leave_no_step_out():
    """Each bin spans as much of log t, the first begins at the first step, zeros count in means."""
    change = np.ones(1000)
    change[100:102] = 0
    x, y = binned(change, 10)
    assert len(x) == 16
    assert 10 < x[0] < 10 * 10 ** (1 / 8)
    assert 1000 * 10 ** (-1 / 8) < x[-1] < 1000
    np.testing.assert_allclose(np.diff(np.log10(x)), 1 / 8, atol=0.02)
    assert (y < 1).sum() == 1
    assert len(binned(np.r_[change, np.zeros(9000)], 10)[0]) == 16
