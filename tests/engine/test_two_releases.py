"""The first release and this tree on one store at once: neither loses what it has finished."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nmfbench.records.repair import survey
from nmfbench.records.store import Store

ROOT = Path(__file__).parents[2]
GRID = ("robust-xray/fig3", "--profile", "smoke")


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    """The package of the first release, whose commit the changelog names last."""
    commit = re.findall(r"^Commit (\w+)\.", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[-1]
    git = shutil.which("git")
    known = [git, "cat-file", "-e", f"{commit}:nmfbench"]
    if git is None or subprocess.run(known, cwd=ROOT, capture_output=True).returncode:
        pytest.skip(
            f"the first release is commit {commit} of the git history, which an sdist or a shallow "
            "clone does not have; the test runs in a whole clone where git is installed"
        )
    folder = tmp_path_factory.mktemp("before")
    archive = [git, "archive", "-o", folder / "tree.tar", commit, "nmfbench"]
    subprocess.run(archive, cwd=ROOT, check=True)
    shutil.unpack_archive(folder / "tree.tar", folder)
    return folder


def start(package, *arguments):
    """A command of one of the two packages."""
    return subprocess.Popen(
        [sys.executable, "-m", "nmfbench", *map(str, arguments)],
        cwd=package,  # which Python reads before what is installed
        env=os.environ | {"PYTHONPATH": str(package)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0, out
    return out


def keys_of(folder):
    with Store(folder) as store:
        records = store.records()
    assert all(record["status"] == "done" for record in records)
    return {record["key"] for record in records}


@pytest.mark.slow
def test_two_releases_at_once(tmp_path, before):
    """Both are killed as they write, and resumed: each then finds all its trials."""
    alone, both = {}, tmp_path / "both"
    for name, package in (("before", before), ("now", ROOT)):
        finish(start(package, "run", *GRID, "--store", tmp_path / name))
        alone[name] = keys_of(tmp_path / name)
    assert "0.1.0" in finish(start(before, "--version"))
    assert alone["before"] & alone["now"]
    assert alone["before"] - alone["now"]

    killed = [start(package, "run", *GRID, "--store", both) for package in (before, ROOT)]
    for process in killed:
        for line in process.stdout:
            if re.search(r"\d+ of \d+ trials", line):
                break
        process.kill()
        process.communicate()
    running = [start(package, "run", *GRID, "--store", both) for package in (before, ROOT)]
    for process in running:
        finish(process)
    assert keys_of(both) == alone["before"] | alone["now"]
    assert survey(both).is_whole
    for package, name in ((before, "before"), (ROOT, "now")):
        count = len(alone[name])
        again = finish(start(package, "run", *GRID, "--store", both))
        assert f"{count} trials, of which {count} have a record already" in again


@pytest.mark.slow
def test_records_of_one_release_in_the_other(tmp_path, before):
    """What either exports, the other imports whole."""
    for source, target in ((before, ROOT), (ROOT, before)):
        name = "back" if source == ROOT else "forth"
        stores = [tmp_path / f"{name}-{side}" for side in ("from", "to")]
        finish(start(source, "run", *GRID, "--store", stores[0]))
        finish(start(source, "export", "--store", stores[0], "--output", tmp_path / name))
        finish(start(target, "import", tmp_path / name, "--store", stores[1]))
        assert keys_of(stores[0]) == keys_of(stores[1])
        assert survey(stores[1]).is_whole
