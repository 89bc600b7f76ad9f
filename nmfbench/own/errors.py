"""The error of a matrix that cannot be used."""

from nmfbench.datasets.errors import DataError

__all__ = ["OwnDataError"]


class OwnDataError(DataError, ValueError):
    """A matrix that a user gave cannot be used; the message names the parameter and the remedy."""
