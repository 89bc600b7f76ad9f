"""Tasks that count inner iterations, batch iterations and chunks, against slow and obvious ways."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import normalize
from sklearn.utils import Bunch

from nmfbench import load_dataset, make_solver
from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.optim.init import INITS
from nmfbench.papers.or_nmf import batch, recognition
from nmfbench.papers.or_nmf.descent import stays_below
from nmfbench.papers.or_nmf.penalties import _BETA
from nmfbench.solvers.online.base import exact_codes, mean_cost
from nmfbench.tasks.inner_steps import incremental_steps, off_diagonal_sweeps, zero_denominators
from nmfbench.tasks.iterations_needed import iterations_needed
from nmfbench.tasks.memory import memory
from nmfbench.tasks.online import first_bases
from nmfbench.tasks.refactoring import refactoring
from nmfbench.tasks.step_costs import inner_step_cost, step_parts

SIZE = {"n_components": 3, "n_samples": 24}


@pytest.fixture
def data():
    return Bunch(X=np.random.default_rng(0).random((30, 8)))


def rng():
    return np.random.default_rng(0)


def test_iterations_end_where_the_rule_says(data):
    """At the first step of the solver's own trace that lowers the objective by little enough."""
    size = SIZE | {"n_components": 2}
    found = iterations_needed(data, make_solver("hals"), rng(), **size, tol=1e-3).metrics
    count, r = int(found["iterations"]), rng()
    X = normalize(data.X[np.sort(r.choice(30, 24, replace=False))])
    W, Ht = INITS["uniform"](X, 2, r)
    solver = make_solver("hals", n_components=2, max_iter=count, tol=0.0)
    objective = solver.fit(X, W=W, H=np.ascontiguousarray(Ht.T)).trace_["objective"]
    falls = -np.diff(objective) / objective[:-1]
    assert falls[-1] <= 1e-3 < falls[:-1].min()
    cut = iterations_needed(data, make_solver("hals"), rng(), **size, tol=1e-3, limit=2).metrics
    assert (cut["iterations"], cut["reached"]) == (2, 0)


def test_incremental_updates_are_many_and_sweeps_few(data):
    """On one problem multiplicative updates take more iterations than exact sweeps."""
    found = incremental_steps(data, make_solver("inmf"), rng(), **SIZE, limit=500).metrics
    assert 1 <= found["sweeps"] < found["updates"] <= 500
    assert 0 < found["share-ended"] <= 1


def test_without_off_diagonal_entries_one_sweep_is_exact(data):
    """The bases are then independent; the larger the entries, the more sweeps."""
    shares = [0.0, 0.5, 1.0]
    found = off_diagonal_sweeps(data, make_solver("omf"), rng(), **SIZE, shares=shares).metrics
    assert found["sweeps-0"] == 1
    assert 1 < found["sweeps-0.5"] < found["sweeps-1"]


@pytest.mark.parametrize("silent", [False, True])
def test_inmf_fails_where_a_feature_is_never_seen(data, silent):
    """Its column of the bases becomes zero, and then 0/0; positive data do it no harm."""
    if silent:
        data.X[:, 3] = 0.0
    found = zero_denominators(data, make_solver("inmf"), rng(), **SIZE).metrics
    assert found["failed"] == silent
    assert (found["finite-share"] == 1) != silent


def test_a_floor_is_what_keeps_inmf_finite(data):
    """The registered solver has one, and ends with finite bases on the same data."""
    data.X[:, 3] = 0.0
    solver = make_solver("inmf", n_components=3, random_state=0).fit(data.X)
    assert np.isfinite(solver.components_).all()


def test_factoring_all_samples_is_a_run_of_its_own(data):
    """The first cost is that of ONMF; with one chunk all three are the same."""
    found = refactoring(data, make_solver("onmf"), rng(), n_components=5).metrics
    solver = make_solver("onmf", n_components=5)
    r, X = rng(), normalize(data.X)
    H = first_bases(X, 5, r)
    X = X[r.permutation(len(X))]
    solver.set_params(init=H)
    for k in range(0, len(X), 5):
        solver.partial_fit(X[k : k + 5])
    assert found["cost"] == pytest.approx(mean_cost(X, solver.components_))
    assert found["cost-all"] < 0.5
    whole = refactoring(data, make_solver("onmf"), rng(), n_components=30).metrics
    assert whole["cost-all"] == pytest.approx(whole["cost"])
    timed = refactoring(data, make_solver("onmf"), rng(), n_components=5, rivals=False).metrics
    assert timed["seconds-all"] > 0 < timed["seconds-chunk"]


