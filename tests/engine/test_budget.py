"""Budgets: whole repeats, evenly over artefacts, chosen by known cost and never by outcome."""

from types import SimpleNamespace

import pytest
from engine import on_digits, trial

from nmfbench.core import registry
from nmfbench.engine import budget, runner
from nmfbench.engine.budget import UNKNOWN, Costs, run_units, units_of
from nmfbench.records.store import Store


def record_of(one, **changes):
    answer = {"outcome": {"metrics": {"a": 1.0}, "fit": {}}}
    return runner.make_record(one, answer, {}) | changes


def grid(*solvers, repeats=3, levels=(0.1, 0.2), **fields):
    """An artefact's trials, repeats innermost."""
    return [
        trial(solver, corruption="sparse-laplace", level=level, repeat=repeat, **fields)
        for solver in solvers
        for level in levels
        for repeat in range(repeats)
    ]


@pytest.fixture
def clock(monkeypatch):
    """A clock that only a test advances."""
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(budget, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as opened:
        yield opened


class Work:
    """Computer that takes given seconds a trial of a solver, and remembers what it did."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds = clock, seconds
        self.done, self.calls = set(), []

    def compute(self, trials, deadline):
        self.calls.append((trials, deadline))
        for one in trials:
            if self.clock.seconds < deadline:
                self.clock.seconds += self.seconds[one.solver]
                self.done.add(one.key)

    def lacking(self, trials):
        return [one for one in trials if one.key not in self.done]

    def run(self, grids, seconds, costs, jobs=1):
        units = units_of(grids)
        options = {"budget": seconds, "costs": costs, "jobs": jobs}
        begun = run_units(units, self.compute, self.lacking, **options)
        return [(unit.artefact, unit.repeat) for unit in begun]


def known(seconds):
    """Costs that are known beforehand, by solver."""
    return SimpleNamespace(of=lambda one: seconds.get(one.solver), is_guess=lambda one: False)


# -- units ------------------------------------------------------------------------------------


def test_a_unit_is_one_whole_repeat():
    """All methods and levels of it, in the order of the repeats."""
    trials = grid("spa", "hals")
    units = units_of({"a/one": trials, "a/two": trials[:2]})
    assert [(u.artefact, u.repeat) for u in units] == [
        *(("a/one", k) for k in range(3)),
        *(("a/two", k) for k in range(2)),
    ]
    for unit in units[:3]:
        assert set(unit.trials) == {one for one in trials if one.repeat == unit.repeat}


def test_a_unit_has_all_that_starts_from_its_fits():
    """Also what another artefact asks of them, so that all come from one computation."""
    recognition, clustering = on_digits("recognition"), on_digits("clustering")
    other = on_digits("clustering", "pca")
    one, two = units_of({"a/one": [recognition], "a/two": [clustering, other]})
    assert set(one.trials) == {recognition, clustering}
    assert set(two.trials) == {recognition, clustering, other}


def test_a_fit_that_is_planned_itself_is_a_unit_with_what_starts_from_it():
    """It is not computed without those."""
    recognition = on_digits("recognition")
    (fit, _) = units_of({"a/one": [recognition.base], "a/two": [recognition]})
    assert set(fit.trials) == {recognition.base, recognition}


# -- runs -------------------------------------------------------------------------------------


def test_artefacts_get_equally_much_time(clock):
    """Next is one of the artefact that had least so far, whatever it costs; first in order wins."""
    costs = {"spa": 1.0, "hals": 3.0}
    work = Work(clock, costs)
    grids = {"cheap": grid("spa", repeats=20), "dear": grid("hals", repeats=20)}
    begun = work.run(grids, 24.0, known(costs))
    assert begun[:5] == [("cheap", 0), ("dear", 0), ("cheap", 1), ("cheap", 2), ("cheap", 3)]
    spent = {name: sum(a == name for a, _ in begun) for name in grids}
    assert spent == {"cheap": 6, "dear": 2}
    assert clock.seconds == 1024.0


def test_no_repeat_is_begun_that_would_not_fit(clock):
    """By known cost; then smaller ones of other artefacts may, but no later one of the same."""
    costs = {"spa": 1.0, "hals": 8.0}
    work = Work(clock, costs)
    grids = {"dear": grid("hals"), "cheap": grid("spa")}
    assert work.run(grids, 20.0, known(costs)) == [("dear", 0), ("cheap", 0), ("cheap", 1)]
    for trials, _ in work.calls:  # whole repeats: both levels, or none
        assert sorted(one.level for one in trials) == [0.1, 0.2]
    assert clock.seconds <= 1020.0


def test_a_guess_keeps_no_run_from_beginning(clock, store):
    """Of a task without records one repeat is begun, which ends at the deadline if need be."""
    work, trials = Work(clock, {"spa": 4.0}), grid("spa")
    assert 2 * UNKNOWN > 10.0
    assert work.run({"a": trials, "b": grid("hals")}, 10.0, Costs(store, trials)) == [("a", 0)]
    assert clock.seconds == 1008.0


def test_the_order_of_repeats_is_kept(clock):
    """Repeats of an artefact are computed from the first on, so that what is there has no gap."""
    work = Work(clock, {"spa": 1.0})
    begun = work.run({"a": grid("spa", repeats=9)[::-1]}, 11.0, known({"spa": 1.0}))
    assert begun == [("a", k) for k in range(5)]


def test_what_is_there_costs_nothing(clock):
    """Repeats with all records are passed over, and half of one is completed."""
    work = Work(clock, {"spa": 1.0})
    trials = grid("spa")
    work.done = {
        one.key for one in trials if one.repeat == 0 or (one.repeat, one.level) == (1, 0.1)
    }
    assert work.run({"a": trials}, 3.0, known({"spa": 1.0})) == [("a", 1), ("a", 2)]
    assert [len(trials) for trials, _ in work.calls] == [1, 2]


def test_a_repeat_that_takes_longer_than_predicted_ends_at_the_deadline(clock):
    """Nothing is begun after it."""
    work = Work(clock, {"spa": 7.0})
    grids = {"a": grid("spa", levels=(0.1, 0.2, 0.3)), "b": grid("spa", levels=(0.4,))}
    assert work.run(grids, 10.0, known({"spa": 1.0})) == [("a", 0)]
    assert {deadline for _, deadline in work.calls} == {1010.0}
    assert len(work.done) == 2
    assert clock.seconds == 1014.0  # what was begun has its time


def test_jobs_share_the_work_but_for_timed_trials(clock):
    """Two jobs need half of the time, unless seconds are the result."""
    costs = {"spa": 4.0}
    for timed, expected in ((False, [("a", 0)]), (True, [])):
        work = Work(clock, {"spa": 2.0})
        assert work.run({"a": grid("spa", timed=timed)}, 5.0, known(costs), jobs=2) == expected


def test_what_came_out_decides_nothing(clock, store):
    """Costs are read without metrics, so that the choice is the same whatever they say."""
    trials = grid("spa", "hals", repeats=6)
    chosen = []
    for metric, status in ((0.0, "done"), (1.0, "done"), (0.5, "failed")):
        for one in trials[:2]:
            store.put(
                record_of(one, metrics={"a": metric}, status=status, elapsed=2.0), replace=True
            )
        work = Work(clock, {"spa": 2.0, "hals": 2.0})
        chosen.append(work.run({"a": trials}, 21.0, Costs(store, trials)))
    assert chosen[0] == chosen[1] == chosen[2]
    assert chosen[0]


# -- costs ------------------------------------------------------------------------------------


def test_costs_are_those_of_the_nearest_kin(store):
    """Other repeats of one trial, else other levels, parameters, sizes, solvers."""
    wanted = trial("hals", corruption="sparse-laplace", level=0.1, params={"tol": 0.0}, repeat=5)

    def put(seconds, **changes):
        fields = wanted.to_dict() | {"repeat": 0} | changes
        one = type(wanted)(**fields)
        store.put(record_of(one, elapsed=seconds))
        kin.append(one)

    kin = [wanted]

    def cost():
        return Costs(store, kin).of(wanted)

    assert cost() == UNKNOWN
    put(1.0, task="exemplars")
    assert cost() == UNKNOWN
    put(1.0, solver="mu")
    assert cost() == pytest.approx(1.0)
    put(8.0, dataset_params=wanted.dataset_params | {"n_samples": 160})
    assert cost() == pytest.approx(2.0)  # four times as many samples
    put(50.0, params={})
    assert cost() == 50.0
    put(20.0, level=0.9)
    put(30.0, corruption="gaussian")
    assert cost() == 25.0
    put(7.0)
    put(9.0, repeat=1)
    assert cost() == 8.0


def test_costs_of_another_rank_scale_with_the_fit_alone(store):
    """The time of a trial for data and scores is the same at ten times the rank."""
    seen, wanted = (trial("spa", options={"n_components": rank}) for rank in (3, 30))
    store.put(record_of(seen, elapsed=22.0, seconds=2.0, cpu_seconds=2.0))
    assert Costs(store, [seen, wanted]).of(wanted) == pytest.approx(20.0 + 10 * 2.0)


def test_costs_of_more_iterations_scale_with_the_fit_alone(store):
    """Those given, or else the solver's own; a solver with the same parameters comes first."""
    few = trial("mu", params={"max_iter": 10})
    own = trial("mu", dataset_params={**few.dataset_params, "n_samples": 80})
    default = registry.solvers["mu"].target().max_iter
    store.put(record_of(few, elapsed=22.0, seconds=2.0, cpu_seconds=2.0))
    assert Costs(store, [few]).of(own) == pytest.approx(2 * (20.0 + default / 10 * 2.0))
    many = trial("mu", params={"max_iter": 1000}, options={"a": 1})
    assert Costs(store, [few]).of(many) == pytest.approx(20.0 + 100 * 2.0)


def test_costs_of_other_sizes_are_those_of_the_same_parameters(store):
    """Where a solver takes ten times as long with others."""
    large = {**trial().dataset_params, "n_samples": 400}
    for params, seconds in (({}, 1.0), ({"tol": 0.0}, 10.0)):
        record = record_of(trial("mu", params=params), elapsed=seconds, seconds=seconds)
        store.put(record | {"cpu_seconds": seconds})
    known = [trial("mu"), trial("mu", params={"tol": 0.0})]
    assert Costs(store, known).of(trial("mu", dataset_params=large)) == pytest.approx(10.0)


def test_costs_of_other_parameters_scale_as_where_both_were_run(store):
    """Ten times the seconds on other data; and through a third setting that both were run with."""

    def put(seconds, samples, tol):
        data = {**trial().dataset_params, "n_samples": samples}
        one = trial("mu", params={"tol": tol}, dataset_params=data)
        record = record_of(one, elapsed=1.0 + seconds, seconds=seconds, cpu_seconds=seconds)
        store.put(record)
        known.append(one)

    known = []
    for seconds, samples, tol in ((2.0, 40, 1e-3), (20.0, 40, 1e-4), (6.0, 80, 1e-3)):
        put(seconds, samples, tol)
    data = {**trial().dataset_params, "n_samples": 80}
    close, closer = (trial("mu", params={"tol": tol}, dataset_params=data) for tol in (1e-4, 1e-5))
    assert Costs(store, known).of(close) == pytest.approx(1.0 + 60.0)
    put(30.0, 160, 1e-4)
    put(90.0, 160, 1e-5)
    assert Costs(store, known).of(closer) == pytest.approx(1.0 + 180.0)


def test_costs_are_learnt_from_another_grid(store):
    """A grid of which nothing was run costs what a smaller one of the same task says, scaled."""
    large = trial(dataset_params={**trial().dataset_params, "n_samples": 400})
    store.put(record_of(trial(), elapsed=2.0))
    costs = Costs(store, [large])
    assert costs.of(large) == UNKNOWN
    costs = Costs(store, [large])
    costs.learn(store, [trial()])
    assert costs.of(large) == pytest.approx(2.0 * 400 / trial().dataset_params["n_samples"])


def test_costs_are_cpu_seconds(store):
    """Elapsed seconds of a machine that others used, too, as far as its processor was ours."""
    one = trial("spa")
    store.put(record_of(one, elapsed=30.0, seconds=20.0, cpu_seconds=10.0))
    assert Costs(store, [one]).of(one) == pytest.approx(15.0)


def test_the_first_trial_of_a_process_does_not_raise_costs(store):
    """It waits until all is compiled; of five repeats one that took a hundred times as long."""
    one = trial("spa")
    for repeat, rest in enumerate((0.1, 0.1, 40.0, 0.1, 0.1)):
        record = record_of(trial("spa", repeat=repeat), elapsed=1.0 + rest, seconds=1.0)
        store.put(record | {"cpu_seconds": 1.0})
    known = [trial("spa", repeat=repeat) for repeat in range(5)]
    assert Costs(store, known).of(one) == pytest.approx(1.1, rel=0.2)


def test_what_a_trial_takes_besides_its_fit_is_read_off_records_that_say_it(store):
    """Records without the time of the whole trial count for the fit alone."""
    one, other = trial("spa"), trial("spa", repeat=1)
    store.put(record_of(one, elapsed=10.5, seconds=10.0, cpu_seconds=10.0))
    store.put(record_of(other, elapsed=None, seconds=10.0, cpu_seconds=10.0))
    assert Costs(store, [one, other]).of(one) == pytest.approx(10.5)


def test_costs_are_corrected_by_what_is_seen(store):
    """By the ratio of measured to predicted seconds, for the same task and solver first."""
    spa, hals = trial("spa"), trial("hals")
    for one in (spa, hals):
        store.put(record_of(one, elapsed=100.0))
    costs = Costs(store, [spa, hals])
    for repeat in range(1, 20):
        one = trial("spa", repeat=repeat)
        assert costs.see(one, record_of(one, elapsed=50.0)) == 50.0
    assert costs.of(spa) == pytest.approx(50.0, rel=0.02)
    assert costs.of(hals) == pytest.approx(50.0, rel=0.02)  # the machine is faster
    costs.see(hals, record_of(hals, elapsed=900.0))
    assert costs.of(hals) > 500.0


def test_costs_of_records_without_the_time_of_the_whole_trial(store):
    """A fit costs its seconds and something more; records that start from a fit predict nothing."""
    fit, evaluation = on_digits("factorization"), on_digits("recognition")
    for one in (fit, evaluation):
        store.put(record_of(one, elapsed=None, seconds=10.0))
    costs = Costs(store, [evaluation])
    assert costs.of(fit) == pytest.approx(13.0)
    assert costs.of(evaluation) == UNKNOWN


def test_the_engine_begins_no_trial_after_the_deadline(store, monkeypatch):
    """A trial that is not wanted any more has no record, and can be computed later."""
    trials, begun = grid("spa", repeats=4), []

    def compute(one, worker, limit, base):
        begun.append(one)
        return record_of(one), {}

    monkeypatch.setattr(runner, "compute", compute)
    summary = runner.run(trials, store, wanted=lambda one: len(begun) < 3)
    assert 3 <= summary.done <= 4 < len(trials)  # one may be begun as another ends
    assert len(store.records()) == summary.done
    assert runner.run(trials, store).done == len(trials) - summary.done
