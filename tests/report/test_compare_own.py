"""Comparisons on a matrix of the user's own."""

import os

import numpy as np
import pytest
import scipy.sparse as sp

import nmfbench
from nmfbench.cli import main
from nmfbench.commands.errors import UsageError
from nmfbench.comparison.plan import CompareError
from nmfbench.core import registry
from nmfbench.core.registry import UnknownNameError
from nmfbench.datasets.base import dataset_available, load_dataset
from nmfbench.datasets.errors import DataMissingError
from nmfbench.own import read
from nmfbench.own.entry import provided
from nmfbench.own.errors import OwnDataError
from nmfbench.own.loader import labels_key
from nmfbench.problems.own import LABELLED, UNLABELLED, OwnMatrix
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial
from nmfbench.verdicts import book

SMALL = {"profile": "smoke", "against": "spa", "jobs": 1}


@pytest.fixture(scope="module")
def X():
    """A matrix of rank 3 under noise."""
    rng = np.random.default_rng(0)
    return rng.random((40, 3)) @ rng.random((3, 12)) + 0.05 * rng.random((40, 12))


@pytest.fixture(scope="module")
def y():
    return np.arange(40) % 2


@pytest.fixture(scope="module")
def compared(X, y, tmp_path_factory):
    """A comparison on all tasks that are quick, and the folder of its file and store."""
    folder = tmp_path_factory.mktemp("own")
    np.savetxt(folder / "mine.csv", X, delimiter=",")
    tasks = ["held-out", "stability", "rank-search", "reconstruction", *LABELLED]
    where = {"store": folder / "store", "output": folder / "page"}
    found = nmfbench.compare(
        "hals", task=tasks, data=folder / "mine.csv", labels=y, rank=3, **where, **SMALL
    )
    return folder, found


def test_a_comparison_is_set_on_the_matrix(compared):
    """Every task has a row, the page names the file, and no trial failed."""
    _, found = compared
    assert set(found.table["task"]) == {*UNLABELLED, *LABELLED} - {"convergence"}
    assert not found.failed
    assert found.data["data"]["name"] == "mine.csv"
    assert found.data["data"]["key"].startswith("own:")
    html = found.to_html()
    assert "mine.csv" in html
    assert "--data mine.csv --rank 3" in html


def test_results_resume_and_the_data_stay_where_they_are(compared, X):
    """The same numbers from another source need no computation; the store has no copy of them."""
    folder, found = compared
    again = nmfbench.compare(
        "hals", task="held-out", data=X.copy(), rank=3, store=folder / "store",
        output=folder / "again", **SMALL,
    )  # fmt: skip
    assert again.data["computed"] == {"own": 0, "baselines": 0}
    assert again.data["data"]["key"] == found.data["data"]["key"]
    assert "NMFBENCH_OWN" not in os.environ
    held = [path for path in (folder / "store").rglob("*") if path.is_file()]
    assert not [path for path in held if X.tobytes() in path.read_bytes()]


def test_other_numbers_are_other_data(compared, X):
    """One entry that differs gives another key, whose trials are to be computed."""
    folder, found = compared
    Y = X.copy()
    Y[0, 0] += 1
    other = nmfbench.compare(
        "hals", task="stability", data=Y, rank=3, store=folder / "store", output=folder / "other",
        **SMALL,
    )  # fmt: skip
    assert other.data["computed"]["own"] > 0
    assert other.data["data"]["key"] != found.data["data"]["key"]


def test_records_on_own_data_are_published_only_when_named(compared, tmp_path, monkeypatch):
    """The book takes records on a matrix whose key is given, and counts the others."""
    folder, found = compared
    key = found.data["data"]["key"]
    monkeypatch.setattr(book, "_reads", lambda store: book.Reads())
    with Store(folder / "store") as store:
        keys = {r["key"] for r in store.records() if r["dataset"] == key}
        first = book.publish(store, tmp_path / "book")
        assert (first.records, first.withheld >= len(keys)) == (0, True)
        second = book.publish(store, tmp_path / "book", own_data=[key])
        assert second.records == len(keys)


def test_trials_on_data_that_are_not_here_say_what_to_do(X):
    """The key is valid anywhere; the numbers are there only within the block."""
    data = read(X)
    with provided(data) as key:
        assert dataset_available(key)
        np.testing.assert_array_equal(load_dataset(key).X, X)
        assert load_dataset(key, labels="one class").y.tolist() == [0] * 40
        trial = Trial(task="held-out", dataset=key, solver="mu").key
    assert Trial(task="held-out", dataset=key, solver="mu").key == trial
    assert not dataset_available(key)
    with pytest.raises(DataMissingError, match="--data; give it again"):
        load_dataset(key)
    with pytest.raises(UnknownNameError):
        registry.datasets["own:none"]


def test_labels_count_in_keys_only_where_they_are_used(X, y):
    """Clustering asks for the labels by their key; other tasks do not."""
    code = labels_key(y)
    own = OwnMatrix("own:0", "mine", 40, 12, 3, labels=code, n_classes=2, smallest_class=20)
    for task in (*UNLABELLED, *LABELLED):
        params = own.problems(task, "smoke")[0].dataset_params
        assert (params.get("labels") == code) is (task in LABELLED)


def test_sparse_matrices_stay_sparse_where_a_task_can():
    """Speed and stability are measured on the sparse matrix, held-out entries on a dense one."""
    S = sp.random(60, 30, 0.2, format="csr", random_state=0)
    data = read(S)
    own = OwnMatrix(data.key, "S", 60, 30, 3, sparse=True)
    with provided(data):
        for task, dense in (("convergence", False), ("stability", False), ("held-out", True)):
            params = own.problems(task, "smoke")[0].dataset_params
            assert sp.issparse(load_dataset(data.key, **params).X) is not dense
    large = OwnMatrix(data.key, "S", 10**5, 10**4, 3, sparse=True)
    assert "makes the matrix dense" in large.why_not("held-out")
    assert large.why_not("stability") is None


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"rank": 3}, UsageError, "rank is for a matrix of your own"),
        ({"data": "digits"}, UsageError, "is a registered data set"),
        ({"data": "none.csv"}, OwnDataError, "data=none.csv is not there"),
        ({"data": np.ones((4, 3)), "rank": 9}, UsageError, "rank: 9 is more than"),
        ({"data": np.ones((4, 3)), "rank": 0}, UsageError, "rank: needs a whole number"),
        ({"data": -np.ones((4, 3))}, OwnDataError, "12 negative entries"),
        ({"data": np.ones((4, 3)), "task": "recovery"}, CompareError, "choose from reconstruc"),
        ({"data": np.ones((4, 3)), "task": "clustering"}, CompareError, "give --labels"),
        ({"data": np.ones((4, 3)), "task": "held-out", "rank": 3}, CompareError, "half of the ma"),
    ],
)
def test_what_cannot_be_compared_says_so(given, error, message, tmp_path):
    """Before a solver is imported."""
    with pytest.raises(error, match=message):
        nmfbench.compare("absent.py:None", store=tmp_path, output=tmp_path, **given)


def test_the_command_line_takes_a_file(X, tmp_path, monkeypatch, capsys):
    """A file, a rank, and the notes of the diagnosis on standard error."""
    monkeypatch.chdir(tmp_path)
    np.save("mine.npy", X)
    words = "compare hals --data mine.npy --rank 3 --task stability --against spa --profile smoke"
    assert main([*words.split(), "--json"]) == 0
    out, err = capsys.readouterr()
    assert '"task": "stability"' in out
    assert "mine.npy: 40 samples x 12 features, dense" in err
