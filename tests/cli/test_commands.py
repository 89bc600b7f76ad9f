"""The commands as functions: what they return and raise, beside the command line."""

import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from argparse import Namespace
from datetime import time
from pathlib import Path

import numpy as np
import pytest

import nmfbench
from nmfbench import cli
from nmfbench.cli.app import _call, _command_files, make_parsers
from nmfbench.commands.errors import UsageError
from nmfbench.commands.progress import Begun, Computed, Ended, Note
from nmfbench.commands.values import bytes_of, command, converted, moment, seconds
from nmfbench.records.store import Store

FIGURE = "rnmfd/table2"
CHANGES = {"seconds", "draw", "agreement"}  # from one call to the next
FUNCTIONS = (
    *("audit", "check", "claims", "compare", "export", "import_records", "replay", "report"),
    *("reproduce", "run", "score", "status"),
)


def function_of(defaults):
    if callable(defaults):  # of a command that Python lacks
        return defaults
    module, _, name = defaults.partition(":")
    return getattr(importlib.import_module(f"nmfbench.commands.{module}"), name)


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """A store with one small artefact, the events of its computation, and the answer."""
    events, folder = [], tmp_path_factory.mktemp("computed")
    answer = nmfbench.run(
        FIGURE, profile="smoke", stand_in=True, store=folder / "store", progress=events.append
    )
    with Store(folder / "store") as store:
        key = store.records()[0]["key"]
    rng = np.random.default_rng(0)
    W, H = rng.uniform(size=(1797, 2)), rng.uniform(size=(2, 64))
    np.savez(folder / "factors.npz", W=W, H=H)
    return folder, events, answer, key


def _calls(folder, key):
    """For each command its words, and its function with the same arguments."""
    store, other = str(folder / "store"), str(folder / "other")
    file, factors = str(folder / "all.parquet"), str(folder / "factors.npz")
    same = {"profile": "smoke", "stand_in": True}
    words = ["--profile", "smoke", "--stand-in"]
    return {
        "run": (["run", FIGURE, *words], store, lambda f: f(FIGURE, store=store, **same)),
        "status": (["status", FIGURE, *words], store, lambda f: f(FIGURE, store=store, **same)),
        "claims": (["claims", "rnmfd", *words], store, lambda f: f("rnmfd", store=store, **same)),
        "export": (["export", "--output", file], store, lambda f: f(output=file, store=store)),
        "import_records": (["import", file], other, lambda f: f(file, store=other)),
        "audit": (
            ["audit", FIGURE, "--draw", "x"],
            store,
            lambda f: f(FIGURE, draw="x", store=store),
        ),
        "replay": (["replay", key], store, lambda f: f(key, store=store)),
        "check": (["check", "spa"], None, lambda f: f("spa")),
        "score": (
            ["score", factors, "--data", "digits", "--loss", "kl", "--against", "kl-mu"],
            None,
            lambda f: f(factors, data="digits", loss="kl", against="kl-mu"),
        ),
    }


@pytest.mark.parametrize("name", list(_calls(Path(), "")))
def test_a_function_gives_what_the_command_prints(name, computed, capsys):
    """Its data are the document of ``--json``, its text the output, ``failed`` the exit code."""
    folder, *_, key = computed
    words, store, call = _calls(folder, key)[name]
    if name == "import_records":
        cli.main(["export", "--output", words[1], "--store", str(folder / "store")])
        call(nmfbench.import_records)  # the second time all is there
    function = getattr(nmfbench, name)
    answer = call(function)
    more = [] if store is None else ["--store", store]
    capsys.readouterr()
    code = cli.main([*words, *more, *(["--json"] if name != "export" else [])])
    out = capsys.readouterr().out
    assert code == int(answer.failed)
    if name == "export":  # which has no --json
        assert out == f"{answer}\n"
        return
    assert _lasting(json.loads(out)) == _lasting(json.loads(json.dumps(answer.data)))
    assert len(answer.table) == len(answer.rows) > 0
    assert "<table" in answer._repr_html_()


def _lasting(data):
    if isinstance(data, dict):
        return {name: _lasting(value) for name, value in data.items() if name not in CHANGES}
    return [_lasting(value) for value in data] if isinstance(data, list) else data