def test_parts_of_a_step_add_up(data):
    """The share of Algorithm 2 is that of the three parts, and the bases are the same."""
    found = step_parts(data, make_solver("or-nmf", random_state=0), rng(), **SIZE).metrics
    parts = [found[f"seconds-{name}"] for name in ("codes", "keep", "update")]
    assert found["share-update"] == pytest.approx(parts[2] / sum(parts))
    assert min(parts) >= 0


def test_an_inner_step_costs_more_where_bases_are_larger():
    """By a factor, for sixteen times the numbers."""
    small, large = (
        inner_step_cost(
            Bunch(X=rng().random((20, m))), make_solver("or-nmf"), rng(), n_components=16, steps=200
        ).metrics["seconds-step"]
        for m in (128, 2048)
    )
    assert large > 2 * small


def test_an_allowance_counts_from_the_start_of_the_stream():
    """A small one is enough for a solver of constant memory, whatever the process holds."""
    images = Bunch(X=rng().random((4, 400)), image_shape=(20, 20))
    size = {"n_components": 3, "n_samples": 300, "patch": 6}
    found = memory(images, make_solver("mor-nmf"), rng(), **size, allowance=16)
    assert found.metrics["out-of-memory"] == 0


def test_the_same_cost_is_reached_for_good():
    """From the record on after which no cost is above the level."""
    trace = np.zeros(5, TRACE_DTYPE)
    trace["cpu_seconds"] = np.arange(5)
    trace["objective"] = [9, 1, 3, 2, 2]
    assert stays_below(trace, 2, "cpu_seconds") == 3
    assert stays_below(trace, 3, "cpu_seconds") == 1


def test_the_buffer_is_a_tenth_of_the_training_images():
    """3, 5 and 7 in Figure 10; 12, 20 and 20 in Figure 11."""
    for name, numbers in (("yaleb", (3, 5, 7)), ("orl", (12, 20, 20))):
        for size, expected in zip(recognition.SIZES, numbers, strict=True):
            grid = recognition.grid(name, 1, (size,), (10,), recognition.SHOWN)
            found = {t.params.get("buffer", 20) for t in grid if t.solver == "mor-nmf"}
            assert found == {expected, 20}
            rows = pd.DataFrame([t.to_dict() for t in grid if t.solver == "mor-nmf"])
            named = recognition._by_buffer(
                rows.assign(method=recognition.MOR, train_per_class=size)
            )
            assert sorted(named["method"]) == [recognition.MOR, recognition.TWENTY]
            ruled = named.set_index("method")["params"][recognition.MOR]
            assert ruled.get("buffer", 20) == expected


def test_slopes_are_taken_within_data_sets():
    """Sizes to the power of a half, on levels far apart."""
    rows = [
        {"method": "MU", "dataset": d, "repeat": k, "n_samples": n, batch.ITERATIONS: c * n**0.5}
        for d, c in (("a", 1.0), ("b", 50.0))
        for k in range(5)
        for n in (100 * (1 + k), 400 * (1 + k))
    ]
    finding = batch.grows("MU", batch.ITERATIONS)(pd.DataFrame(rows))
    assert finding.estimates[0].mean == pytest.approx(0.5)
    assert finding.n == 10


def test_codes_do_not_vanish_under_the_light_weight():
    """The least-squares coefficients of faces' stand-in keep nine tenths of their size."""
    X = normalize(load_dataset("digits").X[:100])
    H = make_solver("or-nmf", n_components=10, random_state=0).fit(X).components_
    free, held = (np.linalg.norm(exact_codes(X, H, beta=beta)) for beta in (0.0, _BETA))
    assert 0.9 * free < held < free
