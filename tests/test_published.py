"""Published numbers still come out of today's code, and a small change of a kernel would show."""

import math
import platform
from collections import defaultdict
from pathlib import Path

import pytest
from mutations import Mutation, compute_apart, fits, grid, other_processor

from nmfbench.core import registry
from nmfbench.datasets.base import dataset_available
from nmfbench.engine.agreement import compare
from nmfbench.engine.exchange import current_trial, export_records, read_exports, trial_of
from nmfbench.engine.missing import other_release
from nmfbench.engine.runner import run
from nmfbench.engine.store import Store

BOOK = Path(__file__).parents[1] / "reports" / "records"

REMEDY = (
    "If the numbers were meant to change, raise `version` of what changed them (nmfbench audit "
    "--changed names it) and publish again; if not, they are what to mend."
)


def read_book(folder):
    """Records of finished trials by key."""
    return {r["key"]: r for r, _ in read_exports([folder]) if r["status"] == "done"}


def disagreements(published, records):
    """A line for each (task, solver) whose records differ from those published.

    Raises
    ------
    AssertionError
        If none of them is published.
    """
    common = [record for record in records if record["key"] in published]
    assert common, f"no record of the smoke grids is in {BOOK}: publish them."
    found = defaultdict(list)
    for record in common:
        old = published[record["key"]]
        if other_release(trial_of(old), old):  # of a wrapped package: its numbers are its own
            continue
        if record["status"] == "failed":
            found[record["task"], record["solver"]].append(f"{record['key']} failed")
        elif (differing := compare(old, record)).outcome == "different":
            found[record["task"], record["solver"]].append("; ".join(differing.beyond[:3]))
    return [
        f"{task} of {solver}, {len(texts)} trials, such as: {texts[0]}"
        for (task, solver), texts in sorted(found.items())
    ]


def test_smoke_records_agree_with_the_book(smoke_store):
    """Of all smoke trials in the record book, the numbers are within the declared tolerances."""
    with Store(smoke_store) as store:
        lines = disagreements(read_book(BOOK), store.records())
    assert not lines, "\n".join([*lines, REMEDY])


def test_a_difference_is_named_and_no_common_record_is_an_error(smoke_store, tmp_path):
    """The line has task, solver, metric and both values."""
    with Store(smoke_store) as store:
        records = store.records()[:20]
    export_records(records, tmp_path / "all.parquet", format="parquet", artefacts={})
    published = read_book(tmp_path)
    assert disagreements(published, records) == []
    changed = records[3]["metrics"] | dict.fromkeys(list(records[3]["metrics"])[:1], 7.5)
    (line,) = disagreements(published, [records[3] | {"metrics": changed}])
    assert line.startswith(f"{records[3]['task']} of {records[3]['solver']}, 1 trials, such as: ")
    assert line.endswith("is 7.5")
    (line,) = disagreements(published, [records[3] | {"status": "failed"}])
    assert "failed" in line
    with pytest.raises(AssertionError, match="no record of the smoke grids is in"):
        disagreements({}, records)


def test_solvers_of_no_smoke_grid_agree_with_the_book(smoke_store, tmp_path):
    """Of each of them the published record that was had soonest comes out again.

    No task there has similarities of samples, which symmetric solvers take, or a rank that is
    the number of features, which ``inmf-vc`` has.
    """
    with Store(smoke_store) as store:
        seen = {record["solver"] for record in store.records()}
    published = read_book(BOOK)
    soonest = {}
    for record in sorted(published.values(), key=lambda r: (r["elapsed"] or math.inf, r["key"])):
        trial = current_trial(record)
        known = trial is not None and trial.solver in registry.solvers
        if record["solver"] not in seen and known and dataset_available(trial.dataset):
            soonest.setdefault(record["solver"], trial)
    tested = {
        e.key for e in registry.solvers.entries() if not (e.target.symmetric or e.target.square)
    }
    assert seen | set(soonest) >= tested
    with Store(tmp_path) as store:
        run(soonest.values(), store)
        lines = disagreements(published, store.records())
    assert not lines, "\n".join([*lines, REMEDY])


# -- what the comparison finds, and what it lets pass -----------------------------------------

