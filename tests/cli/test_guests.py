"""External solvers: how they are named, found, versioned, run and contained."""

import json
import os
import sys
import textwrap
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from engine import SMALL
from scipy.optimize import nnls
from sklearn.decomposition import MiniBatchNMF
from sklearn.utils import get_tags

from nmfbench import make_solver
from nmfbench.core import registry
from nmfbench.core.registry import UnknownNameError
from nmfbench.engine.perform import perform
from nmfbench.engine.runner import Limits, compute, run
from nmfbench.engine.worker import Worker, WorkerDied, WorkerError
from nmfbench.guests import GuestError, GuestFault, adapter, parse_solver, version
from nmfbench.guests.examine import describe_here, examine, try_here
from nmfbench.guests.validate import checked_count, checked_factor
from nmfbench.records.store import Store
from nmfbench.trials.fingerprint import code_version
from nmfbench.trials.trial import Trial

GOOD = '''
import numpy as np
from scipy.optimize import nnls
from sklearn.decomposition import NMF

from nmfbench.solvers.frobenius.mu import MU


class Base:
    """Base of the others: random rows as components."""

    def __init__(self, n_components=2, random_state=None):
        self.n_components, self.random_state = n_components, random_state

    def fit(self, X):
        rng = np.random.default_rng(self.random_state)
        rows = rng.choice(X.shape[0], self.n_components, replace=False)
        self.components_ = X[rows]
        return self


class Anchors(Base):
    def fit(self, X):
        self.anchor_indices_ = np.argsort(-X.sum(axis=1))[: self.n_components]
        self.components_ = X[self.anchor_indices_]


class Wrapped:
    def __init__(self, n_components=2, tol=1e-4, max_iter=200):
        self.params = {"n_components": n_components, "tol": tol, "max_iter": max_iter}

    def fit_transform(self, X, W=None, H=None):
        model = NMF(**self.params, init="custom" if W is not None else "random", random_state=0)
        W = model.fit_transform(X, W=W, H=H)
        self.components_ = model.components_
        return W


class Inherits(MU):
    pass


class Compiled(Base):
    """Its first fit in a process draws more random numbers than the others."""

    met = 0

    def fit(self, X):
        Compiled.met += 1
        np.random.rand(Compiled.met)
        self.components_ = np.random.rand(self.n_components, X.shape[1])


class Centred(Base):
    """Directions from the mean."""

    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        super().fit(X - self.mean_ if self.signed else X)

    signed = False


class CentredSigned(Centred):
    signed = True


class LowRank:
    """A low-rank part, and no components."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X):
        U, sigma, Vt = np.linalg.svd(X, full_matrices=False)
        r = self.n_components
        self.low_rank_ = (U[:, :r] * sigma[:r]) @ Vt[:r]


class Stream:
    """Components are the first rows of the last block; remembers the blocks."""

    def __init__(self, n_components=2, random_state=None):
        self.n_components, self.blocks = n_components, []

    def partial_fit(self, X):
        self.blocks.append(X)
        self.components_ = X[np.arange(self.n_components) % len(X)]


class Unset(Base):
    """Attributes that others set."""

    def __init__(self, n_components=2):
        self.n_components, self.random_state = n_components, 0
        self.labels_ = self.anchor_indices_ = self.trace_ = None


def not_a_class():
    pass


class NoEstimator:
    pass


class NoRank:
    def __init__(self, rank=2):
        pass

    def fit(self, X):
        pass


class Demanding:
    def __init__(self, graph, n_components=2):
        pass

    def fit(self, X):
        pass
'''

