"""Versions of code: what changes them, and what must not."""

import functools
import importlib.util
import sys
import textwrap
import types

import pytest
from engine import trial

from nmfbench.core import registry
from nmfbench.trials import fingerprint
from nmfbench.trials.fingerprint import code_version, strip_source

_CACHED = [f for f in vars(fingerprint).values() if hasattr(f, "cache_clear")]
SPA = "nmfbench.solvers.separable.spa"


@pytest.fixture(autouse=True)
def fresh():
    """Forget what was read, before and after."""
    for function in _CACHED:
        function.cache_clear()
    yield
    for function in _CACHED:
        function.cache_clear()


@pytest.fixture
def edited(monkeypatch):
    """A function that gives the version of things as if a module had been edited."""
    read = fingerprint._text.__wrapped__

    def version(things, module=None, edit=lambda text: text + "\nCHANGED = 1\n"):
        for function in _CACHED:
            function.cache_clear()
        monkeypatch.setattr(
            fingerprint, "_text", lambda name: edit(read(name)) if name == module else read(name)
        )
        return code_version(things)

    return version


def test_kernels_count(edited):
    """Code that a solver reaches through others counts; the same code gives the same version."""
    base = edited([SPA])
    assert len(base) == 12
    assert edited([SPA]) == base
    for module in (SPA, "nmfbench.solvers.separable.base", "nmfbench.solvers.bases.loop"):
        assert edited([SPA], module) != base
    assert edited([SPA], "nmfbench.optim.kernels.nnls") != base  # through the projection


def test_others_do_not_count(edited):
    """Other solvers, artefacts, the store and the registry do not change a solver's version."""
    base = edited([SPA])
    others = [e.target.__module__ for e in registry.solvers.entries() if e.key not in ("spa",)]
    modules = {
        *others,
        "nmfbench.records.store",
        "nmfbench.engine.runner",
        "nmfbench.core.registry",
        "nmfbench",
    }
    for module in modules - {"nmfbench.solvers.separable.base"}:
        assert edited([SPA], module) == base, module


def test_words_do_not_count(edited):
    """Comments, docstrings and blank lines do not count."""

    def reword(text):
        text = text.replace('"""', '"""Better words. ', 1)
        return text.replace("\n\n\n", "\n\n# A comment.\n\n\n")

    assert edited([SPA], SPA, reword) == edited([SPA])


def test_downloads_do_not_count(edited):
    """How a file came here does not count: its content does, by its own hash."""
    loader = registry.datasets["reuters"].target
    base = edited([loader])
    for module in ("nmfbench.datasets.download", "nmfbench.datasets.convert"):
        assert edited([loader], module) == base
    assert edited([loader], "nmfbench.datasets.text") != base


def test_seeds_count(monkeypatch):
    """The code of a trial includes the seeds and the steps that lead to its outcome."""
    asked = []
    monkeypatch.setattr(
        "nmfbench.trials.trial.code_version", lambda things: asked.extend(things) or ""
    )
    assert trial(corruption="poisson", level=1.0).code == ""
    assert {
        "nmfbench.trials.seeds",
        "nmfbench.engine.perform",
        registry.solvers["spa"].target,
    } <= set(asked)
    assert registry.corruptions["poisson"].target in asked
    assert registry.datasets["near-separable"].target in asked


def write_package(folder, name):
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text("")
    (folder / name / "solver.py").write_text(
        "import numpy\nfrom . import helper\nfrom nmfbench.solvers.bases.loop import BaseNMF\n"
        "class Solver: pass\n"
    )
    (folder / name / "helper.py").write_text("import json\nx = 1\n")
    (folder / name / "unrelated.py").write_text("y = 1\n")


def test_third_party(tmp_path, monkeypatch, edited):
    """Of another package, its own modules and ours count, and nothing else of it."""
    write_package(tmp_path, "party_of_three")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("party_of_three.solver")
    base = edited([module.Solver])
    assert edited([module.Solver], "party_of_three.helper") != base
    assert edited([module.Solver], "nmfbench.solvers.bases.loop") != base
    assert edited([module.Solver], "party_of_three.unrelated") == base
    for name in [name for name in sys.modules if name.startswith("party_of_three")]:
        del sys.modules[name]


@pytest.mark.parametrize("listed", [True, False])
def test_loaded_by_path(tmp_path, monkeypatch, listed):
    """A solver from a file that was loaded under a made-up name counts with its source."""
    versions = []
    for x in (1, 2):
        path = tmp_path / f"mine{x}.py"
        path.write_text(f"class Solver:\n    'Words {x}.'\n    x = {min(x, 2)}\n")
        spec = importlib.util.spec_from_file_location("made_up", path)
        module = importlib.util.module_from_spec(spec)
        if listed:
            monkeypatch.setitem(sys.modules, "made_up", module)
        spec.loader.exec_module(module)
        for function in _CACHED:
            function.cache_clear()
        if listed:
            versions.append(code_version([module.Solver]))
        else:
            with pytest.raises(ValueError, match="put it into a file of its own"):
                code_version([module.Solver])
    assert len(set(versions)) == len(versions)


def test_defined_on_the_fly(monkeypatch):
    """A function of __main__ or a notebook counts with its own source."""

    def loader(rng):
        return rng

    here = code_version([loader])
    monkeypatch.setattr(loader, "__module__", "__main__")
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    assert code_version([loader]) != here
    exec(compile("def nowhere(): pass", "<nowhere>", "exec"), made := {"__name__": "nowhere"})
    with pytest.raises(ValueError, match=r"source of nowhere\.nowhere cannot be found"):
        code_version([made["nowhere"]])


def test_partials():
    """The arguments of a partial count, in any order, and so does its function's module."""
    make = registry.datasets["near-separable"].target
    one = code_version([functools.partial(make, a=1, b=2)])
    assert one == code_version([functools.partial(make, b=2, a=1)])
    assert one != code_version([functools.partial(make, a=2, b=2)])
    assert one != code_version([make])


@pytest.mark.parametrize(
    ("source", "stripped"),
    [
        ('x = "# no comment"  # one', 'x = "# no comment"'),
        ('"""Doc."""; x = 1', "; x = 1"),
        ('class A(B): "Doc."', "class A(B):"),
        ('def f():\n    """É\n    more"""\n    return 1\n', "def f():\n    return 1"),
        ("def f():\n    1\n    'kept: no docstring'", "def f():\n    1\n    'kept: no docstring'"),
        ('x = """a\n# kept\n"""', 'x = """a\n# kept\n"""'),
        ('x = f"{1}# {2}"', 'x = f"{1}# {2}"'),
        (
            "    def method(self):\n        'Doc.'\n        return 1",
            "def method(self):\n    return 1",
        ),
    ],
)
def test_strip_source(source, stripped):
    """Only comments, docstrings and blanks go."""
    assert strip_source(source) == textwrap.dedent(stripped)
