"""The trials behind an artefact, as a page: one row per cell of its grid."""

import html
import re

import pandas as pd
import pytest

from nmfbench.core import registry
from nmfbench.records.store import Store
from nmfbench.reports.trials import cells_of, write_trials
from nmfbench.verdicts.evaluate import evaluate


def trial(key, level=0.0, recovery=0.5, seconds=1.0, **more):
    known = {
        "key": key * 24,
        "task": "recovery",
        "dataset": "near-separable",
        "dataset_params": {"n_samples": 40},
        "stand_in": False,
        "corruption": "gaussian",
        "level": level,
        "solver": "spa",
        "params": {},
        "options": {},
        "status": "done",
        "method": "SPA",
        "anchor-recovery": recovery,
        "lp-calls": 0.0,
        "n_iter": 20,
        "seconds": seconds,
    }
    return known | more


METRICS = ["anchor-recovery", "lp-calls", "n_iter", "seconds"]


def cells(*trials, metrics=METRICS):
    return cells_of(pd.DataFrame(trials), metrics)


def test_repeats_of_one_setting_are_one_row():
    """Means with standard deviations, how many there are, and how their keys begin."""
    _, table, _ = cells(
        trial("a", recovery=0.25), trial("b", recovery=0.75), trial("c", level=0.5, recovery=1.0)
    )
    assert table.to_dict("records") == [
        {
            "level": "0",
            "trials": "2",
            "anchor-recovery": "0.5 ± 0.4",
            "keys": f"{'a' * 10} {'b' * 10}",
        },
        {"level": "0.5", "trials": "1", "anchor-recovery": "1", "keys": "c" * 10},
    ]


def test_what_all_trials_share_is_no_column():
    """It is shown once above the table, be it a setting or a result."""
    shared, table, fields = cells(
        trial("a", params={"p": 1, "q": "l2"}), trial("b", params={"p": 2, "q": "l2"}, recovery=1.0)
    )
    assert shared["corruption"] == "gaussian"
    assert shared["data made with (all)"] == "n_samples = 40"
    assert shared["parameters (all)"] == "q = l2"
    assert shared["lp-calls"] == "0"
    assert list(table["parameters"]) == ["p = 1", "p = 2"]
    assert fields == ["parameters"]
    assert not shared.keys() & set(table)


def test_failed_trials_are_counted_and_have_no_part_in_means():
    """A cell of which some trials failed says how many, and names their keys, too."""
    lost = trial("b", recovery=float("nan"), seconds=9.0, status="failed")
    _, table, _ = cells(trial("a"), lost, trial("c", level=0.5, seconds=2.0))
    assert list(table["failed"]) == ["1", "0"]
    assert list(table["trials"]) == ["1", "1"]
    assert list(table["seconds"]) == ["1", "2"]
    assert table["keys"][0] == f"{'a' * 10} {'b' * 10}"


def test_a_stand_in_is_told():
    """Data that stand in for others are other data."""
    _, table, _ = cells(trial("a"), trial("b", stand_in=True))
    assert list(table["data"]) == ["near-separable", "near-separable (stand-in)"]


def test_a_grid_of_one_cell_is_a_row():
    """Where nothing varies but the repeat, all that is left are numbers and keys."""
    _, table, fields = cells(trial("a"), trial("b", recovery=1.0))
    assert list(table["trials"]) == ["2"]
    assert fields == []


@pytest.fixture(scope="module")
def shown(smoke_store, tmp_path_factory):
    """Evaluation of an artefact, and its page."""
    folder = tmp_path_factory.mktemp("report")
    with Store(smoke_store, create=False) as store:
        artefact = registry.artefacts["robust-xray/fig3"].target
        found = evaluate(artefact, store, profile="smoke", stand_in=True)
        name = write_trials(found, folder)
    return found, (folder / name).read_text(encoding="utf-8")


def test_the_page_counts_every_trial_once(shown):
    """The first keys of each cell stand in it, and the command that writes all to a file."""
    found, page = shown
    keys = re.findall(r"\b[0-9a-f]{10}\b", html.unescape(page))
    assert len(keys) == len(set(keys))
    assert set(keys) <= {key[:10] for key in found.records["key"]}
    assert "nmfbench export robust-xray/fig3 --profile smoke --format csv" in page
    assert '<th scope="col">anchor-recovery</th>' in page
    assert 'href="../robust-xray.html#robust-xray-fig3"' in page


def test_a_section_leads_to_its_trials(smoke_report):
    """Every section of an artefact with records has its page, whose links lead back."""
    for artefact in smoke_report.artefacts:
        name = f"{artefact.paper}-{artefact.name}"
        page = (smoke_report.folder / f"{artefact.paper}.html").read_text(encoding="utf-8")
        assert f'<a href="trials/{name}.html">' in page
        trials = (smoke_report.folder / "trials" / f"{name}.html").read_text(encoding="utf-8")
        for link in re.findall(r'href="\.\./([^"#]+)', trials):
            assert (smoke_report.folder / link).exists(), link
