"""Factorizations of other libraries in the race, as far as they are installed.

These libraries show no objective on the way, and some keep more than their factors from one
iteration to the next. So a run is a series of whole fits of more and more iterations from one
start, each by half longer than the last one, until a fit takes as long as a run may, or ends as
high as the last one. Between two fits seconds are interpolated, and the objective by a monotone
cubic of the logarithm of the iteration: on traces that are known, targets are met up to a tenth too
late. Only the call of the library counts, on one thread, not the conversion of data and factors.

RcppML runs in R, in a process of its own, and starts from random factors of its own, as many as the
others have starts.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.interpolate import PchipInterpolator

from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.optim.losses import LOSSES

__all__ = ["MOST", "OUTSIDE", "Outside", "trace_of"]

MOST = 20_000
"""Iterations of a run."""

_GROWTH = 1.5  # of the iterations of a fit over the last one's
_ENOUGH = 0.9  # of the seconds of a run: its last fit
_SETTLED = 1e-7  # decrease from one fit to the next of a run that goes nowhere

Fit = tuple[int, float, np.ndarray, np.ndarray]
"""Iterations, CPU seconds, W and H."""


@dataclass(frozen=True)
class Outside:
    """A factorization of another library.

    Attributes
    ----------
    name : str
    loss : str
    fits : callable
        ``(X, W, H, seconds, seed)`` -> iterator of :data:`Fit`.
    version : callable
        Without arguments; None where it is not installed.
    sparse : bool
        Whether it takes sparse data.
    """

    name: str
    loss: str
    fits: Callable[..., Iterator[Fit]]
    version: Callable[[], str | None]
    sparse: bool = True

    def is_installed(self) -> bool:
        return self.version() is not None

    @property
    def title(self) -> str:
        """Name and version, as the page shows them."""
        return f"{self.name} ({self.version()})"


def trace_of(racer: Outside, X, W, H, seconds: float, seed: int) -> np.ndarray:
    """A trace of each iteration over some CPU seconds, as a solver of ours leaves it."""
    objective = LOSSES[racer.loss]
    counts, times, objectives = [0], [0.0], [objective(X, W, np.ascontiguousarray(H.T))]
    for n_iter, took, codes, components in racer.fits(X, W, H, seconds, seed):
        counts.append(n_iter)
        times.append(took)
        Ht = np.ascontiguousarray(components.T, X.dtype)
        objectives.append(objective(X, np.ascontiguousarray(codes, X.dtype), Ht))
        if abs(objectives[-2] - objectives[-1]) < _SETTLED * objectives[-1]:
            break
    trace = np.zeros(counts[-1] + 1, TRACE_DTYPE)
    trace["iteration"] = np.arange(len(trace))
    trace["cpu_seconds"] = np.interp(trace["iteration"], counts, np.maximum.accumulate(times))
    between = PchipInterpolator(np.log1p(counts), objectives)
    trace["objective"] = between(np.log1p(trace["iteration"]))
    return trace


def _growing(fit: Callable[[int], Any], factors: Callable, seconds: float) -> Iterator[Fit]:
    """Fits of more and more iterations, until one takes some CPU seconds."""
    fit(1)  # what a library does once
    n_iter = 1
    while True:
        before = time.process_time()
        found = fit(n_iter)
        took = max(time.process_time() - before, 1e-9)
        yield n_iter, took, *factors(found)
        if took >= _ENOUGH * seconds or n_iter >= MOST:
            return
        n_iter = max(n_iter + 1, round(n_iter * min(_GROWTH, seconds / took)))


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


# -- PLANC ------------------------------------------------------------------------------------


@contextlib.contextmanager
def _silence():
    """Without what a library writes to standard output past Python."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _planc(X, W, H, seconds, seed, *, algorithm):
    import pyplanc

    data = X.tocsc() if sp.issparse(X) else np.asfortranarray(X)
    start = {"Winit": np.asfortranarray(W), "Hinit": np.asfortranarray(H.T)}

    def fit(n_iter):
        with _silence():
            return pyplanc.nmf(data, len(H), n_iter, algorithm, 1, **start)

    return _growing(fit, lambda found: (found.W, found.H.T), seconds)


# -- TensorLy ---------------------------------------------------------------------------------


def _tensorly(X, W, H, seconds, seed):
    from tensorly.decomposition import non_negative_parafac_hals

    def fit(n_iter):
        start = (np.ones(len(H)), [W.copy(), H.T.copy()])
        return non_negative_parafac_hals(X, len(H), init=start, n_iter_max=n_iter, tol=0)

    def factors(found):
        weights, (W, Ht) = found
        return W * weights, Ht.T

    return _growing(fit, factors, seconds)


# -- torchnmf ---------------------------------------------------------------------------------


