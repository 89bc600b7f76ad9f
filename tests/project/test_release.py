"""Steps of a release: setting the version, and the checks of ``make release``."""

import json
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest
import yaml

from tools import release, version
from tools.lowest import constraints

ROOT = Path(__file__).parents[2]
FILES = (
    *("pyproject.toml", "CITATION.cff", "codemeta.json", "CHANGELOG.md", "README.md"),
    *("released.json", "nmfbench/__init__.py"),
)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A git repository with the files that state versions, and one fragment, before 7.0.0."""
    if shutil.which("git") is None:
        pytest.skip("release steps read a git repository, and git is not installed")
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "+one.fix.md").write_text("One thing was mended.\n")
    version.set_version("7.0.0.dev0", date(2030, 5, 6), tmp_path)
    kept, last = tmp_path / "released.json", version.releases()[0][0]
    kept.write_text(
        re.sub(r'"version": "[^"]+"', f'"version": "{last}"', kept.read_text(), count=1)
    )
    monkeypatch.setattr(release, "ROOT", tmp_path)
    for step in ("package_version", "releases", "fragments", "codemeta"):
        function = getattr(version, step)
        monkeypatch.setattr(release, step, lambda function=function: function(tmp_path))
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def commit(folder):
    git(folder, "add", "-A")
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
    git(folder, *who, "commit", "-q", "-m", "A state")


def test_a_release_is_ready_once_version_changelog_and_tag_are_set(checkout, capsys):
    """Each step that is left out is named, and none once all are done; nothing is changed."""
    steps = ["tree", "version", "changelog", "verdicts", "tag"]
    assert release.main(steps) == 1
    assert "not ready: version, changelog, tag" in capsys.readouterr().out
    version.set_version("7.0.0", date(2030, 5, 6), checkout)
    assert release.main(steps) == 1
    printed = capsys.readouterr().out
    assert "FAILED  tree" in printed
    assert "not ready: tree, tag" in printed
    commit(checkout)
    git(checkout, "tag", "v7.0.0")
    assert release.main(steps) == 0
    assert "7.0.0 of 2030-05-06" in capsys.readouterr().out
    assert release.main(["tree"]) == 0


def test_a_release_is_written_wherever_its_version_stands(checkout):
    """Package, citation, codemeta and changelog; papers in the citation keep their years."""
    before = yaml.safe_load((checkout / "CITATION.cff").read_text())
    version.set_version("7.0.0", date(2030, 5, 6), checkout)
    assert version.package_version(checkout) == "7.0.0"
    cited = yaml.safe_load((checkout / "CITATION.cff").read_text())
    assert (cited["version"], cited["date-released"]) == ("7.0.0", date(2030, 5, 6))
    assert cited["preferred-citation"]["version"] == "7.0.0"
    assert cited["preferred-citation"]["year"] == 2030
    assert cited["references"] == before["references"]
    assert cited["cff-version"] == before["cff-version"]
    assert json.loads((checkout / "codemeta.json").read_text())["version"] == "7.0.0"
    assert version.releases(checkout) == [("7.0.0", "2030-05-06"), *version.releases(ROOT)]
    assert not version.fragments(checkout)


def test_what_comes_after_a_release_is_written_to_the_package_alone(checkout):
    """CITATION.cff keeps the last release."""
    version.set_version("8.0.0.dev0", date(2030, 5, 6), checkout)
    assert version.package_version(checkout) == "8.0.0.dev0"
    for name in ("CITATION.cff", "codemeta.json", "CHANGELOG.md"):
        assert (checkout / name).read_text() == (ROOT / name).read_text()


@pytest.mark.parametrize("wrong", ["7.0", "7.0.0rc1", "7.0.0.dev1", "0.1.0", "0.0.9.dev0"])
def test_a_version_that_cannot_come_next_is_refused(checkout, wrong):
    """With a sentence that names it, before anything is written."""
    with pytest.raises(ValueError, match=re.escape(wrong)):
        version.set_version(wrong, date(2030, 5, 6), checkout)
    assert version.package_version(checkout) == "7.0.0.dev0"


def test_a_release_says_what_it_changes(checkout):
    """Without a fragment there is none."""
    (checkout / "changes" / "+one.fix.md").unlink()
    with pytest.raises(ValueError, match="no sentence"):
        version.set_version("7.0.0", date(2030, 5, 6), checkout)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("CITATION.cff", "\nversion: 7.0.0", "\nversion: 7.0.1"),
        ("CITATION.cff", "  version: 7.0.0", "  version: 7.0.1"),
        ("CITATION.cff", "2030-05-06", "2030-05-07"),
        ("CHANGELOG.md", "## 7.0.0 (", "## 7.0.1 ("),
        ("codemeta.json", "7.0.0", "7.0.1"),
    ],
)
def test_versions_that_differ_are_named(checkout, name, old, new, capsys):
    """Whichever file is behind."""
    version.set_version("7.0.0", date(2030, 5, 6), checkout)
    assert release.main(["version"]) == 0
    path = checkout / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    assert release.main(["version"]) == 1
    assert name in capsys.readouterr().out


def test_verdicts_of_the_release_before_are_kept(checkout, capsys):
    """Comparing with any other release would leave out what moved in between."""
    kept = checkout / "released.json"
    kept.write_text(kept.read_text().replace('"version": "', '"version": "9', 1))
    assert release.main(["verdicts"]) == 1
    assert "the last release is" in capsys.readouterr().out


def test_the_readme_states_minutes_that_can_be_measured():
    """Of the three commands that somebody new types first."""
    stated = release.stated_minutes((ROOT / "README.md").read_text(encoding="utf-8"))
    assert {"report", "reproduce", "test"} <= set(stated)
    assert all(1 <= minutes <= 60 for minutes in stated.values())


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ([{"id": "b", "effect": 0.1 + 0.2, "interval": None}], ""),
        (
            [{"id": "b", "effect": 0.3000001, "interval": None}],
            "b effect: 0.3000001, published 0.3",
        ),
        ([{"id": "b", "effect": 0.3, "interval": [0.2, 0.4]}], "b interval 0: 0.2, published None"),
        ([{"id": "c", "effect": 0.3, "interval": None}], "c id: c, published b"),
        ([], "b id: nothing, published b"),
    ],
)
def test_pages_of_another_processor_are_as_published_but_for_rounding(now, expected):
    """The first larger difference is named."""
    published = [{"id": "b", "effect": 0.3, "interval": None}]
    assert release.first_difference(published, now) == expected


def test_an_unknown_step_is_wrong_usage():
    """Exit code 2, as everywhere."""
    with pytest.raises(SystemExit) as ended:
        release.main(["no-such-step"])
    assert ended.value.code == 2


def test_lowest_versions_are_those_of_the_settings():
    """Of all extras, too; an upper bound is none."""
    project = {
        "dependencies": ["numpy>=1.26", "argcomplete>=3.2,<4"],
        "optional-dependencies": {"data": ["h5py>=3.10"], "test": ["nmfbench[data]"]},
    }
    assert constraints(project) == ["argcomplete==3.2", "h5py==3.10", "numpy==1.26"]