BAD = """
import contextlib, os, stat, sys, time
import numpy as np


class Base:
    def __init__(self, n_components=2, random_state=None):
        self.n_components = n_components

    def fit(self, X):
        self.components_ = X[: self.n_components].copy()
        self.act(X)


class Good(Base):
    def act(self, X):
        pass


class Raises(Base):
    def act(self, X):
        raise ValueError("on purpose")


class Ends(Base):
    def act(self, X):
        os._exit(7)


class Scribbles(Base):
    def act(self, X):
        for fd in range(3, 64):
            with contextlib.suppress(OSError):
                if stat.S_ISFIFO(os.fstat(fd).st_mode):
                    os.write(fd, bytes([0, 0, 0, 2]) + b"{}")


class Hangs(Base):
    def act(self, X):
        if len(X) > 6:
            time.sleep(1000)


class Hungers(Base):
    def act(self, X):
        np.ones(2**33)


class GivesNaN(Base):
    def act(self, X):
        self.components_[1, 2] = np.nan


class GivesNegative(Base):
    def act(self, X):
        self.components_[0, 1] = -0.5


class TurnedLowRank(Base):
    def fit(self, X):
        self.low_rank_ = X.T


class Turned(Base):
    def act(self, X):
        self.components_ = self.components_.T


class Nothing(Base):
    def act(self, X):
        del self.components_


class Counts(Base):
    def act(self, X):
        self.n_iter_ = -5


class RunsBackwards(Base):
    def act(self, X):
        names = ("iteration", "seconds", "cpu_seconds", "objective")
        kinds = [(name, int if name == "iteration" else float) for name in names]
        self.trace_ = np.array([(0, 0.0, 0.0, 1.0), (1, -3.0, 0.0, 1.0)], dtype=kinds)


class Chatters(Base):
    def act(self, X):
        for stream in (sys.stdout, sys.stderr):
            print("chatter", file=stream)
        os.write(1, b"chatter")


class Overwrites(Base):
    def act(self, X):
        X[:] = 7


class Pollutes(Base):
    def act(self, X):
        np.random.seed(1)
        np.seterr(all="raise")
        os.environ["OMP_NUM_THREADS"] = "2"
        os.chdir("/")


class Breaks(Base):
    def act(self, X):
        np.linalg.norm = np.argmax = None


class Flatters(Base):
    def act(self, X):
        import nmfbench.tasks.clustering, nmfbench.tasks.recognition
        nmfbench.tasks.recognition.accuracy = lambda *a: 0.875
        nmfbench.tasks.clustering.clustering_accuracy = lambda *a: 0.875


class FlattersFixed(Flatters):
    fixes_scale = True


class GoodFixed(Good):
    fixes_scale = True


class TurnsBack(Base):
    def act(self, X):
        import time
        time.perf_counter = lambda: 0.0
"""
OPTIONS = {"n_components": 3, "train_per_class": 5, "test_per_class": 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a file of good classes and a file of bad ones."""
    made = tmp_path_factory.mktemp("guests")
    (made / "good.py").write_text(GOOD)
    (made / "bad.py").write_text(BAD)
    return made


def fitted(place, X, **params):
    return make_solver(f"{place}", **params).fit(X)


def on_digits(solver, task="factorization", **params):
    return Trial(task, "digits", str(solver), params, options=OPTIONS)


def data(seed=0, shape=(20, 8)):
    return np.random.default_rng(seed).random(shape)


# -- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "solver", "params", "label"),
    [
        ("spa", "spa", {}, "spa"),
        (" mu(max_iter=3, init='random') ", "mu", {"max_iter": 3, "init": "random"}, None),
        ("sklearn.decomposition:NMF", "sklearn.decomposition:NMF", {}, "NMF"),
        ("a.b:C.D(x=-1.5e3)", "a.b:C.D", {"x": -1500.0}, "C.D(x=-1500.0)"),
        ("m:C(a='x:y(z)', b=(1, [None]))", "m:C", {"a": "x:y(z)", "b": (1, [None])}, None),
        ("m:C(a={'b': True})", "m:C", {"a": {"b": True}}, "C(a={'b': True})"),
        ("m:C()", "m:C", {}, "C"),
    ],
)
def test_a_solver_is_read(text, solver, params, label):
    """Key or place, and keywords with literals."""
    spec = parse_solver(text)
    assert (spec.solver, spec.params) == (solver, params)
    assert label is None or spec.label == label
    assert parse_solver(str(spec)) == spec


def test_a_file_is_named_by_its_absolute_path(folder, monkeypatch):
    """A path relative to the working directory is understood, and kept whole."""
    monkeypatch.chdir(folder)
    spec = parse_solver("good.py:Base(random_state=3)")
    assert spec.solver == f"{folder}/good.py:Base"
    assert str(spec) == f"{folder}/good.py:Base(random_state=3)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mu(max_itr=3)", "mu has no parameter max_itr; did you mean max_iter"),
        ("mu(3)", "need names"),
        ("mu(**{'a': 1})", r"\*\* is not read"),
        ("mu(tol=1, tol=2)", "cannot be read|given twice"),
        ("mu(tol=", "names no solver"),
        ("mu(tol=1)(2)", "cannot be read"),
        ("mu(init=random)", "string needs quotes: 'random'"),
        ("mu(tol=__import__('os').getpid())", "no literal.*not evaluated"),
        ("mu(tol=1e999)", "finite number"),
        ("mu(tol={1, 2})", "finite number"),
        ("mu(tol={1: 2})", "finite number"),
        ("", "names no solver"),
        ("sklearn.decomposition.NMF", "written sklearn.decomposition:NMF"),
        ("sklearn.decomposition", "written sklearn.decomposition:Class"),
        ("good.py", "good.py:Base or good.py:Anchors"),
        ("nothing.py", "the file nothing.py does not exist"),
        ("goood.py:Base", "goood.py does not exist; did you mean good.py"),
        ("folder.py:Base", "is a folder"),
        ("broken.py:Base", "broken.py is no Python file, line 2: "),
        ("binary.py:Base", "binary.py is no Python file"),
        ("some/where:Base", "ends in .py, or a dotted module"),
    ],
)
def test_what_cannot_be_read_ends_in_one_line(folder, monkeypatch, text, message):
    """The message names what is wrong and, where there is one, the nearest name."""
    monkeypatch.chdir(folder)
    (folder / "broken.py").write_text("x = 1\nclass Base(:\n")
    (folder / "binary.py").write_bytes(b"\xff\xfe\x00class")
    (folder / "folder.py").mkdir(exist_ok=True)
    with pytest.raises(GuestError, match=message) as caught:
        parse_solver(text)
    assert "\n" not in str(caught.value)


def test_an_unknown_key_has_its_near_misses():
    """A word without a colon is a key."""
    with pytest.raises(UnknownNameError, match="did you mean 'spa'"):
        parse_solver("spaa")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("good.py:Anchor", r"good.py has no class Anchor; did you mean Anchors\?"),
        ("good.py:not_a_class", "is no class but of type function"),
        ("good.py:NoEstimator", "neither fit.X. nor fit_transform.X. nor partial_fit.X."),
        ("good.py:NoRank", "no parameter n_components: rename rank"),
        ("good.py:Demanding", "cannot be made without graph"),
        ("raising.py:Base", r"importing raising.py fails \(line 2\): ZeroDivisionError"),
        ("exiting.py:Base", "importing exiting.py fails.*SystemExit: 3"),
        ("json:JSONDecoder", "neither fit.X. nor fit_transform"),
        ("no_such_package.module:Class", "importing no_such_package.module fails: ModuleNotFound"),
    ],
)
def test_what_is_no_solver_ends_in_one_line(folder, monkeypatch, name, message):
    """A class that cannot be imported or made is refused before anything is computed."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    (folder / "raising.py").write_text("x = 0\ny = 1 / x\n")
    (folder / "exiting.py").write_text("import sys\nsys.exit(3)\n")
    spec = parse_solver(name)
    found = describe_here(spec.solver, {})
    assert found["parameters"] == []
    with pytest.raises(GuestError, match=message):
        raise GuestError(found["error"])
    assert "\n" not in found["error"]


def test_unknown_parameters_are_named_with_the_nearest(folder):
    """Parameters are compared with the parameters of the constructor."""
    found = describe_here(f"{folder}/good.py:Wrapped", {"maxiter": 3})
    assert found["error"] == "good.py:Wrapped has no parameter maxiter; did you mean max_iter?"
    found = describe_here(f"{folder}/good.py:Wrapped", {"max_iter": 3})
    assert found == {"error": None, "parameters": ["n_components", "tol", "max_iter"]}


# -- keys -------------------------------------------------------------------------------------


def key_of(path):
    return Trial("factorization", "digits", f"{path}:Solver", options=OPTIONS).key


def write(path, text):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(textwrap.dedent(text))
    return path


SOLVER = """
    import helper
    class Solver:
        def fit(self, X):
            self.components_ = helper.rows(X)
    """


def test_the_key_follows_the_code_and_not_the_folder(tmp_path):
    """Other code in the file or a neighbour is another trial; comments and folder are not."""
    solver = write(tmp_path / "one" / "mine.py", SOLVER)
    helper = write(tmp_path / "one" / "helper.py", "def rows(X): return X[:2]\n")
    first = key_of(solver)
    other = write(tmp_path / "two" / "mine.py", "'''Words.'''\n" + textwrap.dedent(SOLVER))
    write(tmp_path / "two" / "helper.py", "def rows(X):\n    # first\n    return X[:2]\n")
    write(tmp_path / "two" / "unrelated.py", "x = 1\n")
    write(tmp_path / "two" / "third.py", "def rows(X): return X[:2]\n")
    helper.write_text("def rows(X): return X[:3]\n")
    edited_neighbour = key_of(solver)
    helper.write_text("def rows(X): return X[:2]\n")
    assert key_of(solver) == first
    solver.write_text(solver.read_text().replace("rows(X)", "rows(X) + 0"))
    assert len({first, edited_neighbour, key_of(solver)}) == 3
    assert key_of(other) != first  # the helper is written otherwise
    write(tmp_path / "two" / "helper.py", "# Words.\ndef rows(X): return X[:2]  # first\n")
    assert key_of(other) == first


MANY = """
    import functools
    SCALE = 2
    def used(X): return SCALE * X
    def unused(X): return X
    class Base:
        def fit(self, X): self.components_ = used(X)[:2]
    class Solver(Base): pass
    class Other(Base):
        def fit(self, X): self.components_ = unused(X)[:2]
    class Named:
        def fit(self, X): self.components_ = X[:2]
    """


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ("unused(X): return X", "unused(X): return -X", False),
        ("unused(X)[:2]", "unused(X)[:3]", False),
        ("class Named:", "class Named(Base):", False),
        ("class Named:", "@functools.total_ordering\nclass Named:", True),
        ("SCALE * X", "SCALE + X", True),
        ("SCALE = 2", "SCALE = 3", True),
        ("used(X)[:2]", "used(X)[:1]", True),
        ("Solver(Base): pass", "Solver(Base): other = 1", True),
        ("SCALE = 2", "SCALE = 'of Named'", True),
    ],
)
def test_of_a_file_of_many_classes_the_used_part_counts(tmp_path, before, after, counts):
    """An edit of another class, or of a function that is not used, is no other trial."""
    solver = write(tmp_path / "many.py", MANY)
    first = key_of(solver)
    text = solver.read_text()
    assert before in text
    solver.write_text(text.replace(before, after, 1))
    assert (key_of(solver) != first) is counts


