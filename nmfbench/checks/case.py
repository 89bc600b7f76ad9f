"""A solver under examination, easy data for it, and the list of checks."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

import nmfbench
from nmfbench.core import registry
from nmfbench.guests import GuestFault
from nmfbench.guests.adapter import Guest
from nmfbench.guests.examine import printable
from nmfbench.guests.validate import checked_factor
from nmfbench.solvers import make_solver

__all__ = [
    "CHECKS",
    "N_FEATURES",
    "N_SAMPLES",
    "RANK",
    "Case",
    "Check",
    "CheckFailed",
    "NotApplicable",
    "check",
    "easy_data",
    "in_a_line",
]

N_SAMPLES, N_FEATURES, RANK = 24, 10, 3
_PACKAGE = os.path.dirname(nmfbench.__file__)
_LONGEST = 200  # characters of an exception


def easy_data(*, zeros=False, noise=0.02, seed=0, dtype="float64"):
    """Points near the cone of three of them, in random order: easy for every family.

    Parameters
    ----------
    zeros : bool, default=False
        Rows 0 and 7 and column 2 are zero.
    noise : float, default=0.02
        Largest distance of an entry from the cone.
    seed : int, default=0
    dtype : {"float64", "float32"}, default="float64"

    Returns
    -------
    ndarray of shape (24, 10)

    Examples
    --------
    >>> easy_data(zeros=True)[[0, 7]].any()
    np.False_
    """
    rng = np.random.default_rng(seed)
    weights = np.vstack([np.eye(RANK), rng.dirichlet(np.ones(RANK), N_SAMPLES - RANK)])
    X = weights @ rng.random((RANK, N_FEATURES)) + noise * rng.random((N_SAMPLES, N_FEATURES))
    X = X[rng.permutation(N_SAMPLES)].astype(dtype)
    if zeros:
        X[[0, 7]] = 0
        X[:, 2] = 0
    return X


class CheckFailed(Exception):
    """A check failed.

    Parameters
    ----------
    problem, fix : str
    """

    def __init__(self, problem, fix):
        self.problem, self.fix = problem, fix
        super().__init__(problem)


class NotApplicable(Exception):
    """A check does not concern this solver; the message says why."""


@dataclass(frozen=True)
class Check:
    """A check: its statement, its function, and whether its failure is only a note."""

    statement: str
    function: Callable[[Case], None]
    note: bool


CHECKS: dict[str, Check] = {}


def check(statement, *, note=False):
    """Decorator: add a check by its statement, which holds of a good solver.

    Parameters
    ----------
    statement : str
    note : bool, default=False
        It is no fault if the statement does not hold, but good to know.
    """

    def register(function):
        CHECKS[function.__name__.strip("_").replace("_", "-")] = Check(statement, function, note)
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
        self.symmetric = bool(getattr(self.estimator, "symmetric", False))
        self.square = bool(getattr(self.estimator, "square", False))
        self.rank = RANK
        self.takes_factors = bool(getattr(self.estimator, "takes_factors", False))
        self.accepts_sparse = bool(getattr(self.estimator, "accepts_sparse", False))
        self.loss = getattr(self.estimator, "loss", None)
        self.input = ""

    @property
    def kind(self):
        """The class itself."""
        return self.estimator.kind if self.is_guest else type(self.estimator)

    def declares(self, promise: str) -> bool:
        """Whether the registration or the class promises something, such as ``"monotone"``."""
        info = registry.solvers[self.solver].info
        return bool(info.get(promise)) or getattr(self.kind, promise, False) is True

    def make(self, r=RANK, seed=0, **params):
        """An unfitted estimator, guests under our contract."""
        self.rank, params = r, {"n_components": r} | params
        if "random_state" in self.known:
            params["random_state"] = seed
        given = ", ".join(f"{k}={v!r}" for k, v in (self.params | params).items())
        self.made = f"{self.kind.__name__}({given})"
        return make_solver(self.solver, **self.params).set_params(**params)

    def raw(self, **params):
        """An unfitted object of the class itself, without our adapter."""
        model = self.make(**params)
        return model.make() if self.is_guest else model

    def data(self, *, sparse=False, **options):
        """Data as :func:`easy_data` gives them; ``sparse``: as a CSR matrix."""
        given = ", ".join(f"{name}={value!r}" for name, value in options.items())
        return self.suited(easy_data(**options), f"easy_data({given})", sparse=sparse)

    def suited(self, X, shown, *, sparse=False):
        """``X``, similarities of its rows, or its first columns, as the solver's kind asks for.

        Columns are as many as the solver made last has components; ``shown`` is the code that
        the user sees.
        """
        if self.symmetric:
            X, shown = X @ X.T, f"{shown} @ {shown}.T"
        if self.square:
            X, shown = X[:, : self.rank], f"{shown}[:, :{self.rank}]"
        if sparse:
            X, shown = sp.csr_matrix(X), f"sp.csr_matrix({shown})"
        self.shown = shown
        return X

    def layouts(self):
        """Values of ``sparse`` for :meth:`data` that the solver takes."""
        return (False, True) if self.accepts_sparse else (False,)

    def start(self, X):
        """Initial factors, below one as some solvers bound factors."""
        rng = np.random.default_rng(5)
        W, H = (rng.uniform(0.1, 0.9, shape) for shape in ((len(X), RANK), (RANK, X.shape[1])))
        return {"W": W, "H": W.T.copy() if self.symmetric else H}

    def fit(self, model, X, **given):
        """Fit, and return W if the method gives it; what it raises is a check that failed."""
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
            raise CheckFailed(fault.problem, fault.fix) from None
        except Exception as error:
            raise CheckFailed(
                f"the fit raises {in_a_line(error)}",
                "see the place named; the input below shows it",
            ) from None
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            raise CheckFailed(
                f"the fit raises {in_a_line(error)}",
                "raise a ValueError or RuntimeError; nothing in fit may end the process",
            ) from None

    def factorize(self, model, X):
        """Fit, and check the factors, also where the solver has no adapter around it."""
        W = self.fit(model, X)
        H = checked_factor("components_", model.components_, (None, X.shape[1]), signed=self.signed)
        if W is not None:
            checked_factor("fit_transform(X)", W, (X.shape[0], len(H)), signed=self.signed)
        return W

    def reconstruct(self, model, W):
        """Data from a representation."""
        if hasattr(model, "inverse_transform"):
            return model.inverse_transform(W)
        return W @ model.components_


def in_a_line(error) -> str:
    """An exception in a line, and where in the user's code it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    outside = [f for f in frames if not f.filename.startswith(_PACKAGE)]
    theirs = [f for f in outside if "site-packages" not in f.filename] or outside
    where = (
        f" ({os.path.basename(theirs[-1].filename)}, line {theirs[-1].lineno})" if theirs else ""
    )
    return f"{type(error).__name__}: {_text(error)}{where}"


def _text(error):
    """The text of an exception in a line that any terminal can print, cut if it is long."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "(its text cannot be had)"
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 3] + "..."
    return printable(text)
