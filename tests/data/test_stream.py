"""Streams: their data, the task that tests before it learns, and recovery from changes."""

import numpy as np
import pytest
from sklearn.decomposition import MiniBatchNMF

from nmfbench import load_dataset, make_solver
from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.papers.or_nmf.studies.drift import recovery
from nmfbench.tasks.stream import stream


def drifting(kind="abrupt", **params):
    return load_dataset("drifting", 0, kind=kind, **{"n_samples": 200, "n_features": 20} | params)


def run(key, data, n_components=5, params=None, **options):
    solver = make_solver(key, **{"random_state": 0} | (params or {}))
    return stream(data, solver, np.random.default_rng(0), n_components=n_components, **options)


@pytest.mark.parametrize(
    ("kind", "alike"),
    [("stationary", "aaaa"), ("abrupt", "aabb"), ("recurring", "abab"), ("gradual", "abcd")],
)
def test_laws_change_as_the_kind_says(kind, alike):
    """Quarters of a stream without noise lie in one cone if and only if they share a law."""
    data = drifting(kind, noise=0.0, n_samples=400, n_components=3, n_features=30)
    quarters = np.split(data.X, 4)
    ranks = np.array(
        [[np.linalg.matrix_rank(np.vstack([a, b]), 1e-9) for b in quarters] for a in quarters]
    )
    same = np.array([[one == other for other in alike] for one in alike])
    if kind != "gradual":
        np.testing.assert_array_equal(ranks == 3, same)
    else:
        assert (ranks > 3).all()
    assert (data.X >= 0).all()
    pieces = {"stationary": 1, "abrupt": 2}.get(kind, 4)
    np.testing.assert_array_equal(data.segments, np.arange(pieces) * 400 // pieces)


def test_unknown_kinds_are_refused():
    """The kinds that there are stand in the message."""
    with pytest.raises(ValueError, match="'stationary', 'abrupt', 'gradual', 'recurring'"):
        drifting("sudden")
    with pytest.raises(ValueError, match="noise"):
        drifting(noise=-1.0)


def test_a_block_is_tested_on_the_bases_before_it():
    """Costs are of exact coefficients on the bases learned from earlier blocks."""
    data = drifting()
    cost = run("omf", data).arrays["cost"]
    assert np.isnan(cost[:5]).all()
    model = make_solver("omf", n_components=5, random_state=0)
    for start in range(5, 40, 5):
        model.partial_fit(data.X[start - 5 : start])
        v = data.X[start : start + 5]
        residual = v - project_frobenius(v, model.components_) @ model.components_
        np.testing.assert_allclose(cost[start : start + 5], 0.5 * (residual**2).sum(axis=1))


def test_the_future_does_not_reach_back():
    """Other samples later change no cost before."""
    data, other = drifting(), drifting()
    other.X[100:] = other.X[100:][::-1]
    costs = [run("mor-nmf", one).arrays["cost"] for one in (data, other)]
    np.testing.assert_array_equal(costs[0][5:100], costs[1][5:100])
    assert not np.allclose(costs[0][105:], costs[1][105:])


def test_hindsight_is_best_on_each_segment_and_a_head_stays():
    """Batch solvers fit each segment, or the beginning, which is no good after a change."""
    data = drifting(n_components=5)
    best, frozen = run("hals", data), run("hals", data, head=0.25)
    learned = run("omf", data)
    halves = [np.nanmean(o.arrays["cost"].reshape(2, -1), axis=1) for o in (best, frozen, learned)]
    assert (halves[0] < halves[2]).all()
    assert halves[1][1] > 10 * halves[1][0]
    assert best.metrics["mean-cost"] == pytest.approx(np.nanmean(best.arrays["cost"]))


def test_a_class_of_scikit_learn_is_streamed():
    """Whoever has partial_fit and components_ can take part."""
    data = drifting()
    found = stream(data, MiniBatchNMF(random_state=0), None, n_components=5)
    assert np.isfinite(found.arrays["cost"][5:]).all()


def test_classes_come_group_after_group():
    """Each group is a segment of ``per_part`` samples; too few samples are an error."""
    data = load_dataset("digits")
    found = run("omf", data, classes_per_part=5, per_part=60, unit_samples=True)
    assert found.arrays["segments"].tolist() == [0, 60]
    assert len(found.arrays["cost"]) == 120
    assert np.nanmax(found.arrays["cost"]) <= 0.5
    with pytest.raises(ValueError, match="per_part is 900"):
        run("omf", data, classes_per_part=5, per_part=900)


def test_recovery_counts_from_the_change():
    """The next 50 samples have to be near the level of the last 50 before."""
    cost = np.ones(1000)
    cost[500:530] = 9.0
    samples, missed = recovery(cost, [0, 500])
    assert 25 < samples <= 31
    assert not missed
    cost[500:] = 9.0
    assert recovery(cost, [0, 500]) == (500, True)
    assert np.isnan(recovery(cost, [0])[0])