def test_code_that_looks_names_up_counts_as_a_whole(tmp_path):
    """Where a class may find another one by its name as text, the whole file counts."""
    text = textwrap.dedent(MANY).replace("Solver(Base): pass", "Solver(Base): x = globals()")
    solver = write(tmp_path / "many.py", text)
    first = key_of(solver)
    solver.write_text(text.replace("unused(X): return X", "unused(X): return -X"))
    assert key_of(solver) != first


def test_what_a_file_imports_from_here_counts_by_our_release(folder, monkeypatch):
    """The release of nmfbench counts in the key of a class that inherits from a built-in solver,
    and the built-in solver's source in the code of its records."""
    solver = f"{folder}/good.py:Inherits"
    origins = registry.solvers[solver].target.origins()
    assert ("nmfbench.solvers.frobenius.mu", version.__version__) in origins
    assert ("nmfbench.guests.adapter", f"adapter {adapter.VERSION}") in origins
    before = on_digits(solver)
    first = before.key, before.code
    monkeypatch.setattr(version, "__version__", "99.0")
    after = on_digits(solver)
    assert after.key != first[0]
    assert after.code != first[1]


def test_the_key_follows_the_version_of_the_adapter(folder, monkeypatch):
    """The adapter of an external class counts by its declared version."""
    before = on_digits(f"{folder}/good.py:Wrapped").key
    assert on_digits(f"{folder}/good.py:Wrapped").key == before
    monkeypatch.setattr(adapter, "VERSION", adapter.VERSION + 1)
    assert on_digits(f"{folder}/good.py:Wrapped").key != before


