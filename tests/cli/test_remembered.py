"""Lists that an earlier process left: read while the package is the same, made again where not."""

import json
import subprocess
import sys

import pytest

from nmfbench.commands import remembered as module
from nmfbench.commands.remembered import remembered


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The user's cache, for a process that has no entries yet and a package without guests."""
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(module, "_REGISTRIES", ())
    return tmp_path


def made(value):
    """A function that may be called, and one that may not."""
    return (lambda: value), (lambda: pytest.fail("it was made again"))


def test_it_is_made_once_until_a_file_changes(cache, monkeypatch):
    """Another stamp of the package, and the value is made anew and kept."""
    make, never = made([{"key": "one"}])
    assert remembered("things", make) == [{"key": "one"}]
    assert remembered("things", never) == [{"key": "one"}]
    monkeypatch.setattr(module, "_stamp", lambda: "another")
    assert remembered("things", lambda: ["two"]) == ["two"]
    assert remembered("things", never) == ["two"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"stamp": 1, "value": ["odd"]}', "\0"])
def test_a_damaged_file_is_as_none(cache, text):
    """Whatever is in it, the value is made and kept."""
    make, never = made(["one"])
    file = cache / "remembered" / "things.json"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    assert remembered("things", make) == ["one"]
    assert remembered("things", never) == ["one"]


def test_without_a_cache_it_is_made_each_time(cache, monkeypatch):
    """A file where its folder should be is no error."""
    (cache / "remembered").write_text("no folder", encoding="utf-8")
    assert remembered("things", lambda: ["one"]) == ["one"]
    assert remembered("things", lambda: ["two"]) == ["two"]


@pytest.mark.parametrize("begun", [True, False], ids=["entries", "entry points"])
def test_what_others_may_have_added_is_not_remembered(begun, cache, monkeypatch):
    """Entries of this process, and those of installed packages, whose files are not looked at."""

    class Kind:
        group, is_begun = "nmfbench.solvers", begun

    monkeypatch.setattr(module, "_REGISTRIES", (Kind,))
    monkeypatch.setattr(module, "entry_points", lambda group: [] if begun else [group])
    assert remembered("things", lambda: ["one"]) == ["one"]
    assert not list(cache.iterdir())


def test_the_stamp_is_that_of_the_files(tmp_path, monkeypatch):
    """A file that changes, comes or goes changes it; what Python and numba compile does not."""
    package = tmp_path / "package"
    (package / "room").mkdir(parents=True)
    source = package / "room" / "one.py"
    source.write_text("1", encoding="utf-8")
    monkeypatch.setattr(module.nmfbench, "__file__", str(package / "__init__.py"))
    first = module._stamp()
    (package / "room" / "__pycache__").mkdir()
    (package / "room" / "__pycache__" / "one.pyc").write_text("1", encoding="utf-8")
    assert module._stamp() == first
    source.write_text("12", encoding="utf-8")
    second = module._stamp()
    (package / "plan.json").write_text("{}", encoding="utf-8")
    assert len({first, second, module._stamp()}) == 3


def test_a_second_process_lists_without_importing_solvers(tmp_path):
    """Its output is that of the first one, as text and as JSON."""
    code = (
        "import sys; from nmfbench.cli.app import main; main(['list', 'solvers', '--json'])\n"
        "print('numba' in sys.modules, file=sys.stderr)"
    )
    env = {"NMFBENCH_CACHE": str(tmp_path), "PATH": ""}
    done = [
        subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
        for _ in range(2)
    ]
    assert [each.stderr.strip() for each in done] == ["True", "False"]
    first, second = (json.loads(each.stdout) for each in done)
    assert first == second
    assert {"key", "name", "class"} <= set(first[0])
