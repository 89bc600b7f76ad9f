"""The common checks on one solver, in words: what is wrong, how to mend it, the failing input.

Each check is a function of a :class:`Case` that returns if all is well and raises :class:`Broken`
if not. They run one by one in a child process, so that a class that hangs, crashes or eats the
memory fails one check and harms nothing. What is no fault but good to know is a note.
"""

from __future__ import annotations

import contextlib
import gc
import glob
import os
import random
import sys
import tempfile
import threading
import traceback
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import nmfbench
from nmfbench.core import registry
from nmfbench.engine.perform import make_solver
from nmfbench.engine.results import reason
from nmfbench.engine.worker import Worker, WorkerDied
from nmfbench.guests.adapter import Guest, GuestFault, checked_factor
from nmfbench.guests.examine import Examined, examine, printable
from nmfbench.guests.spec import SolverSpec

__all__ = [
    "CHECKS",
    "Broken",
    "Case",
    "Finding",
    "as_data",
    "check_solver",
    "easy_data",
    "perform_check",
]

_N, _M, _R = 24, 10, 3
_SLACK = 1.1  # a median, say, is a little farther than the mean
_PACKAGE = os.path.dirname(nmfbench.__file__)


def easy_data(*, zeros=False, dtype="float64"):
    """Points near the cone of three of them, in random order: easy for every family.

    Parameters
    ----------
    zeros : bool, default=False
        Rows 0 and 7 and column 2 are zero.
    dtype : {"float64", "float32"}, default="float64"

    Returns
    -------
    ndarray of shape (24, 10)

    Examples
    --------
    >>> easy_data(zeros=True)[[0, 7]].any()
    np.False_
    """
    rng = np.random.default_rng(0)
    weights = np.vstack([np.eye(_R), rng.dirichlet(np.ones(_R), _N - _R)])
    X = weights @ rng.random((_R, _M)) + 0.02 * rng.random((_N, _M))
    X = X[rng.permutation(_N)].astype(dtype)
    if zeros:
        X[[0, 7]] = 0
        X[:, 2] = 0
    return X


_DATA = {
    "easy_data()": easy_data,
    "np.tile(easy_data(), (10, 10))": lambda: np.tile(easy_data(), (10, 10)),
    "easy_data(zeros=True)": lambda: easy_data(zeros=True),
    "easy_data(dtype='float32')": lambda: easy_data(dtype="float32"),
    "sp.csr_matrix(easy_data())": lambda: sp.csr_matrix(easy_data()),
    "np.zeros((24, 10))": lambda: np.zeros((_N, _M)),
}


@dataclass(frozen=True)
class Finding:
    """What came of one check.

    Attributes
    ----------
    name, statement : str
        Of the check; the statement says what holds of a good solver.
    status : {"passed", "failed", "note", "skipped"}
    wrong, mend, input : str
        What is wrong, how to mend it, and the code that shows it; empty if it passed. Of a
        skipped check ``wrong`` is why.
    """

    name: str
    statement: str
    status: str
    wrong: str = ""
    mend: str = ""
    input: str = ""


class Broken(Exception):
    """A check failed.

    Parameters
    ----------
    wrong, mend : str
    """

    def __init__(self, wrong, mend):
        self.wrong, self.mend = wrong, mend
        super().__init__(wrong)


class NotApplicable(Exception):
    """A check does not concern this solver; the message says why."""


@dataclass(frozen=True)
class Check:
    """A check: its statement, its function, and whether its failure is only a note."""

    statement: str
    function: Callable[[Case], None]
    note: bool


CHECKS: dict[str, Check] = {}


def _check(statement, *, note=False):
    def register(function):
        name = function.__name__.strip("_").replace("_", "-")
        CHECKS[name] = Check(statement, function, note)
        return function

    return register


