"""A third party's package: installed, its solver is here; uninstalled, it is gone."""

import base64
import hashlib
import json
import os
import site
import subprocess
import sys
import venv
import zipfile

import pytest

SOURCE = '''
"""A solver of somebody else's: the rows of largest sum."""
import numpy as np
from nmfbench.core.registry import register_solver
from nmfbench.core.trace import Trace
from sklearn.base import BaseEstimator


@register_solver("tiny-sums", name="Tiny", family="separable", reference="nobody 2026")
class TinySums(BaseEstimator):
    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, y=None):
        self.anchor_indices_ = np.argsort(-X.sum(axis=1))[: self.n_components]
        self.components_ = X[self.anchor_indices_]
        return self
'''

RUN = """
import json, sys
from nmfbench.core import registry
from nmfbench.engine.runner import run
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial

if "tiny-sums" not in registry.solvers:
    sys.exit("unknown: " + ", ".join(registry.solvers))
size = {"n_samples": 40, "n_features": 30, "n_components": 4}
trial = Trial("recovery", "near-separable", "tiny-sums", dataset_params=size)
with Store(sys.argv[1]) as store:
    run([trial], store)
    print(json.dumps(store.records()))
"""


def wheel(folder):
    """A wheel as any build tool makes it, made by hand so that none is needed."""
    info = "nmfbench_tiny-1.0.dist-info"
    files = {
        "nmfbench_tiny/__init__.py": "",
        "nmfbench_tiny/sums.py": SOURCE,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: nmfbench-tiny\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        f"{info}/entry_points.txt": "[nmfbench.solvers]\ntiny = nmfbench_tiny.sums\n",
    }
    lines = []
    for name, text in files.items():
        digest = hashlib.sha256(text.encode()).digest()
        coded = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        lines.append(f"{name},sha256={coded},{len(text.encode())}")
    files[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""])
    path = folder / "nmfbench_tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def environment(tmp_path):
    """The interpreter of a fresh environment that sees the packages of this one."""
    folder = tmp_path / "venv"
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    purelib = subprocess.check_output([python, "-c", ask], text=True).strip()
    here = [path for path in sys.path if path and os.path.isdir(path) and "site-packages" in path]
    here = here or site.getsitepackages()
    lines = [f"import site; site.addsitedir({path!r})" for path in here]
    with open(os.path.join(purelib, "parent.pth"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return python


def pip(environment, *args):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            environment,
            "--disable-pip-version-check",
            *args,
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_third_party_solver(tmp_path, environment):
    """A package that pip installs adds a solver to the registry and to runs, with no edit here;
    when pip has removed it, it is gone."""
    pytest.importorskip("pip")
    command = [environment, "-c", RUN, tmp_path / "store"]
    pip(environment, "install", "--no-deps", "--no-index", wheel(tmp_path))
    during = subprocess.run(command, capture_output=True, text=True)
    assert during.returncode == 0, during.stderr
    (record,) = json.loads(during.stdout)
    assert record["error"] is None
    assert (record["solver"], record["status"]) == ("tiny-sums", "done")
    assert 0 <= record["metrics"]["anchor-recovery"] <= 1

    pip(environment, "uninstall", "--yes", "nmfbench-tiny")
    after = subprocess.run(command, capture_output=True, text=True)
    assert after.stderr.startswith("unknown: ")
    assert "spa" in after.stderr
