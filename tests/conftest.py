"""Fixtures that several test modules share."""

import fcntl
import os
import signal
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from nmfbench.core import registry
from nmfbench.engine.runner import run
from nmfbench.engine.store import Store
from nmfbench.report.build import build_report

_PARALLEL = "PYTEST_XDIST_WORKER" in os.environ

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a shell's background: programs that tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _turn(tmp_path_factory, name):
    """A folder of this run of the tests, for one of its processes at a time."""
    base = tmp_path_factory.getbasetemp()
    if _PARALLEL:
        base = base.parent  # of all processes
    with (base / f"{name}.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield base / name


@pytest.fixture(scope="session")
def smoke_store(tmp_path_factory):
    """A store with the smoke grid of every artefact, computed once."""
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    trials = [t for artefact in artefacts for t in artefact.plan("smoke", stand_in=True)]
    with _turn(tmp_path_factory, "smoke") as folder, Store(folder) as store:
        run(trials, store, jobs=1 if _PARALLEL else 2)  # only what the first has left missing
    return folder


@pytest.fixture(
    scope="session", params=["robust-xray", pytest.param("all", marks=pytest.mark.slow)]
)
def smoke_report(request, smoke_store, tmp_path_factory):
    """A smoke report, of one paper or of all, written once: its ``folder`` and ``artefacts``."""
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    if request.param != "all":
        artefacts = [artefact for artefact in artefacts if artefact.paper == request.param]
    with _turn(tmp_path_factory, f"report-{request.param}") as folder:
        if not folder.exists():
            part = folder.with_suffix(".part")
            build_report(artefacts, smoke_store, profile="smoke", output=part, stand_in=True)
            part.rename(folder)
    return SimpleNamespace(folder=folder, artefacts=artefacts)
