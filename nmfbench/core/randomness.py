"""The random numbers of Python and numpy that a whole process shares."""

import contextlib
import random

import numpy as np

__all__ = ["same_global_states"]


@contextlib.contextmanager
def same_global_states():
    """Put the global random states back at the end, for a trial fit before the one that counts."""
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
