"""Facts that a task declares: its score, its direction and its needs are known everywhere."""

import json
import re

import pytest
from engine import install, python

from nmfbench.cards.facts import examined_by_class
from nmfbench.core import registry
from nmfbench.core.registry import ABILITIES, register_problems, register_task
from nmfbench.engine.perform import perform
from nmfbench.guests import parse_solver
from nmfbench.guests.examine import try_here
from nmfbench.problems.clustering import SETS
from nmfbench.problems.noise import NOISES
from nmfbench.problems.problem import problems_of

TASK = '''
"""A task of somebody else's, with its problems."""
from nmfbench.core.registry import register_problems, register_task
from nmfbench.problems.baselines import SEPARABLE
from nmfbench.problems.problem import Problem
from nmfbench.tasks.base import Outcome, timed_fit


@register_task(
    "first-index",
    summary="the smallest index of a chosen sample",
    title="Head start",
    score="first",
    score_name="smallest index chosen",
    higher_is_better=False,
    needs={"anchors": "it chooses no samples"},
)
def first_index(data, solver, rng):
    fit, arrays = timed_fit(solver.set_params(n_components=2), data.X)
    return Outcome({"first": float(min(solver.anchor_indices_))}, fit, arrays)


@register_task("unscored", summary="a task without a winner")
def unscored(data, solver, rng):
    fit, arrays = timed_fit(solver, data.X)
    return Outcome({"one": 1.0}, fit, arrays)


SIZE = {"n_samples": 12, "n_features": 8, "n_components": 2}


@register_problems("first-index")
def heads(profile):
    shared = {"dataset": "near-separable", "dataset_params": SIZE, "baselines": SEPARABLE}
    return [Problem(task="first-index", label="small", **shared)]


@register_problems("unscored")
def none(profile):
    return [Problem(task="unscored", label="small", dataset="near-separable")]
'''

USE = """
import json, sys
from nmfbench import cli
from nmfbench.cards.evidence import standings
from nmfbench.cards.facts import facts
from nmfbench.records.store import Store
from nmfbench.guests import SolverSpec

folder = sys.argv[1]
store = ["--store", folder + "/store", "--jobs", "1", "--json"]
code = cli.main(["compare", "spa", "--profile", "smoke", "--task", "first-index",
                 "--output", folder + "/page", *store])
cannot = {key: facts(SolverSpec(key))["cannot"].get("first-index") for key in ("mu", "spa")}
with Store(folder + "/store") as held:
    records = held.table()
labelled = records.assign(method=records["solver"], setting="")
scores = labelled.groupby("method")["first"].mean()
found = standings("one", labelled, {key: key for key in scores.index})
ranks = {s.method: (s.task, s.metric, s.rank) for s in found}
refused = cli.main(["compare", "spa", "--task", "unscored", "--output", folder + "/no", *store])
print(json.dumps([code, cannot, scores.to_dict(), ranks, refused]))
"""


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """A page, and what was printed, where the package of another has a task."""
    folder = tmp_path_factory.mktemp("outside")
    install(folder, "headstart", TASK, ["tasks"])
    out, err = python(USE, folder, path=[folder])
    end = out.rindex("\n[") + 1  # two documents: of the command, and of the script
    documents = json.loads(out[:end]), json.loads(out[end:])
    return (folder / "page" / "index.html").read_text(encoding="utf-8"), documents, err


def test_a_comparison_knows_a_task_from_outside(outside):
    """Title, score and direction are on the page; the baselines of its problems take part."""
    page, (summary, (code, *_)), _ = outside
    assert code == 0
    (row,) = summary["summary"]
    assert (row["title"], row["score"]) == ("Head start", "smallest index chosen")
    assert row["higher_is_better"] is False
    assert row["methods"] == 3
    assert "Head start: smallest index chosen, lower is better" in page


