"""VOC 2007 and MIR Flickr: files that users make, their layout, and artefacts that take them."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from nmfbench.core.registry import datasets
from nmfbench.datasets import (
    DataError,
    DataMissingError,
    DownloadError,
    dataset_info,
    fetch,
    load_dataset,
    verify,
)
from nmfbench.datasets.files import forget, write_arrays
from nmfbench.datasets.labelled_views import VIEWS
from nmfbench.engine.perform import perform
from nmfbench.trials.trial import Trial

N, CLASSES = 40, 3


def arrays(seed=0, n=N):
    """Images of up to three classes, each of which adds to features of its own; a fourth of the
    images is of two classes, and the last one of none."""
    rng = np.random.default_rng(seed)
    Y = np.arange(n)[:, None] % CLASSES == np.arange(CLASSES)
    Y[::4, 0] = True
    Y[-1] = False
    views = {
        f"view_{name}": rng.random((n, width), dtype=np.float32)
        + Y @ rng.integers(0, 2, size=(CLASSES, width))
        for name, width in VIEWS.items()
    }
    return views | {"Y": Y}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where the file of VOC 2007 is looked for; of few samples and classes."""
    folder = tmp_path / "prepared"
    folder.mkdir()
    monkeypatch.setenv("NMFBENCH_DATA", str(folder))
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path / "cache"))
    small = {"n_samples": N, "n_labels": CLASSES, "n_bytes": 8 * N * (1612 + CLASSES)}
    for name, value in small.items():
        monkeypatch.setitem(datasets["voc2007"].info, name, value)
    forget()
    yield folder / "voc2007.npz"
    forget()


def test_a_supplied_file_is_read_as_views_and_a_label_matrix(place):
    """Views stand side by side in their order, whatever that of the file; rows keep their labels,
    several or none."""
    made = arrays()
    write_arrays(place, dict(reversed(made.items())))
    data = load_dataset("voc2007")
    assert data.view_names == ["DenseSift", "Gist", "DenseHue"]
    for name, view in zip(data.view_names, data.views, strict=True):
        np.testing.assert_array_equal(data.X[:, view], made[f"view_{name}"])
    np.testing.assert_array_equal(data.Y, made["Y"])
    assert {0, 1, 2} == set(data.Y.sum(axis=1))
    assert data.X.shape == (N, dataset_info("voc2007")["n_features"])
    assert not data.is_stand_in
    assert verify("voc2007") == "ok"
    gist = load_dataset("voc2007", views=["Gist"])
    np.testing.assert_array_equal(gist.X, made["view_Gist"])


def test_a_missing_file_is_told_with_its_layout(place):
    """There is no home, no mirror and no stand-in to get it from, so that none is named."""
    assert verify("voc2007") == "missing"
    with pytest.raises(DataMissingError, match=r"NMFBENCH_DATA.*view_Gist \(9963 x 512\)") as error:
        load_dataset("voc2007")
    assert "stand-in" not in str(error.value)
    with pytest.raises(DownloadError, match=r"voc2007\.npz.*Y \(9963 x 20\)") as error:
        fetch("voc2007")
    assert "MIRROR" not in str(error.value)


MARKS = np.where(arrays()["Y"], 1, -1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"view_Gist": None}, "no array 'view_Gist'; it has Y, view_DenseHue, view_DenseSift"),
        ({"Y": None}, "no array 'Y'"),
        ({"Y": MARKS}, "write 'marks == 1'"),
        ({"Y": np.arange(N)}, "Y must be a matrix"),
        ({"Y": MARKS[:, :2] == 1}, "holds 2 classes for 'voc2007'; 3 are expected"),
        ({"view_Gist": np.ones((N, 511))}, r"view_Gist has the shape \(40, 511\); \(40, 512\)"),
        ({"view_Gist": np.ones((N - 1, 512))}, "as Y has 40 rows"),
        ({"view_Gist": np.full((N, 512), -1)}, "view_Gist has entries that are negative"),
        ({"view_Gist": np.full((N, 512), np.nan)}, "or not finite"),
        ({"view_Gist": np.full((N, 512), "a")}, "could not convert"),
        (arrays(n=N - 2), "holds 38 x 1612 values for 'voc2007'; 40 x 1612 are expected"),
        ({"more": np.zeros(10**6)}, "would unpack to"),
    ],
)
def test_a_file_of_another_layout_is_refused_by_name(place, changes, message):
    """Of each deviation the message names the file and what is wrong in it."""
    made = {name: array for name, array in (arrays() | changes).items() if array is not None}
    write_arrays(place, made)
    with pytest.raises(DataError, match=rf"voc2007\.npz.*{message}"):
        load_dataset("voc2007")
    assert verify("voc2007") == "corrupt"


