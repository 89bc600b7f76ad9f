"""Artefacts: each runs under smoke, draws from its table, and its claims can go either way."""

import functools
import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from outcomes import made_up
from verdicts import verdict_of

from nmfbench.artefacts.artefact import PROFILES, label_records
from nmfbench.artefacts.drawn import figure_data
from nmfbench.artefacts.grids import labels_of
from nmfbench.artefacts.style import figure_style
from nmfbench.core import registry
from nmfbench.records.store import Store
from nmfbench.verdicts.evaluate import evaluate

OUTCOMES = made_up()
ARTEFACTS = [entry.target for entry in registry.artefacts.entries()]


@pytest.fixture(params=ARTEFACTS, ids=lambda artefact: artefact.id)
def artefact(request):
    return request.param


@functools.cache
def grid(artefact_id, profile):
    """The trials of a profile, listed once: some grids have many thousands."""
    return registry.artefacts[artefact_id].target.grid(profile)


@functools.cache
def rows(artefact_id):
    """The trials of the paper's grid as a table."""
    trials = grid(artefact_id, "paper")
    return pd.DataFrame([trial.to_dict() for trial in trials]).join(labels_of(trials))


def test_grids_are_consistent(artefact):
    """Grids hold no trial twice, name registered things only, and quick is a subset of paper."""
    grids = {profile: grid(artefact.id, profile) for profile in PROFILES}
    for trials in grids.values():
        assert len(set(trials)) == len(trials) > 0
        for trial in trials[:: len(trials) // 500 + 1]:
            assert len(trial.key) == 24
    assert set(grids["quick"]) < set(grids["paper"])


def test_every_trial_belongs_to_a_method(artefact):
    """No trial is computed that no curve or row shows."""
    assert label_records(rows(artefact.id), artefact.methods)["method"].notna().all()


def test_an_unknown_profile_is_named():
    """An unknown profile is an error that lists the known ones."""
    with pytest.raises(ValueError, match="'smoke', 'quick', 'paper'"):
        ARTEFACTS[0].plan("huge")


def test_smoke_runs_and_draws_from_the_saved_table(artefact, smoke_store):
    """Every artefact finishes under smoke, and its picture needs nothing but the table."""
    with Store(smoke_store, create=False) as store:
        evaluation = evaluate(artefact, store, profile="smoke", stand_in=True)
    assert evaluation.failures == {}
    assert evaluation.done == evaluation.total
    assert evaluation.broken == []
    assert len(evaluation.verdicts) == len(artefact.claims) > 0
    saved = pd.read_json(io.StringIO(evaluation.table.to_json(orient="table")), orient="table")
    with figure_style():
        picture = artefact.picture(saved)
    if artefact.kind == "figure":
        plots = [axis for axis in picture.axes if axis.lines]
        assert all(axis.get_xlabel() for axis in plots)
        panels = [axis for axis in picture.axes if axis.get_label() != "<colorbar>"]
        assert plots or all(axis.images for axis in panels)
        assert sum(not axis.images for axis in plots) <= 9
        assert smallest_text(picture) >= 9
        if (curves := figure_data(picture)) is not None:
            names = [panel["name"] for panel in curves.panels]
            assert len(set(names)) == len(names)
            assert set(curves.points["panel"]) <= set(names)
        plt.close(picture)
    else:
        assert len(picture)
    for also in (artefact.scores, artefact.strips):
        assert also is None or len(also(saved))


def smallest_text(picture):
    """Pixels of the smallest text on a page 1400 wide, where a wider picture is made to fit."""
    page, dpi = 1316, 130
    shrunk = min(1, page / (dpi * picture.get_figwidth()))
    texts = [text for text in picture.findobj(Text) if text.get_text().strip()]
    return min(text.get_fontsize() for text in texts) / 72 * dpi * shrunk


def records_of(artefact, metrics):
    """Records of the paper's grid with metrics (and arrays) that ``metrics(row, rng)`` makes up."""
    rng = np.random.default_rng(0)
    table = label_records(rows(artefact.id).assign(status="done"), artefact.methods)
    made = pd.DataFrame([metrics(row, rng) for row in table.to_dict("records")])
    return pd.concat([table, made], axis=1)


def test_claims_say_whose_they_are(artefact):
    """A claim whose source is ours, or about the hybrid, is no claim of a paper."""
    for claim in artefact.claims:
        ours = "ours" in claim.source or "hybrid" in claim.id or "hybrid" in claim.statement
        assert claim.origin == ("ours" if ours else "paper"), claim.id


def test_the_paper_grid_is_counted(artefact):
    """The number that partial verdicts name is that of the paper's grid."""
    assert artefact.paper_total == len(grid(artefact.id, "paper"))


@pytest.mark.parametrize("holds", [True, False], ids=["confirmed", "refuted"])
def test_claims_can_be_confirmed_and_refuted(artefact, holds):
    """Every claim is confirmed by results that agree with it, and refuted by the opposite."""
    assert artefact.id in OUTCOMES, (
        f"{artefact.id} has no made-up results: register them in a file of tests/outcomes"
    )
    table = artefact.frame(records_of(artefact, OUTCOMES[artefact.id](holds)))
    found = {
        claim.id: verdict_of(claim.test, table, artefact.smallest_difference)
        for claim in artefact.claims
    }
    wrong = {
        name: verdict.evidence
        for name, verdict in found.items()
        if verdict.verdict != ("confirmed" if holds else "refuted")
    }
    assert not wrong
