"""Batches: the most expected verdicts per CPU second first, and what that is worth."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from engine import trial

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import MIN_UNITS, Finding
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.region import Lead
from nmfbench.engine import budget
from nmfbench.engine.budget import run_units, units_of
from nmfbench.verdicts import scheduler
from nmfbench.verdicts.prospects import ALIKE, PRIOR, Expected, Prospects
from nmfbench.verdicts.scheduler import Agenda, Computed, Pending, run_batches
from nmfbench.verdicts.verdict import DECIDED, Look, decide

DELTA = 0.5
EMPTY = SimpleNamespace(provenance=lambda keys: {}, imported=lambda keys: set())


def claims(n, origin="paper"):
    return [Claim(str(i), "", "", None, origin=origin) for i in range(n)]


def finding(values):
    return Finding("{}", [of_units(values, "score")], Lead())


def prospects(values, planned=20, origin="paper"):
    """Of tests whose observations are the rows of an array."""
    n = np.shape(values)[1]
    found = [finding(row) if n else Finding.without("not run", "") for row in values]
    look = Look(n, planned, n >= planned)
    return Prospects(claims(len(found), origin), found, lambda name: DELTA, look)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still unless it is set."""
    now = SimpleNamespace(seconds=0.0)
    for module in (scheduler, budget):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


class World:
    """Artefacts with known effects and costs; observations are drawn before anything is run.

    Parameters
    ----------
    effects : dict
        Artefact -> effects of its tests, in standard deviations of an observation.
    seconds : dict
        Artefact -> seconds of a repeat.
    """

    def __init__(self, clock, effects, seconds, *, seed=0, planned=20, grids=None):
        rng = np.random.default_rng(seed)
        self.clock, self.seconds, self.planned, self.effects = clock, seconds, planned, effects
        self.values = {
            name: np.array(of)[:, None] + rng.standard_normal((len(of), planned))
            for name, of in effects.items()
        }
        self.grids = grids or {
            name: [trial(corruption="sparse-laplace", level=i, repeat=k) for k in range(planned)]
            for i, name in enumerate(effects)
        }
        self.owner = {t.key: name for name, grid in self.grids.items() for t in grid}
        self.done, self.order, self.lines = set(), [], []
        self.costs = SimpleNamespace(
            of=lambda one: seconds[self.owner[one.key]], is_guess=lambda one: False
        )

    def complete(self, name):
        """Complete repeats of an artefact, which are the first ones."""
        return sum(one.key in self.done for one in self.grids[name])

    def prospects(self, name):
        return prospects(self.values[name][:, : self.complete(name)], self.planned)

    def compute(self, trials, deadline, most=np.inf):
        computed, spent = set(), 0.0
        for one in trials:
            if self.clock.seconds < deadline and spent < most:
                self.clock.seconds += self.seconds[self.owner[one.key]]
                spent += self.seconds[self.owner[one.key]]
                computed.add(one.key)
        self.done |= computed
        names = sorted({self.owner[key] for key in computed})
        self.order.append((names, len(computed)))
        return Computed(computed, spent)

    def agenda(self):
        everything = [one for grid in self.grids.values() for one in grid if one.key]
        plans = {name: Plan(self.planned, "Cheap.") for name in self.grids}
        pending = Pending(everything, EMPTY)
        return Agenda(self.grids, plans, pending, self.costs, self.prospects)

    def run(self, seconds, compute=None, **options):
        deadline = self.clock.seconds + seconds
        compute = compute or self.compute
        return run_batches(
            self.agenda(), compute, deadline=deadline, say=self.lines.append, **options
        )

    def run_evenly(self, seconds):
        def lacking(trials):
            return [one for one in trials if one.key not in self.done]

        run_units(units_of(self.grids), self.compute, lacking, budget=seconds, costs=self.costs)

    def verdicts(self):
        """Pairs of the true effect and the verdict on each test."""
        for name, effects in self.effects.items():
            found = self.prospects(name)
            settled = decide(found.findings, found.smallest, found.look)
            yield from zip(effects, (v.verdict for v in settled), strict=True)


