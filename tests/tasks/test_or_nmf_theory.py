"""Measurements of the convergence theory of OR-NMF, and of the convexity of a divergence."""

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.utils import Bunch

from nmfbench import make_solver
from nmfbench.solvers.online.omf import OMF
from nmfbench.solvers.online.or_nmf import ORNMF
from nmfbench.solvers.online.or_nmf_is import ORNMFIS
from nmfbench.tasks.divergence_convexity import divergence_convexity, excess
from nmfbench.tasks.penalized_stream import penalized_stream, roughness
from nmfbench.tasks.surrogate_stream import costs_at, surrogate_stream

SIZE = {"n_components": 3, "n_samples": 20}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def data(rng):
    return Bunch(X=rng.random((30, 8)))


def follow(data, solver, **options):
    return surrogate_stream(data, solver, np.random.default_rng(0), **SIZE, **options)


def test_a_stream_is_measured_within_its_second_and_last_pass(data):
    """Where it is measured anyway nothing changes; and evenly within two of the four passes."""
    plain, more = (
        follow(data, make_solver("mor-nmf", buffer=5, random_state=0), n_epochs=4, within=n).arrays
        for n in (0, 5)
    )
    assert set(more["at"]) - set(plain["at"]) == {24, 28, 32, 36, 64, 68, 72, 76} - set(plain["at"])
    np.testing.assert_array_equal(more["all"][np.isin(more["at"], plain["at"])], plain["all"])


def test_costs_count_samples_as_often_as_they_came(rng):
    """Of t samples of repeated passes the first ones count once more than the others."""
    X, H = rng.random((5, 8)), rng.dirichlet(np.ones(8), 3)
    costs = [0.5 * nnls(H.T, v)[1] ** 2 for v in X]
    best, everything, _ = costs_at(X, H, 7)
    assert best == pytest.approx(np.mean([*costs, *costs[:2]]))
    assert everything == pytest.approx(np.mean(costs))


def test_the_first_order_gap_bounds_what_small_steps_gain(rng):
    """Towards the vertices that the gradient prefers f falls at the rate of the gap."""
    X, H = rng.random((20, 8)), rng.dirichlet(np.ones(8), 3)
    _, cost, gap = costs_at(X, H, 20)
    step, rates = 1e-6, []
    for corner in np.ndindex(8, 8, 8):
        U = np.eye(8)[list(corner)]
        rates.append((cost - costs_at(X, H + step * (U - H), 20)[1]) / step)
    assert max(rates) == pytest.approx(gap, rel=1e-3)


def test_a_minimised_surrogate_never_rises(data):
    """Exact sweeps lower it, averaged steps need not; curves end where the metrics say."""
    swept, averaged = (follow(data, S(random_state=0), n_epochs=10) for S in (OMF, ORNMF))
    assert swept.metrics["largest-rise"] < 1e-9 < averaged.metrics["largest-rise"]
    assert swept.metrics["share-of-rises"] == 0
    for found in (swept, averaged):
        arrays = found.arrays
        assert (arrays["surrogate"] >= arrays["best"] * (1 - 1e-9)).all()
        assert set(20 * np.arange(1, 11)) <= set(arrays["at"])
        assert arrays["surrogate"][-1] == found.metrics["stored"]
        assert len(arrays["change"]) == 200


def test_the_norm_of_the_gradient_can_be_fixed(data):
    """At a share of the largest norm that a run finds by itself."""
    free = follow(data, ORNMF(random_state=0))
    fixed = follow(data, ORNMF(random_state=0), norm_share=0.5)
    assert fixed.metrics["largest-norm"] == pytest.approx(0.5 * free.metrics["largest-norm"])
    assert fixed.metrics["cost"] != free.metrics["cost"]


def test_without_the_cosine_bases_go_on_moving(data):
    """A factor that stays moves the bases more at the end than one that has become small."""
    ends = [
        follow(data, ORNMF(random_state=0), n_epochs=10, cosine=cosine).arrays["change"][-20:]
        for cosine in (True, False)
    ]
    assert ends[0].mean() < 0.5 * ends[1].mean()


def test_the_divergence_of_a_pixel_is_concave_where_the_model_is_bright():
    """Midpoints exceed the mean of the ends above twice the pixel, and fall short below."""
    v = np.ones((1, 1))
    assert excess(v, 2 * v, 6 * v) > 0
    assert excess(v, 0.1 * v, 2 * v) < 0


def test_segments_between_bases_disprove_convexity(data):
    """Bases that are too bright are enough; of single entries only some are."""
    solver = ORNMFIS(random_state=0)
    found = divergence_convexity(data, solver, np.random.default_rng(0), **SIZE).metrics
    assert found["share-scaled"] == 1
    assert found["largest-excess"] > 0.05
    assert 0 <= found["share-entry"] < 1


def penalized(X, **params):
    solver = ORNMF(random_state=0, **params)
    found = penalized_stream(Bunch(X=X), solver, np.random.default_rng(0), **SIZE)
    return found.metrics


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"penalty": "l1", "lam": 0.01},
        {"penalty": "l2", "alpha": 0.1, "beta": 0.1},
        {"bounds": (0.02, 0.5)},
    ],
    ids=["plain", "l1", "l2", "box"],
)
def test_the_batch_method_is_below_the_stream(rng, params):
    """From the same start many exact rounds end lower than two passes, whatever the penalty."""
    found = penalized(rng.random((30, 9)), **params)
    assert found["ratio"] == found["cost"] / found["cost-batch"] > 1
    assert found.get("outside", 0.0) == 0.0


def test_penalties_count_in_the_cost(rng):
    """A heavy penalty leaves no coefficients, so that half the squared norm is left."""
    found = penalized(rng.random((30, 9)), penalty="l1", lam=100.0)
    assert found["cost"] == pytest.approx(0.5)
    assert found["codes-sparseness"] == 0


def test_flat_bases_are_smooth(rng):
    """A flat image has no roughness, and noise has, at any scale."""
    noise = rng.random((2, 9))
    assert roughness(np.ones((2, 9))) == 0
    assert roughness(noise) == pytest.approx(roughness(7 * noise))
    assert roughness(noise) > 0