class Case:
    """A solver under examination, and the input it got last."""

    def __init__(self, solver, params):
        self.solver, self.params = solver, params
        self.estimator = make_solver(solver, **params)
        self.is_guest = isinstance(self.estimator, Guest)
        self.known = self.estimator.get_params()
        self.signed = bool(getattr(self.estimator, "signed", False))
        self.takes_factors = bool(getattr(self.estimator, "takes_factors", False))
        self.input = ""

    @property
    def kind(self):
        return self.estimator.kind if self.is_guest else type(self.estimator)

    def make(self, r=_R, seed=0, **params):
        """An unfitted estimator, guests under our contract."""
        params = {"n_components": r} | params
        if "random_state" in self.known:
            params["random_state"] = seed
        given = ", ".join(f"{k}={v!r}" for k, v in (self.params | params).items())
        self.made = f"{self.kind.__name__}({given})"
        return make_solver(self.solver, **self.params).set_params(**params)

    def raw(self, **params):
        """The object of the class itself, without our wrapper."""
        model = self.make(**params)
        return model.make() if self.is_guest else model

    def data(self, shown="easy_data()"):
        """Data by the expression that is shown to the user; symmetric, if that is asked for."""
        X = _DATA[shown]()
        if not getattr(self.estimator, "symmetric", False):
            self.shown = shown
            return X
        self.shown = f"{shown} @ {shown}.T"
        return X @ X.T

    def fit(self, model, X, **given):
        """Fit; what it raises is a broken check."""
        if self.is_guest:
            method = self.estimator.method(bool(given))
        else:
            method = "fit_transform" if hasattr(model, "fit_transform") else "fit"
        start = ", W=W, H=H" if given else ""
        self.input = f"X = {self.shown}; {self.made}.{method}(X{start})"
        if isinstance(model, Guest):  # which has W always, the class itself perhaps not
            method = "fit_transform"
        try:
            found = getattr(model, method)(X, **given)
            return found if method == "fit_transform" else None
        except GuestFault as fault:
            raise Broken(fault.wrong, fault.mend) from None
        except Exception as error:
            raise Broken(
                f"the fit raises {_told(error)}", "see the place named; the input below shows it"
            ) from None
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            raise Broken(
                f"the fit raises {_told(error)}",
                "raise a ValueError or RuntimeError; nothing in fit may end the process",
            ) from None

    def reconstruct(self, model, W):
        if hasattr(model, "inverse_transform"):
            return model.inverse_transform(W)
        return W @ model.components_


def _told(error):
    """An exception in a line, and where in the user's code it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    outside = [f for f in frames if not f.filename.startswith(_PACKAGE)]
    theirs = [f for f in outside if "site-packages" not in f.filename] or outside
    where = (
        f" ({os.path.basename(theirs[-1].filename)}, line {theirs[-1].lineno})" if theirs else ""
    )
    return f"{type(error).__name__}: {_shown(error)}{where}"


def _shown(error):
    """The text of an exception in a line that any terminal can print, cut if it is long."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "(its text cannot be had)"
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 3] + "..."
    return printable(text)


_LONGEST = 200

# -- the checks -------------------------------------------------------------------------------


@_check("a fit of easy data ends")
def _fits(case):
    case.fit(case.raw(), case.data())


@_check("components_ is finite and non-negative, of shape (n_components, n_features)")
def _components(case):
    for r in (_R, 2):
        model, X = case.raw(r=r), case.data()
        case.fit(model, X)
        if not hasattr(model, "components_"):
            raise Broken(
                "there is no components_ after the fit",
                "set self.components_, of shape (n_components, n_features), in fit",
            )
        checked_factor("components_", model.components_, (r, X.shape[1]), signed=case.signed)


@_check("W is finite and non-negative, of shape (n_samples, n_components)")
def _representation(case):
    model, X = case.raw(), case.data()
    W = case.fit(model, X)
    name = "fit_transform(X)"
    if W is None:
        if not callable(getattr(model, "transform", None)):
            raise NotApplicable("it has neither fit_transform nor transform; both are supplied")
        name, W = "transform(X)", model.transform(X)
    checked_factor(name, W, (X.shape[0], _R), signed=case.signed)


