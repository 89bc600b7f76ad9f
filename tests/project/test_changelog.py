"""The changelog: sections of releases, and fragments of what comes next."""

import json
import re
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHANGELOG = ROOT / "CHANGELOG.md"
FRAGMENTS = sorted((ROOT / "changes").glob("[!.]*"))
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TYPES = [kind["directory"] for kind in SETTINGS["tool"]["towncrier"]["type"]]


def releases(text):
    """Version and date of each section, the newest first."""
    return re.findall(r"^## (\S+) \((\S+)\)$", text, flags=re.MULTILINE)


def build(folder, *words):
    """Standard output of towncrier."""
    command = [sys.executable, "-m", "towncrier", "build", "--dir", str(folder), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_fragment_has_a_type_and_a_sentence():
    """Its name is +NAME.TYPE.md, and its text ends in a full stop and has no bullet of its own."""
    for path in FRAGMENTS:
        assert re.fullmatch(rf"\+[\w-]+\.({'|'.join(TYPES)})\.md", path.name)
        text = path.read_text(encoding="utf-8")
        assert text[:2] not in ("- ", "* "), path.name
        assert text.endswith(".\n"), path.name


def test_releases_have_descending_versions_and_dates():
    """Each section has a version and a day, and the newest stands first."""
    text = CHANGELOG.read_text(encoding="utf-8")
    found = releases(text)
    assert len(found) == text.count("\n## ") > 0
    versions = [tuple(map(int, version.split("."))) for version, _ in found]
    assert versions == sorted(set(versions), reverse=True)
    days = [date.fromisoformat(day) for _, day in found]
    assert days == sorted(days, reverse=True)


def test_kept_verdicts_are_of_a_release_of_the_changelog():
    """``released.json`` has the version of a section, and was written at its day or later."""
    kept = json.loads((ROOT / "released.json").read_text(encoding="utf-8"))
    days = dict(releases(CHANGELOG.read_text(encoding="utf-8")))
    assert days[kept["version"]] <= kept["date"]


def test_a_release_moves_fragments_to_the_changelog(tmp_path):
    """Above the section of the last one, verdicts and numbers before the rest; the files are
    gone."""
    for path in (ROOT / "pyproject.toml", CHANGELOG):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "changes").mkdir()
    for kind in TYPES:
        (tmp_path / "changes" / f"+some.{kind}.md").write_text(f"A sentence,\nof type {kind}.\n")
    build(tmp_path, "--yes", "--version", "99.0.0", "--date", "2099-01-01")
    text = (tmp_path / CHANGELOG.name).read_text(encoding="utf-8")
    assert releases(text) == [("99.0.0", "2099-01-01"), *releases(CHANGELOG.read_text("utf-8"))]
    places = [text.index(f"- A sentence,\n  of type {kind}.\n") for kind in TYPES]
    assert places == sorted(places)
    assert TYPES[:3] == ["summary", "verdict", "number"]
    assert not list((tmp_path / "changes").glob("+*"))
