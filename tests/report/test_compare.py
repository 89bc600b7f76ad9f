"""nmfbench compare: the plan, what is computed, the statistics, the page."""

import contextlib
import itertools
import json
import re
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from comparisons import invented, known
from sklearn.decomposition import NMF

from nmfbench import cli
from nmfbench.commands import compare as command
from nmfbench.comparison import plan as planning
from nmfbench.comparison.criteria import criterion_of
from nmfbench.comparison.evaluate import evaluate, gather
from nmfbench.comparison.page import _data
from nmfbench.comparison.plan import CompareError, labels_of, make_plan
from nmfbench.comparison.run import _in_order, look_up, timings_folder
from nmfbench.comparison.run import compute as run_plan
from nmfbench.core import registry
from nmfbench.datasets.base import dataset_info
from nmfbench.engine import runner
from nmfbench.engine.perform import perform
from nmfbench.engine.worker import Worker
from nmfbench.guests import parse_solver
from nmfbench.guests.errors import GuestError
from nmfbench.guests.examine import Examined, examine
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.convergence import Race
from nmfbench.problems.problem import Problem, problems_of
from nmfbench.records.merge import merge
from nmfbench.records.provenance import host, public_host, versions
from nmfbench.records.store import Store
from nmfbench.stats.ranks import wins_ties_losses
from nmfbench.trials.trial import Trial

TEN_LINES = """
import numpy as np


class Mine:
    def __init__(self, n_components=2, max_iter=30, random_state=None):
        self.n_components, self.max_iter = n_components, max_iter
        self.random_state = random_state

    def fit_transform(self, X):
        rng, r = np.random.default_rng(self.random_state), self.n_components
        W, H = rng.random((len(X), r)), rng.random((r, X.shape[1]))
        for _ in range(self.max_iter):
            H *= (W.T @ X) / (W.T @ W @ H + 1e-9)
            W *= (X @ H.T) / (W @ (H @ H.T) + 1e-9)
        self.components_ = H
        return W


class Sums:
    def __init__(self, n_components=2, random_state=None):
        self.n_components, self.random_state = n_components, random_state
        self.note = lambda: "what no pickle takes"

    def partial_fit(self, X):
        if not hasattr(self, "components_"):
            rng = np.random.default_rng(self.random_state)
            self.components_ = rng.random((self.n_components, X.shape[1]))
            self.gram, self.cross = 0, 0
        H, W = self.components_, np.ones((len(X), self.n_components))
        for _ in range(20):
            W *= (X @ H.T) / (W @ (H @ H.T) + 1e-9)
        self.gram, self.cross = self.gram + W.T @ W, self.cross + W.T @ X
        H *= self.cross / (self.gram @ H + 1e-9)


class Fragile(Mine):
    def fit_transform(self, X):
        if len(X) > 20:
            raise RuntimeError("too many samples for me")
        return super().fit_transform(X)
"""

PROFILES = ("smoke", "quick", "paper")
TASKS = sorted(registry.problems)
_DIGITS = {"n_components": 3, "n_classes": 3, "train_per_class": 8, "test_per_class": 4}


def tiny(task, profile):
    """Two or three problems a task that take milliseconds; as many repeats as decide."""
    if task in ("reconstruction", "recognition"):
        digits = Problem(
            task=task,
            label="digits",
            dataset="digits",
            options=_DIGITS,
            baselines=GENERAL,
            repeats=6,
        )
        noisy = [
            replace(digits, label=f"digits, salt {x}", corruption="salt-pepper", level=x)
            for x in (0.2, 0.4)
        ]
        clock = [replace(digits, repeats=1, timed=True, ranked=False)]
        return [digits, *noisy] + (clock if task == "reconstruction" else [])
    if task == "convergence":
        size = {"n_samples": 20, "n_features": 30, "n_components": 3}
        low_rank = Race(
            task=task,
            label="low rank",
            dataset="noisy-low-rank",
            dataset_params=size,
            options={"n_components": 3},
            baselines=problems_of("convergence", "smoke")[0].baselines,
            repeats=2,
            timed=True,
            loss="frobenius",
            effort=0.05,
        )
        return [low_rank]
    if task in ("online", "stream"):
        return [replace(p, repeats=2) for p in problems_of(task, "smoke")]
    if task in ("held-out", "rank-choice", "unmixing"):
        return [replace(problems_of(task, "smoke")[0], repeats=2)]
    if task in ("annotation", "clustering"):
        absent = Problem(task=task, label="faces", dataset="nowhere", repeats=2)
        return [absent]
    return problems_of(task, "smoke")[:1]


