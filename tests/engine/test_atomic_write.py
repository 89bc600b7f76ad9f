"""Files that are there whole, or not at all."""

import json
import os

import numpy as np
import pytest

from nmfbench.cards.measured import FILE_NAME, write_measured
from nmfbench.core.files import atomic_write
from nmfbench.datasets.files import write_arrays
from nmfbench.records.exchange import export_records


def test_a_block_that_raises_changes_nothing(tmp_path):
    """The old file stays, and nothing is left beside it."""
    path = tmp_path / "new" / "file"
    with atomic_write(path) as part:
        part.write_text("old")
        assert not path.exists()

    def write_half():
        with atomic_write(path) as part:
            part.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert path.read_text() == "old"
    assert os.listdir(path.parent) == ["file"]


def test_a_file_has_the_usual_permissions(tmp_path):
    """The permissions follow the user's mask, not the temporary file."""
    (tmp_path / "usual").touch()
    with atomic_write(tmp_path / "file") as part:
        part.touch()
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("kind", ["arrays", "measured", "records"])
def test_no_name_can_be_foreseen(tmp_path, kind):
    """A link that waits under the name of a part file leads nowhere."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / FILE_NAME).with_suffix(".part").symlink_to(victim)
    (folder / f".a.npz.{os.getpid()}.part").symlink_to(victim)
    if kind == "records":
        export_records([], folder / "a.npz", format="csv", artefacts={})
    elif kind == "arrays":
        write_arrays(folder / "a.npz", {"X": np.eye(2)})
    else:
        write_measured(folder, "spa", None, {"exponents": {}})
        assert json.loads((folder / FILE_NAME).read_text())
    assert victim.read_text() == "mine"
