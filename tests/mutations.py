"""Small changes of kernels, and smoke trials computed by another copy of the package or under
another processor target, in processes of their own."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nmfbench
from nmfbench.core import registry
from nmfbench.records.store import Store

PACKAGE = Path(nmfbench.__file__).parent

_RUN = """
import json, sys
from nmfbench.engine.runner import run
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial
asked = json.load(sys.stdin)
with Store(asked["store"]) as store:
    trials = [Trial.from_dict(fields) for fields in asked["trials"]]
    run(trials, store, jobs=asked["jobs"], target=asked["target"])
"""


@dataclass(frozen=True)
class Mutation:
    """A constant of a kernel, changed by one thousandth.

    Attributes
    ----------
    kernel : str
        Module of :mod:`nmfbench.optim.kernels`.
    old, new : str
        Text of it, which occurs once, and what replaces it.
    solver : str
        A solver of the smoke grids that comes to it.
    params : dict, optional
        Parameters of its trials that do; by default any.
    """

    kernel: str
    old: str
    new: str
    solver: str
    params: dict | None = None

    def __str__(self):
        return f"{self.kernel}-{self.solver}"

    def trials(self, n=6):
        """Fits of the smoke grids that come to the kernel, of different tasks first."""
        fitting = [
            trial
            for trial in fits()
            if trial.solver == self.solver and self.params in (None, trial.params)
        ]
        one_of_each = {trial.task: trial for trial in reversed(fitting)}.values()
        return list(dict.fromkeys([*one_of_each, *fitting]))[:n]

    def apply(self, folder):
        """Copy the package into a folder, changed."""
        copy = Path(folder) / "nmfbench"
        shutil.copytree(PACKAGE, copy)
        path = copy / "optim" / "kernels" / f"{self.kernel}.py"
        text = path.read_text(encoding="utf-8")
        assert text.count(self.old) == 1, f"{self.old!r} occurs {text.count(self.old)} times"
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        # numba keeps what was compiled of a kernel although a kernel that it calls has changed.
        for other in path.parent.glob("*.py"):
            if f"nmfbench.optim.kernels.{self.kernel} import" in other.read_text(encoding="utf-8"):
                for cached in (other.parent / "__pycache__").glob(f"{other.stem}.*.nb?"):
                    cached.unlink()


def grid():
    """The trials of all smoke grids, each once, in order."""
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    trials = [t for artefact in artefacts for t in artefact.plan("smoke", stand_in=True)]
    return list(dict.fromkeys(trials))


def fits():
    """The trials of all smoke grids that start from no other, with the fits of the others."""
    found = []
    for trial in grid():
        while trial.base is not None:
            trial = trial.base
        found.append(trial)
    return list(dict.fromkeys(found))


def compute_apart(trials, folder, *, package=PACKAGE.parent, jobs=1, target=None):
    """Records of trials by key, computed by the package in a folder, under a target."""
    asked = {"store": str(folder), "jobs": jobs, "target": target}
    asked["trials"] = [trial.to_dict() for trial in trials]
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        input=json.dumps(asked),
        env=os.environ | {"PYTHONPATH": str(package)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    with Store(folder) as store:
        return {record["key"]: record for record in store.records([t.key for t in trials])}