@_check("transform gives a row of W for each new sample")
def _transform(case):
    model, X = case.raw(), case.data()
    if not callable(getattr(model, "transform", None)):
        raise NotApplicable("it has none; an exact projection is supplied")
    case.fit(model, X)
    case.input += ".transform(X[:5])"
    W = model.transform(X[:5])
    checked_factor("transform(X[:5])", W, (5, _R), signed=case.signed)


@_check("W @ components_ is about as near to easy data as the mean of the samples, or nearer")
def _explains(case):
    model, X = case.make(), case.data()
    W = case.fit(model, X)
    if W is None:
        raise NotApplicable("it gives no W")
    if not case.is_guest and getattr(model, "loss", None) is None:
        raise NotApplicable("it minimises more than a loss")
    error = np.linalg.norm(X - case.reconstruct(model, W))
    mean = np.linalg.norm(X - X.mean(axis=0))
    if not error < _SLACK * mean:
        raise Broken(
            f"the reconstruction misses X by {error:.3g}, the mean of the samples by {mean:.3g}",
            "see that W belongs to components_ (their scale, their order) and that enough "
            "iterations are made; samples are rows of X",
        )


@_check("the data are left as they were")
def _input_unchanged(case):
    model, X = case.raw(), case.data()
    before = X.copy()
    case.fit(model, X)
    changed = np.argwhere(before != X)
    if len(changed):
        row, column = changed[0]
        raise Broken(
            f"the fit changes {len(changed)} entries of X, the first at row {row}, column {column}",
            "work on X.copy(), and look for X /= ..., X[...] = ..., out=X",
        )


@_check("two fits with one seed are the same")
def _same_seed(case):
    X = case.data()
    results = []
    for _ in range(2):
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002
        model = case.make()
        case.fit(model, X)
        results.append(model.components_)
    if not np.array_equal(*results):
        gap = np.abs(results[0] - results[1]).max()
        raise Broken(
            f"two fits with the same seed differ by up to {gap:.3g}",
            "draw from np.random.default_rng(self.random_state), made in fit"
            if "random_state" in case.known
            else "take a parameter random_state and draw from np.random.default_rng(random_state)",
        )


@_check("one component is enough")
def _rank_one(case):
    model, X = case.make(r=1), case.data()
    case.fit(model, X)


@_check("zero rows and zero columns do no harm")
def _zeros(case):
    model, X = case.make(), case.data("easy_data(zeros=True)")
    try:
        case.fit(model, X)
    except Broken as broken:
        loss = getattr(case.estimator, "loss", None)
        if loss == "itakura-saito" and broken.wrong.startswith("the fit raises"):
            raise NotApplicable("it refuses zeros, at which its loss is not defined") from None
        raise


@_check("a fit of larger data ends")
def _larger(case):
    case.fit(case.make(), case.data("np.tile(easy_data(), (10, 10))"))


@_check("data of single precision will do")
def _float32(case):
    model, X = case.make(), case.data("easy_data(dtype='float32')")
    case.fit(model, X)


@_check("data that are all zero are refused by an exception or fitted by zeros")
def _all_zero(case):
    model, X = case.make(), case.data("np.zeros((24, 10))")
    try:
        W = case.fit(model, X)
    except Broken as broken:
        if broken.wrong.startswith("the fit raises"):
            return
        raise
    if W is not None and np.abs(case.reconstruct(model, W)).max() > 1e-6:
        raise Broken("a zero matrix is fitted by something else", "guard divisions by zero")


