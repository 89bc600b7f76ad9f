"""Declared versions: what a raised one changes, what an edit does not, and how one is raised."""

import ast
import difflib
import functools
import importlib.util
import sys

import pytest
from engine import on_digits, trial

from nmfbench.audits.versions import VersionError, declaration, raise_version
from nmfbench.core import registry
from nmfbench.guests import adapter
from nmfbench.records.exchange import current_trial
from nmfbench.trials import fingerprint
from nmfbench.trials import trial as trials
from nmfbench.trials.trial import Trial, key_of, version_of

NOISE = {"corruption": "sparse-laplace", "level": 0.5}
ORL = {"dataset": "orl", "dataset_params": {}}


def grid():
    """Trials over several solvers, tasks, data sets and corruptions, by a name for each."""
    return {
        "spa": trial("spa"),
        "spa-noisy": trial("spa", **NOISE),
        "spa-poisson": trial("spa", corruption="poisson", level=1.0),
        "xray-noisy": trial("xray-l2", **NOISE),
        "exemplars": trial("spa", task="exemplars", dataset="digits", dataset_params={}),
        "fit": on_digits("factorization"),
        "recognition": on_digits("recognition"),
        "clustering": on_digits("clustering"),
        "pca-fit": on_digits("factorization", "pca"),
        "pca-recognition": on_digits("recognition", "pca"),
        "orl": trial("spa", task="exemplars", **ORL),
        "orl-stand-in": trial("spa", task="exemplars", stand_in=True, **ORL),
        "digits-stand-in": trial("spa", task="exemplars", dataset="digits", stand_in=True),
    }


DIGITS = {"exemplars", "fit", "recognition", "clustering", "pca-fit", "pca-recognition"}
CHANGES = [
    (
        *("solver", "spa", "version"),
        {"spa", "spa-noisy", "spa-poisson", "exemplars", "orl", "orl-stand-in", "digits-stand-in"},
    ),
    ("solver", "nenmf", "version", {"fit", "recognition", "clustering"}),
    ("solver", "hals", "version", set()),
    ("task", "recovery", "version", {"spa", "spa-noisy", "spa-poisson", "xray-noisy"}),
    ("task", "recognition", "version", {"recognition", "pca-recognition"}),
    # All that starts from a fit changes with the task of the fit.
    ("task", "factorization", "version", DIGITS - {"exemplars"}),
    ("dataset", "digits", "version", DIGITS | {"digits-stand-in"}),
    ("dataset", "near-separable", "version", {"spa", "spa-noisy", "spa-poisson", "xray-noisy"}),
    ("dataset", "orl", "version", {"orl"}),
    ("dataset", "orl", "stand_in_version", {"orl-stand-in"}),
    ("dataset", "digits", "stand_in_version", set()),  # it has none, and its own data serve
    ("corruption", "sparse-laplace", "version", {"spa-noisy", "xray-noisy"}),
    ("corruption", "salt-pepper", "version", DIGITS - {"exemplars"}),
]


@pytest.mark.parametrize(("kind", "key", "name", "expected"), CHANGES)
def test_a_raised_version_drops_exactly_what_it_concerns(monkeypatch, kind, key, name, expected):
    """The records of that entry, and of what starts from them, and no other."""
    before = {label: one.key for label, one in grid().items()}
    assert len(set(before.values())) == len(before)
    monkeypatch.setitem(getattr(registry, f"{kind}s")[key].info, name, 99)
    after = {label: one.key for label, one in grid().items()}
    assert {label for label in before if before[label] != after[label]} == expected


def test_a_version_of_one_is_the_default(monkeypatch):
    """To write down what counts anyway changes nothing."""
    before = trial(**NOISE).key
    entry = registry.corruptions["sparse-laplace"]
    assert version_of(entry) == 1
    monkeypatch.setitem(entry.info, "version", 1)
    assert trial(**NOISE).key == before


def test_the_scheme_of_seeds_drops_everything(monkeypatch):
    """Its number stands in every key."""
    before = {label: one.key for label, one in grid().items()}
    monkeypatch.setattr(trials, "SCHEME", 99)
    after = {label: one.key for label, one in grid().items()}
    assert not set(before.values()) & set(after.values())


def test_a_key_is_a_hash_of_the_fields_and_of_what_was_declared(monkeypatch):
    """The columns of a record give its key again, also when versions are others by now."""
    one = on_digits("recognition")
    declared = dict(one.declared)
    assert set(declared) == {
        *("scheme", "solver", "task", "dataset", "corruption", "content", "base")
    }
    monkeypatch.setitem(registry.tasks["factorization"].info, "version", 99)
    monkeypatch.setattr(trials, "SCHEME", 99)
    assert key_of(one, declared) == one.key
    again = Trial.from_dict(one.to_dict())
    assert again.key != one.key
    assert current_trial(one.to_dict() | {"key": one.key}) is None
    assert current_trial(again.to_dict() | {"key": again.key}) == again