def test_the_key_follows_the_version_of_an_installed_package(monkeypatch):
    """Of an installed package the version counts, so that nothing of it is imported or read."""
    target = registry.solvers["sklearn.decomposition:NMF"].target
    first = code_version([target])
    monkeypatch.setattr("importlib.metadata.version", lambda name: "0")
    assert code_version([target]) == first
    monkeypatch.setattr("nmfbench.guests.version._release", lambda top: f"{top}==0")
    assert code_version([target]) != first


def test_an_edited_file_is_loaded_again(tmp_path):
    """The next look at an edited file has its new class, in the same process."""
    for answer in (1, 2):
        path = write(
            tmp_path / "mine.py",
            f"""
            class Solver:
                answer = {answer}
                def __init__(self, n_components=1): pass
                def fit(self, X): pass
            """,
        )
        assert make_solver(f"{path}:Solver").kind.answer == answer


# -- the adapter ------------------------------------------------------------------------------


def test_a_guest_gives_what_the_registered_class_gives(folder):
    """Trials of one algorithm under a key and from a file have the same results, to the bit."""
    for guest, key in (("Inherits", "mu"), ("Wrapped", "sklearn-cd")):
        ours = perform(on_digits(key))
        theirs = perform(on_digits(f"{folder}/good.py:{guest}"))
        assert theirs.metrics == ours.metrics
        for name in ("W", "components"):
            np.testing.assert_array_equal(theirs.arrays[name], ours.arrays[name])