@_check("given factors are where it starts")
def _start(case):
    if not case.takes_factors:
        raise NotApplicable("its fit takes no W and H")
    X = case.data()
    rng = np.random.default_rng(5)
    W, H = rng.uniform(0.1, 0.9, (len(X), _R)), rng.uniform(0.1, 0.9, (_R, X.shape[1]))
    if getattr(case.estimator, "symmetric", False):
        H = W.T.copy()
    results = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002
        model = case.make(seed=seed)
        case.fit(model, X, W=W, H=H)
        results.append(model.components_)
    if not np.allclose(*results, rtol=1e-6, atol=1e-9):
        gap = np.abs(results[0] - results[1]).max()
        raise Broken(
            f"from the same W and H two fits with other seeds differ by up to {gap:.3g}",
            "start from W and H when they are given, and draw nothing then",
        )


@_check("anchors are different rows of X, and the components are these rows")
def _anchors(case):
    model, X = case.make(), case.data()
    case.fit(model, X)
    anchors = getattr(model, "anchor_indices_", None)
    if anchors is None:
        raise NotApplicable("it has no anchor_indices_")
    gap = np.abs(X[anchors] - model.components_).max()
    if gap > 1e-6:
        raise Broken(
            f"components_ differs from X[anchor_indices_] by up to {gap:.3g}",
            "set self.components_ = X[self.anchor_indices_]",
        )


@_check("sparse data give what dense data give")
def _sparse(case):
    if not getattr(case.estimator, "accepts_sparse", False):
        raise NotApplicable("it does not say accepts_sparse; its data are made dense")
    found = []
    for expression in ("easy_data()", "sp.csr_matrix(easy_data())"):
        model, X = case.make(), case.data(expression)
        case.fit(model, X)
        found.append(model.components_)
    if not np.allclose(*found, rtol=1e-3, atol=1e-4 * np.abs(found[0]).max()):
        gap = np.abs(found[0] - found[1]).max()
        raise Broken(
            f"the components of a CSR matrix differ from those of the dense one by up to {gap:.3g}",
            "see what X * Y and X.sum(axis=1) mean for a CSR matrix, or drop accepts_sparse",
        )


@_check("partial_fit takes batch after batch")
def _batches(case):
    if not callable(getattr(case.kind, "partial_fit", None)):
        raise NotApplicable("it has no partial_fit")
    model, X = case.raw(), case.data()
    case.input = f"X = {case.shown}; m = {case.made}; m.partial_fit(X[:12]); m.partial_fit(X[12:])"
    try:
        for batch in (X[:12], X[12:]):
            model.partial_fit(batch.copy())
    except Exception as error:
        raise Broken(
            f"partial_fit raises {_told(error)}", "it must take batches of other sizes than before"
        ) from None
    H = getattr(model, "components_", None)
    checked_factor("components_", H, (_R, X.shape[1]), signed=case.signed)


@_check("it prints nothing", note=True)
def _quiet(case):
    model, X = case.raw(), case.data()
    with _prints() as printed:
        case.fit(model, X)
        text = printed()
    if text:
        first = text.splitlines()[0][:60]
        raise Broken(
            f"the fit prints {len(text)} characters, beginning with {first!r}",
            "a run throws them away; print only if a parameter verbose says so",
        )


@_check("it warns of nothing", note=True)
def _no_warnings(case):
    model, X = case.raw(), case.data()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        case.fit(model, X)
    if caught:
        said = f"{caught[0].category.__name__}: {' '.join(str(caught[0].message).split())[:100]}"
        raise Broken(f"the fit warns: {said}", "a run throws warnings away; see what it means")


@_check("random states, error handling, folder and environment are left as they were", note=True)
def _tidy(case):
    model, X = case.raw(), case.data()
    with _unusual_globals():
        before = _globals()
        case.fit(model, X)
        changed = [name for name, value in _globals().items() if value != before[name]]
    functions = _functions()
    changed += [name for name, first in _AT_FIRST.items() if functions.get(name) != first]
    if changed:
        raise Broken(
            f"the fit changes {' and '.join(changed)}",
            "draw from np.random.default_rng(self.random_state)"
            if any("random state" in name for name in changed)
            else "restore it, by a context manager, at the end of fit",
        )


