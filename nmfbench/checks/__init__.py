"""Common checks that every solver must pass, built-in or external.

``case`` holds the solver under examination and the data; ``contract`` has the checks on what a
solver must give, ``hygiene`` those on what it must leave alone; ``runner`` runs them, each in a
child process. ``nmfbench check`` and the common tests of this package run the same list.

To add a check, write a function of a :class:`Case` in ``contract`` or ``hygiene`` that returns if
all is well and raises :class:`CheckFailed` if not, and decorate it by its statement.
"""

from nmfbench.checks import contract, hygiene
from nmfbench.checks.case import CHECKS, Case, CheckFailed, easy_data
from nmfbench.checks.runner import Finding, as_data, check_solver, perform_check

__all__ = [
    "CHECKS",
    "Case",
    "CheckFailed",
    "Finding",
    "as_data",
    "check_solver",
    "contract",
    "easy_data",
    "hygiene",
    "perform_check",
]
