"""A checkout without git, or one that cannot be written to, is linted and tested like any other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETTINGS = Path(__file__).parents[2] / "pyproject.toml"
TEST = """
from hypothesis import given, strategies

@given(strategies.integers())
def test_that_passes(number):
    assert number == number
"""


@pytest.fixture
def checkout(tmp_path):
    """A folder with the settings of this project and nothing else."""
    (tmp_path / SETTINGS.name).write_text(SETTINGS.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def run(folder, *words):
    """Run a module of this Python in a folder, without settings of these tests."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    words = [sys.executable, "-m", *words]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)


def test_tests_run_where_their_caches_cannot_be_written(checkout):
    """pytest and hypothesis go on without: a file is where each would make its folder."""
    for name in (".pytest_cache", ".hypothesis"):
        (checkout / name).write_text("")
    (checkout / "tests").mkdir()
    (checkout / "tests" / "test_one.py").write_text(TEST)
    done = run(checkout, "pytest", "-q", "tests")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


@pytest.mark.parametrize("name", ["report", "reports", "results", "comparison", "build"])
def test_results_are_not_linted(checkout, name):
    """Notebooks of a report are no source, also where no .gitignore says so."""
    (checkout / name).mkdir()
    (checkout / name / "page.py").write_text("import os, sys\n")
    assert run(checkout, "ruff", "check", "--no-cache", ".").returncode == 0
    (checkout / "page.py").write_text("import os, sys\n")
    assert run(checkout, "ruff", "check", "--no-cache", ".").returncode == 1