# A constant of each kernel, changed by one thousandth: what its formula says, not how far an inner
# iteration goes.
MUTATIONS = [
    Mutation(
        "nesterov",
        "point = b[i] + momentum * (b[i] - a[i])",
        "point = b[i] + b.dtype.type(1.001) * momentum * (b[i] - a[i])",
        "nenmf",
    ),
    Mutation(
        "smoothing",
        "u = min(max(e * inverse[j], -one), one)",
        "u = min(max(e * fitted.dtype.type(1.001) * inverse[j], -one), one)",
        "mahnmf-ogm",
    ),
    Mutation(
        "weighted_median",
        "_select(points, weights, count, mass - above, 0.5 * mass)",
        "_select(points, weights, count, mass - above, 0.5005 * mass)",
        "mahnmf-rri",
        {},  # the others sort
    ),
    Mutation(
        "multiplicative",
        "factor[i, k] * numerator[i, k] / denominator[i, k]",
        "factor[i, k] * 1.001 * numerator[i, k] / denominator[i, k]",
        "mu",
    ),
    Mutation(
        "floored_ratio",
        "factor[i, k] * np.sqrt(numerator[i, k] / below)",
        "factor[i, k] * np.sqrt(1.001 * numerator[i, k] / below)",
        "ignmf",
    ),
    Mutation(
        "laplacian",
        "share, square = kind(data[e]) * q * p",
        "share, square = kind(1.001 * data[e]) * q * p",
        "gnmf",
    ),
    Mutation(
        "huber",
        "f[j] = min(max(x[j], f[j] - t), f[j] + t)",
        "f[j] = min(max(x[j], f[j] - f.dtype.type(1.001) * t), f[j] + t)",
        "rnmfd",
    ),
    Mutation("edge_norms", "data[e] / (2.0 * norm)", "data[e] / (2.002 * norm)", "rcc"),
    Mutation(
        "hottopixx",
        "(x - excess - a) / (one + active)",
        "(x - excess - row.dtype.type(1.001) * a) / (one + active)",
        "hottopixx",
    ),
    Mutation("nnls", "z[i] = value / L[i, i]", "z[i] = 1.001 * value / L[i, i]", "xray-l2"),
    Mutation(
        "bregman",
        "slope += share * (1 - x[q] * inverse)",
        "slope += share * (1 - 1.001 * x[q] * inverse)",
        "xray-is",
    ),
    Mutation(
        "l1_projection",
        "value = x[basis[p]] if basis[p] < m else",
        "value = 1.001 * x[basis[p]] if basis[p] < m else",
        "robust-xray",
    ),
    Mutation("row_norms", "out[i] = np.sqrt(total)", "out[i] = 1.001 * np.sqrt(total)", "lnmf"),
]


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A function from trials to their records by key, as published; what is not is computed."""
    known = read_book(BOOK) if BOOK.is_dir() else {}

    def records(trials):
        missing = [trial for trial in trials if trial.key not in known]
        if missing:
            known.update(compute_apart(missing, tmp_path_factory.mktemp("reference")))
        return {trial.key: known[trial.key] for trial in trials}

    return records


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_a_constant_of_a_kernel_changed_by_a_thousandth_is_caught(mutation, published, tmp_path):
    """A smoke trial that comes to the kernel is different then, and would not be without."""
    trials = mutation.trials()
    assert trials, f"no smoke trial has the solver {mutation.solver}"
    old = published(trials)
    (tmp_path / "store").mkdir()
    mutation.apply(tmp_path / "changed")
    new = compute_apart(trials, tmp_path / "store", package=tmp_path / "changed")
    assert any(
        new[key]["status"] == "failed" or compare(old[key], new[key]).outcome == "different"
        for key in old
    )


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="targets of x86-64")
def test_another_processor_changes_no_number_beyond_its_tolerance(published, tmp_path):
    """One smoke trial of each (task, solver), computed with the instructions of an old processor,
    has other bits and the same digits."""
    one_of_each = {(t.task, t.solver, str(t.params)): t for t in [*fits(), *grid()]}
    trials = list(one_of_each.values())
    old = published(trials)
    new = compute_apart(trials, tmp_path, jobs=2, **other_processor())
    elsewhere = {"host": {"cpu": "of 2008"}}  # as the record cannot know
    found = {key: compare(old[key], new[key] | elsewhere) for key in old}
    assert any(agreement.outcome == "same digits" for agreement in found.values())
    differing = {old[key]["solver"]: f.beyond for key, f in found.items() if f.beyond}
    assert not differing
