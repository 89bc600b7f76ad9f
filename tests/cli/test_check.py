"""The common checks on one solver: each finds its fault, and says it in words."""

import json
import os

import numpy as np
import pytest

from nmfbench import cli
from nmfbench.checks import CHECKS, check_solver, easy_data, hygiene, perform_check
from nmfbench.guests import parse_solver

GOOD = '''
import numpy as np
from scipy.optimize import nnls

LEFT = []


class Good:
    """Multiplicative updates; W and H can be given."""

    def __init__(self, n_components=2, max_iter=100, random_state=None):
        self.n_components, self.max_iter = n_components, max_iter
        self.random_state = random_state

    def fit_transform(self, X, W=None, H=None):
        if not np.isfinite(X).all():
            raise ValueError("X has a NaN")
        rng = np.random.default_rng(self.random_state)
        r = self.n_components
        if W is None:
            W, H = rng.random((len(X), r)), rng.random((r, X.shape[1]))
        for _ in range(self.max_iter):
            H = H * (W.T @ X) / (W.T @ W @ H + 1e-9)
            W = W * (X @ H.T) / (W @ (H @ H.T) + 1e-9)
        self.components_ = H
        return W

    def fit(self, X, W=None, H=None):
        self.fit_transform(X, W, H)
        return self


class Traced(Good):
    """The same with a trace, whose objective is a multiple of the loss."""

    monotone = True
    factor = 1.0

    def fit_transform(self, X, W=None, H=None):
        rng, r = np.random.default_rng(self.random_state), self.n_components
        if W is None:
            W, H = rng.random((len(X), r)), rng.random((r, X.shape[1]))
        rows, parent = [], Good(r, 1)
        for i in range(30):
            rows.append((i, i * 0.1, i * 0.1, self.factor * np.sum((X - W @ H) ** 2)))
            W = parent.fit_transform(X, W, H)
            H = parent.components_
        rows.append((30, 3.0, 3.0, self.factor * np.sum((X - W @ H) ** 2)))
        names = ("iteration", "seconds", "cpu_seconds", "objective")
        self.trace_ = np.array(rows, dtype=[(n, int if n == "iteration" else float) for n in names])
        self.components_ = H
        return W


class Greedy(Good):
    """Successive projections: the row farthest from the span of those before."""

    nested = True

    def fit_transform(self, X):
        if not np.isfinite(X).all() or not X.any():
            raise ValueError("X has a NaN, or nothing")
        rest, self.anchor_indices_ = X.astype(float), []
        for _ in range(self.n_components):
            self.anchor_indices_.append(int(np.argmax((rest**2).sum(axis=1))))
            u = rest[self.anchor_indices_[-1]]
            rest = rest - np.outer(rest @ u, u) / (u @ u or 1)
        self.components_ = X[self.anchor_indices_]
        return np.array([nnls(self.components_.T, row)[0] for row in X])

    def fit(self, X):
        self.fit_transform(X)
        return self
'''