def _torchnmf(X, W, H, seconds, seed, *, beta):
    with _without_warnings():
        import torch
        from torchnmf.nmf import NMF

    torch.set_num_threads(1)
    if sp.issparse(X):
        data = X.tocoo()
        places = torch.from_numpy(np.stack(data.coords).astype(np.int64))
        values = torch.from_numpy(data.data)
        X = torch.sparse_coo_tensor(places, values, data.shape, check_invariants=True)
    else:
        X = torch.from_numpy(X)
    start = {"W": torch.from_numpy(H.T.copy()), "H": torch.from_numpy(W.copy())}

    def fit(n_iter):
        usual = torch.get_default_dtype()
        torch.set_default_dtype(X.dtype)  # which its factors have, whatever they start from
        try:
            model = NMF(**start)
            with _without_warnings():
                model.fit(X, beta=beta, tol=-math.inf, max_iter=n_iter)
        finally:
            torch.set_default_dtype(usual)
        return model

    def factors(model):
        return model.H.numpy(force=True), model.W.numpy(force=True).T

    return _growing(fit, factors, seconds)


@contextlib.contextmanager
def _without_warnings():
    """Of what torchnmf still uses, and PyTorch will drop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", UserWarning)
        yield


# -- RcppML -----------------------------------------------------------------------------------

_R = """
suppressMessages({library(Matrix); library(RcppML)})
given <- commandArgs(TRUE)
setwd(given[1])
rank <- as.integer(given[2]); seconds <- as.numeric(given[3]); seed <- as.integer(given[4])
growth <- as.numeric(given[5]); enough <- as.numeric(given[6]); most <- as.integer(given[7])
size <- readBin("shape", "integer", 3)
doubles <- function(file, n) readBin(file, "double", n)
if (size[3] < 0) {
  X <- matrix(doubles("data", prod(size[1:2])), size[1])
} else {
  X <- new("dgCMatrix", Dim = size[1:2], i = readBin("indices", "integer", size[3]),
           p = readBin("indptr", "integer", size[2] + 1), x = doubles("data", size[3]))
}
options(RcppML.threads = 1)
if (exists("setRcppMLthreads")) setRcppMLthreads(1)
fit <- function(n) nmf(X, rank, tol = -1, maxit = n, verbose = FALSE, seed = seed)
invisible(fit(1))
n <- 1
repeat {
  before <- proc.time()
  found <- fit(n)
  took <- sum((proc.time() - before)[1:2])
  writeBin(c(n, took, found$w, found$d, found$h), sprintf("fit-%09.0f", n))
  if (took >= enough * seconds || n >= most) break
  n <- max(n + 1, round(n * min(growth, seconds / took)))
}
"""


@functools.cache
def _version_of_rcppml() -> str | None:
    if shutil.which("Rscript") is None:
        return None
    words = ["Rscript", "-e", "library(RcppML); cat(format(packageVersion('RcppML')))"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def _rcppml(X, W, H, seconds, seed):
    (n, m), r = X.shape, len(H)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if sp.issparse(X):
            columns = X.tocsc()
            columns.indices.astype(np.int32).tofile(folder / "indices")
            columns.indptr.astype(np.int32).tofile(folder / "indptr")
            columns.data.astype(np.float64).tofile(folder / "data")
        else:
            np.asarray(X, np.float64).ravel(order="F").tofile(folder / "data")
        entries = X.nnz if sp.issparse(X) else -1
        np.array([n, m, entries], np.int32).tofile(folder / "shape")
        (folder / "fits.R").write_text(_R, encoding="utf-8")
        given = [folder, r, seconds, seed, _GROWTH, _ENOUGH, MOST]
        subprocess.run(["Rscript", folder / "fits.R", *map(str, given)], check=True)
        for file in sorted(folder.glob("fit-*")):
            (n_iter, took), w, d, h = np.split(
                np.fromfile(file), np.cumsum([2, n * r, r])
            )  # by columns, as R has it
            yield int(n_iter), took, w.reshape(r, n).T * d, h.reshape(m, r).T


_PLANC = {"hals": "HALS", "anlsbpp": "ANLS-BPP", "aoadmm": "AO-ADMM"}  # as it calls them

OUTSIDE = {
    **{
        f"planc-{algorithm}": Outside(
            f"PLANC {name}",
            "frobenius",
            functools.partial(_planc, algorithm=algorithm),
            functools.partial(_version, "pyplanc"),
        )
        for algorithm, name in _PLANC.items()
    },
    "tensorly-hals": Outside(
        "TensorLy HALS",
        "frobenius",
        _tensorly,
        functools.partial(_version, "tensorly"),
        sparse=False,
    ),
    **{
        f"torchnmf-{loss}": Outside(
            "torchnmf MU",
            loss,
            functools.partial(_torchnmf, beta=beta),
            functools.partial(_version, "torchnmf"),
        )
        for loss, beta in {"frobenius": 2, "kl": 1}.items()
    },
    "rcppml": Outside("RcppML", "frobenius", _rcppml, _version_of_rcppml),
}
"""By key, in the order of the tables."""
