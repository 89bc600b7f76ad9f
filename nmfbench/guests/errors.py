"""Errors of external classes."""

from __future__ import annotations

__all__ = ["GuestError", "GuestFault"]


class GuestError(ValueError):
    """An external class that cannot be used as a solver; the message says why, in a line."""


class GuestFault(ValueError):
    """A guest broke the contract.

    Parameters
    ----------
    problem, fix : str
    """

    def __init__(self, problem, fix=""):
        self.problem, self.fix = problem, fix
        super().__init__(f"{problem}; {fix}." if fix else f"{problem}.")

    def __reduce__(self):
        return type(self), (self.problem, self.fix)