def test_a_card_knows_a_task_from_outside(outside):
    """Cards say who cannot do it, in the words of the task, and rank the others by its score."""
    _, (_, (_, cannot, scores, ranks, _)), _ = outside
    assert cannot == {"mu": "it chooses no samples", "spa": None}
    assert {(task, metric) for task, metric, _ in ranks.values()} == {("first-index", "first")}
    best = min(scores, key=scores.get)
    assert ranks[best][2] == min(rank for _, _, rank in ranks.values())
    assert len(ranks) == 3


def test_a_task_without_a_score_is_left_out(outside):
    """A comparison on it is refused, with the reason."""
    _, (_, (*_, refused)), err = outside
    assert refused == 2
    assert "nothing is compared on the task unscored, since it declares no score" in err


def test_facts_are_checked_when_they_are_declared():
    """A score needs a direction, and a need has to be an ability; nothing is registered else."""
    with pytest.raises(ValueError, match="'no-task' has the score 'x': say whether higher_is_b"):
        register_task("no-task", summary="none", score="x")
    with pytest.raises(ValueError, match=r"'no-task' needs unknown abilities wings; .* anchors"):
        register_task("no-task", summary="none", needs={"wings": "it has none"})
    assert "no-task" not in registry.tasks


def test_a_bare_task_has_a_title():
    """All facts are optional but the summary; the title is made of the key."""
    facts = registry.tasks["factor-shape"].info
    assert facts["title"] == "Factor shape"
    assert facts["score"] is facts["higher_is_better"] is None
    assert not facts["needs"]


def test_abilities_are_those_that_a_fit_shows():
    """A task may need just those abilities that an examination finds."""
    assert set(try_here("spa", {})["abilities"]) == set(ABILITIES)


def test_directions_are_those_of_the_metrics():
    """A score that is named after a metric of the suite points where the metric does."""
    named = 0
    for task in registry.tasks.entries():
        for metric in registry.metrics.entries():
            if re.match(rf"{metric.key}\b", task.info["score"] or ""):
                assert task.info["higher_is_better"] is metric.info["higher_is_better"], task.key
                named += 1
    assert named >= 5


@pytest.mark.parametrize("task", sorted(registry.problems))
def test_the_score_is_a_metric_of_the_task(task):
    """A trial of the first problem has the declared score; that of a race has a trace, too."""
    problem = problems_of(task, "smoke")[0]
    solver = problem.baselines[-1][0]
    outcome = perform(*_with_base(problem.trial(solver, problem.params_of(solver), 0)))
    assert registry.tasks[task].info["score"] in outcome.metrics
    assert not registry.tasks[task].info["race"] or "trace" in outcome.arrays


def _with_base(trial):
    return (trial,) if trial.base is None else (trial, perform(trial.base))


def test_problems_belong_to_tasks():
    """Problems are registered by the key of their task, one set each."""
    assert set(registry.problems) <= set(registry.tasks)
    with pytest.raises(ValueError, match="problem set 'recovery' is registered already"):
        register_problems("recovery")(len)


@pytest.mark.parametrize("solver", ["hottopixx", "xray-is"])
def test_texts_are_for_solvers_of_sparse_data(solver):
    """A solver with anchors that takes dense data only cannot choose among texts."""
    examined = examined_by_class(parse_solver(solver))
    assert examined.cannot("recovery") is None
    assert examined.cannot("exemplars") == "it takes dense data only, and texts are sparse"


@pytest.mark.parametrize("noise", NOISES.values(), ids=lambda noise: noise.corruption)
def test_the_dose_grows_with_the_levels(noise):
    """Levels are in the order of their harm, fewer counts of light included, and the quick ones
    are some of them."""
    doses = [noise.dose(level) for level in noise.levels]
    assert doses == sorted(doses)
    assert set(noise.quick) <= set(noise.levels)
    assert noise.corruption in registry.corruptions


def test_sets_of_images_have_the_classes_of_their_data():
    """The number of clusters is the number of classes in the paper's table."""
    assert {name: images.classes for name, images in SETS.items()} == {
        "orl": 40,
        "yale": 15,
        "umist": 20,
        "mnist": 10,
        "semeion": 10,
    }