# Faults of a class: the check that finds each, its message, and the code.
FAULTS = {
    "Raises": (
        "fits",
        r"the fit raises ValueError: on purpose \(mine.py, line \d+\)",
        "def fit_transform(self, X): raise ValueError('on purpose')",
    ),
    "Silent": (
        "components",
        "there is no components_ after the fit",
        "def fit_transform(self, X): return X[:, :2]",
    ),
    "OtherRank": (
        "components",
        r"components_ has shape .3, 10., expected .2, 10.",
        "def fit_transform(self, X): self.n_components = 3; return super().fit_transform(X)",
    ),
    "Negative": (
        "components",
        r"negative entries, the smallest -",
        "def fit_transform(self, X):\n"
        "        W = super().fit_transform(X); self.components_ = -self.components_; return -W",
    ),
    "Turned": (
        "representation",
        r"fit_transform.X. has shape .3, 24., expected .24, 3.",
        "def fit_transform(self, X): return super().fit_transform(X).T",
    ),
    "BadCodes": (
        "transform",
        r"transform.X\[:5\]. has shape .4, 3., expected .5, 3.",
        "def transform(self, X): return np.ones((len(X) - 1, 3))",
    ),
    "Unscaled": (
        "explains",
        r"misses X by .* mean of the samples",
        "def fit_transform(self, X):\n"
        "        W = super().fit_transform(X); self.components_ *= 100; return W",
    ),
    "Overwrites": (
        "input-unchanged",
        r"changes 240 entries of X, the first at row 0, column 0",
        "def fit_transform(self, X): X /= 2; return super().fit_transform(X)",
    ),
    "Unseeded": (
        "same-seed",
        r"two fits with the same seed differ by up to",
        "def fit_transform(self, X):\n"
        "        self.random_state = np.random.default_rng(); return super().fit_transform(X)",
    ),
    "NeedsTwo": (
        "rank-one",
        r"fit raises IndexError",
        "def fit_transform(self, X):\n"
        "        W = super().fit_transform(X); self.components_[1] += 0; return W",
    ),
    "Divides": (
        "zeros",
        r"components_ has 3 entries that are NaN or infinite, the first at row 0, column 2",
        "def fit_transform(self, X):\n"
        "        W = super().fit_transform(X)\n"
        "        self.components_ = self.components_ * X.sum(0) / X.sum(0); return W",
    ),
    "DoubleOnly": (
        "float32",
        r"fit raises TypeError: float64, please",
        "def fit_transform(self, X):\n"
        "        if X.dtype != np.float64: raise TypeError('float64, please')\n"
        "        return super().fit_transform(X)",
    ),
    "FromNothing": (
        "all-zero",
        r"a zero matrix is fitted by something else",
        "def fit_transform(self, X): return super().fit_transform(X + 1)",
    ),
    "IgnoresStart": (
        "start",
        r"from the same W and H two fits with other seeds differ by up to",
        "def fit_transform(self, X, W=None, H=None):\n"
        "        self.max_iter = 3; return super().fit_transform(X)",
    ),
    "OtherRows": (
        "anchors",
        r"components_ differs from X\[anchor_indices_\] by up to",
        "def fit_transform(self, X):\n"
        "        self.anchor_indices_ = np.arange(self.n_components)\n"
        "        return super().fit_transform(X)",
    ),
    "Sparse": (
        "sparse",
        r"the components of a CSR and of the dense matrix differ",
        "accepts_sparse = True\n"
        "    def fit_transform(self, X):\n"
        "        dense = X if isinstance(X, np.ndarray) else X.toarray() ** 2\n"
        "        return super().fit_transform(dense)",
    ),
    "OneBatch": (
        "batches",
        r"partial_fit raises RuntimeError: once",
        "def partial_fit(self, X):\n"
        "        if hasattr(self, 'components_'): raise RuntimeError('once')\n"
        "        self.fit(X)",
    ),
    "Small": (
        "larger",
        r"the fit raises MemoryError: too large",
        "def fit_transform(self, X):\n"
        "        if len(X) > 100: raise MemoryError('too large')\n"
        "        return super().fit_transform(X)",
    ),
    "Rises": (
        "monotone",
        r"the objective rises by .* after iteration 0",
        "monotone = True\n"
        "    def fit_transform(self, X):\n"
        "        W = Traced.fit_transform(self, X)\n"
        "        self.trace_['objective'] = self.trace_['objective'][::-1].copy(); return W\n"
        "    factor = 1",
    ),
    "Refits": (
        "nested",
        r"with 1 components it chooses the rows .*, with 5 first",
        "nested = True\n"
        "    def fit_transform(self, X):\n"
        "        W = Greedy.fit_transform(self, X)\n"
        "        self.anchor_indices_ = self.anchor_indices_[::-1]\n"
        "        self.components_ = self.components_[::-1]; return W[:, ::-1]",
    ),
    "Leaves": (
        "fits",
        r"the fit raises SystemExit: 0 .mine.py, line \d+.",
        "def fit_transform(self, X): raise SystemExit(0)",
    ),
    "Shouts": (
        "fits",
        r"the fit raises ValueError: \\x1b\[31m\\x00\\udcff a+\.\.\. .mine.py, line \d+.$",
        "def fit_transform(self, X): raise ValueError('\\x1b[31m\\x00\\udcff ' + 'a' * 10**6)",
    ),
    "Mute": (
        "fits",
        r"the fit raises Unsaid: \(its text cannot be had\)",
        "def fit_transform(self, X):\n"
        "        class Unsaid(Exception):\n"
        "            def __str__(self): raise RuntimeError\n"
        "        raise Unsaid",
    ),
    "Hides": (
        "components",
        r"cannot be looked at: RuntimeError: not today .mine.py, line \d+.",
        "components_ = property(lambda self: 1 / 0, lambda self, H: None)\n"
        "    @components_.getter\n"
        "    def components_(self): raise RuntimeError('not today')",
    ),
    "Imaginary": (
        "components",
        r"components_ is no array of numbers .*its numbers are complex",
        "def fit_transform(self, X):\n"
        "        W = super().fit_transform(X); self.components_ = self.components_ + 1j; return W",
    ),
}
NOTES = {
    "CountsBack": (
        "trace",
        r"the seconds of trace_ go back",
        "factor = 1\n"
        "    def fit_transform(self, X):\n"
        "        W = Traced.fit_transform(self, X); self.trace_['seconds'][3] = 0; return W",
    ),
    "Halves": (
        "objective",
        r"the objective of trace_ ends with .*, where the loss 'frobenius' is",
        "factor = 0.5\n    fit_transform = Traced.fit_transform",
    ),
    "Online": (
        "permutation",
        r"from permuted initial factors permuted samples give factors that differ by",
        "def fit_transform(self, X, W=None, H=None):\n"
        "        weights = np.arange(1, len(X) + 1)[:, None]\n"
        "        return super().fit_transform(X * weights, W, H) / weights",
    ),
    "FirstRows": (
        "permutation",
        r"of permuted samples it chooses the rows .*, before \[0, 1, 2\]",
        "def fit_transform(self, X):\n"
        "        self.anchor_indices_ = np.arange(self.n_components)\n"
        "        self.components_ = X[self.anchor_indices_]; return X[:, : self.n_components]\n"
        "    def fit(self, X): self.fit_transform(X); return self",
    ),
    "Chatters": (
        "quiet",
        r"the fit prints 6 characters, beginning with 'hello'",
        "def fit_transform(self, X): print('hello'); return super().fit_transform(X)",
    ),
    "Warns": (
        "no-warnings",
        r"the fit warns: RuntimeWarning: divide by zero",
        "def fit_transform(self, X): np.ones(1) / np.zeros(1); return super().fit_transform(X)",
    ),
    "Pollutes": (
        "tidy",
        r"changes numpy's global random state and the environment",
        "def fit_transform(self, X):\n"
        "        import os; os.environ['K2'] = repr(np.random.rand())\n"
        "        return super().fit_transform(X)",
    ),
    "Repeats": (
        "tidy",
        r"numpy's global random state and Python's global random state and numpy's error handling "
        r".np.seterr. and the working directory and the environment$",
        "def fit_transform(self, X):\n"
        "        import os, random\n"
        "        np.random.seed(1); random.seed(1); np.seterr(invalid='ignore')\n"
        "        os.chdir('/'); os.environ['K3'] = '1'\n"
        "        return super().fit_transform(X)",
    ),
    "Patches": (
        "tidy",
        r"the fit changes numpy.linalg.cond$",
        "def fit_transform(self, X):\n"
        "        np.linalg.cond = len; return super().fit_transform(X)",
    ),
    "Forks": (
        "leaves-nothing",
        r"each fit leaves behind .*a process$",
        "def fit_transform(self, X):\n"
        "        import os; os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '5')\n"
        "        return super().fit_transform(X)",
    ),
    "Hoards": (
        "leaves-nothing",
        r"each fit leaves behind \d+\.\d kB of memory and a thread and an open file",
        "def fit_transform(self, X):\n"
        "        import os, threading\n"
        "        wait = threading.Event().wait\n"
        "        thread = threading.Thread(target=wait, daemon=True)\n"
        "        thread.start()\n"
        "        LEFT.append((X, os.open(__file__, os.O_RDONLY)))\n"
        "        return super().fit_transform(X)",
    ),
    "TakesNaN": (
        "refuses-nan",
        r"a fit of data with a NaN raises nothing",
        "def fit_transform(self, X): return super().fit_transform(np.nan_to_num(X))",
    ),
}
ALL = FAULTS | NOTES


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A file with a good class and one for each fault."""
    path = tmp_path_factory.mktemp("checks") / "mine.py"
    classes = [f"class {name}(Good):\n    {body}\n" for name, (_, _, body) in ALL.items()]
    ends = "class Ends(Good):\n    def fit_transform(self, X): import os; os._exit(3)\n"
    path.write_text("\n\n".join([GOOD, *classes, ends]))
    return path


@pytest.mark.parametrize("name", ALL)
def test_each_fault_is_found_by_its_check(place, name, monkeypatch):
    """The check says what is wrong and how to fix it, and the input it shows reproduces it."""
    monkeypatch.delenv("K2", raising=False)
    monkeypatch.setattr(np.linalg, "cond", np.linalg.cond)  # which one of them replaces
    check, message, _ = ALL[name]
    with np.errstate():
        for _ in range(2 if check == "tidy" else 1):  # a second change to the same is one, too
            found = perform_check(f"{place}:{name}", {}, check)
    assert found["status"] == ("failed" if name in FAULTS else "note")
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(found["problem"])
    assert found["fix"]
    assert name in found["input"]


@pytest.mark.parametrize("name", ["Good", "Traced", "Greedy"])
@pytest.mark.parametrize("check", CHECKS)
def test_a_good_class_passes(place, check, name):
    """A class that meets the requirements passes all checks."""
    found = perform_check(f"{place}:{name}", {}, check)
    assert found["status"] in ("passed", "skipped"), found


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("Traced", "trace"),
        ("Traced", "objective"),
        ("Traced", "monotone"),
        ("Traced", "permutation"),
        ("Greedy", "nested"),
        ("Greedy", "anchors"),
        ("Greedy", "permutation"),
    ],
)
def test_what_a_class_offers_is_checked(place, name, check):
    """A check that concerns a class is not skipped."""
    assert perform_check(f"{place}:{name}", {}, check)["status"] == "passed"


@pytest.mark.parametrize("check", CHECKS)
def test_a_known_class_from_outside_passes(check):
    """scikit-learn's NMF passes all checks."""
    found = perform_check("sklearn.decomposition:NMF", {}, check)
    assert found["status"] in ("passed", "skipped"), found


