"""Check sums of a report, and the command that verifies a copy by them."""

import json
import os
import shutil
import subprocess

import pytest

from nmfbench.cli import main
from nmfbench.reports.sums import verify, write_sums


@pytest.fixture
def folder(tmp_path):
    """A folder of three files with their check sums."""
    made = tmp_path / "report"
    (made / "figures").mkdir(parents=True)
    for name in ("index.html", "claims.json", "figures/a figure.png"):
        (made / name).write_text(f"content of {name}")
    write_sums([path for path in made.rglob("*") if path.is_file()], made)
    return made


def test_a_copy_is_whole(folder, tmp_path, capsys):
    """Of an untouched copy all files are as they were written."""
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert main(["verify", str(copy)]) == 0
    assert f"{copy}: all 3 files are as they were written.\n" == capsys.readouterr().out


def test_each_difference_is_named(folder, capsys):
    """A changed, a missing and an unlisted file each have a line, and the command fails."""
    (folder / "index.html").write_text("edited")
    (folder / "claims.json").unlink()
    (folder / "figures" / "new.png").write_text("from elsewhere")
    assert main(["verify", str(folder)]) == 1
    *lines, summary = capsys.readouterr().out.splitlines()
    assert lines == [
        "changed: index.html",
        "missing: claims.json",
        "not listed: figures/new.png",
    ]
    assert "1 are changed, 1 missing and 1 not listed; 1 are whole" in summary
    assert main(["verify", str(folder), "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "folder": str(folder),
        "whole": ["figures/a figure.png"],
        "changed": ["index.html"],
        "missing": ["claims.json"],
        "unlisted": ["figures/new.png"],
    }


@pytest.mark.parametrize("difference", ["changed", "missing", "unlisted"])
def test_one_difference_is_enough(folder, difference):
    """A folder is whole only if nothing is changed, missing or unlisted."""
    assert verify(folder).is_whole
    if difference == "changed":
        (folder / "index.html").write_text("edited")
    elif difference == "missing":
        (folder / "index.html").unlink()
    else:
        (folder / "other.html").write_text("new")
    found = verify(folder)
    assert not found.is_whole
    assert len(getattr(found, difference)) == 1


@pytest.mark.parametrize("kind", ["folder", "nowhere", "pipe"])
def test_what_is_no_file_is_not_listed(folder, tmp_path, kind):
    """Links to folders, dangling links and pipes are named, and never read."""
    added = folder / "figures" / "added"
    if kind == "pipe":
        os.mkfifo(added)
    else:
        (tmp_path / "folder").mkdir()
        added.symlink_to(tmp_path / kind)
    assert verify(folder).unlisted == ["figures/added"]


def test_names_of_files_do_nothing_to_a_terminal(folder, capsys):
    """Control characters are written out, and a name stays in its line."""
    (folder / "x\x1b]0;title\x07\u202e").write_text("")
    (folder / "y\nz").write_text("")
    assert main(["verify", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "not listed: y z\n" in out
    assert "not listed: x\\x1b]0;title\\x07\\u202e\n" in out
    assert out.replace("\n", "").isprintable()


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="sha256sum is not installed")
def test_sha256sum_reads_the_sums(folder):
    """The sums can be checked without this package."""
    command = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    assert subprocess.run(command, cwd=folder, check=False).returncode == 0
    (folder / "index.html").write_text("edited")
    ended = subprocess.run(command, cwd=folder, check=False, capture_output=True)
    assert ended.returncode == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "has no SHA256SUMS"),
        ("", "is empty"),
        ("no sum\n", "line 1 is no check sum"),
        (f"{'0' * 64}  ../secret\n", "line 1 names a file outside"),
        (f"{'0' * 64}  /etc/passwd\n", "line 1 names a file outside"),
        (f"{'0' * 64}  a\n{'0' * 64}  ./a\n", "line 2 names a file for the second time"),
    ],
)
def test_sums_that_cannot_be_used_are_wrong_usage(folder, capsys, text, problem):
    """Without a list of files below the folder, nothing is verified, and the message says why."""
    if text is None:
        (folder / "SHA256SUMS").unlink()
    else:
        (folder / "SHA256SUMS").write_text(text)
    assert main(["verify", str(folder)]) == 2
    assert problem in capsys.readouterr().err


def test_a_missing_folder_is_wrong_usage(tmp_path, capsys):
    """The message says that there is no such folder."""
    assert main(["verify", str(tmp_path / "nowhere")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