@_check("no memory, thread, process or open file is left behind", note=True)
def _leaves_nothing(case):
    X = case.data()
    for _ in range(2):  # what is made once is no leak
        case.fit(case.raw(), X.copy())
    tracemalloc.start()
    try:
        before = _held()
        for _ in range(_FITS):
            case.fit(case.raw(), X.copy())
        grown = {name: value - before[name] for name, value in _held().items()}
    finally:
        tracemalloc.stop()
    lost = [
        f"{grown['memory'] / _FITS / 1000:.1f} kB of memory"
        if grown["memory"] > 0.9 * _FITS * X.nbytes
        else "",
        "a thread" if grown["threads"] >= _FITS else "",
        "an open file" if grown["files"] >= _FITS else "",
        "a process" if grown["processes"] >= _FITS else "",
    ]
    if any(lost):
        raise Broken(
            f"each fit leaves behind {' and '.join(filter(None, lost))}",
            "keep what a fit makes on self, not in a module or class, and close what it opens",
        )


_FITS = 8
_CHILDREN = "/proc/self/task/*/children"  # where Linux has them


def _held():
    gc.collect()
    folder = "/proc/self/fd"
    return {
        "memory": tracemalloc.get_traced_memory()[0],
        "threads": threading.active_count(),
        "files": len(os.listdir(folder)) if os.path.isdir(folder) else 0,
        "processes": sum(len(Path(file).read_text().split()) for file in glob.glob(_CHILDREN)),
    }


@_check("NaN in the data is refused", note=True)
def _refuses_nan(case):
    model, X = case.raw(), case.data()
    X[3, 4] = np.nan
    try:
        case.fit(model, X)
    except Broken:
        return
    case.input = case.input.replace("; ", "; X[3, 4] = np.nan; ", 1)
    raise Broken(
        "a fit of data with a NaN raises nothing",
        "raise a ValueError unless np.isfinite(X).all(); no data set here has a NaN",
    )


def _globals():
    return {
        "numpy's global random state": repr(np.random.get_state()[1:]),  # noqa: NPY002
        "Python's global random state": random.getstate(),
        "numpy's error handling (np.seterr)": np.geterr(),
        "the working directory": os.getcwd(),
        "the environment": dict(os.environ),
    }


@contextlib.contextmanager
def _unusual_globals():
    """States that no fit leaves: what an earlier fit changed in the same way shows once more."""
    folder, environment = os.getcwd(), dict(os.environ)
    random.seed(20120301)
    np.random.seed(20120301)  # noqa: NPY002
    with tempfile.TemporaryDirectory() as empty, np.errstate(all="print"):
        try:
            os.chdir(empty)
            os.environ.clear()
            os.environ.update(_ENVIRONMENT)
            yield
        finally:
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)


def _functions():
    return {
        f"{module.__name__}.{name}": id(value)
        for module in (np, np.linalg, np.random)
        for name, value in vars(module).items()
        if callable(value)
    }


# Before a class from outside is loaded: in a child these lines run first.
_ENVIRONMENT = dict(os.environ)
_AT_FIRST = _functions()


def untouched():
    """In a child: load this module, which keeps what a class may change."""


@contextlib.contextmanager
def _prints():
    """Collect what is written to standard output and error, by Python or by compiled code."""
    with tempfile.TemporaryFile("w+", errors="replace") as file:
        kept = {fd: os.dup(fd) for fd in (1, 2)}

        def text():
            file.flush()
            file.seek(0)
            return file.read(1 << 20)

        try:
            sys.stdout.flush()
            for fd in kept:
                os.dup2(file.fileno(), fd)
            with contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
                yield text
        finally:
            file.flush()
            for fd, copy in kept.items():
                os.dup2(copy, fd)
                os.close(copy)


# -- running them -----------------------------------------------------------------------------


