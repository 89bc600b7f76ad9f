"""Made-up results of each artefact, by which its claims come out one way or the other.

A file of this folder has some artefacts: its ``OUTCOMES`` are identifier -> function of whether the
paper is right, which returns a function of a row of the grid and of a random generator; that gives
the metrics (and arrays) of the row. A file is found by being here.
"""

from importlib import import_module
from pkgutil import iter_modules


def made_up():
    """Functions of all artefacts, by identifier."""
    found = {}
    for module in iter_modules(__path__):
        outcomes = import_module(f"{__name__}.{module.name}").OUTCOMES
        assert not found.keys() & outcomes.keys(), module.name
        found |= outcomes
    return found