@pytest.mark.parametrize(
    "change", [{"solver": "gone"}, {"task": "gone"}, {"dataset": "gone"}, {"solver": "gone.py:A"}]
)
def test_a_trial_of_what_is_gone_is_not_current(change):
    """Its key cannot be today's, and to ask is no error."""
    one = trial()
    assert current_trial(one.to_dict() | {"key": one.key} | change) is None


# -- source -----------------------------------------------------------------------------------


@pytest.fixture
def edited(monkeypatch):
    """A function that edits a module, as far as fingerprints are concerned."""
    cached = [f for f in vars(fingerprint).values() if hasattr(f, "cache_clear")]
    read = fingerprint._text.__wrapped__

    def edit(module):
        for function in cached:
            function.cache_clear()
        text = "\ndef more():\n    return 1\n"
        monkeypatch.setattr(fingerprint, "_text", lambda name: read(name) + text * (name == module))

    yield edit
    for function in cached:
        function.cache_clear()


def test_an_edit_of_source_changes_the_fingerprint_and_no_key(edited):
    """A refactor loses no record; the code that a record tells is another one."""
    before = {label: (one.key, one.code) for label, one in grid().items()}
    edited("nmfbench.corruptions")
    after = {label: (one.key, one.code) for label, one in grid().items()}
    assert {label: key for label, (key, _) in before.items()} == {
        label: key for label, (key, _) in after.items()
    }
    for label in ("spa-noisy", "xray-noisy", "recognition"):
        assert before[label][1] != after[label][1]


PLUG_IN = """
from nmfbench.core.registry import register_solver
from nmfbench.optim.kernels import nnls


@register_solver("plug-in", name="P", family="separable", reference="none"{version})
class PlugIn:
    answer = {answer}
"""


@pytest.fixture
def plug_in(tmp_path, monkeypatch):
    """A function that writes and imports a plug-in and gives the key of its trial."""
    monkeypatch.syspath_prepend(tmp_path)
    # Sources of one size that are written within a second would share their compiled code.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    registry.solvers["spa"]  # the registry is full
    cached = [f for f in vars(fingerprint).values() if hasattr(f, "cache_clear")]

    def register(answer, version=""):
        path = tmp_path / "plugged_in.py"
        path.write_text(PLUG_IN.format(answer=answer, version=version))
        spec = importlib.util.spec_from_file_location("plugged_in", path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "plugged_in", module)
        spec.loader.exec_module(module)
        for function in cached:
            function.cache_clear()
        return trial("plug-in").key

    yield register
    registry.solvers._entries.pop("plug-in")
    for function in cached:
        function.cache_clear()


def test_a_plug_in_without_a_version_follows_its_source(plug_in):
    """A solver of another package is another trial after an edit, unless it says otherwise."""
    first = plug_in(1)
    assert plug_in(1) == first
    assert plug_in(2) != first
    declared = plug_in(1, ", version=1")
    assert declared != first
    assert plug_in(2, ", version=1") == declared
    assert plug_in(2, ", version=2") != declared


def test_a_plug_in_does_not_follow_our_source(plug_in, edited):
    """Its key is its own: a refactor here loses no record of it, either."""
    first = plug_in(1)
    before = trial("plug-in").code
    edited("nmfbench.optim.kernels.nnls")
    assert trial("plug-in").key == first
    assert trial("plug-in").code != before


def test_a_guest_follows_its_own_file(tmp_path, edited, monkeypatch):
    """Not our source, but the declared version of the adapter between them."""
    path = tmp_path / "mine.py"
    text = "class Mine:\n    def __init__(self, n_components=2): pass\n    def fit(self, X): {}\n"
    path.write_text(text.format("pass"))

    def key():
        return trial(f"{path}:Mine").key

    first = key()
    edited("nmfbench.guests.adapter")
    assert key() == first
    path.write_text(text.format("return self"))
    assert key() != first
    path.write_text("# Words.\n" + text.format("pass"))
    assert key() == first
    monkeypatch.setattr(adapter, "VERSION", adapter.VERSION + 1)
    assert key() != first


@pytest.mark.parametrize("version", [0, -1, 1.5, "2", True])
def test_a_version_is_a_whole_number(version):
    """Anything else is refused where it is declared."""
    with pytest.raises(ValueError, match="must be a whole number above 0"):
        registry.register_task("no-task", summary="none", version=version)
    assert "no-task" not in registry.tasks


# -- raising ----------------------------------------------------------------------------------

KINDS = ("solver", "task", "dataset", "corruption")


