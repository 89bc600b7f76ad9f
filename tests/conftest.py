"""Fixtures that several test modules share."""

import signal

import pytest

from nmfbench import registry
from nmfbench.engine.runner import run
from nmfbench.engine.store import Store

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a shell's background: programs that tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def smoke_store(tmp_path_factory):
    """A store with the smoke grid of every artefact, computed once."""
    folder = tmp_path_factory.mktemp("smoke")
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    trials = [t for artefact in artefacts for t in artefact.plan("smoke", stand_in=True)]
    with Store(folder) as store:
        run(trials, store, jobs=2)
    return folder