def test_scikit_learn_starts_from_the_factors_of_its_rivals():
    """NMF by its module path gets the start of sklearn-cd, unless its parameters name another."""
    ours = perform(on_digits("sklearn-cd"))
    theirs = perform(on_digits("sklearn.decomposition:NMF"))
    np.testing.assert_array_equal(theirs.arrays["components"], ours.arrays["components"])
    assert theirs.fit["objective"] == ours.fit["objective"]
    assert theirs.arrays["trace"]["iteration"].tolist() == [0, theirs.fit["n_iter"]]
    own = perform(on_digits("sklearn.decomposition:NMF", init="nndsvda"))
    assert own.fit["objective"] != ours.fit["objective"]
    assert own.arrays["trace"]["iteration"].tolist() == [own.fit["n_iter"]]


def test_the_loss_of_scikit_learn_is_the_one_it_minimises():
    """beta_loss says which loss the objective and the supplied projection are of."""
    model = make_solver("sklearn.decomposition:NMF", solver="mu", beta_loss="kullback-leibler")
    assert model.loss == "kl"
    assert make_solver("sklearn.decomposition:NMF").loss == "frobenius"


def test_convergence_needs_a_start_and_a_number_of_iterations(folder):
    """A guest's curve comes from fits of 1/2, 1/4, ... of the iterations from the same start."""
    options = {"n_components": 3, "max_iter": 5, "per_class": 4, "shorter_fits": True}
    trial = Trial("convergence", "digits", f"{folder}/good.py:Wrapped", options=options)
    trace = perform(trial).arrays["trace"]
    assert trace["iteration"].tolist() == [0, 1, 2, 5]
    assert np.all(np.diff(trace["objective"]) < 0)
    assert np.all(np.diff(trace["seconds"]) >= 0)
    assert trace["seconds"][1] > trace["seconds"][0] == 0
    short = Trial("convergence", "digits", trial.solver, options=options | {"max_iter": 2})
    np.testing.assert_array_equal(
        perform(short).arrays["trace"]["objective"], trace["objective"][:3]
    )
    with pytest.raises(GuestFault, match="has no parameter max_iter"):
        perform(Trial("convergence", "digits", f"{folder}/good.py:Base", options=options))
    with pytest.raises(GuestFault, match="cannot start from given factors"):
        make_solver(f"{folder}/good.py:Base").fit(data(), W=np.ones((20, 2)), H=np.ones((2, 8)))


@pytest.mark.parametrize("fixed", ["", "Fixed"])
@pytest.mark.parametrize("held", [True, False], ids=["stored factors", "factors of one call"])
def test_metrics_of_factors_are_not_computed_where_a_guest_ran(folder, tmp_path, fixed, held):
    """It may change functions of the suite in its own process, where none of these is called."""

    def of(name, task):
        trial = on_digits(f"{folder}/bad.py:{name}{fixed}", task)
        more = {"rule": "kmeans"} if task == "clustering" else {}
        return replace(trial, options=trial.options | more)

    trials = [of("Flatters", task) for task in ("clustering", "recognition")]
    if held:
        with Store(tmp_path) as store:
            run(trials, store)
            records = [store.records([trial.key])[0] for trial in trials]
    else:
        with closing(Worker()) as worker:
            records = [compute(trial, worker, 100)[0] for trial in trials]
    for record in records:
        wanted = perform(of("Good", record["task"])).metrics
        assert record["metrics"] == pytest.approx(wanted, rel=1e-9)