@pytest.mark.parametrize("kind", KINDS)
def test_every_entry_has_a_declaration_that_can_be_edited(kind):
    """The audit can say of each where its version is raised."""
    for entry in getattr(registry, f"{kind}s").entries():
        if entry.is_ours:
            path, line, name, version = declaration(kind, entry.key)
            assert (name, version) == ("version", version_of(entry)), entry.key
            declared = "\n".join(path.read_text(encoding="utf-8").splitlines()[line - 1 :][:2])
            assert f'"{entry.key}"' in declared or 'f"video-{_clip}"' in declared


def versions_in(text, key):
    """The versions that a source declares for an entry, by a call or a row of a table."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and node.args and getattr(node.args[0], "value", 0) == key:
            return {k.arg: k.value.value for k in node.keywords if "version" in k.arg}
        if isinstance(node, ast.Dict):
            rows = dict(zip((getattr(k, "value", 0) for k in node.keys), node.values, strict=True))
            if isinstance(rows.get(key), ast.Dict):
                row = rows[key]
                pairs = zip(row.keys, row.values, strict=True)
                return {k.value: v.value for k, v in pairs if "version" in k.value}
    raise AssertionError(key)


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("solver", "sklearn-cd"),
        ("solver", "nenmf"),
        ("task", "recognition"),
        ("task", "recovery"),
        ("corruption", "sparse-laplace"),
        ("dataset", "near-separable"),
        ("dataset", "orl"),
        ("dataset", "umist"),
        ("dataset", "reuters"),
        ("stand-in", "orl"),
    ],
)
def test_a_version_is_raised_where_it_is_declared(tmp_path, monkeypatch, kind, key):
    """Once by writing it, then by counting on; nothing else of the source changes."""
    original, _, name, version = declaration(kind, key)
    source = original.read_text(encoding="utf-8")
    copy = tmp_path / original.name
    copy.write_text(source, encoding="utf-8")
    monkeypatch.setattr("nmfbench.audits.versions.inspect.getsourcefile", lambda target: str(copy))
    for step in (1, 2):
        assert raise_version(kind, key) == version + step
        assert versions_in(copy.read_text(), key)[name] == version + step
        assert declaration(kind, key)[3] == version + step
    lines = difflib.ndiff(source.splitlines(), copy.read_text().splitlines())
    assert [line[0] for line in lines].count("+") == 1
    assert original.read_text() == source


ROWS = """
from nmfbench.core.registry import register_solver, register_corruption


@register_solver(
    "écru",  # of a colour: "é" has two bytes
    name="Écru", family="é", reference="é", version=9, paper=None
)
class A: pass


@register_corruption("dust", level="é" "è")
def dust(data, level, rng): pass
"""


def test_a_declaration_beside_letters_of_many_bytes(tmp_path, monkeypatch):
    """Places in the source are counted right, and a version of 9 becomes 10."""
    path = tmp_path / "rows.py"
    path.write_text(ROWS, encoding="utf-8")
    for kind, key in (("solver", "écru"), ("corruption", "dust")):
        entry = registry.Entry(key, test_a_version_is_a_whole_number)
        monkeypatch.setitem(getattr(registry, f"{kind}s")._entries, key, entry)
    monkeypatch.setattr("nmfbench.audits.versions.inspect.getsourcefile", lambda target: str(path))
    assert raise_version("solver", "écru") == 10
    assert raise_version("corruption", "dust") == 2
    text = path.read_text(encoding="utf-8")
    assert 'reference="é", version=10, paper=None' in text
    assert '@register_corruption("dust", version=2, level="é" "è")' in text
    monkeypatch.setitem(
        registry.solvers._entries, "spa", registry.Entry("spa", functools.partial(len))
    )
    with pytest.raises(VersionError, match="no declaration of the solver 'spa'"):
        raise_version("solver", "spa")


def test_data_that_one_line_registers_have_one_version(tmp_path, monkeypatch):
    """Of a call in a loop the version is that of all it registers."""
    original = declaration("dataset", "video-hall")[0]
    copy = tmp_path / "video.py"
    copy.write_text(original.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr("nmfbench.audits.versions.inspect.getsourcefile", lambda target: str(copy))
    assert raise_version("dataset", "video-hall") == 2
    assert declaration("dataset", "video-lobby")[2:] == ("version", 2)
    ast.parse(copy.read_text(encoding="utf-8"))


def test_a_class_from_outside_has_no_version_to_raise(tmp_path):
    """It is identified by its file."""
    (tmp_path / "mine.py").write_text("class Mine: pass\n")
    with pytest.raises(VersionError, match="has no version that could be raised"):
        declaration("solver", f"{tmp_path}/mine.py:Mine")