def test_states_are_put_back(place):
    """Looking for changed global states changes none."""
    before = os.getcwd(), dict(os.environ), np.geterr()
    perform_check(f"{place}:Repeats", {}, "tidy")
    assert (os.getcwd(), dict(os.environ), np.geterr()) == before


def test_zeros_may_be_refused_where_the_loss_is_undefined():
    """Itakura-Saito is of positive data: an exception for zeros is no fault."""
    params = {"solver": "mu", "beta_loss": "itakura-saito"}
    found = perform_check("sklearn.decomposition:NMF", params, "zeros")
    assert found["status"] == "skipped"
    assert "not defined" in found["problem"]


@pytest.mark.parametrize(("check", "status"), [("larger", "failed"), ("leaves-nothing", "note")])
def test_a_check_that_takes_too_long(check, status):
    """It fails; one that asks for a note, perhaps by many fits, is not held against a class."""

    class Child:
        def call(self, function, arguments, *_):
            if arguments.get("name") == check:
                raise TimeoutError
            if function.endswith("try_here"):
                return {"abilities": {}}
            if function.endswith("describe_here"):
                return {"error": None, "parameters": []}
            return {"status": "passed"}

    found = check_solver(parse_solver("mu"), time_limit=5, worker=Child())[1]
    (row,) = (row for row in found if row.status != "passed")
    assert (row.name, row.status) == (check, status)
    assert "5 s" in row.problem


