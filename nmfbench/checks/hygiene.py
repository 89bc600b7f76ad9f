"""Checks on what a solver must leave alone: data, standard output, global states, memory."""

from __future__ import annotations

import contextlib
import gc
import glob
import os
import random
import sys
import tempfile
import threading
import tracemalloc
import warnings
from pathlib import Path

import numpy as np

from nmfbench.checks.case import CheckFailed, check, easy_data

__all__ = ["untouched"]

_FITS, _ROUNDS = 4, 2  # fits of a round, after which a leak shows
_CHILDREN = "/proc/self/task/*/children"  # where Linux has them


@check("the data are left as they were")
def _input_unchanged(case):
    model, X = case.raw(), case.data()
    before = X.copy()
    case.fit(model, X)
    changed = np.argwhere(before != X)
    if len(changed):
        row, column = changed[0]
        raise CheckFailed(
            f"the fit changes {len(changed)} entries of X, the first at row {row}, column {column}",
            "work on X.copy(), and look for X /= ..., X[...] = ..., out=X",
        )


@check("it prints nothing", note=True)
def _quiet(case):
    model, X = case.raw(), case.data()
    with _prints() as printed:
        case.fit(model, X)
        text = printed()
    if text:
        first = text.splitlines()[0][:60]
        raise CheckFailed(
            f"the fit prints {len(text)} characters, beginning with {first!r}",
            "a run throws them away; print only if a parameter verbose says so",
        )


@check("it warns of nothing", note=True)
def _no_warnings(case):
    model, X = case.raw(), case.data()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        case.fit(model, X)
    if caught:
        found = f"{caught[0].category.__name__}: {' '.join(str(caught[0].message).split())[:100]}"
        raise CheckFailed(
            f"the fit warns: {found}", "a run throws warnings away; see what it means"
        )


@check("random states, error handling, folder and environment are left as they were", note=True)
def _tidy(case):
    model, X = case.raw(), case.data()
    with _unusual_globals():
        before = _globals()
        case.fit(model, X)
        changed = [name for name, value in _globals().items() if value != before[name]]
    functions = _functions()
    changed += [name for name, first in _AT_FIRST.items() if functions.get(name) != first]
    if changed:
        raise CheckFailed(
            f"the fit changes {' and '.join(changed)}",
            _seeding(changed)
            if any("random state" in name for name in changed)
            else "restore it, by a context manager, at the end of fit",
        )


def _seeding(changed):
    """Advice on random numbers, by the global state that a wrapped library draws from."""
    module, get, put = (
        ("np.random", "get_state", "set_state")
        if any("numpy" in name for name in changed)
        else ("random", "getstate", "setstate")
    )
    return (
        "draw from np.random.default_rng(self.random_state). If a library that the class wraps "
        f"draws from the global state of {module}: state = {module}.{get}(); "
        f"{module}.seed(self.random_state); try: its fit; finally: {module}.{put}(state)"
    )


@check("no memory, thread, process or open file is left behind", note=True)
def _leaves_nothing(case):
    # So large that a copy of it is more than the caches of numpy and scipy can grow, also where
    # only a few of its columns are left.
    copies = (16, 2) if case.square else (2, 2)
    X = case.suited(np.tile(easy_data(), copies), f"np.tile(easy_data(), {copies})")
    for _ in range(2):
        case.fit(case.raw(), X.copy())
    gc.freeze()  # collections then look at what the fits make, not at all that was there before
    tracemalloc.start()
    try:
        held = [_held()]
        for _ in range(_ROUNDS):
            for _ in range(_FITS):
                case.fit(case.raw(), X.copy())
            held.append(_held())
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    # Caches that fill once, and other threads, disturb one round; a leak shows in each.
    grown = {name: min(np.diff([values[name] for values in held])) for name in held[0]}
    lost = [
        f"{grown['memory'] / _FITS / 1000:.1f} kB of memory"
        if grown["memory"] > 0.9 * _FITS * X.nbytes
        else "",
        "a thread" if grown["threads"] >= _FITS else "",
        "an open file" if grown["files"] >= _FITS else "",
        "a process" if grown["processes"] >= _FITS else "",
    ]
    if any(lost):
        raise CheckFailed(
            f"each fit leaves behind {' and '.join(filter(None, lost))}",
            "keep what a fit makes on self, not in a module or class, and close what it opens",
        )


def _held():
    gc.collect()
    folder = "/proc/self/fd"
    return {
        "memory": tracemalloc.get_traced_memory()[0],
        "threads": threading.active_count(),
        "files": len(os.listdir(folder)) if os.path.isdir(folder) else 0,
        "processes": sum(len(Path(file).read_text().split()) for file in glob.glob(_CHILDREN)),
    }


@check("NaN in the data is refused", note=True)
def _refuses_nan(case):
    model, X = case.raw(), case.data()
    X[3, 1] = np.nan
    try:
        case.fit(model, X)
    except CheckFailed:
        return
    case.input = case.input.replace("; ", "; X[3, 1] = np.nan; ", 1)
    raise CheckFailed(
        "a fit of data with a NaN raises nothing",
        "raise a ValueError unless np.isfinite(X).all(); no data set here has a NaN",
    )


def _globals():
    return {
        "numpy's global random state": repr(tuple(np.random.get_state())[1:]),  # noqa: NPY002
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


# Before an external class is loaded: in a child these lines run first.
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