@pytest.fixture
def tiny_grid(monkeypatch):
    """The grid of :func:`tiny`, in which one data set is missing."""
    monkeypatch.setattr(planning, "problems_of", tiny)
    monkeypatch.setattr(planning, "repeats_to_decide", lambda comparisons: 1)
    here = planning.dataset_available
    monkeypatch.setattr(
        planning, "dataset_available", lambda name: name != "nowhere" and here(name)
    )
    info = dict(dataset_info("yale"))
    monkeypatch.setattr(planning, "dataset_info", lambda name: info)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(TEN_LINES)
    return path


def keys(plan):
    return {cell.trial.key for cell in plan.cells}


# -- the command ------------------------------------------------------------------------------


def test_the_command_computes_what_is_missing_and_writes_a_page(tiny_grid, file, tmp_path, capsys):
    """One command gives a page, tables and figures; the next finds all baselines in the store."""
    store, output = tmp_path / "store", tmp_path / "page"
    given = ["--store", str(store), "--output", str(output), "--json", "--jobs", "1"]
    assert cli.main(["compare", f"{file}:Mine", *given]) == 0
    out, err = capsys.readouterr()
    # The plan names the number of records that the progress counts, fits among them.
    (steps, *parts), (count, todo) = (
        map(int, re.findall(r"\d+", re.findall(pattern, err)[-1]))
        for pattern in (
            r"\d+ to compute: \d+ of the solvers compared, \d+ of baselines, \d+ fits",
            r"\d+ of \d+ trials",
        )
    )
    assert steps == sum(parts) == count == todo
    assert parts[-1] > 0
    first = json.loads(out)
    assert first["found"] == 0
    assert first["computed"]["own"] > 0
    assert first["computed"]["baselines"] > 0
    titles = {row["title"] for row in first["summary"]}
    plan = make_plan([examine(parse_solver(f"{file}:Mine"))], profile="quick")
    assert titles == {criterion_of(task).title for task in plan.tasks}
    assert titles >= {
        "Reconstruction",
        "Recognition",
        "Recognition by the nearest code",
        "Background and foreground",
        "Choice of the rank",
        "Held-out entries",
        "Lighting",
        "Multi-view learning",
        "Segmentation",
        "Spectral unmixing",
        "Speed",
    }
    assert not first["failures"]

    page = (output / "index.html").read_text()
    assert str(tmp_path) not in page  # the folders are nobody's business
    assert "nowhere are not available" in page
    assert "nmfbench data fetch nowhere" in page
    assert "only fits of 1/2, 1/4, ... of the iterations" in page  # of a class without a trace
    assert page.count("its fit leaves no anchor_indices_") == 2
    parts = r"Where it stands.*Data.*What was not run.*Failures.*Provenance"
    assert re.search(parts, page, re.DOTALL)
    assert page.count("data:image/png;base64,") == len(list((output / "figures").glob("*.png")))
    names = {path.stem for path in (output / "figures").glob("*.pdf")}
    assert {
        "performance-profile-frobenius",
        "data-profile-frobenius",
        "anytime-frobenius",
        "quality-time-reconstruction",
        "robustness-recognition",
        "critical-difference-all-tasks-but-speed",
    } <= names
    scores = pd.read_csv(output / "tables" / "scores.csv")
    assert {"Mine", "nenmf", "kl-mu", "mahnmf-hybrid"} <= set(scores["method"])

    # Another solver: the baselines are there, only its own trials are computed.
    solvers = [f"{file}:Mine(max_iter=2)", f"{file}:Fragile"]
    assert cli.main(["compare", *solvers, "--task", "recognition", *given]) == 1
    second = json.loads(capsys.readouterr().out)
    assert second["computed"]["baselines"] == 0
    assert second["computed"]["own"] > 0
    assert {row["solver"] for row in second["summary"]} == {"Mine(max_iter=2)", "Fragile"}
    why = {row["reason"] for row in second["failures"]}
    assert why == {"RuntimeError: too many samples for me"}
    # A failed trial is the worst of all, not left out.
    ranks = {row["solver"]: row["mean_rank"] for row in second["summary"]}
    assert ranks["Fragile"] == second["summary"][0]["methods"] == 5
    assert "RuntimeError: too many samples for me" in (output / "index.html").read_text()