def test_a_supplied_file_is_never_unpickled(place):
    """Neither as a whole nor one of its arrays; a file that is no archive is an error."""
    np.savez(place, **arrays() | {"Y": np.array([{"a": 1}], object)})
    with pytest.raises(DataError, match=f"{re.escape(str(place))}.*never loaded"):
        load_dataset("voc2007")
    place.write_bytes(b"nothing")
    with pytest.raises(DataError, match=f"{re.escape(str(place))} is not a readable"):
        load_dataset("voc2007")


def test_a_wrong_file_of_a_user_is_left_alone(place, monkeypatch):
    """Fetching replaces damaged downloads in the cache, and this is none."""
    place.write_bytes(b"nothing")
    monkeypatch.setenv("NMFBENCH_CACHE", str(place.parent))
    with pytest.raises(DataError, match="readable"):
        fetch("voc2007")
    assert place.read_bytes() == b"nothing"


def test_the_content_of_a_supplied_file_counts_in_keys(place):
    """Other images, or another order of them, are other trials; the same bytes are the same."""
    keys = []
    for made in (arrays(), arrays(seed=1), arrays()):
        write_arrays(place, made)
        forget()
        keys.append(Trial("multiview", "voc2007", "hals").key)
    assert keys[0] == keys[2] != keys[1]


def test_classes_are_told_from_a_supplied_file(place):
    """The task takes its label matrix: half of all images train, and what sets classes apart in
    these made ones is found in each view and in all."""
    write_arrays(place, arrays())
    options = {"n_components": 4, "costs": [0.1], "n_folds": 2, "references": True}
    found = perform(Trial("multiview", "voc2007", "hals", options=options))
    assert found.metrics["map-raw"] > 0.95 > found.metrics["chance"] + 0.3
    assert found.arrays["precisions"].shape == (CLASSES,)
    assert found.arrays["widths"].tolist() == list(VIEWS.values())
    assert found.arrays["trace"]["objective"][-1] < found.arrays["trace"]["objective"][0]


CODE = """
import json
from nmfbench.trials.trial import canonical
from nmfbench.papers.mahnmf import fig20, table2
reported = {}
for artefact in (fig20.ARTEFACT, table2.ARTEFACT):
    plans = {profile: artefact.plan(profile) for profile in ("smoke", "quick", "paper")}
    reported[artefact.name] = {
        "sets": {p: sorted({t.dataset for t in trials}) for p, trials in plans.items()},
        "carried": set(plans["quick"]) <= set(plans["paper"]),
        "stand-ins": artefact.substitutes(plans["paper"]),
        "labelled": {(m.solver, canonical(dict(m.params))) for m in artefact.methods}
        >= {(t.solver, canonical(dict(t.params))) for t in plans["paper"]},
        "claims": {claim.id: claim.reported for claim in artefact.claims},
    }
print(json.dumps(reported))
"""


def test_artefacts_take_supplied_data(tmp_path):
    """With both sets of the paper no other is used, and claims are made on them, beside the printed
    numbers; smoke stays as it is."""
    for name in ("voc2007", "mirflickr"):
        (tmp_path / f"{name}.npz").touch()
    here = {"NMFBENCH_DATA": str(tmp_path), "NMFBENCH_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, env=os.environ | here, capture_output=True, check=True)
    reported = json.loads(done.stdout)
    both = ["mirflickr", "voc2007"]
    for found in reported.values():
        assert found["sets"] == {"smoke": ["mv-mfeat"], "quick": both, "paper": both}
        assert found["carried"]
        assert found["labelled"]
        assert found["stand-ins"] == {}
        assert {claim.rpartition("-")[2] for claim in found["claims"]} == set(both)
    assert "39.76" in reported["fig20"]["claims"]["ahead-voc2007"]
    assert "41.69" in reported["table2"]["claims"]["flss-mirflickr"]