def test_a_transform_is_supplied(folder):
    """Without one of its own, the codes are the exact projection on the components."""
    X = data()
    model = fitted(f"{folder}/good.py:Base", X, n_components=3, random_state=0)
    expected = make_solver("spa", n_components=3).fit(X)
    expected.components_ = model.components_
    np.testing.assert_allclose(model.transform(X), expected.transform(X), atol=1e-10)
    np.testing.assert_allclose(
        model.objective_, np.sum((X - model.transform(X) @ model.components_) ** 2)
    )


@pytest.mark.parametrize("name", ["Centred", "CentredSigned"])
def test_a_mean_is_taken_off_first(folder, name):
    """Codes without a sign are of non-negative least squares, others of least squares."""
    X = data()
    model = fitted(f"{folder}/good.py:{name}", X, n_components=3, random_state=0)
    mean, H = X.mean(axis=0), model.components_
    solve = np.linalg.lstsq if model.signed else nnls
    W = np.array([solve(H.T, row)[0] for row in X - mean])
    np.testing.assert_allclose(model.transform(X), W, atol=1e-10)
    np.testing.assert_allclose(model.inverse_transform(W), W @ H + mean)
    np.testing.assert_allclose(model.objective_, np.sum((X - mean - W @ H) ** 2))


def test_a_class_with_partial_fit_alone_is_fitted_by_two_passes(folder):
    """All samples come twice, in one random order that the seed decides, in blocks of r."""
    X = np.random.default_rng(0).random((7, 4))
    fits = [make_solver(f"{folder}/good.py:Stream", n_components=3) for _ in range(3)]
    orders = []
    for model, seed in zip(fits, (0, 0, 1), strict=True):
        W = model.set_params(random_state=seed).fit_transform(X)
        assert W.shape == (7, 3)
        assert [len(block) for block in model.model_.blocks] == [3, 3, 1] * 2
        rows = np.concatenate(model.model_.blocks)
        np.testing.assert_array_equal(rows[:7], rows[7:])
        orders.append([int(np.flatnonzero((row == X).all(axis=1))[0]) for row in rows[:7]])
    assert sorted(orders[0]) == list(range(7))
    assert orders[0] == orders[1] != orders[2]


def test_anchors_open_recovery(folder):
    """A class with anchor_indices_ can do what separable solvers do, on sparse data too."""
    trial = Trial("recovery", "near-separable", f"{folder}/good.py:Anchors", {}, SMALL)
    assert 0 <= perform(trial).metrics["anchor-recovery"] <= 1
    model = make_solver(f"{folder}/good.py:Anchors", n_components=3)
    dense, sparse = (model.fit(X).components_ for X in (data(), sp.csr_matrix(data())))
    np.testing.assert_array_equal(dense, sparse)


def test_compiling_leaves_the_random_numbers_alone(folder):
    """The fit off the clock changes neither the result nor depends on what ran before."""
    place = f"{folder}/good.py:Compiled"
    first, second = (perform(on_digits(place)) for _ in range(2))
    drawn = first.arrays["components"]
    assert drawn.shape == second.arrays["components"].shape
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    model = make_solver(place)
    model._warm_up(np.ones((4, 4), dtype=np.float32))
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert model.kind.met == 4


def test_abilities_are_found_by_a_tiny_fit(folder):
    """The attributes that a fit leaves say which tasks can be done."""
    able = try_here(f"{folder}/good.py:Anchors", {})["abilities"]
    assert able["anchors"]
    assert not able["start"]
    assert try_here(f"{folder}/good.py:Wrapped", {})["abilities"]["start"]
    assert try_here("sklearn.decomposition:MiniBatchNMF", {})["abilities"] == {
        "anchors": False,
        "labels": False,
        "start": True,
        "represents": False,
        "partial_fit": True,
        # scikit-learn says so since 1.7
        "sparse": get_tags(MiniBatchNMF()).input_tags.sparse,
        "trace": False,
        "signed": False,
        "symmetric": False,
        "square": False,
    }