# -- what a look is expected to decide ----------------------------------------------------------


def test_a_look_decides_what_is_clear_and_not_what_is_close():
    """By the mean and its error, at the level of the look."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((1, 5))
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    chances = {m: prospects(m + noise).chances(Look(20, 20, True))[0] for m in (0.0, 0.25, 1.5)}
    assert chances[1.5] > 0.95
    assert chances[0.25] < 0.6 < chances[1.5]
    assert prospects(0.6 + noise).chances(Look(10, 20))[0] < 0.3  # an interim look


def test_the_share_of_draws_is_the_share_of_samples_that_decide():
    """Against many samples of a normal distribution with the mean and deviation known so far."""
    rng = np.random.default_rng(1)
    start = rng.standard_normal(10)
    start = 0.6 + (start - start.mean()) / start.std(ddof=1)
    predicted = prospects([start]).chances(Look(20, 20, True))[0]
    decided = 0
    for _ in range(400):
        mean = 0.6 + rng.standard_normal() / np.sqrt(10)
        values = [*start, *(mean + rng.standard_normal(10))]
        (verdict,) = decide([finding(values)], lambda name: DELTA)
        decided += verdict.verdict in DECIDED
    assert predicted == pytest.approx(decided / 400, abs=0.1)


def test_without_estimates_the_prior_counts():
    """Looks have five repeats or more, and our claims count less."""
    empty = np.empty((2, 0))
    interim, final = Look(5, 20), Look(20, 20, True)
    assert prospects(empty).chances(interim) == [PRIOR["interim"]] * 2
    assert prospects(empty).expected(final).verdicts == pytest.approx(2 * PRIOR["final"])
    ours = prospects(empty, origin="ours").expected(final)
    assert ours.value == pytest.approx(0.3 * ours.verdicts)
    assert prospects(empty).expected(Look(MIN_UNITS - 1, MIN_UNITS - 1, True)).verdicts == 0


def test_what_is_decided_or_cannot_be_tested_is_worth_nothing():
    """Neither decided tests, nor tests that complete repeats gave no estimate."""
    clear = prospects([3.0 + 0.1 * np.arange(20)])
    assert clear.open == []
    assert clear.expected(Look(30, 30, True)).value == 0
    without = Prospects(
        claims(1), [Finding.without("not run", "")], lambda name: DELTA, Look(10, 20)
    )
    assert without.expected(Look(20, 20, True)).value == 0


def test_a_reading_that_has_not_run_is_expected_to_come_out_like_the_others():
    """It keeps a test open so far, also where all repeats of the usual readings are there."""
    one = replace(of_units(3.0 + 0.1 * np.arange(20), "score"), reading="one")
    half = Finding("{}", [one], Lead(), readings=("one", "other"))
    known = Prospects(claims(1), [half], lambda name: DELTA, Look(20, 20, True))
    assert len(known.open) == 1
    assert known.chances(Look(20, 20, True)) == [ALIKE]
    close = replace(of_units(0.1 + np.arange(20) - 9.5, "score"), reading="one")
    known = replace(known, findings=[replace(half, estimates=[close])])
    assert known.chances(Look(20, 20, True)) == [0.0]


def test_a_wider_grid_may_begin_with_fewer_repeats():
    """What the last look decided at some readings, the first look at all of them may not."""
    noise = np.arange(20) - 9.5
    noise /= noise.std(ddof=1)

    def chances(mean):
        one = replace(of_units(mean + noise, "score"), reading="one")
        found = Finding("{}", [one], Lead(), readings=("one", "other"))
        known = Prospects(claims(1), [found], lambda name: DELTA, Look(20, 20, True))
        return [known.chances(look)[0] for look in (Look(20, 20, True), Look(5, 20))]

    assert chances(0.6)[0] == ALIKE
    assert chances(0.6)[1] < 0.1
    assert chances(20.0) == [ALIKE, ALIKE]


def test_readings_of_a_test_move_together():
    """They rest on the same repeats: a test that is alike at many readings is as likely to be
    decided as at one, while comparisons with several rivals are drawn independently."""
    noise = np.arange(5) - 2.0
    one = of_units(0.9 + noise, "score")
    look = Look(20, 20, True)

    def chance(**several):
        found = replace(finding(0.9 + noise), **several)
        return Prospects(claims(1), [found], lambda name: DELTA, Look(5, 20)).chances(look)[0]

    names = tuple("abcdefgh")
    alike = chance(estimates=[replace(one, reading=n) for n in names], readings=names)
    assert 0.2 < alike == chance() < 0.9
    assert chance(estimates=[replace(one, name=n) for n in names]) < 0.6 * alike


def test_frames_of_a_clip_are_no_more_after_more_repeats():
    """Only the level of the later look may decide then."""
    values = 0.9 + np.linspace(-2, 2, 20)
    of_frames = replace(finding(values), grows=False)

    def chance(found, look):
        return Prospects(claims(1), [found], lambda name: DELTA, Look(5, 20)).chances(look)[0]

    later = Look(20, 20, True)
    assert chance(replace(of_frames, grows=True), later) > 0
    assert chance(of_frames, later) in (0.0, 1.0)


# -- the order ------------------------------------------------------------------------------------


def test_cheap_verdicts_come_first(clock):
    """All repeats up to the next look of the artefact where a second buys most."""
    world = World(clock, {"dear": [1.0], "cheap": [1.0]}, {"dear": 50.0, "cheap": 1.0})
    accounts = world.run(400.0)
    assert world.order[0] == (["cheap"], 5)
    assert accounts["cheap"].spent == accounts["cheap"].predicted
    expected = f"{PRIOR['interim']:.1f} expected"
    assert f"0 of 2 open tests decided; next: cheap, 5 s, {expected}" in world.lines[0]


def test_a_batch_that_does_not_fit_is_left_out(clock):
    """Smaller ones of others are begun, and no trial after the deadline."""
    world = World(clock, {"dear": [1.0] * 40, "cheap": [1.0]}, {"dear": 50.0, "cheap": 10.0})
    world.run(60.0)
    assert world.order == [(["cheap"], 5)]


def test_one_look_and_all_planned_repeats(clock):
    """The next look of each artefact at most, or all repeats although everything is decided."""
    effects, seconds = {"a": [9.0], "b": [9.0]}, {"a": 1.0, "b": 1.0}
    world = World(clock, effects, seconds)
    world.run(np.inf, one_look=True)
    assert [world.complete(name) for name in "ab"] == [5, 5]
    world.run(np.inf)
    assert [world.complete(name) for name in "ab"] == [5, 5]  # decided
    world = World(clock, effects, seconds)
    world.run(np.inf, all_planned=True)
    assert [world.complete(name) for name in "ab"] == [20, 20]


def test_a_batch_goes_on_to_a_look_that_decides_something(clock):
    """Not to one that is expected to decide nothing; and it is begun only if there is time."""
    world = World(clock, {"late": [1.0], "soon": [1.0]}, {"late": 1.0, "soon": 1.0})

    def expected(look):
        return Expected(9.0, 9.0) if look.repeats == 20 else Expected()

    late = SimpleNamespace(open=claims(9), behind=set(), expected=expected)
    of_others = world.prospects
    world.prospects = lambda name: late if name == "late" else of_others(name)
    best = world.agenda().batches()[0]
    assert (best.artefacts, len(best.keys), best.seconds) == (("late",), 20, 20.0)
    assert best.expected.verdicts == 9.0
    world.run(19.0)
    assert {name for names, _ in world.order for name in names} == {"soon"}
    world.run(21.0)
    assert (["late"], 20) in world.order


def test_shared_trials_are_one_batch(clock):
    """They are paid once, and count for every artefact that they complete."""
    shared = [trial(corruption="sparse-laplace", level=0, repeat=k) for k in range(20)]
    alone = [trial(corruption="sparse-laplace", level=1, repeat=k) for k in range(20)]
    grids = {"one": shared, "two": shared, "three": alone}
    effects = {name: [1.0] for name in grids}
    world = World(clock, effects, dict.fromkeys(grids, 1.0), grids=grids)
    best = world.agenda().batches()[0]
    assert "three" not in best.artefacts
    assert best.keys == {one.key for one in shared[:5]}
    assert best.expected.verdicts == pytest.approx(2 * PRIOR["interim"])
    assert best.seconds == 5.0


def test_a_batch_beyond_limits_is_set_back_once(clock):
    """Another artefact comes first, then it comes again; and it says so."""
    world = World(clock, {"bad": [1.0] * 3, "good": [1.0]}, {"bad": 1.0, "good": 1.0})

    def compute(trials, deadline, most):
        done = world.compute(trials, deadline, most)
        bad = {world.owner[key] for key in done.keys} == {"bad"}
        return Computed(done.keys, done.seconds, 2 if bad else 0)

    world.run(np.inf, compute, all_planned=True)
    order = [name for (name,), _ in world.order]
    assert order[:2] == ["bad", "good"]
    assert order[-1] == "bad"
    assert sum("exceeded a limit" in text for text in world.lines) == 1


def test_what_a_batch_was_expected_to_decide_counts_once_it_is_computed(clock):
    """A batch that ends before its last trial comes again, and its tests are expected once."""
    world = World(clock, {"one": [1.0]}, {"one": 1.0})

    def compute(trials, deadline, most):
        return world.compute(trials[: len(world.order) + 4], deadline, most)

    account = world.run(np.inf, compute)["one"]
    assert account.batches > 1
    assert account.expected <= account.batches - 1


def test_a_batch_that_takes_far_longer_than_predicted_is_left(clock):
    """Measured costs correct the prediction, and another artefact comes first then."""
    world = World(clock, {"dear": [1.5], "fair": [1.5]}, {"dear": 100.0, "fair": 5.0})
    predicted = {"dear": 1.0, "fair": 5.0}
    world.costs = SimpleNamespace(of=lambda one: predicted[world.owner[one.key]])

    def compute(trials, deadline, most):
        done = world.compute(trials, deadline, most)
        predicted.update((name, world.seconds[name]) for name in world.order[-1][0])
        return done

    world.run(np.inf, compute)
    assert world.order[:2] == [(["dear"], 1), (["fair"], 5)]
    assert sum("takes longer than predicted" in text for text in world.lines) == 1
    assert world.complete("dear") >= 5


@pytest.mark.slow
@pytest.mark.parametrize(("share", "seeds", "factor"), [(0.1, 8, 1.3), (0.3, 4, 1.1)])
def test_the_same_hours_decide_more_tests_than_an_even_budget(clock, share, seeds, factor):
    """With a known truth 1.3 times as many or more in a tenth of all hours, and few wrongly; the
    more of the grids is computed, the less the order matters."""
    counts, wrong = {"even": 0, "batches": 0}, []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        names = [f"paper/fig{i}" for i in range(24)]
        effects = {
            name: rng.choice([0.0, 0.0, 0.3, 0.7, 1.5], 6) * rng.choice([1, 1, 1, -1], 6)
            for name in names
        }
        seconds = {name: float(np.exp(rng.uniform(0, 7))) for name in names}
        hours = share * 20 * sum(seconds.values())
        for way in counts:
            world = World(clock, effects, seconds, seed=seed)
            world.run_evenly(hours) if way == "even" else world.run(hours)
            decided = [(effect, v) for effect, v in world.verdicts() if v in DECIDED]
            counts[way] += len(decided)
            if way == "batches":
                wrong += [not _is_right(effect, verdict) for effect, verdict in decided]
    assert counts["batches"] >= factor * counts["even"], counts
    assert np.mean(wrong) <= 0.055


def _is_right(effect, verdict):
    allowed = {"confirmed": effect > 0, "refuted": effect < 0, "no lead": effect < DELTA}
    return allowed[verdict]
