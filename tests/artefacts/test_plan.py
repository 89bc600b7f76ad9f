"""Planned repeats: declared by every artefact, and equal to the repeats of its paper grid."""

import dataclasses

import pytest

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.finding import MIN_UNITS
from nmfbench.artefacts.plan import Plan
from nmfbench.core import registry
from nmfbench.trials.trial import Trial

ARTEFACTS = [entry.target for entry in registry.artefacts.entries()]


@pytest.mark.parametrize(
    ("repeats", "looks"),
    [
        (3, (3,)),
        (5, (5,)),
        (7, (5, 7)),
        (10, (5, 10)),
        (20, (5, 10, 20)),
        (30, (5, 10, 20, 30)),
        (50, (5, 10, 20, 30, 50)),
    ],
)
def test_verdicts_are_looked_at_on_the_way_and_at_the_end(repeats, looks):
    """At 5, 10, 20 and 30 repeats within the plan; the last look is the planned number."""
    assert Plan(repeats, "A repeat takes 1 s.").looks == looks


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"repeats": 0}, "1 repeat or more, got 0"),
        ({"repeats": 5, "part": "half of it"}, "both words and a choice"),
        ({"repeats": 5, "chosen": lambda trial: True}, "both words and a choice"),
    ],
)
def test_a_plan_is_whole(plan, message):
    """A part without words, or words without a part, would tell nobody what is planned."""
    with pytest.raises(ValueError, match=message):
        Plan(why="A repeat takes 1 s.", **plan)


def test_the_part_that_is_planned():
    """Of all trials by default; of an artefact without a plan, too."""
    trials = [Trial("recovery", name, "spa") for name in ("near-separable", "uniform")]
    half = Plan(5, "Dear.", "One set.", lambda trial: trial.dataset == "uniform")
    artefact = Artefact("a/b", "", "table", (), lambda profile: trials, None, None)
    assert artefact.planned_trials == trials
    assert dataclasses.replace(artefact, planned=Plan(5, "Cheap.")).planned_trials == trials
    assert dataclasses.replace(artefact, planned=half).planned_trials == trials[1:]


def test_an_artefact_without_a_plan_is_not_registered():
    """Nobody could say when its verdicts are final."""
    artefact = Artefact("a/b", "", "table", (), lambda profile: [], None, None)
    with pytest.raises(ValueError, match="planned: artefact 'a/b' needs the repeats"):
        register_artefact(artefact)
    assert "a/b" not in registry.artefacts


@pytest.mark.parametrize("artefact", ARTEFACTS, ids=lambda artefact: artefact.id)
def test_every_artefact_has_a_plan_that_its_grid_carries_out(artefact):
    """As many repeats, or starts, as planned, counted from 0: five at least, with the reason."""
    plan = artefact.planned
    found = {getattr(trial, plan.unit) for trial in artefact.planned_trials}
    assert found == set(range(plan.repeats))
    assert plan.repeats >= MIN_UNITS
    assert plan.why.endswith(".")


@pytest.mark.parametrize("artefact", ARTEFACTS, ids=lambda artefact: artefact.id)
def test_repeats_of_smaller_grids_are_planned(artefact):
    """Whatever a quick grid repeats is among the repeats of the plan."""
    repeats = {trial.repeat for trial in artefact.plan("quick")}
    assert repeats <= {trial.repeat for trial in artefact.planned_trials}