def test_scikit_learns_own_classes_need_not_say_signed(folder):
    """Whether factors may be negative is known of its decompositions, and asked of all others."""
    assert make_solver("sklearn.decomposition:PCA").signed
    assert not make_solver("sklearn.decomposition:MiniBatchNMF").signed
    learner = "sklearn.decomposition:MiniBatchDictionaryLearning"
    assert make_solver(learner, positive_dict=True).signed
    assert not make_solver(learner, positive_dict=True, positive_code=True).signed
    assert not make_solver(f"{folder}/good.py:Inherits").signed
    model = fitted("sklearn.decomposition:PCA", data(), n_components=2)
    assert model.components_.min() < 0
    with pytest.raises(GuestFault, match="negative entries"):
        fitted(f"{folder}/bad.py:GivesNegative", data())


def test_a_low_rank_part_has_components(folder):
    """Without components its leading right singular vectors are these, whatever their signs."""
    X = data()
    model = fitted(f"{folder}/good.py:LowRank", X, n_components=2)
    assert model.components_.shape == (2, 8)
    np.testing.assert_allclose(model.transform(X) @ model.components_, model.low_rank_)
    assert model.signed
    with pytest.raises(GuestFault, match=r"low_rank_ has shape \(8, 20\)"):
        fitted(f"{folder}/bad.py:TurnedLowRank", X)


def test_what_is_none_is_not_there(folder):
    """labels_ = None, as a constructor may set it, opens no task and gives no labels."""
    found = try_here(f"{folder}/good.py:Unset", {})["abilities"]
    assert not found["labels"]
    assert not found["anchors"]
    outcome = perform(on_digits(f"{folder}/good.py:Unset"))
    assert "labels" not in outcome.arrays


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ([TimeoutError()], "importing sklearn.decomposition:NMF takes longer than 5 s"),
        ([WorkerDied("it ended with exit code 3")], "ends the process: it ended with exit code 3"),
        ([{"error": None, "parameters": []}, TimeoutError()], "a small fit fails: it takes longer"),
        ([{"error": None, "parameters": []}, RuntimeError("ValueError: no")], "ValueError: no"),
        ([{"error": None, "parameters": []}, RuntimeError("a.b.Mine: no")], "fails: Mine: no$"),
        (
            [{"error": None, "parameters": []}, RuntimeError("a.GuestFault: W; do.")],
            "fails: W; do$",
        ),
        ([{"error": None, "parameters": []}, RuntimeError("E: \x1b \udcff")], r"E: .x1b .udcff$"),
        ([RuntimeError("a.b.Odd: no")], "NMF cannot be looked at: Odd: no$"),
    ],
)
def test_a_class_that_hangs_or_ends_the_process_is_named(ends, message):
    """At the import it is refused; at the first fit it is known to be of no use for any task."""

    class Child:
        def call(self, *_):
            end = ends.pop(0)
            if isinstance(end, Exception):
                raise end
            return end

    spec = parse_solver("sklearn.decomposition:NMF")
    with pytest.raises(GuestError, match=message):
        raise GuestError(examine(spec, time_limit=5, worker=Child()).cannot("clustering"))


def test_children_that_do_not_start_are_nobodys_fault():
    """A fault of the machine is not reported as a fault of the class."""

    class Child:
        def call(self, *_):
            raise WorkerError("no python")

    with pytest.raises(WorkerError, match="no python"):
        examine(parse_solver("sklearn.decomposition:NMF"), worker=Child())


@pytest.mark.parametrize(
    ("factor", "message"),
    [
        (np.ones((3, 2)), "expected .2, 3.*transpose it"),
        (np.ones((2, 4)), "has shape .2, 4."),
        (np.ones(6), "has shape .6,."),
        ([[1, 2, 3], [4, 5]], "no array of numbers but of type list"),
        ([["a", "b", "c"]] * 2, "no array of numbers"),
        (np.full((2, 3), np.inf), "6 entries that are NaN or infinite, the first at row 0"),
        (np.eye(2, 3) - 0.1, "4 negative entries, the smallest -0.1 at row 0, column 1"),
        (None, "has shape|no array"),
        (np.ones((2, 3)) * 1j, "its numbers are complex"),
    ],
)
def test_bad_factors_are_named_with_their_place(factor, message):
    """The message says where the factor is wrong, and how to fix it."""
    with pytest.raises(GuestFault, match=message):
        checked_factor("components_", factor, (2, 3))


