"""Real data for tests, which skip where they are not available: the project may not redistribute
them."""

import pytest

from nmfbench.datasets import dataset_available, load_dataset
from nmfbench.datasets.files import find_file

_REASON = (
    "{} is third-party data that the project may not redistribute; the test runs where "
    "NMFBENCH_DATA names a folder that has it ('nmfbench data list' says how to get it)"
)


def real(name, **params):
    """A real data set, or a skipped test where its file is not available."""
    if not dataset_available(name):
        pytest.skip(_REASON.format(name))
    return load_dataset(name, **params)


def prepared(info):
    """The prepared file of a real data set, or a skipped test where it is not available."""
    path = find_file(info["file"])
    if path is None:
        pytest.skip(_REASON.format(info["file"]))
    return path