def test_a_run_reports_events_and_prints_nothing(computed, capsys):
    """Notices, a begin, each trial and an end, which read as lines; the table counts the trials."""
    folder, events, answer, _ = computed
    assert not answer.failed
    assert answer.table["done"].tolist() == [answer.data["total"]]
    kinds = [type(event) for event in events if not isinstance(event, Note)]
    (begun,) = [event for event in events if isinstance(event, Begun)]
    assert begun.todo >= answer.data["total"]  # with the fits that they share
    assert kinds == [Begun, *[Computed] * begun.todo, Ended]
    assert "have a record already" in str(events[0])
    nmfbench.run(FIGURE, profile="smoke", stand_in=True, store=folder / "store")
    assert capsys.readouterr() == ("", "")


def test_a_comparison_shows_its_table_and_its_pictures(tmp_path):
    """In a notebook, from the findings; the page is a file and a text."""
    found = nmfbench.compare(
        "spa",
        task="recovery",
        against=["xray-l2"],
        profile="smoke",
        store=tmp_path / "store",
        output=tmp_path / "page",
        jobs=1,
    )
    assert not found.failed
    assert found.to_html() == (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert set(found.table["task"]) == {"recovery"}
    names = {path.stem for path in (tmp_path / "page" / "figures").glob("*.png")}
    assert set(found.figures) == names
    assert names
    shown = found._repr_html_()
    assert shown.count("<table") == 1
    assert shown.count("data:image/png;base64,") == len(names)


def test_options_are_keywords_of_the_functions():
    """Each option of a command is a keyword of its function, with the same default."""
    _, parsers = make_parsers()
    for name, parser in parsers.items():
        function = function_of(parser.get_default("function"))
        parameters = inspect.signature(function).parameters
        own = {p for p in parameters.values() if p.kind is not p.VAR_POSITIONAL}
        options = {action.dest for action in parser._actions} - {"help", "json", "names"}
        assert {p.name for p in own} - {"progress", "bar"} == options, name
        for parameter in own:
            if parameter.name in options and parameter.default is not parameter.empty:
                default = parser.get_default(parameter.name)
                same = tuple(default) if isinstance(default, list) else default
                # As a function it writes no page unless it is given a folder.
                apart = name == "data" or (name, parameter.name) == ("recommend", "output")
                assert same == parameter.default or apart, (name, parameter.name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_documented_attributes_of_the_package(name):
    """Each has a signature with types, numpydoc sections and an example."""
    function = getattr(nmfbench, name)
    signature = inspect.signature(function)
    assert all(p.annotation is not p.empty for p in signature.parameters.values())
    assert signature.return_annotation is not inspect.Signature.empty
    doc = inspect.unwrap(function).__doc__
    for section in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"    {section}\n    {'-' * len(section)}\n" in doc
    for parameter in signature.parameters:
        assert parameter in doc, parameter


WRONG = {
    "profile": (lambda: nmfbench.run(profile="smok"), ["run", "--profile", "smok"]),
    "jobs": (lambda: nmfbench.run(jobs="0"), ["run", "--jobs", "0"]),
    "budget": (lambda: nmfbench.audit(budget="soon"), ["audit", "--budget", "soon"]),
    "until": (lambda: nmfbench.run(until="25:00"), ["run", "--until", "25:00"]),
    "time_limit": (
        lambda: nmfbench.check("spa", time_limit="-1"),
        ["check", "spa", "--time-limit", "-1"],
    ),
    "memory_limit": (
        lambda: nmfbench.compare("spa", memory_limit="much"),
        ["compare", "spa", "--memory-limit", "much"],
    ),
    "format": (
        lambda: nmfbench.export(output="x", format="cvs"),
        ["export", "--output", "x", "--format", "cvs"],
    ),
    "target": (lambda: nmfbench.replay("a", target="no"), ["replay", "a", "--target", "no"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_values_raise_what_the_command_line_says(name, capsys):
    """The message is that of the option, and names the argument."""
    call, words = WRONG[name]
    with pytest.raises(ValueError, match=f"^{name}: ") as raised:
        call()
    assert cli.main(words) == 2
    assert str(raised.value).removeprefix(f"{name}: ") in capsys.readouterr().err


ERRORS = {
    "target": (lambda store: nmfbench.run("rnmfd/table22", store=store), ["run", "rnmfd/table22"]),
    "solver": (lambda store: nmfbench.compare("spaa", store=store), ["compare", "spaa"]),
    "task": (
        lambda store: nmfbench.compare("spa", task="recover", store=store),
        ["compare", "spa", "--task", "recover"],
    ),
    "store": (lambda store: nmfbench.audit(store=store), ["audit"]),
    "key": (lambda store: nmfbench.replay("zz", store=store), ["replay", "zz"]),
    "file": (lambda store: nmfbench.import_records("no.csv", store=store), ["import", "no.csv"]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_those_of_the_command_line(name, tmp_path, capsys):
    """An unknown name, no store, no file: the function raises what the command prints."""
    call, words = ERRORS[name]
    store = str(tmp_path / "none")
    with pytest.raises((ValueError, KeyError, OSError, RuntimeError)) as raised:
        call(store)
    assert cli.main([*words, "--store", store]) == 2
    assert capsys.readouterr().err == f"nmfbench: {raised.value}\n"


def test_values_are_read_from_text_and_numbers():
    """Times, moments and sizes, as on the command line or as plain numbers."""
    assert (seconds("2h"), seconds(1.5), seconds("90s")) == (7200, 1.5, 90)
    assert (moment("6:30"), moment(time(6, 30)), moment("look")) == (
        time(6, 30),
        time(6, 30),
        "look",
    )
    assert (bytes_of("1K"), bytes_of(4096), bytes_of("2GiB")) == (1024, 4096, 2 << 30)


def test_the_body_of_a_command_has_numbers_for_their_text():
    """What a command takes as a number or as text is a number in its body, or is refused."""

    @command
    def body(*, budget=None, memory_limit=None):
        return converted(budget), converted(memory_limit)

    assert body(budget="2m", memory_limit="4K") == (120.0, 4096)
    assert body(budget=1.5) == (1.5, None)
    found = set()
    for function in (getattr(nmfbench, name) for name in FUNCTIONS):
        for parameter in inspect.signature(function).parameters.values():
            if parameter.annotation in ("float | str | None", "int | str | None"):
                with pytest.raises(UsageError, match=f"^{parameter.name}: "):
                    function("x", **{parameter.name: "many"})
                found.add(parameter.name)
    assert found == {"budget", "memory_limit"}


def test_help_imports_nothing_heavy():
    """The command line parses without numpy, pandas or the registries' entries."""
    code = (
        "import sys; from nmfbench.cli import parse; parse(['run', 'all']); "
        "heavy = {'numpy', 'pandas', 'nmfbench.core.registry', 'argcomplete'}; "
        "print(sorted(heavy & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("nmfbench repro", "reproduce"),
        ("nmfbench run --profile s", "smoke"),
        ("nmfbench score a --loss k", "kl"),
        ("nmfbench check robust-x", "robust-xray"),
        ("nmfbench status rnmfd/table2", "rnmfd/table2"),
    ],
)
def test_a_shell_completes_words(line, word, tmp_path):
    """Commands and values of options, as argcomplete asks for them."""
    answer = tmp_path / "answer"
    given = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    given |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(answer), "_ARGCOMPLETE_IFS": "\n"}
    done = subprocess.run([sys.executable, "-m", "nmfbench"], env=os.environ | given, check=False)
    assert done.returncode == 0
    assert word in answer.read_text().split()


def test_a_function_of_the_command_line_alone_is_called():
    """A command is one file where its function stands beside its options."""

    def greet(*names, times=1):
        return names * times

    given = {"command": "greet", "json": True, "names": ["you"], "times": 2}
    assert _call(Namespace(function=greet, **given)) == ("you", "you")


def test_command_files_are_short():
    """A command of the command line declares options, in at most sixty lines, and no more."""
    folder = Path(cli.__file__).parent / "commands"
    for name in _command_files():
        text = (folder / f"{name}.py").read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 60, name
        assert not re.search(r"\bargs\b", text), name
