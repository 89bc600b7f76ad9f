"""Fixtures that several test modules share."""

import fcntl
import os
import signal
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from full_landing import full_landing

from nmfbench.core import registry
from nmfbench.engine.runner import run
from nmfbench.records.exchange import read_exports
from nmfbench.records.merge import import_records
from nmfbench.records.store import Store
from nmfbench.reports.build import build_report
from nmfbench.trials.target import VARIABLE

_PARALLEL = "PYTEST_XDIST_WORKER" in os.environ
BOOK = Path(__file__).parents[1] / "reports" / "records"
_PARTS = 4  # of the smoke grids: each starts a process of its own

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a shell's background: programs that tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


class _ExamplesLeaveNoTrace:
    """Takes out of the registries what an example of a docstring has registered."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        if not isinstance(item, pytest.DoctestItem):
            return (yield)
        registry.solvers.entries()  # full, so that nothing but the example adds to it
        before = dict(registry.solvers._entries)
        try:
            return (yield)
        finally:
            registry.solvers._entries = before


def pytest_configure(config):
    """Serve the examples in the package, too, which stand outside of this folder."""
    config.pluginmanager.register(_ExamplesLeaveNoTrace())


@contextmanager
def _turn(tmp_path_factory, name, *, wait=True):
    """A folder of this run of the tests, for one of its processes at a time.

    None, if another process has its turn and this one should not wait.
    """
    base = tmp_path_factory.getbasetemp()
    if _PARALLEL:
        base = base.parent  # of all processes
    with (base / f"{name}.lock").open("w") as turn:
        try:
            fcntl.flock(turn, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield base / name


@pytest.fixture(scope="module")
def reference_target():
    """Untimed trials are computed under the reference target, whatever the environment says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(VARIABLE, raising=False)
        yield


@pytest.fixture(scope="session")
def smoke_store(tmp_path_factory):
    """A store with the smoke grid of every artefact, computed once.

    Processes that need it share the work: each takes a part that no other is at.
    """
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    for wait in (False, True):
        for k in range(_PARTS):
            with _turn(tmp_path_factory, f"smoke-{k}", wait=wait) as mine:
                if mine is not None:
                    folder = mine.with_name("smoke")
                    part = [t for a in artefacts[k::_PARTS] for t in a.plan("smoke", stand_in=True)]
                    with Store(folder) as store:  # only what is missing
                        run(part, store, jobs=1)
    return folder


@pytest.fixture(scope="session")
def published_store(tmp_path_factory):
    """A store of the record book alone, as ``make report`` has it, imported once."""
    with _turn(tmp_path_factory, "published") as folder:
        if not folder.exists():
            part = folder.with_suffix(".part")
            with Store(part) as store:
                import_records(read_exports([BOOK]), store)
            part.rename(folder)
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


@pytest.fixture(scope="session")
def landing(tmp_path_factory):
    """The longest landing page, a leaderboard for every job, and beside it all claims."""
    with _turn(tmp_path_factory, "landing") as folder:
        if not folder.exists():
            part = folder.with_suffix(".part")
            part.mkdir()
            full_landing(part)
            part.rename(folder)
    return folder / "index.html"
