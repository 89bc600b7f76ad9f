"""Packages of others as solvers, in ``examples/packages.py``."""

import importlib.util
from pathlib import Path

import pytest

from nmfbench.checks import CHECKS, check_solver
from nmfbench.guests import parse_solver
from nmfbench.guests.place import classes_of

FILE = Path(__file__).parents[2] / "examples" / "packages.py"
MODULES = {
    "TensorlyHALS": "tensorly",
    "NNFac": "nn_fac",
    "Planc": "pyplanc",
    "Spams": "spams",
    "WeightedNMF": "wNMF",
}


def test_each_class_is_tested():
    """The file has these classes and no others."""
    assert classes_of(str(FILE)) == list(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_package_passes_the_common_checks(name):
    """Where the package is installed, its class fails none."""
    if importlib.util.find_spec(MODULES[name]) is None:
        pytest.skip(
            f"{MODULES[name]} is a package of others that the project does not need; the test runs "
            "where it is installed (pip install -e '.[examples]')"
        )
    _, findings = check_solver(parse_solver(f"{FILE}:{name}"))
    assert [f.name for f in findings] == list(CHECKS)
    assert [(f.name, f.problem) for f in findings if f.status == "failed"] == []
