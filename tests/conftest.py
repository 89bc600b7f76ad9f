"""Fixtures that several test modules share."""

import fcntl
import os
import signal

import pytest

from nmfbench.core import registry
from nmfbench.engine.runner import run
from nmfbench.engine.store import Store

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a shell's background: programs that tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def smoke_store(tmp_path_factory):
    """A store with the smoke grid of every artefact, computed once."""
    base, jobs = tmp_path_factory.getbasetemp(), 2
    if "PYTEST_XDIST_WORKER" in os.environ:
        base, jobs = base.parent, 1  # shared by all processes that run tests, which take turns
    folder = base / "smoke"
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    trials = [t for artefact in artefacts for t in artefact.plan("smoke", stand_in=True)]
    with (base / "smoke.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with Store(folder) as store:
            run(trials, store, jobs=jobs)  # only what the first has left missing
    return folder
