"""Published numbers still come out of today's code, and a small change of a kernel would show."""

from collections import defaultdict
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from mutations import Mutation, compute_apart, fits, grid

from nmfbench.audits.sensitivity import agreement
from nmfbench.core import registry
from nmfbench.datasets.base import dataset_available
from nmfbench.engine.runner import run
from nmfbench.engine.worker import Worker
from nmfbench.records.agreement import compare, drift
from nmfbench.records.exchange import current_trial, export_records, read_exports, trial_of
from nmfbench.records.pending import other_release
from nmfbench.records.store import Store
from nmfbench.trials.target import NATIVE, REFERENCE, available, target_of

BOOK = Path(__file__).parents[2] / "reports" / "records"

REMEDY = (
    "If the numbers were meant to change, raise `version` of what changed them (nmfbench audit "
    "--changed names it) and publish again; if not, they are what to mend."
)


def done(records):
    """Records of finished trials by key."""
    return {r["key"]: r for r in records if r["status"] == "done"}


def soonest(solvers):
    """Of each solver the keys of its finished records in the book, the soonest first."""
    columns = ["key", "solver", "status", "elapsed"]
    book = pd.concat(pd.read_parquet(path, columns=columns) for path in BOOK.rglob("*.parquet"))
    book = book[(book["status"] == "done") & book["solver"].isin(solvers)]
    return book.sort_values(["elapsed", "key"]).groupby("solver")["key"].agg(list)


def disagreements(published, records):
    """A line for each (task, solver) whose records differ from those published.

    Of another numerical target by more than rounding does, or in the mean of several trials.

    Raises
    ------
    AssertionError
        If none of them is published.
    """
    common = [record for record in records if record["key"] in published]
    assert common, f"no record of the smoke grids is in {BOOK}: publish them."
    found, decided = defaultdict(list), defaultdict(list)
    with closing(Worker(target=target_of(timed=True))) as native, closing(Worker()) as worker:
        for record in common:
            old, group = published[record["key"]], (record["task"], record["solver"])
            if other_release(trial_of(old), old):  # of a wrapped package: its numbers are its own
                continue
            if record["status"] == "failed":
                found[group].append(f"{record['key']} failed")
                continue
            where = native if record["timed"] else worker
            compared = agreement(old, record, trial_of(old), where, None)
            if compared.outcome == "different":
                found[group].append("; ".join(compared.beyond[:3]))
            elif compared.outcome == "rounding":
                decided[group].append((old, record))
    for group, pairs in decided.items():
        found[group] += drift(pairs)
    return [
        f"{task} of {solver}, {len(texts)} trials, such as: {texts[0]}"
        for (task, solver), texts in sorted(found.items())
        if texts
    ]


def test_smoke_records_agree_with_the_book(smoke_store, published_store):
    """Of all smoke trials in the record book, the numbers are within the declared tolerances."""
    with Store(smoke_store) as store, Store(published_store) as book:
        records = store.records()
        published = done(book.records(record["key"] for record in records))
    lines = disagreements(published, records)
    assert not lines, "\n".join([*lines, REMEDY])


def test_a_difference_is_named_and_no_common_record_is_an_error(smoke_store, tmp_path):
    """The line has task, solver, metric and both values."""
    with Store(smoke_store) as store:
        records = store.records()[:20]
    export_records(records, tmp_path / "all.parquet", format="parquet", artefacts={})
    published = done(record for record, _ in read_exports([tmp_path]))
    assert disagreements(published, records) == []
    changed = records[3]["metrics"] | dict.fromkeys(list(records[3]["metrics"])[:1], 7.5)
    (line,) = disagreements(published, [records[3] | {"metrics": changed}])
    assert line.startswith(f"{records[3]['task']} of {records[3]['solver']}, 1 trials, such as: ")
    assert line.endswith("is 7.5")
    (line,) = disagreements(published, [records[3] | {"status": "failed"}])
    assert "failed" in line
    with pytest.raises(AssertionError, match="no record of the smoke grids is in"):
        disagreements({}, records)


def test_solvers_of_no_smoke_grid_agree_with_the_book(smoke_store, published_store, tmp_path):
    """Of each of them the published record that was had soonest comes out again.

    No task there has similarities of samples, which symmetric solvers take, or a rank that is
    the number of features, which ``inmf-vc`` has.
    """
    with Store(smoke_store) as store:
        seen = {key for key, _ in store.solvers()}
    trials, published = [], {}
    with Store(published_store) as book:
        for keys in soonest(set(registry.solvers) - seen):
            for record in map(book.records, ([key] for key in keys)):
                trial = current_trial(record[0])
                if trial is not None and dataset_available(trial.dataset):
                    trials.append(trial)
                    published |= done(record)
                    break
    carded = {path.stem for path in (BOOK.parent / "solvers").glob("*.html")}
    tested = {
        entry.key
        for entry in registry.solvers.entries()
        if entry.key in carded and not (entry.target.symmetric or entry.target.square)
    }
    assert len(tested) > 50
    assert seen | {trial.solver for trial in trials} >= tested
    with Store(tmp_path) as store:
        run(trials, store)
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
def published(published_store, tmp_path_factory):
    """A function from trials to their records by key, as published; what is not is computed."""

    def records(trials):
        with Store(published_store) as book:
            known = done(book.records(trial.key for trial in trials))
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
@pytest.mark.parametrize("target", [name for name in available() if name != REFERENCE])
def test_another_target_changes_no_number_by_more_than_rounding_does(target, published, tmp_path):
    """One untimed smoke trial of each (task, solver) and all parameters."""
    trials = [*fits(), *(trial for trial in grid() if not trial.timed)]
    one_of_each = {(t.task, t.solver, str(t.params)): t for t in trials if not t.timed}
    old = published(list(one_of_each.values()))
    new = compute_apart(one_of_each.values(), tmp_path, jobs=2, target=target)
    assert disagreements(old, new.values()) == []
    outcomes = {compare(old[key], new[key]).outcome for key in old}
    assert "same bits" in outcomes
    assert target == NATIVE or outcomes > {"same bits"}  # which may be the reference