def test_a_class_with_partial_fit_alone_is_compared_on_streams(tiny_grid, file, tmp_path, capsys):
    """Blocks of samples are all it takes, of a class in a file as of scikit-learn's."""
    solvers = [f"{file}:Sums", "sklearn.decomposition:MiniBatchNMF"]
    given = ["--store", str(tmp_path / "store"), "--output", str(tmp_path / "page"), "--json"]
    words = ["compare", *solvers, "--task", "online", "--task", "stream", "--profile", "smoke"]
    assert cli.main([*words, *given]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert not answer["failures"]
    stood = {(row["solver"], row["task"]): row["methods"] for row in answer["summary"]}
    assert stood == {(s, t): 6 for s in ("Sums", "MiniBatchNMF") for t in ("online", "stream")}
    assert (tmp_path / "page" / "figures" / "quality-time-online.png").exists()
    scores = pd.read_csv(tmp_path / "page" / "tables" / "scores.csv")
    costs = scores.query("task == 'online'").set_index("method")["center"]
    assert costs["Sums"] < 2 * costs["omf"]  # half of the squared norms, 0.5, without learning


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mu", "--task", "online"], "mu cannot do the task online: the class has no partial_fit"),
        (["mu", "--task", "clusterng"], "no task is called 'clusterng'; did you mean 'clustering'"),
        (["mu", "--task", "nlad"], "nothing is compared on the task nlad, since no prob"),
        (["hasl"], "no solver is called 'hasl'; did you mean 'hals'"),
        (["mu", "--against", "hasl"], "did you mean 'hals'"),
        (["nofile.py:X"], "nofile.py does not exist"),
        (["mu", "--profile", "smok"], "did you mean 'smoke'"),
        (["mu", "--task", "recovery"], "mu cannot do the task recovery: its fit leaves no anchor"),
        (["mu", "--output", "/dev/null/page"], "--output /dev/null/page cannot be made: Not a dir"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(words, message, tmp_path, monkeypatch, capsys):
    """An impossible comparison is refused in a line, before anything is computed or written."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["compare", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


# -- the plan ---------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("more", [[], ["mu(tol=0.1)", "hals", "gnmf", "hals(max_iter=9)"]])
def test_there_are_repeats_enough_to_decide(profile, more, monkeypatch):
    """A lead in every repeat is a win on all problems of a task, however many take part; and one
    repeat less would be too few, unless a grid has more anyway."""
    monkeypatch.setattr(planning, "dataset_available", lambda name: True)
    everyone = [known(name, anchors=True) for name in ("spa(normalize=True)", *more)]
    plan = make_plan(everyone, profile=profile)
    assert plan.tasks == TASKS
    cells = [cell for cell in plan.cells if cell.problem.ranked]
    rows = [(c.problem.task, c.problem.label, c.entrant.label, c.repeat) for c in cells]
    columns = ["task", "problem", "method", "repeat"]
    for task, own in pd.DataFrame(rows, columns=columns).groupby("task"):
        spare = planning._SPARE if task == "convergence" else 0
        own = own.assign(task=own["problem"])
        own["score"] = (own["method"] == "spa(normalize=True)").astype(float)
        there = set(zip(own["problem"], own["method"], strict=True))

        def outcomes(rows, there=there):
            """Of those who meet: texts have other baselines, which keep sparse data sparse."""
            table = wins_ties_losses(rows, "spa(normalize=True)")
            return {r.outcome for r in table.itertuples() if (r.task, r.rival) in there}

        assert outcomes(own) == {"win"}
        fewer = outcomes(own[own["repeat"] > spare])
        least = own["repeat"].max() + 1 - spare
        assert fewer == {"too few"} or least in (6, 10)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_plan_names_what_exists(profile):
    """Tasks, data sets, solvers and corruptions of every problem are registered; smoke needs no
    file."""
    for task in TASKS:
        for problem in problems_of(task, profile):
            assert problem.task == task
            assert problem.trial("mu", {}, 0).code
            if profile == "smoke":
                assert problem.stand_in or dataset_info(problem.dataset)["file"] is None
            for key, params in problem.baselines:
                model = registry.solvers[key].target().set_params(**params)
                assert problem.loss in (None, model.loss)


@pytest.mark.parametrize(
    ("task", "artefact", "solver"),
    [
        ("recognition", "mahnmf/breakdown", "nenmf"),
        ("reconstruction", "mahnmf/breakdown", "mahnmf-hybrid"),
        ("recognition", "mahnmf/fig5", "kl-mu"),
        ("clustering", "rnmfd/table3", "gnmf"),
        ("recovery", "robust-xray/fig3", "robust-xray"),
        ("exemplars", "robust-xray/fig5", "spa"),
        ("annotation", "or-nmf/fig12", "or-nmf"),
        ("nearest-code", "or-nmf/fig10", "or-nmf"),
        ("stream", "or-nmf/drift", "mor-nmf"),
    ],
)
def test_records_of_the_papers_serve_as_baselines(task, artefact, solver):
    """Trials of baselines equal the papers' artefacts' trials, by key."""
    grid = registry.artefacts[artefact].target.grid("paper")
    problems = [p for p in problems_of(task, "paper") if p.ranked]
    params = dict(problems[0].baselines)[solver]
    asked = (task, solver, params, 0)
    theirs = {t for t in grid if (t.task, t.solver, t.params, t.repeat) == asked}
    ours = {p.trial(solver, params, 0) for p in problems}
    assert ours & theirs


def test_fits_of_a_task_of_its_own_are_timed_as_they_are():
    """The problem for the clock of a task that fits itself is the same trial, timed."""
    *ranked, clock = problems_of("online", "paper")
    assert not clock.ranked
    (same,) = (p for p in ranked if p.label == clock.label)
    trial = clock.trial("omf", {"n_sweeps": 1}, 0)
    assert trial == replace(same.trial("omf", {"n_sweeps": 1}, 0), timed=True)
    assert trial in registry.artefacts["or-nmf/fig2"].target.grid("paper")


def test_the_page_says_which_data_are_real(monkeypatch):
    """Each data set is real, generated, generated from real data, or in place of real data."""
    monkeypatch.setattr(planning, "dataset_available", lambda name: True)
    tasks = ["clustering", "rank-choice", "unmixing"]
    rows = _data(make_plan([known("mu")], tasks=tasks))
    what = {row["title"]: row["what"] for row in rows}
    assert what["Blood cells of one donor, 765 genes"] == "real"
    assert what["Low-rank matrix with Laplace noise"] == "generated"
    assert what["Mixtures of the mean spectra of Indian Pines"] == "generated from real data"
    problems = {title for row in rows for title in row["problems"]}
    assert problems == {"Clustering", "Choice of the rank", "Spectral unmixing"}
    (row,) = _data(make_plan([known("mu")], tasks=["annotation"], profile="smoke"))
    assert (row["what"], row["source"]) == (
        "generated, in place of the real data",
        "a stand-in of the suite",
    )


def test_rivals_take_part_where_they_can(tiny_grid):
    """--against replaces the baselines; one that cannot do a task is left out with a reason."""
    plan = make_plan([known("mu")], against=[known("spa", None, start=False, anchors=True)])
    assert {entrant.label for entrant in plan.entrants} == {"mu", "spa"}
    reasons = {(row["solver"], row["task"]): row["why"] for row in plan.left_out}
    assert reasons["spa", "convergence"] == "it minimises no loss alone that others minimise"
    assert reasons["mu", "recovery"] == "its fit leaves no anchor_indices_"
    assert "convergence" not in plan.tasks  # for lack of a rival


def test_a_solver_runs_against_itself_with_other_parameters(tiny_grid):
    """A baseline named without parameters is the suite's own; with parameters it is another."""
    plan = make_plan([known("nenmf"), known("nenmf(max_iter=5)")], tasks=["recognition"])
    labels = [entrant.label for entrant in plan.new]
    assert labels == ["nenmf", "nenmf(max_iter=5)"]
    params = {cell.entrant.label: cell.trial.params for cell in plan.cells}
    assert params["nenmf"] == {"max_iter": 300}
    assert params["nenmf(max_iter=5)"] == {"max_iter": 5}
    assert [e.label for e in plan.entrants].count("nenmf") == 1


def test_what_takes_dense_data_only_has_no_exemplars_of_texts(tiny_grid):
    """A built-in solver would fail; an external class gets dense data."""
    dense = known("spa", anchors=True)
    dense.abilities["sparse"] = False
    plan = make_plan([dense], tasks=["recovery"])
    with pytest.raises(CompareError, match="dense data only, and texts are sparse"):
        make_plan([dense], tasks=["exemplars"])
    guest = replace(dense, spec=parse_solver("sklearn.decomposition:NMF"))
    assert make_plan([guest], tasks=["exemplars"]).cells
    assert plan.cells


def test_nothing_to_compare_is_an_error(tiny_grid):
    """A solver whose fit fails can do no task, and the error gives the reason."""
    broken = Examined(parse_solver("mu"), [], {}, "ValueError: no")
    with pytest.raises(
        CompareError, match=r"nothing to compare: .*: a small fit fails: ValueError"
    ):
        make_plan([broken])


def test_speed_without_a_start_is_told_from_fits_of_its_own(tiny_grid):
    """A solver that takes no factors has a timed fit in place of a curve, on the same data."""
    plan = make_plan([known("mu", start=False)], tasks=["convergence"])
    tasks = {cell.entrant.label: cell.trial.task for cell in plan.cells}
    assert tasks.pop("mu") == "factorization"
    assert set(tasks.values()) == {"convergence"}
    assert all(cell.trial.timed for cell in plan.cells)
    assert [row["problem"] for row in plan.left_out] == ["curves"]


def test_labels_are_one_of_a_kind(file):
    """Two classes of one name, or one named as a built-in solver, get different labels."""
    specs = [parse_solver(text) for text in ("mu", "mu(tol=0.1)", f"{file}:Mine")]
    assert labels_of(specs) == ["mu", "mu(tol=0.1)", "Mine"]
    twin = file.with_name("twin.py")
    twin.write_text(TEN_LINES.replace("Fragile", "mu"))
    specs = [parse_solver(f"{path}") for path in (f"{file}:Mine", f"{twin}:Mine", f"{twin}:mu")]
    assert labels_of(specs) == ["mine.py:Mine", "twin.py:Mine", "twin.py:mu"]


@pytest.mark.parametrize("profile", PROFILES)
def test_itakura_saito_is_asked_of_positive_data(profile):
    """Where an entry is zero the loss is undefined, and no two solvers need minimise the same."""
    problems = [p for p in problems_of("convergence", profile) if p.loss == "itakura-saito"]
    assert len(problems) > 1
    for problem in problems:
        X = (
            registry.datasets[problem.dataset]
            .target(np.random.default_rng(0), **problem.dataset_params)
            .X
        )
        assert X.min() > 0


@pytest.mark.parametrize("profile", PROFILES)
def test_a_peer_and_the_class_that_it_wraps_are_timed_in_one_way(monkeypatch, profile):
    """The registered sklearn-cd and NMF by its module path: the same calls, the same curve."""
    calls, traces, whole = [], [], NMF.fit_transform

    def spied(model, X, y=None, W=None, H=None):
        if len(X) > 6:  # not of the tiny fits in which things compile
            params = model.get_params() | {"random_state": None}  # nothing is drawn
            calls[-1].append((params, X.tobytes(), W.tobytes(), H.tobytes()))
        return whole(model, X, y, W=W, H=H)

    monkeypatch.setattr(NMF, "fit_transform", spied)
    race = next(p for p in problems_of("convergence", profile) if p.loss == "frobenius")
    race = replace(race, dataset_params={"n_samples": 20, "n_features": 30, "n_components": 3})
    race = replace(race, options={"n_components": 3})
    for solver in ("sklearn-cd", "sklearn.decomposition:NMF"):
        calls.append([])
        traces.append(perform(race.trial(solver, {}, 0)).arrays["trace"])
    limits = [params["max_iter"] for params, *_ in calls[0]]
    assert limits == [limits[-1] >> k for k in range(len(limits) - 1, -1, -1)]
    assert limits[0] == 1 < 100 < limits[-1]
    assert calls[0] == calls[1]
    assert traces[0]["iteration"].tolist() == traces[1]["iteration"].tolist() == [0, *limits]
    np.testing.assert_allclose(traces[0]["objective"], traces[1]["objective"], rtol=1e-12)
    for trace in traces:
        assert np.all(np.diff(trace["seconds"]) >= 0)


def test_a_solver_with_a_curve_keeps_it():
    """Shorter fits are of solvers that know the ends of their curve only."""
    options = {"n_components": 3, "max_iter": 9}
    found = [
        perform(Trial("convergence", "digits", "mu", options=options | more)).arrays["trace"]
        for more in ({}, {"shorter_fits": True})
    ]
    np.testing.assert_array_equal(found[0]["iteration"], np.arange(10))
    for name in ("iteration", "objective"):
        np.testing.assert_array_equal(found[0][name], found[1][name])


# -- the run ----------------------------------------------------------------------------------


def test_timed_trials_take_turns(monkeypatch, file):
    """Repeats of one solver are spread over the run, and each turn holds all solvers."""
    monkeypatch.setattr(planning, "problems_of", tiny_speed)
    monkeypatch.setattr(planning, "repeats_to_decide", lambda comparisons: 6)
    guest = replace(known("mu"), spec=parse_solver(f"{file}:Mine"))
    plan = make_plan([guest], tasks=["convergence"])
    order = [":" in trial.solver for trial in _in_order(plan.cells, timed=True)]
    turns = "".join("G" if outside else "b" for outside in order)
    # In every second turn the order is reversed: one process serves two turns.
    assert re.fullmatch("b{12}G{4}G{4}b{12}", turns)
    assert not _in_order(plan.cells, timed=False)


NOTHING = {"outcome": {"metrics": {}, "fit": {}}}
"""Answer of a child to a trial that gave no numbers."""


def tiny_speed(task, profile):
    return [replace(problem, repeats=8) for problem in tiny(task, profile)]


def test_published_baselines_serve_but_for_their_timings(tiny_grid, tmp_path):
    """Records from elsewhere serve here; seconds are taken here, once for all comparisons."""
    plan = make_plan([known("mu")], tasks=["recognition", "convergence"])
    timed = {c.trial.key for c in plan.cells if c.problem.timed}
    mine = {c.trial.key for c in plan.cells if c.entrant.new}
    with Store(tmp_path) as store:
        timings = timings_folder(tmp_path)
        for cell in plan.cells:
            if not cell.entrant.new:
                record = runner.make_record(cell.trial, NOTHING, {})
                store.put(record | {"host": {"platform": "other", "cpu": "other", "cores": 1}})
        todo = look_up(plan, store, timings)
        assert todo.timed_here == timed
        assert todo.own == len(mine)
        assert todo.baselines == len(timed - mine) > 0
        # The next comparison finds the timings of this host, in a store of their own.
        with Store(timings) as here:
            for cell in plan.cells:
                if cell.trial.key in timed - mine:
                    here.put(runner.make_record(cell.trial, NOTHING, {}))
        todo = look_up(plan, store, timings)
        assert todo.timed_here == timed
        assert todo.baselines == 0


def test_a_solver_is_left_out_of_what_it_cannot_do(tiny_grid):
    """One of several does not end the comparison, also where the task was requested."""
    both = [known("mu"), known("spa", anchors=True)]
    plan = make_plan(both, tasks=["recovery", "recognition"])
    assert {cell.entrant.label for cell in plan.cells if cell.problem.task == "recovery"} >= {"spa"}
    rows = [(row["solver"], row["task"]) for row in plan.left_out]
    assert ("mu", "recovery") in rows
    assert all(cell.entrant.label != "mu" or cell.problem.task != "recovery" for cell in plan.cells)
    with pytest.raises(CompareError, match="mu cannot do the task recovery"):
        make_plan([known("mu")], tasks=["recovery", "recognition"])


def test_a_broken_class_is_left_out(tmp_path):
    """The others are examined; if all are broken, the first reason is an error."""
    (tmp_path / "broken.py").write_text("class Broken:\n    def fit(self, X): pass\n1 / 0\n")
    specs = [parse_solver(text) for text in (f"{tmp_path}/broken.py:Broken", "mu")]
    with contextlib.closing(Worker()) as worker:
        found, broken = command._examined(specs, worker)
        assert [examined.spec for examined in found] == specs[1:]
        ((spec, why),) = broken
        assert (spec.label, "ZeroDivisionError" in why) == ("Broken", True)
        with pytest.raises(GuestError, match="ZeroDivisionError"):
            command._examined(specs[:1], worker)


@pytest.mark.parametrize(
    "elsewhere",
    [{"host": public_host(host())}, {"versions": versions() | {"scipy": "1.0"}}],
    ids=["another machine with the same processor", "another release"],
)
def test_timings_of_another_machine_or_release_are_taken_again(tiny_grid, tmp_path, elsewhere):
    """Whatever the name of its processor."""
    plan = make_plan([known("mu")], tasks=["convergence"])
    with Store(tmp_path) as store:
        for cell in plan.cells:
            record = runner.make_record(cell.trial, NOTHING, {})
            store.put(record | elsewhere, {"trace": np.zeros(1)})
        assert look_up(plan, store, tmp_path / "timings").timed_here == keys(plan)


def test_timings_without_a_trace_are_taken_again(tiny_grid, tmp_path):
    """An imported record has no trace, so that nothing tells when it reached a target."""
    plan = make_plan([known("mu")], tasks=["convergence"])
    with Store(tmp_path) as store:
        cell = plan.cells[0]
        store.put(runner.make_record(cell.trial, NOTHING, {}), {"trace": np.zeros(1)})
        assert not look_up(plan, store, tmp_path / "timings").timed_here
        assert not (tmp_path / "timings").exists()
        cell = plan.cells[-1]
        store.put(runner.make_record(cell.trial, NOTHING, {}))
        assert look_up(plan, store, tmp_path / "timings").timed_here == keys(plan)


def test_all_timings_of_a_problem_are_renewed_if_asked(tiny_grid, tmp_path):
    """In the store itself, with those of any other solver that it has timed on the problem."""
    plan = make_plan([known("mu")], tasks=["convergence"])
    mine = [cell.trial for cell in plan.cells if cell.entrant.new]
    rivals = [replace(trial, solver="hals", params={}) for trial in mine]
    baselines = [cell.trial for cell in plan.cells if not cell.entrant.new]
    apart = replace(rivals[0], repeat=99)
    timings = tmp_path / "timings"
    elsewhere = {"host": public_host(host()), "finished": "2026-01-02T03:04:05+00:00"}
    with Store(tmp_path) as store:
        old = [
            (runner.make_record(trial, NOTHING, {}) | elsewhere, {})
            for trial in (*baselines, *rivals, apart)
        ]
        store.put_imported(old)
        assert look_up(plan, store, tmp_path / "beside").renewed == []
        todo = look_up(plan, store, timings, renew=True)
        planned = keys(plan)
        assert {t.key for t in todo.renewed} == planned | {trial.key for trial in rivals}
        assert todo.timed_here == set()
        assert todo.steps == len(todo.renewed) == todo.own + todo.baselines + len(rivals)
        run_plan(plan, todo, store, timings)
        assert not timings.exists()
        assert look_up(plan, store, timings, renew=True).steps == 0
        new = store.records([trial.key for trial in todo.renewed])
        assert {record["host"]["machine"] for record in new} == {host()["machine"]}
        assert store.imported([apart.key, *planned]) == {apart.key}
    held = {record["key"]: record for record, _ in old}
    assert set(merge(held, new, larger_wins=True).taken) == {record["key"] for record in new}


def test_a_solver_that_hangs_is_asked_no_more(tiny_grid, file, tmp_path, monkeypatch):
    """After three time-outs in a row the rest is left out, and the page can say so; others run.

    The fourth fit may have begun before the third is counted.
    """
    asked = []
    counted = threading.Semaphore(1)

    def compute(trial, worker, limit, base):
        answer = NOTHING
        if trial.solver.endswith("Mine"):
            asked.append(trial.task)
            assert counted.acquire(timeout=60)
            answer = {"error": "TimeoutError: the trial exceeded its time limit of 3 s\n  File ..."}
        return runner.make_record(trial, answer, {}), {}

    def progress(summary, record):
        if record["solver"].endswith("Mine"):
            counted.release()

    monkeypatch.setattr(runner, "compute", compute)
    why = "3 of its fits in a row exceeded a limit or ended the process"
    with Store(tmp_path / "store") as store:
        # The same command again asks for what has no record, and again not for long.
        for _ in range(2):
            guest = replace(known("mu"), spec=parse_solver(f"{file}:Mine"))
            plan = make_plan([guest], tasks=["recognition", "convergence"])
            todo = look_up(plan, store, tmp_path / "timings")
            asked.clear()
            run_plan(plan, todo, store, tmp_path / "timings", progress=progress)
            assert asked in (["factorization"] * 3, ["factorization"] * 4)
            own = {cell.trial.key for cell in plan.cells if cell.entrant.new}
            assert keys(plan) - store.status(keys(plan)).keys() == own  # they start from fits
            assert plan.left_out == [
                {"solver": "Mine", "task": task, "problem": "the rest", "why": why}
                for task in ("recognition", "convergence")
            ]
            findings = evaluate(plan, gather(plan, store))
            assert set(findings.left_out["why"]) == {why}
            # Trials that would have started from these fits have failed with them.
            reasons = {"TimeoutError: the trial exceeded its time limit of 3 s"}
            assert set(findings.failures["reason"]) == reasons
            assert set(findings.failures["method"]) == {"Mine"}


def test_a_solver_that_hangs_now_and_then_runs_to_the_end(tiny_grid, tmp_path, monkeypatch):
    """A fit that ends resets the count of time-outs."""
    fits = itertools.count()

    def compute(trial, worker, limit, base):
        late = trial.solver == "mu" and next(fits) % 3 < 2
        answer = {"error": "TimeoutError: 3 s"} if late else NOTHING
        return runner.make_record(trial, answer, {}), {}

    monkeypatch.setattr(runner, "compute", compute)
    plan = make_plan([known("mu")], tasks=["convergence"])
    plan.cells = [
        replace(cell, trial=replace(cell.trial, repeat=repeat))
        for repeat in range(6)
        for cell in plan.cells
    ]
    with Store(tmp_path / "store") as store:
        folder = tmp_path / "timings"
        run_plan(plan, look_up(plan, store, folder), store, folder)
        assert store.status(keys(plan)).keys() == keys(plan)
    assert not plan.left_out


# -- the statistics ---------------------------------------------------------------------------


@pytest.mark.parametrize("mine", [0.9, 0.1])
def test_better_is_better_in_every_task(mine):
    """The best by all scores, high or low, has rank 1 and only wins; the worst only loses."""
    plan = make_plan([known("spa(normalize=True)", anchors=True)], profile="smoke")
    scores = {entrant.label: 0.3 + 0.01 * i for i, entrant in enumerate(plan.entrants)}
    scores["spa(normalize=True)"] = mine
    findings = evaluate(plan, invented(plan, scores))
    assert list(findings.summary["task"]) == TASKS
    best = mine > 0.5
    for row in findings.summary.itertuples():
        assert row.mean_rank == (1 if best else row.methods)
        assert row.too_few == row.ties == 0
        assert (row.losses if best else row.wins) == 0
        assert (row.wins if best else row.losses) == row.problems * (row.methods - 1)
    for table in findings.differences.values():
        assert (table["method"].iloc[0 if best else -1]) == "spa(normalize=True)"
    front = findings.quality_time.set_index("method").loc["spa(normalize=True)", "front"]
    assert np.all(front == best)  # quick and good, or slow and bad
    profile = findings.speed["frobenius"].profile.query("method == 'spa(normalize=True)'")
    assert (profile["share"].iloc[0] == 1.0) == best


def test_a_failed_trial_is_the_worst_and_a_missing_one_is_none():
    """Failures count as infinitely bad; what has no record has no rank."""
    plan = make_plan([known("mu")], tasks=["recognition"], profile="smoke")
    records = invented(plan, {entrant.label: 0.5 for entrant in plan.entrants})
    records["status"] = records["status"].mask(
        (records["method"] == "kl-mu") & (records["repeat"] == 0), "failed"
    )
    records["error"] = "BaseFailed: trial 0, factorization, failed: ValueError: no"
    records["status"] = records["status"].mask(records["method"] == "nenmf", "missing")
    findings = evaluate(plan, records)
    means = findings.scores.groupby("method")["center"].first()
    assert means["kl-mu"] == -np.inf
    assert findings.scores.groupby("method")["failed"].first()["kl-mu"] == 1
    outcomes = findings.outcomes.groupby("rival")["outcome"].first()
    assert outcomes["nenmf"] == "not run"
    assert findings.summary.loc[0, "methods"] == 3
    assert set(findings.failures["reason"]) == {"ValueError: no"}


def test_of_seconds_the_median_counts(monkeypatch):
    """A target missed in a minority of the repeats does not make a solver the last."""
    monkeypatch.setattr(planning, "problems_of", tiny_speed)
    monkeypatch.setattr(planning, "repeats_to_decide", lambda comparisons: 6)
    plan = make_plan([known("mu")], tasks=["convergence"])
    records = invented(plan, {"mu": 0.5, "nenmf": 0.9, "hals": 0.1})
    slow = records["arrays"][0]["trace"].copy()
    slow["objective"] = 9.0, 2.0
    missed = (records["method"] == "nenmf") & (records["repeat"] < 3)
    records["arrays"] = [
        {"trace": slow} if m else own for own, m in zip(records["arrays"], missed, strict=True)
    ]
    findings = evaluate(plan, records)
    scores = findings.scores.set_index("method")
    assert scores.loc["nenmf", "center"] == pytest.approx(0.1)
    assert scores.loc["nenmf", "finite"] == 5
    assert scores.loc["nenmf", "high"] == np.inf
    assert findings.summary.loc[0, "best"] == "nenmf"
    # In a majority of them it does.
    missed = (records["method"] == "nenmf") & (records["repeat"] < 5)
    records["arrays"] = [
        {"trace": slow} if m else own for own, m in zip(records["arrays"], missed, strict=True)
    ]
    findings = evaluate(plan, records)
    assert findings.scores.set_index("method").loc["nenmf", "center"] == np.inf
    assert findings.summary.loc[0, "best"] == "mu"


def test_gathered_records_have_a_row_a_trial(tiny_grid, tmp_path):
    """Trials that have no record are rows, too, so that the page can say so."""
    plan = make_plan([known("mu")], tasks=["recognition"])
    with Store(tmp_path) as store:
        records = gather(plan, store)
    assert len(records) == len(plan.cells)
    assert set(records["status"]) == {"missing"}
    findings = evaluate(plan, records)
    assert findings.summary.empty


def test_a_score_that_no_outcome_has_is_an_error(tiny_grid, tmp_path, monkeypatch):
    """A misspelt metric in the declaration of a task would leave all solvers without a rank."""
    plan = make_plan([known("mu")], tasks=["recognition"])
    with Store(tmp_path / "store") as store:
        todo = look_up(plan, store, tmp_path / "timings")
        run_plan(plan, todo, store, tmp_path / "timings")
        gather(plan, store)
        monkeypatch.setitem(registry.tasks["recognition"].info, "score", "acuracy")
        with pytest.raises(ValueError, match="score: task 'recognition' declares 'acuracy', but"):
            gather(plan, store)


def test_symmetric_solvers_are_in_no_race_over_other_data():
    """A solver of similarities is left out where data are samples, be its loss the same."""
    found = known("sym-mu")
    similar = replace(found, abilities=found.abilities | {"symmetric": True})
    assert "similarities" in planning._cannot(similar, "convergence")
    assert planning._cannot(found, "convergence") is None