def test_the_input_shown_reproduces_the_fault(place):
    """The input shown is code that runs."""
    found = perform_check(f"{place}:NeedsTwo", {"max_iter": 7}, "rank-one")
    assert "NeedsTwo(max_iter=7, n_components=1, random_state=0)" in found["input"]
    module = {}
    exec(place.read_text(), module)
    with pytest.raises(IndexError):
        exec(found["input"], module | {"easy_data": easy_data, "np": np})


def test_a_good_class_in_words_and_as_json(place, capsys):
    """Exit code 0, the checks by name, and the tasks that are open to it."""
    assert cli.main(["check", f"{place}:Good(max_iter=50)", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["solver"] == f"{place}:Good(max_iter=50)"
    assert [row["name"] for row in found["checks"]] == list(CHECKS)
    assert {row["status"] for row in found["checks"]} == {"passed", "skipped"}
    assert {"factorization", "clustering", "convergence"} <= set(found["tasks"])
    assert "anchor_indices_" in found["cannot"]["recovery"]


def test_advice_for_seeds_names_the_global_state():
    """Of a class that wraps a library, the state that this draws from, and how to put it back."""
    for changed, words in (
        (["numpy's global random state"], "np.random.set_state(state)"),
        (["Python's global random state"], "random.setstate(state)"),
    ):
        assert words in hygiene._seeding(changed)


def test_a_bad_class_in_words(place, capsys):
    """Exit code 1, what is wrong, how to fix it; a process that ends fails one check."""
    assert cli.main(["check", f"{place}:Ends"]) == 1
    out, err = capsys.readouterr()
    assert "failed   fits: a fit of easy data ends" in out
    assert "ended with exit code 3" in out
    assert f"The other {len(CHECKS) - 1} checks, and all tasks, need such a fit." in out
    assert "skipped" not in out
    assert len(out.splitlines()) < 10
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        ("nothing.py:Mine", "nothing.py does not exist"),
        ("spaa", "did you mean 'spa'"),
        ("mu(maxiter=3)", "did you mean max_iter?"),
        ("{place}:Goood", "has no class Goood; did you mean Good?"),
    ],
)
def test_wrong_usage_is_one_line(place, solver, message, capsys):
    """Exit code 2, and one line on standard error."""
    assert cli.main(["check", solver.format(place=place)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert message in err
