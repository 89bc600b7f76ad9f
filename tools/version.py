"""Write the version of the package to every file that states it.

The source is ``__version__`` in ``nmfbench/__init__.py``. Between releases it is that of the next
one with ``.dev0`` behind it, while ``CITATION.cff``, ``codemeta.json`` and the first section of
``CHANGELOG.md`` are of the last release, which is what can be cited::

    python -m tools.version 0.2.0          # a release: all files, and fragments to the changelog
    python -m tools.version 0.3.0.dev0     # what comes after it: the package alone
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from datetime import UTC, date, datetime
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
RELEASE = re.compile(r"\d+\.\d+\.\d+")
_SOURCE = re.compile(r'^__version__ = "(.+)"$', flags=re.MULTILINE)
_SECTION = re.compile(r"^## (\S+) \((\S+)\)$", flags=re.MULTILINE)


def package_version(root: Path = ROOT) -> str:
    """``__version__`` as the source of the package states it."""
    text = (root / "nmfbench" / "__init__.py").read_text(encoding="utf-8")
    (found,) = _SOURCE.findall(text)
    return found


def releases(root: Path = ROOT) -> list[tuple[str, str]]:
    """Version and day of each section of the changelog, the newest first."""
    return _SECTION.findall((root / "CHANGELOG.md").read_text(encoding="utf-8"))


def fragments(root: Path = ROOT) -> list[Path]:
    """Sentences that no section of the changelog has yet."""
    return sorted((root / "changes").glob("+*.md"))


def codemeta(root: Path = ROOT) -> str:
    """Text of ``codemeta.json``, from ``pyproject.toml`` and ``CITATION.cff``."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    papers = [
        {"type": "ScholarlyArticle", "name": paper["title"], "datePublished": str(paper["year"])}
        | ({"url": paper["url"]} if "url" in paper else {})
        for paper in cited["references"]
    ]
    content = {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": project["name"],
        "description": project["description"],
        "version": cited["version"],
        "datePublished": str(cited["date-released"]),
        "license": f"https://spdx.org/licenses/{project['license']}",
        "author": [{"type": "Organization", "name": who["name"]} for who in project["authors"]],
        "keywords": project["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "operatingSystem": "POSIX",
        "readme": project["readme"],
        "releaseNotes": "CHANGELOG.md",
        "referencePublication": papers,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def set_version(version: str, day: date, root: Path = ROOT) -> None:
    """Write a version to the package and, of a release, to all other files.

    Parameters
    ----------
    version : str
        ``X.Y.Z`` of a release, or ``X.Y.Z.dev0`` of what comes before it.
    day : date
        Of the release.

    Raises
    ------
    ValueError
        If the version has another form, does not come after the last release, or is one of which
        ``changes/`` says nothing.
    """
    release, _, suffix = version.partition(".dev")
    if not RELEASE.fullmatch(release) or suffix not in ("", "0"):
        raise ValueError(f"{version} is neither X.Y.Z nor X.Y.Z.dev0.")
    newest = releases(root)[0][0]
    if _numbers(release) <= _numbers(newest):
        raise ValueError(f"{version} does not come after {newest}, which CHANGELOG.md has.")
    final = version == release
    if final and not fragments(root):
        raise ValueError("changes/ has no sentence on what this release changes.")
    _replace(root / "nmfbench" / "__init__.py", _SOURCE, f'__version__ = "{version}"')
    if not final:
        return
    citation = root / "CITATION.cff"
    _replace(citation, re.compile(r"(?m)^( *)version: .*$"), rf"\g<1>version: {version}")
    _replace(citation, re.compile(r"(?m)^date-released: .*$"), f"date-released: {day}")
    _replace(citation, re.compile(r"(?m)^  year: .*$"), f"  year: {day.year}")
    (root / "codemeta.json").write_text(codemeta(root), encoding="utf-8")
    words = [sys.executable, "-m", "towncrier", "build", "--yes", "--dir", str(root)]
    words += ["--version", version, "--date", str(day)]
    subprocess.run(words, cwd=root, check=True, capture_output=True)


def _numbers(version):
    return tuple(map(int, version.split(".")))


def _replace(path, pattern, text):
    old = path.read_text(encoding="utf-8")
    new, n = pattern.subn(text, old)
    if not n:
        raise ValueError(f"{path} has no line like {pattern.pattern}.")
    path.write_text(new, encoding="utf-8")


def main(words: list[str] | None = None) -> int:
    """Set the version that the command line names; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.version", description=__doc__)
    parser.add_argument("version", help="X.Y.Z or X.Y.Z.dev0")
    today = datetime.now(UTC).date()
    parser.add_argument("--date", type=date.fromisoformat, default=today, help="default: today")
    chosen = parser.parse_args(words)
    try:
        set_version(chosen.version, chosen.date)
    except ValueError as error:
        print(f"tools.version: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