def perform_check(solver: str, params: dict[str, Any], name: str) -> dict[str, str]:
    """Run one check here, in this process.

    Returns
    -------
    dict
        ``status``, ``wrong``, ``mend``, ``input``, as of :class:`Finding`.
    """
    found, case = CHECKS[name], None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case = Case(solver, params)
            found.function(case)
    except NotApplicable as why:
        return {"status": "skipped", "wrong": str(why)}
    except (Broken, GuestFault) as broken:
        status = "note" if found.note else "failed"
        return {
            "status": status,
            "wrong": broken.wrong,
            "mend": broken.mend,
            "input": case.input if case else "",
        }
    except MemoryError:
        raise
    except Exception as error:
        if case is None:
            raise
        return {
            "status": "failed",
            "wrong": f"what the fit gives cannot be looked at: {_told(error)}",
            "mend": "see the place named; the input below shows it",
            "input": case.input,
        }
    return {"status": "passed"}


def check_solver(
    spec: SolverSpec,
    *,
    time_limit: float | None = 60.0,
    memory_limit: int | None = None,
    worker: Worker | None = None,
) -> tuple[Examined, list[Finding]]:
    """Run all checks on a solver, each contained in a child process.

    Parameters
    ----------
    spec : SolverSpec
        As :func:`~nmfbench.guests.parse_solver` gives it.
    time_limit : float, optional
        Seconds for each check.
    memory_limit : int, optional
        Bytes.
    worker : Worker, optional
        The child process, with a limit of its own; by default one for this call.

    Returns
    -------
    examined : Examined
    findings : list of Finding
        If the first one fails, the others are skipped.

    Raises
    ------
    GuestError
        If it is no class that can be a solver at all.
    """
    findings = []
    with contextlib.ExitStack() as stack:
        if worker is None:
            worker = stack.enter_context(contextlib.closing(Worker(memory_limit)))
        worker.call(f"{__name__}:untouched", {})
        examined = examine(spec, time_limit=time_limit, worker=worker)
        for name, check in CHECKS.items():
            if findings and findings[0].status == "failed":
                said = {"status": "skipped", "wrong": "a fit of easy data fails"}
            else:
                said = _contained(worker, spec, name, time_limit)
            findings.append(Finding(name, check.statement, **said))
    return examined, findings


def _contained(worker, spec, name, time_limit):
    asked = {"solver": spec.solver, "params": spec.params, "name": name}
    try:
        return worker.call(f"{__name__}:perform_check", asked, time_limit, spec.solver)
    except TimeoutError:
        size = f"{10 * _N} samples of {10 * _M}" if name == "larger" else f"{_N} samples of {_M}"
        wrong = f"it takes longer than {time_limit:g} s on {size} features"
        mend = "see that the iteration ends (max_iter), or allow more time with --time-limit"
        if CHECKS[name].note:  # which may make many fits
            wrong = f"it could not be found out within {time_limit:g} s"
            return {"status": "note", "wrong": wrong, "mend": mend, "input": f"the check {name!r}"}
    except WorkerDied as error:
        wrong, mend = printable(reason(str(error))), "nothing in fit may end the process"
    except RuntimeError as error:
        wrong = printable(reason(str(error)))
        mend = "see the exception"
        if "MemoryError" in wrong:
            mend = "it needs more than --memory-limit on tiny data: look for what grows"
    return {"status": "failed", "wrong": wrong, "mend": mend, "input": f"the check {name!r}"}


def as_data(examined: Examined, findings: list[Finding]) -> dict[str, Any]:
    """All that came out, as plain values."""
    tasks = {task: examined.cannot(task) for task in registry.tasks}
    return {
        "solver": str(examined.spec),
        "parameters": examined.parameters,
        "abilities": examined.abilities,
        "tasks": [task for task, why in tasks.items() if why is None],
        "cannot": {task: why for task, why in tasks.items() if why is not None},
        "checks": [asdict(finding) for finding in findings],
    }
