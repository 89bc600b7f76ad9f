"""Names: unique, found by near misses, filled once and by all threads alike."""

import pickle
import subprocess
import sys
import threading
from functools import partial

import pytest
from engine import install, python

from nmfbench.core import registry
from nmfbench.core.registry import PROPERTIES, Registry, UnknownNameError, register_solver


def test_near_misses():
    """A misspelt name is answered with the nearest ones, an outlandish one with all."""
    with pytest.raises(UnknownNameError, match="no solver is called 'sap'; did you mean 'spa'"):
        registry.solvers["sap"]
    with pytest.raises(UnknownNameError, match=r"known names: .*recovery"):
        registry.tasks["qqqqqqq"]
    with pytest.raises(UnknownNameError):
        registry.solvers[["spa"]]
    assert "sap" not in registry.solvers


def test_error_travels():
    """The error of an unknown name can be pickled, as a cluster needs, with its suggestions."""
    with pytest.raises(UnknownNameError) as caught:
        registry.solvers["sap"]
    back = pickle.loads(pickle.dumps(caught.value))
    assert str(back) == str(caught.value)
    assert back.suggestions == caught.value.suggestions
    assert back.suggestions[0] == "spa"


def test_duplicates_and_malformed_keys():
    """A key belongs to one thing; the same thing may be registered again."""
    names = Registry("thing", "nmfbench.optim.losses")
    names.add("a-1", len, colour="red")
    names.add("a-1", len, colour="blue")
    assert names["a-1"].info == {"colour": "blue"}
    with pytest.raises(ValueError, match=r"'a-1' is registered already, by builtins\.len"):
        names.add("a-1", max)
    for key in ("", "A", "a b", "a--b", "-a"):
        with pytest.raises(ValueError, match="malformed"):
            names.add(key, len)


def test_properties_are_known_ones():
    """A solver cannot claim an undefined property; the error lists the defined ones."""
    register = partial(register_solver, "a-1", name="", family="", reference="")
    with pytest.raises(ValueError, match=r"'a-1' has unknown properties speed; .* robustness"):
        register(properties=("locality", "speed"))
    for entry in registry.solvers.entries():
        assert set(entry.info["properties"]) <= set(PROPERTIES)


@pytest.mark.parametrize(
    "names",
    [registry.solvers, registry.datasets, registry.tasks, registry.corruptions, registry.artefacts],
    ids=lambda names: names.kind,
)
def test_filled(names):
    """Every registry finds its things, sorted, and each under its own key."""
    keys = list(names)
    assert keys == sorted(keys)
    assert len(keys) == len(names) > 0
    assert [entry.key for entry in names.entries()] == keys


def package(folder, name, source):
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("")
    (folder / name / "things.py").write_text(source)


def test_threads_wait(tmp_path, monkeypatch):
    """A thread that asks while another fills the registry waits until it is full."""
    package(tmp_path, "slow_things", "import time; time.sleep(0.3)\nimport test_registry as t\n"
            "t.names.add('late', len)\nassert 'late' in t.names\n")  # fmt: skip
    monkeypatch.syspath_prepend(tmp_path)
    module = sys.modules[__name__]
    monkeypatch.setitem(sys.modules, "test_registry", module)
    names = Registry("thing", "slow_things")
    monkeypatch.setattr(module, "names", names, raising=False)
    found = []
    threads = [threading.Thread(target=lambda: found.append(list(names))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["late"]] * 3


def test_failure_is_not_forgotten(tmp_path, monkeypatch):
    """A package that cannot be imported fails each time, instead of looking half empty."""
    package(tmp_path, "broken_things", "raise RuntimeError('on purpose')")
    monkeypatch.syspath_prepend(tmp_path)
    names = Registry("thing", "broken_things")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="on purpose"):
            list(names)


BROKEN = {
    "plugin_raises": "raise RuntimeError('on purpose')",
    "plugin_exits": "import sys; sys.exit(3)",
    "plugin_lacks": "import no_such_package",
    "plugin_steals": "from nmfbench.core.registry import register_solver\n"
    "register_solver('spa', name='', family='', reference='')(int)",
}


def test_broken_plugins(tmp_path):
    """Plug-ins that cannot be imported are left out with a warning each, and all else works."""
    for name, source in BROKEN.items():
        install(tmp_path, name, source, ["solvers"])
    code = "from nmfbench.core import registry; print(registry.solvers['spa'].target.__name__)"
    out, err = python(code, path=[tmp_path])
    assert out == "SPA\n"
    for name in BROKEN:
        assert f"RuntimeWarning: entry point '{name}'" in err
    for complaint in ("on purpose", "SystemExit", "no_such_package", "registered already"):
        assert complaint in err


def test_lazy():
    """Importing the package fills no registry: that is left to the first look-up."""
    code = "from nmfbench.core.registry import solvers; print(solvers._loaded, len(solvers) > 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
