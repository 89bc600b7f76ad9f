"""Compilation of kernels in another process, so that a budget of seconds holds meanwhile.

The process runs each loss and solver on a small matrix of the memory layout of real ones, and numba
keeps what it compiled where this process finds it. A function that is compiled is kept even if the
process is ended before the next one, so that a second call of the command has less to compile.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import subprocess
import time
import warnings
from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from nmfbench.advice.folds import FITS, draw_cells, draw_folds, predict_fold
from nmfbench.advice.model import fit_model, proof
from nmfbench.core.guard import Guarded

__all__ = ["Kernels", "loss_job", "serve", "solver_job"]

_SHAPE, _RANK = (40, 30), 2
_CODE = """
from nmfbench.advice.kernels import serve
serve(*map(int, sys.argv[1:]))
"""


def loss_job(loss: str) -> str:
    """Name of what noise and rank are chosen with."""
    return f"loss {loss}"


def solver_job(key: str, loss: str, sparse: bool) -> str:
    """Name of a solver's fits."""
    return f"solver {key} {loss} {'sparse' if sparse else 'dense'}"


class Kernels:
    """A process that compiles what it is asked for, in that order; a context manager.

    Where it cannot start, or ends early, all counts as ready: this process then compiles.
    """

    def __init__(self):
        self._ready: set[str] = set()
        self._ended, self._rest = False, b""
        theirs, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        try:
            self._process = Guarded(
                _CODE,
                str(theirs),
                str(answers),
                pass_fds=(theirs, answers),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except BaseException:
            os.close(self._requests)
            os.close(self._answers)
            raise
        finally:
            os.close(theirs)
            os.close(answers)

    def __enter__(self) -> Kernels:
        return self

    def __exit__(self, *exception) -> None:
        self._process.close()
        os.close(self._requests)
        os.close(self._answers)

    def request(self, jobs: Iterable[str]) -> None:
        """Have jobs compiled after those requested before."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._requests, "".join(f"{job}\n" for job in jobs).encode())

    def wait(self, jobs: Iterable[str], seconds: float) -> set[str]:
        """Jobs that are ready after ``seconds`` at most, or once all of them are."""
        jobs, end = set(jobs), time.monotonic() + seconds
        while not (self._ended or jobs <= self._ready):
            left = None if end == math.inf else max(0.0, end - time.monotonic())
            if not select.select([self._answers], [], [], left)[0]:
                break
            found = os.read(self._answers, 4096)
            *lines, self._rest = (self._rest + found).split(b"\n")
            self._ready |= {line.decode() for line in lines}
            self._ended = not found
        return jobs if self._ended else jobs & self._ready


def serve(requests: int, answers: int) -> None:
    """Compile what is read from one file descriptor, and write each to another once it is done."""
    warnings.simplefilter("ignore")
    with threadpool_limits(1), os.fdopen(requests) as lines:
        for line in lines:
            kind, *names = line.split()
            with contextlib.suppress(Exception):  # the fit that needs it will say why
                _compile_loss(*names) if kind == "loss" else _compile_solver(*names)
            os.write(answers, line.encode())


def _compile_loss(loss):
    X, rng = _small(), np.random.default_rng(0)
    for fold in (draw_folds(_SHAPE, 4, rng)[0], draw_cells(_SHAPE, 4, rng)[0]):
        predict_fold(X, fold, _RANK, loss)
    _compile_solver(FITS[loss][0], loss, "dense")


def _compile_solver(key, loss, layout):
    X = _small() if layout == "dense" else sp.csr_matrix(_small())
    proof(X, fit_model(X, key, loss, _RANK, 0, max_iter=3), loss)


def _small():
    return np.random.default_rng(0).gamma(2.0, size=_SHAPE)