@pytest.mark.parametrize(
    "count", [-5, 2.5, float("nan"), float("inf"), "five", [], [3, -1], True, 1j]
)
def test_a_count_of_iterations_is_one(count):
    """A negative, fractional or infinite count is an error that names the fix."""
    with pytest.raises(GuestFault, match=r"n_iter_ is .*give a number of iterations"):
        checked_count("n_iter_", count)


@pytest.mark.parametrize(
    ("count", "known"), [(None, None), (0, 0), (7.0, 7), ([3, 5], 5), (np.int64(2), 2)]
)
def test_counts_of_several_fits_are_the_largest(count, known):
    """Whole numbers of any type will do; none is none."""
    assert checked_count("n_iter_", count) == known


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [("Counts", GuestFault, "n_iter_ is -5"), ("RunsBackwards", ValueError, "seconds = -3.0")],
)
def test_what_a_fit_tells_of_itself_is_possible(folder, name, error, message):
    """Negative iterations or seconds are a failure and no record."""
    with pytest.raises(error, match=message):
        perform(on_digits(f"{folder}/bad.py:{name}"))


def test_rounding_errors_are_no_fault():
    """A negative entry of the size of a rounding error is zero; other forms of arrays will do."""
    H = np.ones((2, 3))
    H[1, 1] = -1e-12
    assert checked_factor("H", H, (2, 3))[1, 1] == 0
    assert H[1, 1] == -1e-12
    assert checked_factor("H", sp.csr_matrix(np.eye(2, 3)), (2, 3)).dtype == np.float64
    assert checked_factor("H", -np.eye(2, 3), (2, 3), signed=True).min() == -1


# -- containment ------------------------------------------------------------------------------

TROUBLES = {
    "Raises": r"ValueError: on purpose",
    "Ends": r"WorkerDied: .* ended with exit code 7",
    "Scribbles": r"WorkerDied: .* something else than its answer came through the pipe",
    "Hangs": r"TimeoutError: the trial exceeded its time limit of 4 s",
    "Hungers": r"MemoryError",
    "GivesNaN": r"components_ has 1 entries that are NaN or infinite, the first at row 1, column 2",
    "GivesNegative": r"components_ has 1 negative entries, the smallest -0.5 at row 0, column 1",
    "Turned": r"components_ has shape .64, 3., expected .3, 64.*transpose it",
    "Nothing": r"Nothing has no components_ after the fit",
}
HARMLESS = ["Good", "Chatters", "Overwrites", "Pollutes", "Breaks", "TurnsBack"]  # in one process


@pytest.fixture(scope="module")
def records(folder, tmp_path_factory):
    """One run with all classes of the bad file, and a registered solver after them."""
    trials = [on_digits(f"{folder}/bad.py:{name}") for name in [*TROUBLES, *HARMLESS]]
    trials.append(on_digits("spa"))
    with Store(tmp_path_factory.mktemp("store")) as store:
        run(trials, store, limits=Limits(seconds=4, memory=8 * 10**9))
        yield {record["solver"].rpartition(":")[2]: record for record in store.records()}


@pytest.mark.parametrize("name", TROUBLES)
def test_a_bad_guest_is_a_failed_record(records, name):
    """Whatever a class does, the run goes on, and the record says what was wrong."""
    record = records[name]
    assert record["status"] == "failed"
    with pytest.raises(AssertionError, match=TROUBLES[name]):
        raise AssertionError(record["error"])


@pytest.mark.parametrize("name", HARMLESS)
def test_bad_manners_do_no_harm(records, name, capfd):
    """Prints, an overwritten X, and global states change nothing in the records."""
    assert records[name]["status"] == "done", records[name]["error"]
    assert records[name]["metrics"] == records["Good"]["metrics"]
    assert records[name]["objective"] == records["Good"]["objective"]


def test_a_solver_after_a_guest_has_a_process_of_its_own(records):
    """Traces that a class left in its process reach no other solver's record."""
    expected = perform(on_digits("spa"))
    assert records["spa"]["status"] == "done"
    assert records["spa"]["metrics"] == json.loads(json.dumps(expected.metrics))
    assert os.getcwd() != "/"
